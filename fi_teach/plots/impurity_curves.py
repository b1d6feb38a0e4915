"""Impurity curves of a two-class node."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from fi_teach.basics.impurity import class_impurity
from fi_teach.plots.colours import PALETTE
from fi_teach.plots.style import describe, new_axes, number

TITLES = {
    "gini": "Gini",
    "entropy": "entropy (bits)",
    "entropy_nats": "entropy (nats)",
}
DASHES = ("-", "--", ":", "-.")


def draw_impurity_curves(
    criteria: Sequence[str] = tuple(TITLES),
    ax: Axes | None = None,
    *,
    mark: float | None = None,
) -> Axes:
    """Draw the impurity of a two-class node against the share of the first class.

    mark : a share to point at
    """
    if ax is None:
        ax = new_axes(6.0, 3.2)
    said = [_draw_curve(ax, k, criterion, mark) for k, criterion in enumerate(criteria)]
    ax.set(xlabel="share of the first class", ylabel="impurity", xlim=(0, 1), ylim=(0, 1.14))
    return describe(
        ax,
        "Impurity of a two-class node, 0 when the node is pure and largest at an even mix: "
        f"{'; '.join(said)}.",
    )


def _draw_curve(ax, k, criterion, mark):
    """One criterion's curve, and what it shows in words."""
    impurity, title, colour = class_impurity(criterion), TITLES[criterion], PALETTE[k]
    share = np.linspace(0, 1, 201)
    height = impurity(np.column_stack([share, 1 - share]))
    peak = height.max()
    ax.plot(share, height, color=colour, ls=DASHES[k % len(DASHES)], lw=2)
    ax.annotate(
        title, (0.5, peak), xytext=(0, 5), textcoords="offset points", ha="center", color=colour
    )
    said = f"{title} peaks at {number(peak)}"
    if mark is not None:
        at = impurity([mark, 1 - mark])
        ax.plot(mark, at, marker="o", color=colour, ms=8)
        said += f" and is {number(at)} at share {number(mark)}"
    return said
