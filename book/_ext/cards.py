"""Cards that ask for a guess before they show the answer, the recall page with those of all
chapters, and the list of what can be answered that progress is counted against.

The notebook holds plain lists, which read well in JupyterLab and on a forge:

    **Predict.** What is the mean importance?

    <details><summary>Negative</summary>

    It does break the rule. What does it put in its place?
    </details>
    <details><summary>Exactly zero</summary>

    Right. Let us count them all.
    </details>

The page holds the same lists, framed: without scripts and on paper they are what the reader sees.
`cards.js` asks first. What follows up to the next heading is wrapped, so that the script can let it
wait for the guess; after a question about earlier chapters ("Looking back 1") nothing waits.
"""

import json
import re
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from fi_course.questions import QUESTIONS
from fi_course.questions.specification import of

LOGGER = logging.getLogger(__name__)
TAG = re.compile(r"<details>\s*<summary>(?P<summary>.*?)</summary>|</details>", re.DOTALL)
RIGHT = re.compile(r"Right\b")
RETRIEVAL = re.compile(r"(Looking back|Warm-up) \d")
LINES_A_CELL = 10_000
"""myst-nb numbers the lines of cell k from (k + 1) * 10 000."""


class Wrapped(nodes.General, nodes.Element):
    """What stands between two pieces of HTML, `opens` and `closes`; other formats show it alone."""


class Card(Wrapped):
    """A question, then its options. `ids[0]` is its name, `kind` "prediction" or "retrieval"."""


class Option(Wrapped):
    """An answer: `summary` as HTML, and inside the explanation for those who chose it."""


class HiddenUntilGuess(Wrapped):
    """What follows a prediction up to the next heading; hidden until the reader has guessed."""


def add_wrapped(app, *kinds):
    """Let a page show these kinds of Wrapped."""
    ignored = (lambda writer, node: None,) * 2
    for kind in kinds:
        app.add_node(kind, html=(lambda writer, node: writer.body.append(node["opens"]),
                                 lambda writer, node: writer.body.append(node["closes"])),
                     **dict.fromkeys(("text", "latex", "man", "texinfo"), ignored))


def rows_of(children):
    """Return all rows of two or more details -> list of (start, end, options)."""
    rows, options, inside, start = [], [], False, 0
    for k, child in enumerate([*children, nodes.Text("")]):
        tags = list(TAG.finditer(child.astext())) if isinstance(child, nodes.raw) else []
        if not inside and not (tags and tags[0]["summary"] is not None):
            if len(options) > 1:
                rows.append((start, k, options))
            options, start = [], k + 1
            continue
        if not tags:
            options[-1] += child.deepcopy()
        for tag in tags:
            inside = tag["summary"] is not None
            if inside:
                options.append(Option(summary=tag["summary"].strip()))
    return rows


def card_of(question, options, id):
    """A question and its options as a card; says so unless exactly one is right -> Card."""
    right = [bool(RIGHT.match(option.astext().lstrip())) for option in options]
    if sum(right) != 1:
        asked = " ".join(question.astext().split())
        LOGGER.warning(f"{sum(right) or 'no'} answers to {asked[-80:]!r} begin with the word "
                       "Right: exactly one must", location=question, type="cards")
    for option, is_right in zip(options, right, strict=True):
        option["opens"] = (f'<details class="fi-option"{" data-right" * is_right}>'
                           f'<summary>{option["summary"]}</summary>\n')
        option["closes"] = "</details>\n"
    question["ids"].append(f"{id}-question")
    kind = "retrieval" if RETRIEVAL.match(question.astext()) else "prediction"
    return Card("", question, *options, ids=[id], kind=kind, closes="</div>\n",
                opens=f'<div class="fi-card" id="{id}" data-kind="{kind}" role="group" '
                      f'aria-labelledby="{id}-question">\n')


def cell_ids(path):
    """Return the ids of a notebook's cells, in order, numbered where it has none;
    an empty list for other pages."""
    cells = nbformat.read(path, as_version=4).cells if path.endswith(".ipynb") else []
    return [cell.get("id", f"cell-{k}") for k, cell in enumerate(cells, 1)]


