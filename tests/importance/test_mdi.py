"""Mean decrease in impurity: the formula on paper, scikit-learn's figures to 1e-12, and what out-of-bag rows put right."""

import numpy as np
import pandas as pd
import pytest
import xgboost
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

from fi_teach.basics.convert import as_forest
from fi_teach.data import golf, golf_nominal, midterm
from fi_teach.importance.mdi import debiased_mdi, decrease_by_feature, mdi
from fi_teach.trees import grow_c45, grow_cart, grow_forest


def table(seed, n=120, p=5, K=None):
    """Columns of few and many values, and a target that depends on three of them: a number, or one of K labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1], X[:, 2] = np.round(X[:, 1]), rng.integers(0, 2, n)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, signal if K is None else np.digitize(signal, np.quantile(signal, np.linspace(0, 1, K + 1)[1:-1]))


# --- closed form ------------------------------------------------------------------------------------------------------

def test_the_midterm_tree_gives_attendance_sixty_percent():
    """MID-06, MID-07: weighted .3, .075, .125 of .5; without node weights .3, .12, .5 of .92, so a third."""
    tree = grow_cart(*midterm())
    assert mdi(tree).names == ("Time", "Attends")
    np.testing.assert_allclose(mdi(tree).mean, [0.4, 0.6], atol=1e-12)
    np.testing.assert_allclose(mdi(tree, normalize=False).mean, [0.2, 0.3], atol=1e-12)
    np.testing.assert_allclose(mdi(tree, weighted=False).mean, [0.62 / 0.92, 0.3 / 0.92], atol=1e-12)


def test_decreases_telescope():
    """Over a tree grown to purity the decreases add up to the root's impurity, whatever the tree: 1e-12."""
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
        "Outlook": 0.2624, "Temperature": 0.0, "Humidity": 0.3688, "Wind": 0.3688}


def test_a_tree_without_a_split_gives_zeros():
    """No word of golf's has eight rows twice over: all zeros, not NaN."""
    tree = grow_c45(*golf_nominal(), min_samples_leaf=8)
    assert tree.n_nodes == 1
    np.testing.assert_array_equal(mdi(tree).mean, np.zeros(4))


def test_a_positive_factor_on_the_impurity_leaves_the_shares_alone():
    """IMP-05: bits and nats give the same tree and shares, and decreases that differ by log 2: 1e-12."""
    X, y = table(1, K=3)
    bits, nats = grow_cart(X, y, criterion="entropy"), grow_cart(X, y, criterion="entropy_nats")
    np.testing.assert_array_equal(bits.threshold, nats.threshold)
    np.testing.assert_allclose(mdi(bits).mean, mdi(nats).mean, atol=1e-12)
    np.testing.assert_allclose(mdi(bits, normalize=False).mean * np.log(2), mdi(nats, normalize=False).mean, atol=1e-12)


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


# --- agreement with scikit-learn --------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [
    lambda: DecisionTreeClassifier(random_state=0, max_depth=4),
    lambda: DecisionTreeClassifier(criterion="entropy", random_state=0),
    lambda: RandomForestClassifier(12, random_state=0),
    lambda: RandomForestClassifier(12, max_depth=1, min_samples_leaf=55, random_state=0),  # some trees are a single leaf
    lambda: ExtraTreesClassifier(12, random_state=0),
    lambda: GradientBoostingClassifier(n_estimators=10, random_state=0),
    lambda: AdaBoostClassifier(n_estimators=8, random_state=0),
])
def test_classifiers_have_scikit_learns_importances(make, seed):
    """mean = feature_importances_ to 1e-12, for three classes."""
    model = make().fit(*table(seed, K=3))
    np.testing.assert_allclose(mdi(model).mean, model.feature_importances_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [
    lambda: DecisionTreeRegressor(random_state=0),
    lambda: RandomForestRegressor(12, random_state=0, max_features=2),
    lambda: ExtraTreesRegressor(12, random_state=0),
    lambda: GradientBoostingRegressor(n_estimators=20, random_state=0, subsample=0.7),
])
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
    np.testing.assert_allclose(mdi(grow_cart(X, y, criterion="variance", min_samples_leaf=8), normalize=False).mean, expected, atol=1e-12)


