"""CART: grow a tree by splitting each node where the impurity decreases most.

    decrease = I(node) - w_left / w * I(left) - w_right / w * I(right)

First by definition: try every midpoint of every column, split, and repeat on both sides. Then every
tree that tied splits allow. Last the same trees, fast. Source: Breiman et al. (1984), ch. 2 to 4.

Read next: fast/cart.py, which grows all trees of a forest level by level.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.impurity import TIE, class_impurity, node_impurity
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count, check_table, check_weights
from fi_teach.basics.target import check_varies, check_y, target_of
from fi_teach.basics.thresholds import midpoints
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree
from fi_teach.fast.cart import grow_trees, rank_table


class Split(NamedTuple):
    """A split of a node: is feature j at most the threshold? With its decrease in impurity."""

    feature: int
    threshold: float
    decrease: float

    def sides(self, X: NDArray, rows: NDArray) -> tuple[NDArray, NDArray]:
        """Of these rows, those that go left and those that go right."""
        left = X[rows, self.feature] <= self.threshold
        return rows[left], rows[~left]


# --- by definition ----------------------------------------------------------------------------

def split_decrease(
    y: ArrayLike,
    left: ArrayLike,
    *,
    criterion: str = "gini",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Decrease in impurity of a split: the node's impurity less the weighted mean of its sides'.

    I(t) - w_L / w * I(t_L) - w_R / w * I(t_R)

    y (n,) or, for several outputs, (n, k), whose decreases are added up; left (n,) bool;
    sample_weight (n,) -> float in units of the impurity.
    Source: Breiman et al. (1984), definition 2.13.

    >>> left = np.array([1, 1, 1, 1, 1, 0, 0, 0], bool)
    >>> round(split_decrease([1, 1, 1, 0, 1, 0, 0, 0], left), 3)
    0.3
    """
    y, left = np.asarray(y), np.asarray(left)
    if y.ndim not in (1, 2) or left.shape != y.shape[:1] or not np.isin(left, (0, 1)).all():
        raise ValueError(
            f"left has shape {left.shape}, y {y.shape}: expected True or False for each row of y.")
    check_tree_y(y, len(y), criterion, varies=False)
    return _decrease(y, left.astype(bool), check_weights(sample_weight, len(y)), criterion)


def _decrease(y: NDArray, left: NDArray, weight: NDArray, criterion: str) -> float:
    decrease = _impurity(y, weight, criterion)
    for side in (left, ~left):
        share = weight[side].sum() / weight.sum()
        decrease -= share * _impurity(y[side], weight[side], criterion)
    return float(decrease)


def _impurity(y: NDArray, weight: NDArray, criterion: str) -> float:
    """The impurity of rows y (n,), or the sum over the outputs of y (n, k)."""
    outputs = y.T if y.ndim == 2 else [y]
    return sum(node_impurity(output, weight, criterion) for output in outputs)


class Sample(NamedTuple):
    """Rows to grow on: X (n, p), y (n,) or (n, k), weight (n,); and how a split is judged."""

    X: NDArray
    y: NDArray
    weight: NDArray
    criterion: str
    min_samples_leaf: int = 1

    @property
    def root(self) -> NDArray:
        """The rows of positive weight."""
        return np.flatnonzero(self.weight > 0)

    def only(self, rows: NDArray) -> "Sample":
        """The same with these rows alone."""
        return self._replace(X=self.X[rows], y=self.y[rows], weight=self.weight[rows])

    def splits(self) -> list[Split]:
        """Every split that leaves enough rows on both sides, in column order."""
        splits = []
        for j, column in enumerate(self.X.T):
            for threshold in midpoints(column):
                left = column <= threshold
                if min(left.sum(), (~left).sum()) >= self.min_samples_leaf:
                    decrease = _decrease(self.y, left, self.weight, self.criterion)
                    splits.append(Split(j, float(threshold), decrease))
        return splits

    def tied_splits(self, rows: NDArray) -> list[Split]:
        """The splits of some rows that are best together; none if they agree or look the same."""
        here = self.only(rows)
        splits = [] if all_alike(here.y) else here.splits()
        best = max((split.decrease for split in splits), default=0.0)
        slack = TIE * _impurity(here.y, here.weight, here.criterion)
        return [split for split in splits if split.decrease >= best - slack]


