"""Fast greedy growth: all nodes of one depth, of all trees of a forest, look for their splits together.

Three ideas make it quick without making it long. Columns are replaced by ranks once. A *frontier* holds one entry for
each (tree, row) that is still on its way, with the node it is in. One sort (or one count) a level then puts every node's
rows in order of every feature, and cumulative sums give each split's left side. A bootstrap sample is a row of integer
weights; a single tree is a forest of one.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fi_teach.trees.impurity import class_impurity
from fi_teach.trees.tree import LEAF, UNDEFINED, Tree

TIE = 1e-12  # decreases closer than this share of the node's impurity count as equal: the first one wins
CHUNK = 1 << 17  # (entry, feature) pairs looked at in one go: small enough to stay in the processor's cache
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


class Splits(NamedTuple):
    """The best split of each of S nodes: impurity decrease (-inf where there is none), feature, and the codes it falls between."""

    decrease: np.ndarray
    feature: np.ndarray
    code_left: np.ndarray
    code_right: np.ndarray


class Frontier(NamedTuple):
    """The rows on their way, E entries in S nodes: entry e is table row row[e], in node slot[e].

    weight : (E,) or None for all ones; sums : (q, E), what a split's worth is added up from, entry by entry
    n, w, impurity : (S,) rows, weight and impurity of each node; totals : (q, S), the sums of `sums`
    """

    row: np.ndarray
    slot: np.ndarray
    weight: np.ndarray | None
    sums: np.ndarray
    n: np.ndarray
    w: np.ndarray
    impurity: np.ndarray
    totals: np.ndarray

    def keep(self, nodes):
        """The frontier with only `nodes` (S,) bool, numbered 0, 1, 2, ... in their order."""
        if nodes.all():
            return self
        stay = nodes[self.slot]
        slot = (np.cumsum(nodes) - 1)[self.slot[stay]]
        weight = None if self.weight is None else self.weight[stay]
        return Frontier(self.row[stay], slot, weight, self.sums[:, stay],
                        self.n[nodes], self.w[nodes], self.impurity[nodes], self.totals[:, nodes])


def rank_table(X, names):
    """Replace each column of X (n, p) by ranks, once for a whole forest -> RankedTable.

    >>> rank_table(np.array([[5.0], [2.0], [5.0]]), ("x0",)).codes
    array([[1, 0, 1]])
    """
    ranked = [np.unique(column, return_inverse=True) for column in X.T]
    return RankedTable(np.array([code for _, code in ranked]), tuple(values for values, _ in ranked), tuple(names))


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
    limits = (np.inf if max_depth is None else max_depth, min_samples_leaf, max_features)
    size = max(1, BATCH // weights.shape[1])
    return [tree for start in range(0, len(weights), size)
            for tree in _grow_batch(table, target, weights[start:start + size], limits, rng)]


def _grow_batch(table, target, weights, limits, rng):
    """Grow the trees of one frontier: describe its nodes, split those that can be split, step down, until none is left."""
    max_depth, *limits = limits
    slot, row = np.nonzero(weights)
    weight = weights[slot, row].astype(float)
    weight, tree = None if (weight == 1).all() else weight, np.arange(len(weights))
    levels, born = [], 0
    while len(tree):
        frontier, value = _describe(target, row, slot, weight, len(tree))
        level = _leaves(frontier, tree, value)
        levels.append(level)
        born += len(tree)
        # Rounding leaves a pure node of numbers a variance of about (1e-16 mean)^2.
        can_split = (frontier.impurity > 1e-26 * (value**2).sum(axis=0)) & (len(levels) <= max_depth)
        parents, frontier, right = _split(table, target.criterion, frontier, level, (can_split, *limits), rng)
        level["children_left"][parents] = born + 2 * np.arange(len(parents))
        level["children_right"][parents] = born + 2 * np.arange(len(parents)) + 1
        row, slot, weight, tree = frontier.row, 2 * frontier.slot + right, frontier.weight, np.repeat(tree[parents], 2)
    nodes = {key: np.concatenate([level[key] for level in levels]) for key in levels[0]}
    return _trees_from(nodes, table, target, len(weights))


def _describe(target, row, slot, weight, size):
    """The nodes these rows are in, `size` of them -> (Frontier, value (q, S): class shares or means)."""
    n = np.bincount(slot, minlength=size)
    w = n if weight is None else np.bincount(slot, weight, size)
    columns = target.columns[:, row]
    sums = columns if weight is None else columns * weight
    totals = _sum_by(slot, sums, size)
    value = totals / w
    if target.classes is not None:  # the first class is what the others leave
        impurity = class_impurity(target.criterion)(totals.T)
        return Frontier(row, slot, weight, sums[1:], n, w, impurity, totals[1:]), value
    # Centred at each node's own mean: squares of numbers with a large mean would drown their differences.
    gap = columns - value[:, slot]
    sums = gap if weight is None else gap * weight
    impurity = (_sum_by(slot, sums * gap, size) / w).sum(axis=0)
    return Frontier(row, slot, weight, sums, n, w, impurity, np.zeros_like(value)), value


def _sum_by(slot, columns, size):
    """Each of the columns (q, E) added up by slot -> (q, size)."""
    return np.array([np.bincount(slot, column, size) for column in columns])


def _leaves(frontier, tree, value):
    """The frontier's nodes as leaves: a dict of Tree's fields, one entry a node."""
    size = len(tree)
    return {"tree": tree, "impurity": frontier.impurity, "value": value.T, "n_node_samples": frontier.n,
            "weighted_n_node_samples": frontier.w.astype(float),
            "feature": np.full(size, UNDEFINED), "threshold": np.full(size, float(UNDEFINED)),
            "children_left": np.full(size, LEAF), "children_right": np.full(size, LEAF)}


def _split(table, criterion, frontier, level, limits, rng):
    """Find the splits and note them in `level` -> (parents, the Frontier of their rows, does each row go right?)."""
    can_split, min_leaf, max_features = limits
    can_split = can_split & (frontier.n >= 2 * min_leaf)
    frontier = frontier.keep(can_split)
    splits = find_splits(table, criterion, frontier, (min_leaf, max_features), rng)
    found = np.isfinite(splits.decrease)
    frontier, parents = frontier.keep(found), np.flatnonzero(can_split)[found]
    feature, code_left, code_right = (part[found] for part in splits[1:])
    level["feature"][parents] = feature
    level["threshold"][parents] = thresholds_between(table, feature, code_left, code_right)
    right = table.codes[feature[frontier.slot], frontier.row] > code_left[frontier.slot]
    return parents, frontier, right


def _trees_from(nodes, table, target, n_trees):
    """Sort the nodes of all trees into n_trees Trees, each with its own numbers 0, 1, 2, ... -> list of Tree."""
    order = np.argsort(nodes["tree"], kind="stable")  # parents stay before their children
    ends = np.cumsum(np.bincount(nodes["tree"], minlength=n_trees))
    number = np.empty(len(order) + 1, dtype=int)
    number[order] = np.arange(len(order))
    number[LEAF] = LEAF
    trees = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        fields = {key: column[order[start:end]] for key, column in nodes.items() if key != "tree"}
        for side in ("children_left", "children_right"):
            child = number[fields[side]]
            fields[side] = np.where(child == LEAF, LEAF, child - start)
        trees.append(Tree(**fields, names=table.names, classes=target.classes, criterion=target.criterion))
    return trees


def thresholds_between(table, feature, code_left, code_right):
    """Midpoints between neighbouring values, one a split -> (S,); where rounding reaches the upper value, the lower one.

    Two floats can be so close that their midpoint rounds to the upper: a threshold there would send both rows left.
    """
    low = np.array([table.values[j][c] for j, c in zip(feature, code_left, strict=True)])
    high = np.array([table.values[j][c] for j, c in zip(feature, code_right, strict=True)])
    middle = low / 2 + high / 2  # not (low + high) / 2, which can overflow
    return np.where((middle >= high) | (middle < low), low, middle)


# --- the search: every split of every candidate feature of every node -------------------------------------------------

def find_splits(table, criterion, frontier, limits, rng):
    """The best split of each node among its candidate features -> Splits of S nodes.

    Ties go to the candidate that comes first (the lower column, if all are candidates), then to the lowest threshold.
    """
    min_leaf, max_features = limits
    best = Splits(np.full(len(frontier.n), -np.inf), *np.zeros((3, len(frontier.n)), dtype=int))
    if not len(frontier.n):
        return best
    candidates = _draw_candidates(table, frontier, max_features, rng)
    largest = max(len(values) for values in table.values)
    search = _search_by_counting if len(frontier.n) * largest <= len(frontier.row) else _search_by_sorting
    step = max(1, CHUNK // len(frontier.row))
    for start in range(0, len(candidates), step):
        chunk = candidates[start:start + step]
        found = search(table, chunk, frontier, criterion, min_leaf)
        better = found.decrease > best.decrease + TIE * frontier.impurity
        best = Splits(*(np.where(better, new, old) for new, old in zip(found, best, strict=True)))
    return best


def _draw_candidates(table, frontier, max_features, rng):
    """Which features each node may split on -> (m, S) features, or (p, 1): all of them, in order.

    Drawn without replacement; if none of the drawn ones varies in the node, the last gives way to one that does
    (so that a node with anything to split on is split, as scikit-learn does it).
    """
    p, size = len(table.codes), len(frontier.n)
    if max_features is None or max_features >= p:
        return np.arange(p)[:, None]
    order = rng.random((p, size)).argsort(axis=0)
    drawn = order[:max_features]
    stuck = ~_varies(table, frontier, drawn).any(axis=0)
    if stuck.any():
        part = frontier.keep(stuck)
        rest = order[max_features:, stuck]
        first = _varies(table, part, rest).argmax(axis=0)
        drawn[-1, stuck] = rest[first, np.arange(len(first))]
    return drawn


def _varies(table, frontier, candidates):
    """Does the candidate feature take two values or more in the node? candidates (m, S) -> (m, S) bool."""
    order = np.argsort(frontier.slot, kind="stable")
    slot = frontier.slot[order]
    codes = table.codes[candidates[:, slot], frontier.row[order]]
    starts = np.cumsum(frontier.n) - frontier.n
    return np.minimum.reduceat(codes, starts, axis=1) < np.maximum.reduceat(codes, starts, axis=1)


def _codes_of(table, candidates, frontier):
    """The codes of each entry in each of its node's candidate features: candidates (m, S) or (m, 1) -> (m, E)."""
    if candidates.shape[1] == 1:
        return table.codes[candidates, frontier.row]
    return table.codes[candidates[:, frontier.slot], frontier.row]


