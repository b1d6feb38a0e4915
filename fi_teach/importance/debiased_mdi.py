"""Debiased MDI: each split is judged on out-of-bag rows, which did not choose it.

MDI is measured on the rows that chose the splits, and a feature with many values offers more
splits to choose from. Two remedies, both measured on a tree's out-of-bag rows:

    "oob"  1 / n_oob * sum over out-of-bag rows i and nodes t on i's path that split on j of
           (mu_child - mu_t) * (y_i - mu_root)
    "ufi"  MDI's formula, with the impurity of node t replaced by
           half of [ mean of (y - mu_t)^2 in the bag  +  mean of (y - mu_t)^2 out of the bag ]

mu_t is the node's mean of y in the bag; classes are 0/1 columns, added up. With the in-bag rows in
place of the out-of-bag ones both are MDI itself, in Gini or squared units of y. A feature that is
independent of y in every node it splits has mean 0 under "ufi", which weights nodes by their in-bag
rows (a theorem), and under "oob" in simulations.
"""

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.choices import check_choice
from fi_teach.basics.model import as_model
from fi_teach.basics.results import Importance
from fi_teach.basics.target import check_y, encode_labels
from fi_teach.basics.tree import rows_for

TITLES = {"oob": "out-of-bag MDI", "ufi": "unbiased feature importance (UFI)"}


def debiased_mdi(
    model: object, X: ArrayLike, y: ArrayLike, *, method: str = "oob"
) -> Importance:
    """MDI measured out of bag, which takes away its preference for features with many values.

    "oob"  A split on j moves a row's prediction from its node's mean to its child's. Credit j with
           the moves that point to the row's own y, rows out of bag only (Li et al.).
    "ufi"  Unbiased feature importance: MDI's formula with an impurity that is half measured out of
           bag (Zhou and Hooker). For classes it is 1 - sum_k p_k q_k with in-bag shares p and
           out-of-bag shares q. A split with a child that no out-of-bag row reaches counts 0.
           scikit-learn's proposed `unbiased_feature_importances_` is this one.

    Measuring y from the root's mean makes the result independent of where y's scale begins.

    model : a Forest with in_bag, or a fitted scikit-learn forest
    X (n, p), y (n,) : its training rows, in their order
    -> Importance, not normalised (shares of differences around 0 would mean nothing), one draw a
       tree; standard_error is NaN, for the reason that stands in `mdi`

    Source: Li et al. (2019), eq. 3 and sec. 4; Zhou and Hooker (2021), sec. 3.

    >>> from fi_teach.importance.mdi import mdi
    >>> from fi_teach.trees import grow_forest
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)  # y knows nothing of X
    >>> forest = grow_forest(X, y, n_trees=50)
    >>> bool(mdi(forest, normalize=False).mean.min() > 0.2)
    True
    >>> bool(abs(debiased_mdi(forest, X, y).mean).max() < 0.05)
    True
    """
    measure = MEASURES[check_choice(method, MEASURES, "method")]
    forest, rows, Y = _training_rows(model, X, y)
    draws = np.zeros((forest.n_features, len(forest.trees)))
    for m, tree in enumerate(forest.trees):
        unseen = forest.in_bag[m] == 0
        draws[:, m] = measure(tree, rows[unseen], Y[unseen])
    return _importance_of(forest, draws, method)


def _importance_of(forest, draws, method):
    """The result, without a standard error."""
    unit = "squared units of y" if forest.classes is None else "Gini"
    unknown = np.full(len(draws), np.nan)
    return Importance(forest.names, draws, TITLES[method], unit, sampling_error=unknown)


# --- the two measures, for one tree and its out-of-bag rows ---


def _moves_towards_y(tree, X, Y):
    """Li et al.'s measure: X (n_oob, p), Y (n_oob, q) -> (p,).

    toward_t is the sum over the rows in node t of mu_t * (y - mu_root); what the children have more
    of it than their parent is the moves that pointed to y.
    """
    sums = _sums_by_node(tree, X, Y - tree.value[0])
    toward = (tree.value * sums).sum(axis=1)
    split = np.flatnonzero(~tree.is_leaf)
    left = tree.children_left[split]
    right = tree.children_right[split]
    gain = toward[left] + toward[right] - toward[split]
    return _by_feature(tree, split, gain / len(X))


