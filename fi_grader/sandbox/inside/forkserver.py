"""Fork server: import the libraries once, then fork a student process for each request.

Each student process gets fresh PID, mount and IPC namespaces and an empty /tmp; it is process 1 of
its namespace, so that whatever it leaves behind ends with it. The grader sends single bytes: `f`
with a channel forks a student process, `k` kills it; the reply to `k` says whether it had run out
of memory (`m`) or not (`-`).
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress

from fi_grader.sandbox.inside import linux
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.inside.preload import preloaded, read_tables


def main(control, settings):
    """Import the libraries, report ready, and serve the grader on this socket until it hangs up.

    A student process that uses too much memory is killed.
    """
    settings["library"] = preloaded(settings["modules"])
    read_tables(settings["modules"])
    linux.lift_memory_limit()
    linux.adopt_orphans()
    gc.collect()
    gc.freeze()
    control.sendall(b"r")
    child, why, before, most = 0, b"-", 0, settings["megabytes_in_all"] * 2**20
    while True:
        if not select.select([control], [], [], 0.1 if child else None)[0]:
            if _memory() > most:
                with suppress(ChildProcessError):  # the one before may still be ending
                    os.waitpid(before, 0) if before else None
                if _memory() > most:
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
            with suppress(ChildProcessError):  # wait for what has ended, and for nothing else
                while os.waitpid(-1, os.WNOHANG)[0]:
                    continue
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
    with open(read, "rb") as pid:
        return int(pid.read() or 0)


def _start_student(write, channel, settings):
    """In the fork: enter fresh namespaces, report the process id, hide what is told, and serve."""
    channel = socket.socket(fileno=channel)
    linux.new_namespaces()
    pid = os.fork()
    if pid:
        os.write(write, str(pid).encode())
        os._exit(0)
    os.close(write)
    linux.mount_private(settings["megabytes_on_disk"], settings["kept"])
    hidden = messages.receive(channel)
    linux.hide([f"/course/{file}" for file in hidden["files"]])
    # output that bypasses Python's own streams would carry text to the next submission
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    os.chdir("/tmp")
    linux.set_limits(settings)
    linux.give_up_privileges(settings["user"])
    linux.refuse_calls()
    from fi_grader.sandbox.inside.session import serve
    serve(channel, settings["library"], settings["roots"], hidden)


def end(child):
    """Kill a student process and all it has started."""
    for kill in (os.kill, os.killpg) if child else ():
        with suppress(OSError):
            kill(child, signal.SIGKILL)


def _memory():
    """Return the bytes of all processes here but the fork server that belong to no file."""
    held, others = 0, {"1", str(os.getpid())}
    for pid in (pid for pid in os.listdir("/proc") if pid.isdigit() and pid not in others):
        with suppress(OSError), open(f"/proc/{pid}/status") as file:
            held += sum(int(line.split()[1]) * 1024 for line in file
                        if line.startswith(("RssAnon", "RssShmem")))
    return held


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2]))
