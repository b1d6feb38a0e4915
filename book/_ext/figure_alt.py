"""The alt text that a figure carries reaches the page, and a figure without one fails the build.

`fi_teach.plots.alt_text` stores the sentence in the output's metadata; myst-nb copies only width and height from there, so its
image renderer is wrapped to copy the sentence too.
"""

from functools import wraps

from myst_nb.core.render import NbElementRenderer


def with_alt(render_image):
    """render_image, whose image also takes its alt text from the output's metadata."""

    @wraps(render_image)
    def render(self, data):
        (image,) = render_image(self, data)
        sentence = data.output_metadata.get(data.mime_type, {}).get("alt", image.get("alt", ""))
        if not sentence.strip():
            self.logger.warning("a figure has no alt text: draw it with fi_teach.plots, or call "
                                "fi_teach.plots.describe(ax, 'what it shows')", subtype="alt", line=data.line)
        image["alt"] = sentence
        return [image]

    return render


def setup(app):
    if not hasattr(NbElementRenderer.render_image, "__wrapped__"):
        NbElementRenderer.render_image = with_alt(NbElementRenderer.render_image)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
