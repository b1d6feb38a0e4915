"""The exercise questions: `Q("trees.decrease").check(answer)` judges an answer at once.

A module chNN_name.py holds the questions of the exercise set NN_name, in the form that
`fi_course.questions.question_text` explains; putting the file here is all it takes. See
CONTRIBUTING.md for how a question comes with its proof. A student's copy has
`specifications/NN_name.json` in their place: the same checks as data, and no answer to read.
"""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from fi_course.questions.question import QUESTIONS, CheckFailed, Handle, Q, Question, judge
from fi_course.questions.specification import question_from
from fi_course.questions.verdict import Verdict

__all__ = ["QUESTIONS", "CheckFailed", "Handle", "Q", "Question", "Verdict", "judge"]


def _from_modules():
    for name in sorted(module.name for module in iter_modules(__path__)):
        if name.startswith("ch") and name[2:4].isdigit():
            for question in import_module(f"{__name__}.{name}").QUESTIONS:
                yield replace(question, notebook=name[2:])


def _from_specifications():
    for path in sorted(Path(__file__).parent.glob("specifications/*.json")):
        yield from map(question_from, json.loads(path.read_text(encoding="utf-8"))["questions"])


QUESTIONS |= {question.id: question for question in _from_modules()}
QUESTIONS |= {} if QUESTIONS else {question.id: question for question in _from_specifications()}
