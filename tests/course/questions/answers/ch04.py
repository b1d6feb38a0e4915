"""Answers to exercise set 4: right ones written differently from the solution, and wrong ones as students give them."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd

from fi_teach.importance import mdi as borrowed_mdi
from fi_teach.trees import grow_cart
from fi_teach.trees.cart import best_split as borrowed_best_split
from fi_teach.trees.cart import split_decrease

WHY = "because of the places where it can be cut"


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


def average_best_exactly(labels):
    orders = set(permutations([int(label) for label in labels]))
    def gini(rows):
        p = Fraction(sum(rows), len(rows))
        return 2 * p * (1 - p)
    def best(rows):
        n = len(rows)
        return max(gini(rows) - Fraction(k, n) * gini(rows[:k]) - Fraction(n - k, n) * gini(rows[k:])
                   for k in range(1, n))
    return sum(best(order) for order in orders) / Fraction(len(orders))


def average_of_all_cuts(labels):
    n, p = len(labels), sum(labels) / len(labels)
    return 2 * p * (1 - p) / (n - 1)


def best_order(labels):
    return max(worths(order).max() for order in permutations(labels))


def best_cut_as_given(labels):
    return worths(labels).max()


def middle_cut(labels):
    return np.mean([worths(order)[(len(labels) - 1) // 2] for order in permutations(labels)])


def mean_of_sides(labels):
    def gini(rows):
        p = sum(rows) / len(rows)
        return 1 - p**2 - (1 - p) ** 2
    def best(rows):
        return max(gini(rows) - (gini(rows[:k]) + gini(rows[k:])) / 2 for k in range(1, len(rows)))
    orders = list(permutations(labels))
    return sum(map(best, orders)) / len(orders)


def share_of_impurity(labels):
    p = sum(labels) / len(labels)
    return average_best_by_counts(labels) / (2 * p * (1 - p))


def borrowed_average(labels):
    place = np.arange(len(labels))[:, None]
    return np.mean([borrowed_best_split(place, order).decrease for order in permutations(np.asarray(labels).tolist())])


# bias.split_credit

def credit_with_frame(in_left, in_right, out_left, out_right):
    seen = pd.DataFrame({"y": [*in_left, *in_right], "side": ["left"] * len(in_left) + ["right"] * len(in_right)})
    judges = pd.DataFrame({"y": [*out_left, *out_right], "side": ["left"] * len(out_left) + ["right"] * len(out_right)})
    move = judges["side"].map(seen.groupby("side")["y"].mean()) - seen["y"].mean()
    return (move * (judges["y"] - seen["y"].mean())).mean()


def credit_in_one_sum(in_left, in_right, out_left, out_right):
    mu = (sum(in_left) + sum(in_right)) / (len(in_left) + len(in_right))
    a, b = sum(in_left) / len(in_left) - mu, sum(in_right) / len(in_right) - mu
    return (a * (sum(out_left) - mu * len(out_left))
            + b * (sum(out_right) - mu * len(out_right))) / (len(out_left) + len(out_right))


def judged_in_bag(in_left, in_right, out_left, out_right):
    y = np.array([*in_left, *in_right])
    return np.var(y) - (len(in_left) * np.var(in_left) + len(in_right) * np.var(in_right)) / len(y)


def grown_out_of_bag(in_left, in_right, out_left, out_right):
    y = np.array([*out_left, *out_right], float)
    sides = [np.array(side, float) for side in (out_left, out_right) if len(side)]
    return np.var(y) - sum(len(side) * np.var(side) for side in sides) / len(y)


def from_the_child(in_left, in_right, out_left, out_right):
    mu, left, right = np.mean([*in_left, *in_right]), np.mean(in_left), np.mean(in_right)
    terms = [(left - mu) * (y - left) for y in out_left] + [(right - mu) * (y - right) for y in out_right]
    return np.mean(terms)


def from_zero(in_left, in_right, out_left, out_right):
    mean = np.mean([*in_left, *in_right])
    moves = [np.mean(in_left) - mean] * len(out_left) + [np.mean(in_right) - mean] * len(out_right)
    return np.mean([move * y for move, y in zip(moves, [*out_left, *out_right], strict=True)])


def credit_from_two_means(in_left, in_right, out_left, out_right):
    left, right = np.mean(in_left), np.mean(in_right)
    root = (left + right) / 2
    moved = [(left, y) for y in out_left] + [(right, y) for y in out_right]
    return np.mean([(child - root) * (y - root) for child, y in moved])


def mean_of_two_sides(in_left, in_right, out_left, out_right):
    root = np.mean([*in_left, *in_right])
    pairs = [(in_left, out_left), (in_right, out_right)]
    return np.mean([(np.mean(bag) - root) * (np.mean(out) - root) for bag, out in pairs if len(out)])


def credit_of_arrays(in_left, in_right, out_left, out_right):
    root = np.concatenate([in_left, in_right]).mean()
    total = (in_left.mean() - root) * (out_left - root).sum()
    total += (in_right.mean() - root) * (out_right - root).sum()
    return total / (len(out_left) + len(out_right))


def not_divided(in_left, in_right, out_left, out_right):
    return credit_in_one_sum(in_left, in_right, out_left, out_right) * (len(out_left) + len(out_right))


def over_in_bag(in_left, in_right, out_left, out_right):
    return not_divided(in_left, in_right, out_left, out_right) / (len(in_left) + len(in_right))


def drop_of_loss(in_left, in_right, out_left, out_right):
    mu, left, right = np.mean([*in_left, *in_right]), np.mean(in_left), np.mean(in_right)
    before = [(y - mu) ** 2 for y in [*out_left, *out_right]]
    after = [(y - left) ** 2 for y in out_left] + [(y - right) ** 2 for y in out_right]
    return np.mean(before) - np.mean(after)


def borrowed_credit(in_left, in_right, out_left, out_right):
    X = [[0]] * len(in_left) + [[1]] * len(in_right)
    return borrowed_mdi(grow_cart(X, [*in_left, *in_right], criterion="variance"), normalize=False).mean[0]


# bias.test_control

def test_by_counts(make_control):
    column = pd.Series(list("aaabbbccddeeffgghhiijj"))
    before = column.tolist()
    control = pd.Series(make_control(column, 3))
    assert control.value_counts().to_dict() == pd.Series(before).value_counts().to_dict()
    assert control.tolist() != before
    assert column.tolist() == before


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
    "bias.recall_total": [0.48, Fraction(12, 25), "0.48", (0.48, "Gini")],
    "bias.recall_judges": [500 * (1 - 1 / 1000) ** 1000, 500 / np.e, 184, np.array([183.9]), "184 trees"],
    "bias.places": [{"cities": 15, "grades": 4}, pd.Series({"grades": 4, "cities": 15}), [4, 15]],
    "bias.tickets": [0.75, Fraction(3, 4), "75 %", "3/4"],
    "bias.one_in_one_out": [{"gini": "18 %", "ufi": "42 %"}, "0.18, 0.42", {"Gini": Fraction(9, 50), "UFI": "21/50"}],
    "bias.predict_growth": [("B", WHY), ["b)", WHY]],
    "bias.average_best": [average_best_by_counts, average_best_exactly],
    "bias.split_credit": [credit_with_frame, credit_in_one_sum],
    "bias.test_control": [test_by_counts, test_of_zeros_and_ones],
    "bias.credit_ranks": [{"out of bag": 2, "MDI": 5}, [5, 2]],
    "bias.triplets": [("c", WHY), np.array(["C.", WHY])],
}

WRONG = {
    "bias.recall_total": [("the shares, normalised", 1), ("noise has nothing to give", 0), ("a balanced root", 0.5),
                          ("one class's share", 0.6), ("entropy, not Gini", 0.971), ("variance, not Gini", 0.24),
                          ("wrong unit", (0.48, "bits"))],
    "bias.recall_judges": [("those that saw it", 316), ("one half", 250), ("all of them", 500),
                           ("one in a thousand", 0.5), ("a chance, not a number", 0.37)],
    "bias.places": [("a cut for each row", {"grades": 39, "cities": 39}),
                    ("words cut like numbers", {"grades": 4, "cities": 4}),
                    ("each split counted twice", {"grades": 4, "cities": 2**5 - 2}),
                    ("the empty side", {"grades": 4, "cities": 31}),
                    ("the empty side", [4, 16]), ("values, not gaps", {"grades": 5, "cities": 15}),
                    ("a cut for each row", [39, 15]), ("one city at a time", [4, 5]), ("values, not gaps", [5, 7])],
    "bias.one_in_one_out": [
        ("swapped", [0.42, 0.18]), ("both rows out of bag", {"Gini": 0.18, "UFI": 0.48}),
            ("both rows from one heap", [0.18, 0.32]),
        ("the chance to agree", "0.18; 0.58"), ("one way only", [0.18, 0.36]),
            ("variance, not Gini", [0.09, 0.42])],
    "bias.tickets": [("against one ticket", 0.9), ("how many times more", 3), ("the other column", 1 / 4),
                     ("all tickets are alike", 0.5),
                     ("a chance to lose each", 0.998), ("per cent without its sign", 75)],
    "bias.predict_growth": [("more rows, more places", ("a", WHY)), ("noise averages out", ("c", WHY)),
                            ("as if independent", ("d", WHY))],
    "bias.average_best": [
        ("the mean cut, not the best", average_of_all_cuts), ("the mean cut, not the best", middle_cut),
        ("the luckiest order", best_order), ("one order only", best_cut_as_given),
        ("children not weighted", mean_of_sides), ("a share, not a decrease", share_of_impurity),
        ("borrowed", borrowed_average),
        ("right for arrays only", lambda labels: average_best_by_counts(labels * 1.0)),
        ("borrowed",
         lambda labels: np.mean([max(split_decrease(order, np.arange(len(order)) < k) for k in range(1, len(order)))
                                 for order in permutations(np.asarray(labels).tolist())]))],
    "bias.split_credit": [
        ("marked by its own rows", judged_in_bag), ("moves from the wrong rows", grown_out_of_bag),
        ("distance from the child", from_the_child), ("the label, not its distance", from_zero),
        ("a sum, not a mean", not_divided), ("divided by the wrong rows", over_in_bag),
        ("drop in squared error", drop_of_loss),
        ("the root as a mean of two means", credit_from_two_means), ("sides counted alike", mean_of_two_sides),
        ("Gini, not variance", lambda *lists: 2 * credit_in_one_sum(*lists)),
            ("right for arrays only", credit_of_arrays),
        ("borrowed", borrowed_credit)],
    "bias.test_control": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_that_refuses_all), ("refuses some right ones", test_of_the_first_value),
        ("asks for one order", test_for_one_order),
                ("misses a constant", test_of_length),
        ("misses foreign values", test_that_it_varies), ("misses drawing with replacement", test_of_values),
        ("misses an unshuffled copy", test_of_counts), ("misses a changed column", test_of_order)],
    "bias.credit_ranks": [("swapped", {"MDI": 2, "out of bag": 5}),
                          ("counted from 0", {"MDI": 4, "out of bag": 1}), ("the same twice", [5, 5]),
                          ("the same twice", [2, 2])],
    "bias.triplets": [("a fair tree", ("a", WHY)), ("the last one wins", ("b", WHY)), ("taking turns", ("d", WHY))],
}
