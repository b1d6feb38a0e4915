"""Mean decrease in impurity (MDI): the weighted decreases of all splits, added up by feature.

    MDI_j  =  mean over trees,  sum over nodes t that split on j of

              w_t / w_root * ( I(t)  -  w_L / w_t * I(L)  -  w_R / w_t * I(R) )

Decreases telescope: added up over a tree they are the root's impurity less that of the leaves.
They are measured on the rows that chose the splits, which favours features with many values.

Read next: debiased_mdi.py, which measures on the other rows.
"""

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.model import as_model
from fi_teach.basics.nominal import NominalTree, check_one_tree
from fi_teach.basics.results import Importance
from fi_teach.basics.tree import Tree

UNITS = {
    "gini": "Gini",
    "entropy": "bits",
    "entropy_nats": "nats",
    "variance": "squared units of y",
}


def decrease_by_feature(tree: Tree | NominalTree, *, weighted: bool = True) -> NDArray:
    """Add up the decreases of one tree by feature -> (p,), in units of the impurity.

    weighted : False leaves out the share w_t / w_root of the rows that a node concerns

    Source: as in `mdi`.

    >>> from fi_teach.trees import grow_cart
    >>> and_tree = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> decrease_by_feature(and_tree)               # the later split gets more
    array([0.125, 0.25 ])
    """
    check_one_tree(tree)
    split = ~tree.is_leaf
    credit = tree.decrease[split]
    if weighted:
        weight = tree.weighted_n_node_samples
        credit = weight[split] / weight[0] * credit
    sums = np.bincount(tree.feature[split], credit, tree.n_features)
    return sums.astype(float)  # without a split they are whole zeros


def mdi(model: object, *, normalize: bool = True, weighted: bool = True) -> Importance:
    """Mean decrease in impurity: each feature's share of the decreases of all splits.

    model : our Tree, NominalTree or Forest, or any fitted model of trees
    normalize : shares that add up to 1, put together as scikit-learn does: a forest averages each
        tree's shares, boosting shares out the trees' average, AdaBoost weights the trees' shares;
        False: the decreases themselves, in units of the impurity. A tree that never splits has
        zeros.
    weighted : False leaves out the node's weight w_t / w_root, as the midterm slides print the
        formula: a split of two rows then counts as much as the root's
    -> Importance with one draw a tree, (p, M)

    standard_error is NaN. The trees of a forest share their training rows, and boosting's stages
    correct one another, so that sd over draws / sqrt(M) would only say how far other trees on the
    SAME rows move the mean: for a small share of what another training set would change.

    Source: Breiman et al. (1984), sec. 5.3.4; Breiman (2001); scikit-learn's feature_importances_.

    >>> from fi_teach.data import midterm
    >>> from fi_teach.trees import grow_cart
    >>> tree = grow_cart(*midterm())
    >>> mdi(tree).mean.round(2).tolist()
    [0.4, 0.6]
    >>> mdi(tree, weighted=False).mean.round(2).tolist()
    [0.67, 0.33]
    """
    trees, weights, kind = _parts(model)
    draws = np.array([decrease_by_feature(tree, weighted=weighted) for tree in trees]).T
    if np.isnan(draws).any():
        raise ValueError(
            f"the trees of this {type(model).__name__} keep no impurities, so there is no MDI to "
            "compute (histogram boosting, xgboost and lightgbm keep gains instead): use "
            "permutation_importance or tree_shap, or ask the library for its gains.")
    unit, method = UNITS.get(trees[0].criterion, trees[0].criterion), "MDI, not normalised"
    if normalize:
        unit, method = "share of the decrease", "MDI" if weighted else "MDI without node weights"
        if kind != "boosting":  # a tree without any decrease keeps its zeros
            total = draws.sum(axis=0)
            draws = np.divide(draws, total, out=np.zeros_like(draws), where=total > 0)
    draws = draws * weights
    if normalize and kind != "adaboost":
        # trees without a split are no reason for shares to fall short of 1
        draws = draws / (draws.mean(axis=1).sum() or 1.0)
    unknown = np.full(len(draws), np.nan)
    return Importance(trees[0].names, draws, method, unit, sampling_error=unknown)


def _parts(model):
    """A model's trees, what each counts in their mean (1 but for AdaBoost), and its kind."""
    model = as_model(model)
    if isinstance(model.given, NominalTree):
        return (model.given,), np.ones(1), "tree"
    forest = model.forest
    if forest.kind == "voting":
        raise ValueError(
            f"a {type(model.given).__name__} has no MDI of its own: its members are weighted as "
            "they vote, not as they split. Take mdi of each member (estimators_).")
    weights = np.ones(len(forest.trees))
    if forest.kind == "adaboost":
        weights = forest.weights / forest.weights.mean()
    return forest.trees, weights, forest.kind
