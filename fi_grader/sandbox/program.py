"""Start a Python program and exchange messages with it through its standard input and output."""

import math
import os
import subprocess
import sys
import threading
import time

TICK = 0.1
"""Seconds between two looks at the clock."""


class Program:
    """A program that was started, with what `protocol` needs of a socket."""

    def __init__(self, module, *words, **options):
        """Run `python -m module words...`; there, `Standard()` is the other end."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            bufsize=0, start_new_session=True, **options)
        self.deadline, self.is_late, self.is_over = math.inf, False, threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def settimeout(self, seconds):
        """End the program after so many seconds, unless another time, or None, is set before."""
        self.deadline = math.inf if seconds is None else time.monotonic() + seconds

    def _watch(self):
        while not self.is_over.wait(TICK):
            if time.monotonic() > self.deadline:
                self.is_late = True
                self.process.kill()
                return

    def sendall(self, content):
        """Write all of this to the program. Raises OSError if it has ended."""
        content = memoryview(content)
        while content:
            content = content[self.process.stdin.write(content):]

    def recv(self, size):
        """Read what the program has written -> bytes, b"" if it has ended.

        Raises TimeoutError if it was ended since its time was over.
        """
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


def wait_or_kill(process, patience=3):
    """Wait for a process to end by itself, and kill it if it does not."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


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
