"""The prepared explainer says what tree_shap says, call after call, within the memory that it states.

That both equal the definition is tried in test_tree_shap.py.
"""

import numpy as np
import pandas as pd
import pytest
from random_trees import chain, random_forest, random_rows
from sklearn.ensemble import GradientBoostingClassifier

from fi_teach.fast import tree_explainer as prepared
from fi_teach.importance import tree_explainer, tree_shap
from fi_teach.trees import grow_forest


def assert_same(one, other):
    """Values and base within 1e-10, all else equal."""
    np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(one.base, other.base, rtol=0, atol=1e-10)
    assert (one.names, one.unit, one.method) == (other.names, other.unit, other.method)


@pytest.mark.parametrize("interventional", [False, True])
def test_any_model_is_explained_in_its_raw_scores_by_column_name(interventional):
    """Boosting of three classes, and a forest of our own."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(150, 5)), columns=list("abcde"))
    y = (X["a"] * X["b"] > 0).astype(int)
    background = X[100:] if interventional else None
    for model in (GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, y + (X["a"] > 1)),
                  grow_forest(X, y, n_trees=5)):
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


def test_calls_leave_no_trace():
    """What one call returned is not touched by the next, and a changed result spoils no later one."""
    forest, X = random_forest(4, 3, n_outputs=2), random_rows(4, 6, 3)
    explain = tree_explainer(forest)
    first = explain(X)
    before = first.values.copy()
    np.add(first.base, 1, out=first.base)
    assert_same(explain(X), tree_shap(forest, X))
    np.testing.assert_array_equal(first.values, before)


def test_a_table_with_other_columns_or_gaps_is_refused():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
    explain = tree_explainer(grow_forest(X, X["a"], n_trees=2))
    with pytest.raises(ValueError, match="'a'"):
        explain(X.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="NaN"):
        explain(X.where(X > 0))


def test_memory_is_as_it_says_and_within_its_limit():
    """nbytes counts every array that is kept: of d features on a path about leaves * d * 2^d numbers."""
    forest = random_forest(5, 8, depth=8, n_trees=20)
    explain = tree_explainer(forest)
    kept = [array for table in explain._prepared.tables for part in table for array in vars(part).values()
            if isinstance(array, np.ndarray)]
    assert explain.nbytes == sum(array.nbytes for array in kept)
    assert tree_explainer(grow_forest([[0.0], [1]], [0.0, 1], n_trees=2, min_samples_leaf=2)).nbytes == 0
    assert explain.nbytes < 8 * sum(tree.is_leaf.sum() for tree in forest.trees) * 8 * 2**8
