"""A row and a background row walk down a tree together: where paths are too long for tables.

Mixed, the two reach a leaf only if no feature fails both. "Mine" are the u features on which the
background row fails, so that they must come from the row; "theirs" the w on which the row fails, so
that they must come from the background row; the rest may come from either. A leaf of value 1 pays

    (u-1)! w! / (u+w)!  to each of mine,   - u! (w-1)! / (u+w)!  to each of theirs,   else 0.

All pairs walk at once, level by level. An entry is a pair that may still arrive at a node; where
its rows part, it becomes two. The row (1, 1) against 0: (0, 0) and 1: (1, 0); the root asks x0,
both its children L and R ask x1, and who has a 1 goes right:

    level 1    node      L       R     R
               other     0       0     1         which background row
               kind    theirs  mine    -         of the feature just asked, if it was not before
               u, w     0,1     1,0   0,0

    level 2    node     LL      RL      RL      LR     RR     RR
               other     0       0       1       0      0      1
               above     0       1       2       0      1      2      place in level 1
               kind    theirs  theirs  theirs  mine   mine   mine
               u, w     0,2     1,1     0,1     1,1    2,0    1,0

What the leaves below pay to mine and to theirs is carried up, and an entry with a kind hands it to
the feature asked on its way. Source: Lundberg et al. (2020), Methods (Algorithm 3).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import failures_everywhere

FAILURES_AT_ONCE = 2**21  # nodes times rows
PAIRS_AT_ONCE, ENTRIES_AT_ONCE = 2**14, 2**18  # a chunk of pairs with more entries is halved
MINE, THEIRS = 1, -1


def add_by_pairs(total, task, X):
    """Add one tree's interventional Shapley values or interactions to total, in place.

    total (p, n_outputs, n) or (p, p, n_outputs, n); each row of X (n, p) meets each background row
    """
    size = max(1, FAILURES_AT_ONCE // len(task.paths.left))
    for first in range(0, len(task.background), size):
        others = task.background[first:first + size]
        z_failed = failures_everywhere(task.paths, others)
        for start in range(0, len(X), size):
            rows = slice(start, start + size)
            x_failed = failures_everywhere(task.paths, X[rows])
            PairWalk(task, x_failed, z_failed).add_to(total[..., rows])


@dataclass(frozen=True)
class Level:
    """The entries of one level, as in the drawing; n_left at left children come first."""

    node: NDArray
    row: NDArray
    other: NDArray
    above: NDArray
    kind: NDArray
    u: NDArray
    w: NDArray
    n_left: int


class PairWalk:
    """Some rows and some background rows, each with each, down one tree and up again."""

    def __init__(self, task, x_failed, z_failed):
        paths = task.paths
        self.order = task.order
        self.value = task.value / len(task.background)
        self.left, self.right = np.array(paths.left), np.array(paths.right)
        self.asked, self.same = np.array(paths.asked), np.array(paths.same)
        self.x_failed, self.z_failed = x_failed, z_failed
        self.log_factorial = np.log(np.maximum(np.arange(paths.longest + 2), 1)).cumsum()

    def add_to(self, total):
        """Chunks of pairs, as large as memory lets them be."""
        n_others = self.z_failed.shape[1]
        n_pairs = n_others * self.x_failed.shape[1]
        start, size = 0, PAIRS_AT_ONCE
        while start < n_pairs:
            end = min(start + size, n_pairs)
            row, other = np.divmod(np.arange(start, end), n_others)
            levels = self.go_down(row, other)
            if levels is None:
                size = (end - start) // 2
                continue
            self.come_up(levels, total)
            start = end

    def go_down(self, row, other):
        """The entries of all levels -> list of Level, or None where they are too many."""
        none = np.zeros_like(row)
        levels = [Level(none, row, other, none, none, none, none, 0)]
        n_entries = 0
        while len(levels[-1].node):
            levels.append(self.next_level(levels[-1]))
            n_entries += len(levels[-1].node)
            if n_entries > ENTRIES_AT_ONCE and len(row) > 1:
                return None
        return levels[:-1]

    def next_level(self, level):
        """Every entry at a split goes on to both children, unless a feature fails both its rows."""
        splits = np.flatnonzero(self.left[level.node] != LEAF)
        t = level.node[splits]
        node = np.concatenate([self.left[t], self.right[t]])
        above = np.tile(splits, 2)
        x_fails = self.x_failed[node, level.row[above]]
        z_fails = self.z_failed[node, level.other[above]]
        stays = np.flatnonzero(~(x_fails & z_fails))
        node, above = node[stays], above[stays]
        row, other = level.row[above], level.other[above]
        same = self.same[node]
        mine = z_fails[stays] & ~self.z_failed[same, other]
        theirs = x_fails[stays] & ~self.x_failed[same, row]
        return Level(
            node, row, other, above,
            kind=np.where(mine, MINE, 0) + np.where(theirs, THEIRS, 0),
            u=level.u[above] + mine,
            w=level.w[above] + theirs,
            n_left=int(np.searchsorted(stays, len(splits))))

    def come_up(self, levels, total):
        """What the leaves below pay, summed up to each entry -> paid out by those with a kind."""
        below = None
        for depth in range(len(levels) - 1, 0, -1):
            level = levels[depth]
            sums = self.leaf_sums(level)
            if below is not None:
                add_from_below(sums, below, levels[depth + 1])
            if self.order == 1:
                self.pay_features(total, level, sums)
            else:
                self.pay_pairs(total, levels[1:depth + 1], sums)
            below = sums

    def leaf_sums(self, level):
        """What an entry at a leaf pays, by kind -> (2, n_outputs, entries), for pairs (3, ...)."""
        ends = np.flatnonzero(self.left[level.node] == LEAF)
        u, w = level.u[ends], level.w[ends]
        if self.order == 1:
            to_mine, to_theirs = self.worth(u, w, 1, 0), -self.worth(u, w, 0, 1)
            paid = [to_mine, to_theirs]
        else:
            both_mine, both_theirs = self.worth(u, w, 2, 0), self.worth(u, w, 0, 2)
            one_of_each = -self.worth(u, w, 1, 1)
            paid = [both_mine, both_theirs, one_of_each]
        value = self.value[level.node[ends]].T
        sums = np.zeros((len(paid), len(value), len(level.node)))
        sums[:, :, ends] = np.stack(paid)[:, None] * value
        return sums

    def worth(self, u, w, mine, theirs):
        """(u - mine)! (w - theirs)! / (u + w - mine - theirs + 1)!, 0 where there are fewer."""
        enough = (u >= mine) & (w >= theirs)
        u, w = np.maximum(u - mine, 0), np.maximum(w - theirs, 0)
        total = self.log_factorial[u + w + 1]
        return enough * np.exp(self.log_factorial[u] + self.log_factorial[w] - total)

    def pay_features(self, total, level, sums):
        """Entries with a kind hand their sum to the feature asked on their way."""
        payers = np.flatnonzero(level.kind)
        own = np.where(level.kind[payers] == MINE, 0, 1)
        feature = self.asked[level.node[payers]]
        add_to_outputs(total, (feature, level.row[payers]), sums[own, :, payers])

    def pay_pairs(self, total, levels, sums):
        """Entries with a kind hand half of it to two features, the one here and each one above."""
        level = levels[-1]
        payers = np.flatnonzero(level.kind)
        at = level.above[payers]
        for earlier in reversed(levels[:-1]):
            met = np.flatnonzero(earlier.kind[at])
            here, there = payers[met], at[met]
            own = np.where(level.kind[here] == MINE, 0, 1)
            which = np.where(level.kind[here] == earlier.kind[there], own, 2)
            i, j = self.asked[level.node[here]], self.asked[earlier.node[there]]
            where = np.maximum(i, j), np.minimum(i, j), level.row[here]
            add_to_outputs(total, where, sums[which, :, here] / 2)
            at = earlier.above[at]


def add_from_below(sums, below, level):
    """Add the sums of a level's entries to those of the entries above them, in place."""
    at_left, at_right = np.split(level.above, [level.n_left])
    of_left, of_right = np.split(below, [level.n_left], axis=2)
    sums[:, :, at_left] += of_left
    sums[:, :, at_right] += of_right


def add_to_outputs(total, where, shares):
    """total[target, output, row] += shares[entry, output] for every entry, in place.

    where : arrays (entries,), one for each axis of the target, and the rows
    """
    for output, share in zip(np.moveaxis(total, -2, 0), shares.T, strict=True):
        np.add.at(output, where, share)
