"""Answers to exercise set 5, as different students would write them:
RIGHT ones, and WRONG ones by the name of their mistake."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd

from fi_teach.importance import exact_permutation_importance, permutation_importance
from fi_teach.importance.exact_permutation import exact_permutation_importance_by_definition

WHY = "because I think so"


# permutation.all_pairs

def pairs_with_loops(X, y, weights, j):
    total = 0
    for i in range(len(X)):
        own = sum(X[i][k] * weights[k] for k in range(len(weights)))
        for d in range(len(X)):
            other = own + weights[j] * (X[d][j] - X[i][j])
            total += (y[i] - other) ** 2 - (y[i] - own) ** 2
    return total / len(X) ** 2


def pairs_at_once(X, y, weights, j):
    X, y, weights = np.asarray(X), np.asarray(y), np.asarray(weights)
    error = y - X @ weights
    after = error[:, None] - weights[j] * (X[:, j][None, :] - X[:, j][:, None])
    return (after**2 - error[:, None] ** 2).mean()


def pairs_by_formula(X, y, weights, j):
    """E (y - f + w (x - x'))^2 - E (y - f)^2 = 2 w Cov(error, x) + 2 w^2 Var(x)."""
    X = pd.DataFrame(X)
    error = y - X @ weights
    return 2 * weights[j] * np.cov(error, X[j], ddof=0)[0, 1] + 2 * weights[j] ** 2 * X[j].var(ddof=0)


def without_own_pair(X, y, weights, j):
    return pairs_at_once(X, y, weights, j) * len(X) / (len(X) - 1)


def loss_before_forgotten(X, y, weights, j):
    return pairs_at_once(X, y, weights, j) + np.mean((np.asarray(y) - np.asarray(X) @ np.asarray(weights)) ** 2)


def size_of_error(X, y, weights, j):
    error = np.asarray(y) - np.asarray(X) @ np.asarray(weights)
    column = np.asarray(X)[:, j]
    return np.mean(np.abs(error[:, None] - weights[j] * (column[None, :] - column[:, None])) - np.abs(error)[:, None])


def next_row_only(X, y, weights, j):
    shuffled = np.array(X, dtype=float)
    shuffled[:, j] = np.roll(shuffled[:, j], -1)
    return np.mean((y - shuffled @ weights) ** 2) - np.mean((y - X @ weights) ** 2)


def column_mean(X, y, weights, j):
    filled = np.array(X, dtype=float)
    filled[:, j] = filled[:, j].mean()
    return np.mean((y - filled @ weights) ** 2) - np.mean((y - X @ weights) ** 2)


def weight_left_out(X, y, weights, j):
    rest = np.array(weights, dtype=float)
    rest[j] = 0
    return np.mean((y - X @ rest) ** 2) - np.mean((y - X @ weights) ** 2)


def borrowed_definition(X, y, weights, j):
    return exact_permutation_importance_by_definition(lambda T: T @ weights, X, y).mean[j]


def borrowed_shuffles(X, y, weights, j):
    return permutation_importance(lambda T: T @ weights, X, y, n_repeats=1000).mean[j]


def borrowed_fast(X, y, weights, j):
    return exact_permutation_importance(lambda T: T @ weights, X, y).mean[j]


# permutation.mend_groups

def groups_saved_and_put_back(X, y, weights, groups, order):
    X = np.array(X, dtype=float)
    before, rises = np.mean((y - X @ weights) ** 2), []
    for group in groups:
        saved = X[:, group].copy()
        X[:, group] = saved[order]
        rises.append(np.mean((y - X @ weights) ** 2) - before)
        X[:, group] = saved
    return rises


def groups_row_by_row(X, y, weights, groups, order):
    def loss(table):
        return sum((t - sum(a * w for a, w in zip(row, weights, strict=True))) ** 2
                   for row, t in zip(table, y, strict=True)) / len(y)

    rows = [list(map(float, row)) for row in np.asarray(X)]
    return [
        loss([[rows[d][c] if c in group else v for c, v in enumerate(row)] for row, d in zip(rows, order, strict=True)])
        - loss(rows)
        for group in groups]


def groups_with_frames(X, y, weights, groups, order):
    frame, rises = pd.DataFrame(X), []
    for group in groups:
        shuffled = frame.copy()
        shuffled[group] = frame[group].iloc[list(order)].to_numpy()
        rises.append(np.mean((y - shuffled @ weights) ** 2) - np.mean((y - frame @ weights) ** 2))
    return pd.Series(rises)


def first_columns_on_a_copy(X, y, weights, groups, order):
    X, rises = np.array(X, dtype=float), []
    for group in groups:
        shuffled = X.copy()
        if len(group) > 1:
            for i in range(len(group)):
                shuffled[:, i] = X[order, i]
        else:
            shuffled[:, group] = X[order][:, group]
        rises.append(np.mean((y - shuffled @ weights) ** 2) - np.mean((y - X @ weights) ** 2))
    return rises


def never_put_back(X, y, weights, groups, order):
    X = np.array(X, dtype=float)
    before, rises = np.mean((y - X @ weights) ** 2), []
    for group in groups:
        X[:, group] = X[order][:, group]
        rises.append(np.mean((y - X @ weights) ** 2) - before)
    return rises


def sum_of_columns(X, y, weights, groups, order):
    return [sum(groups_saved_and_put_back(X, y, weights, [[c] for c in group], order)) for group in groups]


def first_of_group(X, y, weights, groups, order):
    return groups_saved_and_put_back(X, y, weights, [group[:1] for group in groups], order)


def last_of_group(X, y, weights, groups, order):
    X, rises = np.array(X, dtype=float), []
    for group in groups:
        for column in group:
            shuffled = X.copy()
            shuffled[:, column] = X[order, column]
        rises.append(np.mean((y - shuffled @ weights) ** 2) - np.mean((y - X @ weights) ** 2))
    return rises


def shuffled_in_the_loop(X, y, weights, groups, order):
    X = np.array(X, dtype=float)
    before, rises = np.mean((y - X @ weights) ** 2), []
    for group in groups:
        saved = X[:, group].copy()
        for _ in group:
            X[:, group] = X[order][:, group]
        rises.append(np.mean((y - X @ weights) ** 2) - before)
        X[:, group] = saved
    return rises


def given_away(X, y, weights, groups, order):
    X, rises = np.array(X, dtype=float), []
    for group in groups:
        shuffled = X.copy()
        shuffled[np.ix_(order, group)] = X[:, group]
        rises.append(np.mean((y - shuffled @ weights) ** 2) - np.mean((y - X @ weights) ** 2))
    return rises


def every_shuffle(X, y, weights, j):
    """All n! shuffles, one after the other."""
    X, y = np.array(X, float), np.array(y, float)
    after = []
    for order in permutations(range(len(X))):
        shuffled = X.copy()
        shuffled[:, j] = X[list(order), j]
        after.append(np.mean((y - shuffled @ weights) ** 2))
    return np.mean(after) - np.mean((y - X @ weights) ** 2)


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
    "permutation.recall_judges": [4.0, "4 rows", np.int64(4)],
    "permutation.recall_noise": [("C", WHY), ["(c)", WHY]],
    "permutation.bananas": [{"trees": 0.5, "votes": Fraction(1, 3)}, {"votes": 0.333, "trees": "50 %"}, [1 / 3, 1 / 2],
                            pd.Series({"votes": 0.33, "trees": 0.5})],
    "permutation.accuracy": [0.12, "12 %", "12 percentage points", "12 pp", "3/25", (0.12, "accuracy"), Fraction(3, 25),
                             np.array([0.12])],
    "permutation.all_pairs": [pairs_with_loops, pairs_at_once, pairs_by_formula, every_shuffle],
    "permutation.mend_groups": [groups_saved_and_put_back, groups_row_by_row, groups_with_frames],
    "permutation.test_groups": [test_all],
    "permutation.exact_zero": [("c", WHY), np.array(["C.", WHY])],
}

WRONG = {
    "permutation.recall_judges": [("rows of one tree", 2), ("every row", 5), ("pairs, not rows", 6),
                                  ("the row left over", 1), ("the share, not the count", "80 %"),
                                  ("a chance, not these bags", 0.37), ("a chance, not these bags", 0.328)],
    "permutation.recall_noise": [("noise earns nothing", ("a", WHY)), ("noise is noise", ("b", WHY)),
                                 ("few values are clearer", ("d", WHY))],
    "permutation.bananas": [
        ("the two swapped", {"votes": 0.5, "trees": 0.333}), ("fruit 1 counted", {"votes": 0.25, "trees": 0.5}),
        ("fruit 1 counted", {"votes": 0.5, "trees": 0.5}), ("the wrong judge", {"votes": 2 / 3, "trees": 0.75}),
        ("one number for both", [1 / 3, 1 / 3])],
    "permutation.accuracy": [
        ("sign", -0.12), ("the score after", 0.78), ("one shuffle", 0.1), ("the worst shuffle", 0.2),
        ("ratio of scores", 0.867), ("ratio of errors", 2.2), ("in shares of the score", 0.133),
        ("per cent without its sign", 12)],
    "permutation.all_pairs": [
        ("without its own value", without_own_pair), ("before forgotten", loss_before_forgotten),
        ("sign", lambda *case: -pairs_at_once(*case)),
        ("divided by the rows", lambda *case: len(case[0]) * pairs_at_once(*case)),
        ("a sum, not a mean", lambda *case: len(case[0]) ** 2 * pairs_at_once(*case)),
        ("absolute error", size_of_error),
        ("one shuffle", next_row_only), ("the mean put in", column_mean), ("zero put in", weight_left_out),
        ("borrowed", borrowed_definition), ("borrowed", borrowed_shuffles), ("borrowed", borrowed_fast)],
    "permutation.mend_groups": [
        ("wrong columns, put back", first_columns_on_a_copy), ("left scrambled", never_put_back),
        ("sum of the parts", sum_of_columns),
        ("one column of the group", first_of_group), ("one column of the group", last_of_group),
        ("shuffled once a column", shuffled_in_the_loop), ("donors for receivers", given_away)],
    "permutation.test_groups": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_wrong_number), ("exact equality", test_equality),
        ("misses the wrong columns", test_single_columns),
        ("misses a table left scrambled", test_one_group), ("misses columns shuffled apart", test_constant_columns),
        ("misses donors for receivers", test_targets_hit), ("misses a changed table", test_numbers_only)],
    "permutation.exact_zero": [("zero means unused", ("a", WHY)), ("zero means unrelated", ("b", WHY)),
                               ("zero means it may go", ("d", WHY))],
}
