"""Run notebook cells in the page's Python and send their outputs in the notebook format.

`begin()` prepares the interpreter, `resume(libraries)` continues from a stored memory, and
`run(source, name)` runs one cell. Messages leave as JSON through one call of the host: an output,
a wish for a library, and last {"ended": "ok" or "error"}.
"""

import ast
import builtins
import hashlib
import io
import json
import random
import sys
import types
import zipfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import _host

LIBRARIES = Path("/usr/local/lib")
PLOT_DATA = LIBRARIES / "matplotlib.zip/matplotlib/mpl-data"
EVERYWHERE = ("pandas", "fi_course.questions", "fi_teach.importance", "fi_teach.trees",
              "fi_teach.worlds")  # what a check needs
TERMINAL = ("IPython.terminal.embed", "pexpect", "prompt_toolkit", "pty", "ptyprocess", "termios")
shell = None


def send(message):
    """Send a message to the page -> its answer in words, empty for most."""
    return _host.call(json.dumps(message).encode()).decode()


def publish(data, metadata=None, kind="display_data"):
    """Send one output."""
    send({"output_type": kind, "data": data, "metadata": metadata or {}})


def no_input(prompt=""):
    __tracebackhide__ = True
    raise RuntimeError("input() cannot ask in a page. Write the answer into the cell instead, "
                       'as in  answer = "7"  or open the notebook in JupyterLab (make lab).')


def begin():
    """Start IPython and import what every page needs.

    The worker stores the memory as it then is, and the next Python starts with a copy of it.
    """
    global shell
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.FileIO(number, "w"), "utf-8", write_through=True)
                              for number in (1, 2))  # at once, in the order of other outputs
    builtins.input = no_input
    # IPython imports parts for a terminal, unless it finds itself in a browser
    sys.modules.update({name: types.ModuleType(name) for name in TERMINAL})
    sys.modules["IPython.terminal.embed"].embed = None
    platform, sys.platform = sys.platform, "emscripten"
    shell = import_module("page_shell").Shell.instance()
    sys.platform = platform
    for name in EVERYWHERE:
        import_module(name)


def resume(libraries):
    """Continue, perhaps from a stored memory: reseed the generators, find libraries.

    libraries : {name: {"packages": the modules in it, "sha256": of the zip}}
    """
    import numpy

    random.seed()
    numpy.random.seed()  # noqa: NPY002 - the generator that a reader may still use
    sys.meta_path.insert(0, Libraries(libraries))


class Libraries:
    """Fetches a library when one of its modules is first imported."""

    def __init__(self, libraries):
        self.libraries = libraries

    def find_spec(self, module, path=None, target=None):
        __tracebackhide__ = True  # none of the reader's business
        for name, library in self.libraries.items():
            if module in library["packages"] and str(LIBRARIES / f"{name}.zip") not in sys.path:
                self.fetch(name, library["sha256"])

    def fetch(self, name, sha256):
        """Put a library on the path. Raises ImportError if it does not arrive undamaged."""
        __tracebackhide__ = True
        whole = LIBRARIES / f"{name}.zip"
        for again in (False, True):
            problem = send({"fetch": name, "again": again})
            if not problem and hashlib.sha256(whole.read_bytes()).hexdigest() == sha256:
                break
        else:
            raise ImportError(problem or f"{name} arrived damaged twice. Run the cell again later.")
        send({"keep": name})
        sys.path.append(str(whole))
        if name == "matplotlib":  # it looks for its fonts and settings among real files
            with zipfile.ZipFile(whole) as library, library.open("matplotlib/mpl-data.zip") as data:
                zipfile.ZipFile(data).extractall(PLOT_DATA)


def run(source, name):
    """Run a cell's source in the one lasting namespace; `name` is what its tracebacks call it."""
    shell.compile.running = name
    ended = shell.run_cell(source, store_history=True).success
    send({"ended": "ok" if ended else "error"})


def run_what_can(source):
    """Run the definitions and assignments of a cell that needs a library that is not here.

    Cells below may need them. Those that fail are left out.
    """
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.Expr | ast.Assert):
            with suppress(Exception):
                exec(compile(ast.Module([statement], []), "<cell>", "exec"), shell.user_ns)
    send({"ended": "ok"})
