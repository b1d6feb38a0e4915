"""CART grows a tree by one rule, again and again: cut the node where the impurity falls most (Breiman et al. 1984, ch. 2-4).

First the rule by definition: try every midpoint of every feature. Then what greed leaves open: the splits that tie, and
every tree that could have come of them. Last the fast way (fi_teach.fast.growing), which must agree with the first.
"""

from functools import cache
from numbers import Integral
from typing import NamedTuple

import numpy as np

from fi_teach.basics.impurity import CRITERIA, impurity_of
from fi_teach.basics.tables import check_numeric_target, check_table, check_target, check_weights
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree
from fi_teach.fast.growing import TIE, grow_trees, rank_table, target_of

__all__ = ["Split", "best_split", "best_split_by_definition", "every_greedy_tree", "every_split", "grow_cart", "grow_trees",
           "midpoints", "rank_table", "split_decrease", "target_of", "tied_splits"]


class Split(NamedTuple):
    """A question to a node: is feature j at most the threshold? `decrease` is what the answer takes off the impurity."""

    feature: int
    threshold: float
    decrease: float


# --- by definition ----------------------------------------------------------------------------------------------------

def midpoints(column):
    """The thresholds halfway between neighbouring distinct values, ascending: column (n,) -> (at most n - 1,).

    Where rounding would lift a midpoint to the upper value, the lower value stands in.

    >>> midpoints([30, 50, 80, 50])
    array([40., 65.])
    """
    values = np.unique(np.asarray(column, dtype=float))
    middle = values[:-1] / 2 + values[1:] / 2
    return np.where((middle >= values[1:]) | (middle < values[:-1]), values[:-1], middle)


def split_decrease(y, left, *, criterion="gini", sample_weight=None):
    """What a split takes off the impurity: the node's, less its two sides', each weighted by its share of the rows.

    I(t) - w_L / w * I(t_L) - w_R / w * I(t_R)

    y (n,) or, for several outputs, (n, k), whose decreases are added up; left (n,) bool; sample_weight (n,) -> float
    in units of the impurity. Source: Breiman et al. (1984), definition 2.13.

    >>> round(split_decrease([1, 1, 1, 0, 1, 0, 0, 0], np.array([1, 1, 1, 1, 1, 0, 0, 0], bool)), 3)
    0.3
    """
    y, left = np.asarray(y), np.asarray(left, dtype=bool)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)

    def mass(side):
        return weight[side].sum() * _impurity(y[side], criterion, weight[side])

    return float((mass(left | ~left) - mass(left) - mass(~left)) / weight.sum())


def _impurity(y, criterion, weight):
    """The impurity of rows y (n,), or the sum over the outputs of y (n, k)."""
    outputs = y.T if y.ndim == 2 else [y]
    return sum(impurity_of(column, criterion, weight) for column in outputs)


def every_split(X, y, *, criterion="gini", min_samples_leaf=1, sample_weight=None):
    """Every split the node offers: each midpoint of each feature, in column order, thresholds ascending -> list of Split.

    X (n, p), y (n,). Splits that would leave fewer than `min_samples_leaf` rows on a side are left out.
    Raises ValueError as grow_cart does.

    >>> [(s.threshold, round(s.decrease, 3)) for s in every_split([[1], [2], [3]], [0, 0, 1])]
    [(1.5, 0.111), (2.5, 0.444)]
    """
    X, _, y, weight = _check(X, y, criterion, sample_weight)
    keep = weight > 0
    return _splits_of(X[keep], y[keep], weight[keep], criterion, min_samples_leaf)


def _splits_of(X, y, weight, criterion, min_samples_leaf):
    splits = []
    for j, column in enumerate(X.T):
        for threshold in midpoints(column):
            left = column <= threshold
            if min(left.sum(), (~left).sum()) >= min_samples_leaf:
                decrease = split_decrease(y, left, criterion=criterion, sample_weight=weight)
                splits.append(Split(j, float(threshold), decrease))
    return splits


def best_split_by_definition(X, y, *, criterion="gini", min_samples_leaf=1, sample_weight=None):
    """The split that takes most off the impurity: try every midpoint of every feature -> Split, or None if there is none.

    Of equals the first wins: the lower column, then the lower threshold; see `tied_splits` for the others.
    X (n, p), y (n,). Raises ValueError as grow_cart does. Source: Breiman et al. (1984), sec. 2.4.

    >>> best_split_by_definition([[30, 1], [50, 1], [60, 0], [80, 1]], [1, 1, 0, 1])
    Split(feature=1, threshold=0.5, decrease=0.375)
    """
    tied = tied_splits(X, y, criterion=criterion, min_samples_leaf=min_samples_leaf, sample_weight=sample_weight)
    return tied[0] if tied else None


# --- what greed leaves open -------------------------------------------------------------------------------------------

