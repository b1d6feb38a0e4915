"""Sum the loss differences of all n^2 pairs (row, donor) of every feature, in one walk.

For row i, the prediction as a function of the value z put in x_j's place is a step function. A leaf
is reached by changing x_j alone if and only if the row fails none of the tests on its path (its own
leaf) or only tests on j: then it is reached for all z in one interval, a *leaf range*. One walk
finds every leaf range of every row:

            0: a, cut 2                 row 0 has a in bin 1, b in bin 3 (bins are ranks among the
           /          \\                 values that occur, a value of bin < cut goes left)
       1: leaf      2: b, cut 2
                    /        \\         row  leaf  feature  low  high
                3: leaf   4: leaf        0     1    NONE     0     1     its own leaf: 1 < 2
                                         0     4    a        2     5     a in bins 2 to 4; b: 3 >= 2
                                         (leaf 3 would take a change of a and of b: no range)

    the step function of (row 0, a):    bin of z   0   1   2   3   4
                                        leaf       1   1   4   4   4

Added up over trees it gives the raw prediction for every bin, from that the loss, and with the
number of donors in each bin the three sums that are kept of the n x n matrix.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.forest import Forest
from fi_teach.basics.tables import check_table
from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import ForestArrays, forest_arrays, portions
from fi_teach.fast.permutation import losses_of_pairs, never_asks

NONE = -1  # the feature that is changed on the way to a row's own leaf
PAIRS_AT_ONCE = 2**17  # numbers per block of the pair-loss matrix: 1 MB, the processor's cache
RANGES_AT_ONCE = 2**18  # rows x trees x depth per block of leaf ranges: some 20 MB

Block = tuple[NDArray, int, NDArray, NDArray]
"""rows (R,), feature j, the bin of every row's value (n,), loss differences (R, bins of j)"""


@dataclass
class PairSums:
    """Sums over each feature's matrix D (n, n) of weighted loss differences."""

    receiver: NDArray  # (p, n) sums over donors
    donor: NDArray     # (p, n) sums over receivers
    square: NDArray    # (p,) sums of D^2

    def add(self, block: Block) -> None:
        """Add the rows of a block; every donor of a bin makes the same difference."""
        rows, j, bins, differences = block
        donors_in = np.bincount(bins, minlength=differences.shape[1])
        self.receiver[j, rows] += differences @ donors_in
        self.donor[j] += differences.sum(axis=0)[bins]
        self.square[j] += ((differences**2) @ donors_in).sum()


def sums_over_pairs(test_set: Evaluation) -> PairSums:
    """The sums of every feature's pair differences, each row's times its weight."""
    n, p = test_set.n_rows, test_set.n_features
    sums = PairSums(np.zeros((p, n)), np.zeros((p, n)), np.zeros(p))
    readable = _trees_and_numbers(test_set)
    blocks = _by_value(test_set) if readable is None else _by_leaf_ranges(test_set, *readable)
    weighted = not (test_set.weights == 1).all()
    for rows, j, bins, differences in blocks:
        if weighted:
            differences = differences * test_set.weights[rows, None]
        sums.add((rows, j, bins, differences))
    return sums


def _trees_and_numbers(test_set: Evaluation) -> tuple[Forest, NDArray] | None:
    """The model's trees and the table (n, p) as floats, if all tests are x <= threshold."""
    try:
        forest = test_set.model.forest
        table, _ = check_table(test_set.X)
    except ValueError:
        return None
    is_special = any(tree.has_special_splits for tree in forest.trees)
    return None if is_special else (forest, table)


# --- by asking about every value that occurs ---


