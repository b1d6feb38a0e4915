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

There is no need of a line for each player. Whether i is in F or not,

    phi_i(F) = L0(F) - L1(F + i)        L0(F) = v * sum over c that hold F of w(|c|) z(c)
                                        L1(F) = likewise, of (w(|c|) + w(|c| - 1)) z(c)

Interactions are the same once more: with three lines, whose weights are those of d - 1 players,

    I_ij(F) = (L0(F) - L1(F + i)) - (L1(F + j) - L2(F + i + j))

So a leaf has order + 1 lines, and what its players are paid are differences of differences. The
order is 1 for Shapley values, 2 for interactions.
"""

from functools import cache

import numpy as np

from fi_teach.basics.games import shapley_weights


def leaf_lines(z, order):
    """L0 ... L_order of leaves of value 1, halved for pairs: z (L, 2^d) -> (order + 1, L, 2^d).

    >>> leaf_lines(np.array([[1, 1/2, 1/2, 1/4]]), 1)[:, 0].tolist()
    [[1.0, 0.25, 0.25, 0.0], [1.625, 0.625, 0.625, 0.125]]
    """
    d = z.shape[1].bit_length() - 1
    if d < order:
        return np.zeros((order + 1, *z.shape))
    return superset_sums(np.multiply(weights(d, order)[:, None], z, order="C"))


@cache
def weights(d, order):
    """The weight of each c in the lines of a leaf, for pairs halved -> (order + 1, 2^d)."""
    w = shapley_weights(d - order + 1).tolist()
    by_size = np.array([[0.0] * k + w + [0.0] * (order - k) for k in range(order + 1)]) / order
    for k in range(order):  # a line that a player has left counts c with and without the player
        by_size[k + 1:] = by_size[k + 1:] + by_size[k:-1]
    return by_size[:, np.bitwise_count(np.arange(2**d))]


def superset_sums(weighted):
    """sum over c that hold F of weighted(c), for every F: (..., 2^d) -> (..., 2^d), in place.

    >>> superset_sums(np.array([[1.0, 2.0, 3.0, 4.0]]))
    array([[10.,  6.,  7.,  4.]])
    """
    for j in range(weighted.shape[-1].bit_length() - 1):
        by_j = weighted.reshape(-1, 2, 2**j)
        by_j[:, 0] += by_j[:, 1]
    return weighted


def paid(lines, players, shift=0):
    """What every set of as many players as there are differences is paid.

    lines (r + 1, ..., 2^b), in which a failed player i is bit shift + i
    -> the S sets (S, r), and their tables (S, ..., 2^b)

    >>> who, tables = paid(leaf_lines(np.array([[1, 1/2, 1/2, 1/4]]), 1), 2)
    >>> tables[who[:, 0] == 1]
    array([[[ 0.375,  0.125, -0.375, -0.125]]])
    """
    who = sets_of(players, len(lines) - 1)
    tables = np.empty((len(who), *lines.shape[1:]))
    pay_into(tables, lines, players, shift)
    return np.array(who, dtype=int).reshape(len(who), len(lines) - 1), tables


@cache
def sets_of(players, r):
    """All sets of r players, the last one first -> list of tuples.

    >>> sets_of(3, 2)
    [(1, 0), (2, 0), (2, 1)]
    """
    if r == 0:
        return [()]
    return [(i, *others) for i in range(players) for others in sets_of(i, r - 1)]


def pay_into(tables, lines, players, shift):
    """Fill in the tables of sets_of: a player after the other is failed, or not."""
    if len(lines) == 1:
        tables[0] = lines[0]
    elif len(lines) == 2:
        for i in range(players):
            without(lines, 2 ** (shift + i), tables[i:i + 1])
    else:
        end = 0
        for i in range(players):
            begin, end = end, end + len(sets_of(i, len(lines) - 2))
            less = without(lines, 2 ** (shift + i), np.empty_like(lines[1:]))
            pay_into(tables[begin:end], less, i, shift)


def without(lines, bit, out):
    """L_k(F) - L_(k+1)(F + i), where i's bit is `bit`: (r + 1, ..., 2^b) -> out (r, ..., 2^b)."""
    by_i = lines.reshape(*lines.shape[:-1], -1, 2, bit)
    np.subtract(by_i[:-1], by_i[1:, ..., 1:, :], out=out.reshape(by_i[1:].shape))
    return out


# --- chances: z(c) of L leaves, one row a leaf ---

def chances_by_cover(reach):
    """z(c) = product over c of the training share that passes: (L, d) -> (L, 2^d), by doubling.

    >>> chances_by_cover(np.array([[0.5, 0.25]]))
    array([[1.   , 0.5  , 0.25 , 0.125]])
    """
    z = np.ones((len(reach), 1))
    for share in reach.T:
        z = np.hstack([z, z * share[:, None]])
    return z


def chances_by_background(counts):
    """z(c) = share of background rows that fail nothing in c: counts by failures (L, 2^d) -> same.

    >>> chances_by_background(np.array([[1.0, 0.0, 2.0, 1.0]]))
    array([[1.  , 0.75, 0.25, 0.25]])
    """
    n_passing = superset_sums(counts[:, ::-1].copy())
    return n_passing / n_passing[:, :1]