def tied_splits(X, y, *, criterion="gini", min_samples_leaf=1, sample_weight=None):
    """All splits that are best together: no other takes more off the impurity -> list of Split, in column order.

    Decreases closer than 1e-12 of the node's impurity count as equal. More than one entry means that the tree a library
    draws is one of several, picked by column order or by chance.

    >>> [(s.feature, s.threshold) for s in tied_splits([[0, 5], [1, 6]], ["no", "yes"])]
    [(0, 0.5), (1, 5.5)]
    """
    X, _, y, weight = _check(X, y, criterion, sample_weight)
    keep = weight > 0
    return _tied(X[keep], y[keep], weight[keep], criterion, min_samples_leaf)


def _tied(X, y, weight, criterion, min_samples_leaf):
    splits = _splits_of(X, y, weight, criterion, min_samples_leaf)
    best = max((split.decrease for split in splits), default=0.0)
    slack = TIE * _impurity(y, criterion, weight)
    return [split for split in splits if split.decrease >= best - slack]


def every_greedy_tree(X, y, *, criterion="gini", max_depth=None, sample_weight=None, most=1000):
    """Every tree that greedy growth could have grown, had it broken its ties otherwise -> generator of Trees.

    The first one is grow_cart's: always the first of the tied splits. The trees are counted before the first is grown.
    X (n, p), y (n,). Raises ValueError as grow_cart does, and when there are more than `most` trees.

    >>> len(list(every_greedy_tree([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])))  # XOR: begin with either
    2
    """
    X, names, y, weight = _check(X, y, criterion, sample_weight)

    def tied(rows):
        return _tied(X[rows], y[rows], weight[rows], criterion, 1)

    trees = Choices(tied, X, y, weight, np.inf if max_depth is None else max_depth)
    refuse_more_than(most, trees)
    target = target_of(y, criterion)
    return (tree_of(plan, target, weight, names) for plan in trees.plans())


class Choices:
    """The splits greed may choose at each node, and the trees that come of choosing: `tied(rows)` names a node's best splits."""

    def __init__(self, tied, X, y, weight, max_depth=np.inf):
        self.root = tuple(np.flatnonzero(weight > 0).tolist())

        @cache
        def options(rows, depth):
            here = np.array(rows)
            if depth == max_depth or len(np.unique(y[here], axis=0)) == 1:
                return []
            splits = tied(here)
            left = [X[here, split.feature] <= split.threshold for split in splits]
            return [(split, tuple(here[go].tolist()), tuple(here[~go].tolist())) for split, go in zip(splits, left, strict=True)]

        self.options = options

    def number(self, rows=None, depth=0):
        """How many trees there are: for each tied split, the left side's number times the right side's, all added up."""
        options = self.options(self.root if rows is None else rows, depth)
        return sum(self.number(left, depth + 1) * self.number(right, depth + 1) for _, left, right in options) if options else 1

    def plans(self, rows=None, depth=0):
        """Every tree as nested tuples (rows, split, left plan, right plan), leaves as (rows, None), first choices first."""
        rows = self.root if rows is None else rows
        if not self.options(rows, depth):
            yield (rows, None)
        for split, left, right in self.options(rows, depth):
            for plan_left in self.plans(left, depth + 1):
                for plan_right in self.plans(right, depth + 1):
                    yield (rows, split, plan_left, plan_right)


def refuse_more_than(most, choices):
    """Raises ValueError if there are more than `most` trees to choose from."""
    number = choices.number()
    if number > most:
        raise ValueError(f"{number} different trees could have been grown here, more than most={most}: "
                         "limit max_depth, drop duplicate columns, or raise `most`.")


def tree_of(plan, target, weight, names):
    """A nested plan as a Tree, nodes numbered level by level."""
    plans, children = [plan], []
    for node in plans:  # grows while it is read: children join the end of the queue
        children.append((len(plans), len(plans) + 1) if node[1] else (LEAF, LEAF))
        plans.extend(node[2:])
    left, right = np.array(children).T
    rows = [np.array(node[0]) for node in plans]
    w = [weight[here] for here in rows]
    value = np.array([np.average(target.columns[:, here], axis=1, weights=v) for here, v in zip(rows, w, strict=True)])
    labels = np.argmax(target.columns, axis=0) if target.classes is not None else target.columns.T
    return Tree(
        children_left=left, children_right=right,
        feature=np.array([node[1].feature if node[1] else UNDEFINED for node in plans]),
        threshold=np.array([node[1].threshold if node[1] else float(UNDEFINED) for node in plans]),
        impurity=np.array([_impurity(labels[here], target.criterion, v) for here, v in zip(rows, w, strict=True)]),
        n_node_samples=np.array([len(here) for here in rows]), weighted_n_node_samples=np.array([v.sum() for v in w]),
        value=value, names=names, classes=target.classes, criterion=target.criterion)


# --- fast -------------------------------------------------------------------------------------------------------------

def best_split(X, y, *, criterion="gini", min_samples_leaf=1, sample_weight=None):
    """best_split_by_definition by sorting and cumulative sums: O(p n log n) instead of O(p n^2) -> Split or None.

    >>> best_split([[30, 1], [50, 1], [60, 0], [80, 1]], [1, 1, 0, 1])
    Split(feature=1, threshold=0.5, decrease=0.375)
    """
    stump = grow_cart(X, y, criterion=criterion, max_depth=1, min_samples_leaf=min_samples_leaf, sample_weight=sample_weight)
    if stump.n_nodes == 1:
        return None
    w, impurity = stump.weighted_n_node_samples, stump.impurity
    decrease = impurity[0] - (w[1] * impurity[1] + w[2] * impurity[2]) / w[0]
    return Split(int(stump.feature[0]), float(stump.threshold[0]), float(decrease))


