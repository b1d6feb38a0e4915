"""Answer the four questions of chapter 13, each by its own measure.

    associated   what the column tells alone: held-out skill of the means in its bins
    used         what this model loses when the column is shuffled, single and in groups
    relevant     what nobody else tells: shuffled among rows alike in the others, and what a refit
                 loses that never saw it; both must be clear of zero
    causal       no measure of these rows answers it
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.inputs import AuditInputs
from fi_audit.intervals import share_removed, times_error
from fi_audit.results import Measure
from fi_teach.basics.encoding import as_numbers
from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.folds import fold_error, grouped_folds, stratified_folds
from fi_teach.basics.results import Importance
from fi_teach.basics.tables import blanked, positions_of
from fi_teach.importance.conditional import conditional_importance
from fi_teach.importance.permutation import permutation_importance

BINS = 10
FOLDS = 5
Clusters = tuple[tuple[str, ...], ...]


def title(members: tuple[str, ...]) -> str:
    """Name a group by its columns, at most three of them.

    >>> title(("a", "b", "c", "d", "e"))
    'a + b + c + 2 more'
    """
    more = f" + {len(members) - 3} more" if len(members) > 3 else ""
    return " + ".join(members[:3]) + more


def units_of(inputs: AuditInputs, clusters: Clusters) -> dict[str, tuple[str, ...]]:
    """List the groups of columns, then every other column alone -> {title: columns}."""
    grouped = {name for members in clusters for name in members}
    alone = {name: (name,) for name in inputs.names if name not in grouped}
    return {title(members): members for members in clusters} | alone


# --- associated ---


def associated(inputs: AuditInputs) -> Measure:
    """Share of the target's variance that the means in a column's bins remove.

    Ten bins of equal size (words: each its own, rare ones together; gaps have their own), their
    means learned on four fifths of the judged rows, judged on the others.
    """
    rows = inputs.judged
    T = inputs.targets[rows]
    weights, groups = inputs.test_set.weights, inputs.test_set.groups
    folds = _folds(inputs, groups, len(rows))
    table = inputs.X.iloc[rows]
    figures = []
    for name in inputs.names:
        before, after = _by_bins(_bins(table[name]), T, folds)
        figures.append(share_removed(
            before, after, weights, groups, len(inputs.names)))
    value, low, high = np.array(figures).T
    return Measure("associated", inputs.names, value, low, high, "share of the target's spread",
                   "held-out skill of the column's bins alone")


def _bins(column: pd.Series) -> NDArray:
    """Bin a column: ten bins of a number, the words of words, missing apart -> codes (n,)."""
    numbers = as_numbers(pd.DataFrame({"column": column}))[0][:, 0]
    gap = column.isna().to_numpy()
    values = np.unique(numbers[~gap])
    if len(values) > BINS and pd.api.types.is_numeric_dtype(column):
        inner = np.quantile(numbers[~gap], np.linspace(0, 1, BINS + 1)[1:-1])
        codes = np.searchsorted(np.unique(inner), numbers, side="left")
    else:
        codes = np.searchsorted(values, numbers)
        count = np.bincount(codes, minlength=len(values) + 1)
        codes = np.where(count[codes] < 5, len(values), codes)
    return np.where(gap, -1, codes) + 1


def _by_bins(bins: NDArray, T: NDArray, folds: list[NDArray]) -> tuple[NDArray, NDArray]:
    """Squared distance of each row from the other folds' mean, and from its bin's mean there.

    A mean of m other rows is itself off by 1/m of their variance: times m / (m + 1) takes that out,
    so that small bins do not hide what the column tells.
    """
    before, after = np.zeros(len(T)), np.zeros(len(T))
    n_bins = bins.max() + 1
    for part in folds:
        rest = np.setdiff1d(np.arange(len(T)), part)
        mean = T[rest].mean(axis=0)
        count = np.bincount(bins[rest], minlength=n_bins)[:, None]
        sums = np.zeros((n_bins, T.shape[1]))
        np.add.at(sums, bins[rest], T[rest])
        means = np.where(count > 0, sums / np.maximum(count, 1), mean)
        m = np.where(count > 0, count, len(rest))[bins[part], 0]
        before[part] = ((T[part] - mean) ** 2).sum(axis=1) * len(rest) / (len(rest) + 1)
        after[part] = ((T[part] - means[bins[part]]) ** 2).sum(axis=1) * m / (m + 1)
    return before, after


def _folds(inputs: AuditInputs, groups: NDArray | None, n: int) -> list[NDArray]:
    """Split the rows into five folds, keeping groups whole."""
    stream = inputs.stream("folds")
    if groups is None:
        return stratified_folds(np.zeros(n), FOLDS, stream)
    return grouped_folds(groups, FOLDS, stream)


# --- used ---


def used(inputs: AuditInputs) -> Measure:
    """Permutation importance of each column for this model."""
    test_set = inputs.test_set
    importance = permutation_importance(
        inputs.model, inputs.X.iloc[inputs.judged], inputs.y[inputs.judged], **_settings(inputs))
    return _measure("used", importance, test_set.unit, "permutation importance of this model")


def used_together(inputs: AuditInputs, clusters: Clusters) -> Measure | None:
    """Grouped permutation importance: each group of columns is shuffled by one permutation."""
    if not clusters:
        return None
    importance = permutation_importance(
        inputs.model, inputs.X.iloc[inputs.judged], inputs.y[inputs.judged],
        feature_groups={title(members): list(members) for members in clusters}, **_settings(inputs))
    return _measure("used together", importance, inputs.test_set.unit,
                    "grouped permutation importance of this model")


def conditional(inputs: AuditInputs) -> Measure:
    """Conditional importance: shuffle a column among rows that are alike in the others."""
    importance = conditional_importance(
        inputs.model, inputs.X.iloc[inputs.judged], inputs.y[inputs.judged], **_settings(inputs))
    return _measure("conditional", importance, inputs.test_set.unit,
                    "conditional importance of this model (within subgroups)")


def _settings(inputs: AuditInputs) -> dict:
    groups = inputs.metadata.get("groups")
    return {
        "loss": inputs.test_set.loss,
        "n_repeats": inputs.effort.repeats,
        "sample_weight": inputs.weights[inputs.judged],
        "groups": None if groups is None else groups[inputs.judged],
        "rng": inputs.seed,
    }


def _measure(question: str, importance: Importance, unit: str, how: str) -> Measure:
    reach = times_error(len(importance.names)) * importance.standard_error
    value = importance.mean
    return Measure(question, importance.names, value, value - reach, value + reach, unit, how)


# --- relevant ---


def refit_importance(inputs: AuditInputs, clusters: Clusters, order: Measure) -> Measure | None:
    """Cross-validated increase in loss of a refit without the column, or without the group.

    "Never saw": the column holds one and the same value in every row, so that pipelines which
    name their columns can be fitted too. The groups that the model uses most come first, as many
    as the effort says.
    """
    if inputs.fit is None or len(inputs.fitted) < 2 * FOLDS:
        return None
    units = _most_used(units_of(inputs, clusters), order, inputs.effort.refitted)
    rows = inputs.fitted
    whole = inputs.X.iloc[rows]
    y = inputs.y[rows]
    folds = _folds(inputs, _codes(inputs, rows), len(rows))
    draws = np.zeros((len(units), len(folds)))
    for k, part in enumerate(folds):
        rest = np.setdiff1d(np.arange(len(rows)), part)
        before = _judged(inputs, whole, y, rest, part)
        for j, members in enumerate(units.values()):
            without = blanked(whole, positions_of(members, whole))
            after = _judged(inputs, without, y, rest, part)
            draws[j, k] = np.average(after - before, weights=inputs.weights[rows[part]])
    error = fold_error(draws)
    value, reach = draws.mean(axis=1), times_error(len(units)) * error
    return Measure("relevant", tuple(units), value, value - reach, value + reach,
                   inputs.test_set.unit,
                   f"refits without the column, {len(folds)} folds of {len(rows):,} rows")


def _most_used(units: dict, order: Measure, most: int) -> dict:
    """Return the groups of columns that the model uses most."""
    size = {name: max(order.row(member)[0] for member in units[name]) for name in units}
    first = sorted(size, key=lambda name: -size[name])[:most]
    return {name: units[name] for name in first}


def _judged(
    inputs: AuditInputs, X: pd.DataFrame, y: NDArray, rest: NDArray, part: NDArray
) -> NDArray:
    model = inputs.refit(X.iloc[rest], y[rest])
    test_set = Evaluation(model, X.iloc[part], y[part], inputs.test_set.loss, whole=inputs.y)
    return test_set.losses_before


def _codes(inputs: AuditInputs, rows: NDArray) -> NDArray | None:
    groups = inputs.metadata.get("groups")
    if groups is None:
        return None
    codes = np.unique(groups[rows], return_inverse=True)[1]
    return codes if codes.max() + 1 >= 2 * FOLDS else None
