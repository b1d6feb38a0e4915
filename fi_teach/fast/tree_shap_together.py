r"""Tables of many trees at once: nodes of like shape share their array calls.

tree_shap_tables.py says what a leaf's table is, a line for each player. The lines differ little:
for a row that fails on the features F, with z(c) and w as there,

    phi_i(F) = U(F) - V(F + i)      U(F) = value * sum over c that hold F of w(|c|) z(c)
                                    V(F) = likewise, of (w(|c|) + w(|c| - 1)) z(c)

whether i is in F or not. So two lines a leaf are enough, and they add up over leaves. A node t with
d players above it and k splits at or below it has an index of d bits of failures, then k answers,
1 for "left": its own, those of its left child, those of its right child.

                 t: x2?            d = 2 players above: x0, x1; k = 2 splits: t, l
                 /     \
             l: x0?     c          a row that fails x1, goes right at t and would go left at l:
              /   \
             a     b                   index   x1 x0  t  l
                                                1  0  0  1   = 9

    U_t(9) = U_l(1 1 0  1) + U_c(0 1 0)     l's index is x2 x1 x0  l, c's is x2 x1 x0: to be at l
    V_t(9) = V_l(1 1 0  1) + V_c(0 1 0)     the row would have to pass t, to be at c it need not

Who is paid? x2, first asked at t, has a line there, phi_2 = U_t - (V_l + V_c with x2 failed), which
is then carried up to the *block*, the highest node whose index has few enough bits. x0 and x1 are
paid by the block for all its leaves, phi_i = U - V with bit i set. A row computes its index at each
block, reads all lines of the block there, and adds up.

With a background, z is counted: each block counts the indices of the background rows, and the
counts go down to the leaves on the ways on which U and V come up.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.removal import cover_shares
from fi_teach.basics.tree import LEAF
from fi_teach.fast.tree_paths import answers
from fi_teach.fast.tree_shap_few_rows import joined_children
from fi_teach.fast.tree_shap_tables import add_failure, superset_sums, weights

MOST_LEVELS = 16  # of a tree: then indices fit into 16 bits
LEAST_BITS, MOST_BITS = 7, 15  # of a block's index
NUMBERS_TOGETHER = 2**20  # of trees that are tabulated together
INDICES_AT_ONCE = 2**20  # nodes times rows: they stay in the processor's cache
ROWS_AT_ONCE = 2**14
FEW_ROWS = 500  # beyond them a node's rows are worth their own arrays


@dataclass(frozen=True)
class Grove:
    """N nodes of some trees, one tree behind the other, and their paths; D is the longest.

    left, right (N,), LEAF in leaves; roots (M,); parent (N,), 0 for roots
    levels : the splits of each level, from the roots down
    asked, passing (N, D) : the features above, as met, and the share that passes; -1 and 1 beyond
    n_players, player, is_new (N,) : how many are above; the place of the feature asked on the way
        into the node, and whether it was asked there first
    n_splits (N,) : at or below the node
    """

    left: NDArray
    right: NDArray
    roots: NDArray
    parent: NDArray
    levels: list
    asked: NDArray
    passing: NDArray
    n_players: NDArray
    player: NDArray
    is_new: NDArray
    n_splits: NDArray


def grove_of(trees):
    """The Grove of some trees of at most MOST_LEVELS levels."""
    left, right, roots = joined_children(trees)
    levels = splits_by_level(left, right, roots)
    feature = np.concatenate([tree.feature for tree in trees])
    share = np.concatenate([cover_shares(tree) for tree in trees])
    n = len(left)
    parent, n_players, player = (np.zeros(n, dtype=np.intp) for _ in range(3))
    is_new = np.zeros(n, dtype=bool)
    asked = np.full((n, len(levels)), -1)
    passing = np.ones((n, len(levels)))
    for t in levels:
        same = asked[t] == feature[t][:, None]
        new = ~same.any(axis=1)
        place = np.where(new, n_players[t], same.argmax(axis=1))
        for child in (left[t], right[t]):
            parent[child] = t
            asked[child] = asked[t]
            asked[child, place] = feature[t]
            passing[child] = passing[t]
            passing[child, place] *= share[child]
            player[child], is_new[child] = place, new
            n_players[child] = n_players[t] + new
    n_splits = np.zeros(n, dtype=np.intp)
    for t in reversed(levels):
        n_splits[t] = 1 + n_splits[left[t]] + n_splits[right[t]]
    return Grove(
        left, right, roots, parent, levels, asked, passing, n_players, player, is_new, n_splits)


def depths_of(trees):
    """How many levels of splits each tree has; MOST_LEVELS + 1 stands for more -> list."""
    left, right, t = joined_children(trees)
    tree, depths = np.arange(len(trees)), np.zeros(len(trees), dtype=int)
    for depth in range(1, MOST_LEVELS + 2):
        splits = left[t] != LEAF
        t, tree = t[splits], tree[splits]
        depths[tree] = depth
        t, tree = np.concatenate([left[t], right[t]]), np.tile(tree, 2)
    return depths.tolist()


def players_of_leaves(tree):
    """Distinct features above each leaf of a tree of at most MOST_LEVELS levels -> (leaves,)."""
    grove = grove_of([tree])
    return grove.n_players[grove.left == LEAF]


def splits_by_level(left, right, roots):
    """The splits of each level, from the roots down -> list of arrays."""
    levels = []
    t = roots[left[roots] != LEAF]
    while len(t):
        levels.append(t)
        below = np.concatenate([left[t], right[t]])
        t = below[left[below] != LEAF]
    return levels


# --- which nodes have a table, and where ---

@dataclass(frozen=True)
class Plan:
    """Where the pairs U, V of all nodes in blocks lie, and which nodes are made together.

    inside (N,) : nodes in blocks; is_block (N,) : the highest of them
    start (N,) : where a node's 2^(d + k) columns begin; n_columns : of all
    n_bits (N,) : d + k
    n_lines (N,) : splits at or below the node that ask a feature first on their path
    leaves : (d, nodes) a group
    splits : (d, k of left, k of right, player, lines of left, of right, nodes), children first
    """

    inside: NDArray
    is_block: NDArray
    start: NDArray
    n_columns: int
    n_bits: NDArray
    n_lines: NDArray
    leaves: list
    splits: list


def plan_of(grove, bits):
    """Blocks are the highest nodes whose failures above and answers below fit into so many bits."""
    is_leaf = grove.left == LEAF
    n_bits = grove.n_players + grove.n_splits
    inside = is_leaf | (n_bits <= bits)
    is_block = inside & ~inside[grove.parent]
    is_block[grove.roots] = inside[grove.roots]

    leaves = [(d, nodes) for (d,), nodes in alike(np.flatnonzero(is_leaf), [grove.n_players])]
    t = np.flatnonzero(inside & ~is_leaf)
    n_lines = np.zeros(len(n_bits), dtype=np.intp)
    for level in reversed(grove.levels):
        left, right = grove.left[level], grove.right[level]
        n_lines[level] = grove.is_new[left] + n_lines[left] + n_lines[right]
    sides = (grove.left, grove.right)
    splits = [
        (*numbers, nodes) for (_, *numbers), nodes in alike(t, [
            grove.n_splits, grove.n_players, *[grove.n_splits[side] for side in sides],
            grove.player[grove.left], *[n_lines[side] for side in sides]])]

    start, n_columns = np.zeros(len(n_bits), dtype=np.intp), 0
    for *_, nodes in [*leaves, *splits]:
        size = 1 << int(n_bits[nodes[0]])
        start[nodes] = n_columns + size * np.arange(len(nodes))
        n_columns += size * len(nodes)
    return Plan(inside, is_block, start, n_columns, n_bits, n_lines, leaves, splits)


def alike(nodes, properties):
    """Nodes with the same whole numbers < 2^8 as properties -> list of (numbers, nodes), sorted."""
    if not len(nodes):
        return []
    key = np.zeros(len(nodes), dtype=np.int64)
    for of_node in properties:
        key = (key << 8) + of_node[nodes]
    order = np.argsort(key, kind="stable")
    nodes, key = nodes[order], key[order]
    borders = np.flatnonzero(np.diff(key)) + 1
    groups = np.split(nodes, borders)
    return [(tuple(int(of_node[group[0]]) for of_node in properties), group) for group in groups]


@cache
def seen_by(d, k, q, fails):
    """Where a child with k answers looks, for each set F of failures above its parent.

    q : the place of the parent's feature, d if it is new; fails : whether the child's test fails
    -> (2^d, 2^k) places in the child's table
    """
    failed = np.arange(2**d) | (fails << q)
    return (failed[:, None] << k) + np.arange(2**k)


# --- the tables ---

@dataclass(frozen=True)
class Table:
    """What a block pays: lines (rows, K, 2^bits), and the feature of each -> (rows,)."""

    block: int
    features: list
    lines: list


def tables_of(grove, plan, value, counts=None):
    """The tables of all blocks: value (N, K), counts (columns,) of a background, or None."""
    n_outputs = value.shape[1]
    both = np.empty((2, n_outputs, plan.n_columns))  # U and V
    if counts is not None:
        share_out(counts, grove, plan)
    for d, leaves in plan.leaves:
        if d == 0:
            continue  # a tree of one leaf pays nobody
        if counts is None:
            z = chances_by_cover(grove.passing[leaves, :d])
        else:
            z = chances(counts, plan.start[leaves], d)
        present, missing = weights(d, 1)
        scale = value[leaves].T[:, :, None]
        own = both[:, :, plan.start[leaves[0]]:][:, :, :z.size].reshape(2, n_outputs, *z.shape)
        own[0] = scale * superset_sums(z * present)
        own[1] = scale * superset_sums(z * (present + missing))
    inner = Lines(plan, n_outputs)
    for group in plan.splits:
        merge(both, inner, grove, plan, group)
    found = []
    for d, k, blocks in blocks_alike(grove, plan):
        above = pay_above(both, grove, plan, d, k, blocks)
        for g, block in enumerate(blocks.tolist()):
            features, lines = inner.of(block)
            found.append(Table(
                block, grove.asked[block, :d].tolist() + features.tolist(),
                [*above[:, :, g], *lines]))
    return found


class Lines:
    """The tables of players who are first asked inside blocks, a line each: node after node."""

    def __init__(self, plan, n_outputs):
        self.plan = plan
        self.start = np.zeros(len(plan.start), dtype=np.intp)  # of the node's numbers
        self.first = np.zeros(len(plan.start), dtype=np.intp)  # of its lines
        n_lines, n_numbers = 0, 0
        for d, k_left, k_right, q, r_left, r_right, nodes in plan.splits:
            own = (q == d) + r_left + r_right
            count = np.arange(len(nodes))
            self.first[nodes] = n_lines + own * count
            self.start[nodes] = n_numbers + (own << (d + k_left + k_right + 1)) * count
            n_lines += own * len(nodes)
            n_numbers += (own << (d + k_left + k_right + 1)) * len(nodes)
        self.feature = np.empty(n_lines, dtype=np.intp)
        self.numbers = np.empty((n_outputs, n_numbers))

    def of(self, t):
        """The features (r,) and the lines (r, K, 2^bits) of a node."""
        count = self.plan.n_lines[t]
        if not count:
            return self.feature[:0], []
        feature = self.feature[self.first[t]:][:count]
        size = 1 << int(self.plan.n_bits[t])
        lines = self.numbers[:, self.start[t]:][:, :count * size]
        return feature, lines.reshape(len(lines), count, size).swapaxes(0, 1)


def chances_by_cover(reach):
    """z(c) = product over c of the training share that passes: (L, d) -> (L, 2^d), by doubling."""
    z = np.ones((len(reach), 1))
    for share in reach.T:
        z = np.hstack([z, z * share[:, None]])
    return z


def chances(counts, start, d):
    """z(c) = share of background rows that fail nothing in c, counted by what they fail."""
    total = counts[start[:, None] + np.arange(2**d)]
    for j in range(d):  # sums over subsets: what is not in c may be failed or not
        by_j = total.reshape(len(total), -1, 2, 2**j)
        by_j[:, :, 1] += by_j[:, :, 0]
    return total[:, ::-1] / total[:, -1:]


def merge(both, inner, grove, plan, group):
    """U, V and the lines of some splits from those of their children, in place."""
    d, k_left, k_right, q, r_left, r_right, nodes = group
    l, r = grove.left[nodes], grove.right[nodes]
    at_left, at_right = sight(d, k_left, q, True), sight(d, k_right, q, False)
    left = both.take(plan.start[l][:, None, None, None] + at_left, axis=2)
    right = both.take(plan.start[r][:, None, None, None] + at_right, axis=2)
    together = left[..., None] + right[..., None, :]  # (2, K, G, 2^d, 2, 2^left, 2^right)
    n_outputs, shape = both.shape[1], together.shape[2:]
    first, size = plan.start[nodes[0]], together[0, 0].size
    both[:, :, first:first + size] = together.reshape(2, n_outputs, size)

    n_new = int(q == d)
    n_lines = n_new + r_left + r_right
    if not n_lines:
        return
    feature = inner.feature[inner.first[nodes[0]]:][:n_lines * len(nodes)]
    feature = feature.reshape(len(nodes), n_lines)
    lines = inner.numbers[:, inner.start[nodes[0]]:][:, :n_lines * size]
    lines = lines.reshape(n_outputs, len(nodes), n_lines, *shape[1:])
    if n_new:
        failed = left[1, ..., 0, :, None] + right[1, ..., 1, None, :]
        np.subtract(together[0], failed[:, :, :, None], out=lines[:, :, 0])
        feature[:, 0] = grove.asked[l, q]
    if r_left:
        own = np.arange(r_left)
        feature[:, n_new:n_new + r_left] = inner.feature[inner.first[l][:, None] + own]
        begin = inner.start[l][:, None] + (own << (d + n_new + k_left))
        seen = inner.numbers.take(begin[:, :, None, None, None] + at_left, axis=1)
        lines[:, :, n_new:n_new + r_left] = seen[..., None]
    if r_right:
        own = np.arange(r_right)
        feature[:, n_new + r_left:] = inner.feature[inner.first[r][:, None] + own]
        begin = inner.start[r][:, None] + (own << (d + n_new + k_right))
        seen = inner.numbers.take(begin[:, :, None, None, None] + at_right, axis=1)
        lines[:, :, n_new + r_left:] = seen[..., None, :]


@cache
def sight(d, k, q, on_left):
    """seen_by for both answers of the parent, "right" first -> (2^d, 2, 2^k)."""
    return np.stack([seen_by(d, k, q, on_left), seen_by(d, k, q, not on_left)], axis=1)


def blocks_alike(grove, plan):
    """Blocks that pay anyone, by the players above and the splits below them."""
    blocks = np.flatnonzero(plan.is_block & (plan.n_bits > 0))
    return [(*key, nodes) for key, nodes in alike(blocks, [grove.n_players, grove.n_splits])]


def pay_above(both, grove, plan, d, k, blocks):
    """phi_i = U - V with i failed, for every player i above some blocks -> (d, K, G, 2^(d + k))."""
    own = both.take(plan.start[blocks][:, None] + np.arange(2 ** (d + k)), axis=2)
    found = np.empty((d, *own.shape[1:]))
    for i in range(d):
        bit = 2 ** (k + i)
        u, v = own.reshape(*own.shape[:3], -1, 2, bit)
        np.subtract(u, v[..., 1:, :], out=found[i].reshape(u.shape))
    return found


def share_out(counts, grove, plan):
    """From how often blocks are seen with each index to how often their leaves are, in place."""
    for d, k_left, k_right, q, _, _, nodes in reversed(plan.splits):
        size = 2 ** (d + 1 + k_left + k_right)
        own = counts[plan.start[nodes[0]]:][:len(nodes) * size]
        own = own.reshape(len(nodes), 2**d, 2, 2**k_left, 2**k_right)
        for child, k, on_left, other in (
                (grove.left, k_left, True, 4), (grove.right, k_right, False, 3)):
            seen = own.sum(axis=other)  # (G, 2^d, 2, 2^k)
            for answer in (0, 1):
                where = plan.start[child[nodes]][:, None, None] + sight(d, k, q, on_left)[:, answer]
                np.add.at(counts, where, seen[:, :, answer])


# --- rows ---

@dataclass(frozen=True)
class Some:
    """What rows need on their way down some neighbouring trees, whose nodes are numbered from 0.

    ways : (split, child, fails if "left" is ..., bit) of the children at or above blocks, by level
    answers : (split, left, right, k of left, k of right) of the splits in blocks, lowest first
    blocks, places, k : their numbers in the grove, here, and their splits; (B,), (B,), (B, 1)
    """

    ways: list
    answers: list
    blocks: NDArray
    places: NDArray
    k: NDArray


def some_of(grove, plan, first, stop):
    """Some, for the trees with nodes first ... stop - 1."""
    above = ~plan.inside | plan.is_block
    k = grove.n_splits.astype(np.uint16)[:, None]
    ways, asked = [], []
    for t in grove.levels:
        t = t[(t >= first) & (t < stop)]
        child = np.concatenate([grove.left[t], grove.right[t]])
        keep = above[child]
        fails_if = np.repeat([False, True], len(t))[keep, None]
        bit = (1 << grove.player[child[keep]]).astype(np.uint16)[:, None]
        ways.append((np.tile(t, 2)[keep] - first, child[keep] - first, fails_if, bit))
        t = t[plan.inside[t]]
        left, right = grove.left[t], grove.right[t]
        asked.append((t - first, left - first, right - first, k[left], k[right]))
    blocks = first + np.flatnonzero(plan.is_block[first:stop])
    return Some(ways, asked[::-1], blocks, blocks - first, k[blocks])


def indices(some, goes_left):
    """Each row's index at each block: goes_left (N, n) -> (B, n) uint16."""
    failed = np.zeros(goes_left.shape, dtype=np.uint16)
    answered = np.zeros(goes_left.shape, dtype=np.uint16)
    for t, child, fails_if, bit in some.ways:
        fails = (goes_left[t] == fails_if) * bit
        fails |= failed[t]
        failed[child] = fails
    for t, left, right, k_left, k_right in some.answers:
        own = goes_left[t] << k_left
        own |= answered[left]
        own <<= k_right
        own |= answered[right]
        answered[t] = own
    return (failed[some.places] << some.k) | answered[some.places]


