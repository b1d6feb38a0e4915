"""Permutation importance without the chance: all n^2 pairings of a row with a donor, counted exactly for tree models.

For row i and feature j the prediction, as a function of the value z put in x_j's place, is a step function. A leaf is reached
by changing x_j alone if and only if the row fails none of the tests on its path (its own leaf) or only tests on j:
then there is a *detour* to it, for all z in one interval. One walk collects every detour of every row; summed up over
the values of z that occur they give the loss of every pair (i, donor).
"""

from dataclasses import dataclass

import numpy as np

from fi_teach.basics.convert import as_forest
from fi_teach.basics.losses import absolute_error, row_loss, squared_error
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import check_outcome, check_setting, checked_losses, judged_by, names_of
from fi_teach.basics.tree import LEAF, rows_for

NONE = -1  # the feature of a row that still walks its own way
PAIRS_AT_ONCE = 2**17  # numbers per block of the pair-loss matrix: 1 MB, which stays in the processor's cache
WALKERS_AT_ONCE = 2**18  # rows x trees x depth per block of detours: some 20 MB


def exact_permutation_importance(model, X, y, *, loss="mse"):
    """The mean of permutation_importance over ALL permutations, for a tree or a forest, in one pass.

    PFI_j = 1/n^2 sum_i sum_d [ L(y_i, f(x_i with x_ij replaced by x_dj)) - L(y_i, f(x_i)) ]

    In a random permutation each row is as likely to receive from any row as from any other, itself included; so the
    pairs d = i, whose difference is 0, belong to the sum. (Without them, as for permutations without fixed points,
    multiply by n / (n - 1).)

    model : our Tree or Forest, or any fitted model that trees.from_model takes; X (n, p), y (n,)
    loss : "mse", "absolute", "zero_one", "log_loss", "brier", or a function of (y, prediction) -> one number a row
    Returns an Importance in units of the loss: draws (p, n), one column a row, its mean difference a_i as receiver;
    standard_error over new test sets, sd(psi) / sqrt(n) with psi_i = a_i + b_i and b_i the mean difference that row i's value
    causes as donor; permutation_sd, what one random shuffle of these n rows would scatter, by Hoeffding's formula

        n^2 Var = 1/(n-1) sum_id (D_id - D_i. - D_.d + D_..)^2,   D the matrix of pair differences, dots its means.

    Memory stays below 100 MB at 100 trees of depth 8 and 10,000 rows. Trees that know missing values or categories, on data
    that has them, are answered by predicting every occurring value, which is slower.

    Raises ValueError for models that are not made of trees, unusable tables and targets, and unknown losses.
    Source: Fisher, Rudin and Dominici (2019), sec. 3.2 (all pairings); Hoeffding (1951), theorem 2 (variance).

    >>> from fi_teach.trees.cart import grow_cart
    >>> X, y = np.array([[0, 7], [1, 7], [2, 7], [3, 7]]), np.array([0.0, 1.0, 2.0, 3.0])
    >>> exact_permutation_importance(grow_cart(X, y, criterion="variance"), X, y).mean
    array([2.5, 0. ])
    """
    forest, loss = as_forest(model), row_loss(loss)
    table = rows_for(forest, X)
    y = check_outcome(y, len(table), numeric=loss in (squared_error, absolute_error))
    pairs = _by_value(forest, table) if _asks_more_than_thresholds(forest, table) else _by_detours(forest, table)
    sums = [PairSums(np.zeros(len(table)), np.zeros(len(table)), 0.0) for _ in forest.names]
    y, predict = judged_by(forest, y, loss)
    for rows, j, bins, raw, own in pairs:
        before = checked_losses(loss, y[rows], predict(own))
        after = checked_losses(loss, np.repeat(y[rows], raw.shape[1], axis=0), predict(raw.reshape(-1, raw.shape[2])))
        sums[j] = sums[j].plus(rows, bins, after.reshape(raw.shape[:2]) - before[:, None])
    return _importance_of(sums, names_of(X, forest))


