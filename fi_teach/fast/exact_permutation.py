"""Sum the loss differences of all n^2 pairs (row, donor) of every feature, in one walk.

For row i, the prediction as a function of the value z put in x_j's place is a step function. A leaf
is reached by changing x_j alone if and only if the row fails none of the tests on its path (its own
leaf) or only tests on j: then there is a *detour* to it, for all z in one interval. One walk finds
every detour of every row:

            0: a, cut 2                 row 0 has a in bin 1, b in bin 3 (bins are ranks among the
           /          \\                 values that occur, a value of bin < cut goes left)
       1: leaf      2: b, cut 2
                    /        \\         row  leaf  feature  low  high
                3: leaf   4: leaf        0     1    NONE     0     1     its own way: 1 < 2
                                         0     4    a        2     5     a in bins 2 to 4; b: 3 >= 2
                                         (leaf 3 would take a change of a and of b: no detour)

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
from fi_teach.fast.permutation import losses_of_pairs, never_asks

NONE = -1  # the feature of a row that still walks its own way, and the parent of a root
PAIRS_AT_ONCE = 2**17  # numbers per block of the pair-loss matrix: 1 MB, the processor's cache
WALKERS_AT_ONCE = 2**18  # rows x trees x depth per block of detours: some 20 MB

Block = tuple[NDArray, int, NDArray, NDArray]
"""rows (R,), feature j, the bin of every row's value (n,), loss differences (R, bins of j)"""


@dataclass
class PairSums:
    """What is kept of each feature's matrix D (n, n) of weighted loss differences."""

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


def sums_over_pairs(task: Evaluation) -> PairSums:
    """The sums of every feature's pair differences, each row's times its weight."""
    n, p = task.n_rows, task.n_features
    sums = PairSums(np.zeros((p, n)), np.zeros((p, n)), np.zeros(p))
    readable = _trees_and_numbers(task)
    blocks = _by_value(task) if readable is None else _by_detours(task, *readable)
    weighted = not (task.weights == 1).all()
    for rows, j, bins, differences in blocks:
        if weighted:
            differences = differences * task.weights[rows, None]
        sums.add((rows, j, bins, differences))
    return sums


def _trees_and_numbers(task: Evaluation) -> tuple[Forest, NDArray] | None:
    """The model's trees and the table (n, p) float, if their tests are all x <= threshold."""
    try:
        forest = task.model.forest
        table, _ = check_table(task.X)
    except ValueError:
        return None
    asks_more = any(tree.left_categories or tree.zero_missing is not None for tree in forest.trees)
    return None if asks_more else (forest, table)


# --- by asking about every value that occurs ---


