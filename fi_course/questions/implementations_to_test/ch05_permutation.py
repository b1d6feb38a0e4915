"""Grouped importances of a linear model, right and wrong, for `permutation.test_groups`."""

import numpy as np


def losses(X, y, weights):
    return (np.asarray(y) - np.asarray(X) @ np.asarray(weights)) ** 2


def rise(X, y, weights, columns, order):
    """Mean squared error after `columns` were taken from the rows of `order`, less before."""
    shuffled = np.array(X, dtype=float)
    shuffled[:, columns] = np.asarray(X)[order][:, columns]
    return losses(shuffled, y, weights).mean() - losses(X, y, weights).mean()


def grouped(X, y, weights, groups, order):
    return [rise(X, y, weights, group, order) for group in groups]


def in_an_array(X, y, weights, groups, order):
    return np.array(grouped(X, y, weights, groups, order)) * (1 + 2**-52)


def wrong_columns(X, y, weights, groups, order):
    """As handed out: a group of two shuffles the first two columns, and its own are put back."""
    X, rises = np.array(X, dtype=float), []
    before = losses(X, y, weights).mean()
    for group in groups:
        saved = X[:, group].copy()
        shuffled = range(len(group)) if len(group) > 1 else group
        X[:, shuffled] = X[order][:, shuffled]
        rises.append(losses(X, y, weights).mean() - before)
        X[:, group] = saved
    return rises


def left_scrambled(X, y, weights, groups, order):
    """The right columns, but they stay shuffled while the next groups have their turn."""
    done, rises = np.array(X, dtype=float), []
    for group in groups:
        done[:, group] = done[order][:, group]
        rises.append(losses(done, y, weights).mean() - losses(X, y, weights).mean())
    return rises


def sum_of_parts(X, y, weights, groups, order):
    return [sum(rise(X, y, weights, [column], order) for column in group) for group in groups]


def backwards(X, y, weights, groups, order):
    return grouped(X, y, weights, groups, np.argsort(order))


def table_changed(X, y, weights, groups, order):
    """Right numbers, but the caller's table is shuffled on the way."""
    rises = grouped(X, y, weights, groups, order)
    X[:, groups[0]] = X[order][:, groups[0]]
    return rises
