"""A chapter opens with what it gives and what it takes: its opening table becomes a sentence and a line of chips.

    | | |
    |:--|:--|
    | **You will be able to** | compute an impurity by hand |
    | **Time** | 50 minutes, and 15 more for the detective section |
    | **You need** | fractions |
"""

from docutils import nodes

AIM, TIME, NEED = "You will be able to", "Time", "You need"


def rows_of(table):
    """The rows of a table of two columns -> {text of the first: what stands in the second}."""
    rows = [row.children for row in table.findall(nodes.row)]
    return {row[0].astext().strip(): row[1] for row in rows if len(row) == 2}


def inside(entry):
    """The words of a table's entry, without the paragraph around them."""
    return list(entry[0].children) if len(entry) else []


def opener_of(rows):
    """The aim as a sentence, times and needs as chips -> container."""
    aim = nodes.paragraph("", "", nodes.strong("", AIM), nodes.Text(" "), *inside(rows[AIM]))
    times = rows[TIME].astext().split(", and ")
    words = [times[0], *(f"+ {more}" for more in times[1:])]
    chips = [nodes.inline("", word, classes=["fi-chip"]) for word in words]
    need = nodes.inline("", "", nodes.Text("needs "), *inside(rows[NEED]), classes=["fi-chip"])
    chips = [part for chip in (*chips, need) for part in (chip, nodes.Text(" "))]
    return nodes.container("", aim, nodes.paragraph("", "", *chips, classes=["fi-chips"]), classes=["fi-opener"])


def convert(app, doctree):
    """Put an opener in the place of a chapter's opening table."""
    if not app.env.docname.startswith("notebooks/"):
        return
    table = next(iter(doctree.findall(nodes.table)), None)
    rows = rows_of(table) if table is not None else {}
    if {AIM, TIME, NEED} <= set(rows):
        table.replace_self(opener_of(rows))


def setup(app):
    app.connect("doctree-read", convert, priority=300)  # before those who look into tables
    return {"parallel_read_safe": True, "parallel_write_safe": True}
