"""Run notebook cells in the page and send their outputs in the notebook format.

`begin()` prepares the interpreter, `run(source, name)` runs one cell in it.
Everything goes out as JSON by one door:
an output as nbformat has it, and last {"ended": "ok" or "error"}.
"""

import ast
import builtins
import io
import json
import linecache
import random
import re
import sys
import time
import tokenize
import traceback
import zipfile
from importlib import import_module
from itertools import count, groupby

import _host

MPL_DATA = "/usr/local/lib/plots.zip/matplotlib/mpl-data"
# a check needs all
EVERYWHERE = ("pandas", "fi_course.questions", "fi_teach.importance", "fi_teach.trees",
              "fi_teach.worlds")
EVERY = 0.1  # seconds between two messages of printed text
AROUND = 2  # lines shown before and after the one that failed
RULE = "-" * 75
MAGIC = re.compile(r"^\s*[%!?]|\?\s*$", re.MULTILINE)
numbers = count(1)


def send(message):
    """Send a message to the page as JSON."""
    _host.call(json.dumps(message).encode())


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr: what is printed goes to the page, a few times a second."""

    encoding = "utf-8"

    def __init__(self, name):
        self.name, self.parts, self.sent = name, [], 0.0

    def writable(self):
        return True

    def write(self, text):
        self.parts.append(text)
        if time.monotonic() > self.sent + EVERY:
            self.flush()
        return len(text)

    def flush(self):
        text, self.parts, self.sent = "".join(self.parts), [], time.monotonic()
        if text:
            send({"output_type": "stream", "name": self.name, "text": text})


def publish(data, metadata, kind="display_data"):
    """Send one output, after all that was printed before it."""
    sys.stdout.flush()
    sys.stderr.flush()
    send({"output_type": kind, "data": data, "metadata": metadata or {}})


def begin():
    """From now on what is printed goes to the page, pandas and the course find a notebook,
    matplotlib finds its files.

    What every page imports is imported: the worker keeps the memory as it then is,
    and the next Python starts with it.
    """
    import IPython

    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    builtins.get_ipython, builtins.display = IPython.get_ipython, IPython.display.display
    sys.meta_path.insert(0, Unpacker())
    for name in EVERYWHERE:
        import_module(name)


def resume(paths):
    """Continue from a stored memory: add this page's libraries and reseed the generators."""
    import numpy

    sys.path.extend(paths)
    random.seed()
    numpy.random.seed()  # noqa: NPY002 - the generator that a reader may still use


class Unpacker:
    """Unpack matplotlib's fonts and settings once, before its first import."""

    def find_spec(self, name, path=None, target=None):
        if name == "matplotlib":
            sys.meta_path.remove(self)
            whole = zipfile.ZipFile("/usr/local/lib/plots.zip")
            with whole.open("matplotlib/mpl-data.zip") as data:
                zipfile.ZipFile(io.BytesIO(data.read())).extractall(MPL_DATA)


# One cell -----------------------------------------------------------------------------------------


def run(source, name):
    """Run a cell's source in the one lasting namespace; `name` is what its tracebacks call it."""
    path = f"<{name} {next(numbers)}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    try:
        value = execute(without_magics(source), path)
        if value is not None:
            show_result(value)
        status = "ok"
    except BaseException as error:
        status = "error"
        show_error(error)
    try:
        show_figures()
    except Exception as error:
        status = "error"
        show_error(error)
    sys.stdout.flush()
    sys.stderr.flush()
    send({"ended": status})


def without_magics(source):
    """The source with IPython's %magics and !commands as calls of the shell, which says of most
    that they do nothing here."""
    if not MAGIC.search(source):
        return source
    from IPython.core.inputtransformer2 import TransformerManager

    return TransformerManager().transform_cell(source)


def execute(source, path):
    """Run the statements -> the value of the last one if it is an expression without a semicolon,
    else None."""
    space, tree = sys.modules["__main__"].__dict__, ast.parse(source, path)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path, "exec"), space)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), path, "eval"), space)
    return None if ends_quietly(source) else value


def ends_quietly(source):
    """Return whether the source ends with a semicolon, comments aside."""
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.DEDENT,
               tokenize.INDENT)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    words = [token.string for token in tokens if token.type not in skipped]
    return bool(words) and words[-1] == ";"


def show_result(value):
    """Show a cell's value as Jupyter does."""
    from IPython import display

    sys.modules["__main__"].__dict__["_"] = value
    display.show(value, "execute_result")


def show_figures():
    """Show the figures that a cell has drawn and not shown, and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    from IPython.display import display

    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    for figure in figures:
        display(figure)


# What went wrong ----------------------------------------------------------------------------------


def show_error(error):
    """Send an error with its traceback, as JupyterLab words it and without colours."""
    sys.stdout.flush()
    sys.stderr.flush()
    name, words = type(error).__name__, _words(error)
    send({"output_type": "error", "ename": name, "evalue": words, "traceback": traceback_of(error)})


def traceback_of(error):
    """The lines of a traceback: where it came through, with the code around, and what it says."""
    # as IPython asks an error for words of its own
    own = getattr(error, "_render_traceback_", None)
    if own:
        return list(own() or [])
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    lines = [*traceback_of(before), "", _between(error), ""] if before is not None else []
    name = type(error).__name__
    lines += [RULE, f"{name:<42}Traceback (most recent call last)"] if not lines else []
    if isinstance(error, SyntaxError):
        return [*lines, *"".join(traceback.format_exception_only(error)).splitlines()]
    places = [place for place in traceback.extract_tb(error.__traceback__)
              if place.filename != __file__]
    for _, alike in groupby(places, key=lambda place: (place.filename, place.lineno)):
        first, *more = alike
        lines += [*_place(first),
                  *([f"      [... the same {len(more)} times more]"] if more else []), ""]
    return [*lines, f"{name}: {_words(error)}", *_advice(error)]


def _advice(error):
    """Yield advice about errors that occur only in a page."""
    if isinstance(error, ModuleNotFoundError) and "fi_teach" not in str(error.name):
        yield ("A page carries only what the chapters use. "
               "In JupyterLab (make lab) you can import what you have installed.")
    if isinstance(error, OverflowError | MemoryError):
        yield ("Python in a page has 32-bit indices and at most 4 GB of memory. "
               "In JupyterLab (make lab) there is more.")


def _words(error):
    try:
        return str(error)
    except Exception:
        return "<its message could not be printed>"


def _between(error):
    if error.__cause__:
        return "The above exception was the direct cause of the following exception:"
    return "During handling of the above exception, another exception occurred:"


def _place(place):
    """One place of a traceback: its name, and the lines around the one that was running."""
    cell = place.filename.startswith("<") and linecache.cache.get(place.filename)
    label = place.filename[1:-1].rsplit(" ", 1)[0] if cell else f"File {place.filename}"
    inside = "" if place.name == "<module>" else f", in {place.name}"
    yield f"{label}, line {place.lineno}{inside}" if cell else f"{label}:{place.lineno}{inside}"
    if not linecache.getline(place.filename, place.lineno):
        return  # a library, which comes without its source
    for number in range(place.lineno - AROUND, place.lineno + AROUND + 1):
        code = linecache.getline(place.filename, number).rstrip()
        if code:
            arrow = f"{'-' * max(1, 5 - len(str(number)))}> {number}"
            yield f"{arrow if number == place.lineno else number:>7} {code}"
