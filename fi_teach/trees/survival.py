"""Survival trees: split where the log-rank statistic of the two sides is largest.

A censored row is known to have had no event until its time: it is at risk up to then.
At event time t_k, d_k rows have the event and Y_k are still at risk (time >= t_k).

    hazard    H(t) = sum over t_k <= t of d_k / Y_k
    log-rank  (sum_k d_kA - d_k Y_kA / Y_k)^2 / variance: events that side A had, less those due

y holds a column of times and one of events (1, or 0 where censored).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.forest import Forest
from fi_teach.basics.impurity import TIE
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.survival_target import check_someone_has_it, survival_target, times_and_events
from fi_teach.basics.tables import as_floats, check_count, check_table
from fi_teach.basics.thresholds import halfway
from fi_teach.basics.tree import Tree
from fi_teach.trees.cart import Split, check_limits, grow_by, number_of_features, questions_of
from fi_teach.trees.forest import bootstrap_counts, mean_of_trees

CRITERION = "log-rank"
CELLS = 1 << 20  # (row, event time) pairs looked at in one go


# --- by definition ----------------------------------------------------------------------------

def risk_table(time: NDArray, event: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """The event times with their events and rows at risk -> (t (T,), d (T,), Y (T,)).

    >>> time, event = np.array([1.0, 2, 2, 3]), np.array([True, True, False, False])
    >>> [column.tolist() for column in risk_table(time, event)]
    [[1.0, 2.0], [1, 1], [4, 3]]
    """
    t, deaths = np.unique(time[event], return_counts=True)
    n_earlier = np.searchsorted(np.sort(time), t)
    return t, deaths, len(time) - n_earlier


def nelson_aalen(time: ArrayLike, event: ArrayLike, times: ArrayLike | None = None) -> NDArray:
    """Nelson-Aalen estimate of the cumulative hazard at the given times.

    H(t) = sum over event times t_k <= t of d_k / Y_k; exp(-H(t)) is close to the share alive at t

    time (n,) >= 0, event (n,) of 0 and 1; times (T,), by default the event times -> (T,)
    Source: Ishwaran et al. (2008), sec. 3.

    >>> nelson_aalen([1, 2, 2, 3], [1, 1, 0, 0], [0.5, 1, 9]).round(3)
    array([0.   , 0.25 , 0.583])
    """
    time, event = _times_and_events(time, event)
    return _hazard(time, event, _grid(times, time, event))


def _hazard(time: NDArray, event: NDArray, times: NDArray) -> NDArray:
    """nelson_aalen without checks; 0 throughout where nobody has the event."""
    t, deaths, at_risk = risk_table(time, event)
    hazard = np.cumsum(deaths / at_risk)
    n_steps = np.searchsorted(t, times, side="right")
    return np.concatenate([[0.0], hazard])[n_steps]


def log_rank(time: ArrayLike, event: ArrayLike, group: ArrayLike) -> float:
    """Log-rank statistic of two groups: chi-square with 1 degree of freedom if the rates are equal.

    (sum_k d_kA - d_k Y_kA / Y_k)^2
        / sum_k d_k (Y_kA / Y_k) (1 - Y_kA / Y_k) (Y_k - d_k) / (Y_k - 1)

    Events that group A had, less those it would have had by its share of the rows at risk,
    squared, over the variance.

    time (n,), event (n,), group (n,) bool -> number, 0 if the groups never are at risk together
    Source: Ishwaran et al. (2008), sec. 2.

    >>> round(log_rank([1, 2, 3, 4], [1, 1, 1, 1], [True, True, False, False]), 3)
    2.882
    """
    time, event = _times_and_events(time, event)
    group = np.asarray(group)
    is_yes_or_no = group.shape == time.shape and np.isin(group, (0, 1)).all()
    if not is_yes_or_no or group.all() or not group.any():
        raise ValueError(
            f"group has shape {group.shape}, "
            f"expected {len(time)} values True or False, and both of them.")
    group = group.astype(bool)
    lead = variance = 0.0
    for t in np.unique(time[event]):
        at_risk = time >= t
        dies = event & (time == t)
        n, d = at_risk.sum(), dies.sum()
        share = group[at_risk].mean()
        lead += dies[group].sum() - d * share
        variance += d * share * (1 - share) * (n - d) / max(1, n - 1)
    return float(lead**2 / variance) if variance > 0 else 0.0


# --- fast: every cut of a column at once ------------------------------------------------------

def cut_statistics(
    column: NDArray,
    time: NDArray,
    event: NDArray,
) -> tuple[NDArray, NDArray, NDArray]:
    """Thresholds, rows on the left and log-rank statistics of all cuts of a column.

    A row's score is its event less its hazard, a_i = event_i - H(t_i); the scores left of a cut
    add up to events had less events due, so one running sum gives all numerators. The variance is
    sum_k c_k Y_kL (Y_k - Y_kL) with c_k = d_k (Y_k - d_k) / (Y_k^2 (Y_k - 1)); Y_kL, the rows left
    of the cut and at risk, is a running sum, too.

    >>> column, time = np.array([1.0, 1, 2, 2]), np.array([1.0, 2, 3, 4])
    >>> found = cut_statistics(column, time, np.ones(4, dtype=bool))
    >>> [numbers.round(3).tolist() for numbers in found]
    [[1.5], [2], [2.882]]
    """
    order = np.argsort(column)
    column, time, event = column[order], time[order], event[order]
    is_new = np.diff(column, prepend=-np.inf) > 0
    starts = np.flatnonzero(is_new)  # of each distinct value's rows
    values = column[starts]

    score = event - _hazard(time, event, time)
    lead = np.add.reduceat(score, starts).cumsum()[:-1]
    variance = _variance(starts, time, event)
    statistics = np.divide(
        lead**2,
        variance,
        out=np.zeros_like(lead),
        where=variance > 1e-12,
    )
    return halfway(values[:-1], values[1:]), starts[1:], statistics


def _variance(starts: NDArray, time: NDArray, event: NDArray) -> NDArray:
    """The variances of all cuts but the last, some event times at a time -> (C,)."""
    t, deaths, at_risk = risk_table(time, event)
    c = deaths * (at_risk - deaths) / (at_risk**2.0 * np.maximum(1, at_risk - 1))
    variance = np.zeros(len(starts) - 1)
    together = max(1, CELLS // len(time))
    for first in range(0, len(t), together):
        k = slice(first, first + together)
        is_at_risk = (time[:, None] >= t[k]).astype(float)
        left = np.add.reduceat(is_at_risk, starts).cumsum(axis=0)[:-1]
        variance += (left * (at_risk[k] - left)) @ c[k]
    return variance


# --- growing ----------------------------------------------------------------------------------

class SurvivalData(NamedTuple):
    """What survival trees are grown on: X (n, p), time (n,), event (n,) bool, and `times` (T,),
    the grid on which a leaf's hazard is predicted."""

    X: NDArray
    time: NDArray
    event: NDArray
    times: NDArray
    names: tuple


