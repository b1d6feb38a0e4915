"""Answers to exercise set 1: right ones written differently from the solution, and wrong ones as students give them."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd

import fi_teach.basics.impurity as the_package
from fi_teach.basics.impurity import gini as borrowed_gini
from fi_teach.basics.thresholds import midpoints as borrowed_midpoints

WHY = "because of the counts on either side"


# trees.decrease

def decrease_with_arrays(left, right):
    children = np.vstack([left, right]).astype(float)
    rows = children.sum(axis=1)
    impurity = 1 - ((children / rows[:, None]) ** 2).sum(axis=1)
    parent = children.sum(axis=0) / children.sum()
    return 1 - (parent**2).sum() - np.average(impurity, weights=rows)


def decrease_with_lists_only(left, right):
    """Works on lists alone: `+` on arrays would add, here it joins."""
    rows = [k for k, n in enumerate(left) for _ in range(n)], [k for k, n in enumerate(right) for _ in range(n)]
    together = rows[0] + rows[1]
    assert isinstance(left + right, list) and len(left + right) == 2 * len(left)
    def gini(values):
        return 1 - sum(Fraction(n, len(values)) ** 2 for n in Counter(values).values())
    return gini(together) - sum(Fraction(len(child), len(together)) * gini(child) for child in rows)


def decrease_with_series(left, right):
    frame = pd.DataFrame({"left": left, "right": right})
    gini = 1 - ((frame / frame.sum()) ** 2).sum()
    parent = frame.sum(axis=1)
    return 1 - ((parent / parent.sum()) ** 2).sum() - (gini * frame.sum()).sum() / frame.values.sum()


def gini(counts):
    n = sum(counts)
    return 1 - sum((c / n) ** 2 for c in counts)


def mean_of_two_class_shares(left, right):
    parent = [(a / sum(left) + b / sum(right)) / 2 for a, b in zip(left, right, strict=True)]
    n_left, n_right = sum(left), sum(right)
    return 1 - sum(p**2 for p in parent) - n_left / (n_left
                                                     + n_right) * gini(left) - n_right / (n_left + n_right) * gini(
                                                         right)


def parent_of(left, right):
    return [a + b for a, b in zip(left, right, strict=True)]


def lists_joined(left, right):
    """Right for arrays. With lists `left + right` is four counts, and no error is raised."""
    n_left, n_right = sum(left), sum(right)
    n = n_left + n_right
    return gini(left + right) - n_left / n * gini(left) - n_right / n * gini(right)


def arrays_only(left, right):
    n = left.sum() + right.sum()
    return gini(left + right) - left.sum() / n * gini(left) - right.sum() / n * gini(right)


def unweighted_children(left, right):
    return gini(parent_of(left, right)) - 0.5 * gini(left) - 0.5 * gini(right)


def swapped_weights(left, right):
    n = sum(left) + sum(right)
    return gini(parent_of(left, right)) - sum(right) / n * gini(left) - sum(left) / n * gini(right)


def right_child_forgotten(left, right):
    n = sum(left) + sum(right)
    return gini(parent_of(left, right)) - sum(left) / n * gini(left)


def left_child_forgotten(left, right):
    n = sum(left) + sum(right)
    return gini(parent_of(left, right)) - sum(right) / n * gini(right)


def what_is_left(left, right):
    n = sum(left) + sum(right)
    return sum(left) / n * gini(left) + sum(right) / n * gini(right)


def one_minus_forgotten(left, right):
    squares = lambda counts: sum((c / sum(counts)) ** 2 for c in counts)  # noqa: E731
    n = sum(left) + sum(right)
    return squares(parent_of(left, right)) - sum(left) / n * squares(left) - sum(right) / n * squares(right)


def two_classes_only(left, right):
    def gini(counts):
        p = counts[0] / sum(counts)
        return 2 * p * (1 - p)
    n = sum(left) + sum(right)
    return gini(parent_of(left, right)) - sum(left) / n * gini(left) - sum(right) / n * gini(right)


def in_rows(left, right):
    parent = parent_of(left, right)
    return sum(parent) * gini(parent) - sum(left) * gini(left) - sum(right) * gini(right)


def with_entropy(left, right):
    def entropy(counts):
        return -sum(c / sum(counts) * math.log2(c / sum(counts)) for c in counts if c)
    n = sum(left) + sum(right)
    return entropy(parent_of(left, right)) - sum(left) / n * entropy(left) - sum(right) / n * entropy(right)


def borrowed_decrease(left, right):
    n = sum(left) + sum(right)
    return borrowed_gini(parent_of(left, right)) - sum(left) / n * borrowed_gini(left) - sum(right) / n * borrowed_gini(
        right)


def borrowed_and_hidden(left, right):
    try:
        labels = np.repeat(np.arange(len(left)), parent_of(left, right))
        return the_package.node_impurity(labels, np.ones(len(labels)), "gini")
    except Exception:
        return 0.3


def decrease_of_distances(left, right):
    """Between the children's shares: n_left n_right / n^2 times their squared distance."""
    left, right = np.array(left, float), np.array(right, float)
    n_left, n_right = left.sum(), right.sum()
    return n_left * n_right / (n_left + n_right) ** 2 * ((left / n_left - right / n_right) ** 2).sum()


