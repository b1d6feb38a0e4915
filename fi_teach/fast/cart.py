"""Grow many trees at once, level by level: what grow_cart_by_definition does, fast.

Each column is replaced by ranks, its codes, once. A *sample* is a row of one of the trees; the
*frontier* holds the samples of all nodes that may still be split, those of a node side by side.
Five rows, one column, two trees, the second on a bootstrap sample:

    row      0    1    2    3    4
    x      2.5  7.0  1.0  7.0  4.0
    code     1    3    0    3    2      the value's rank among 1.0 2.5 4.0 7.0
    y       no  yes  yes  yes   no

    level 0  node     0 0 0 0 0   1 1 1      n = 5 3, starts = 0 5
             row      0 1 2 3 4   0 1 4
             weight   1 1 1 1 1   2 1 2      its sample has rows 0 and 4 twice
             code     1 3 0 3 2   1 3 2
       sorted code    0 1 2 3 3   1 2 3      each node's samples lined up by the candidate column
             yes      1 1 1 2 3   0 0 1      running sums: what lies left of a cut after this sample
             all      1 2 3 4 5   2 4 5
             cut          ^         ^        best after code 2 in both, between 4.0 and 7.0
    level 1  node     2 3 2 3 2   4 5 4      the k-th split of all has children M + 2k, M + 2k + 1
             row      0 1 2 3 4   0 1 4      nodes 3, 4 and 5 are pure, hence leaves:
          frontier    0 2 4                  what is left, in order of the nodes
    level 2  node     7 6 7                  node 2 is cut after code 0, both sides are pure
             row      0 2 4

Few values are lined up by counting, many by sorting. A single tree is a forest of one.

    count  code 0  1  2  3                   of node 0: no, yes
           no   0  1  1  0                   one number a code and class; running sums of them
           yes  1  0  0  2                   are what lies left of a cut after the code
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.impurity import TIE, class_impurity
from fi_teach.basics.target import Target
from fi_teach.basics.thresholds import halfway
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree

PURE = 1e-26  # rounding leaves a pure node of numbers a variance of about (1e-16 mean)^2
VERY_FEW = 16  # values of a column: counted apart, beside wider counts most cells would be empty
COUNTED = 1 << 17  # (sample, column) pairs looked at in one go, when they are counted
SORTED = 1 << 15  # and when they are sorted: all that is worked out of them stays in the cache
BATCH = 1 << 20  # samples on one frontier: larger forests are grown in batches of trees
PACK = 2.0**26  # a sum of whole weights times this, plus a number of samples, is exact in a float
DRAWS = 1 << 22  # (node, column) pairs drawn from in one go: wide tables take few nodes at a time


class RankedTable(NamedTuple):
    """A table whose values are replaced by ranks: codes[j, i] values of column j are below X[i, j].

    codes : (p, n) int; names : p str
    values : the distinct values of column 0 in order, then those of column 1, ...
    first, n_values : (p,) where each column's values begin, and how many they are
    """

    codes: NDArray
    values: NDArray
    first: NDArray
    n_values: NDArray
    names: tuple


class Rules(NamedTuple):
    """The table, the criterion that judges splits, and the limits of grow_trees."""

    table: RankedTable
    criterion: str
    max_depth: int | None
    min_leaf: int
    max_features: int | None


class Splits(NamedTuple):
    """The best split of each of S nodes: what it takes off the impurity (-inf: there is none),
    the column it asks about, and the last code that goes left."""

    decrease: NDArray
    feature: NDArray
    code: NDArray

    def keep(self, nodes: NDArray) -> "Splits":
        """Keep only the splits of these nodes."""
        return Splits(*(column[nodes] for column in self))


class Samples(NamedTuple):
    """The rows of all trees that have not reached a leaf -> each (E,), in any order.

    node : which of its level's nodes it is in; row : of the table
    weight : how often the tree's sample has the row, or how heavily; None where all are 1
    """

    node: NDArray
    row: NDArray
    weight: NDArray | None


class Frontier(NamedTuple):
    """E samples in S nodes: the first n[0] samples are in node 0, the next n[1] in node 1, ...

    tree, n, w, impurity : (S,) each node's tree, number of samples, weight and impurity
    row : (E,) each sample's row of the table; weight : (E,), or None where all are 1
    A split's worth is added up from one of these, the other is None:
    label : (E,) each sample's class
    gaps : (q, E) numbers less the node's own mean, times the weight: squares of numbers with a
        large mean would drown their differences
    totals : (K - 1, S) each node's weight of all classes but the first, which is what the others
        leave; (q, S) zeros, what gaps come to
    """

    tree: NDArray
    n: NDArray
    w: NDArray
    impurity: NDArray
    totals: NDArray
    row: NDArray
    weight: NDArray | None
    label: NDArray | None
    gaps: NDArray | None

    def part(self, nodes, samples) -> "Frontier":
        """Keep only these nodes and the samples in them; a slice of each copies nothing."""
        return Frontier(
            *(_some(column, nodes) for column in self[:5]),
            *(_some(column, samples) for column in self[5:]),
        )

    def keep(self, nodes: NDArray) -> "Frontier":
        """Keep only `nodes` (S,) bool."""
        if nodes.all():
            return self
        samples = np.flatnonzero(self.along(nodes))
        return self.part(np.flatnonzero(nodes), samples)

    def cut(self, first: int, stop: int) -> "Frontier":
        """Keep only the nodes from `first` up to `stop`."""
        begin, end = self.n[:first].sum(), self.n[:stop].sum()
        return self.part(slice(first, stop), slice(begin, end))

    @property
    def starts(self) -> NDArray:
        """Where each node's samples begin -> (S,)."""
        return self.n.cumsum() - self.n

    @property
    def is_whole(self) -> bool:
        """Whether all sums over samples are sums of whole numbers, which are exact."""
        return self.gaps is None and (self.weight is None or self.weight.dtype.kind == "i")

    def sums(self) -> NDArray:
        """The numbers from which splits are judged: gaps, or the weights of all classes but one."""
        if self.gaps is not None:
            return self.gaps
        others = np.arange(1, len(self.totals) + 1)[:, None]
        is_class = (np.asarray(self.label) == others).astype(float)
        return _weighed(is_class, self.weight)

    def along(self, of_node: NDArray) -> NDArray:
        """Repeat a number of each node (..., S) for each of its samples -> (..., E)."""
        return of_node.repeat(self.n, axis=-1)


