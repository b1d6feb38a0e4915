"""Fold code that only draws or checks below its output.

A cell with the tag `hide-input` shows its output first, then a small line to open:
"Code", or "How it was computed" below the badge of a claim. A cell that only asserts has no output:
its line says "Checked by code".
"""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode

CODE, CLAIM, CHECK = "Code", "How it was computed", "Checked by code"


class FoldedCode(nodes.General, nodes.Element):
    """Code that is opened on demand, under the name `summary`."""


def fold(app, doctree, page):
    """Put the hidden code of each cell last, folded under a name that says what it is."""
    for code in list(doctree.findall(HideCodeCellNode)):
        cell = code.parent
        cell.remove(code)
        cell.append(FoldedCode("", *code.children, summary=name_of(cell)))


def name_of(cell):
    """What the folded code of a cell is called, by what else is in the cell."""
    raw = [html.astext() for html in cell.findall(nodes.raw)]
    if not cell.children:
        return CHECK
    return CLAIM if raw and all("data-claim=" in html for html in raw) else CODE


def visit_folded(writer, node):
    writer.body.append(f'<details class="fi-code"><summary>{node["summary"]}</summary>\n')


def depart_folded(writer, node):
    writer.body.append("</details>\n")


def setup(app):
    app.add_node(FoldedCode, html=(visit_folded, depart_folded))
    app.connect("doctree-resolved", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
