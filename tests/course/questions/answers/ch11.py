"""Answers to exercise set 11: right ones written differently from the solution."""

import numpy as np
import pandas as pd

# causality.back_door

def door_by_frame(z, x, y, value):
    table = pd.DataFrame({"z": np.asarray(z), "x": np.asarray(x), "y": np.asarray(y)})
    means = table[table["x"] == value].groupby("z")["y"].mean()
    return (means * table["z"].value_counts(normalize=True)).sum()


# causality.test_back_door

def test_by_hand(f):
    assert abs(f(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]), np.array([0.0, 1, 5, 7, 2]), 1) - 4) < 1e-9


# causality.mend_do

def done_by_loop(z, e_x, e_y, effect, value):
    return sum(2 * a + effect * value + c for a, c in zip(z, e_y, strict=True)) / len(z)


RIGHT = {
    "causality.back_door": [door_by_frame],
    "causality.test_back_door": [test_by_hand],
    "causality.mend_do": [done_by_loop],
}
