"""Answers to exercise set 4: right ones written differently from the solution."""

from itertools import permutations

import numpy as np
import pandas as pd

# bias.average_best

def worths(order):
    """Gini decreases of all cuts of one order, by counting the ones on the left."""
    y = np.asarray(order, float)
    n, whole = len(y), y.sum()
    k = np.arange(1, n)
    left = y.cumsum()[:-1]
    return 2 * (left - k * whole / n) ** 2 / (k * (n - k))


def average_best_by_counts(labels):
    return np.mean([worths(order).max() for order in permutations(np.asarray(labels).tolist())])


# bias.split_credit

def credit_with_frame(in_left, in_right, out_left, out_right):
    seen = pd.DataFrame({"y": [*in_left, *in_right], "side": ["left"] * len(in_left) + ["right"] * len(in_right)})
    judges = pd.DataFrame({"y": [*out_left, *out_right], "side": ["left"] * len(out_left) + ["right"] * len(out_right)})
    move = judges["side"].map(seen.groupby("side")["y"].mean()) - seen["y"].mean()
    return (move * (judges["y"] - seen["y"].mean())).mean()


# bias.test_control

def test_of_zeros_and_ones(make_control):
    """Twenty rows, five ones: a draw with replacement may have as many by luck."""
    column = [0] * 15 + [1] * 5
    control = list(make_control(column, 0))
    assert sum(control) == 5 and len(control) == 20 and set(control) == {0, 1}
    assert control != column == [0] * 15 + [1] * 5


RIGHT = {
    "bias.average_best": [average_best_by_counts],
    "bias.split_credit": [credit_with_frame],
    "bias.test_control": [test_of_zeros_and_ones],
}
