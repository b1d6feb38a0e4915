"""Style of all figures: axes, number formats and descriptions.

Colours are those of colours.py; shape or label always says the same thing again.
"""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager, rc_params_from_file
from matplotlib.axes import Axes

INK = "#1d1b16"
MUTED = "#635e53"
PAPER = "#fdfcf8"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HERE = Path(__file__).parent
for face in sorted(HERE.glob("fonts/*.ttf")):
    font_manager.fontManager.addfont(face)
STYLE = rc_params_from_file(HERE / "figures.mplstyle", use_default_template=False)
"""What figures.mplstyle says; its face comes along, so that a figure is the same everywhere."""


def new_axes(width: float = 6.5, height: float = 3.2) -> Axes:
    """Create axes in the book's style; width and height in inches."""
    return new_panels(1, width, height)[0]


def new_panels(
    columns: int, width: float = 8.0, height: float = 3.0, rows: int = 1, **keywords
) -> np.ndarray:
    """Create a row (or grid) of axes in the book's style -> array of axes.

    keywords go to Figure.subplots (sharey=True ...)
    """
    figure = plt.figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    # after the figure: a backend first loaded inside would lose its settings on leaving
    with plt.rc_context(STYLE):
        return np.atleast_1d(figure.subplots(rows, columns, **keywords))


def describe(ax: Axes, sentence: str) -> Axes:
    """Set the sentence that describes ax; a figure's alt text joins those of its axes."""
    figure: Any = ax.figure
    said = getattr(figure, "_fi_sentences", {})
    said[id(ax)] = sentence.strip()
    figure._fi_sentences = said
    figure._fi_alt = " ".join(said[id(a)] for a in figure.axes if id(a) in said)
    return ax


def number(value: float) -> str:
    """Format a number with three significant digits, without trailing zeros or '-0'.

    >>> number(0.33333), number(5.0), number(-0.0)
    ('0.333', '5', '0')
    """
    if abs(value) < 1000:
        return f"{float(value) + 0.0:.3g}"
    return f"{value:,.0f}"


def write_beside(ax: Axes, words: str, x: float, y: float, gap: int = 4) -> None:
    """Write to the right of a point, `gap` typographic points away."""
    ax.annotate(words, (x, y), xytext=(gap, 0), textcoords="offset points", va="center", color=INK)
