"""Figures in the book's style; each says in words what it shows.

Each function takes `ax=None` and returns the axes; `describe` stores the sentence that becomes the
alt text.
"""
# ruff: noqa: F401

from fi_teach.basics.exports import public_names as _public_names
from fi_teach.plots.alt_text import caption  # figures shown from here on carry their alt text
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

__all__ = _public_names(globals())
