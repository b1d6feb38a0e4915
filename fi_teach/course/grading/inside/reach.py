"""A note of what a student's code reached for, kept by Python's audit events. It hinders nothing: the sandbox does that."""

import os
import sys

_NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto", "socket.gethostbyname"}
_PROCESSES = {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.kill", "subprocess.Popen"}
_MEMORY = {"gc.get_objects", "gc.get_referrers"}
_FILES = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink",
          "os.truncate", "os.chmod", "os.chown", "shutil.rmtree"}
_WORDS = {**dict.fromkeys(_NETWORK, "the network"), **dict.fromkeys(_PROCESSES, "other processes"),
          **dict.fromkeys(_MEMORY, "the interpreter's memory")}


def watch(roots):
    """Note from now on what is reached for beyond the folders `roots` -> a set of words that grows."""
    reached = set()
    roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)

    def hook(event, arguments, _words=_WORDS.get, _files=_FILES, _outside=_outside):
        if event in _files:
            word = _outside(arguments, roots)
        else:
            word = _words(event)
        if word:
            reached.add(word)
    sys.addaudithook(hook)
    return reached


def _outside(arguments, roots, _abspath=os.path.abspath, _decode=os.fsdecode):
    """The file an event is about, if it lies under none of the folders -> str or None."""
    path = arguments[0] if arguments else None
    if not isinstance(path, str | bytes):
        return None
    path = _abspath(_decode(path))
    return None if f"{path}/".startswith(roots) else f"the file {path[:80]}"