def best_split_by_definition(
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "gini",
    min_samples_leaf: int = 1,
    sample_weight: ArrayLike | None = None,
) -> Split | None:
    """Find the split with the largest decrease: try every midpoint of every column.

    Ties go to the lower column, then to the lower threshold. Returns None if there is no split.
    X (n, p), y (n,).
    Source: Breiman et al. (1984), sec. 2.4.

    >>> best_split_by_definition([[30, 1], [50, 1], [60, 0], [80, 1]], [1, 1, 0, 1])
    Split(feature=1, threshold=0.5, decrease=0.375)
    """
    sample, _ = _check(X, y, criterion, min_samples_leaf, sample_weight)
    return first(sample.tied_splits(sample.root))


def grow_cart_by_definition(
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "gini",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    sample_weight: ArrayLike | None = None,
) -> Tree:
    """Grow a CART tree by definition: split the root, then both sides, until a node's rows agree.

    Parameters, result and errors as in `grow_cart`, but that every column is a candidate.
    Source: as in `grow_cart`.

    >>> tree = grow_cart_by_definition([[30, 1], [50, 1], [60, 0], [80, 1]], [1, 1, 0, 1])
    >>> tree.feature.tolist(), tree.threshold.tolist()
    ([1, -2, -2], [0.5, -2.0, -2.0])
    """
    sample, names = _check(X, y, criterion, min_samples_leaf, sample_weight, max_depth)

    def best_split_of(rows):
        return first(sample.tied_splits(rows))

    return tree_of(grow_by(best_split_of, sample.X, sample.root, max_depth), sample, names)


class Grown(NamedTuple):
    """A tree's nodes in the order in which they were split: rows, and split or None."""

    rows: list[NDArray]
    splits: list[Split | None]


def grow_by(
    choose: Callable[[NDArray], Split | None],
    X: NDArray,
    rows: NDArray,
    max_depth: int | None,
) -> Grown:
    """Split every node as `choose` says of its rows, the root first, level by level."""
    nodes, splits = [(rows, 0)], []
    for here, depth in nodes:  # grows while it is read: children join the end of the queue
        split = None if depth == max_depth else choose(here)
        splits.append(split)
        if split is not None:
            nodes += [(side, depth + 1) for side in split.sides(X, here)]
    return Grown([here for here, _ in nodes], splits)


def tree_of(grown: Grown, sample: Sample, names: tuple) -> Tree:
    """Build the Tree of a grown structure: its arrays, with the statistics of each node."""
    target = target_of(sample.y, sample.criterion)
    impurity, value, weight = [], [], []
    for rows in grown.rows:
        w = sample.weight[rows]
        impurity.append(_impurity(sample.y[rows], w, sample.criterion))
        value.append(np.average(target.columns[:, rows], axis=1, weights=w))
        weight.append(w.sum())
    return Tree(
        **questions_of(grown.splits),
        impurity=np.array(impurity),
        n_node_samples=np.array([len(rows) for rows in grown.rows]),
        weighted_n_node_samples=np.array(weight),
        value=np.array(value),
        names=names,
        classes=target.classes,
        criterion=target.criterion,
    )


def questions_of(splits: list) -> dict:
    """The fields of a Tree whose nodes were split in this order: children, features, thresholds."""
    is_split = np.array([split is not None for split in splits])
    left = 2 * np.cumsum(is_split) - 1  # the children of the k-th split are nodes 2k + 1, 2k + 2
    return {
        "children_left": np.where(is_split, left, LEAF),
        "children_right": np.where(is_split, left + 1, LEAF),
        "feature": np.array([split.feature if split else UNDEFINED for split in splits]),
        "threshold": np.array([split.threshold if split else UNDEFINED for split in splits], float),
    }


