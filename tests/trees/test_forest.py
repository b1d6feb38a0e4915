"""Forests: bootstrap and out-of-bag books exact by definition, and as scikit-learn's."""


import numpy as np
import pandas as pd
import pytest
from definitions import check_same_tree, grow_forest_by_definition
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from fi_teach.trees import from_model
from fi_teach.trees.forest import bootstrap_counts, grow_forest, holds_classes, oob_prediction


def classes_of(n, seed=0, p=5):
    rng = np.random.default_rng([seed, 1])
    X = rng.normal(size=(n, p)).astype(np.float32).astype(float)
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) / 2 > 0, "yes", "no")


def numbers_of(n, seed=0, p=5):
    X, _ = classes_of(n, seed, p)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + np.random.default_rng([seed, 2]).normal(size=n) / 2


BOTH = pytest.mark.parametrize("data", [classes_of, numbers_of], ids=["classes", "numbers"])


# ---- closed form and definition

def test_a_bootstrap_sample_has_n_rows_and_misses_about_a_share_one_over_e():
    """Each row is missed with probability (1 - 1/n)^n; 400 samples of 200 rows, 5 standard errors."""
    counts = bootstrap_counts(200, 400, rng=1)
    assert (counts.sum(axis=1) == 200).all()
    expected = (1 - 1 / 200) ** 200
    assert abs((counts == 0).mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / counts.size)


@BOTH
@pytest.mark.parametrize("min_samples_leaf", [1, 3])
def test_where_all_columns_are_candidates_trees_are_cart_by_definition_on_each_sample(data, min_samples_leaf):
    """In every field, to 1e-12; and the forest predicts the mean of its trees."""
    for seed in range(3):
        X, y = data(25, seed=seed, p=3)
        X = np.round(X, seed)  # few values, some, many
        options = {"n_trees": 4, "max_depth": 3, "min_samples_leaf": min_samples_leaf, "rng": seed}
        fast, slow = grow_forest(X, y, max_features=None, **options), grow_forest_by_definition(X, y, **options)
        np.testing.assert_array_equal(fast.in_bag, slow.in_bag)
        np.testing.assert_allclose(fast.raw(X), np.mean([tree.raw(X) for tree in slow.trees], axis=0), atol=1e-12)
        for ours, theirs in zip(fast.trees, slow.trees, strict=True):
            assert ours.classes == theirs.classes and ours.names == theirs.names
            check_same_tree(ours, theirs)


def test_the_books_are_the_trees_own():
    X, y = classes_of(60)
    forest = grow_forest(X, y, n_trees=20, rng=4)
    assert forest.in_bag.shape == (20, 60)
    for tree, counts in zip(forest.trees, forest.in_bag, strict=True):
        assert tree.n_node_samples[0] == (counts > 0).sum()
        assert tree.weighted_n_node_samples[0] == 60
        shares = np.array([counts[y == label].sum() for label in forest.classes]) / 60
        np.testing.assert_allclose(tree.value[0], shares)


def test_without_bootstrap_every_row_is_in_every_bag():
    X, y = classes_of(30)
    forest = grow_forest(X, y, n_trees=5, bootstrap=False)
    assert (forest.in_bag == 1).all()
    assert np.isnan(oob_prediction(forest, X)).all()


def test_candidates_are_a_root_for_classes_and_a_third_for_numbers():
    """With 9 features a node that may look at 3 of them finds the only useful one in a third
    of the trees (300 stumps, 4 se)."""
    X = np.random.default_rng(8).normal(size=(100, 9))
    for y in (X[:, 4], X[:, 4] > 0):
        forest = grow_forest(X, y, n_trees=300, max_depth=1)
        share = np.mean([tree.feature[0] == 4 for tree in forest.trees])
        assert abs(share - 1 / 3) < 4 * np.sqrt(2 / 9 / 300)


@pytest.mark.parametrize(("y", "classes"), [
    (["a", "b"], True), ([True, False], True), (list(range(20)), True), ([0.0, 1.0], False), (list(range(21)), False),
    ([[1, 2], [3, 4]], False), (pd.Series(["a", "b"], dtype="category"), True)])
def test_labels_are_told_from_numbers(y, classes):
    assert holds_classes(y) == classes


# ---- null, and several outputs

def test_several_outputs_are_predicted_together():
    X, y = numbers_of(200)
    forest = grow_forest(X, np.column_stack([y, -2 * y]), n_trees=20, max_depth=4)
    prediction = forest.predict(X)
    np.testing.assert_allclose(prediction[:, 1], -2 * prediction[:, 0], atol=1e-10)
    assert oob_prediction(forest, X).shape == (200, 2)


# ---- agreement with the reference library

@BOTH
def test_out_of_bag_prediction_of_scikit_learns_forest_is_scikit_learns(data):
    """Of the same trees, to 1e-12; so few of them that some rows are in every bag, and have none."""
    X, y = data(40)
    kind = RandomForestClassifier if data is classes_of else RandomForestRegressor
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model = kind(4, oob_score=True, random_state=0).fit(X, y)
    forest = from_model(model)
    ours, asked = oob_prediction(forest, X), (forest.in_bag == 0).any(axis=0)
    theirs = model.oob_decision_function_ if data is classes_of else model.oob_prediction_[:, None]
    np.testing.assert_allclose(ours[asked], theirs[asked], atol=1e-12)
    assert np.isnan(ours[~asked]).all() and not asked.all()
