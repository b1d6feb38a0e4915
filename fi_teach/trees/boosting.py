"""Boosting: small trees grown one after the other, each for the errors of those before it.

    raw(x) = base + learning_rate * sum over trees m of value_m(x)

Gradient boosting fits a regression tree to the residuals y - mean(raw). AdaBoost keeps the labels
and gives more weight to the rows that were misclassified.
"""

from dataclasses import replace
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.choices import check_choice
from fi_teach.basics.forest import Forest
from fi_teach.basics.links import mean_of
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count, check_table
from fi_teach.basics.target import check_y, target_of
from fi_teach.basics.tree import Tree
from fi_teach.fast.cart import RankedTable, grow_trees, rank_table
from fi_teach.trees.cart import check_limits, check_tree_y, number_of_features
from fi_teach.trees.forest import holds_classes

BOOSTING_LOSSES = ("squared", "logistic")
CERTAIN = 1e-150  # a leaf whose curvature is below this has nothing left to learn

# --- gradient boosting ------------------------------------------------------------------------

def grow_boosting(
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | None = None,
    n_trees: int = 100,
    learning_rate: float = 0.1,
    max_depth: int | None = 3,
    min_samples_leaf: int = 1,
    max_features: float | str | None = None,
    rng: Seed = 0,
) -> Forest:
    """Gradient boosting: each tree is fitted to the residuals that the trees before it leave.

    Residuals are r_i = y_i - mean(raw_i), minus the loss's slope in raw; the tree's splits
    minimise their variance, and a leaf's value is the Newton step sum r_i / sum h_i over its rows,
    h_i the loss's curvature: 1 for squared loss (the mean residual), p_i (1 - p_i) for two
    classes, K / (K - 1) times that for K > 2 classes, which grow K trees a round.

    X : (n, p) numbers; y : (n,) numbers or labels
    loss : "squared" (numbers) or "logistic" (labels); None decides as grow_forest does
    n_trees : rounds; max_depth, min_samples_leaf, max_features : as in grow_cart
    learning_rate : share in (0, 1] of each step that is taken
    -> Forest of kind "boosting"; raw is in units of y, or log odds (columns of log chances, up to
        a constant, for K > 2)

    Source: Friedman (2001), algorithms 2, 5 and 6.

    >>> X = np.arange(20.0)[:, None]
    >>> model = grow_boosting(X, X[:, 0] ** 2, n_trees=1, learning_rate=1.0, max_depth=1)
    >>> model.predict([[0.0], [19.0]]).round(1)
    array([ 50., 260.])
    """
    rng = own_stream(rng, "grow boosting")
    X, names = check_table(X)
    columns, classes, link = _columns(X, y, loss)
    check_limits(max_depth, min_samples_leaf)
    n_trees, learning_rate = check_count(n_trees, "n_trees"), _check_rate(learning_rate)
    limits = {
        "max_depth": max_depth,
        "min_samples_leaf": min_samples_leaf,
        "max_features": number_of_features(max_features, len(names)),
        "rng": rng,
    }
    table = rank_table(X, names)
    base = _base(columns, link)
    n_outputs = len(base)

    raw = np.tile(base, (len(X), 1))
    trees = []
    for _ in range(n_trees):
        mean = mean_of(raw, link)
        residual, curvature = columns - mean, _curvature(mean, link)
        for k in range(n_outputs):
            tree, step = _one_tree(table, X, residual[:, k], curvature[:, k], limits)
            raw[:, k] += learning_rate * step
            in_column_k = np.arange(n_outputs) == k
            trees.append(replace(tree, value=tree.value * in_column_k))
    return Forest(
        tuple(trees),
        weights=np.full(len(trees), learning_rate),
        base=base,
        names=names,
        classes=classes,
        kind="boosting",
        link=link,
    )


def _columns(X: NDArray, y: ArrayLike, loss: str | None) -> tuple[NDArray, tuple | None, str]:
    """What is to be predicted -> (columns (n, K) of numbers or 0/1, classes or None, link)."""
    loss = loss or ("logistic" if holds_classes(y) else "squared")
    check_choice(loss, BOOSTING_LOSSES, "loss")
    if loss == "squared":
        return check_y(y, len(X), numeric=True, varies=True)[:, None], None, "identity"
    target = target_of(check_tree_y(y, len(X), "gini"), "gini")
    onehot = target.columns.T
    if len(target.columns) == 2:
        return onehot[:, 1:], target.classes, "logistic"
    return onehot, target.classes, "softmax"


def _base(columns: NDArray, link: str) -> NDArray:
    """The best constant raw score: the mean, its log odds, or the log shares, centred -> (K,)."""
    share = columns.mean(axis=0)
    if link == "identity":
        return share
    if link == "logistic":
        return np.log(share) - np.log1p(-share)
    log_share = np.log(share)
    return log_share - log_share.mean()


