"""A leaf asks yes/no questions, so all it knows of a row is the set of features on which the row fails.

Take a leaf of value v whose path tests d distinct features: a game of d players. The features c that a coalition lacks are
filled in by chance. It reaches the leaf, and earns v * z(c), if c holds every feature on which the row fails; z(c) is the
chance that a stand-in passes all tests on c. So the Shapley values depend on the row through its failures F alone, and sums
over the supersets of F give them for all 2^d sets F at once:

    phi_i(F) = v * (sum over c with F in c, i not in c of w(|c|) z(c) - sum over c with F and i in c of w(|c|-1) z(c)),
    w(s) = s! (d-s-1)! / d!

A row only looks its values up. Path-dependent and interventional differ in z and in nothing else. Leaves near each other
answer together: a block of them shares one table, whose index is the failures above the block and the answers inside it.
"""

from dataclasses import dataclass
from functools import cache
from itertools import groupby, islice

import numpy as np

from fi_teach.basics.games import shapley_weights
from fi_teach.basics.removal import cover_shares
from fi_teach.basics.tree import Tree

LEAST_BLOCK, MOST_BLOCK = 10, 16  # bits of a block's index: its table has 2^10 to 2^16 columns
PADDED = 6  # players: shorter paths are padded to so many, since one call on a larger table costs less than two
ROWS_AT_ONCE = 2**14  # rows whose indices and values stay in the processor's cache


# --- paths ------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Paths:
    """A tree and what its nodes know of their paths; lists with one entry a node.

    players : the distinct features tested above, in order; reach : the training shares that pass each one's tests
    leaves : the leaves at or below, from left to right, one more than there are splits
    longest : the largest number of players on a path
    """

    tree: Tree
    left: list
    right: list
    feature: list
    players: list
    reach: list
    leaves: list
    longest: int


def paths_of(tree):
    """The Paths of a tree."""
    left, right, feature = tree.children_left.tolist(), tree.children_right.tolist(), tree.feature.tolist()
    share, passes, leaves = cover_shares(tree).tolist(), [{}] * tree.n_nodes, [[t] for t in range(tree.n_nodes)]
    inner = np.flatnonzero(~tree.is_leaf).tolist()
    for t in inner:  # parents are stored before their children
        for child in (left[t], right[t]):
            passes[child] = passes[t] | {feature[t]: passes[t].get(feature[t], 1.0) * share[child]}
    for t in inner[::-1]:
        leaves[t] = leaves[left[t]] + leaves[right[t]]
    players, reach = [tuple(passing) for passing in passes], [tuple(passing.values()) for passing in passes]
    return Paths(tree, left, right, feature, players, reach, leaves, max(map(len, players)))


def failures(paths, X, stops):
    """Walk all rows to each node of `stops`, from left to right: yields (t, the rows' failures above t as bits (n,))."""
    bits = np.min_scalar_type(2**max(paths.longest, MOST_BLOCK) - 1)  # beyond 64 players Python's own integers
    stack = [(0, np.zeros(len(X), dtype=bits))]
    while stack:
        t, failed = stack.pop()
        if t in stops:
            yield t, failed
            continue
        left, slot = paths.tree.goes_left(X, t), paths.players[paths.left[t]].index(paths.feature[t])
        stack += [(paths.right[t], add_failure(failed, slot, left)), (paths.left[t], add_failure(failed, slot, ~left))]


def add_failure(failed, slot, fails):
    """Failures so far and one more test's outcome: who failed a feature once has failed it."""
    return failed | np.left_shift(fails, slot, dtype=failed.dtype)


# --- chances: z(c) of L leaves, one row a leaf ------------------------------------------------------------------------

def chances_by_cover(reach, d):
    """z(c) = product over c of the training share that passes: reach, L tuples -> (L, 2^d), built by doubling.

    Players beyond a leaf's own always pass, which makes them dummies.
    """
    z = np.ones((len(reach), 1))
    for share in np.array([shares + (1.0,) * (d - len(shares)) for shares in reach]).T:
        z = np.hstack([z, z * share[:, None]])
    return z


