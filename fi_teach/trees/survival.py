"""A survival tree asks the question whose two sides die at the most different rates, censored rows included.

A censored row is known to have lived until its time, no more: it counts among those at risk up to then. Notation: at event
time t_k, d_k rows have the event and Y_k are still at risk (time >= t_k). y holds a column of times and one of events
(1, or 0 where censored).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_teach.basics.tables import check_table
from fi_teach.basics.tree import LEAF, UNDEFINED, Forest, Tree
from fi_teach.fast.growing import TIE, RankedTable, rank_table, thresholds_between
from fi_teach.trees.cart import check_limits, number_of_features
from fi_teach.trees.forest import bootstrap_counts, check_n_trees

CRITERION = "log-rank"
CELLS = 1 << 20  # (row, event time) pairs looked at in one go


# --- by definition ----------------------------------------------------------------------------------------------------

def survival_target(y, n_rows=None, *, what="y"):
    """Times and events as two arrays -> (time (n,) float, event (n,) bool).

    y : (n, 2) array or DataFrame with the columns time and event, or a record array with the fields event and time
    Raises ValueError for another shape, gaps, negative times, events that are not 0 or 1, and if nobody has the event.

    >>> survival_target([[5, 1], [8, 0]])
    (array([5., 8.]), array([ True, False]))
    """
    array = y.to_numpy(dtype=float) if isinstance(y, pd.DataFrame) else np.asarray(y)
    if array.dtype.names and len(array.dtype.names) == 2:
        array = np.column_stack([array[array.dtype.names[1]], array[array.dtype.names[0]]])
    if array.ndim != 2 or array.shape[1] != 2 or n_rows not in (None, len(array)):
        raise ValueError(f"{what} has shape {array.shape}, expected ({n_rows or 'n'}, 2): a column of times and one of events "
                         "(1, or 0 where censored).")
    return _times_and_events(*array.T, what)


def _times_and_events(time, event, what="the data"):
    """Times >= 0 and events 0 or 1 as arrays of float and bool. Raises ValueError."""
    time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=float)
    if time.ndim != 1 or time.shape != event.shape or not np.isfinite(time).all() or (time < 0).any():
        raise ValueError(f"the times of {what} (shape {time.shape}; events {event.shape}) must be finite numbers >= 0, one event "
                         "for each: drop or mend the other rows.")
    if not np.isin(event, (0, 1)).all():
        raise ValueError(f"the events of {what} must be 1 (happened) or 0 (censored), but {event[~np.isin(event, (0, 1))][0]} came. "
                         "Are the columns in the order time, event?")
    if not event.any():
        raise ValueError(f"nobody in {what} has the event (all {len(event)} rows are censored): there is no rate to estimate.")
    return time, event.astype(bool)


def event_times(y):
    """The distinct times at which somebody has the event, ascending: the default grid of survival trees. y (n, 2) -> (T,).

    >>> event_times([[5, 1], [8, 0], [2, 1], [5, 1]])
    array([2., 5.])
    """
    time, event = survival_target(y)
    return np.unique(time[event])


def risk_table(time, event):
    """The event times with their deaths and rows at risk -> (t (T,), d (T,), Y (T,)).

    >>> [column.tolist() for column in risk_table(np.array([1.0, 2, 2, 3]), np.array([True, True, False, False]))]
    [[1.0, 2.0], [1, 1], [4, 3]]
    """
    t, deaths = np.unique(time[event], return_counts=True)
    return t, deaths, len(time) - np.searchsorted(np.sort(time), t)


def nelson_aalen(time, event, times=None):
    """The cumulative hazard: how many events a row at risk throughout would have had on average by each of `times`.

    H(t) = sum over event times t_k <= t of d_k / Y_k; exp(-H(t)) is close to the share that survives t.

    time (n,) >= 0, event (n,) of 0 and 1; times (T,), by default the event times -> (T,), events a row
    Raises ValueError for times or events that are none, and if nobody has the event. Source: Ishwaran et al. (2008), sec. 3.

    >>> nelson_aalen([1, 2, 2, 3], [1, 1, 0, 0], [0.5, 1, 9]).round(3)
    array([0.   , 0.25 , 0.583])
    """
    time, event = _times_and_events(time, event)
    return _hazard(time, event, np.unique(time[event]) if times is None else np.asarray(times, dtype=float))


def _hazard(time, event, times):
    """nelson_aalen without checks; 0 throughout where nobody has the event."""
    t, deaths, at_risk = risk_table(time, event)
    return np.concatenate([[0.0], np.cumsum(deaths / at_risk)])[np.searchsorted(t, times, side="right")]


def log_rank(time, event, group):
    """How unlike are the death rates of two groups? The log-rank chi-square, with 1 degree of freedom under equal rates.

    (sum_k d_kA - d_k Y_kA / Y_k)^2 / sum_k d_k (Y_kA / Y_k) (1 - Y_kA / Y_k) (Y_k - d_k) / (Y_k - 1): events that group A had,
    less those it would have had by its share of the rows at risk, squared, over the variance.

    time (n,), event (n,), group (n,) bool -> number, 0 if the groups never are at risk together
    Raises ValueError as nelson_aalen does, and unless `group` has both True and False. Source: Ishwaran et al. (2008), sec. 2.

    >>> round(log_rank([1, 2, 3, 4], [1, 1, 1, 1], [True, True, False, False]), 3)
    2.882
    """
    time, event = _times_and_events(time, event)
    group = np.asarray(group)
    if group.shape != time.shape or not np.isin(group, (0, 1)).all() or group.all() or not group.any():
        raise ValueError(f"group has shape {group.shape}, expected {len(time)} values True or False, and both of them.")
    group = group.astype(bool)
    lead = variance = 0.0
    for t in np.unique(time[event]):
        at_risk, dies = time >= t, event & (time == t)
        share = group[at_risk].mean()
        lead += dies[group].sum() - dies.sum() * share
        variance += dies.sum() * share * (1 - share) * (at_risk.sum() - dies.sum()) / max(1, at_risk.sum() - 1)
    return float(lead**2 / variance) if variance > 0 else 0.0


# --- fast: every cut of a feature at once -----------------------------------------------------------------------------

class Cut(NamedTuple):
    """A question to a node: the log-rank chi-square of its two sides, the feature, and the codes it falls between."""

    statistic: float
    feature: int
    code_left: int
    code_right: int


def cut_statistics(codes, time, event):
    """log_rank of every cut of one feature -> (codes (C + 1,) in order, rows left of each cut (C,), statistics (C,)).

    A row's score is its event less its hazard, a_i = event_i - H(t_i); the scores left of a cut add up to events had less
    events expected, so all numerators are one cumulative sum. The variance is sum_k c_k Y_kL (Y_k - Y_kL) with
    c_k = d_k (Y_k - d_k) / (Y_k^2 (Y_k - 1)); Y_kL, the rows left of the cut and at risk, is cumulated too.
    codes (n,) int, time (n,), event (n,) bool with at least one True.
    """
    order = np.argsort(codes, kind="stable")
    codes, time, event = codes[order], time[order], event[order]
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] > codes[:-1]]))
    lead = np.add.reduceat(event - _hazard(time, event, time), starts).cumsum()[:-1]
    variance = np.zeros(len(starts) - 1)
    t, deaths, at_risk = risk_table(time, event)
    c = deaths * (at_risk - deaths) / (at_risk**2.0 * np.maximum(1, at_risk - 1))
    step = max(1, CELLS // len(time))
    for k in (slice(start, start + step) for start in range(0, len(t), step)):
        left = np.add.reduceat((time[:, None] >= t[k]).astype(float), starts).cumsum(axis=0)[:-1]
        variance += (left * (at_risk[k] - left)) @ c[k]
    return codes[starts], starts[1:], np.divide(lead**2, variance, out=np.zeros_like(lead), where=variance > 1e-12)


def _best_cut(data, rows, features, limits):
    """The cut with the largest log-rank statistic among the first n_features of `features` that vary -> Cut or None."""
    n_features, min_leaf = limits
    best, looked_at = None, 0
    for j in features:
        codes = data.table.codes[j, rows]
        if looked_at == n_features or codes.min() == codes.max():
            continue
        looked_at += 1
        codes, n_left, statistics = cut_statistics(codes, data.time[rows], data.event[rows])
        statistics = np.where((n_left >= min_leaf) & (len(rows) - n_left >= min_leaf), statistics, 0.0)
        k = int((statistics >= statistics.max() * (1 - TIE)).argmax())
        if statistics[k] > (best.statistic * (1 + TIE) if best else 0.0):
            best = Cut(float(statistics[k]), int(j), int(codes[k]), int(codes[k + 1]))
    return best


# --- growing ----------------------------------------------------------------------------------------------------------

def grow_survival_tree(X, y, *, max_depth=None, min_samples_leaf=15, times=None):
    """Split every node where the log-rank statistic of the two sides is largest; a leaf predicts its rows' cumulative hazard.

    X : (n, p) numbers; y : (n, 2), columns time and event (1, or 0 where censored), or a record array (event, time)
    max_depth : levels of questions, or None; min_samples_leaf : rows on each side, at least
    times : (T,) ascending times at which the hazard is predicted, by default all event times
    -> Tree with T outputs, value[t] = nelson_aalen of node t's rows at `times`; its impurity is NaN, as the log-rank rule has none

    Raises ValueError for tables, targets and limits that cannot be used. Source: Ishwaran et al. (2008), sec. 2 and 3.

    >>> X = [[0], [0], [0], [1], [1], [1]]
    >>> y = [[1, 1], [2, 1], [3, 1], [7, 1], [8, 1], [9, 1]]
    >>> tree = grow_survival_tree(X, y, min_samples_leaf=3, times=[3, 9])
    >>> tree.raw([[0], [1]]).round(2)
    array([[1.83, 1.83],
           [0.  , 1.83]])
    """
    data = _check(X, y, times, max_depth, min_samples_leaf)
    return _grow(data, np.arange(len(data.time)), (max_depth, None, min_samples_leaf), None)


def grow_survival_forest(X, y, *, n_trees=100, max_features="sqrt", max_depth=None, min_samples_leaf=15, times=None, rng=0):
    """A random survival forest: the mean cumulative hazard of trees grown on bootstrap samples, few candidates a node.

    X, y, max_depth, min_samples_leaf (rows counted as often as they were drawn), times : as in grow_survival_tree
    n_trees : trees; max_features : candidates at each node, as in grow_cart
    -> Forest with T outputs and in_bag (n_trees, n); `as_risk` turns it into one number a row

    Raises ValueError as grow_survival_tree does. Source: Ishwaran et al. (2008), sec. 2 to 4.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.column_stack([rng.exponential(np.exp(-2 * X[:, 0])), np.ones(200)])
    >>> risk = as_risk(grow_survival_forest(X, y, n_trees=20))
    >>> low, high = risk.predict([[-1.0, 0, 0], [1.0, 0, 0]])
    >>> bool(low < high)
    True
    """
    rng = np.random.default_rng(rng)
    data = _check(X, y, times, max_depth, min_samples_leaf)
    names, n = data.table.names, len(data.time)
    limits = (max_depth, number_of_features(max_features, len(names)), min_samples_leaf)
    in_bag = bootstrap_counts(n, check_n_trees(n_trees), rng=rng)
    trees = tuple(_grow(data, np.repeat(np.arange(n), counts), limits, rng) for counts in in_bag)
    return Forest(trees, np.full(len(trees), 1 / len(trees)), np.zeros(len(data.times)), names, in_bag=in_bag)


def as_risk(model):
    """The survival tree or forest with one output, its risk score: the cumulative hazards at all its times, added up.

    It ranks rows, high means early. Ishwaran et al. (2008), sec. 4, add them up over the times of all training rows and call it
    ensemble mortality; here every time of the grid counts once, by default every event time, as in scikit-survival.
    Tree or Forest -> the same with value summed over outputs, so that predict gives (n,), in events a row, added up.
    Raises ValueError for any other model.

    >>> tree = grow_survival_tree([[0], [1]], [[1, 1], [2, 1]], min_samples_leaf=1)
    >>> as_risk(tree).predict([[0], [1]])
    array([2., 1.])
    """
    trees = model.trees if isinstance(model, Forest) else (model,)
    if not all(isinstance(tree, Tree) and tree.criterion == CRITERION for tree in trees):
        raise ValueError(f"as_risk takes a survival tree or forest, but got {type(model).__name__}: grow one with "
                         "grow_survival_tree or grow_survival_forest.")
    if isinstance(model, Tree):
        return replace(model, value=model.value.sum(axis=1, keepdims=True))
    return replace(model, trees=tuple(map(as_risk, model.trees)), base=np.array([np.sum(model.base)]))


class SurvivalData(NamedTuple):
    """What survival trees are grown on: a RankedTable, time (n,), event (n,) bool, and the grid `times` (T,) of predictions."""

    table: RankedTable
    time: np.ndarray
    event: np.ndarray
    times: np.ndarray


def _check(X, y, times, max_depth, min_samples_leaf):
    """The arguments as SurvivalData. Raises ValueError."""
    X, names = check_table(X)
    time, event = survival_target(y, len(X))
    check_limits(max_depth, min_samples_leaf)
    times = np.unique(time[event]) if times is None else np.asarray(times, dtype=float)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise ValueError(f"times has shape {times.shape}, expected finite times in ascending order, each once, such as [365, 730].")
    return SurvivalData(rank_table(X, names), time, event, times)


def _grow(data, rows, limits, rng):
    """One tree on `rows` (repeated as they were drawn), node after node, level by level -> Tree."""
    nodes, children, cuts = [(rows, 0)], [], []
    for rows, depth in nodes:  # grows while it is read: children join the end of the queue
        cut = _cut_of(data, rows, depth, limits, rng)
        cuts.append(cut)
        children.append((len(nodes), len(nodes) + 1) if cut else (LEAF, LEAF))
        if cut:
            left = data.table.codes[cut.feature, rows] <= cut.code_left
            nodes += [(rows[left], depth + 1), (rows[~left], depth + 1)]
    rows = [here for here, _ in nodes]
    value = np.array([_hazard(data.time[here], data.event[here], data.times) for here in rows])
    return _tree(data.table, cuts, np.array(children), rows, value)


def _cut_of(data, rows, depth, limits, rng):
    """Where to cut this node, or None if it is to stay a leaf; with `rng` the features come in random order."""
    max_depth, n_features, min_leaf = limits
    if depth == max_depth or len(rows) < 2 * min_leaf or not data.event[rows].any():
        return None
    p = len(data.table.names)
    return _best_cut(data, rows, np.arange(p) if rng is None else rng.permutation(p), (n_features, min_leaf))


def _tree(table, cuts, children, rows, value):
    """The queue's nodes as a Tree."""
    split = np.array([cut is not None for cut in cuts])
    feature, threshold = np.full(len(cuts), UNDEFINED), np.full(len(cuts), float(UNDEFINED))
    if split.any():
        _, feature[split], code_left, code_right = np.array([cut for cut in cuts if cut is not None]).T
        threshold[split] = thresholds_between(table, feature[split], code_left.astype(int), code_right.astype(int))
    return Tree(
        children_left=children[:, 0], children_right=children[:, 1], feature=feature, threshold=threshold,
        impurity=np.full(len(cuts), np.nan), n_node_samples=np.array([len(np.unique(here)) for here in rows]),
        weighted_n_node_samples=np.array([float(len(here)) for here in rows]), value=value, names=table.names, criterion=CRITERION)
