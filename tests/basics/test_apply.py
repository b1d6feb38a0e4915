"""All rows through all trees at once: what one tree after the other says, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest

from fi_teach.basics import apply
from fi_teach.basics.apply import step_table
from fi_teach.trees import as_forest, grow_boosting, grow_cart, grow_forest


def raw_by_definition(forest, X):
    """The sum of the docstring, tree after tree, each row at its leaf."""
    total = np.tile(np.asarray(forest.base, dtype=float), (len(X), 1))
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        total += weight * tree.value[tree.leaf_of(X)]
    return total


def made_up(rng, n=200, p=5):
    X = rng.normal(size=(n, p)).round(1)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)


def open_ended(X, y):
    """Every second question sends every row left: its threshold is infinite, as the places of leaves have it."""
    plain = grow_forest(X, y, n_trees=3, rng=0)
    return replace(plain, trees=tuple(
        replace(tree, threshold=np.where(tree.depth % 2 == 0, np.inf, tree.threshold)) for tree in plain.trees))


MODELS = {
    "open ended": open_ended,
    "deep trees": lambda X, y: grow_forest(X, y, n_trees=30, rng=1),
    "three classes": lambda X, y: grow_forest(X, np.digitize(y, [-1, 1]), n_trees=20, rng=1),
    "stumps": lambda X, y: grow_forest(X, y, n_trees=20, max_depth=1, rng=1),
    "boosting": lambda X, y: grow_boosting(X, y, n_trees=20, max_depth=3),
    "one tree": lambda X, y: as_forest(grow_cart(X, y, criterion="variance")),
    "a lone leaf": lambda X, y: as_forest(grow_cart(X, y, criterion="variance", min_samples_leaf=200)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("pairs", "rows", "steps"),
                         [(apply.PAIRS, apply.ROWS, apply.STEPS), (7, 64, 1), (500, 16, 2), (1, 1, 5)])
def test_all_at_once_is_one_after_the_other(monkeypatch, name, pairs, rows, steps):
    """Whatever is walked at once: new rows, rows on thresholds, and far away."""
    rng = np.random.default_rng(3)
    forest = MODELS[name](*made_up(rng))
    new, _ = made_up(rng, n=60)
    new[:4, 0] = 1e308, -1e308, 1e300, 0
    for k, tree in enumerate(forest.trees[:5]):
        split = np.flatnonzero(~tree.is_leaf & np.isfinite(tree.threshold))
        new[10 + k, tree.feature[split]] = tree.threshold[split]
    monkeypatch.setattr(apply, "PAIRS", pairs)
    monkeypatch.setattr(apply, "ROWS", rows)
    monkeypatch.setattr(apply, "STEPS", steps)
    np.testing.assert_array_equal(forest.raw(new), raw_by_definition(forest, new))
    assert forest.raw(new[:1]).tolist() == raw_by_definition(forest, new)[:1].tolist()


def test_trees_that_know_gaps_go_their_own_way():
    """Such a forest has no table of places, and is asked tree by tree."""
    X, y = made_up(np.random.default_rng(0))
    plain = grow_forest(X, y, n_trees=3, rng=0)
    knowing = [replace(tree, missing_left=np.arange(tree.n_nodes) % 2 == 0) for tree in plain.trees]
    forest = replace(plain, trees=tuple(knowing))
    assert step_table(plain.trees) is not None and step_table(forest.trees) is None
    X[:50, 0] = np.nan
    np.testing.assert_array_equal(forest.raw(X), raw_by_definition(forest, X))
    np.testing.assert_array_equal(forest.raw(X[50:]), plain.raw(X[50:]))
