r"""Tables of many trees at once: nodes of like shape share their array calls.

tree_shap_leaves.py gives each leaf order + 1 tables over the failed features F, whose differences
are what its features contribute. Tables add up over leaves. A node t with d features above it and
k splits at or below it has an index of d bits of failed features, then k answers, 1 for "left": its
own, those of its left child, those of its right child.

                 t: x2?            d = 2 features above: x0, x1; k = 2 splits: t, l
                 /     \
             l: x0?     c          a row that fails x1, goes right at t and would go left at l:
              /   \
             a     b                   index   x1 x0  t  l
                                                1  0  0  1   = 9

    T_t(9) = T_l(1 1 0  1) + T_c(0 1 0)     l's index is x2 x1 x0  l, c's is x2 x1 x0: to be at l
                                            the row would have to pass t, to be at c it need not

Which features contribute? x2, first tested at t, contributes T0_t - (T1_l + T1_c with x2 failed),
for pairs likewise T1_t - (T2_l + T2_c with x2 failed). These tables, one fewer, belong to the *set*
{x2}. They are carried up to the root of the *subtree*, the highest node whose index has few enough
bits; on the way they meet y, first tested higher up, and leave tables of the set {x2, y}, again one
fewer. The tables of the empty set, of all leaves together, go up, too. x0 and x1 are above the
subtree, whose root gives their contributions by the same differences. A row computes its index at
each subtree, reads all tables of the subtree there, and adds up (tree_shap_lookup.py).

With a background, z is counted: each subtree counts the indices of the background rows, and the
counts go down to the leaves along the edges on which the tables come up.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fi_teach.fast.tree_shap_leaves import (
    chances_by_background,
    chances_by_cover,
    contributions,
    leaf_tables,
)

MOST_FEATURES = 16  # on a path: then indices fit into 16 bits
MOST_BITS = 16  # of an index
COLUMNS_AT_ONCE = 2**15  # of leaves: so many stay in the processor's cache
NUMBERS_AT_ONCE = 2**17  # of contributions: so many, too
BITS_KEPT = 9  # of indices whose translations are kept from call to call


# --- which nodes have tables, and which share calls ---

def splits_below(forest):
    """How many splits there are at or below each node -> (N,)."""
    n_splits = np.zeros(len(forest.left), dtype=np.intp)
    for t in reversed(forest.levels):
        n_splits[t] = 1 + n_splits[forest.left[t]] + n_splits[forest.right[t]]
    return n_splits


def subtrees_of(forest, bits):
    """The highest nodes whose failures above and answers below fit into so many bits -> (B,).

    A leaf fits always; a tree of one leaf contributes nothing and has no subtree.
    """
    fits = (forest.n_on_path + splits_below(forest) <= bits) | forest.is_leaf
    is_root = fits & ~fits[forest.parent]
    is_root[forest.roots] = fits[forest.roots] & ~forest.is_leaf[forest.roots]
    return np.flatnonzero(is_root)


@dataclass(frozen=True)
class Plan:
    """Which nodes lie inside and above some subtrees, and which are tabulated together.

    subtrees (B,) : their roots, from the first node to the last
    inside, above (N,) : nodes in the subtrees; nodes on the way to their roots, and these
    n_splits, n_bits (N,) : k, d + k
    place (N,) : which of the nodes inside with as many bits, group after group
    leaves : (d, nodes) a group
    splits : (d, k of left, k of right, position, is it a first test, nodes) a group, children
        before their parents
    """

    subtrees: NDArray
    inside: NDArray
    above: NDArray
    n_splits: NDArray
    n_bits: NDArray
    place: NDArray
    leaves: list
    splits: list


def plan_of(forest, subtrees):
    """The Plan for some subtrees of a forest."""
    n_splits = splits_below(forest)
    n_bits = forest.n_on_path + n_splits
    inside, above = np.zeros((2, len(n_bits)), dtype=bool)
    inside[subtrees] = above[subtrees] = True
    for t in forest.levels:
        inside[forest.left[t]] |= inside[t]
        inside[forest.right[t]] |= inside[t]
    for t in reversed(forest.levels):
        above[t] |= above[forest.left[t]] | above[forest.right[t]]
    t = np.flatnonzero(inside & forest.is_leaf)
    leaves = [(d, t) for (d,), t in alike(t, [forest.n_on_path])]
    t = np.flatnonzero(inside & ~forest.is_leaf)
    left, right, is_first = forest.left, forest.right, forest.is_first_test
    splits = [
        (*numbers, bool(first), nodes) for (_, *numbers, first), nodes in alike(t, [
            n_splits, forest.n_on_path, n_splits[left], n_splits[right],
            forest.position[left], is_first[left]])]
    place, used = np.zeros(len(n_bits), dtype=np.intp), [0] * (MOST_BITS + 1)
    for *_, nodes in leaves + splits:
        bits = n_bits[nodes[0]]
        place[nodes] = used[bits] + np.arange(len(nodes))
        used[bits] += len(nodes)
    return Plan(subtrees, inside, above, n_splits, n_bits, place, leaves, splits)


def alike(nodes, properties):
    """Group nodes by whole numbers < 2^8 that describe them -> list of (numbers, nodes), sorted."""
    if not len(nodes):
        return []
    key = np.zeros(len(nodes), dtype=np.int64)
    for of_node in properties:
        key = (key << 8) + of_node[nodes]
    order = np.argsort(key, kind="stable")
    nodes, key = nodes[order], key[order]
    groups = np.split(nodes, np.flatnonzero(np.diff(key)) + 1)
    return [(tuple(int(of_node[group[0]]) for of_node in properties), group) for group in groups]


# --- from a parent's index to a child's ---

def places_by_failures(d, k, q, fails):
    """Where a child with k answers is read, for each set F of features that fail above its parent.

    q : the position of the parent's feature, d at its first test; fails : whether its test fails
    -> (2^d, 2^k) places in the child's table
    """
    failed = np.arange(2**d) | (fails << q)
    return (failed[:, None] << k) + np.arange(2**k)


def places_by_answer(d, k, q, on_left):
    """The same for both answers of the parent, "right" first -> (2^d, 2, 2^k)."""
    right, left = (places_by_failures(d, k, q, fails) for fails in (on_left, not on_left))
    return np.stack([right, left], axis=1)


def places_by_index(d, k_left, k_right, q, on_left):
    """Where a child is read for each index of its parent, and where if it fails the parent's test.

    -> two arrays (2^(d + 1 + k_left + k_right),) of places in the child's table
    """
    k, other = (k_left, 2**k_right) if on_left else (k_right, 2**k_left)
    failed = np.stack([places_by_failures(d, k, q, True)] * 2, axis=1)
    places = [
        np.repeat(table[..., None], other, axis=3)
        for table in (places_by_answer(d, k, q, on_left), failed)]
    return [table.ravel() if on_left else table.swapaxes(2, 3).ravel() for table in places]


kept_places_by_index = cache(places_by_index)


# --- the tables ---

class FeatureSets:
    """Sets of s features first tested inside of nodes, and their tables: for each s, by bits.

    tables[s][bits] (order + 1 - s, K, sets, 2^bits); features[s][bits] (sets, s)
    which[s], first[s], count[s] : node t has the sets which[s][first[s][t] + 0, 1 ... count - 1]
    Each node has one empty set, whose number is the node's place in the plan.
    """

    def __init__(self, forest, plan, order, n_outputs):
        n = len(plan.n_bits)
        self.order, self.n_outputs, self.plan = order, n_outputs, plan
        self.count = [plan.inside.astype(np.intp), *np.zeros((order, n), dtype=np.intp)]
        for *_, is_first, t in plan.splits:
            for s in range(1, order + 1):
                for child in (forest.left[t], forest.right[t]):
                    self.count[s][t] += self.count[s][child]
                    if is_first and s > 1:
                        self.count[s][t] += self.count[s - 1][child]
                if is_first and s == 1:
                    self.count[s][t] += 1
        self.first = [np.cumsum(count) - count for count in self.count]
        self.which = [np.zeros(count.sum(), dtype=np.intp) for count in self.count]
        self.used, self.tables, self.features = ([{} for _ in self.count] for _ in range(3))
        for s, count in enumerate(self.count):
            size = np.bincount(plan.n_bits[plan.inside], count[plan.inside]).astype(int)
            for bits, n_sets in enumerate(size.tolist()):
                shape = order + 1 - s, n_outputs, n_sets, 2**bits
                self.tables[s][bits] = np.empty(shape if n_sets else 0)
                self.features[s][bits] = np.empty((n_sets, s), dtype=np.int32)
                self.used[s][bits] = 0

    def of(self, s, t):
        """The numbers of the sets of s features of nodes t (T,) with as many bits."""
        if s == 0:
            return self.plan.place[t]
        return self.which[s][runs(self.first[s][t], self.count[s][t])]

    def room(self, s, t, where, features):
        """Room for new sets of nodes t, whose numbers are noted at `where` -> tables to fill."""
        bits = int(self.plan.n_bits[t[0]])
        begin = self.used[s][bits]
        end = self.used[s][bits] = begin + len(where)
        self.features[s][bits][begin:end] = features
        self.which[s][where] = np.arange(begin, end)
        return self.tables[s][bits][:, :, begin:end]

    def room_for_empty(self, t):
        """Room for the empty sets of nodes t, which lie side by side -> tables to fill."""
        begin = self.plan.place[t[0]]
        return self.tables[0][int(self.plan.n_bits[t[0]])][:, :, begin:begin + len(t)]


def runs(first, count):
    """Whole numbers that follow each other: from each of `first`, so many.

    >>> runs(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    begin = np.cumsum(count) - count
    return np.arange(count.sum()) + np.repeat(first - begin, count)


def feature_sets(forest, plan, order, counts=None):
    """The FeatureSets of all nodes in subtrees.

    counts, for a background : {bits: (nodes, 2^bits)}, how many of its rows have each index
    """
    sets = FeatureSets(forest, plan, order, forest.value.shape[1])
    for d, leaves in plan.leaves:
        some = max(1, COLUMNS_AT_ONCE >> d)
        for begin in range(0, len(leaves), some):
            t = leaves[begin:begin + some]
            if counts is None:
                z = chances_by_cover(forest.pass_share[forest.last_edges[t, :d]])
            else:
                z = chances_by_background(counts[d][plan.place[t]])
            tables = leaf_tables(z, order)[:, None]
            np.multiply(tables, forest.value[t].T[:, :, None], out=sets.room_for_empty(t))
    for group in plan.splits:
        merge(sets, forest, group)
    return sets


def merge(sets, forest, group):
    """Make the sets of some splits from those of their children."""
    d, k_left, k_right, q, is_first, t = group
    few_bits = d + 1 + k_left + k_right <= BITS_KEPT
    places = kept_places_by_index if few_bits else places_by_index
    sides = [
        (child, d + is_first + k, *places(d, k_left, k_right, q, on_left))
        for child, k, on_left in (
            (forest.left[t], k_left, True), (forest.right[t], k_right, False))]
    (left, at_left, left_failed), (right, at_right, right_failed) = (
        (sets.tables[0][bits].take(sets.of(0, child), axis=2), at, failed)
        for child, bits, at, failed in sides)
    whole = sets.room_for_empty(t)
    np.add(left.take(at_left, axis=-1), right.take(at_right, axis=-1), out=whole)
    where = [first[t] for first in sets.first]  # of the next sets
    if is_first:
        tested = forest.tested[forest.left[t]]
        new = sets.room(1, t, where[1], tested[:, None])
        np.subtract(whole[:-1], left[1:].take(left_failed, axis=-1), out=new)
        new -= right[1:].take(right_failed, axis=-1)
        where[1] += 1
    for s in range(1, sets.order + 1):
        for child, bits, at, failed in sides:
            count = sets.count[s][child]
            if not count.any():
                continue
            which = sets.of(s, child)
            features = sets.features[s][bits][which]
            tables = sets.tables[s][bits].take(which, axis=2)
            carried = sets.room(s, t, runs(where[s], count), features)
            carried[...] = tables.take(at, axis=-1)
            where[s] += count
            if is_first and s < sets.order:
                features = np.column_stack([features, np.repeat(tested, count)])
                new = sets.room(s + 1, t, runs(where[s + 1], count), features)
                np.subtract(carried[:-1], tables[1:].take(failed, axis=-1), out=new)
                where[s + 1] += count


def count_at_leaves(counts, forest, plan):
    """Carry the counts of indices from the roots of subtrees down to their leaves, in place."""
    for d, k_left, k_right, q, is_first, t in reversed(plan.splits):
        own = counts[d + 1 + k_left + k_right][plan.place[t]]
        own = own.reshape(len(t), 2**d, 2, 2**k_left, 2**k_right)
        for child, k, on_left, other in (
                (forest.left[t], k_left, True, 4), (forest.right[t], k_right, False, 3)):
            seen = own.sum(axis=other)  # (T, 2^d, 2, 2^k)
            of_child = counts[d + is_first + k]
            for answer in (0, 1):
                places = places_by_answer(d, k, q, on_left)[:, answer]
                at = plan.place[child][:, None, None], places
                np.add.at(of_child, at, seen[:, :, answer])


def contributions_of(forest, plan, sets):
    """What S sets of features contribute in each of E subtrees, a cacheful at a time.

    Yields subtree (E,), at whose index they are read; features (S, E, order); and
    tables (S, K, E, 2^bits), all that a row has to read.
    """
    order = sets.order
    for (bits, d), subtrees in alike(plan.subtrees, [plan.n_bits, forest.n_on_path]):
        for s in range(order + 1):
            which = sets.of(s, subtrees)
            if d < order - s:
                continue
            subtree = np.repeat(subtrees, sets.count[s][subtrees])
            some = max(1, NUMBERS_AT_ONCE // (sets.n_outputs * d ** (order - s)) >> bits)
            for begin in range(0, len(which), some):
                own, at = which[begin:begin + some], subtree[begin:begin + some]
                positions, tables = contributions(
                    sets.tables[s][bits].take(own, axis=2), d, bits - d)
                above = forest.tested[forest.last_edges[at[:, None], positions[:, None]]]
                inside = np.broadcast_to(sets.features[s][bits][own], (*above.shape[:2], s))
                yield at, np.concatenate([above, inside], axis=2), tables
