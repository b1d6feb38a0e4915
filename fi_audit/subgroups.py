"""Compare the model's error between groups and between periods."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.inputs import AuditInputs
from fi_audit.intervals import mean_with_interval, number
from fi_audit.results import Subgroup

MOST_GROUPS = 8
N_PERIODS = 4
LEAST = 20  # rows, fewer bear no figure


def by_protected(inputs: AuditInputs) -> tuple[Subgroup, ...]:
    """Evaluate the model on each group of the protected column: error, mean prediction, rates."""
    if "protected" not in inputs.metadata:
        return ()
    labels = inputs.metadata["protected"][inputs.judged]
    names, counts = np.unique(labels.astype(str), return_counts=True)
    if len(names) < 2:
        return ()
    if len(names) > MOST_GROUPS:
        labels = _in_quarters(labels)
        names, counts = np.unique(labels, return_counts=True)
    column = inputs.column_names.get("protected")
    labels, names = labels.astype(str), names[counts >= LEAST]
    if column:
        labels = np.array([f"{column} = {label}" for label in labels])
        names = np.array([f"{column} = {name}" for name in names])
    return _subgroups(inputs, "group", labels, names)


def by_period(inputs: AuditInputs) -> tuple[Subgroup, ...]:
    """Evaluate the model in four periods with equally many test rows."""
    if "time" not in inputs.metadata:
        return ()
    time = inputs.metadata["time"][inputs.judged]
    inner = np.quantile(time, np.linspace(0, 1, N_PERIODS + 1)[1:-1])
    which = np.searchsorted(inner, time, side="right")
    when = inputs.metadata["when"][inputs.judged]
    names = np.array([
        f"period {k + 1}, from {_day(when[which == k][time[which == k].argmin()])}"
        if (which == k).any() else "" for k in range(N_PERIODS)])
    labels = names[which]
    present = [name for name in names if (labels == name).sum() >= LEAST]
    return _subgroups(inputs, "period", labels, np.array(present))


def _day(when: object) -> str:
    """Format a date without its hour, or a number.

    >>> _day(np.datetime64("2024-05-31T12:00")), _day("2024-05-31 12:00"), _day(1234.5)
    ('2024-05-31', '2024-05-31', '1,234')
    """
    return number(float(when)) if isinstance(when, int | float | np.number) else str(when)[:10]


def _in_quarters(labels: NDArray) -> NDArray:
    """Split a protected number, such as an age, into four groups of equal size."""
    values = pd.to_numeric(pd.Series(labels), errors="coerce")
    if values.isna().any():
        largest = pd.Series(labels.astype(str)).value_counts().index[:MOST_GROUPS]
        return np.where(np.isin(labels.astype(str), largest), labels.astype(str), "all others")
    return pd.qcut(values, 4, duplicates="drop").astype(str).to_numpy()


def _subgroups(
    inputs: AuditInputs, kind: str, labels: NDArray, names: NDArray
) -> tuple[Subgroup, ...]:
    test_set = inputs.test_set
    predicted, observed = _as_numbers(inputs)
    parts = []
    for name in names:
        rows = np.flatnonzero(labels == name)
        weights = test_set.weights[rows] / test_set.weights[rows].mean()
        groups = None if test_set.groups is None else np.unique(test_set.groups[rows],
                                                            return_inverse=True)[1]
        if groups is not None and groups.max() == 0:
            groups = None
        mean, low, high = mean_with_interval(
            test_set.losses_before[rows], weights, groups, len(names))
        parts.append(Subgroup(
            kind, str(name), len(rows), mean, low, high, float(predicted[rows].mean()),
            float(observed[rows].mean()), _rates(inputs, rows)))
    return tuple(parts)


def _as_numbers(inputs: AuditInputs) -> tuple[NDArray, NDArray]:
    """Prediction and outcome as one number a row: for classes, the probability of the last."""
    y = inputs.y[inputs.judged]
    if not inputs.is_classification:
        return inputs.test_set.prediction_before.astype(float), y.astype(float)
    last = np.unique(inputs.y)[-1]
    happened = (y == last).astype(float)
    said = inputs.test_set.prediction_before
    if said.ndim == 2:
        return said[:, -1], happened
    return (said == last).astype(float), happened


def _rates(inputs: AuditInputs, rows: NDArray) -> dict[str, float]:
    """For two classes: how often the second is predicted, and how often rightly and wrongly."""
    labels = np.unique(inputs.y)
    if not inputs.is_classification or len(labels) != 2 or inputs.model.is_function:
        return {}
    said = inputs.model.predict(inputs.test_set.X, arranged=True)[rows] == labels[-1]
    happened = inputs.y[inputs.judged][rows] == labels[-1]
    return {
        "said": float(said.mean()),
        "found": float(said[happened].mean()) if happened.any() else float("nan"),
        "false alarms": float(said[~happened].mean()) if (~happened).any() else float("nan"),
    }


def gap(parts: tuple[Subgroup, ...]) -> tuple[Subgroup, Subgroup, float, float, float] | None:
    """The subgroups with the smallest and the largest error, and the gap with its interval."""
    if len(parts) < 2:
        return None
    best, worst = min(parts, key=lambda p: p.loss), max(parts, key=lambda p: p.loss)
    difference = worst.loss - best.loss
    reach = np.hypot(worst.high - worst.loss, best.high - best.loss)
    return best, worst, difference, difference - reach, difference + reach
