"""A page for each source, in the source's own order:
what it says, where the course teaches it, what became of it.

The data are book/statements.yaml, every sentence by its place, and book/claims.yaml, the verdicts.
A place that names a section which no chapter has is a warning, and warnings fail the build.
"""

import re
from functools import cache
from pathlib import Path

import yaml
from claims_ledger import paragraph, row
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from fi_course.claims import VERDICTS, read_ledger

LOGGER = logging.getLogger(__name__)
FILE, LEDGER = "book/statements.yaml", "book/claims.yaml"
REASONS = {
    "aim": "says what it is for",
    "names": "sets the scene",
    "step": "a step",
    "opinion": "a view",
    "points": "points elsewhere",
}


@cache
def read_statements(path):
    """The sources, each a dict of its names and its places."""
    return {one["source"]: one for one in yaml.safe_load(Path(path).read_text(encoding="utf-8"))}


def split_line(line):
    """A line of `says` -> (words, claim ids, reasons, number of sentences).

    >>> split_line(["Take it.", "MID-01 names", 2])
    ('Take it.', ['MID-01'], ['names'], 2)
    """
    words, marks, *many = line
    marks = str(marks).split()
    ids = [mark for mark in marks if mark not in REASONS]
    return words, ids, [mark for mark in marks if mark in REASONS], many[0] if many else 1


def lines_of(source):
    return [split_line(line) for place in source["places"] for line in place["says"]]


def chapter_of(target, root):
    """"01 Eight students" -> (notebook's page, heading or None)."""
    number, _, heading = target.partition(" ")
    [path] = sorted(Path(root).glob(f"notebooks/{number}_*.ipynb")) or [None]
    return (f"notebooks/{path.stem}" if path else None), heading or None


def plain(text):
    """Letters and digits only: quotation marks and dashes are set differently on pages."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


class taught_in(nodes.Inline, nodes.TextElement):
    """Stands for a link to a chapter's section until all chapters are read."""


class SourcePage(SphinxDirective):
    """`{source-page} midterm slides`: who wrote it, how it fared,
    and its places one after the other."""

    required_arguments, final_argument_whitespace = 1, True

    def run(self):
        sources = read_statements(Path(self.env.srcdir) / FILE)
        ledger = read_ledger(Path(self.env.srcdir) / LEDGER)
        for path in (FILE, LEDGER):
            self.env.note_dependency(path)
        source = sources[self.arguments[0]]
        return [*about(source), paragraph(score(source, ledger)),
                *(self.section(k, place, ledger) for k, place in enumerate(source["places"]))]

    def section(self, k, place, ledger):
        title, found = place["place"], nodes.section(ids=[f"place-{k + 1}"])
        found += nodes.title(title, title)
        if place.get("taught"):
            found += self.taught(place["taught"])
        found += table([line_row(*split_line(line), ledger) for line in place["says"]])
        return found

    def taught(self, targets):
        parts = ["Taught in "]
        for target in targets:
            page, heading = chapter_of(target, self.env.srcdir)
            parts += [taught_in(page=page, heading=heading, target=target), "; "]
        return paragraph(*parts[:-1], ".")


def about(source):
    """Title, author, where it appeared, and what was lost, as far as the text tells."""
    words = [("Title", source["title"]), ("Author", source["author"]),
             ("Published", source["published"])]
    items = [nodes.list_item("", paragraph(nodes.strong("", name), f": {text}"))
             for name, text in words]
    return [nodes.bullet_list("", *items), paragraph(source["lost"])]


def score(source, ledger):
    """How many sentences, how many of them are claims, and how these fared."""
    lines = lines_of(source)
    ids = {id for _, mine, _, _ in lines for id in mine}
    verdicts = [ledger[id]["verdict"] for id in ids]
    n = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    claimed = sum(many for _, mine, _, many in lines if mine)
    text = (f"{sum(many for *_, many in lines)} sentences, {claimed} of which claim something. "
            f"They come to {len(ids)} entries of the ledger: "
            f"{n['holds']} hold, {n['conditional']} hold under a "
            f"condition, {n['fails']} do not hold")
    text += f", {n['shown']} announce what a chapter does" if n["shown"] else ""
    return text + (f", and {n['open']} are not for code to settle." if n["open"] else ".")


def line_row(words, ids, reasons, many, ledger):
    """What one sentence says, and its verdicts or the reason why it has none."""
    count = f" ({many} sentences)" if many > 1 else ""
    verdicts = [paragraph(VERDICTS[ledger[id]["verdict"]] + " ", link_to(id)) for id in ids]
    if not ids:
        verdicts = [paragraph(nodes.emphasis("", "; ".join(REASONS[reason] for reason in reasons)))]
    return nodes.row("", nodes.entry("", paragraph(words + count)), nodes.entry("", *verdicts))


def link_to(id):
    return pending_xref("", nodes.inline("", id), refdomain="std", reftype="ref",
                        reftarget=id.lower(),
                        refexplicit=True, refwarn=True)


def table(rows):
    group = nodes.tgroup("", nodes.colspec(colwidth=60), nodes.colspec(colwidth=40), cols=2)
    group += nodes.thead("", row([paragraph("What it says"), paragraph("What became of it")]))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=["claims"])


def anchors(env, page):
    """The headings of a page -> their anchors."""
    found = env.tocs[page].findall(nodes.reference) if page in env.tocs else []
    return {plain(link.astext()): link["anchorname"] for link in found}


def fill(app, doctree, page):
    """Turn the stand-ins into links; a section that is not there is a warning."""
    for node in list(doctree.findall(taught_in)):
        node.replace_self(link_or_warning(app, page, node))


def link_or_warning(app, page, node):
    target, heading = node["page"], node["heading"]
    anchor = anchors(app.env, target).get(plain(heading)) if target and heading else ""
    if target not in app.env.found_docs or anchor is None:
        LOGGER.warning(
            f"{FILE} sends the reader to {node['target']!r}, and no chapter has that section",
            location=page, type="sources")
        return nodes.Text(node["target"])
    chapter = app.env.titles[target].astext()
    words = f"{chapter}, “{heading}”" if heading else chapter
    uri = app.builder.get_relative_uri(page, target) + anchor
    return nodes.reference("", words, refuri=uri, internal=True)


def setup(app):
    app.add_node(taught_in)
    app.add_directive("source-page", SourcePage)
    app.connect("doctree-resolved", fill)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
