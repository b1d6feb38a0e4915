"""A fitted decision tree as a handful of parallel arrays, named as in scikit-learn.

Node 0 is the root; node t's children are children_left[t] and children_right[t], or -1 and -1 in a
leaf; parents come before their children. A row goes left when x[feature[t]] <= threshold[t].

    t   feature   threshold   left   right   value        attends <= 0.5?
    0   1  attends      0.5      1       2   .5  .5        yes |     | no
    1   -2             -2.0     -1      -1   0   1         Fail      Pass
    2   -2             -2.0     -1      -1   .8  .2
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.encoding import as_codes
from fi_teach.basics.equality import EqualByFields
from fi_teach.basics.tables import check_table, feature_names, in_order, some_names

LEAF = -1
UNDEFINED = -2
ALMOST_ZERO = 1e-35  # LightGBM's: what counts as 0 where 0 stands for a gap


class Nodes(EqualByFields):
    """The sizes of a tree: its nodes, and the features of its table."""

    feature: NDArray
    names: tuple

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def n_features(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Tree(Nodes):
    """A fitted decision tree with n_nodes nodes. Two trees are equal (==) if all their fields are.

    children_left, children_right : (n_nodes,) int, -1 in leaves
    feature : (n_nodes,) int, -2 in leaves
    threshold : (n_nodes,) float, -2 in leaves; rows with x <= threshold go left
    impurity : (n_nodes,) in units of `criterion`
    n_node_samples, weighted_n_node_samples : (n_nodes,) training rows, and their summed weight
    value : (n_nodes, n_outputs) class shares, or the mean target (boosting: what the tree adds)
    names : p feature names
    classes : class labels in the order of value's columns, or None for numbers
    missing_left : (n_nodes,) bool, where NaN goes, or None where NaN is refused
    left_categories : {node: codes that go left} for splits on categories instead of a threshold
    known_categories : {feature: codes seen in training}; any other code counts as missing
    zero_missing : (n_nodes,) bool, nodes where 0 counts as missing (a LightGBM option), or None
    """

    children_left: NDArray
    children_right: NDArray
    feature: NDArray
    threshold: NDArray
    impurity: NDArray
    n_node_samples: NDArray
    weighted_n_node_samples: NDArray
    value: NDArray
    names: tuple
    classes: tuple | None = None
    criterion: str = "gini"
    missing_left: NDArray | None = None
    left_categories: dict = field(default_factory=dict)
    known_categories: dict = field(default_factory=dict)
    zero_missing: NDArray | None = None

    @property
    def is_leaf(self) -> NDArray:
        """(n_nodes,) bool."""
        return self.children_left == LEAF

    @cached_property
    def splits(self) -> list[tuple[int, int, int]]:
        """(node, left child, right child) of every split, parents before their children."""
        node = np.arange(self.n_nodes)
        table = np.column_stack([node, self.children_left, self.children_right])
        inner = table[~self.is_leaf]
        return list(map(tuple, inner.tolist()))

    @property
    def has_special_splits(self) -> bool:
        """Whether some split asks about categories, or takes 0 for a missing value."""
        zeros = self.zero_missing is not None and bool(self.zero_missing.any())
        return zeros or bool(self.left_categories)

    # --- the shape ---

    @cached_property
    def depth(self) -> NDArray:
        """Depth of each node, 0 at the root -> (n_nodes,) int."""
        depth = np.zeros(self.n_nodes, dtype=int)
        for t, left, right in self.splits:
            depth[left] = depth[right] = depth[t] + 1
        return depth

    @cached_property
    def place(self) -> NDArray:
        """Where a drawing puts each node from left to right -> (n_nodes,).

        Leaves stand at 0, 1, 2, ..., every other node midway between its children.
        """
        n_leaves = self.is_leaf.astype(int)  # at or below each node
        for t, left, right in reversed(self.splits):
            n_leaves[t] = n_leaves[left] + n_leaves[right]
        place = np.zeros(self.n_nodes)
        for t, left, right in self.splits:  # first, the leaves to the left of each node
            place[left] = place[t]
            place[right] = place[t] + n_leaves[left]
        for t, left, right in reversed(self.splits):
            place[t] = (place[left] + place[right]) / 2
        return place

    def stopped(self, depth: int) -> "Tree":
        """The tree stopped at this depth: its nodes there are leaves, and no node lies deeper.

        What a greedy learner with max_depth=depth grows: it makes the same splits on the way.

        >>> shape = np.array([1, -1, -1]), np.array([2, -1, -1])
        >>> question = np.array([0, -2, -2]), np.array([1.5, -2, -2])
        >>> Tree(*shape, *question, *np.ones((4, 3)), ("x0",)).stopped(0).children_left
        array([-1])
        """
        kept, leaf = self.depth <= depth, self.is_leaf | (self.depth >= depth)
        number = np.cumsum(kept) - 1
        inner = {"children_left": (number[self.children_left], LEAF),
                 "children_right": (number[self.children_right], LEAF),
                 "feature": (self.feature, UNDEFINED), "threshold": (self.threshold, UNDEFINED)}
        fields: dict[str, Any] = {name: np.where(leaf, nothing, values)[kept]
                                  for name, (values, nothing) in inner.items()}
        for name in ("impurity", "n_node_samples", "weighted_n_node_samples", "value",
                     "missing_left", "zero_missing"):
            values = getattr(self, name)
            fields[name] = None if values is None else values[kept]
        fields["left_categories"] = {
            int(number[t]): codes for t, codes in self.left_categories.items() if not leaf[t]}
        return replace(self, **fields)

    def boxes(self) -> tuple[NDArray, NDArray]:
        """The box of rows that each node holds: lower_j < x_j <= upper_j, for thresholds only.

        -> (lower, upper), each (n_nodes, p)

        >>> shape = np.array([1, -1, -1]), np.array([2, -1, -1])
        >>> question = np.array([0, -2, -2]), np.array([1.5, -2, -2])
        >>> Tree(*shape, *question, *np.ones((4, 3)), ("x0",)).boxes()[1].tolist()
        [[inf], [1.5], [inf]]
        """
        size = self.n_nodes, self.n_features
        lower = np.full(size, -np.inf)
        upper = np.full(size, np.inf)
        for t, left, right in self.splits:
            j = self.feature[t]
            threshold = self.threshold[t]
            lower[left] = lower[right] = lower[t]
            upper[left] = upper[right] = upper[t]
            upper[left, j] = min(threshold, upper[t, j])
            lower[right, j] = max(threshold, lower[t, j])
        return lower, upper

    @property
    def decrease(self) -> NDArray:
        """Each split's impurity less its children's weighted mean; 0 in leaves -> (n_nodes,)."""
        split = ~self.is_leaf
        weight = self.weighted_n_node_samples
        mass = weight * self.impurity
        left, right = self.children_left[split], self.children_right[split]
        children = (mass[left] + mass[right]) / weight[split]

        decrease = np.zeros(self.n_nodes)
        decrease[split] = self.impurity[split] - children
        return decrease

    # --- the path of a row ---

    def goes_left(self, X: NDArray, t: int) -> NDArray:
        """Which rows go left at node t: X (n, p) float array -> (n,) bool."""
        column = X[:, self.feature[t]]
        if t in self.left_categories or self.zero_missing is not None:
            return self._goes_left(column, np.full(len(X), t))
        if self.missing_left is not None and self.missing_left[t]:
            return ~(column > self.threshold[t])  # every comparison with NaN is false
        return column <= self.threshold[t]

    def _goes_left(self, column: NDArray, t: NDArray) -> NDArray:
        """Which of the values column (n,) go left, each at its own node t (n,) -> (n,) bool."""
        left = column <= self.threshold[t]
        if self.missing_left is None and not self.left_categories:
            return left
        missing = np.isnan(column)
        for node, codes in self.left_categories.items():
            here = t == node
            if here.any():
                left[here] = np.isin(column[here], codes)
                known = self.known_categories.get(int(self.feature[node]))
                if known is not None:
                    missing |= here & ~np.isin(column, known)  # codes never seen in training
        if self.zero_missing is not None:
            zero = np.abs(column) <= ALMOST_ZERO
            missing |= zero & self.zero_missing[t]
        if self.missing_left is None:
            return left
        return np.where(missing, self.missing_left[t], left)

    def leaf_of(self, X: NDArray) -> NDArray:
        """`apply` for an array that has been checked: X (n, p) float -> (n,) int."""
        node = np.zeros(len(X), dtype=int)
        inner = ~self.is_leaf
        rows = np.flatnonzero(inner[node])
        while len(rows):  # all rows take one step down
            t = node[rows]
            column = X[rows, self.feature[t]]
            child = np.where(
                self._goes_left(column, t),
                self.children_left[t],
                self.children_right[t],
            )
            node[rows] = child
            rows = rows[inner[child]]
        return node

    def apply(self, X: ArrayLike) -> NDArray:
        """The leaf in which each row ends: X (n, p) -> (n,) int."""
        return self.leaf_of(rows_for(self, X))

    def decision_path(self, X: ArrayLike) -> NDArray:
        """The nodes each row visits: X (n, p) -> (n, n_nodes) bool."""
        leaf = self.apply(X)
        visited = np.zeros((len(leaf), self.n_nodes), dtype=bool)
        visited[np.arange(len(leaf)), leaf] = True
        for t, left, right in reversed(self.splits):
            visited[:, t] = visited[:, [left, right]].any(axis=1)
        return visited

    # --- predictions ---

    def raw(self, X: ArrayLike) -> NDArray:
        """The leaf's value for each row: X (n, p) -> (n, n_outputs)."""
        return self.value[self.apply(X)]

    def predict(self, X: ArrayLike) -> NDArray:
        """Class labels, or numbers where the tree predicts numbers: X (n, p) -> (n,) or (n, K)."""
        return labels_or_numbers(self.raw(X), self.classes)

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Class shares of each row's leaf: X (n, p) -> (n, K), in the order of `classes`."""
        refuse_numbers(self)
        return self.raw(X)


