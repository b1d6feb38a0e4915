"""The library as it was before a student's code ran: what a cell overwrites is put back, and named.

This guards no grade, since the judge runs elsewhere; it keeps one cell from spoiling the answers after it.
"""

import inspect
import re
import sys
from types import FunctionType

WATCHED = ("builtins", "math", "json", "base64", "struct", "copy", "numpy", "numpy.testing", "numpy.linalg", "pandas",
           "pandas.testing")


_MISSING = object()
_COULD_OVERWRITE = re.compile(r"\.\s*\w+\s*[-+*/|&^%@]?=(?!=)|\bdel\s|__\w+__|"
                              r"\b(setattr|delattr|vars|globals|locals|exec|eval|builtins|ctypes|patch\w*|importlib|reload|modules)\b")


def could_overwrite(source):
    """Might this code overwrite something of a library's? Most answers cannot, and looking costs more than running them."""
    return bool(_COULD_OVERWRITE.search(source))


def photograph():
    """Remember what the watched modules and the course's package hold -> (attributes, bodies of functions)."""
    modules = [sys.modules[name] for name in WATCHED if name in sys.modules]
    modules += [m for name, m in sys.modules.items() if name.startswith("fi_teach.") and m is not None]
    owners = [*modules, sys.modules["pandas"].Series, sys.modules["pandas"].DataFrame]
    attributes = [(owner, name, value) for owner in owners for name, value in vars(owner).items() if not _may_change(name)]
    found = (inspect.unwrap(value) for _, _, value in attributes if isinstance(getattr(value, "__wrapped__", value), FunctionType))
    return attributes, [(function, function.__code__) for function in dict.fromkeys(found)]


def _may_change(name):
    return name in ("__builtins__", "__warningregistry__", "__abstractmethods__", "__annotations__", "__conditional_annotations__")


def put_back(photograph, _set=setattr, _missing=_MISSING):
    """Undo what differs from the photograph -> names of what was overwritten. Uses no built-in name: they may be gone."""
    attributes, bodies = photograph
    touched = []
    for owner, name, value in attributes:
        if owner.__dict__.get(name, _missing) is not value:
            _set(owner, name, value)
            touched.append(f"{owner.__name__}.{name}")
    for function, body in bodies:
        if function.__code__ is not body:
            function.__code__ = body
            touched.append(f"{function.__module__}.{function.__name__}")
    return touched
