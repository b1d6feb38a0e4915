"""Figures that can be computed from: every number drawn is in the data, and every figure says in
words what it shows.

Each function takes `ax=None` and returns the axes; `describe` stores the sentence that becomes the
alt text.
"""

from fi_teach.plots import alt_text  # noqa: F401  figures shown from here on carry their sentence
from fi_teach.plots.alt_text import caption
from fi_teach.plots.bars import draw_importance
from fi_teach.plots.colours import PALETTE, colours_of
from fi_teach.plots.dots import draw_dots
from fi_teach.plots.impurity_curves import draw_impurity_curves
from fi_teach.plots.regions import draw_regions
from fi_teach.plots.style import (
    INK,
    MARKERS,
    MUTED,
    PAPER,
    STYLE,
    describe,
    new_axes,
    new_panels,
    number,
)
from fi_teach.plots.tree import draw_tree
from fi_teach.plots.waterfall import draw_waterfall

__all__ = [
    "INK",
    "MARKERS",
    "MUTED",
    "PALETTE",
    "PAPER",
    "STYLE",
    "caption",
    "colours_of",
    "describe",
    "draw_dots",
    "draw_importance",
    "draw_impurity_curves",
    "draw_regions",
    "draw_tree",
    "draw_waterfall",
    "new_axes",
    "new_panels",
    "number",
]
