"""Figures that can be computed from: every number drawn is in the data, and every figure says in words what it shows.

Each function takes `ax=None` and returns the axes; `describe` stores the sentence that becomes the alt text.
Colours are those of `fi_teach.plots.colours`; shape or label always says the same thing again.
"""

from contextlib import suppress

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

from fi_teach.basics.impurity import class_impurity
from fi_teach.basics.results import Importance
from fi_teach.plots.alt_text import caption  # noqa: F401  offered here
from fi_teach.plots.colours import PALETTE, colours_of  # noqa: F401  offered here

INK, MUTED, PAPER = "#1f2328", "#6e7781", "#ffffff"
NODE_FONT = 9.5  # points, in the boxes of a tree
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "axes.facecolor": PAPER,
    "font.size": 11, "axes.titlesize": 12, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": MUTED, "axes.labelcolor": INK,
    "xtick.color": INK, "ytick.color": INK, "text.color": INK, "legend.frameon": False, "hatch.linewidth": 0.6,
}


def new_axes(width=6.5, height=3.2):
    """Fresh axes in the book's style; width and height in inches."""
    return new_panels(1, width, height)[0]


def new_panels(columns, width=8.0, height=3.0, rows=1, **keywords):
    """A row (or grid) of axes in the book's style -> array of axes; keywords go to Figure.subplots (sharey=True ...)."""
    figure = plt.figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    with plt.rc_context(STYLE):  # after the figure: a backend first loaded in here would lose its settings on leaving
        return np.atleast_1d(figure.subplots(rows, columns, **keywords))


def describe(ax, sentence):
    """Say in words what ax shows; a figure's alt text is the sentences of its axes, in order. Returns ax."""
    said = getattr(ax.figure, "_fi_sentences", {})
    said[id(ax)] = sentence.strip()
    ax.figure._fi_sentences = said
    ax.figure._fi_alt = " ".join(said[id(a)] for a in ax.figure.axes if id(a) in said)
    return ax


def number(value):
    """A number as the pages print it: three significant digits, no trailing zeros, no '-0'.

    >>> number(0.33333), number(5.0), number(-0.0)
    ('0.333', '5', '0')
    """
    return f"{float(value) + 0.0:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def draw_importance(importance, ax=None, *, colours=None, title=None, top=None):
    """Horizontal bars, most important on top, with two standard errors where there are repeats to tell them.

    importance : Importance, or a dict / Series {name: value} (drawn without spread); top : how many to show (None: all)
    """
    mean, error, names = _bars(importance)
    order = np.argsort(-mean, kind="stable")[:top][::-1]
    ax = new_axes(6.5, 0.8 + 0.38 * len(order)) if ax is None else ax
    colours = colours or dict.fromkeys(names, PALETTE[0])
    shown = np.where(np.isnan(error), 0, 2 * error)[order]
    ax.barh([names[j] for j in order], mean[order], color=[colours.get(names[j], MUTED) for j in order], height=0.62,
            xerr=shown if shown.any() else None, error_kw={"ecolor": INK, "capsize": 3, "lw": 1.2})
    ax.axvline(0, color=INK, lw=0.8)
    for row, j in enumerate(order):
        end = max(mean[j], 0) + shown[row]
        ax.annotate(number(mean[j]), (end, row), xytext=(4, 0), textcoords="offset points", va="center", color=INK)
    ax.margins(x=0.14)
    ax.locator_params(axis="x", nbins=5)  # numbers of five characters must not touch on a narrow panel
    ax.set_xlabel(getattr(importance, "unit", "") or "importance")
    ax.set_title(title or getattr(importance, "method", "Importance"), loc="left", weight="bold")
    spread = " (bars with two standard errors)" if shown.any() else ""
    return describe(ax, f"Bar chart, {ax.get_title(loc='left')}{spread}: "
                    + ", ".join(f"{names[j]} {number(mean[j])}" for j in order[::-1]) + ".")


def _bars(importance):
    """Mean, standard error and names, whatever came."""
    if isinstance(importance, Importance):
        return importance.mean, importance.standard_error, importance.names
    values = np.array([float(value) for value in dict(importance).values()])
    return values, np.full(len(values), np.nan), tuple(str(name) for name in dict(importance))


