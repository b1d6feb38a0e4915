"""Put a numbered caption below each figure; numbers count within the chapter.

`fi_teach.plots.caption` sends the caption as Markdown after the picture,
which is how JupyterLab shows it. Here picture and caption become one figure: "Figure 6.2.
Half of the importances are negative." Its number links to it, its name is its cell's.
"""

import re
from functools import wraps

from docutils import nodes
from myst_nb.core.render import NbElementRenderer
from predictions import cell_ids

LABEL = "Figure."
CHAPTER = re.compile(r"\d+[a-z]?")


class Figure(nodes.General, nodes.Element):
    """A picture, then its caption. `ids[0]` is its name."""


class Caption(nodes.General, nodes.Element):
    """A figure's caption."""


def with_caption(render_markdown):
    """render_markdown, which puts what is marked as a caption into a Caption."""

    @wraps(render_markdown)
    def render(self, data):
        rendered = render_markdown(self, data)
        marked = data.output_metadata.get(data.mime_type, {}).get("caption")
        return [Caption("", *rendered)] if marked else rendered

    return render


def chapter_number(doctree):
    """The number at the beginning of the page's title -> "6", "12a" or ""."""
    title = next(iter(doctree.findall(nodes.title)), nodes.title())
    found = CHAPTER.match(title.astext())
    return found[0] if found else ""


def join(app, doctree, page):
    """Make one figure of each picture and the caption that follows it."""
    captions = list(doctree.findall(Caption))
    cells = cell_ids(app.env.doc2path(page)) if captions else []
    number, names = chapter_number(doctree), {}
    for k, caption in enumerate(captions, 1):
        output = caption.parent
        at = output.index(caption)
        name = f"figure-{cells[output.parent['cell_index']]}"
        names[name] = names.get(name, 0) + 1
        id = name + f"-{names[name]}" * (names[name] > 1)
        relabel(caption, f"Figure {number}.{k}." if number else f"Figure {k}.", id)
        figure = Figure("", output[at - 1], caption, ids=[id])
        output[at - 1 : at + 1] = [figure]


def relabel(caption, words, id):
    """Put number and link in the place of the word that stands before the caption in JupyterLab."""
    label = next(node for node in caption.findall(nodes.strong) if node.astext() == LABEL)
    link = nodes.reference("", words, internal=True, refuri=f"#{id}")
    label[:] = [link]


def visit_figure(writer, node):
    writer.body.append(f'<figure class="fi-figure" id="{node["ids"][0]}">\n')


def closing(tag):
    """Return a function that writes the closing tag."""
    return lambda writer, node: writer.body.append(f"</{tag}>\n")


def visit_caption(writer, node):
    writer.body.append("<figcaption>\n")


def setup(app):
    if not hasattr(NbElementRenderer.render_markdown, "__wrapped__"):
        NbElementRenderer.render_markdown = with_caption(NbElementRenderer.render_markdown)
    app.add_node(Figure, html=(visit_figure, closing("figure")))
    app.add_node(Caption, html=(visit_caption, closing("figcaption")))
    app.connect("doctree-resolved", join)  # when the format of each output is chosen
    return {"parallel_read_safe": True, "parallel_write_safe": True}
