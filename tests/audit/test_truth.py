"""A sample of tests/audit/truth.py: sentences held against worlds whose truth is known."""

from collections import Counter

import numpy as np
import truth

import fi_audit
from fi_audit.data import make_data


def test_sentences_are_right_in_a_sample_of_worlds():
    """The whole is `make audit-truth`; here six worlds, one draw each: at most one sentence in twenty may be wrong."""
    found = Counter()
    for name, trap in (("noise", True), ("doubles", True), ("spending", True), ("churn", False), ("persons", True),
                       ("fahrenheit", True)):
        found.update(truth.judge(name, trap, 1)[0])
    right, false = (sum(n for (_, what), n in found.items() if what == one) for one in ("right", "false"))
    assert right >= 12 and false <= right / 20 + 1, found
    for kind in ("stop", "leak", "groups", "units"):
        assert found[kind, "right"] == 1, kind


def test_a_false_sentence_is_not_borne_out():
    """The judge can say no: to noise that is said to be associated, and to a figure that is off."""
    rng = np.random.default_rng(1)
    rows, fresh = truth.noise(rng, 300, False), truth.noise(rng, 2000, False)
    model = lambda X: X["a"].to_numpy()  # noqa: E731
    data = make_data(model, rows.X, rows.y, quick=True)
    judge = truth.Truth(fi_audit.audit(model, rows.X, rows.y, quick=True), data, fresh)
    assert judge.share(("c",)) == 0 and judge.share(("a",)) > 0.5
    assert abs(judge.associated("c")) < 0.02 < judge.associated("a")
