"""Links that a page would otherwise have to state by hand:
from an exercise set to its chapter, from a chapter to the method map.

The other direction is written in the text; here is the link back, so that neither can be forgotten.
"""

from pathlib import Path

from docutils import nodes

MAP = "book/method_map"


def chapter_of(page, pages):
    """exercises/12a_field_one -> notebooks/12_field: the chapter with the same number, or None."""
    number = page.removeprefix("exercises/")[:2]
    return next((other for other in sorted(pages) if other.startswith(f"notebooks/{number}_")),
                None)


def target_of(page, env):
    """Where a page belongs -> (words, page), or None."""
    if page.startswith("exercises/"):
        chapter = chapter_of(page, env.found_docs)
        return chapter and ("To the chapter:", chapter)
    if page.startswith("notebooks/") and MAP in env.found_docs:
        links = Path(env.doc2path(MAP)).read_text(encoding="utf-8")
        return ("Its methods among the others:", MAP) if f"{page}.ipynb" in links else None
    return None


def add(app, doctree, page):
    """Append a line with the link back to the page."""
    found = target_of(page, app.env)
    if found:
        words, target = found
        address, name = app.builder.get_relative_uri(page, target), app.env.titles[target].astext()
        end = next(iter(doctree.findall(nodes.section)), doctree)
        end += nodes.paragraph("", "", nodes.Text(words + " "),
                               nodes.reference("", name, internal=True, refuri=address),
                               classes=["fi-backlink"])


def setup(app):
    app.connect("doctree-resolved", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
