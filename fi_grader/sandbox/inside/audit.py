"""Record file, network and process access of student code through `sys.addaudithook`.

This only records; the sandbox enforces.
"""

import os
import sys

_NETWORK = {"socket.connect", "socket.getaddrinfo", "socket.bind", "socket.sendto",
            "socket.gethostbyname"}
_PROCESSES = {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system",
              "os.kill", "subprocess.Popen"}
_MEMORY = {"gc.get_objects", "gc.get_referrers"}
_FILES = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.rmdir", "os.mkdir",
          "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "shutil.rmtree"}
_WORDS = {**dict.fromkeys(_NETWORK, "the network"), **dict.fromkeys(_PROCESSES, "other processes"),
          **dict.fromkeys(_MEMORY, "the interpreter's memory")}


def watch(roots, functions=()):
    """Start recording access -> (set of descriptions, set of functions whose code was replaced).

    Recorded are files outside the folders `roots`, and new code for one of the functions. Both
    sets grow.
    """
    reached, replaced_code = set(), set()
    roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)

    def hook(event, arguments, _words=_WORDS.get, _files=_FILES, _outside=_outside):
        word = _outside(arguments, roots) if event in _files else _words(event)
        if word:
            reached.add(word)
        if event == "object.__setattr__" and arguments[1] == "__code__":
            replaced_code.update({arguments[0]} & functions)
    sys.addaudithook(hook)
    return reached, replaced_code


def _outside(arguments, roots, _abspath=os.path.abspath, _decode=os.fsdecode):
    """Describe the file of an event if it lies under none of the folders -> str or None."""
    path = arguments[0] if arguments else None
    if not isinstance(path, str | bytes):
        return None
    path = _decode(path)
    if path.startswith("<") and path.endswith(">"):  # no file: Python looks up a line of an error
        return None
    path = _abspath(path)
    return None if f"{path}/".startswith(roots) else f"the file {path[:80]}"
