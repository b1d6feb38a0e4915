"""Record file, network and process access of student code through `sys.addaudithook`.

This only records; the sandbox enforces.
"""

import os
import sys
from types import CodeType

from fi_grader.sandbox.inside.restore import OUR_MODULES

_NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto",
            "socket.gethostbyname"}
_PROCESSES = {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system",
              "os.kill", "subprocess.Popen"}
_MEMORY = {"gc.get_objects", "gc.get_referrers"}
_FILES = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.rmdir", "os.mkdir",
          "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "shutil.rmtree"}
_CODE = {"exec": 0, "function.__new__": 0, "code.__new__": 0, "object.__setattr__": 2}
"""Events that make code run under another name, with the place of the code among their arguments.
"""
_WORDS = {**dict.fromkeys(_NETWORK, "the network"), **dict.fromkeys(_PROCESSES, "other processes"),
          **dict.fromkeys(_MEMORY, "the interpreter's memory")}
PACKAGE = "the package's code"
LONG_CODE = 110
"""Bytes of a body that is nobody else's: of 800,000 functions in libraries none that long was one
of ours."""
CELLS = ("<answer to ", "<cell ")
"""What the code of a student's cells is called."""
LONG_DOCSTRING = 40
"""Letters of a docstring that is nobody else's."""


def watch(roots, bodies=frozenset(), functions=()):
    """Start recording access -> (set of descriptions, set of functions whose code was replaced).

    Recorded are files outside the folders `roots`, code that copies one of `bodies`, and new code
    for one of the functions. Both sets grow.
    """
    reached, replaced_code = set(), set()
    roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)

    def hook(event, arguments, _words=_WORDS.get, _files=_FILES, _outside=_outside, _code=_CODE,
             _copied=_copied):
        if event in _files:
            word = _outside(arguments, roots)
        elif event in _code:
            word = _copied(event, arguments, bodies)
            if arguments[1:2] == ("__code__",) and arguments[0] in functions:
                replaced_code.add(arguments[0])
        else:
            word = _words(event)
        if word:
            reached.add(word)
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


def bodies_of(functions):
    """Collect the long code bodies and docstrings of the package's functions -> frozenset.

    The same source has another body when it is compiled by itself.
    """
    ours = [f.__code__ for f in functions if f.__module__.startswith(OUR_MODULES) and f.__doc__]
    return frozenset(word for code in ours for word in _known_by(code))


def _known_by(code):
    texts = [text for text in code.co_consts[:1]
             if isinstance(text, str) and len(text) >= LONG_DOCSTRING]
    return [*texts, code.co_code] if len(code.co_code) >= LONG_CODE else texts


def _copied(event, arguments, bodies, _CodeType=CodeType):
    """Return PACKAGE if this event runs a copy of one of the package's functions, else None.

    Exempt are a student's own cells, which may hold what somebody has typed, and the package's own
    functions, which are closed and opened.
    """
    made = arguments[_CODE[event]]
    if event == "code.__new__":
        return PACKAGE if made in bodies else None
    if not isinstance(made, _CodeType) or made.co_filename.startswith(CELLS):
        return None
    if event == "object.__setattr__" and str(arguments[0].__module__).startswith(OUR_MODULES):
        return None
    return PACKAGE if any(word in bodies for code in _all_in(made)
                          for word in _known_by(code)) else None


def _all_in(code, _CodeType=CodeType):
    """Yield a code object and all that it contains -> iterator."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, _CodeType):
            yield from _all_in(constant)
