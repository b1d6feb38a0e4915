"""A chapter's dress: its opening, folded code, links back and to states, tables that can be heard.

The opening table becomes a sentence and a line of badges, with the chapter's drawing:

    | | |
    |:--|:--|
    | **You will be able to** | compute an impurity by hand |
    | **Time** | 50 minutes, and 15 more for the detective section |
    | **You need** | fractions |

Drawings are book/images/drawings/*.svg; their hues are those of the figures, so they follow light
and dark. `[set it to 8](#set:together=8)` moves a control of the nearest explorable that has it; a
comma, per cent or equals sign *in* a label is written as addresses write it.
"""

import json
import re
from pathlib import Path
from urllib.parse import quote, unquote

import yaml
from cards import Wrapped, add_wrapped
from chapter_cache import BOOK
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

LOGGER = logging.getLogger(__name__)
CHAPTERS = "notebooks/"
AIM, TIME, NEED = "You will be able to", "Time", "You need"
MINUTES = re.compile(r"\*\*Time\*\* \| (\d+) minutes(?:.*?and (\d+) more)?")
PARTS = ("main", "optional")
CODE, CLAIM, CHECK = "Code", "How it was computed", "Checked by code"
MAP = "book/method_map"
WIDE = {"cheatsheet", "wide"}
EMPTY_HEADER = re.compile(r"<th(?: [^>]*)?>\s*</th>")


def add_header(app, doctree):
    """Put a chapter header in the place of a chapter's opening table: its drawing, if there is one,
    the aim as a sentence, times and needs as badges."""
    table = next(iter(doctree.findall(nodes.table)), None)
    if table is None or not app.env.docname.startswith(CHAPTERS):
        return
    cells = [row.children for row in table.findall(nodes.row)]
    rows = {row[0].astext().strip(): row[1] for row in cells if len(row) == 2}
    if not {AIM, TIME, NEED} <= set(rows):
        return
    aim, need = (list(rows[name][0].children) if len(rows[name]) else [] for name in (AIM, NEED))
    times = rows[TIME].astext().replace(", and ", "\n+ ").split("\n")
    badges = [*([nodes.Text(time)] for time in times), [nodes.Text("needs "), *need]]
    spaced = [part for badge in badges
              for part in (nodes.inline("", "", *badge, classes=["fi-badge"]), nodes.Text(" "))]
    sentence = nodes.paragraph("", "", nodes.strong("", AIM), nodes.Text(" "), *aim)
    header = nodes.container("", sentence, nodes.paragraph("", "", *spaced, classes=["fi-badges"]),
                             classes=["fi-header"])
    drawing = BOOK / f"images/drawings/{app.env.docname.removeprefix(CHAPTERS)}.svg"
    if drawing.exists():
        app.env.note_dependency(str(drawing))
        svg = drawing.read_text(encoding="utf-8").rstrip()
        header.insert(0, nodes.raw("", svg, format="html"))
    table.replace_self(header)


def minutes_of(path):
    """A notebook's minutes -> (main line, optional sections), or None if it does not say."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    found = MINUTES.search("\n".join("".join(cell["source"]) for cell in cells
                                     if cell["cell_type"] == "markdown"))
    return found and tuple(int(minutes or 0) for minutes in found.groups())


class ReadingTime(SphinxRole):
    """`{reading-time}` and `main` or `optional`: hours over all chapters of the book, rounded."""

    def run(self):
        total = 0
        for page in sorted(page for page in self.env.found_docs if page.startswith(CHAPTERS)):
            self.env.note_dependency(self.env.doc2path(page, base=False))
            minutes = minutes_of(self.env.doc2path(page))
            if minutes is None:
                LOGGER.warning("the chapter does not say how many minutes it takes", location=page)
            main, optional = minutes or (0, 0)
            if Path(page).name.startswith("a"):  # an appendix is optional as a whole
                main, optional = 0, main + optional
            total += (main, optional)[PARTS.index(self.text)]
        return [nodes.Text(f"{round(total / 60)}")], []


class FoldedCode(Wrapped):
    """Code that is opened on demand."""


def fold_code(app, doctree, page):
    """Put the code of each cell tagged hide-input last, folded under a name that says what it is:
    of a claim's badge how it was computed, and "Checked by code" where there is no output."""
    for code in list(doctree.findall(HideCodeCellNode)):
        cell = code.parent
        cell.remove(code)
        badges = ["data-claim=" in html.astext() for html in cell.findall(nodes.raw)]
        name = CHECK if not cell.children else CLAIM if badges and all(badges) else CODE
        cell.append(FoldedCode("", *code.children, closes="</details>\n",
                               opens=f'<details class="fi-code"><summary>{name}</summary>\n'))


