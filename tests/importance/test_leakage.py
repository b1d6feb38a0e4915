"""A planted leak is named, a good feature is only suspected, and bad input is refused."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.importance import leak_suspects


def applicants(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return pd.DataFrame(
        {"spent": y * rng.random(n), "age": y + rng.normal(0, 2, n), "noise": rng.random(n)}
    ), y


def test_a_column_written_after_the_decision_is_a_leak():
    X, y = applicants()
    table = leak_suspects(X, y, known_from={"spent": 12, "age": -400})
    assert table.loc[0, ["feature", "dominant", "too_late"]].tolist() == ["spent", True, True]
    assert table.loc[0, "verdict"].startswith("leak")


def test_without_dates_a_dominant_column_is_only_a_suspect():
    X, y = applicants()
    assert leak_suspects(X, y)["verdict"].tolist()[0].startswith("suspect")


def test_a_weak_column_that_comes_too_late_is_a_leak_all_the_same():
    X, y = applicants()
    table = leak_suspects(X, y, known_from={"noise": 1}).set_index("feature")
    assert table.loc["noise", "verdict"].startswith("leak") and not table.loc["noise", "dominant"]


def test_numbers_are_judged_by_explained_variance():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"copy": rng.normal(size=300), "noise": rng.normal(size=300)})
    table = leak_suspects(X, X["copy"] * 2 + 1)
    assert table.loc[0, "feature"] == "copy" and table.loc[0, "dominant"]


def test_where_nothing_predicts_nothing_is_suspected():
    """Ten seeded tables of pure noise."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = leak_suspects(rng.random((200, 3)), rng.random(200), n_trees=20, rng=seed)
        assert set(table["verdict"]) == {"no sign of a leak"}


@pytest.mark.parametrize(
    ("keywords", "words"),
    [({"known_from": {"typo": 1}}, "no column of X"), ({"share": 0}, "share is 0")],
)
def test_bad_settings_are_refused(keywords, words):
    X, y = applicants(50)
    with pytest.raises(ValueError, match=words):
        leak_suspects(X, y, **keywords)


@pytest.mark.parametrize(
    ("y", "words"),
    [(["a"] * 50, "constant"), (["a", "b", "c", "d", "e"] * 10, "expected two or numbers")],
)
def test_targets_that_cannot_leak_are_refused(y, words):
    with pytest.raises(ValueError, match=words):
        leak_suspects(applicants(50)[0], y)


def test_the_callers_table_is_left_alone():
    X, y = applicants(60)
    before = X.copy()
    leak_suspects(X, y, n_trees=5)
    pd.testing.assert_frame_equal(X, before)


def test_words_and_gaps_are_values_like_others():
    """Planted: whether a date was ever filled in, and a word written afterwards, tell the
    answer."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    paid = pd.Series(pd.Timestamp("2024-05-01")).repeat(300).reset_index(drop=True)
    table = pd.DataFrame(
        {
            "paid on": paid.where(y == 1),
            "status": np.where(y == 1, "closed", rng.choice(["active", "late"], 300)),
            "income": pd.Series(rng.normal(size=300)).mask(rng.random(300) < 0.2),
        }
    )
    found = leak_suspects(table, y).set_index("feature")
    assert found["dominant"].to_dict() == {"paid on": True, "status": True, "income": False}


def test_a_yes_or_no_column_is_not_judged_below_its_worth():
    """2 AUC - 1 of the column, over that of the forest, whose only column it is: 1."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    X = np.where(rng.random(300) < 0.7, y, 1 - y)[:, None]
    assert leak_suspects(X, y).loc[0, "strength"] == pytest.approx(1)


def test_labels_of_any_kind_are_two_classes():
    X, y = applicants()
    tables = [leak_suspects(X, labels) for labels in (y, y + 1, np.where(y, "yes", "no"), y == 1)]
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.eye(4), [0, 0, 0, 1], "one row of one of its classes"),
        (np.eye(4), np.eye(4), "one target"),
    ],
)
def test_targets_of_which_nothing_can_be_held_out_are_refused(X, y, words):
    with pytest.raises(ValueError, match=words):
        leak_suspects(X, y)


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
    strength = leak_suspects(X, X[:, 0])["strength"].tolist()
    assert strength[0] > 0.9 and strength[1] == 0
