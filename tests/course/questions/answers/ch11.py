"""Answers to exercise set 11: right ones written differently from the solution, and wrong ones
as students give them."""

import numpy as np
import pandas as pd

from fi_teach.importance.causal import backdoor_mean

# causality.back_door

def door_by_frame(z, x, y, value):
    table = pd.DataFrame({"z": np.asarray(z), "x": np.asarray(x), "y": np.asarray(y)})
    means = table[table["x"] == value].groupby("z")["y"].mean()
    return (means * table["z"].value_counts(normalize=True)).sum()


def door_by_loops(z, x, y, value):
    """Every row is given the mean of those rows that share its group and have the value."""
    n, total = len(y), 0
    for i in range(n):
        alike = [y[k] for k in range(n) if z[k] == z[i] and x[k] == value]
        total += sum(alike) / len(alike)
    return total / n


def borrowed_door(z, x, y, value):
    return backdoor_mean(pd.DataFrame({"z": z, "x": x, "y": y}), "x", value, "y", ["z"])


# causality.test_back_door

def test_by_hand(f):
    assert abs(f(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]), np.array([0.0, 1, 5, 7, 2]), 1) - 4) < 1e-9


def test_against_loops(f):
    rng = np.random.default_rng(5)
    z, x = np.append([0, 0, 1, 1], rng.integers(2, size=9)), np.append([0, 1, 0, 1], rng.integers(2, size=9))
    y = rng.normal(size=13)
    return bool(np.isclose(f(z, x, y, 0), door_by_loops(z, x, y, 0)))


def test_with_wrong_value(f):
    assert abs(f(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]), np.array([0, 1, 5, 7, 2]), 1) - 13 / 3) < 1e-9


def test_with_equality(f):
    """Quarters are exact in binary, so the plain formula passes, and one
    that rounds its last bit differently does not."""
    assert f(np.repeat([0, 1], [2, 6]), np.array([0, 1, 1, 1, 0, 0, 0, 0]), np.array([0, 1, 5, 7, 2, 2, 2, 2]),
             1) == 4.75


def test_without_confounding(f):
    """Both groups have the value equally often, so that seeing is doing; sizes differ."""
    assert abs(f(np.array([0, 0, 1, 1, 1, 1]), np.array([0, 1, 1, 1, 0, 0]), np.array([0, 1, 5, 7, 2, 3]), 1)
               - 13 / 3) < 1e-9


def test_with_equal_groups(f):
    assert abs(f(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 0]), np.array([0, 3, 1, 5, 7, 2]), 1)
               - 3.5) < 1e-9


def test_without_effect(f):
    """Days as in the chapter's ward: 4, whatever the value; an average over everybody is 4 as well."""
    z, x = np.repeat([1, 0], [10, 20]), np.repeat([1, 0, 1, 0], [8, 2, 2, 18])
    assert abs(f(z, x, np.repeat([6, 3], [10, 20]), 0) - 4) < 1e-9


def test_of_one_group_only(f):
    """Bounds instead of a value: seeing gives 13/3, even weights 3.5 and all rows 3, but exchanged weights 3.28."""
    found = f(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0]), np.array([0, 1, 5, 7, 2]), 1)
    assert 3.05 < found < 4.2 and abs(found - 3.5) > 1e-6


# causality.mend_do

def done_by_loop(z, e_x, e_y, effect, value):
    return sum(2 * a + effect * value + c for a, c in zip(z, e_y, strict=True)) / len(z)


RIGHT = {
    "causality.recall_slope": ["9"],
    "causality.thirty_patients": ["7, 5"],
    "causality.back_door": [door_by_frame],
    "causality.test_back_door": [test_by_hand],
    "causality.mend_do": [done_by_loop],
    "causality.two_records": ["8/9"],
}

WRONG = {
    "causality.back_door": [("borrowed", borrowed_door)],
    "causality.test_back_door": [
        ("returns what it should assert", test_against_loops), ("refuses a right one", test_with_wrong_value),
        ("exact equality", test_with_equality), ("seeing passes", test_without_confounding),
        ("even weights pass", test_with_equal_groups), ("the value ignored passes", test_without_effect),
        ("exchanged weights pass", test_of_one_group_only)],
}
