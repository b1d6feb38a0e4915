"""Owen's integral in place of the sum over coalitions: for few rows, or paths too long for tables.

Every feature joins with chance t. With a_j (does the row pass the tests on j?) and b_j (which share
of the training rows passes?) the path-dependent Shapley values of a leaf of value v are

    phi_i = v * integral over t of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j),

t from 0 to 1: a polynomial of degree d - 1, so Gauss-Legendre with ceil(d/2) times t is exact. The
product P of all factors is carried down the trees, the sum S of v P over the leaves below is
carried up. An edge that tests x0 again, where b falls from .6 to .2, exchanges one factor of P, and
changes one feature's gain g = (a - b) / (t a + (1-t) b):

    the row         passes            fails here        had failed above
    case            0                 1                 2
    old factor      t + (1-t) .6      t + (1-t) .6      (1-t) .6
    new factor      t + (1-t) .2      (1-t) .2          (1-t) .2
    old gain        .4 / old factor   .4 / old factor   -1 / (1-t)
    new gain        .8 / new factor   -1 / (1-t)        -1 / (1-t)

Then phi_0 grows by the integral of (new gain - old gain) * S. All rows walk down some trees
together, level by level. Sources: Owen (1972); Yu, Bifet, Read and Xu (2022).
"""

import numpy as np

from fi_teach.basics.games import gauss_legendre
from fi_teach.fast.forest_arrays import NOTHING, forest_arrays, neighbours, portions

NUMBERS_AT_ONCE = 2**18  # nodes times rows: 2 MB
PAIRS_AN_EDGE = 16  # for interactions, so many times fewer: an edge meets the features above it
FEWEST_ROWS, MOST_ROWS = 8, 256  # more rows leave room for fewer trees, between these bounds


def add_by_walk(total, trees, values, X):
    """Add path-dependent Shapley values or interactions of some trees to total, in place.

    total (p, K, n) or (p, p, K, n), values at (i, i) and interactions at i > j; X (n, p)
    -> the trees' mean over the training rows (K,)
    """
    size = NUMBERS_AT_ONCE if total.ndim == 3 else NUMBERS_AT_ONCE // PAIRS_AN_EDGE
    n_together = size // min(max(len(X), FEWEST_ROWS), MOST_ROWS)
    mean = 0
    for some in neighbours([tree.n_nodes for tree in trees], n_together):
        forest = forest_arrays(trees[some], np.concatenate(values[some]))
        mean += forest.mean_by_training(np.ones(len(forest.roots), dtype=bool))
        for rows in portions(len(X), size // len(forest.left)):
            if forest.levels:
                walk(total[..., rows], forest, X[rows])
    return mean


def walk(total, forest, X):
    """All rows down and up again, at one time t after the other."""
    failed = forest.failed_tests(X)
    case = 3 * np.arange(len(failed))[:, None] + failed[forest.previous] + failed
    shares, pair_shares = 0.0, 0.0
    for t, weight in zip(*gauss_legendre(int(forest.n_on_path.max())), strict=True):
        share = weighted_sums(forest, case, t)
        share *= weight * by_case(gain_changes(forest, t), case)
        shares = shares + share
        if total.ndim == 4:
            pair_shares = pair_shares + times_other_gains(forest, failed, share, t)
    if total.ndim == 4:
        add_pairs(total, forest, pair_shares)
        total = np.einsum("iikn->ikn", total)  # a view: the values of single features
    add_by_target(total, [forest.tested], shares)


def weighted_sums(forest, case, t):
    """S: the values of the leaves below, times the product of their factors -> (K, N, n)."""
    product = by_case(factor_changes(forest, t), case)
    for s in forest.levels:
        for child in (forest.left[s], forest.right[s]):
            product[child] *= product[s]
    sums = np.where(forest.is_leaf, forest.value.T, 0)[..., None] * product
    for s in reversed(forest.levels):
        sums[:, s] = sums[:, forest.left[s]] + sums[:, forest.right[s]]
    return sums


def by_case(table, case):
    """Each row's entry in its edge's table: three arrays (N,) -> (N, n)."""
    return np.stack(table, axis=1).ravel().take(case)


def factor_changes(forest, t):
    """What an edge multiplies the product by, new factor over old -> three arrays (N,).

    Where no training weight passed above, a row that had failed has product 0: 0/0 is 0 here.
    """
    old_b, new_b = forest.pass_share[forest.previous], forest.pass_share
    old = t + (1 - t) * old_b
    had_failed = np.divide(new_b, old_b, out=np.zeros_like(new_b), where=old_b > 0)
    return [(t + (1 - t) * new_b) / old, (1 - t) * new_b / old, had_failed]


def gain_changes(forest, t):
    """How an edge changes the gain of its feature -> three arrays (N,)."""
    passes = gain_of_passing(forest, t)
    old = passes[forest.previous]
    return [passes - old, -1 / (1 - t) - old, np.zeros_like(old)]


def gain_of_passing(forest, t):
    """The gain of an edge's feature, for a row that passes its tests so far -> (N,)."""
    return (1 - forest.pass_share) / (t + (1 - t) * forest.pass_share)


def times_other_gains(forest, failed, share, t):
    """The share of each edge, times the gain of each feature above it -> (K, N, D, n)."""
    gains = np.where(failed, -1 / (1 - t), gain_of_passing(forest, t)[:, None])
    return share[:, :, None] * gains[forest.last_edges[forest.parent]]


def add_pairs(total, forest, pair_shares):
    """Add half of what two features contribute together to their pair, i > j, in place."""
    edge, place = np.nonzero(forest.last_edges[forest.parent] >= 0)
    other = forest.last_edges[forest.parent[edge], place]
    i, j = forest.tested[edge], forest.tested[other]
    differ = np.flatnonzero(i != j)
    pair = [np.maximum(i, j)[differ], np.minimum(i, j)[differ]]
    add_by_target(total, pair, pair_shares[:, edge[differ], place[differ]] / 2)


def add_by_target(total, targets, shares):
    """total[target of edge e] += shares[:, e], in place: targets, arrays (edges,), or NOTHING."""
    order = np.lexsort(targets)
    targets = np.stack(targets)[:, order]
    starts = np.flatnonzero(np.diff(targets, prepend=NOTHING - 1).any(axis=0))
    together = np.add.reduceat(shares[:, order], starts, axis=1)
    some = targets[0, starts] != NOTHING
    total[tuple(targets[:, starts[some]])] += together[:, some].swapaxes(0, 1)
