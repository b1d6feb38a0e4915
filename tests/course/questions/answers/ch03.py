"""Answers to exercise set 3: right ones written differently from the solution, and wrong ones as students give them."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.importance import mdi
from fi_teach.trees import grow_forest, oob_prediction

WHY = "because of what the leaves keep"


# mdi.oob_mean

def oob_with_masks(predictions, in_bag):
    free = np.asarray(in_bag) == 0
    total, voices = (np.asarray(predictions) * free).sum(axis=0), free.sum(axis=0)
    return np.where(voices > 0, total / np.maximum(voices, 1), np.nan)


def oob_with_loops(predictions, in_bag):
    rows = range(len(in_bag[0]))
    said = [[p[i] for p, bag in zip(predictions, in_bag) if not bag[i]] for i in rows]  # noqa: B905
    return [sum(voices) / len(voices) if voices else math.nan for voices in said]


def oob_with_nanmean(predictions, in_bag):
    return pd.DataFrame(predictions).where(pd.DataFrame(in_bag) == 0).mean()


def oob_with_none(predictions, in_bag):
    """None where nobody may speak: Python's own word for it."""
    return [None if np.isnan(said) else said for said in oob_with_masks(predictions, in_bag)]


def oob_of_those_who_saw(predictions, in_bag):
    return pd.DataFrame(predictions).where(pd.DataFrame(in_bag) > 0).mean().to_numpy()


def oob_by_counts(predictions, in_bag):
    return (np.asarray(predictions) * np.asarray(in_bag)).sum(axis=0) / np.asarray(in_bag).sum(axis=0)


def oob_everybody(predictions, in_bag):
    return np.asarray(predictions).mean(axis=0)


def oob_over_all(predictions, in_bag):
    return np.where(np.asarray(in_bag) == 0, predictions, 0).mean(axis=0)


def oob_silent_zero(predictions, in_bag):
    free = np.asarray(in_bag) == 0
    return (np.asarray(predictions) * free).sum(axis=0) / np.maximum(free.sum(axis=0), 1)


def oob_borrowed(predictions, in_bag):
    X = np.arange(8.0)[:, None]
    return oob_prediction(grow_forest(X, X[:, 0], n_trees=3), X)[:, 0]


# mdi.mend_weights

def weights_by_halves(weight, missed):
    """Missed rows share one half, the others the other half."""
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    return weight / 2 / np.where(missed, weight[missed].sum(), weight[~missed].sum())


def weights_with_lists(weight, missed):
    error = sum(w for w, m in zip(weight, missed, strict=True) if m)
    new = [w * (1 - error) / error if m else w for w, m in zip(weight, missed, strict=True)]
    return [w / sum(new) for w in new]


def weights_handed_out(weight, missed):
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    error = weight[missed].sum()
    weight = weight * np.exp(np.log(error / (1 - error)) * missed)
    return weight / weight.sum()


def weights_not_scaled(weight, missed):
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    return weight * np.exp(np.log(1 / weight[missed].sum() - 1) * missed)


def weights_half_alpha(weight, missed):
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    new = weight * np.sqrt(1 / weight[missed].sum() - 1) ** missed
    return new / new.sum()


def weights_by_number(weight, missed):
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    new = weight * (1 / missed.mean() - 1) ** missed
    return new / new.sum()


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


def shares_with_arrays(decreases):
    table = np.asarray(decreases, float)
    busy = table[table.sum(axis=1) > 0]
    return (busy / busy.sum(axis=1)[:, None]).mean(axis=0)


def shares_raw(decreases):
    mean = np.asarray(decreases).mean(axis=0)
    return mean / mean.sum()


def shares_without_guard(decreases):
    table = np.asarray(decreases, float)
    return np.mean(table / table.sum(axis=1)[:, None], axis=0)


def shares_with_idle_trees(decreases):
    return [sum(row[j] / sum(row) if sum(row) else 0 for row in np.asarray(decreases)) / len(decreases)
            for j in range(np.shape(decreases)[1])]


def shares_down(decreases):
    return pd.DataFrame(np.asarray(decreases, float)).apply(
        lambda column: column / (column.sum() or 1)).mean().to_numpy()


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


def test_one_value(importance):
    assert abs(importance(X_TEST, Y_TEST) - 0.1) < 1e-9


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
    "mdi.recall_currency": [0.2, Fraction(1, 5), (0.2, "bits")],
    "mdi.recall_left_over": [0.33, "33 %"],
    "mdi.boost_step": [5.0, Fraction(5)],
    "mdi.oob_mean": [oob_with_masks, oob_with_loops, oob_with_nanmean, oob_with_none],
    "mdi.adaboost_weight": [Fraction(1, 4), "25 %", 0.25],
    "mdi.mend_weights": [weights_by_halves, weights_with_lists],
    "mdi.forest_shares": [shares_with_pandas, shares_with_arrays],
    "mdi.shallow_noise": [("B", WHY), ["b)", WHY]],
    "mdi.test_stretch": [test_with_cubes],
}

WRONG = {
    "mdi.recall_currency": [("divided by the node's days", 0.4), ("still in the post's currency", 2.8),
                            ("weighted twice", 0.1)],
    "mdi.recall_left_over": [("pure leaves taken for granted", 0.48), ("leaf not weighted", 0.105),
                             ("normalised", 0.6875),
                             ("what is left, not what was taken", 0.15)],
    "mdi.boost_step": [("the whole step", 8), ("fitted to the target", 6), ("the step alone", 3), ("no start", 4)],
    "mdi.oob_mean": [("those who saw it", oob_of_those_who_saw), ("weighted by the counts", oob_by_counts),
                     ("all trees", oob_everybody),
                     ("divided by all trees", oob_over_all), ("zero for silence", oob_silent_zero),
                     ("borrowed", oob_borrowed)],
    "mdi.adaboost_weight": [("not scaled", 0.4), ("both together", 0.5), ("a row that was right", 0.0625),
                            ("alpha, not e to the alpha", 0.1287),
                            ("e taken for the error", 0.013)],
    "mdi.mend_weights": [("not scaled", weights_not_scaled), ("half of alpha", weights_half_alpha),
                         ("rows counted, not weighed", weights_by_number),
                         ("right for arrays only", weights_of_arrays)],
    "mdi.forest_shares": [("raw trees averaged", shares_raw),
                          ("no shares at all", lambda decreases: pd.DataFrame(decreases).mean()),
                          ("divided by nothing", shares_without_guard), ("short of one", shares_with_idle_trees),
                          ("down the columns", shares_down), ("borrowed", shares_borrowed)],
    "mdi.shallow_noise": [("grown to purity in mind", ("a", WHY)), ("the best of many bad cuts", ("c", WHY)),
                          ("noise gives nothing", ("d", WHY))],
    "mdi.test_stretch": [
        ("returns what it should assert", test_that_answers), ("refuses a tree's measure", test_of_order_turned),
        ("refuses entropy", test_gini_value), ("refuses ranks", test_bounded),
                         ("misses a change of unit", test_only_shift), ("misses a bend", test_only_straight),
                         ("misses a cut at the mean", test_mean_stays_put),
        ("misses a cut at mid-range", test_middle_stays_put)],
}
