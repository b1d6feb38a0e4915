"""The engine that tabulates all trees at once: its drawing, and the sizes at which indices could overflow."""

import importlib

import numpy as np
import pytest
from random_trees import chain, random_forest, random_rows, tree_by_hand
from shap_by_leaves import tree_shap_by_leaves
from small_tables import close

from fi_teach.fast import tree_shap_lookup as lookup
from fi_teach.fast import tree_shap_tables as tables
from fi_teach.fast.forest_arrays import forest_arrays
from fi_teach.importance.tree_shap import (
    tree_shap,
    tree_shap_by_definition,
    tree_shap_interactions,
    tree_shap_interactions_by_definition,
)

engines = importlib.import_module("fi_teach.fast.tree_shap")


def drawn():
    """A tree that ends as the drawing does: x0, then x1, then t asks x2, and its left child l asks x0 again."""
    #                 0   1   2  3=t  4  5=l 6=c 7=a 8=b  9  10
    left = [1, -1, 3, 5, 9, 7, -1, -1, -1, -1, -1]
    right = [2, -1, 4, 6, 10, 8, -1, -1, -1, -1, -1]
    feature = [0, -2, 1, 2, 3, 0, -2, -2, -2, -2, -2]
    threshold = [-0.5, -2, 0.5, 0.5, 0.5, 0.5, -2, -2, -2, -2, -2]
    cover = [100, 20, 80, 60, 20, 40, 20, 15, 25, 5, 15]
    value = np.random.default_rng(0).normal(size=11)
    return tree_by_hand(left, right, feature, threshold, value, cover=cover, names=("x0", "x1", "x2", "x3"))


def subtrees_of_drawn():
    """The arrays of the drawn tree and the plan of its subtrees of four bits."""
    forest = forest_arrays([drawn()], drawn().value)
    return forest, tables.plan_of(forest, tables.subtrees_of(forest, 4))


@pytest.mark.parametrize("order", [1, 2])
def test_the_drawing_shows_the_sums_that_are_there(order):
    """A table at t is the sum of its children's, each read where t's index leads; x2's is T0 - T1 with x2 failed."""
    forest, plan = subtrees_of_drawn()
    assert plan.subtrees.tolist() == [1, 3, 4] and plan.n_bits[[3, 5, 6]].tolist() == [4, 4, 3]
    sets = tables.feature_sets(forest, plan, order)
    t, l, c = (sets.tables[0][plan.n_bits[node]][:, 0, plan.place[node]] for node in (3, 5, 6))
    close(t[:, 0b1001], l[:, 0b1101] + c[:, 0b010], 1e-15)
    which = sets.of(1, np.array([3]))
    assert sets.features[1][4][which].tolist() == [[2]]
    failed = l[1:, 0b1101] + c[1:, 0b110]
    close(sets.tables[1][4][:, 0, which[0], 0b1001], t[:-1, 0b1001] - failed, 1e-15)


def test_a_row_has_the_index_of_the_drawing():
    """Few rows, all trees at once, and many rows, node by node: fails x1, right at t, left at l is 9."""
    X, (forest, plan) = np.array([[0.0, 1.0, 1.0, 0.0]]), subtrees_of_drawn()
    few = dict(zip(plan.subtrees.tolist(), lookup.indices(forest, plan, X).tolist(), strict=True))
    many = {subtree: index.tolist() for subtree, index in lookup.indices_by_node(forest, plan, X)}
    assert few == many and few[3] == [0b1001]


@pytest.mark.parametrize("bits", [0, 3, 7, 11, 15])
@pytest.mark.parametrize("background", [None, random_rows(3, 7, 5)])
def test_subtrees_of_every_size_and_both_walks_are_the_definition(monkeypatch, bits, background):
    """Three trees whose features repeat, two outputs: values and interactions."""
    forest, X = random_forest(1, 5, depth=6, n_outputs=2), random_rows(2, 9, 5)
    values = tree_shap_by_definition(forest, X, background=background).values
    pairs = tree_shap_interactions_by_definition(forest, X, background=background)
    for module, name, size in ((lookup, "LEAST_BITS", bits), (lookup, "MOST_BITS", bits),
                               (engines, "FEW_COLUMNS", 2**16), (engines, "FEW_ROWS", 0)):
        monkeypatch.setattr(module, name, size)
    for few in (0, 500):
        monkeypatch.setattr(lookup, "ROWS_READ_TOGETHER", few)
        monkeypatch.setattr(lookup, "ROWS_WALKED_TOGETHER", few)
        close(tree_shap(forest, X, background=background).values, values, 1e-11)
        close(tree_shap_interactions(forest, X, background=background), pairs, 1e-11)


@pytest.mark.parametrize(("d", "times"), [(1, 1), (2, 1), (15, 1), (16, 1), (16, 2), (17, 1), (17, 2)])
def test_sixteen_features_fill_an_index_to_its_last_bit(d, times):
    """The longest path that a table takes: 2^16 columns, indices of 16 bits, however many levels; 17 features are left.

    Few rows walk to the same, with times of Gauss and Legendre for odd and even numbers of features.
    """
    tree, X = chain(d, n_splits=d * times), np.random.default_rng(0).normal(0.5, 1, size=(4, d))
    values, base = tree_shap_by_leaves(tree, X)
    close(tree_shap(tree, X).values, values[:, :, 0], 1e-10)
    total = np.zeros((d, 1, 4))
    mean, rest = lookup.add_by_tables(total, np.asfortranarray(X), [tree], [tree.value], None, 2**16, 0)
    if d <= 16:
        assert rest == []
        close(mean, base, 1e-11)
        close(total[:, 0].T, values[:, :, 0], 1e-11)
    else:
        assert rest == [0] and mean == 0 and not total.any()
