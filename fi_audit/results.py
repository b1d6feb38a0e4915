"""The results of an audit, as records that can be compared with == and written as JSON."""

from dataclasses import dataclass
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
    about : the columns it is about; figures : {what: number}; ask : what to do or to ask next
    """

    check: str
    verdict: str
    text: str
    about: tuple[str, ...] = ()
    figures: dict[str, float] | None = None
    ask: str = ""


@dataclass(frozen=True, eq=False)
class Measure(Result):
    """The answer to one question for every column, or for every group of columns.

    question : "associated", "used", "used together", "null copies", "conditional" or "relevant"
    members : (m,) the columns that each figure is about, a tuple each
    value, low, high (m,) : figures and their intervals, which hold together at 95%
    share (3, m) : value, low and high as shares of the model's skill; NaN where it has none
    unit : of value; how : the measure, in a sentence
    """

    question: str
    members: tuple[tuple[str, ...], ...]
    value: NDArray
    low: NDArray
    high: NDArray
    share: NDArray
    unit: str
    how: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(title, self.members))

    @property
    def figures(self) -> NDArray:
        """Value, low and high (3, m)."""
        return np.array([self.value, self.low, self.high])

    @property
    def has_share(self) -> bool:
        return bool(np.isfinite(self.share).any())

    @property
    def clear(self) -> NDArray:
        return self.low > 0

    @property
    def names_clear(self) -> list[str]:
        return [self.names[j] for j in self.order if self.clear[j]]

    @property
    def order(self) -> list[int]:
        return np.argsort(-self.value, kind="stable").tolist()

    def place(self, what: str | tuple[str, ...]) -> int:
        return self.members.index((what,) if isinstance(what, str) else what)

    def row(self, what: str | tuple[str, ...]) -> tuple[float, ...]:
        """Return the figure of a column (or of a tuple of columns) and its interval."""
        return tuple(self.figures[:, self.place(what)].tolist())


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

    kind : "skill", "ranking", "used", "used together", "relevant", "associated", "group", ...
    about : the columns or subgroups that it names; text : the sentence, with its numbers
    condition : under which it holds, or why it may not be written; may : may it?
    """

    kind: str
    about: tuple[str, ...]
    text: str
    condition: str
    may: bool


@dataclass(frozen=True, eq=False)
class Audit(Result):
    """The whole audit; `fi_audit.report.write(audit, folder)` makes the report of it.

    answer : the first line of the report; about : {what: text}, the model and its rows
    clusters : groups of correlated columns, of two or more
    """

    answer: str
    about: dict[str, str]
    findings: tuple[Finding, ...]
    clusters: tuple[tuple[str, ...], ...]
    measures: tuple[Measure, ...]
    parts: tuple[Subgroup, ...]
    sentences: tuple[Sentence, ...]

    @property
    def may(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if s.may)

    @property
    def may_not(self) -> tuple[str, ...]:
        return tuple(s.text for s in self.sentences if not s.may)

    @property
    def asks(self) -> tuple[str, ...]:
        """What to do or to ask before the report is sent, the gravest first."""
        by_verdict = sorted(self.findings, key=lambda f: -VERDICTS.index(f.verdict) % 4)
        return tuple(dict.fromkeys(f.ask for f in by_verdict if f.ask))

    def measure(self, question: str) -> Any:
        """Return the measure that answers a question, or None where it could not be asked."""
        return next((m for m in self.measures if m.question == question), None)

    @property
    def suspects(self) -> tuple[str, ...]:
        """The columns that look like a leak."""
        found = self.finding("possible leakage")
        return found.about if found.verdict == "ask" else ()

    def clear(self, question: str) -> list[tuple[str, ...]]:
        """Columns (groups) clear of zero and above their own shuffled copy, largest first."""
        measure, copies = self.measure(question), self.measure("null copies")
        if measure is None:
            return []
        found = [measure.members[j] for j in measure.order if measure.clear[j]]
        return [one for one in found if copies is None or one not in copies.members
                or measure.row(one)[0] > copies.row(one)[0]]

    def finding(self, check: str) -> Finding:
        """Return the finding of one check. Raises ValueError for one that was not made."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        made = ", ".join(repr(finding.check) for finding in self.findings)
        raise ValueError(f"no check is called {check!r}: choose among {made}.")


# --- in words ---


def title(members: tuple[str, ...]) -> str:
    """Name a group by its columns, at most three of them; only pictures and tables use it.

    >>> title(("a", "b", "c", "d", "e"))
    'a + b + c + 2 more'
    """
    more = f" + {len(members) - 3} more" if len(members) > 3 else ""
    return " + ".join(members[:3]) + more


def listed(names: tuple[str, ...] | list[str], most: int = 6) -> str:
    """List names in quotes, not more than a sentence can hold.

    >>> listed(("a",)), listed(("a", "b", "c")), listed(("a", "b", "c"), 1)
    ("'a'", "'a', 'b' and 'c'", "'a' and 2 more")
    """
    words = [f"'{name}'" for name in names[:most]]
    if len(names) > most:
        words.append(f"{len(names) - most} more")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def number(value: float) -> str:
    """Format a number with three digits.

    >>> number(0.01234), number(1234.5), number(-2), number(0), number(2e-5)
    ('0.0123', '1,234', '−2', '0', '0.00002')
    """
    if not np.isfinite(value):
        return "—"
    size = abs(value)
    small = f"{size:.6f}".rstrip("0").rstrip(".") if size >= 1e-6 else f"{size:.0e}"
    text = f"{size:,.0f}" if size >= 1000 else small if 0 < size < 1e-3 else f"{size:.3g}"
    return ("−" if value < 0 else "") + text


def percent(share: float) -> str:
    """Format a share in per cent, with a decimal only below 10% and just below 100%.

    >>> percent(0.1234), percent(0.0123), percent(0.0), percent(-0.5), percent(0.9991)
    ('12%', '1.2%', '0%', '−50%', '99.9%')
    """
    if not np.isfinite(share):
        return "—"
    size = abs(100 * share)
    text = f"{size:.0f}" if 9.95 <= size < 99.45 or size >= 99.95 else f"{size:.1f}"
    text = text.removesuffix(".0")
    return ("−" if share < 0 and text != "0" else "") + text + "%"


def span(low: float, high: float, form=number) -> str:
    """Format an interval.

    >>> span(0.1, 0.25, percent), span(0.5, np.inf, percent)
    ('10% to 25%', 'at least 50%')
    """
    return f"{form(low)} to {form(high)}" if np.isfinite(high) else f"at least {form(low)}"
