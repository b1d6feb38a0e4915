"""The central noun: a fitted tree is a handful of parallel arrays, with scikit-learn's own field names.

Node 0 is the root; node t's children are children_left[t] and children_right[t], or -1 and -1 in a leaf.
A row goes left when x[feature[t]] <= threshold[t].
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from fi_teach.basics.tables import check_table

LEAF = -1
UNDEFINED = -2


@dataclass(frozen=True)
class Tree:
    """A fitted decision tree with n_nodes nodes.

    children_left, children_right : (n_nodes,) int, -1 in leaves
    feature : (n_nodes,) int, -2 in leaves
    threshold : (n_nodes,) float, -2 in leaves; rows with x <= threshold go left
    impurity : (n_nodes,) in units of `criterion`
    n_node_samples, weighted_n_node_samples : (n_nodes,) training rows, and their summed weight
    value : (n_nodes, n_outputs) class shares, or the mean target (for boosting: the tree's contribution)
    names : p feature names; classes : class labels in the order of value's columns, or None for numbers
    missing_left : (n_nodes,) bool, where NaN goes, or None where NaN is refused
    left_categories : {node: codes that go left} for splits on categories instead of a threshold
    known_categories : {feature: codes seen in training}; any other code counts as missing
    zero_missing : (n_nodes,) bool, nodes at which 0 counts as missing (a LightGBM option), or None
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    value: np.ndarray
    names: tuple
    classes: tuple | None = None
    criterion: str = "gini"
    missing_left: np.ndarray | None = None
    left_categories: dict = field(default_factory=dict)
    known_categories: dict = field(default_factory=dict)
    zero_missing: np.ndarray | None = None

    @property
    def n_nodes(self):
        return len(self.feature)

    @property
    def n_features(self):
        return len(self.names)

    @property
    def is_leaf(self):
        """(n_nodes,) bool."""
        return self.children_left == LEAF

    @cached_property
    def depth(self):
        """Depth of each node, 0 at the root -> (n_nodes,) int."""
        depth = np.zeros(self.n_nodes, dtype=int)
        for t in np.flatnonzero(~self.is_leaf):  # parents are stored before their children
            depth[[self.children_left[t], self.children_right[t]]] = depth[t] + 1
        return depth

    @property
    def decrease(self):
        """Each split's decrease within its node, impurity less the children's weighted mean; 0 in leaves -> (n_nodes,)."""
        split = np.flatnonzero(~self.is_leaf)
        left, right, w = self.children_left[split], self.children_right[split], self.weighted_n_node_samples
        decrease = np.zeros(self.n_nodes)
        decrease[split] = self.impurity[split] - (w[left] * self.impurity[left] + w[right] * self.impurity[right]) / w[split]
        return decrease

    def goes_left(self, X, t):
        """For each row of X, does it go left at node t? X (n, p) float array -> (n,) bool."""
        column, threshold = X[:, self.feature[t]], self.threshold[t]
        if t in self.left_categories or self.zero_missing is not None:
            return self._left(column, np.full(len(X), t))
        nan_left = self.missing_left is not None and self.missing_left[t]
        return ~(column > threshold) if nan_left else column <= threshold  # every comparison with NaN is false

    def _left(self, column, t):
        """Which of the values column (n,) go left, each at its own node t (n,) -> (n,) bool."""
        left = column <= self.threshold[t]
        missing = np.isnan(column)
        for node in [node for node in self.left_categories if (t == node).any()]:
            here = t == node
            left[here] = np.isin(column[here], self.left_categories[node])
            if self.feature[node] in self.known_categories:
                missing |= here & ~np.isin(column, self.known_categories[self.feature[node]])
        if self.zero_missing is not None:
            missing |= self.zero_missing[t] & (np.abs(column) <= 1e-35)
        return left if self.missing_left is None else np.where(missing, self.missing_left[t], left)

    def apply(self, X):
        """The leaf in which each row ends: X (n, p) -> (n,) int."""
        X = rows_for(self, X)
        node, inner = np.zeros(len(X), dtype=int), ~self.is_leaf
        rows = np.flatnonzero(inner[node])
        while len(rows):  # all rows take one step down
            t = node[rows]
            left = self._left(X[rows, self.feature[t]], t)
            node[rows] = np.where(left, self.children_left[t], self.children_right[t])
            rows = rows[inner[node[rows]]]
        return node

    def decision_path(self, X):
        """The nodes each row visits: X (n, p) -> (n, n_nodes) bool."""
        visited = np.zeros((len(X), self.n_nodes), dtype=bool)
        visited[np.arange(len(X)), self.apply(X)] = True
        for t in np.flatnonzero(~self.is_leaf)[::-1]:
            visited[:, t] = visited[:, self.children_left[t]] | visited[:, self.children_right[t]]
        return visited

    def raw(self, X):
        """The leaf's value for each row: X (n, p) -> (n, n_outputs)."""
        return self.value[self.apply(X)]

    def predict(self, X):
        """Class labels, or numbers where the tree predicts numbers: X (n, p) -> (n,) or (n, n_outputs)."""
        raw = self.raw(X)
        if self.classes is not None:
            return np.asarray(self.classes)[raw.argmax(axis=1)]
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X):
        """Class shares of each row's leaf: X (n, p) -> (n, K), columns in the order of `classes`."""
        if self.classes is None:
            raise ValueError("this tree predicts numbers, so it has no class probabilities: use predict.")
        return self.raw(X)


