"""TreeSHAP against brute force, against itself by other routes, and against the libraries."""

import importlib
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_trees import SHAPES, chain, random_forest, random_rows
from shap_by_leaves import tree_shap_by_leaves
from small_tables import close

from fi_teach.basics import games
from fi_teach.importance import tree_explainer
from fi_teach.importance.tree_shap import (
    leaf_shapley,
    tree_shap,
    tree_shap_by_definition,
    tree_shap_interactions,
    tree_shap_interactions_by_definition,
)
from fi_teach.trees.cart import grow_cart

engines = importlib.import_module("fi_teach.fast.tree_shap")
lookup = importlib.import_module("fi_teach.fast.tree_shap_lookup")
pairs_walk = importlib.import_module("fi_teach.fast.tree_shap_pairs")
rows_walk = importlib.import_module("fi_teach.fast.tree_shap_walk")
leaves = importlib.import_module("fi_teach.fast.tree_shap_leaves")
prepared = importlib.import_module("fi_teach.fast.tree_explainer")

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def as_chosen(patch):
    """Few rows walk, many rows look up."""


def never_tables(patch):
    """Send every tree to the walks that are meant for long paths and few rows."""
    patch.setattr(lookup, "worth_tables", lambda forest, _: np.zeros(len(forest.roots), dtype=bool))
    patch.setattr(engines, "FEW_ROWS", 0)


def always_tables(patch):
    """Send every tree with up to 16 features on a path to the tables."""
    patch.setattr(engines, "FEW_COLUMNS", 2**16)
    patch.setattr(engines, "FEW_ROWS", 0)


# --- brute force ------------------------------------------------------------------------------------------------------

HARD = {"depth": 6, "n_outputs": 2, "missing": True, "categories": True, "empty": 0.3}
LONE = {"depth": 0, "n_outputs": 3, "missing": False, "categories": False, "empty": 0.0}


@given(st.integers(0, 10**6), st.integers(1, 6), SHAPES, st.booleans(), st.sampled_from([(5, 4), (1, 4), (5, 1)]),
       st.sampled_from([2, 5, 7]))
@settings(max_examples=60, deadline=None)
@example(7, 2, HARD, True, (5, 4), 2)
@example(7, 2, HARD, False, (1, 1), 5)
@example(8, 3, LONE, True, (5, 4), 7)
@example(8, 3, LONE, False, (1, 1), 7)
def test_every_engine_explains_random_forests_as_the_definition_does(seed, p, shape, interventional, sizes, bits):
    """Repeated features, weights, gaps, categories, several outputs, empty branches, depth 0, one row, one background
    row, and blocks of few bits in the prepared explainer; 1e-11."""
    forest = random_forest(seed, p, **shape)
    X, background = (random_rows(seed + k, n, p, missing=shape["missing"]) for k, n in zip((1, 2), sizes, strict=True))
    background = background if interventional else None
    slow = tree_shap_by_definition(forest, X, background=background)
    slow_pairs = tree_shap_interactions_by_definition(forest, X, background=background)
    found = []
    for choose in (as_chosen, never_tables, always_tables):
        with pytest.MonkeyPatch.context() as patch:
            choose(patch)
            found.append(tree_shap(forest, X, background=background))
            close(tree_shap_interactions(forest, X, background=background), slow_pairs, 1e-11)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepared, "LEAST_BITS", bits)
        found.append(tree_explainer(forest, background=background)(X))
    for fast in found:
        close(fast.values, slow.values, 1e-11)
        close(fast.base, slow.base)
        assert (fast.names, fast.unit, fast.method) == (slow.names, slow.unit, slow.method)


