"""Bar charts of importances with standard errors."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fi_teach.basics.results import Importance
from fi_teach.plots.colours import PALETTE
from fi_teach.plots.style import INK, MUTED, describe, new_axes, number, write_beside


def draw_importance(
    importance: Importance | Mapping[str, float] | pd.Series,
    ax: Axes | None = None,
    *,
    colours: dict | None = None,
    title: str | None = None,
    top: int | None = None,
) -> Axes:
    """Draw horizontal bars, most important on top, with two standard errors where they are known.

    importance : Importance, or a dict / Series {name: value} (drawn without spread)
    top : how many to show (None: all)
    """
    mean, error, names = _bars(importance)
    order = np.argsort(-mean, kind="stable")[:top][::-1]
    shown = [names[j] for j in order]
    length = mean[order]
    spread = np.where(np.isnan(error), 0, 2 * error)[order]
    if ax is None:
        ax = new_axes(6.5, 0.8 + 0.38 * len(order))
    if not colours:
        colours = dict.fromkeys(names, PALETTE[0])
    ax.barh(
        shown,
        length,
        color=[colours.get(name, MUTED) for name in shown],
        height=0.62,
        xerr=spread if spread.any() else None,
        error_kw={"ecolor": INK, "capsize": 3, "lw": 1.2},
    )
    ax.axvline(0, color=INK, lw=0.8)
    for row, (value, half) in enumerate(zip(length, spread, strict=True)):
        write_beside(ax, number(value), max(value, 0) + half, row)
    ax.margins(x=0.14)
    # numbers of five characters must not touch on a narrow panel
    ax.locator_params(axis="x", nbins=5)
    ax.set_xlabel(getattr(importance, "unit", "") or "importance")
    said = str(title or getattr(importance, "method", "Importance"))
    ax.set_title(said, loc="left", weight="bold")
    return describe(ax, _in_words(said, shown, length, spread.any()))


def _bars(importance):
    """Mean, standard error and names of an Importance or a mapping."""
    if isinstance(importance, Importance):
        return importance.mean, importance.standard_error, importance.names
    given = dict(importance)
    values = np.array([float(value) for value in given.values()])
    unknown = np.full(len(values), np.nan)
    return values, unknown, tuple(str(name) for name in given)


def _in_words(title, names, values, has_spread):
    spread = " (bars with two standard errors)" if has_spread else ""
    pairs = [f"{name} {number(value)}" for name, value in zip(names, values, strict=True)]
    return f"Bar chart, {title}{spread}: {', '.join(pairs[::-1])}."
