"""Before any student's code runs: silent questions, the libraries imported, and a picture taken of them."""

import importlib
import os
import sys
from types import ModuleType

NAMES = ("Q", "CheckFailed", "Handle", "Question", "QUESTIONS", "Verdict", "judge")


class Silent:
    """A question inside the sandbox: its check says nothing, since the judge asks elsewhere."""

    def __init__(self, id="", *_, **__):
        self.id = id

    def check(self, *_, **__):
        return None

    check_hidden = hint = play = solution = traceback = check


def preloaded(modules):
    """Import what the exercises import -> (photograph of the libraries, what the package's functions are known by)."""
    import fi_course
    hide_questions(os.path.join(os.path.dirname(fi_course.__file__), "questions"))
    import_all(["fi_grader.inside.student", "pandas.testing", "IPython.core.inputtransformer2", *modules])
    from fi_grader.inside.audit_hook import bodies_of
    from fi_grader.inside.restore_modules import snapshot
    library = snapshot()
    _, functions = library
    return library, bodies_of(functions)


def hide_questions(folder):
    """Let `from fi_course.questions import Q` give silent questions: the real ones hold the definitions to judge by."""
    package = ModuleType("fi_course.questions")
    package.__path__ = [folder]
    for name in NAMES:
        setattr(package, name, {} if name == "QUESTIONS" else Silent)
    sys.modules["fi_course.questions"] = package


def import_all(modules):
    """Import what the exercises import, so that no student waits for it; what is missing is left out."""
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
