"""MDI measured out of bag: in bag MDI itself, and zero for what knows nothing."""


import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from small_tables import few_and_many_values

from fi_teach.basics.convert import as_forest
from fi_teach.importance.debiased_mdi import _half_unbiased_decrease, _moves_towards_y, debiased_mdi
from fi_teach.importance.mdi import decrease_by_feature, mdi
from fi_teach.trees import grow_forest

METHODS = pytest.mark.parametrize("method", ["oob", "ufi"])


@pytest.mark.parametrize("K", [None, 3])
def test_in_bag_both_measures_are_mdi_itself(K):
    """Told that the in-bag rows were the out-of-bag ones, both give MDI unnormalised (Li et al. 2019, prop. 1)."""
    X, y = few_and_many_values(6, K=K)
    y = y + 1000 if K is None else y
    forest = grow_forest(X, y, n_trees=5, max_depth=4)
    Y = y[:, None] if K is None else (y[:, None] == np.arange(K)).astype(float)
    for tree, seen in zip(forest.trees, forest.in_bag, strict=True):
        rows = np.repeat(np.arange(len(X)), seen)
        for measure in (_moves_towards_y, _half_unbiased_decrease):
            np.testing.assert_allclose(
                measure(tree, X[rows], Y[rows]), decrease_by_feature(tree), atol=1e-9 if K is None else 1e-12)


@METHODS
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_feature_that_knows_nothing_gets_zero_on_average(method, kind):
    """MDI-06 and its cure: y is noise; over 30 data sets each feature's mean is within 4 standard errors of 0,
    where MDI gives the continuous column at least four times the binary one."""
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


def test_scikit_learns_forests_can_be_debiased():
    """Its bootstrap samples are read back: the same figures from model and conversion; no standard error."""
    X, y = few_and_many_values(8, K=2)
    model = RandomForestClassifier(10, random_state=0).fit(X, y)
    found = debiased_mdi(model, X, y)
    assert found == debiased_mdi(as_forest(model), X, y) and np.isnan(found.standard_error).all()


@METHODS
def test_several_outputs_are_added_up(method):
    """The measure of two outputs is the sum over outputs of each one's: here the same output twice."""
    X, y = few_and_many_values(8)
    one, two = (
        debiased_mdi(grow_forest(X, Y, n_trees=4, max_depth=3, max_features=None), X, Y, method=method).draws
        for Y in (y, np.column_stack([y, y])))
    np.testing.assert_allclose(two, 2 * one, atol=1e-12)
