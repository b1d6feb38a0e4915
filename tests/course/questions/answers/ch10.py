"""Answers to exercise set 10: right ones written differently from the solution."""

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
    "knockoffs.test_duel": [swaps_each_pair],
    "knockoffs.threshold": [threshold_with_loops],
}
