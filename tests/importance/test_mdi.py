"""Mean decrease in impurity: the formula on paper, and scikit-learn's figures to 1e-12."""

import numpy as np
import pandas as pd
import pytest
import xgboost
from definitions import decrease_by_definition
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fi_teach.data import golf, golf_nominal, midterm
from fi_teach.importance.mdi import decrease_by_feature, mdi
from fi_teach.trees import grow_c45, grow_cart, grow_forest
from fi_teach.worlds import friedman


def table(seed, n=120, p=5, K=None):
    """Columns of few and many values, and a target that depends on three of them: a number, or one
    of K labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1], X[:, 2] = np.round(X[:, 1]), rng.integers(0, 2, n)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, signal if K is None else np.digitize(
        signal, np.quantile(signal, np.linspace(0, 1, K + 1)[1:-1])
    )


# --- the definition ---------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("K", [None, 3])
def test_the_decreases_are_those_of_the_formula_node_by_node(K, weighted):
    """A loop over the nodes and the vectors agree, to 1e-14."""
    X, y = table(11, K=K)
    for tree in grow_forest(X, y, n_trees=3).trees:
        expected = decrease_by_definition(tree, weighted=weighted)
        found = decrease_by_feature(tree, weighted=weighted)
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-14)


# --- closed form ------------------------------------------------------------------------------


def test_the_midterm_tree_gives_attendance_sixty_percent():
    """MID-06, MID-07: weighted .3, .075, .125 of .5; without node weights .3, .12, .5 of .92, so a
    third."""
    tree = grow_cart(*midterm())
    assert mdi(tree).names == ("Time", "Attends")
    np.testing.assert_allclose(mdi(tree).mean, [0.4, 0.6], atol=1e-12)
    np.testing.assert_allclose(mdi(tree, normalize=False).mean, [0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(
        mdi(tree, weighted=False).mean, [0.62 / 0.92, 0.3 / 0.92], atol=1e-12
    )


def test_decreases_telescope():
    """Over a tree grown to purity the decreases add up to the root's impurity, whatever the tree:
    1e-12."""
    X, y = table(0, K=3)
    for criterion in ("gini", "entropy", "entropy_nats"):
        tree = grow_cart(X, y, criterion=criterion)
        np.testing.assert_allclose(decrease_by_feature(tree).sum(), tree.impurity[0], atol=1e-12)


def test_cart_on_golf_has_a_total_of_six_point_four():
    """GLF-10: 14 times the root's Gini is 6.429, a fifth of it Humidity's."""
    result = mdi(grow_cart(*golf()), normalize=False)
    assert round(14 * result.mean.sum(), 3) == 6.429
    assert round(mdi(grow_cart(*golf())).mean[2], 3) == 0.2


def test_nominal_golf_turns_the_ranking_over():
    """Coded as words: Outlook .2624, Humidity and Wind .3688 each, Temperature 0."""
    result = mdi(grow_c45(*golf_nominal()))
    assert dict(zip(result.names, result.mean.round(4).tolist(), strict=True)) == {
        "Outlook": 0.2624,
        "Temperature": 0.0,
        "Humidity": 0.3688,
        "Wind": 0.3688,
    }


def test_a_tree_without_a_split_gives_zeros():
    """No word of golf's has eight rows twice over: all zeros, not NaN."""
    tree = grow_c45(*golf_nominal(), min_samples_leaf=8)
    assert tree.n_nodes == 1
    np.testing.assert_array_equal(mdi(tree).mean, np.zeros(4))


def test_a_positive_factor_on_the_impurity_leaves_the_shares_alone():
    """IMP-05: bits and nats give the same tree and shares, and decreases that differ by log 2:
    1e-12."""
    X, y = table(1, K=3)
    bits, nats = grow_cart(X, y, criterion="entropy"), grow_cart(X, y, criterion="entropy_nats")
    np.testing.assert_array_equal(bits.threshold, nats.threshold)
    np.testing.assert_allclose(mdi(bits).mean, mdi(nats).mean, atol=1e-12)
    np.testing.assert_allclose(
        mdi(bits, normalize=False).mean * np.log(2), mdi(nats, normalize=False).mean, atol=1e-12
    )


def test_gini_and_entropy_can_rank_features_differently():
    """IMP-06: ten rows; Gini X1 .0610 > X2 .0457, entropy in nats X1 .0633 < X2 .0823."""
    cells = [(0, 0, 3, 1), (1, 0, 2, 2), (1, 1, 5, 3)]  # X1, X2, rows, positives
    X = [[a, b] for a, b, n, _ in cells for _ in range(n)]
    y = [int(i < positives) for _, _, n, positives in cells for i in range(n)]
    assert (y.count(1), len(y)) == (6, 10)
    gini = mdi(grow_cart(X, y), normalize=False).mean
    nats = mdi(grow_cart(X, y, criterion="entropy_nats"), normalize=False).mean
    np.testing.assert_allclose(gini, [0.0610, 0.0457], atol=5e-5)
    np.testing.assert_allclose(nats, [0.0633, 0.0823], atol=5e-5)