def _curvature(mean: NDArray, link: str) -> NDArray:
    """The loss's second derivative in each raw score: (n, K) -> (n, K).

    Friedman's factor (K - 1) / K for K classes shrinks the step, so its inverse stretches the
    curvature here.
    """
    if link == "identity":
        return np.ones_like(mean)
    curvature = mean * (1 - mean)
    if link == "logistic":
        return curvature
    n_classes = mean.shape[1]
    return curvature * n_classes / (n_classes - 1)


def _one_tree(
    table: RankedTable,
    X: NDArray,
    residual: NDArray,
    curvature: NDArray,
    limits: dict,
) -> tuple[Tree, NDArray]:
    """A tree for the residuals, its values replaced by Newton steps -> (Tree, each row's step)."""
    every_row = np.ones((1, len(X)), dtype=int)
    tree = grow_trees(table, target_of(residual, "variance"), every_row, **limits)[0]
    leaf = tree.leaf_of(X)
    slope = _node_sums(tree, leaf, residual)
    curve = _node_sums(tree, leaf, curvature)
    step = np.divide(slope, curve, out=np.zeros_like(slope), where=curve > CERTAIN)
    return replace(tree, value=step[:, None]), step[leaf]


def _node_sums(tree: Tree, leaf: NDArray, column: NDArray) -> NDArray:
    """Sum of a column over each node's rows, from the leaves up -> (n_nodes,)."""
    total = np.bincount(leaf, column, tree.n_nodes)
    for t, left, right in reversed(tree.splits):
        total[t] = total[left] + total[right]
    return total


# --- AdaBoost ---------------------------------------------------------------------------------

def grow_adaboost(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_trees: int = 50,
    learning_rate: float = 1.0,
    max_depth: int | None = 1,
) -> Forest:
    """AdaBoost: each tree votes with weight alpha, and the rows that it misclassifies gain weight.

    err_m is the weight of the rows that tree m misses,
    alpha_m = learning_rate * (log((1 - err_m) / err_m) + log(K - 1)),
    and the missed rows' weights are multiplied by e^alpha_m. Rounds end early when a tree misses
    nothing (it gets weight 1) or guesses no better than chance, err >= 1 - 1/K (it is dropped).

    X (n, p) numbers; y (n,) labels; max_depth as in grow_cart (1: stumps)
    -> Forest of kind "adaboost"; raw is each class's share of the votes, weights are
        alpha_m / sum of alpha

    Raises ValueError as grow_cart does, and if the first tree is no better than chance.
    Source: Freund and Schapire (1997), sec. 4, with log(K - 1) for K > 2 classes.

    >>> model = grow_adaboost([[1], [2], [3], [4]], ["a", "b", "b", "a"], n_trees=3)
    >>> model.predict([[1], [2], [3], [4]]).tolist()
    ['a', 'b', 'b', 'a']
    """
    X, names = check_table(X)
    y = check_tree_y(y, len(X), "gini")
    check_limits(max_depth, 1)
    n_trees, learning_rate = check_count(n_trees, "n_trees"), _check_rate(learning_rate)
    table, target = rank_table(X, names), target_of(y, "gini")
    truth = target.columns.argmax(axis=0)
    n_classes = len(target.columns)
    chance = 1 - 1 / n_classes - 1e-12  # rounding must not pass a coin off as a voter

    weight = np.full(len(X), 1 / len(X))
    trees: list[Tree] = []
    alphas: list[float] = []
    while len(trees) < n_trees:
        tree = grow_trees(table, target, weight[None, :], max_depth=max_depth)[0]
        missed = tree.value[tree.leaf_of(X)].argmax(axis=1) != truth
        error = float(weight[missed].sum())
        if error >= chance:
            break
        votes = np.eye(n_classes)[tree.value.argmax(axis=1)]  # one for a node's largest class
        trees.append(replace(tree, value=votes))
        alphas.append(_alpha(error, n_classes, learning_rate))
        if error <= 0:
            break
        weight = weight * np.exp(alphas[-1] * missed)
        weight /= weight.sum()
    return _weighted_vote(trees, alphas, names, target.classes or ())


def _alpha(error: float, n_classes: int, learning_rate: float) -> float:
    """A tree's weight, 1 for one that misses nothing."""
    if error <= 0:
        return 1.0
    log_odds = np.log((1 - error) / error)
    return learning_rate * (log_odds + np.log(n_classes - 1))


def _weighted_vote(trees: list[Tree], alphas: list[float], names: tuple, classes: tuple) -> Forest:
    """The trees and their weights as a Forest whose raw values are shares of the votes."""
    if not trees:
        raise ValueError(
            "the first tree guesses no better than chance, so there is nothing to boost: "
            "allow a larger max_depth, or bring features that carry a signal.")
    return Forest(
        tuple(trees),
        weights=np.array(alphas) / sum(alphas),
        base=np.zeros(len(classes)),
        names=names,
        classes=classes,
        kind="adaboost",
    )


def _check_rate(learning_rate: float) -> float:
    """Check that the learning rate is a share in (0, 1]."""
    if not isinstance(learning_rate, Real) or not 0 < learning_rate <= 1:
        raise ValueError(
            f"learning_rate is {learning_rate!r}, "
            "expected a share of each step in (0, 1], such as 0.1.")
    return float(learning_rate)