@given(st.integers(0, 10**6), st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_one_leaf_by_integral_is_one_game(seed, d):
    """leaf_shapley = games.shapley of v(S) = value * product over S of a_j * product over the rest of b_j."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, d), rng.random(d)
    S = games.coalitions(d)
    close(leaf_shapley(3.0, a, b), games.shapley(3.0 * np.where(S, a, b).prod(axis=1), d))


SMALL = {
    lookup: {"ROWS_AT_ONCE": 3, "NUMBERS_TOGETHER": 20, "NODES_TOGETHER": 20, "LEAST_BITS": 3, "INDICES_AT_ONCE": 100,
             "CELLS_AT_ONCE": 30},
    rows_walk: {"NUMBERS_AT_ONCE": 12, "MOST_ROWS": 3, "FEWEST_ROWS": 1},
    pairs_walk: {"PAIRS_AT_ONCE": 20, "NODES_AT_ONCE": 30, "FAILURES_AT_ONCE": 100},
}


@pytest.mark.parametrize("background", [None, random_rows(9, 7, 4)])
@pytest.mark.parametrize("choose", [never_tables, always_tables])
@pytest.mark.parametrize("few", [0, 500])
def test_chunks_of_rows_do_not_change_a_value(monkeypatch, background, choose, few):
    """Rows in chunks of 3, leaves in batches, pairs and nodes a few at a time: the same values and interactions."""
    forest, X = random_forest(8, 4, depth=4), random_rows(8, 20, 4)
    expected = tree_shap(forest, X, background=background).values
    pairs = tree_shap_interactions(forest, X, background=background)
    choose(monkeypatch)
    monkeypatch.setattr(lookup, "ROWS_READ_TOGETHER", few)
    monkeypatch.setattr(lookup, "ROWS_WALKED_TOGETHER", few)
    for module, sizes in SMALL.items():
        for name, size in sizes.items():
            monkeypatch.setattr(module, name, size)
    close(tree_shap(forest, X, background=background).values, expected)
    close(tree_shap_interactions(forest, X, background=background), pairs)


@pytest.mark.parametrize(("d", "times"), [(17, 1), (20, 2), (64, 1), (70, 1)])
@pytest.mark.parametrize("interventional", [False, True])
def test_long_paths_are_explained_exactly(d, times, interventional):
    """17, 20 (each tested twice), 64 (as many as an integer has bits) and 70 distinct features on one path:
    equal to the sum over leaves, 1e-10, and efficient."""
    tree, rng = chain(d, n_splits=d * times), np.random.default_rng(d)
    X, background = rng.normal(0.5, 1, size=(3, d)), rng.normal(0.5, 1, size=(2, d)) if interventional else None
    found = tree_shap(tree, X, background=background)
    close(found.values, tree_shap_by_leaves(tree, X, background=background)[0][:, :, 0], 1e-10)
    close(found.values.sum(axis=1) + found.base, tree.raw(X)[:, 0], 1e-10)
    pairs = tree_shap_interactions(tree, X[:1], background=background)
    close(pairs.sum(axis=2), found.values[:1], 1e-10)


@pytest.mark.parametrize("explain", [tree_shap, tree_shap_interactions])
def test_many_rows_do_not_walk_where_tables_are_small(monkeypatch, explain):
    """Up to FEW_ROWS walk, half as many for interactions; one more looks up."""
    forest, walked, original = random_forest(5, 4, depth=3, n_trees=3), [], engines.add_by_walk
    monkeypatch.setattr(engines, "add_by_walk",
                        lambda total, trees, *rest: walked.append(len(trees)) or original(total, trees, *rest))
    few = engines.FEW_ROWS if explain is tree_shap else engines.FEW_ROWS // 2
    for n in (1, few, few + 1):
        explain(forest, random_rows(1, n, 4))
    assert walked == [3, 3, 0]


# --- closed forms and claims ------------------------------------------------------------------------------------------

def gate(X, y):
    return grow_cart(X, y, criterion="variance")


def test_an_and_gate_has_the_values_of_the_ledger():
    """SHP-02: fair bits, 0.375 each at (1,1), -0.125 each at (0,0), 0.125 and -0.375 at (1,0); mean |phi| 0.25."""
    found = tree_shap(gate(BITS, [0.0, 0, 0, 1]), BITS)
    close(found.values, [[-0.125, -0.125], [-0.375, 0.125], [0.125, -0.375], [0.375, 0.375]])
    close(found.to_importance().mean, [0.25, 0.25])


@pytest.mark.parametrize("choose", [as_chosen, never_tables])
def test_a_copy_the_tree_never_reads_gets_exactly_nothing(monkeypatch, choose):
    """SHP-03, SHP-07: the tree reads x0 alone; its perfect copy x1 gets 0 in both modes, to the last bit."""
    choose(monkeypatch)
    x = np.arange(8.0)
    X = np.column_stack([x, x])
    tree = replace(gate(X[:, :1], x), names=("x0", "x1"))
    for background in (None, X):
        assert (tree_shap(tree, X, background=background).values[:, 1] == 0).all()
        assert (tree_shap_interactions(tree, X, background=background)[:, 1] == 0).all()


# --- costs ------------------------------------------------------------------------------------------------------------

def peak_of(work):
    """The most memory that Python and NumPy held at a time while it ran, in bytes, and what it returned."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result


@pytest.mark.parametrize(("choose", "n", "n_outputs", "depth", "m"), [
    (as_chosen, 200_000, 1, 8, 0), (as_chosen, 200_000, 3, 6, 0), (as_chosen, 200_000, 1, 6, 1000),
    pytest.param(never_tables, 20_000, 1, 6, 0, marks=pytest.mark.slow),
    pytest.param(never_tables, 2000, 1, 6, 1000, marks=pytest.mark.slow)])
def test_many_rows_take_the_memory_that_the_docstring_states(monkeypatch, choose, n, n_outputs, depth, m):
    """The result, a copy of X and of the background, 2 bytes a row for each level and 16 more, and 40 MB; where rows
    walk, by quadrature or in pairs, no more."""
    choose(monkeypatch)
    forest, X = random_forest(1, 10, n_trees=1, depth=depth, n_outputs=n_outputs), random_rows(2, n, 10)
    background = random_rows(3, m, 10) if m else None
    peak, found = peak_of(lambda: tree_shap(forest, X, background=background))
    assert peak < found.values.nbytes + X.nbytes + n * (2 * depth + 16) + 40e6
    close(found.values[-50:], tree_shap(forest, X[-50:], background=background).values)


def test_interactions_take_twice_their_result():
    """20 000 rows, 10 features: 16 MB of interactions, 2 times that at the peak, and what the values take."""
    forest, X = random_forest(1, 10, n_trees=1, depth=6), random_rows(2, 20_000, 10)
    peak, found = peak_of(lambda: tree_shap_interactions(forest, X))
    assert peak < 2 * found.nbytes + 3 * X.nbytes + 30e6


def test_what_cannot_be_enumerated_or_held_is_refused():
    """17 features have too many coalitions, 30,000 features too many interactions."""
    with pytest.raises(ValueError, match="use tree_shap"):
        tree_shap_by_definition(chain(17), np.zeros((1, 17)))
    wide = np.zeros((2, 30_000))
    wide[1] = 1
    with pytest.raises(ValueError, match="explain fewer rows at a time"):
        tree_shap_interactions(gate(wide, [0.0, 1.0]), wide)


@pytest.mark.slow
@pytest.mark.parametrize("background", [None, np.arange(5.0)[:, None]])
def test_a_tree_of_depth_5000_is_explained(background):
    """Labels that alternate along a line: one feature carries the whole prediction."""
    X, y = np.arange(5001.0)[:, None], np.arange(5001) % 2
    tree = grow_cart(X, y)
    phi = tree_shap(tree, X[:3], background=background)
    np.testing.assert_allclose(phi.values.sum(axis=1) + phi.base, tree.raw(X[:3]), atol=1e-9)
    assert tree_shap_interactions(tree, X[:2], background=background).shape[:3] == (2, 1, 1)
