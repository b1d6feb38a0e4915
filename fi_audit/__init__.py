"""Audit a fitted model: from a model and rows that it has not seen to the sentences about it.

    data.py          the model that is asked, and what the rows are to it
    skill.py         what it predicts, and how well by several scores
    importance.py    what it relies on, with intervals that hold together (intervals.py)
    columns.py       correlated columns, and columns that are no features
    leaks.py         columns that look as if written after the outcome
    rows.py          rows entered twice, related, or out of time
    subgroups.py     the model by group and by period
    sentences.py     what may be written, and what may not
    report.py        the page with its picture, JSON, and a notebook, out of templates/
    command.py       `fi-teach audit`, from files
"""

from importlib import import_module

__all__ = ["Audit", "Finding", "Measure", "Sentence", "Subgroup", "audit"]


def __getattr__(name: str) -> object:
    """Load the audit when it is asked for: the help of its command needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'fi_audit' has no attribute {name!r}")
    return getattr(import_module("fi_audit." + ("run" if name == "audit" else "results")), name)
