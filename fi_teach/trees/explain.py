"""Explain a tree: as a Python function, and by the nearest row with another decision.

    rules     every path from the root, written as if and else
    what_if   a leaf is a box; of the boxes that decide otherwise, the one that is least far
"""

import keyword
import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.equality import same
from fi_teach.basics.nominal import NominalTree, check_one_tree
from fi_teach.basics.tables import as_floats
from fi_teach.basics.tree import ALMOST_ZERO, Tree, rows_for

DEEPEST = 30  # Python reads no more than 100 levels of indentation, in a browser 40
Branches = list[tuple[str, int]]  # of a node: the test, and the child where it leads


# --- rules ------------------------------------------------------------------------------------

def rules(tree: Tree | NominalTree, *, name: str = "decide") -> str:
    """Write the tree as a Python function of its features that returns what predict does.

    Each leaf says in a comment how many training rows it holds. Thresholds are written in full, so
    that the function and predict never differ; feature names that are no Python names get
    underscores. A tree of more than 30 levels, too deep to indent, is written node by node.

    tree : Tree or NominalTree; name : the function's name -> text

    Source: no paper; it is the tree written out.

    >>> from fi_teach.data import midterm
    >>> from fi_teach.trees.cart import grow_cart
    >>> print(rules(grow_cart(*midterm(), max_depth=1)))
    def decide(Time, Attends):
        if Attends <= 0.5:
            return 'Fail'  # 3 rows
        else:
            return 'Pass'  # 5 rows
    <BLANKLINE>
    """
    check_one_tree(tree)
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name is {name!r}, expected a name that a Python function can have.")
    arguments = _identifiers(tree.names)
    options = [_branches(tree, t, arguments) for t in range(tree.n_nodes)]
    body = _indented(tree, options) or _node_by_node(tree, options)
    head = f"def {name}({', '.join(arguments)}):"
    return "\n".join([head, *body, ""])


def _identifiers(names: tuple) -> list[str]:
    """Feature names as distinct Python names: 'serum K+' becomes serum_K_, 'class' class_."""
    words = {"node": ""}  # taken: see _node_by_node
    for name in names:
        word = re.sub(r"\W", "_", name) or "_"
        word = f"_{word}" if word[0].isdigit() else word
        while keyword.iskeyword(word) or word in words:
            word += "_"
        words[word] = name
    return list(words)[1:]


def _indented(tree: Tree | NominalTree, options: list) -> list[str]:
    """The function's lines, each question's answers indented below it; none for deep trees."""
    lines: list[str] = []
    to_write: list = [(0, 1)]  # nodes with their levels, and lines that come between them
    while to_write:
        following = to_write.pop()
        if isinstance(following, str):
            lines.append(following)
            continue
        t, level = following
        if level > DEEPEST + 1:
            return []
        indent = "    " * level
        if tree.is_leaf[t] or isinstance(tree, NominalTree):
            to_write.append(f"{indent}return {_answer(tree, t)}")
        for test, child in reversed(options[t]):
            is_first = child == options[t][0][1]
            word = "if " if is_first else "elif " if test else "else"
            to_write.append((child, level + 1))
            to_write.append(f"{indent}{word}{test}:")
    return lines


def _node_by_node(tree: Tree | NominalTree, options: list) -> list[str]:
    """The function's lines for a tree too deep to indent: a row goes from node to node."""
    lines = ["    node = 0"]
    for t in range(tree.n_nodes):
        for test, child in options[t]:
            condition = f"node == {t} and ({test})" if test else f"node == {t}"
            lines.append(f"    if {condition}: node = {child}")
        if tree.is_leaf[t] or isinstance(tree, NominalTree):
            lines.append(f"    if node == {t}: return {_answer(tree, t)}")
    return lines


def _answer(tree: Tree | NominalTree, t: int) -> str:
    """The prediction at node t (a label, a number or a list), and how many rows it holds."""
    n = int(tree.n_node_samples[t])
    who = "1 row" if n == 1 else f"{n} rows"
    if not tree.is_leaf[t]:
        who = "any other word"
    value = tree.value[t]
    said = value.tolist()
    if tree.classes is not None:
        said = tree.classes[int(value.argmax())]
    elif len(said) == 1:
        said = said[0]
    return f"{said!r}  # {who}"


