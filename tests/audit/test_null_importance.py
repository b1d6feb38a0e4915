"""How large nothing looks, and what a gap tells: the two questions that come before a bar is believed."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fi_audit
from fi_audit.checks import gaps_that_tell
from fi_audit.inputs import make_inputs
from fi_audit.null_importance import check_null_copies, null_copies
from fi_audit.sentences import sentences
from fi_teach.trees import grow_forest

sys.path.insert(0, str(Path(__file__).parent))


def numbers(n=300, rng=0):
    """y = 2 a + noise; b and c have nothing to do with it."""
    rng = np.random.default_rng(rng)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    return X, 2 * X["a"].to_numpy() + 0.5 * rng.normal(size=n)


def linear(table):
    return 2 * table["a"].to_numpy() + 0.3 * table["b"].to_numpy()


def inputs_of(rng=0, **settings):
    X, y = numbers(rng=rng)
    return make_inputs(linear, X, y, quick=True, rng=rng, **settings)


# --- null copies ---


def test_null_copies_of_a_column_that_decides_tell_nothing():
    """a is worth 8 when it is shuffled; its copy, shuffled beforehand, nothing."""
    inputs = inputs_of()
    used = fi_audit.audit(linear, *numbers(), quick=True).measure("used")
    found = null_copies(inputs)
    assert found.names == ("a", "b", "c") and used.row("a")[0] > 6
    assert not found.clear.any() and abs(found.row("a")[0]) < 2
    assert found.row("c") == (0, 0, 0)  # what the model does not read costs exactly nothing


def test_null_copies_are_clear_of_zero_in_hardly_any_audit():
    """Forty tables, intervals that hold together in 99 of 100: at most three with one clear copy."""
    alarms = sum(null_copies(inputs_of(rng=seed)).clear.any() for seed in range(40))
    assert alarms <= 3


def test_null_copies_keep_to_weights_and_groups():
    """Weights of one and groups of one row change nothing; groups of ten make intervals wider or narrower, not equal.
    """
    plain = null_copies(inputs_of())
    assert null_copies(inputs_of(sample_weight=np.ones(300))) == plain
    grouped = null_copies(inputs_of(groups=np.arange(300) // 10))
    assert (grouped.high[:2] != plain.high[:2]).all() and (grouped.value == plain.value).all()


def test_a_copy_that_is_clear_of_zero_puts_the_intervals_in_doubt():
    found = null_copies(inputs_of())
    assert check_null_copies(found).verdict == "well" and "0 are clear of zero" in check_null_copies(found).text
    doubtful = replace(found, low=np.array([0.1, -1, -1]))
    assert check_null_copies(doubtful).verdict == "ask" and "1 is clear of zero" in check_null_copies(doubtful).text


def test_no_column_is_said_to_be_used_for_less_than_a_null_copy_gets():
    """The same figures, and a null copy as large as a's: then nothing is said of a."""
    X, y = numbers()
    inputs = make_inputs(linear, X, y, quick=True)
    audit = fi_audit.audit(linear, X, y, quick=True)
    measures = {m.question: m for m in audit.measures}

    def said(measures):
        made = sentences(inputs, audit.findings, audit.clusters, measures, ())
        return {s.about[0] for s in made if s.kind == "used"}

    assert "a" in said(measures)
    null_measure = measures["null copies"]
    large = replace(null_measure, value=np.array([0, 0, 1.01 * measures["used"].row("a")[0]]))
    assert said(measures | {"null copies": large}) == set()


# --- gaps ---


def with_gaps(telling, n=600, rng=0):
    """Who buys? In `pay` every sixth value is missing, at random or (telling) mostly where nobody buys."""
    rng = np.random.default_rng(rng)
    table = pd.DataFrame({"pay": rng.normal(size=n), "age": rng.normal(size=n)})
    buys = table["pay"].to_numpy() + rng.normal(size=n) > 0
    chance = np.where(buys, 0.04, 0.3) if telling else 1 / 6
    table.loc[rng.random(n) < chance, "pay"] = np.nan
    return table, np.where(buys, "yes", "no")


def gaps_of(telling, **settings):
    X, y = with_gaps(telling)
    model = lambda table: np.where(table["pay"] > 0, "yes", "no")  # noqa: E731
    return gaps_that_tell(make_inputs(model, X, y, quick=True, **settings))


def test_gaps_that_go_with_the_target_are_asked_about():
    found = gaps_of(telling=True)
    assert found.verdict == "ask" and found.about == ("pay",)
    assert "the share of yes is" in found.text and "Was the field empty" in found.text
    assert found.figures["pay"] < -0.2
    assert gaps_of(telling=True, groups=np.arange(600) // 2).about == ("pay",)


def test_gaps_at_random_are_not():
    found = gaps_of(telling=False)
    assert found.verdict == "well" and found.about == () and "30 gaps or more: 1;" in found.text


def test_the_loans_gaps_in_the_income_are_found():
    """The real table of chapter 14: where no income is on file, more than half went bad."""
    pytest.importorskip("sklearn")
    from fi_course.tables import loans
    X, y = loans()
    found = gaps_that_tell(make_inputs(lambda table: np.zeros(len(table)), X, y, quick=True))
    assert "Income" in found.about and found.figures["Income"] > 0.25


def test_a_forest_of_noise_is_not_said_to_use_any_of_it():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(400, 4)), columns=list("abcd"))
    y = rng.normal(size=400)
    forest = grow_forest(X[:200], y[:200], n_trees=20, min_samples_leaf=3, rng=0)
    found = fi_audit.audit(forest, X[:200], y[:200], test=(X[200:], y[200:]), quick=True)
    assert not [s for s in found.sentences if s.may and s.kind == "used"]
