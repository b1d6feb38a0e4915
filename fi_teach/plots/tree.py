"""Draw a tree with tests, rows of each class and impurities."""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.offsetbox import AnnotationBbox, TextArea, VPacker
from matplotlib.textpath import TextPath

from fi_teach.basics.tree import Tree
from fi_teach.plots.colours import PALETTE
from fi_teach.plots.phone import SLACK, WIDTH, on_phones
from fi_teach.plots.style import INK, MUTED, PAPER, STYLE, describe, new_axes, number

NODE_FONT = 9.5  # points, in the boxes of a tree
POINTS_PER_INCH = 72
INDENT = 0.35  # inches a level, in the outline that a phone shows


def draw_tree(
    tree: Tree,
    ax: Axes | None = None,
    *,
    labels: dict | None = None,
    colours: dict | None = None,
    answers: dict | None = None,
    digits: int = 3,
) -> Axes:
    """Draw the tree from the root down; a row that passes the test goes left.

    labels : {feature name: how to print it}; colours : {feature name: colour of its boxes}
    answers : {feature name: what its left branch is called, and its right}, for bits:
        "cold?" with the branches mild and cold in place of "cold ≤ 0.5?" with yes and no
    Boxes are as wide as their words, and the figure as wide as its boxes need.
    """
    colours = colours or {}
    words = Words(tree, labels or {}, digits, answers)
    lines = [words.lines(t) for t in range(tree.n_nodes)]
    place, depth = tree.place, tree.depth
    widths = np.array([max(map(_inches, node)) for node in lines]) + 0.25
    leaf_room = _leaf_room(place, depth, widths)
    half = widths / 2 / leaf_room
    left = (place - half).min() - 0.1
    right = (place + half).max() + 0.1
    needed = leaf_room * (right - left)
    font = NODE_FONT
    if ax is None:
        ax = new_axes(max(3.0, needed), 0.6 + 1.25 * (depth.max() + 1))
        if needed > WIDTH + SLACK:
            on_phones(ax.figure, lambda: _outline(words, lines, colours))
    else:
        # small letters come out a little wider than their share
        font *= min(1.0, 0.94 * _inches_of(ax) / needed)
    _draw_edges(ax, words, place, depth)
    for t in range(tree.n_nodes):
        _draw_node(ax, place[t], -depth[t], lines[t], _node_colour(tree, t, colours), font)
    ax.set_xlim(left, right)
    ax.set_ylim(-depth.max() - 0.5, 0.5)
    ax.axis("off")
    return describe(ax, f"Decision tree. {words.sentences()}")


# --- what stands in the boxes ---


class Words:
    """The texts at the nodes of a drawn tree."""

    def __init__(
        self, tree: Tree, labels: dict, digits: int, answers: dict | None = None
    ) -> None:
        self.tree = tree
        self.labels = labels
        self.answers = answers or {}
        self.digits = digits

    def lines(self, t: int) -> list[str]:
        """The lines in a node's box."""
        tree = self.tree
        lines = [content(tree, t), self.mixedness(t)]
        if not tree.is_leaf[t]:
            return [self.test(t), *lines]
        if tree.classes is not None:
            winner = int(tree.value[t].argmax())
            lines.append(f"→ {tree.classes[winner]}")
        return lines

    def test(self, t: int) -> str:
        """'Time ≤ 90?'"""
        tree = self.tree
        feature = tree.names[tree.feature[t]]
        name = self.labels.get(feature, feature)
        if feature in self.answers:
            return f"{name}?"
        if t in tree.left_categories:
            codes = ", ".join(map(number, tree.left_categories[t]))
            return f"{name} in {{{codes}}}?"
        return f"{name} ≤ {number(tree.threshold[t])}?"

    def branches(self, t: int) -> tuple[str, str]:
        """What the left branch of node t is called, and the right."""
        left, right = self.answers.get(self.tree.names[self.tree.feature[t]], ("yes", "no"))
        return left, right

    def mixedness(self, t: int) -> str:
        """'Gini 0.32', '0.811 bits', 'variance 3.5'."""
        criterion = self.tree.criterion
        value = f"{round(float(self.tree.impurity[t]), self.digits) + 0.0:g}"
        unit = {"entropy": "bits", "entropy_nats": "nats"}.get(criterion)
        if unit:
            return f"{value} {unit}"
        return f"{criterion.replace('gini', 'Gini')} {value}"

    def sentences(self) -> str:
        """The tree as sentences, depth first."""
        tree = self.tree
        said = []
        for t, answer in self.nodes():
            condition = f"If {answer}: " if answer else ""
            what = "leaf with" if tree.is_leaf[t] else self.test(t)
            said.append(f"{condition}{what} {content(tree, t)} ({self.mixedness(t)}).")
        return " ".join(said)

    def nodes(self) -> Iterator[tuple[int, str]]:
        """Every node with the answer that leads to it, depth first, the left branch first."""
        tree, waiting = self.tree, [(0, "")]
        while waiting:
            t, answer = waiting.pop()
            yield t, answer
            if not tree.is_leaf[t]:
                left, right = self.branches(t)
                waiting += [(tree.children_right[t], right), (tree.children_left[t], left)]


