"""Mean decrease in impurity: the formula on paper, and scikit-learn's figures to 1e-12."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from definitions import decrease_by_definition
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fi_teach.data import golf_nominal, midterm
from fi_teach.importance.mdi import decrease_by_feature, mdi
from fi_teach.trees import grow_c45, grow_cart, grow_forest
from fi_teach.worlds import friedman


def table(seed, n=120, p=5, K=None):
    """Columns of few and many values, and a target that depends on three of them: a number, or one of K labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1], X[:, 2] = np.round(X[:, 1]), rng.integers(0, 2, n)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    if K is None:
        return X, signal
    return X, np.digitize(signal, np.quantile(signal, np.linspace(0, 1, K + 1)[1:-1]))


def close(one, other, tolerance=1e-12):
    np.testing.assert_allclose(one, other, rtol=0, atol=tolerance)


# --- the definition and closed forms ---


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("K", [None, 3])
def test_the_decreases_are_those_of_the_formula_node_by_node(K, weighted):
    for tree in grow_forest(*table(11, K=K), n_trees=3).trees:
        close(decrease_by_feature(tree, weighted=weighted), decrease_by_definition(tree, weighted=weighted), 1e-13)


def test_the_midterm_tree_gives_attendance_sixty_percent():
    """MID-06, MID-07: weighted 0.3, 0.075, 0.125 of 0.5; without node weights 0.3, 0.12, 0.5 of 0.92, so a third."""
    tree = grow_cart(*midterm())
    assert mdi(tree).names == ("Time", "Attends")
    close(mdi(tree).mean, [0.4, 0.6])
    close(mdi(tree, normalize=False).mean, [0.2, 0.3])
    close(mdi(tree, weighted=False).mean, [0.62 / 0.92, 0.3 / 0.92])


def test_decreases_telescope():
    """Over a tree grown to purity the decreases add up to the root's impurity, whatever the tree."""
    for criterion in ("gini", "entropy", "entropy_nats"):
        tree = grow_cart(*table(0, K=3), criterion=criterion)
        close(decrease_by_feature(tree).sum(), tree.impurity[0])


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


def test_permuted_columns_and_increasing_transforms_change_nothing():
    """MDI-04: untied data (no tiny nodes), x -> exp(x), and the columns in another order."""
    X, order = np.random.default_rng(4).normal(size=(80, 4)), [2, 0, 3, 1]
    y = X @ [1.0, 2.0, 0.0, 0.5]
    plain, turned, warped = (
        mdi(grow_cart(Z, y, criterion="variance", min_samples_leaf=8), normalize=False).mean
        for Z in (X, X[:, order], np.exp(X)))
    close(turned, plain[order])
    close(warped, plain)


# --- agreement with scikit-learn, in what test_models_of_libraries.py does not try ---


@pytest.mark.parametrize("model", [
    DecisionTreeClassifier(criterion="entropy", random_state=0),
    RandomForestClassifier(12, random_state=0),
    RandomForestClassifier(12, max_depth=1, min_samples_leaf=55, random_state=0),  # some trees are a single leaf
    ExtraTreesClassifier(12, random_state=0),
    GradientBoostingClassifier(n_estimators=10, random_state=0),
    AdaBoostClassifier(n_estimators=8, random_state=0),
    DecisionTreeRegressor(random_state=0),
    RandomForestRegressor(12, random_state=0, max_features=2),
    GradientBoostingRegressor(n_estimators=20, random_state=0, subsample=0.7),
], ids=str)
def test_shares_are_scikit_learns(model):
    """mean = feature_importances_, for three classes or numbers, with row weights."""
    for seed in range(2):
        X, y = table(seed, K=3 if hasattr(model, "predict_proba") else None)
        model.fit(X, y, sample_weight=np.random.default_rng(seed).integers(1, 5, len(y)))
        close(mdi(model).mean, model.feature_importances_)


def test_our_trees_and_scikit_learns_agree_unnormalised():
    """MDI-01: normalize=False is compute_feature_importances(normalize=False)."""
    X, y = table(9)
    model = DecisionTreeRegressor(random_state=0, min_samples_leaf=8).fit(X, y)
    expected = model.tree_.compute_feature_importances(normalize=False)
    for tree in (model, grow_cart(X, y, criterion="variance", min_samples_leaf=8)):
        close(mdi(tree, normalize=False).mean, expected)


def test_models_that_keep_gains_instead_of_impurities_are_refused():
    """A ValueError that says what to use."""
    for model in (HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=5), xgboost.XGBRegressor(n_estimators=2)):
        with pytest.raises(ValueError, match="permutation_importance"):
            mdi(model.fit(*table(3)))


# --- how sure ---


def test_each_tree_is_one_draw():
    """A forest keeps the spread: p rows, M columns, and each tree's shares add up to 1."""
    X, y = table(2, K=2)
    found = mdi(grow_forest(pd.DataFrame(X, columns=list("abcde")), y, n_trees=7))
    assert found.names == tuple("abcde") and found.draws.shape == (5, 7)
    close(found.draws.sum(axis=0), 1)


def test_no_standard_error_is_offered():
    """Trees share their rows and stages their residuals: sd / sqrt(M) is no standard error."""
    X, y = table(10)
    for model in (grow_cart(X, y, criterion="variance", max_depth=3), grow_forest(X, y, n_trees=20),
                  GradientBoostingRegressor(n_estimators=20).fit(X, y)):
        for normalize in (True, False):
            found = mdi(model, normalize=normalize)
            assert np.isnan(found.standard_error).all() and found.to_frame()["standard_error"].isna().all()


def test_trees_on_the_same_rows_agree_far_more_than_trees_on_other_rows():
    """Why not: over 20 training sets the shares vary half as much again as sd / sqrt(M) says."""
    results = []
    for seed in range(20):
        world = friedman(150, p=6, rng=[21, seed])
        results.append(mdi(grow_forest(world.X, world.y, n_trees=50, rng=seed)))
    truth = np.std([result.mean for result in results], axis=0, ddof=1)
    claimed = np.mean([result.draws.std(axis=1, ddof=1) / np.sqrt(50) for result in results], axis=0)
    assert truth.mean() > 1.5 * claimed.mean()
