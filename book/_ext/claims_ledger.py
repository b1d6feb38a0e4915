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
from chapter_cache import BOOK
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
REASONS = {"aim": "says what it is for", "names": "sets the scene", "step": "a step",
           "opinion": "a view", "points": "points elsewhere"}
"""Why a sentence of a source has no claim."""


def ledger_of(env):
    """The claims, on which the page that is read now depends -> {id: entry}."""
    env.note_dependency(LEDGER)
    return read_ledger(Path(env.srcdir) / LEDGER)


def chapter_name(entry):
    """The chapter that settles a claim, or "open": no code can."""
    return entry.get("chapter", "open")


# Reading: from outputs to the environment, whose metadata Sphinx forgets and merges by page -------


def collect(app, doctree):
    """Note a page's badges, mark them, and turn their links, which lead to a notebook in
    JupyterLab, to the built page."""
    badges = [raw for raw in doctree.findall(nodes.raw) if 'data-claim="' in raw.astext()]
    marked = marker(app) if badges else None
    for raw in badges:
        app.env.metadata[app.env.docname].setdefault("claims", []).extend(
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


def complaints(entries, tables, env):
    """What does not fit between ledger and cells -> (page or None, sentence) pairs.

    tables : {chapter: how its pages' names begin}
    """
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
    for id, chapter in ((id, chapter_name(entry)) for id, entry in entries.items()):
        if chapter not in tables:
            yield None, f"claim {id}: the ledger's page has no table of the chapter {chapter!r}"
        elif id not in cells:
            pages = [page for page in env.found_docs if page.startswith(tables[chapter])]
            for page in sorted(pages)[:1]:
                yield page, (f"claim {id} belongs to this chapter, "
                             f"but no cell settles it with claim({id!r}, ...)")


def review(app, env):
    """Compare ledger and cells, and have the ledger's pages written again."""
    pages = {page: about["ledger"] for page, about in env.metadata.items() if "ledger" in about}
    for tables in filter(None, pages.values()):
        for page, sentence in complaints(read_ledger(Path(app.srcdir) / LEDGER), tables, env):
            LOGGER.warning(sentence, location=page, type="claims")
    return sorted(pages)


class ToBeFilled(nodes.General, nodes.Element):
    """Stands for a piece of HTML until all chapters are read: a macro of templates/claims.html."""


class ClaimsLedger(SphinxDirective):
    """`{claims-ledger}`: the counts. `{claims-ledger} notebooks/01_ trees`: the table of a chapter,
    whose pages' names begin so; each claim can be linked to as `#glf-04`."""

    optional_arguments, final_argument_whitespace = 2, True

    def run(self):
        entries, page = ledger_of(self.env), self.env.docname
        tables, names = self.env.metadata[page].setdefault("ledger", {}), self.env.domains["std"]
        if not self.arguments:
            return [ToBeFilled(part="summary", about=None)]
        begins, chapter = self.arguments
        tables[chapter] = begins
        mine = {id: entry for id, entry in entries.items() if chapter_name(entry) == chapter}
        for id in mine:
            names.labels[id.lower()] = (page, id.lower(), id)
            names.anonlabels[id.lower()] = (page, id.lower())
        return [ToBeFilled(part="chapter", about=list(mine))]


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
    templates = Environment(loader=FileSystemLoader(BOOK / "templates"), autoescape=autoescape,
                            trim_blocks=True)
    templates.filters["with_quotation_marks"] = lambda text: smartyPants(text, "qDe", "en")
    return templates.get_template("claims.html").make_module({
        "entries": entries, "lines_of": lines_of,
        "counts": lambda ids: Counter(entries[id]["verdict"] for id in ids),
        "words_of": VERDICTS, "reasons": REASONS, **names})


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


@cache
def read_statements(path):
    """The sources, each a dict of its names and its places."""
    return {one["source"]: one for one in yaml.safe_load(Path(path).read_text(encoding="utf-8"))}


def lines_of(source):
    """What a source says, line by line -> [(words, claim ids, reasons, number of sentences)].

    >>> lines_of({"places": [{"says": [["Take it.", "MID-01 names", 2]]}]})
    [('Take it.', ['MID-01'], ['names'], 2)]
    """
    found = []
    for words, marked, *many in (line for place in source["places"] for line in place["says"]):
        marked = str(marked).split()
        found.append((words, [mark for mark in marked if mark not in REASONS],
                      [mark for mark in marked if mark in REASONS], many[0] if many else 1))
    return found


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
    return {"version": "4", "parallel_read_safe": True, "parallel_write_safe": True}
