"""Owen's integral in place of the sum over coalitions: for paths too long for tables, or few rows.

Every player joins with chance t. With a_j (does the row pass the tests on j?) and b_j (which share
of the training rows passes?) the path-dependent Shapley values of a leaf of value v are

    phi_i = v * integral over t of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j),

t from 0 to 1: a polynomial of degree d - 1, so Gauss-Legendre with ceil(d/2) times t is exact. The
product P of all factors is carried down the tree, the sum S of v P over the leaves below is carried
up. A way that asks x0 again, where b falls from .6 to .2, exchanges one factor of P, and changes
one player's gain g = (a - b) / (t a + (1-t) b):

    the row         passes            fails here        had failed above
    case            0                 1                 2
    old factor      t + (1-t) .6      t + (1-t) .6      (1-t) .6
    new factor      t + (1-t) .2      (1-t) .2          (1-t) .2
    old gain        .4 / old factor   .4 / old factor   -1 / (1-t)
    new gain        .8 / new factor   -1 / (1-t)        -1 / (1-t)

Then phi_0 grows by the integral of (new gain - old gain) * S. Nodes are walked in groups that fit
into the processor's cache, few nodes with many rows or many with few; arrays are (ways, rows,
times). Sources: Owen (1972); Yu, Bifet, Read and Xu (2022).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.games import gauss_legendre
from fi_teach.basics.tree import LEAF
from fi_teach.fast.forest_arrays import failures_everywhere

NUMBERS_AT_ONCE = 2**16  # of a group: ways times rows times t
NUMBERS_WAITING = 2**20  # of the smallest groups, two ways each, at all levels
FAILURES_AT_ONCE = 2**21  # nodes times rows


def add_by_quadrature(total, task, X):
    """Add one tree's path-dependent Shapley values or interactions to total, in place.

    total (p, n_outputs, n) or (p, p, n_outputs, n); X (n, p)
    """
    paths = task.paths
    n_times = len(gauss_legendre(paths.longest)[0])
    smallest_groups = 2 * n_times * max(paths.level)
    size = min(
        NUMBERS_AT_ONCE // n_times,
        NUMBERS_WAITING // smallest_groups,
        FAILURES_AT_ONCE // len(paths.left))
    size = max(1, size)
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        Walk(task, X[rows]).add_to(total[..., rows])


@dataclass
class Group:
    """Ways that are walked together: to the left children of some splits, then to the right ones.

    above, splits : the group in which these splits lie, and their places in it
    case : (ways, rows), as in the drawing
    product, sums : P (ways, rows, times) and S (n_outputs, ways, rows, times), while in use
    """

    ways: NDArray
    above: "Group | None" = None
    splits: NDArray | None = None
    case: NDArray | None = None
    product: NDArray | None = None
    sums: NDArray | None = None


class Walk:
    """Some rows, all at once, down one tree and up again."""

    def __init__(self, task, X):
        paths = task.paths
        self.task = task
        self.n_rows = len(X)
        self.t, self.weight = gauss_legendre(paths.longest)
        self.splits_at_once = max(1, NUMBERS_AT_ONCE // (2 * len(X) * len(self.t)))
        self.left = np.array(paths.left)
        self.right = np.array(paths.right)
        self.asked = np.array(paths.asked)
        self.same = np.array(paths.same)
        self.passing = np.array(paths.passing)[:, None]
        self.failed = failures_everywhere(paths, X)

    def add_to(self, total):
        """Depth first: a group goes down, those below do all they have to, then it comes up."""
        root = Group(np.array([0]))
        root.product = np.ones((1, self.n_rows, len(self.t)))
        waiting = [root]
        while waiting:
            group = waiting.pop()
            if group.sums is None:
                self.go_down(group)
                waiting += [group, *self.groups_below(group)]
            elif group.above is not None:
                self.come_up(group, total)

    def groups_below(self, group):
        """The children of a group's splits, so many at a time as fit -> list of groups."""
        splits = np.flatnonzero(self.left[group.ways] != LEAF)
        found = []
        for start in range(0, len(splits), self.splits_at_once):
            some = splits[start:start + self.splits_at_once]
            t = group.ways[some]
            children = np.concatenate([self.left[t], self.right[t]])
            found.append(Group(children, group, some))
        return found

    def go_down(self, group):
        """The product, one factor exchanged; at leaves also the sum, value times product."""
        ways = group.ways
        if group.above is not None:
            had_failed = self.failed[self.same[ways]].astype(np.intp)
            group.case = had_failed + self.failed[ways]
            above = group.above.product[np.tile(group.splits, 2)]
            changes = self.factor_changes(ways)
            group.product = above * by_case(changes, group.case)
        is_leaf = self.left[ways] == LEAF
        value = np.where(is_leaf, self.task.value[ways].T, 0)
        group.sums = value[:, :, None, None] * group.product

    def come_up(self, group, total):
        """The sums go to the splits above, gains times sums to the features that these ask."""
        ways, half = group.ways, len(group.splits)
        of_left, of_right = group.sums[:, :half], group.sums[:, half:]
        group.above.sums[:, group.splits] += of_left + of_right
        changes = self.gain_changes(ways)
        paid = by_case(changes, group.case) * group.sums
        if self.task.order == 1:
            add_by_target(total, [self.asked[ways]], paid @ self.weight)
        else:
            self.pay_pairs(total, ways, paid)
        group.product = group.sums = None

    def pay_pairs(self, total, ways, paid):
        """Every player above gains, too: its gain times what is paid here belongs to the two."""
        paths = self.task.paths
        above = [paths.last_ways(paths.parent[way]) for way in ways]
        for place in range(max(map(len, above))):
            other = np.array([met[place] if place < len(met) else 0 for met in above])
            i, j = self.asked[ways], self.asked[other]
            two = np.flatnonzero((other > 0) & (i != j))
            i, j, other = i[two], j[two], other[two]
            gains = by_case(self.gains(other), self.failed[other].astype(np.intp))
            shares = (paid[:, two] * gains) @ self.weight
            pair = [np.maximum(i, j), np.minimum(i, j)]
            add_by_target(total, pair, shares / 2)

    def factor_changes(self, ways):
        """What a way multiplies the product by, new factor over old -> (ways, cases, times).

        Where no training weight passed above, a row that had failed has product 0: 0/0 is 0 here.
        """
        b_old, b_new = self.passing[self.same[ways]], self.passing[ways]
        old_factor = self.t + (1 - self.t) * b_old
        passes = (self.t + (1 - self.t) * b_new) / old_factor
        fails = (1 - self.t) * b_new / old_factor
        had_failed = np.divide(b_new, b_old, out=np.zeros_like(b_new), where=b_old > 0)
        return np.stack([passes, fails, had_failed + np.zeros_like(fails)], axis=1)

    def gain_changes(self, ways):
        """How the asked player's gain changes -> (ways, cases, times)."""
        old, new = self.gains(self.same[ways]), self.gains(ways)
        passes = new[:, 0] - old[:, 0]
        fails = new[:, 1] - old[:, 0]
        return np.stack([passes, fails, np.zeros_like(fails)], axis=1)

    def gains(self, ways):
        """A player's gain after its way, if the row passes and if it fails -> (ways, 2, times)."""
        b = self.passing[ways]
        passes = (1 - b) / (self.t + (1 - self.t) * b)
        fails = np.zeros_like(passes) - 1 / (1 - self.t)
        return np.stack([passes, fails], axis=1)


def by_case(table, case):
    """Each row's line of its way's table.

    table (ways, cases, times), case (ways, rows) -> (ways, rows, times)
    """
    n_ways, n_cases, n_times = table.shape
    first = n_cases * np.arange(n_ways)[:, None]
    return table.reshape(-1, n_times).take(first + case, axis=0)


def add_by_target(total, targets, shares):
    """total[target of way c] += shares[:, c], in place: targets, arrays (ways,) that may repeat."""
    order = np.lexsort(targets)
    targets = np.stack(targets)[:, order]
    starts = np.flatnonzero(np.diff(targets, prepend=-1).any(axis=0))
    together = np.add.reduceat(shares[:, order], starts, axis=1)
    total[tuple(targets[:, starts])] += together.swapaxes(0, 1)