def add_together(total, X, trees, values, background=None):
    """Add the Shapley values of trees of at most MOST_LEVELS levels to total, in place.

    total (p, K, n), X (n, p), values : (n_nodes, K) a tree, background (m, p) or None
    -> their mean over the training rows (K,)
    """
    n_rows = len(X) if background is None else max(len(X), len(background))
    n_outputs = values[0].shape[1]
    bits = min(max((n_rows // n_outputs).bit_length() - 4, LEAST_BITS), MOST_BITS)
    mean = np.zeros(n_outputs)
    for some in together(trees, n_outputs, bits):
        grove = grove_of(trees[some])
        plan = plan_of(grove, bits)
        value = np.concatenate(values[some])
        counts = None if background is None else counted(grove, plan, trees[some], background)
        tables = tables_of(grove, plan, value, counts)
        look_up(total, X, trees[some], grove, plan, tables)
        is_leaf = grove.left == LEAF
        mean += grove.passing[is_leaf].prod(axis=1) @ value[is_leaf]
    return mean


def together(trees, n_outputs, bits):
    """Neighbouring trees whose tables have about NUMBERS_TOGETHER numbers -> list of slices."""
    first, size, found = 0, 0, []
    for stop, tree in enumerate(trees, start=1):
        size += (n_outputs * tree.n_nodes << bits) // 4
        if size >= NUMBERS_TOGETHER or stop == len(trees):
            found.append(slice(first, stop))
            first, size = stop, 0
    return found


def portions(grove, plan, trees, n_rows):
    """Some trees and some rows at a time, whose indices stay in the cache.

    Yields (Some, its trees, rows).
    """
    border = [*grove.roots.tolist(), len(grove.left)]
    rows_at_once = min(n_rows, ROWS_AT_ONCE)
    begin = 0
    while begin < len(trees):
        end = begin + 1
        while (end < len(trees)
               and (border[end + 1] - border[begin]) * rows_at_once <= INDICES_AT_ONCE):
            end += 1
        some = some_of(grove, plan, border[begin], border[end])
        for start in range(0, n_rows, rows_at_once):
            yield some, trees[begin:end], slice(start, start + rows_at_once)
        begin = end


def seen_at_blocks(grove, plan, trees, X):
    """Yields (block, rows, their indices) for all blocks and all rows."""
    if len(X) > FEW_ROWS:
        for tree, root in zip(trees, grove.roots.tolist(), strict=True):
            yield from walked(grove, plan, tree, root, X)
        return
    for some, few, rows in portions(grove, plan, trees, len(X)):
        index = indices(some, answers_of(few, X[rows]))
        for block, line in zip(some.blocks.tolist(), index, strict=True):
            yield block, rows, line


def walked(grove, plan, tree, root, X):
    """The same for one tree and many rows, node by node: arrays that are long enough alone."""
    everyone = slice(0, len(X))
    waiting = [(root, np.zeros(len(X), dtype=np.uint16))]
    while waiting:
        t, failed = waiting.pop()
        if plan.is_block[t]:
            add_answers(failed, grove, tree, root, t, X)
            yield t, everyone, failed
            continue
        left, right = int(grove.left[t]), int(grove.right[t])
        goes_left = tree.goes_left(X, t - root)
        place = int(grove.player[left])
        waiting.append((right, add_failure(failed, place, goes_left)))
        waiting.append((left, add_failure(failed, place, ~goes_left)))


def add_answers(index, grove, tree, root, t, X):
    """Write the rows' answers behind the index, in place: t's own, then left's, then right's."""
    if grove.left[t] != LEAF:
        index += index
        index += tree.goes_left(X, t - root)
        add_answers(index, grove, tree, root, grove.left[t], X)
        add_answers(index, grove, tree, root, grove.right[t], X)


def counted(grove, plan, trees, background):
    """How often background rows are seen with each index at each block -> (columns,)."""
    counts = np.zeros(plan.n_columns)
    for block, _, index in seen_at_blocks(grove, plan, trees, background):
        size = 1 << int(plan.n_bits[block])
        own = counts[plan.start[block]:][:size]
        own += np.bincount(index, minlength=size)
    return counts


def answers_of(trees, X):
    """Who goes left at each node of some trees -> (N, n) bool."""
    return np.concatenate([answers(tree, X) for tree in trees])


def look_up(total, X, trees, grove, plan, tables):
    """Add what the tables say for the rows X to total (p, K, n), in place."""
    of_block = {table.block: table for table in tables}
    for block, rows, index in seen_at_blocks(grove, plan, trees, X):
        if block in of_block:
            look_up_in(of_block[block], total[..., rows], index)


def look_up_in(table, total, index):
    """Add to each feature what its line says, so many rows at a time as the cache holds."""
    for start in range(0, len(index), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        at = index[rows].astype(np.intp)
        for feature, line in zip(table.features, table.lines, strict=True):
            for sums, numbers in zip(total[feature], line, strict=True):
                sums[rows] += numbers.take(at)
