"""Interrupt what takes too long: an answer in a notebook, or a whole notebook in the grader."""

import signal
import sys
import threading
from contextlib import contextmanager

WITHOUT_CLOCK = ("emscripten", "wasi")


@contextmanager
def alarm(seconds, error):
    """Raise the error in this block after so many seconds, and again each second.

    There is no limit outside the main thread, nor in a page, whose reader has a button for it.
    """
    if threading.current_thread() is not threading.main_thread() or sys.platform in WITHOUT_CLOCK:
        yield
        return

    with (_signal_alarm if hasattr(signal, "setitimer") else _thread_alarm)(seconds, error):
        yield


@contextmanager
def _signal_alarm(seconds, error):
    def ring(*_):
        raise error
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _TimeUp(BaseException):
    """The time is up: raised in the main thread between two of its steps."""


@contextmanager
def _thread_alarm(seconds, error):
    """Raise the error from a thread, where the system has no timer signal (Windows).

    It waits for the step at hand to end.
    """
    import ctypes  # no page's Python has it

    done, main = threading.Event(), threading.get_ident()
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def ring():
        wait = seconds
        while not done.wait(wait):
            raise_in(ctypes.c_ulong(main), ctypes.py_object(_TimeUp))
            wait = 1
    timer = threading.Thread(target=ring, daemon=True)
    timer.start()
    try:
        yield
    except _TimeUp:
        raise error from None
    finally:
        done.set()
        timer.join()
