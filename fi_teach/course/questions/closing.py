"""While an answer is checked, the package's own answer is closed: calling it is a mistake with a name.

A closed function keeps its identity and loses its body, so that an alias, a partial or a `from ... import` made
before is closed as well. Leaving the `with` block gives every body back.
"""

import importlib
import inspect
from contextlib import contextmanager
from types import FunctionType, ModuleType


class ClosedName(BaseException):
    """A closed function was called. It is no Exception, so that `except Exception` in an answer cannot hide it."""


def _closed_body(*_, **__):
    import sys

    from fi_teach.course.questions.closing import ClosedName
    raise ClosedName(sys._getframe().f_code.co_name)


@contextmanager
def closing(names):
    """Close the named functions, or all functions of a named module, for the length of a `with` block.

    names : dotted names such as "fi_teach.basics.impurity" (a module) or "fi_teach.basics.impurity.gini"

    Raises ValueError for a name that does not exist.
    """
    bodies = {function: function.__code__ for name in names for function in functions_at(name)}
    for function in bodies:
        function.__code__ = _closed_body.__code__.replace(co_name=function.__name__)
    try:
        yield
    finally:
        for function, body in bodies.items():
            function.__code__ = body


def functions_at(name):
    """The function of a dotted name, or every public function a module of that name defines -> list."""
    found = _resolve(name)
    if isinstance(found, ModuleType):
        return [f for key, f in vars(found).items()
                if isinstance(f, FunctionType) and f.__module__ == name and not key.startswith("_")]
    return [inspect.unwrap(found)]


def _resolve(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError, ValueError):
        raise ValueError(f"{name!r} is closed during a check, but there is no such function or module: "
                         "correct the name in `closed`.") from None
