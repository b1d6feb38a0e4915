"""Trees on columns of words, with a branch for each word."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import feature_names, places_by_name
from fi_teach.basics.tree import UNDEFINED, Nodes, Tree, labels_or_numbers


@dataclass(frozen=True, eq=False)
class NominalTree(Nodes):
    """A decision tree on columns of words. Node 0 is the root; parents come before their children.

    branches : one dict a node, {word: child node}; empty in leaves
    The other fields are as in Tree. Two trees are equal (==) if all their fields are.
    """

    branches: tuple
    feature: NDArray
    impurity: NDArray
    n_node_samples: NDArray
    weighted_n_node_samples: NDArray
    value: NDArray
    names: tuple
    classes: tuple
    criterion: str = "entropy"

    @property
    def is_leaf(self) -> NDArray:
        """(n_nodes,) bool."""
        return self.feature == UNDEFINED

    @property
    def decrease(self) -> NDArray:
        """Each split's impurity less its children's weighted mean; 0 in leaves -> (n_nodes,)."""
        weight = self.weighted_n_node_samples
        mass = weight * self.impurity
        decrease = np.zeros(self.n_nodes)
        for t in np.flatnonzero(~self.is_leaf).tolist():
            gone = mass[t] - mass[self.children(t)].sum()
            decrease[t] = gone / weight[t]
        return decrease

    def children(self, t: int) -> list[int]:
        """The child nodes of node t, each once."""
        return sorted(set(self.branches[t].values()))

    def apply(self, X: pd.DataFrame) -> NDArray:
        """The node in which each row ends: X DataFrame (n, p) -> (n,) int.

        A word that the node never met has no branch: the row stays, and gets the node's majority.
        """
        words = _words_for(self, X)
        node = np.zeros(len(X), dtype=int)
        for t in np.flatnonzero(~self.is_leaf):
            here = np.flatnonzero(node == t)
            asked = words[here, self.feature[t]]
            node[here] = [self.branches[t].get(word, t) for word in asked]
        return node

    def predict_proba(self, X: pd.DataFrame) -> NDArray:
        """Class shares of each row's node: X (n, p) -> (n, K), columns in the order of classes."""
        return self.value[self.apply(X)]

    def predict(self, X: pd.DataFrame) -> NDArray:
        """Predict class labels: X DataFrame (n, p) -> (n,)."""
        return labels_or_numbers(self.predict_proba(X), self.classes)


def _words_for(tree: NominalTree, X: pd.DataFrame) -> NDArray:
    """The tree's columns of X, found by name, as an object array (n, p)."""
    expected = f"expected a DataFrame with the columns {', '.join(tree.names)}"
    if not isinstance(X, pd.DataFrame):
        raise ValueError(f"{expected}, got {type(X).__name__}.")
    places = places_by_name(tree.names, feature_names(X))
    if -1 in places:
        raise ValueError(f"{expected}, but {tree.names[places.index(-1)]!r} is not among them.")
    return X.iloc[:, places].to_numpy(dtype=object)


def check_words(X: pd.DataFrame) -> tuple[NDArray, tuple]:
    """Check a DataFrame of categories -> (object array (n, p), names)."""
    if not isinstance(X, pd.DataFrame) or X.size == 0:
        raise ValueError(
            f"{type(X).__name__} of shape {np.shape(X)} came, "
            "expected a DataFrame with a column of words for each feature.")
    names = feature_names(X)
    if len(set(names)) < len(names):
        raise ValueError(
            "X has two columns of one name: an importance could not say which it means. "
            "Rename one.")
    words = X.to_numpy(dtype=object)
    for name, column in zip(names, words.T, strict=True):
        if pd.isna(column).any():
            raise ValueError(
                f"column {name!r} has missing values: "
                "give them a word of their own, such as 'unknown', or drop the rows.")
        if any(isinstance(value, float) and not value.is_integer() for value in column):
            raise ValueError(
                f"column {name!r} holds numbers with fractions, not categories: "
                "cut it into classes first (pd.cut).")
    return words, names


def is_nominal(X: ArrayLike) -> bool:
    """Does X (a DataFrame) hold a column of words or categories?"""
    if not isinstance(X, pd.DataFrame):
        return False
    return not all(pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes)


def check_one_tree(tree: object) -> None:
    """Refuse anything but one Tree or NominalTree."""
    if not isinstance(tree, Tree | NominalTree):
        raise ValueError(
            f"{type(tree).__name__} came, expected one tree: "
            "of a model, pass from_model(model).trees[0].")
