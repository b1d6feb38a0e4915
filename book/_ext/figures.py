"""A figure's alt text, its picture for phones, and its numbered caption.

`fi_teach.plots` stores words and the picture for phones in an output's metadata, and sends a
caption as Markdown after the picture, which is how JupyterLab shows it. myst-nb copies only width
and height from there, so two of its renderers are wrapped. In the page a figure and its picture
for phones (an image inside the image, so that Sphinx collects its file) become one <picture>,
picture and caption one figure: "Figure 6.2. Half of the importances are negative." Its number
counts within the chapter and links to it; its name is its cell's. A figure without words is a
warning, and warnings fail the build.
"""

import hashlib
import re
from base64 import b64decode

from cards import Wrapped, add_wrapped, cell_ids
from docutils import nodes
from myst_nb.core.render import NbElementRenderer

PHONE = "screen and (max-width: 600px)"
PAIR = re.compile(r'(<img [^>]*>)\s*<img [^>]*class="fi-phone"[^>]*src="([^"]+)"[^>]*>')
PICTURE = re.compile(r'(<div class="cell_output docutils container">\n|<figure [^>]*>\n)'
                     r'((?:<picture>.*?)?<img [^>]*src="((?!data:)[^"]+)"[^>]*>(?:</picture>)?)')
LABEL = "Figure."
RENDERED = {name: getattr(NbElementRenderer, name) for name in ("render_image", "render_markdown")}
"""myst-nb's own renderers."""
CHAPTER = re.compile(r"A?\d+[a-z]?")


class Figure(Wrapped):
    """A picture, then its caption."""


class Caption(Wrapped):
    """A figure's caption."""


def render_image(self, data):
    """An image that also takes its alt text from the output's metadata."""
    (image,) = RENDERED["render_image"](self, data)
    about = data.output_metadata.get(data.mime_type, {})
    image["alt"] = about.get("alt", image.get("alt", ""))
    if not image["alt"].strip():
        self.logger.warning("a figure has no alt text: draw it with fi_teach.plots, or call "
                            "fi_teach.plots.describe(ax, 'what it shows')", subtype="alt",
                            line=data.line)
    if phone := about.get("phone"):
        svg = "svg" in data.mime_type
        drawn = phone.encode() if svg else b64decode(phone)
        name = f"{hashlib.sha256(drawn).hexdigest()}.{'svg' if svg else 'png'}"
        image += nodes.image(uri=self.write_file([name], drawn, exists_ok=True), alt="",
                             classes=["fi-phone"])
    return [image]


def render_markdown(self, data):
    """Markdown, and what is marked as a caption in a Caption."""
    rendered = RENDERED["render_markdown"](self, data)
    marked = data.output_metadata.get(data.mime_type, {}).get("caption")
    return [Caption("", *rendered, opens="<figcaption>\n",
                    closes="</figcaption>\n")] if marked else rendered


def join(app, doctree, page):
    """Make one figure of each picture and the caption that follows it."""
    captions = list(doctree.findall(Caption))
    cells = cell_ids(app.env.doc2path(page)) if captions else []
    title = next(iter(doctree.findall(nodes.title)), nodes.title())
    chapter, names = CHAPTER.match(title.astext()), {}
    for k, caption in enumerate(captions, 1):
        output = caption.parent
        at = output.index(caption)
        name = f"figure-{cells[output.parent['cell_index']]}"
        names[name] = names.get(name, 0) + 1
        id = name + f"-{names[name]}" * (names[name] > 1)
        number = f"Figure {chapter[0]}.{k}." if chapter else f"Figure {k}."
        label = next(node for node in caption.findall(nodes.strong) if node.astext() == LABEL)
        label[:] = [nodes.reference("", number, internal=True, refuri=f"#{id}")]
        output[at - 1:at + 1] = [Figure("", output[at - 1], caption, closes="</figure>\n",
                                        opens=f'<figure class="fi-figure" id="{id}">\n')]


def link_pictures(app, page, template, context, doctree):
    """One <picture> of a figure and its picture for phones. It leads to itself alone, so that it
    can be enlarged, and reached by keyboard where a phone scrolls it."""
    body = PAIR.sub(rf'<picture><source media="{PHONE}" srcset="\2">\1</picture>',
                    context.get("body", ""))
    context["body"] = PICTURE.sub(
        r'\1<a class="reference internal image-reference" href="\3">\2</a>', body)


def setup(app):
    NbElementRenderer.render_image = render_image
    NbElementRenderer.render_markdown = render_markdown
    add_wrapped(app, Figure, Caption)
    app.connect("doctree-resolved", join)  # when the format of each output is chosen
    app.connect("html-page-context", link_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
