"""Rows look up their contributions: their index at each subtree, then all tables of it there.

Two trees in three subtrees, the features that contribute there, and what one row does:

    subtree          0           1         2          the row's index     2    1    1
    features         x0 x1       x0        x0         (tree_shap_tables.py)

    table            x0 of 0     x0 of 1   x0 of 2    x1 of 0      of 2^bits numbers
    starts at        0           8         12         4            in one long array
    subtree          0           1         2          0
    cell             0 + 2       8 + 1     12 + 1     4 + 2        start + index at its subtree

Tables are sorted by feature, so one `reduceat` adds up each feature's cells. That is for few rows:
all tables are read in one call. More rows read table after table, and still more walk each tree
node by node, as their arrays are long enough for calls of their own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import forest_arrays, neighbours, portions
from fi_teach.fast.tree_shap_tables import (
    MOST_FEATURES,
    contributions_of,
    count_at_leaves,
    feature_sets,
    plan_of,
    splits_below,
    subtrees_of,
)

LEAST_BITS, MOST_BITS = 7, 15  # of a subtree's index
NUMBERS_TOGETHER = 2**20  # of the subtrees that are tabulated together
NODES_TOGETHER = 2**14  # of trees whose paths are looked at together
INDICES_AT_ONCE = 2**20  # nodes times rows: they stay in the processor's cache
CELLS_AT_ONCE = 2**18  # tables times rows: what is looked up in one go
ROWS_AT_ONCE = 2**16  # that walk and read together, if they are many
ROWS_READ_TOGETHER = 200  # so few read all tables of all subtrees in one go
ROWS_WALKED_TOGETHER = 1200  # so few walk all trees in one go


def add_by_tables(total, X, trees, values, background, most_columns, first_output):
    """Add the values of all trees whose leaves have few enough columns to total, in place.

    total (p, n_outputs, n), or (p, p, n_outputs, n) for values (i, i) and interactions i > j
    X (n, p); values : (n_nodes, K) a tree, for K outputs from the first; background (m, p) or None
    most_columns : of a leaf's tables, in the mean of a tree
    -> the mean of these trees over the background, or the training rows (K,), and the numbers of
        the trees that are left
    """
    n_rows = len(X) if background is None else max(len(X), len(background))
    n_outputs = values[0].shape[1]
    bits = min(max((n_rows // n_outputs).bit_length() - 6, LEAST_BITS), MOST_BITS)
    mean, rest = np.zeros(n_outputs), []
    for some in neighbours([tree.n_nodes for tree in trees], NODES_TOGETHER):
        forest = forest_arrays(trees[some], np.concatenate(values[some]))
        fits = worth_tables(forest, most_columns)
        rest += (some.start + np.flatnonzero(~fits)).tolist()
        if background is None:
            mean += forest.mean_by_training(fits)
        subtrees = subtrees_of(forest, bits)
        subtrees = subtrees[fits[forest.tree[subtrees]]]
        for plan in plans_of(forest, subtrees, order=total.ndim - 2):
            counts = counts_of(forest, plan, background)
            if counts is not None:
                mean += sum(
                    counts[d][plan.place[t], 0] @ forest.value[t] for d, t in plan.leaves
                ) / len(background)
            tables = target_tables(forest, plan, counts, total.shape, first_output)
            look_up(total.reshape(-1, len(X)), X, forest, plan, tables)
    return mean, rest


def worth_tables(forest, most_columns):
    """Which trees have a split, no path too long, and no more columns a leaf -> (M,) bool."""
    tree, n_on_path = forest.tree[forest.is_leaf], forest.n_on_path[forest.is_leaf]
    columns = np.bincount(tree, 2.0**n_on_path) / np.bincount(tree)
    longest = np.maximum.reduceat(forest.n_on_path, forest.roots)
    return (longest > 0) & (longest <= MOST_FEATURES) & (columns <= most_columns)


def plans_of(forest, subtrees, order):
    """Plan some trees at a time, whose tables have about NUMBERS_TOGETHER numbers: yields Plan.

    The subtrees of a tree that has more than twice as many are divided, too.
    """
    bits = (forest.n_on_path + splits_below(forest))[subtrees]
    sizes = (forest.value.shape[1] * bits**order // order) << bits
    of_trees = np.bincount(forest.tree[subtrees], sizes, minlength=len(forest.roots))
    for trees in neighbours(of_trees.tolist(), NUMBERS_TOGETHER):
        begin, end = np.searchsorted(forest.tree[subtrees], [trees.start, trees.stop])
        for some in neighbours(sizes[begin:end].tolist(), 2 * NUMBERS_TOGETHER):
            yield plan_of(forest, subtrees[begin:end][some])


@dataclass(frozen=True)
class TargetTables:
    """R tables (R, 2^bits), at which subtree's index each is read, and for which row of total."""

    subtree: NDArray
    target: NDArray
    numbers: NDArray


