"""TreeSHAP against brute force, against itself by other routes, and against the libraries;
differences above 1e-10 fail."""

import importlib
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fi_teach.basics import games
from fi_teach.basics.convert import as_forest
from fi_teach.basics.forest import Forest
from fi_teach.basics.tree import Tree
from fi_teach.importance.tree_shap import (
    leaf_shapley,
    row_passes,
    tree_shap,
    tree_shap_by_definition,
    tree_shap_by_recursion,
    tree_shap_interactions,
    tree_shap_interactions_by_definition,
)
from fi_teach.trees.cart import grow_cart

sys.path.insert(0, str(Path(__file__).parent))
from random_trees import chain, random_forest, random_rows
from shap_by_leaves import tree_shap_by_leaves

engines = importlib.import_module("fi_teach.fast.tree_shap")
lookup = importlib.import_module("fi_teach.fast.tree_shap_lookup")
pairs_walk = importlib.import_module("fi_teach.fast.tree_shap_pairs")
rows_walk = importlib.import_module("fi_teach.fast.tree_shap_walk")
leaves = importlib.import_module("fi_teach.fast.tree_shap_leaves")

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def never_tables(monkeypatch):
    """Send every tree to the walks that are meant for long paths and few rows."""
    monkeypatch.setattr(lookup, "worth_tables", lambda forest, _: np.zeros(len(forest.roots), dtype=bool))
    monkeypatch.setattr(engines, "FEW_ROWS", 0)


def always_tables(monkeypatch):
    """Send every tree with up to 16 features on a path to the tables."""
    monkeypatch.setattr(engines, "FEW_COLUMNS", 2**16)
    monkeypatch.setattr(engines, "FEW_ROWS", 0)


def close(one, other, tolerance=1e-12):
    np.testing.assert_allclose(one, other, rtol=0, atol=tolerance)


# --- brute force ------------------------------------------------------------------------------------------------------

shapes = st.fixed_dictionaries({
    "depth": st.integers(0, 5), "n_outputs": st.integers(1, 3), "missing": st.booleans(), "categories": st.booleans(),
    "empty": st.sampled_from([0.0, 0.3])})


@given(st.integers(0, 10**6), st.integers(1, 5), shapes, st.booleans(), st.booleans(),
       st.sampled_from([(6, 4), (1, 4), (6, 1), (1, 1)]))
@settings(max_examples=60, deadline=None)
@example(7, 2, {"depth": 5, "n_outputs": 2, "missing": True, "categories": True, "empty": 0.3}, True, True, (6, 4))
@example(7, 2, {"depth": 5, "n_outputs": 2, "missing": True, "categories": True, "empty": 0.3}, True, False, (1, 1))
@example(8, 3, {"depth": 0, "n_outputs": 3, "missing": False, "categories": False, "empty": 0.0}, False, True, (1, 4))
def test_random_forests_are_explained_as_by_definition(seed, p, shape, interventional, walks, sizes):
    """Repeated features, weights, gaps, categories, several outputs, empty branches, depth 0, one row,
    one background row; 1e-11."""
    forest = random_forest(seed, p, **shape)
    X, background = (random_rows(seed + k, n, p, missing=shape["missing"]) for k, n in zip((1, 2), sizes, strict=True))
    background = background if interventional else None
    with pytest.MonkeyPatch.context() as patch:
        (never_tables if walks else always_tables)(patch)
        fast = tree_shap(forest, X, background=background)
        pairs = tree_shap_interactions(forest, X, background=background)
    slow = tree_shap_by_definition(forest, X, background=background)
    close(fast.values, slow.values, 1e-11)
    close(fast.base, slow.base)
    close(pairs, tree_shap_interactions_by_definition(forest, X, background=background), 1e-11)


@pytest.mark.parametrize("background", [None, random_rows(9, 5, 4)])
def test_the_sum_over_leaves_is_the_definition(background):
    """Owen's integral leaf by leaf = Shapley's formula over all coalitions, 1e-12."""
    forest, X = random_forest(3, 4, n_outputs=2, depth=4), random_rows(4, 5, 4)
    values, base = tree_shap_by_leaves(forest, X, background=background)
    slow = tree_shap_by_definition(forest, X, background=background)
    close(values, slow.values)
    close(base, slow.base)


