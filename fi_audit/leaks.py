"""Could a column have been written after the outcome? A question with evidence, not a verdict.

Strength alone never suffices: an honest cause is strong too. A column is asked about when it is
strong, the others are worth little without it, and its relation to the target is of a kind that
leaks have. Columns that carry the same thing are judged as a group, since each can stand in for
the other. The skills are those of small forests that the audit grows itself.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.columns import is_identifier, looks_dated
from fi_audit.data import AuditData, as_times
from fi_audit.importance import folds_of
from fi_audit.results import Finding, listed, percent
from fi_teach.basics.encoding import as_numbers, is_words
from fi_teach.basics.losses import auc, r2
from fi_teach.trees.forest import held_out_by_forests

STRONG = 0.8  # of the skill of all columns: so much alone
NOTHING = 0.3  # of the skill of all columns: so little is left without
SURE = 0.94  # skill of a relation that is all but exact: R squared, or 2 AUC - 1
LEAST_SKILL = 0.05
N_TREES = 15
ROWS = 2000
SCREENED = 30  # columns of which a forest is grown, the strongest by their bins
TOKENS = 20


@dataclass(frozen=True, eq=False)
class Encoded:
    """Columns of some rows as numbers for a forest, several for a text; target and folds."""

    rows: NDArray
    columns: dict[str, NDArray]
    y: NDArray
    folds: list[NDArray]
    rng: np.random.Generator

    def skill(self, names: list[str]) -> float:
        """Cross-validated skill of a forest on some columns: R squared or 2 AUC - 1, from 0."""
        if not names:
            return 0.0
        table = np.column_stack([self.columns[name] for name in names])
        said = held_out_by_forests(table, self.y, self.folds, N_TREES * len(self.folds),
                                   min_samples_leaf=5, rng=self.rng)
        if self.y.dtype == bool:
            return max(0.0, 2 * auc(self.y, said) - 1)
        return max(0.0, r2(self.y, said))


def check_leaks(data: AuditData, strengths: dict[str, float], clusters: tuple) -> Finding:
    """Find columns to ask about; strengths : what each tells alone, for a first screening."""
    cleared = {name for name, when in data.known_from.items()
               if (when <= data.metadata["time"]).all()}
    name_of = "possible leakage"
    encoded = _encode(data, strengths)
    if isinstance(encoded, str):
        return Finding(name_of, "not asked", encoded)
    names = list(encoded.columns)
    everything = encoded.skill(names)
    if everything < LEAST_SKILL:
        return Finding(name_of, "well", "No column, and not all together, predicts the target of "
                       "held-out rows: nothing leaks.")
    alone = {name: encoded.skill([name]) for name in names}
    shares = {name: percent(min(1.0, alone[name] / everything)) for name in names}
    strong = [name for name in names if alone[name] >= STRONG * everything]
    carried = {name: [other for other in names if other in strong or any(
        name in one and other in one for one in clusters)] for name in strong}
    suspects: dict[str, None] = {}
    reasons, figures = [], {"all columns": everything, **{name: alone[name] for name in strong}}
    for name in sorted(strong, key=lambda name: -alone[name]):
        kinds = _kinds_of_leak(data, name, encoded)
        if name in cleared or name in suspects or not (kinds or alone[name] >= SURE):
            continue
        rest = encoded.skill([other for other in names if other not in carried[name]])
        figures[f"without {name}"] = rest
        if rest > NOTHING * everything and not kinds:
            continue
        stand_ins = [one for one in carried[name] if alone[one] >= SURE]
        suspects |= {one: None for one in (name, *stand_ins) if one not in cleared}
        others = [other for other in carried[name] if other != name]
        without = f"it and {listed(others, 3)}" if others else "it"
        said = [f"alone it gives a forest {shares[name]} of the skill that all columns give",
                f"without {without} {percent(rest / everything)} of that skill is left",
                *(kinds or ["the relation is all but exact"])]
        reasons.append(f"'{name}': {'; '.join(said)}.")
    if not suspects:
        first = max(alone, key=lambda name: alone[name])
        return Finding(
            name_of, "well", f"The strongest column is '{first}': alone it gives a forest "
            f"{shares[first]} of the skill that all columns give. Nothing in its relation to the "
            "target looks like a leak.", (), figures)
    one = len(suspects) == 1
    return Finding(
        name_of, "ask", " ".join(reasons), tuple(suspects), figures,
        f"Ask whether {listed(list(suspects))} {'is' if one else 'are'} known before the outcome "
        f"is: {'it looks' if one else 'they look'} like something written down afterwards.")


def check_dates(data: AuditData, first: str) -> list[Finding]:
    """Compare the dates of the values with the rows' own time; first : the column used most."""
    if not data.known_from:
        return [Finding("known too late", "not asked", "Nobody said when the values came to be "
                        "(known_from=). Only a date proves a leak.", (), None,
                        f"When is '{first}' recorded: before the outcome or after it? If after, "
                        "what is said of the model is worth nothing.")]
    findings = []
    for name, when in data.known_from.items():
        time = data.metadata["time"]
        both = np.isfinite(when) & np.isfinite(time)
        if not both.any():
            findings.append(Finding("known too late", "not asked",
                                    f"All dates of '{name}' are missing.", (name,)))
            continue
        late = float(np.mean(when[both] > time[both]))
        text = f"{percent(late)} of the values of '{name}' came to be after the row's own time."
        findings.append(Finding(
            "known too late", "stop" if late else "well", text, (name,), {"late": late},
            f"Leave '{name}' out and fit the model again: what was not known cannot be used."
            if late else ""))
    return findings


