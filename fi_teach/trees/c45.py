"""C4.5 asks for gain and price: of the splits that gain at least the average, take the one with most gain per bit of answer.

A column of numbers is cut in two, a column of words splits into as many branches as it has words (Quinlan 1993, ch. 2).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_teach.basics.impurity import class_counts, entropy
from fi_teach.basics.nominal import check_words, grow_nominal, is_nominal
from fi_teach.basics.tables import check_table
from fi_teach.fast.growing import TIE, target_of
from fi_teach.trees.cart import Choices, Split, check_growing_target, check_limits, midpoints, refuse_more_than, tree_of

# --- gain and gain ratio ----------------------------------------------------------------------------------------------

def gain(y, branch):
    """Bits about y that the branch gives: entropy of y less its mean over the branches, each weighted by its rows.

    y (n,) labels, branch (n,) any labels -> bits. Source: Quinlan (1986), sec. 4.

    >>> round(gain(["Yes", "Yes", "No", "No"], ["left", "left", "left", "right"]), 3)
    0.311
    """
    branch, y = np.asarray(branch), np.asarray(y)
    rest = sum((branch == b).mean() * entropy(class_counts(y[branch == b])) for b in np.unique(branch))
    return float(entropy(class_counts(y)) - rest)


def split_information(branch):
    """Bits it takes to say which branch a row took: the price of the gain. branch (n,) -> bits.

    >>> split_information(["sunny", "overcast", "rain", "snow"])
    2.0
    """
    return float(entropy(class_counts(branch)))


def gain_ratio(y, branch):
    """Gain per bit of answer, gain / split_information; 0 where there is but one branch. Source: Quinlan (1993), sec. 2.2.

    >>> round(gain_ratio(["Yes", "Yes", "No", "No"], ["a", "b", "c", "d"]), 3)  # each row its own branch: a dear gain
    0.5
    """
    price = split_information(branch)
    return gain(y, branch) / price if price > 0 else 0.0


def best_by_gain_ratio(gains, ratios, columns=None):
    """Which candidates have the best ratio among those that gain at least the average -> list of positions, ties and all.

    gains, ratios (m,): each column's best split; columns (m,): which column each is of, where one has several that tie.
    The average is over columns that gain anything. Source: Quinlan (1993), sec. 2.2.

    >>> best_by_gain_ratio([0.25, 0.15, 0.01], [0.16, 0.15, 0.50])  # the third is cheap, but gains too little
    [0]
    """
    gains, ratios = np.asarray(gains, dtype=float), np.asarray(ratios, dtype=float)
    able = gains > TIE
    if not able.any():
        return []
    _, once = np.unique(np.arange(len(gains)) if columns is None else columns, return_index=True)
    able &= gains >= gains[once[able[once]]].mean() - TIE
    return np.flatnonzero(able & (ratios >= ratios[able].max() - TIE)).tolist()


# --- columns of numbers: cut in two -----------------------------------------------------------------------------------

def threshold_gains(column, onehot):
    """The gain at each midpoint of a column, by sorting once: column (n,), onehot (n, K) -> (thresholds, gains) in bits."""
    values, code = np.unique(column, return_inverse=True)
    counts = np.array([np.bincount(code, weights=k, minlength=len(values)) for k in onehot.T]).T
    left = counts.cumsum(axis=0)[:-1]
    right, n_left = counts.sum(axis=0) - left, left.sum(axis=1)
    rest = (n_left * entropy(left) + (len(column) - n_left) * entropy(right)) / len(column)
    return midpoints(column), entropy(counts.sum(axis=0)) - rest


def c45_splits(X, y, *, min_samples_leaf=1):
    """The cuts C4.5 holds for best at a node of numbers, ties and all -> list of Split (decrease: the gain in bits).

    Each column offers the threshold of largest gain (if several tie, each of them); of the columns that gain at least
    the average, those with the largest gain ratio win. X (n, p), y (n,). Source: Quinlan (1993), sec. 2.2 and 2.4.

    >>> c45_splits([[0, 5], [1, 6]], ["no", "yes"])
    [Split(feature=0, threshold=0.5, decrease=1.0), Split(feature=1, threshold=5.5, decrease=1.0)]
    """
    X, onehot = check_table(X)[0], target_of(check_growing_target(y, len(X), "entropy"), "entropy").columns.T
    return _best_cuts(X, onehot, min_samples_leaf)


def _best_cuts(X, onehot, min_samples_leaf):
    offers = [split for j, column in enumerate(X.T) for split in _column_offers(j, column, onehot, min_samples_leaf)]
    gains = [split.decrease for split in offers]
    ratios = [split.decrease / split_information(X[:, split.feature] <= split.threshold) for split in offers]
    return [offers[i] for i in best_by_gain_ratio(gains, ratios, [split.feature for split in offers])]


def _column_offers(j, column, onehot, min_samples_leaf):
    """A column's thresholds of largest gain, those that leave enough rows on both sides -> list of Split."""
    thresholds, gains = threshold_gains(column, onehot)
    n_left = np.searchsorted(np.sort(column), thresholds, side="right")
    enough = np.minimum(n_left, len(column) - n_left) >= min_samples_leaf
    if not enough.any():
        return []
    best = enough & (gains >= gains[enough].max() - TIE)
    return [Split(j, float(thresholds[i]), float(gains[i])) for i in np.flatnonzero(best)]


