"""Answers to exercise set 5, as different students would write them:
RIGHT ones, and WRONG ones by the name of their mistake."""

from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.importance import exact_permutation_importance, permutation_importance
from fi_teach.importance.exact_permutation import exact_permutation_importance_by_definition

# permutation.all_pairs

def pairs_at_once(X, y, weights, j):
    X, y, weights = np.asarray(X), np.asarray(y), np.asarray(weights)
    error = y - X @ weights
    after = error[:, None] - weights[j] * (X[:, j][None, :] - X[:, j][:, None])
    return (after**2 - error[:, None] ** 2).mean()


def column_mean(X, y, weights, j):
    filled = np.array(X, dtype=float)
    filled[:, j] = filled[:, j].mean()
    return np.mean((y - filled @ weights) ** 2) - np.mean((y - X @ weights) ** 2)


def borrowed_definition(X, y, weights, j):
    return exact_permutation_importance_by_definition(lambda T: T @ weights, X, y).mean[j]


def borrowed_shuffles(X, y, weights, j):
    return permutation_importance(lambda T: T @ weights, X, y, n_repeats=1000).mean[j]


def borrowed_fast(X, y, weights, j):
    return exact_permutation_importance(lambda T: T @ weights, X, y).mean[j]


# permutation.mend_groups

def groups_with_frames(X, y, weights, groups, order):
    frame, rises = pd.DataFrame(X), []
    for group in groups:
        shuffled = frame.copy()
        shuffled[group] = frame[group].iloc[list(order)].to_numpy()
        rises.append(np.mean((y - shuffled @ weights) ** 2) - np.mean((y - frame @ weights) ** 2))
    return pd.Series(rises)


# permutation.test_groups

ROWS = np.array([[0.0, 1, 0], [1, 3, 2], [4, 0, 1]])
HIT, MISSED, ONES, CYCLE = ROWS.sum(axis=1), np.array([2.0, 6, 5]), np.ones(3), [1, 2, 0]


def rise_of(group, y=MISSED):
    shuffled = ROWS.copy()
    shuffled[:, group] = ROWS[CYCLE][:, group]
    return np.mean((y - shuffled @ ONES) ** 2) - np.mean((y - ROWS @ ONES) ** 2)


def test_all(f):
    X = ROWS.copy()
    np.testing.assert_allclose(f(X, MISSED, ONES, [[0], [1, 2]], CYCLE), [rise_of([0]), rise_of([1, 2])])
    np.testing.assert_array_equal(X, ROWS)


def test_that_answers(f):
    X = ROWS.copy()
    found = [abs(a - rise_of(group)) < 1e-6
             for group, a in zip([[2], [0, 1], [1, 2]], f(X, MISSED, ONES, [[2], [0, 1], [1, 2]], CYCLE), strict=True)]
    return all(found) and (X == ROWS).all()


def test_wrong_number(f):
    assert abs(f(ROWS.copy(), MISSED, ONES, [[0]], CYCLE)[0]) < 1e-9


def test_equality(f):
    assert f(ROWS.copy(), MISSED, ONES, [[0]], CYCLE) == [rise_of([0])]


def test_single_columns(f):
    np.testing.assert_allclose(f(ROWS.copy(), MISSED, ONES, [[0], [1], [2]], CYCLE), [rise_of([j]) for j in range(3)])


def test_one_group(f):
    np.testing.assert_allclose(f(ROWS.copy(), MISSED, ONES, [[1, 2]], CYCLE), [rise_of([1, 2])])


def test_constant_columns(f):
    X = np.array([[0.0, 7, 5], [2, 7, 5], [4, 7, 5]])
    assert abs(f(X, X @ ONES, ONES, [[0], [1, 2]], CYCLE)[1]) < 1e-9


def test_targets_hit(f):
    np.testing.assert_allclose(f(ROWS.copy(), HIT, ONES, [[0], [1, 2]], CYCLE),
                               [rise_of([0], HIT), rise_of([1, 2], HIT)])


def test_numbers_only(f):
    np.testing.assert_allclose(f(ROWS.copy(), MISSED, ONES, [[0], [1, 2]], CYCLE), [rise_of([0]), rise_of([1, 2])])


RIGHT = {
    "permutation.recall_judges": ["4 rows"],
    "permutation.bananas": [{"trees": 0.5, "votes": Fraction(1, 3)}],
    "permutation.accuracy": ["12 %"],
    "permutation.all_pairs": [pairs_at_once],
    "permutation.mend_groups": [groups_with_frames],
    "permutation.test_groups": [test_all],
}

WRONG = {
    "permutation.all_pairs": [
        ("the mean put in", column_mean), ("borrowed", borrowed_definition), ("borrowed", borrowed_shuffles),
        ("borrowed", borrowed_fast)],
    "permutation.test_groups": [
        ("returns what it should assert", test_that_answers), ("refuses a right one", test_wrong_number),
        ("exact equality", test_equality), ("misses the wrong columns", test_single_columns),
        ("misses a table left scrambled", test_one_group), ("misses columns shuffled apart", test_constant_columns),
        ("misses donors for receivers", test_targets_hit), ("misses a changed table", test_numbers_only)],
}