def _branches(tree: Tree | NominalTree, t: int, arguments: list[str]) -> Branches:
    """The node's branches; the last of a Tree has no test."""
    if tree.is_leaf[t]:
        return []
    x = arguments[tree.feature[t]]
    if isinstance(tree, NominalTree):
        return [(f"{x} == {word!r}", child) for word, child in tree.branches[t].items()]
    write_test = _codes_test if t in tree.left_categories else _threshold_test
    return [
        (write_test(tree, t, x), int(tree.children_left[t])),
        ("", int(tree.children_right[t])),
    ]


def _threshold_test(tree: Tree, t: int, x: str) -> str:
    """The test that sends a row left, so that NaN (no comparison is true) goes where it should."""
    threshold = float(tree.threshold[t])
    nan_left = _nan_goes_left(tree, t)
    test = f"not {x} > {threshold!r}" if nan_left else f"{x} <= {threshold!r}"
    if tree.zero_missing is None or not tree.zero_missing[t]:
        return test
    if nan_left:
        return f"abs({x}) <= {ALMOST_ZERO} or {test}"
    return f"abs({x}) > {ALMOST_ZERO} and {test}"


def _codes_test(tree: Tree, t: int, x: str) -> str:
    """The same for a split on categories; unknown codes go where NaN goes."""
    test = f"{x} in {_as_tuple(tree.left_categories[t])}"
    if not _nan_goes_left(tree, t):
        return test
    known = tree.known_categories.get(int(tree.feature[t]))
    if known is None:
        return f"{test} or {x} != {x}"
    return f"{test} or {x} not in {_as_tuple(known)}"


def _as_tuple(codes: ArrayLike) -> str:
    return str(tuple(np.asarray(codes).tolist()))


def _nan_goes_left(tree: Tree, t: int) -> bool:
    return tree.missing_left is not None and bool(tree.missing_left[t])


# --- what if ----------------------------------------------------------------------------------

class WhatIf(NamedTuple):
    """A row that the tree decides otherwise: the row (p,), the new decision, {feature: (old, new)},
    and how far it is. Two are equal (==) if all their parts are.

    >>> print(WhatIf(np.array([90.0]), "Pass", {"Time": (100.0, 90.0)}, 10.0))
    Time 100 -> at most 90: Pass
    """

    row: NDArray
    prediction: object
    changes: dict
    distance: float

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and same(tuple(self), tuple(other))

    def __ne__(self, other: object) -> bool:  # a tuple's own would compare arrays
        return not self == other

    def __str__(self) -> str:
        steps = []
        for name, (old, new) in self.changes.items():
            bound = "just above" if new > old else "at most"
            steps.append(f"{name} {old:g} -> {bound} {new:g}")
        return f"{' and '.join(steps)}: {self.prediction}"


