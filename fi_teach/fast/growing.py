"""Grow many trees at once, level by level: what grow_cart_by_definition does, fast.

Each column is replaced by ranks, its codes, once. The *frontier* holds an entry for every row of
every tree that is still on its way, the entries of a node side by side. Five rows, one column,
two trees, the second on a bootstrap sample:

    row      0    1    2    3    4
    x      2.5  7.0  1.0  7.0  4.0
    code     1    3    0    3    2      the value's rank among 1.0 2.5 4.0 7.0
    y       no  yes  yes  yes   no

    level 0  node     0 0 0 0 0   1 1 1      n = 5 3, starts = 0 5
             row      0 1 2 3 4   0 1 4
             weight   1 1 1 1 1   2 1 2      the sample has rows 0 and 4 twice
             code     1 3 0 3 2   1 3 2
       sorted code    0 1 2 3 3   1 2 3      each node's entries lined up by the candidate column
             yes      1 1 1 2 3   0 0 1      running sums: what lies left of a cut after this entry
             all      1 2 3 4 5   2 4 5
             cut          ^         ^        best after code 2 in both, between 4.0 and 7.0
    level 1  node     2 2 2 3 3   4 4 5      the k-th split of all has children M + 2k, M + 2k + 1
             row      0 2 4 1 3   0 4 1      nodes 3, 4 and 5 are pure, hence leaves
    level 2  node     6 7 7                  node 2 is cut after code 0
             row      2 0 4

Few values are lined up by counting, many by sorting. A single tree is a forest of one.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.impurity import class_impurity
from fi_teach.basics.target import coded
from fi_teach.basics.thresholds import halfway
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree

TIE = 1e-12  # decreases closer than this share of the node's impurity are equal: the first wins
PURE = 1e-26  # rounding leaves a pure node of numbers a variance of about (1e-16 mean)^2
CHUNK = 1 << 15  # (entry, column) pairs looked at in one go: they stay in the processor's cache
BATCH = 1 << 20  # entries on one frontier: larger forests are grown in batches of trees
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

    def thresholds(self, feature: NDArray, code_left: NDArray, code_right: NDArray) -> NDArray:
        """Halfway between the values of two codes, for each of S splits -> (S,)."""
        first = self.first[feature]
        return halfway(
            self.values[first + code_left],
            self.values[first + code_right],
        )


class Target(NamedTuple):
    """What is predicted: columns (q, n) of 0/1, one a class, or of numbers (classes is None)."""

    columns: NDArray
    classes: tuple | None
    criterion: str


class Rules(NamedTuple):
    """What trees are grown by: the table, how splits are judged, and the limits of grow_trees."""

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

    def replace_at(self, nodes: NDArray, others: "Splits") -> None:
        """Take the others' splits at these nodes."""
        for mine, theirs in zip(self, others, strict=True):
            mine[nodes] = theirs

    def keep(self, nodes: NDArray) -> "Splits":
        """Of these nodes only."""
        return Splits(*(column[nodes] for column in self))


