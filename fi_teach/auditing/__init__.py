"""An audit: from a model and a table to the sentences that may be written, in one call.

    case.py       what is audited, and which rows the model has not seen
    checks.py     what would make every importance worthless
    clusters.py   columns that go together
    questions.py  four questions, each by the measure that answers it
    nulls.py      how large nothing looks
    parts.py      the model by group and by period
    sentences.py  what may be written, and what may not
    report.py     one page and one JSON file
    command.py    models and tables from files: `fi-teach audit`
"""

from fi_teach.auditing.audit import audit
from fi_teach.auditing.records import Audit, Finding, Measure, Part, Sentence

__all__ = ["Audit", "Finding", "Measure", "Part", "Sentence", "audit"]
