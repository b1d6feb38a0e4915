"""Answers to exercise set 1: right ones written differently from the solution, and wrong ones as students
give them. The mistakes of a check prove themselves; these are written out so that they can be handed in."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd

import fi_teach.basics.impurity as the_package
from fi_teach.basics.impurity import gini as borrowed_gini
from fi_teach.basics.thresholds import midpoints as borrowed_midpoints

# trees.decrease

def decrease_with_arrays(left, right):
    children = np.vstack([left, right]).astype(float)
    rows = children.sum(axis=1)
    impurity = 1 - ((children / rows[:, None]) ** 2).sum(axis=1)
    parent = children.sum(axis=0) / children.sum()
    return 1 - (parent**2).sum() - np.average(impurity, weights=rows)


def gini(counts):
    n = sum(counts)
    return 1 - sum((c / n) ** 2 for c in counts)


def parent_of(left, right):
    return [a + b for a, b in zip(left, right, strict=True)]


def lists_joined(left, right):
    """Right for arrays. With lists `left + right` is four counts, and no error is raised."""
    n_left, n_right = sum(left), sum(right)
    n = n_left + n_right
    return gini(left + right) - n_left / n * gini(left) - n_right / n * gini(right)


def unweighted_children(left, right):
    return gini(parent_of(left, right)) - 0.5 * gini(left) - 0.5 * gini(right)


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


def borrowed_candidates(values, labels):
    return borrowed_midpoints(np.asarray(values, float))


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


# trees.test_decrease

def test_by_values(f):
    np.testing.assert_allclose(f([3, 1, 1], [1, 4, 0]), decrease_with_arrays([3, 1, 1], [1, 4, 0]))
    np.testing.assert_allclose(f([1, 4], [2, 1]), decrease_with_arrays([1, 4], [2, 1]))


def test_that_answers(f):
    cases = [([3, 1, 1], [1, 4, 0]), ([1, 4], [2, 1]), ([2, 0], [1, 1])]
    return all(math.isclose(f(*case), decrease_with_arrays(*case), abs_tol=1e-12) for case in cases)


def test_with_equality(f):
    assert f([3, 1, 1], [1, 4, 0]) == decrease_with_arrays([3, 1, 1], [1, 4, 0])


def test_with_type(f):
    assert isinstance(f([3, 1], [1, 4]), np.float64)


def test_two_classes(f):
    assert abs(f([4, 1], [1, 1]) - decrease_with_arrays([4, 1], [1, 1])) < 1e-9


RIGHT = {
    "trees.recall_mean": ["60"],
    "trees.recall_two_draws": ["42 %"],
    "trees.entropy_bits": [(0.722, "bits")],
    "trees.variance_decrease": ["900"],
    "trees.decrease": [decrease_of_distances],
    "trees.thresholds": [thresholds_with_frame],
    "trees.slide_table": [{"rent<=525": 0.417, "Rent ≤ 680": 0.375}],
    "trees.mend_importance": [importance_in_one_expression],
    "trees.test_decrease": [test_by_values],
    "trees.what_if": [(60, "euros")],
}

WRONG = {
    "trees.decrease": [("children not weighted", unweighted_children), ("right for arrays only", lists_joined),
                       ("borrowed", borrowed_decrease), ("borrowed", borrowed_and_hidden)],
    "trees.thresholds": [("tied values", tied_rows_skipping_equals), ("borrowed", borrowed_candidates)],
    "trees.mend_importance": [("weighted twice", weighted_twice)],
    "trees.test_decrease": [
        ("returns what it should assert", test_that_answers), ("exact equality", test_with_equality),
        ("asks for a type", test_with_type), ("misses the third class", test_two_classes)],
}