def exact_permutation_importance_by_definition(predict, X, y, *, loss="mse"):
    """exact_permutation_importance for any predict function, all n^2 pairs predicted: n p calls with n rows each.

    >>> X = np.array([[0, 7], [1, 7], [2, 7], [3, 7]])
    >>> exact_permutation_importance_by_definition(lambda X: X[:, 0], X, [0, 1, 2, 3]).mean
    array([2.5, 0. ])
    """
    setting = check_setting(predict, X, y, loss)
    matrices = [pair_differences(predict, X, y, j, loss=loss) for j in range(len(setting.names))]
    roles = [D.mean(axis=1) + D.mean(axis=0) for D in matrices]
    return Importance(setting.names, np.array([D.mean(axis=1) for D in matrices]), "exact permutation importance", "loss",
                      np.std(roles, axis=1, ddof=1) / np.sqrt(setting.n_rows), np.array([_hoeffding_sd(D) for D in matrices]))


def pair_differences(predict, X, y, column, *, loss="mse"):
    """The matrix behind it all: D[i, d], what row i's loss gains when it takes its `column` (a position) from row d -> (n, n).

    Row means say what a row suffers as receiver, column means what its value causes as donor, the mean is the importance.
    Raises ValueError as permutation_importance does.

    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> pair_differences(lambda X: X[:, 0], X, [0.0, 1.0, 3.0], 0)
    array([[0., 1., 9.],
           [1., 0., 4.],
           [9., 4., 0.]])
    """
    setting = check_setting(predict, X, y, loss)
    donors = np.tile(np.arange(setting.n_rows), (setting.n_rows, 1))
    return setting.swapped([column], donors) - setting.base[:, None]


def _hoeffding_sd(D):
    """Standard deviation of the mean of D[i, pi(i)] over uniformly random permutations pi."""
    residual = D - D.mean(axis=1, keepdims=True) - D.mean(axis=0) + D.mean()
    return np.sqrt((residual**2).sum() / (len(D) - 1)) / len(D)


# --- what is kept of the n x n matrix of pair differences D ---


@dataclass(frozen=True)
class PairSums:
    """Sums over D[i, d] of one feature: `receiver` over donors d (n,), `donor` over receivers i (n,), `square` of D^2."""

    receiver: np.ndarray
    donor: np.ndarray
    square: float

    def plus(self, rows, bins, differences):
        """With a block added: differences (R, B) of the rows, one column for each value's bin; bins (n,) each donor's."""
        donors_in = np.bincount(bins, minlength=differences.shape[1])
        receiver = self.receiver.copy()
        receiver[rows] += differences @ donors_in
        return PairSums(receiver, self.donor + differences.sum(axis=0)[bins], self.square + float(((differences**2) @ donors_in).sum()))


def _importance_of(sums, names):
    n = len(sums[0].receiver)
    receiver, donor = (np.array([getattr(s, role) for s in sums]) / n for role in ("receiver", "donor"))
    total = receiver.mean(axis=1)
    residual = np.array([s.square for s in sums]) - n * (receiver**2 + donor**2).sum(axis=1) + n**2 * total**2
    return Importance(names, receiver, "exact permutation importance", "loss", (receiver + donor).std(axis=1, ddof=1) / np.sqrt(n),
                      np.sqrt(np.maximum(residual, 0) / (n - 1)) / n)


# --- pairs by detours: a block of rows, a feature, and the raw prediction for every bin of the feature's values ---


