"""Answers to exercise set 14: right ones written differently from the solution."""


import numpy as np

# own_model.gain

def gain_by_arrays(left, right, lam):
    left, right = np.asarray(left, float), np.asarray(right, float)
    G, H = np.array([left.sum(), right.sum()]), np.array([len(left), len(right)])
    return (G**2 / (H + lam)).sum() - G.sum() ** 2 / (H.sum() + lam)


# own_model.mend_encoding

def encode_by_matrix(words, y, fold):
    words, y, fold = np.asarray(words), np.asarray(y, float), np.asarray(fold)
    others = np.not_equal.outer(fold, fold)
    alike = others & np.equal.outer(words, words)
    asked = np.where(alike.any(axis=1)[:, None], alike, others)
    return asked @ y / asked.sum(axis=1)


# own_model.test_gaps

COLUMN = np.array([3.0, np.nan, 1, 4, np.nan, 1, 5, 9, 2, 6])
KNOWN = ~np.isnan(COLUMN)


def test_what_stays_and_what_moves(f):
    drawn = [np.asarray(f(COLUMN.copy(), np.random.default_rng(seed))) for seed in range(6)]
    assert all((np.isnan(got) != KNOWN).all() for got in drawn)
    assert all(sorted(got[~np.isnan(got)]) == sorted(COLUMN[KNOWN]) for got in drawn)
    assert any((got != COLUMN)[KNOWN].any() for got in drawn)
    mine = COLUMN.copy()
    f(mine, np.random.default_rng(0))
    assert np.array_equal(mine, COLUMN, equal_nan=True), "the column was changed"


RIGHT = {
    "own_model.gain": [gain_by_arrays],
    "own_model.mend_encoding": [encode_by_matrix],
    "own_model.test_gaps": [test_what_stays_and_what_moves],
}