def _encode(data: AuditData, strengths: dict[str, float]) -> Encoded | str:
    """Encode the strongest of the model's columns, and all texts."""
    rows = data.some(data.sample, ROWS, "leaks")
    y = data.outcome[rows]
    if data.kind != "number":
        labels, counts = np.unique(y, return_counts=True)
        y = y == (labels[-1] if len(labels) == 2 else labels[counts.argmax()])
        if min(y.sum(), (~y).sum()) < 3:
            return f"A class has {min(y.sum(), (~y).sum())} rows: too few to look."
    folds = folds_of(data, rows, "leaks", 3)
    if y.dtype == bool and any(y[part].all() or not y[part].any() for part in folds):
        return "A class is missing in a part of the rows: too few to look."
    first = sorted(strengths, key=lambda name: -strengths[name])[:SCREENED]
    table = data.table.iloc[rows]
    columns = {name: as_numbers(table[[name]])[0] for name in data.names if name in first}
    for name in table:
        if is_text(table[name]) and name in data.names:
            columns[name] = _tokens(table[name], y)
    y = y if y.dtype == bool else y.astype(float)
    return Encoded(rows, columns, y, folds, data.stream("leaks"))


def is_text(column: pd.Series) -> bool:
    """Does a column hold free text: words with spaces, more values than categories have?"""
    if not is_words(column.dtype) or isinstance(column.dtype, pd.CategoricalDtype):
        return False
    known = column.dropna().astype(str)
    return bool(len(known) and known.nunique() > 20 and (known.str.count(r"\s") >= 1).mean() > 0.5
                and not looks_dated(column))


def _tokens(column: pd.Series, y: NDArray) -> NDArray:
    """Turn a text into columns: its first number, and the words that go most with the target.

    A word must occur in a hundredth of the rows. Words that go with the target by luck gain
    nothing, since the forest that reads these columns is judged on held-out rows.
    """
    text = column.fillna("").astype(str).str.lower()
    found = text.str.extract(r"(\d+(?:\.\d+)?)")[0].astype(float).fillna(-1).to_numpy()
    words = text.str.findall(r"[^\W\d_]+").map(set)
    count = Counter(word for one in words for word in one)
    common = [word for word, times in count.items() if times >= max(5, len(y) // 100)]
    holds = np.array([[word in one for word in common] for one in words], dtype=float)
    if not common:
        return found[:, None]
    centred = holds - holds.mean(axis=0)
    goes = np.abs(centred.T @ (y - y.mean())) / np.maximum(holds.std(axis=0), 1e-9)
    return np.column_stack([found, holds[:, np.argsort(-goes)[:TOKENS]]])


def _kinds_of_leak(data: AuditData, name: str, encoded: Encoded) -> list[str]:
    """List what in a column's relation to the target is of a kind that leaks have."""
    rows, y, kinds = encoded.rows, encoded.y, []
    column = data.table[name].iloc[rows]
    if is_text(column) and _gives_away(encoded.columns[name], y):
        kinds.append("a word or a number in the text gives the outcome away")
    elif y.dtype == bool:
        kinds += _single_value_of_a_class(column, y, data)
    if is_identifier(column):
        kinds.append("it numbers the rows, so they may be sorted by the outcome")
    if looks_dated(column) and "time" in data.metadata:
        when, time = as_times(data.table[name], name)[rows], data.metadata["time"][rows]
        later = float(np.mean(when[np.isfinite(when)] > time[np.isfinite(when)]))
        if later > 0.01:
            kinds.append(f"{percent(later)} of its dates are later than the row's own time")
    return kinds


def _gives_away(columns: NDArray, y: NDArray) -> bool:
    """Is a word of a text in most rows of one class and in hardly any other, or a number its y?"""
    if y.dtype != bool:
        number = columns[:, 0]
        return bool(number.std() > 0 and abs(np.corrcoef(number, y)[0, 1]) > SURE)
    return any(word.any() and side[word].mean() > 0.97 and word[side].mean() > 0.5
               for word in columns[:, 1:].T > 0 for side in (y, ~y))


def _single_value_of_a_class(column: pd.Series, y: NDArray, data: AuditData) -> list[str]:
    """Find a class in which a column has one and the same value (or none), unlike in the other."""
    values = column.astype(str).where(column.notna(), "missing")
    for side in (True, False):
        here, there = values[y == side], values[y != side]
        if len(here) < 10 or len(there) < 10:
            continue
        top = here.value_counts().index[0]
        share, elsewhere = float((here == top).mean()), float((there == top).mean())
        if (share == 1 and elsewhere <= 0.7) or (share >= 0.98 and elsewhere <= 0.1):
            label = f"'{data.classes[int(side)]}'" if len(data.classes) == 2 else (
                "of the most frequent class" if side else "of the other classes")
            return [f"it is {'empty' if top == 'missing' else top} in {percent(share)} of the rows "
                    f"that are {label} and in {percent(elsewhere)} of the others"]
    return []
