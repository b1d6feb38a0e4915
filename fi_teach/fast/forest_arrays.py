r"""What a node of a tree knows of the path to it: which features were asked above, and who passes.

A node's number also stands for the way into it, from its parent. A tree that asks x0 twice:

          0: x0?              node      0    1    2    3    4    5    6
         /      \             parent    -    0    0    1    1    3    3
      1: x1?     2            asked     -    x0   x0   x1   x1   x0   x0    by the parent
      /    \                  player    -    0    0    1    1    0    0     its place on the path
   3: x0?   4                 same      -    -    -    -    -    1    1     last way that asked it
   /    \                     passing   1    .6   .4   .5   .5   .2   .4
  5      6                    chance    1    .6   .4   .3   .3   .1   .2

`passing` is the share of training rows that pass all tests on this one feature, here and above, as
if nothing else were asked: 60 % go from 0 to 1, a third of those in 3 go to 5, so on the way to
leaf 5 the feature x0 lets .6 * 1/3 = .2 pass. Leaf 5 is a game of two players, x0 and x1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.removal import cover_shares
from fi_teach.basics.tree import LEAF, UNDEFINED, Tree


@dataclass(frozen=True)
class Paths:
    """A tree and its nodes' paths: lists with one entry a node, as in the drawing; 0 for "none".

    left, right : the children; level : 0 for the root
    chance : the share of all training rows that gets here
    n_players : distinct features asked above; longest : the largest of them
    """

    tree: Tree
    left: list
    right: list
    parent: list
    level: list
    asked: list
    player: list
    same: list
    passing: list
    chance: list
    n_players: list
    longest: int

    def last_ways(self, t):
        """For each player of the path to t the lowest way that asks it -> list of nodes."""
        ways = [0] * self.n_players[t]
        unseen = len(ways)
        while unseen:
            place = self.player[t]
            if not ways[place]:
                ways[place] = t
                unseen -= 1
            t = self.parent[t]
        return ways


@dataclass(frozen=True)
class Task:
    """One tree to explain: its paths, its values, and who stands in for the unknown.

    value : (n_nodes, n_outputs)
    background : rows (m, p) of the interventional game, or None for the path-dependent one
    order : 1 for Shapley values, 2 for halved interactions of pairs i > j
    """

    paths: Paths
    value: NDArray
    background: NDArray | None
    order: int


def paths_of(tree):
    """The Paths of a tree."""
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    share = cover_shares(tree).tolist()
    n = tree.n_nodes
    parent, level, player, same, n_players = ([0] * n for _ in range(5))
    asked, passing, chance = [UNDEFINED] * n, [1.0] * n, [1.0] * n
    for t, j in enumerate(tree.feature.tolist()):  # parents are stored before their children
        if left[t] == LEAF:
            continue
        above = t
        while above and asked[above] != j:
            above = parent[above]
        for child in (left[t], right[t]):
            parent[child] = t
            level[child] = level[t] + 1
            asked[child] = j
            same[child] = above
            player[child] = player[above] if above else n_players[t]
            n_players[child] = n_players[t] + (above == 0)
            passing[child] = passing[above] * share[child]
            chance[child] = chance[t] * share[child]
    return Paths(
        tree, left, right, parent, level, asked, player, same, passing, chance,
        n_players, max(n_players))


def ways_by_level(paths):
    """The ways of each level, to all left children, then to their siblings -> list of arrays."""
    level, left, right = map(np.array, (paths.level, paths.left, paths.right))
    splits = np.flatnonzero(left != LEAF)
    splits = splits[np.argsort(level[splits], kind="stable")]
    starts = np.flatnonzero(np.diff(level[splits])) + 1
    return [np.concatenate([left[t], right[t]]) for t in np.split(splits, starts)]


def failures_everywhere(paths, X):
    """Which rows fail a test on the feature of each way, there or above -> (n_nodes, n) bool.

    The root, which has no way, is failed by no row.
    """
    parent, same = np.array(paths.parent), np.array(paths.same)
    goes_left = answers(paths.tree, X)
    failed = np.zeros(goes_left.shape, dtype=bool)
    for ways in ways_by_level(paths):
        fails = goes_left[parent[ways]]
        fails[:len(ways) // 2] ^= True  # who goes right fails the test of the left child
        failed[ways] = failed[same[ways]] | fails
    return failed


def joined(trees):
    """Some trees as one, their nodes numbered through -> (Tree, where each one's begin (M,)).

    Without what only some trees know: categories, and zeros that count as missing.
    """
    size = [tree.n_nodes for tree in trees]
    roots = np.cumsum([0, *size])[:-1]
    shift = np.repeat(roots, size)

    def of_all(name):
        return np.concatenate([getattr(tree, name) for tree in trees])

    left, right = of_all("children_left"), of_all("children_right")
    is_leaf = left == LEAF
    missing_left = None
    if any(tree.missing_left is not None for tree in trees):
        missing_left = np.concatenate([
            np.zeros(tree.n_nodes, dtype=bool) if tree.missing_left is None else tree.missing_left
            for tree in trees])
    return Tree(
        np.where(is_leaf, LEAF, left + shift), np.where(is_leaf, LEAF, right + shift),
        of_all("feature"), of_all("threshold"), of_all("impurity"), of_all("n_node_samples"),
        of_all("weighted_n_node_samples"), of_all("value"), trees[0].names,
        missing_left=missing_left), roots


def answers_of(trees, X, together=None):
    """Which rows go left at each node of some trees -> (N, n) bool, False in leaves.

    together : what joined says of them, where it is known
    """
    whole, roots = together or joined(trees)
    goes_left = answers(whole, X)
    for root, tree in zip(roots.tolist(), trees, strict=True):
        if tree.left_categories or tree.zero_missing is not None:
            goes_left[root:root + tree.n_nodes] = answers(tree, X)
    return goes_left


def answers(tree, X):
    """Which rows go left at each split: X (n, p) -> (n_nodes, n) bool, False in leaves."""
    goes_left = np.zeros((tree.n_nodes, len(X)), dtype=bool)
    splits = np.flatnonzero(~tree.is_leaf)
    if tree.left_categories or tree.zero_missing is not None:
        for t in splits.tolist():
            goes_left[t] = tree.goes_left(X, t)
        return goes_left
    values = X.T[tree.feature[splits]]
    goes_left[splits] = values <= tree.threshold[splits, None]
    if tree.missing_left is not None:
        goes_left[splits] |= np.isnan(values) & tree.missing_left[splits, None]
    return goes_left
