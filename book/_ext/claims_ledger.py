"""The ledger page, every claim of book/claims.yaml with the figure that the build computed for it,
and a page for each source in its own order.

The badges that `fi_course.claims.claim` leaves in a chapter's outputs are collected as each page is
read, so they survive the execution cache, and the ledger is written again whenever any chapter may
have changed. A claim whose chapter is in the book but has no cell, a cell whose claim is not in the
ledger, a verdict that differs, and a claim settled twice are warnings, and warnings fail the build.
So is a place in book/statements.yaml (every sentence of a source) that names a section which no
chapter has.
"""

import re
from functools import cache
from html import unescape
from pathlib import Path

import yaml
from docutils import nodes
from robustness import marker, marks
from sphinx.addnodes import pending_xref
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from fi_course.claims import VERDICTS, read_ledger

LOGGER = logging.getLogger(__name__)
LEDGER, STATEMENTS = "book/claims.yaml", "book/statements.yaml"
BADGE = re.compile('id="(?P<anchor>[^"]+)" data-claim="(?P<claim>[^"]+)" '
                   'data-verdict="(?P<verdict>[^"]+)" data-figure="(?P<figure>[^"]*)"')
IN_JUPYTER = re.compile(r"\.\./book/ledger\.ipynb#cell-id=([\w-]+)")
CHAPTERS = {  # the ledger's chapter -> how its pages' names begin, and its heading
    "trees": ("notebooks/01_", "Trees that explain themselves"),
    "golf": ("notebooks/02_", "Golf, by hand"),
    "mdi": ("notebooks/03_", "Mean decrease in impurity"),
    "bias": ("notebooks/04_", "The biases of MDI"),
    "permutation": ("notebooks/05_", "Permutation importance"),
    "negative": ("notebooks/06_", "Negative and uncertain"),
    "correlated": ("notebooks/07_", "Correlated features"),
    "shapley": ("notebooks/08_", "Shapley values"),
    "treeshap": ("notebooks/09_", "TreeSHAP"),
    "knockoffs": ("notebooks/10_", "From importance to inference"),
    "causality": ("notebooks/11_", "Importance is not causality"),
    "applications": ("notebooks/12", "In the field"),
    "sources": ("notebooks/a1_", "Settling the sources"),
    "many trees": ("notebooks/a3_", "Going further: many trees"),
}
OPEN = "open"  # in place of a chapter: what no cell can settle
REASONS = {"aim": "says what it is for", "names": "sets the scene", "step": "a step",
           "opinion": "a view", "points": "points elsewhere"}
"""Why a sentence of a source has no claim."""


def ledger_of(env):
    """The claims, on which the page that is read now depends -> {id: entry}."""
    env.note_dependency(LEDGER)
    return read_ledger(Path(env.srcdir) / LEDGER)


def entries_of(chapter, entries):
    """The claims of a chapter, or those that code cannot settle."""
    return [entry for entry in entries.values() if entry.get("chapter", OPEN) == chapter]


# Reading: from outputs to the environment, whose metadata Sphinx forgets and merges by page -------


def badges_in(html):
    """The badges in a piece of HTML, as dicts of anchor, claim, verdict and figure."""
    return [{name: unescape(value) for name, value in badge.groupdict().items()}
            for badge in BADGE.finditer(html)]


def collect(app, doctree):
    """Note a page's badges, mark them, and turn their links, which lead to a notebook in
    JupyterLab, to the built page."""
    badges = [raw for raw in doctree.findall(nodes.raw) if 'data-claim="' in raw.astext()]
    marked = marker(app) if badges else None
    for raw in badges:
        about = app.env.metadata[app.env.docname]
        about.setdefault("claims", []).extend(badges_in(raw.astext()))
        html = marked(IN_JUPYTER.sub(lambda link: f"../book/ledger.html#{link[1].lower()}",
                                     raw.astext()))
        raw.rawsource, raw[:] = html, [nodes.Text(html)]


def settled(env):
    """Claim id -> [(page, badge), ...] over the whole book."""
    cells = {}
    for page in sorted(env.metadata):
        for badge in env.metadata[page].get("claims", ()):
            cells.setdefault(badge["claim"], []).append((page, badge))
    return cells


def complaints(entries, env):
    """What does not fit between ledger and cells -> (page or None, sentence) pairs."""
    cells = settled(env)
    for id, places in cells.items():
        page, badge = places[0]
        if id not in entries:
            yield page, f"claim {id} is settled here but is not in {LEDGER}"
        elif badge["verdict"] != entries[id]["verdict"]:
            yield (page, f"claim {id}: this cell shows {badge['verdict']!r}, "
                         f"{LEDGER} says {entries[id]['verdict']!r}")
        if len(places) > 1:
            yield (page, f"claim {id} is settled {len(places)} times, in "
                         f"{', '.join(page for page, _ in places)}: keep one")
    for id, entry in entries.items():
        begins = CHAPTERS[entry["chapter"]][0] if entry["verdict"] != OPEN else None
        pages = [page for page in sorted(env.found_docs) if begins and page.startswith(begins)]
        if pages and id not in cells:
            yield pages[0], (f"claim {id} belongs to this chapter, "
                             f"but no cell settles it with claim({id!r}, ...)")


