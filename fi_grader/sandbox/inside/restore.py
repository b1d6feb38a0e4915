"""Restore library attributes that a cell has overwritten, and report their names.

This guards no grade, since the judge runs elsewhere; it keeps one cell from spoiling the answers
after it.
"""

import inspect
import re
import sys
from itertools import repeat
from operator import is_
from types import FunctionType

WATCHED = ("builtins", "math", "json", "base64", "struct", "copy", "numpy", "numpy.testing",
           "numpy.linalg", "pandas", "pandas.testing")
OUR_MODULES = ("fi_teach.", "fi_audit.", "fi_course.", "fi_grader.")
"""How the names of the course's own modules begin."""

_MISSING = object()
_COULD_OVERWRITE = re.compile(r"\.\s*\w+\s*[-+*/|&^%@]?=(?!=)|\bdel\s|__\w+__|"
                              r"\b(setattr|delattr|vars|globals|locals|exec|eval|builtins|ctypes|"
                              r"patch\w*|importlib|reload|modules)\b")


def could_overwrite(source):
    """Return whether this code might overwrite a library attribute.

    Most answers cannot, and looking costs more than running them.
    """
    return bool(_COULD_OVERWRITE.search(source))


def snapshot():
    """Record the attributes of the watched modules and of the course's packages.

    -> (attributes by their owners, {function: its body})
    """
    modules = [sys.modules[name] for name in WATCHED if name in sys.modules]
    modules += [m for name, m in sys.modules.items()
                if name.startswith(OUR_MODULES) and m is not None]
    owners = [*modules, sys.modules["pandas"].Series, sys.modules["pandas"].DataFrame]
    kept = [(owner, {name: value for name, value in vars(owner).items() if not _may_change(name)})
            for owner in owners]
    attributes = [(owner, tuple(values), tuple(values.values())) for owner, values in kept]
    every = (value for _, _, values in attributes for value in values)
    found = (inspect.unwrap(value)
             for value in every if isinstance(getattr(value, "__wrapped__", value), FunctionType))
    return attributes, {function: function.__code__ for function in found}


def _may_change(name):
    return name in ("__builtins__", "__warningregistry__", "__abstractmethods__", "__annotations__",
                    "__conditional_annotations__")


def restore(library, replaced_code, _set=setattr, _missing=_MISSING, _all=all, _map=map, _zip=zip,
            _same=is_, _ever=repeat):
    """Undo what differs from the snapshot -> names of what was overwritten.

    Uses no built-in name: they may be gone.

    It follows every cell of some notebooks, so what belongs to one owner is compared in one go, and
    one by one only if that differs.

    replaced_code : the functions whose code was replaced since the last time; it is emptied.
        Reading the code of every function would be slow
    """
    attributes, bodies = library
    overwritten = []
    for owner, names, values in attributes:
        now = owner.__dict__.get
        if not _all(_map(_same, _map(now, names, _ever(_missing)), values)):
            for name, value in _zip(names, values):
                if now(name, _missing) is not value:
                    _set(owner, name, value)
                    overwritten.append(f"{owner.__name__}.{name}")
    while replaced_code:
        function = replaced_code.pop()
        if function.__code__ is not bodies[function]:
            function.__code__ = bodies[function]
            overwritten.append(f"{function.__module__}.{function.__name__}")
    return overwritten
