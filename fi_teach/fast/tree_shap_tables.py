"""A leaf asks yes/no questions: all it knows of a row is the set of features on which it fails.

Take a leaf of value v whose path asks d distinct features: a game of d players. The features c that
a coalition lacks are filled in by chance. It reaches the leaf, and earns v * z(c), if c holds every
feature on which the row fails; z(c) is the chance that a stand-in passes all tests on c. So the
Shapley values depend on the row through its failures F alone, and sums over the supersets of F give
them for all F at once:

    phi_i(F)  =  v * (   sum over c that hold F and lack i  of  w(|c|)     z(c)
                       - sum over c that hold F and i       of  w(|c| - 1) z(c) )

with w(s) = s! (d-s-1)! / d!. Path-dependent and interventional values differ in z and nothing else.
A leaf of value 1 behind x0 and x1, where a stand-in passes each test with chance 1/2 (an AND gate
of fair bits); the last bit of F and c is x0, the one before it x1:

    F or c           00     01     10     11
    z(c)              1    1/2    1/2    1/4
    phi of x0       3/8   -3/8    1/8   -1/8       the row (1, 0) fails on x1: it looks up F = 10,
    phi of x1       3/8    1/8   -3/8   -1/8       1/8 and -3/8

Leaves near each other answer together. A block is a subtree with one table for all its leaves. Its
index has the failures above it, then the answers inside, 1 for "left". A block with two features
above and two splits, of which the row fails x1 above, and goes left, then right:

    index    1 0   1 0        x1 and x0 above; the block's own question, then its left child's
"""

from functools import cache

import numpy as np

from fi_teach.basics.games import shapley_weights

LEAST_BLOCK, MOST_BLOCK = 10, 16  # bits of a block's index: 2^10 to 2^16 columns of its table
PADDED = 6  # players; shorter paths are padded, as one call on a larger table costs less than two
COLUMNS_AT_ONCE = 2**16  # of leaves that are tabulated in one go
ROWS_AT_ONCE = 2**14  # rows whose indices and values stay in the processor's cache