class Limits(NamedTuple):
    """What stops a node from being split, and how many columns it may look at (None: all)."""

    max_depth: int | None
    min_samples_leaf: int
    n_candidates: int | None = None


def grow_survival_forest(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_trees: int = 100,
    max_features: float | str | None = "sqrt",
    max_depth: int | None = None,
    min_samples_leaf: int = 15,
    times: ArrayLike | None = None,
    rng: Seed = 0,
) -> Forest:
    """A random survival forest: the mean hazard of trees grown on bootstrap samples.

    Every node is split where the log-rank statistic is largest; a leaf predicts its rows' hazard.

    X : (n, p) numbers
    y : (n, 2), columns time and event (1, or 0 where censored), or a record array (event, time)
    n_trees : trees; max_features : candidates at each node, as in grow_cart
    max_depth : levels of questions, or None
    min_samples_leaf : rows on each side of a split, counted as often as they were drawn
    times : (T,) ascending times at which the hazard is predicted, by default all event times
    -> Forest with T outputs and in_bag (n_trees, n); `as_risk` turns it into one number a row.
        A node's value is nelson_aalen of its rows at `times`; its impurity is NaN, as the log-rank
        rule has none

    Source: Ishwaran et al. (2008), sec. 2 to 4.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.column_stack([rng.exponential(np.exp(-2 * X[:, 0])), np.ones(200)])
    >>> risk = as_risk(grow_survival_forest(X, y, n_trees=20))
    >>> low, high = risk.predict([[-1.0, 0, 0], [1.0, 0, 0]])
    >>> bool(low < high)
    True
    """
    rng = own_stream(rng, "grow survival forest")
    data = _check(X, y, times)
    check_limits(max_depth, min_samples_leaf)
    n_candidates = number_of_features(max_features, len(data.names))
    limits = Limits(max_depth, min_samples_leaf, n_candidates)
    n_rows = len(data.time)
    in_bag = bootstrap_counts(n_rows, check_count(n_trees, "n_trees"), rng=rng)
    trees = [_grow(data, np.repeat(np.arange(n_rows), counts), limits, rng) for counts in in_bag]
    return mean_of_trees(trees, in_bag)