def target_tables(forest, plan, counts, shape, first_output):
    """All contributions in a plan's subtrees, with their places in total: yields TargetTables.

    shape : of total, which says whether pairs contribute, too
    """
    for order in range(1, len(shape) - 1):
        sets = feature_sets(forest, plan, order, counts)
        for subtree, features, tables in contributions_of(forest, plan, sets):
            n_sets, n_outputs, _, size = tables.shape
            target = features.max(axis=2)
            if len(shape) == 4:
                target = target * shape[0] + features.min(axis=2)
            target = target[:, None] * shape[-2] + first_output + np.arange(n_outputs)[:, None]
            subtree = np.tile(subtree, n_sets * n_outputs)
            yield TargetTables(subtree, target.ravel(), tables.reshape(-1, size))


def look_up(total, X, forest, plan, tables):
    """Add what the tables say for the rows X to total (targets, n), in place."""
    if len(X) > ROWS_WALKED_TOGETHER:
        look_up_by_subtree(total, X, forest, plan, tables)
        return
    at_once = INDICES_AT_ONCE // max(np.diff(forest.border))
    index = np.hstack([indices(forest, plan, X[rows]) for rows in portions(len(X), at_once)])
    if len(X) <= ROWS_READ_TOGETHER:
        flat_tables(plan.subtrees, list(tables)).add_to(total, index)
        return
    at, read = list(index.astype(np.intp)), np.empty(len(X))
    for some in tables:
        place = np.searchsorted(plan.subtrees, some.subtree)
        for b, target, table in zip(
                place.tolist(), some.target.tolist(), some.numbers, strict=True):
            table.take(at[b], mode="clip", out=read)  # none is clipped: it is quicker
            of_target = total[target]
            of_target += read


def look_up_by_subtree(total, X, forest, plan, tables):
    """The same for many rows, which walk to each subtree and read all its tables there."""
    of_subtree = {}
    for some in tables:
        for subtree, target, table in zip(
                some.subtree.tolist(), some.target.tolist(), some.numbers, strict=True):
            known = of_subtree.setdefault(subtree, {})
            known[target] = known[target] + table if target in known else table
    for subtree, rows, index in indices_by_subtree(forest, plan, X):
        at = index.astype(np.intp)
        for target, table in of_subtree[subtree].items():
            total[target, rows] += table.take(at, mode="clip")