def review(app, env):
    """Compare ledger and cells, and have the ledger's pages written again."""
    pages = sorted(page for page, about in env.metadata.items() if "ledger" in about)
    if pages:
        for page, sentence in complaints(read_ledger(Path(app.srcdir) / LEDGER), env):
            LOGGER.warning(sentence, location=page, type="claims")
    return pages


# The ledger's page --------------------------------------------------------------------------------


class to_be_filled(nodes.General, nodes.Element):
    """Stands for one chapter's table, or for the counts, until all chapters are read."""


class ClaimsLedger(SphinxDirective):
    """`{claims-ledger}`: the counts, then one section and table a chapter;
    each claim can be linked to as `#glf-04`."""

    def run(self):
        entries, page = ledger_of(self.env), self.env.docname
        self.env.metadata[page]["ledger"] = True
        names = self.env.get_domain("std")
        for id in entries:
            names.labels[id.lower()] = (page, id.lower(), id)
            names.anonlabels[id.lower()] = (page, id.lower())
        used = [chapter for chapter in (*CHAPTERS, OPEN) if entries_of(chapter, entries)]
        return [to_be_filled(chapter=None), *(self.section(chapter) for chapter in used)]

    def section(self, chapter):
        heading = "What code cannot settle" if chapter == OPEN else CHAPTERS[chapter][1]
        return nodes.section("", nodes.title(heading, heading), to_be_filled(chapter=chapter),
                             ids=[f"claims-{chapter}"])


class LedgerCount(SphinxRole):
    """`{ledger-count}` followed by `fails` (or another verdict, or `all`):
    how many claims that is, in figures."""

    def run(self):
        verdicts = [entry["verdict"] for entry in ledger_of(self.env).values()]
        if self.text not in ("all", *VERDICTS):
            LOGGER.warning(f"ledger-count: {self.text!r} is not all, {', '.join(VERDICTS)}",
                           location=self.env.docname)
        number = len(verdicts) if self.text == "all" else verdicts.count(self.text)
        return [nodes.Text(str(number))], []


def paragraph(*parts):
    return nodes.paragraph("", "",
                           *(nodes.Text(part) if isinstance(part, str) else part for part in parts))


def counts(verdicts):
    """How many of some verdicts each is -> {verdict: number}."""
    verdicts = list(verdicts)
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def summary(entries, cells):
    """How the ledger stands: the verdicts, what code cannot settle,
    and how many are settled already."""
    n = counts(entry["verdict"] for entry in entries.values())
    text = (f"Of {len(entries)} claims {n['holds']} hold as stated, {n['conditional']} hold under "
            f"a condition, and {n['fails']} do not hold.")
    if n["shown"]:
        text += f" {n['shown']} announce something that a chapter then does."
    if n["open"]:
        text += f" {n['open']} no code can settle; the last section says why."
    done, asked = sum(id in cells for id in entries), len(entries) - n["open"]
    if done < asked:
        text += f" The chapters so far settle {done}; {asked - done} are to come."
    return paragraph(text)


def table(head, widths, rows):
    """A table of claims: titles, widths, and rows of lists of paragraphs."""
    def row(cells):
        return nodes.row("", *(nodes.entry("", *parts) for parts in cells))

    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in widths), cols=len(widths))
    group += nodes.thead("", row([[paragraph(title)] for title in head]))
    group += nodes.tbody("", *map(row, rows))
    return nodes.table("", group, classes=["claims"])


def claim_row(entry, place, link, mark):
    """One claim: its id and sources and words, its verdict, and what was computed, and
    in how many draws, or that it is to come."""
    id = entry["id"]
    source = nodes.inline("", ", ".join(entry["source"]), classes=["claim-source"])
    words = [paragraph(entry["claim"] + "."),
             paragraph(nodes.strong("", id, ids=[id.lower()]), " ", source)]
    if entry["verdict"] == OPEN:
        return [words, [paragraph(VERDICTS[OPEN])], [paragraph(entry["because"] + ".")]]
    if place is None:
        return [words, [paragraph("to come")], [paragraph("to come")]]
    page, badge = place
    cell = nodes.reference("", "see the cell", refuri=link(page, badge))
    held = [nodes.paragraph("", mark, classes=["fi-robustness"])] if mark else []
    return [words, [paragraph(VERDICTS[badge["verdict"]])],
            [paragraph(badge["figure"] + " ", cell), *held]]


