"""C4.5: of the splits with at least average gain, choose the one with the best gain ratio.

    gain       = entropy(y) - mean over branches of entropy(y in the branch)
    gain ratio = gain / entropy(branch)

A column of numbers is cut in two, a column of words gets a branch for each word. Source: Quinlan
(1993), ch. 2.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.impurity import TIE, class_counts, entropy
from fi_teach.basics.nominal import NominalTree, check_words, is_nominal
from fi_teach.basics.tables import check_table
from fi_teach.basics.target import check_y, encode_labels, target_of
from fi_teach.basics.tree import UNDEFINED, Tree
from fi_teach.trees.cart import (
    Sample,
    Split,
    all_alike,
    check_limits,
    check_tree_y,
    every_way,
    first,
    grow_by,
    midpoints,
    tree_of,
)

# --- gain and gain ratio ----------------------------------------------------------------------

def gain(y: ArrayLike, branch: ArrayLike) -> float:
    """Information gain: y's entropy less its mean over the branches, in bits.

    y (n,) labels, branch (n,) any labels -> bits. Source: Quinlan (1986), sec. 4.

    >>> round(gain(["Yes", "Yes", "No", "No"], ["left", "left", "left", "right"]), 3)
    0.311
    """
    y = check_y(y, np.size(y))
    if np.shape(branch) != y.shape:
        raise ValueError(
            f"y has {len(y)} labels, branch has shape {np.shape(branch)}: expected one branch for "
            "each label.")
    return _gain(y, check_y(branch, len(y), what="branch"))


def _gain(y: NDArray, branch: NDArray) -> float:
    bits = entropy(class_counts(y))
    for b in np.unique(branch):
        here = branch == b
        bits -= here.mean() * entropy(class_counts(y[here]))
    return float(bits)


def split_information(branch: ArrayLike) -> float:
    """Split information: the entropy of the branches. branch (n,) -> bits.

    >>> split_information(["sunny", "overcast", "rain", "snow"])
    2.0
    """
    return float(entropy(class_counts(branch)))


def gain_ratio(y: ArrayLike, branch: ArrayLike) -> float:
    """Gain ratio: gain / split information, 0 for a single branch.

    Source: Quinlan (1993), sec. 2.2.

    >>> y = ["Yes", "Yes", "No", "No"]
    >>> round(gain_ratio(y, ["a", "b", "c", "d"]), 3)  # a branch for each row
    0.5
    """
    gained = gain(y, branch)
    price = split_information(branch)
    return gained / price if price > 0 else 0.0


def best_by_gain_ratio(
    gains: ArrayLike,
    ratios: ArrayLike,
    columns: ArrayLike | None = None,
) -> list[int]:
    """The candidates with the best gain ratio among those of at least average gain, with ties.

    gains, ratios (m,): each column's best split; columns (m,): which column each is of, where one
    has several that tie. The average is over columns that gain anything.
    Source: Quinlan (1993), sec. 2.2.

    >>> best_by_gain_ratio([0.25, 0.15, 0.01], [0.16, 0.15, 0.50])  # the third gains too little
    [0]
    """
    gains, ratios = np.asarray(gains, dtype=float), np.asarray(ratios, dtype=float)
    columns = np.arange(len(gains)) if columns is None else np.asarray(columns)
    gains_at_all = gains > TIE
    if not gains_at_all.any():
        return []
    _, one_a_column = np.unique(columns[gains_at_all], return_index=True)
    average = gains[gains_at_all][one_a_column].mean()
    enough = gains_at_all & (gains >= average - TIE)
    best = ratios[enough].max()
    return np.flatnonzero(enough & (ratios >= best - TIE)).tolist()


# --- columns of numbers: cut in two -----------------------------------------------------------

def threshold_gains(column: NDArray, onehot: NDArray) -> tuple[NDArray, NDArray]:
    """The information gain at each midpoint of a column, by sorting and running sums.

    column (n,), onehot (n, K) of 0 and 1 -> thresholds (m,), gains (m,) in bits

    >>> onehot = np.array([[0, 1], [0, 1], [1, 0], [0, 1]])
    >>> thresholds, gains = threshold_gains(np.array([30, 50, 60, 80]), onehot)
    >>> thresholds.tolist(), gains.round(3).tolist()
    ([40.0, 55.0, 70.0], [0.123, 0.311, 0.123])
    """
    values, code = np.unique(column, return_inverse=True)
    by_class = [np.bincount(code, is_class, len(values)) for is_class in onehot.T]
    counts = np.array(by_class).T  # rows of each class at each value
    left = counts.cumsum(axis=0)[:-1]
    right = counts.sum(axis=0) - left
    share_left = left.sum(axis=1) / len(column)
    rest = share_left * entropy(left) + (1 - share_left) * entropy(right)
    return midpoints(column), entropy(counts.sum(axis=0)) - rest


def _onehot(y: NDArray) -> NDArray:
    """One 0/1 column a class -> (n, K)."""
    return target_of(y, "entropy").columns.T


def _best_cuts(X: NDArray, onehot: NDArray, min_samples_leaf: int) -> list[Split]:
    offers = []
    for j, column in enumerate(X.T):
        offers += _offers_of(j, column, onehot, min_samples_leaf)
    prices = [split_information(X[:, offer.feature] <= offer.threshold) for offer in offers]
    gains = [offer.decrease for offer in offers]
    best = best_by_gain_ratio(
        gains,
        np.divide(gains, prices),
        [offer.feature for offer in offers],
    )
    return [offers[i] for i in best]


def _offers_of(j: int, column: NDArray, onehot: NDArray, min_samples_leaf: int) -> list[Split]:
    """A column's thresholds of largest gain, of those that leave enough rows on both sides."""
    thresholds, gains = threshold_gains(column, onehot)
    n_left = np.searchsorted(np.sort(column), thresholds, side="right")
    smaller_side = np.minimum(n_left, len(column) - n_left)
    enough = smaller_side >= min_samples_leaf
    if not enough.any():
        return []
    best = enough & (gains >= gains[enough].max() - TIE)
    return [Split(j, float(thresholds[i]), float(gains[i])) for i in np.flatnonzero(best)]