@dataclass(frozen=True)
class FlatTables:
    """R tables in one long array, as in the drawing, sorted by target.

    numbers; start, subtree (R,); target, first_table : the targets, and the first table of each
    """

    numbers: NDArray
    start: NDArray
    subtree: NDArray
    target: NDArray
    first_table: NDArray

    def add_to(self, total, index):
        """Add what each row reads to total (targets, n), in place: index (B, n)."""
        for rows in portions(index.shape[1], CELLS_AT_ONCE // max(len(self.start), 1)):
            cells = index[:, rows].take(self.subtree, axis=0) + self.start[:, None]
            read = self.numbers.take(cells, mode="clip")
            total[self.target, rows] += np.add.reduceat(read, self.first_table, axis=0)


def flat_tables(subtrees, tables):
    """TargetTables as FlatTables, whose subtrees are numbered as in `subtrees`, which is sorted."""
    target = np.concatenate([some.target for some in tables])
    subtree = np.searchsorted(subtrees, np.concatenate([some.subtree for some in tables]))
    size = np.repeat(
        [some.numbers.shape[1] for some in tables], [len(some.target) for some in tables])
    start = np.cumsum(size) - size
    order = np.argsort(target, kind="stable")
    first = np.flatnonzero(np.diff(target[order], prepend=-1))
    return FlatTables(
        np.concatenate([some.numbers.ravel() for some in tables]),
        start[order], subtree[order], target[order][first], first)


# --- the rows' indices ---

def counts_of(forest, plan, background):
    """How many background rows have each index, at each node inside: {bits: (nodes, 2^bits)}.

    Returns None without a background.
    """
    if background is None:
        return None
    size = np.bincount(plan.n_bits[plan.inside])
    counts = {bits: np.zeros((n, 2**bits)) for bits, n in enumerate(size.tolist()) if n}
    for subtree, _, index in indices_by_subtree(forest, plan, background):
        bits = int(plan.n_bits[subtree])
        counts[bits][plan.place[subtree]] += np.bincount(index, minlength=2**bits)
    count_at_leaves(counts, forest, plan)
    return counts


def indices_by_subtree(forest, plan, X):
    """The index of every row at every subtree: yields (subtree, rows, their index)."""
    if len(X) > ROWS_WALKED_TOGETHER:
        for rows in portions(len(X), ROWS_AT_ONCE):
            for subtree, index in indices_by_node(forest, plan, X[rows]):
                yield subtree, rows, index
        return
    for rows in portions(len(X), INDICES_AT_ONCE // max(np.diff(forest.border))):
        index = indices(forest, plan, X[rows])
        for subtree, of_subtree in zip(plan.subtrees.tolist(), index, strict=True):
            yield subtree, rows, of_subtree


def indices(forest, plan, X):
    """Few rows' index at each subtree, some trees at a time: -> (B, n) uint16."""
    border = forest.border
    found = np.empty((len(plan.subtrees), len(X)), dtype=np.uint16)
    used = np.unique(forest.tree[plan.subtrees])
    first_tree, stop_tree = used[0], used[-1] + 1
    sizes = np.diff(border)[first_tree:stop_tree] * len(X)
    for some in neighbours(sizes.tolist(), INDICES_AT_ONCE):
        begin, end = border[first_tree + some.start], border[first_tree + some.stop]
        here = slice(*np.searchsorted(plan.subtrees, [begin, end]))
        found[here] = indices_at(forest, plan, plan.subtrees[here], X, begin, end)
    return found


def indices_at(forest, plan, subtrees, X, begin, end):
    """The same at the subtrees among the nodes begin ... end - 1 of some trees."""
    goes_left = forest.goes_left(X, begin, end)
    failed, answered = np.zeros((2, *goes_left.shape), dtype=np.uint16)
    k = plan.n_splits.astype(np.uint16)[:, None]
    on_way = plan.above & ~plan.inside
    for t in forest.levels:
        t = t[(t >= begin) & (t < end) & on_way[t]]
        left, right = forest.left[t], forest.right[t]
        bit = (1 << forest.position[left]).astype(np.uint16)[:, None]
        so_far, fails = failed[t - begin], goes_left[t - begin] * bit  # at the right child
        failed[right - begin] = so_far | fails
        failed[left - begin] = so_far | (fails ^ bit)
    for t in reversed(forest.levels):
        t = t[(t >= begin) & (t < end) & plan.inside[t]]
        left, right = forest.left[t], forest.right[t]
        own = goes_left[t - begin] << k[left]
        own |= answered[left - begin]
        own <<= k[right]
        own |= answered[right - begin]
        answered[t - begin] = own
    return (failed[subtrees - begin] << k[subtrees]) | answered[subtrees - begin]


def indices_by_node(forest, plan, X):
    """Many rows' index at each subtree, walking node by node: yields (subtree, index)."""
    is_subtree = np.zeros(len(forest.left), dtype=bool)
    is_subtree[plan.subtrees] = True
    left, right, bit = forest.left.tolist(), forest.right.tolist(), 1 << forest.position
    for tree, root in zip(forest.trees, forest.roots.tolist(), strict=True):
        if not plan.above[root]:
            continue
        waiting = [(root, np.zeros(len(X), dtype=np.uint16))]
        while waiting:
            t, failed = waiting.pop()
            if is_subtree[t]:
                for split in splits_in_order(left, right, t):
                    failed += failed
                    failed += tree.goes_left(X, split - root)
                yield t, failed
                continue
            own = np.uint16(bit[left[t]])
            fails = tree.goes_left(X, t - root) * own  # at the right child
            if plan.above[right[t]]:
                waiting.append((right[t], failed | fails))
            if plan.above[left[t]]:
                waiting.append((left[t], failed | (fails ^ own)))


def splits_in_order(left, right, t):
    """The splits at or below t: t first, then those to the left, then those to the right."""
    if left[t] == LEAF:
        return []
    return [
        t, *splits_in_order(left, right, left[t]), *splits_in_order(left, right, right[t])]