def chances_by_background(counts, d):
    """z(c) = share of background rows that fail nothing in c: counts, L arrays of rows by what they fail -> (L, 2^d).

    Players beyond a leaf's own are never failed.
    """
    total = np.zeros((len(counts), 2**d))
    for row, count in zip(total, counts, strict=True):
        row[:len(count)] = count
    for j in range(d):  # sums over subsets, one feature at a time: what is not in c may be failed or not
        by_j = total.reshape(len(total), -1, 2, 2**j)
        by_j[:, :, 1] += by_j[:, :, 0]
    return total[:, ::-1] / counts[0].sum()


def stand_ins(paths, background):
    """What is known of the stand-ins at each leaf, from left to right: yields (leaf, reach) or (leaf, counts by failures)."""
    if background is None:
        yield from ((leaf, paths.reach[leaf]) for leaf in paths.leaves[0])
    else:
        for leaf, failed in failures(paths, background, set(paths.leaves[0])):
            yield leaf, np.bincount(failed, minlength=2 ** len(paths.players[leaf]))


# --- tables: one row a player or pair, one column a set of failures ---------------------------------------------------

@cache
def weights(d, order):
    """w(|c| - k), (d - order + 1 players share), where k = 0 ... order of the row's players are missing, for every c -> (order + 1, 2^d)."""
    w = shapley_weights(d - order + 1)
    by_size = np.array([[0.0] * k + w.tolist() + [0.0] * (order - k) for k in range(order + 1)])
    return by_size[:, np.bitwise_count(np.arange(2**d))]


def superset_sums(weighted):
    """sum over c with F in c of weighted(c), for every F: (L, 2^d) -> (L, 2^d)."""
    total = weighted.copy()
    for j in range(total.shape[1].bit_length() - 1):
        by_j = total.reshape(len(total), -1, 2, 2**j)
        by_j[:, :, 0] += by_j[:, :, 1]
    return total


def if_failed(table, j):
    """table(F + j), for every F: (L, 2^d) -> (L, 2^d)."""
    by_j = table.reshape(len(table), -1, 2, 2**j)
    return by_j[:, :, 1:].repeat(2, axis=2).reshape(table.shape)


def shapley_tables(z):
    """phi_i(F) for a leaf of value 1, by the formula above: z (L, 2^d) -> (L, d, 2^d)."""
    d = z.shape[1].bit_length() - 1
    present, missing = weights(d, 1)
    start, loss = superset_sums(z * present), superset_sums(z * (present + missing))
    return np.stack([start - if_failed(loss, i) for i in range(d)], axis=1)


def interaction_tables(z):
    """I_ij(F) / 2 for a leaf of value 1: z (L, 2^d) -> (L, d (d-1) / 2, 2^d), pairs in the order (1,0), (2,0), (2,1) ..."""
    d = z.shape[1].bit_length() - 1
    both, one, none = weights(d, 2) / 2
    start, loss, gain = superset_sums(z * both), superset_sums(z * (both + one)), superset_sums(z * (both + 2 * one + none))
    pairs = [(i, j) for i in range(d) for j in range(i)]
    tables = np.zeros((len(z), len(pairs), z.shape[1]))
    for row, (i, j) in enumerate(pairs):
        tables[:, row] = start - if_failed(loss, i) - if_failed(loss, j) + if_failed(if_failed(gain, i), j)
    return tables