def test_the_sum_over_leaves_calls_no_engine(monkeypatch):
    """It is what the engines are compared with where the definition has too many coalitions."""
    def refuse(*_, **__):
        raise AssertionError("an engine was called")

    monkeypatch.setattr(sys.modules["fi_teach.importance.tree_shap"], "sum_over_trees", refuse)
    tree, X = chain(3), np.zeros((2, 3))
    tree_shap_by_leaves(tree, X, background=X)
    with pytest.raises(AssertionError, match="an engine was called"):
        tree_shap(tree, X)


@pytest.mark.parametrize("seed", range(6))
def test_the_published_recursion_is_the_definition(seed):
    """EXTEND and UNWIND, with repeated features and gaps, 1e-10."""
    forest, X = random_forest(seed, 3, depth=5, missing=True), random_rows(seed, 6, 3, missing=True)
    close(tree_shap_by_recursion(forest, X).values, tree_shap_by_definition(forest, X).values, 1e-10)


@given(st.integers(0, 10**6), st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_one_leaf_by_integral_is_one_game(seed, d):
    """leaf_shapley = games.shapley of v(S) = value * product over S of a_j * product over the rest of b_j."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, d), rng.random(d)
    S = games.coalitions(d)
    close(leaf_shapley(3.0, a, b), games.shapley(3.0 * np.where(S, a, b).prod(axis=1), d))


def test_blocks_of_any_size_say_the_same(monkeypatch):
    """A block's index may hold one leaf or the whole tree."""
    always_tables(monkeypatch)
    forest, X = random_forest(5, 6, depth=6, n_trees=2), random_rows(6, 50, 6)
    expected = tree_shap_by_definition(forest, X).values
    for bits in (0, 3, 7, 11, 16):
        monkeypatch.setattr(lookup, "LEAST_BITS", bits)
        monkeypatch.setattr(lookup, "MOST_BITS", max(bits, 1))
        close(tree_shap(forest, X).values, expected, 1e-11)
        close(tree_shap_interactions(forest, X).sum(axis=2), expected, 1e-11)


@pytest.mark.parametrize("background", [None, random_rows(9, 7, 4)])
@pytest.mark.parametrize("walks", [False, True])
@pytest.mark.parametrize("few", [0, 500])
def test_chunks_of_rows_do_not_change_a_value(monkeypatch, background, walks, few):
    """Rows in chunks of 3, leaves in batches, pairs and nodes a few at a time: the same values and interactions."""
    forest, X = random_forest(8, 4, depth=4), random_rows(8, 20, 4)
    expected, pairs = tree_shap(forest, X,
                                background=background).values, tree_shap_interactions(forest, X, background=background)
    (never_tables if walks else always_tables)(monkeypatch)
    for module, name, size in (
            (lookup, "ROWS_AT_ONCE", 3), (lookup, "NUMBERS_TOGETHER", 20), (lookup, "NODES_TOGETHER", 20),
            (lookup, "LEAST_BITS", 3),
            (lookup, "INDICES_AT_ONCE", 100), (lookup, "CELLS_AT_ONCE", 30), (lookup, "ROWS_READ_TOGETHER", few),
            (lookup, "ROWS_WALKED_TOGETHER", few),
            (rows_walk, "NUMBERS_AT_ONCE", 12), (rows_walk, "MOST_ROWS", 3), (rows_walk, "FEWEST_ROWS", 1),
            (pairs_walk, "PAIRS_AT_ONCE", 20), (pairs_walk, "NODES_AT_ONCE", 30),
            (pairs_walk, "FAILURES_AT_ONCE", 100)):
        monkeypatch.setattr(module, name, size)
    close(tree_shap(forest, X, background=background).values, expected)
    close(tree_shap_interactions(forest, X, background=background), pairs)


@pytest.mark.parametrize(("d", "times"), [(17, 1), (20, 2), (64, 1), (70, 1)])
@pytest.mark.parametrize("interventional", [False, True])
def test_long_paths_are_explained_exactly(d, times, interventional):
    """17, 20 (each tested twice), 64 (as many as an integer has bits) and 70 distinct features on one path:
    equal to the sum over leaves, 1e-10, and efficient."""
    tree = chain(d, n_splits=d * times)
    rng = np.random.default_rng(d)
    X, background = rng.normal(0.5, 1, size=(3, d)), rng.normal(0.5, 1, size=(2, d)) if interventional else None
    found = tree_shap(tree, X, background=background)
    close(found.values, tree_shap_by_leaves(tree, X, background=background)[0][:, :, 0], 1e-10)
    close(found.values.sum(axis=1) + found.base, tree.raw(X)[:, 0], 1e-10)
    pairs = tree_shap_interactions(tree, X[:1], background=background)
    close(pairs.sum(axis=2), found.values[:1], 1e-10)


def test_tables_and_walks_agree_on_paths_between(monkeypatch):
    """12 features on a path: by tables and by walks, both games, values and interactions."""
    tree, rng = chain(12), np.random.default_rng(0)
    X, background = rng.normal(0.5, 1, size=(5, 12)), rng.normal(0.5, 1, size=(4, 12))
    walked = [tree_shap(tree, X, background=b).values for b in (None, background)]
    walked += [tree_shap_interactions(tree, X, background=b) for b in (None, background)]
    always_tables(monkeypatch)
    tabled = [tree_shap(tree, X, background=b).values for b in (None, background)]
    tabled += [tree_shap_interactions(tree, X, background=b) for b in (None, background)]
    for one, other in zip(walked, tabled, strict=True):
        close(one, other, 1e-11)


# --- closed forms and claims ------------------------------------------------------------------------------------------

def gate(X, y, weight=None):
    return grow_cart(X, y, criterion="variance", sample_weight=weight)


def test_an_and_gate_has_the_values_of_the_ledger():
    """SHP-02: fair bits, .375 each at (1,1), -.125 each at (0,0), .125 and -.375 at (1,0); mean |phi| .25 each."""
    found = tree_shap(gate(BITS, [0.0, 0, 0, 1]), BITS)
    close(found.values, [[-0.125, -0.125], [-0.375, 0.125], [0.125, -0.375], [0.375, 0.375]])
    close(found.to_importance().mean, [0.25, 0.25])


def test_correlated_inputs_break_the_symmetry_of_the_path_dependent_game_only():
    """SHP-02: cells .45 .05 .05 .45 give .35 to the first split and .17 to the second; interventional .25 each."""
    cells = np.repeat(BITS, [9, 1, 1, 9], axis=0)
    tree = gate(cells, cells.prod(axis=1))
    first = int(tree.feature[0])
    close(tree_shap(tree, cells).to_importance().mean[[first, 1 - first]], [0.3515, 0.1715], 5e-3)
    close(tree_shap(tree, cells, background=cells).to_importance().mean, [0.25, 0.25])


@pytest.mark.parametrize("walks", [False, True])
def test_a_copy_the_tree_never_reads_gets_exactly_nothing(monkeypatch, walks):
    """SHP-03, SHP-07: the tree reads x0 alone; its perfect copy x1 gets 0 in both modes, by tables and walks,
    to the last bit."""
    if walks:
        never_tables(monkeypatch)
    x = np.arange(8.0)
    X = np.column_stack([x, x])
    tree = grow_cart(X[:, :1], x, criterion="variance")
    tree = replace(tree, names=("x0", "x1"))
    for background in (None, X):
        assert (tree_shap(tree, X, background=background).values[:, 1] == 0).all()
        assert (tree_shap_interactions(tree, X, background=background)[:, 1] == 0).all()


def test_a_lone_leaf_explains_nothing():
    """Depth 0: values 0, base the leaf's value, interactions 0."""
    tree = grow_cart(BITS, [1.0, 2.0, 3.0, 6.0], criterion="variance", min_samples_leaf=3)
    for background in (None, BITS[:1]):
        found = tree_shap(tree, BITS, background=background)
        assert (found.values == 0).all() and found.base == 3
        assert (tree_shap_interactions(tree, BITS, background=background) == 0).all()


def test_one_row_against_itself_differs_by_nothing():
    """A single background row equal to the row explained: values 0, base the prediction."""
    tree = gate(BITS, [0.0, 1, 1, 0])
    found = tree_shap(tree, BITS[1:2], background=BITS[1:2])
    close(found.values, [[0, 0]])
    assert found.base == 1


def test_a_large_background_costs_no_more_operations():
    """Interventional by tables walks the background once a tree, so 10 and 1000 rows give the same number
    of table builds."""
    forest, X = random_forest(1, 4, depth=3, n_trees=2), random_rows(1, 30, 4)
    calls, original = [], leaves.superset_sums
    leaves.superset_sums = lambda weighted: calls.append(weighted.size) or original(weighted)
    try:
        for m in (10, 1000):
            tree_shap(forest, X, background=random_rows(m, m, 4))
    finally:
        leaves.superset_sums = original
    assert len(calls) % 2 == 0 and calls[:len(calls) // 2] == calls[len(calls) // 2:]


def peak_of(work):
    """The most memory that Python and NumPy held at a time while it ran, in bytes, and what it returned."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result


@pytest.mark.parametrize(("n_outputs", "depth", "m"), [(1, 8, 0), (3, 6, 0), (1, 6, 1000)])
def test_many_rows_take_the_memory_that_the_docstring_states(n_outputs, depth, m):
    """200 000 rows: the result, a copy of X and of the background, 2 bytes a row for each level and 16 more,
    and 40 MB."""
    n, p = 200_000, 10
    forest, X = random_forest(1, p, n_trees=1, depth=depth, n_outputs=n_outputs), random_rows(2, n, p)
    peak, found = peak_of(lambda: tree_shap(forest, X, background=random_rows(3, m, p) if m else None))
    assert peak < found.values.nbytes + X.nbytes + n * (2 * depth + 16) + 40e6
    close(found.values[-50:], tree_shap(forest, X[-50:], background=random_rows(3, m, p) if m else None).values)


@pytest.mark.slow
def test_walks_take_no_more_memory_than_stated(monkeypatch):
    """20 000 rows by quadrature, 2000 against 1000 background rows by pairs: what tables may take is enough."""
    never_tables(monkeypatch)
    forest = random_forest(1, 10, n_trees=1, depth=6)
    for n, background in ((20_000, None), (2000, random_rows(3, 1000, 10))):
        X = random_rows(2, n, 10)
        peak, found = peak_of(lambda X=X, background=background: tree_shap(forest, X, background=background))
        assert peak < found.values.nbytes + X.nbytes + n * (2 * 6 + 16) + 40e6


def test_interactions_take_twice_their_result():
    """20 000 rows, 10 features: 16 MB of interactions, 2 times that at the peak, and what the values take."""
    forest, X = random_forest(1, 10, n_trees=1, depth=6), random_rows(2, 20_000, 10)
    peak, found = peak_of(lambda: tree_shap_interactions(forest, X))
    assert peak < 2 * found.nbytes + 3 * X.nbytes + 30e6


# --- axioms -----------------------------------------------------------------------------------------------------------

@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=20, deadline=None)
def test_values_and_base_sum_to_the_raw_score(seed, interventional):
    """Efficiency."""
    forest, X = random_forest(seed, 5, n_outputs=2, depth=5), random_rows(seed, 10, 5)
    found = tree_shap(forest, X, background=random_rows(seed + 1, 8, 5) if interventional else None)
    close(found.values.sum(axis=1) + found.base, forest.raw(X), 1e-11)


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_two_forests_together_are_explained_by_the_sum(seed):
    """Additivity."""
    one, two = random_forest(seed, 4), random_forest(seed + 1, 4)
    X = random_rows(seed, 10, 4)
    both = Forest(one.trees + two.trees, np.concatenate([one.weights, two.weights]), one.base + two.base, one.names)
    close(tree_shap(both, X).values, tree_shap(one, X).values + tree_shap(two, X).values)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=20, deadline=None)
def test_renumbered_features_get_renumbered_values(seed, interventional):
    """Symmetry: the order of the columns does not matter."""
    forest, X, order = random_forest(seed, 4), random_rows(seed, 10, 4), [2, 0, 3, 1]
    place = np.append(np.argsort(order), [0, -2])  # feature -2 stays -2
    turned = replace(forest, trees=tuple(replace(tree, feature=place[tree.feature]) for tree in forest.trees))
    background = random_rows(seed + 1, 5, 4) if interventional else None
    there = tree_shap(turned, X[:, order], background=None if background is None else background[:, order]).values
    close(there, tree_shap(forest, X, background=background).values[:, order])


def test_monotone_changes_of_scale_change_nothing():
    """exp of a column and of its thresholds: the same values."""
    forest, X = random_forest(2, 3), random_rows(2, 20, 3)
    grown = replace(forest, trees=tuple(replace(tree, threshold=np.exp(tree.threshold)) for tree in forest.trees))
    close(tree_shap(grown, np.exp(X), background=np.exp(X[:5])).values, tree_shap(forest, X, background=X[:5]).values)


def test_inputs_are_left_alone():
    """X, background and the tree keep their values."""
    forest, X, background = random_forest(4, 3), random_rows(4, 9, 3), random_rows(5, 6, 3)
    kept = X.copy(), background.copy(), [tree.value.copy() for tree in forest.trees]
    tree_shap_interactions(forest, X, background=background)
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(background, kept[1])
    for tree, value in zip(forest.trees, kept[2], strict=True):
        np.testing.assert_array_equal(tree.value, value)


# --- the libraries ----------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)).astype(np.float32).astype(float)
    y = X[:, 0] * X[:, 1] + X[:, 2] + np.sin(3 * X[:, 3]) + 0.3 * rng.normal(size=300)
    return X, y


def fitted(kind, table):
    ensemble = pytest.importorskip("sklearn.ensemble")
    X, y = table
    models = {"boosting": ensemble.GradientBoostingRegressor(n_estimators=20, max_depth=4, random_state=0),
              "forest": ensemble.RandomForestRegressor(10, random_state=0),
              "classifier": ensemble.RandomForestClassifier(10, max_depth=5, random_state=0),
              "margin": ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0)}
    return models[kind].fit(X, y if kind in ("boosting", "forest") else y > 0)


@pytest.mark.parametrize("kind", ["boosting", "forest", "classifier", "margin"])
def test_the_path_dependent_game_agrees_with_shap(kind, table):
    """Tolerance 1e-10, base included; boosting with its margin, a forest with its class probabilities."""
    shap = pytest.importorskip("shap")
    model = fitted(kind, table)
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    ours = tree_shap(model, table[0][:50])
    close(ours.values, explainer.shap_values(table[0][:50], check_additivity=False), 1e-10)
    close(ours.base, np.squeeze(explainer.expected_value), 1e-10)


@pytest.mark.parametrize("kind", ["boosting", "forest", "classifier", "margin"])
def test_the_interventional_game_agrees_with_shap(kind, table):
    """Tolerance 1e-6: shap itself is off by about 6e-8."""
    shap = pytest.importorskip("shap")
    model, background = fitted(kind, table), table[0][100:140]
    masker = shap.maskers.Independent(background, max_samples=len(background))
    explainer = shap.TreeExplainer(model, masker, feature_perturbation="interventional")
    theirs = explainer.shap_values(table[0][:20], check_additivity=False)
    close(tree_shap(model, table[0][:20], background=background).values, theirs, 1e-6)


@pytest.mark.parametrize("kind", ["boosting", "classifier"])
def test_interactions_agree_with_shap(kind, table):
    """Path-dependent, tolerance 1e-10."""
    shap = pytest.importorskip("shap")
    model = fitted(kind, table)
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    close(tree_shap_interactions(model, table[0][:15]), explainer.shap_interaction_values(table[0][:15]), 1e-10)


def test_both_games_agree_with_woodelf(table):
    """woodelf's path-dependent and background values, tolerance 1e-6."""
    woodelf = pytest.importorskip("woodelf")
    model, names = fitted("boosting", table), [f"x{j}" for j in range(6)]
    X, background = pd.DataFrame(table[0][:30], columns=names), pd.DataFrame(table[0][100:150], columns=names)
    for given_rows in (None, background):
        theirs = woodelf.WoodelfExplainer(model, given_rows).shap_values(X)
        close(tree_shap(model, X, background=given_rows).values, np.asarray(theirs), 1e-6)


def test_xgboost_agrees_in_single_precision(table):
    """pred_contribs and pred_interactions, with gaps, tolerance 1e-4 (float32 sums over 30 trees)."""
    xgboost = pytest.importorskip("xgboost")
    X = np.where(np.random.default_rng(1).random(table[0].shape) < 0.1, np.nan, table[0])
    model = xgboost.XGBRegressor(n_estimators=30, max_depth=4, n_jobs=1).fit(X, table[1])
    rows = xgboost.DMatrix(X[:40])
    ours = tree_shap(model, X[:40])
    theirs = model.get_booster().predict(rows, pred_contribs=True)
    close(ours.values, theirs[:, :-1], 1e-4)
    close(ours.base, theirs[0, -1], 1e-4)
    close(tree_shap_interactions(model, X[:40]),
          model.get_booster().predict(rows, pred_interactions=True)[:, :-1, :-1], 1e-4)


def test_lightgbm_agrees_for_several_classes(table):
    """pred_contrib of a three-class model, tolerance 1e-10."""
    lightgbm = pytest.importorskip("lightgbm")
    X, y = table
    model = lightgbm.LGBMClassifier(n_estimators=10, num_leaves=8, n_jobs=1,
                                    verbose=-1).fit(X, np.digitize(y, [-0.5, 0.5]))
    theirs = model.booster_.predict(X[:40], pred_contrib=True).reshape(40, 3, 7)
    ours = tree_shap(model, X[:40])
    close(ours.values, theirs[:, :, :-1].transpose(0, 2, 1), 1e-10)
    close(ours.base, theirs[0, :, -1], 1e-10)


# --- what comes in ----------------------------------------------------------------------------------------------------

def test_frames_are_matched_by_name():
    """Columns of X and background in another order than the model's: the same values under the same names."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, size=(40, 3)).astype(float), columns=list("abc"))
    tree = grow_cart(X, X["a"] * X["b"] + X["c"], criterion="variance")
    ours = tree_shap(tree, X[["c", "a", "b"]], background=X[["b", "c", "a"]])
    assert ours.names == ("a", "b", "c")
    close(ours.values, tree_shap(tree, X.to_numpy(), background=X.to_numpy()).values)


def test_a_row_by_hand_shows_the_bits_of_each_leaf():
    """row_passes of the AND gate at (1, 0): the leaf x0=1, x1=0 is passed, the others fail somewhere."""
    tree = gate(BITS, [0.0, 0, 0, 1])
    passed = [all(bits) for _, _, bits in row_passes(tree, [1, 0])]
    assert sum(passed) == 1
    assert row_passes(tree, [1, 0])[passed.index(True)][0] == tree.apply([[1.0, 0.0]])[0]


@pytest.mark.parametrize("explain", [tree_shap, tree_shap_interactions, tree_shap_by_definition])
@pytest.mark.parametrize(("change", "says"), [
    ({"background": np.zeros((0, 2))}, "at least one row"),
    ({"background": np.zeros((3, 5))}, "background has 5 columns"),
    ({"X": np.zeros((1, 3))}, "X has 3 columns"), ({"X": np.zeros(2)}, "two dimensions"),
    ({"X": [[np.nan, 0.0]]}, "NaN"), ({"background": [[np.nan, 0.0]]}, "NaN"), ({"model": "a tree"}, "expected")])
def test_bad_input_is_answered_with_a_sentence(explain, change, says):
    """No background rows, other columns, one dimension, gaps, no model."""
    given_input = {"model": gate(BITS, [0.0, 0, 0, 1]), "X": BITS, "background": None} | change
    with pytest.raises(ValueError, match=says):
        explain(given_input["model"], given_input["X"], background=given_input["background"])


def test_the_definition_refuses_what_it_cannot_enumerate():
    """17 features: use tree_shap."""
    with pytest.raises(ValueError, match="use tree_shap"):
        tree_shap_by_definition(chain(17), np.zeros((1, 17)))


def test_a_foreign_model_and_its_forest_give_the_same(table):
    """from_model on the way in changes nothing."""
    model = fitted("boosting", table)
    np.testing.assert_array_equal(tree_shap(model, table[0][:5]).values,
                                  tree_shap(as_forest(model), table[0][:5]).values)


def test_a_tree_is_a_tree():
    """Our Tree goes in as it is."""
    assert isinstance(chain(3), Tree)
    assert tree_shap(chain(3), np.zeros((2, 3))).values.shape == (2, 3)


@pytest.mark.slow
@pytest.mark.parametrize("background", [None, 5])
def test_a_tree_of_depth_5000_is_explained(background):
    """Labels that alternate along a line: one feature carries the whole prediction."""
    X, y = np.arange(5001.0)[:, None], np.arange(5001) % 2
    tree = grow_cart(X, y)
    phi = tree_shap(tree, X[:3], background=None if background is None else X[:background])
    np.testing.assert_allclose(phi.values.sum(axis=1) + phi.base, tree.raw(X[:3]), atol=1e-9)
    assert tree_shap_interactions(tree, X[:2]).shape[:3] == (2, 1, 1)


def test_20_000_columns_cost_what_the_tree_asks_about():
    wide = np.random.default_rng(0).normal(size=(40, 20_000))
    tree = grow_cart(wide, wide[:, 0] + wide[:, 5], criterion="variance", max_depth=3)
    phi = tree_shap(tree, wide)
    asked = np.unique(tree.feature[~tree.is_leaf])
    assert phi.values.shape == (40, 20_000)
    assert set(np.flatnonzero(phi.values.any(axis=0))) <= set(asked.tolist())