# --- several trees as one ---------------------------------------------------------------------

def joined(trees: Sequence[Tree]) -> tuple[NDArray, NDArray, NDArray, NDArray, NDArray]:
    """Join the nodes of several trees, one tree after the other, and number them through.

    -> roots (M,); children_left, children_right, feature, threshold (nodes of all trees,)

    >>> shape = np.array([1, -1, -1]), np.array([2, -1, -1])
    >>> question = np.array([0, -2, -2]), np.array([1.5, -2, -2])
    >>> stump = Tree(*shape, *question, *np.ones((4, 3)), ("x0",))
    >>> roots, left, *_ = joined([stump, stump])
    >>> roots.tolist(), left.tolist()
    ([0, 3], [1, -1, -1, 4, -1, -1])
    """
    n_nodes = [tree.n_nodes for tree in trees]
    roots = np.cumsum([0, *n_nodes[:-1]])
    shift = roots.repeat(n_nodes)
    left, right, feature, threshold = (
        np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("children_left", "children_right", "feature", "threshold"))
    is_leaf = left == LEAF
    left, right = (np.where(is_leaf, LEAF, child + shift) for child in (left, right))
    return roots, left, right, feature, threshold


# --- for trees and forests alike --------------------------------------------------------------

def labels_or_numbers(value: NDArray, classes: tuple | None) -> NDArray:
    """The label of the largest of K columns, or the numbers: (n, K) -> (n,), or (n, K) numbers."""
    if classes is not None:
        return np.asarray(classes)[value.argmax(axis=1)]
    return value[:, 0] if value.shape[1] == 1 else value


