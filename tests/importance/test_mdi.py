"""Mean decrease in impurity: the formula on paper, and what a forest of trees makes of it."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from definitions import decrease_by_definition
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestClassifier
from small_tables import close, few_and_many_values

from fi_teach.data import golf_nominal, midterm
from fi_teach.importance.mdi import decrease_by_feature, mdi
from fi_teach.trees import grow_c45, grow_cart, grow_forest

# --- the definition and closed forms ---


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("K", [None, 3])
def test_the_decreases_are_those_of_the_formula_node_by_node(K, weighted):
    for tree in grow_forest(*few_and_many_values(11, K=K), n_trees=3).trees:
        close(decrease_by_feature(tree, weighted=weighted), decrease_by_definition(tree, weighted=weighted), 1e-13)


def test_the_midterm_tree_gives_attendance_sixty_percent():
    """MID-06, MID-07: weighted 0.3, 0.075, 0.125 of 0.5; without node weights 0.3, 0.12, 0.5 of 0.92, so a third."""
    tree = grow_cart(*midterm())
    assert mdi(tree).names == ("Time", "Attends")
    close(mdi(tree).mean, [0.4, 0.6])
    close(mdi(tree, normalize=False).mean, [0.2, 0.3])
    close(mdi(tree, weighted=False).mean, [0.62 / 0.92, 0.3 / 0.92])


def test_nominal_golf_turns_the_ranking_over():
    """Coded as words: Outlook 0.2624, Humidity and Wind 0.3688 each, Temperature 0."""
    found = mdi(grow_c45(*golf_nominal()))
    assert found.names == ("Outlook", "Temperature", "Humidity", "Wind")
    assert found.mean.round(4).tolist() == [0.2624, 0.0, 0.3688, 0.3688]


def test_a_tree_without_a_split_gives_zeros():
    """No word of golf's has eight rows twice over: all zeros, not NaN."""
    tree = grow_c45(*golf_nominal(), min_samples_leaf=8)
    assert tree.n_nodes == 1
    assert mdi(tree).mean.tolist() == [0, 0, 0, 0]


# --- agreement with scikit-learn, in what test_models_of_libraries.py does not try ---


def test_trees_that_are_a_single_leaf_take_no_share():
    """mean = feature_importances_ of a forest of which some trees have no split, with row weights."""
    X, y = few_and_many_values(0, K=3)
    forest = RandomForestClassifier(12, max_depth=1, min_samples_leaf=36, random_state=0)
    forest.fit(X, y, sample_weight=np.random.default_rng(0).integers(1, 5, len(y)))
    assert {tree.tree_.node_count for tree in forest.estimators_} == {1, 3}
    close(mdi(forest).mean, forest.feature_importances_)


def test_models_that_keep_gains_instead_of_impurities_are_refused():
    """A ValueError that says what to use."""
    for model in (HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=5), xgboost.XGBRegressor(n_estimators=2)):
        with pytest.raises(ValueError, match="permutation_importance"):
            mdi(model.fit(*few_and_many_values(3)))


# --- how sure ---


def test_each_tree_is_one_draw():
    """A forest keeps the spread: p rows, M columns, and each tree's shares add up to 1."""
    X, y = few_and_many_values(2, K=2)
    found = mdi(grow_forest(pd.DataFrame(X, columns=list("abcde")), y, n_trees=7))
    assert found.names == tuple("abcde") and found.draws.shape == (5, 7)
    close(found.draws.sum(axis=0), 1)


def test_no_standard_error_is_offered():
    """Trees share their rows and stages their residuals: sd / sqrt(M) is no standard error."""
    X, y = few_and_many_values(10)
    for model in (grow_cart(X, y, criterion="variance", max_depth=3), grow_forest(X, y, n_trees=20),
                  GradientBoostingRegressor(n_estimators=20).fit(X, y)):
        for normalize in (True, False):
            found = mdi(model, normalize=normalize)
            assert np.isnan(found.standard_error).all() and found.to_frame()["standard_error"].isna().all()