def fill_ledger(app, doctree, page):
    """Replace the placeholders by what all chapters computed."""
    if "ledger" not in app.env.metadata[page]:
        return
    entries, cells = read_ledger(Path(app.srcdir) / LEDGER), settled(app.env)
    luck = marks(app.srcdir)

    def link(target, badge):
        return f"{app.builder.get_relative_uri(page, target)}#{badge['anchor']}"

    for node in list(doctree.findall(to_be_filled)):
        chapter = node["chapter"]
        last = "Why" if chapter == OPEN else "Computed"
        rows = [claim_row(entry, cells.get(entry["id"], [None])[0], link, luck.get(entry["id"]))
                for entry in entries_of(chapter, entries)]
        node.replace_self(table(("Claim", "Verdict", last), (50, 20, 30), rows) if chapter
                          else summary(entries, cells))


# The sources' pages -------------------------------------------------------------------------------


@cache
def read_statements(path):
    """The sources, each a dict of its names and its places."""
    return {one["source"]: one for one in yaml.safe_load(Path(path).read_text(encoding="utf-8"))}


def split_line(line):
    """A line of `says` -> (words, claim ids, reasons, number of sentences).

    >>> split_line(["Take it.", "MID-01 names", 2])
    ('Take it.', ['MID-01'], ['names'], 2)
    """
    words, marked, *many = line
    marked = str(marked).split()
    ids = [mark for mark in marked if mark not in REASONS]
    return words, ids, [mark for mark in marked if mark in REASONS], many[0] if many else 1


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
        source = read_statements(Path(self.env.srcdir) / STATEMENTS)[self.arguments[0]]
        self.env.note_dependency(STATEMENTS)
        ledger = ledger_of(self.env)
        about = [nodes.list_item("", paragraph(nodes.strong("", name.capitalize()),
                                               f": {source[name]}"))
                 for name in ("title", "author", "published")]
        return [nodes.bullet_list("", *about), paragraph(source["lost"]),
                paragraph(score(source, ledger)),
                *(self.section(k, place, ledger) for k, place in enumerate(source["places"], 1))]

    def section(self, k, place, ledger):
        title, found = place["place"], nodes.section(ids=[f"place-{k}"])
        found += nodes.title(title, title)
        if place.get("taught"):
            parts = [part for target in place["taught"]
                     for part in ("; ", taught_in(target=target))]
            found += paragraph("Taught in ", *parts[1:], ".")
        found += table(("What it says", "What became of it"), (60, 40),
                       [line_row(*split_line(line), ledger) for line in place["says"]])
        return found


def score(source, ledger):
    """How many sentences, how many of them are claims, and how these fared."""
    lines = lines_of(source)
    ids = {id for _, mine, _, _ in lines for id in mine}
    n = counts(ledger[id]["verdict"] for id in ids)
    claimed = sum(many for _, mine, _, many in lines if mine)
    text = (f"{sum(many for *_, many in lines)} sentences, {claimed} of which claim something. "
            f"They come to {len(ids)} entries of the ledger: {n['holds']} hold, {n['conditional']} "
            f"hold under a condition, {n['fails']} do not hold")
    text += f", {n['shown']} announce what a chapter does" if n["shown"] else ""
    return text + (f", and {n['open']} are not for code to settle." if n["open"] else ".")


def line_row(words, ids, reasons, many, ledger):
    """What one sentence says, and its verdicts or the reason why it has none."""
    count = f" ({many} sentences)" if many > 1 else ""
    verdicts = [paragraph(VERDICTS[ledger[id]["verdict"]] + " ", link_to(id)) for id in ids]
    if not ids:
        verdicts = [paragraph(nodes.emphasis("", "; ".join(REASONS[reason] for reason in reasons)))]
    return [[paragraph(words + count)], verdicts]


def link_to(id):
    return pending_xref("", nodes.inline("", id), refdomain="std", reftype="ref", refwarn=True,
                        reftarget=id.lower(), refexplicit=True)


def fill_source(app, doctree, page):
    """Turn the stand-ins into links; a section that is not there is a warning."""
    for node in list(doctree.findall(taught_in)):
        node.replace_self(link_or_warning(app, page, node["target"]))


def link_or_warning(app, page, named):
    target, heading = chapter_of(named, app.srcdir)
    links = app.env.tocs[target].findall(nodes.reference) if target in app.env.tocs else ()
    anchors = {plain(link.astext()): link["anchorname"] for link in links}
    anchor = anchors.get(plain(heading)) if heading else ""
    if target not in app.env.found_docs or anchor is None:
        LOGGER.warning(f"{STATEMENTS} sends the reader to {named!r}, and no chapter has that "
                       "section", location=page, type="sources")
        return nodes.Text(named)
    chapter = app.env.titles[target].astext()
    words = f"{chapter}, “{heading}”" if heading else chapter
    uri = app.builder.get_relative_uri(page, target) + anchor
    return nodes.reference("", words, refuri=uri, internal=True)


def setup(app):
    for node in (to_be_filled, taught_in):
        app.add_node(node)
    app.add_directive("claims-ledger", ClaimsLedger)
    app.add_role("ledger-count", LedgerCount())
    app.add_directive("source-page", SourcePage)
    app.connect("doctree-read", collect)
    app.connect("env-updated", review)
    app.connect("doctree-resolved", fill_ledger)
    app.connect("doctree-resolved", fill_source)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
