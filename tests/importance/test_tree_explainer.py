"""Few rows at a time: the prepared explainer, and all trees in one walk, say what the definition says."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from fi_teach.fast import tree_explainer as prepared
from fi_teach.importance import (
    tree_explainer,
    tree_shap,
    tree_shap_by_definition,
    tree_shap_interactions,
)
from fi_teach.trees import grow_cart, grow_forest

sys.path.insert(0, str(Path(__file__).parent))
from random_trees import chain, random_forest, random_rows
from shap_by_leaves import tree_shap_by_leaves

engines = importlib.import_module("fi_teach.fast.tree_shap")
rows_walk = importlib.import_module("fi_teach.fast.tree_shap_walk")

shapes = st.fixed_dictionaries({
    "depth": st.integers(0, 6), "n_outputs": st.integers(1, 3), "missing": st.booleans(),
    "categories": st.booleans(), "empty": st.sampled_from([0.0, 0.3])})


def close(one, other, tolerance=1e-10):
    np.testing.assert_allclose(one, other, rtol=0, atol=tolerance)


def assert_same(one, other):
    """Values and base within 1e-10, all else equal."""
    close(one.values, other.values)
    close(one.base, other.base)
    assert (one.names, one.unit, one.method) == (other.names, other.unit, other.method)


@given(st.integers(0, 10**6), st.integers(1, 6), shapes, st.booleans(), st.sampled_from([2, 5, 7]))
@settings(max_examples=60, deadline=None)
@example(7, 2, {"depth": 6, "n_outputs": 2, "missing": True, "categories": True, "empty": 0.3}, True, 2)
@example(8, 3, {"depth": 0, "n_outputs": 3, "missing": False, "categories": False, "empty": 0.0}, False, 7)
def test_prepared_values_are_those_of_the_definition(seed, p, shape, interventional, bits):
    """Blocks of any size, repeated features, gaps, categories, several outputs, empty branches; 1e-10."""
    forest = random_forest(seed, p, **shape)
    X, B = (random_rows(seed + k, 5, p, missing=shape["missing"]) for k in (1, 2))
    background = B if interventional else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepared, "LEAST_BITS", bits)
        explain = tree_explainer(forest, background=background)
    assert_same(explain(X), tree_shap(forest, X, background=background))
    close(explain(X[:1]).values, tree_shap_by_definition(forest, X[:1], background=background).values)


MODELS = {
    "boosting": lambda X, y: GradientBoostingClassifier(n_estimators=10, max_depth=4, random_state=0).fit(X, y),
    "forest": lambda X, y: RandomForestClassifier(10, max_depth=8, random_state=0).fit(X, y),
    "three classes": lambda X, y: GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, y + (X["a"] > 1)),
    "our own": lambda X, y: grow_forest(X, y, n_trees=5),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("interventional", [False, True])
def test_any_model_is_explained_in_its_raw_scores_by_column_name(kind, interventional):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 5)), columns=list("abcde"))
    model = MODELS[kind](X, (X["a"] * X["b"] > 0).astype(int))
    background = X[100:] if interventional else None
    explain = tree_explainer(model, background=background)
    for rows in (X[:1], X[:90], X[:3][["e", "d", "c", "b", "a"]]):
        assert_same(explain(rows), tree_shap(model, rows, background=background))


@pytest.mark.parametrize("interventional", [False, True])
def test_trees_without_a_table_are_walked(monkeypatch, interventional):
    """Paths of 13 and 30 features, and a forest beyond the memory that is allowed."""
    rng = np.random.default_rng(0)
    for d in (12, 13, 30):
        X, B = rng.normal(0.5, 1, size=(2, 3, d))
        background = B if interventional else None
        explain = tree_explainer(chain(d), background=background)
        assert (explain.nbytes > 0) == (d == 12)
        assert_same(explain(X), tree_shap(chain(d), X, background=background))
    forest, X = random_forest(1, 4, n_trees=4), random_rows(1, 5, 4)
    background = X if interventional else None
    whole = tree_explainer(forest, background=background).nbytes
    monkeypatch.setattr(prepared, "MOST_NUMBERS", 200)
    limited = tree_explainer(forest, background=background)
    assert limited.nbytes < whole
    assert_same(limited(X), tree_shap(forest, X, background=background))


def test_rows_in_chunks_say_the_same(monkeypatch):
    forest, X = random_forest(3, 5, depth=6), random_rows(3, 40, 5)
    explain = tree_explainer(forest)
    expected = explain(X).values
    monkeypatch.setattr(prepared, "ANSWERS_AT_ONCE", 100)
    np.testing.assert_array_equal(explain(X).values, expected)


def test_calls_leave_no_trace():
    """What one call returned is not touched by the next, and a changed result spoils no later one."""
    forest, X = random_forest(4, 3, n_outputs=2), random_rows(4, 6, 3)
    explain = tree_explainer(forest)
    first = explain(X)
    before = first.values.copy()
    np.add(first.base, 1, out=first.base)
    assert_same(explain(X), tree_shap(forest, X))
    np.testing.assert_array_equal(first.values, before)


def test_a_lone_leaf_has_no_tables_and_explains_nothing():
    leaf = grow_cart([[0], [1]], [1.0, 3.0], criterion="variance", min_samples_leaf=2)
    explain = tree_explainer(leaf)
    assert explain.nbytes == 0
    assert explain([[0]]).values.tolist() == [[0.0]] and explain([[0]]).base == 2


def test_a_table_with_other_columns_or_gaps_is_refused():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    explain = tree_explainer(grow_forest(X, X["a"], n_trees=2))
    with pytest.raises(ValueError, match="'a'"):
        explain(X.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="NaN"):
        explain(X.where(X > 0))


def test_memory_is_as_it_says_and_within_its_limit():
    """nbytes counts every array that is kept; eight features on a path and 64 trees stay below 256 MB."""
    forest = random_forest(5, 8, depth=8, n_trees=20)
    explain = tree_explainer(forest)
    kept = [array for table in explain._prepared.tables for part in table for array in vars(part).values()
            if isinstance(array, np.ndarray)]
    assert explain.nbytes == sum(array.nbytes for array in kept)
    leaves = sum(tree.is_leaf.sum() for tree in forest.trees)
    assert explain.nbytes < 8 * leaves * 8 * 2**8


# --- few rows walk, many rows look up ---

@given(st.integers(0, 10**6), st.integers(1, 6), shapes, st.integers(1, 4), st.booleans())
@settings(max_examples=60, deadline=None)
@example(7, 2, {"depth": 6, "n_outputs": 2, "missing": True, "categories": True, "empty": 0.3}, 3, True)
@example(8, 3, {"depth": 0, "n_outputs": 3, "missing": False, "categories": False, "empty": 0.0}, 1, False)
def test_few_rows_walk_to_what_the_definition_says(seed, p, shape, n, in_groups):
    """Repeated features, gaps, categories, several outputs, empty branches, depth 0; by tables the same; 1e-10."""
    forest = random_forest(seed, p, **shape)
    X = random_rows(seed, n, p, missing=shape["missing"])
    assert n <= engines.FEW_ROWS
    with pytest.MonkeyPatch.context() as patch:
        if in_groups:
            patch.setattr(rows_walk, "NUMBERS_AT_ONCE", 1)
        walked = tree_shap(forest, X)
        patch.setattr(engines, "FEW_ROWS", 0)
        patch.setattr(engines, "FEW_COLUMNS", 2**16)
        assert_same(walked, tree_shap(forest, X))
    by_definition = tree_shap_by_definition(forest, X)
    close(walked.values, by_definition.values)
    close(walked.base, by_definition.base)


@pytest.mark.parametrize("d", [1, 2, 15, 16, 17])
def test_few_rows_walk_chains_of_any_depth_exactly(d):
    """Odd and even numbers of features on a path, for which Gauss-Legendre has as many times or one more."""
    X = np.random.default_rng(d).normal(0.5, 1, size=(2, d))
    close(tree_shap(chain(d), X).values, tree_shap_by_leaves(chain(d), X)[0][:, :, 0])


@pytest.mark.parametrize("explain", [tree_shap, tree_shap_interactions])
def test_many_rows_do_not_walk_where_tables_are_small(monkeypatch, explain):
    """Up to FEW_ROWS walk, half as many for interactions; one more looks up."""
    forest, walked = random_forest(5, 4, depth=3, n_trees=3), []
    original = engines.add_by_walk
    monkeypatch.setattr(engines, "add_by_walk",
                        lambda total, trees, *rest: walked.append(len(trees)) or original(total, trees, *rest))
    few = engines.FEW_ROWS if explain is tree_shap else engines.FEW_ROWS // 2
    for n in (1, few, few + 1):
        explain(forest, random_rows(1, n, 4))
    assert walked == [3, 3, 0]
