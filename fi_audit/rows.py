"""Look at the rows: entered twice, seen in training, related without a word, and in time.

Rows of one person, site or batch are not independent: intervals are then too narrow, and a random
split lets a model recognise them. The skills compared here are those of small forests that the
audit grows itself, by two ways of holding rows out.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from fi_audit.columns import ALIKE, looks_dated
from fi_audit.data import LEAST_ROWS, AuditData, as_times
from fi_audit.intervals import mean_with_interval
from fi_audit.results import Finding, listed, percent
from fi_teach.basics.encoding import as_numbers, is_words
from fi_teach.basics.folds import grouped_folds, stratified_folds
from fi_teach.trees.forest import grow_forest

ROUNDED = 0.05  # of a column's standard deviation: what near copies are rounded to
COPIES_SEEN = 0.01  # a share of the test rows from which copies are worth a word
COPIES_TOO_MANY = 0.05  # and from which no figure of the test can be believed
FOLDS = 5
N_TREES = 10
ROWS_SPLIT = 3000
FLATTERED = 0.05  # of the squared error, from which a random split is worth a question
ORDERS = 19  # random ones, beside which the order in time is held
SHORT = 1.5  # times nearer than the spacing of the other rows predicts


# --- the same rows twice ---


def check_copies(data: AuditData) -> list[Finding]:
    """Find rows that occur more than once, in the table and on both sides of the split."""
    stream, sample = data.stream("copies"), data.X.iloc[data.sample].reset_index(drop=True)
    shuffled = pd.DataFrame(
        {name: sample[name].array.take(stream.permutation(len(sample))) for name in sample})
    keys, rough = _row_keys(data.X, data.y), _row_keys(data.X, None)
    by_chance = _repeated(_row_keys(shuffled, stream.permutation(data.y[data.sample])))
    repeated, alone = _repeated(keys), _repeated(_row_keys(shuffled, None))
    many = repeated > COPIES_SEEN and repeated > 2 * by_chance
    within = Finding(
        "rows entered twice", "ask" if many else "well",
        f"{percent(repeated)} of the {len(keys):,} rows repeat another one exactly, target "
        f"included; with the columns shuffled {percent(by_chance)} would.", (),
        {"repeated": repeated, "by chance": by_chance},
        "Ask whether rows were entered twice: then there are fewer cases than rows."
        if many else "")
    name = "the same rows in training and test"
    if not len(data.train):
        return [within, Finding(name, "not asked", "Not looked for: the rows that the model was "
                                "fitted on were not given.")]
    exact, near = (float(np.isin(some[data.test], some[~data.held_out]).mean())
                   for some in (keys, rough))
    stop = exact > COPIES_TOO_MANY and exact > 2 * by_chance
    seen = (exact > COPIES_SEEN and exact > 2 * by_chance) or (
        near > COPIES_TOO_MANY and near > 2 * alone)
    return [within, Finding(
        name, "stop" if stop else "ask" if seen else "well",
        f"{percent(exact)} of the test rows stand among the training rows exactly, target "
        f"included, and {percent(near)} have a near copy of their columns there; with the columns "
        f"shuffled it would be {percent(by_chance)} and {percent(alone)}.", (),
        {"exact": exact, "near": near, "exact by chance": by_chance, "near by chance": alone},
        "Keep copies on one side of the split: a model can know such rows by heart."
        if stop or seen else "")]


def _row_keys(X: pd.DataFrame, y: NDArray | None) -> NDArray:
    """Hash each row: equal rows have equal keys; without y, numbers are rounded first."""
    numbers = as_numbers(X)[0]
    if y is None:
        measured = [j for j, kind in enumerate(X.dtypes) if not is_words(kind)]
        scale = np.maximum(numbers[:, measured].std(axis=0), 1e-300) * ROUNDED
        numbers[:, measured] = np.round(numbers[:, measured] / scale)
    else:
        numbers = np.column_stack([numbers, pd.factorize(y)[0]])
    return pd.util.hash_pandas_object(pd.DataFrame(numbers), index=False).to_numpy()


def _repeated(keys: NDArray) -> float:
    return float(pd.Series(keys).duplicated().mean())


# --- rows that belong together ---


def check_related(data: AuditData) -> Finding:
    """Are there rows that belong together, announced or not?"""
    if "groups" in data.metadata:
        return _announced(data)
    name, recur, nearer = "related rows", _recurring_columns(data), _nearness(data)
    figures = {"nearer": nearer, "recurring columns": float(len(recur))}
    n = len(data.table)
    could_name_groups = [
        name for name in data.table if name not in data.names and not looks_dated(data.table[name])
        and 2 <= n / max(1, data.table[name].nunique()) <= 0.2 * n]
    parts = []
    if recur:
        parts.append(f"In {listed(recur)} exact values recur though few would by chance.")
    if nearer > SHORT:
        parts.append(f"Rows have neighbours {nearer:.1f} times nearer than the spacing of the "
                     "others predicts.")
    if parts:
        hint = "--groups " + (could_name_groups or ["COLUMN"])[0]
        return Finding(
            name, "ask", " ".join([*parts, "Do rows share a person, a site or a batch?"]),
            tuple(recur), figures, "Ask whether some rows belong to the same person, site or "
            f"batch. If so, run again with {hint}: until then the intervals are too narrow.")
    if np.isfinite(nearer):
        return Finding(name, "well", "No sign of rows that belong together.", (), figures)
    return Finding(name, "not asked", "Not looked for: it takes two columns of measurements.", (),
                   figures, "Do some rows share a person, a site or a batch? If so, run again with "
                   "--groups.")


def _recurring_columns(data: AuditData) -> list[str]:
    """Measurements of many digits whose exact values recur: a height that five rows share."""
    found = []
    for name in data.names:
        column = data.X[name].dropna()
        if not is_numeric_dtype(column) or is_bool_dtype(column) or len(column) < 30:
            continue
        values, counts = np.unique(column.to_numpy(dtype=float), return_counts=True)
        if len(values) < 10:
            continue
        # whole numbers in another unit recur too, but lie on a grid, and rare ones occur once
        spacing = max(float(np.quantile(np.diff(values), 0.1)), 1e-12)
        on_grid = (values[-1] - values[0]) / spacing < 4 * len(values)
        if not on_grid and (counts == 1).mean() < 0.1 and counts.max() < 0.1 * len(column):
            found.append(name)
    return found


def _nearness(data: AuditData) -> float:
    """How many times nearer a row's nearest neighbours are than the spacing of rows predicts.

    Distances to the 1st, 2nd, 4th, ... neighbour grow by a steady factor where rows are
    independent: k rows fill a volume that grows as k. Rows that belong together make the first
    distances short. NaN with fewer than two columns of measurements.
    """
    columns = [name for name in data.names if is_numeric_dtype(data.X[name])
               and data.X[name].nunique() > max(30, 0.5 * data.X[name].count())]
    if len(columns) < 2 or len(data.X) < 100:
        return np.nan
    rows = data.some(np.arange(len(data.X)), 20_000, "neighbours")
    ranks = data.X[columns].iloc[rows].rank(pct=True).fillna(0.5).to_numpy()
    asked = data.stream("asked neighbours").permutation(len(ranks))[:300]
    most = int(min(128, len(ranks) // 4))
    steps = [2**k for k in range(int(np.log2(most)) + 1)]
    square = (ranks**2).sum(axis=1)
    distances = square[asked, None] + square - 2 * ranks[asked] @ ranks.T
    distances[np.arange(len(asked)), asked] = np.inf
    sorted_ = np.sqrt(np.maximum(np.partition(distances, most, axis=1)[:, :most + 1], 1e-18))
    sorted_.sort(axis=1)
    grow = np.median(np.log(sorted_[:, [k - 1 for k in steps]]), axis=0)
    usual = np.median(np.diff(grow)[-3:])
    return float(np.exp(np.max(grow[-3] - grow[:-3] - usual * np.arange(len(grow) - 3, 0, -1))))


def _announced(data: AuditData) -> Finding:
    """Does a forest do worse on groups it has not met than on rows of groups it has?"""
    rows = data.some(data.sample, ROWS_SPLIT, "split")
    units = np.unique(data.metadata["groups"][rows], return_inverse=True)[1]
    n_units = units.max() + 1
    shared = float(np.isin(data.metadata["groups"][data.test],
                           data.metadata["groups"][~data.held_out]).mean())
    if n_units < 2 * FOLDS:
        return Finding("related rows", "ask", f"The rows come in {n_units} groups: too few to hold "
                       "some out, and to say how figures vary between groups.", (),
                       {"shared": shared}, "Bring more groups before you speak of any other than "
                       "these.")
    stream = data.stream("split by group")
    splits = [[(np.setdiff1d(np.arange(len(rows)), part), part) for part in folds] for folds in (
        grouped_folds(units, FOLDS, stream), stratified_folds(np.zeros(len(rows)), FOLDS, stream))]
    numbers, targets = as_numbers(data.X.iloc[rows])[0], data.targets[rows]
    losses = [_forest_losses(data, numbers, targets, some) for some in splits]
    figures = _compared(data, rows, units, losses) | {"shared": shared}
    text = (f"Held out by whole groups a forest removes {percent(figures['apart'])} of the squared "
            f"error, held out at random {percent(figures['at random'])} ({n_units} groups). "
            f"{percent(shared)} of the test rows are of groups in training.")
    worse = figures["low"] > 0 and figures["gap"] > FLATTERED and shared > 0
    return Finding("related rows", "ask" if worse else "well", text, (), figures,
                   "Judge the model on groups that it has not met: it recognises the groups that "
                   "it was fitted on." if worse else "")


def _compared(
    data: AuditData, rows: NDArray, units: NDArray | None, losses: list[NDArray]
) -> dict[str, float]:
    """Skills of forests asked about rows that were held out apart and at random, and the gap."""
    spread = data.targets[rows].var(axis=0).sum()
    apart, at_random = (float(1 - one.mean() / spread) for one in losses)
    gap, low, high = mean_with_interval(losses[0] - losses[1], data.weights_of(rows), units)
    return {"apart": apart, "at random": at_random, "gap": gap / spread, "low": low / spread,
            "high": high / spread}


def _forest_losses(
    data: AuditData, numbers: NDArray, targets: NDArray, splits: list[tuple[NDArray, NDArray]]
) -> NDArray:
    """Squared error of each row that a split (rows learned, rows asked) asks about -> (n,)."""
    losses = np.full(len(numbers), np.nan)
    for learned, asked in splits:
        forest = grow_forest(numbers[learned], targets[learned], n_trees=N_TREES,
                             min_samples_leaf=5, criterion="variance", rng=data.stream("forest"))
        losses[asked] = ((forest.raw(numbers[asked]) - targets[asked]) ** 2).sum(axis=1)
    return losses


# --- time ---


def _time_splits(time: NDArray, stream: np.random.Generator) -> tuple[list, list]:
    """Split the later two thirds by time and at random, (rows learned, rows asked) each.

    By time each third is asked about by what came before it; at random as many rows are learned.
    """
    by_time, at_random = [], []
    third = np.minimum(3 * pd.Series(time).rank(pct=True), 2).astype(int)  # one time, one third
    for k in (1, 2):
        asked, before = np.flatnonzero(third == k), np.flatnonzero(third < k)
        if min(len(asked), len(before)) < LEAST_ROWS / 2:
            continue
        by_time.append((before, asked))
        for part in stratified_folds(np.zeros(len(asked)), 3, stream):
            others = np.setdiff1d(np.arange(len(time)), asked[part])
            at_random.append((stream.choice(others, len(before), replace=False), asked[part]))
    return by_time, at_random


def _is_chance(losses: list[list[NDArray]]) -> bool:
    """Does the first order, that in time, cost no more than the others, drawn at random, do?

    All rows asked share the last leaf of a column that goes with the time, and so its error,
    which an interval over rows does not know.
    """
    ratio, *others = (np.log(early.mean() / mixed.mean()) for early, mixed in losses)
    return bool(ratio < np.mean(others) + 3 * np.std(others, ddof=1))


def check_time(data: AuditData) -> Finding:
    """Try a split by time beside the random one, where a time was given or a date column found."""
    name, is_given = "time", "time" in data.metadata
    dates = tuple(column for column in data.table if looks_dated(data.table[column]))
    if is_given:
        time, which = data.metadata["time"], data.column_names.get("time", "the given time")
        found = f"'{which}' holds the time."
    elif dates:
        time, which = as_times(data.table[dates[0]], dates[0]), dates[0]
        found = f"{listed(dates)} {'hold' if len(dates) > 1 else 'holds'} dates."
    else:
        return Finding(name, "well", "No column holds dates, and no time was given.")
    rows = data.some(np.flatnonzero(np.isfinite(time)), ROWS_SPLIT, "split")
    stream = data.stream("split by time")
    splits = _time_splits(time[rows], stream)
    late = [row for _, asked in splits[0] for row in asked]
    if not late:
        return Finding(name, "note", found + " Too few different times to split by.", dates)
    numbers = np.column_stack([time[rows], as_numbers(data.X.iloc[rows])[0]])
    ranks = pd.DataFrame(numbers).rank(pct=True)
    is_clock = (ranks.corrwith(ranks[0]).abs() >= ALIKE).to_numpy()

    def by_split(order):  # which row's target, and columns other than clocks, each time is given
        dealt = np.where(is_clock, numbers, numbers[order])
        return [_forest_losses(data, dealt, data.targets[rows][order], some)[late]
                for some in splits]
    losses = by_split(np.arange(len(rows)))
    figures = _compared(data, rows[late], data.groups_of(rows[late]), losses)
    text = (f"{found} Fitted on earlier rows and asked about the third that comes next, a forest "
            f"that knows the time removes {percent(figures['apart'])} of the squared error; held "
            f"out at random {percent(figures['at random'])}.")
    verdict, ask = "well" if is_given else "note", ""
    dealt_anew = (by_split(stream.permutation(len(rows))) for _ in range(ORDERS))
    if figures["low"] > 0 and figures["gap"] > FLATTERED and not _is_chance([losses, *dealt_anew]):
        verdict, ask = "ask", ("Judge the model on rows later than those it was fitted on (--time "
                               f"{which}): a random split flatters it.")
    elif not is_given:
        ask = f"If '{which}' says when a row was decided, run again with --time {which}."
    about = (which,) if which in data.table else ()
    return Finding(name, verdict, text, about, figures, ask)
