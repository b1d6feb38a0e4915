"""Prepare the student process: hide the questions, import the libraries, take a snapshot."""

import importlib
import os
import sys
from contextlib import suppress
from types import ModuleType

NAMES = ("Q", "CheckFailed", "Handle", "Question", "QUESTIONS", "Verdict", "judge")


class Silent:
    """A question inside the sandbox: its check returns nothing, since the judge runs elsewhere."""

    def __init__(self, id="", *_, **__):
        self.id = id

    def check(self, *_, **__):
        return None

    check_hidden = hint = play = solution = traceback = check


def preloaded(modules):
    """Import what the exercises import, so that no student waits -> snapshot of the libraries."""
    import fi_course
    hide_questions(os.path.join(os.path.dirname(fi_course.__file__), "questions"))
    for name in ("fi_grader.sandbox.inside.session", "pandas.testing",
                 "IPython.core.inputtransformer2", *modules):
        with suppress(ImportError):
            importlib.import_module(name)
    from fi_grader.sandbox.inside.restore import snapshot
    return snapshot()


def hide_questions(folder):
    """Replace `fi_course.questions` by silent questions: the real ones hold the answers."""
    package = ModuleType("fi_course.questions")
    package.__path__ = [folder]
    for name in NAMES:
        setattr(package, name, {} if name == "QUESTIONS" else Silent)
    sys.modules["fi_course.questions"] = package
