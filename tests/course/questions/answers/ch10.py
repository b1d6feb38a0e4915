"""Answers to exercise set 10: right ones written differently from the solution."""

from fractions import Fraction

import numpy as np

# knockoffs.test_duel

def swaps_each_pair(duel):
    values = np.array([3.0, 1.0, 2.0, 0.5, 2.5, 1.5])
    before = np.asarray(duel(values))
    for j in range(3):
        turned = values.copy()
        turned[[j, j + 3]] = turned[[j + 3, j]]
        expected = before.copy()
        expected[j] *= -1
        assert np.allclose(duel(turned), expected)


# knockoffs.threshold

def threshold_with_loops(w, q):
    good = [abs(one) for one in w if one != 0
            and 1 + sum(v <= -abs(one) for v in w) <= q * sum(v >= abs(one) for v in w)]
    return min(good) if good else np.inf


RIGHT = {
    "knockoffs.recall_shuffles": ["799"],
    "knockoffs.double": [
        {"x1, knockoff 1": Fraction(1, 4), "x1, knockoff 2": 0.5, "knockoff 1, knockoff 2": 0.25 * 0.5 + 0.375}],
    "knockoffs.test_duel": [swaps_each_pair],
    "knockoffs.threshold": [threshold_with_loops],
    "knockoffs.fewest": ["30"],
}
