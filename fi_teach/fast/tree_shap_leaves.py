"""Tables of a leaf: what it contributes depends on which features' tests a row fails, no more.

Take a leaf of value v whose path tests d distinct features: a game of d players. The features c
that a coalition lacks are filled in by chance. It reaches the leaf, and is worth v * z(c), if c
holds every feature on which the row fails; z(c) is the chance that a stand-in passes all tests on
c. So the Shapley values depend on the row through its failed features F alone, and sums over the
supersets of F give them for all F at once:

    phi_i(F)  =  v * (   sum over c that hold F and lack i  of  w(|c|)     z(c)
                       - sum over c that hold F and i       of  w(|c| - 1) z(c) )

with w(s) = s! (d-s-1)! / d!. Path-dependent and interventional values differ in z and nothing else.
A leaf of value 1 behind x0 and x1, where a stand-in passes each test with chance 1/2 (an AND gate
of fair bits); the last bit of F and c is x0, the one before it x1:

    F or c           00     01     10     11
    z(c)              1    1/2    1/2    1/4
    phi of x0       3/8   -3/8    1/8   -1/8       the row (1, 0) fails on x1: it looks up F = 10,
    phi of x1       3/8    1/8   -3/8   -1/8       1/8 and -3/8

There is no need of a table for each feature. Whether i is in F or not,

    phi_i(F) = T0(F) - T1(F + i)        T0(F) = v * sum over c that hold F of w(|c|) z(c)
                                        T1(F) = likewise, of (w(|c|) + w(|c| - 1)) z(c)

Interactions are the same once more: with three tables, whose weights are those of d - 1 players,

    I_ij(F) = (T0(F) - T1(F + i)) - (T1(F + j) - T2(F + i + j))

So a leaf has order + 1 tables, and the contributions of its features are differences of
differences. The order is 1 for Shapley values, 2 for interactions.
"""

from functools import cache

import numpy as np

from fi_teach.basics.games import shapley_weights

BITS_BY_PRODUCT = 4  # so many features at a time are summed over by a matrix product


def leaf_tables(z, order):
    """T0 ... T_order of leaves of value 1, halved for pairs: z (L, 2^d) -> (order + 1, L, 2^d).

    >>> leaf_tables(np.array([[1, 1/2, 1/2, 1/4]]), 1)[:, 0].tolist()
    [[1.0, 0.25, 0.25, 0.0], [1.625, 0.625, 0.625, 0.125]]
    """
    d = z.shape[1].bit_length() - 1
    if d < order:
        return np.zeros((order + 1, *z.shape))
    return superset_sums(np.multiply(weights(d, order)[:, None], z, order="C"))


@cache
def weights(d, order):
    """The weight of each c in the tables of a leaf, for pairs halved -> (order + 1, 2^d)."""
    w = shapley_weights(d - order + 1).tolist()
    by_size = np.array([[0.0] * k + w + [0.0] * (order - k) for k in range(order + 1)]) / order
    for k in range(order):  # a table that a feature has left counts c with and without it
        by_size[k + 1:] = by_size[k + 1:] + by_size[k:-1]
    return by_size[:, np.bitwise_count(np.arange(2**d))]


def superset_sums(weighted):
    """sum over c that hold F of weighted(c), for every F: (..., 2^d) -> (..., 2^d).

    >>> superset_sums(np.array([[1.0, 2.0, 3.0, 4.0]]))
    array([[10.,  6.,  7.,  4.]])
    """
    d = weighted.shape[-1].bit_length() - 1
    low = min(d, BITS_BY_PRODUCT)
    sums = (weighted.reshape(-1, 2**low) @ holds(low)).reshape(weighted.shape)
    for j in range(low, d):
        by_j = sums.reshape(-1, 2, 2**j)
        by_j[:, 0] += by_j[:, 1]
    return sums


@cache
def holds(d):
    """Whether c, the row, holds all features of F, the column -> (2^d, 2^d) float."""
    c = np.arange(2**d)
    return ((c[:, None] & c) == c).astype(float)


def contributions(tables, n_features, shift=0):
    """What every set of as many features as there are differences contributes.

    tables (r + 1, ..., 2^b), in which the failed feature i is bit shift + i
    -> the S sets (S, r), and their tables (S, ..., 2^b)

    >>> sets, phi = contributions(leaf_tables(np.array([[1, 1/2, 1/2, 1/4]]), 1), 2)
    >>> phi[sets[:, 0] == 1]
    array([[[ 0.375,  0.125, -0.375, -0.125]]])
    """
    sets = sets_of(n_features, len(tables) - 1)
    found = np.empty((len(sets), *tables.shape[1:]))
    fill_in(found, tables, n_features, shift)
    return np.array(sets, dtype=int).reshape(len(sets), len(tables) - 1), found


@cache
def sets_of(n_features, r):
    """All sets of r features, the last one first -> list of tuples.

    >>> sets_of(3, 2)
    [(1, 0), (2, 0), (2, 1)]
    """
    if r == 0:
        return [()]
    return [(i, *others) for i in range(n_features) for others in sets_of(i, r - 1)]


def fill_in(found, tables, n_features, shift):
    """The tables of sets_of, in place: one feature after the other is failed, or not."""
    if len(tables) == 1:
        found[0] = tables[0]
    elif len(tables) == 2:
        for i in range(n_features):
            without(tables, 2 ** (shift + i), found[i:i + 1])
    else:
        end = 0
        for i in range(n_features):
            begin, end = end, end + len(sets_of(i, len(tables) - 2))
            less = without(tables, 2 ** (shift + i), np.empty_like(tables[1:]))
            fill_in(found[begin:end], less, i, shift)


def without(tables, bit, out):
    """T_k(F) - T_(k+1)(F + i), where i's bit is `bit`: (r + 1, ..., 2^b) -> out (r, ..., 2^b)."""
    by_i = tables.reshape(*tables.shape[:-1], -1, 2, bit)
    np.subtract(by_i[:-1], by_i[1:, ..., 1:, :], out=out.reshape(by_i[1:].shape))
    return out


# --- chances: z(c) of L leaves, one row a leaf ---

def chances_by_cover(shares):
    """z(c) = product over c of the training share that passes: (L, d) -> (L, 2^d), by doubling.

    >>> chances_by_cover(np.array([[0.5, 0.25]]))
    array([[1.   , 0.5  , 0.25 , 0.125]])
    """
    z = np.ones((len(shares), 1))
    for share in shares.T:
        z = np.hstack([z, z * share[:, None]])
    return z


def chances_by_background(counts):
    """z(c) = share of background rows that fail nothing in c: counts by failures (L, 2^d) -> same.

    >>> chances_by_background(np.array([[1.0, 0.0, 2.0, 1.0]]))
    array([[1.  , 0.75, 0.25, 0.25]])
    """
    n_passing = superset_sums(counts[:, ::-1])
    return n_passing / n_passing[:, :1]
