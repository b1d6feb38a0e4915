"""The first time a chapter uses a word of the glossary, the word links to it,
and a wide screen shows what it means beside it.

The chapters stay plain text, which reads well in JupyterLab too;
the links are made when the book is built. Headings, code, tables, links and the folded answers
of the quiz questions are left alone.
"""

import re
from functools import lru_cache
from html import escape

from cards import HiddenUntilGuess, Option
from docutils import nodes

GLOSSARY = "book/glossary"
CLOSED = (nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.math,
          nodes.math_block, nodes.table, nodes.raw, Option)
"""Nodes whose words stay as they are."""
RUNNING = (nodes.section, nodes.list_item, HiddenUntilGuess)
"""Where a paragraph's words are noted beside it; in a card or a header they are not."""


def pattern_of(term):
    """What counts as the term: small letters match a capital at the beginning of a sentence too,
    and a plural s -> regex."""
    first = term[0]
    head = f"[{first}{first.upper()}]" if first.islower() else re.escape(first)
    return rf"(?<![\w-]){head}{re.escape(term[1:])}(?:s|es)?(?![\w-])"


def first_use(text, terms):
    """The earliest term in the text, of two that begin together the longer -> (start, end, term)
    or None."""
    # a glance, before the pattern is looked for
    there = (term for term in terms if term[1:] in text)
    found = [(match.start(), -match.end(), term) for term in there
             if (match := re.search(pattern_of(term), text))]
    return (min(found)[0], -min(found)[1], min(found)[2]) if found else None


def open_texts(doctree):
    """The running text of a page, each with what it stands in, without what stands in CLOSED or
    between <details> and </details>."""
    folded = 0
    for node in list(doctree.findall()):
        if isinstance(node, nodes.raw):
            folded += node.astext().count("<details") - node.astext().count("</details")
        elif isinstance(node, nodes.Text) and not folded:
            above = [node.parent]
            while above[-1].parent is not None:
                above.append(above[-1].parent)
            if not any(isinstance(one, CLOSED) for one in above):
                yield node, above


def first_sentence(definition):
    """The sentence that a definition begins with -> str, "" if a formula stands in it."""
    text = "".join("\0" if isinstance(part, (nodes.math, nodes.image)) else part.astext()
                   for part in definition.children)
    sentence = re.match(r".*?[.?!](?=\s|$)", text, re.DOTALL)
    return " ".join(sentence[0].split()) if sentence and "\0" not in sentence[0] else ""


@lru_cache
def meanings(env, page):
    """Term -> the first sentence of its entry on the glossary's page."""
    entries = env.get_doctree(page).findall(nodes.definition_list_item)
    return {term.astext(): first_sentence(next(entry.findall(nodes.paragraph)))
            for entry in entries for term in entry.findall(nodes.term)}


def note(paragraph, terms):
    """Put the meanings of a paragraph's words {term: meaning} beside it,
    on a small screen below it (type.css).

    They only repeat what the links lead to, so no reader aloud says them.
    """
    said = "".join(
        f'<div class="fi-gloss" aria-hidden="true"><b>{escape(term)}</b> {escape(meaning)}</div>'
        for term, meaning in terms.items())
    before, after = (nodes.raw("", html, format="html")
                     for html in (f'<div class="fi-noted">{said}', "</div>"))
    paragraph.parent.replace(paragraph, [before, paragraph, after])


def chapters_again(app, env, added, changed, removed):
    """When the glossary has changed, the pages that carry its words are read again."""
    return ([page for page in env.found_docs if page.startswith("notebooks/")]
            if GLOSSARY in changed else [])


def link(app, doctree, docname):
    """Link the first use of each term in a chapter to its entry."""
    if not docname.startswith("notebooks/"):
        return
    known = app.env.get_domain("std").objects
    places = {term: place for (kind, term), place in known.items() if kind == "term"}
    notes = {}
    for text, above in open_texts(doctree):
        pieces, rest = [], text.astext()
        paragraph = next((one for one in above if isinstance(one, nodes.paragraph)), None)
        while found := first_use(rest, places):
            start, end, term = found
            page, label = places.pop(term)
            address = f"{app.builder.get_relative_uri(docname, page)}#{label}"
            pieces += [nodes.Text(rest[:start]),
                       nodes.reference("", rest[start:end], internal=True, refuri=address,
                                       classes=["fi-term"])]
            meaning = meanings(app.env, page).get(term)
            if meaning and paragraph and isinstance(paragraph.parent, RUNNING):
                notes.setdefault(paragraph, {})[term] = meaning
            rest = rest[end:]
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(rest)])
    for paragraph, terms in notes.items():
        note(paragraph, terms)


def setup(app):
    app.connect("doctree-resolved", link)
    app.connect("env-get-outdated", chapters_again)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