@dataclass(frozen=True)
class Grove:
    """All trees of a forest in one set of arrays, their thresholds as bin numbers: a value of bin b goes left if b < cut."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    cut: np.ndarray
    value: np.ndarray  # (n_nodes, n_outputs), times the tree's weight
    tree: np.ndarray  # (n_nodes,) which tree the node belongs to
    root: np.ndarray  # (M,)
    low: np.ndarray  # bins of its feature that reach the node: low <= b < high
    high: np.ndarray


@dataclass(frozen=True)
class Detours:
    """Row `row` reaches `leaf` when the value of `feature` alone is put into one of the bins low <= b < high."""

    row: np.ndarray
    leaf: np.ndarray
    feature: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def where(self, keep):
        return Detours(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))


def _by_detours(forest, table):
    """Blocks (rows, feature j, bins of all rows, raw values (R, B, n_outputs), raw values as they are (R, n_outputs))."""
    grove, bins = _grove(forest, table)
    n_bins = bins.max(axis=0) + 1
    used = np.intersect1d(np.unique(grove.feature), np.flatnonzero(n_bins > 1))
    depth = 1 + max(tree.depth.max() for tree in forest.trees)
    step = min(PAIRS_AT_ONCE // (n_bins.max() * forest.n_outputs), WALKERS_AT_ONCE // (len(forest.trees) * depth))
    for start in range(0, len(table), max(1, int(step))):
        rows = np.arange(start, min(start + max(1, int(step)), len(table)))
        found = _detours(grove, bins[rows])
        leaf = np.empty((len(rows), len(grove.root)), dtype=np.int32)
        home = found.where(found.feature == NONE)
        leaf[home.row, grove.tree[home.leaf]] = home.leaf
        own = forest.base + grove.value[leaf].sum(axis=1)
        for j in used:
            yield rows, j, bins[:, j], own[:, None] + _steps(grove, found.where(found.feature == j), leaf, n_bins[j]), own


def _steps(grove, found, home, n_bins):
    """What replacing the feature by a value of each bin adds to each row's raw prediction -> (R, n_bins, n_outputs)."""
    shape = len(home), n_bins + 1
    change = grove.value[found.leaf] - grove.value[home[found.row, grove.tree[found.leaf]]]
    first, last = found.row * np.int64(n_bins + 1) + found.low, found.row * np.int64(n_bins + 1) + found.high
    jumps = [np.bincount(first, c, minlength=np.prod(shape)) - np.bincount(last, c, minlength=np.prod(shape)) for c in change.T]
    return np.stack([jump.reshape(shape).cumsum(axis=1)[:, :-1] for jump in jumps], axis=2)


def _detours(grove, bins):
    """Every leaf that a row reaches by its own way (feature NONE) or by changing one feature alone. bins (R, p) int."""
    row = np.repeat(np.arange(len(bins), dtype=np.int32), len(grove.root))
    walkers = Detours(row, np.tile(grove.root, len(bins)), np.full(len(row), NONE, np.int32), np.zeros_like(row), np.ones_like(row))
    arrived = []
    while len(walkers.row):
        at_leaf = grove.left[walkers.leaf] == LEAF
        arrived.append(walkers.where(at_leaf))
        walkers = _one_step(grove, bins, walkers.where(~at_leaf))
    return Detours(*(np.concatenate([getattr(part, name) for part in arrived]) for name in Detours.__dataclass_fields__))


def _one_step(grove, bins, walkers):
    """Everyone goes their own way; who may change the feature asked for goes the other way too."""
    node, f = walkers.leaf, grove.feature[walkers.leaf]
    goes_left = bins[walkers.row, f] < grove.cut[node]
    same, free = walkers.feature == f, walkers.feature == NONE
    own = Detours(walkers.row, np.where(goes_left, grove.left[node], grove.right[node]), walkers.feature,
                  np.where(same & ~goes_left, np.maximum(grove.low[node], grove.cut[node]), walkers.low),
                  np.where(same & goes_left, np.minimum(grove.high[node], grove.cut[node]), walkers.high))
    other = Detours(walkers.row, np.where(goes_left, grove.right[node], grove.left[node]), f,
                    np.where(goes_left, np.maximum(grove.low[node], grove.cut[node]), grove.low[node]),
                    np.where(goes_left, grove.high[node], np.minimum(grove.high[node], grove.cut[node]))).where(same | free)
    both = Detours(*(np.concatenate([getattr(own, name), getattr(other, name)]) for name in Detours.__dataclass_fields__))
    return both.where(both.low < both.high)  # no occurring value lies in an empty interval


