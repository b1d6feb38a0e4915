"""Where paths test too many features for tables of 2^d columns, the tree is walked with all rows, or all pairs, at once.

Path-dependent: Owen's integral in place of the sum over coalitions. Every player joins with probability t; with a_j (does the
row pass the tests on j?) and b_j (which share of training rows passes?) a leaf's Shapley values are

    phi_i = v * integral from 0 to 1 of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j) dt,

a polynomial of degree d-1 in t, so Gauss-Legendre with ceil(d/2) nodes is exact. The product is carried down, one factor
exchanged at each split; the sum over the leaves below is carried up. Sources: Owen (1972); Yu, Bifet, Read and Xu (2022).

Interventional: a row and a background row, mixed, reach a leaf only if no feature fails both. Then the features on which the
background row fails must come from the row, those on which the row fails must come from the background row, the rest from either.
"""

from functools import cache
from math import factorial

import numpy as np

from fi_teach.basics.tree import LEAF
from fi_teach.fast.tree_shap_tables import failures, targets_of

NUMBERS_AT_ONCE = 2**14  # rows walked together, times nodes of the quadrature: so many numbers at each level of the tree
PAIRS_AT_ONCE = 2**16


def gauss_legendre(d):
    """Nodes and weights on (0, 1) that integrate polynomials of degree d - 1 exactly -> (Q,), (Q,), Q = ceil(d/2)."""
    t, weight = np.polynomial.legendre.leggauss(max(1, (d + 1) // 2))
    return (t + 1) / 2, weight / 2


# --- path-dependent: all rows at once ---------------------------------------------------------------------------------

def add_by_quadrature(total, paths, value, X, order):
    """Add one tree's path-dependent values (order 1) or halved interactions of pairs i > j (order 2) to total, in place.

    total (p, n_outputs, n) or (p, p, n_outputs, n). An interaction is a value's difference between player i in and player i out.
    """
    size = max(1, NUMBERS_AT_ONCE // paths.longest)
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        if order == 1:
            walk_rows(total[..., rows], paths, value, X[rows])
            continue
        for i in sorted({i for i in paths.feature if i >= 0}):
            difference = np.zeros_like(total[0, ..., rows])
            walk_rows(difference, paths, value / 2, X[rows], given=(i, 1.0))
            walk_rows(difference, paths, -value / 2, X[rows], given=(i, 0.0))
            total[i, :i, :, rows] += difference[:i]


def walk_rows(total, paths, value, X, given=(None, 0.0)):
    """Add every row's Shapley values to total (p, n_outputs, n), one player `given` as in (1) or out (0), down the tree and up.

    Down goes the product of the factors t a_j + (1-t) b_j, (Q, n); up comes its sum over the leaves, times their values.
    """
    t, weight = gauss_legendre(paths.longest)
    nobody = np.zeros(len(X), dtype=bool)

    def below(node, product, failed):
        if paths.left[node] == LEAF:
            return value[node][:, None, None] * product
        left = paths.tree.goes_left(X, node)
        return step(node, paths.left[node], ~left, product, failed) + step(node, paths.right[node], left, product, failed)

    def step(node, child, fails, product, failed):
        j = paths.feature[node]
        was = failed.get(j, nobody)
        now, b_was, b_now = was | fails, _passing(paths, node, j), _passing(paths, child, j)
        case = was.astype(np.intp) + now  # 0 passes, 1 fails here, 2 had failed before
        joins = t if j != given[0] else np.full(len(t), given[1])
        sums = below(child, product * factor_change(b_was, b_now, joins).take(case, axis=1), failed | {j: now})
        if j != given[0]:
            gain = weight[:, None] * gain_change(b_was, b_now, t)
            total[j] += np.einsum("qn,kqn->kn", gain.take(case, axis=1), sums)
        return sums

    below(0, np.ones((len(t), len(X))), {})


def _passing(paths, node, j):
    """b_j above a node: the share of training rows that pass the tests on j, 1 where there are none."""
    return paths.reach[node][paths.players[node].index(j)] if j in paths.players[node] else 1.0


def factor_change(b_was, b_now, t):
    """What a split multiplies the product by, new factor over old, for rows that pass, fail here, or had failed -> (Q, 3).

    Where no training weight passed before, the old product is 0 or the row's own; 0 / 0 is taken as 0.
    """
    passed = t + (1 - t) * b_was
    safe = np.where(passed > 0, passed, np.inf)
    return np.stack([(t + (1 - t) * b_now) / safe, (1 - t) * b_now / safe, np.full(len(t), b_now / (b_was or np.inf))], axis=1)


def gain_change(b_was, b_now, t):
    """How (a_j - b_j) / (t a_j + (1-t) b_j), a leaf's gain by j per product, changes at a split, in the same three cases -> (Q, 3)."""
    before, after = ((1 - b) / (t + (1 - t) * b) for b in (b_was, b_now))
    return np.stack([after - before, -1 / (1 - t) - before, np.zeros(len(t))], axis=1)


# --- interventional: all pairs at once --------------------------------------------------------------------------------

def add_by_pairs(total, paths, value, X, background, order):
    """Add one tree's interventional values (order 1) or halved interactions of pairs i > j (order 2) to total, in place.

    total (p, n_outputs, n) or (p, p, n_outputs, n); every row of X meets every row of the background (m, p).
    """
    leaves, size = set(paths.leaves[0]), max(1, PAIRS_AT_ONCE // len(background))
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        for (leaf, failed), (_, theirs) in zip(failures(paths, X[rows], leaves), failures(paths, background, leaves), strict=True):
            shares = leaf_shares(failed, theirs, len(paths.players[leaf]), order) / len(background)
            for target, share in zip(targets_of(paths.players[leaf], order), shares, strict=True):
                total[target][:, rows] += value[leaf][:, None] * share


def leaf_shares(failed, theirs, d, order):
    """A leaf's Shapley values (order 1) or halved interactions of players i > j (order 2), summed over the background rows.

    Of the row and a background row that share no failure, "mine" are the u players on which the background row fails, "theirs"
    the w on which the row does. The leaf is reached with all of mine and none of theirs from the row, which is worth
    (u-1)! w! / (u+w)! to each of mine, -u! (w-1)! / (u+w)! to each of theirs, 0 to the rest.
    failed (n,), theirs (m,) failures as bits, value 1 -> (d, n) or (d (d-1) / 2, n)
    """
    x_fails, z_fails = (np.array([who >> i & 1 for i in range(d)]).astype(float) for who in (failed, theirs))  # (d, n), (d, m)
    w, u = (fails.sum(axis=0).astype(int) for fails in (x_fails, z_fails))
    at = np.flatnonzero((failed[:, None] & theirs) == 0)
    row, other = np.divmod(at, len(theirs))

    def worth(mine, theirs):  # of so many of mine and of theirs, for all pairs: (m, n)
        table = np.zeros(x_fails.shape[1] * z_fails.shape[1])
        table[at] = _shares(d, mine, theirs)[u[other], w[row]]
        return table.reshape(len(failed), -1).T

    if order == 1:
        return z_fails @ worth(1, 0) - x_fails * worth(0, 1).sum(axis=0)
    i, j = np.array([(i, j) for i in range(d) for j in range(i)], dtype=int).reshape(-1, 2).T
    mixed = z_fails @ worth(1, 1)
    return ((z_fails[i] * z_fails[j]) @ worth(2, 0) + x_fails[i] * x_fails[j] * worth(0, 2).sum(axis=0)
            - mixed[i] * x_fails[j] - mixed[j] * x_fails[i]) / 2


@cache
def _shares(d, mine, theirs):
    """(u - mine)! (w - theirs)! / (u + w - mine - theirs + 1)! for u, w = 0 ... d, and 0 where that has no sense -> (d+1, d+1)."""
    table = np.zeros((d + 1, d + 1))
    for u in range(mine, d + 1):
        for w in range(theirs, d + 1 - u):
            table[u, w] = factorial(u - mine) * factorial(w - theirs) / factorial(u + w - mine - theirs + 1)
    return table
