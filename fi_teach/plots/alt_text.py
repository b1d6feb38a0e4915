"""Alt texts: the sentence given to `plots.describe` is sent with the picture.

Jupyter's inline backend sends pictures without words. In a notebook that has imported this module
(`fi_teach.plots` does) a matplotlib figure is sent by `show` instead: as a sharp SVG (or, if it has
very many marks, as a sharper PNG) whose metadata hold the alt text.
"""

import base64
import io
import re
import sys
from typing import Any

from fi_teach.plots.phone import on_a_phone

SHARPNESS = 1.5  # pixels of a PNG for each pixel of the page
BETWEEN_TAGS = re.compile(rb"<!--.*?-->|(?<=>)\s+(?=<)", re.DOTALL)  # an eighth of the bytes
MOST_SVG_BYTES = 100_000  # above this a picture of points is smaller, and faster, as pixels


def alt_text(figure: Any) -> str:
    """The figure's alt text; empty if it has none."""
    return getattr(figure, "_fi_alt", "").strip()


def render(figure: Any, kind: str, **options) -> bytes:
    """Render the figure in the book's face: the same drawing gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.legend import Legend
    from matplotlib.text import Text

    from fi_teach.plots.style import STYLE

    for text in figure.findobj(Text):
        if text.get_fontfamily() == ["sans-serif"]:  # nobody chose another
            text.set_fontfamily(STYLE["font.family"])
    for legend in figure.findobj(Legend):  # no boxes
        legend.get_frame().set(edgecolor="none", facecolor=STYLE["figure.facecolor"])

    if kind == "svg":
        options["metadata"] = {"Date": None}
    buffer = io.BytesIO()
    with rc_context(STYLE):
        figure.savefig(buffer, format=kind, bbox_inches="tight", **options)
    drawn = buffer.getvalue()
    return BETWEEN_TAGS.sub(b"", drawn) if kind == "svg" else drawn


def in_256_colours(png: bytes) -> bytes:
    """Convert a PNG to 256 colours: a third of the bytes."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    buffer = io.BytesIO()
    picture.quantize(256).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def picture(figure: Any) -> tuple[dict, dict]:
    """The figure as Jupyter's (data, metadata): with its alt text, and as a phone shows it."""
    words = alt_text(figure)
    kind, draw = "image/svg+xml", _svg
    about: dict[str, Any] = {"alt": words}
    drawn = _svg(figure)
    if len(drawn) > MOST_SVG_BYTES:
        kind, draw = "image/png", _png
        drawn = _png(figure)
        header = base64.b64decode(drawn[:32])  # in which the width in pixels stands
        about["width"] = round(int.from_bytes(header[16:20], "big") / SHARPNESS)
    phone = on_a_phone(figure, draw)
    if phone is not None:
        about["phone"] = phone
    return {kind: drawn, "text/plain": words}, {kind: about}


def _svg(figure):
    return render(figure, "svg").decode()


def _png(figure):
    png = in_256_colours(render(figure, "png", dpi=SHARPNESS * figure.dpi))
    return base64.b64encode(png).decode()


def caption(ax: Any, finding: str) -> Any:
    """Set the caption below the figure, a sentence or two of Markdown, and return ax.

    `describe` is for those who cannot see the picture, `caption` for all.
    """
    if not finding.strip():
        raise ValueError(
            "the caption is empty: state in a sentence what the figure shows to be true.")
    ax.figure._fi_caption = " ".join(finding.split())
    return ax


def caption_of(figure: Any) -> tuple[dict, dict] | None:
    """The caption as Jupyter's (data, metadata), or None if the figure has none."""
    finding = getattr(figure, "_fi_caption", None)
    if finding is None:
        return None
    said = {"text/markdown": f"**Figure.** {finding}", "text/plain": finding}
    return said, {"text/markdown": {"caption": True}}


def show(figure: Any) -> None:
    """Display the figure in the notebook with its alt text and caption."""
    from IPython.display import publish_display_data

    for data, metadata in filter(None, (picture(figure), caption_of(figure))):
        publish_display_data(data=data, metadata=metadata)


def activate() -> bool:
    """Make this notebook display figures with alt text -> whether this is a notebook.

    The hook is the display formatter, not the SVG or PNG formatter: those the inline backend
    replaces when it starts.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        return False
    formatter = shell.display_formatter.ipython_display_formatter
    formatter.for_type_by_name("matplotlib.figure", "Figure", show)
    return True


activate()
