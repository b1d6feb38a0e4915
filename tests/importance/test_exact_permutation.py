"""All pairings, no chance: the detours are held to the definition, the variance to enumeration, both to simulation."""

import tracemalloc
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics.tree import Tree
from fi_teach.fast import exact_permutation as fast
from fi_teach.importance.exact_permutation import (
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    pair_differences,
)
from fi_teach.importance.permutation import permutation_importance
from fi_teach.trees.cart import grow_cart
from fi_teach.trees.forest import grow_forest


def a_table(n=40, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)  # rounded: ties in the values
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def same(fast, slow):
    return (np.allclose(fast.draws, slow.draws, atol=1e-12)
            and np.allclose(fast.standard_error, slow.standard_error, atol=1e-12)
            and np.allclose(fast.permutation_sd, slow.permutation_sd, atol=1e-12))


@pytest.mark.parametrize("loss", ["mse", "absolute", lambda y, f: np.maximum(0.7 * (y - f), 0.3 * (f - y))])
def test_detours_count_every_pair_as_the_definition_does(loss):
    X, y = a_table()
    forest = grow_forest(X, y, n_trees=9, rng=1)
    assert same(exact_permutation_importance(forest, X, y, loss=loss),
                exact_permutation_importance_by_definition(forest, X, y, loss=loss))


@pytest.mark.parametrize("loss", ["zero_one", "log_loss", "brier"])
def test_classes_are_judged_by_labels_or_by_probabilities(loss):
    X, y = a_table()
    y = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    forest = grow_forest(X, y, n_trees=9, rng=1)
    assert same(exact_permutation_importance(forest, X, y, loss=loss),
                exact_permutation_importance_by_definition(forest, X, y, loss=loss))


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_random_trees_on_few_distinct_values_agree_with_the_definition(seed, p, depth):
    """Few values make the same feature come up again and again on one path, and thresholds that no new row crosses."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, size=(25, p)).astype(float), rng.normal(size=25)
    tree = grow_cart(X, y, criterion="variance", max_depth=depth)
    new = rng.integers(-1, 7, size=(12, p)).astype(float)
    assert same(exact_permutation_importance(tree, new, y[:12]),
                exact_permutation_importance_by_definition(tree, new, y[:12]))


@pytest.mark.parametrize("block", [1, 300, 10**9])
def test_blocks_of_any_size_give_the_same_sums(block, monkeypatch):
    X, y = a_table()
    forest = grow_forest(X, y, n_trees=9, rng=1)
    whole = exact_permutation_importance(forest, X, y)
    monkeypatch.setattr("fi_teach.fast.exact_permutation.PAIRS_AT_ONCE", block)
    assert same(exact_permutation_importance(forest, X, y), whole)


def stump_table(threshold, left, right):
    """A stump on x0 by hand."""
    return Tree(np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, -2, -2]), np.array([threshold, -2, -2]),
                np.zeros(3),
                np.ones(3, int), np.ones(3), np.array([[0.0], [left], [right]]), ("x0", "x1"), criterion="variance")


def test_a_stump_has_the_closed_form():
    """f = 1[x > 0] on k of n rows, y = f: a row errs after the swap iff its donor is on the other side:
    2 k (n - k) / n^2."""
    X = np.column_stack([[-1, -1, -1, 1.0], np.arange(4)])
    importance = exact_permutation_importance(stump_table(0.0, 0.0, 1.0), X, X[:, 0] > 0)
    assert importance.mean.tolist() == [2 * 1 * 3 / 16, 0]


def test_a_threshold_that_contradicts_an_earlier_one_leads_nowhere():
    """x0 <= 5, and on its right x0 <= 4: no value reaches that leaf, whatever it holds."""
    tree = Tree(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]), np.array([0, -2, 0, -2, -2]),
                np.array([5.0, -2, 4.0, -2, -2]), np.zeros(5), np.ones(5, int), np.ones(5),
                np.array([[0.0], [0.0], [0.0], [1e6], [1.0]]), ("x0",), criterion="variance")
    X = np.arange(10.0)[:, None]
    fast = exact_permutation_importance(tree, X, np.arange(10))
    assert same(fast, exact_permutation_importance_by_definition(tree, X, np.arange(10)))


def test_the_mean_and_spread_over_all_permutations_are_exact():
    """All 5! permutations, fixed points and all: their mean is the importance, their sd Hoeffding's permutation_sd."""
    X, y = a_table(n=5, p=3, seed=3)
    tree = grow_cart(X, y, criterion="variance")
    D = pair_differences(tree, X, y, 0)
    means = [D[np.arange(5), pi].mean() for pi in permutations(range(5))]
    exact = exact_permutation_importance(tree, X, y)
    assert exact.mean[0] == pytest.approx(np.mean(means), abs=1e-12)
    assert exact.permutation_sd[0] == pytest.approx(np.std(means), abs=1e-12)
    no_fixed_point = [D[np.arange(5), pi].mean() for pi in permutations(range(5))
                      if (np.array(pi) != np.arange(5)).all()]
    assert exact.mean[0] * 5 / 4 == pytest.approx(np.mean(no_fixed_point), abs=1e-12)