class Frontier(NamedTuple):
    """E entries in S nodes: the first n[0] entries are in node 0, the next n[1] in node 1, ...

    tree, n, w, impurity : (S,) each node's tree, entries, weight and impurity
    value : (q, S) its class shares or means
    row : (E,) each entry's row of the table; weight : (E,), or None where all are 1
    sums, totals : (q', E), (q', S), what a split's worth is added up from: of classes all columns
        but the first, which is what the others leave; of numbers the gaps to the node's own mean,
        since squares of numbers with a large mean would drown their differences
    """

    tree: NDArray
    n: NDArray
    w: NDArray
    impurity: NDArray
    value: NDArray
    row: NDArray
    weight: NDArray | None
    sums: NDArray
    totals: NDArray

    def part(self, nodes, entries) -> "Frontier":
        """Only these nodes and the entries in them; a slice of each copies nothing."""
        return Frontier(
            self.tree[nodes],
            self.n[nodes],
            self.w[nodes],
            self.impurity[nodes],
            self.value[:, nodes],
            self.row[entries],
            None if self.weight is None else self.weight[entries],
            self.sums[:, entries],
            self.totals[:, nodes],
        )

    def keep(self, nodes: NDArray) -> "Frontier":
        """Only `nodes` (S,) bool."""
        if nodes.all():
            return self
        entries = np.flatnonzero(self.along(nodes))
        return self.part(nodes, entries)

    def cut(self, first: int, stop: int) -> "Frontier":
        """Only the nodes from `first` up to `stop`."""
        begin, end = self.n[:first].sum(), self.n[:stop].sum()
        return self.part(slice(first, stop), slice(begin, end))

    @property
    def starts(self) -> NDArray:
        """Where each node's entries begin -> (S,)."""
        return np.cumsum(self.n) - self.n

    def along(self, of_node: NDArray) -> NDArray:
        """What is known of each node (..., S), repeated for each of its entries -> (..., E)."""
        return np.repeat(of_node, self.n, axis=-1)


def rank_table(X: NDArray, names: tuple) -> RankedTable:
    """Replace each column of X (n, p) by ranks, once for a whole forest.

    >>> rank_table(np.array([[5.0], [2.0], [5.0]]), ("x0",)).codes
    array([[1, 0, 1]])
    """
    codes = np.empty(X.T.shape, dtype=np.intp)
    values = []
    for code, column in zip(codes, X.T, strict=True):
        order = column.argsort()
        ordered = column[order]
        is_new = np.diff(ordered, prepend=np.nan) != 0
        code[order] = is_new.cumsum() - 1
        values.append(ordered[is_new])
    n_values = np.array([len(distinct) for distinct in values])
    return RankedTable(
        codes,
        np.concatenate(values),
        np.cumsum(n_values) - n_values,
        n_values,
        tuple(names),
    )


def target_of(y: ArrayLike, criterion: str) -> Target:
    """Labels (n,) as one 0/1 column a class, or numbers (n,) or (n, k) as columns."""
    if criterion == "variance":
        columns = np.asarray(y, dtype=float).T
        return Target(np.atleast_2d(columns), None, criterion)
    classes, code = coded(y)
    is_class = np.arange(len(classes))[:, None] == code
    return Target(is_class.astype(float), tuple(classes.tolist()), criterion)


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
    frontier = _roots(target, weights)
    while len(frontier.n):
        is_split, parents, splits = _split_level(rules, frontier, len(levels), rng)
        goes_right, threshold = _sides(rules.table, parents, splits)
        levels.append(_level(frontier, is_split, splits, threshold))
        frontier = _children(target, parents, goes_right)
    return _trees_from(levels, rules.table.names, target)


# --- one level --------------------------------------------------------------------------------

def _roots(target: Target, weights: NDArray) -> Frontier:
    """The first frontier: every tree's root, with the rows of positive weight."""
    tree, row = np.nonzero(weights)
    weight = weights[tree, row].astype(float)
    return _described(
        target,
        np.arange(len(weights)),
        np.bincount(tree),
        row,
        None if (weight == 1).all() else weight,
    )


def _described(target: Target, tree, n, row, weight) -> Frontier:
    """The nodes that these entries are in, with what is known of them: see Frontier."""
    node = np.repeat(np.arange(len(n)), n)
    w = n.astype(float) if weight is None else np.bincount(node, weight)
    columns = target.columns.take(row, axis=1)
    sums = columns if weight is None else columns * weight
    totals = _sum_by(node, sums)
    value = totals / w
    if target.classes is not None:
        impurity = class_impurity(target.criterion)(totals.T)
        return Frontier(tree, n, w, impurity, value, row, weight, sums[1:], totals[1:])
    gap = columns - np.repeat(value, n, axis=1)
    sums = gap if weight is None else gap * weight
    impurity = (_sum_by(node, sums * gap) / w).sum(axis=0)
    return Frontier(tree, n, w, impurity, value, row, weight, sums, np.zeros_like(value))