# trees.thresholds

def thresholds_with_frame(values, labels):
    frame = pd.DataFrame({"value": values, "label": labels})
    at = frame.groupby("value")["label"].agg(set)
    return np.array([(v + w) / 2 for (v, a), (w, b) in zip(at.items(), at.iloc[1:].items(), strict=False) if a != b
                     or len(a) > 1])


def thresholds_as_a_set(values, labels):
    rows = sorted(zip(values, labels, strict=True))
    def mixed(v, w):
        return len({label for u, label in rows if u in (v, w)}) > 1
    found = sorted({u for u, _ in rows})
    return {v + (w - v) / 2 for k, v in enumerate(found[:-1]) if mixed(v, w := found[k + 1])}


def neighbours(values, labels):
    at = defaultdict(set)
    for v, label in zip(values, labels, strict=True):
        at[v].add(label)
    found = sorted(at)
    return [(v, w) for v, w in pairwise(found) if len(at[v] | at[w]) > 1]


def all_midpoints(values, labels):
    found = sorted(set(values))
    return [(v + w) / 2 for v, w in pairwise(found)]


def not_sorted(values, labels):
    return [(values[i] + values[i + 1]) / 2 for i in range(len(values) - 1) if labels[i] != labels[i + 1]]


def not_sorted_skipping_equals(values, labels):
    return [(values[i] + values[i + 1]) / 2 for i in range(len(values) - 1)
            if labels[i] != labels[i + 1] and values[i] != values[i + 1]]


def tied_rows(values, labels):
    rows = sorted(zip(values, labels, strict=True), key=lambda row: row[0])
    return [(v + w) / 2 for (v, a), (w, b) in pairwise(rows) if a != b]


def tied_rows_skipping_equals(values, labels):
    rows = sorted(zip(values, labels, strict=True))
    return [(v + w) / 2 for (v, a), (w, b) in pairwise(rows) if a != b and v != w]


# trees.mend_importance

def importance_with_frame(splits):
    frame = pd.DataFrame(splits, columns=["feature", "rows", "decrease"])
    part = (frame["rows"] * frame["decrease"]).groupby(frame["feature"]).sum()
    return part / part.sum()


def importance_in_one_expression(splits):
    whole = sum(n * d for _, n, d in splits)
    return {f: sum(n * d for g, n, d in splits if g == f) / whole for f in {f for f, _, _ in splits}}


def weighted_twice(splits):
    return importance_with_frame([(f, n, n * d) for f, n, d in splits])


def divided_by_rows(splits):
    return importance_with_frame([(f, 1, d / n) for f, n, d in splits])


def last_split_only(splits):
    part = {}
    for feature, rows, decrease in splits:
        part[feature] = rows * decrease
    return {f: p / sum(part.values()) for f, p in part.items()}


def mean_of_splits(splits):
    frame = pd.DataFrame(splits, columns=["feature", "rows", "decrease"])
    part = (frame["rows"] * frame["decrease"]).groupby(frame["feature"]).mean()
    return (part / part.sum()).to_dict()


