"""Answers to exercise set 11: right ones written differently from the solution, and wrong ones
as students give them."""

from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.importance.causal import backdoor_mean

WHY = "because of what moves what"


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


def door_by_inverse_weights(z, x, y, value):
    """Rows with the value, each weighed by one over the share of its group that has it."""
    z, x, y = map(np.asarray, (z, x, y))
    chance = np.array([(x[z == group] == value).mean() for group in z])
    return np.mean(np.where(x == value, y / chance, 0))


def seen_mean(z, x, y, value):
    return np.mean([b for a, b in zip(x, y, strict=True) if a == value])


def even_groups(z, x, y, value):
    table = pd.DataFrame({"z": z, "x": x, "y": y})
    return table[table["x"] == value].groupby("z")["y"].mean().mean()


def whole_mean(z, x, y, value):
    return sum(y) / len(y)


def weights_of_the_seen(z, x, y, value):
    table = pd.DataFrame({"z": z, "x": x, "y": y})
    return (table[table["x"] == value]["z"].value_counts(normalize=True) * table.groupby("z")["y"].mean()).sum()


def counted(z, x, y, value):
    return sum(sum(np.asarray(z) == g) * np.mean([b for c, a, b in zip(z, x, y, strict=True) if c == g and a == value])
               for g in set(np.asarray(z).tolist()))


def effect_of_doing(z, x, y, value):
    return door_by_loops(z, x, y, value) - door_by_loops(z, x, y, 1 - value)


def regression_mean(z, x, y, value):
    design = np.column_stack([np.ones(len(z)), z, x]).astype(float)
    slopes = np.linalg.lstsq(design, np.asarray(y, float), rcond=None)[0]
    design[:, 2] = value
    return (design @ slopes).mean()


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

def done_by_recipe(z, e_x, e_y, effect, value):
    x = np.full(len(z), value)
    return (2 * np.asarray(z) + effect * x + np.asarray(e_y)).mean()


def done_by_loop(z, e_x, e_y, effect, value):
    return sum(2 * a + effect * value + c for a, c in zip(z, e_y, strict=True)) / len(z)


def done_without_noise_of_y(z, e_x, e_y, effect, value):
    return 2 * np.mean(z) + effect * value


def done_by_moving(z, e_x, e_y, effect, value):
    """Everybody's severity as it was, moved by the effect of the change."""
    z, e_x, e_y = map(np.asarray, (z, e_x, e_y))
    x = z + e_x
    return np.mean(2 * z + effect * x + e_y + effect * (value - x))


def done_afterwards(z, e_x, e_y, effect, value):
    x = z + e_x
    y = 2 * z + effect * x + e_y
    x = value
    return y.mean()


def done_to_health(z, e_x, e_y, effect, value):
    z = np.full(len(e_y), value)
    return (2 * z + effect * value + e_y).mean()


def done_with_noise(z, e_x, e_y, effect, value):
    return (2 * z + effect * (value + e_x) + e_y).mean()


def done_without_health(z, e_x, e_y, effect, value):
    return (effect * value + e_y).mean()


def done_by_polyfit(z, e_x, e_y, effect, value):
    x = np.asarray(z) + e_x
    return np.polyval(np.polyfit(x, 2 * np.asarray(z) + effect * x + e_y, 1), value)


RIGHT = {
    "causality.recall_slope": [9.0, Fraction(9), "9", 2 * 3**2 / 2],
    "causality.recall_idle": [("D", WHY), ["(d)", WHY]],
    "causality.thirty_patients": [[7, 5], "7, 5", "7 days and 5 days", {"seen": "7 days", "done": "5 days"},
                                  {"seen": 7, "given": 5}, {"seen": 7.0, "done": Fraction(5)},
                                  np.array([84 / 12, 150 / 30])],
    "causality.back_door": [door_by_frame, door_by_loops, door_by_inverse_weights],
    "causality.test_back_door": [test_by_hand],
    "causality.mend_do": [done_by_recipe, done_by_loop, done_by_moving],
    "causality.two_records": [0.889, Fraction(8, 9), 0.89, "8/9"],
    "causality.which_columns": [("B", WHY), ["b)", WHY]],
}

WRONG = {
    "causality.recall_slope": [("the factor 2", 4.5), ("the slope once", 3), ("the variance forgotten", 18),
                               ("slope as importance", 6)],
    "causality.recall_idle": [("no split, no decrease", ("a", WHY)), ("nothing read, nothing lost", ("b", WHY)),
                              ("filled in whatever is known", ("c", WHY))],
    "causality.thirty_patients": [
        ("the two exchanged", [5, 7]), ("groups counted alike", {"seen": 7, "done": 6}), ("seen twice", [7, 7]),
        ("without the drug", [7, 6.67]),
        ("all as they are", [7, 5.73]), ("the effect, not the mean", [7, -1.67]),
            ("the effect, not the mean", [2.11, 5]),
        ("groups counted alike", [6, 5])],
    "causality.back_door": [
        ("seeing, not doing", seen_mean), ("groups counted alike", even_groups), ("everybody as they are", whole_mean),
        ("weights and means exchanged", weights_of_the_seen), ("counts for shares", counted),
        ("the effect, not the mean", effect_of_doing), ("a straight line for z and x", regression_mean),
        ("borrowed", borrowed_door)],
    "causality.test_back_door": [
        ("returns what it should assert", test_against_loops),
        ("refuses a right one", test_with_wrong_value), ("exact equality", test_with_equality),
        ("seeing passes", test_without_confounding),
        ("even weights pass", test_with_equal_groups), ("the value ignored passes", test_without_effect),
        ("exchanged weights pass", test_of_one_group_only)],
    "causality.mend_do": [
        ("set too late", done_afterwards), ("health set too", done_to_health), ("the noise kept", done_with_noise),
        ("health left out", done_without_health), ("a line through the patients", done_by_polyfit),
        ("the severity's noise left out", done_without_noise_of_y)],
    "causality.two_records": [("adjusted away", 0), ("alone", 1.6), ("the noise forgotten", 1),
                              ("sd for variance", 0.8), ("health's estimate", 0.444),
                              ("rounded too far", 0.9), ("the severity's noise", 0.957), ("health's own slope", 2)],
    "causality.which_columns": [("everything", ("a", WHY)), ("nothing", ("c", WHY)),
                                ("the mediator as well", ("d", WHY)),
                                ("the consequence as well", ("e", WHY))],
}