def _sum_by(node: NDArray, columns: NDArray) -> NDArray:
    """Each of the columns (q, E) added up by node -> (q, S)."""
    return np.array([np.bincount(node, column) for column in columns])


def _split_level(rules: Rules, frontier: Frontier, depth: int, rng):
    """Which nodes are split -> (S,) bool, the frontier of these alone, and their Splits."""
    is_mixed = frontier.impurity > PURE * (frontier.value**2).sum(axis=0)
    is_large = frontier.n >= 2 * rules.min_leaf
    able = is_mixed & is_large & (depth != rules.max_depth)
    parents = frontier.keep(able)
    splits = find_splits(rules, parents, rng)
    found = np.isfinite(splits.decrease)
    is_split = able.copy()
    is_split[able] = found
    return is_split, parents.keep(found), splits.keep(found)


def _sides(table: RankedTable, parents: Frontier, splits: Splits) -> tuple[NDArray, NDArray]:
    """Which entries go right -> (E,) bool, and each node's threshold -> (S,)."""
    codes = _codes_of(table, splits.feature[None], parents)[0]
    goes_right = codes > parents.along(splits.code)
    beyond = table.codes.shape[1]
    codes_right = np.where(goes_right, codes, beyond)
    lowest_right = np.minimum.reduceat(codes_right, parents.starts)
    return goes_right, table.thresholds(splits.feature, splits.code, lowest_right)


def _children(target: Target, parents: Frontier, goes_right: NDArray) -> Frontier:
    """The next frontier: node k's rows on the left in node 2k, those on the right in 2k + 1."""
    n_children = 2 * len(parents.n)
    left_child = np.arange(0, n_children, 2)
    child, order = _sorted(parents.along(left_child) + goes_right)
    return _described(
        target,
        np.repeat(parents.tree, 2),
        np.bincount(child, minlength=n_children),
        parents.row[order],
        None if parents.weight is None else parents.weight[order],
    )


def _level(frontier: Frontier, is_split: NDArray, splits: Splits, threshold: NDArray) -> dict:
    """What the trees keep of a level, one entry a node; feature and threshold are -2 in leaves."""
    asks = np.full(len(is_split), UNDEFINED)
    cuts_at = np.full(len(is_split), float(UNDEFINED))
    asks[is_split] = splits.feature
    cuts_at[is_split] = threshold
    return {
        "tree": frontier.tree,
        "feature": asks,
        "threshold": cuts_at,
        "impurity": frontier.impurity,
        "n_node_samples": frontier.n,
        "weighted_n_node_samples": frontier.w,
        "value": frontier.value.T,
    }


def _trees_from(levels: list[dict], names: tuple, target: Target) -> list[Tree]:
    """The nodes of all levels as Trees, each with its own numbers 0, 1, 2, ..."""
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
    """The codes of each entry in each of its node's candidate columns: (m, S) -> (m, E)."""
    n_rows = table.codes.shape[1]
    cell = frontier.along(candidates * n_rows) + frontier.row
    return table.codes.ravel().take(cell)