def what_if(
    tree: Tree,
    x: ArrayLike,
    *,
    target: object = None,
    scale: ArrayLike | None = None,
    frozen: tuple = (),
) -> WhatIf:
    """Find the nearest change of one row that changes the tree's decision.

    A leaf is a box: lower_j < x_j <= upper_j for every feature j. To enter it, each feature outside
    its interval moves to the interval's near end, and no further. Among the boxes of another class
    the cheapest wins: first by the number of features that move, then by
    sum over j of |change_j| / scale_j.

    x : (p,), one row, or a Series with the features' names
    target : the label wanted, or None for any other than now
    scale : (p,) what counts as one unit of each feature, None for the features' own units; pass
        X.std() to compare like with like
    frozen : names of features that may not change
    -> WhatIf; a feature that must exceed a threshold moves to the next number above it

    Raises ValueError for anything but one Tree, one that predicts numbers or splits on categories,
    an unknown name or label, scales that are not positive, and when no allowed change leads to the
    wanted decision.
    Source: no paper; every box of a tree is tried, so that the answer is exact.

    >>> from fi_teach.data import midterm
    >>> from fi_teach.trees.cart import grow_cart
    >>> X, y = midterm()
    >>> print(what_if(grow_cart(X, y), X.loc[7]))  # 100 minutes, attends, failed
    Time 100 -> at most 90: Pass
    """
    _check_decides(tree)
    _check_names(tree, target, frozen)
    row, scale = _one_row(tree, x), _check_scale(scale, tree.n_features)
    labels = np.asarray(tree.classes)[tree.value.argmax(axis=1)]
    now = labels[tree.leaf_of(row[None, :])[0]]

    nearest, is_open = _nearest_in_each_box(tree, row)
    moved = nearest != row
    may_not_move = [tree.names.index(name) for name in frozen]
    allowed = ~moved[:, may_not_move].any(axis=1)
    wanted = labels != now if target is None else labels == target
    wanted &= is_open & tree.is_leaf & allowed
    if not wanted.any():
        aim = "another label" if target is None else repr(target)
        raise ValueError(
            f"no change of the allowed features leads from {now.item()!r} to {aim}: "
            "freeze fewer features, or ask for another target.")
    n_moved = moved.sum(axis=1)
    distance = (np.abs(nearest - row) / scale).sum(axis=1)
    best = min(np.flatnonzero(wanted), key=lambda t: (n_moved[t], distance[t]))
    changed = nearest[best]
    return WhatIf(
        changed,
        labels[best].item(),
        {tree.names[j]: (float(row[j]), float(changed[j])) for j in np.flatnonzero(moved[best])},
        float(distance[best]),
    )


def _nearest_in_each_box(tree: Tree, row: NDArray) -> tuple[NDArray, NDArray]:
    """The point of each node's box that is nearest to the row, and whether the box holds any."""
    lower, upper = tree.boxes()
    just_inside = np.nextafter(lower, np.inf)
    nearest = np.clip(row, just_inside, upper)
    n_open = (lower < upper).sum(axis=1)
    return nearest, n_open == tree.n_features


def _check_decides(tree: Tree) -> None:
    """Refuse anything but a Tree of thresholds and classes."""
    if not isinstance(tree, Tree):
        raise ValueError(
            f"{type(tree).__name__} came, expected one Tree: "
            "of a model, pass from_model(model).trees[0].")
    if tree.classes is None:
        raise ValueError(
            "this tree predicts numbers, and what_if looks for another decision: "
            "grow it on classes.")
    if tree.left_categories:
        raise ValueError(
            "this tree splits on categories, which have no nearest value: "
            "what_if needs thresholds only.")


def _one_row(tree: Tree, x: ArrayLike) -> NDArray:
    """The row as an array (p,)."""
    if isinstance(x, pd.Series):
        x = x.to_frame().T.infer_objects()
    if not isinstance(x, pd.DataFrame):
        x = np.atleast_2d(x)
    rows = rows_for(tree, x)
    if len(rows) != 1 or np.isnan(rows).any():
        raise ValueError(
            f"x has {len(rows)} rows or holds NaN, "
            f"expected one complete row of {tree.n_features} numbers.")
    return rows[0]


def _check_names(tree: Tree, target: object, frozen: tuple) -> None:
    """Refuse a feature or a label that the tree does not have."""
    if isinstance(frozen, str) or not isinstance(frozen, Iterable):
        raise ValueError(f"frozen is {frozen!r}, expected a list of feature names, () for none.")
    unknown = [name for name in frozen if name not in tree.names]
    if unknown:
        raise ValueError(
            f"frozen names {unknown[0]!r}, but the features are {', '.join(tree.names)}.")
    labels = tree.classes or ()
    if target is not None and target not in labels:
        raise ValueError(
            f"target {target!r} is no label of this tree: "
            f"expected one of {', '.join(map(repr, labels))}.")


def _check_scale(scale: ArrayLike | None, p: int) -> NDArray:
    """The scale as an array of p positive numbers."""
    scale = np.ones(p) if scale is None else as_floats(scale, "scale")
    if scale.shape != (p,) or not (scale > 0).all():
        raise ValueError(
            f"scale has shape {scale.shape}, expected {p} positive numbers, one a feature.")
    return scale
