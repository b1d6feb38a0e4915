"""The recall page: the cards of all chapters, of which `recall.js` draws ten.

    ```{recall}
    ```

Without scripts it is the list of all the book's questions, by chapter.
"""

from docutils import nodes
from predictions import Card, card_names
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class RecallQuestions(nodes.General, nodes.Element):
    """A placeholder for the cards of all chapters until these are read."""


class Recall(SphinxDirective):
    """`{recall}`: the cards of the whole book."""

    def run(self):
        recall_pages(self.env).add(self.env.docname)
        return [RecallQuestions()]


def recall_pages(env):
    if not hasattr(env, "fi_recall"):
        env.fi_recall = set()
    return env.fi_recall


def again(app, env):
    """The page is written anew whenever any other was read,
    with formulas though its own text has none."""
    for page in recall_pages(env):
        env.get_domain("math").data["has_equations"][page] = True
    return sorted(recall_pages(env))


def purge(app, env, page):
    recall_pages(env).discard(page)


def merge(app, env, pages, other):
    recall_pages(env).update(recall_pages(other) & set(pages))


def cards_of(env, page):
    """Copies of a page's cards that can stand on another page:
    their links to elsewhere are words."""
    for card in env.get_doctree(page).findall(Card):
        copy = card.deepcopy()
        for link in list(copy.findall(addnodes.pending_xref)):
            link.replace_self(link.children)
        yield copy


def chapter(app, page, here):
    """Return a chapter's cards below its name -> nodes."""
    address, name = app.builder.get_relative_uri(here, page), app.env.titles[page].astext()
    link = nodes.reference("", name, internal=True, refuri=address)
    return [nodes.paragraph("", "", link, classes=["fi-from"]), *cards_of(app.env, page)]


def fill(app, doctree, here):
    """Put the cards of all chapters in the place of the pool, in the book's order."""
    for pool in list(doctree.findall(RecallQuestions)):
        pages = [page for page in app.env.collect_relations() if page in card_names(app.env)]
        parts = [nodes.container("", *chapter(app, page, here), classes=["fi-drawn"])
                 for page in pages]
        pool.replace_self(nodes.container("", *parts, classes=["fi-pool"]))


def setup(app):
    app.add_node(RecallQuestions)
    app.add_directive("recall", Recall)
    app.connect("env-updated", again)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