def test_many_sampled_shuffles_come_to_the_exact_mean_and_spread():
    """Mean within 4 standard errors of 1000 shuffles, spread within 15 %."""
    X, y = a_table(n=60)
    forest = grow_forest(X, y, n_trees=9, rng=1)
    exact, sampled = exact_permutation_importance(forest, X, y), permutation_importance(forest, X, y, n_repeats=1000)
    assert (np.abs(exact.mean - sampled.mean) < 4 * exact.permutation_sd / np.sqrt(1000)).all()
    assert np.allclose(exact.permutation_sd, sampled.permutation_sd, rtol=0.15)
    assert np.allclose(exact.standard_error, sampled.standard_error, rtol=0.1)


def test_the_standard_error_is_the_spread_over_new_test_sets():
    """A fixed tree, 400 new test sets of 150 rows: the interval of two standard errors covers 91 to 98 %."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    tree = grow_cart(X, X[:, 0] + 0.5 * rng.normal(size=200), criterion="variance", max_depth=4)
    big = rng.normal(size=(20_000, 2))
    truth = exact_permutation_importance(tree, big, big[:, 0]).mean[0]
    hits = 0
    for _ in range(400):
        new = rng.normal(size=(150, 2))
        importance = exact_permutation_importance(tree, new, new[:, 0])
        hits += abs(importance.mean[0] - truth) < 1.96 * importance.standard_error[0]
    assert 0.91 <= hits / 400 <= 0.98


def test_a_feature_that_no_tree_asks_about_is_exactly_zero():
    X, y = a_table()
    X[:, 3] = 1.0  # constant: no split
    importance = exact_permutation_importance(grow_forest(X, y, n_trees=5), X, y)
    assert (importance.draws[3] == 0).all() and importance.standard_error[3] == 0 and importance.permutation_sd[3] == 0


def test_a_forest_of_lone_leaves_is_hurt_by_nothing():
    """Depth 0: no tree asks anything, so no swap changes a prediction."""
    X, y = a_table()
    lone = grow_cart(X, y, criterion="variance", min_samples_leaf=len(X))
    importance = exact_permutation_importance(lone, X, y)
    assert lone.n_nodes == 1 and (importance.draws == 0).all() and (importance.permutation_sd == 0).all()


def test_a_column_constant_in_the_new_rows_is_exactly_zero_though_the_trees_ask_about_it():
    X, y = a_table()
    forest = grow_forest(X, y, n_trees=5)
    X = X.copy()
    X[:, 0] = 0.05
    assert exact_permutation_importance(forest, X, y).mean[0] == 0


@pytest.mark.parametrize("name",
                         ["RandomForestRegressor", "GradientBoostingRegressor", "HistGradientBoostingRegressor"])
def test_scikit_learns_models_are_read(name):
    ensemble = pytest.importorskip("sklearn.ensemble")
    X, y = a_table()
    model = getattr(ensemble, name)(random_state=0).fit(X, y)
    slow = exact_permutation_importance_by_definition(model.predict, X, y)
    assert np.allclose(exact_permutation_importance(model, X, y).draws, slow.draws, atol=1e-10)


@pytest.mark.parametrize("loss", ["zero_one", "log_loss"])
def test_boosted_classes_are_judged_through_their_link(loss):
    ensemble = pytest.importorskip("sklearn.ensemble")
    X, y = a_table()
    model = ensemble.GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y > 0)
    slow = exact_permutation_importance_by_definition(model, X, y > 0, loss=loss)
    assert np.allclose(exact_permutation_importance(model, X, y > 0, loss=loss).draws, slow.draws, atol=1e-10)


def test_missing_values_go_the_models_way():
    ensemble = pytest.importorskip("sklearn.ensemble")
    X, y = a_table()
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3).fit(X, y)
    slow = exact_permutation_importance_by_definition(model.predict, X, y)
    assert np.allclose(exact_permutation_importance(model, X, y).draws, slow.draws, atol=1e-10)


def test_categories_are_put_in_and_predicted():
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 6, 80), rng.normal(size=80)]).astype(float)
    y = np.isin(X[:, 0], [1, 4]) * 3 + X[:, 1]
    model = ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3, categorical_features=[0]).fit(X, y)
    slow = exact_permutation_importance_by_definition(model.predict, X, y)
    assert np.allclose(exact_permutation_importance(model, X, y).draws, slow.draws, atol=1e-10)


def test_a_frame_with_its_columns_in_another_order_is_put_right():
    X, y = a_table()
    frame = pd.DataFrame(X, columns=list("abcd"))
    forest = grow_forest(frame, y, n_trees=5)
    ordered, turned = exact_permutation_importance(forest, frame,
                                                   y), exact_permutation_importance(forest, frame[list("dcba")], y)
    assert ordered.names == turned.names == tuple("abcd") and np.array_equal(ordered.draws, turned.draws)


def test_the_callers_arguments_are_left_alone():
    X, y = a_table()
    before = X.copy(), y.copy()
    exact_permutation_importance(grow_forest(X, y, n_trees=3), X, y)
    assert np.array_equal(X, before[0]) and np.array_equal(y, before[1])


def test_memory_stays_bounded():
    """100 trees of depth 8 on 3000 rows: the full matrix of pairs would take 72 MB a feature;
    the peak is below 60 in all."""
    X, y = a_table(n=3000)
    forest = grow_forest(X[:600], y[:600], n_trees=100, max_depth=8)
    tracemalloc.start()
    exact_permutation_importance(forest, X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize(("change", "says"), [
    ({"model": "tree"}, "or a fitted model"), ({"loss": "hinge"}, "unknown loss"),
    ({"loss": "log_loss"}, "class probabilities"),
    ({"X": np.zeros((40, 3))}, "3 columns"), ({"X": np.zeros((0, 4))}, "at least one row"),
    ({"X": np.full((40, 4), np.nan)}, "NaN"),
    ({"y": np.ones(40)}, "constant"), ({"y": np.arange(7)}, "y has shape"), ({"y": ["a", "b"] * 20}, "labels"),
    ({"X": np.zeros((1, 4)), "y": [1.0]}, "one row"),
])
def test_bad_input_is_refused_with_a_sentence(change, says):
    X, y = a_table()
    given = {"model": grow_cart(X, y, criterion="variance"), "X": X, "y": y} | change
    with pytest.raises(ValueError, match=says):
        exact_permutation_importance(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_a_label_that_the_model_never_saw_is_refused():
    X, y = a_table()
    tree = grow_cart(X, y > 0)
    with pytest.raises(ValueError, match="none of which the model knows"):
        exact_permutation_importance(tree, X, np.array(["a", "b"] * 20), loss="zero_one")
    with pytest.raises(ValueError, match="never saw"):
        exact_permutation_importance(tree, X, np.arange(40), loss="brier")


def chain(depth):
    """A tree that asks two columns in turn, one leaf at every level."""
    n_nodes = 2 * depth + 1
    inner = np.arange(0, 2 * depth, 2)  # node 0 splits into leaf 1 and node 2, that into 3 and 4 ...
    left, right, feature = (np.full(n_nodes, nothing) for nothing in (-1, -1, -2))
    threshold, value = np.full(n_nodes, -2.0), np.zeros((n_nodes, 1))
    left[inner], right[inner] = inner + 1, inner + 2
    feature[inner], threshold[inner] = np.arange(depth) % 2, np.arange(depth)
    value[:, 0] = np.arange(n_nodes)
    ones = np.ones(n_nodes)
    return Tree(left, right, feature, threshold, ones * 0, ones.astype(int), ones, value, ("x0", "x1"))


def test_a_tree_of_depth_5000_is_counted_as_the_definition_does():
    tree = chain(5000)
    X = np.random.default_rng(0).integers(0, 5000, size=(12, 2)).astype(float)
    fast = exact_permutation_importance(tree, X, X[:, 0])
    slow = exact_permutation_importance_by_definition(tree, X, X[:, 0])
    assert np.allclose(fast.draws, slow.draws, rtol=1e-12)
    assert np.allclose(fast.standard_error, slow.standard_error, rtol=1e-9)


def test_any_model_is_counted_by_the_values_that_occur():
    X, y = a_table()
    model = lambda X: X[:, 0] * X[:, 1]  # noqa: E731
    assert same(exact_permutation_importance(model, X, y),
                exact_permutation_importance_by_definition(model, X, y))


@pytest.mark.parametrize("zeros", [False, True])
def test_trees_that_might_take_zeros_for_gaps_are_read_unless_they_do(zeros, monkeypatch):
    """LightGBM's trees all carry the option: where no node uses it, no value has to be asked about."""
    X, y = a_table()
    forest = grow_forest(X, y, n_trees=3, rng=1)
    trees = tuple(replace(tree, zero_missing=np.full(tree.n_nodes, zeros), missing_left=np.ones(tree.n_nodes, bool))
                  for tree in forest.trees)
    forest = replace(forest, trees=trees)
    asked, original = [], fast._by_value
    monkeypatch.setattr(fast, "_by_value", lambda task: asked.append(1) or original(task))
    assert same(exact_permutation_importance(forest, X, y), exact_permutation_importance_by_definition(forest, X, y))
    assert len(asked) == zeros
