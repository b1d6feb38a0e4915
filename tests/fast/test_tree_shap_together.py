"""The engine that tabulates all trees at once: its drawing, and the sizes at which indices could overflow."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "importance"))

from random_trees import chain, random_forest, random_rows

from fi_teach.basics.tree import Tree
from fi_teach.fast import tree_shap_together as together
from fi_teach.importance import tree_shap
from fi_teach.importance.tree_shap import tree_shap_by_definition, tree_shap_by_leaves


def drawn():
    """A tree that ends as the drawing does: x0, then x1, then t asks x2, and its left child l asks x0 again."""
    #                 0   1   2  3=t  4  5=l 6=c 7=a 8=b  9  10
    left = np.array([1, -1, 3, 5, 9, 7, -1, -1, -1, -1, -1])
    right = np.array([2, -1, 4, 6, 10, 8, -1, -1, -1, -1, -1])
    feature = np.array([0, -2, 1, 2, 3, 0, -2, -2, -2, -2, -2])
    threshold = np.where(feature >= 0, 0.5, -2.0)
    threshold[0] = -0.5
    cover = np.array([100, 20, 80, 60, 20, 40, 20, 15, 25, 5, 15.0])
    value = np.random.default_rng(0).normal(size=(11, 1))
    return Tree(left, right, feature, threshold, np.zeros(11), np.ones(11, int), cover, value, ("x0", "x1", "x2", "x3"), criterion="variance")


def test_the_drawing_shows_the_sums_that_are_there():
    """U and V at t are those of its children where these are seen from; x2's line is U - V with x2 failed."""
    tree = drawn()
    grove = together.grove_of([tree])
    plan = together.plan_of(grove, 4)
    assert np.flatnonzero(plan.is_block).tolist() == [1, 3, 4] and plan.n_bits[[3, 5, 6]].tolist() == [4, 4, 3]
    both = np.zeros((2, 1, plan.n_columns))
    both[:] = np.random.default_rng(1).normal(size=both.shape)
    inner = together.Lines(plan, 1)
    for group in plan.splits:
        together.merge(both, inner, grove, plan, group)
    t, l, c = plan.start[[3, 5, 6]]
    assert np.array_equal(both[:, 0, t + 0b1001], both[:, 0, l + 0b1101] + both[:, 0, c + 0b010])
    features, lines = inner.of(3)
    failed = both[1, 0, l + 0b1101] + both[1, 0, c + 0b110]
    assert features.tolist() == [2] and lines[0][0, 0b1001] == both[0, 0, t + 0b1001] - failed


def test_a_row_has_the_index_of_the_drawing():
    """Few rows, all trees at once, and many rows, node by node: fails x1, right at t, left at l is 9."""
    tree, X = drawn(), np.array([[0.0, 1.0, 1.0, 0.0]])
    grove = together.grove_of([tree])
    plan = together.plan_of(grove, 4)
    few = {block: index.tolist() for block, _, index in together.seen_at_blocks(grove, plan, [tree], X)}
    many = {block: index.tolist() for block, _, index in together.walked(grove, plan, tree, 0, X)}
    assert few == many and few[3] == [0b1001]


@pytest.mark.parametrize("bits", [0, 5, 9, 15])
@pytest.mark.parametrize("background", [None, random_rows(3, 7, 5)])
def test_blocks_of_every_size_and_both_walks_are_the_definition(monkeypatch, bits, background):
    """Three trees whose features repeat, two outputs, 1e-11."""
    forest, X = random_forest(1, 5, depth=6, n_outputs=2), random_rows(2, 9, 5)
    expected = tree_shap_by_definition(forest, X, background=background).values
    monkeypatch.setattr(together, "LEAST_BITS", bits)
    monkeypatch.setattr(together, "MOST_BITS", bits)
    monkeypatch.setattr(sys.modules["fi_teach.fast.tree_shap"], "FEW_COLUMNS", 2**16)
    monkeypatch.setattr(sys.modules["fi_teach.fast.tree_shap_few_rows"], "MOST_LEVELS", -1)
    for few in (0, 500):
        monkeypatch.setattr(together, "FEW_ROWS", few)
        found = tree_shap(forest, X, background=background).values
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_sixteen_players_fill_an_index_to_its_last_bit(monkeypatch):
    """The longest path that a table takes: 2^16 columns, indices of 16 bits."""
    tree, X = chain(16), np.random.default_rng(0).normal(0.5, 1, size=(4, 16))
    expected = tree_shap_by_leaves(tree, X).values
    total = np.zeros((16, 1, 4))
    together.add_together(total, np.asfortranarray(X), [tree], [tree.value])
    np.testing.assert_allclose(total[:, 0].T, expected, rtol=0, atol=1e-11)