def chapter_of(page, pages):
    """exercises/12a_field_one -> notebooks/12_field: the chapter with the same number, or None."""
    number = page.removeprefix("exercises/")[:2]
    return next((other for other in sorted(pages) if other.startswith(f"{CHAPTERS}{number}_")),
                None)


def add_backlink(app, doctree, page):
    """Append a line with the link to where the page belongs."""
    words, target = "To the chapter:", None
    if page.startswith("exercises/"):
        target = chapter_of(page, app.env.found_docs)
    elif page.startswith(CHAPTERS) and MAP in app.env.found_docs:
        links = Path(app.env.doc2path(MAP)).read_text(encoding="utf-8")
        words, target = "Its methods among the others:", MAP if f"{page}.ipynb" in links else None
    if target:
        link = nodes.reference("", app.env.titles[target].astext(), internal=True,
                               refuri=app.builder.get_relative_uri(page, target))
        end = next(iter(doctree.findall(nodes.section)), doctree)
        end += nodes.paragraph("", "", nodes.Text(f"{words} "), link, classes=["fi-backlink"])


def keep_state_links(app, doctree):
    """Make links of the references to states, before Sphinx looks for them among its targets."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        target = link.get("reftarget") or ""
        if target.startswith("set:"):
            words = link[0].children if len(link) else [nodes.Text(unquote(target))]
            address = f"#{quote(target, safe='%:=,')}"
            link.replace_self(nodes.reference("", "", *words, refuri=address, internal=True,
                                              classes=["fi-set"]))


def mend_headers(app, doctree):
    """Mend empty header cells, which screen readers would announce: an empty corner becomes an
    ordinary cell, a header row without a word goes, an empty header beside others gets a word."""
    for raw in doctree.findall(nodes.raw):
        if "<table" in raw.astext():
            raw[:] = [nodes.Text(EMPTY_HEADER.sub("<td></td>", raw.astext()))]
    for head in list(doctree.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)
        for entry in [entry for entry in head.findall(nodes.entry) if not entry.astext().strip()]:
            heard = nodes.inline("", "row", classes=["visually-hidden"])
            entry[:] = [nodes.paragraph("", "", heard)]


def label_cells(app, doctree):
    """Put the name of its column before each cell of a wide table, of whose rows a phone makes
    cards, but the first of a row, which is the card's title."""
    for table in doctree.findall(nodes.table):
        head = next(table.findall(nodes.thead), None)
        if head is None or not WIDE & set(table.parent.get("classes", ())):
            continue
        names = [entry.astext() for entry in head.findall(nodes.entry)]
        for row in next(table.findall(nodes.tbody)).findall(nodes.row):
            for name, entry in list(zip(names, row.children, strict=True))[1:]:
                if entry.children:
                    entry[0].insert(0, nodes.inline("", f"{name}: ", classes=["fi-label"]))


def other_names():
    """The names that others give a chapter's methods, which are only searched for
    -> {page: words}."""
    return yaml.safe_load((BOOK / "search_names.yaml").read_text(encoding="utf-8"))


def add_keywords(app, doctree):
    """A meta node with the page's other names, which Sphinx indexes with its words."""
    names = other_names().get(app.env.docname)
    if names:
        app.env.note_dependency(str(BOOK / "search_names.yaml"))
        doctree += nodes.meta("", name="keywords", content=", ".join(names.split()), lang="en")


def setup(app):
    app.add_role("reading-time", ReadingTime())
    add_wrapped(app, FoldedCode)
    # before those who look into tables
    app.connect("doctree-read", add_header, priority=300)
    for change in (mend_headers, label_cells, keep_state_links, add_keywords):
        app.connect("doctree-read", change)
    app.connect("doctree-resolved", fold_code)
    app.connect("doctree-resolved", add_backlink)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