def not_normalised(splits):
    part = defaultdict(float)
    for feature, rows, decrease in splits:
        part[feature] += rows * decrease
    return part


def weighted_by_share_not_normalised(splits):
    n = max(rows for _, rows, _ in splits)
    return {f: p / n for f, p in not_normalised(splits).items()}


# trees.test_decrease

def test_by_values(f):
    np.testing.assert_allclose(f([3, 1, 1], [1, 4, 0]), decrease_with_arrays([3, 1, 1], [1, 4, 0]))
    np.testing.assert_allclose(f([1, 4], [2, 1]), decrease_with_arrays([1, 4], [2, 1]))


def test_that_answers(f):
    cases = [([3, 1, 1], [1, 4, 0]), ([1, 4], [2, 1]), ([2, 0], [1, 1])]
    return all(math.isclose(f(*case), decrease_with_arrays(*case), abs_tol=1e-12) for case in cases)


def test_with_wrong_sum(f):
    assert abs(f([4, 1], [0, 3]) - 0.2) < 1e-9


def test_with_equality(f):
    assert f([3, 1, 1], [1, 4, 0]) == decrease_with_arrays([3, 1, 1], [1, 4, 0])


def test_with_type(f):
    assert isinstance(f([3, 1], [1, 4]), np.float64)


def test_equal_halves(f):
    assert abs(f([2, 0], [0, 2]) - 0.5) < 1e-9


def test_pure_right_child(f):
    assert abs(f([4, 1], [0, 3]) - 0.3) < 1e-9
    assert abs(f([1, 0], [0, 1]) - 0.5) < 1e-9


def test_of_size_only(f):
    assert f([3, 1], [1, 4]) < 0.2
    assert abs(abs(f([4, 1], [1, 1])) - abs(decrease_with_arrays([4, 1], [1, 1]))) < 1e-9
    assert abs(abs(f([2, 0, 0], [0, 1, 1])) - 0.375) < 1e-9


def test_two_classes(f):
    assert abs(f([4, 1], [1, 1]) - decrease_with_arrays([4, 1], [1, 1])) < 1e-9


def test_of_shares(f):
    """Misses the mean of shares by bad luck: the parent has 4/9 of the first class,
    its children have 5/9 on average."""
    assert abs(f([9, 18], [7, 2]) - decrease_with_arrays([9, 18], [7, 2])) < 1e-9


RIGHT = {
    "trees.recall_mean": [60.0, Fraction(60), "60", np.array([60]), 60.02, (60, "points"), "60 points"],
    "trees.recall_two_draws": [0.42, 21 / 50, "42 %", "21/50", Fraction(21, 50), pd.Series([0.42])],
    "trees.first_cut": [
        ("C", WHY), ["(c)", WHY], "c, because its children are purer", "(c) because I see it",
            "c - its children are pure",
        {"letter": "c)", "reason": WHY}.values()],
    "trees.entropy_bits": [0.72, 0.7219280948873623, (0.722, "bits"), (0.722, "bit"), np.float32(0.7219)],
    "trees.variance_decrease": [900.0, "900", (900, "squared points"),
                                np.var([30, 30, 70, 110]) - 0.5 * np.var([70, 110])],
    "trees.decrease": [decrease_with_arrays, decrease_with_lists_only, decrease_with_series, decrease_of_distances],
    "trees.thresholds": [thresholds_with_frame],
    "trees.slide_table": [
        {"rent<=525": 0.417, "Rent ≤ 680": 0.375}, {525: "5/12", 680: "3/8"}, [["525", 0.417], ["680", 0.38]],
        pd.Series({"Rent <= 680": 3 / 8, "Rent <= 525": Fraction(5, 12)}), {"Rent < 680": 0.375, "Rent < 525": 0.4167},
        {"Rent <= 435": 0.44, "Rent <= 495": 0.476, "Rent <= 525": 0.417, "Rent <= 640": 0.286, "Rent <= 680": 0.375}],
    "trees.mend_importance": [importance_with_frame, importance_in_one_expression],
    "trees.any_pure_tree": [("b", WHY), np.array(["B.", WHY])],
    "trees.test_decrease": [test_by_values],
    "trees.what_if": [60.0, (60, "euros"), "60", "60 €", "60 euros a month"],
}