def grow_c45(X, y, *, max_depth=None, min_samples_leaf=1):
    """Grow C4.5's tree, unpruned: cut (or branch) by gain ratio until rows agree or nothing is gained.

    Unlike CART it makes no split that gains nothing, so XOR is a leaf to it. Ties go to the lower column, then to the
    lower threshold: `every_c45_tree` grows the others.

    X : (n, p) numbers -> Tree with binary cuts; or a DataFrame of words or categories -> NominalTree with a branch a word
    y : (n,) labels; impurities are in bits

    Raises ValueError for tables and targets that cannot be used, one class only, limits out of range, and a table that
    mixes words and numbers. Source: Quinlan (1993), ch. 2.

    >>> tree = grow_c45([[1, 0], [2, 0], [3, 1], [4, 1]], ["No", "Yes", "Yes", "Yes"])
    >>> tree.feature.tolist(), tree.threshold[0].item(), tree.criterion
    ([0, -2, -2], 1.5, 'entropy')
    """
    check_limits(max_depth, min_samples_leaf)
    max_depth = np.inf if max_depth is None else max_depth
    if is_nominal(X):
        return _grow_nominal_c45(X, y, max_depth, min_samples_leaf)
    choices, target, names = _c45_choices(X, y, max_depth, min_samples_leaf)
    return tree_of(next(choices.plans()), target, np.ones(target.columns.shape[1]), names)


def every_c45_tree(X, y, *, max_depth=None, min_samples_leaf=1, most=1000):
    """Every tree C4.5 could have grown on numbers, had it broken its ties otherwise -> generator of Trees.

    The first one is grow_c45's. Raises ValueError as it does, and when there are more than `most` trees.

    >>> from fi_teach.data import golf
    >>> len(list(every_c45_tree(*golf())))
    4
    """
    check_limits(max_depth, min_samples_leaf)
    choices, target, names = _c45_choices(X, y, np.inf if max_depth is None else max_depth, min_samples_leaf)
    refuse_more_than(most, choices)
    return (tree_of(plan, target, np.ones(target.columns.shape[1]), names) for plan in choices.plans())


def _c45_choices(X, y, max_depth, min_samples_leaf):
    """C4.5's choices on a table of numbers -> (Choices, Target, names)."""
    X, names = check_table(X)
    y = _check_classes(y, len(X))
    target = target_of(y, "entropy")

    def tied(rows):
        return _best_cuts(X[rows], target.columns[:, rows].T, min_samples_leaf)

    return Choices(tied, X, y, np.ones(len(X)), max_depth), target, names


