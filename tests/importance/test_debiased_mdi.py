"""MDI measured out of bag: the papers' formulas, row by row, and zero for what knows nothing."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from definitions import debiased_mdi_by_definition
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier

from fi_teach.basics.convert import as_forest
from fi_teach.importance.debiased_mdi import _half_unbiased_decrease, _moves_towards_y, debiased_mdi
from fi_teach.importance.mdi import decrease_by_feature, mdi
from fi_teach.trees import grow_cart, grow_forest


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


@pytest.mark.parametrize("K", [None, 3])
def test_in_bag_both_measures_are_mdi_itself(K):
    """Told that the in-bag rows were the out-of-bag ones, both give MDI unnormalised, to 1e-12 (Li
    et al. 2019, prop. 1)."""
    X, y = table(6, K=K)
    forest = grow_forest(X, y + 1000 if K is None else y, n_trees=5, max_depth=4)
    Y = y[:, None] + 1000 if K is None else (y[:, None] == np.arange(K)).astype(float)
    for tree, seen in zip(forest.trees, forest.in_bag, strict=True):
        rows = np.repeat(np.arange(len(X)), seen)
        for measure in (_moves_towards_y, _half_unbiased_decrease):
            np.testing.assert_allclose(
                measure(tree, X[rows], Y[rows]),
                decrease_by_feature(tree),
                atol=1e-9 if K is None else 1e-12,
            )


@pytest.mark.parametrize("method", ["oob", "ufi"])
@pytest.mark.parametrize("K", [None, 3])
def test_the_fast_measures_are_the_papers_formulas(method, K):
    """Row by row and node by node gives the same, to 1e-10."""
    X, y = table(7, n=60, K=K)
    forest = grow_forest(X, y, n_trees=3)
    fast = debiased_mdi(forest, X, y, method=method)
    slow = debiased_mdi_by_definition(forest, X, y, method=method)
    np.testing.assert_allclose(fast.draws, slow.draws, atol=1e-10)
    assert (fast.names, fast.method, fast.unit) == (slow.names, slow.method, slow.unit)


def test_unbiased_feature_importance_of_classes_is_one_less_the_product_of_shares():
    """Zhou and Hooker's H' = 1 - sum_k p_k q_k: half of the two sums of squares, for 0/1 columns,
    to 1e-12."""
    rng = np.random.default_rng(0)
    inside, outside = (np.eye(3)[rng.integers(0, 3, n)] for n in (20, 7))
    p, q = inside.mean(axis=0), outside.mean(axis=0)
    halves = (((inside - p) ** 2).sum(axis=1).mean() + ((outside - p) ** 2).sum(axis=1).mean()) / 2
    np.testing.assert_allclose(halves, 1 - p @ q, atol=1e-12)


@pytest.mark.parametrize("method", ["oob", "ufi"])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_feature_that_knows_nothing_gets_zero_on_average(method, kind):
    """MDI-06 and its cure: y is noise; over 30 data sets each feature's mean is within 4 standard errors of 0,
    where MDI gives the continuous column at least four times the binary one."""
    debiased, plain = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = np.column_stack(
            [rng.normal(size=120), rng.integers(0, 10, 120), rng.integers(0, 2, 120)]
        )
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
    """Its bootstrap samples are read back: the same figures from the model and from its
    conversion."""
    X, y = table(8, K=2)
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        debiased_mdi(model, X, y).draws, debiased_mdi(as_forest(model), X, y).draws
    )


def test_several_outputs_are_added_up():
    """The measure of two outputs is the sum over outputs of each one's, to 1e-12: here the same
    output twice."""
    X, y = table(8)
    one = grow_forest(X, y, n_trees=4, max_depth=3, max_features=None)
    two = grow_forest(X, np.column_stack([y, y]), n_trees=4, max_depth=3, max_features=None)
    for method in ("oob", "ufi"):
        np.testing.assert_allclose(
            debiased_mdi(two, X, np.column_stack([y, y]), method=method).draws,
            2 * debiased_mdi(one, X, y, method=method).draws,
            atol=1e-12,
        )


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
    with pytest.raises(ValueError, match="'oob', 'ufi'"):
        debiased_mdi(forest, X, y, method="out")


def test_columns_that_the_forest_does_not_know_are_refused():
    """Fitted on (a, b), handed (b, c): c is not b, wherever it stands."""
    X, y = table(12)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    forest = grow_forest(frame, y, n_trees=3)
    with pytest.raises(ValueError, match="b"):
        debiased_mdi(forest, frame.rename(columns={"a": "b", "b": "c"}), y)


def test_columns_in_another_order_are_put_in_the_forests():
    X, y = table(13)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    forest = grow_forest(frame, y, n_trees=3)
    there, back = (debiased_mdi(forest, t, y) for t in (frame, frame[["b", "a"]]))
    assert there.names == back.names == ("a", "b")
    np.testing.assert_array_equal(there.draws, back.draws)


def test_no_standard_error_is_offered():
    """As for MDI: the trees share their training rows."""
    X, y = table(14)
    assert np.isnan(debiased_mdi(grow_forest(X, y, n_trees=9), X, y).standard_error).all()


def test_one_tree_without_out_of_bag_rows_is_enough_to_refuse():
    """The mean over trees needs every tree's out-of-bag rows, and of one of these three there are none."""
    X, y = table(15, n=40)
    forest = grow_forest(X, y, n_trees=3)
    in_bag = forest.in_bag.copy()
    in_bag[1] = 1
    with pytest.raises(ValueError, match="some tree saw every row"):
        debiased_mdi(replace(forest, in_bag=in_bag), X, y)
