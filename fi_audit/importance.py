"""Answer the four questions of chapter 13, each by its own measure.

    associated   what a column tells alone: held-out skill of the means in its bins
    used         what this model loses when a column, or a correlated group, is shuffled
    conditional  the same, shuffled only among rows that are alike in the other columns
    relevant     what a copy loses that was fitted without it (only where refits are allowed)
    causal       no measure of these rows answers it

A shuffle's differences have each row in two roles, receiver and donor, and in a ranking in a third,
the reference; its influence value adds all of them (chapter 6).
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.data import AuditData, fitted_again
from fi_audit.intervals import critical_value, share_of
from fi_audit.results import Measure
from fi_audit.skill import Score, squared_distance
from fi_teach.basics.encoding import as_numbers
from fi_teach.basics.folds import fold_error, grouped_folds, stratified_folds
from fi_teach.basics.shuffles import shuffles, swap, variance_of_mean
from fi_teach.basics.tables import blanked, positions_of
from fi_teach.basics.target import places_among
from fi_teach.importance.conditional import shuffle_within, subgroups

BINS = 10
FOLDS = 5
IN_PLAY = 12  # columns beside the clear ones of which null copies and conditions are asked
Members = tuple[tuple[str, ...], ...]


class Shuffler:
    """Shuffles columns of the test rows and measures what it costs, with influence values."""

    def __init__(self, data: AuditData, score: Score) -> None:
        self.data, self.score = data, score
        self.table = data.X.iloc[data.test[score.rows]].reset_index(drop=True)

    def cost(
        self, members: tuple[str, ...], donors: NDArray, within: NDArray | None = None,
        table: pd.DataFrame | None = None,
    ) -> tuple[float, NDArray, float]:
        """Mean loss added by a shuffle -> value, influence values (n,), standard error.

        donors (n, K) : row i takes the columns' values from row donors[i, k]
        within (n,) int : rows swap inside these subgroups only; table : in place of the test rows
        """
        n, n_repeats = donors.shape
        score, weights, scale = self.score, self.score.weights, self.score.parts.scale
        columns, asked = positions_of(list(members), self.table), self.data.model.asks_about
        if asked is not None and asked.isdisjoint(columns):
            return 0.0, np.zeros(n), 0.0
        before, before_referred = (
            score.before if table is None else score.parts(self.data.predict(table)))
        table = self.table if table is None else table
        said = self.data.predict(swap(table, columns, np.arange(n), donors))
        said = said.reshape(n, n_repeats, *said.shape[1:])
        after = [score.parts(said[:, k]) for k in range(n_repeats)]
        gains = np.column_stack([own for own, _ in after]) - before[:, None]
        value = float((weights[:, None] * gains).mean())
        around = weights[:, None] * (gains - value * scale[:, None])
        receiver = around.mean(axis=1)
        donor = np.bincount(donors.ravel(), weights=around.ravel(), minlength=n) / n_repeats
        centre = np.zeros(n)
        if within is not None:
            centre = (np.bincount(within, weights=receiver) / np.bincount(within))[within]
        psi = receiver + donor - centre
        if before_referred is not None:
            referred = np.mean([one for _, one in after], axis=0) - before_referred
            psi = psi + weights * (referred - value * scale)
        noise = ((around - centre[:, None]) ** 2).mean() / n_repeats / n
        variance = variance_of_mean(psi, score.groups) - noise
        if variance <= 0:  # on few rows: then the receiver's half is known
            variance = variance_of_mean(receiver, score.groups)
        return value, psi, float(np.sqrt(variance))

    def measure(
        self, question: str, members: Members, costs: list[tuple[float, NDArray, float]], how: str
    ) -> Measure:
        """Put figures, simultaneous intervals and shares of the skill together."""
        value, error = (np.array([cost[k] for cost in costs]) for k in (0, 2))
        psi = np.column_stack([cost[1] for cost in costs])
        score, groups = self.score, self.score.groups
        times = critical_value(psi, groups, self.data.stream(f"intervals: {question}"))
        share = np.full((3, len(members)), np.nan)
        if score.clear:
            whole_error = np.sqrt(variance_of_mean(score.psi, groups))
            covariance = np.array([
                variance_of_mean(one + score.psi, groups)
                - variance_of_mean(one - score.psi, groups) for one in psi.T]) / 4
            covariance = np.clip(covariance, -error * whole_error, error * whole_error)
            share = share_of(value, error, score.drop, float(whole_error), covariance, times)
        return Measure(question, members, value, value - times * error, value + times * error,
                       share, score.unit, how)


# --- used ---


def used(shuffler: Shuffler, members: Members, question: str = "used") -> Measure:
    """Permutation importance of each column, or of each group of columns as one."""
    data, n, stream = shuffler.data, len(shuffler.table), shuffler.data.stream(question)
    costs = [shuffler.cost(one, shuffles(n, data.budget.repeats, stream)) for one in members]
    what = "each group's columns by the same permutations" if question != "used" else "each column"
    return shuffler.measure(
        question, members, costs, f"permutation importance of {data.subject}, {what}: "
        f"{data.budget.repeats} shuffles of {n:,} rows")


def in_play(measure: Measure) -> Members:
    """Return the columns that are clear of zero, and the largest others."""
    others = [j for j in measure.order if not measure.clear[j] and measure.value[j] > 0][:IN_PLAY]
    return tuple(measure.members[j] for j in measure.order if measure.clear[j] or j in others)


def null_copies(shuffler: Shuffler, members: Members) -> Measure:
    """Permutation importance of each column, shuffled beforehand: how large nothing looks."""
    data, n, stream = shuffler.data, len(shuffler.table), shuffler.data.stream("null copies")
    costs = []
    for one in members:
        columns = positions_of(list(one), shuffler.table)
        copy = swap(shuffler.table, columns, np.arange(n), stream.permutation(n)[:, None])
        costs.append(shuffler.cost(one, shuffles(n, data.budget.repeats, stream), table=copy))
    return shuffler.measure("null copies", members, costs,
                            "permutation importance of a copy that was shuffled beforehand")


def conditional(shuffler: Shuffler, members: Members) -> Measure:
    """Conditional importance: a column is shuffled among rows that are alike in the others."""
    data, stream, costs = shuffler.data, shuffler.data.stream("conditional"), []
    for one in members:
        within = subgroups(shuffler.table, one[0])
        drawn = [shuffle_within(within, stream) for _ in range(data.budget.repeats)]
        costs.append(shuffler.cost(one, np.stack(drawn, axis=1), within))
    return shuffler.measure(
        "conditional", members, costs, f"conditional importance of {data.subject}: "
        "shuffled among rows in the same leaf of a tree that predicts the column from the others")


# --- relevant ---


def relevant(shuffler: Shuffler, units: Members, order: Measure) -> Measure | str:
    """Cross-validated loss of copies of the model that were fitted without a column or a group.

    "Without": the column holds one and the same value in every row, so that pipelines which name
    their columns can be fitted too. -> a Measure, or why it could not be asked
    """
    data = shuffler.data
    if data.learner is None:
        return data.no_refit or "it takes refits, which were not asked for (--refit)."
    rows = data.train if len(data.train) >= 10 * FOLDS else data.sample
    if len(rows) < 10 * FOLDS:
        return f"{len(rows)} rows are too few to fit copies on parts of them."
    largest = sorted(units, key=lambda one: -max(order.row(name)[0] for name in one))
    units = tuple(largest[: data.budget.refits])
    folds = folds_of(data, rows, "refits")
    differences = np.zeros((len(rows), len(units)))
    try:
        for part in folds:
            rest = rows[np.setdiff1d(np.arange(len(rows)), part)]
            before = _held_out_loss(data, data.X, rest, rows[part])
            for j, one in enumerate(units):
                without = blanked(data.X, positions_of(list(one), data.X))
                differences[part, j] = _held_out_loss(data, without, rest, rows[part]) - before
    except ValueError as refusal:
        return str(refusal)
    weights, groups = data.weights_of(rows), data.groups_of(rows)
    weighted = weights[:, None] * differences
    of_folds = np.array([[np.average(differences[part, j], weights=data.weights_of(rows[part]))
                          for part in folds] for j in range(len(units))])
    value = weighted.mean(axis=0)
    by_rows = np.array([np.sqrt(variance_of_mean(one - one.mean(), groups)) for one in weighted.T])
    error = np.maximum(fold_error(of_folds), by_rows)
    times = critical_value(weighted - value, groups, data.stream("intervals: relevant"))
    unit = "squared error" if data.kind == "number" else "Brier score"
    return Measure("relevant", units, value, value - times * error, value + times * error,
                   np.full((3, len(units)), np.nan), unit,
                   f"copies of the model, fitted again without the column: {len(folds)} folds of "
                   f"{len(rows):,} rows")


def _held_out_loss(data: AuditData, X: pd.DataFrame, rest: NDArray, part: NDArray) -> NDArray:
    """Squared distance of the targets from the predictions of a copy fitted on the rest."""
    learned = fitted_again(data.learner, X.iloc[rest], data.y[rest], data.weights[rest])
    other = replace(data, model=learned)
    said = other.predict(X.iloc[part])
    if data.kind == "number":
        return squared_distance(data.targets[part], said)
    if said.ndim == 1:
        said = (said[:, None] == np.arange(len(other.classes))).astype(float)
    full = np.zeros((len(part), len(data.classes)))
    place = places_among(other.classes, data.classes)
    full[:, place[place >= 0]] = said[:, place >= 0]
    return squared_distance(data.targets[part], full)


def folds_of(data: AuditData, rows: NDArray, what: str, n_folds: int = FOLDS) -> list[NDArray]:
    """Split the rows into folds, keeping groups whole and classes balanced."""
    groups, stream = data.groups_of(rows), data.stream(f"folds: {what}")
    if groups is not None and groups.max() + 1 >= 2 * n_folds:
        return grouped_folds(groups, n_folds, stream)
    labels = np.zeros(len(rows)) if data.kind == "number" else data.outcome[rows]
    return stratified_folds(labels, n_folds, stream)


# --- associated ---


def associated(data: AuditData) -> Measure:
    """Share of the target's variance that the means in a column's bins remove.

    Ten bins of equal size (words: each its own, rare ones together; gaps have their own), their
    means learned on four fifths of the rows, judged on the others.
    """
    rows = data.sample
    T, weights, groups = data.targets[rows], data.weights_of(rows), data.groups_of(rows)
    folds, table = folds_of(data, rows, "associated"), data.X.iloc[rows]
    before = _by_bins(np.zeros(len(rows), int), T, weights, folds)[:, None]
    after = np.column_stack([_by_bins(_bins(table[name]), T, weights, folds) for name in table])
    after = np.where(np.isnan(after), before, after)
    ratio = (weights @ after / (weights @ before)).round(12)  # one bin tells exactly nothing
    psi = np.where(ratio > 1e-12, weights[:, None] * (after - ratio * before), 0.0)
    psi = psi / np.maximum(weights @ after / len(rows), 1e-300)
    times = critical_value(psi, groups, data.stream("intervals: associated"))
    reach = np.array([times * np.sqrt(variance_of_mean(one, groups)) for one in psi.T])
    low, high = (1 - ratio * np.exp(sign * np.minimum(50, reach)) for sign in (1, -1))
    return Measure("associated", tuple((name,) for name in data.names), 1 - ratio, low, high,
                   np.full((3, len(ratio)), np.nan), "share of the target's variance",
                   f"held-out skill of the means in the column's bins, {len(rows):,} rows")


def _bins(column: pd.Series) -> NDArray:
    """Bin a column: ten bins of a number, the words of words, missing apart -> codes (n,)."""
    numbers = as_numbers(pd.DataFrame({"column": column}))[0][:, 0]
    gap = column.isna().to_numpy()
    values = np.unique(numbers[~gap])
    is_number = pd.api.types.is_numeric_dtype(column) or column.dtype.kind == "M"
    if len(values) > BINS and is_number:
        inner = np.quantile(numbers[~gap], np.linspace(0, 1, BINS + 1)[1:-1])
        codes = np.searchsorted(np.unique(inner), numbers, side="left")
    else:
        codes = np.searchsorted(values, numbers)
        count = np.bincount(codes, minlength=len(values) + 1)
        codes = np.where(count[codes] < 5, len(values), codes)
    return np.unique(np.where(gap, -1, codes), return_inverse=True)[1]


def _by_bins(bins: NDArray, T: NDArray, weights: NDArray, folds: list[NDArray]) -> NDArray:
    """Squared distance of each row from its bin's mean in the other folds -> (n,), NaN without one.

    A mean of m other rows is itself off by 1/m of their variance: times m / (m + 1) takes that out,
    so that small bins do not hide what the column tells.
    """
    losses = np.zeros(len(T))
    for part in folds:
        rest = np.setdiff1d(np.arange(len(T)), part)
        holds = (bins[rest] == np.arange(bins.max() + 1)[:, None]) * (weights[rest] + 1e-12)
        total = holds.sum(axis=1)
        with np.errstate(invalid="ignore"):  # 0 / 0 in a bin that the other folds do not have
            means = holds @ T[rest] / total[:, None]
            m = (total**2 / (holds**2).sum(axis=1))[bins[part]]  # Kish's number of rows
        losses[part] = ((T[part] - means[bins[part]]) ** 2).sum(axis=1) * m / (m + 1)
    return losses


def power(measure: Measure) -> float:
    """The share of the skill that these rows can show: the median half-width of unclear columns."""
    reach = measure.share[0] - measure.share[1]
    known = np.isfinite(reach)
    some = known & ~measure.clear & (measure.high > 0)
    return float(np.median(reach[some if some.any() else known])) if known.any() else np.nan

