"""The ledger page: every claim of book/claims.yaml with the figure that the build computed for it.

The badges that `fi_course.claims.claim` leaves in a chapter's outputs are collected
as each page is read, so they survive the execution cache,
and the page is written again whenever any chapter may have changed.
A claim whose chapter is in the book but has no cell, a cell whose claim is not in the ledger,
a verdict that differs, and a claim settled twice are warnings, and warnings fail the build.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

from docutils import nodes
from robustness_results import marks
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from fi_course.claims import VERDICTS, read_ledger

LOGGER = logging.getLogger(__name__)
FILE = "book/claims.yaml"
IN_JUPYTER = re.compile(r"\.\./book/ledger\.ipynb#([\w-]+)")
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
}


OPEN = "open"  # in place of a chapter: what no cell can settle


def entries_of(chapter, entries):
    """The claims of a chapter, or those that code cannot settle."""
    return [entry for entry in entries.values() if entry.get("chapter", OPEN) == chapter]


class Badges(HTMLParser):
    """The badges in a piece of HTML, as dicts of claim, verdict, figure and anchor."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "data-claim" in attributes:
            self.found.append({"claim": attributes["data-claim"],
                               "verdict": attributes["data-verdict"],
                               "figure": attributes["data-figure"], "anchor": attributes["id"]})


# Reading: from outputs to the environment ---------------------------------------------------------

def badges_by_page(env):
    if not hasattr(env, "fi_badges"):
        env.fi_badges = {}
    return env.fi_badges


def ledger_pages(env):
    if not hasattr(env, "fi_ledger_pages"):
        env.fi_ledger_pages = set()
    return env.fi_ledger_pages


def collect(app, doctree):
    """Note a page's badges and turn their links, which lead to a notebook in JupyterLab,
    to the built page."""
    for raw in doctree.findall(nodes.raw):
        if 'data-claim="' in raw.astext():
            badges_by_page(app.env).setdefault(app.env.docname,
                                               []).extend(Badges(raw.astext()).found)
            html = IN_JUPYTER.sub(lambda link: f"../book/ledger.html#{link[1].lower()}",
                                  raw.astext())
            raw.rawsource, raw[:] = html, [nodes.Text(html)]


def purge(app, env, page):
    badges_by_page(env).pop(page, None)
    ledger_pages(env).discard(page)


def merge(app, env, pages, other):
    badges_by_page(env).update(
        {page: badges for page, badges in badges_by_page(other).items() if page in pages})
    ledger_pages(env).update(ledger_pages(other) & set(pages))


def chapter_pages(env, chapter):
    """The pages of the book that belong to a chapter of the ledger."""
    return [page for page in sorted(env.found_docs) if page.startswith(CHAPTERS[chapter][0])]


def settled(env):
    """Claim id -> [(page, badge), ...] over the whole book."""
    cells = {}
    for page, badges in sorted(badges_by_page(env).items()):
        for badge in badges:
            cells.setdefault(badge["claim"], []).append((page, badge))
    return cells


def complaints(entries, env):
    """What does not fit between ledger and cells -> (page or None, sentence) pairs."""
    cells = settled(env)
    for id, places in cells.items():
        page, badge = places[0]
        if id not in entries:
            yield page, f"claim {id} is settled here but is not in {FILE}"
        elif badge["verdict"] != entries[id]["verdict"]:
            yield (page, f"claim {id}: this cell shows {badge['verdict']!r}, "
                         f"{FILE} says {entries[id]['verdict']!r}")
        if len(places) > 1:
            yield (page, f"claim {id} is settled {len(places)} times, in "
                         f"{', '.join(page for page, _ in places)}: keep one")
    for id, entry in entries.items():
        pages = [] if entry["verdict"] == "open" else chapter_pages(env, entry["chapter"])
        if pages and id not in cells:
            yield pages[0], (f"claim {id} belongs to this chapter, "
                             f"but no cell settles it with claim({id!r}, ...)")


def review(app, env):
    """Compare ledger and cells, and have the ledger's pages written again."""
    if ledger_pages(env):
        for page, sentence in complaints(read_ledger(Path(app.srcdir) / FILE), env):
            LOGGER.warning(sentence, location=page, type="claims")
    return sorted(ledger_pages(env))


# Writing: from the environment to the page --------------------------------------------------------

class claims_summary(nodes.General, nodes.Element):
    """Stands for the sentence with the counts until all chapters are read."""


class claims_table(nodes.General, nodes.Element):
    """Stands for one chapter's table until all chapters are read."""


