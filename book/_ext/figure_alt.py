"""The alt text that a figure carries reaches the page, and so does its picture for phones;
no words fail the build.

`fi_teach.plots.alt_text` stores both in the output's metadata;
myst-nb copies only width and height from there, so its image renderer is wrapped.
The picture for phones is an image inside the image (so Sphinx collects its file);
in the page both become one <picture>.
"""

import hashlib
import re
from base64 import b64decode
from functools import wraps

from docutils import nodes
from myst_nb.core.render import NbElementRenderer

PHONE = "screen and (max-width: 600px)"
PAIR = re.compile(r'(<img [^>]*>)\s*<img [^>]*class="fi-phone"[^>]*src="([^"]+)"[^>]*>')


def with_alt(render_image):
    """render_image, whose image also takes its alt text from the output's metadata."""

    @wraps(render_image)
    def render(self, data):
        (image,) = render_image(self, data)
        sentence = data.output_metadata.get(data.mime_type, {}).get("alt", image.get("alt", ""))
        if not sentence.strip():
            self.logger.warning("a figure has no alt text: draw it with fi_teach.plots, or call "
                                "fi_teach.plots.describe(ax, 'what it shows')", subtype="alt",
                                line=data.line)
        image["alt"] = sentence
        phone = data.output_metadata.get(data.mime_type, {}).get("phone")
        if phone:
            drawn, kind = (phone.encode(),
                           "svg") if "svg" in data.mime_type else (b64decode(phone), "png")
            name = f"{hashlib.sha256(drawn).hexdigest()}.{kind}"
            image += nodes.image(uri=self.write_file([name], drawn, exists_ok=True), alt="",
                                 classes=["fi-phone"])
        return [image]

    return render


def join(app, page, template, context, doctree):
    """One <picture> of a figure and its picture for phones."""
    context["body"] = PAIR.sub(rf'<picture><source media="{PHONE}" srcset="\2">\1</picture>',
                               context.get("body", ""))


def setup(app):
    if not hasattr(NbElementRenderer.render_image, "__wrapped__"):
        NbElementRenderer.render_image = with_alt(NbElementRenderer.render_image)
    app.connect("html-page-context", join, priority=400)  # before the links that enlarge a figure
    return {"parallel_read_safe": True, "parallel_write_safe": True}