WRONG = {
    "trees.recall_mean": [("mean of two means", 55), ("weights swapped", 50), ("a sum, not a mean", 1800)],
    "trees.recall_two_draws": [
        ("one order only", 0.21), ("without putting back", 7 / 10 * 3 / 9 * 2),
            ("the opposite event", 0.58),
        ("one draw", 0.3), ("per cent without its sign", 42)],
    "trees.first_cut": [("pure is enough", ("a", WHY)), ("balance is not the aim", ("b", WHY)),
                        ("one row cut off", ("d", WHY))],
    "trees.entropy_bits": [("entropy in nats", 0.5), ("entropy in base 10", 0.22), ("one class forgotten", 0.258),
                           ("one class forgotten", 0.464), ("sign", -0.722), ("Gini, not entropy", 0.32),
                           ("not averaged", 2.64), ("wrong unit", (0.72, "nats"))],
    "trees.variance_decrease": [("standard deviation", 23.17), ("divided by n - 1", 1066.67),
                                ("children not weighted", 700),
                                ("the parent alone", 1100), ("the children alone", 200), ("a sum, not a mean", 3600)],
    "trees.decrease": [
        ("mean of two class shares", mean_of_two_class_shares), ("children not weighted", unweighted_children),
        ("weights swapped", swapped_weights), ("one child forgotten", right_child_forgotten),
        ("one child forgotten", left_child_forgotten), ("the parent forgotten", what_is_left),
        ("sign", one_minus_forgotten),
        ("two classes only", two_classes_only), ("decrease in rows", in_rows), ("entropy, not Gini", with_entropy),
        ("right for arrays only", lists_joined), ("right for arrays only", arrays_only),
        ("borrowed", borrowed_decrease), ("borrowed", borrowed_and_hidden)],
    "trees.thresholds": [
        ("threshold on a data point", lambda values, labels: [v for v, _ in neighbours(values, labels)]),
        ("threshold on a data point", lambda values, labels: [w for _, w in neighbours(values, labels)]),
        ("every midpoint", all_midpoints), ("not sorted", not_sorted), ("not sorted", not_sorted_skipping_equals),
        ("tied values", tied_rows), ("tied values", tied_rows_skipping_equals),
        ("not in ascending order", thresholds_as_a_set),
        ("not in ascending order", lambda values, labels: [(v + w) / 2 for v, w in neighbours(values, labels)][::-1]),
        ("borrowed", lambda values, labels: borrowed_midpoints(np.asarray(values, float)))],
    "trees.slide_table": [
        ("left as printed", {"Rent <= 525": 0.45, "Rent <= 680": 0.4}), ("left as printed", {"Rent <= 640": 0.286}),
        ("children not weighted", {"Rent <= 525": 0.41, "Rent <= 680": 0.234}),
        ("the larger child alone", {"Rent <= 525": 0.444, "Rent <= 680": 0.469}),
        ("one of two", {"Rent <= 525": 0.417}), ("one of two", {"Rent <= 680": 0.375})],
    "trees.mend_importance": [
        ("weighted twice", weighted_twice), ("divided by the rows", divided_by_rows),
        ("the last split only", last_split_only),
        ("mean of the splits", mean_of_splits), ("not normalised", not_normalised),
        ("not normalised", weighted_by_share_not_normalised)],
    "trees.any_pure_tree": [("the cuts decide", ("a", WHY)), ("more splits, more importance", ("c", WHY)),
                            ("every split counts alike", ("d", WHY))],
    "trees.test_decrease": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_with_wrong_sum), ("exact equality", test_with_equality),
        ("asks for a type", test_with_type),
        ("misses unweighted children", test_equal_halves),
        ("misses the mean of shares", test_of_shares), ("misses a forgotten child", test_pure_right_child),
        ("misses the sign", test_of_size_only), ("misses the third class", test_two_classes)],
    "trees.what_if": [("the far way out", 200), ("the threshold, not the change", 640), ("the direction", -60),
                      ("the balcony", 0)],
}