def first(splits: list[Split]) -> Split | None:
    """The first split, or None if there is none."""
    return splits[0] if splits else None


# --- ties -------------------------------------------------------------------------------------

def every_greedy_tree(
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "gini",
    max_depth: int | None = None,
    sample_weight: ArrayLike | None = None,
    most: int = 1000,
) -> Iterator[Tree]:
    """Yield every tree that greedy growth can give, over all ways to break its ties.

    The first one is grow_cart's: always the first of the tied splits. X (n, p), y (n,).
    Raises ValueError as grow_cart does, and when there are more than `most` trees.
    Source: as in `grow_cart`.

    >>> xor = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> len(list(every_greedy_tree(xor, [0, 1, 1, 0])))  # begin with either column
    2
    """
    sample, names = _check(X, y, criterion, 1, sample_weight, max_depth)
    ways = every_way(sample.tied_splits, sample.X, sample.root, max_depth, most)
    return (tree_of(grown, sample, names) for grown in ways)


def every_way(
    tied: Callable[[NDArray], list[Split]],
    X: NDArray,
    rows: NDArray,
    max_depth: int | None,
    most: int,
) -> list[Grown]:
    """grow_by, with all of a node's tied splits: one result for each way to choose among them.

    Raises ValueError if there are more than `most`.
    """
    most = check_count(most, "most")
    one_too_many = min(most + 1, sys.maxsize)  # which is 2^31 - 1 where indices have 32 bits
    ways = list(islice(_ways(tied, X, rows, max_depth), one_too_many))
    if len(ways) > most:
        raise ValueError(
            f"more than most={most} different trees could have been grown here: "
            "limit max_depth, drop duplicate columns, or raise `most`.")
    return ways


def _ways(tied, X, rows, max_depth) -> Iterator[Grown]:
    """Depth-first search over the tied splits: yield each complete structure."""
    @cache
    def splits_of(rows):
        return tied(np.array(rows)) or [None]

    begun: list[tuple[list, list]] = [([(rows, 0)], [])]
    while begun:
        nodes, splits = begun.pop()
        if len(splits) == len(nodes):
            yield Grown([here for here, _ in nodes], splits)
            continue
        here, depth = nodes[len(splits)]
        options = [None] if depth == max_depth else splits_of(tuple(here.tolist()))
        for split in reversed(options):
            sides = () if split is None else split.sides(X, here)
            children = [(side, depth + 1) for side in sides]
            begun.append(([*nodes, *children], [*splits, split]))


# --- fast -------------------------------------------------------------------------------------

def best_split(
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "gini",
    min_samples_leaf: int = 1,
    sample_weight: ArrayLike | None = None,
) -> Split | None:
    """Find the split with the largest decrease, by sorting: O(p n log n) instead of O(p n^2).

    Same arguments and result as best_split_by_definition.
    Source: as in `best_split_by_definition`.

    >>> best_split([[30, 1], [50, 1], [60, 0], [80, 1]], [1, 1, 0, 1])
    Split(feature=1, threshold=0.5, decrease=0.375)
    """
    stump = grow_cart(
        X,
        y,
        criterion=criterion,
        max_depth=1,
        min_samples_leaf=min_samples_leaf,
        sample_weight=sample_weight,
    )
    if stump.n_nodes == 1:
        return None
    return Split(int(stump.feature[0]), float(stump.threshold[0]), float(stump.decrease[0]))