def _by_value(task: Evaluation) -> Iterator[Block]:
    before = task.losses_before
    for j in range(task.n_features):
        bins, first = _distinct(task.X, j)
        if never_asks(task, [j]) or len(first) == 1:
            continue
        for rows in _row_blocks(task.n_rows, PAIRS_AT_ONCE // len(first)):
            receivers = np.repeat(rows, len(first))
            donors = np.tile(first, len(rows))
            after = losses_of_pairs(task, [j], receivers, donors).reshape(len(rows), -1)
            yield rows, j, bins, after - before[rows, None]


def _distinct(X: pd.DataFrame | NDArray, j: int) -> tuple[NDArray, NDArray]:
    """Which of the distinct values each row has (n,), and the first row that has each (bins,)."""
    column = X.iloc[:, j] if isinstance(X, pd.DataFrame) else X[:, j]
    codes, _ = pd.factorize(column, use_na_sentinel=False)
    _, first = np.unique(codes, return_index=True)
    return codes.astype(np.int64), first


def _row_blocks(n_rows: int, size: int) -> Iterator[NDArray]:
    size = max(1, int(size))
    for start in range(0, n_rows, size):
        yield np.arange(start, min(start + size, n_rows))


# --- by detours ---


class Grove(NamedTuple):
    """All trees in one set of arrays, thresholds as bin numbers: a bin b < cut goes left."""

    children: NDArray  # (2 * n_nodes,) the left and the right child of node 0, of node 1, ...
    feature: NDArray   # LEAF in a leaf
    cut: NDArray
    value: NDArray  # (n_nodes, n_outputs), times the tree's weight
    tree: NDArray   # (n_nodes,) which tree the node belongs to
    root: NDArray   # (M,)
    low: NDArray    # the bins of its parent's feature with which a value comes to the node:
    high: NDArray   # low <= b < high


class Detours(NamedTuple):
    """Row `row` comes to `node` when the value of `feature` alone lies in bins low <= b < high."""

    row: NDArray
    node: NDArray
    feature: NDArray
    low: NDArray
    high: NDArray

    def where(self, keep: NDArray | slice) -> "Detours":
        """Those in a slice, at some places, or where a mask is true.

        A mask is turned into places once: to ask it for each column anew is several times slower.
        """
        if isinstance(keep, slice):
            return Detours(*(column[keep] for column in self))
        places = np.flatnonzero(keep) if keep.dtype == bool else keep
        return Detours(*(column.take(places) for column in self))


def _joined(parts: list[Detours]) -> Detours:
    return Detours(*map(np.concatenate, zip(*parts, strict=True)))


def _by_detours(task: Evaluation, forest: Forest, table: NDArray) -> Iterator[Block]:
    used = np.unique(np.concatenate([tree.feature[~tree.is_leaf] for tree in forest.trees]))
    if len(used) == 0:
        return
    grove, bins = _grove(forest, table, used)
    n_bins = bins.max(axis=0) + 1
    depth = 1 + max(tree.depth.max() for tree in forest.trees)
    pairs_a_row = int(n_bins.max()) * forest.n_outputs
    walkers_a_row = len(forest.trees) * int(depth)
    size = min(PAIRS_AT_ONCE // pairs_a_row, WALKERS_AT_ONCE // walkers_a_row)
    for rows in _row_blocks(len(table), size):
        found, home = _detours(grove, bins[rows])
        own = forest.base + grove.value[home].sum(axis=1)
        before = task.losses_of_raw(own, rows)
        ends = np.searchsorted(found.feature, np.arange(len(used) + 1))
        for f in np.flatnonzero(np.diff(ends)):
            of_feature = found.where(slice(ends[f], ends[f + 1]))
            raw = own[:, None] + _steps(grove, of_feature, home, n_bins[f])
            judged = np.repeat(rows, n_bins[f])
            after = task.losses_of_raw(raw.reshape(len(judged), -1), judged)
            differences = after.reshape(len(rows), -1) - before[:, None]
            yield rows, int(used[f]), bins[:, f], differences


def _steps(grove: Grove, found: Detours, home: NDArray, n_bins: int) -> NDArray:
    """What a value of each bin adds to each row's raw prediction -> (R, n_bins, n_outputs).

    A detour's change starts at bin low and ends at bin high: cumulative sums over bins add it up.
    """
    shape = len(home), n_bins + 1
    own_leaf = home[found.row, grove.tree[found.node]]
    change = grove.value[found.node] - grove.value[own_leaf]
    row_start = found.row.astype(np.int64) * (n_bins + 1)
    starts, ends = row_start + found.low, row_start + found.high
    size = int(np.prod(shape))
    steps = []
    for its_change in change.T:
        jumps = np.bincount(starts, its_change, size) - np.bincount(ends, its_change, size)
        steps.append(jumps.reshape(shape).cumsum(axis=1)[:, :-1])
    return np.stack(steps, axis=2) if len(steps) > 1 else steps[0][:, :, None]


def _detours(grove: Grove, bins: NDArray) -> tuple[Detours, NDArray]:
    """Every detour of every row, feature by feature, and each row's own leaf in each tree (R, M).

    bins (R, features) int
    """
    row = np.repeat(np.arange(len(bins), dtype=np.int32), len(grove.root))
    node = np.tile(grove.root, len(bins))
    own_way = np.full(len(row), NONE, np.int32)
    walkers = Detours(row, node, own_way, np.zeros_like(row), np.ones_like(row))
    arrived = []
    while len(walkers.row):
        at_leaf = grove.feature.take(walkers.node) == LEAF
        arrived.append(walkers.where(at_leaf))
        walkers = _one_step(grove, bins, walkers.where(~at_leaf))
    everyone = _joined(arrived)

    own = everyone.where(everyone.feature == NONE)
    home = np.empty((len(bins), len(grove.root)), dtype=np.int32)
    home[own.row, grove.tree[own.node]] = own.node
    found = everyone.where(everyone.feature != NONE)
    return found.where(_order(found.feature)), home


def _order(feature: NDArray) -> NDArray:
    """The detours sorted by feature; 16 bits, where they suffice, are sorted in one sweep."""
    few = len(feature) == 0 or feature.max() < 2**16
    return np.argsort(feature.astype(np.uint16) if few else feature, kind="stable")


def _one_step(grove: Grove, bins: NDArray, walkers: Detours) -> Detours:
    """Everyone goes their own way; who may change the feature asked for goes the other way too."""
    node = walkers.node
    f = grove.feature.take(node)
    goes_right = _bins_of(bins, walkers.row, f) >= grove.cut.take(node)
    left_child = 2 * node.astype(np.intp)

    child = grove.children.take(left_child + goes_right)
    low, high = walkers.low.copy(), walkers.high.copy()
    changing = np.flatnonzero(walkers.feature == f)
    low[changing] = grove.low.take(child[changing])
    high[changing] = grove.high.take(child[changing])
    own = Detours(walkers.row, child, walkers.feature, low, high)

    may = np.flatnonzero((walkers.feature == f) | (walkers.feature == NONE))
    child = grove.children.take((left_child + ~goes_right).take(may))
    row, f = walkers.row.take(may), f.take(may)
    other = Detours(row, child, f, grove.low.take(child), grove.high.take(child))
    both = _joined([own, other])
    is_some = both.low < both.high  # no occurring value lies in an empty interval
    return both if is_some.all() else both.where(is_some)


def _bins_of(bins: NDArray, row: NDArray, feature: NDArray) -> NDArray:
    """The bin that each walker's row has of the feature asked for -> (walkers,)."""
    return bins.ravel().take(row * np.intp(bins.shape[1]) + feature)


# --- the trees as one set of arrays ---


def _grove(forest: Forest, table: NDArray, used: NDArray) -> tuple[Grove, NDArray]:
    """The forest as a Grove on the used features, and the bin of their values: (n, used) int."""
    sizes = [tree.n_nodes for tree in forest.trees]
    tree = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    root = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
    left = _children(forest, "children_left", root[tree])
    right = _children(forest, "children_right", root[tree])
    feature = np.searchsorted(used, _of_all(forest, "feature")).astype(np.int32)
    threshold = _of_all(forest, "threshold")
    weighted = zip(forest.weights, forest.trees, strict=True)
    value = np.concatenate([weight * tree.value for weight, tree in weighted])

    bins = np.zeros((len(table), len(used)), dtype=np.int32)
    cut = np.zeros(len(left), dtype=np.int32)
    inner = np.flatnonzero(left != LEAF)
    by_feature = inner[np.argsort(feature[inner], kind="stable")]
    ends = np.searchsorted(feature[by_feature], np.arange(len(used) + 1))
    for f, j in enumerate(used):
        nodes = by_feature[ends[f]:ends[f + 1]]
        bins[:, f], cut[nodes] = _binned(table[:, j], threshold[nodes])
    low, high = _reach(left, right, feature, cut, bins.max(axis=0) + 1)
    feature[left == LEAF] = LEAF
    children = np.column_stack([left, right]).ravel()
    return Grove(children, feature, cut, value, tree, root, low, high), bins


def _of_all(forest: Forest, field: str) -> NDArray:
    return np.concatenate([getattr(tree, field) for tree in forest.trees])


def _children(forest: Forest, field: str, root: NDArray) -> NDArray:
    """Children numbered through all trees -> (n_nodes,) int32."""
    child = _of_all(forest, field)
    return np.where(child == LEAF, LEAF, child + root).astype(np.int32)


def _binned(column: NDArray, thresholds: NDArray) -> tuple[NDArray, NDArray]:
    """Values between the same thresholds share a bin, numbered without gaps as they occur.

    -> bins (n,), cuts (nodes,): column <= threshold if and only if bin < cut
    """
    edges = np.unique(thresholds)
    edges_below = np.searchsorted(edges, column)
    occurring, bins = np.unique(edges_below, return_inverse=True)
    place = np.searchsorted(edges, thresholds)
    return bins, np.searchsorted(occurring, place, side="right")


def _reach(
    left: NDArray, right: NDArray, feature: NDArray, cut: NDArray, n_bins: NDArray
) -> tuple[NDArray, NDArray]:
    """The bins of its parent's feature with which a value comes to each node -> low, high.

    Every node climbs to its root; a test of the same feature on the way narrows its interval.
    """
    inner = np.flatnonzero(left != LEAF)
    parent = np.full(len(left), NONE)
    parent[left[inner]] = parent[right[inner]] = inner
    node = np.flatnonzero(parent != NONE)
    asked = feature[parent]
    low = np.zeros(len(left), dtype=np.int32)
    high = n_bins[asked].astype(np.int32)
    below, above = node, parent[node]
    while len(node):
        same = feature[above] == asked[node]
        from_left = left[above] == below
        lefts, rights = same & from_left, same & ~from_left
        high[node[lefts]] = np.minimum(high[node[lefts]], cut[above[lefts]])
        low[node[rights]] = np.maximum(low[node[rights]], cut[above[rights]])
        going_on = parent[above] != NONE
        node, below = node[going_on], above[going_on]
        above = parent[below]
    return low, high
