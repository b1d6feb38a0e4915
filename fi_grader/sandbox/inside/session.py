"""The student process: run cells, return values and call functions when the judge asks."""

import builtins
import io
import linecache
import os
import random
import sys
import threading
import traceback
from contextlib import suppress
from types import ModuleType

import numpy as np

from fi_course.questions.blocked_calls import BlockedCall, block, blocked
from fi_course.questions.plain_values import normalise
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.inside.restore import could_overwrite, restore, watch

MOST_OUTPUT = 1_000_000  # more printed characters than this are cut
MOST_KEPT = 1000  # so many printed characters of a call are told to the judge
MOST_NOTES = 20  # no reply tells more than this
PASSED_ON = {"time", "timeit", "prun", "capture"}  # magics on Python to be run


def compiled(source, name):
    """Compile a cell; magics and shell lines become calls if it is not plain Python."""
    try:
        return compile(source, name, "exec", dont_inherit=True)
    except SyntaxError:
        with suppress(ImportError):
            from IPython.core.inputtransformer2 import TransformerManager
            source = TransformerManager().transform_cell(source)
        return compile(source, name, "exec", dont_inherit=True)


class Shell:
    """The object that `get_ipython()` returns: it starts no process and reads no file."""

    def __init__(self, variables):
        self.variables = variables

    def run_line_magic(self, name, line, *_):
        if name in PASSED_ON - {"capture"}:
            exec(compile(line, f"%{name}", "exec", dont_inherit=True), self.variables)

    def run_cell_magic(self, name, line, cell):
        if name in PASSED_ON:
            exec(compiled(cell, f"%%{name}"), self.variables)

    def system(self, line):
        """Ignore a shell line."""

    getoutput = getsystem = system
    set_next_input = system


class Output(io.TextIOBase):
    """A stream that counts what is printed, and keeps the beginning."""

    written, begun = 0, ""

    def write(self, text):
        self.written += len(text)
        if len(self.begun) <= MOST_KEPT:
            self.begun += text[:MOST_KEPT + 1]
        return len(text)


class Session:
    """The variables of one student's cells, with the channel to the judge."""

    def __init__(self, channel, library, roots):
        self.channel, self.snapshot, self.home = channel, library, os.getpid()
        self.is_watched = False
        self.main = ModuleType("__main__")
        self.variables = vars(self.main)
        self.variables.update(get_ipython=lambda: Shell(self.variables),
                              display=lambda *things, **options: None,
                              In=[], Out={}, exit=sys.exit, quit=sys.exit)
        self.functions, self.overwritten, self.reported = [], [], set()
        self.output = Output()
        sys.modules["__main__"], sys.stdout, sys.stderr = self.main, self.output, self.output
        self.reached, self.replaced_code = watch(roots, library[1].keys())


def serve(channel, library, roots, hidden):
    """Answer the judge until it hangs up.

    library : the snapshot that was taken before any answer ran
    hidden : what this process must not know, as `StudentProcess` sends it; "names" are the
        package's functions whose bodies end here, so that nothing can open them
    """
    library[1].update((function, function.__code__) for function in block(hidden["names"]))
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - students may draw from the global generator
    session = Session(channel, library, roots)
    while True:
        verb, *content = messages.receive(channel)
        reply = _VERBS[verb](session, *content)
        if os.getpid() != session.home:
            os._exit(0)
        noted = {f"overwrote {name}" for name in session.overwritten}
        noted |= {f"reached for {what}" for what in session.reached}
        noted |= {"output cut"} if session.output.written > MOST_OUTPUT else set()
        noted |= {"left threads running"} if threading.active_count() > 1 else set()
        fresh = sorted(noted - session.reported)[:MOST_NOTES]
        session.reported |= noted
        try:
            messages.send(channel, {**reply, "noted": fresh})
        except (ValueError, RecursionError) as error:
            messages.send(channel, {"unreadable": _words(error), "noted": fresh})


def run(session, source, name):
    """Run a cell -> {} or {"error": ...}; restore what it overwrote in the libraries."""
    name, session.is_watched = f"<{name}>", session.is_watched or could_overwrite(source)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compiled(source, name), session.variables)
    except BaseException as error:
        return {"error": report(error)}
    finally:
        _restore(session)
    return {}


def _restore(session):
    if session.is_watched:
        session.overwritten += restore(session.snapshot, session.replaced_code)


def value(session, expression):
    """Evaluate an expression -> plain data, a handle on a function, or why it is neither."""
    try:
        found = eval(expression, session.variables)
        if callable(found):
            session.functions.append(found)
            return {"function": len(session.functions) - 1,
                    "name": str(getattr(found, "__name__", "f"))[:80]}
        return _plain(found)
    except BaseException as error:
        return {"error": report(error)}


def call(session, handle, arguments, names):
    """Call a function of the student's, the functions of these names blocked -> value or error."""
    try:
        session.output.begun = ""
        arguments = [messages.decode(a, lambda number: _callback(session, number))
                     for a in arguments]
        before = _encoded(arguments)
        with blocked(names):
            reply = _plain(session.functions[handle](*arguments))
        return {**reply, "printed": session.output.begun, "changed": before != _encoded(arguments)}
    except BaseException as error:
        return {"error": report(error)}
    finally:
        _restore(session)


def _encoded(arguments):
    """Encode arguments, to see whether a call changes them; None for what is no data any more."""
    with suppress(ValueError, RecursionError):
        return messages.encode(arguments, handle=id)


def _plain(found):
    try:
        return {"plain": normalise(found)}
    except ValueError as error:
        return {"unreadable": _words(error)}


def _callback(session, number):
    """Make a function that calls one of the judge's functions through the channel."""
    def implementation(*arguments, **options):
        messages.send(session.channel,
                      {"callback": number, "arguments": messages.encode(list(arguments)),
                       "options": messages.encode(options)})
        reply = messages.receive(session.channel)
        if "error" in reply:
            raise getattr(builtins, reply["error"]["kind"], RuntimeError)(reply["error"]["words"])
        for k, content in reply["changed"].items():
            _update_in_place(arguments[int(k)], messages.decode(content))
        return messages.decode(reply["value"])
    return implementation


def _update_in_place(here, changed):
    """Copy what the judge's function changed in its arguments back into the caller's."""
    if isinstance(here, np.ndarray) and np.shape(changed) == here.shape:
        here[...] = changed
    elif isinstance(here, list):
        here[:] = changed
    elif isinstance(here, dict):
        here.clear()
        here.update(changed)
    elif isinstance(here, np.random.Generator):
        here.bit_generator.state = changed.bit_generator.state


_VERBS = {"run": run, "value": value, "call": call}


def report(error):
    """Describe an error: its class, its message, and its traceback through the student's cells."""
    kind = "BlockedCall" if isinstance(error, BlockedCall) else type(error).__name__
    frames = [f for f in traceback.extract_tb(error.__traceback__)[-60:]
              if f.filename.startswith("<")]
    trace = "".join(traceback.format_list(frames)[-12:])
    return {"kind": str(kind)[:80], "words": _words(error), "trace": trace[-4000:]}


def _words(error):
    try:
        return str(error)[:1000]
    except BaseException:
        return ""