def grow_c45(
    X: ArrayLike,
    y: ArrayLike,
    *,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> Tree | NominalTree:
    """Grow an unpruned C4.5 tree: split until the rows of a node agree or no split has a gain.

    Unlike CART it makes no split that gains nothing, so XOR is a leaf to it. Ties go to the lower
    column, then to the lower threshold: `every_c45_tree` grows the others.

    X : (n, p) numbers -> Tree with binary cuts; or a DataFrame of words or categories ->
        NominalTree with a branch a word
    y : (n,) labels; impurities are in bits

    Raises ValueError for tables and targets that cannot be used, one class only, limits out of
    range, and a table that mixes words and numbers. Source: Quinlan (1993), ch. 2.

    >>> tree = grow_c45([[1, 0], [2, 0], [3, 1], [4, 1]], ["No", "Yes", "Yes", "Yes"])
    >>> tree.feature.tolist(), tree.threshold[0].item(), tree.criterion
    ([0, -2, -2], 1.5, 'entropy')
    """
    check_limits(max_depth, min_samples_leaf)
    if is_nominal(X):
        return _grow_nominal(X, y, max_depth, min_samples_leaf)
    return _grow_cuts(X, y, max_depth, min_samples_leaf)


def _grow_cuts(X: ArrayLike, y: ArrayLike, max_depth: int | None, min_samples_leaf: int) -> Tree:
    """grow_c45 on a table of numbers."""
    sample, names, tied = _setting(X, y, min_samples_leaf)
    grown = grow_by(
        lambda rows: first(tied(rows)),
        sample.X,
        np.arange(len(sample.y)),
        max_depth,
    )
    return tree_of(grown, sample, names)


def every_c45_tree(
    X: ArrayLike,
    y: ArrayLike,
    *,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    most: int = 1000,
) -> Iterator[Tree]:
    """Yield every tree that C4.5 can grow on numbers, over all ways to break its ties.

    The first one is grow_c45's. Raises ValueError as it does, and when there are more than `most`.
    Source: as in `grow_c45`.

    >>> from fi_teach.data import golf
    >>> len(list(every_c45_tree(*golf())))
    4
    """
    check_limits(max_depth, min_samples_leaf)
    sample, names, tied = _setting(X, y, min_samples_leaf)
    ways = every_way(tied, sample.X, np.arange(len(sample.y)), max_depth, most)
    return (tree_of(grown, sample, names) for grown in ways)


def _setting(X: ArrayLike, y: ArrayLike, min_samples_leaf: int):
    """A table of numbers as (Sample, names, the best cuts of a node's rows)."""
    X, names = check_table(X)
    y = check_tree_y(y, len(X), "entropy")
    onehot = _onehot(y)

    sample = Sample(X, y, np.ones(len(X)), "entropy")

    def tied(rows):
        if all_alike(y[rows]):
            return []
        return _best_cuts(X[rows], onehot[rows], min_samples_leaf)

    return sample, names, tied


# --- columns of words: a branch a word --------------------------------------------------------

def _grow_nominal(X, y, max_depth, min_samples_leaf) -> NominalTree:
    """Branch every node by its best column, the root first, level by level."""
    words, names = check_words(X)
    _refuse_numbers(X)
    y = check_tree_y(y, len(words), "entropy")
    nodes, feature, branches = [(np.arange(len(y)), 0)], [], []
    for rows, depth in nodes:  # grows while it is read: children join the end of the queue
        j = None if depth == max_depth else _best_column(words[rows], y[rows], min_samples_leaf)
        column = words[rows, j] if j is not None else []
        branch_words = sorted(set(column), key=str)
        feature.append(UNDEFINED if j is None else j)
        branches.append({word: len(nodes) + k for k, word in enumerate(branch_words)})
        nodes += [(rows[column == word], depth + 1) for word in branch_words]
    classes, code = encode_labels(y)
    counts = np.array([np.bincount(code[rows], minlength=len(classes)) for rows, _ in nodes])
    n = counts.sum(axis=1)
    return NominalTree(
        tuple(branches),
        np.array(feature),
        impurity=entropy(counts),
        n_node_samples=n,
        weighted_n_node_samples=n.astype(float),
        value=counts / n[:, None],
        names=names,
        classes=tuple(classes.tolist()),
    )


def _best_column(words: NDArray, y: NDArray, min_samples_leaf: int) -> int | None:
    """The column to branch by: of those that branch well, the best by gain ratio."""
    columns = words.T.astype(str)
    usable = [j for j, column in enumerate(columns) if _branches_well(column, min_samples_leaf)]
    gains = np.array([_gain(y, columns[j]) for j in usable])
    prices = np.array([split_information(columns[j]) for j in usable])
    best = best_by_gain_ratio(gains, gains / prices)
    return usable[best[0]] if best else None


def _branches_well(column: NDArray, min_samples_leaf: int) -> bool:
    """Do at least two of the column's words have enough rows?"""
    _, counts = np.unique(column, return_counts=True)
    return bool((counts >= min_samples_leaf).sum() >= 2)


def _refuse_numbers(X: pd.DataFrame) -> None:
    """Refuse a table of words with a column of numbers."""
    for name, kind in X.dtypes.items():
        is_number = pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
        if is_number:
            raise ValueError(
                f"X mixes words with numbers such as {name!r}: encode the words (pd.get_dummies) "
                "for a tree of cuts, or cut the numbers into classes (pd.cut, then astype(str)) "
                "for a tree of words.")


# --- a variant of early chefboost -------------------------------------------------------------

def grow_cut_once(X: ArrayLike, y: ArrayLike) -> Tree:
    """Cut every column once, where its gain at the root is largest, then grow on the 0/1 columns.

    The thresholds never adapt to the node, so a column is used at most once on a path, and rows on
    the same side of all cuts cannot be told apart: their leaf stays mixed. `classes` are ordered
    by size, so that a tied leaf predicts the majority of all rows. This is how early chefboost
    read C4.5.

    X (n, p) numbers, y (n,) labels -> Tree with impurities in bits.
    Source: Quinlan (1993), as early chefboost read it.

    >>> from fi_teach.data import golf
    >>> X, y = golf()
    >>> tree = grow_cut_once(X, y)
    >>> sorted({float(t) for t in tree.threshold[~tree.is_leaf]}), int((tree.predict(X) == y).sum())
    ([1.5], 12)
    """
    X, names = check_table(X)
    y = check_tree_y(y, len(X), "entropy")
    onehot = _onehot(y)
    offers = [first(_offers_of(j, column, onehot, 1)) for j, column in enumerate(X.T)]
    cut = np.array([offer.threshold if offer else np.inf for offer in offers])
    tree = _grow_cuts((cut < X).astype(float), y, None, 1)

    by_size = np.argsort(-onehot.sum(axis=0), kind="stable")
    classes, _ = encode_labels(y)
    return replace(
        tree,
        names=names,
        threshold=np.where(tree.is_leaf, tree.threshold, cut[tree.feature]),
        value=tree.value[:, by_size],
        classes=tuple(classes[by_size].tolist()),
    )