def draw_tree(tree, ax=None, *, labels=None, colours=None, digits=3):
    """The tree with everything a hand computation needs: test, rows of each class, impurity.

    tree : Tree; labels : {feature name: how to print it}; colours : {feature name: colour of its boxes}
    A row that passes the test goes left. Boxes are as wide as their words, and the figure as wide as its boxes need.
    """
    place, depth = tree.place, tree.depth
    lines = [_node_lines(tree, t, labels or {}, digits) for t in range(tree.n_nodes)]
    widths = np.array([max(map(_inches, node)) for node in lines]) + 0.2
    unit = _leaf_room(place, depth, widths)
    left, right = (place - widths / 2 / unit).min() - 0.1, (place + widths / 2 / unit).max() + 0.1
    needed, font = unit * (right - left), NODE_FONT
    if ax is None:
        ax = new_axes(max(3.0, needed), 0.6 + 1.25 * (depth.max() + 1))
    else:
        font *= min(1.0, 0.94 * _inches_of(ax) / needed)  # small letters come out a little wider than their share
    for t in np.flatnonzero(~tree.is_leaf):
        for child, word in ((tree.children_left[t], "yes"), (tree.children_right[t], "no")):
            ax.plot([place[t], place[child]], [-depth[t], -depth[child]], color=MUTED, lw=1.2, zorder=1)
            ax.text((place[t] + place[child]) / 2, -(depth[t] + depth[child]) / 2, word, ha="center", va="center",
                    fontsize=9, color=INK, bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.2}, zorder=2)
    for t in range(tree.n_nodes):
        _draw_node(ax, place[t], -depth[t], lines[t], _node_colour(tree, t, colours or {}), font)
    ax.set_xlim(left, right)
    ax.set_ylim(-depth.max() - 0.5, 0.5)
    ax.axis("off")
    return describe(ax, "Decision tree. " + _in_words(tree, labels or {}, digits))


def _test(tree, t, labels):
    name = tree.names[tree.feature[t]]
    if t in tree.left_categories:
        return f"{labels.get(name, name)} in {{{', '.join(map(number, tree.left_categories[t]))}}}?"
    return f"{labels.get(name, name)} ≤ {number(tree.threshold[t])}?"


def _content(tree, t):
    """What the node holds: '4 Pass, 4 Fail', or its mean."""
    if tree.classes is None:
        return f"mean {', '.join(number(v) for v in tree.value[t])}, {number(tree.weighted_n_node_samples[t])} rows"
    counts = tree.value[t] * tree.weighted_n_node_samples[t]
    return ", ".join(f"{number(round(c, 6))} {k}" for c, k in zip(counts, tree.classes, strict=True))


def _node_lines(tree, t, labels, digits):
    head = [_test(tree, t, labels)] if not tree.is_leaf[t] else []
    foot = [f"→ {tree.classes[int(tree.value[t].argmax())]}"] if tree.is_leaf[t] and tree.classes is not None else []
    return [*head, _content(tree, t), _mixedness(tree, t, digits), *foot]


def _mixedness(tree, t, digits):
    """'Gini 0.32', '0.811 bits', 'variance 3.5'."""
    value = f"{round(float(tree.impurity[t]), digits) + 0.0:g}"
    unit = {"entropy": "bits", "entropy_nats": "nats"}.get(tree.criterion)
    return f"{value} {unit}" if unit else f"{tree.criterion.replace('gini', 'Gini')} {value}"


def _node_colour(tree, t, colours):
    return MUTED if tree.is_leaf[t] else colours.get(tree.names[tree.feature[t]], PALETTE[0])


def _weight(line):
    return "bold" if line.endswith("?") else "normal"


def _inches(line):
    """How wide a line of a node is in the font of trees."""
    return TextPath((0, 0), line, NODE_FONT, prop=FontProperties(weight=_weight(line))).get_extents().width / 72


def _leaf_room(place, depth, widths):
    """The least distance in inches from one leaf to the next at which no two boxes of a level touch."""
    room = 1.2
    for level in range(depth.max() + 1):
        nodes = np.flatnonzero(depth == level)
        nodes = nodes[np.argsort(place[nodes])]
        needed = (widths[nodes[:-1]] + widths[nodes[1:]]) / 2 + 0.15
        room = max([room, *(needed / np.diff(place[nodes]))])
    return room


def _inches_of(ax):
    """How wide the axes can become: their share of the figure's columns."""
    spec, width = ax.get_subplotspec(), ax.figure.get_size_inches()[0]
    return width * len(spec.colspan) / spec.get_gridspec().ncols if spec else width * ax.get_position().width