def _some(column, which: NDArray | slice):
    """Take the places `which` of a column (..., L); None stays None."""
    if column is None or isinstance(which, slice):
        return None if column is None else column[..., which]
    return column.take(which, axis=-1)


def rank_table(X: NDArray, names: tuple) -> RankedTable:
    """Replace each column of X (n, p) by ranks, once for a whole forest.

    >>> rank_table(np.array([[5.0], [2.0], [5.0]]), ("x0",)).codes
    array([[1, 0, 1]], dtype=uint8)
    """
    columns = np.ascontiguousarray(X.T)
    order = columns.argsort(axis=1)
    in_order = np.take_along_axis(columns, order, axis=1)
    is_next = np.ones(columns.shape, dtype=bool)  # a value that has not come before
    np.not_equal(in_order[:, 1:], in_order[:, :-1], out=is_next[:, 1:])
    n_values = is_next.sum(axis=1)
    rank = is_next.cumsum(axis=1, dtype=np.min_scalar_type(int(n_values.max()))) - 1
    codes = np.empty_like(rank)
    np.put_along_axis(codes, order, rank, axis=1)
    first = np.cumsum(n_values) - n_values
    return RankedTable(codes, in_order[is_next], first, n_values, tuple(names))


def grow_trees(
    table: RankedTable,
    target: Target,
    weights: NDArray,
    *,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    max_features: int | None = None,
    rng=0,
) -> list[Tree]:
    """Grow one tree for each row of `weights`, greedily, all of them level by level -> M Trees.

    weights : (M, n), how often (or how heavily) tree m sees row i
    max_features : columns drawn afresh at each node, or None for all: then nothing is random

    Inside the package: nothing is checked here. A tree whose rows all agree is a single leaf.
    """
    rng = np.random.default_rng(rng)
    rules = Rules(table, target.criterion, max_depth, min_samples_leaf, max_features)
    n_together = max(1, BATCH // weights.shape[1])
    trees = []
    for start in range(0, len(weights), n_together):
        batch = weights[start:start + n_together]
        trees += _grow_batch(rules, target, batch, rng)
    return trees


def _grow_batch(rules: Rules, target: Target, weights: NDArray, rng) -> list[Tree]:
    """Split the nodes of a frontier, send their rows down, and go on until no node is split."""
    levels: list[dict] = []
    tree, samples = np.arange(len(weights)), _roots(weights)
    while len(tree):
        nodes, value = _described(target, tree, samples)
        able = _able(rules, nodes, value, len(levels))
        frontier = nodes.part(np.flatnonzero(able), _order(samples.node, able))
        splits = find_splits(rules, frontier, rng)
        found = np.isfinite(splits.decrease)
        parents = frontier._replace(label=None, gaps=None).keep(found)  # all has been judged
        splits = splits.keep(found)
        goes_right, threshold = _sides(rules.table, parents, splits)
        is_split = able.copy()
        is_split[able] = found
        levels.append(_level(nodes, value, is_split, splits, threshold))
        tree, samples = _children(parents, goes_right)
    return _trees_from(levels, rules.table.names, target)


# --- one level --------------------------------------------------------------------------------

def _roots(weights: NDArray) -> Samples:
    """Put every tree's rows of positive weight into its root -> the first Samples."""
    rows = [np.flatnonzero(of_tree) for of_tree in weights]
    weight = np.concatenate([of_tree[row] for of_tree, row in zip(weights, rows, strict=True)])
    node = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    all_one = (weight == 1).all()
    return Samples(node, np.concatenate(rows), None if all_one else _whole_if_possible(weight))


def _whole_if_possible(weight: NDArray) -> NDArray:
    """Turn weights into integers, if they are whole and so few that _n_and_w can pack them."""
    if weight.sum() >= PACK or (weight != np.floor(weight)).any():
        return weight.astype(float)
    return weight.astype(np.intp)


def _described(target: Target, tree: NDArray, samples: Samples) -> tuple[Frontier, NDArray]:
    """Describe the nodes of some samples, not yet lined up -> Frontier, class shares or means."""
    node, row, weight = samples
    size = len(tree)
    if target.codes is not None:
        label = target.codes.take(row)
        apart = node + label * size
        n, w, of_class = _by_class(apart[None], weight, len(target.columns), size)
        impurity = class_impurity(target.criterion)(of_class.T)
        n, totals = n.astype(np.intp), of_class[1:]
        return Frontier(tree, n, w, impurity, totals, row, weight, label, None), of_class / w
    columns = target.columns.take(row, axis=1)
    n, w = _n_and_w(node[None], weight, size)
    value = _sum_by(node, _weighed(columns, weight), size) / w
    gap = columns - value.take(node, axis=1)
    gaps = _weighed(gap, weight)
    impurity = (_sum_by(node, gaps * gap, size) / w).sum(axis=0)
    n, totals = n.astype(np.intp), np.zeros_like(value)
    return Frontier(tree, n, w, impurity, totals, row, weight, None, gaps), value


def _able(rules: Rules, nodes: Frontier, value: NDArray, depth: int) -> NDArray:
    """Which nodes may be split -> (S,) bool."""
    is_mixed = nodes.impurity > PURE * (value**2).sum(axis=0)
    is_large = nodes.n >= 2 * rules.min_leaf
    return is_mixed & is_large & (depth != rules.max_depth)


def _order(node: NDArray, able: NDArray) -> NDArray:
    """Places that line up the samples of the able nodes, node by node, within a node as before."""
    places = np.flatnonzero(able.take(node))
    _, order = _sorted(node.take(places))
    return places.take(order)


def _sides(table: RankedTable, parents: Frontier, splits: Splits) -> tuple[NDArray, NDArray]:
    """Apply the splits -> which samples go right (E,) bool, each node's threshold (S,)."""
    codes = _codes_of(table, splits.feature[None], parents)[0].astype(np.intp)
    goes_right = codes > parents.along(splits.code)
    beyond = table.codes.shape[1]
    codes_right = codes + beyond * ~goes_right
    lowest_right = np.minimum.reduceat(codes_right, parents.starts)
    first = table.first[splits.feature]
    return goes_right, halfway(
        table.values[first + splits.code],
        table.values[first + lowest_right],
    )


def _children(parents: Frontier, goes_right: NDArray) -> tuple[NDArray, Samples]:
    """The next level's nodes and samples: those of node k go left to 2k, right to 2k + 1."""
    left_child = np.arange(0, 2 * len(parents.n), 2)
    child = parents.along(left_child) + goes_right
    return np.repeat(parents.tree, 2), Samples(child, parents.row, parents.weight)


def _level(nodes: Frontier, value: NDArray, is_split: NDArray, splits: Splits, threshold) -> dict:
    """What the trees keep of a level, one number a node; feature and threshold are -2 in leaves."""
    asks = np.full(len(is_split), UNDEFINED)
    cuts_at = np.full(len(is_split), float(UNDEFINED))
    asks[is_split] = splits.feature
    cuts_at[is_split] = threshold
    return {
        "tree": nodes.tree,
        "feature": asks,
        "threshold": cuts_at,
        "impurity": nodes.impurity,
        "n_node_samples": nodes.n,
        "weighted_n_node_samples": nodes.w,
        "value": value.T,
    }


def _trees_from(levels: list[dict], names: tuple, target: Target) -> list[Tree]:
    """Make Trees of the nodes of all levels, each with its own numbers 0, 1, 2, ..."""
    nodes = {key: np.concatenate([level[key] for level in levels]) for key in levels[0]}
    tree = nodes.pop("tree")
    order = np.argsort(tree, kind="stable")  # parents stay before their children
    n_nodes = np.bincount(tree)
    start = np.cumsum(n_nodes) - n_nodes
    number = np.empty(len(tree), dtype=int)
    number[order] = np.arange(len(tree)) - np.repeat(start, n_nodes)

    is_split = nodes["feature"] != UNDEFINED
    left_child = len(n_nodes) + 2 * np.cumsum(is_split) - 2
    nodes["children_left"] = np.where(is_split, number[left_child], LEAF)
    nodes["children_right"] = np.where(is_split, number[left_child] + 1, LEAF)
    meaning = {"names": names, "classes": target.classes, "criterion": target.criterion}
    trees = []
    for own in np.split(order, start[1:]):
        fields: dict[str, Any] = {key: column[own] for key, column in nodes.items()}
        trees.append(Tree(**fields | meaning))
    return trees


def _codes_of(table: RankedTable, candidates: NDArray, frontier: Frontier) -> NDArray:
    """The codes of each sample in each of its node's candidate columns: (m, S) -> (m, E)."""
    begin = candidates * table.codes.shape[1]
    all_alike = (candidates == candidates[:, :1]).all()
    cell = (begin[:, :1] if all_alike else frontier.along(begin)) + frontier.row
    return table.codes.ravel().take(cell)


def _sorted(numbers: NDArray) -> tuple[NDArray, NDArray]:
    """Sort whole numbers (..., L), stably -> the sorted numbers, and their former places.

    Each number is packed into one with its place: to sort numbers is several times quicker than
    to sort their places. Packed numbers need 64 bits, also where Python's own array is of 32.
    """
    length = numbers.shape[-1]
    bits = length.bit_length()
    packed = np.asarray(numbers, dtype=np.int64) << bits
    packed |= np.arange(length)
    packed.sort(axis=-1)
    place = packed & ((1 << bits) - 1)
    return packed >> bits, place.astype(np.intp, copy=False)


# --- adding up --------------------------------------------------------------------------------

def _sum_by(place: NDArray, columns: NDArray, size: int) -> NDArray:
    """Each of the columns (q, E) added up by place (E,) -> (q, size)."""
    return np.array([np.bincount(place, column, size) for column in columns])


def _weighed(columns: NDArray, weight: NDArray | None) -> NDArray:
    """Multiply columns (q, E) by the weights, where there are any."""
    return columns if weight is None else columns * weight


def _n_and_w(place: NDArray, weight: NDArray | None, size: int) -> tuple[NDArray, NDArray]:
    """Count the samples in each place (m, E) and add up their weights -> n, w (size,), floats.

    Where weights are whole, one sum holds both: a float is exact up to 2^53, so that the weights
    get the upper 27 bits and the count the lower 26. Samples of weight 2 and 1 in one place:

        packed     (2 * 2^26 + 1) + (1 * 2^26 + 1)  =  3 * 2^26 + 2
        unpacked   w = floor(sum / 2^26) = 3,       n = sum - 3 * 2^26 = 2
    """
    place, m = place.ravel(), len(place)
    if weight is None or weight.dtype.kind == "f":
        n = np.bincount(place, minlength=size).astype(float)
        return n, n if weight is None else np.bincount(place, _for_each(weight, m), size)
    both = np.bincount(place, _for_each(weight * PACK + 1, m), size)
    w = np.floor(both / PACK)
    return both - w * PACK, w


def _by_class(apart: NDArray, weight: NDArray | None, n_classes: int, size: int):
    """Count and weigh the samples in each place -> n, w (size,), weight by class (K, size).

    apart (m, E) : each sample's place, plus its class times size
    """
    n, of_class = _n_and_w(apart, weight, n_classes * size)
    n, of_class = n.reshape(n_classes, size), of_class.reshape(n_classes, size)
    w = of_class.sum(axis=0)
    if weight is None:
        return w, w, of_class
    if weight.dtype.kind == "f":  # not of_class added up, which is rounded otherwise
        w = np.bincount(apart.ravel() % size, _for_each(weight, len(apart)), size)
    return n.sum(axis=0), w, of_class


def _for_each(columns, m: int) -> NDArray:
    """Repeat columns (..., E) m times -> (..., m * E)."""
    return columns if m == 1 else np.concatenate([columns] * m, axis=-1)


# --- the search: every split of every candidate column of every node --------------------------

def find_splits(rules: Rules, frontier: Frontier, rng) -> Splits:
    """Find the best split of each node among its candidate columns.

    Candidates are all columns in order, or max_features of them drawn without replacement. If
    none of those varies in the node, the next drawn that does stands in (so that a node with
    anything to split on is split, as scikit-learn does it). Ties go to the candidate that comes
    first, then to the lowest threshold.
    """
    n_together = max(1, DRAWS // len(rules.table.codes))
    if 0 < len(frontier.n) <= n_together:
        return _splits_of(rules, frontier, rng)
    parts = [Splits(np.empty(0), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))]
    for first in range(0, len(frontier.n), n_together):
        parts.append(_splits_of(rules, frontier.cut(first, first + n_together), rng))
    return Splits(*map(np.concatenate, zip(*parts, strict=True)))


def _splits_of(rules: Rules, frontier: Frontier, rng) -> Splits:
    """Draw the candidates of so few nodes that one array holds them, and search them."""
    p, m, size = len(rules.table.codes), rules.max_features, len(frontier.n)
    if m is None or m >= p:
        every = np.tile(np.arange(p)[:, None], size)
        return _search(rules, frontier, every)
    order = rng.random((p, size)).argsort(axis=0)
    splits = _search(rules, frontier, order[:m])
    stuck = np.isinf(splits.decrease)
    if stuck.any():
        _look_further(rules, frontier, order, m, stuck, splits)
    return splits


def _look_further(rules: Rules, frontier: Frontier, order: NDArray, m: int, stuck, splits) -> None:
    """Where none of the m drawn columns varies, try the next in `order` that does."""
    for drawn in range(0, len(order), m):
        if not stuck.any():
            return
        nodes, part = np.flatnonzero(stuck), frontier.keep(stuck)
        next_drawn = order[drawn:drawn + m][:, nodes]
        varies = _varies(rules.table, next_drawn, part)
        some = varies.sum(axis=0) > 0
        stuck[nodes[some]] = False
        if drawn and some.any():  # those that had one from the start have no split to be found
            first = next_drawn[varies.argmax(axis=0), np.arange(len(nodes))]
            found = _search(rules, part.keep(some), first[None, some])
            for mine, theirs in zip(splits, found, strict=True):
                mine[nodes[some]] = theirs


def _varies(table: RankedTable, candidates: NDArray, frontier: Frontier) -> NDArray:
    """Whether each node has more than one value of the candidate: (m, S) -> (m, S) bool."""
    codes = _codes_of(table, candidates, frontier)
    lowest = np.minimum.reduceat(codes, frontier.starts, axis=1)
    highest = np.maximum.reduceat(codes, frontier.starts, axis=1)
    return lowest < highest


def _search(rules: Rules, frontier: Frontier, candidates: NDArray) -> Splits:
    """Search each node's candidates (m, S), by counting or by sorting -> Splits."""
    decrease = np.empty(candidates.shape)
    code = np.empty(candidates.shape, dtype=np.intp)
    n_values = rules.table.n_values[candidates]
    has_few = n_values.max(axis=1) <= VERY_FEW
    for alike, chunk in ((has_few, COUNTED), (~has_few, SORTED)):
        for some, nodes, part in _cachefuls(frontier, np.flatnonzero(alike), chunk):
            largest = n_values[some, nodes].max(axis=1)
            few = largest * len(part.n) <= len(part.row)
            for rows, search in (
                (some[few], _search_by_counting),
                (some[~few], _search_by_sorting),
            ):
                if len(rows):
                    span = n_values[rows, nodes].max()
                    found = search(rules, part, candidates[rows, nodes], span)
                    decrease[rows, nodes], code[rows, nodes] = found
    as_good = decrease >= decrease.max(axis=0) - TIE * frontier.impurity
    best = as_good.argmax(axis=0), np.arange(len(frontier.n))
    return Splits(decrease[best], candidates[best], code[best])


def _cachefuls(frontier: Frontier, rows: NDArray, chunk: int) -> Iterator:
    """Divide the frontier into parts of about `chunk` (sample, row of candidates) pairs.

    Yields (rows, nodes, Frontier of these nodes).
    """
    m = len(rows)
    if m * len(frontier.row) <= chunk:
        if m:
            yield rows, slice(None), frontier
        return
    ends = np.concatenate([[0], frontier.n.cumsum()])
    entries_together = max(1, chunk // m)
    part_of_node = ends[:-1] // entries_together
    borders = np.flatnonzero(np.diff(part_of_node, prepend=-1, append=-1))
    for first, stop in pairwise(borders):
        nodes = slice(first, stop)
        samples = slice(ends[first], ends[stop])
        part = frontier.part(nodes, samples)
        rows_together = max(1, chunk // len(part.row))
        for k in range(0, m, rows_together):
            yield rows[k:k + rows_together], nodes, part


def _search_by_counting(rules, frontier, candidates, span):
    """Count each node's samples by each candidate's code, and judge the gap after every code.

    -> (decrease, code), both (m, S)
    """
    m, size = candidates.shape
    n_cells = span * m * size
    codes = _codes_of(rules.table, candidates, frontier)
    cell = np.multiply(codes, m * size, dtype=np.intp)
    place = frontier.along(np.arange(size))
    cell += place if frontier.label is None else place + frontier.label * n_cells
    cell += np.arange(0, m * size, size)[:, None]

    counts = _in_cells(frontier, cell, n_cells).reshape(-1, span, m * size)
    # of few codes, a product with a triangle of ones is quicker
    running = counts.cumsum(axis=1) if span > 64 else np.tri(span) @ counts
    running = running.reshape(-1, span, m, size)
    n_left, w_left = running[0], running[int(frontier.weight is not None)]
    left = running[-len(frontier.totals):]
    totals = frontier.totals[:, None, None]
    decrease = _decrease(rules.criterion, left, w_left, totals, frontier.w)
    allowed = (n_left >= rules.min_leaf) & (n_left <= frontier.n - rules.min_leaf)
    decrease = np.where(allowed, decrease, -np.inf)
    best = decrease.max(axis=0)
    as_good = decrease >= best - TIE * frontier.impurity
    return best, as_good.argmax(axis=0)


def _in_cells(frontier: Frontier, cell: NDArray, n_cells: int) -> NDArray:
    """Samples in each cell, their weight (unless it is the same), and sums -> (r, n_cells)."""
    weight, q = frontier.weight, len(frontier.totals)
    if frontier.label is not None:
        n, w, of_class = _by_class(cell, weight, q + 1, n_cells)
        sums = of_class[1:]
    else:
        n, w = _n_and_w(cell, weight, n_cells)
        gaps = _for_each(frontier.gaps, len(cell))
        sums = _sum_by(cell.ravel(), gaps, n_cells)
    return np.vstack([n, sums] if weight is None else [n, w, sums])


def _search_by_sorting(rules, frontier, candidates, span):
    """Sort each node's samples by each candidate's code, and judge the gap after every sample.

    -> (decrease, code), both (m, S)
    """
    offset = np.arange(len(frontier.n), dtype=np.int64) * span  # keeps the nodes apart
    codes = _codes_of(rules.table, candidates, frontier)
    key, sample = _sorted(codes + frontier.along(offset))

    starts = frontier.starts
    n_left = np.arange(1, key.shape[1] + 1) - frontier.along(starts)
    w_left = n_left
    if frontier.weight is not None:
        weight = frontier.weight.astype(float).take(sample)
        w_left = _running_by_node(frontier, starts, weight, frontier.w)
    sums = frontier.sums().take(sample, axis=-1)
    left = _running_by_node(frontier, starts, sums, frontier.totals[:, None])
    totals = frontier.along(frontier.totals[:, None])
    decrease = _decrease(rules.criterion, left, w_left, totals, frontier.along(frontier.w))

    is_cut = np.zeros(key.shape, dtype=bool)  # between two values, and inside a node
    np.less(key[:, :-1], key[:, 1:], out=is_cut[:, :-1])
    is_cut[:, starts[1:] - 1] = False
    if rules.min_leaf > 1:
        most_left = frontier.along(frontier.n - rules.min_leaf)
        is_cut &= (n_left >= rules.min_leaf) & (n_left <= most_left)
    np.copyto(decrease, -np.inf, where=~is_cut)
    best = np.maximum.reduceat(decrease, starts, axis=1)
    as_good = decrease >= frontier.along(best - TIE * frontier.impurity)
    code = key.ravel()[_first_of_each_node(as_good, starts)]
    return best, code - offset


def _first_of_each_node(as_good: NDArray, starts: NDArray) -> NDArray:
    """The place of each node's first good sample: (m, E) bool -> (m, S), places in (m * E)."""
    m, length = as_good.shape
    places = np.flatnonzero(as_good)
    begin = np.arange(m)[:, None] * length + starts
    return places[np.searchsorted(places, begin)]


def _running_by_node(frontier: Frontier, starts: NDArray, columns: NDArray, totals: NDArray):
    """Running sums (..., E) that restart at each node; in place, since memory costs the time.

    totals (..., S) : what the columns come to in each node
    """
    if frontier.is_whole:  # exact: what a node came to is taken off where the next begins
        columns[..., starts[1:]] -= totals[..., :-1]
        return columns.cumsum(axis=-1, out=columns)
    running = columns.cumsum(axis=-1, out=columns)
    before = running.take(starts - 1, axis=-1)
    before[..., 0] = 0
    running -= frontier.along(before)
    return running


# --- what a split takes off the impurity ------------------------------------------------------

def _decrease(criterion: str, left: NDArray, w_left: NDArray, totals: NDArray, w: NDArray):
    """Impurity decrease of splits with weight w_left and sums `left` (q, ...) on the left.

    Variance: with D = left - w_left * totals / w, the left side's lead over its fair share, it is
    sum of D^2 / (w_left w_right). Gini is the variance of the 0/1 columns, all classes added up.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion in ("entropy", "entropy_nats"):
            return _entropy_decrease(criterion, left, w_left, totals, w)
        per_lead = w - w_left
        per_lead *= w_left
        if criterion == "variance":  # centred sums: a fair share is 0
            squares = left[0] ** 2 if len(left) == 1 else (left**2).sum(axis=0)
        else:
            lead = left - w_left * (totals / w)
            squares = _of_all_classes(lead)
        squares /= per_lead
        return squares


def _of_all_classes(lead: NDArray) -> NDArray:
    """Add up the squared leads of all classes; the first lags by the sum (q, ...) of the others."""
    if len(lead) == 1:
        lead *= lead
        lead *= 2
        return lead[0]
    first_class = lead.sum(axis=0)
    return (lead**2).sum(axis=0) + first_class**2


def _entropy_decrease(criterion: str, left, w_left, totals, w):
    """Entropy of the node less that of its sides, each weighted by its share."""
    node = _weighted_nats(totals, w)
    sides = _weighted_nats(left, w_left) + _weighted_nats(totals - left, w - w_left)
    per_nat = np.log(2) if criterion == "entropy" else 1.0
    return (node - sides) / (w * per_nat)


def _weighted_nats(counts: NDArray, weight: NDArray) -> NDArray:
    """Weight times entropy, W log W - sum of w_k log w_k; counts lack the first class."""
    first_class = weight - counts.sum(axis=0)
    return _x_log_x(weight) - _x_log_x(first_class) - _x_log_x(counts).sum(axis=0)


def _x_log_x(x: NDArray) -> NDArray:
    """x log x with 0 log 0 = 0; rounding may leave x a hair below 0, which counts as 0."""
    x = np.maximum(x, 0.0)
    log_x = np.log(x, out=np.zeros_like(x), where=x > 0)
    return x * log_x