class ClaimsLedger(SphinxDirective):
    """`{claims-ledger}`: the counts, then one section and table a chapter;
    each claim can be linked to as `#glf-04`."""

    def run(self):
        entries = read_ledger(Path(self.env.srcdir) / FILE)
        self.env.note_dependency(FILE)
        ledger_pages(self.env).add(self.env.docname)
        names = self.env.get_domain("std")
        for id in entries:
            names.labels[id.lower()] = (self.env.docname, id.lower(), id)
            names.anonlabels[id.lower()] = (self.env.docname, id.lower())
        used = [chapter for chapter in (*CHAPTERS, OPEN) if entries_of(chapter, entries)]
        return [claims_summary(), *(self.section(chapter) for chapter in used)]

    def section(self, chapter):
        heading = "What code cannot settle" if chapter == OPEN else CHAPTERS[chapter][1]
        return nodes.section("", nodes.title(heading, heading), claims_table(chapter=chapter),
                             ids=[f"claims-{chapter}"])


class LedgerCount(SphinxRole):
    """`{ledger-count}` followed by `fails` (or another verdict, or `all`):
    how many claims that is, in figures."""

    def run(self):
        verdicts = [entry["verdict"]
                    for entry in read_ledger(Path(self.env.srcdir) / FILE).values()]
        self.env.note_dependency(FILE)
        if self.text not in ("all", *VERDICTS):
            LOGGER.warning(f"ledger-count: {self.text!r} is not all, {', '.join(VERDICTS)}",
                           location=self.env.docname)
        return [
            nodes.Text(str(len(verdicts) if self.text == "all" else verdicts.count(self.text)))], []


def paragraph(*parts):
    return nodes.paragraph("", "",
                           *(nodes.Text(part) if isinstance(part, str) else part for part in parts))


def still_to_come(asked, done):
    """A sentence while some of the claims that code can settle are not settled, and none after."""
    return [
        f" The chapters so far settle {done}; {asked - done} are to come."] if done < asked else []


def summary(entries, cells):
    """How the ledger stands: the verdicts, what code cannot settle,
    and how many are settled already."""
    verdicts = [entry["verdict"] for entry in entries.values()]
    n = {verdict: verdicts.count(verdict) for verdict in VERDICTS}
    done = sum(id in cells for id in entries)
    more = [f" {n['shown']} announce something that a chapter then does."] if n["shown"] else []
    more += [f" {n['open']} no code can settle; the last section says why."] if n["open"] else []
    return paragraph(f"Of {len(entries)} claims {n['holds']} hold as stated, "
                     f"{n['conditional']} hold under a condition, "
                     f"and {n['fails']} do not hold.", *more,
                     *still_to_come(len(entries) - n["open"], done))


def row(cells, *, header=False):
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def table(rows, last="Computed"):
    """Claims in three columns, with a header row."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (50, 20, 30)), cols=3)
    group += nodes.thead("", row([paragraph(title) for title in ("Claim", "Verdict", last)]))
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=["claims"])


def claim_row(entry, place, link, mark):
    """One claim: its id and sources and words, its verdict, and what was computed, and
    in how many draws, or that it is to come."""
    id = entry["id"]
    source = nodes.inline("", ", ".join(entry["source"]), classes=["claim-source"])
    words = [paragraph(entry["claim"] + "."),
             paragraph(nodes.strong("", id, ids=[id.lower()]), " ", source)]
    if entry["verdict"] == OPEN:
        result, computed = paragraph(VERDICTS[OPEN]), paragraph(entry["because"] + ".")
    elif place is None:
        result, computed = paragraph("to come"), paragraph("to come")
    else:
        page, badge = place
        result = paragraph(VERDICTS[badge["verdict"]])
        computed = paragraph(badge["figure"] + " ",
                             nodes.reference("", "see the cell", refuri=link(page, badge)))
    held = [nodes.paragraph("", mark, classes=["fi-robustness"])] if mark and place else []
    return nodes.row("", nodes.entry("", *words), nodes.entry("", result),
                     nodes.entry("", computed, *held))


def fill(app, doctree, page):
    """Replace the placeholders by what all chapters computed."""
    if page not in ledger_pages(app.env):
        return
    entries, cells, luck = read_ledger(Path(app.srcdir) / FILE), settled(app.env), marks(app.srcdir)

    def link(target, badge):
        return f"{app.builder.get_relative_uri(page, target)}#{badge['anchor']}"

    for node in list(doctree.findall(claims_summary)):
        node.replace_self(summary(entries, cells))
    for node in list(doctree.findall(claims_table)):
        rows = [claim_row(entry, cells.get(entry["id"], [None])[0], link, luck.get(entry["id"]))
                for entry in entries_of(node["chapter"], entries)]
        node.replace_self(table(rows, last="Why" if node["chapter"] == OPEN else "Computed"))


def setup(app):
    for node in (claims_summary, claims_table):
        app.add_node(node)
    app.add_directive("claims-ledger", ClaimsLedger)
    app.add_role("ledger-count", LedgerCount())
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", review)
    app.connect("doctree-resolved", fill)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True,
            "parallel_write_safe": True}
