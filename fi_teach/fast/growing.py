"""Fast greedy growth: all nodes of one depth, of all trees of a forest, look for their splits together.

Columns are replaced by ranks once. A *frontier* holds one entry for each (tree, row) that is still on its way, the entries
of a node side by side. The search takes a cacheful of (entry, feature) pairs at a time and lines up each node's rows by each
feature: by counting where the feature has few values, by sorting where it has many. Running sums then give every split's
left side. A bootstrap sample is a row of integer weights; a single tree is a forest of one.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fi_teach.basics.impurity import class_impurity
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree

TIE = 1e-12  # decreases closer than this share of the node's impurity count as equal: the first one wins
CHUNK = 1 << 15  # (entry, feature) pairs looked at in one go: small enough to stay in the processor's cache
BATCH = 1 << 20  # entries on one frontier: larger forests are grown in batches of trees


@dataclass(frozen=True)
class RankedTable:
    """A table with every value replaced by its rank: codes[j, i] = number of distinct values of column j below X[i, j].

    codes : (p, n) int; values : p arrays, the distinct values of each column in order; names : p str
    """

    codes: np.ndarray
    values: tuple
    names: tuple


@dataclass(frozen=True)
class Target:
    """What the tree predicts: columns (q, n), one 0/1 column a class, or one column a number; `classes` is None for numbers."""

    columns: np.ndarray
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
    """The best split of each of S nodes: impurity decrease (-inf where there is none), feature, and the last code on the left."""

    decrease: np.ndarray
    feature: np.ndarray
    code: np.ndarray


class Frontier(NamedTuple):
    """The rows on their way, E entries in S nodes: the first n[0] entries are in node 0, the next n[1] in node 1, ...

    row : (E,) rows of the table; weight : (E,) or None for all ones; sums : (q, E), what a split's worth is added up from
    n, w, impurity : (S,) entries, weight and impurity of each node; totals : (q, S), the sums of `sums`
    """

    row: np.ndarray
    weight: np.ndarray | None
    sums: np.ndarray
    n: np.ndarray
    w: np.ndarray
    impurity: np.ndarray
    totals: np.ndarray

    def part(self, nodes, entries):
        """The frontier with only these nodes and the entries in them; a slice of each copies nothing."""
        return Frontier(self.row[entries], None if self.weight is None else self.weight[entries], self.sums[:, entries],
                        self.n[nodes], self.w[nodes], self.impurity[nodes], self.totals[:, nodes])

    def keep(self, nodes):
        """The frontier with only `nodes` (S,) bool."""
        return self if nodes.all() else self.part(nodes, np.flatnonzero(self.along(nodes)))

    @property
    def starts(self):
        """Where each node's entries begin -> (S,)."""
        return np.cumsum(self.n) - self.n

    def along(self, of_node):
        """What is known of each node (..., S), repeated for each of its entries -> (..., E)."""
        return np.repeat(of_node, self.n, axis=-1)


def rank_table(X, names):
    """Replace each column of X (n, p) by ranks, once for a whole forest -> RankedTable.

    >>> rank_table(np.array([[5.0], [2.0], [5.0]]), ("x0",)).codes
    array([[1, 0, 1]])
    """
    codes, values = np.empty(X.T.shape, dtype=int), []
    for code, column in zip(codes, X.T, strict=True):
        order = column.argsort()
        ordered = column[order]
        new = np.diff(ordered, prepend=np.nan) != 0
        code[order] = new.cumsum() - 1
        values.append(ordered[new])
    return RankedTable(codes, tuple(values), tuple(names))


def target_of(y, criterion):
    """Labels (n,) as one 0/1 column a class, or numbers (n,) or (n, k) as columns -> Target."""
    if criterion == "variance":
        return Target(np.atleast_2d(np.asarray(y, dtype=float).T), None, criterion)
    classes, code = np.unique(y, return_inverse=True)
    return Target((np.arange(len(classes))[:, None] == code).astype(float), tuple(classes.tolist()), criterion)


