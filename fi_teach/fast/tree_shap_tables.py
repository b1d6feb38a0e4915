r"""Tables of many trees at once: nodes of like shape share their array calls.

tree_shap_leaves.py gives each leaf order + 1 lines over the failures F, whose differences are what
its players are paid. Lines add up over leaves. A node t with d players above it and k splits at or
below it has an index of d bits of failures, then k answers, 1 for "left": its own, those of its
left child, those of its right child.

                 t: x2?            d = 2 players above: x0, x1; k = 2 splits: t, l
                 /     \
             l: x0?     c          a row that fails x1, goes right at t and would go left at l:
              /   \
             a     b                   index   x1 x0  t  l
                                                1  0  0  1   = 9

    L_t(9) = L_l(1 1 0  1) + L_c(0 1 0)     l's index is x2 x1 x0  l, c's is x2 x1 x0: to be at l
                                            the row would have to pass t, to be at c it need not

Who is paid? x2, first asked at t, is paid L0_t - (L1_l + L1_c with x2 failed), for pairs likewise
L1_t - (L2_l + L2_c with x2 failed). These lines, one fewer, are an *entry* {x2}, which is carried
up to the *block*, the highest node whose index has few enough bits; on the way it meets y, first
asked higher up, and leaves an entry {x2, y} of one line. The entry {} of all leaves goes up, too.
x0 and x1 are above the block, which pays them by the same differences. A row computes its index at
each block, reads all lines of the block there, and adds up (tree_shap_lookup.py).

With a background, z is counted: each block counts the indices of the background rows, and the
counts go down to the leaves on the ways on which the lines come up.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.removal import cover_shares
from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import joined
from fi_teach.fast.tree_shap_leaves import (
    chances_by_background,
    chances_by_cover,
    leaf_lines,
    paid,
)

MOST_PLAYERS = 16  # on a path: then indices fit into 16 bits
MOST_BITS = 16  # of an index
COLUMNS_AT_ONCE = 2**15  # of leaves: so many stay in the processor's cache
NUMBERS_PAID_AT_ONCE = 2**17  # so many, too
BITS_KEPT = 9  # of indices whose views are kept from call to call


@dataclass(frozen=True)
class Grove:
    """N nodes of M trees, one tree behind the other, and their paths; D columns, as many as needed.

    left, right (N,), LEAF in leaves; roots (M,); tree (N,) : whose node; parent (N,), 0 for roots
    chance (N,) : the share of all training rows that gets here
    levels : the splits of each level, from the roots down
    asked, passing (N, D) : the features above, as met, and the share that passes; -1 and 1 beyond
    n_players, player, is_new (N,) : how many are above; the place of the feature asked on the way
        into the node, and whether it was asked there first
    n_splits (N,) : at or below the node
    too_long (M,) : whether a path has more than MOST_PLAYERS features; then it is not right here
    """

    left: NDArray
    right: NDArray
    roots: NDArray
    tree: NDArray
    parent: NDArray
    chance: NDArray
    levels: list
    asked: NDArray
    passing: NDArray
    n_players: NDArray
    player: NDArray
    is_new: NDArray
    n_splits: NDArray
    too_long: NDArray


def grove_of(trees):
    """The Grove of some trees."""
    nodes, roots = joined(trees)
    left, right, feature = nodes.children_left, nodes.children_right, nodes.feature
    share = cover_shares(nodes)
    levels = splits_by_level(left, right, roots)
    n, most = len(left), min(len(levels), MOST_PLAYERS)
    tree = np.repeat(np.arange(len(roots)), np.diff(roots, append=n))
    parent, n_players, player, n_splits = (np.zeros(n, dtype=np.intp) for _ in range(4))
    is_new = np.zeros(n, dtype=bool)
    chance, too_long = np.ones(n), np.zeros(len(roots), dtype=bool)
    asked = np.full((n, most), -1, dtype=np.int32)
    passing = np.ones((n, most))
    for t in levels:
        same = asked[t] == feature[t][:, None]
        new = ~same.any(axis=1)
        place = np.where(new, n_players[t], same.argmax(axis=1))
        too_long[tree[t[place == most]]] = True
        place[place == most] = 0
        for child in (left[t], right[t]):
            parent[child] = t
            chance[child] = chance[t] * share[child]
            asked[child] = asked[t]
            asked[child, place] = feature[t]
            passing[child] = passing[t]
            passing[child, place] *= share[child]
            player[child], is_new[child] = place, new
            n_players[child] = np.minimum(n_players[t] + new, most)
    for t in reversed(levels):
        n_splits[t] = 1 + n_splits[left[t]] + n_splits[right[t]]
    return Grove(
        left, right, roots, tree, parent, chance, levels, asked, passing,
        n_players, player, is_new, n_splits, too_long)


def splits_by_level(left, right, roots):
    """The splits of each level, from the roots down -> list of arrays."""
    levels = []
    t = roots[left[roots] != LEAF]
    while len(t):
        levels.append(t)
        below = np.concatenate([left[t], right[t]])
        t = below[left[below] != LEAF]
    return levels


# --- which nodes have tables, and who shares calls ---

def blocks_of(grove, bits):
    """The highest nodes whose failures above and answers below fit into so many bits -> (B,).

    A leaf fits always; a tree of one leaf pays nobody and has no block.
    """
    fits = (grove.n_players + grove.n_splits <= bits) | (grove.left == LEAF)
    is_block = fits & ~fits[grove.parent]
    is_block[grove.roots] = fits[grove.roots] & (grove.left[grove.roots] != LEAF)
    return np.flatnonzero(is_block)


@dataclass(frozen=True)
class Plan:
    """Some blocks of a grove: what lies in them, above them, and which nodes are made together.

    blocks (B,), from the first node to the last
    inside, above (N,) : nodes in the blocks; nodes on the way to them, and they
    n_bits (N,) : d + k
    place (N,) : which of the nodes inside with as many bits, group after group
    leaves : (d, nodes) a group; splits : (d, k of left, k of right, player, is new, nodes) a group,
        children before their parents
    """

    blocks: NDArray
    inside: NDArray
    above: NDArray
    n_bits: NDArray
    place: NDArray
    leaves: list
    splits: list


def plan_of(grove, blocks):
    """The Plan for some blocks of a grove."""
    n_bits = grove.n_players + grove.n_splits
    inside, above = np.zeros((2, len(n_bits)), dtype=bool)
    inside[blocks] = above[blocks] = True
    for t in grove.levels:
        inside[grove.left[t]] |= inside[t]
        inside[grove.right[t]] |= inside[t]
    for t in reversed(grove.levels):
        above[t] |= above[grove.left[t]] | above[grove.right[t]]
    is_leaf = grove.left == LEAF
    leaves = [(d, t) for (d,), t in alike(np.flatnonzero(inside & is_leaf), [grove.n_players])]
    t = np.flatnonzero(inside & ~is_leaf)
    left, right = grove.left, grove.right
    splits = [
        (*numbers, bool(is_new), nodes) for (_, *numbers, is_new), nodes in alike(t, [
            grove.n_splits, grove.n_players, grove.n_splits[left], grove.n_splits[right],
            grove.player[left], grove.is_new[left]])]
    place, used = np.zeros(len(n_bits), dtype=np.intp), [0] * (MOST_BITS + 1)
    for *_, nodes in leaves + splits:
        bits = n_bits[nodes[0]]
        place[nodes] = used[bits] + np.arange(len(nodes))
        used[bits] += len(nodes)
    return Plan(blocks, inside, above, n_bits, place, leaves, splits)


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


def seen_by(d, k, q, fails):
    """Where a child with k answers looks, for each set F of failures above its parent.

    q : the place of the parent's feature, d if it is new; fails : whether the child's test fails
    -> (2^d, 2^k) places in the child's table
    """
    failed = np.arange(2**d) | (fails << q)
    return (failed[:, None] << k) + np.arange(2**k)


def sight(d, k, q, on_left):
    """seen_by for both answers of the parent, "right" first -> (2^d, 2, 2^k)."""
    return np.stack([seen_by(d, k, q, on_left), seen_by(d, k, q, not on_left)], axis=1)


def views(d, k_left, k_right, q, on_left):
    """Where a child looks for each index of its parent, and where if it fails the parent's test.

    -> two arrays (2^(d + 1 + k_left + k_right),) of places in the child's table
    """
    k, other = (k_left, 2**k_right) if on_left else (k_right, 2**k_left)
    at = sight(d, k, q, on_left)
    failed = np.stack([seen_by(d, k, q, True)] * 2, axis=1)
    found = [np.repeat(table[..., None], other, axis=3) for table in (at, failed)]
    return [table.ravel() if on_left else table.swapaxes(2, 3).ravel() for table in found]


few_views = cache(views)


# --- the tables ---

class Entries:
    """Who is paid inside of nodes, and their lines: for each number s of players, by bits.

    lines[s][bits] (order + 1 - s, K, entries, 2^bits); players[s][bits] (entries, s), features
    which[s], first[s], count[s] : node t has the entries which[s][first[s][t] + 0, 1 ... count - 1]
    Of no players each node has one entry, whose number is its place in the plan.
    """

    def __init__(self, grove, plan, order, n_outputs):
        n = len(plan.n_bits)
        self.order, self.n_outputs, self.plan = order, n_outputs, plan
        self.count = [plan.inside.astype(np.intp), *np.zeros((order, n), dtype=np.intp)]
        for *_, is_new, t in plan.splits:
            for s in range(1, order + 1):
                for child in (grove.left[t], grove.right[t]):
                    self.count[s][t] += self.count[s][child]
                    if is_new and s > 1:
                        self.count[s][t] += self.count[s - 1][child]
                if is_new and s == 1:
                    self.count[s][t] += 1
        self.first = [np.cumsum(count) - count for count in self.count]
        self.which = [np.zeros(count.sum(), dtype=np.intp) for count in self.count]
        self.used, self.lines, self.players = ([{} for _ in self.count] for _ in range(3))
        for s, count in enumerate(self.count):
            size = np.bincount(plan.n_bits[plan.inside], count[plan.inside]).astype(int)
            for bits, entries in enumerate(size.tolist()):
                shape = order + 1 - s, n_outputs, entries, 2**bits
                self.lines[s][bits] = np.empty(shape if entries else 0)
                self.players[s][bits] = np.empty((entries, s), dtype=np.int32)
                self.used[s][bits] = 0

    def of(self, s, t):
        """The numbers of the entries of nodes t (T,) with as many bits."""
        if s == 0:
            return self.plan.place[t]
        return self.which[s][runs(self.first[s][t], self.count[s][t])]

    def room(self, s, t, where, players):
        """Room for new entries of nodes t, whose numbers are noted at `where` -> lines to fill."""
        bits = int(self.plan.n_bits[t[0]])
        begin = self.used[s][bits]
        end = self.used[s][bits] = begin + len(where)
        self.players[s][bits][begin:end] = players
        self.which[s][where] = np.arange(begin, end)
        return self.lines[s][bits][:, :, begin:end]

    def whole(self, t):
        """Room for the entries of no players of nodes t, which lie side by side."""
        begin = self.plan.place[t[0]]
        return self.lines[0][int(self.plan.n_bits[t[0]])][:, :, begin:begin + len(t)]


def runs(first, count):
    """Whole numbers that follow each other: from each of `first`, so many.

    >>> runs(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    begin = np.cumsum(count) - count
    return np.arange(count.sum()) + np.repeat(first - begin, count)


def entries_of(grove, plan, value, order, counts=None):
    """The Entries of all nodes in blocks.

    value (N, K); counts, for a background : {bits: (nodes, 2^bits)}, how often indices are seen
    """
    entries = Entries(grove, plan, order, value.shape[1])
    for d, leaves in plan.leaves:
        some = max(1, COLUMNS_AT_ONCE >> d)
        for begin in range(0, len(leaves), some):
            t = leaves[begin:begin + some]
            if counts is None:
                z = chances_by_cover(grove.passing[t, :d])
            else:
                z = chances_by_background(counts[d][plan.place[t]])
            lines = leaf_lines(z, order)[:, None]
            np.multiply(lines, value[t].T[:, :, None], out=entries.whole(t))
    for group in plan.splits:
        merge(entries, grove, group)
    return entries


def merge(entries, grove, group):
    """The entries of some splits from those of their children."""
    d, k_left, k_right, q, is_new, t = group
    look = few_views if d + 1 + k_left + k_right <= BITS_KEPT else views
    sides = [
        (child, d + is_new + k, *look(d, k_left, k_right, q, on_left)) for child, k, on_left in (
            (grove.left[t], k_left, True), (grove.right[t], k_right, False))]
    whole = entries.whole(t)
    below = [
        entries.lines[0][bits].take(entries.of(0, child), axis=2) for child, bits, *_ in sides]
    at, failed = zip(*[side[2:] for side in sides], strict=True)
    np.add(*[lines.take(place, axis=-1) for lines, place in zip(below, at, strict=True)], out=whole)
    where = [first[t] for first in entries.first]  # of the next entries
    if is_new:
        asked = grove.asked[grove.left[t], q]
        new = entries.room(1, t, where[1], asked[:, None])
        np.subtract(whole[:-1], below[0][1:].take(failed[0], axis=-1), out=new)
        new -= below[1][1:].take(failed[1], axis=-1)
        where[1] += 1
    for s in range(1, entries.order + 1):
        for child, bits, at, failed in sides:
            count = entries.count[s][child]
            if not count.any():
                continue
            which = entries.of(s, child)
            players = entries.players[s][bits][which]
            lines = entries.lines[s][bits].take(which, axis=2)
            seen = entries.room(s, t, runs(where[s], count), players)
            seen[...] = lines.take(at, axis=-1)
            where[s] += count
            if is_new and s < entries.order:
                players = np.column_stack([players, np.repeat(asked, count)])
                new = entries.room(s + 1, t, runs(where[s + 1], count), players)
                np.subtract(seen[:-1], lines[1:].take(failed, axis=-1), out=new)
                where[s + 1] += count


def share_out(counts, grove, plan):
    """From how often blocks are seen with each index to how often their leaves are, in place."""
    for d, k_left, k_right, q, is_new, t in reversed(plan.splits):
        own = counts[d + 1 + k_left + k_right][plan.place[t]]
        own = own.reshape(len(t), 2**d, 2, 2**k_left, 2**k_right)
        for child, k, on_left, other in (
                (grove.left[t], k_left, True, 4), (grove.right[t], k_right, False, 3)):
            seen = own.sum(axis=other)  # (T, 2^d, 2, 2^k)
            of_child = counts[d + is_new + k]
            for answer in (0, 1):
                at = plan.place[child][:, None, None], sight(d, k, q, on_left)[:, answer]
                np.add.at(of_child, at, seen[:, :, answer])


@dataclass(frozen=True)
class Pay:
    """What some blocks pay: the lines of S sets of players in each of E places.

    block (E,) : whose index they are read at; players (S, E, order) : features
    lines (S, K, E, 2^bits) : all that a row has to read
    """

    block: NDArray
    players: NDArray
    lines: NDArray


def pay_of(grove, plan, entries):
    """What the blocks pay, so many at a time as stay in the processor's cache: yields Pay."""
    order = entries.order
    for (bits, d), blocks in alike(plan.blocks, [plan.n_bits, grove.n_players]):
        for s in range(order + 1):
            which = entries.of(s, blocks)
            if d < order - s:
                continue
            block = np.repeat(blocks, entries.count[s][blocks])
            some = max(1, NUMBERS_PAID_AT_ONCE // (entries.n_outputs * d ** (order - s)) >> bits)
            for begin in range(0, len(which), some):
                own, at = which[begin:begin + some], block[begin:begin + some]
                who, tables = paid(entries.lines[s][bits].take(own, axis=2), d, bits - d)
                above = grove.asked[at[:, None], who[:, None]]
                inside = np.broadcast_to(entries.players[s][bits][own], (*above.shape[:2], s))
                yield Pay(at, np.concatenate([above, inside], axis=2), tables)