def add_by_tables(total, task, X):
    """Add one tree's Shapley values or interactions to total, in place, from tables.

    total (p, n_outputs, n) or (p, p, n_outputs, n); X (n, p)
    """
    paths, n_outputs = task.paths, task.value.shape[1]
    bits = (len(X) // n_outputs).bit_length() - 3
    bits = min(max(bits, LEAST_BLOCK), MOST_BLOCK)
    for batch in batches(paths, bits, COLUMNS_AT_ONCE // n_outputs):
        leaves = [leaf for block in batch for leaf in paths.leaves_below(block)]
        tables = leaf_tables(task, leaves)
        for block, index in failures(paths, X, batch):
            targets, table = block_table(paths, block, tables)
            add_answers(index, paths, X, block)
            look_up(total, targets, table, index)


def look_up(total, targets, table, index):
    """Add to each target what its row of the table says at the rows' indices."""
    for start in range(0, len(index), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        at = index[rows].astype(np.intp)
        for target, row in zip(targets, table, strict=True):
            total[target][:, rows] += row.take(at, axis=-1)


# --- rows: what they fail above a node, and answer below it ---

def failures(paths, X, stops):
    """Walk all rows to the nodes of `stops`, from left to right.

    Yields (t, what each row fails above t, as bits (n,)).
    """
    start = paths.first[stops[0]]
    end = paths.first[stops[-1]] + paths.n_leaves[stops[-1]]
    stops = set(stops)
    waiting = [(0, np.zeros(len(X), dtype=np.uint16))]
    while waiting:
        t, failed = waiting.pop()
        if t in stops:
            yield t, failed
            continue
        left, right = paths.left[t], paths.right[t]
        goes_left = paths.tree.goes_left(X, t)
        if paths.first[right] < end:
            fails_right = add_failure(failed, paths.player[right], goes_left)
            waiting.append((right, fails_right))
        if paths.first[right] > start:
            fails_left = add_failure(failed, paths.player[left], ~goes_left)
            waiting.append((left, fails_left))


def add_failure(failed, player, fails):
    """Failures so far and one more test's outcome: who failed a feature once has failed it."""
    return failed | np.left_shift(fails, player, dtype=failed.dtype)


def add_answers(index, paths, X, t):
    """Write the rows' answers behind the index, in place: t's own, then left's, then right's."""
    if paths.n_leaves[t] > 1:
        index += index
        index += paths.tree.goes_left(X, t)
        add_answers(index, paths, X, paths.left[t])
        add_answers(index, paths, X, paths.right[t])


# --- chances: z(c) of L leaves, one row a leaf ---

def stand_ins(task, leaves):
    """What is known of the stand-ins at each leaf -> dict of reach, or of counts by failures."""
    paths = task.paths
    if task.background is None:
        return {leaf: paths.reach(leaf) for leaf in leaves}
    return {
        leaf: np.bincount(failed, minlength=2 ** paths.n_players[leaf])
        for leaf, failed in failures(paths, task.background, leaves)}


def chances_by_cover(reach, d):
    """z(c) = product over c of the training share that passes: L tuples -> (L, 2^d), by doubling.

    Players beyond a leaf's own always pass, which makes them dummies.

    >>> chances_by_cover([(0.5, 0.25)], 2)
    array([[1.   , 0.5  , 0.25 , 0.125]])
    """
    padded = np.array([shares + (1.0,) * (d - len(shares)) for shares in reach])
    z = np.ones((len(reach), 1))
    for share in padded.T:
        with_player = z * share[:, None]
        z = np.hstack([z, with_player])
    return z


def chances_by_background(counts, d):
    """z(c) = share of background rows that fail nothing in c: L arrays by failures -> (L, 2^d).

    Players beyond a leaf's own are never failed.

    >>> chances_by_background([np.array([1, 0, 2, 1])], 2)
    array([[1.  , 0.75, 0.25, 0.25]])
    """
    total = np.zeros((len(counts), 2**d))
    for row, count in zip(total, counts, strict=True):
        row[:len(count)] = count
    for j in range(d):  # sums over subsets: what is not in c may be failed or not
        by_j = total.reshape(len(total), -1, 2, 2**j)
        by_j[:, :, 1] += by_j[:, :, 0]
    return total[:, ::-1] / total[:, -1:]


# --- tables: one row a player or pair, one column a set of failures ---

@cache
def weights(d, order):
    """w(|c| - k) for every c, where k = 0 ... order of a row's players are missing.

    -> (order + 1, 2^d)
    """
    w = shapley_weights(d - order + 1).tolist()
    by_size = [[0.0] * k + w + [0.0] * (order - k) for k in range(order + 1)]
    size = np.bitwise_count(np.arange(2**d))
    return np.array(by_size)[:, size]


def superset_sums(weighted):
    """sum over c that hold F of weighted(c), for every F: (L, 2^d) -> (L, 2^d).

    >>> superset_sums(np.array([[1.0, 2.0, 3.0, 4.0]]))
    array([[10.,  6.,  7.,  4.]])
    """
    d = weighted.shape[1].bit_length() - 1
    total = weighted.copy()
    for j in range(d):
        by_j = total.reshape(len(total), -1, 2, 2**j)
        by_j[:, :, 0] += by_j[:, :, 1]
    return total


def if_failed(table, j):
    """table(F + j), for every F: (L, 2^d) -> (L, 2^d)."""
    by_j = table.reshape(len(table), -1, 2, 2**j)
    failed = by_j[:, :, 1:]
    return failed.repeat(2, axis=2).reshape(table.shape)


def shapley_tables(z):
    """phi_i(F) for a leaf of value 1, by the formula above: z (L, 2^d) -> (L, d, 2^d).

    >>> shapley_tables(np.array([[1, 1/2, 1/2, 1/4]]))
    array([[[ 0.375, -0.375,  0.125, -0.125],
            [ 0.375,  0.125, -0.375, -0.125]]])
    """
    d = z.shape[1].bit_length() - 1
    present, missing = weights(d, 1)
    gain = superset_sums(z * present)
    loss = superset_sums(z * (present + missing))
    return np.stack([gain - if_failed(loss, i) for i in range(d)], axis=1)


def interaction_tables(z):
    """I_ij(F) / 2 for a leaf of value 1, for the pairs (1,0), (2,0), (2,1) and so on.

    z (L, 2^d) -> (L, d (d-1) / 2, 2^d)
    """
    d = z.shape[1].bit_length() - 1
    both, one, none = weights(d, 2) / 2
    start = superset_sums(z * both)
    loss = superset_sums(z * (both + one))
    gain = superset_sums(z * (both + 2 * one + none))
    losses = [if_failed(loss, i) for i in range(d)]
    pairs = [(i, j) for i in range(d) for j in range(i)]
    tables = np.zeros((len(z), len(pairs), z.shape[1]))
    for row, (i, j) in enumerate(pairs):
        if_both_failed = if_failed(if_failed(gain, i), j)
        tables[:, row] = start - losses[i] - losses[j] + if_both_failed
    return tables


def leaf_tables(task, leaves):
    """For each leaf its targets and its table (rows, n_outputs, 2^d, 1) -> dict by leaf.

    Leaves with as many players (short paths are padded) are tabulated in one go.
    """
    paths, known = task.paths, stand_ins(task, leaves)
    chances_of = chances_by_cover if task.background is None else chances_by_background
    tables_of = shapley_tables if task.order == 1 else interaction_tables
    by_size, found = {}, {}
    for leaf in leaves:
        size = max(paths.n_players[leaf], min(PADDED, paths.longest))
        by_size.setdefault(size, []).append(leaf)
    for size, alike in by_size.items():
        z = chances_of([known[leaf] for leaf in alike], size)
        value = task.value[alike][:, None, :, None, None]
        tables = tables_of(z)[:, :, None, :, None] * value
        for leaf, table in zip(alike, tables, strict=True):
            targets = targets_of(paths.players(leaf), task.order)
            columns = 2 ** paths.n_players[leaf]
            found[leaf] = targets, table[:len(targets), :, :columns]
    return found


def targets_of(players, order):
    """Where a table's rows belong: features (j,), or pairs (i, j) with i > j -> list of tuples."""
    if order == 1:
        return [(j,) for j in players]
    pairs = [(i, j) for place, i in enumerate(players) for j in players[:place]]
    return [(max(pair), min(pair)) for pair in pairs]


# --- blocks: leaves that answer together ---

def blocks_of(paths, bits):
    """The highest nodes whose failures above and answers below fit into so many bits.

    -> list, from left to right; a leaf fits always
    """
    blocks, waiting = [], [0]
    while waiting:
        t = waiting.pop()
        n_answers = paths.n_leaves[t] - 1
        if n_answers == 0 or paths.n_players[t] + n_answers <= bits:
            blocks.append(t)
        else:
            waiting += [paths.right[t], paths.left[t]]
    return blocks


def batches(paths, bits, most_columns):
    """Neighbouring blocks whose leaves' tables have so many columns together, or few more.

    -> list of lists
    """
    found, columns = [], most_columns
    for block in blocks_of(paths, bits):
        if columns >= most_columns:
            found.append([])
            columns = 0
        found[-1].append(block)
        for leaf in paths.leaves_below(block):
            columns += 2 ** paths.n_players[leaf]
    return found


def block_table(paths, block, tables):
    """The targets of a block and its table, put together from its leaves' tables.

    -> sorted targets, (rows, n_outputs, 2^bits)
    """
    own = {leaf: tables[leaf] for leaf in paths.leaves_below(block)}
    targets = sorted(set().union(*[of_leaf for of_leaf, _ in own.values()]))
    row = {target: r for r, target in enumerate(targets)}
    ready = {}
    for leaf, (of_leaf, table) in own.items():
        rows = [row[target] for target in of_leaf]
        ready[leaf] = np.zeros((len(targets), *table.shape[1:]))
        ready[leaf][rows] = table
    table = merged(paths, block, ready)
    n_rows, n_outputs, above, inside = table.shape
    return targets, table.reshape(n_rows, n_outputs, above * inside)


def merged(paths, t, ready):
    """The table of all leaves at or below t, from those of single leaves.

    -> (rows, n_outputs, failures above t, answers at t and below). For every set of failures above
    and every answer at t, the children say what they say for the failures that they then see.
    """
    if t in ready:
        return ready[t]
    left, right = paths.left[t], paths.right[t]
    seen = _failures_of_children(paths.n_players[t], paths.player[left])
    by_left = merged(paths, left, ready).take(seen[0], axis=2)
    by_right = merged(paths, right, ready).take(seen[1], axis=2)
    both = by_left[..., None] + by_right[..., None, :]
    n_answers = paths.n_leaves[t] - 1
    return both.reshape(*both.shape[:3], 2**n_answers)


@cache
def _failures_of_children(d, player):
    """What the left and the right child see, for every set of failures above and answer.

    -> two arrays (2^d, 2)
    """
    above, goes_left = np.arange(2**d)[:, None], np.array([False, True])
    return [add_failure(above, player, fails) for fails in (~goes_left, goes_left)]
