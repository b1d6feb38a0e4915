"""Dot plots of several series: a row for each name, a mark for each series."""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fi_teach.plots.colours import PALETTE
from fi_teach.plots.style import INK, MARKERS, MUTED, describe, new_axes, number

ORDER = (3, 7, 4, 2, 6, 5, 0, 1)  # of the palette: the first two are for features
LEGEND = 36  # letters that two entries of a legend may have beside one another
BAND = 0.6  # of a row's height, over which its marks are spread


def draw_dots(
    series: Mapping | pd.DataFrame,
    names: Collection[str] | None = None,
    ax: Axes | None = None,
    *,
    errors: Mapping | pd.DataFrame | None = None,
    colours: Mapping[str, str] | None = None,
    unit: str = "",
) -> Axes:
    """Draw a row for each name and a mark for each series; lines show the range over repeats.

    series : {label: values (n,), or a line of values for each repeat (r, n)}, or a table whose
        columns are the series; repeats are drawn as their mean, with a line from the lowest to the
        highest
    names : of the n rows, the first on top (None: the table's index)
    errors : {label: half the length of a line (n,)} in place of the range
    colours : {label: colour} (None: those of the palette, in their order)
    unit : what the axis counts
    """
    if names is None:
        names = series.index if isinstance(series, pd.DataFrame) else ()
    names = [str(name) for name in names]
    repeats = {label: _repeats(label, values, names) for label, values in dict(series).items()}
    given = {} if errors is None else dict(errors)
    reach = {label: _reach(runs, given.get(label)) for label, runs in repeats.items()}
    means = {label: runs.mean(axis=0) for label, runs in repeats.items()}
    if ax is None:
        ax = new_axes(6.5, 1.1 + 0.36 * len(names) + 0.15 * len(means))
    for k, (label, mean) in enumerate(means.items()):
        colour = (colours or {}).get(label, PALETTE[ORDER[k % len(ORDER)]])
        rows = np.arange(len(names)) + BAND * ((k + 0.5) / len(means) - 0.5)
        ax.errorbar(mean, rows, xerr=reach[label], fmt=MARKERS[k % len(MARKERS)], ms=7,
                    color=colour, lw=1.5, label=label)
    _set(ax, names, unit, list(means))
    return describe(ax, _in_words(names, means, reach, unit))


def _repeats(label, values, names):
    """The values with a line for each repeat (r, n)."""
    runs = np.atleast_2d(np.asarray(values, float))
    if runs.ndim != 2 or runs.shape[1] != len(names):
        raise ValueError(
            f"series {label!r} has the shape {np.shape(values)}, but there are {len(names)} names: "
            "give one value a name, or a line of such values for each repeat.")
    return runs


def _reach(runs, error):
    """How far a line goes to either side of the mean (2, n); None for a single line of values."""
    if error is not None:
        return np.tile(np.asarray(error, float), (2, 1))
    if len(runs) == 1:
        return None
    mean = runs.mean(axis=0)
    return np.array([mean - runs.min(axis=0), runs.max(axis=0) - mean])


def _set(ax, names, unit, labels):
    ax.set(yticks=range(len(names)), yticklabels=names, xlabel=unit)
    ax.set_ylim(len(names) - 0.5, -0.5)
    for row in range(1, len(names)):
        ax.axhline(row - 0.5, color=MUTED, lw=0.5, alpha=0.4)
    ax.locator_params(axis="x", nbins=5)  # numbers that must not touch on a narrow panel
    low, high = ax.get_xlim()
    if low <= 0 <= high:
        ax.axvline(0, color=INK, lw=0.8, zorder=0)
    if len(labels) > 1:
        columns = 2 if len("".join(sorted(labels, key=len)[-2:])) < LEGEND else 1
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False)


def _in_words(names, means, reach, unit):
    """The numbers of every mark and of its line's ends, in words."""
    def said(label, k):
        mean = means[label][k]
        if reach[label] is None:
            return f"{label} {number(mean)}"
        low, high = mean - reach[label][0, k], mean + reach[label][1, k]
        return f"{label} {number(mean)} ({number(low)} to {number(high)})"

    known = [[label for label in means if not np.isnan(means[label][k])]
             for k in range(len(names))]
    rows = [f"{name}: {', '.join(said(label, k) for label in known[k])}"
            for k, name in enumerate(names)]
    return f"Dot plot{f', {unit}' if unit else ''}. {'; '.join(rows)}."