def _sorted(numbers: NDArray) -> tuple[NDArray, NDArray]:
    """Whole numbers >= 0 (..., L) in order, and which came where, equals as they came.

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


# --- the search: every split of every candidate column of every node --------------------------

def find_splits(rules: Rules, frontier: Frontier, rng) -> Splits:
    """The best split of each node among its candidates.

    Candidates are all columns in order, or max_features of them drawn without replacement. If
    none of those varies in the node, the next drawn that does stands in (so that a node with
    anything to split on is split, as scikit-learn does it). Ties go to the candidate that comes
    first, then to the lowest threshold.
    """
    size = len(frontier.n)
    n_together = max(1, DRAWS // len(rules.table.codes))
    parts = [Splits(np.empty(0), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))]
    for first in range(0, size, n_together):
        part = frontier.cut(first, min(first + n_together, size))
        parts.append(_splits_of(rules, part, rng))
    return Splits(*map(np.concatenate, zip(*parts, strict=True)))


def _splits_of(rules: Rules, frontier: Frontier, rng) -> Splits:
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
    """Where none of the m drawn columns varies, the next in `order` that does takes their place."""
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
            splits.replace_at(nodes[some], found)


def _varies(table: RankedTable, candidates: NDArray, frontier: Frontier) -> NDArray:
    """Has the node more than one value of the candidate? (m, S) -> (m, S) bool."""
    codes = _codes_of(table, candidates, frontier)
    lowest = np.minimum.reduceat(codes, frontier.starts, axis=1)
    highest = np.maximum.reduceat(codes, frontier.starts, axis=1)
    return lowest < highest


def _search(rules: Rules, frontier: Frontier, candidates: NDArray) -> Splits:
    """The best split of each node among its candidates (m, S)."""
    decrease = np.empty(candidates.shape)
    code = np.empty(candidates.shape, dtype=np.intp)
    n_values = rules.table.n_values[candidates]
    for some, nodes, part in _cachefuls(frontier, len(candidates)):
        largest = n_values[some, nodes].max(axis=1)
        few = largest * len(part.n) <= len(part.row)
        for rows, search in ((some[few], _search_by_counting), (some[~few], _search_by_sorting)):
            if len(rows):
                found = search(rules, part, candidates[rows, nodes], n_values[rows, nodes].max())
                decrease[rows, nodes], code[rows, nodes] = found
    as_good = decrease >= decrease.max(axis=0) - TIE * frontier.impurity
    best = as_good.argmax(axis=0), np.arange(len(frontier.n))
    return Splits(decrease[best], candidates[best], code[best])


def _cachefuls(frontier: Frontier, m: int) -> Iterator[tuple[NDArray, slice, Frontier]]:
    """The frontier, for m candidates a node, in parts of about CHUNK (entry, candidate) pairs.

    Yields (candidates, nodes, Frontier of these nodes).
    """
    if m * len(frontier.row) <= CHUNK:
        yield np.arange(m), slice(None), frontier
        return
    ends = np.cumsum([0, *frontier.n])
    entries_together = max(1, CHUNK // m)
    part_of_node = ends[:-1] // entries_together
    borders = np.flatnonzero(np.diff(part_of_node, prepend=-1, append=-1))
    for first, stop in pairwise(borders):
        nodes = slice(first, stop)
        entries = slice(ends[first], ends[stop])
        part = frontier.part(nodes, entries)
        candidates_together = max(1, CHUNK // len(part.row))
        for c in range(0, m, candidates_together):
            yield np.arange(c, min(c + candidates_together, m)), nodes, part


def _search_by_counting(rules, frontier, candidates, span):
    """Count each node's entries by each candidate's code, and judge the gap after every code.

    -> (decrease, code), both (m, S)
    """
    m, size = candidates.shape
    node = frontier.along(np.arange(size))
    pair = np.arange(m)[:, None] * size + node
    codes = _codes_of(rules.table, candidates, frontier)
    cell = (codes * (m * size) + pair).ravel()
    n_cells = span * m * size

    weight = [] if frontier.weight is None else [frontier.weight]
    counts = [np.bincount(cell, minlength=n_cells)]
    if rules.criterion != "variance" and not weight:  # sums are 0 or 1: count the ones
        cells = cell.reshape(m, -1)
        for column in frontier.sums:
            ones = cells.take(np.flatnonzero(column), axis=1).ravel()
            counts.append(np.bincount(ones, minlength=n_cells))
    else:
        for column in [*weight, *frontier.sums]:
            counts.append(np.bincount(cell, np.tile(column, m), n_cells))
    running = _running(np.array(counts, dtype=float).reshape(-1, span, m * size))
    running = running.reshape(-1, span, m, size)

    n_left, w_left, left = running[0], running[len(weight)], running[1 + len(weight):]
    totals = frontier.totals[:, None, None]
    decrease = _decrease(rules.criterion, left, w_left, totals, frontier.w)
    allowed = (n_left >= rules.min_leaf) & (n_left <= frontier.n - rules.min_leaf)
    decrease = np.where(allowed, decrease, -np.inf)
    best = decrease.max(axis=0)
    as_good = decrease >= best - TIE * frontier.impurity
    return best, as_good.argmax(axis=0)


def _running(counts: NDArray) -> NDArray:
    """Running sums over the codes, axis 1; of few by a product with a triangle of ones."""
    span = counts.shape[1]
    if span > 64:
        return counts.cumsum(axis=1)
    return np.tril(np.ones((span, span))) @ counts


def _search_by_sorting(rules, frontier, candidates, span):
    """Sort each node's entries by each candidate's code, and judge the gap after every entry.

    -> (decrease, code), both (m, S)
    """
    offset = np.arange(len(frontier.n), dtype=np.int64) * span  # keeps the nodes apart
    codes = _codes_of(rules.table, candidates, frontier)
    key, entry = _sorted(codes + frontier.along(offset))

    n_left = np.arange(1, key.shape[1] + 1) - frontier.along(frontier.starts)
    w_left = n_left
    if frontier.weight is not None:
        w_left = _running_by_node(frontier, frontier.weight.take(entry))
    left = _running_by_node(frontier, frontier.sums.take(entry, axis=1))
    totals = frontier.along(frontier.totals[:, None])
    decrease = _decrease(rules.criterion, left, w_left, totals, frontier.along(frontier.w))

    most_left = frontier.along(frontier.n - rules.min_leaf)
    allowed = (n_left >= rules.min_leaf) & (n_left <= most_left)
    is_gap = np.zeros(key.shape, dtype=bool)
    np.less(key[:, :-1], key[:, 1:], out=is_gap[:, :-1])
    decrease = np.where(allowed & is_gap, decrease, -np.inf)
    best = np.maximum.reduceat(decrease, frontier.starts, axis=1)
    as_good = decrease >= frontier.along(best - TIE * frontier.impurity)
    code = key.ravel()[_first_of_each_node(as_good, frontier.starts)]
    return best, code - offset


def _first_of_each_node(as_good: NDArray, starts: NDArray) -> NDArray:
    """Where the first good entry of each node stands: (m, E) bool -> (m, S), places in (m * E)."""
    m, length = as_good.shape
    places = np.flatnonzero(as_good)
    begin = np.arange(m)[:, None] * length + starts
    return places[np.searchsorted(places, begin)]


def _running_by_node(frontier: Frontier, columns: NDArray) -> NDArray:
    """Running sums (..., E) that begin afresh at each node, in place: memory is what costs here."""
    running = columns.cumsum(axis=-1, out=columns)
    before = running.take(frontier.starts - 1, axis=-1)
    before[..., 0] = 0
    running -= frontier.along(before)
    return running


# --- what a split takes off the impurity ------------------------------------------------------

def _decrease(criterion: str, left: NDArray, w_left: NDArray, totals: NDArray, w: NDArray):
    """Impurity decrease of splits with weight w_left and sums `left` (q, ...) on the left.

    Variance: with D = left - w_left * totals / w, the left side's lead over its fair share, it is
    sum of D^2 / (w_left w_right). Gini is the variance of the 0/1 columns, all classes added up.
    """
    w_right = w - w_left
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion in ("entropy", "entropy_nats"):
            return _entropy_decrease(criterion, left, w_left, totals, w)
        if criterion == "variance":  # centred sums: a fair share is 0
            return (left**2).sum(axis=0) / (w_left * w_right)
        lead = left - w_left * (totals / w)
        first_class = lead.sum(axis=0)  # what the others lead by, it lags behind
        return ((lead**2).sum(axis=0) + first_class**2) / (w_left * w_right)


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
