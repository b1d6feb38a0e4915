"""Answers to exercise set 5, as different students would write them:
RIGHT ones, and WRONG ones by the name of their mistake."""

import numpy as np
import pandas as pd

# permutation.all_pairs

def pairs_at_once(X, y, weights, j):
    X, y, weights = np.asarray(X), np.asarray(y), np.asarray(weights)
    error = y - X @ weights
    after = error[:, None] - weights[j] * (X[:, j][None, :] - X[:, j][:, None])
    return (after**2 - error[:, None] ** 2).mean()


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
MISSED, ONES, CYCLE = np.array([2.0, 6, 5]), np.ones(3), [1, 2, 0]


def rise_of(group):
    shuffled = ROWS.copy()
    shuffled[:, group] = ROWS[CYCLE][:, group]
    return np.mean((MISSED - shuffled @ ONES) ** 2) - np.mean((MISSED - ROWS @ ONES) ** 2)


def test_all(f):
    X = ROWS.copy()
    np.testing.assert_allclose(f(X, MISSED, ONES, [[0], [1, 2]], CYCLE), [rise_of([0]), rise_of([1, 2])])
    np.testing.assert_array_equal(X, ROWS)


RIGHT = {
    "permutation.all_pairs": [pairs_at_once],
    "permutation.mend_groups": [groups_with_frames],
    "permutation.test_groups": [test_all],
}