def test_each_tree_is_one_draw():
    """A forest keeps the spread: p rows, M columns, and the mean is the mean."""
    X, y = table(2, K=2)
    frame = pd.DataFrame(X, columns=list("abcde"))
    result = mdi(grow_forest(frame, y, n_trees=7))
    assert result.names == tuple("abcde") and result.draws.shape == (5, 7)
    np.testing.assert_allclose(result.draws.sum(axis=0), 1, atol=1e-12)


def test_boosting_on_golf_sized_leaves_is_refused_without_impurities():
    """Libraries that keep gains instead of impurities have no MDI: a ValueError that says what to use."""
    X, y = table(3)
    for model in (HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=5).fit(X, y), xgboost.XGBRegressor(n_estimators=2).fit(X, y)):
        with pytest.raises(ValueError, match="permutation_importance"):
            mdi(model)


def test_the_order_of_the_columns_only_reorders_the_result():
    """Untied data (no tiny nodes): permuted columns give permuted importances, to 1e-12, and the input is left alone."""
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
    plain, warped = (mdi(grow_cart(Z, y, criterion="variance"), normalize=False).mean for Z in (X, np.exp(X)))
    np.testing.assert_allclose(plain, warped, atol=1e-12)


# --- debiased ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("K", [None, 3])
def test_in_bag_both_measures_are_mdi_itself(K):
    """Told that the in-bag rows were the out-of-bag ones, both give MDI unnormalised, to 1e-12 (Li et al. 2019, prop. 1)."""
    from fi_teach.importance.mdi import _moves_towards_y, _unbiased_decrease

    X, y = table(6, K=K)
    forest = grow_forest(X, y + 1000 if K is None else y, n_trees=5, max_depth=4)
    Y = y[:, None] + 1000 if K is None else (y[:, None] == np.arange(K)).astype(float)
    for tree, seen in zip(forest.trees, forest.in_bag, strict=True):
        rows = np.repeat(np.arange(len(X)), seen)
        for measure in (_moves_towards_y, _unbiased_decrease):
            np.testing.assert_allclose(measure(tree, X[rows], Y[rows]), decrease_by_feature(tree), atol=1e-9 if K is None else 1e-12)


def by_definition(forest, X, Y, method):
    """Both measures row by row and node by node, straight from the papers' formulas -> (p, M)."""
    draws = np.zeros((X.shape[1], len(forest.trees)))
    for m, (tree, seen) in enumerate(zip(forest.trees, forest.in_bag, strict=True)):
        out = np.flatnonzero(seen == 0)
        path = tree.decision_path(X)
        for t in np.flatnonzero(~tree.is_leaf):
            left, right = tree.children_left[t], tree.children_right[t]
            if method == "oob":
                value = sum((tree.value[left if path[i, left] else right] - tree.value[t]) @ (Y[i] - tree.value[0])
                            for i in out if path[i, t]) / len(out)
            else:
                value = ufi_of(tree, t, path, seen, Y)
            draws[tree.feature[t], m] += value
    return draws


def ufi_of(tree, t, path, seen, Y):
    def share_and_impurity(node):
        inside, outside = np.repeat(np.flatnonzero(path[:, node]), seen[path[:, node]]), path[:, node] & (seen == 0)
        mean = Y[inside].mean(axis=0)
        return len(inside) / seen.sum(), (((Y[inside] - mean) ** 2).sum(axis=1).mean() + ((Y[outside] - mean) ** 2).sum(axis=1).mean()) / 2

    children = [tree.children_left[t], tree.children_right[t]]
    if any(not (path[:, node] & (seen == 0)).any() for node in children):
        return 0.0
    return np.prod(share_and_impurity(t)) - sum(np.prod(share_and_impurity(node)) for node in children)


@pytest.mark.parametrize("method", ["oob", "ufi"])
@pytest.mark.parametrize("K", [None, 3])
def test_the_fast_measures_are_the_papers_formulas(method, K):
    """Row by row and node by node gives the same, to 1e-10."""
    X, y = table(7, n=60, K=K)
    forest = grow_forest(X, y, n_trees=3)
    Y = y[:, None] if K is None else (y[:, None] == np.arange(K)).astype(float)
    np.testing.assert_allclose(debiased_mdi(forest, X, y, method=method).draws, by_definition(forest, X, Y, method), atol=1e-10)


