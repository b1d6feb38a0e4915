"""Draw a fitted tree as a panel: leaves side by side, each node centred above its children."""

from fi_course.explorables.marks import axis, box, line, panel, text

CLASS_COLOURS = ("c1", "c0", "c2", "c3", "c5", "c4", "c6", "c7")


def tree_panel(tree, *, title="", notes=None, level=76, leaf_width=44, hues=None, answers=None,
               to=None):
    """Return the panel of a Tree; a node shows its question and rows, a leaf its prediction.

    tree : fi_teach.trees.Tree. notes : {node: words} to write above a node
        (a tie, the row followed).
    level : pixels from one level to the next; leaf_width : pixels that each leaf needs.
    hues : {feature: colour of the nodes that ask about it}.
    answers : {feature: names of its left and right branch}.
    to : a node; the way from the root to it is drawn strong, and its box as well.

    >>> from fi_teach.trees import grow_cart
    >>> scene = tree_panel(grow_cart([[1], [2]], ["no", "yes"]))
    >>> [mark["lines"] for mark in scene["marks"] if mark["kind"] == "box"]
    [['x0', '≤ 1.5', '1 no, 1 yes'], ['no', '1'], ['yes', '1']]
    """
    x, y = tree.place, -tree.depth
    hues, answers, way = hues or {}, answers or {}, _way(tree, to)
    edges = []
    for t, *children in tree.splits:
        said = answers.get(tree.names[tree.feature[t]], ("yes", "no"))
        for child, answer in zip(children, said, strict=True):
            edges.append(_edge(x, y, t, child, answer, lit=child in way))
    boxes = []
    for t in range(tree.n_nodes):
        colour = _colour(tree, t, hues, t == to)
        lines = _lines(tree, t, answers)
        boxes.append(box(x[t], y[t], lines, colour=colour, rounded=bool(tree.is_leaf[t])))
    words = [_note(tree, x, y, t, note) for t, note in (notes or {}).items()]
    n_leaves = int(tree.is_leaf.sum())
    return panel(edges, boxes, words, x=axis(-0.5, n_leaves - 0.5, ticks=()),
                 y=axis(-tree.depth.max() - 0.4, 0.5, ticks=()), title=title,
                 height=int(level * (tree.depth.max() + 1)) + 20,
                 min_width=max(220, leaf_width * n_leaves))


def _way(tree, to):
    """Return the nodes from below the root to this one; no nodes for None."""
    parent = {child: t for t, *children in tree.splits for child in children}
    way = []
    while to in parent:
        way.append(to)
        to = parent[to]
    return way


def questions(tree):
    """Return the question of each split by its way from the root: "", or "ny" below no, then yes.

    >>> from fi_teach.trees import grow_cart
    >>> questions(grow_cart([[1], [2], [3]], ["no", "yes", "no"]))
    {'': 'x0 ≤ 1.5', 'n': 'x0 ≤ 2.5'}
    """
    place = {0: ""}
    for t, left, right in tree.splits:
        place[left], place[right] = place[t] + "y", place[t] + "n"
    return {place[t]: " ".join(question(tree, t)) for t, _, _ in tree.splits}


def question(tree, t):
    """Return the question of node t: the feature, and the values that answer yes.

    >>> from fi_teach.trees import grow_cart
    >>> question(grow_cart([[1], [2]], ["no", "yes"]), 0)
    ('x0', '≤ 1.5')
    """
    name = tree.names[tree.feature[t]]
    if t in tree.left_categories:
        return name, "in " + ", ".join(f"{code:g}" for code in tree.left_categories[t])
    return name, f"≤ {tree.threshold[t]:.4g}"


def _lines(tree, t, answers):
    """Return a leaf's prediction and rows ("1 of 2" if they disagree).

    A node: its question and the rows of each class.
    """
    rows = tree.weighted_n_node_samples[t]
    if tree.classes is None:
        value = f"{tree.value[t, 0]:.4g}"
        content = [value, f"{rows:g}", "rows"] if tree.is_leaf[t] else [f"{rows:g} rows"]
    elif tree.is_leaf[t]:
        share = tree.value[t].max()
        content = [str(tree.classes[tree.value[t].argmax()]),
                   f"{rows:g}" if share == 1 else f"{rows * share:g} of {rows:g}"]
    else:
        content = [", ".join(f"{rows * share:g} {label}"
                             for label, share in zip(tree.classes, tree.value[t], strict=True))]
    if tree.is_leaf[t]:
        return content
    name = tree.names[tree.feature[t]]
    asked = [f"{name}?"] if name in answers else question(tree, t)
    return [*asked, content[-1]]


def _colour(tree, t, hues, here):
    if here:
        return "ink"
    if not tree.is_leaf[t] and tree.names[tree.feature[t]] in hues:
        return hues[tree.names[tree.feature[t]]]
    if tree.classes is None:
        return "muted"
    # by label, so that trees agree on colours
    rank = sorted(tree.classes).index(tree.classes[tree.value[t].argmax()])
    return CLASS_COLOURS[rank % len(CLASS_COLOURS)]


def _note(tree, x, y, t, words):
    """Return text above a node, on the side that the edge from its parent leaves free."""
    if t in tree.children_right:
        return text(x[t], y[t], words, colour="c3", anchor="start", shift=(4, -34))
    return text(x[t], y[t], words, colour="c3", anchor="end" if t else "middle",
                shift=(-4 if t else 0, -34))


def _edge(x, y, t, child, answer, lit):
    middle = (x[t] + x[child]) / 2, (y[t] + y[child]) / 2
    colour = "ink" if lit else "muted"
    way = line([x[t], x[child]], [y[t], y[child]], colour=colour, width=4 if lit else 2)
    return [way, text(*middle, answer, colour=colour)]
