"""Where paths test too many features for tables of 2^d columns, the tree is walked with all rows, or all pairs, at once.

Path-dependent: Owen's integral in place of the sum over coalitions. Every player joins with probability t; with a_j (does the
row pass the tests on j?) and b_j (which share of training rows passes?) a leaf's Shapley values are

    phi_i = v * integral from 0 to 1 of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j) dt,

a polynomial of degree d-1 in t, so Gauss-Legendre with ceil(d/2) nodes is exact. The product is carried down, one factor
exchanged at each split; the sum over the leaves below is carried up. Sources: Owen (1972); Yu, Bifet, Read and Xu (2022).

Interventional: a row and a background row walk together and part where they answer differently.
"""

from math import factorial

import numpy as np

from fi_teach.importance.tree_shap.patterns import targets_of
from fi_teach.trees.tree import LEAF

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
    size = max(1, PAIRS_AT_ONCE // len(background))
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        for leaf, row, mine, theirs in walk_pairs(paths, X[rows], background):
            shares = leaf_shares(mine, theirs, len(paths.players[leaf]), order)
            for target, share in zip(targets_of(paths.players[leaf], order), shares, strict=True):
                by_row = np.bincount(row, share, minlength=len(X[rows])) / len(background)
                total[target][:, rows] += value[leaf][:, None] * by_row


def walk_pairs(paths, X, background):
    """The pairs of a row and a background row some mixture of which reaches a leaf: yields (leaf, row, mine, theirs).

    row (pairs,) ; mine, theirs (pairs,) bits of the leaf's players that must come from the row, from the background row
    """
    kind = np.int64 if paths.longest < 63 else object  # Python's own integers have room for any number of bits
    row, other = (index.ravel() for index in np.indices((len(X), len(background))))
    stack = [(0, row, other, np.zeros(len(row), dtype=kind), np.zeros(len(row), dtype=kind))]
    while stack:
        t, row, other, mine, theirs = stack.pop()
        if paths.left[t] == LEAF:
            yield t, row, mine, theirs
            continue
        x_left, z_left = paths.tree.goes_left(X, t)[row], paths.tree.goes_left(background, t)[other]
        bit = np.array(1 << paths.players[paths.left[t]].index(paths.feature[t]), dtype=mine.dtype)
        for child, x_passes, z_passes in ((paths.left[t], x_left, z_left), (paths.right[t], ~x_left, ~z_left)):
            reaches = np.where(mine & bit != 0, x_passes, np.where(theirs & bit != 0, z_passes, x_passes | z_passes))
            on = np.flatnonzero(reaches)
            only_x, only_z = (x_passes & ~z_passes)[on], (z_passes & ~x_passes)[on]
            stack.append((child, row[on], other[on], mine[on] | only_x * bit, theirs[on] | only_z * bit))


def leaf_shares(mine, theirs, d, order):
    """Shapley values (order 1) or halved interactions of players i > j (order 2) of the game "all of mine and none of theirs".

    With u in mine and w in theirs: (u-1)! w! / (u+w)! to each of mine, -u! (w-1)! / (u+w)! to each of theirs, 0 to the rest.
    mine, theirs (pairs,) bits -> list of (pairs,)
    """
    in_mine, in_theirs = ([(who >> i & 1).astype(bool) for i in range(d)] for who in (mine, theirs))
    u, w = (np.sum(members, axis=0) for members in (in_mine, in_theirs))
    if order == 1:
        plus, minus = _shares(d, 1, 0)[u, w], -_shares(d, 0, 1)[u, w]
        return [in_mine[i] * plus + in_theirs[i] * minus for i in range(d)]
    plus, minus, other = _shares(d, 2, 0)[u, w] / 2, -_shares(d, 1, 1)[u, w] / 2, _shares(d, 0, 2)[u, w] / 2
    return [(in_mine[i] & in_mine[j]) * plus + (in_theirs[i] & in_theirs[j]) * other
            + (in_mine[i] & in_theirs[j] | in_theirs[i] & in_mine[j]) * minus for i in range(d) for j in range(i)]


def _shares(d, mine, theirs):
    """(u - mine)! (w - theirs)! / (u + w - mine - theirs + 1)! for u, w = 0 ... d, and 0 where that has no sense -> (d+1, d+1)."""
    table = np.zeros((d + 1, d + 1))
    for u in range(mine, d + 1):
        for w in range(theirs, d + 1 - u):
            table[u, w] = factorial(u - mine) * factorial(w - theirs) / factorial(u + w - mine - theirs + 1)
    return table
