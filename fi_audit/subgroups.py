"""Compare the model's error between groups and between periods."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.data import AuditData
from fi_audit.intervals import mean_with_interval
from fi_audit.results import Finding, Subgroup, listed, number
from fi_audit.skill import Score, as_score

MOST_GROUPS = 8
N_PERIODS = 4
LEAST = 20  # rows, fewer bear no figure


def by_protected(data: AuditData, score: Score) -> tuple[tuple[Subgroup, ...], Finding]:
    """Evaluate the model on each group of the protected column, and name groups too small."""
    if "protected" not in data.metadata:
        return (), Finding("groups", "not asked", "Nobody said whom the rows concern (protected=).")
    labels = data.metadata["protected"][data.test[score.rows]]
    if len(np.unique(labels.astype(str))) > MOST_GROUPS:
        labels = _few_groups(labels)
    before = f"{data.column_names['protected']} = " if "protected" in data.column_names else ""
    labels = np.array([f"{before}{label}" for label in labels])
    names, counts = np.unique(labels, return_counts=True)
    small = [f"{n} ({k})" for n, k in zip(names, counts, strict=True) if k < LEAST]
    parts = _subgroups(data, score, "group", labels, names[counts >= LEAST])
    if small:
        return parts, Finding(
            "groups", "ask", f"Fewer than {LEAST} rows, so no figure: {listed(small)}.", (), None,
            f"Bring more rows of {listed(small)}: nothing is said about them.")
    return parts, Finding("groups", "well", f"{len(names)} groups have {LEAST} rows or more.")


def by_period(data: AuditData, score: Score) -> tuple[Subgroup, ...]:
    """Evaluate the model in four periods with about equally many test rows."""
    if "time" not in data.metadata:
        return ()
    rows = data.test[score.rows]
    time, when = data.metadata["time"][rows], data.metadata["when"][rows]
    inner = np.quantile(time, np.linspace(0, 1, N_PERIODS + 1)[1:-1])
    which = np.searchsorted(inner, time, side="right")
    names = np.array([
        f"period {k + 1}, from {_day(when[which == k][time[which == k].argmin()])}"
        if (which == k).any() else "" for k in range(N_PERIODS)])
    labels = names[which]
    present = [name for name in names if (labels == name).sum() >= LEAST]
    return _subgroups(data, score, "period", labels, np.array(present))


def _day(when: object) -> str:
    """Format a date without its hour, or a number.

    >>> _day(np.datetime64("2024-05-31T12:00")), _day("2024-05-31 12:00"), _day(1234.5)
    ('2024-05-31', '2024-05-31', '1,234')
    """
    return number(float(when)) if isinstance(when, int | float | np.number) else str(when)[:10]


def _few_groups(labels: NDArray) -> NDArray:
    """Cut a protected number, such as an age, into quarters; keep the commonest words."""
    values = pd.to_numeric(pd.Series(labels), errors="coerce")
    if values.isna().any():
        largest = pd.Series(labels.astype(str)).value_counts().index[:MOST_GROUPS]
        return np.where(np.isin(labels.astype(str), largest), labels.astype(str), "all others")
    return pd.qcut(values, 4, duplicates="drop").astype(str).to_numpy()


def _subgroups(
    data: AuditData, score: Score, kind: str, labels: NDArray, names: NDArray
) -> tuple[Subgroup, ...]:
    """Loss, mean prediction and mean outcome of each: for classes, of the model's last class."""
    tested = data.test[score.rows]
    said, observed = as_score(data.prediction[score.rows]), data.targets[tested, -1]
    predicted = (said == len(data.classes) - 1) * 1.0 if data.kind == "label" else said
    own = score.before[0] / score.parts.scale
    parts = []
    for name in names:
        rows = np.flatnonzero(labels == name)
        weights = score.weights[rows]
        if not weights.sum() > 0:
            continue
        groups = None if score.groups is None else score.groups[rows]
        mean, low, high = mean_with_interval(own[rows], weights, groups, len(names))
        two = data.kind != "number" and len(data.classes) == 2
        parts.append(Subgroup(
            kind, str(name), len(rows), mean, low, high,
            float(np.average(predicted[rows], weights=weights)),
            float(np.average(observed[rows], weights=weights)),
            _rates(predicted[rows] > 0.5, observed[rows] == 1, weights) if two else {}))
    return tuple(parts)


def _rates(said: NDArray, happened: NDArray, weights: NDArray) -> dict[str, float]:
    """How often the second of two classes is predicted, and how often rightly and wrongly."""
    rates, anyone = {}, np.ones(len(said), bool)
    for what, some in (("said", anyone), ("found", happened), ("false alarms", ~happened)):
        known = weights[some].sum() > 0
        rates[what] = float(np.average(said[some], weights=weights[some])) if known else np.nan
    return rates


def gap(parts: tuple[Subgroup, ...]) -> tuple[Subgroup, Subgroup, float, float, float] | None:
    """The subgroups with the smallest and the largest error, and the gap with its interval."""
    parts = tuple(part for part in parts if np.isfinite([part.low, part.high]).all())
    if len(parts) < 2:
        return None
    best, worst = min(parts, key=lambda p: p.loss), max(parts, key=lambda p: p.loss)
    difference = worst.loss - best.loss
    reach = np.hypot(worst.high - worst.loss, best.high - best.loss)
    return best, worst, difference, difference - reach, difference + reach
