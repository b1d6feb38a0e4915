"""A fitted tree as a panel of boxes and edges: leaves side by side, each node above the middle of its children."""

import numpy as np

from fi_teach.course.explorables.marks import axis, box, line, panel, text

CLASS_COLOURS = ("c1", "c0", "c2", "c3", "c5", "c4", "c6", "c7")


def tree_panel(tree, *, title="", notes=None, lit=None, level=76, leaf_width=44):
    """A Tree drawn from the root down; a node says its question and its rows, a leaf its prediction.

    tree : fi_teach.trees.Tree. notes : {node: words} to write above a node (a tie, the row followed).
    lit : a node; the path from the root to it is drawn thick.
    level : pixels from one level to the next; leaf_width : pixels that each leaf needs.

    >>> from fi_teach.trees import grow_cart
    >>> scene = tree_panel(grow_cart([[1], [2]], ["no", "yes"]))
    >>> [mark["lines"] for mark in scene["marks"] if mark["kind"] == "box"]
    [['x0', '≤ 1.5', '1 no, 1 yes'], ['no', '1'], ['yes', '1']]
    """
    x, y = tree.place, -tree.depth
    internal = np.flatnonzero(~tree.is_leaf)
    path = path_to(tree, lit) if lit is not None else []
    edges = [_edge(x, y, t, child, answer, child in path) for t in internal
             for child, answer in ((tree.children_left[t], "yes"), (tree.children_right[t], "no"))]
    boxes = [box(x[t], y[t], _lines(tree, t), colour=_colour(tree, t), rounded=bool(tree.is_leaf[t])) for t in range(tree.n_nodes)]
    words = [_note(tree, x, y, t, note) for t, note in (notes or {}).items()]
    n_leaves = int(tree.is_leaf.sum())
    frame_x, frame_y = axis(-0.5, n_leaves - 0.5, ticks=()), axis(-tree.depth.max() - 0.4, 0.5, ticks=())
    return panel(edges, boxes, words, x=frame_x, y=frame_y, title=title,
                 height=int(level * (tree.depth.max() + 1)) + 20, min_width=max(220, leaf_width * n_leaves))


def path_to(tree, node):
    """The nodes from the root to this one, both included -> list of int.

    >>> from fi_teach.trees import grow_cart
    >>> path_to(grow_cart([[1], [2]], ["no", "yes"]), 2)
    [0, 2]
    """
    parent = {int(child): t for t in np.flatnonzero(~tree.is_leaf).tolist() for child in (tree.children_left[t], tree.children_right[t])}
    path = [int(node)]
    while path[0] in parent:
        path.insert(0, parent[path[0]])
    return path


def question(tree, t):
    """What node t asks, in two parts: the feature, and the values that answer yes.

    >>> from fi_teach.trees import grow_cart
    >>> question(grow_cart([[1], [2]], ["no", "yes"]), 0)
    ('x0', '≤ 1.5')
    """
    name = tree.names[tree.feature[t]]
    if t in tree.left_categories:
        return name, "in " + ", ".join(f"{code:g}" for code in tree.left_categories[t])
    return name, f"≤ {tree.threshold[t]:.4g}"


def _lines(tree, t):
    """A leaf: its prediction and its rows ("1 of 2" where they disagree). A node: its question and the rows of each class."""
    rows = tree.weighted_n_node_samples[t]
    if tree.classes is None:
        content = [f"{tree.value[t, 0]:.4g}", f"{rows:g} rows"]
    elif tree.is_leaf[t]:
        share = tree.value[t].max()
        content = [str(tree.classes[tree.value[t].argmax()]), f"{rows:g}" if share == 1 else f"{rows * share:g} of {rows:g}"]
    else:
        content = [", ".join(f"{rows * share:g} {label}" for label, share in zip(tree.classes, tree.value[t], strict=True))]
    return content if tree.is_leaf[t] else [*question(tree, t), content[-1]]


def _colour(tree, t):
    if tree.classes is None:
        return "muted"
    rank = sorted(tree.classes).index(tree.classes[tree.value[t].argmax()])  # by label, so that trees agree on colours
    return CLASS_COLOURS[rank % len(CLASS_COLOURS)]


def _note(tree, x, y, t, words):
    """Words above a node, on the side that its edge from above leaves free."""
    if t in tree.children_right:
        return text(x[t], y[t], words, colour="c3", anchor="start", shift=(4, -34))
    return text(x[t], y[t], words, colour="c3", anchor="end" if t else "middle", shift=(-4 if t else 0, -34))


def _edge(x, y, t, child, answer, lit):
    middle, colour = ((x[t] + x[child]) / 2, (y[t] + y[child]) / 2), "ink" if lit else "muted"
    drawn = line([x[t], x[child]], [y[t], y[child]], colour=colour)
    return [drawn | {"width": 5} if lit else drawn, text(*middle, answer, colour=colour)]
