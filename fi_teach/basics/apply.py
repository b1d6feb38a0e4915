"""All rows walk down all trees of a forest at once: what Tree.leaf_of does, one step for all.

The trees' nodes stand in one row, tree after tree. Node t owns two places, 2t and 2t + 1: what is
asked at the node stands at the first, where one gets from it at both. A leaf leads to itself.

    node            0        1        2          one tree: x1 <= 4.5?
    place         0   1    2   3    4   5
    feature       1        0        0            any column will do in a leaf:
    threshold    4.5      inf      inf           there every row goes left,
    onward        2   4    2   2    4   4        to where it is

A step of a row that stands at place s: onward[s + (x[feature[s]] > threshold[s])].
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fi_teach.basics.tree import Tree

PAIRS = 1 << 15  # (tree, row) pairs on their way at once: they stay in the processor's cache
ROWS = 1 << 12  # at most so many rows at once: with more, few trees
STEPS = 4  # so many steps are taken before those that have arrived are looked for


class Descent(NamedTuple):
    """The trees of a forest as one table of places.

    feature, threshold, onward : (2 * nodes of all trees,), see above
    roots : (M,) each tree's first place
    """

    feature: NDArray
    threshold: NDArray
    onward: NDArray
    roots: NDArray

    def leaves(self, X: NDArray, trees: slice) -> NDArray:
        """The leaf of each row in each of m trees, nodes counted through all: (n, p) -> (m, n)."""
        n, p = X.shape
        cells = X.ravel()
        roots = self.roots[trees]
        place = roots.repeat(n)
        at, cell = place, np.tile(np.arange(0, n * p, p), len(roots))
        walking: NDArray | slice = slice(None)
        while len(at):
            for _ in range(STEPS):
                asked = cells.take(self.feature.take(at) + cell)
                at = self.onward.take(at + (asked > self.threshold.take(at)))
            place[walking] = at
            is_inner = np.flatnonzero(self.onward.take(at) != at)
            walking = is_inner if isinstance(walking, slice) else walking[is_inner]
            at, cell = at[is_inner], cell[is_inner]
        return (place >> 1).reshape(-1, n)

    def parts(self, n_rows: int) -> Iterator[tuple[slice, slice]]:
        """All pairs in parts that are walked at once -> (rows, trees), trees in order for each row.

        A tree's table is looked up by many rows before the next one's comes into the cache.
        """
        rows_together = min(n_rows, ROWS)
        trees_together = max(1, PAIRS // max(1, rows_together))
        for i in range(0, n_rows, rows_together or 1):
            for m in range(0, len(self.roots), trees_together):
                yield slice(i, i + rows_together), slice(m, m + trees_together)


def descent_of(trees: tuple["Tree", ...]) -> Descent | None:
    """The table of places, or None if a tree asks about more than thresholds.

    Such trees have categories, or know where gaps go.
    """
    for tree in trees:
        if tree.left_categories or tree.missing_left is not None or tree.zero_missing is not None:
            return None
    n_nodes = [tree.n_nodes for tree in trees]
    first = np.cumsum(n_nodes) - n_nodes
    is_leaf = np.concatenate([tree.is_leaf for tree in trees])
    here = np.arange(len(is_leaf))

    def onward(side):
        child = np.concatenate([getattr(tree, f"children_{side}") for tree in trees])
        return np.where(is_leaf, here, child + first.repeat(n_nodes))

    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])
    return Descent(
        np.where(is_leaf, 0, feature).repeat(2),
        np.where(is_leaf, np.inf, threshold).repeat(2),
        2 * np.column_stack([onward("left"), onward("right")]).ravel(),
        2 * first,
    )
