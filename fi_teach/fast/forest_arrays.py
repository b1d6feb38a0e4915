r"""All trees of a forest in one set of arrays, and what each node knows of the path to it.

A node's number also stands for the edge into it, from its parent. A tree that tests x0 twice:

          0: x0?              node            0    1    2    3    4    5    6
         /      \             parent          0    0    0    1    1    3    3
      1: x1?     2            tested          -    x0   x0   x1   x1   x0   x0   by the parent
      /    \                  position        -    0    0    1    1    0    0    on the path
   3: x0?   4                 previous        0    0    0    0    0    1    1    edge that tests it
   /    \                     pass_share      1    .6   .4   .5   .5   .2   .4
  5      6                    reach           1    .6   .4   .3   .3   .1   .2

`pass_share` is the share of training rows that pass all tests on this one feature, here and above,
as if nothing else were tested: 60 % go from 0 to 1, a third of those in 3 go to 5, so on the way to
leaf 5 the feature x0 lets .6 * 1/3 = .2 pass. The path to leaf 5 has two features, x0 and x1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import LEAF, joined

NOTHING = -1  # what is tested on the way to a root


@dataclass(frozen=True)
class ForestArrays:
    """N nodes of M trees, one tree after the other, as in the drawing.

    trees (M,); roots (M,); left, right (N,), LEAF in leaves
    feature, threshold (N,), value (N, K) : as in Tree
    missing_left : (N,) bool, or None where no tree knows where NaN goes
    tree (N,) : to which tree a node belongs; levels : the splits of each level, roots first
    parent (N,), a root's is the root itself; tested (N,), NOTHING in roots
    position, n_on_path (N,) : the tested feature's place on the path, its number of features
    previous (N,) : the last edge above that tests the same feature, or the root
    pass_share, reach (N,) : shares of training rows, for one feature and for all
    """

    trees: Sequence
    roots: NDArray
    left: NDArray
    right: NDArray
    feature: NDArray
    threshold: NDArray
    missing_left: NDArray | None
    value: NDArray
    tree: NDArray
    levels: list
    parent: NDArray
    tested: NDArray
    previous: NDArray
    position: NDArray
    n_on_path: NDArray
    pass_share: NDArray
    reach: NDArray

    @property
    def is_leaf(self) -> NDArray:
        """(N,) bool."""
        return self.left == LEAF

    @cached_property
    def is_first_test(self) -> NDArray:
        """Whether no edge above tests the same feature, true of roots -> (N,) bool."""
        return self.tested[self.previous] == NOTHING

    @cached_property
    def last_edges(self) -> NDArray:
        """The last edge that tests each feature of a node's path, -1 beyond them -> (N, D)."""
        last = np.full((len(self.left), max(1, int(self.n_on_path.max()))), -1)
        for t in self.levels:
            for child in (self.left[t], self.right[t]):
                last[child] = last[t]
                last[child, self.position[child]] = child
        return last

    @cached_property
    def special(self) -> dict:
        """The trees whose tests are not all x <= threshold -> {root: tree}."""
        pairs = zip(self.roots.tolist(), self.trees, strict=True)
        return {root: tree for root, tree in pairs if tree.has_special_splits}

    @property
    def border(self) -> list[int]:
        """Where each tree's nodes begin, and where the last one's end -> M + 1 numbers."""
        return [*self.roots.tolist(), len(self.left)]

    def mean_by_training(self, chosen: NDArray) -> NDArray:
        """The mean over the training rows of some trees' values, chosen (M,) bool -> (K,)."""
        leaves = self.is_leaf & chosen[self.tree]
        return self.reach[leaves] @ self.value[leaves]

    def goes_left(self, X: NDArray, first: int = 0, stop: int | None = None) -> NDArray:
        """Which rows go left at the nodes first ... stop - 1, which are those of whole trees.

        X (n, p) -> (nodes, n) bool, False in leaves
        """
        stop = len(self.left) if stop is None else stop
        goes_left = np.zeros((stop - first, len(X)), dtype=bool)
        splits = first + np.flatnonzero(self.left[first:stop] != LEAF)
        values = X.T[self.feature[splits]]
        answers = values <= self.threshold[splits, None]
        if self.missing_left is not None:
            answers |= np.isnan(values) & self.missing_left[splits, None]
        goes_left[splits - first] = answers
        for root, tree in self.special.items():
            if first <= root < stop:
                for t in np.flatnonzero(~tree.is_leaf).tolist():
                    goes_left[root - first + t] = tree.goes_left(X, t)
        return goes_left

    def failed_tests(self, X: NDArray) -> NDArray:
        """Which rows fail a test on the feature of each edge, there or above -> (N, n) bool."""
        goes_left = self.goes_left(X)
        failed = np.zeros(goes_left.shape, dtype=bool)
        for t in self.levels:
            left, right = self.left[t], self.right[t]
            failed[left] = failed[self.previous[left]] | ~goes_left[t]
            failed[right] = failed[self.previous[right]] | goes_left[t]
        return failed