def convert(app, doctree):
    """Make cards of a chapter's rows of details, named after their cells:
    each keeps its name when others come or go."""
    cells, met = cell_ids(app.env.doc2path(app.env.docname)), {}
    for section in list(doctree.findall(nodes.section)) if cells else []:
        named = []
        for start, end, options in rows_of(section.children):
            cell = cells[section[start].line // LINES_A_CELL - 1]
            met[cell] = met.get(cell, 0) + 1
            named.append((start, end, options, f"guess-{cell}" + f"-{met[cell]}" * (met[cell] > 1)))
        for row in reversed(named):
            frame(section, *row)
    names = [card["ids"][0] for card in doctree.findall(Card)]
    if names:  # Sphinx forgets and merges a page's metadata itself
        app.env.metadata[app.env.docname]["cards"] = names


def frame(section, start, end, options, id):
    """Put a card in the place of a row of details, and wrap what waits for it."""
    question = section[start - 1] if start else None
    if not isinstance(question, nodes.paragraph):
        LOGGER.warning("these answers have no question: write it as the paragraph directly above "
                       "them", location=section[start], type="cards")
        return
    card = card_of(question, options, id)
    rest = next((k for k in range(end, len(section)) if isinstance(section[k], nodes.section)),
                len(section))
    after = section[end:rest]
    if card["kind"] == "prediction" and after:
        after = [HiddenUntilGuess("", *after, closes="</div>\n",
                                  opens=f'<div class="fi-gated" id="after-{id}">\n')]
    section[start - 1:rest] = [card, *after]


def cards_by_page(env):
    """The names of the cards of each page, in the book's order -> {page: list}."""
    return {page: env.metadata[page]["cards"] for page in env.collect_relations()
            if "cards" in env.metadata[page]}


def course(env):
    """Every page in the book's order, and what can be answered on it, cards and the questions that
    an exercise page judges itself -> list of dicts."""
    cards, judged = cards_by_page(env), {}
    for question in QUESTIONS.values():
        if of(question)["asks"] in ("choice", "number"):
            judged.setdefault(f"exercises/{question.notebook}", {})[question.id] = question.points
    return [{"page": page, "title": env.titles[page].astext(), "cards": cards.get(page, []),
             "questions": judged.get(page, {})} for page in env.collect_relations()]


def write_course(app, builder):
    """Write it as a script, for a page that is opened from disk may load one and not JSON; before
    the pages, in which its checksum stands."""
    if builder.format == "html":
        pages = [page for page in course(app.env) if page["cards"] or page["questions"]]
        text = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
        path = Path(app.outdir, "_static/course.js")
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"fi.course = {text};\n", encoding="utf-8")


class Recall(SphinxDirective):
    """`{recall}`: the cards of all chapters, of which `recall.js` draws ten."""

    def run(self):
        self.env.metadata[self.env.docname]["recall"] = True
        return [nodes.container(classes=["fi-pool"])]


def write_again(app, env):
    """The recall page is written anew whenever any other was read, with formulas though its own
    text has none; every page when the course has changed, which all of them carry."""
    pages = sorted(page for page, about in env.metadata.items() if "recall" in about)
    for page in pages:
        env.get_domain("math").data["has_equations"][page] = True
    before, env.fi_course = getattr(env, "fi_course", None), course(env)
    return pages if env.fi_course == before else sorted(env.found_docs)


def fill_recall(app, doctree, here):
    """Put copies of the cards of all chapters into the recall page's pool, in the book's order;
    their links to elsewhere are words."""
    for pool in [box for box in doctree.findall(nodes.container) if "fi-pool" in box["classes"]]:
        for page in cards_by_page(app.env):
            link = nodes.reference("", app.env.titles[page].astext(), internal=True,
                                   refuri=app.builder.get_relative_uri(here, page))
            cards = [card.deepcopy() for card in app.env.get_doctree(page).findall(Card)]
            drawn = nodes.container("", nodes.paragraph("", "", link, classes=["fi-from"]), *cards,
                                    classes=["fi-drawn"])
            for elsewhere in list(drawn.findall(addnodes.pending_xref)):
                elsewhere.replace_self(elsewhere.children)
            pool += drawn


def setup(app):
    add_wrapped(app, Card, Option, HiddenUntilGuess)
    app.add_directive("recall", Recall)
    # before those who look into the page's structure
    app.connect("doctree-read", convert, priority=400)
    app.connect("env-updated", write_again)
    app.connect("doctree-resolved", fill_recall)
    app.connect("write-started", write_course)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
