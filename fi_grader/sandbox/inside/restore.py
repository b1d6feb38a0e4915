"""Record what student code reaches for, restore what it overwrites in libraries, and report both.

This guards no grade, since the judge runs elsewhere, and enforces nothing, which the sandbox does;
it keeps one cell from spoiling the answers after it.
"""

import inspect
import os
import re
import sys
from itertools import repeat
from operator import is_
from types import FunctionType

WATCHED = ("builtins", "math", "json", "base64", "struct", "copy", "numpy", "numpy.testing",
           "numpy.linalg", "pandas", "pandas.testing")
OUR_MODULES = ("fi_teach.", "fi_audit.", "fi_course.", "fi_grader.")
MAY_CHANGE = ("__builtins__", "__warningregistry__", "__abstractmethods__", "__annotations__",
              "__conditional_annotations__")
EVENTS = {
    "the network": ("socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto",
                    "socket.gethostbyname"),
    "other processes": ("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn",
                        "os.system", "os.kill", "subprocess.Popen"),
    "the interpreter's memory": ("gc.get_objects", "gc.get_referrers")}
"""What Python's audit events are reported as."""
FILE_EVENTS = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.rmdir", "os.mkdir",
               "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "shutil.rmtree"}

_WORDS = {event: words for words, events in EVENTS.items() for event in events}
_MISSING = object()
_COULD_OVERWRITE = re.compile(r"\.\s*\w+\s*[-+*/|&^%@]?=(?!=)|\bdel\s|__\w+__|"
                              r"\b(setattr|delattr|vars|globals|locals|exec|eval|builtins|ctypes|"
                              r"patch\w*|importlib|reload|modules)\b")


def watch(roots, functions=()):
    """Start recording -> (descriptions, functions whose code was replaced); both sets grow.

    Recorded are files outside the folders `roots`, and new code for one of the functions.
    """
    reached, replaced_code = set(), set()
    roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)

    def hook(event, arguments, _words=_WORDS.get, _files=FILE_EVENTS, _outside=_outside):
        word = _outside(arguments, roots) if event in _files else _words(event)
        if word:
            reached.add(word)
        if event == "object.__setattr__" and arguments[1] == "__code__":
            replaced_code.update({arguments[0]} & functions)
    sys.addaudithook(hook)
    return reached, replaced_code


def _outside(arguments, roots, _abspath=os.path.abspath, _decode=os.fsdecode):
    """Describe the file of an event if it lies under none of the folders -> str or None."""
    path = arguments[0] if arguments else None
    if not isinstance(path, str | bytes):
        return None
    path = _decode(path)
    if path.startswith("<") and path.endswith(">"):  # no file: Python looks up a line of an error
        return None
    path = _abspath(path)
    return None if f"{path}/".startswith(roots) else f"the file {path[:80]}"


def could_overwrite(source):
    """Return whether this code might overwrite: most cannot, and looking for it is slow."""
    return bool(_COULD_OVERWRITE.search(source))


def snapshot():
    """Record what modules hold -> (attributes by their owners, {function: its body})."""
    modules = [sys.modules[name] for name in WATCHED if name in sys.modules]
    modules += [m for name, m in sys.modules.items()
                if name.startswith(OUR_MODULES) and m is not None]
    owners = [*modules, sys.modules["pandas"].Series, sys.modules["pandas"].DataFrame]
    kept = [(owner, {name: value for name, value in vars(owner).items() if name not in MAY_CHANGE})
            for owner in owners]
    attributes = [(owner, tuple(values), tuple(values.values())) for owner, values in kept]
    every = (value for _, _, values in attributes for value in values)
    found = (inspect.unwrap(value)
             for value in every if isinstance(getattr(value, "__wrapped__", value), FunctionType))
    return attributes, {function: function.__code__ for function in found}


def restore(library, replaced_code, _set=setattr, _missing=_MISSING, _all=all, _map=map, _zip=zip,
            _same=is_, _ever=repeat):
    """Undo what differs from the snapshot -> names of what was overwritten.

    Uses no built-in name: they may be gone. It follows every cell of some notebooks, so what
    belongs to one owner is compared in one go, and one by one only if that differs.

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
