"""Answers to exercise set 4: right ones written differently from the solution, and wrong ones as students give them."""

from itertools import permutations

import numpy as np
import pandas as pd

from fi_teach.importance import mdi as borrowed_mdi
from fi_teach.trees import grow_cart
from fi_teach.trees.cart import best_split as borrowed_best_split
from fi_teach.trees.cart import split_decrease

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


def borrowed_split(labels):
    return np.mean([max(split_decrease(order, np.arange(len(order)) < k) for k in range(1, len(order)))
                    for order in permutations(np.asarray(labels).tolist())])


def borrowed_average(labels):
    place = np.arange(len(labels))[:, None]
    return np.mean([borrowed_best_split(place, order).decrease for order in permutations(np.asarray(labels).tolist())])


# bias.split_credit

def credit_with_frame(in_left, in_right, out_left, out_right):
    seen = pd.DataFrame({"y": [*in_left, *in_right], "side": ["left"] * len(in_left) + ["right"] * len(in_right)})
    judges = pd.DataFrame({"y": [*out_left, *out_right], "side": ["left"] * len(out_left) + ["right"] * len(out_right)})
    move = judges["side"].map(seen.groupby("side")["y"].mean()) - seen["y"].mean()
    return (move * (judges["y"] - seen["y"].mean())).mean()


def credit_of_arrays(in_left, in_right, out_left, out_right):
    root = np.concatenate([in_left, in_right]).mean()
    total = (in_left.mean() - root) * (out_left - root).sum()
    total += (in_right.mean() - root) * (out_right - root).sum()
    return total / (len(out_left) + len(out_right))


def borrowed_credit(in_left, in_right, out_left, out_right):
    X = [[0]] * len(in_left) + [[1]] * len(in_right)
    return borrowed_mdi(grow_cart(X, [*in_left, *in_right], criterion="variance"), normalize=False).mean[0]


# bias.test_control

def test_that_answers(make_control):
    column = list(range(30))
    control = [int(v) for v in make_control(column, 1)]
    return column == list(range(30)) and sorted(control) == column and control != column


def test_of_length(make_control):
    assert len(make_control(np.arange(20), 0)) == 20


def test_that_it_varies(make_control):
    assert len(set(make_control(np.arange(20), 0))) > 1


def test_of_values(make_control):
    control = make_control(np.arange(5, 25), 0)
    assert set(control) <= set(range(5, 25))


def test_of_counts(make_control):
    assert sorted(make_control(np.arange(20), 0)) == list(range(20))


def test_of_order(make_control):
    control = list(make_control(np.arange(20), 0))
    assert sorted(control) == list(range(20))
    assert control != list(range(20))


def test_for_one_order(make_control):
    column = np.arange(20)
    np.testing.assert_array_equal(make_control(column, 0), np.random.default_rng(0).permutation(column))


def test_that_refuses_all(make_control):
    assert list(make_control(np.arange(20), 0)) == list(range(20))


def test_of_the_first_value(make_control):
    """The first of fifty values stays where it is in one shuffle of fifty."""
    column = np.arange(50)
    control = list(make_control(column, 0))
    assert sorted(control) == list(column) == list(range(50))
    assert control[0] != 0


def test_of_zeros_and_ones(make_control):
    """Twenty rows, five ones: a draw with replacement may have as many by luck."""
    column = [0] * 15 + [1] * 5
    control = list(make_control(column, 0))
    assert sum(control) == 5 and len(control) == 20 and set(control) == {0, 1}
    assert control != column == [0] * 15 + [1] * 5


RIGHT = {
    "bias.recall_total": ["0.48"],
    "bias.recall_judges": ["184 trees"],
    "bias.places": [{"cities": 15, "grades": 4}],
    "bias.tickets": ["75 %"],
    "bias.one_in_one_out": [{"gini": "18 %", "ufi": "42 %"}],
    "bias.average_best": [average_best_by_counts],
    "bias.split_credit": [credit_with_frame],
    "bias.test_control": [test_of_zeros_and_ones],
    "bias.credit_ranks": [{"out of bag": 2, "MDI": 5}],
}

WRONG = {
    "bias.recall_total": [("wrong unit", (0.48, "bits"))],
    "bias.average_best": [
        ("borrowed", borrowed_average), ("right for arrays only", lambda labels: average_best_by_counts(labels * 1.0)),
        ("borrowed", borrowed_split)],
    "bias.split_credit": [("right for arrays only", credit_of_arrays), ("borrowed", borrowed_credit)],
    "bias.test_control": [
        ("returns what it should assert", test_that_answers), ("refuses a right one", test_that_refuses_all),
        ("refuses some right ones", test_of_the_first_value), ("asks for one order", test_for_one_order),
        ("misses a constant", test_of_length), ("misses foreign values", test_that_it_varies),
        ("misses drawing with replacement", test_of_values), ("misses an unshuffled copy", test_of_counts),
        ("misses a changed column", test_of_order)],
}
