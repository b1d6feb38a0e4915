"""Answers to exercise set 14: right ones written differently from the solution, and wrong ones
as students give them."""

from collections import Counter

import numpy as np

WHY = "because of what is counted"


# own_model.gain

def gain_by_arrays(left, right, lam):
    left, right = np.asarray(left, float), np.asarray(right, float)
    G, H = np.array([left.sum(), right.sum()]), np.array([len(left), len(right)])
    return (G**2 / (H + lam)).sum() - G.sum() ** 2 / (H.sum() + lam)


def gain_in_arrays(left, right, lam):
    together = (left.sum() + right.sum()) ** 2 / (left.size + right.size + lam)
    return left.sum() ** 2 / (left.size + lam) + right.sum() ** 2 / (right.size + lam) - together


# own_model.mend_encoding

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
    "own_model.recall_noise": [("C", WHY)],
    "own_model.recall_cover": ["2.2"],
    "own_model.five": [[3, 22, 66, "190/3", 190]],
    "own_model.gain": [gain_by_arrays],
    "own_model.two_charts": [("B", WHY)],
    "own_model.hessians": [{"rows": "-1.7", "hessians": -0.271}],
    "own_model.added_up": [("A", WHY)],
    "own_model.mend_encoding": [encode_by_matrix],
    "own_model.test_gaps": [test_all],
    "own_model.which_sentence": [("D", WHY)],
}

WRONG = {
    "own_model.gain": [("right for arrays only", gain_in_arrays)],
    "own_model.mend_encoding": [("right for arrays only", encode_in_arrays)],
    "own_model.test_gaps": [
        ("returns what it should assert", test_that_answers), ("refuses a right one", test_sorted),
        ("one order only", test_one_order), ("misses gaps that move", test_values_only),
        ("misses gaps that are filled", test_no_new_gaps), ("misses values drawn again", test_gaps_only),
        ("misses that nothing moves", test_without_moving), ("misses a changed column", test_copies_only)],
}