def _grow(
    data: SurvivalData,
    rows: NDArray,
    limits: Limits,
    rng: np.random.Generator | None = None,
) -> Tree:
    """One tree on `rows`, repeated as they were drawn; with `rng` columns come in random order."""
    p = len(data.names)

    def choose(rows):
        columns = np.arange(p) if rng is None else rng.permutation(p)
        return _best_cut(data, rows, columns, limits)

    grown = grow_by(choose, data.X, rows, limits.max_depth)
    hazards = [_hazard(data.time[here], data.event[here], data.times) for here in grown.rows]
    return Tree(
        **questions_of(grown.splits),
        impurity=np.full(len(grown.rows), np.nan),
        n_node_samples=np.array([len(np.unique(here)) for here in grown.rows]),
        weighted_n_node_samples=np.array([float(len(here)) for here in grown.rows]),
        value=np.array(hazards),
        names=data.names,
        criterion=CRITERION,
    )


def _best_cut(
    data: SurvivalData,
    rows: NDArray,
    columns: NDArray,
    limits: Limits,
) -> Split | None:
    """The cut of largest statistic among the first n_candidates of the columns that vary."""
    if len(rows) < 2 * limits.min_samples_leaf or not data.event[rows].any():
        return None
    best, looked_at = None, 0
    for j in columns:
        column = data.X[rows, j]
        if looked_at == limits.n_candidates:
            break
        if column.min() == column.max():
            continue
        looked_at += 1
        cut = _best_cut_of(j, column, data.time[rows], data.event[rows], limits.min_samples_leaf)
        if cut is not None and (best is None or cut.decrease > best.decrease * (1 + TIE)):
            best = cut
    return best


def _best_cut_of(j, column, time, event, min_samples_leaf) -> Split | None:
    """The first cut of this column with the largest statistic, or None if none is above 0."""
    thresholds, n_left, statistics = cut_statistics(column, time, event)
    smaller_side = np.minimum(n_left, len(column) - n_left)
    statistics = np.where(smaller_side >= min_samples_leaf, statistics, 0.0)
    k = int((statistics >= statistics.max() * (1 - TIE)).argmax())
    if statistics[k] == 0:
        return None
    return Split(int(j), float(thresholds[k]), float(statistics[k]))


def as_risk(model: Tree | Forest) -> Tree | Forest:
    """Turn a survival tree or forest into one of risk scores: hazards added up over all times.

    It ranks rows, high means early. Ishwaran et al. (2008), sec. 4, add up over the times of all
    training rows and call it ensemble mortality; here every time of the grid counts once, by
    default every event time, as in scikit-survival.

    -> the same with value summed over outputs, so that predict gives (n,)
    Source: Ishwaran et al. (2008), ensemble mortality.

    >>> X, y = [[0], [1]] * 10, [[1, 1], [2, 1]] * 10
    >>> forest = grow_survival_forest(X, y, n_trees=5, min_samples_leaf=1, max_features=None)
    >>> as_risk(forest).predict([[0], [1]]).round(1)
    array([2., 1.])
    """
    trees = model.trees if isinstance(model, Forest) else (model,)
    if not all(isinstance(tree, Tree) and tree.criterion == CRITERION for tree in trees):
        raise ValueError(
            f"as_risk takes a survival tree or forest, but got {type(model).__name__}: "
            "grow one with grow_survival_forest.")
    if isinstance(model, Tree):
        return replace(model, value=model.value.sum(axis=1, keepdims=True))
    return replace(
        model,
        trees=tuple(as_risk(tree) for tree in model.trees),
        base=np.array([np.sum(model.base)]),
    )


# --- what comes in ----------------------------------------------------------------------------

def _check(X: ArrayLike, y: ArrayLike, times: ArrayLike | None) -> SurvivalData:
    """Check the table and the target -> SurvivalData."""
    X, names = check_table(X)
    time, event = survival_target(y, len(X))
    check_someone_has_it(event, what="y")
    by_column = np.asfortranarray(X)  # columns are what is looked at
    return SurvivalData(by_column, time, event, _grid(times, time, event), names)


def _grid(times: ArrayLike | None, time: NDArray, event: NDArray) -> NDArray:
    """The times at which a hazard is computed: all event times, or those given."""
    if times is None:
        return np.unique(time[event])
    times = as_floats(times, "times")
    is_grid = times.ndim == 1 and times.size > 0 and np.isfinite(times).all()
    if not is_grid or (np.diff(times) <= 0).any():
        raise ValueError(
            f"times has shape {times.shape}, "
            "expected finite times in ascending order, each once, such as [365, 730].")
    return times


def _times_and_events(time: ArrayLike, event: ArrayLike) -> tuple[NDArray, NDArray]:
    """Check times and events, of which at least one happened."""
    time, event = times_and_events(time, event)
    check_someone_has_it(event)
    return time, event
