"""Mean decrease in impurity: credit every split's decrease, weighted by the rows it concerns, to the feature it asks about.

Decreases telescope: added up over a tree they are the root's impurity less what the leaves keep. Which is the trouble,
too: they are measured on the rows that chose the splits. `debiased_mdi` measures on the others.
"""

import numpy as np

from fi_teach.basics.convert import as_forest
from fi_teach.basics.nominal import NominalTree
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import check_outcome
from fi_teach.basics.tree import rows_for

UNITS = {"gini": "Gini", "entropy": "bits", "entropy_nats": "nats", "variance": "squared units of y"}


def mdi(model, *, normalize=True, weighted=True):
    """Mean decrease in impurity: a feature's share of all the impurity that the splits take away.

    MDI(j) = sum over nodes t that split on j of  w_t / w_root * (I(t) - w_L / w_t * I(L) - w_R / w_t * I(R))

    model : a Tree, a NominalTree, a Forest, or what from_model takes -> Importance with one draw a tree, (p, M)
    normalize : shares that add up to 1, put together as scikit-learn does: a forest averages each tree's shares, boosting
        shares out the trees' average, AdaBoost weights the trees' shares; False: the decreases themselves, in units of
        the impurity. A tree that never splits has zeros.
    weighted : False leaves out the node's weight w_t / w_root, as the midterm slides print the formula: a split of two
        rows then counts as much as the root's

    Raises ValueError for a model whose nodes keep no impurity (histogram boosting, xgboost, lightgbm).
    Source: Breiman et al. (1984), sec. 5.3.4; Breiman (2001); scikit-learn's feature_importances_.

    >>> from fi_teach.data import midterm
    >>> from fi_teach.trees import grow_cart
    >>> tree = grow_cart(*midterm())
    >>> mdi(tree).mean.round(2).tolist(), mdi(tree, weighted=False).mean.round(2).tolist()
    ([0.4, 0.6], [0.67, 0.33])
    """
    trees, weights, kind = _parts(model)
    raw = np.array([decrease_by_feature(tree, weighted=weighted) for tree in trees]).T
    _refuse_unknown(raw, model)
    unit = UNITS.get(trees[0].criterion, trees[0].criterion)
    if not normalize:
        return Importance(trees[0].names, raw * weights, method="MDI, not normalised", unit=unit)
    if kind != "boosting":
        raw = _shares(raw)
    draws = raw * weights
    if kind != "adaboost":  # trees without a split are no reason for shares to fall short of 1
        draws = draws / (draws.mean(axis=1).sum() or 1.0)
    return Importance(trees[0].names, draws, method="MDI" if weighted else "MDI without node weights", unit="share of the decrease")


def _parts(model):
    """A model's trees, what each counts in their mean (1 but for AdaBoost), and its kind -> (trees, weights (M,), kind)."""
    if isinstance(model, NominalTree):
        return (model,), np.ones(1), "tree"
    forest = as_forest(model)
    weights = np.ones(len(forest.trees))
    if forest.kind == "adaboost":
        weights = len(forest.trees) * forest.weights / forest.weights.sum()
    return forest.trees, weights, forest.kind


def decrease_by_feature(tree, *, weighted=True):
    """Each feature's decreases in one tree, added up: (p,) in units of the impurity.

    >>> from fi_teach.trees import grow_cart
    >>> decrease_by_feature(grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]))  # AND: the later split gets more
    array([0.125, 0.25 ])
    """
    split = ~tree.is_leaf
    share = tree.weighted_n_node_samples[split] / tree.weighted_n_node_samples[0] if weighted else 1.0
    return np.bincount(tree.feature[split], share * tree.decrease[split], tree.n_features).astype(float)  # no split: int zeros


def _shares(raw):
    """Each column (a tree) divided by its sum; a tree without any decrease keeps its zeros."""
    total = raw.sum(axis=0)
    return np.divide(raw, total, out=np.zeros_like(raw), where=total > 0)


def _refuse_unknown(raw, model):
    if np.isnan(raw).any():
        raise ValueError(f"the trees of this {type(model).__name__} keep no impurities, so there is no MDI to compute "
                         "(histogram boosting, xgboost and lightgbm keep gains instead): use permutation_importance or tree_shap.")


# --- measured on rows that did not choose the splits ------------------------------------------------------------------

