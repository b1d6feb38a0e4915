"""The API page: what a module offers, in the words of its docstrings, laid out by autodoc.

    .. automodule:: fi_teach.trees.cart

A docstring's first paragraph becomes text; the rest stands as `help` shows it (formulas, shapes and
examples are laid out there by hand). Examples run as doctests.
"""

import importlib
import inspect
import re

from sphinx.util.rst import escape

CODE = re.compile(r"`([^`]+)`")


def as_written(app, what, name, thing, options, lines):
    """Keep the first paragraph as text, with its `code`, and the rest line by line; of a module its
    file and its idea."""
    sentence, _, rest = "\n".join(lines).strip().partition("\n\n")
    parts = CODE.split(sentence)
    parts[::2] = map(escape, parts[::2])
    parts[1::2] = (f"\\ ``{code}``\\ " for code in parts[1::2])
    if what == "module":
        ending = "/__init__.py" if hasattr(thing, "__path__") else ".py"
        parts.insert(0, f"``{name.replace('.', '/')}{ending}``: ")
    lines[:] = "".join(parts).split("\n")
    if rest and what != "module":
        lines += ["", ".. code-block:: text", "   :class: fi-api", ""]
        lines += [f"   {line}" for line in rest.split("\n")]
    lines.append("")


def leave_out(app, what, name, thing, skip, options):
    """Leave out what a module does not offer: all but the functions and classes that its package
    exports, if it exports any; and a named tuple's fields, which its signature has."""
    if what != "module":
        return True if (thing.__doc__ or "").startswith("Alias for field number") else None
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return True
    module = importlib.import_module(thing.__module__)
    package = importlib.import_module(".".join(module.__name__.split(".")[:2]))
    exported = set(getattr(package, "__all__", ())) & set(vars(module))
    return True if exported and name not in exported else None


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", as_written)
    app.connect("autodoc-skip-member", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
