"""The student process: runs cells, gives values and calls functions when the judge asks, and knows nothing else."""

import io
import linecache
import os
import random
import sys
import threading
import traceback
from contextlib import ExitStack
from types import ModuleType

import numpy as np

from fi_course.questions.blocked_calls import ClosedName, closing
from fi_course.questions.plain_values import plain
from fi_grader.inside import messages
from fi_grader.inside.audit_hook import watch
from fi_grader.inside.magics import Shell, compiled
from fi_grader.inside.restore_modules import OURS, could_overwrite, put_back

MOST_OUTPUT = 1_000_000
"""More printed characters than this are cut."""
MOST_NEWS = 20
"""No reply tells more than this."""


class Output(io.TextIOBase):
    """Where prints go: counted and forgotten."""

    written = 0

    def writable(self):
        return True

    def write(self, text):
        self.written += len(text)
        return len(text)


class Room:
    """Where one student's cells run, with the channel to the judge."""

    def __init__(self, channel, library, bodies, roots):
        self.channel, self.photograph, self.home, self.is_watched = channel, library, os.getpid(), False
        self.is_closed = False
        self.main = ModuleType("__main__")
        self.space = vars(self.main)
        self.space.update(get_ipython=lambda: Shell(self.space), display=lambda *things, **options: None,
                          In=[], Out={}, exit=sys.exit, quit=sys.exit)
        self.functions, self.touched, self.told, self.doors = [], [], set(), ExitStack()
        self.output = Output()
        sys.modules["__main__"], sys.stdout, sys.stderr = self.main, self.output, self.output
        self.modules = {name: m for name, m in sys.modules.items() if name.startswith(OURS)}
        self.reached, self.rebodied = watch(roots, bodies, functions=library[1])


def serve(channel, library, bodies, roots):
    """Answer the judge until it hangs up.

    library, bodies : a photograph of it before any answer ran, and what its functions are known by
    """
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - students may draw from the global generator: every run draws the same
    room = Room(channel, library, bodies, roots)
    while True:
        verb, *content = messages.receive(channel)
        reply = _VERBS[verb](room, *content)
        if os.getpid() != room.home:
            os._exit(0)
        noted = _news(room)
        try:
            messages.send(channel, {**reply, "noted": noted})
        except (ValueError, RecursionError) as error:
            messages.send(channel, {"unreadable": _words(error), "noted": noted})


def run(room, source, name):
    """Run a cell -> {} or {"error": ...}; what it overwrote in the library is put back."""
    name, room.is_watched = f"<{name}>", room.is_watched or could_overwrite(source)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compiled(source, name), room.space)
    except BaseException as error:
        return {"error": report(error)}
    finally:
        _put_back(room)
    return {}


def _put_back(room):
    if room.is_watched:
        room.touched += put_back(room.photograph, room.rebodied)


def value(room, expression):
    """The value of an expression: plain data, a handle on a function, or why it is neither."""
    try:
        found = eval(expression, room.space)
        if callable(found):
            room.functions.append(found)
            return {"function": len(room.functions) - 1, "name": str(getattr(found, "__name__", "f"))[:80]}
        return _plain(found)
    except BaseException as error:
        return {"error": report(error)}


def call(room, handle, arguments):
    """What a function of the student's returns on these arguments, as plain data, or the error it raises."""
    try:
        arguments = [messages.decode(a, lambda there: _borrowed(room, there)) for a in arguments]
        return _plain(room.functions[handle](*arguments))
    except BaseException as error:
        return {"error": report(error)}
    finally:
        if not room.is_closed:
            _put_back(room)


def _plain(found):
    try:
        return {"plain": plain(found)}
    except ValueError as error:
        return {"unreadable": _words(error)}


def _borrowed(room, there):
    """A function that lives with the judge: calling it here calls it there."""
    def implementation(*arguments, **options):
        messages.send(room.channel, {"callback": there, "arguments": messages.encode(list(arguments)), "options": messages.encode(options)})
        reply = messages.receive(room.channel)
        if "error" in reply:
            kind = getattr(__import__("builtins"), reply["error"]["kind"], RuntimeError)
            raise kind(reply["error"]["words"])
        for k, content in reply["changed"].items():
            _change(arguments[int(k)], messages.decode(content))
        return messages.decode(reply["value"])
    return implementation


def _change(here, there):
    """Let a caller's array, list, dictionary or generator be what a borrowed function has made of its copy."""
    if isinstance(here, np.ndarray) and np.shape(there) == here.shape:
        here[...] = there
    elif isinstance(here, list):
        here[:] = there
    elif isinstance(here, dict):
        here.clear()
        here.update(there)
    elif isinstance(here, np.random.Generator):
        here.bit_generator.state = there.bit_generator.state


def close(room, names):
    """Close the package's own answers until `open_again`: the modules that were there at first, whatever took their places."""
    gone = [name for name, module in room.modules.items() if sys.modules.get(name) is not module]
    room.touched += [f"sys.modules[{name!r}]" for name in gone]
    sys.modules.update(room.modules)
    room.doors.enter_context(closing(names))
    room.is_closed = True
    return {}


def open_again(room):
    room.doors.close()
    room.is_closed = False
    return {}


def _news(room):
    """What has happened besides since the last reply: overwritten names, what was reached for, output cut, threads left."""
    noted = {f"overwrote {name}" for name in room.touched} | {f"reached for {what}" for what in room.reached}
    if room.output.written > MOST_OUTPUT:
        noted.add("output cut")
    if threading.active_count() > 1:
        noted.add("left threads running")
    news = sorted(noted - room.told)[:MOST_NEWS]
    room.told |= noted
    return news


_VERBS = {"run": run, "value": value, "call": call, "close": close, "open": open_again}


def report(error):
    """An error as data: its kind, its words, and its traceback through the student's own cells."""
    kind = "ClosedName" if isinstance(error, ClosedName) else type(error).__name__
    frames = [f for f in traceback.extract_tb(error.__traceback__)[-60:] if f.filename.startswith("<")]
    trace = "".join(traceback.format_list(frames)[-12:])
    return {"kind": str(kind)[:80], "words": _words(error), "trace": trace[-4000:], "line": getattr(error, "lineno", None)}


def _words(error):
    try:
        return str(error)[:1000]
    except BaseException:
        return ""
