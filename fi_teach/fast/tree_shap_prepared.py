"""All tables of a forest made once and kept: a row finds its cells, adds them up, is explained.

tree_shap_tables merges leaves into blocks and throws each table away after use. Here all blocks of
all trees stay, one behind the other in one long array. Two trees, the left one in two blocks, and
what one row does:

    block            0           1         2
    its questions    q0 q1       q0 q2     q3         which split, and which of its sides is a yes
    bit              2  1        2  1      1
    the row says     yes no      no yes    yes
    index            2           1         1          the bits of its yeses, joined by "or"

    table row        x0 of 0     x0 of 1   x0 of 2    x1 of 0      a player of a block, 2^bits cells
    starts at        0           8         12         4
    of block         0           1         2          0
    cell             0 + 2       8 + 1     12 + 1     4 + 2        start + index of its block

Table rows are sorted by where they go, so one `reduceat` adds up each feature's cells. A hundred
boosted trees of depth 6 are about 1,300 blocks, 8,000 questions and 7,000 table rows: what a row
costs, whatever the trees were grown on. Paths of more than 12 features have no table that is worth
keeping: their trees are walked anew for each call.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import Forest, Tree
from fi_teach.fast.tree_paths import Task, answers, paths_of
from fi_teach.fast.tree_shap import engine_for, mean_by_cover, used_outputs
from fi_teach.fast.tree_shap_tables import block_table, blocks_of, leaf_tables

LEAST_BITS = 7  # of a block's index: three splits below four features
MOST_PLAYERS = 12  # on a path whose table is worth keeping
MOST_NUMBERS = 2**25  # of all tables that are kept: 256 MB
CELLS_AT_ONCE = 2**18  # table rows times rows: what is looked up in one go


class Prepared:
    """A forest ready to explain rows: what the game needs of the trees is worked out beforehand.

    tables : of the trees with short paths; walks : (task, outputs) of the others
    base : (n_outputs,), what is predicted when nothing is known
    """

    def __init__(self, forest: Forest, background: NDArray | None) -> None:
        if background is None:
            self.base = np.array(forest.base, dtype=float)
        else:
            background = np.asfortranarray(background)  # columns are read whole
            self.base = forest.raw(background).mean(axis=0)
        self.shape = forest.n_features, forest.n_outputs
        self.walks = []
        parts, left = [], MOST_NUMBERS
        for weight, tree in zip(forest.weights, forest.trees, strict=True):
            value, outputs = used_outputs(weight * tree.value)
            task = Task(paths_of(tree), value, background, 1)
            if background is None:
                self.base[outputs] += mean_by_cover(task)
            if not task.paths.longest:
                continue
            blocks = blocks_of(task.paths, max(LEAST_BITS, task.paths.longest + 1))
            if task.paths.longest <= MOST_PLAYERS and most_numbers(task, blocks) <= left:
                parts.append(part_of(task, blocks, outputs.start, forest.n_outputs))
                left -= parts[-1].n_numbers
            else:
                self.walks.append((task, outputs))
        self.tables = joined(parts) if parts else None

    @property
    def nbytes(self) -> int:
        """Memory of the tables, in bytes."""
        return self.tables.nbytes if self.tables else 0

    def explain(self, X: NDArray) -> NDArray:
        """Shapley values of rows X (n, p) -> (p, n_outputs, n)."""
        X = np.asfortranarray(X)
        total = np.zeros((*self.shape, len(X)))
        if self.tables:
            self.tables.add_to(total.reshape(-1, len(X)), X)
        for task, outputs in self.walks:
            engine_for(task, len(X))(total[:, outputs], task, X)
        return total


@dataclass(frozen=True)
class Part:
    """One tree's share of the tables, numbered from 0: lists with an entry a question, block, row.

    question : (split's node, is "left" the yes?, block, bit)
    numbers : one array a block, all its table rows; row : (start, block, target)
    """

    tree: Tree
    question: list
    numbers: list
    row: list
    n_blocks: int
    n_numbers: int


def most_numbers(task, blocks):
    """What the blocks' tables take at most: a table row a bit and output, 2^bits cells each."""
    paths = task.paths
    bits = [paths.n_players[t] + paths.n_leaves[t] - 1 for t in blocks]
    return task.value.shape[1] * sum(b << b for b in bits)


def part_of(task, blocks, first_output, n_outputs):
    """Questions and tables of all blocks of a tree -> Part."""
    paths = task.paths
    tables = leaf_tables(task, paths.leaves)
    question, numbers, row, size = [], [], [], 0
    for b, t in enumerate(blocks):
        question += [(node, left, b, bit) for node, left, bit in questions(paths, t)]
        targets, table = block_table(paths, t, tables)  # (targets, outputs, 2^bits)
        numbers.append(table.ravel())
        for (j,), of_target in zip(targets, table, strict=True):
            for k in range(len(of_target)):
                row.append((size, b, j * n_outputs + first_output + k))
                size += table.shape[2]
    return Part(paths.tree, question, numbers, row, len(blocks), size)


def questions(paths, t):
    """What the index of a block's table is made of -> list of (node, is "left" the yes?, bit).

    The lowest bits are the answers inside, the last question's first; above them are the failures.
    """
    inside = inner_nodes(paths, t)
    shift = len(inside)
    asked = [(node, True, 1 << (shift - 1 - k)) for k, node in enumerate(inside)]
    while t:
        above = paths.parent[t]
        fails_by_left = t == paths.right[above]
        asked.append((above, fails_by_left, 1 << (shift + paths.player[t])))
        t = above
    return asked


def inner_nodes(paths, t):
    """The splits at or below t: t first, then those to the left, then those to the right."""
    if paths.n_leaves[t] == 1:
        return []
    left, right = paths.left[t], paths.right[t]
    return [t, *inner_nodes(paths, left), *inner_nodes(paths, right)]


@dataclass(frozen=True)
class Tables:
    """The tables of many trees, as in the drawing: S splits, E questions, B blocks, R table rows.

    feature, threshold, missing_left : (S,) of the splits, one tree behind the other
    unusual : {tree's first split: tree} where categories or zeros decide
    question, bit : (E,) each question as a row of `outcomes`, and its bit
    first_question : (B,) where each block's questions begin
    numbers : all cells
    start, block : (R,) where each table row begins in `numbers`, and whose index it is read at
    target, first_row : where each target's sum belongs, feature * n_outputs + output, and its rows
    """

    feature: NDArray
    threshold: NDArray
    missing_left: NDArray
    unusual: dict
    question: NDArray
    bit: NDArray
    first_question: NDArray
    numbers: NDArray
    start: NDArray
    block: NDArray
    target: NDArray
    first_row: NDArray

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(array.nbytes for array in vars(self).values() if isinstance(array, np.ndarray))

    def add_to(self, total: NDArray, X: NDArray) -> None:
        """Add the Shapley values of rows X (n, p) to total (p * n_outputs, n), in place."""
        longest = max(len(self.start), len(self.question))
        size = max(1, CELLS_AT_ONCE // longest)
        for first in range(0, len(X), size):
            rows = slice(first, first + size)
            index = self.index(X[rows])
            cells = index.take(self.block, axis=0) + self.start[:, None]
            read = self.numbers.take(cells)
            total[self.target, rows] += np.add.reduceat(read, self.first_row, axis=0)

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


def starts(sizes):
    """Where each of some arrays begins when they lie one behind the other -> (len(sizes),)."""
    return np.cumsum([0, *sizes])[:-1]


def joined(parts):
    """The parts of all trees, numbered through -> Tables."""
    trees = [part.tree for part in parts]
    inner = [~tree.is_leaf for tree in trees]
    n_splits = np.array([mask.sum() for mask in inner])
    first_split = starts(n_splits)
    first_block = starts([part.n_blocks for part in parts])
    first_number = starts([part.n_numbers for part in parts])

    question, bit, of_block = [], [], []
    for part, mask, split, block in zip(parts, inner, first_split, first_block, strict=True):
        node, left, b, value = np.array(part.question).T
        place = split + np.cumsum(mask)[node] - 1
        question.append(np.where(left, place, place + n_splits.sum()))
        bit.append(value)
        of_block.append(block + b)
    rows = np.concatenate([
        np.array(part.row) + np.array([number, block, 0])
        for part, number, block in zip(parts, first_number, first_block, strict=True)])
    start, block, target = rows[np.argsort(rows[:, 2], kind="stable")].T
    first_row = np.flatnonzero(np.diff(target, prepend=-1))

    missing = [
        np.zeros(tree.n_nodes, bool) if tree.missing_left is None else tree.missing_left
        for tree in trees]


    def of_splits(arrays):
        return np.concatenate([array[mask] for array, mask in zip(arrays, inner, strict=True)])

    return Tables(
        feature=of_splits([tree.feature for tree in trees]),
        threshold=of_splits([tree.threshold for tree in trees]),
        missing_left=of_splits(missing),
        unusual={
            int(first): tree for first, tree in zip(first_split, trees, strict=True)
            if tree.left_categories or tree.zero_missing is not None},
        question=np.concatenate(question),
        bit=np.concatenate(bit),
        first_question=np.flatnonzero(np.diff(np.concatenate(of_block), prepend=-1)),
        numbers=np.concatenate([table for part in parts for table in part.numbers]),
        start=np.ascontiguousarray(start),
        block=np.ascontiguousarray(block),
        target=target[first_row],
        first_row=first_row)