def _half_unbiased_decrease(tree, X, Y):
    """Zhou and Hooker's measure: X (n_oob, p), Y (n_oob, q) -> (p,).

    About a node's mean mu the out-of-bag rows have mean (y - mu)^2 = mean y^2 - 2 mu mean y + mu^2,
    with y and mu both measured from the root's mean.
    """
    y = Y - tree.value[0]
    mu = tree.value - tree.value[0]
    ones, squares = np.ones(len(X)), (y**2).sum(axis=1)
    sums = _sums_by_node(tree, X, np.column_stack([ones, squares, y]))
    n = sums[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # nodes that no row reaches
        mean_squares = sums[:, 1] / n
        mean_products = (mu * sums[:, 2:]).sum(axis=1) / n
    outside = mean_squares - 2 * mean_products + (mu**2).sum(axis=1)
    inside = tree.impurity
    if tree.classes is not None:
        inside = 1 - (tree.value**2).sum(axis=1)  # Gini, whatever the tree was grown by
    weight = tree.weighted_n_node_samples
    share = weight / weight[0]
    mass = share * (inside + outside) / 2
    split = np.flatnonzero(~tree.is_leaf & (n > 0))
    left = tree.children_left[split]
    right = tree.children_right[split]
    gain = mass[split] - mass[left] - mass[right]
    reached = (n[left] > 0) & (n[right] > 0)
    return _by_feature(tree, split, np.where(reached, gain, 0.0))


MEASURES = {"oob": _moves_towards_y, "ufi": _half_unbiased_decrease}


def _sums_by_node(tree, X, columns):
    """Sums of columns (n, q) over the rows that pass through each node -> (n_nodes, q)."""
    leaf = tree.apply(X)
    by_column = [np.bincount(leaf, column, tree.n_nodes) for column in columns.T]
    sums = np.column_stack(by_column)
    for t in np.flatnonzero(~tree.is_leaf)[::-1]:  # children are stored after their parents
        left, right = tree.children_left[t], tree.children_right[t]
        sums[t] = sums[left] + sums[right]
    return sums


def _by_feature(tree, split, gain):
    """The gains of the splitting nodes, added up by feature -> (p,)."""
    return np.bincount(tree.feature[split], gain, tree.n_features).astype(float)


# --- the rows that the forest was grown on ---


def _training_rows(model, X, y):
    """The forest, its training rows (n, p), and y as columns (n, q): 0/1 a class, or numbers."""
    model = as_model(model)
    forest = model.forest
    if forest.in_bag is None or forest.kind != "forest":
        raise ValueError(
            "this model does not say which rows each tree saw: expected a forest grown on "
            "bootstrap samples (grow_forest, or a scikit-learn forest with bootstrap=True).")
    if (forest.in_bag > 0).all(axis=1).any():
        raise ValueError(
            "some tree saw every row, so nothing is out of bag for it: "
            "grow the forest with bootstrap=True.")
    rows = rows_for(forest, model.arrange(X))
    n_rows = forest.in_bag.shape[1]
    if len(rows) != n_rows:
        raise ValueError(
            f"X has {len(rows)} rows, but the forest was grown on {n_rows}: "
            "pass its training rows, in their order.")
    y = check_y(y, n_rows, numeric=forest.classes is None, several=True, varies=True)
    if forest.classes is not None:
        classes, codes = encode_labels(y, forest.classes)
        return forest, rows, (codes[:, None] == np.arange(len(classes))).astype(float)
    Y = y.reshape(n_rows, -1)
    if Y.shape[1] != forest.n_outputs:
        raise ValueError(
            f"y has {Y.shape[1]} columns, but the forest predicts {forest.n_outputs}: "
            "pass the y it was grown on.")
    return forest, rows, Y
