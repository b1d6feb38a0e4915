"""The judge's side of the channel: talk to a student process and hold its functions by handles."""

import json
import time
from contextlib import contextmanager

import pandas as pd

from fi_course.questions.compare_values import same
from fi_course.questions.plain_values import normalise
from fi_course.questions.time_limit import alarm
from fi_grader.escaping import printable
from fi_grader.sandbox.inside import protocol as messages

LARGEST_NUMBER = 10**300
GRACE = 0.5  # seconds until the judge is interrupted: replies may drip in, calls back never end


class StudentProcessDied(BaseException):
    """The process cannot be used any more: "time", "memory", "ended" or "garbled".

    It is a BaseException, so that no check can catch it.
    """

    def __init__(self, why, words):
        super().__init__(words)
        self.why = why


class RemoteError(Exception):
    """An error raised by a student's function; `kind` is the name of its class."""

    def __init__(self, kind, words):
        super().__init__(str(words))
        self.kind = kind


class Unreadable(RemoteError):
    """An answer that is no data; its text says what it is."""


class StudentProcess:
    """A student process, used by the judge until it dies.

    hidden : the names of functions and files that it must not know

    notes : what it has reported on its own since this was last emptied
    trace : the student's own traceback of the last error
    was_blocked : has anything called a function of the package that is blocked?
    blocks : names of such functions, blocked while a function of the student's is called
    """

    def __init__(self, server, hidden=messages.NOTHING_HIDDEN):
        self.server, self.channel = server, server.fork(hidden)
        self.callbacks, self.notes, self.trace = [], [], ""
        self.deadline = self.seconds = 0
        self.was_blocked, self.blocks = False, []

    @contextmanager
    def within(self, seconds):
        """Require everything in this block to be answered within so many seconds."""
        self.seconds, self.deadline, self.callbacks = seconds, time.monotonic() + seconds, []
        with alarm(seconds + GRACE, StudentProcessDied("time", f"took longer than {seconds:g} s")):
            yield
        self.callbacks = []

    def spent(self):
        """Return the seconds since `within` began."""
        return self.seconds - (self.deadline - time.monotonic())

    def ask(self, *message):
        """Send a message and return the reply, serving callbacks meanwhile -> dict."""
        reply = self._exchange(list(message))
        while "callback" in reply:
            reply = self._exchange(self._run_callback(reply))
        notes = reply.get("noted")
        notes = notes[:20] if isinstance(notes, list) else ()
        self.notes += [printable(word[:120]) for word in notes if isinstance(word, str)]
        return reply

    def _exchange(self, message):
        try:
            self.channel.settimeout(max(0.01, self.deadline - time.monotonic()))
            messages.send(self.channel, message)
            reply = messages.receive(self.channel, most_parts=messages.MOST_PARTS)
        except TimeoutError:
            raise StudentProcessDied("time", f"took longer than {self.seconds:g} s") from None
        except (EOFError, OSError):
            raise StudentProcessDied("ended", "ended the process it ran in") from None
        except (ValueError, MemoryError, RecursionError) as error:
            raise StudentProcessDied("garbled", f"sent something unreadable: {error}") from None
        finally:
            self.channel.settimeout(None)
        if not isinstance(reply, dict):
            raise StudentProcessDied("garbled", "sent something unreadable")
        return reply

    def _run_callback(self, reply):
        """Call one of the judge's registered functions -> message with its value or error."""
        try:
            function = self.callbacks[reply["callback"]]
            arguments, options = (messages.decode(clamp(reply[name]))
                                  for name in ("arguments", "options"))
            before = messages.encode(arguments)
            value = messages.encode(function(*arguments, **options))
            after = messages.encode(arguments)
            return {"value": value,
                    "changed": {k: a for k, a in enumerate(after) if a != before[k]}}
        except Exception as error:
            return {"error": {"kind": type(error).__name__, "words": str(error)[:1000]}}

    def register(self, function):
        """Let the student process call this function while `within` lasts -> its number."""
        self.callbacks.append(function)
        return len(self.callbacks) - 1

    def value(self, expression):
        """Evaluate an expression -> plain data or RemoteFunction. Raises what `decoded` raises."""
        reply = self.ask("value", expression)
        if "function" in reply:
            return RemoteFunction(self, reply["function"], reply.get("name"))
        return self.decoded(reply)

    def decoded(self, reply):
        """Decode a reply -> plain data. Raises RemoteError for an error, Unreadable for no data."""
        if "plain" in reply:
            try:
                return clamp(reply["plain"])
            except RecursionError:
                raise Unreadable("ValueError", "it is nested too deeply.") from None
        if "unreadable" in reply:
            raise Unreadable("ValueError", _text(reply["unreadable"]))
        error = reply.get("error")
        error = error if isinstance(error, dict) else {}
        self.trace = _text(error.get("trace"), 4000)
        self.was_blocked |= error.get("kind") == "BlockedCall"
        raise RemoteError(_text(error.get("kind"), 80) or "Error", _text(error.get("words")))

    def end(self):
        """End the process and all it started -> True if it had run out of memory."""
        self.channel.close()
        return self.server.kill()


