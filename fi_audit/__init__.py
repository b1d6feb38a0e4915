"""Audit a fitted model: from a model and a table to the sentences that may be written.

    inputs.py              what is audited, and which rows the model has not seen
    checks.py              what would make every importance worthless
    correlated_columns.py  columns that go together
    questions.py           four questions, each by the measure that answers it
    null_importance.py     importance of shuffled columns, which mean nothing
    subgroups.py           the model by group and by period
    sentences.py           what may be written, and what may not
    report.py              one page and one JSON file
    command.py             models and tables from files: `fi-teach audit`
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fi_audit.results import Audit, Finding, Measure, Sentence, Subgroup
    from fi_audit.run import audit

__all__ = ["Audit", "Finding", "Measure", "Sentence", "Subgroup", "audit"]


def __getattr__(name: str) -> object:
    """Import the audit on first use: the help of its command needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'fi_audit' has no attribute {name!r}")
    return getattr(import_module("fi_audit.run" if name == "audit" else "fi_audit.results"), name)