@dataclass(frozen=True)
class Forest:
    """Several trees and how their values are put together: raw(x) = base + sum over trees m of weights[m] * value_m(x).

    kind : "tree", "forest" (weights 1/M), "boosting" (raw is a margin or a number) or "adaboost" (raw is a vote share)
    base : (n_outputs,), the constant a boosting model starts from
    link : what turns raw into probabilities: "identity", "logistic" (one column for two classes), "softmax" or "samme"
        (AdaBoost's: softmax of raw / (K - 1)); "exp" turns raw into a positive number
    in_bag : (M, n) how often each tree saw each training row, or None; a row with 0 is out of bag
    """

    trees: tuple
    weights: np.ndarray
    base: np.ndarray
    names: tuple
    classes: tuple | None = None
    kind: str = "forest"
    link: str = "identity"
    in_bag: np.ndarray | None = None

    @property
    def n_features(self):
        return len(self.names)

    @property
    def n_outputs(self):
        return len(self.base)

    def raw(self, X):
        """What the trees add up to: class probabilities, a number, or a boosting margin. X (n, p) -> (n, n_outputs)."""
        X = rows_for(self, X)
        total = np.tile(np.asarray(self.base, dtype=float), (len(X), 1))
        for weight, tree in zip(self.weights, self.trees, strict=True):
            total += weight * tree.raw(X)
        return total

    def predict_proba(self, X):
        """Class probabilities: X (n, p) -> (n, K), columns in the order of `classes`."""
        if self.classes is None:
            raise ValueError("this model predicts numbers, so it has no class probabilities: use predict.")
        return self.probabilities_of(self.raw(X))

    def predict(self, X):
        """Class labels, or numbers where the model predicts numbers: X (n, p) -> (n,) or (n, n_outputs)."""
        return self.prediction_of(self.raw(X))

    def probabilities_of(self, raw):
        """What predict_proba makes of raw values (n, n_outputs) -> (n, K)."""
        if self.link == "logistic":
            up = 1 / (1 + np.exp(-raw[:, 0]))
            return np.column_stack([1 - up, up])
        if self.link in ("softmax", "samme"):
            raw = raw / (raw.shape[1] - 1) if self.link == "samme" else raw
            odds = np.exp(raw - raw.max(axis=1, keepdims=True))
            return odds / odds.sum(axis=1, keepdims=True)
        return raw

    def prediction_of(self, raw):
        """What predict makes of raw values (n, n_outputs) -> (n,) labels or numbers, or (n, n_outputs) numbers."""
        if self.classes is not None:
            return np.asarray(self.classes)[self.probabilities_of(raw).argmax(axis=1)]
        raw = np.exp(raw) if self.link == "exp" else raw
        return raw[:, 0] if raw.shape[1] == 1 else raw


def rows_for(model, X):
    """X as an array with the model's columns in the model's order; NaN passes only where the trees know the way."""
    trees = model.trees if isinstance(model, Forest) else (model,)
    array, names = check_table(X, allow_nan=any(tree.missing_left is not None for tree in trees))
    if array.shape[1] != model.n_features:
        raise ValueError(f"X has {array.shape[1]} columns, the model was fitted on {model.n_features}: {', '.join(map(str, model.names))}.")
    if isinstance(X, pd.DataFrame) and names != model.names and set(names) == set(model.names):
        return array[:, [names.index(name) for name in model.names]]
    return array
