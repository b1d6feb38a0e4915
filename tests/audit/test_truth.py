"""A sample of tests/audit/truth.py: sentences held against worlds whose truth is known."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import fi_audit
from fi_audit.inputs import make_inputs

sys.path.insert(0, str(Path(__file__).parent))
import truth

pytest.importorskip("sklearn")


def test_sentences_are_right_in_a_sample_of_worlds():
    """The whole is `make audit-truth`; here five worlds, one draw each: at most one sentence in twenty may be wrong."""
    judged = []
    for name in ("null", "correlated_proxy", "mediator", "and_gate", "confounder"):
        judged += truth.sentences_of(name, 0, n=450, n_trees=10)[0]
    wrong = [(kind, about) for kind, about, well in judged if not well]
    assert len(judged) >= 12 and len(wrong) <= len(judged) / 20 + 1, wrong


def test_a_false_sentence_is_not_borne_out():
    """The judge can say no: to noise that is said to be used, relevant, associated, and to a figure that is off."""
    world, fresh = truth.WORLDS["cardinality"](300, rng=1), truth.WORLDS["cardinality"](1000, rng=2)
    y = world.y.astype(float)
    model = lambda X: X.iloc[:, 0].to_numpy() / 100  # noqa: E731
    settings = {"quick": True, "rng": 0}
    inputs = make_inputs(model, world.X, y, **settings)
    audit = fi_audit.audit(model, world.X, y, **settings)
    judge = truth.Truth(inputs, fresh, world.truth, audit)
    sentence = audit.sentences[-1]
    irrelevant = world.truth.index[~world.truth["associated"]][0]
    for kind in ("used", "relevant", "associated"):
        assert not judge.bears_out(replace(sentence, kind=kind, about=(irrelevant,)))