def refuse_numbers(model: Any) -> None:
    """Refuse a Tree or Forest that predicts numbers, for want of class probabilities."""
    if model.classes is None:
        kind = type(model).__name__.lower()
        raise ValueError(
            f"this {kind} predicts numbers, so it has no class probabilities: use predict.")


def rows_for(model: Any, X: ArrayLike, *, what: str = "X") -> NDArray:
    """X as an array (n, p) with the columns of a Tree or Forest, found by name, in its order.

    By position only where one of the two has no names: a plain array, or a model that was fitted
    on one. NaN passes only where the trees know the way. Words become the codes that the trees
    know; an array holds codes already.
    """
    trees = getattr(model, "trees", (model,))
    knows_gaps = any(tree.missing_left is not None for tree in trees)
    if isinstance(X, pd.DataFrame) and X.shape[1] == model.n_features:
        numbered = tuple(f"x{j}" for j in range(model.n_features))
        is_nameless = model.names == numbered and set(feature_names(X)) != set(numbered)
        X = X if is_nameless else in_order(X, model.names)
        words = getattr(model, "words", None)
        if words:
            X = as_codes(X, words, takes_new_words=model.takes_new_words)
    array, _ = check_table(X, allow_nan=knows_gaps, what=what)
    if array.shape[1] != model.n_features:
        raise ValueError(
            f"X has {array.shape[1]} columns, the model was fitted on {model.n_features}: "
            f"{some_names(model.names)}.")
    return array
