"""A figure carries its own description: what `plots.describe` says in words travels with the picture into the page.

Jupyter's inline backend sends pictures without words. In a notebook that has imported this module (`fi_teach.plots` does)
a matplotlib figure is sent by `show` instead: as a sharp SVG (or, if it has very many marks, as a sharper PNG) whose metadata hold the alt text.
"""

import base64
import io
import sys

SHARPNESS = 1.5  # pixels of a PNG for each pixel of the page
MOST_SVG_BYTES = 150_000  # above this a picture of points is smaller, and faster to draw, as pixels


def alt_text(figure):
    """What the figure shows, in words; empty if nobody said."""
    return getattr(figure, "_fi_alt", "").strip()


def render(figure, kind, **options):
    """The figure's file in the given format, the same bytes for the same drawing."""
    from matplotlib import rc_context

    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "fi-teach"}):
        figure.savefig(buffer, format=kind, bbox_inches="tight", metadata={"Date": None} if kind == "svg" else None, **options)
    return buffer.getvalue()


def in_256_colours(png):
    """The same PNG with a palette: a third of the bytes, and a drawing needs no more colours."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def picture(figure):
    """The figure as Jupyter's (data, metadata), alt text included."""
    words = alt_text(figure)
    svg = render(figure, "svg")
    if len(svg) <= MOST_SVG_BYTES:
        return {"image/svg+xml": svg.decode(), "text/plain": words}, {"image/svg+xml": {"alt": words}}
    png = in_256_colours(render(figure, "png", dpi=SHARPNESS * figure.dpi))
    width = round(int.from_bytes(png[16:20], "big") / SHARPNESS)  # a PNG's pixel width stands in its header
    return ({"image/png": base64.b64encode(png).decode(), "text/plain": words},
            {"image/png": {"alt": words, "width": width}})


def caption(ax, finding):
    """Say under the figure what it shows to be true, in a sentence or two of Markdown. Returns ax.

    `describe` is for those who cannot see the picture, `caption` for all. Raises ValueError if there is nothing to say.
    """
    if not finding.strip():
        raise ValueError("the caption is empty: state in a sentence what the figure shows to be true.")
    ax.figure._fi_caption = " ".join(finding.split())
    return ax


def caption_of(figure):
    """The caption as Jupyter's (data, metadata), or None if the figure has none."""
    finding = getattr(figure, "_fi_caption", None)
    if finding is None:
        return None
    return {"text/markdown": f"**Figure.** {finding}", "text/plain": finding}, {"text/markdown": {"caption": True}}


def show(figure):
    """Send the figure with its words to the page that runs this cell, and its caption below it."""
    from IPython.display import publish_display_data

    for data, metadata in filter(None, (picture(figure), caption_of(figure))):
        publish_display_data(data=data, metadata=metadata)


def activate():
    """From now on this notebook sends figures with their words -> whether this is a notebook; outside one nothing happens.

    The hook is the display formatter, not the SVG or PNG formatter: those the inline backend replaces when it starts.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        formatter = shell.display_formatter.ipython_display_formatter
        formatter.for_type_by_name("matplotlib.figure", "Figure", show)
    return shell is not None


activate()
