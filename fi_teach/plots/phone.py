"""Figures for phones: panels below one another, a wide tree as an outline.

A phone shows about four inches. A figure of eight, shrunk to fit, has letters that nobody can read;
drawn again at four inches it keeps its letters.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from matplotlib.gridspec import GridSpec

WIDTH = 4.2  # inches of a phone
SLACK = 0.5  # so much wider a figure may be and is only shrunk


def on_phones(figure: Any, draw: Callable[[], Any]) -> None:
    """Replace this figure on phones by the one that draw() returns."""
    figure._fi_phone = draw


def on_a_phone(figure: Any, use: Callable[[Any], Any]) -> Any:
    """What `use` returns for the figure in its phone form, or None if it fits as it is."""
    draw = getattr(figure, "_fi_phone", None)
    if draw is not None:
        return use(draw())
    if figure.get_size_inches()[0] <= WIDTH + SLACK:
        return None
    with narrow(figure):
        return use(figure)


@contextmanager
def narrow(figure: Any) -> Iterator[None]:
    """Context in which the figure is as wide as a phone, and a row of panels is a column."""
    size = figure.get_size_inches().copy()
    grid = _grid_of(figure)
    columns = grid.ncols if grid and grid.nrows == 1 else 1
    before = []
    if columns > 1:  # numbers at the left are missing beside a panel that shares its axis
        column = GridSpec(columns, 1, figure=figure)
        for ax in figure.axes:
            spec = ax.get_subplotspec()
            before.append((ax, spec, ax.yaxis.get_tick_params()["labelleft"]))
            ax.set_subplotspec(column[spec.colspan.start])
            ax.tick_params(labelleft=True)
    figure.set_size_inches(WIDTH, size[1] * columns)
    yield
    figure.set_size_inches(size)
    for ax, spec, labelleft in before:
        ax.set_subplotspec(spec)
        ax.tick_params(labelleft=labelleft)


def _grid_of(figure):
    """The one grid on which all axes lie, each on a cell of its own, or None."""
    specs = [ax.get_subplotspec() for ax in figure.axes]
    grids = {id(spec.get_gridspec()) for spec in specs if spec is not None}
    if None in specs or len(grids) != 1:
        return None
    one_cell = all(len(spec.rowspan) == len(spec.colspan) == 1 for spec in specs)
    return specs[0].get_gridspec() if one_cell else None
