"""The API page: what a module offers, in the words of its docstrings, laid out by autodoc.

    ```{api} fi_teach.trees.cart
    ```

A docstring's first paragraph becomes text; the rest stands as `help` shows it (formulas, shapes and
examples are laid out there by hand). Examples run as doctests.
"""

import importlib
import inspect
import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.rst import escape

PROJECT = Path(importlib.import_module("fi_teach").__file__).parents[1]
CODE = re.compile(r"`([^`]+)`")


def public_objects(module):
    """What a module defines and its package exports;
    all it defines, where the package exports none -> list of (name, object)."""
    found = [(name, thing) for name, thing in vars(module).items()
             if (inspect.isfunction(thing) or inspect.isclass(thing)) and thing.__doc__
             and thing.__module__ == module.__name__ and not name.startswith("_")]
    package = importlib.import_module(".".join(module.__name__.split(".")[:2]))
    exported = [(name, thing) for name, thing in found if name in getattr(package, "__all__", ())]
    return exported or found


class Api(SphinxDirective):
    """One module: its idea, then an entry for each name, with those of a class below it."""

    required_arguments = 1

    def run(self):
        module = importlib.import_module(self.arguments[0])
        self.env.note_dependency(inspect.getsourcefile(module))
        idea = inspect.getdoc(module).split("\n\n")[0].replace("\n", " ")
        where = Path(inspect.getsourcefile(module)).relative_to(PROJECT).as_posix()
        entries = [f"```{{eval-rst}}\n.. auto{kind_of(thing)}:: {module.__name__}.{name}\n```"
                   for name, thing in public_objects(module)]
        return [nodes.paragraph("", "", nodes.literal("", where), nodes.Text(": " + idea)),
                *self.parse_text_to_nodes("\n".join(entries))]


def kind_of(thing):
    """autodoc's word for it."""
    if inspect.isfunction(thing):
        return "function"
    return "exception" if issubclass(thing, BaseException) else "class"


def as_written(app, what, name, thing, options, lines):
    """Keep the first paragraph as text, with its `code`, and the rest line by line."""
    sentence, _, rest = "\n".join(lines).strip().partition("\n\n")
    parts = CODE.split(sentence)
    parts[::2] = map(escape, parts[::2])
    parts[1::2] = (f"\\ ``{code}``\\ " for code in parts[1::2])
    lines[:] = "".join(parts).split("\n")
    if rest:
        lines += ["", ".. code-block:: text", "   :class: fi-api", ""]
        lines += [f"   {line}" for line in rest.split("\n")]
    lines.append("")


def fields(app, what, name, thing, skip, options):
    """Leave out a named tuple's fields, which its signature has, and of which nothing is said."""
    return True if (thing.__doc__ or "").startswith("Alias for field number") else None


def use_autodoc(app, config):
    config.autodoc_default_options = {"members": True, "member-order": "bysource"}
    config.autodoc_typehints = "none"
    config.autodoc_preserve_defaults = True  # a default as it is written, without an address
    config.add_module_names = False
    config.toc_object_entries_show_parents = "hide"
    config.html_domain_indices = False  # the page itself is the index of modules
    config.nitpick_ignore_regex = [("py:.*", ".*")]  # base classes of other packages


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.add_directive("api", Api)
    app.connect("config-inited", use_autodoc)
    app.connect("autodoc-process-docstring", as_written)
    app.connect("autodoc-skip-member", fields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
