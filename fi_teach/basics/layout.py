"""Where the nodes of a drawn tree stand: leaves side by side, a parent above its children."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.tree import Tree


def places_of(tree: Tree) -> NDArray:
    """Where each node stands from left to right, leaves at 0, 1, 2, ... -> (n_nodes,).

    >>> from fi_teach.trees.cart import grow_cart
    >>> places_of(grow_cart([[1], [2], [3]], ["a", "b", "a"])).tolist()
    [0.75, 0.0, 1.5, 1.0, 2.0]
    """
    place = np.zeros(tree.n_nodes)
    for k, leaf in enumerate(leaves_from_the_left(tree)):
        place[leaf] = k
    for t in np.flatnonzero(~tree.is_leaf)[::-1]:  # children are stored after their parents
        left = place[tree.children_left[t]]
        right = place[tree.children_right[t]]
        place[t] = (left + right) / 2
    return place


def leaves_from_the_left(tree: Tree) -> Iterator[int]:
    """The leaves in the order in which they stand."""
    waiting = [0]
    while waiting:
        t = waiting.pop()
        if tree.is_leaf[t]:
            yield t
        else:
            waiting.append(tree.children_right[t])
            waiting.append(tree.children_left[t])  # taken up first
