"""Turn several `<details>` in a row into a card that asks for a guess before it shows the answer.

The notebook holds plain lists, which read well in JupyterLab and on a forge:

    **Predict.** What is the mean importance?

    <details><summary>Negative</summary>

    It does break the rule. What does it put in its place?
    </details>
    <details><summary>Exactly zero</summary>

    Right. Let us count them all.
    </details>

The page holds the same lists, framed: without scripts and on paper they are what the reader sees.
`cards.js` asks first.
What follows up to the next heading is wrapped, so that the script can let it wait for the guess;
after a question about earlier chapters ("Looking back 1") nothing waits.
A group without exactly one answer that begins with the word Right, or without a question above it,
is a warning, and warnings fail the build.
"""

import re

import nbformat
from docutils import nodes
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
TAG = re.compile(r"<details>\s*<summary>(?P<summary>.*?)</summary>|</details>", re.DOTALL)
RIGHT = re.compile(r"Right\b")
RETRIEVAL = re.compile(r"(Looking back|Warm-up) \d")
LINES_A_CELL = 10_000
"""myst-nb numbers the lines of cell k from (k + 1) * 10 000."""


class Card(nodes.General, nodes.Element):
    """A question, then its options.

    `ids[0]` is the name of the card, `kind` is "prediction" or "retrieval".
    """


class Option(nodes.General, nodes.Element):
    """An answer: `summary` as HTML, `right`, and inside the explanation for those who chose it."""


class HiddenUntilGuess(nodes.General, nodes.Element):
    """What follows a prediction up to the next heading; hidden until the reader has guessed."""


# Reading: from a row of details to a card ---------------------------------------------------------


def tags_of(node):
    """Return the details tags in a raw node; an opening tag has a summary."""
    return list(TAG.finditer(node.astext())) if isinstance(node, nodes.raw) else []


def row_from(children, start):
    """The details in a row from children[start] on -> (options, where the row ends)."""
    options, inside = [], False
    for k, child in enumerate(children[start:], start):
        tags = tags_of(child)
        if not inside and not (tags and tags[0]["summary"] is not None):
            return options, k
        if not tags:
            options[-1] += child.deepcopy()
        for tag in tags:
            inside = tag["summary"] is not None
            if inside:
                options.append(Option(summary=tag["summary"].strip()))
    return options, len(children)


def rows_of(children):
    """Return all rows of two or more details -> list of (start, end, options)."""
    rows, k = [], 0
    while k < len(children):
        options, end = row_from(children, k)
        if len(options) > 1:
            rows.append((k, end, options))
        k = max(end, k + 1)
    return rows


def card_of(question, options, id):
    """A question and its options as a card; says so unless exactly one is right -> Card."""
    for option in options:
        option["right"] = bool(RIGHT.match(option.astext().lstrip()))
    right = sum(option["right"] for option in options)
    if right != 1:
        asked = " ".join(question.astext().split())
        complain(
            question,
            f"{right or 'no'} answers to {asked[-80:]!r} begin with the word Right: "
            "exactly one must",
        )
    question["ids"].append(f"{id}-question")
    kind = "retrieval" if RETRIEVAL.match(question.astext()) else "prediction"
    return Card("", question, *options, ids=[id], kind=kind)


def complain(node, sentence):
    LOGGER.warning(sentence, location=node, type="predictions")


# Converting: each page as it is read --------------------------------------------------------------


def cell_ids(path):
    """Return the ids of a notebook's cells, in order; an empty list for other pages."""
    return (
        [cell["id"] for cell in nbformat.read(path, as_version=4).cells]
        if path.endswith(".ipynb")
        else []
    )


def cell_of(node, ids):
    """Return the id of the cell that contains the node."""
    return ids[node.line // LINES_A_CELL - 1]


def convert(app, doctree):
    """Make cards of a chapter's rows of details, named after their cells:
    each keeps its name when others come or go."""
    cells, met = cell_ids(app.env.doc2path(app.env.docname)), {}
    for section in list(doctree.findall(nodes.section)) if cells else []:
        named = []
        for start, end, options in rows_of(section.children):
            cell = cell_of(section[start], cells)
            met[cell] = met.get(cell, 0) + 1
            named.append((start, end, options, f"guess-{cell}" + f"-{met[cell]}" * (met[cell] > 1)))
        for row in reversed(named):
            frame(section, *row)
    names = [card["ids"][0] for card in doctree.findall(Card)]
    if names:
        card_names(app.env)[app.env.docname] = names


def card_names(env):
    """Return the names of the cards of each page -> {page: list}."""
    if not hasattr(env, "fi_cards"):
        env.fi_cards = {}
    return env.fi_cards


def forget(app, env, page):
    card_names(env).pop(page, None)


def merge(app, env, pages, other):
    card_names(env).update(
        {page: names for page, names in card_names(other).items() if page in pages}
    )


def frame(section, start, end, options, id):
    """Put a card in the place of a row of details, and wrap what waits for it."""
    question = section[start - 1] if start else None
    if not isinstance(question, nodes.paragraph):
        complain(
            section[start],
            "these answers have no question: write it as the paragraph directly above them",
        )
        return
    card = card_of(question, options, id)
    rest = next(
        (k for k in range(end, len(section)) if isinstance(section[k], nodes.section)), len(section)
    )
    after = section[end:rest]
    if card["kind"] == "prediction" and after:
        after = [HiddenUntilGuess("", *after, ids=[f"after-{id}"])]
    section[start - 1 : rest] = [card, *after]


# Writing ------------------------------------------------------------------------------------------


def visit_card(writer, node):
    id = node["ids"][0]
    writer.body.append(
        f'<div class="fi-card" id="{id}" data-kind="{node["kind"]}" role="group" '
        f'aria-labelledby="{id}-question">\n'
    )


def visit_option(writer, node):
    right = " data-right" if node["right"] else ""
    writer.body.append(f'<details class="fi-option"{right}><summary>{node["summary"]}</summary>\n')


def visit_hidden(writer, node):
    writer.body.append(f'<div class="fi-gated" id="{node["ids"][0]}">\n')


def closing(tag):
    """Return a function that writes the closing tag."""
    return lambda writer, node: writer.body.append(f"</{tag}>\n")


def pass_by(writer, node):
    """Write nothing: other formats show only the node's content."""


def setup(app):
    others = dict.fromkeys(("text", "latex", "man", "texinfo"), (pass_by, pass_by))
    app.add_node(Card, html=(visit_card, closing("div")), **others)
    app.add_node(Option, html=(visit_option, closing("details")), **others)
    app.add_node(HiddenUntilGuess, html=(visit_hidden, closing("div")), **others)
    app.connect(
        "doctree-read", convert, priority=400
    )  # before those who look into the page's structure
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