def _check_classes(y, n_rows):
    """Labels of at least two classes. Raises ValueError."""
    y = check_growing_target(y, n_rows, "entropy")
    if len(np.unique(y)) == 1:
        raise ValueError(f"y holds one class only ({y.tolist()[0]!r}): there is nothing to split for. Give rows of at least two classes.")
    return y


# --- columns of words: a branch a word --------------------------------------------------------------------------------

class Branching(NamedTuple):
    """A column of words as a question: what its answer tells about y (bits), and how much of that a bit of answer gives."""

    column: str
    gain: float
    ratio: float


def nominal_splits(X, y):
    """What each column of words would gain if the rows were branched by it -> list of Branching, in column order.

    X : DataFrame (n, p) of words or categories; y (n,) labels. Raises ValueError as grow_c45 does.

    >>> import pandas as pd
    >>> nominal_splits(pd.DataFrame({"sky": ["sun", "rain", "rain"], "day": ["Mo", "Tu", "We"]}), ["No", "Yes", "Yes"])[0].ratio
    1.0
    """
    words, names = check_words(X)
    y = _check_classes(y, len(words))
    return [Branching(name, gain(y, column), gain_ratio(y, column)) for name, column in zip(names, words.T.astype(str), strict=True)]


def _grow_nominal_c45(X, y, max_depth, min_samples_leaf):
    numbers = [name for name, kind in zip(X.columns, X.dtypes, strict=True) 
               if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)]
    words, names = check_words(X)
    if numbers:
        raise ValueError(f"X mixes words with numbers such as {numbers[0]!r}: encode the words (pd.get_dummies) for a tree of cuts, "
                         "or cut the numbers into classes (pd.cut, then astype(str)) for a tree of words.")
    y = _check_classes(y, len(words))

    def choose(rows, depth):
        usable = [j for j in range(len(names)) if _branches_well(words[rows, j], min_samples_leaf)]
        branch = [words[rows, j].astype(str) for j in usable]
        best = best_by_gain_ratio([gain(y[rows], b) for b in branch], [gain_ratio(y[rows], b) for b in branch])
        if not best or depth == max_depth:
            return None
        j = usable[best[0]]
        return j, tuple((word,) for word in sorted(set(words[rows, j]), key=str))

    return grow_nominal(words, names, y, choose, impurity=entropy, criterion="entropy")


def _branches_well(column, min_samples_leaf):
    """Do at least two of the column's words have enough rows?"""
    _, counts = np.unique(column.astype(str), return_counts=True)
    return (counts >= min_samples_leaf).sum() >= 2


# --- a variant of early chefboost -------------------------------------------------------------------------------------

def grow_cut_once(X, y):
    """Cut every column once, at the threshold that gains most at the ROOT, then grow on the resulting yes-or-no columns.

    The thresholds never adapt to the node, so a column is used at most once on a path, and rows on the same side of all
    cuts cannot be told apart: their leaf stays mixed. `classes` are ordered by size, so that a tied leaf predicts the
    majority of all rows. This is how early chefboost read C4.5.

    X (n, p) numbers, y (n,) labels -> Tree with impurities in bits. Raises ValueError as grow_c45 does.

    >>> from fi_teach.data import golf
    >>> X, y = golf()
    >>> tree = grow_cut_once(X, y)
    >>> sorted({float(t) for t in tree.threshold[~tree.is_leaf]}), int((tree.predict(X) == y).sum())
    ([1.5], 12)
    """
    X, names = check_table(X)
    y = _check_classes(y, len(X))
    onehot = target_of(y, "entropy").columns.T
    offers = [_column_offers(j, column, onehot, 1) for j, column in enumerate(X.T)]
    cut = np.array([offer[0].threshold if offer else np.inf for offer in offers])
    tree = replace(grow_c45((cut < X).astype(float), y), names=names)
    by_size = np.argsort(-onehot.sum(axis=0), kind="stable")
    threshold = np.where(tree.is_leaf, tree.threshold, cut[tree.feature])
    return replace(tree, threshold=threshold, value=tree.value[:, by_size], classes=tuple(tree.classes[k] for k in by_size))
