"""Answers to exercise set 14: right ones written differently from the solution, and wrong ones
as students give them."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd

WHY = "because of what is counted"


# own_model.gain

def gain_by_arrays(left, right, lam):
    left, right = np.asarray(left, float), np.asarray(right, float)
    G, H = np.array([left.sum(), right.sum()]), np.array([len(left), len(right)])
    return (G**2 / (H + lam)).sum() - G.sum() ** 2 / (H.sum() + lam)


def gain_by_loop(left, right, lam):
    saved = []
    for rows in (list(left), list(right), list(left) + list(right)):
        total = 0
        for error in rows:
            total += error
        saved.append(total * total / (lam + len(rows)))
    return saved[0] + saved[1] - saved[2]


def gain_by_pandas(left, right, lam):
    side = pd.Series([0] * len(left) + [1] * len(right))
    errors = pd.Series(np.concatenate([np.asarray(left, float), np.asarray(right, float)]))
    by_side = errors.groupby(side).agg(["sum", "size"])
    return float((by_side["sum"] ** 2 / (by_side["size"] + lam)).sum() - errors.sum() ** 2 / (len(errors) + lam))


def gain_of_sides(left, right, lam):
    return np.sum(left) ** 2 / (len(left) + lam) + np.sum(right) ** 2 / (len(right) + lam)


def half_gain(left, right, lam):
    return gain_by_arrays(left, right, lam) / 2


def gain_without_lambda(left, right, lam):
    return gain_by_arrays(left, right, 0)


def gain_of_squares(left, right, lam):
    left, right = np.square(np.asarray(left, float)), np.square(np.asarray(right, float))
    together = (left.sum() + right.sum()) / (len(left) + len(right) + lam)
    return left.sum() / (len(left) + lam) + right.sum() / (len(right) + lam) - together


def gain_of_sizes(left, right, lam):
    L, R = np.sum(left), np.sum(right)
    return abs(L) / (len(left) + lam) + abs(R) / (len(right) + lam) - abs(L + R) / (len(left) + len(right) + lam)


def gain_of_means(left, right, lam):
    return np.mean(left) ** 2 + np.mean(right) ** 2 - np.mean([*left, *right]) ** 2


def gain_a_row(left, right, lam):
    return gain_by_arrays(left, right, lam) / len([*left, *right])


def gain_in_arrays(left, right, lam):
    together = (left.sum() + right.sum()) ** 2 / (left.size + right.size + lam)
    return left.sum() ** 2 / (left.size + lam) + right.sum() ** 2 / (right.size + lam) - together


# own_model.mend_encoding

def encode_by_groups(words, y, fold):
    table = pd.DataFrame({"word": np.asarray(words), "y": np.asarray(y, float), "fold": np.asarray(fold)})
    value = pd.Series(np.nan, index=table.index)
    for k, own in table.groupby("fold"):
        others = table[table["fold"] != k]
        value[own.index] = own["word"].map(others.groupby("word")["y"].mean()).fillna(others["y"].mean())
    return value.to_numpy()


def encode_by_loop(words, y, fold):
    values = []
    for i in range(len(y)):
        alike = [y[k] for k in range(len(y)) if fold[k] != fold[i] and words[k] == words[i]]
        others = [y[k] for k in range(len(y)) if fold[k] != fold[i]]
        values.append(sum(alike) / len(alike) if alike else sum(others) / len(others))
    return values


def encode_by_matrix(words, y, fold):
    words, y, fold = np.asarray(words), np.asarray(y, float), np.asarray(fold)
    others = np.not_equal.outer(fold, fold)
    alike = others & np.equal.outer(words, words)
    asked = np.where(alike.any(axis=1)[:, None], alike, others)
    return asked @ y / asked.sum(axis=1)


def encode_in_arrays(words, y, fold):
    values = []
    for i in range(len(y)):
        alike = y[(fold != fold[i]) & (words == words[i])]
        values.append(alike.mean() if len(alike) else y[fold != fold[i]].mean())
    return values


def encode_without_row(words, y, fold):
    values = []
    for i in range(len(y)):
        alike = [y[k] for k in range(len(y)) if k != i and words[k] == words[i]]
        others = [y[k] for k in range(len(y)) if fold[k] != fold[i]]
        values.append(np.mean(alike or others))
    return values


def encode_within_fold(words, y, fold):
    table = pd.DataFrame({"word": np.asarray(words), "y": np.asarray(y, float), "fold": np.asarray(fold)})
    return table.groupby(["fold", "word"])["y"].transform("mean").tolist()


def encode_new_as_zero(words, y, fold):
    return [np.mean([y[k] for k in range(len(y)) if fold[k] != fold[i] and words[k] == words[i]] or [0])
            for i in range(len(y))]


def encode_new_as_mean(words, y, fold):
    return [np.mean([y[k] for k in range(len(y)) if fold[k] != fold[i] and words[k] == words[i]] or list(y))
            for i in range(len(y))]


# own_model.test_gaps

COLUMN = np.array([3.0, np.nan, 1, 4, np.nan, 1, 5, 9, 2, 6])


def drawn(f, seeds=range(6)):
    return [np.asarray(f(COLUMN.copy(), np.random.default_rng(seed))) for seed in seeds]


def test_all(f):
    mine = COLUMN.copy()
    f(mine, np.random.default_rng(0))
    assert np.array_equal(mine, COLUMN, equal_nan=True), "the column was changed"
    some = drawn(f)
    for got in some:
        assert (np.isnan(got) == np.isnan(COLUMN)).all()
        assert sorted(got[~np.isnan(got)]) == sorted(COLUMN[~np.isnan(COLUMN)])
    assert any((got != COLUMN)[~np.isnan(COLUMN)].any() for got in some)


def test_that_answers(f):
    return all((np.isnan(got) == np.isnan(COLUMN)).all() for got in drawn(f))


def test_one_order(f):
    known = ~np.isnan(COLUMN)
    wanted = COLUMN.copy()
    wanted[known] = np.random.default_rng(0).permutation(COLUMN[known])
    got = f(COLUMN.copy(), np.random.default_rng(0))
    assert np.array_equal(got, wanted, equal_nan=True)


def test_sorted(f):
    for got in drawn(f):
        assert got.tolist() == sorted(COLUMN)


def test_values_only(f):
    for got in drawn(f):
        assert sorted(got[~np.isnan(got)]) == sorted(COLUMN[~np.isnan(COLUMN)])
    assert any((got != COLUMN)[~np.isnan(COLUMN)].any() for got in drawn(f))
    mine = COLUMN.copy()
    f(mine, np.random.default_rng(0))
    assert np.array_equal(mine, COLUMN, equal_nan=True)


def test_no_new_gaps(f):
    known = ~np.isnan(COLUMN)
    mine = COLUMN.copy()
    f(mine, np.random.default_rng(0))
    assert np.array_equal(mine, COLUMN, equal_nan=True)
    for got in drawn(f):
        assert not np.isnan(got[known]).any()
        assert not Counter(COLUMN[known].tolist()) - Counter(got.tolist())
    assert any((got != COLUMN)[known].any() for got in drawn(f))


def test_gaps_only(f):
    mine = COLUMN.copy()
    f(mine, np.random.default_rng(0))
    assert np.array_equal(mine, COLUMN, equal_nan=True)
    some = drawn(f)
    assert all((np.isnan(got) == np.isnan(COLUMN)).all() for got in some)
    assert any((got != COLUMN)[~np.isnan(COLUMN)].any() for got in some)


def test_without_moving(f):
    mine = COLUMN.copy()
    f(mine, np.random.default_rng(0))
    assert np.array_equal(mine, COLUMN, equal_nan=True)
    for got in drawn(f):
        assert (np.isnan(got) == np.isnan(COLUMN)).all()
        assert sorted(got[~np.isnan(got)]) == sorted(COLUMN[~np.isnan(COLUMN)])


def test_copies_only(f):
    some = drawn(f)
    for got in some:
        assert (np.isnan(got) == np.isnan(COLUMN)).all()
        assert sorted(got[~np.isnan(got)]) == sorted(COLUMN[~np.isnan(COLUMN)])
    assert any((got != COLUMN)[~np.isnan(COLUMN)].any() for got in some)


RIGHT = {
    "own_model.recall_noise": [("C", WHY), ["(c)", WHY]],
    "own_model.recall_cover": [Fraction(22, 10), "2.2", "11/5"],
    "own_model.five": [[3, 22, 66, "190/3", 190],
                       {"weight": 3.0, "gain": "22", "total_gain": 66, "cover": 63.33, "total_cover": 190}],
    "own_model.gain": [gain_by_arrays, gain_by_loop, gain_by_pandas],
    "own_model.two_charts": [("B", WHY), ["b)", WHY]],
    "own_model.hessians": [[-1.7, -0.27], {"rows": "-1.7", "hessians": -0.271}],
    "own_model.added_up": [("A", WHY), ["(a)", WHY]],
    "own_model.mend_encoding": [encode_by_groups, encode_by_loop, encode_by_matrix],
    "own_model.test_gaps": [test_all],
    "own_model.which_sentence": [("D", WHY), ["d)", WHY]],
}

WRONG = {
    "own_model.recall_noise": [("noise cancels", ("a", WHY)), ("fewer cuts, purer cuts", ("b", WHY)),
                               ("all noise is alike", ("d", WHY))],
    "own_model.recall_cover": [("branches alike", 3), ("the larger branch only", 1), ("weights exchanged", 3.8),
                               ("a sum", 22)],
    "own_model.five": [
        ("the other column", {"weight": 2, "gain": 25, "total_gain": 50, "cover": 70, "total_cover": 140}),
        ("a mean over trees", {"weight": 3, "gain": 33, "total_gain": 66, "cover": 95, "total_cover": 190}),
        ("a mean over all splits", {"weight": 3, "gain": 13.2, "total_gain": 66, "cover": 38, "total_cover": 190}),
        ("total and mean exchanged", {"weight": 3, "gain": 66, "total_gain": 22, "cover": 190, "total_cover": 63.3}),
        ("root splits only", {"weight": 1, "gain": 60, "total_gain": 60, "cover": 100, "total_cover": 100})],
    "own_model.gain": [
        ("right for arrays only", gain_in_arrays), ("before forgotten", gain_of_sides), ("halved", half_gain),
        ("lambda forgotten", gain_without_lambda), ("squares added up", gain_of_squares),
        ("not squared", gain_of_sizes),
        ("means, not sums", gain_of_means), ("per row", gain_a_row)],
    "own_model.two_charts": [("one overfits", ("a", WHY)), ("twins", ("c", WHY)), ("chance", ("d", WHY))],
    "own_model.hessians": [
        ("Hessians of one row", {"rows": -1.7, "hessians": 0.77}),
        ("p for p(1 − p)", {"rows": -1.7, "hessians": 0.069}),
        ("sides exchanged", {"rows": 0.7, "hessians": -0.729}), ("sides alike", {"rows": -0.5, "hessians": -0.271}),
        ("the same twice", {"rows": -1.7, "hessians": -1.7})],
    "own_model.added_up": [("shuffled apart", ("b", WHY)), ("each can be spared", ("c", WHY)),
                           ("sizes added", ("d", WHY)), ("means added", ("e", WHY))],
    "own_model.mend_encoding": [
        ("right for arrays only", encode_in_arrays), ("only the row itself left out", encode_without_row),
        ("the row's own fold", encode_within_fold),
        ("0 for an unknown word", encode_new_as_zero), ("its own fold in the common mean", encode_new_as_mean)],
    "own_model.test_gaps": [
        ("returns what it should assert", test_that_answers), ("refuses a right one", test_sorted),
        ("one order only", test_one_order), ("misses gaps that move", test_values_only),
        ("misses gaps that are filled", test_no_new_gaps), ("misses values drawn again", test_gaps_only),
        ("misses that nothing moves", test_without_moving), ("misses a changed column", test_copies_only)],
    "own_model.which_sentence": [("absence of evidence", ("a", WHY)), ("a cause", ("b", WHY)),
                                 ("this model for any model", ("c", WHY)), ("bars compared", ("e", WHY))],
}
