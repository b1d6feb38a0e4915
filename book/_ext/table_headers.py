"""Every header cell of a table says something.

A screen reader announces header cells. pandas leaves the corner above the row labels empty,
and so does a Markdown table that has labels in its rows only:
an empty corner in HTML becomes an ordinary cell, a header row without a word goes,
and an empty header beside others gets a word that is heard and not seen.

Of a wide table a phone makes cards, one a row.
There the names of the columns stand before their cells, and are in their way nowhere else.
"""

import re

from docutils import nodes

WIDE = {"cheatsheet", "wide", "fi-conformity"}
EMPTY_HEADER = re.compile(r"<th(?: [^>]*)?>\s*</th>")


def mend(app, doctree):
    """Mend the empty header cells of a page's tables."""
    for raw in doctree.findall(nodes.raw):
        if "<table" in raw.astext():
            raw[:] = [nodes.Text(EMPTY_HEADER.sub("<td></td>", raw.astext()))]
    for head in list(doctree.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)
        for entry in [entry for entry in head.findall(nodes.entry) if not entry.astext().strip()]:
            entry[:] = [nodes.paragraph("", "",
                                        nodes.inline("", "row", classes=["visually-hidden"]))]


def label(app, doctree):
    """Put the name of its column before each cell of a wide table but the first of a row,
    whose words are the card's title."""
    for table in doctree.findall(nodes.table):
        head = next(table.findall(nodes.thead), None)
        if head is None or not WIDE & set(table.parent.get("classes", ())):
            continue
        names = [entry.astext() for entry in head.findall(nodes.entry)]
        for row in next(table.findall(nodes.tbody)).findall(nodes.row):
            for name, entry in list(zip(names, row.children, strict=True))[1:]:
                if entry.children:
                    entry[0].insert(0, nodes.inline("", f"{name}: ", classes=["fi-label"]))


def setup(app):
    app.connect("doctree-read", mend)
    app.connect("doctree-read", label)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
