"""Few rows: all trees of a forest are walked together, level by level, with Owen's integral.

With one row to explain, a tree's tables cost more than their answers are worth, and a call a tree
costs more than the arithmetic. So all trees go down together. Two trees, whose roots ask x0 and x1;
only the first goes on, from its left child, which asks x0 again. A level has a line for each node
and a column for each split above it:

    level 1    node   asked      passing     row passes        level 2   node   asked    passing
               a1     x0         .6          1                           a3     x0  -    .2  1
               a2     x0         .4          0   <- a leaf               a4     x0  -    .4  1
               b1     x1         .5          1   <- a leaf
               b2     x1         .5          0   <- a leaf

A feature that is asked again keeps its column: .6 * 1/3 = .2 pass both tests. The new column stays
empty ("-"): a player that everybody passes gets nothing and changes nothing. At a leaf of value v
on level d, with the row's a_j and the share b_j in the columns,

    phi_i = v * integral over t of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j)

is exact with ceil(d/2) times t, as in tree_shap_walk.py. Arrays are (nodes, columns, rows).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.games import gauss_legendre
from fi_teach.basics.removal import cover_shares
from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import answers_of, joined

MOST_LEVELS = 16
FEW_ROWS = 22  # of these a leaf's integrals cost less than its table
TREE_AT_LEAST = 500  # factors that cost what any tree's tables do, however small
TREE_AT_MOST = 120_000  # factors of a tree that is large enough to be walked alone
FACTORS_AT_ONCE = 2**17  # of a group of trees: leaves times columns times rows


@dataclass
class Nodes:
    """All nodes of some trees, one tree behind the other.

    roots (M,); left, right : (N,), LEAF in leaves; feature, share (N,); value (N, n_outputs)
    goes_left : (N, n) bool, each row's answer at each split
    """

    roots: NDArray
    left: NDArray
    right: NDArray
    feature: NDArray
    share: NDArray
    value: NDArray
    goes_left: NDArray


def factors_of(trees):
    """How many factors the integrals of one row need, or None for trees of too many levels.

    Leaves times columns times times t, summed over the levels of all trees.
    """
    whole, roots = joined(trees)
    left, right = whole.children_left, whole.children_right
    level, n_factors = roots, 0
    for d in range(MOST_LEVELS + 1):
        is_leaf = left[level] == LEAF
        n_factors += int(is_leaf.sum()) * d * len(gauss_legendre(d)[0])
        splits = level[~is_leaf]
        if not len(splits):
            return n_factors
        level = np.concatenate([left[splits], right[splits]])
    return None


def few_enough(trees, n_rows):
    """Do the integrals of all rows cost less than the tables of all trees?"""
    if n_rows > TREE_AT_LEAST:
        return False
    of_one = factors_of(trees)
    if of_one is None:
        return False
    most = min(TREE_AT_LEAST * len(trees) + FEW_ROWS * of_one, TREE_AT_MOST * len(trees))
    return n_rows * of_one <= most


def add_by_levels(total, base, forest, X):
    """Add all trees' path-dependent Shapley values to total, and their means to base, in place.

    total (p, n_outputs, n); base (n_outputs,); X (n, p)
    """
    trees, weights = forest.trees, forest.weights
    largest = max(tree.n_nodes for tree in trees)
    at_once = max(1, FACTORS_AT_ONCE // (largest * len(X)))
    for first in range(0, len(trees), at_once):
        some = slice(first, first + at_once)
        walk_down(total, base, nodes_of(trees[some], weights[some], X))


def nodes_of(trees, weights, X):
    """The Nodes of some trees with the answers of rows X (n, p)."""
    whole, roots = together = joined(trees)
    values = [weight * tree.value for weight, tree in zip(weights, trees, strict=True)]
    return Nodes(
        roots, whole.children_left, whole.children_right, whole.feature,
        share=cover_shares(whole),
        value=np.concatenate(values),
        goes_left=answers_of(trees, X, together))


def walk_down(total, base, nodes):
    """From the roots to the leaves, a level at a time; leaves pay as soon as they are met."""
    n_rows = nodes.goes_left.shape[1]
    t = nodes.roots
    asked = np.zeros((len(t), 0), dtype=np.intp)
    passing = np.ones((len(t), 0))
    passes = np.ones((len(t), 0, n_rows), dtype=bool)
    while len(t):
        is_leaf = nodes.left[t] == LEAF
        value = nodes.value[t[is_leaf]]
        base += passing[is_leaf].prod(axis=1) @ value
        pay(total, value, asked[is_leaf], passing[is_leaf], passes[is_leaf])

        splits = np.flatnonzero(~is_leaf)
        node = t[splits]
        asked, column = with_question(asked[splits], nodes.feature[node])
        t = np.concatenate([nodes.left[node], nodes.right[node]])
        line, column = np.arange(len(t)), np.tile(column, 2)
        asked = np.tile(asked, (2, 1))
        passing = np.tile(widened(passing[splits]), (2, 1))
        passes = np.tile(widened(passes[splits]), (2, 1, 1))
        passing[line, column] *= nodes.share[t]
        goes_left = nodes.goes_left[node]
        passes[line, column] &= np.concatenate([goes_left, ~goes_left])


def widened(array):
    """A column more, of a player that all pass: (nodes, d, ...) -> (nodes, d + 1, ...)."""
    column = np.ones_like(array, shape=(len(array), 1, *array.shape[2:]))
    return np.concatenate([array, column], axis=1)


def with_question(asked, feature):
    """One column more for each node's own question, -1 if an earlier column has its feature.

    asked (nodes, d), feature (nodes,) -> asked (nodes, d + 1), the feature's column (nodes,)

    >>> with_question(np.array([[4, 7], [4, 7]]), np.array([7, 5]))
    (array([[ 4,  7, -1],
           [ 4,  7,  5]]), array([1, 2]))
    """
    both = np.column_stack([asked, feature])
    column = (both == feature[:, None]).argmax(axis=1)
    both[column < asked.shape[1], -1] = -1
    return both, column


def pay(total, value, asked, passing, passes):
    """Add the integral above for all leaves of a level to total (p, n_outputs, n), in place.

    value (L, n_outputs), asked (L, d), passing (L, d), passes (L, d, n)
    """
    n_leaves, d, n_rows = passes.shape
    if not n_leaves * d:
        return
    b = passing[:, :, None]
    gain = passes - b  # a - b, 0 where the factor is 0: at a = b = 0
    shares = np.zeros(passes.shape)
    for t, weight in zip(*gauss_legendre(d), strict=True):
        factor = t * gain + b
        product = factor.prod(axis=1, keepdims=True)
        shares += weight * product * np.divide(gain, factor, out=factor, where=factor > 0)
    p = len(total)
    feature = asked.ravel() % (p + 1)  # empty columns, -1, go to p
    for k in range(value.shape[1]):
        paid = shares * value[:, k, None, None]
        for i in range(n_rows):
            total[:, k, i] += np.bincount(feature, paid[:, :, i].ravel(), minlength=p + 1)[:p]