def content(tree: Tree, t: int) -> str:
    """What a node holds: '4 Pass, 4 Fail', or 'mean 3.5, 8 rows'."""
    rows = tree.weighted_n_node_samples[t]
    if tree.classes is None:
        means = ", ".join(number(mean) for mean in tree.value[t])
        return f"mean {means}, {number(rows)} rows"
    counts = (tree.value[t] * rows).round(6)
    return ", ".join(f"{number(c)} {k}" for c, k in zip(counts, tree.classes, strict=True))


# --- how much room the boxes need ---


def _inches(line):
    """How wide a line of a node is in the font of trees."""
    font = FontProperties(family=STYLE["font.family"], weight=_weight(line))
    extents = TextPath((0, 0), line, NODE_FONT, prop=font).get_extents()
    return extents.width / POINTS_PER_INCH


def _weight(line):
    return "bold" if line.endswith("?") else "normal"


def _leaf_room(place, depth, widths):
    """The least distance in inches from leaf to leaf at which no two boxes of a level touch."""
    room = 1.2
    for level in range(depth.max() + 1):
        nodes = np.flatnonzero(depth == level)
        nodes = nodes[np.argsort(place[nodes])]
        needed = (widths[nodes[:-1]] + widths[nodes[1:]]) / 2 + 0.15
        room = max([room, *(needed / np.diff(place[nodes]))])
    return room


def _inches_of(ax):
    """How wide the axes can become: their share of the figure's columns."""
    width = ax.figure.get_size_inches()[0]
    spec = ax.get_subplotspec()
    if spec is None:
        return width * ax.get_position().width
    return width * len(spec.colspan) / spec.get_gridspec().ncols


# --- drawing ---


def _draw_edges(ax, words, place, depth):
    look = {"ha": "center", "va": "center", "fontsize": 9, "color": INK, "zorder": 2}
    behind = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.2}
    for parent, *children in words.tree.splits:
        for child, answer in zip(children, words.branches(parent), strict=True):
            ends = [parent, child]
            x, y = place[ends], -depth[ends]
            ax.plot(x, y, color=MUTED, lw=1.2, zorder=1)
            ax.text(x.mean(), y.mean(), answer, bbox=behind, **look)


def _node_colour(tree, t, colours):
    if tree.is_leaf[t]:
        return MUTED
    return colours.get(tree.names[tree.feature[t]], PALETTE[0])


def _draw_node(ax, x, y, lines, colour, font):
    words = []
    for line in lines:
        look = {"fontsize": font, "weight": _weight(line), "color": INK,
                "family": STYLE["font.family"]}
        words.append(TextArea(line, textprops=look))
    frame = {
        "boxstyle": "round,pad=0.5,rounding_size=0.5",
        "facecolor": PAPER,
        "edgecolor": colour,
        "lw": 1.8,
    }
    box = AnnotationBbox(
        VPacker(children=words, align="center", pad=0, sep=0.35 * font),
        (x, y),
        bboxprops=frame,
        fontsize=font,
        annotation_clip=False,
        zorder=3,
    )
    # the limits leave room for it; the layout would make room once more
    box.set_in_layout(False)
    ax.add_artist(box)


# --- on a phone ---


def _outline(words, lines, colours):
    """The tree as an outline: a row a node, from the root down, each branch indented once more."""
    tree, order = words.tree, list(words.nodes())
    row = {t: k for k, (t, _) in enumerate(order)}
    ax = new_axes(WIDTH, 0.2 + 0.62 * len(order))
    for t, answer in order:
        x, y = INDENT * tree.depth[t], -row[t]
        if not tree.is_leaf[t]:
            for child in (tree.children_left[t], tree.children_right[t]):
                elbow = [x, x, x + INDENT - 0.06], [y, -row[child], -row[child]]
                ax.plot(*elbow, color=MUTED, lw=1.2, zorder=1)
        first, *rest = lines[t]
        said = f"{answer}: {first}" if answer else first
        frame = {
            "boxstyle": "round,pad=0.35",
            "facecolor": PAPER,
            "edgecolor": _node_colour(tree, t, colours),
            "lw": 1.6,
        }
        said = f"{said}\n{', '.join(rest)}"
        ax.text(x - 0.05, y, said, fontsize=NODE_FONT, color=INK, va="center", bbox=frame, zorder=2)
    ax.set(xlim=(-0.15, WIDTH - 0.15), ylim=(0.6 - len(order), 0.5))
    ax.axis("off")
    return ax.figure
