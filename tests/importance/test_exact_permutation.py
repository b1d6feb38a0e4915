"""All pairs, no chance: the fast ways are held to the definition, the variance to enumeration and simulation."""

import tracemalloc
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import chain, tree_by_hand

from fi_teach.fast import exact_permutation as fast
from fi_teach.importance.exact_permutation import (
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    pair_differences,
)
from fi_teach.trees.cart import grow_cart
from fi_teach.trees.forest import grow_forest


def a_table(n=40, p=4, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, p)).round(1)  # rounded: ties in the values
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def assert_definition(model, X, y, tolerance=1e-12, **how):
    found, slow = (measure(model, X, y, **how)
                   for measure in (exact_permutation_importance, exact_permutation_importance_by_definition))
    for part in ("draws", "standard_error", "permutation_sd"):
        np.testing.assert_allclose(getattr(found, part), getattr(slow, part), rtol=0, atol=tolerance)
    return found


# --- the definition, in what the common test does not try ---


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_random_trees_on_few_distinct_values_agree_with_the_definition(seed, p, depth):
    """Few values make the same feature come up again and again on one path, and thresholds that no new row crosses."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, size=(25, p)).astype(float), rng.normal(size=25)
    tree = grow_cart(X, y, criterion="variance", max_depth=depth)
    assert_definition(tree, rng.integers(-1, 7, size=(12, p)).astype(float), y[:12])


def test_other_models_gaps_and_categories_are_asked_about_every_value_that_occurs():
    """scikit-learn's forests and boosting, NaN, histogram boosting's and LightGBM's categories: 1e-10."""
    import lightgbm
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestRegressor

    X, y = a_table(80)
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    code = np.arange(80) % 6
    codes = np.column_stack([code, X[:, 1]])
    words = pd.DataFrame({"sky": pd.Categorical(np.array(list("abcdef"))[code]), "size": X[:, 1]})
    of_category = np.isin(code, [1, 4]) * 3 + X[:, 1]
    few = {"max_iter": 5, "min_samples_leaf": 3}
    any_category = {"min_child_samples": 3, "cat_smooth": 0, "min_data_per_group": 1, "verbose": -1, "n_jobs": 1}
    for model, table, target in (
        (RandomForestRegressor(20, random_state=0), X, y),
        (GradientBoostingClassifier(n_estimators=5, random_state=0), X, X[:, 0] > 0),
        (HistGradientBoostingRegressor(**few), gaps, y),
        (HistGradientBoostingRegressor(categorical_features=[0], **few), codes, of_category),
        (lightgbm.LGBMRegressor(n_estimators=5, **any_category), words, of_category),
    ):
        for loss in ["zero_one", "log_loss"] if target.dtype == bool else ["squared"]:
            assert assert_definition(model.fit(table, target), table, target, 1e-10, loss=loss).mean[0] > 0.01


@pytest.mark.parametrize("zeros", [False, True])
def test_trees_that_might_take_zeros_for_gaps_are_read_unless_they_do(zeros, monkeypatch):
    """LightGBM's trees all carry the option: where no node uses it, no value has to be asked about."""
    X, y = a_table()
    forest = grow_forest(X, y, n_trees=3, rng=1)
    trees = tuple(replace(tree, zero_missing=np.full(tree.n_nodes, zeros), missing_left=np.ones(tree.n_nodes, bool))
                  for tree in forest.trees)
    asked, original = [], fast._by_value
    monkeypatch.setattr(fast, "_by_value", lambda task: asked.append(1) or original(task))
    assert_definition(replace(forest, trees=trees), X, y)
    assert len(asked) == zeros


def test_a_tree_of_depth_5000_is_counted_as_the_definition_does():
    tree = chain(2, n_splits=5000)
    assert_definition(tree, np.random.default_rng(0).normal(size=(12, 2)), np.arange(12.0), 1e-9)


# --- closed forms ---


def test_a_stump_has_the_closed_form():
    """f = 1[x > 0] on k of n rows, y = f: a row errs after the swap iff its donor is on the other side:
    2 k (n - k) / n^2."""
    X = np.column_stack([[-1, -1, -1, 1.0], np.arange(4)])
    stump = tree_by_hand([1, -1, -1], [2, -1, -1], [0, -2, -2], [0, -2, -2], [0, 0, 1])
    assert exact_permutation_importance(stump, X, X[:, 0] > 0).mean.tolist() == [2 * 1 * 3 / 16, 0]


@pytest.mark.parametrize("tree", [
    tree_by_hand([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, -2, 0, -2, -2], [5, -2, 4, -2, -2], [0, 0, 0, 1e6, 1]),
    tree_by_hand([1, 3, -1, -1, -1], [2, 4, -1, -1, -1], [0, 0, -2, -2, -2], [4, 5, -2, -2, -2], [0, 0, 1, 0, 1e6])])
def test_a_threshold_that_contradicts_an_earlier_one_leads_nowhere(tree):
    """x0 <= 4 on the right of x0 <= 5, and x0 > 5 on the left of x0 <= 4: no value reaches the leaf of 1e6."""
    assert_definition(tree, np.column_stack([np.arange(10.0)] * 2), np.arange(10))


def test_the_mean_and_spread_over_all_permutations_are_exact():
    """All 5! permutations: their mean is the importance, their sd Hoeffding's permutation_sd; without those that have
    fixed points the mean is n / (n - 1) times as large."""
    X, y = a_table(n=5, p=3, seed=3)
    tree = grow_cart(X, y, criterion="variance")
    D = pair_differences(tree, X, y, 0)
    every = np.array(list(permutations(range(5))))
    means = D[np.arange(5), every].mean(axis=1)
    exact = exact_permutation_importance(tree, X, y)
    assert exact.mean[0] == pytest.approx(np.mean(means), abs=1e-12)
    assert exact.permutation_sd[0] == pytest.approx(np.std(means), abs=1e-12)
    assert exact.mean[0] * 5 / 4 == pytest.approx(means[(every != np.arange(5)).all(axis=1)].mean(), abs=1e-12)


def test_a_column_that_does_not_vary_or_that_no_tree_asks_about_gets_exactly_zero():
    """Constant in the new rows though the trees ask about it; and a forest of lone leaves asks about nothing."""
    X, y = a_table()
    forest = grow_forest(X, y, n_trees=5)
    lone = grow_cart(X, y, criterion="variance", min_samples_leaf=len(X))
    X[:, 0] = 0.05
    assert exact_permutation_importance(forest, X, y).mean[0] == 0
    found = exact_permutation_importance(lone, X, y)
    assert lone.n_nodes == 1 and (found.draws == 0).all() and (found.permutation_sd == 0).all()


def test_memory_stays_bounded():
    """100 trees of depth 8 on 3000 rows: the full matrix of pairs would take 72 MB a feature; the peak is below 60."""
    X, y = a_table(n=3000)
    forest = grow_forest(X[:600], y[:600], n_trees=100, max_depth=8)
    tracemalloc.start()
    exact_permutation_importance(forest, X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6
