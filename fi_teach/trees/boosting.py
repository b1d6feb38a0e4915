"""Boosting grows small trees one after the other, each for what its predecessors still get wrong.

Gradient boosting writes the mistake as a number a row, the residual y - mean(raw), and lets a regression tree predict it.
AdaBoost keeps the labels and makes the rows that were missed heavier.
"""

from dataclasses import replace
from numbers import Real

import numpy as np

from fi_teach.basics.tables import check_numeric_target, check_table, check_target
from fi_teach.basics.tree import Forest
from fi_teach.fast.growing import grow_trees, rank_table, target_of
from fi_teach.trees.cart import check_growing_target, check_limits, number_of_features
from fi_teach.trees.forest import check_n_trees, holds_classes

BOOSTING_LOSSES = ("squared", "logistic")


def mean_of(raw, link):
    """What a raw score says about y: the mean of y, or the chance of each class. raw (n, K) -> (n, K).

    "identity": raw; "logistic": 1 / (1 + e^-raw); "softmax": e^raw_k / sum_l e^raw_l.

    >>> mean_of(np.array([[0.0, 0.0]]), "softmax"), mean_of(np.array([[0.0]]), "logistic")
    (array([[0.5, 0.5]]), array([[0.5]]))
    """
    if link == "identity":
        return raw
    if link == "logistic":
        return np.exp(-np.logaddexp(0, -raw))
    odds = np.exp(raw - raw.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def grow_boosting(X, y, *, loss=None, n_trees=100, learning_rate=0.1, max_depth=3, min_samples_leaf=1,
                  max_features=None, rng=0):
    """Gradient boosting: raw(x) = base + learning_rate * sum_m value_m(x), each tree fitted to the residuals before it.

    Residuals are r_i = y_i - mean(raw_i), minus the loss's slope in raw; the tree's splits minimise their variance, and a leaf's
    value is the Newton step sum r_i / sum h_i over its rows, h_i the loss's curvature: 1 for squared loss (the mean
    residual), p_i (1 - p_i) for two classes, K / (K - 1) times that for K > 2 classes, which grow K trees a round.

    X : (n, p) numbers; y : (n,) numbers or labels
    loss : "squared" (numbers) or "logistic" (labels); None decides as grow_forest does
    n_trees : rounds; max_depth, min_samples_leaf, max_features : as in grow_cart
    learning_rate : share in (0, 1] of each step that is taken
    -> Forest of kind "boosting"; raw is in units of y, or log odds (columns of log chances, up to a constant, for K > 2)

    Raises ValueError as grow_cart does, for an unknown loss and a learning_rate outside (0, 1].
    Source: Friedman (2001), algorithms 2, 5 and 6.

    >>> X = np.arange(20.0)[:, None]
    >>> grow_boosting(X, X[:, 0] ** 2, n_trees=1, learning_rate=1.0, max_depth=1).predict([[0.0], [19.0]]).round(1)
    array([ 50., 260.])
    """
    rng = np.random.default_rng(rng)
    X, names = check_table(X)
    columns, classes, link = _columns(X, y, loss)
    check_limits(max_depth, min_samples_leaf)
    n_trees, learning_rate = check_n_trees(n_trees), _check_rate(learning_rate)
    limits = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf,
              "max_features": number_of_features(max_features, len(names)), "rng": rng}
    table, base = rank_table(X, names), _base(columns, link)
    raw, trees = np.tile(base, (len(X), 1)), []
    for _ in range(n_trees):
        mean = mean_of(raw, link)
        for k in range(columns.shape[1]):
            tree, step = _one_tree(table, X, columns[:, k] - mean[:, k], _curvature(mean, link)[:, k], limits)
            raw[:, k] += learning_rate * step
            trees.append(replace(tree, value=tree.value * (np.arange(columns.shape[1]) == k)))
    return Forest(tuple(trees), np.full(len(trees), learning_rate), base, names, classes=classes, kind="boosting", link=link)


def _columns(X, y, loss):
    """What is to be predicted -> (columns (n, K) of numbers or 0/1, classes or None, link)."""
    loss = loss or ("logistic" if holds_classes(y) else "squared")
    if loss not in BOOSTING_LOSSES:
        raise ValueError(f"unknown loss {loss!r}: expected one of {', '.join(map(repr, BOOSTING_LOSSES))}.")
    if loss == "squared":
        y = check_numeric_target(y, len(X))
        _check_varies(y)
        return y[:, None], None, "identity"
    y = check_growing_target(y, len(X), "gini")
    _check_varies(y)
    target = target_of(y, "gini")
    two = len(target.classes) == 2
    return target.columns[1:].T if two else target.columns.T, target.classes, "logistic" if two else "softmax"


def _check_varies(y):
    if len(np.unique(y)) == 1:
        raise ValueError(f"y is constant ({y[0]!r} in every row): there is nothing to boost. Give rows with two different targets.")


