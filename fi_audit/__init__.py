"""Audit a fitted model: from a model and a table to the sentences that may be written.

    inputs.py              what is audited, and which rows the model has not seen
    checks.py              what would make every importance worthless
    correlated_columns.py  columns that go together
    questions.py           four questions, each by the measure that answers it
    null_importance.py     importance of shuffled columns, which mean nothing
    subgroups.py           the model by group and by period
    leakage.py             columns that were recorded after the outcome
    fairness.py            a gap between groups, divided; proxies of a dropped column
    sentences.py           what may be written, and what may not
    report.py              one page and one JSON file
    command.py             models and tables from files: `fi-teach audit`
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fi_audit.fairness import Proxies, group_gap, proxies
    from fi_audit.leakage import leak_suspects
    from fi_audit.results import Audit, Finding, Measure, Sentence, Subgroup
    from fi_audit.run import audit

HOMES = {
    "audit": "run",
    **dict.fromkeys(("Proxies", "group_gap", "proxies"), "fairness"),
    "leak_suspects": "leakage",
    **dict.fromkeys(("Audit", "Finding", "Measure", "Sentence", "Subgroup"), "results"),
}
__all__ = [
    "Audit", "Finding", "Measure", "Proxies", "Sentence", "Subgroup", "audit",
    "group_gap", "leak_suspects", "proxies"]


def __getattr__(name: str) -> object:
    """Load the audit when it is asked for: the help of its command needs none of it."""
    if name not in HOMES:
        raise AttributeError(f"module 'fi_audit' has no attribute {name!r}")
    return getattr(import_module(f"fi_audit.{HOMES[name]}"), name)
