"""Rows look up what they are paid: their index at each block, then all lines of the block there.

Two trees in three blocks, what they pay, and what one row does:

    block            0           1         2          the row's index     2    1    1
    pays             x0 x1       x0        x0         (tree_shap_tables.py)

    line             x0 of 0     x0 of 1   x0 of 2    x1 of 0      of 2^bits numbers
    starts at        0           8         12         4            in one long array
    block            0           1         2          0
    cell             0 + 2       8 + 1     12 + 1     4 + 2        start + index of its block

Lines are sorted by whom they pay, so one `reduceat` adds up each player's cells. That is for few
rows: all lines are read in one call. More rows read line after line, and still more walk each tree
node by node, as their arrays are long enough for calls of their own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import answers_of
from fi_teach.fast.tree_shap_tables import (
    blocks_of,
    entries_of,
    grove_of,
    pay_of,
    plan_of,
    share_out,
)

LEAST_BITS, MOST_BITS = 7, 15  # of a block's index
NUMBERS_TOGETHER = 2**20  # of the lines of blocks that are tabulated together
NODES_TOGETHER = 2**14  # of trees whose paths are looked at together
INDICES_AT_ONCE = 2**20  # nodes times rows: they stay in the processor's cache
CELLS_AT_ONCE = 2**18  # lines times rows: what is looked up in one go
ROWS_AT_ONCE = 2**16  # that walk and read together, if they are many
ROWS_READ_TOGETHER = 200  # so few read all lines of all blocks in one go
ROWS_WALKED_TOGETHER = 1200  # so few walk all trees in one go


def add_together(total, X, trees, values, background, most_columns, outputs):
    """Add the values of all trees whose leaves have few enough columns to total, in place.

    total (p, n_outputs, n), or (p, p, n_outputs, n) for values (i, i) and interactions i > j
    X (n, p); values : (n_nodes, K) a tree, for these K outputs; background (m, p) or None
    most_columns : of a leaf's tables, in the mean of a tree
    -> the mean of all trees over the background, or the training rows (K,), and the numbers of the
        trees that are left
    """
    n_rows = len(X) if background is None else max(len(X), len(background))
    n_outputs = values[0].shape[1]
    bits = min(max((n_rows // n_outputs).bit_length() - 6, LEAST_BITS), MOST_BITS)
    mean, rest = np.zeros(n_outputs), []
    for some in neighbours([tree.n_nodes for tree in trees], NODES_TOGETHER):
        few, value = trees[some], np.concatenate(values[some])
        grove = grove_of(few)
        fits = worth_tables(grove, most_columns)
        left = np.flatnonzero(~fits)
        rest += (some.start + left).tolist()
        if background is None:
            mean += mean_by_cover(grove, value)
        for k in left.tolist() if background is not None else ():
            mean += values[some.start + k][few[k].leaf_of(background)].mean(axis=0)
        blocks = blocks_of(grove, bits)
        blocks = blocks[fits[grove.tree[blocks]]]
        for plan in plans_of(grove, blocks, n_outputs, order=total.ndim - 2):
            counts = counted(grove, plan, few, background)
            if counts is not None:
                mean += mean_by_background(plan, value, counts) / len(background)
            lines = lines_of(grove, plan, value, counts, total.shape, outputs.start)
            look_up(total.reshape(-1, len(X)), X, few, grove, plan, lines)
    return mean, rest


def mean_by_cover(grove, value):
    """The trees' mean over the training rows: leaf values times chances -> (K,)."""
    leaves = grove.left == LEAF
    return grove.chance[leaves] @ value[leaves]


def mean_by_background(plan, value, counts):
    """The sum of some blocks' leaf values over the background rows that get there -> (K,)."""
    return sum(counts[d][plan.place[t], 0] @ value[t] for d, t in plan.leaves)


def worth_tables(grove, most_columns):
    """Which trees have a split, no path too long, and no more columns a leaf -> (M,) bool."""
    leaf = grove.left == LEAF
    tree, n_trees = grove.tree[leaf], len(grove.roots)
    columns = np.bincount(tree, 2.0 ** grove.n_players[leaf], minlength=n_trees)
    mean = columns / np.bincount(tree, minlength=n_trees)
    return ~grove.too_long & (grove.left[grove.roots] != LEAF) & (mean <= most_columns)


def neighbours(sizes, most):
    """Neighbours that have about so much in all, or one that has more -> list of slices."""
    first, total, found = 0, 0, []
    for stop, size in enumerate(sizes, start=1):
        total += size
        if total >= most or stop == len(sizes):
            found.append(slice(first, stop))
            first, total = stop, 0
    return found