def grow_cart(
    X: ArrayLike,
    y: ArrayLike,
    *,
    criterion: str = "gini",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    max_features: float | str | None = None,
    sample_weight: ArrayLike | None = None,
    rng: Seed = 0,
) -> Tree:
    """Grow a tree greedily: split every node where its impurity decreases most, until all are pure.

    A split without any decrease is still made while the rows disagree: in XOR the first split has
    none, and the second makes the leaves pure. Ties go to the lower column,
    then to the lower threshold. The Tree's thresholds are midpoints between neighbouring values.

    X : (n, p) numbers
    y : (n,) labels, or numbers for "variance" (several outputs: (n, k), impurities added up)
    criterion : "gini", "entropy" (bits), "entropy_nats" or "variance" (squared units of y)
    max_depth : levels of questions, or None
    min_samples_leaf : rows on each side of a split, at least
    max_features : columns drawn afresh (by `rng`) as candidates at each node: a number, a share
        of p, "sqrt", or None for all
    sample_weight : (n,) >= 0; rows of weight 0 are left out

    Raises ValueError for tables, targets or weights that cannot be used, a constant target, and
    limits out of range. Source: Breiman et al. (1984), ch. 2 and 8.

    >>> X, y = [[30, 1], [50, 1], [60, 0], [80, 1]], ["Pass", "Pass", "Fail", "Pass"]
    >>> tree = grow_cart(X, y)
    >>> tree.feature.tolist(), tree.threshold.tolist(), tree.predict([[55, 0]]).tolist()
    ([1, -2, -2], [0.5, -2.0, -2.0], ['Fail'])
    """
    sample, names = _check(X, y, criterion, min_samples_leaf, sample_weight, max_depth)
    trees = grow_trees(
        rank_table(sample.X, names),
        target_of(sample.y, criterion),
        sample.weight[None, :],
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
        max_features=number_of_features(max_features, len(names)),
        rng=own_stream(rng, "grow cart"),
    )
    return trees[0]


# --- checks -----------------------------------------------------------------------------------

def _check(
    X, y, criterion, min_samples_leaf, sample_weight, max_depth=None
) -> tuple[Sample, tuple]:
    """Check table, target, weights and limits -> Sample, column names."""
    X, names = check_table(X)
    y = check_tree_y(y, len(X), criterion, varies=False)
    weight = check_weights(sample_weight, len(X))
    check_limits(max_depth, min_samples_leaf)
    check_varies(y[weight > 0])
    return Sample(X, y, weight, criterion, min_samples_leaf), names


def all_alike(y: NDArray) -> bool:
    """Whether all rows have the same target: y (n,) or (n, k)."""
    return bool((y == y[0]).all())


def check_tree_y(
    y: ArrayLike, n_rows: int, criterion: str, *, varies: bool = True
) -> NDArray:
    """Check the target for `criterion` -> labels (n,), or numbers (n,) or (n, k)."""
    if criterion == "variance":
        return check_y(y, n_rows, numeric=True, several=True, varies=varies)
    class_impurity(criterion)  # raises ValueError for an unknown one
    labels = check_y(y, n_rows, varies=varies)
    if labels.dtype.kind == "f" and (labels != np.round(labels)).any():
        broken = labels[labels != np.round(labels)][0]
        raise ValueError(
            f"y holds numbers with fractions such as {broken:g}, but criterion {criterion!r} "
            'splits classes: use criterion="variance" for numbers, or cut y into classes first.')
    return labels


def check_limits(max_depth: int | None, min_samples_leaf: int) -> None:
    """Check that max_depth is None or a whole number >= 1, and min_samples_leaf one."""
    if max_depth is not None and not _is_count(max_depth):
        raise ValueError(
            f"max_depth is {max_depth!r}, "
            "expected a whole number of levels >= 1, or None for no limit.")
    if not _is_count(min_samples_leaf):
        raise ValueError(
            f"min_samples_leaf is {min_samples_leaf!r}, expected a whole number of rows >= 1.")


def _is_count(number: object) -> bool:
    return isinstance(number, Integral) and int(number) >= 1


def number_of_features(max_features: float | str | None, p: int) -> int | None:
    """How many of p columns are drawn at each node: a number, a share, "sqrt" or None (all).

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
    raise ValueError(
        f"max_features is {max_features!r}, expected a whole number from 1 to {p}, "
        'a share in (0, 1], "sqrt" or None.')
