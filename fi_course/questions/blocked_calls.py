"""Block calls of the package's own solutions while an answer is checked.

A blocked function keeps its identity and loses its body, so that an alias, a partial or a
`from ... import` made before is blocked as well.
"""

import importlib
import inspect
from contextlib import contextmanager
from functools import cache
from types import FunctionType, ModuleType


class BlockedCall(BaseException):
    """A blocked function was called. It is no Exception: `except Exception` cannot hide it."""


def _blocked_body(*arguments, **options):
    import sys

    from fi_course.questions.blocked_calls import BlockedCall
    raise BlockedCall(sys._getframe().f_code.co_name)


@contextmanager
def blocked(names):
    """Block the named functions, or all public functions of a named module, for a `with` block.

    Blocks nest: a function opens when the block ends that closed it.

    Raises ValueError for a name that does not exist.
    """
    bodies = block(names)
    try:
        yield
    finally:
        for function, body in bodies.items():
            function.__code__ = body


def block(names):
    """Block the named functions for ever -> {function: its body}; with the bodies they end."""
    functions = {function for name in names for function in functions_at(name)}
    bodies = {f: f.__code__ for f in functions if f.__code__.co_filename != __file__}
    for function in bodies:
        function.__code__ = _blocked_body.__code__.replace(co_name=function.__name__)
    return bodies


@cache
def functions_at(name):
    """Return the function of a dotted name, or every public function of a module -> list."""
    module, _, attribute = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute, None) if module else None
        found = found or importlib.import_module(name)
    except ImportError:
        raise ValueError(f"{name!r} is blocked during a check, but there is no such function or "
                         "module: correct the name in `blocked`.") from None
    if isinstance(found, ModuleType):
        return [f for key, f in vars(found).items()
                if isinstance(f, FunctionType) and f.__module__ == name and not key.startswith("_")]
    return [inspect.unwrap(found)]
