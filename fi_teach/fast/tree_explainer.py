"""All tables of a forest made once and kept: a row finds its cells, adds them up, is explained.

The tables are those of tree_shap_tables.py, lying as in the drawing of tree_shap_lookup.py. What is
different is how a row finds its index: all questions of all subtrees are asked in one go.

    subtree          0           1         2
    its questions    q0 q1       q0 q2     q3         which split, and which of its sides is a yes
    bit              2  1        2  1      1
    the row says     yes no      no yes    yes
    index            2           1         1          the bits of its yeses, joined by "or"

A hundred boosted trees of depth 6 are about 1,300 subtrees, 8,000 questions and 7,000 tables: what
a row costs, whatever the trees were grown on. Paths of more than 12 features have no table that is
worth keeping: their trees are walked anew for each call.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.forest import Forest
from fi_teach.fast.forest_arrays import forest_arrays, portions
from fi_teach.fast.tree_shap import add_walking, by_outputs
from fi_teach.fast.tree_shap_lookup import (
    counts_of,
    flat_tables,
    plans_of,
    splits_in_order,
    target_tables,
)
from fi_teach.fast.tree_shap_tables import splits_below, subtrees_of

LEAST_BITS = 7  # of a subtree's index: three splits below four features
MOST_FEATURES = 12  # on a path whose table is worth keeping
MOST_NUMBERS = 2**25  # of all tables that are kept: 256 MB
ANSWERS_AT_ONCE = 2**18  # questions times rows: what is asked in one go


class PreparedForest:
    """A forest ready to explain rows: what the game needs of the trees is worked out beforehand.

    tables : of the trees with short paths; walks : (outputs, trees, values) of the others
    base : (n_outputs,), what is predicted when nothing is known
    """

    def __init__(self, forest: Forest, background: NDArray | None) -> None:
        if background is None:
            self.base = np.array(forest.base, dtype=float)
        else:
            background = np.asfortranarray(background)  # columns are read whole
            self.base = forest.raw(background).mean(axis=0)
        self.shape = forest.n_features, forest.n_outputs
        self.background = background
        self.tables, self.walks, left = [], [], MOST_NUMBERS
        for outputs, trees, values in by_outputs(forest):
            arrays = forest_arrays(trees, np.concatenate(values))
            subtrees, kept, n_numbers = subtrees_to_keep(arrays, left)
            left -= n_numbers
            if len(subtrees):
                tables = [
                    some for plan in plans_of(arrays, subtrees, order=1)
                    for some in target_tables(
                        arrays, plan, counts_of(arrays, plan, background),
                        (*self.shape, 0), outputs.start)]
                questions = questions_of(arrays, subtrees)
                self.tables.append((questions, flat_tables(subtrees, tables)))
            walked = np.flatnonzero(~kept).tolist()
            if walked:
                self.walks.append(
                    (outputs, [trees[k] for k in walked], [values[k] for k in walked]))
            if background is None:
                self.base[outputs] += arrays.mean_by_training(np.ones_like(kept))

    @property
    def nbytes(self) -> int:
        """Memory of the tables, in bytes."""
        return sum(
            array.nbytes for table in self.tables for part in table
            for array in vars(part).values() if isinstance(array, np.ndarray))

    def explain(self, X: NDArray) -> NDArray:
        """Shapley values of rows X (n, p) -> (p, n_outputs, n)."""
        X = np.asfortranarray(X)
        total = np.zeros((*self.shape, len(X)))
        for questions, tables in self.tables:
            for rows in portions(len(X), ANSWERS_AT_ONCE // len(questions.question)):
                tables.add_to(total.reshape(-1, len(X))[:, rows], questions.index(X[rows]))
        for outputs, trees, values in self.walks:
            add_walking(total[:, outputs], trees, values, self.background, X)
        return total


def subtrees_to_keep(forest, most_numbers):
    """The subtrees of the trees with short paths, as far as memory goes.

    -> subtrees (B,), which trees these are (M,) bool, how many numbers they take
    """
    longest = np.maximum.reduceat(forest.n_on_path, forest.roots)
    subtrees = subtrees_of(forest, np.maximum(LEAST_BITS, longest + 1)[forest.tree])
    bits = (forest.n_on_path + splits_below(forest))[subtrees]
    sizes = np.bincount(
        forest.tree[subtrees], forest.value.shape[1] * (bits << bits), minlength=len(longest))
    kept, taken = np.zeros(len(longest), dtype=bool), 0
    for k in np.flatnonzero(longest <= MOST_FEATURES).tolist():
        kept[k] = taken + sizes[k] <= most_numbers
        taken += int(sizes[k]) * kept[k]
    return subtrees[kept[forest.tree[subtrees]]], kept, taken


@dataclass(frozen=True)
class Questions:
    """The questions of all subtrees, as in the drawing: S splits, E questions, B subtrees.

    feature, threshold, missing_left : (S,) of the splits, one tree after the other
    special : {tree's first split: tree} where categories or zeros decide
    question, bit : (E,) each question as a row of `outcomes`, and its bit
    first_question : (B,) where each subtree's questions begin
    """

    feature: NDArray
    threshold: NDArray
    missing_left: NDArray
    special: dict
    question: NDArray
    bit: NDArray
    first_question: NDArray

    def index(self, X: NDArray) -> NDArray:
        """Where each row is in the tables of each subtree: X (n, p) -> (B, n)."""
        says_yes = self.outcomes(X).take(self.question, axis=0)
        bits = says_yes * self.bit[:, None]
        return np.bitwise_or.reduceat(bits, self.first_question, axis=0)

    def outcomes(self, X: NDArray) -> NDArray:
        """Which rows go left at each split, and below that which go right: (2 S, n) bool."""
        values = X.T.take(self.feature, axis=0)
        goes_left = values <= self.threshold[:, None]
        if self.missing_left.any():
            goes_left |= np.isnan(values) & self.missing_left[:, None]
        for first, tree in self.special.items():
            splits = np.flatnonzero(~tree.is_leaf).tolist()
            for k, t in enumerate(splits):
                goes_left[first + k] = tree.goes_left(X, t)
        return np.concatenate([goes_left, ~goes_left])


def questions_of(forest, subtrees):
    """The Questions of some subtrees."""
    asked = list(questions_by_subtree(forest, subtrees))
    node, left, bit = np.array([one for of_subtree in asked for one in of_subtree]).T
    inner = ~forest.is_leaf
    split = np.cumsum(inner) - 1  # number of each split
    no_gaps = np.zeros(len(inner), dtype=bool)
    return Questions(
        feature=forest.feature[inner],
        threshold=forest.threshold[inner],
        missing_left=(no_gaps if forest.missing_left is None else forest.missing_left)[inner],
        special={int(split[root]): tree for root, tree in forest.special.items()},
        question=np.where(left, split[node], split[node] + inner.sum()),
        bit=bit,
        first_question=np.cumsum([0, *map(len, asked)])[:-1])


def questions_by_subtree(forest, subtrees):
    """What each index is made of: yields lists of (node, is "left" the yes?, bit).

    The lowest bits are the answers inside, the last question's first; above them are the failures.
    """
    left, right, parent, position = (
        array.tolist() for array in (forest.left, forest.right, forest.parent, forest.position))
    for t in subtrees.tolist():
        inside = splits_in_order(left, right, t)
        shift = len(inside)
        asked = [(node, True, 1 << (shift - 1 - k)) for k, node in enumerate(inside)]
        while (above := parent[t]) != t:
            asked.append((above, t == right[above], 1 << (shift + position[t])))
            t = above
        yield asked
