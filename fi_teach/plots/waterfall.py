"""Waterfall charts of one prediction's attribution."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from fi_teach.plots.colours import PALETTE
from fi_teach.plots.style import INK, MUTED, PAPER, describe, new_axes, number, write_beside


def draw_waterfall(
    base: float,
    values: ArrayLike,
    names: Sequence[str],
    ax: Axes | None = None,
    *,
    colours: dict | None = None,
    top: int | None = None,
) -> Axes:
    """Draw bars that lead from the base to the prediction, the largest share on top.

    base : what is predicted when nothing is known
    values (p,) : the shares, in units of the prediction; names (p,)
    colours : {name: colour of its bar} (None: one colour for up, one for down)
    top : how many bars, the rest in one
    Bars that lead down are striped.
    """
    shown, shares = _largest(names, np.asarray(values, dtype=float), top)
    end = base + shares.cumsum()
    start = end - shares
    falls = shares < 0
    if ax is None:
        ax = new_axes(6.5, 1.2 + 0.36 * len(shown))
    if not colours:
        up_or_down = [PALETTE[1] if down else PALETTE[0] for down in falls]
        colours = dict(zip(shown, up_or_down, strict=True))
    ax.barh(
        shown,
        shares,
        left=start,
        height=0.62,
        color=[colours.get(name, MUTED) for name in shown],
        hatch=["///" if down else "" for down in falls],
        edgecolor=PAPER,
        lw=0,
    )
    for row, share in enumerate(shares):
        write_beside(ax, _signed(share), max(start[row], end[row]), row)
    _mark_ends(ax, float(base), start, end)
    said = [f"{name} {_signed(share)}" for name, share in zip(shown, shares, strict=True)]
    return describe(
        ax,
        f"Waterfall from {number(base)}, when nothing is known, "
        f"to the prediction {number(end[-1])}: {', '.join(said)}.",
    )


def _largest(names, values, top):
    """Names and values, the largest first; from `top` on one entry, what the others add up to."""
    order = np.argsort(-np.abs(values), kind="stable")
    shown = order[:top]
    rest = order[len(shown) :]
    shown_names = [str(names[j]) for j in shown]
    shown_values = values[shown]
    if len(rest):
        shown_names.append(f"{len(rest)} others")
        shown_values = np.append(shown_values, values[rest].sum())
    return shown_names, shown_values


def _signed(value):
    """'+0.25', '−0.125', or '0'."""
    size = number(abs(value))
    if size == "0":
        return size
    return f"+{size}" if value > 0 else f"−{size}"


def _mark_ends(ax, base, start, end):
    """Where a waterfall begins and ends, and the thin lines from bar to bar."""
    last = len(end) - 1
    ax.vlines(end[:-1], np.arange(last), np.arange(1, last + 1), color=MUTED, lw=0.8)
    _mark_end(ax, base, -0.9, "base")
    _mark_end(ax, end[-1], last + 0.9, "prediction")
    ax.vlines([base, end[-1]], [-0.9, last], [0, last + 0.9], color=MUTED, lw=0.8)
    ax.set_ylim(last + 1.3, -1.3)  # the first bar on top
    ax.use_sticky_edges = False  # bars would else keep the margin from opening on their left
    ax.margins(x=0.16)
    ax.set_xlabel("prediction")


def _mark_end(ax, place, row, words):
    ax.plot(place, row, marker="D", color=INK, ms=6, clip_on=False)
    write_beside(ax, f"{words} {number(place)}", place, row, gap=8)