def test_unbiased_split_improvement_of_classes_is_one_less_the_product_of_shares():
    """Zhou and Hooker's H' = 1 - sum_k p_k q_k: half of the two sums of squares, for 0/1 columns, to 1e-12."""
    rng = np.random.default_rng(0)
    inside, outside = (np.eye(3)[rng.integers(0, 3, n)] for n in (20, 7))
    p, q = inside.mean(axis=0), outside.mean(axis=0)
    halves = (((inside - p) ** 2).sum(axis=1).mean() + ((outside - p) ** 2).sum(axis=1).mean()) / 2
    np.testing.assert_allclose(halves, 1 - p @ q, atol=1e-12)


@pytest.mark.parametrize("method", ["oob", "ufi"])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_feature_that_knows_nothing_gets_zero_on_average(method, kind):
    """MDI-06 and its cure: y is noise; over 30 data sets each feature's mean is within 4 standard errors of 0, where MDI
    gives the continuous column at least four times the binary one."""
    debiased, plain = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.normal(size=120), rng.integers(0, 10, 120), rng.integers(0, 2, 120)])
        y = rng.integers(0, 2, 120) if kind == "classes" else 100 + rng.normal(size=120)
        forest = grow_forest(X, y, n_trees=15, rng=seed)
        debiased.append(debiased_mdi(forest, X, y, method=method).mean)
        plain.append(mdi(forest).mean)
    debiased, plain = np.array(debiased), np.mean(plain, axis=0)
    assert (np.abs(debiased.mean(axis=0)) < 4 * debiased.std(axis=0, ddof=1) / np.sqrt(30)).all()
    assert plain[0] > 4 * plain[2]


@pytest.mark.parametrize("method", ["oob", "ufi"])
def test_a_planted_feature_stands_out(method):
    """y = 2 x0 + noise: x0 has more than ten times what any other column gets."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = 2 * X[:, 0] + 0.5 * rng.normal(size=300)
    mean = debiased_mdi(grow_forest(X, y, n_trees=20), X, y, method=method).mean
    assert mean[0] > 10 * np.abs(mean[1:]).max()


def test_scikit_learns_forests_can_be_debiased():
    """Its bootstrap samples are read back: the same figures from the model and from its conversion."""
    X, y = table(8, K=2)
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(debiased_mdi(model, X, y).draws, debiased_mdi(as_forest(model), X, y).draws)


def test_several_outputs_are_added_up():
    """The measure of two outputs is the sum over outputs of each one's, to 1e-12: here the same output twice."""
    X, y = table(8)
    one = grow_forest(X, y, n_trees=4, max_depth=3, max_features=None)
    two = grow_forest(X, np.column_stack([y, y]), n_trees=4, max_depth=3, max_features=None)
    for method in ("oob", "ufi"):
        np.testing.assert_allclose(debiased_mdi(two, X, np.column_stack([y, y]), method=method).draws,
                                   2 * debiased_mdi(one, X, y, method=method).draws, atol=1e-12)


def test_bad_input_is_refused_with_advice():
    X, y = table(9, K=2)
    forest = grow_forest(X, y, n_trees=3)
    numbers = grow_forest(X, X[:, 0], n_trees=3)
    for arguments, advice in [
        ((grow_cart(X, y), X, y), "grow_forest"),
        ((GradientBoostingRegressor(n_estimators=2).fit(X, y), X, y), "grow_forest"),
        ((forest, X[:50], y[:50]), "training rows"),
        ((forest, X, np.where(y == 1, 7, y)), "never saw"),
        ((forest, X, y[:5]), "shape"),
        ((numbers, X, np.column_stack([y, y])), "columns"),
        ((grow_forest(X, y, n_trees=3, bootstrap=False), X, y), "bootstrap"),
    ]:
        with pytest.raises(ValueError, match=advice):
            debiased_mdi(*arguments)
    with pytest.raises(ValueError, match="'oob' or 'ufi'"):
        debiased_mdi(forest, X, y, method="out")
    with pytest.raises(ValueError, match="fitted model"):
        mdi("forest")