def leaf_tables(paths, value, background, order):
    """Every leaf's targets and table (rows, n_outputs, 2^d, 1), from left to right, made in batches of some 2^16 numbers a row."""
    chances_of, tables_of = chances_by_cover, shapley_tables
    if background is not None:
        chances_of = chances_by_background
    if order == 2:
        tables_of = interaction_tables
    columns = {leaf: 2 ** len(paths.players[leaf]) for leaf in paths.leaves[0]}
    batch_of = dict(zip(columns, np.cumsum(list(columns.values())) * value.shape[1] // 2**16, strict=True))
    for _, batch in groupby(stand_ins(paths, background), key=lambda known: batch_of[known[0]]):
        known, by_size, ready = dict(batch), {}, {}
        for leaf in known:
            by_size.setdefault(max(len(paths.players[leaf]), min(PADDED, paths.longest)), []).append(leaf)
        for size, alike in by_size.items():
            tables = tables_of(chances_of([known[leaf] for leaf in alike], size))
            ready |= zip(alike, tables[:, :, None, :, None] * value[alike][:, None, :, None, None], strict=True)
        for leaf in known:
            targets = targets_of(paths.players[leaf], order)
            yield targets, ready[leaf][:len(targets), :, :columns[leaf]]


def targets_of(players, order):
    """Where a leaf's table rows belong: features (j,), or pairs (i, j) with i > j -> list of tuples."""
    if order == 1:
        return [(j,) for j in players]
    return [(max(i, j), min(i, j)) for place, i in enumerate(players) for j in players[:place]]


# --- blocks: leaves that answer together ------------------------------------------------------------------------------

def fitting(paths, bits):
    """The nodes whose failures above and answers below fit into so many bits, and all leaves -> set; its highest are the blocks."""
    return {t for t, leaves in enumerate(paths.leaves) if len(leaves) == 1 or len(paths.players[t]) + len(leaves) - 1 <= bits}


def block_table(paths, root, tables):
    """The targets of a block and its table (rows, n_outputs, 2^bits), its leaves' tables taken from `tables`."""
    own = list(islice(tables, len(paths.leaves[root])))
    targets = sorted(set().union(*(of_leaf for of_leaf, _ in own)))
    row, ready = {target: r for r, target in enumerate(targets)}, {}
    for leaf, (of_leaf, table) in zip(paths.leaves[root], own, strict=True):
        ready[leaf] = np.zeros((len(targets), *table.shape[1:]))
        ready[leaf][[row[target] for target in of_leaf]] = table
    table = merged(paths, root, ready)
    return targets, table.reshape(*table.shape[:2], table.shape[2] * table.shape[3])


def merged(paths, t, ready):
    """The table of all leaves at or below t: (rows, n_outputs, failures above t, answers at t and below).

    For every set of failures above t and every answer at t, the children say what they say for the failures they then see.
    """
    if t in ready:
        return ready[t]
    left, right = paths.left[t], paths.right[t]
    seen_left, seen_right = _failures_of_children(len(paths.players[t]), paths.players[left].index(paths.feature[t]))
    by_left = merged(paths, left, ready).take(seen_left, axis=2)
    by_right = merged(paths, right, ready).take(seen_right, axis=2)
    both = by_left[..., None] + by_right[..., None, :]
    return both.reshape(*both.shape[:3], 2 ** (len(paths.leaves[t]) - 1))


@cache
def _failures_of_children(d, slot):
    """The left and the right child's failures, for every set of failures above t and t's answer (0 right, 1 left) -> two (2^d, 2)."""
    above, goes_left = np.arange(2**d)[:, None], np.array([False, True])
    return [add_failure(above, slot, fails) for fails in (~goes_left, goes_left)]


def add_answers(index, paths, X, t):
    """Write the rows' answers at t and below behind the index, in place: t's own, then left's, then right's."""
    if len(paths.leaves[t]) > 1:
        index += index
        index += paths.tree.goes_left(X, t)
        add_answers(index, paths, X, paths.left[t])
        add_answers(index, paths, X, paths.right[t])


# --- one tree ---------------------------------------------------------------------------------------------------------

def add_by_tables(total, paths, value, X, background, order):
    """Add one tree's Shapley values (order 1) or halved interactions of pairs i > j (order 2) to total, in place, from tables.

    total (p, n_outputs, n) or (p, p, n_outputs, n); value (n_nodes, n_outputs); X (n, p)
    """
    tables = leaf_tables(paths, value, background, order)
    bits = int(np.clip((len(X) // value.shape[1]).bit_length() - 3, LEAST_BLOCK, MOST_BLOCK))
    for root, index in failures(paths, X, fitting(paths, bits)):
        targets, table = block_table(paths, root, tables)
        add_answers(index, paths, X, root)
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            at = index[rows].astype(np.intp)
            for target, row in zip(targets, table, strict=True):
                total[target][:, rows] += row.take(at, axis=-1)
