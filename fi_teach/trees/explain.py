"""A tree explains itself: as a function anyone can read and run, and by the nearest row it would have decided otherwise."""

import keyword
import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_teach.basics.nominal import NominalTree
from fi_teach.basics.tree import Tree, rows_for

DEEPEST = 90  # Python itself reads no more than 100 levels of indentation


# --- rules ------------------------------------------------------------------------------------------------------------

def rules(tree, *, name="decide"):
    """The tree as the text of a Python function of its features that returns what predict returns for one row.

    tree : Tree or NominalTree; name : the function's name -> str
    Each leaf says in a comment how many training rows it holds. Thresholds are written in full, so that the function and
    predict never differ; feature names that are no Python names get underscores.

    Raises ValueError for anything but one tree, and for one deeper than 90 levels, which Python could not read (nor could we).

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
    if not isinstance(tree, Tree | NominalTree):
        raise ValueError(f"{type(tree).__name__} came, expected one tree: of a model, pass from_model(model).trees[0].")
    arguments = _identifiers(tree.names)
    write = _nominal_lines if isinstance(tree, NominalTree) else _lines
    body = write(tree, 0, arguments, 1)
    if max(len(line) - len(line.lstrip()) for line in body) > 4 * DEEPEST:
        raise ValueError(f"the tree is more than {DEEPEST} levels deep, too deep for Python to read: grow it with a smaller max_depth.")
    return "\n".join([f"def {name}({', '.join(arguments)}):", *body]) + "\n"


def _identifiers(names):
    """Feature names as distinct Python names: 'serum K+' becomes serum_K_, 'class' becomes class_."""
    taken = []
    for name in names:
        word = re.sub(r"\W", "_", name) or "_"
        word = f"_{word}" if word[0].isdigit() else word
        while keyword.iskeyword(word) or word in taken:
            word += "_"
        taken.append(word)
    return taken


def _lines(tree, t, arguments, level):
    """The lines that decide about rows at node t and below."""
    indent = "    " * level
    if tree.is_leaf[t]:
        return [f"{indent}return {_answer(tree, t)!r}  # {_rows(tree, t)}"]
    return [f"{indent}if {_question(tree, t, arguments[tree.feature[t]])}:", *_lines(tree, tree.children_left[t], arguments, level + 1),
            f"{indent}else:", *_lines(tree, tree.children_right[t], arguments, level + 1)]


def _nominal_lines(tree, t, arguments, level):
    """The same for a tree of words: a branch for each child, and the node's majority for words it never met."""
    indent, keyword_ = "    " * level, "if"
    lines = []
    for child in tree.children(t):
        words = [word for word, c in tree.branches[t].items() if c == child]
        test = f"== {words[0]!r}" if len(words) == 1 else f"in {tuple(words)!r}"
        lines += [f"{indent}{keyword_} {arguments[tree.feature[t]]} {test}:", *_nominal_lines(tree, child, arguments, level + 1)]
        keyword_ = "elif"
    return [*lines, f"{indent}return {_answer(tree, t)!r}  # {_rows(tree, t) if not lines else 'any other word'}"]


def _answer(tree, t):
    """What the tree predicts at node t: a label, a number, or a list of numbers."""
    if tree.classes is not None:
        return tree.classes[int(tree.value[t].argmax())]
    numbers = tree.value[t].tolist()
    return numbers[0] if len(numbers) == 1 else numbers


def _rows(tree, t):
    n = int(tree.n_node_samples[t])
    return "1 row" if n == 1 else f"{n} rows"


def _question(tree, t, x):
    """The test that sends a row left, written so that NaN (every comparison with it is false) goes where the tree sends it."""
    nan_left = tree.missing_left is not None and bool(tree.missing_left[t])
    if t in tree.left_categories:
        known = tree.known_categories.get(int(tree.feature[t]))
        stranger = f"{x} != {x}" if known is None else f"{x} not in {tuple(np.asarray(known).tolist())}"
        return f"{x} in {tuple(np.asarray(tree.left_categories[t]).tolist())}" + (f" or {stranger}" if nan_left else "")
    test = f"not {x} > {float(tree.threshold[t])!r}" if nan_left else f"{x} <= {float(tree.threshold[t])!r}"
    if tree.zero_missing is None or not tree.zero_missing[t]:
        return test
    return f"abs({x}) <= 1e-35 or {test}" if nan_left else f"abs({x}) > 1e-35 and {test}"


# --- what if ----------------------------------------------------------------------------------------------------------

class WhatIf(NamedTuple):
    """A row that the tree decides otherwise: the row (p,), the new decision, {feature: (old, new)}, and how far it is."""

    row: np.ndarray
    prediction: object
    changes: dict
    distance: float

    def __str__(self):
        steps = [f"{name} {old:g} -> {'just above ' if new > old else 'at most '}{new:g}" for name, (old, new) in self.changes.items()]
        return f"{' and '.join(steps)}: {self.prediction}"