def _grove(forest, table):
    """The forest as a Grove, and the bin of every value of the table: bins (n, p) int, numbered from 0 without gaps."""
    sizes = [tree.n_nodes for tree in forest.trees]
    root = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    tree = np.repeat(np.arange(len(sizes)), sizes)
    left, right, feature, threshold = (np.concatenate([getattr(t, name) for t in forest.trees])
                                       for name in ("children_left", "children_right", "feature", "threshold"))
    left, right = (np.where(child == LEAF, LEAF, child + root[tree]).astype(np.int32) for child in (left, right))
    value = np.concatenate([weight * t.value for weight, t in zip(forest.weights, forest.trees, strict=True)])
    bins, cut = np.zeros(table.shape, dtype=np.int32), np.zeros(len(left), dtype=np.int32)
    for j in range(table.shape[1]):
        nodes = np.flatnonzero((feature == j) & (left != LEAF))
        bins[:, j], cut[nodes] = _binned(table[:, j], threshold[nodes])
    low, high = _reach(left, right, feature, cut, root, bins.max(axis=0) + 1)
    return Grove(left, right, feature.astype(np.int32), cut, value, tree.astype(np.int32), root.astype(np.int32), low, high), bins


def _binned(column, thresholds):
    """Values between the same thresholds share a bin, bins that do not occur are left out: column <= threshold iff bin < cut."""
    edges = np.unique(thresholds)
    between = np.searchsorted(edges, column)  # how many edges are below the value
    occurring, bins = np.unique(between, return_inverse=True)
    return bins, np.searchsorted(occurring, np.searchsorted(edges, thresholds), side="right")


def _reach(left, right, feature, cut, root, n_bins):
    """The bins of its own feature with which a value can come to each node -> low (n_nodes,), high (n_nodes,)."""
    low, high = np.zeros(len(left), dtype=np.int32), np.zeros(len(left), dtype=np.int32)
    nodes, lows, highs = root, np.zeros((len(root), len(n_bins)), np.int32), np.tile(n_bins.astype(np.int32), (len(root), 1))
    while len(nodes):
        inner = left[nodes] != LEAF
        nodes, lows, highs = nodes[inner], lows[inner], highs[inner]
        each, f = np.arange(len(nodes)), feature[nodes]
        low[nodes], high[nodes] = lows[each, f], highs[each, f]
        cut_high, cut_low = highs.copy(), lows.copy()
        cut_high[each, f] = np.minimum(highs[each, f], cut[nodes])
        cut_low[each, f] = np.maximum(lows[each, f], cut[nodes])
        nodes = np.concatenate([left[nodes], right[nodes]])
        lows, highs = np.concatenate([lows, cut_low]), np.concatenate([cut_high, highs])
    return low, high


# --- pairs by asking: for trees whose tests are more than x <= threshold ---


def _asks_more_than_thresholds(forest, table):
    return bool(np.isnan(table).any() or any(tree.left_categories or tree.zero_missing is not None for tree in forest.trees))


def _by_value(forest, table):
    """The same blocks as _by_detours, every distinct value put in and predicted."""
    used = np.unique(np.concatenate([tree.feature[~tree.is_leaf] for tree in forest.trees]))
    for j in used:
        values, bins = np.unique(table[:, j], return_inverse=True)
        step = max(1, PAIRS_AT_ONCE // (len(values) * table.shape[1]))
        for start in range(0, len(table), step):
            rows = np.arange(start, min(start + step, len(table)))
            asked = np.repeat(table[rows], len(values), axis=0)
            asked[:, j] = np.tile(values, len(rows))
            yield rows, j, bins, forest.raw(asked).reshape(len(rows), len(values), -1), forest.raw(table[rows])
