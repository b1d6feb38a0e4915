"""A chapter opens with what it gives and what it takes:
its opening table becomes a sentence and a line of badges.

    | | |
    |:--|:--|
    | **You will be able to** | compute an impurity by hand |
    | **Time** | 50 minutes, and 15 more for the detective section |
    | **You need** | fractions |

A chapter that has a drawing (drawings.py) shows it there.
Other pages show one where they ask for it:

    ```{drawing} notebooks/04_bias
    ```
"""

from docutils import nodes
from drawings import DRAWINGS, svg_of
from sphinx.util.docutils import SphinxDirective

AIM, TIME, NEED = "You will be able to", "Time", "You need"


def rows_of(table):
    """The rows of a table of two columns -> {text of the first: what stands in the second}."""
    rows = [row.children for row in table.findall(nodes.row)]
    return {row[0].astext().strip(): row[1] for row in rows if len(row) == 2}


def content(entry):
    """The words of a table's entry, without the paragraph around them."""
    return list(entry[0].children) if len(entry) else []


def header_of(rows, page):
    """The chapter's drawing, the aim as a sentence, times and needs as badges -> container."""
    aim = nodes.paragraph("", "", nodes.strong("", AIM), nodes.Text(" "), *content(rows[AIM]))
    times = rows[TIME].astext().split(", and ")
    words = [times[0], *(f"+ {more}" for more in times[1:])]
    badges = [nodes.inline("", word, classes=["fi-badge"]) for word in words]
    need = nodes.inline("", "", nodes.Text("needs "), *content(rows[NEED]), classes=["fi-badge"])
    badges = [part for badge in (*badges, need) for part in (badge, nodes.Text(" "))]
    drawing = [nodes.raw("", svg_of(page), format="html")] if page in DRAWINGS else []
    return nodes.container("", *drawing, aim,
                           nodes.paragraph("", "", *badges, classes=["fi-badges"]),
                           classes=["fi-header"])


def convert(app, doctree):
    """Put a chapter header in the place of a chapter's opening table."""
    if not app.env.docname.startswith("notebooks/"):
        return
    table = next(iter(doctree.findall(nodes.table)), None)
    rows = rows_of(table) if table is not None else {}
    if {AIM, TIME, NEED} <= set(rows):
        table.replace_self(header_of(rows, app.env.docname))


class Drawing(SphinxDirective):
    """The drawing of the chapter that is named."""

    required_arguments = 1

    def run(self):
        if self.arguments[0] not in DRAWINGS:
            raise self.error(
                f"no drawing for {self.arguments[0]!r}: drawings.py has {', '.join(DRAWINGS)}.")
        self.env.note_dependency(__file__.replace("chapter_header", "drawings"))
        return [nodes.raw("", svg_of(self.arguments[0]), format="html")]


def setup(app):
    app.add_directive("drawing", Drawing)
    app.connect("doctree-read", convert, priority=300)  # before those who look into tables
    return {"parallel_read_safe": True, "parallel_write_safe": True}