def _by_value(test_set: Evaluation) -> Iterator[Block]:
    """Ask any model about every value that occurs: yields a Block at a time."""
    before = test_set.losses_before
    for j in range(test_set.n_features):
        bins, first = _distinct(test_set.X, j)
        if never_asks(test_set, [j]) or len(first) == 1:
            continue
        for some in portions(test_set.n_rows, PAIRS_AT_ONCE // len(first)):
            rows = np.arange(some.start, some.stop)
            receivers = np.repeat(rows, len(first))
            donors = np.tile(first, len(rows))
            after = losses_of_pairs(test_set, [j], receivers, donors).reshape(len(rows), -1)
            yield rows, j, bins, after - before[rows, None]


def _distinct(X: pd.DataFrame | NDArray, j: int) -> tuple[NDArray, NDArray]:
    """Number a column's distinct values -> each row's number (n,), the first row of each."""
    column = X.iloc[:, j] if isinstance(X, pd.DataFrame) else X[:, j]
    codes, _ = pd.factorize(column, use_na_sentinel=False)
    _, first = np.unique(codes, return_index=True)
    return codes.astype(np.int64), first


# --- by leaf ranges ---


class BinnedTrees(NamedTuple):
    """N nodes of M trees, thresholds as bin numbers: a value of bin b < cut goes left."""

    children: NDArray  # (2 N,) the left and the right child of node 0, of node 1, ...
    feature: NDArray   # its number among those used, LEAF in a leaf
    cut: NDArray
    value: NDArray  # (N, n_outputs), times the tree's weight
    tree: NDArray   # (N,) which tree the node belongs to
    root: NDArray   # (M,)
    low: NDArray    # the bins of its parent's feature with which a value comes to the node:
    high: NDArray   # low <= b < high


class LeafRanges(NamedTuple):
    """Row `row` comes to `node` when the value of `feature` alone lies in bins low <= b < high."""

    row: NDArray
    node: NDArray
    feature: NDArray
    low: NDArray
    high: NDArray

    def where(self, keep: NDArray | slice) -> "LeafRanges":
        """Keep those in a slice, at some places, or where a mask is true.

        A mask is turned into places once: to ask it for each column anew is several times slower.
        """
        if isinstance(keep, slice):
            return LeafRanges(*(column[keep] for column in self))
        places = np.flatnonzero(keep) if keep.dtype == bool else keep
        return LeafRanges(*(column.take(places) for column in self))


def _joined(parts: list[LeafRanges]) -> LeafRanges:
    """Several LeafRanges as one."""
    return LeafRanges(*map(np.concatenate, zip(*parts, strict=True)))


def _by_leaf_ranges(test_set: Evaluation, forest: Forest, table: NDArray) -> Iterator[Block]:
    """Read the predictions for every value off the trees: yields a Block at a time."""
    weighted = zip(forest.weights, forest.trees, strict=True)
    arrays = forest_arrays(
        forest.trees, np.concatenate([weight * tree.value for weight, tree in weighted]))
    used = np.unique(arrays.feature[~arrays.is_leaf])
    if len(used) == 0:
        return
    trees, bins = _binned_trees(arrays, table, used)
    n_bins = bins.max(axis=0) + 1
    pairs_a_row = int(n_bins.max()) * forest.n_outputs
    ranges_a_row = len(trees.root) * (1 + len(arrays.levels))
    size = min(PAIRS_AT_ONCE // pairs_a_row, RANGES_AT_ONCE // ranges_a_row)
    for some in portions(len(table), size):
        rows = np.arange(some.start, some.stop)
        found, own_leaf = _leaf_ranges(trees, bins[rows])
        own = forest.base + trees.value[own_leaf].sum(axis=1)
        before = test_set.losses_of_raw(own, rows)
        ends = np.searchsorted(found.feature, np.arange(len(used) + 1))
        for f in np.flatnonzero(np.diff(ends)):
            of_feature = found.where(slice(ends[f], ends[f + 1]))
            raw = own[:, None] + _steps(trees, of_feature, own_leaf, n_bins[f])
            judged = np.repeat(rows, n_bins[f])
            after = test_set.losses_of_raw(raw.reshape(len(judged), -1), judged)
            differences = after.reshape(len(rows), -1) - before[:, None]
            yield rows, int(used[f]), bins[:, f], differences


def _steps(trees: BinnedTrees, found: LeafRanges, own_leaf: NDArray, n_bins: int) -> NDArray:
    """What a value of each bin adds to each row's raw prediction -> (R, n_bins, n_outputs).

    A range's change starts at bin low and ends at bin high: cumulative sums over bins add it up.
    """
    shape = len(own_leaf), n_bins + 1
    change = trees.value[found.node] - trees.value[own_leaf[found.row, trees.tree[found.node]]]
    row_start = found.row.astype(np.int64) * (n_bins + 1)
    starts, ends = row_start + found.low, row_start + found.high
    size = int(np.prod(shape))
    steps = []
    for its_change in change.T:
        jumps = np.bincount(starts, its_change, size) - np.bincount(ends, its_change, size)
        steps.append(jumps.reshape(shape).cumsum(axis=1)[:, :-1])
    return np.stack(steps, axis=2) if len(steps) > 1 else steps[0][:, :, None]


def _leaf_ranges(trees: BinnedTrees, bins: NDArray) -> tuple[LeafRanges, NDArray]:
    """Every row's leaf ranges, feature by feature, and its own leaf in each tree (R, M).

    bins (R, features) int
    """
    row = np.repeat(np.arange(len(bins), dtype=np.int32), len(trees.root))
    node = np.tile(trees.root, len(bins))
    unchanged = np.full(len(row), NONE, np.int32)
    walking = LeafRanges(row, node, unchanged, np.zeros_like(row), np.ones_like(row))
    arrived = []
    while len(walking.row):
        at_leaf = trees.feature.take(walking.node) == LEAF
        arrived.append(walking.where(at_leaf))
        walking = _one_step(trees, bins, walking.where(~at_leaf))
    everyone = _joined(arrived)

    own = everyone.where(everyone.feature == NONE)
    own_leaf = np.empty((len(bins), len(trees.root)), dtype=np.int32)
    own_leaf[own.row, trees.tree[own.node]] = own.node
    found = everyone.where(everyone.feature != NONE)
    few = bins.shape[1] <= 2**16  # features: 16 bits are sorted faster
    by_feature = found.feature.astype(np.uint16) if few else found.feature
    return found.where(np.argsort(by_feature, kind="stable")), own_leaf


def _one_step(trees: BinnedTrees, bins: NDArray, walking: LeafRanges) -> LeafRanges:
    """Every row takes its own side; where the tested feature may change, the other side, too."""
    node = walking.node
    f = trees.feature.take(node)
    bin_of_row = bins.ravel().take(walking.row * np.intp(bins.shape[1]) + f)
    goes_right = bin_of_row >= trees.cut.take(node)
    left_child = 2 * node.astype(np.intp)

    child = trees.children.take(left_child + goes_right)
    low, high = walking.low.copy(), walking.high.copy()
    changing = np.flatnonzero(walking.feature == f)
    low[changing] = trees.low.take(child[changing])
    high[changing] = trees.high.take(child[changing])
    own = LeafRanges(walking.row, child, walking.feature, low, high)

    may = np.flatnonzero((walking.feature == f) | (walking.feature == NONE))
    child = trees.children.take((left_child + ~goes_right).take(may))
    row, f = walking.row.take(may), f.take(may)
    other = LeafRanges(row, child, f, trees.low.take(child), trees.high.take(child))
    both = _joined([own, other])
    is_some = both.low < both.high  # no occurring value lies in an empty interval
    return both if is_some.all() else both.where(is_some)


# --- thresholds as bins ---


def _binned_trees(
    arrays: ForestArrays, table: NDArray, used: NDArray
) -> tuple[BinnedTrees, NDArray]:
    """The forest as BinnedTrees of the used features, and the bin of their values: (n, used)."""
    feature = np.searchsorted(used, arrays.feature).astype(np.int32)
    feature[arrays.is_leaf] = LEAF
    bins = np.zeros((len(table), len(used)), dtype=np.int32)
    cut = np.zeros(len(feature), dtype=np.int32)
    by_feature = np.argsort(feature, kind="stable")
    ends = np.searchsorted(feature[by_feature], np.arange(len(used) + 1))
    for f, j in enumerate(used):
        nodes = by_feature[ends[f]:ends[f + 1]]
        bins[:, f], cut[nodes] = _binned(table[:, j], arrays.threshold[nodes])
    low, high = _ranges_of_nodes(arrays, cut, (bins.max(axis=0) + 1)[feature[arrays.parent]])
    children = np.column_stack([arrays.left, arrays.right]).ravel().astype(np.int32)
    tree, root = arrays.tree.astype(np.int32), arrays.roots.astype(np.int32)
    return BinnedTrees(children, feature, cut, arrays.value, tree, root, low, high), bins


def _binned(column: NDArray, thresholds: NDArray) -> tuple[NDArray, NDArray]:
    """Values between the same thresholds share a bin, numbered without gaps as they occur.

    -> bins (n,), cuts (nodes,): column <= threshold if and only if bin < cut
    """
    edges = np.unique(thresholds)
    edges_below = np.searchsorted(edges, column)
    occurring, bins = np.unique(edges_below, return_inverse=True)
    place = np.searchsorted(edges, thresholds)
    return bins, np.searchsorted(occurring, place, side="right")


def _ranges_of_nodes(
    arrays: ForestArrays, cut: NDArray, n_bins: NDArray
) -> tuple[NDArray, NDArray]:
    """The bins of its parent's feature with which a value comes to each node -> low, high.

    n_bins (N,) : of that feature; earlier tests of it narrow the range
    """
    low, high = np.zeros(len(cut), dtype=np.int32), n_bins.astype(np.int32)
    for t in arrays.levels:
        left, right = arrays.left[t], arrays.right[t]
        for child in (left, right):
            again = child[~arrays.is_first_test[child]]
            low[again], high[again] = (of[arrays.previous[again]] for of in (low, high))
        high[left] = np.minimum(high[left], cut[t])
        low[right] = np.maximum(low[right], cut[t])
    return low, high