def _search_by_sorting(table, candidates, frontier, criterion, min_leaf):
    """Sort each node's rows by each candidate feature and judge the gap after every row -> Splits."""
    size, E = len(frontier.n), len(frontier.row)
    bits = int(E).bit_length()
    # One number a pair, node first, then code, then entry: sorting it sorts all three.
    span = table.codes.shape[1]
    key = (frontier.slot * span + _codes_of(table, candidates, frontier)) << bits | np.arange(E)
    key.sort(axis=1)
    entry, code = key & ((1 << bits) - 1), key >> bits
    slot = np.repeat(np.arange(size), frontier.n)  # entries are sorted by node now, alike for every candidate
    starts = np.cumsum(frontier.n) - frontier.n
    n_left = np.arange(1, E + 1) - starts[slot]
    w_left = n_left if frontier.weight is None else _cumulate(frontier.weight[entry], starts, slot)
    left = _cumulate(frontier.sums[:, entry], starts, slot)
    allowed = np.zeros(key.shape, dtype=bool)
    allowed[:, :-1] = code[:, 1:] > code[:, :-1]
    allowed &= (n_left >= min_leaf) & (frontier.n[slot] - n_left >= max(min_leaf, 1))
    decrease = _decrease(criterion, left, w_left, frontier.totals[:, None, slot], frontier.w[slot])
    decrease = np.where(allowed, decrease, -np.inf)
    best = np.maximum.reduceat(decrease, starts, axis=1)
    winner, decrease_best = _first_best(best, TIE * frontier.impurity)
    line = decrease[winner[slot], np.arange(E)]
    close = line >= (decrease_best - TIE * frontier.impurity)[slot]
    place = np.minimum.reduceat(np.where(close, np.arange(E), E), starts)
    after = np.minimum(place + 1, E - 1)
    return Splits(best[winner, np.arange(size)], _pick(candidates, winner),
                  code[winner, place] - np.arange(size) * span, code[winner, after] - np.arange(size) * span)