# --- agreement with scikit-learn --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "make",
    [
        lambda: DecisionTreeClassifier(random_state=0, max_depth=4),
        lambda: DecisionTreeClassifier(criterion="entropy", random_state=0),
        lambda: RandomForestClassifier(12, random_state=0),
        lambda: RandomForestClassifier(
            12, max_depth=1, min_samples_leaf=55, random_state=0
        ),  # some trees are a single leaf
        lambda: ExtraTreesClassifier(12, random_state=0),
        lambda: GradientBoostingClassifier(n_estimators=10, random_state=0),
        lambda: AdaBoostClassifier(n_estimators=8, random_state=0),
    ],
)
def test_classifiers_have_scikit_learns_importances(make, seed):
    """mean = feature_importances_ to 1e-12, for three classes."""
    model = make().fit(*table(seed, K=3))
    np.testing.assert_allclose(mdi(model).mean, model.feature_importances_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "make",
    [
        lambda: DecisionTreeRegressor(random_state=0),
        lambda: RandomForestRegressor(12, random_state=0, max_features=2),
        lambda: ExtraTreesRegressor(12, random_state=0),
        lambda: GradientBoostingRegressor(n_estimators=20, random_state=0, subsample=0.7),
    ],
)
def test_regressors_have_scikit_learns_importances(make, seed):
    """mean = feature_importances_ to 1e-12, with row weights."""
    X, y = table(seed)
    model = make().fit(X, y, sample_weight=np.random.default_rng(seed).integers(0, 4, len(y)))
    np.testing.assert_allclose(mdi(model).mean, model.feature_importances_, rtol=0, atol=1e-12)


def test_our_trees_read_back_from_scikit_learn_agree_unnormalised():
    """MDI-01: normalize=False is compute_feature_importances(normalize=False) to 1e-12."""
    X, y = table(9)
    model = DecisionTreeRegressor(random_state=0, min_samples_leaf=8).fit(X, y)
    expected = model.tree_.compute_feature_importances(normalize=False)
    np.testing.assert_allclose(mdi(model, normalize=False).mean, expected, atol=1e-12)
    np.testing.assert_allclose(
        mdi(grow_cart(X, y, criterion="variance", min_samples_leaf=8), normalize=False).mean,
        expected,
        atol=1e-12,
    )


def test_each_tree_is_one_draw():
    """A forest keeps the spread: p rows, M columns, and the mean is the mean."""
    X, y = table(2, K=2)
    frame = pd.DataFrame(X, columns=list("abcde"))
    result = mdi(grow_forest(frame, y, n_trees=7))
    assert result.names == tuple("abcde") and result.draws.shape == (5, 7)
    np.testing.assert_allclose(result.draws.sum(axis=0), 1, atol=1e-12)


def test_boosting_on_golf_sized_leaves_is_refused_without_impurities():
    """Libraries that keep gains instead of impurities have no MDI: a ValueError that says what to
    use."""
    X, y = table(3)
    for model in (
        HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=5).fit(X, y),
        xgboost.XGBRegressor(n_estimators=2).fit(X, y),
    ):
        with pytest.raises(ValueError, match="permutation_importance"):
            mdi(model)


def test_the_order_of_the_columns_only_reorders_the_result():
    """Untied data (no tiny nodes): permuted columns give permuted importances, to 1e-12, and the
    input is left alone."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 4))
    y = X @ [1.0, 2.0, 0.0, 0.5]
    before = X.copy()
    order = [2, 0, 3, 1]
    there = mdi(grow_cart(X, y, criterion="variance", min_samples_leaf=8)).mean
    back = mdi(grow_cart(X[:, order], y, criterion="variance", min_samples_leaf=8)).mean
    np.testing.assert_allclose(back, there[order], atol=1e-12)
    np.testing.assert_array_equal(X, before)


def test_strictly_increasing_transforms_change_nothing():
    """MDI-04: every decrease on the training rows is the same after x -> exp(x)."""
    X, y = table(5)
    plain, warped = (
        mdi(grow_cart(Z, y, criterion="variance"), normalize=False).mean for Z in (X, np.exp(X))
    )
    np.testing.assert_allclose(plain, warped, atol=1e-12)


# --- how sure ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "grow",
    [
        lambda X, y: grow_cart(X, y, criterion="variance", max_depth=3),
        lambda X, y: grow_forest(X, y, n_trees=20),
        lambda X, y: GradientBoostingRegressor(n_estimators=20).fit(X, y),
    ],
)
@pytest.mark.parametrize("normalize", [True, False])
def test_no_standard_error_is_offered_and_no_bar_drawn(grow, normalize):
    """Trees share their rows and stages their residuals: sd / sqrt(M) is no standard error."""
    result = mdi(grow(*table(10)), normalize=normalize)
    assert np.isnan(result.standard_error).all()
    assert result.to_frame()["standard_error"].isna().all()


def test_trees_on_the_same_rows_agree_far_more_than_trees_on_other_rows():
    """Why not: over 20 training sets the shares vary half as much again as sd / sqrt(M)
    says."""
    results = []
    for seed in range(20):
        world = friedman(150, p=6, rng=[21, seed])
        results.append(mdi(grow_forest(world.X, world.y, n_trees=50, rng=seed)))
    truth = np.std([result.mean for result in results], axis=0, ddof=1)
    claimed = np.mean([r.draws.std(axis=1, ddof=1) / np.sqrt(50) for r in results], axis=0)
    assert truth.mean() > 1.5 * claimed.mean()


def test_what_is_no_fitted_model_is_refused_with_advice():
    with pytest.raises(ValueError, match="fitted model"):
        mdi("forest")
