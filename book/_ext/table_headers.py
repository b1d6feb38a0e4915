"""Every header cell of a table says something.

A screen reader announces header cells. pandas leaves the corner above the row labels empty, and so does a Markdown table that
has labels in its rows only: an empty corner in HTML becomes an ordinary cell, a header row without a word goes, and an empty
header beside others gets a word that is heard and not seen.
"""

import re

from docutils import nodes

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
            entry[:] = [nodes.paragraph("", "", nodes.inline("", "row", classes=["visually-hidden"]))]


def setup(app):
    app.connect("doctree-read", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