def plans_of(grove, blocks, n_outputs, order):
    """Some trees' blocks at a time, so that their tables have about NUMBERS_TOGETHER numbers.

    The blocks of a tree that has more than twice as many are split up, too.
    """
    bits = grove.n_players[blocks] + grove.n_splits[blocks]
    sizes = (n_outputs * bits**order // order) << bits
    of_trees = np.bincount(grove.tree[blocks], sizes, minlength=len(grove.roots))
    for trees in neighbours(of_trees.tolist(), NUMBERS_TOGETHER):
        begin, end = np.searchsorted(grove.tree[blocks], [trees.start, trees.stop])
        for some in neighbours(sizes[begin:end].tolist(), 2 * NUMBERS_TOGETHER):
            yield plan_of(grove, blocks[begin:end][some])


@dataclass(frozen=True)
class Lines:
    """R lines of 2^bits numbers (R, 2^bits), the block that each is read for, its line of total."""

    block: NDArray
    target: NDArray
    numbers: NDArray


def lines_of(grove, plan, value, counts, shape, first_output):
    """All that blocks pay; shape : of total, which says whether pairs are paid: yields Lines."""
    for order in range(1, len(shape) - 1):
        entries = entries_of(grove, plan, value, order, counts)
        for pay in pay_of(grove, plan, entries):
            yield in_place(pay, shape, first_output)


def in_place(pay, shape, first_output):
    """A Pay with the lines of total (.., n_outputs, n) to which it belongs -> Lines."""
    n_sets, n_outputs, _, size = pay.lines.shape
    target = pay.players.max(axis=2)
    if len(shape) == 4:
        target = target * shape[0] + pay.players.min(axis=2)
    target = target[:, None] * shape[-2] + first_output + np.arange(n_outputs)[:, None]
    block = np.tile(pay.block, n_sets * n_outputs)
    return Lines(block, target.ravel(), pay.lines.reshape(-1, size))


def look_up(total, X, trees, grove, plan, tables):
    """Add what the lines say for the rows X to total (targets, n), in place."""
    if len(X) > ROWS_WALKED_TOGETHER:
        look_up_by_block(total, X, trees, grove, plan, tables)
        return
    at_once = INDICES_AT_ONCE // nodes_of_largest(grove)
    index = np.hstack([
        indices(grove, plan, trees, X[rows]) for rows in portions(len(X), at_once)])
    if len(X) <= ROWS_READ_TOGETHER:
        cells_of(plan.blocks, list(tables)).add_to(total, index)
        return
    at, read = list(index.astype(np.intp)), np.empty(len(X))
    for table in tables:
        place = np.searchsorted(plan.blocks, table.block)
        for b, target, line in zip(
                place.tolist(), table.target.tolist(), table.numbers, strict=True):
            line.take(at[b], mode="clip", out=read)  # none is clipped: it is quicker
            paid = total[target]
            paid += read


def look_up_by_block(total, X, trees, grove, plan, tables):
    """The same for many rows, which walk to each block and read all its lines there."""
    of_block = {}
    for table in tables:
        for block, target, line in zip(
                table.block.tolist(), table.target.tolist(), table.numbers, strict=True):
            lines = of_block.setdefault(block, {})
            lines[target] = lines[target] + line if target in lines else line
    for block, rows, index in seen(grove, plan, trees, X):
        at = index.astype(np.intp)
        for target, line in of_block[block].items():
            total[target, rows] += line.take(at, mode="clip")


def portions(n, size):
    """0 ... n - 1 in portions of some size, at least 1 -> list of slices."""
    size = max(1, size)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def nodes_of_largest(grove):
    return int(np.diff(grove.roots, append=len(grove.left)).max())


@dataclass(frozen=True)
class Cells:
    """All lines in one long array, as in the drawing: R lines, sorted by target.

    numbers; start, block (R,); target, first_line : to whom, and the first of the lines
    """

    numbers: NDArray
    start: NDArray
    block: NDArray
    target: NDArray
    first_line: NDArray

    def add_to(self, total, index):
        """Add what each row reads to total (targets, n), in place: index (B, n)."""
        for rows in portions(index.shape[1], CELLS_AT_ONCE // max(len(self.start), 1)):
            cells = index[:, rows].take(self.block, axis=0) + self.start[:, None]
            read = self.numbers.take(cells, mode="clip")
            total[self.target, rows] += np.add.reduceat(read, self.first_line, axis=0)


def cells_of(blocks, tables):
    """Lines as Cells, whose blocks are numbered as in `blocks`, which is sorted."""
    target = np.concatenate([table.target for table in tables])
    block = np.searchsorted(blocks, np.concatenate([table.block for table in tables]))
    size = np.repeat(
        [table.numbers.shape[1] for table in tables], [len(table.target) for table in tables])
    start = np.cumsum(size) - size
    order = np.argsort(target, kind="stable")
    first = np.flatnonzero(np.diff(target[order], prepend=-1))
    return Cells(
        np.concatenate([table.numbers.ravel() for table in tables]),
        start[order], block[order], target[order][first], first)


# --- the rows' indices ---

def counted(grove, plan, trees, background):
    """How often background rows are seen with each index, at each node in the blocks.

    -> {bits: (nodes, 2^bits)}, or None
    """
    if background is None:
        return None
    size = np.bincount(plan.n_bits[plan.inside])
    counts = {bits: np.zeros((n, 2**bits)) for bits, n in enumerate(size.tolist()) if n}
    for block, _, index in seen(grove, plan, trees, background):
        bits = int(plan.n_bits[block])
        counts[bits][plan.place[block]] += np.bincount(index, minlength=2**bits)
    share_out(counts, grove, plan)
    return counts


def seen(grove, plan, trees, X):
    """Yields (block, rows, their index) for all blocks and all rows."""
    if len(X) > ROWS_WALKED_TOGETHER:
        for rows in portions(len(X), ROWS_AT_ONCE):
            for block, index in walked(grove, plan, trees, X[rows]):
                yield block, rows, index
        return
    for rows in portions(len(X), INDICES_AT_ONCE // nodes_of_largest(grove)):
        index = indices(grove, plan, trees, X[rows])
        for block, of_block in zip(plan.blocks.tolist(), index, strict=True):
            yield block, rows, of_block


def indices(grove, plan, trees, X):
    """Few rows' index at each block of some trees: -> (B, n) uint16.

    So many trees at a time as the cache holds.
    """
    border = [*grove.roots.tolist(), len(grove.left)]
    found = np.empty((len(plan.blocks), len(X)), dtype=np.uint16)
    used = np.unique(grove.tree[plan.blocks])
    first_tree, stop_tree = used[0], used[-1] + 1
    sizes = np.diff(border)[first_tree:stop_tree] * len(X)
    for some in neighbours(sizes.tolist(), INDICES_AT_ONCE):
        begin, end = first_tree + some.start, first_tree + some.stop
        goes_left = answers_of(trees[begin:end], X)
        begin, end = border[begin], border[end]
        here = slice(*np.searchsorted(plan.blocks, [begin, end]))
        found[here] = index_of(grove, plan, begin, end, plan.blocks[here], goes_left)
    return found


def index_of(grove, plan, begin, end, blocks, goes_left):
    """The same for the blocks among the nodes begin ... end - 1, whose answers are known."""
    failed, answered = np.zeros((2, *goes_left.shape), dtype=np.uint16)
    k = grove.n_splits.astype(np.uint16)[:, None]
    on_way = plan.above & ~plan.inside
    for t in grove.levels:
        t = t[(t >= begin) & (t < end) & on_way[t]]
        left, right = grove.left[t], grove.right[t]
        bit = (1 << grove.player[left]).astype(np.uint16)[:, None]
        so_far, fails = failed[t - begin], goes_left[t - begin] * bit  # at the right child
        failed[right - begin] = so_far | fails
        failed[left - begin] = so_far | (fails ^ bit)
    for t in reversed(grove.levels):
        t = t[(t >= begin) & (t < end) & plan.inside[t]]
        left, right = grove.left[t], grove.right[t]
        own = goes_left[t - begin] << k[left]
        own |= answered[left - begin]
        own <<= k[right]
        own |= answered[right - begin]
        answered[t - begin] = own
    return (failed[blocks - begin] << k[blocks]) | answered[blocks - begin]


def walked(grove, plan, trees, X):
    """Yields (block, many rows' index there), node by node."""
    is_block = np.zeros(len(grove.left), dtype=bool)
    is_block[plan.blocks] = True
    left, right, bit = grove.left.tolist(), grove.right.tolist(), 1 << grove.player
    for tree, root in zip(trees, grove.roots.tolist(), strict=True):
        if not plan.above[root]:
            continue
        waiting = [(root, np.zeros(len(X), dtype=np.uint16))]
        while waiting:
            t, failed = waiting.pop()
            if is_block[t]:
                for split in inner_nodes(left, right, t):
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


def inner_nodes(left, right, t):
    """The splits at or below t: t first, then those to the left, then those to the right."""
    if left[t] == LEAF:
        return []
    return [t, *inner_nodes(left, right, left[t]), *inner_nodes(left, right, right[t])]
