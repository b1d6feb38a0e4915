"""Random trees with everything that makes TreeSHAP go wrong:
repeated features, gaps, categories, zero weights, depth 0."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from fi_teach.basics.forest import Forest
from fi_teach.basics.tree import Tree

SHAPES = st.fixed_dictionaries({
    "depth": st.integers(0, 6), "n_outputs": st.integers(1, 3), "missing": st.booleans(),
    "categories": st.booleans(), "empty": st.sampled_from([0.0, 0.3])})


def tree_by_hand(left, right, feature, threshold, value, *, cover=None, names=("x0", "x1"), classes=None):
    """A tree of written-out nodes; value : a number a node, or a row of class shares."""
    n, value = len(left), np.array(value, dtype=float)
    return Tree(np.array(left), np.array(right), np.array(feature), np.array(threshold, dtype=float), np.zeros(n),
                np.ones(n, dtype=int), np.ones(n) if cover is None else np.array(cover, dtype=float),
                value.reshape(n, -1), names, classes, criterion="gini" if classes else "variance")


def random_tree(rng, p, *, depth=4, n_outputs=1, missing=False, categories=False, empty=0.0):
    """A tree of random shape and values; a share `empty` of its splits sends no training weight to one side."""
    nodes = []

    def grow(level, cover):
        t = len(nodes)
        nodes.append({"left": -1, "right": -1, "feature": -2, "threshold": -2.0, "cover": cover,
                      "value": rng.normal(size=n_outputs)})
        if level < depth and rng.random() < (0.9 if level else 0.97):
            share = rng.integers(0, 2) if rng.random() < empty else rng.uniform(0.05, 0.95)
            nodes[t] |= {"feature": rng.integers(p), "threshold": rng.integers(-2, 3) / 2}
            nodes[t]["left"] = grow(level + 1, cover * share)
            nodes[t]["right"] = grow(level + 1, cover * (1 - share))
        return t

    grow(0, 100.0)
    tree = tree_by_hand(*([node[key] for node in nodes] for key in ("left", "right", "feature", "threshold", "value")),
                        cover=[node["cover"] for node in nodes], names=tuple(f"x{j}" for j in range(p)))
    if missing:
        tree = replace(tree, missing_left=rng.random(len(nodes)) < 0.5)
    if categories:
        splits = np.flatnonzero(~tree.is_leaf)
        tree = replace(tree, left_categories={int(t): np.array([-1.0, 0.5]) for t in splits[::2]})
    return tree


def random_forest(seed, p, *, n_trees=3, n_outputs=1, **shape):
    rng = np.random.default_rng(seed)
    trees = tuple(random_tree(rng, p, n_outputs=n_outputs, **shape) for _ in range(n_trees))
    return Forest(trees, rng.normal(size=n_trees), rng.normal(size=n_outputs), trees[0].names)


def random_rows(seed, n, p, *, missing=False):
    """Rows on a coarse grid, so that thresholds are hit exactly."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, p)) / 2
    return np.where(rng.random((n, p)) < 0.15, np.nan, X) if missing else X


def chain(d, *, n_splits=None, rng=0):
    """A tree of n_splits splits one below the other, which test d distinct features in turn."""
    rng = np.random.default_rng(rng)
    order = [k % d for k in range(n_splits or d)]
    n = 2 * len(order) + 1
    inner = np.arange(0, n - 1, 2)
    left, right, feature = np.full(n, -1), np.full(n, -1), np.full(n, -2)
    left[inner], right[inner], feature[inner] = inner + 1, inner + 2, order
    threshold, cover = np.full(n, -2.0), np.full(n, 1.0)
    threshold[inner] = rng.uniform(-1, 1, len(inner))
    for t in inner:
        cover[[t + 1, t + 2]] = cover[t] * np.array([0.3, 0.7])
    return tree_by_hand(left, right, feature, threshold, rng.normal(size=n), cover=cover,
                        names=tuple(f"x{j}" for j in range(d)))
