"""Decreases in Gini impurity, right and wrong, for `trees.test_decrease`."""

import numpy as np


def gini(counts):
    shares = np.asarray(counts, float) / np.sum(counts)
    return 1 - (shares**2).sum()


def split(impurity, left, right):
    n_left, n_right = np.sum(left), np.sum(right)
    return (n_left * impurity(left) + n_right * impurity(right)) / (n_left + n_right)


def pooled(left, right):
    return np.add(left, right)


def decrease(left, right):
    return gini(pooled(left, right)) - split(gini, left, right)


def rounded_otherwise(left, right):
    return decrease(left, right) + 3e-16


def as_a_float(left, right):
    return float(decrease(left, right))


def unweighted(left, right):
    return gini(pooled(left, right)) - (gini(left) + gini(right)) / 2


def of_mean_shares(left, right):
    mean = (np.divide(left, np.sum(left)) + np.divide(right, np.sum(right))) / 2
    return gini(mean) - split(gini, left, right)


def left_only(left, right):
    return gini(pooled(left, right)) - np.sum(left) * gini(left) / np.sum(pooled(left, right))


def turned_round(left, right):
    return -decrease(left, right)


def _of_two(counts):
    first = counts[0] / np.sum(counts)
    return 2 * first * (1 - first)


def of_two_classes(left, right):
    return _of_two(pooled(left, right)) - split(_of_two, left, right)