def _cumulate(columns, starts, slot):
    """Running sums (..., E) that begin afresh at each node."""
    running = columns.cumsum(axis=-1)
    before = running[..., starts] - columns[..., starts]
    return running - before[..., slot]


def _search_by_counting(table, candidates, frontier, criterion, min_leaf):
    """Count each node's rows by each candidate's code and judge the gap after every code -> Splits."""
    size, m = len(frontier.n), len(candidates)
    span = max(len(table.values[j]) for j in np.unique(candidates))
    shape = (m, size, span)
    cell = (np.arange(m)[:, None] * size + frontier.slot) * span + _codes_of(table, candidates, frontier)
    cell = cell.ravel()

    def tabulate(column=None):
        tiled = None if column is None else np.broadcast_to(column, (m, len(column))).ravel()
        return np.bincount(cell, tiled, m * size * span).reshape(shape)

    n = tabulate()
    n_left = n.cumsum(axis=2)
    w_left = n_left if frontier.weight is None else tabulate(frontier.weight).cumsum(axis=2)
    left = np.array([tabulate(column) for column in frontier.sums]).cumsum(axis=3)
    allowed = (n > 0) & (n_left >= min_leaf) & (frontier.n[:, None] - n_left >= max(min_leaf, 1))
    decrease = _decrease(criterion, left, w_left, frontier.totals[:, None, :, None], frontier.w[:, None])
    decrease = np.where(allowed, decrease, -np.inf)
    winner, best = _first_best(decrease.max(axis=2), TIE * frontier.impurity)
    nodes = np.arange(size)
    place = (decrease[winner, nodes] >= (best - TIE * frontier.impurity)[:, None]).argmax(axis=1)
    later = (n[winner, nodes] > 0) & (np.arange(span) > place[:, None])
    return Splits(best, _pick(candidates, winner), place, later.argmax(axis=1))


def _first_best(decrease, tie):
    """The first candidate whose decrease equals the best within `tie`: decrease (m, S) -> (candidate (S,), best (S,))."""
    best = decrease.max(axis=0)
    return (decrease >= best - tie).argmax(axis=0), best


def _pick(candidates, winner):
    """The feature that the winning candidate of each node stands for -> (S,)."""
    return candidates[winner, 0] if candidates.shape[1] == 1 else candidates[winner, np.arange(len(winner))]


def _decrease(criterion, left, w_left, totals, w):
    """Impurity decrease of splits whose left side has weight w_left and sums left (q, ...); totals and w are the node's.

    Variance: with D = left - w_left * totals / w, the left side's lead over its fair share, the decrease is
    sum D^2 / (w_left w_right). Gini is the variance of the 0/1 columns, all classes added up.
    """
    w_right = w - w_left
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion in ("entropy", "entropy_nats"):
            return _entropy_decrease(criterion, left, w_left, totals, w)
        lead = left - w_left * (totals / w)
        squares = (lead**2).sum(axis=0) if criterion == "variance" else (lead**2).sum(axis=0) + lead.sum(axis=0) ** 2
        return squares / (w_left * w_right)


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
