"""A planted leak is named, a good feature is only suspected, and bad input is refused."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.importance import leak_suspects


def applicants(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return pd.DataFrame({"spent": y * rng.random(n), "age": y + rng.normal(0, 2, n), "noise": rng.random(n)}), y


@pytest.mark.parametrize(("known_from", "feature", "dominant", "verdict"), [
    ({"spent": 12, "age": -400}, "spent", True, "leak"),
    (None, "spent", True, "suspect"),
    ({"noise": 1}, "noise", False, "leak"),
])
def test_a_column_that_comes_too_late_is_a_leak_and_one_that_says_all_a_suspect(
        known_from, feature, dominant, verdict):
    found = leak_suspects(*applicants(), known_from=known_from)
    assert found.loc[0, "feature"] == "spent"
    found = found.set_index("feature").loc[feature]
    assert found["dominant"] == dominant and found["verdict"].startswith(verdict)


def test_where_nothing_predicts_nothing_is_suspected():
    """Ten seeded tables of pure noise."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = leak_suspects(rng.random((200, 3)), rng.random(200), n_trees=20, rng=seed)
        assert set(table["verdict"]) == {"no sign of a leak"}


def test_labels_of_any_kind_are_two_classes():
    X, y = applicants()
    tables = [leak_suspects(X, labels) for labels in (y, y + 1, np.where(y, "yes", "no"), y == 1)]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


# --- the figure ---


def test_leak_suspects_gives_two_auc_minus_one_beside_a_perfect_column():
    """2 AUC - 1 of a yes-or-no column is the difference of its shares: .8 - .2 here; the other column is the answer."""
    y = np.arange(300) % 2
    X = np.column_stack([y, np.where(np.arange(300) // 2 % 5 > 0, y, 1 - y)])
    strength = leak_suspects(X, y).set_index("feature")["strength"]
    assert strength["x0"] == 1
    assert strength["x1"] == pytest.approx(0.6, abs=0.03)


def test_leak_suspects_calls_a_feature_dominant_that_has_just_the_share():
    y = np.arange(60) % 2
    assert leak_suspects(y[:, None], y, share=1)["dominant"].tolist() == [True]


def test_leak_suspects_takes_a_feature_that_is_known_at_the_decision_for_known_in_time():
    y = np.arange(60) % 2
    known = [leak_suspects(y[:, None], y, known_from={"x0": time}, decided_at=7)["too_late"][0] for time in (7, 8)]
    assert known == [False, True]


def test_leak_suspects_counts_a_forest_that_explains_a_fortieth_as_one_that_explains_a_twentieth():
    """R^2 of one yes-or-no column is d^2 / (d^2 + 4) for means d apart and errors of +-1: .025, half of .05."""
    rows = np.arange(6000)
    x, error = rows % 2, (-1) ** (rows // 2)
    y = x * np.sqrt(4 * 0.025 / 0.975) + error
    strength = leak_suspects(x[:, None], y, n_trees=6)["strength"][0]
    assert strength == pytest.approx(0.5, rel=0.2)


def test_a_column_that_predicts_worse_than_guessing_has_strength_zero():
    """R^2 of noise is negative on held-out rows; a strength is a share of the whole forest's score, from 0."""
    X = np.random.default_rng(0).normal(size=(90, 2))
    found = leak_suspects(X, X[:, 0])
    assert found["strength"][0] > 0.9 and found["strength"][1] == 0
    assert found["dominant"].tolist() == [True, False]
