"""Answers to exercise set 3: right ones written differently from the solution, and wrong ones as students give them."""

import math

import numpy as np
import pandas as pd

from fi_teach.importance import mdi
from fi_teach.trees import grow_forest, oob_prediction

# mdi.oob_mean

def oob_with_nanmean(predictions, in_bag):
    return pd.DataFrame(predictions).where(pd.DataFrame(in_bag) == 0).mean()


def oob_borrowed(predictions, in_bag):
    X = np.arange(8.0)[:, None]
    return oob_prediction(grow_forest(X, X[:, 0], n_trees=3), X)[:, 0]


# mdi.mend_weights

def weights_by_halves(weight, missed):
    """Missed rows share one half, the others the other half."""
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    return weight / 2 / np.where(missed, weight[missed].sum(), weight[~missed].sum())


def weights_of_arrays(weight, missed):
    grown = weight.copy()
    grown[missed] = weight[missed] / weight[missed].sum() / 2
    grown[~missed] = weight[~missed] / weight[~missed].sum() / 2
    return grown


# mdi.forest_shares

def shares_with_pandas(decreases):
    table = pd.DataFrame(np.asarray(decreases, float))
    shares = table.div(table.sum(axis=1), axis=0).fillna(0).mean()
    return shares / shares.sum()


def shares_borrowed(decreases):
    forest = grow_forest(np.arange(8.0)[:, None], np.arange(8) > 3, n_trees=3)
    return mdi(forest).mean


# mdi.test_stretch

X_TEST, Y_TEST = np.array([0.1, 0.2, 0.5, 1.0, 2.0, 6.0]), np.array([1, 0, 1, 0, 0, 1])


def test_with_cubes(importance):
    for change in (7 * X_TEST, X_TEST**3, np.log(X_TEST), np.sqrt(X_TEST)):
        assert math.isclose(importance(change, Y_TEST), importance(X_TEST, Y_TEST), abs_tol=1e-9)


def test_that_answers(importance):
    values = [importance(c, Y_TEST) for c in (X_TEST, 3 * X_TEST - 1, np.arange(6.0), X_TEST**9)]
    return np.ptp(values) < 1e-9


def test_of_order_turned(importance):
    assert abs(importance(np.roll(X_TEST, 1), Y_TEST) - importance(X_TEST, Y_TEST)) < 1e-9


def test_gini_value(importance):
    assert abs(importance([1, 2], [0, 1]) - 0.5) < 1e-9


def test_bounded(importance):
    assert importance(np.arange(6.0), [0, 0, 0, 1, 1, 1]) <= 1


def test_only_shift(importance):
    assert abs(importance(X_TEST + 5, Y_TEST) - importance(X_TEST, Y_TEST)) < 1e-9


def test_only_straight(importance):
    assert abs(importance(10 * X_TEST + 3, Y_TEST) - importance(X_TEST, Y_TEST)) < 1e-9


def test_mean_stays_put(importance):
    """Bent, but so that the same rows stay below the mean: the middle of the range moves past one."""
    x, y = np.array([0.0, 1, 2, 7, 8, 10]), np.array([0, 1, 0, 1, 1, 0])
    for change in (2 * x, np.array([0.0, 1, 2, 7, 8, 15])):
        assert abs(importance(change, y) - importance(x, y)) < 1e-9


def test_middle_stays_put(importance):
    """Bent, but so that the same rows stay below mid-range: the mean moves past one."""
    x, y = np.array([0.0, 1, 2, 3, 4, 10]), np.array([0, 1, 0, 1, 1, 0])
    for change in (2 * x, np.array([0.0, 4, 4.5, 4.7, 4.8, 10])):
        assert abs(importance(change, y) - importance(x, y)) < 1e-9


RIGHT = {
    "mdi.recall_currency": [(0.2, "bits")],
    "mdi.recall_left_over": ["33 %"],
    "mdi.boost_step": [5.0],
    "mdi.oob_mean": [oob_with_nanmean],
    "mdi.adaboost_weight": ["25 %"],
    "mdi.mend_weights": [weights_by_halves],
    "mdi.forest_shares": [shares_with_pandas],
    "mdi.test_stretch": [test_with_cubes],
}

WRONG = {
    "mdi.oob_mean": [("borrowed", oob_borrowed)],
    "mdi.mend_weights": [("right for arrays only", weights_of_arrays)],
    "mdi.forest_shares": [("borrowed", shares_borrowed)],
    "mdi.test_stretch": [
        ("returns what it should assert", test_that_answers), ("refuses a tree's measure", test_of_order_turned),
        ("refuses entropy", test_gini_value), ("refuses ranks", test_bounded),
        ("misses a change of unit", test_only_shift), ("misses a bend", test_only_straight),
        ("misses a cut at the mean", test_mean_stays_put), ("misses a cut at mid-range", test_middle_stays_put)],
}
