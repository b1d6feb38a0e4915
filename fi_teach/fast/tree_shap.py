"""TreeSHAP of a whole forest: few rows walk down the trees, many rows look up tables.

    tree_shap_walk     without background rows walk down all trees together, with Owen's integral
    tree_shap_pairs    each row walks with each background row, down the edges that either takes
    tree_shap_tables   a column for every set of failed features, of many trees at once; rows look
                       up in it (tree_shap_lookup, or tree_explainer, which keeps the tables)

    longest path   columns of a leaf, mean   1 row    1,000 rows   1,000 rows x 1,000 background
     3 features              8               walk     tables       tables
     8 features            170               walk     tables       tables
    20 features         500,000              walk     walk         pairs

All engines read the trees from one set of arrays (forest_arrays).
"""

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.forest import Forest
from fi_teach.fast.tree_shap_lookup import add_by_tables
from fi_teach.fast.tree_shap_pairs import add_by_pairs
from fi_teach.fast.tree_shap_walk import add_by_walk

FEW_ROWS = 32  # or half as many for interactions: they walk, whatever the trees
FEW_COLUMNS = 128  # of a leaf's tables: always worth it
PAIRS_A_COLUMN = 10  # so many pairs of rows cost what a column does


def sum_over_trees(
    forest: Forest, X: NDArray, background: NDArray | None, order: int
) -> tuple[NDArray, NDArray]:
    """Shapley values of a whole forest (order 1), or these and its interactions (order 2).

    X (n, p), background (m, p) or None
    -> total (p, n_outputs, n), or (p, p, n_outputs, n) with the values at (i, i), halved
        interactions at i > j and nothing else; base (n_outputs,)
    """
    X = np.asfortranarray(X)  # columns are read whole
    base = np.array(forest.base, dtype=float)
    total = np.zeros((*[forest.n_features] * order, forest.n_outputs, len(X)))
    n_pairs: float = len(X)
    if background is not None:
        background = np.asfortranarray(background)
        n_pairs = len(X) * len(background) / PAIRS_A_COLUMN
    for outputs, trees, values in by_outputs(forest):
        rest = range(len(trees))
        if background is not None or len(X) * order > FEW_ROWS:
            most_columns = max(FEW_COLUMNS, n_pairs)
            mean, rest = add_by_tables(
                total, X, trees, values, background, most_columns, outputs.start)
            base[outputs] += mean
        trees, values = [trees[k] for k in rest], [values[k] for k in rest]
        base[outputs] += add_walking(total[..., outputs, :], trees, values, background, X)
    return total, base


def by_outputs(forest):
    """Group trees by the outputs they contribute to -> list of (outputs, trees, weighted values).

    A tree of multiclass boosting contributes to the score of one class only.
    """
    found = {}
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        first, stop = 0, 1
        if forest.n_outputs > 1:
            used = np.flatnonzero((weight * tree.value).any(axis=0))
            first, stop = (used[0], used[-1] + 1) if len(used) else (0, 1)
        trees, values = found.setdefault((int(first), int(stop)), ([], []))
        trees.append(tree)
        values.append(weight * tree.value[:, first:stop])
    return [(slice(*ends), *both) for ends, both in found.items()]


def add_walking(total, trees, values, background, X):
    """Add some trees' values to total, in place, by the walk of their game -> their mean (K,)."""
    if background is None:
        return add_by_walk(total, trees, values, X)
    return add_by_pairs(total, trees, values, background, X)
