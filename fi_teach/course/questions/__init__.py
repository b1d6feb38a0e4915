"""Questions that answer back: `Q("trees.decrease").check(answer)` says right, not started, or which mistake.

A module chNN_name.py defines the questions of the exercise set NN_name in a list QUESTIONS; putting the file here is all
it takes. See CONTRIBUTING.md for how a question comes with its proof.
"""

from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from fi_teach.course.questions.question import QUESTIONS, CheckFailed, Handle, Q, Question, judge
from fi_teach.course.questions.verdict import Verdict

__all__ = ["QUESTIONS", "CheckFailed", "Handle", "Q", "Question", "Verdict", "judge"]

for _name in sorted(module.name for module in iter_modules(__path__) if module.name.startswith("ch")):
    if _name[2:4].isdigit():
        for _question in import_module(f"{__name__}.{_name}").QUESTIONS:
            QUESTIONS[_question.id] = replace(_question, notebook=_name[2:])
