"""Shuffle out-of-bag rows without asking every tree about every row again.

A shuffle of column j can only move a row in trees whose path asks that row about j. So each tree is
walked once, and keeps the pairs (row, feature) that its paths ask about:

    tree 0, rows out of bag 2, 5            pairs       row      2  2  5
        x1 <= 4 ?                           asked       feature  1  3  1
       /         \\                          again
    leaf      x3 <= 0 ?                     donors of feature 1 in two shuffles: 5 0 / 2 7
    (5)       /       \\
           leaf (2)   leaf                  rows to ask, feature 1:  2<-5  2<-0  5<-2  5<-7

For a shuffle of any other feature the tree's answers stay. What changes is added to the votes of
(feature, row, shuffle), or judged for the tree alone.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.tree import UNDEFINED, Tree

CELLS_AT_ONCE = 2**22  # numbers in a table of rows to ask, or of votes: 32 MB


class Walk(NamedTuple):
    """One tree on its out-of-bag rows, with the features that its paths ask about."""

    tree: Tree         # its features numbered 0, 1, ... among those it uses
    features: NDArray  # (u,) which columns those are
    out: NDArray       # (m,) rows of the table
    raw: NDArray       # (m, n_outputs) its answers
    place: NDArray     # (a,) of every pair asked about: the row's place in `out` ...
    asked: NDArray     # (a,) ... and the feature's in `features`; sorted by feature


@dataclass
class TreeSums:
    """Sums over trees: draws (p, M); roles (p, n), of every row as receiver and as donor."""

    draws: NDArray
    roles: NDArray


def vote_gains(
    test_set: Evaluation, table: NDArray, donors: Iterable[NDArray]
) -> Iterator[tuple[NDArray, NDArray]]:
    """How much each row's out-of-bag loss grows in each shuffle: yields a feature's at a time.

    table (n, p) float; donors : of each feature, (n, K) -> of each feature gains (n, K), and donors
    """
    walks = _walks(test_set, table)
    n_outputs = test_set.model.forest.n_outputs
    votes = np.zeros((test_set.n_rows, n_outputs))
    speakers = np.zeros(test_set.n_rows)
    for walk in walks:
        votes[walk.out] += walk.raw
        speakers[walk.out] += 1
    spoken = np.flatnonzero(speakers)
    before = test_set.losses_of_raw(votes[spoken] / speakers[spoken, None], spoken)

    start = 0
    for some_donors in _blocks(donors, n_outputs):
        changes, moved = _changed_votes(walks, table, start, some_donors)
        start += len(some_donors)
        for change, its_donors, any_moved in zip(changes, some_donors, moved, strict=True):
            gains = np.zeros(its_donors.shape)
            if any_moved:
                after = (votes[:, None] + change)[spoken] / speakers[spoken, None, None]
                gains[spoken] = _losses(test_set, after, spoken) - before[:, None]
            yield gains, its_donors


def sums_over_trees(
    test_set: Evaluation, table: NDArray, within: Callable[[NDArray, int], NDArray]
) -> TreeSums:
    """Judge each tree on its own out-of-bag rows -> TreeSums.

    within : of a tree's rows (m,) and its number of features u, their donors (u, m, K)
    """
    walks, p = _walks(test_set, table), test_set.n_features
    sums = TreeSums(np.zeros((p, len(walks))), np.zeros((p, test_set.n_rows)))
    for m, walk in enumerate(walks):
        donors = within(walk.out, len(walk.features))[walk.asked, walk.place]
        receivers = walk.out[walk.place]
        before = test_set.losses_of_raw(walk.raw, walk.out)[walk.place]
        after = _losses(test_set, _asked_again(walk, table, slice(None), donors), receivers)
        weight = test_set.weights[walk.out].sum() * donors.shape[1]
        shares = test_set.weights[receivers][:, None] * (after - before[:, None]) / weight

        u, n = len(walk.features), test_set.n_rows
        of_pair = shares.sum(axis=1)
        sums.draws[walk.features, m] = np.bincount(walk.asked, of_pair, minlength=u)
        row = walk.asked * n
        received = np.bincount(row + receivers, of_pair, minlength=u * n)
        given = np.bincount((row[:, None] + donors).ravel(), shares.ravel(), minlength=u * n)
        sums.roles[walk.features] += (received + given).reshape(u, n)
    return sums


def _blocks(donors: Iterable[NDArray], n_outputs: int) -> Iterator[NDArray]:
    """Stack the donors of several features, (b, n, K), as far as memory goes."""
    block: list[NDArray] = []
    for its_donors in donors:
        block.append(its_donors)
        if len(block) * its_donors.size * n_outputs >= CELLS_AT_ONCE:
            yield np.stack(block)
            block = []
    if block:
        yield np.stack(block)


def _changed_votes(
    walks: list[Walk], table: NDArray, start: int, donors: NDArray
) -> tuple[NDArray, NDArray]:
    """How far shuffles of features start, start + 1, ... move the votes: donors (b, n, K).

    -> (b, n, K, n_outputs), and whether any tree asks about the feature (b,)
    """
    n_outputs = walks[0].raw.shape[1]
    changes = np.zeros((*donors.shape, n_outputs))
    moved = np.zeros(len(donors), dtype=bool)
    for walk in walks:
        inside = np.searchsorted(walk.features, [start, start + len(donors)])
        pairs = slice(*np.searchsorted(walk.asked, inside))
        place, feature = walk.place[pairs], walk.features[walk.asked[pairs]] - start
        row = walk.out[place]
        answers = _asked_again(walk, table, pairs, donors[feature, row])
        changes[feature, row] += answers - walk.raw[place, None]  # a pair occurs once a tree
        moved[feature] = True
    return changes, moved


def _asked_again(walk: Walk, table: NDArray, pairs: slice, donors: NDArray) -> NDArray:
    """Predict some pairs (row, feature) again, the feature taken from their donors (a, K).

    -> (a, K, n_outputs)
    """
    n_repeats = donors.shape[1]
    receiver = np.repeat(walk.out[walk.place[pairs]], n_repeats)
    feature = np.repeat(walk.asked[pairs], n_repeats)
    donor = donors.ravel()
    answers = np.empty((len(receiver), walk.raw.shape[1]))
    step = max(1, CELLS_AT_ONCE // max(1, len(walk.features)))
    for first in range(0, len(receiver), step):
        piece = slice(first, first + step)
        rows = _narrow(table, receiver[piece], walk.features)
        each = np.arange(len(rows))
        rows[each, feature[piece]] = table[donor[piece], walk.features[feature[piece]]]
        answers[piece] = walk.tree.value[walk.tree.leaf_of(rows)]
    return answers.reshape(*donors.shape, walk.raw.shape[1])


def _losses(test_set: Evaluation, raw: NDArray, rows: NDArray) -> NDArray:
    """The losses of raw predictions (m, K, n_outputs) of rows (m,) -> (m, K)."""
    m, n_repeats, n_outputs = raw.shape
    judged = np.repeat(rows, n_repeats)
    return test_set.losses_of_raw(raw.reshape(-1, n_outputs), judged).reshape(m, n_repeats)


# --- one walk a tree ---


def _walks(test_set: Evaluation, table: NDArray) -> list[Walk]:
    """Walk each tree's out-of-bag rows down it; trees without such rows are left out."""
    forest = test_set.model.forest
    pairs = zip(forest.trees, map(np.flatnonzero, forest.out_of_bag), strict=True)
    return [_walk(tree, table, out) for tree, out in pairs if len(out)]


