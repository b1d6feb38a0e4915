"""Which engine for which tree: tables where they are small, walks where paths are long or rows few.

    tree_shap_few_rows    no background, few rows, no tree deep: all trees in one walk
    tree_shap_together    a column for every pattern of failures, of all trees at once; rows look up
    tree_shap_tables      the same for pairs of features, tree by tree
    tree_shap_quadrature  no background: each row walks down all branches, with Owen's integral
    tree_shap_pairs       each row walks with each background row, down the branches either takes

Where the trees are not all walked at once, each has an engine of its own:

    longest path   columns of a leaf, mean   1 row        1,000 rows   1,000 rows x 1,000 background
     3 features              8               tables       tables       tables
     8 features            170               quadrature   tables       tables
    20 features         500,000              quadrature   quadrature   pairs
"""

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import Forest
from fi_teach.fast.tree_paths import Task, paths_of
from fi_teach.fast.tree_shap_few_rows import add_by_levels, few_enough
from fi_teach.fast.tree_shap_pairs import add_by_pairs
from fi_teach.fast.tree_shap_quadrature import add_by_quadrature
from fi_teach.fast.tree_shap_tables import add_by_tables
from fi_teach.fast.tree_shap_together import (
    MOST_LEVELS,
    add_together,
    depths_of,
    players_of_leaves,
)

FEW_COLUMNS = 16  # of a leaf's table: always worth it
MOST_PLAYERS = 16  # on a path: tables of 2^16 columns are the limit
PAIRS_A_COLUMN = 10  # so many pairs of rows cost what a column does


def sum_over_trees(
    forest: Forest, X: NDArray, background: NDArray | None, order: int
) -> tuple[NDArray, NDArray]:
    """Shapley values (order 1), or halved interactions of pairs i > j (order 2), of a whole forest.

    X (n, p), background (m, p) or None
    -> total (p, n_outputs, n) or (p, p, n_outputs, n), base (n_outputs,)
    """
    X = np.asfortranarray(X)  # columns are read whole
    if background is None:
        base = np.array(forest.base, dtype=float)
    else:
        background = np.asfortranarray(background)
        base = forest.raw(background).mean(axis=0)
    total = np.zeros((*[forest.n_features] * order, forest.n_outputs, len(X)))
    if background is None and order == 1 and few_enough(forest.trees, len(X)):
        add_by_levels(total, base, forest, X)
        return total, base
    rest = zip(forest.weights, forest.trees, strict=True)
    if order == 1:
        rest = add_all_together(total, base, forest, X, background)
    for weight, tree in rest:
        value, outputs = used_outputs(weight * tree.value)
        task = Task(paths_of(tree), value, background, order)
        if background is None:
            base[outputs] += mean_by_cover(task)
        if task.paths.longest:
            engine_for(task, len(X))(total[..., outputs, :], task, X)
    return total, base


def add_all_together(total, base, forest, X, background):
    """Add the trees for which tables are worth it, in place -> (weight, tree) of the others.

    Trees that speak for the same outputs share their array calls.
    """
    n_pairs = len(X) if background is None else len(X) * len(background) / PAIRS_A_COLUMN
    by_outputs, rest = {}, []
    depths = depths_of(forest.trees)
    for weight, tree, depth in zip(forest.weights, forest.trees, depths, strict=True):
        if not worth_tables(tree, depth, n_pairs):
            rest.append((weight, tree))
            continue
        value, outputs = used_outputs(weight * tree.value)
        trees, values = by_outputs.setdefault((outputs.start, outputs.stop), ([], []))
        trees.append(tree)
        values.append(value)
    for (start, stop), (trees, values) in by_outputs.items():
        mean = add_together(total[:, start:stop], X, trees, values, background)
        if background is None:
            base[start:stop] += mean
    return rest


def worth_tables(tree, depth, n_lookups):
    """Has the tree a split, not too many levels, and no more columns a leaf than are looked up?"""
    most = max(FEW_COLUMNS, n_lookups)
    if not 0 < depth <= MOST_LEVELS:
        return False
    if depth <= MOST_PLAYERS and 2**depth <= most:
        return True
    n_players = players_of_leaves(tree)
    return n_players.max() <= MOST_PLAYERS and (2.0**n_players).mean() <= most


def mean_by_cover(task):
    """A tree's mean over the training rows: leaf values times chances -> (n_outputs,)."""
    at_leaves = np.where(task.paths.tree.is_leaf[:, None], task.value, 0)
    return np.array(task.paths.chance) @ at_leaves


def engine_for(task, n_rows):
    """Tables, unless they have too many columns for so few rows (or pairs) to look up."""
    paths = task.paths
    if task.background is None:
        lookups, walk = n_rows, add_by_quadrature
    else:
        lookups, walk = n_rows * len(task.background) / PAIRS_A_COLUMN, add_by_pairs
    if paths.longest > MOST_PLAYERS:
        return walk
    columns = sum(2 ** paths.n_players[leaf] for leaf in paths.leaves) / len(paths.leaves)
    return add_by_tables if columns <= max(FEW_COLUMNS, lookups) else walk


def used_outputs(value):
    """The columns of value that are not all zero, and where they are.

    A tree of multiclass boosting speaks for one class only.
    """
    used = np.flatnonzero(value.any(axis=0))
    first, last = (used[0], used[-1]) if len(used) else (0, 0)
    outputs = slice(first, last + 1)
    return value[:, outputs], outputs
