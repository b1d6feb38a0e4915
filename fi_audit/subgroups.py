"""Does the model work equally well for everybody, and still? Error by group and by period."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.inputs import Case
from fi_audit.intervals import mean_with_interval, number
from fi_audit.results import Part

MOST_GROUPS = 8
N_PERIODS = 4
LEAST = 20  # rows, fewer bear no figure


def by_protected(case: Case) -> tuple[Part, ...]:
    """The model on each group of the protected column: error, mean prediction, rates."""
    if "protected" not in case.aside:
        return ()
    labels = case.aside["protected"][case.judged]
    names, counts = np.unique(labels.astype(str), return_counts=True)
    if len(names) < 2:
        return ()
    if len(names) > MOST_GROUPS:
        labels = _in_quarters(labels)
        names, counts = np.unique(labels, return_counts=True)
    column = case.called.get("protected")
    labels, names = labels.astype(str), names[counts >= LEAST]
    if column:
        labels = np.array([f"{column} = {label}" for label in labels])
        names = np.array([f"{column} = {name}" for name in names])
    return _parts(case, "group", labels, names)


def by_period(case: Case) -> tuple[Part, ...]:
    """The model in each quarter of the time that the judged rows span, equally many rows each."""
    if "time" not in case.aside:
        return ()
    time = case.aside["time"][case.judged]
    inner = np.quantile(time, np.linspace(0, 1, N_PERIODS + 1)[1:-1])
    which = np.searchsorted(inner, time, side="right")
    when = case.aside["when"][case.judged]
    names = np.array([
        f"period {k + 1}, from {_day(when[which == k][time[which == k].argmin()])}"
        if (which == k).any() else "" for k in range(N_PERIODS)])
    labels = names[which]
    present = [name for name in names if (labels == name).sum() >= LEAST]
    return _parts(case, "period", labels, np.array(present))


def _day(when: object) -> str:
    """A date without its hour, or a number.

    >>> _day(np.datetime64("2024-05-31T12:00")), _day("2024-05-31 12:00"), _day(1234.5)
    ('2024-05-31', '2024-05-31', '1,234')
    """
    return number(float(when)) if isinstance(when, int | float | np.number) else str(when)[:10]


def _in_quarters(labels: NDArray) -> NDArray:
    """A protected number, such as an age, in four groups of equal size."""
    values = pd.to_numeric(pd.Series(labels), errors="coerce")
    if values.isna().any():
        largest = pd.Series(labels.astype(str)).value_counts().index[:MOST_GROUPS]
        return np.where(np.isin(labels.astype(str), largest), labels.astype(str), "all others")
    return pd.qcut(values, 4, duplicates="drop").astype(str).to_numpy()


def _parts(case: Case, kind: str, labels: NDArray, names: NDArray) -> tuple[Part, ...]:
    task = case.task
    predicted, observed = _as_numbers(case)
    parts = []
    for name in names:
        rows = np.flatnonzero(labels == name)
        weights = task.weights[rows] / task.weights[rows].mean()
        groups = None if task.groups is None else np.unique(task.groups[rows],
                                                            return_inverse=True)[1]
        if groups is not None and groups.max() == 0:
            groups = None
        mean, low, high = mean_with_interval(
            task.losses_before[rows], weights, groups, len(names))
        parts.append(Part(
            kind, str(name), len(rows), mean, low, high, float(predicted[rows].mean()),
            float(observed[rows].mean()), _rates(case, rows)))
    return tuple(parts)


def _as_numbers(case: Case) -> tuple[NDArray, NDArray]:
    """Prediction and outcome as one number a row: of classes, the chance of the last."""
    y = case.y[case.judged]
    if not case.of_classes:
        return case.task.prediction_before.astype(float), y.astype(float)
    last = np.unique(case.y)[-1]
    happened = (y == last).astype(float)
    said = case.task.prediction_before
    if said.ndim == 2:
        return said[:, -1], happened
    return (said == last).astype(float), happened


def _rates(case: Case, rows: NDArray) -> dict[str, float]:
    """Of two classes: how often the second is said, and how often rightly and wrongly."""
    labels = np.unique(case.y)
    if not case.of_classes or len(labels) != 2 or case.model.is_function:
        return {}
    said = case.model.predict(case.task.X, arranged=True)[rows] == labels[-1]
    happened = case.y[case.judged][rows] == labels[-1]
    return {
        "said": float(said.mean()),
        "found": float(said[happened].mean()) if happened.any() else float("nan"),
        "false alarms": float(said[~happened].mean()) if (~happened).any() else float("nan"),
    }


def gap(parts: tuple[Part, ...]) -> tuple[Part, Part, float, float, float] | None:
    """The parts with the smallest and the largest error, and the gap with its interval."""
    if len(parts) < 2:
        return None
    best, worst = min(parts, key=lambda p: p.loss), max(parts, key=lambda p: p.loss)
    difference = worst.loss - best.loss
    reach = np.hypot(worst.high - worst.loss, best.high - best.loss)
    return best, worst, difference, difference - reach, difference + reach
