"""All tables of a forest made once and kept: a row finds its cells, adds them up, is explained.

The lines are those of tree_shap_tables.py, lying as in the drawing of tree_shap_lookup.py. What
is different is how a row finds its index: all questions of all blocks are asked in one go.

    block            0           1         2
    its questions    q0 q1       q0 q2     q3         which split, and which of its sides is a yes
    bit              2  1        2  1      1
    the row says     yes no      no yes    yes
    index            2           1         1          the bits of its yeses, joined by "or"

A hundred boosted trees of depth 6 are about 1,300 blocks, 8,000 questions and 7,000 lines: what a
row costs, whatever the trees were grown on. Paths of more than 12 features have no table that is
worth keeping: their trees are walked anew for each call.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import LEAF, Forest
from fi_teach.fast.forest_arrays import answers, joined, paths_of
from fi_teach.fast.tree_shap import add_by_walk, by_outputs
from fi_teach.fast.tree_shap_lookup import (
    cells_of,
    counted,
    inner_nodes,
    lines_of,
    mean_by_cover,
    plans_of,
    portions,
)
from fi_teach.fast.tree_shap_tables import blocks_of, grove_of

LEAST_BITS = 7  # of a block's index: three splits below four features
MOST_PLAYERS = 12  # on a path whose table is worth keeping
MOST_NUMBERS = 2**25  # of all tables that are kept: 256 MB
ANSWERS_AT_ONCE = 2**18  # questions times rows: what is asked in one go


class Prepared:
    """A forest ready to explain rows: what the game needs of the trees is worked out beforehand.

    tables : of the trees with short paths; walks : (outputs, paths, value) of the others
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
            grove, value = grove_of(trees), np.concatenate(values)
            blocks, kept, n_numbers = blocks_to_keep(grove, value.shape[1], left)
            left -= n_numbers
            if len(blocks):
                lines = [
                    line for plan in plans_of(grove, blocks, value.shape[1], 1)
                    for line in lines_of(
                        grove, plan, value, counted(grove, plan, trees, background),
                        (*self.shape, 0), outputs.start)]
                questions = questions_of(grove, blocks, trees)
                self.tables.append((questions, cells_of(blocks, lines)))
            for k in np.flatnonzero(~kept).tolist():
                self.walks.append((outputs, paths_of(trees[k]), values[k]))
            if background is None:
                self.base[outputs] += mean_by_cover(grove, value)

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
        for questions, cells in self.tables:
            for rows in portions(len(X), ANSWERS_AT_ONCE // len(questions.question)):
                cells.add_to(total.reshape(-1, len(X))[:, rows], questions.index(X[rows]))
        for outputs, paths, value in self.walks:
            add_by_walk(total[:, outputs], paths, value, self.background, X)
        return total


def blocks_to_keep(grove, n_outputs, most_numbers):
    """The blocks of the trees with short paths, as far as memory goes.

    -> blocks (B,), which trees these are (M,) bool, how many numbers they take
    """
    longest = np.maximum.reduceat(grove.n_players, grove.roots)
    blocks = blocks_of(grove, np.maximum(LEAST_BITS, longest + 1)[grove.tree])
    bits = grove.n_players[blocks] + grove.n_splits[blocks]
    sizes = np.bincount(grove.tree[blocks], n_outputs * (bits << bits), minlength=len(longest))
    kept, taken = np.zeros(len(longest), dtype=bool), 0
    for k in np.flatnonzero(~grove.too_long & (longest <= MOST_PLAYERS)).tolist():
        kept[k] = taken + sizes[k] <= most_numbers
        taken += int(sizes[k]) * kept[k]
    return blocks[kept[grove.tree[blocks]]], kept, taken


@dataclass(frozen=True)
class Questions:
    """What all blocks ask, as in the drawing: S splits, E questions, B blocks.

    feature, threshold, missing_left : (S,) of the splits, one tree behind the other
    unusual : {tree's first split: tree} where categories or zeros decide
    question, bit : (E,) each question as a row of `outcomes`, and its bit
    first_question : (B,) where each block's questions begin
    """

    feature: NDArray
    threshold: NDArray
    missing_left: NDArray
    unusual: dict
    question: NDArray
    bit: NDArray
    first_question: NDArray

    def index(self, X: NDArray) -> NDArray:
        """Where each row is in the tables of each block: X (n, p) -> (B, n)."""
        says_yes = self.outcomes(X).take(self.question, axis=0)
        bits = says_yes * self.bit[:, None]
        return np.bitwise_or.reduceat(bits, self.first_question, axis=0)

    def outcomes(self, X: NDArray) -> NDArray:
        """Who goes left at each split, and below that who goes right: (2 S, n) bool."""
        values = X.T.take(self.feature, axis=0)
        goes_left = values <= self.threshold[:, None]
        if self.missing_left.any():
            goes_left |= np.isnan(values) & self.missing_left[:, None]
        for first, tree in self.unusual.items():
            of_tree = answers(tree, X)[~tree.is_leaf]
            goes_left[first:first + len(of_tree)] = of_tree
        return np.concatenate([goes_left, ~goes_left])


def questions_of(grove, blocks, trees):
    """The Questions of some blocks."""
    asked = list(questions(grove, blocks))
    node, left, bit = np.array([one for of_block in asked for one in of_block]).T
    inner = grove.left != LEAF
    split = np.cumsum(inner) - 1  # number of each split
    whole, roots = joined(trees)
    no_gaps = np.zeros(len(inner), dtype=bool)
    return Questions(
        feature=whole.feature[inner],
        threshold=whole.threshold[inner],
        missing_left=(no_gaps if whole.missing_left is None else whole.missing_left)[inner],
        unusual={
            int(split[root]): tree for root, tree in zip(roots, trees, strict=True)
            if tree.left_categories or tree.zero_missing is not None},
        question=np.where(left, split[node], split[node] + inner.sum()),
        bit=bit,
        first_question=np.cumsum([0, *map(len, asked)])[:-1])


def questions(grove, blocks):
    """What the index of each block is made of: lists of (node, is "left" the yes?, bit).

    The lowest bits are the answers inside, the last question's first; above them are the failures.
    """
    left, right, parent, player = (
        array.tolist() for array in (grove.left, grove.right, grove.parent, grove.player))
    roots = set(grove.roots.tolist())
    for t in blocks.tolist():
        inside = inner_nodes(left, right, t)
        shift = len(inside)
        asked = [(node, True, 1 << (shift - 1 - k)) for k, node in enumerate(inside)]
        while t not in roots:
            above = parent[t]
            asked.append((above, t == right[above], 1 << (shift + player[t])))
            t = above
        yield asked