class RemoteFunction:
    """A student's function: calling it calls it in the student process.

    A question has one answer, the first value that came: asked again, in whatever kind of argument,
    the function is called again, but what it says then is only compared.

    outcomes : every outcome as it came, values and errors
    printed : what the last call has printed; changed : has a call changed its arguments?
    differs : has the same question got another answer, asked in whatever way?
    is_inconsistent : has it got one asked in the same way?
    """

    def __init__(self, student, handle, name):
        self.student, self.handle = student, handle
        self.first_values, self.outcomes, self.differs, self.is_inconsistent = {}, [], False, False
        self.printed, self.changed = "", False
        self.__name__ = _text(name, 80) if _text(name).isidentifier() else "f"

    def __call__(self, *arguments):
        message = [messages.encode(a, self.student.register) for a in arguments]
        try:
            value = self._call(message)
        except RemoteError as error:
            self.outcomes.append(error)
            raise
        self.outcomes.append(value)
        try:  # the same question, whatever its arguments are kept in
            question = json.dumps([normalise(
                a.to_numpy() if isinstance(a, pd.Series | pd.DataFrame) else a) for a in arguments])
        except ValueError:
            return value
        known, asked_so = self.first_values.setdefault(question, (value, message))
        differs = not _same(value, known)
        self.differs |= differs
        self.is_inconsistent |= differs and asked_so == message
        return known

    def _call(self, message):
        reply = self.student.ask("call", self.handle, message, self.student.blocks)
        self.printed = printable(_text(reply.get("printed"), 1001))
        self.changed |= reply.get("changed") is True
        return self.student.decoded(reply)

    def call_again(self):
        """Repeat the first call, to see whether the answer changes."""
        for known, message in list(self.first_values.values())[:1]:
            try:
                self.is_inconsistent |= not _same(self._call(message), known)
            except RemoteError:
                self.is_inconsistent = True

    def as_recorded(self):
        """Return a function that replays every recorded outcome in order -> function."""
        replayed = iter(self.outcomes)

        def replay(*_):
            outcome = next(replayed)
            if isinstance(outcome, RemoteError):
                raise outcome
            return outcome
        replay.__name__ = self.__name__
        return replay


def _text(value, longest=1000):
    """Cut a text of the student process to this length -> str, "" if it is none."""
    return value[:longest] if isinstance(value, str) else ""


def _same(one, other):
    return same(one, other) or repr(one) == repr(other)


def clamp(data):
    """Replace integers beyond 1e300 by infinity: they are too large to compute with."""
    if isinstance(data, list):
        return [clamp(part) for part in data]
    if isinstance(data, dict):
        return {key: clamp(part) for key, part in data.items()}
    if isinstance(data, int) and abs(data) > LARGEST_NUMBER:
        return float("inf") if data > 0 else float("-inf")
    return data
