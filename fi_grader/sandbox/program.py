"""Start a Python program and exchange messages with it through its standard input and output."""

import math
import os
import shutil
import subprocess
import sys
import threading
import time

TICK = 0.1  # seconds between two looks at the clock


class Program:
    """A program that was started, with what `protocol` needs of a socket."""

    def __init__(self, module, *words, scratch=None, **options):
        """Run `python -m module words...`; there, `Standard()` is the other end.

        scratch : a folder that is removed when the program has ended
        """
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            bufsize=0, start_new_session=True, **options)
        self.scratch, self.deadline = scratch, math.inf
        self.is_late, self.is_over = False, threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def settimeout(self, seconds):
        """End the program after so many seconds, unless another time, or None, is set before."""
        self.deadline = math.inf if seconds is None else time.monotonic() + seconds

    def _watch(self):
        while not self.is_over.wait(TICK):
            if time.monotonic() > self.deadline:
                self.is_late = True
                return self.process.kill()

    def sendall(self, content):
        """Write all of this to the program. Raises OSError if it has ended."""
        content = memoryview(content)
        while content:
            content = content[self.process.stdin.write(content):]

    def recv(self, size):
        """Read what was written -> bytes, b"" at the end. Raises TimeoutError if too late."""
        part = self.process.stdout.read(size)
        if not part and self.is_late:
            raise TimeoutError("the program took too long.")
        return part

    def close(self, patience=0):
        """Close its input, at which it ends; kill it if it has not done so soon enough."""
        self.is_over.set()
        self.process.stdin.close()
        wait_or_kill(self.process, patience)
        self.process.stdout.close()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)


def wait_or_kill(process, patience=3):
    """Wait for a process to end by itself, and kill it if it does not."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def last_line(log):
    """Return the last line that was written to a file of errors -> str."""
    log.seek(0)
    lines = log.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


class Standard:
    """In the program: its own standard input and output; what it prints goes to stderr."""

    def __init__(self):
        self.output = os.dup(1)
        os.dup2(2, 1)

    def sendall(self, content):
        content = memoryview(content)
        while content:
            content = content[os.write(self.output, content):]

    def recv(self, size):
        return os.read(0, size)
