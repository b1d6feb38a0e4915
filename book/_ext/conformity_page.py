"""The conformity page's tables, from the JSON that two tests wrote: a figure on the page is one
that was measured."""

import json
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

RESULTS = "book/conformity.json"
HEAD = ("| ours | held against | version | largest difference | tolerance |",
        "|:--|:--|:--|--:|--:|")


def held_against(row):
    """The other side's name and package, and its version."""
    if not row["packages"]:
        return f"fi_teach, {row['reference']}", "this one"
    return f"{row['packages'][0]}, {row['reference']}", ", ".join(row["versions"])


def line(row):
    """A row of the page's table, with the unit where it is not that of the values themselves."""
    against, versions = held_against(row)
    unit = "" if row["unit"] == "absolute" else f" {row['unit']}"
    tolerance = f"{row['tolerance']:.3g}{unit}" if row["tolerance"] else "exactly equal"
    return f"| {row['method']} | {against} | {versions} | {row['difference']:.1e} | {tolerance} |"


MODELS_HEAD = ("| library | fitted model | from_model |", "|:--|:--|:--|")


def model_line(row):
    """A row of the table of models: the largest difference, or the sentence that refuses."""
    said = f"refused: {row['refused']}" if "refused" in row else f"equal, {row['difference']:.1e}"
    return f"| {row['library']} {row['version']} | {row['configuration']} | {said} |"


TABLES = {"rows": (HEAD, line), "models": (MODELS_HEAD, model_line)}


class Conformity(SphinxDirective):
    """`{conformity}`: one row a pair of methods; `{conformity} models`: one row a fitted model."""

    optional_arguments = 1

    def run(self):
        table = self.arguments[0] if self.arguments else "rows"
        head, write = TABLES[table]
        path = Path(self.env.srcdir) / RESULTS
        self.env.note_dependency(str(path))
        rows = json.loads(path.read_text(encoding="utf-8"))[table]
        container = nodes.container(classes=["fi-conformity"])
        lines = StringList([*head, *map(write, rows)], source=RESULTS)
        self.state.nested_parse(lines, self.content_offset, container)
        return [container]


def setup(app):
    app.add_directive("conformity", Conformity)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