def _check_rate(learning_rate):
    if not (isinstance(learning_rate, Real) and 0 < learning_rate <= 1):
        raise ValueError(f"learning_rate is {learning_rate!r}, expected a share of each step in (0, 1], such as 0.1.")
    return float(learning_rate)


def _base(columns, link):
    """The best constant raw score: the mean, its log odds, or the log shares less their average -> (K,)."""
    share = columns.mean(axis=0)
    if link == "identity":
        return share
    if link == "logistic":
        return np.log(share) - np.log1p(-share)
    return np.log(share) - np.log(share).mean()


def _curvature(mean, link):
    """The loss's second derivative in each raw score: (n, K) -> (n, K).

    Friedman's factor (K - 1) / K for K classes shrinks the step, so its inverse stretches the curvature here.
    """
    if link == "identity":
        return np.ones_like(mean)
    n_classes = mean.shape[1]
    return mean * (1 - mean) * (n_classes / (n_classes - 1) if link == "softmax" else 1.0)


def _one_tree(table, X, residual, curvature, limits):
    """A regression tree for the residuals, its values replaced by Newton steps -> (Tree, each row's step (n,))."""
    tree = grow_trees(table, target_of(residual, "variance"), np.ones((1, len(X)), dtype=int), **limits)[0]
    leaf = tree.apply(X)
    slope, curve = (_node_sums(tree, leaf, column) for column in (residual, curvature))
    value = np.divide(slope, curve, out=np.zeros_like(slope), where=curve > 1e-150)  # rows already certain take no step
    return replace(tree, value=value[:, None]), value[leaf]


def _node_sums(tree, leaf, column):
    """Sum of a column over each node's rows, from the leaves up -> (n_nodes,)."""
    total = np.bincount(leaf, column, tree.n_nodes)
    for t in np.flatnonzero(~tree.is_leaf)[::-1]:
        total[t] = total[tree.children_left[t]] + total[tree.children_right[t]]
    return total


def grow_adaboost(X, y, *, n_trees=50, learning_rate=1.0, max_depth=1):
    """AdaBoost: every tree votes for one class, with weight alpha_m, and rows that it misses become heavier for the next.

    err_m is the weight of the rows that tree m misses, alpha_m = learning_rate * (log((1 - err_m) / err_m) + log(K - 1)), and
    the missed rows' weights are multiplied by e^alpha_m. Rounds end early when a tree misses nothing (it gets weight 1) or
    guesses no better than chance, err >= 1 - 1/K (it is dropped).

    X (n, p) numbers; y (n,) labels; max_depth as in grow_cart (1: stumps)
    -> Forest of kind "adaboost"; raw is each class's share of the votes, weights are alpha_m / sum of alpha

    Raises ValueError as grow_cart does, and if the first tree is no better than chance.
    Source: Freund and Schapire (1997), sec. 4, with log(K - 1) for K > 2 classes.

    >>> model = grow_adaboost([[1], [2], [3], [4]], ["a", "b", "b", "a"], n_trees=3)
    >>> model.predict([[1], [2], [3], [4]]).tolist()
    ['a', 'b', 'b', 'a']
    """
    X, names = check_table(X)
    y = check_growing_target(check_target(y, len(X)), len(X), "gini")
    _check_varies(y)
    check_limits(max_depth, 1)
    n_trees, learning_rate = check_n_trees(n_trees), _check_rate(learning_rate)
    table, target = rank_table(X, names), target_of(y, "gini")
    truth, weight, trees, alphas = target.columns.argmax(axis=0), np.full(len(X), 1 / len(X)), [], []
    chance = 1 - 1 / len(target.classes) - 1e-12  # rounding must not pass a coin off as a voter
    while len(trees) < n_trees:
        tree = grow_trees(table, target, weight[None, :], max_depth=max_depth)[0]
        missed = tree.raw(X).argmax(axis=1) != truth
        error = float(weight[missed].sum())
        if error >= chance:
            break
        trees.append(_voter(tree))
        alphas.append(learning_rate * (np.log((1 - error) / error) + np.log(len(target.classes) - 1)) if error > 0 else 1.0)
        if error <= 0:
            break
        weight = weight * np.exp(alphas[-1] * missed)
        weight /= weight.sum()
    return _ballot_box(trees, alphas, names, target.classes)


def _voter(tree):
    """The tree with one vote a node: 1 for its largest class, 0 for the others."""
    return replace(tree, value=np.eye(len(tree.classes))[tree.value.argmax(axis=1)])


def _ballot_box(trees, alphas, names, classes):
    """The trees and their weights as a Forest whose raw values are vote shares."""
    if not trees:
        raise ValueError("the first tree guesses no better than chance, so there is nothing to boost: allow a larger max_depth, "
                         "or bring features that carry a signal.")
    return Forest(tuple(trees), np.array(alphas) / sum(alphas), np.zeros(len(classes)), names, classes=classes, kind="adaboost")
