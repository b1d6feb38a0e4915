"""Find the leaf of every row in every tree of a forest, all of them one step at a time.

The trees' nodes stand in one row, tree after tree. Node t owns two places, 2t and 2t + 1: what is
tested at the node stands at the first, where one gets from it at both. A leaf leads to itself.

    node            0        1        2          one tree: x1 <= 4.5?
    place         0   1    2   3    4   5
    feature       1        0        0            any column will do in a leaf:
    threshold    4.5      inf      inf           there every row goes left,
    onward        2   4    2   2    4   4        to where it is

A step of a row that stands at place s: onward[s + (x[feature[s]] > threshold[s])].
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import LEAF, Tree, joined

PAIRS = 1 << 15  # (tree, row) pairs on their way at once: they stay in the processor's cache
ROWS = 1 << 12  # at most so many rows at once: with more, few trees
STEPS = 4  # so many steps are taken before those that have arrived are looked for


class StepTable(NamedTuple):
    """The trees of a forest as one table of places, down which many rows walk at once.

    feature, threshold, onward : (2 * nodes of all trees,), see above
    roots : (M,) each tree's first place
    """

    feature: NDArray
    threshold: NDArray
    onward: NDArray
    roots: NDArray

    def apply(self, X: NDArray, trees: slice) -> NDArray:
        """The leaf of each row in each of m trees, nodes counted through all: (n, p) -> (m, n)."""
        n, p = X.shape
        cells = X.ravel()
        roots = self.roots[trees]
        place = roots.repeat(n)
        at, cell = place, np.tile(np.arange(0, n * p, p), len(roots))
        walking: NDArray | slice = slice(None)
        while len(at):
            for _ in range(STEPS):
                tested = cells.take(self.feature.take(at) + cell)
                at = self.onward.take(at + (tested > self.threshold.take(at)))
            place[walking] = at
            is_inner = np.flatnonzero(self.onward.take(at) != at)
            walking = is_inner if isinstance(walking, slice) else walking[is_inner]
            at, cell = at[is_inner], cell[is_inner]
        return (place >> 1).reshape(-1, n)

    def portions(self, n_rows: int) -> Iterator[tuple[slice, slice]]:
        """Divide all pairs into portions that are walked at once: yields (rows, trees), in order.

        A tree's table is looked up by many rows before the next one's comes into the cache.
        """
        rows_together = min(n_rows, ROWS)
        trees_together = max(1, PAIRS // max(1, rows_together))
        for i in range(0, n_rows, rows_together or 1):
            for m in range(0, len(self.roots), trees_together):
                yield slice(i, i + rows_together), slice(m, m + trees_together)


def step_table(trees: tuple[Tree, ...]) -> StepTable | None:
    """Make the table of places, or None if a tree asks about more than thresholds.

    Such trees have categories, or know where missing values go.
    """
    if any(tree.has_special_splits or tree.missing_left is not None for tree in trees):
        return None
    roots, left, right, feature, threshold = joined(trees)
    is_leaf, here = left == LEAF, np.arange(len(left))
    onward = np.column_stack([np.where(is_leaf, here, left), np.where(is_leaf, here, right)])
    return StepTable(
        np.where(is_leaf, 0, feature).repeat(2),
        np.where(is_leaf, np.inf, threshold).repeat(2),
        2 * onward.ravel(),
        2 * roots)
