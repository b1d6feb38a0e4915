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
from collections import Counter
from functools import cache
from html import unescape
from pathlib import Path

import yaml
from docutils import nodes
from docutils.utils.smartquotes import smartyPants
from jinja2 import Environment, FileSystemLoader
from robustness import marker, marks
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
LEDGER_PAGE, TEMPLATES = "book/ledger", Path(__file__).parents[1] / "templates"
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


def collect(app, doctree):
    """Note a page's badges, mark them, and turn their links, which lead to a notebook in
    JupyterLab, to the built page."""
    badges = [raw for raw in doctree.findall(nodes.raw) if 'data-claim="' in raw.astext()]
    marked = marker(app) if badges else None
    for raw in badges:
        about = app.env.metadata[app.env.docname]
        about.setdefault("claims", []).extend(
            {name: unescape(value) for name, value in badge.groupdict().items()}
            for badge in BADGE.finditer(raw.astext()))
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


# What the pages show ------------------------------------------------------------------------------


class ToBeFilled(nodes.General, nodes.Element):
    """Stands for a piece of HTML until all chapters are read: a macro of templates/claims.html."""


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
        return [ToBeFilled(part="summary", about=None), *map(self.section, used)]

    def section(self, chapter):
        heading = "What code cannot settle" if chapter == OPEN else CHAPTERS[chapter][1]
        return nodes.section("", nodes.title(heading, heading),
                             ToBeFilled(part="chapter", about=chapter), ids=[f"claims-{chapter}"])


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


class SourcePage(SphinxDirective):
    """`{source-page} midterm slides`: who wrote it, how it fared,
    and its places one after the other."""

    required_arguments, final_argument_whitespace = 1, True

    def run(self):
        source = read_statements(Path(self.env.srcdir) / STATEMENTS)[self.arguments[0]]
        self.env.note_dependency(STATEMENTS)
        self.env.note_dependency(LEDGER)
        about = macros(self.env.srcdir, autoescape=False).source(source)
        return [*self.parse_text_to_nodes(about),
                *(nodes.section("", nodes.title(place["place"], place["place"]),
                                ToBeFilled(part="place", about=place), ids=[f"place-{k}"])
                  for k, place in enumerate(source["places"], 1))]


def macros(root, autoescape=True, **names):
    """The pieces of pages in templates/claims.html, which know the claims and these names."""
    entries = read_ledger(Path(root) / LEDGER)
    templates = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=autoescape,
                            trim_blocks=True)
    templates.filters["with_quotation_marks"] = lambda text: smartyPants(text, "qDe", "en")
    return templates.get_template("claims.html").make_module({
        "entries": entries, "entries_of": entries_of, "lines_of": lines_of,
        "counts": lambda ids: Counter(entries[id]["verdict"] for id in ids),
        "words_of": VERDICTS, "reasons": REASONS, "ledger": LEDGER_PAGE, **names})


def fill(app, doctree, page):
    """Put what all chapters computed in the places that wait for it."""
    places = list(doctree.findall(ToBeFilled))
    html = places and macros(
        app.srcdir, cells=settled(app.env), luck=marks(app.srcdir),
        taught=lambda target: section_of(app, page, target),
        link=lambda target, anchor: app.builder.get_relative_uri(page, target) + anchor)
    for place in places:
        filled = getattr(html, place["part"])(place["about"])
        place.replace_self(nodes.raw("", filled, format="html"))


# The sources --------------------------------------------------------------------------------------


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


def section_of(app, page, named):
    """The chapter's section that a source names -> (words, page, anchor);
    words alone, and a warning, if it is not there."""
    target, heading = chapter_of(named, app.srcdir)
    links = app.env.tocs[target].findall(nodes.reference) if target in app.env.tocs else ()
    anchors = {plain(link.astext()): link["anchorname"] for link in links}
    anchor = anchors.get(plain(heading)) if heading else ""
    if target not in app.env.found_docs or anchor is None:
        LOGGER.warning(f"{STATEMENTS} sends the reader to {named!r}, and no chapter has that "
                       "section", location=page, type="sources")
        return named, None, None
    chapter = app.env.titles[target].astext()
    return f"{chapter}, “{heading}”" if heading else chapter, target, anchor


def setup(app):
    app.add_node(ToBeFilled)
    app.add_directive("claims-ledger", ClaimsLedger)
    app.add_role("ledger-count", LedgerCount())
    app.add_directive("source-page", SourcePage)
    app.connect("doctree-read", collect)
    app.connect("env-updated", review)
    app.connect("doctree-resolved", fill)
    return {"version": "3", "parallel_read_safe": True, "parallel_write_safe": True}
