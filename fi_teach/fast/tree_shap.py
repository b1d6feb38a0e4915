"""Which engine for which tree: tables where they are small, walks where paths are long or rows few.

    tree_shap_few_rows    no background, few rows, no tree deep: all trees in one walk
    tree_shap_tables    a column for every pattern of failures, of all trees at once; rows look up
                          in it (tree_shap_lookup, or tree_explainer, which keeps the tables)
    tree_shap_walk  no background: each row walks down all branches, with Owen's integral
    tree_shap_pairs       each row walks with each background row, down the branches either takes

Where the trees are not all walked at once:

    longest path   columns of a leaf, mean   1 row        1,000 rows   1,000 rows x 1,000 background
     3 features              8               tables       tables       tables
     8 features            170               quadrature   tables       tables
    20 features         500,000              quadrature   quadrature   pairs
"""

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import Forest
from fi_teach.fast.forest_arrays import Task, paths_of
from fi_teach.fast.tree_shap_few_rows import add_by_levels, few_enough
from fi_teach.fast.tree_shap_lookup import add_together
from fi_teach.fast.tree_shap_pairs import add_by_pairs
from fi_teach.fast.tree_shap_walk import add_by_quadrature

FEW_COLUMNS = 128  # of a leaf's table: always worth it
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
    if background is not None:
        background = np.asfortranarray(background)
    total = np.zeros((*[forest.n_features] * order, forest.n_outputs, len(X)))
    if background is None and order == 1 and few_enough(forest.trees, len(X)):
        add_by_levels(total, base, forest, X)
        return total, base
    n_pairs = len(X) if background is None else len(X) * len(background) / PAIRS_A_COLUMN
    most_columns = max(FEW_COLUMNS, n_pairs)
    for outputs, trees, values in by_outputs(forest):
        mean, rest = add_together(total, X, trees, values, background, most_columns, outputs)
        base[outputs] += mean
        for k in rest:
            paths = paths_of(trees[k])
            add_by_walk(total[..., outputs, :], paths, values[k], background, X)
    return total, base


def by_outputs(forest):
    """Trees that speak for the same outputs -> list of (outputs, trees, their weighted values)."""
    found = {}
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        value, outputs = used_outputs(weight * tree.value)
        trees, values = found.setdefault((outputs.start, outputs.stop), ([], []))
        trees.append(tree)
        values.append(value)
    return [(slice(*ends), *both) for ends, both in found.items()]


def add_by_walk(total, paths, value, background, X):
    """Add one tree's values to total, in place, by the walk that its game has."""
    walk = add_by_quadrature if background is None else add_by_pairs
    if not paths.longest:
        return
    if total.ndim == 4:
        walk(total, Task(paths, value, background, 2), X)
        total = np.einsum("iikn->ikn", total)  # a view: the values of single features
    walk(total, Task(paths, value, background, 1), X)


def used_outputs(value):
    """The columns of value that are not all zero, and where they are.

    A tree of multiclass boosting speaks for one class only.
    """
    used = np.flatnonzero(value.any(axis=0))
    first, last = (used[0], used[-1]) if len(used) else (0, 0)
    outputs = slice(first, last + 1)
    return value[:, outputs], outputs
