"""Pictures travel with their words, sharp and always the same."""

import base64
import re
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from fi_teach import plots
from fi_teach.plots import PAPER, alt_text


def drawing(points=10):
    ax = plots.new_axes()
    ax.plot(*np.random.default_rng(0).normal(size=(2, points)), "o")
    plots.describe(ax, "Points around zero.")
    return ax.figure


def test_a_figure_is_sent_as_svg_with_its_words():
    """The alt text stands in the metadata of the picture, and as its plain text."""
    data, metadata = alt_text.picture(drawing())
    assert data["image/svg+xml"].startswith("<?xml") and data["text/plain"] == "Points around zero."
    assert metadata["image/svg+xml"]["alt"] == "Points around zero."


def test_a_crowded_figure_is_sent_as_sharp_pixels_instead():
    """A picture of very many marks is smaller as a PNG, drawn larger than it is shown."""
    data, metadata = alt_text.picture(drawing(points=20_000))
    png = base64.b64decode(data["image/png"])
    assert "image/svg+xml" not in data and len(png) < alt_text.MOST_SVG_BYTES
    assert metadata["image/png"]["width"] == round(
        int.from_bytes(png[16:20], "big") / alt_text.SHARPNESS
    )
    assert metadata["image/png"]["alt"] == "Points around zero."


def test_the_same_drawing_gives_the_same_bytes():
    """No date and no random names inside, so that a page changes only when its figure does."""
    assert alt_text.picture(drawing()) == alt_text.picture(drawing())


def test_a_figure_wears_the_face_and_the_paper_of_the_pages():
    """A sign that the face lacks comes from another, without a warning; what somebody chose stays."""
    ax = plt.subplots()[1]
    ax.set_title("x ≤ 3, φ", weight="bold")
    chosen = ax.text(0, 0, "typed", family="monospace")
    legend = ax.legend(ax.plot([0, 1]), ["a line"])
    with warnings.catch_warnings(action="error"):
        drawn = alt_text.render(ax.figure, "svg").decode()
    faces = {text.get_fontfamily()[0] for text in ax.findobj(Text) if text is not chosen}
    assert faces == {"Instrument Sans"} and chosen.get_fontfamily() == ["monospace"]
    assert legend.get_frame().get_edgecolor()[3] == 0, "a legend has no box"
    assert "InstrumentSans-Bold" in drawn and "DejaVuSans" in drawn and PAPER in drawn
    for face in (Path(plots.__file__).parent / "fonts").glob("*.ttf"):
        assert face.stat().st_size < 40_000


def test_a_figure_that_nobody_described_has_no_words():
    """The build then says so."""
    assert alt_text.alt_text(plots.new_axes().figure) == ""


def test_outside_a_notebook_nothing_is_hooked():
    """Importing the plots in a script must not need IPython."""
    assert alt_text.activate() is False


def test_a_caption_is_sent_below_the_picture_marked_as_one():
    """JupyterLab prints it there; the book makes it the figure's caption."""
    figure = alt_text.caption(plots.new_axes(), "Noise  *beats*\n signal.").figure
    data, metadata = alt_text.caption_of(figure)
    assert data == {"text/markdown": "**Figure.** Noise *beats* signal.", "text/plain": "Noise *beats* signal."}
    assert metadata == {"text/markdown": {"caption": True}}
    assert alt_text.caption_of(drawing()) is None


def test_an_empty_caption_is_refused():
    with pytest.raises(ValueError, match="the caption is empty"):
        alt_text.caption(plots.new_axes(), " ")


def test_a_drawing_carries_nothing_that_nobody_sees():
    """No comments, no white space between its tags; and it is still well-formed."""
    ax = plots.new_axes()
    ax.plot([0, 1], [0, 1])
    drawn = alt_text.render(ax.figure, "svg")
    assert b"<!--" not in drawn and not re.search(rb">\s+<", drawn)
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