def grow_cart(X, y, *, criterion="gini", max_depth=None, min_samples_leaf=1, max_features=None, sample_weight=None, rng=0):
    """Grow a tree greedily: split every node where its impurity falls most, until its rows agree or the limits forbid it.

    A split that takes nothing off the impurity is still made while the rows disagree: in XOR the first question helps
    nobody, and the second answers everything. Ties go to the lower column, then to the lower threshold.

    X : (n, p) numbers; y : (n,) labels, or numbers for "variance" (several outputs: (n, k), impurities added up)
    criterion : "gini", "entropy" (bits), "entropy_nats" or "variance" (squared units of y)
    max_depth : levels of questions, or None; min_samples_leaf : rows on each side of a split, at least
    max_features : features drawn afresh (by `rng`) as candidates at each node: a number, a share of p, "sqrt", or None for all
    sample_weight : (n,) >= 0; rows of weight 0 are left out
    Returns a Tree; its thresholds are midpoints between neighbouring values.

    Raises ValueError for tables, targets or weights that cannot be used, a constant target, and limits out of range.
    Source: Breiman et al. (1984), ch. 2 and 8.

    >>> tree = grow_cart([[30, 1], [50, 1], [60, 0], [80, 1]], ["Pass", "Pass", "Fail", "Pass"])
    >>> tree.feature.tolist(), tree.threshold.tolist(), tree.predict([[55, 0]]).tolist()
    ([1, -2, -2], [0.5, -2.0, -2.0], ['Fail'])
    """
    X, names, y, weight = _check(X, y, criterion, sample_weight)
    check_limits(max_depth, min_samples_leaf)
    table, target = rank_table(X, names), target_of(y, criterion)
    return grow_trees(table, target, weight[None, :], max_depth=max_depth, min_samples_leaf=min_samples_leaf,
                      max_features=number_of_features(max_features, X.shape[1]), rng=rng)[0]


# --- the door ---------------------------------------------------------------------------------------------------------

def _check(X, y, criterion, sample_weight):
    """Table, target and weights as arrays that can be grown on -> (X, names, y, weight). Raises ValueError."""
    X, names = check_table(X)
    y = check_growing_target(y, len(X), criterion)
    weight = check_weights(sample_weight, len(X))
    if len(np.unique(y[weight > 0], axis=0)) == 1:
        raise ValueError(f"y is constant ({y[weight > 0].tolist()[0]!r} in every row that counts): there is nothing to split for. "
                         "Give rows with at least two different targets.")
    return X, names, y, weight


def check_growing_target(y, n_rows, criterion):
    """The target that `criterion` can be grown on: labels (n,), or for "variance" numbers (n,) or (n, k).

    Raises ValueError for an unknown criterion, a target of another length, gaps, and numbers with fractions as classes.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"unknown criterion {criterion!r}: expected one of {', '.join(map(repr, CRITERIA))}.")
    if criterion == "variance":
        if np.ndim(y) == 2 and np.shape(y)[1] > 1:
            columns = np.asarray(y).T
            return np.column_stack([check_numeric_target(column, n_rows) for column in columns])
        return check_numeric_target(y, n_rows)
    y = check_target(y, n_rows)
    if y.dtype.kind == "f" and (y != np.round(y)).any():
        raise ValueError(f"y holds numbers with fractions such as {y[y != np.round(y)][0]:g}, but criterion {criterion!r} splits "
                         'classes: use criterion="variance" for numbers, or cut y into classes first.')
    return y


def check_limits(max_depth, min_samples_leaf):
    """Raises ValueError unless max_depth is None or an integer >= 1 and min_samples_leaf an integer >= 1."""
    if max_depth is not None and not (isinstance(max_depth, Integral) and max_depth >= 1):
        raise ValueError(f"max_depth is {max_depth!r}, expected a whole number of levels >= 1, or None for no limit.")
    if not (isinstance(min_samples_leaf, Integral) and min_samples_leaf >= 1):
        raise ValueError(f"min_samples_leaf is {min_samples_leaf!r}, expected a whole number of rows >= 1.")


def number_of_features(max_features, p):
    """How many of p features are drawn at each node, given as a number, a share, "sqrt" or None (all) -> int or None.

    >>> number_of_features("sqrt", 10), number_of_features(0.5, 10), number_of_features(None, 10)
    (3, 5, None)
    """
    if max_features is None:
        return None
    if isinstance(max_features, str) and max_features == "sqrt":
        return max(1, int(np.sqrt(p)))
    if isinstance(max_features, Integral) and 1 <= max_features <= p:
        return int(max_features)
    if isinstance(max_features, float) and 0 < max_features <= 1:
        return max(1, int(max_features * p))
    raise ValueError(f'max_features is {max_features!r}, expected a whole number from 1 to {p}, a share in (0, 1], "sqrt" or None.')
