"""A warm parent: imports the libraries once, then forks a student process whenever the grader hands it a channel.

Inside a sandbox each of these gets fresh PID, mount and IPC namespaces and an empty /tmp; it is process 1 of its namespace,
so that whatever it leaves behind ends with it. The grader speaks in single bytes: `g` with a channel grows a student,
`k` kills it; the answer to `k` says whether it had ended for want of memory (`m`) or not (`-`).
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress

from fi_grader.inside import linux
from fi_grader.inside.preload import preloaded


def main(control, settings):
    """Warm up, say so, and serve the grader on this socket until it hangs up."""
    settings["library"], settings["bodies"] = preloaded(settings["modules"])
    if sys.platform == "linux":
        linux.lift_memory_limit()
    if settings["isolated"]:
        linux.adopt_orphans()
    gc.collect()
    gc.freeze()
    control.sendall(b"r")
    serve(control, settings)


def serve(control, settings):
    """Grow and kill students as told, and kill one whose processes together take too much memory."""
    child, why, before, most = 0, b"-", 0, settings["megabytes_in_all"] * 2**20
    while True:
        if not select.select([control], [], [], 0.1 if child else None)[0]:
            if settings["isolated"] and _memory() > most and _memory_without(before) > most:
                why = b"m"
                end(child)
            continue
        order, channels, *_ = socket.recv_fds(control, 1, 1)
        if order == b"f":
            child, why = fork(control, channels[0], settings), b"-"
        elif order == b"k":
            end(child)
            child, before = 0, child
            control.sendall(why)
            reap()
        else:
            return end(child)


def fork(control, channel, settings):
    """Fork a student process on this channel -> its process id."""
    read, write = os.pipe()
    middle = os.fork()
    if middle == 0:
        try:
            control.close()
            os.close(read)
            _start_student(write, channel, settings)
        finally:
            os._exit(1)
    os.close(write)
    os.close(channel)
    pid = int(os.read(read, 20) or 0)
    os.close(read)
    return pid


def _start_student(write, channel, settings):
    """In the fork: enter fresh namespaces where there are any, say who we are, and serve."""
    if settings["isolated"]:
        linux.new_namespaces()
        pid = os.fork()
        if pid:
            os.write(write, str(pid).encode())
            os._exit(0)
        linux.mount_private(settings["megabytes_on_disk"], settings["kept"])
    else:
        os.setsid()
        os.write(write, str(os.getpid()).encode())
    os.close(write)
    _discard_output()
    _apply_limits(settings)
    from fi_grader.inside.student import serve
    known = settings["library"], settings["bodies"], [*settings["roots"], os.getcwd()]
    serve(socket.socket(fileno=channel), *known)


def _discard_output():
    """What a student's code writes past Python's own streams goes nowhere: no word of one submission waits for the next."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _apply_limits(settings):
    os.chdir("/tmp" if settings["isolated"] else settings["folder"])
    if sys.platform == "linux":
        linux.set_limits(megabytes=settings["megabytes"], processes=settings["processes"], seconds=settings["seconds"],
                         file_megabytes=settings["megabytes_on_disk"])
    if settings["isolated"]:
        linux.give_up_privileges(settings["user"])
        linux.refuse_calls()


def end(child):
    """Kill a student process and all it has started."""
    for kill in (os.kill, os.killpg):
        try:
            kill(child, signal.SIGKILL) if child else None
        except OSError:
            continue


def reap():
    """Take leave of every process that has ended; what is still ending is met the next time."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return


def _memory():
    """Bytes that all processes in this sandbox hold for themselves, the warm parent left out."""
    mine = {"1", str(os.getpid())}
    return sum(_held(pid) for pid in os.listdir("/proc") if pid.isdigit() and pid not in mine)


def _memory_without(before):
    """The same when the student process before this one, killed already, has wholly gone with all it started."""
    with suppress(ChildProcessError):
        os.waitpid(before, 0) if before else None
    return _memory()


def _held(pid):
    """Bytes of a process that are no file's: its own, and those it shares with its children."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(("RssAnon", "RssShmem")))
    except OSError:
        return 0


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2]))