def debiased_mdi(forest, X, y, *, method="oob"):
    """MDI measured out of bag, so that a feature that knows nothing gets 0 on average, however many values it has.

    "oob"  A split on j moves a row's prediction from its node's mean mu_t to its child's. Credit j with the moves that
           point to the row's own y, rows out of bag only (Li et al. 2019, eq. 3 and sec. 4):
           1 / n_oob * sum over rows i and nodes t on i's path that split on j of (mu_child - mu_t) * (y_i - mu_root)
    "ufi"  Keep MDI's formula and replace the node's impurity by half the sum of two: about the in-bag mean, of the
           in-bag rows and of the out-of-bag rows (Zhou and Hooker 2021, sec. 3). For classes that is 1 - sum_k p_k q_k
           with in-bag shares p and out-of-bag shares q. A split with a child that no out-of-bag row reaches counts 0.

    With the in-bag rows in place of the out-of-bag ones both are MDI itself, in Gini or squared units of y. Measuring y
    from the root's mean leaves that so, and makes the result independent of where y's scale begins.

    forest : a Forest with in_bag, or a fitted scikit-learn forest; X (n, p), y (n,): its training rows, in their order
    -> Importance, not normalised (shares of differences around 0 would mean nothing), one draw a tree

    Raises ValueError for a model without bootstrap counts, other rows than it was grown on, an unknown method.

    >>> from fi_teach.trees import grow_forest
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)  # y knows nothing of X
    >>> forest = grow_forest(X, y, n_trees=50)
    >>> bool(mdi(forest, normalize=False).mean.min() > 0.2), bool(abs(debiased_mdi(forest, X, y).mean).max() < 0.05)
    (True, True)
    """
    measures = {"oob": _moves_towards_y, "ufi": _unbiased_decrease}
    if method not in measures:
        raise ValueError(f"unknown method {method!r}: expected 'oob' or 'ufi'.")
    forest = as_forest(forest)
    X, Y = _check_training_rows(forest, X, y)
    draws = np.array([measures[method](tree, X[seen == 0], Y[seen == 0]) for tree, seen in zip(forest.trees, forest.in_bag, strict=True)])
    return Importance(forest.names, draws.T, method={"oob": "out-of-bag MDI", "ufi": "unbiased split improvement"}[method],
                      unit="squared units of y" if forest.classes is None else "Gini")


def _check_training_rows(forest, X, y):
    """X as an array, y as columns (n, q): one 0/1 column a class, or the number. Raises ValueError."""
    if forest.in_bag is None or forest.kind != "forest":
        raise ValueError("this model does not say which rows each tree saw: expected a forest grown on bootstrap samples "
                         "(grow_forest, or a scikit-learn forest with bootstrap=True).")
    X = rows_for(forest, X)
    if len(X) != forest.in_bag.shape[1]:
        raise ValueError(f"X has {len(X)} rows, but the forest was grown on {forest.in_bag.shape[1]}: "
                         "pass its training rows, in their order.")
    if (forest.in_bag > 0).all(axis=1).any():
        raise ValueError("some tree saw every row, so nothing is out of bag for it: grow the forest with bootstrap=True.")
    if forest.classes is None:
        Y = check_outcome(y, len(X), numeric=True).reshape(len(X), -1)
        if Y.shape[1] != forest.n_outputs:
            raise ValueError(f"y has {Y.shape[1]} columns, but the forest predicts {forest.n_outputs}: pass the y it was grown on.")
        return X, Y
    y = check_outcome(y, len(X))
    unknown = set(np.unique(y).tolist()) - set(forest.classes)
    if unknown:
        raise ValueError(f"y holds {unknown.pop()!r}, a label the forest never saw: pass its training rows, in their order.")
    return X, (y[:, None] == np.asarray(forest.classes)).astype(float)


def _sums_by_node(tree, leaf, columns):
    """Sums of columns (n, q) over the rows that pass through each node; leaf (n,) says where rows end -> (n_nodes, q)."""
    sums = np.array([np.bincount(leaf, column, tree.n_nodes) for column in columns.T]).T
    for t in np.flatnonzero(~tree.is_leaf)[::-1]:  # children are stored after their parents
        sums[t] = sums[tree.children_left[t]] + sums[tree.children_right[t]]
    return sums


def _moves_towards_y(tree, X, Y):
    """Li et al.'s measure for one tree and its out-of-bag rows -> (p,)."""
    split = np.flatnonzero(~tree.is_leaf)
    toward = (tree.value * _sums_by_node(tree, tree.apply(X), Y - tree.value[0])).sum(axis=1)  # sum of mu_t * (y - mu_root)
    gain = toward[tree.children_left[split]] + toward[tree.children_right[split]] - toward[split]
    return np.bincount(tree.feature[split], gain / len(X), tree.n_features).astype(float)


def _unbiased_decrease(tree, X, Y):
    """Zhou and Hooker's measure for one tree and its out-of-bag rows -> (p,)."""
    centred, mu = Y - tree.value[0], tree.value - tree.value[0]
    sums = _sums_by_node(tree, tree.apply(X), np.column_stack([np.ones(len(X)), (centred**2).sum(axis=1), centred]))
    n = sums[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        outside = sums[:, 1] / n - 2 * (mu * sums[:, 2:]).sum(axis=1) / n + (mu**2).sum(axis=1)  # mean of (y - mu_t)^2
    inside = tree.impurity if tree.classes is None else 1 - (tree.value**2).sum(axis=1)
    mass = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0] * (inside + outside) / 2
    split = np.flatnonzero(~tree.is_leaf & (n > 0))
    left, right = tree.children_left[split], tree.children_right[split]
    reached = (n[left] > 0) & (n[right] > 0)
    gain = np.where(reached, mass[split] - mass[left] - mass[right], 0.0)
    return np.bincount(tree.feature[split], gain, tree.n_features).astype(float)
