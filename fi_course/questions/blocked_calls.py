"""Block calls of the package's own solutions while an answer is checked.

A blocked function keeps its identity and loses its body, so that an alias, a partial or a
`from ... import` made before is blocked as well. Leaving the last `with` block that blocks a
function restores its body.
"""

import importlib
import inspect
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType


class BlockedCall(BaseException):
    """A blocked function was called. It is no Exception: `except Exception` cannot hide it."""


@dataclass
class _Blocked:
    """A blocked function's body, and the threads that may still run it."""

    body: CodeType
    bystanders: set
    checks: int = 0


_BLOCKED: dict = {}
_LOCK = threading.RLock()


def _blocked_body(*arguments, **options):
    import sys

    from fi_course.questions.blocked_calls import called
    return called(sys._getframe().f_code, arguments, options)


def called(code, arguments, options):
    """Answer a call of a blocked function: run its original body for a bystander thread.

    Raises BlockedCall for everybody else.

    Raises BlockedCall for everybody else.
    """
    with _LOCK:
        found = [(f, one.body, one.bystanders) for f, one in _BLOCKED.items() if f.__code__ is code]
    if not found or threading.current_thread() not in found[0][2]:
        raise BlockedCall(code.co_name)
    function, body, _ = found[0]
    open_one = FunctionType(body, function.__globals__, function.__name__, function.__defaults__)
    open_one.__kwdefaults__ = function.__kwdefaults__
    return open_one(*arguments, **options)


@contextmanager
def blocked(names, to_others=True):
    """Block the named functions, or all functions of a named module, for a `with` block.

    names : dotted names such as "fi_teach.basics.impurity" (a module) or
        "fi_teach.basics.impurity.gini"
    to_others : also to threads that ran before. Without it these go on as if nothing were closed,
        as behind a page that serves others; threads that the answer starts find names closed.

    Raises ValueError for a name that does not exist.
    """
    functions = {function for name in names for function in functions_at(name)}
    with _LOCK:
        for function in functions:
            _block(function, to_others)
    try:
        yield
    finally:
        with _LOCK:
            for function in functions:
                _unblock(function)


def _block(function, to_others):
    if function not in _BLOCKED:
        _BLOCKED[function] = _Blocked(function.__code__, set(threading.enumerate()))
        function.__code__ = _blocked_body.__code__.replace(co_name=function.__name__)
    one = _BLOCKED[function]
    one.checks += 1
    one.bystanders -= one.bystanders if to_others else {threading.current_thread()}


def _unblock(function):
    one = _BLOCKED[function]
    one.checks -= 1
    one.bystanders.add(threading.current_thread())
    if one.checks == 0:
        function.__code__ = _BLOCKED.pop(function).body


def functions_at(name):
    """Return the function of a dotted name, or every public function of a module -> list."""
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
        raise ValueError(f"{name!r} is blocked during a check, but there is no such function or "
                         "module: correct the name in `blocked`.") from None