def _walk(tree: Tree, table: NDArray, out: NDArray) -> Walk:
    """Walk some rows down one tree, which is narrowed to the features that it uses."""
    inner = np.flatnonzero(~tree.is_leaf)
    features = np.unique(tree.feature[inner]).astype(np.int64)
    narrow = _renumbered(tree, features)
    rows = _narrow(table, out, features) if len(features) else table[out]
    path = narrow.decision_path(rows)
    place, node = np.nonzero(path[:, inner])
    pair = np.unique(narrow.feature[inner[node]] * np.int64(len(out)) + place)
    asked, place = np.divmod(pair, len(out))
    return Walk(narrow, features, out, narrow.raw(rows), place, asked)


def _renumbered(tree: Tree, features: NDArray) -> Tree:
    """Renumber a tree's features for a table of only these columns."""
    if len(features) == 0:
        return tree
    number = np.searchsorted(features, tree.feature)
    known = {f: tree.known_categories[j]
             for f, j in enumerate(features.tolist()) if j in tree.known_categories}
    return replace(
        tree, feature=np.where(tree.is_leaf, UNDEFINED, number),
        names=tuple(tree.names[j] for j in features), known_categories=known)


def _narrow(table: NDArray, rows: NDArray, features: NDArray) -> NDArray:
    """Copy some rows of some columns into a new table."""
    every_column = len(features) == table.shape[1]
    return table[rows] if every_column else table[rows[:, None], features]