def forest_arrays(trees, value) -> ForestArrays:
    """The ForestArrays of some trees whose values (N, K) stand one after the other."""
    roots, left, right, feature, threshold = joined(trees)
    tree = np.repeat(np.arange(len(roots)), np.diff(roots, append=len(left)))
    levels = splits_by_level(left, right, roots)
    parent = np.arange(len(left))
    for t in levels:
        parent[left[t]] = parent[right[t]] = t
    tested = feature[parent]
    tested[roots] = NOTHING
    previous = previous_tests(parent, tested)
    is_first = tested[previous] == NOTHING

    weight = np.concatenate([tree.weighted_n_node_samples for tree in trees]).astype(float)
    above, share = weight[parent], np.full(len(weight), 0.5)  # 1/2 where a parent has no weight
    np.divide(weight, above, out=share, where=above > 0)
    pass_share, reach = np.ones((2, len(left)))
    position, n_on_path = np.zeros((2, len(left)), dtype=np.intp)
    for t in levels:
        for child in (left[t], right[t]):
            reach[child] = reach[t] * share[child]
            pass_share[child] = pass_share[previous[child]] * share[child]
            position[child] = np.where(is_first[child], n_on_path[t], position[previous[child]])
            n_on_path[child] = n_on_path[t] + is_first[child]
    return ForestArrays(
        trees, roots, left, right, feature, threshold, missing_left_of(trees), value, tree,
        levels, parent, tested, previous, position, n_on_path, pass_share, reach)


def splits_by_level(left, right, roots):
    """The splits of each level, from the roots down -> list of arrays."""
    levels, t = [], roots
    while len(t := t[left[t] != LEAF]):
        levels.append(t)
        t = np.concatenate([left[t], right[t]])
    return levels


def previous_tests(parent, tested):
    """The last edge above each node that tests the same feature, the root if there is none."""
    previous = parent.copy()
    climbing = np.flatnonzero(tested != NOTHING)
    while len(climbing):
        met = tested[previous[climbing]]
        climbing = climbing[(met != NOTHING) & (met != tested[climbing])]
        previous[climbing] = parent[previous[climbing]]
    return previous


def missing_left_of(trees):
    """Where NaN goes at each node of all trees -> (N,) bool, or None if no tree knows."""
    if all(tree.missing_left is None for tree in trees):
        return None
    return np.concatenate([
        np.zeros(tree.n_nodes, dtype=bool) if tree.missing_left is None else tree.missing_left
        for tree in trees])


# --- portions ---

def neighbours(sizes, most):
    """Neighbours whose sizes add up to about `most`, or one that is larger -> list of slices."""
    first, total, found = 0, 0, []
    for stop, size in enumerate(sizes, start=1):
        total += size
        if total >= most or stop == len(sizes):
            found.append(slice(first, stop))
            first, total = stop, 0
    return found


def portions(n, size):
    """0 ... n - 1 in portions of some size, at least 1 -> list of slices."""
    size = max(1, size)
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
