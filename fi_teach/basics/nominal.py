"""A tree whose questions have as many answers as there are words: binary arrays cannot hold it, so it is its own noun."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fi_teach.basics.tree import UNDEFINED


@dataclass(frozen=True)
class NominalTree:
    """A decision tree on columns of words. Node 0 is the root; a parent is stored before its children.

    branches : one dict a node, {word: child node}; several words may share a child; empty in leaves
    feature, impurity, n_node_samples, weighted_n_node_samples, value, names, classes, criterion : as in Tree
    """

    branches: tuple
    feature: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    value: np.ndarray
    names: tuple
    classes: tuple
    criterion: str = "entropy"

    @property
    def n_nodes(self):
        return len(self.feature)

    @property
    def n_features(self):
        return len(self.names)

    @property
    def is_leaf(self):
        """(n_nodes,) bool."""
        return self.feature == UNDEFINED

    @property
    def decrease(self):
        """Each split's decrease within its node: impurity less the children's weighted mean; 0 in leaves -> (n_nodes,)."""
        mass, decrease = self.weighted_n_node_samples * self.impurity, np.zeros(self.n_nodes)
        for t in np.flatnonzero(~self.is_leaf):
            decrease[t] = (mass[t] - mass[self.children(t)].sum()) / self.weighted_n_node_samples[t]
        return decrease

    def children(self, t):
        """The child nodes of node t, each once -> list of int."""
        return sorted(set(self.branches[t].values()))

    def apply(self, X):
        """The node in which each row ends: X DataFrame (n, p) -> (n,) int.

        A word that the node never met has no branch: the row stays there, and gets the node's majority.
        """
        words, node = _words(X, self.names), np.zeros(len(X), dtype=int)
        for t in np.flatnonzero(~self.is_leaf):
            here = np.flatnonzero(node == t)
            node[here] = [self.branches[t].get(word, t) for word in words[here, self.feature[t]]]
        return node

    def predict_proba(self, X):
        """Class shares of each row's node: X DataFrame (n, p) -> (n, K), columns in the order of `classes`."""
        return self.value[self.apply(X)]

    def predict(self, X):
        """Class labels: X DataFrame (n, p) -> (n,)."""
        return np.asarray(self.classes)[self.predict_proba(X).argmax(axis=1)]


def _words(X, names):
    """X's columns by name, as an object array (n, p). Raises ValueError unless X is a DataFrame that has them all."""
    missing = [name for name in names if name not in getattr(X, "columns", ())]
    if not isinstance(X, pd.DataFrame) or missing:
        raise ValueError(f"expected a DataFrame with the columns {', '.join(names)}"
                         + (f", but {missing[0]!r} is not among them." if isinstance(X, pd.DataFrame) else f", got {type(X).__name__}."))
    return X[list(names)].to_numpy(dtype=object)


def check_words(X):
    """A DataFrame of categories as (object array (n, p), names). Raises ValueError for numbers with fractions, gaps, no rows."""
    if not isinstance(X, pd.DataFrame) or X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"{type(X).__name__} of shape {np.shape(X)} came, expected a DataFrame with a column of words for each feature.")
    names = tuple(map(str, X.columns))
    if len(set(names)) < len(names):
        raise ValueError("X has two columns of one name: an importance could not say which it means. Rename one.")
    for name, column in zip(names, X.T.to_numpy(dtype=object), strict=True):
        if pd.isna(column).any():
            raise ValueError(f"column {name!r} has missing values: give them a word of their own, such as 'unknown', or drop the rows.")
        if any(isinstance(value, float) and not value.is_integer() for value in column):
            raise ValueError(f"column {name!r} holds numbers with fractions, not categories: cut it into classes first (pd.cut).")
    return X.to_numpy(dtype=object), names


def is_nominal(X):
    """Does X (a DataFrame) hold a column of words or categories?"""
    return isinstance(X, pd.DataFrame) and any(not pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes)


def grow_nominal(words, names, y, choose, *, impurity, criterion):
    """Grow a NominalTree, node by node: `choose` says how each node splits.

    words : (n, p) object array; y : (n,) labels
    choose(rows, depth) -> (feature j, groups of words, a tuple of tuples), or None to make a leaf
    impurity(counts) -> the node's impurity
    """
    classes, code = np.unique(y, return_inverse=True)
    queue, feature, branches = [(np.arange(len(y)), 0)], [], []
    for rows, depth in queue:  # grows while it is read: children join the end of the queue
        j, groups = (choose(rows, depth) if len(np.unique(code[rows])) > 1 else None) or (UNDEFINED, ())
        feature.append(j)
        branches.append({word: len(queue) + g for g, group in enumerate(groups) for word in group})
        queue += [(rows[np.isin(words[rows, j], group)], depth + 1) for group in groups]
    counts = np.array([np.bincount(code[rows], minlength=len(classes)) for rows, _ in queue])
    n = counts.sum(axis=1)
    return NominalTree(tuple(branches), np.array(feature), impurity(counts), n, n.astype(float), counts / n[:, None],
                       names, tuple(classes.tolist()), criterion)