def _draw_node(ax, x, y, lines, colour, font):
    words = [TextArea(line, textprops={"fontsize": font, "weight": _weight(line), "color": INK}) for line in lines]
    frame = {"boxstyle": "round,pad=0.5,rounding_size=0.5", "facecolor": PAPER, "edgecolor": colour, "lw": 1.8}
    box = AnnotationBbox(VPacker(children=words, align="center", pad=0, sep=0.35 * font), (x, y), bboxprops=frame,
                         fontsize=font, annotation_clip=False, zorder=3)
    box.set_in_layout(False)  # the limits leave room for it; the layout would make room once more
    ax.add_artist(box)


def _in_words(tree, labels, digits):
    """The tree as sentences, depth first."""
    sentences, to_say = [], [(0, "")]
    while to_say:
        t, opening = to_say.pop()
        here = f"{_content(tree, t)} ({_mixedness(tree, t, digits)})"
        if tree.is_leaf[t]:
            sentences.append(f"{opening}leaf with {here}.")
            continue
        sentences.append(f"{opening}{_test(tree, t, labels)} {here}.")
        to_say += [(tree.children_right[t], "If no: "), (tree.children_left[t], "If yes: ")]
    return " ".join(sentences)


def draw_regions(tree, X, y, ax=None, *, features=(0, 1), labels=None):
    """Where a tree decides what, in the plane of two features, with the training rows on top.

    tree : Tree that splits on no other features; X (n, p), y (n,); features : the two columns (horizontal, vertical)
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    _only_these(tree, features)
    ax = new_axes(6.0, 3.6) if ax is None else ax
    low, high = _limits(X[:, features[0]]), _limits(X[:, features[1]])
    boxes = _boxes(tree, features, low, high)
    classes = tree.classes or ()
    for t, (left, right, bottom, top) in boxes.items():
        winner = int(tree.value[t].argmax())
        ax.add_patch(Rectangle((left, bottom), right - left, top - bottom, facecolor=to_rgba(PALETTE[winner], 0.16),
                               edgecolor=MUTED, lw=1.2, hatch=("", "//", "..")[winner % 3], zorder=0))
    for k, label in enumerate(classes):
        rows = y == label
        ax.scatter(X[rows, features[0]], X[rows, features[1]], marker=MARKERS[k], color=PALETTE[k], edgecolor=INK, s=70,
                   label=str(label), zorder=3)
    ax.set(xlim=low, ylim=high, xlabel=_label(tree, features[0], labels), ylabel=_label(tree, features[1], labels))
    if classes:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    said = [f"{_span(ax.get_xlabel(), left, right, low)} and {_span(ax.get_ylabel(), bottom, top, high)}: {_content(tree, t)}"
            for t, (left, right, bottom, top) in boxes.items()]
    return describe(ax, "Decision regions: " + "; ".join(said) + ".")


def _only_these(tree, features):
    used = set(tree.feature[~tree.is_leaf].tolist())
    if not used <= set(features):
        other = ", ".join(tree.names[j] for j in sorted(used - set(features)))
        raise ValueError(f"the tree also splits on {other}, which a plane cannot show: grow it on two features, or use draw_tree.")


def _limits(column):
    margin = 0.12 * (np.ptp(column) or 1)
    return column.min() - margin, column.max() + margin


def _label(tree, j, labels):
    return (labels or {}).get(tree.names[j], tree.names[j])


def _span(name, start, stop, limits):
    inside = [word for word, cut in ((f"above {number(start)}", start > limits[0]), (f"up to {number(stop)}", stop < limits[1])) if cut]
    return f"{name} {' and '.join(inside) or 'anywhere'}"


def _boxes(tree, features, low, high):
    """The rectangle of each leaf, cut off at the limits of the drawing -> {leaf: (left, right, bottom, top)}."""
    start, stop = zip(low, high, strict=True)
    lower, upper = (np.clip(side[:, features], start, stop) for side in tree.boxes())
    leaves = np.flatnonzero(tree.is_leaf)
    return {int(t): (lower[t, 0], upper[t, 0], lower[t, 1], upper[t, 1]) for t in leaves}


def draw_impurity_curves(criteria=("gini", "entropy", "entropy_nats"), ax=None, *, mark=None):
    """Impurity of a two-class node as the share of the first class runs from 0 to 1; `mark` is a share to point at."""
    ax = new_axes(6.0, 3.2) if ax is None else ax
    p = np.linspace(0, 1, 201)
    said = []
    for k, criterion in enumerate(criteria):
        height = class_impurity(criterion)(np.column_stack([p, 1 - p]))
        ax.plot(p, height, color=PALETTE[k], ls=("-", "--", ":", "-.")[k % 4], lw=2)
        ax.annotate(_measure(criterion), (0.5, height.max()), xytext=(0, 5), textcoords="offset points", ha="center", color=PALETTE[k])
        said.append(f"{_measure(criterion)} peaks at {number(height.max())}")
        if mark is not None:
            at = class_impurity(criterion)([mark, 1 - mark])
            ax.plot(mark, at, marker="o", color=PALETTE[k], ms=8)
            said[-1] += f" and is {number(at)} at share {number(mark)}"
    ax.set(xlabel="share of the first class", ylabel="impurity", xlim=(0, 1), ylim=(0, 1.14))
    return describe(ax, "Impurity of a two-class node, 0 when the node is pure and largest at an even mix: " + "; ".join(said) + ".")


def _measure(criterion):
    return {"gini": "Gini", "entropy": "entropy (bits)", "entropy_nats": "entropy (nats)"}[criterion]


def draw_waterfall(base, values, names, ax=None, *, colours=None, top=None):
    """One prediction, divided: bars that lead from the base to the prediction, the largest share on top.

    base : number, what is predicted when nothing is known; values (p,) the shares, in units of the prediction; names (p,)
    colours : {name: colour of its bar} (None: one colour for up, one for down); top : how many bars, the rest in one
    Bars that lead down are striped.
    """
    names, values = _largest(names, np.asarray(values, dtype=float), top)
    end = base + values.cumsum()
    start, down = end - values, values < 0
    ax = new_axes(6.5, 1.2 + 0.36 * len(names)) if ax is None else ax
    colours = colours or {name: PALETTE[int(falls)] for name, falls in zip(names, down, strict=True)}
    ax.barh(names, values, left=start, height=0.62, color=[colours.get(name, MUTED) for name in names],
            hatch=["///" if falls else "" for falls in down], edgecolor=PAPER, lw=0)
    for row, share in enumerate(values):
        ax.annotate(_signed(share), (max(start[row], end[row]), row), xytext=(4, 0), textcoords="offset points", va="center", color=INK)
    _mark_ends(ax, float(base), start, end)
    return describe(ax, f"Waterfall from {number(base)}, when nothing is known, to the prediction {number(end[-1])}: "
                    + ", ".join(f"{name} {_signed(share)}" for name, share in zip(names, values, strict=True)) + ".")


def _mark_ends(ax, base, start, end):
    """Where a waterfall begins and ends, and the thin lines from bar to bar."""
    ax.vlines(end[:-1], np.arange(len(end) - 1), np.arange(1, len(end)), color=MUTED, lw=0.8)
    for place, row, words in ((base, -0.9, "base"), (end[-1], len(end) - 0.1, "prediction")):
        ax.plot(place, row, marker="D", color=INK, ms=6, clip_on=False)
        ax.annotate(f"{words} {number(place)}", (place, row), xytext=(8, 0), textcoords="offset points", va="center", color=INK)
    ax.vlines([base, end[-1]], [-0.9, len(end) - 1], [0, len(end) - 0.1], color=MUTED, lw=0.8)
    ax.set_ylim(len(end) + 0.3, -1.3)  # the first bar on top
    ax.use_sticky_edges = False  # bars would else keep the margin from opening on their left
    ax.margins(x=0.16)
    ax.set_xlabel("prediction")


def _largest(names, values, top):
    """Names and values, the largest first by size; from `top` on they are one entry, what the others add up to."""
    order = np.argsort(-np.abs(values), kind="stable")
    shown, rest = order[:top], order[len(order[:top]):]
    others = [(f"{len(rest)} others", values[rest].sum())] if len(rest) else []
    return ([str(names[j]) for j in shown] + [name for name, _ in others],
            np.array([values[j] for j in shown] + [value for _, value in others]))


def _signed(value):
    """'+0.25', '−0.125', or '0'."""
    return number(value) if number(value) == "0" else f"{'+' if value > 0 else '−'}{number(abs(value))}"


with suppress(ImportError):  # outside IPython there is no display to hook into
    from fi_teach.plots import alt_text  # noqa: F401  figures shown from here on carry their sentence as alt text
