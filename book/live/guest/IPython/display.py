"""Show values as Jupyter shows them: each as the richest of the forms it has."""

import sys

from guest import publish

FORMS = {"text/html": "_repr_html_", "text/markdown": "_repr_markdown_",
         "image/svg+xml": "_repr_svg_", "image/png": "_repr_png_",
         "image/jpeg": "_repr_jpeg_", "text/latex": "_repr_latex_",
         "application/json": "_repr_json_"}


class _OwnWay:
    """Functions that show values of a type in a way of their own, by the type's module and name."""

    def __init__(self):
        self.ways = {}

    def for_type_by_name(self, module, name, show):
        self.ways[module, name] = show

    def of(self, value):
        own = getattr(value, "_ipython_display_", None)
        if own and not isinstance(value, type):
            return lambda _: own()
        return next((self.ways[kind.__module__, kind.__name__] for kind in type(value).__mro__
                     if (kind.__module__, kind.__name__) in self.ways), None)


class _Formatter:
    ipython_display_formatter = _OwnWay()


class _Events:
    """matplotlib wants to be told of each cell's end; here `guest` shows the figures."""

    def register(self, event, call):
        """Nobody is called."""

    unregister = register


class _Shell:
    """What is asked of a shell: that it has a kernel, and how it shows values."""

    kernel = "page"
    display_formatter = _Formatter()
    events = _Events()

    def run_line_magic(self, name, line):
        """%matplotlib inline is what a page does anyway; others are not known here."""
        if name == "pinfo":
            help(line)
        elif name not in ("matplotlib", "config", "autosave"):
            print(f"%{name} does nothing in a page.")

    def run_cell_magic(self, name, line, body):
        """The cell without its magic."""
        print(f"%%{name} does nothing in a page: the cell runs without it.")
        exec(body, sys.modules["__main__"].__dict__)

    def system(self, command):
        raise OSError(f"there is no shell in a page to run {command!r} in. "
                      "In JupyterLab (make lab) there is.")

    getoutput = system


def _figure(figure):
    from fi_teach.plots.alt_text import show

    show(figure)


SHELL = _Shell()
_Formatter.ipython_display_formatter.for_type_by_name("matplotlib.figure", "Figure", _figure)


def _pretty(value):
    from IPython.lib.pretty import pretty

    return pretty(value)


def forms(value):
    """A value as Jupyter's (data, metadata)."""
    data, metadata = {"text/plain": _pretty(value)}, {}
    if isinstance(value, type):
        return data, metadata
    bundle = getattr(value, "_repr_mimebundle_", None)
    if bundle:
        given = bundle(include=None, exclude=None)
        given, metadata = given if isinstance(given, tuple) else (given, {})
        return data | given, metadata
    for kind, name in FORMS.items():
        method = getattr(value, name, None)
        drawn = method() if callable(method) else None
        if isinstance(drawn, tuple):
            drawn, metadata[kind] = drawn
        if drawn is not None:
            data[kind] = _text(drawn)
    return data, metadata


def _text(drawn):
    if isinstance(drawn, bytes):
        from base64 import b64encode

        return b64encode(drawn).decode()
    return drawn


def show(value, kind="display_data"):
    """Show one value, in its own way if it has one."""
    own = SHELL.display_formatter.ipython_display_formatter.of(value)
    if own:
        own(value)
    else:
        publish(*forms(value), kind)


def display(*values, raw=False, metadata=None, **_):
    """Show each value; raw ones are dictionaries of forms."""
    for value in values:
        if raw:
            publish(value, metadata)
        else:
            show(value)


def publish_display_data(data, metadata=None, **_):
    """Show what is given in several forms."""
    publish(data, metadata)


class _Words:
    """Text in a given form."""

    form = ""

    def __init__(self, data=None, **_):
        self.data = data

    def _repr_mimebundle_(self, **_):
        return {self.form: self.data}

    def __repr__(self):
        return f"<IPython.core.display.{type(self).__name__} object>"


class HTML(_Words):
    form = "text/html"


class Markdown(_Words):
    form = "text/markdown"


class SVG(_Words):
    form = "image/svg+xml"


class Latex(_Words):
    form = "text/latex"


Math = Latex


def clear_output(wait=False):
    """Nothing is taken back: the page shows all that a cell put out."""
