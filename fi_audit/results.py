"""The results of an audit, as records that can be compared with == and written as JSON."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.results import Result

VERDICTS = ("well", "note", "ask", "stop", "not asked")
"""Of a check: nothing found; worth knowing; somebody must be asked before a figure is believed;
no importance may be written; the audit was not told what it takes to look."""


@dataclass(frozen=True, eq=False)
class Finding(Result):
    """The result of one check.

    check : its name; verdict : one of VERDICTS; text : what was seen, with its numbers
    about : the columns it is about; figures : {what: number}
    """

    check: str
    verdict: str
    text: str
    about: tuple[str, ...]
    figures: dict[str, float]


@dataclass(frozen=True, eq=False)
class Measure(Result):
    """The answer to one question for every column or group of columns.

    question : "associated", "used", "relevant", "used together"
    names (m,), value, low, high (m,) : the figure and its interval; all intervals of a measure hold
        together in about 99 of 100 samples
    unit : what they are counted in; how : the measure, in a sentence
    """

    question: str
    names: tuple[str, ...]
    value: NDArray
    low: NDArray
    high: NDArray
    unit: str
    how: str

    @property
    def clear(self) -> NDArray:
        """Is the figure clear of zero? (m,) bool."""
        return self.low > 0

    def row(self, name: str) -> tuple[float, float, float]:
        """Return the figure of one name and its interval."""
        j = self.names.index(name)
        return float(self.value[j]), float(self.low[j]), float(self.high[j])


@dataclass(frozen=True, eq=False)
class Subgroup(Result):
    """A subgroup of the rows (a group, a period) and how the model does on it.

    loss, low, high : mean loss and its interval; predicted, observed : means; extra : rates
    """

    kind: str
    name: str
    n_rows: int
    loss: float
    low: float
    high: float
    predicted: float
    observed: float
    extra: dict[str, float]


@dataclass(frozen=True, eq=False)
class Sentence(Result):
    """A sentence that may be written, or may not, with its condition.

    kind : "skill", "used", "relevant", "associated", "together", "group", "period", "leak", ...
    about : the columns or parts it speaks of; text : the sentence, with its numbers
    condition : under which it holds, or why it may not be written; may : may it?
    """

    kind: str
    about: tuple[str, ...]
    text: str
    condition: str
    may: bool


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """The whole audit; `fi_audit.report.write` makes report.html and report.json of it.

    about : {what: text} for the head of the report; findings, measures, parts, sentences
    clusters : groups of columns that go together, of two or more
    """

    about: dict[str, str]
    findings: tuple[Finding, ...]
    clusters: tuple[tuple[str, ...], ...]
    measures: tuple[Measure, ...]
    parts: tuple[Subgroup, ...]
    sentences: tuple[Sentence, ...]

    @property
    def may(self) -> tuple[str, ...]:
        """The sentences that may be written."""
        return tuple(s.text for s in self.sentences if s.may)

    @property
    def may_not(self) -> tuple[str, ...]:
        """The sentences that may not be written."""
        return tuple(s.text for s in self.sentences if not s.may)

    def measure(self, question: str) -> Measure | None:
        """Return the measure that answers a question, or None where it could not be asked."""
        found = [m for m in self.measures if m.question == question]
        return found[0] if found else None

    def finding(self, check: str) -> Finding:
        """Return the finding of one check. Raises ValueError for one that was not made."""
        found = [f for f in self.findings if f.check == check]
        if not found:
            made = ", ".join(repr(f.check) for f in self.findings)
            raise ValueError(f"no check is called {check!r}: choose among {made}.")
        return found[0]


# --- as JSON ---

RECORDS: dict[str, Callable] = {
    "Finding": Finding, "Measure": Measure, "Part": Subgroup, "Sentence": Sentence, "Audit": Audit}
"""The records of report.json by the names that stand in it."""
NAMES = {kind: name for name, kind in RECORDS.items()}


def as_plain(value: Any) -> Any:
    """Convert records, arrays and tuples to dicts, lists and numbers; NaN becomes None.

    >>> as_plain(Subgroup("group", "a", 2, np.nan, 0.0, 1.0, 0.0, 0.0, {}))["loss"] is None
    True
    """
    if isinstance(value, Result):
        plain = {field.name: as_plain(getattr(value, field.name)) for field in fields(value)}
        return {"record": NAMES[type(value)], **plain}
    if isinstance(value, dict):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return {"numbers": as_plain(value.tolist())}
    if isinstance(value, list | tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def from_plain(plain: Any) -> Any:
    """Convert back what `as_plain` made. Raises ValueError for an unknown record."""
    if isinstance(plain, list):
        return tuple(from_plain(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    if set(plain) == {"numbers"}:
        return np.array([np.nan if x is None else x for x in plain["numbers"]], dtype=float)
    values = {key: from_plain(item) for key, item in plain.items() if key != "record"}
    if "record" not in plain:
        return values
    if plain["record"] not in RECORDS:
        raise ValueError(f"an unknown record {plain['record']!r}: is this an audit's report.json?")
    kind = RECORDS[plain["record"]]
    floats = {field.name for field in fields(kind) if field.type is float}  # type: ignore[arg-type]
    return kind(**{
        key: np.nan if item is None and key in floats else _with_nan(item)
        for key, item in values.items()})


def _with_nan(item: Any) -> Any:
    """Replace None by NaN in a dict of figures."""
    if not isinstance(item, dict):
        return item
    return {key: np.nan if figure is None else figure for key, figure in item.items()}
