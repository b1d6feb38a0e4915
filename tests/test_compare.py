"""The grand table: every pair is there, the truth beside it, the figures are the methods' own."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.seeds import own_stream
from fi_teach.compare import METHODS, DoesNotApply, Trial, answers, compare
from fi_teach.importance.mdi import mdi
from fi_teach.worlds import WORLDS, and_gate

QUICK = ["MDI", "permutation, held out", "SHAP, path-dependent"]


@pytest.fixture(scope="module")
def table():
    return compare(methods=[*QUICK, "conditional permutation", "drop column"], n=300, n_trees=20)


def test_every_method_meets_every_world_once_for_each_feature(table):
    for name in WORLDS:
        rows = table[table["world"] == name]
        p = rows["feature"].nunique()
        assert len(rows) == 5 * p and not rows.duplicated(["method", "feature"]).any()


def test_the_truth_in_the_table_is_the_worlds_own():
    rows = compare(["and_gate"], ["MDI"], n=100, n_trees=3)
    truth = and_gate(100).truth
    assert rows["relevant"].tolist() == truth["relevant"].tolist()
    assert np.allclose(rows["true_importance"], truth["importance"])


def test_an_importance_in_the_table_is_the_one_the_method_gives_by_hand():
    seed = int(own_stream(5, "compare").integers(2**31))
    trial = Trial(and_gate(200, rng=seed), 7, seed)
    assert (
        compare(["and_gate"], ["MDI"], n=200, n_trees=7, rng=5)["importance"].tolist()
        == mdi(trial.model).mean.tolist()
    )


def test_a_method_that_does_not_apply_says_why_and_gives_no_number(table):
    silent = table[table["note"] != ""]
    assert set(zip(silent["world"], silent["method"], strict=True)) == {
        ("survival", "MDI"),
        ("survival", "conditional permutation"),
        ("survival", "drop column"),
    }
    assert silent["importance"].isna().all() and silent["rank"].isna().all()


@pytest.mark.parametrize("method", ["knockoff statistic", "MDI", "Boruta", "SAGE"])
def test_what_a_censored_time_or_several_targets_cannot_answer_is_said(method):
    found = compare(["survival", "several_outputs"], [method], n=100, n_trees=3)
    silent = found[found["note"] != ""]
    expected = {"survival"} | ({"several_outputs"} if method == "knockoff statistic" else set())
    assert set(silent["world"]) == expected
    assert silent["importance"].isna().all()


def test_an_error_of_a_method_is_an_error_and_no_refusal():
    """A bug that raises ValueError must not pass as a method that does not apply."""

    def broken(trial):
        raise ValueError("shapes (3,) and (4,) not aligned")

    with pytest.raises(ValueError, match="not aligned"):
        compare(["null"], {"mine": broken}, n=60)


def test_a_method_of_ones_own_may_say_that_it_does_not_apply():
    def choosy(trial):
        raise DoesNotApply("only on Sundays.")

    found = compare(
        ["null"], {**{name: METHODS[name] for name in QUICK}, "mine": choosy}, n=60, n_trees=2
    )
    mine = found[found["method"] == "mine"]
    assert set(mine["note"]) == {"only on Sundays."}
    assert mine["rank"].isna().all()
    assert (found.loc[found["method"] != "mine", "note"] == "").all()


def test_one_name_is_a_list_of_one():
    assert compare("null", "MDI", n=60, n_trees=2)["world"].unique().tolist() == ["null"]


def test_the_same_seed_gives_the_same_table():
    one, two = (compare(["twins", "null"], QUICK, n=100, n_trees=3, rng=1) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs(method):
    found = compare(["confounder"], [method], n=120, n_trees=5)
    assert found["note"].eq("").all() and np.isfinite(found["importance"]).all()


def test_drop_column_answers_what_is_relevant_better_than_what_is_associated():
    """Planted truth: of two copies neither is missed; high for 'relevant' over four worlds."""
    found = answers(
        compare(
            ["correlated_proxy", "twins", "confounder", "collider"],
            ["drop column"],
            n=600,
            n_trees=40,
        )
    )
    assert found.loc["drop column", "relevant"] > 0.8


def test_mdi_cannot_tell_noise_from_noise():
    """In worlds where nothing matters there is nothing to tell apart, and no figure is made up."""
    assert answers(compare(["null"], ["MDI"], n=100, n_trees=3)).isna().all(axis=None)


def test_progress_wraps_the_pairs():
    seen = []
    compare(
        ["null"], QUICK, n=60, n_trees=2, progress=lambda pairs: (seen.append(len(pairs)), pairs)[1]
    )
    assert seen == [3]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: compare(["atlantis"]), "unknown world"),
        (lambda: compare(["null"], ["magic"]), "unknown method"),
        (lambda: compare(["null"], QUICK, n=10), "too few rows"),
    ],
)
def test_unknown_names_and_tiny_tables_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
