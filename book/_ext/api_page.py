"""The API page: what the package offers, in the words of its own docstrings, so
that the page cannot fall behind the code.

    ```{api} fi_teach.trees.cart
    ```

lists what that module offers, each with its signature and its docstring
as `help` shows it (formulas, shapes and examples are laid out there by hand).
Examples run as doctests.
"""

import ast
import importlib
import inspect
import textwrap
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

PROJECT = Path(importlib.import_module("fi_teach").__file__).parents[1]


def public_objects(module):
    """What a module defines and its package exports;
    all it defines, where the package exports none -> list of (name, object)."""
    def defined_here(thing):
        return ((inspect.isfunction(thing) or inspect.isclass(thing))
                 and thing.__module__ == module.__name__)

    found = [(name, thing) for name, thing in vars(module).items() if defined_here(thing)
             and not name.startswith("_") and thing.__doc__]
    package = importlib.import_module(".".join(module.__name__.split(".")[:2]))
    exported = [(name, thing) for name, thing in found if name in getattr(package, "__all__", ())]
    return exported or found


def signature_of(name, thing):
    """'name(X, y, *, rng=0)' without annotations, as one calls it; of an exception its name."""
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return name
    parameters = [plain(parameter, thing)
                  for parameter in inspect.signature(thing).parameters.values()]
    return name + str(inspect.Signature(parameters))


class Words(str):
    """Shown as it is, without quotation marks."""

    __repr__ = str.__str__


def plain(parameter, thing):
    """A parameter without its annotation; a default that has an address, and another
    in every build, as the code calls it."""
    default = parameter.default
    if " at 0x" in repr(default):
        arguments = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0].args
        given = dict(zip([each.arg for each in arguments.args][::-1], arguments.defaults[::-1],
                         strict=False))
        given |= dict(zip([each.arg for each in arguments.kwonlyargs], arguments.kw_defaults,
                          strict=True))
        default = Words(ast.unparse(given[parameter.name]))
    return parameter.replace(annotation=inspect.Parameter.empty, default=default)


PACKAGES = ("fi_teach", "fi_audit", "fi_course", "fi_grader")


def lines_of_code(source):
    """How many lines of a module hold code: neither blank, nor comment, nor docstring -> int."""
    tree = ast.parse(source)
    spoken = set()
    for node in ast.walk(tree):
        for part in getattr(node, "body", []) if isinstance(getattr(node, "body", []),
                                                            list) else []:
            if isinstance(part, ast.Expr) and isinstance(part.value,
                                                         ast.Constant) and isinstance(
                                                             part.value.value, str):
                spoken |= set(range(part.lineno, part.end_lineno + 1))
    return sum(1 for k, line in enumerate(source.splitlines(), 1) if line.strip()
               and not line.strip().startswith("#") and k not in spoken)


def lines_in(package):
    """Count the lines of code of all modules in a folder -> int."""
    return sum(lines_of_code(path.read_text(encoding="utf-8")) for path in package.rglob("*.py"))


class Sizes(SphinxDirective):
    """A table of the packages and their lines of code."""

    def run(self):
        rows = [f"| `{package}` | {lines_in(PROJECT / package):,} |" for package in PACKAGES]
        return self.parse_text_to_nodes("\n".join(("| package | lines |", "|:--|--:|", *rows)))


class Api(SphinxDirective):
    """One module: its idea, then one section for each name."""

    required_arguments = 1

    def run(self):
        module = importlib.import_module(self.arguments[0])
        self.env.note_dependency(inspect.getsourcefile(module))
        idea = inspect.getdoc(module).split("\n\n")[0].replace("\n", " ")
        where = Path(inspect.getsourcefile(module)).relative_to(PROJECT).as_posix()
        return [nodes.paragraph("", "", nodes.literal("", where), nodes.Text(": " + idea)),
                *(self.section(name, thing) for name, thing in public_objects(module))]

    def section(self, name, thing):
        full_name = f"{thing.__module__}.{'class-' if inspect.isclass(thing) else ''}{name}"
        section = nodes.section(ids=[nodes.make_id(full_name)], names=[full_name.lower()])
        section += nodes.title("", "", nodes.literal("", name))
        section += self.code(signature_of(name, thing), "python")
        sentence, _, rest = inspect.getdoc(thing).partition("\n\n")
        section += nodes.paragraph("", sentence.replace("\n", " "))
        if rest:
            section += self.code(rest, "text")
        self.state.document.note_explicit_target(section)
        return section

    @staticmethod
    def code(text, language):
        return nodes.literal_block(text, text, language=language, classes=["fi-api"])


def setup(app):
    app.add_directive("api", Api)
    app.add_directive("sizes", Sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