def what_if(tree, x, *, target=None, scale=None, frozen=()):
    """The nearest change of one row that flips the tree's decision: fewest features changed, then the smallest change.

    A leaf is a box: lower_j < x_j <= upper_j for every feature j. To enter it, each feature outside its interval moves to
    the interval's near end, and no further. Among the boxes of another class the cheapest wins:
    first by the number of features that move, then by sum_j |change_j| / scale_j.

    x : (p,), one row, or a Series with the features' names; target : the label wanted, or None for any other than now
    scale : (p,) what counts as one unit of each feature, None for the features' own units; pass X.std() to compare like with like
    frozen : names of features that may not change
    -> WhatIf; a feature that must exceed a threshold moves to the next number above it

    Raises ValueError for anything but one Tree, one that predicts numbers or splits on categories, an unknown name or
    label, scales that are not positive, and when no allowed change leads to the wanted decision.

    >>> from fi_teach.data import midterm
    >>> from fi_teach.trees.cart import grow_cart
    >>> X, y = midterm()
    >>> print(what_if(grow_cart(X, y), X.loc[7]))  # 100 minutes, attends, failed
    Time 100 -> at most 90: Pass
    """
    row, scale = _check_what_if(tree, x, target, scale, frozen)
    now = tree.predict(row[None, :])[0].item()
    labels = np.asarray(tree.classes)[tree.value.argmax(axis=1)]
    lower, upper = boxes(tree)
    nearest = np.where(row > upper, upper, np.where(row <= lower, np.nextafter(lower, np.inf), row))
    moved, stuck = nearest != row, [list(tree.names).index(name) for name in frozen]
    wanted = tree.is_leaf & (labels != now if target is None else labels == target)
    wanted &= (lower < upper).all(axis=1) & ~moved[:, stuck].any(axis=1)
    if not wanted.any():
        raise ValueError(f"no change of the allowed features leads from {now!r} to {'another label' if target is None else repr(target)}: "
                         "freeze fewer features, or ask for another target.")
    distance = (np.abs(nearest - row) / scale).sum(axis=1)
    best = min(np.flatnonzero(wanted), key=lambda t: (moved[t].sum(), distance[t]))
    changes = {tree.names[j]: (float(row[j]), float(nearest[best, j])) for j in np.flatnonzero(moved[best])}
    return WhatIf(nearest[best], labels[best].item(), changes, float(distance[best]))


def boxes(tree):
    """The box of rows that each node holds: lower_j < x_j <= upper_j -> (lower, upper), each (n_nodes, p).

    >>> from fi_teach.trees.cart import grow_cart
    >>> boxes(grow_cart([[1], [2]], ["no", "yes"]))[1].tolist()
    [[inf], [1.5], [inf]]
    """
    lower, upper = np.full((tree.n_nodes, tree.n_features), -np.inf), np.full((tree.n_nodes, tree.n_features), np.inf)
    for t in np.flatnonzero(~tree.is_leaf):
        left, right, j = tree.children_left[t], tree.children_right[t], tree.feature[t]
        lower[[left, right]], upper[[left, right]] = lower[t], upper[t]
        upper[left, j] = min(upper[t, j], tree.threshold[t])
        lower[right, j] = max(lower[t, j], tree.threshold[t])
    return lower, upper


def _check_what_if(tree, x, target, scale, frozen):
    """The row and the scale as arrays (p,). Raises ValueError."""
    if not isinstance(tree, Tree):
        raise ValueError(f"{type(tree).__name__} came, expected one Tree: of a model, pass from_model(model).trees[0].")
    if tree.classes is None:
        raise ValueError("this tree predicts numbers, and what_if looks for another decision: grow it on classes.")
    if tree.left_categories:
        raise ValueError("this tree splits on categories, which have no nearest value: what_if needs thresholds only.")
    row = rows_for(tree, x.to_frame().T.infer_objects() if isinstance(x, pd.Series) else np.atleast_2d(np.asarray(x)))
    if len(row) != 1 or np.isnan(row).any():
        raise ValueError(f"x has {len(row)} rows or holds NaN, expected one complete row of {tree.n_features} numbers.")
    unknown = [name for name in frozen if name not in tree.names]
    if unknown:
        raise ValueError(f"frozen names {unknown[0]!r}, but the features are {', '.join(tree.names)}.")
    if target is not None and target not in tree.classes:
        raise ValueError(f"target {target!r} is no label of this tree: expected one of {', '.join(map(repr, tree.classes))}.")
    scale = np.ones(tree.n_features) if scale is None else np.asarray(scale, dtype=float)
    if scale.shape != (tree.n_features,) or not (scale > 0).all():
        raise ValueError(f"scale has shape {scale.shape}, expected {tree.n_features} positive numbers, one a feature.")
    return row[0], scale