def grow_trees(table, target, weights, *, max_depth=None, min_samples_leaf=1, max_features=None, rng=0):
    """Grow one tree for each row of `weights`, greedily, all of them level by level -> list of M Trees.

    table : RankedTable; target : Target; weights : (M, n), how often (or how heavily) tree m sees row i
    max_features : candidate features drawn afresh at each node (int), or None for all; with None nothing is random

    Inside the package: nothing is checked here. A tree whose rows all agree is a single leaf.
    """
    rng = np.random.default_rng(rng)
    rules = Rules(table, target.criterion, max_depth, min_samples_leaf, max_features)
    size = max(1, BATCH // weights.shape[1])
    return [tree for start in range(0, len(weights), size)
            for tree in _grow_batch(rules, target, weights[start:start + size], rng)]


def _grow_batch(rules, target, weights, rng):
    """Grow the trees of one frontier: describe its nodes, split those that can be split, step down, until none is left."""
    tree, row = np.nonzero(weights)
    weight = weights[tree, row].astype(float)
    weight, n, tree = None if (weight == 1).all() else weight, np.bincount(tree), np.arange(len(weights))
    levels, codes, born = [], [np.empty((2, 0), dtype=int)], 0
    while len(tree):
        frontier, value = _describe(target, row, weight, n)
        level = _leaves(frontier, tree, value)
        levels.append(level)
        born += len(tree)
        # Rounding leaves a pure node of numbers a variance of about (1e-16 mean)^2.
        can_split = (frontier.impurity > 1e-26 * (value**2).sum(axis=0)) & (n >= 2 * rules.min_leaf)
        if len(levels) - 1 == rules.max_depth or not can_split.any():
            break
        frontier = frontier.keep(can_split)
        splits = find_splits(rules, frontier, rng)
        found = np.isfinite(splits.decrease)
        parents = np.flatnonzero(can_split)[found]
        level["feature"][parents] = splits.feature[found]
        level["children_left"][parents] = born + 2 * np.arange(len(parents))
        level["children_right"][parents] = born + 2 * np.arange(len(parents)) + 1
        row, weight, n, code_right = _step_down(rules.table, frontier, splits)
        codes.append(np.array([splits.code, code_right])[:, found])
        tree = np.repeat(tree[parents], 2)
    nodes = {key: np.concatenate([level[key] for level in levels]) for key in levels[0]}
    inner = nodes["feature"] != UNDEFINED
    nodes["threshold"][inner] = thresholds_between(rules.table, nodes["feature"][inner], *np.concatenate(codes, axis=1))
    return _trees_from(nodes, rules.table, target, len(weights))


def _describe(target, row, weight, n):
    """The nodes that these rows are in, n[0] in the first, n[1] in the second, ... -> (Frontier, value (q, S): class shares or means)."""
    slot = np.repeat(np.arange(len(n)), n)
    w = n.astype(float) if weight is None else np.bincount(slot, weight)
    columns = target.columns.take(row, axis=1)
    sums = columns if weight is None else columns * weight
    totals = _sum_by(slot, sums)
    value = totals / w
    if target.classes is not None:  # the first class is what the others leave
        return Frontier(row, weight, sums[1:], n, w, class_impurity(target.criterion)(totals.T), totals[1:]), value
    # Centred at each node's own mean: squares of numbers with a large mean would drown their differences.
    gap = columns - np.repeat(value, n, axis=1)
    sums = gap if weight is None else gap * weight
    impurity = (_sum_by(slot, sums * gap) / w).sum(axis=0)
    return Frontier(row, weight, sums, n, w, impurity, np.zeros_like(value)), value


def _sum_by(slot, columns):
    """Each of the columns (q, E) added up by slot -> (q, S)."""
    return np.array([np.bincount(slot, column) for column in columns])


def _leaves(frontier, tree, value):
    """The frontier's nodes as leaves: a dict of Tree's fields, one entry a node."""
    size = len(tree)
    return {"tree": tree, "impurity": frontier.impurity, "value": value.T, "n_node_samples": frontier.n,
            "weighted_n_node_samples": frontier.w,
            "feature": np.full(size, UNDEFINED), "threshold": np.full(size, float(UNDEFINED)),
            "children_left": np.full(size, LEAF), "children_right": np.full(size, LEAF)}


def _step_down(table, frontier, splits):
    """Send the rows of every node with a split to its children -> (the next frontier's row, weight and n, lowest code right (S,))."""
    codes = _codes_of(table, splits.feature[None], frontier)[0]
    right = codes > frontier.along(splits.code)
    code_right = np.minimum.reduceat(np.where(right, codes, table.codes.shape[1]), frontier.starts)
    found = np.isfinite(splits.decrease)
    n_children = 2 * found.sum()
    child = np.where(found, 2 * np.cumsum(found) - 2, n_children)  # rows of nodes without a split: last, to be cut off
    child, order = _sorted(frontier.along(child) + right)
    n = np.bincount(child, minlength=n_children)[:n_children]
    order = order[:n.sum()]
    return frontier.row[order], None if frontier.weight is None else frontier.weight[order], n, code_right


def _codes_of(table, candidates, frontier):
    """The codes of each entry in each of its node's candidate features: candidates (m, S) -> (m, E)."""
    return table.codes.ravel().take(frontier.along(candidates * table.codes.shape[1]) + frontier.row)


def _sorted(numbers):
    """Whole numbers >= 0 (..., L) in order, and which came where, equals as they came -> (sorted, order), both (..., L).

    Each number is packed into one with its place: to sort numbers is several times quicker than to sort their places.
    """
    bits = numbers.shape[-1].bit_length()
    packed = numbers << bits | np.arange(numbers.shape[-1])
    packed.sort(axis=-1)
    return packed >> bits, packed & ((1 << bits) - 1)


def _trees_from(nodes, table, target, n_trees):
    """Sort the nodes of all trees into n_trees Trees, each with its own numbers 0, 1, 2, ... -> list of Tree."""
    order = np.argsort(nodes["tree"], kind="stable")  # parents stay before their children
    ends = np.cumsum(np.bincount(nodes["tree"], minlength=n_trees))
    number = np.argsort(order)
    trees = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        fields = {key: column[order[start:end]] for key, column in nodes.items() if key != "tree"}
        for side in ("children_left", "children_right"):
            fields[side] = np.where(fields[side] == LEAF, LEAF, number[fields[side]] - start)
        trees.append(Tree(**fields, names=table.names, classes=target.classes, criterion=target.criterion))
    return trees


def thresholds_between(table, feature, code_left, code_right):
    """Midpoints between neighbouring values, one a split -> (S,); where rounding reaches the upper value, the lower one.

    Two floats can be so close that their midpoint rounds to the upper: a threshold there would send both rows left.
    """
    first = np.cumsum([0, *map(len, table.values)])[feature]
    values = np.concatenate(table.values)
    low, high = values[first + code_left], values[first + code_right]
    middle = low / 2 + high / 2  # not (low + high) / 2, which can overflow
    return np.where((middle >= high) | (middle < low), low, middle)


# --- the search: every split of every candidate feature of every node -------------------------------------------------

def find_splits(rules, frontier, rng):
    """The best split of each node among its candidate features -> Splits of S nodes.

    Candidates are all features in order, or max_features of them drawn without replacement. If none of the drawn ones varies
    in the node, the last gives way to the next that does (so that a node with anything to split on is split, as
    scikit-learn does it). Ties go to the candidate that comes first, then to the lowest threshold.
    """
    p, size, m = len(rules.table.codes), len(frontier.n), rules.max_features
    if m is None or m >= p:
        return _search(rules, frontier, np.tile(np.arange(p)[:, None], size))
    order = rng.random((p, size)).argsort(axis=0)
    splits = _search(rules, frontier, order[:m])
    nothing = np.flatnonzero(np.isinf(splits.decrease))
    if len(nothing):
        order, part = order[:, nothing], frontier.keep(np.isinf(splits.decrease))
        codes = _codes_of(rules.table, order, part)
        varies = np.minimum.reduceat(codes, part.starts, axis=1) < np.maximum.reduceat(codes, part.starts, axis=1)
        stuck = ~varies[:m].any(axis=0)
        again = _search(rules, part, order[varies.argmax(axis=0), np.arange(len(nothing))][None])
        for old, new in zip(splits, again, strict=True):
            old[nothing[stuck]] = new[stuck]
    return splits


def _search(rules, frontier, candidates):
    """The best split of each node among its candidates (m, S) -> Splits of S nodes."""
    decrease, code = np.empty(candidates.shape), np.empty(candidates.shape, dtype=int)
    spans = np.array([len(values) for values in rules.table.values])[candidates]
    for rows, nodes, part in _cachefuls(frontier, len(candidates)):
        few = spans[rows, nodes].max(axis=1) * len(part.n) <= len(part.row)
        for some, search in ((few, _search_by_counting), (~few, _search_by_sorting)):
            if some.any():
                here = rows[some], nodes
                decrease[here], code[here] = search(rules, part, candidates[here], spans[here].max())
    close = decrease >= decrease.max(axis=0) - TIE * frontier.impurity
    best = close.argmax(axis=0), np.arange(len(frontier.n))
    return Splits(decrease[best], candidates[best], code[best])


def _cachefuls(frontier, m):
    """Cut the frontier, for m candidates a node, into parts of about CHUNK pairs -> (candidates, nodes, Frontier), one by one."""
    ends = np.cumsum([0, *frontier.n])
    cuts = np.flatnonzero(np.diff(ends[:-1] // max(1, CHUNK // m), prepend=-1, append=-1))
    for first, stop in pairwise(cuts):
        nodes, entries = slice(first, stop), slice(ends[first], ends[stop])
        step = max(1, CHUNK // (entries.stop - entries.start))
        yield from ((np.arange(c, min(c + step, m)), nodes, frontier.part(nodes, entries)) for c in range(0, m, step))


def _search_by_counting(rules, frontier, candidates, span):
    """Count each node's rows by each candidate's code, and judge the gap after every code -> (decrease, code), both (m, S)."""
    m, size = candidates.shape
    pair = np.arange(m)[:, None] * size + frontier.along(np.arange(size))
    cell = (_codes_of(rules.table, candidates, frontier) * (m * size) + pair).ravel()
    n = np.bincount(cell, minlength=span * m * size)
    columns = frontier.sums if frontier.weight is None else [frontier.weight, *frontier.sums]
    counts = np.array([n, *(np.bincount(cell, np.tile(column, m), len(n)) for column in columns)])
    counts = counts.reshape(-1, span, m * size)
    # Running sums over the codes: where they are few, a product with a triangle of ones is the quickest way.
    running = np.tril(np.ones((span, span))) @ counts if span <= 64 else counts.cumsum(axis=1)
    running = running.reshape(-1, span, m, size)
    n_left, w_left, left = running[0], running[len(columns) - len(frontier.sums)], running[-len(frontier.sums):]
    allowed = (n_left >= rules.min_leaf) & (n_left <= frontier.n - rules.min_leaf)
    decrease = _decrease(rules.criterion, left, w_left, frontier.totals[:, None, None], frontier.w)
    decrease = np.where(allowed, decrease, -np.inf)
    best = decrease.max(axis=0)
    return best, (decrease >= best - TIE * frontier.impurity).argmax(axis=0)


def _search_by_sorting(rules, frontier, candidates, span):
    """Sort each node's rows by each candidate's code, and judge the gap after every row -> (decrease, code), both (m, S)."""
    base = np.arange(len(frontier.n)) * span
    key, entry = _sorted(_codes_of(rules.table, candidates, frontier) + frontier.along(base))
    n_left = np.arange(1, key.shape[1] + 1) - frontier.along(frontier.starts)
    w_left = n_left if frontier.weight is None else _restart(frontier, frontier.weight.take(entry).cumsum(axis=-1))
    left = _restart(frontier, frontier.sums.take(entry, axis=1).cumsum(axis=-1))
    allowed = (np.diff(key, append=0) > 0) & (n_left >= rules.min_leaf) & (n_left <= frontier.along(frontier.n - rules.min_leaf))
    decrease = _decrease(rules.criterion, left, w_left, frontier.along(frontier.totals[:, None]), frontier.along(frontier.w))
    decrease = np.where(allowed, decrease, -np.inf)
    best = np.maximum.reduceat(decrease, frontier.starts, axis=1)
    close = np.flatnonzero(decrease >= frontier.along(best - TIE * frontier.impurity))
    begin = np.arange(len(candidates))[:, None] * key.shape[1] + frontier.starts
    return best, key.ravel()[close[np.searchsorted(close, begin)]] - base


def _restart(frontier, running):
    """Running sums (..., E) that begin afresh at each node."""
    before = running.take(frontier.starts - 1, axis=-1)
    before[..., 0] = 0
    return running - frontier.along(before)


def _decrease(criterion, left, w_left, totals, w):
    """Impurity decrease of splits whose left side has weight w_left and sums left (q, ...); totals and w are the node's.

    Variance: with D = left - w_left * totals / w, the left side's lead over its fair share, the decrease is
    sum D^2 / (w_left w_right). Gini is the variance of the 0/1 columns, all classes added up.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion in ("entropy", "entropy_nats"):
            return _entropy_decrease(criterion, left, w_left, totals, w)
        if criterion == "variance":  # centred sums: a fair share is 0
            return (left**2).sum(axis=0) / (w_left * (w - w_left))
        lead = left - w_left * (totals / w)
        return ((lead**2).sum(axis=0) + lead.sum(axis=0) ** 2) / (w_left * (w - w_left))


def _entropy_decrease(criterion, left, w_left, totals, w):
    """Entropy of the node less that of its sides, each weighted by its share: in sums of x log x."""
    scale = np.log(2) if criterion == "entropy" else 1.0
    sides = [(totals, w, 1), (left, w_left, -1), (totals - left, w - w_left, -1)]
    bits = sum(sign * (_x_log_x(weight) - _x_log_x(weight - counts.sum(axis=0)) - _x_log_x(counts).sum(axis=0))
               for counts, weight, sign in sides)
    return bits / (w * scale)


def _x_log_x(x):
    """x log x with 0 log 0 = 0; rounding may leave x a hair below 0, which counts as 0."""
    x = np.maximum(x, 0.0)
    return x * np.log(x, out=np.zeros_like(x), where=x > 0)
