"""Decision regions of a tree in the plane of two features."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from fi_teach.basics.tree import Tree
from fi_teach.plots.colours import PALETTE
from fi_teach.plots.style import INK, MARKERS, MUTED, describe, new_axes, number
from fi_teach.plots.tree import content

HATCHES = ("", "//", "..")


def draw_regions(
    tree: Tree,
    X: ArrayLike,
    y: ArrayLike,
    ax: Axes | None = None,
    *,
    features: tuple[int, int] = (0, 1),
    labels: dict | None = None,
) -> Axes:
    """Draw the tree's leaves as rectangles, with the training rows on top.

    tree : splits on no other features and on no categories; X (n, p), y (n,)
    features : the two columns (horizontal, vertical); labels : {feature name: how to print it}
    """
    _check_plane(tree, features)
    columns = np.asarray(X, dtype=float)[:, list(features)]
    low, high = _limits(columns)
    if ax is None:
        ax = new_axes(6.0, 3.6)
    names = [(labels or {}).get(name, name) for name in (tree.names[j] for j in features)]
    said = []
    for leaf, lower, upper in _rectangles(tree, features, low, high):
        _shade(ax, lower, upper, int(tree.value[leaf].argmax()))
        across = _span(names[0], lower[0], upper[0], low[0], high[0])
        along = _span(names[1], lower[1], upper[1], low[1], high[1])
        said.append(f"{across} and {along}: {content(tree, leaf)}")
    _scatter_classes(ax, columns, np.asarray(y), tree.classes or ())
    xlim, ylim = zip(low, high, strict=True)
    ax.set(xlim=xlim, ylim=ylim, xlabel=names[0], ylabel=names[1])
    return describe(ax, f"Decision regions: {'; '.join(said)}.")


def _check_plane(tree, features):
    if tree.left_categories:
        raise ValueError(
            "the tree splits on categories, which have no place on an axis: use draw_tree.")
    used = set(tree.feature[~tree.is_leaf].tolist())
    others = sorted(used - set(features))
    if others:
        names = ", ".join(tree.names[j] for j in others)
        raise ValueError(
            f"the tree also splits on {names}, which a plane cannot show: "
            "grow it on two features, or use draw_tree.")


def _limits(columns):
    """The picture's frame: the rows and a margin -> (low (2,), high (2,))."""
    low, high = columns.min(axis=0), columns.max(axis=0)
    width = np.where(high > low, high - low, 1)
    return low - 0.12 * width, high + 0.12 * width


def _rectangles(tree, features, low, high):
    """Each leaf with its lower left and upper right corner, cut off at the frame."""
    lower, upper = tree.boxes()
    for leaf in np.flatnonzero(tree.is_leaf):
        at = list(features)
        yield leaf, np.clip(lower[leaf, at], low, high), np.clip(upper[leaf, at], low, high)


def _shade(ax, lower, upper, winner):
    width, height = upper - lower
    ax.add_patch(
        Rectangle(
            lower,
            width,
            height,
            facecolor=to_rgba(PALETTE[winner], 0.16),
            edgecolor=MUTED,
            lw=1.2,
            hatch=HATCHES[winner % len(HATCHES)],
            zorder=0,
        )
    )


def _scatter_classes(ax, columns, y, classes):
    for k, label in enumerate(classes):
        across, along = columns[y == label].T
        ax.scatter(
            across,
            along,
            marker=MARKERS[k],
            color=PALETTE[k],
            edgecolor=INK,
            s=70,
            label=str(label),
            zorder=3,
        )
    if classes:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))


def _span(name, start, stop, low, high):
    """'Time above 90', 'Time up to 90', 'Time anywhere'."""
    limits = []
    if start > low:
        limits.append(f"above {number(start)}")
    if stop < high:
        limits.append(f"up to {number(stop)}")
    return f"{name} {' and '.join(limits) or 'anywhere'}"
