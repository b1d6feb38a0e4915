"""Forests: bootstrap and out-of-bag books exact by definition, statistics as scikit-learn's."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from definitions import grow_forest_by_definition, oob_prediction_by_definition
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from fi_teach.trees.cart import grow_cart
from fi_teach.trees.forest import (
    bootstrap_counts,
    grow_forest,
    holds_classes,
    oob_prediction,
)


def classes_of(n, seed=0, p=5):
    rng = np.random.default_rng([seed, 1])
    X = rng.normal(size=(n, p)).astype(np.float32).astype(float)
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) / 2 > 0, "yes", "no")


def numbers_of(n, seed=0, p=6):
    rng = np.random.default_rng([seed, 2])
    X = rng.normal(size=(n, p)).astype(np.float32).astype(float)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) / 2


def decrease_shares(trees, p):
    """MDI by hand: each tree's weighted decreases by feature, as shares of its total, averaged over trees."""
    shares = []
    for t in trees:
        fall = (t.weighted_n_node_samples * t.decrease)[~t.is_leaf]
        shares.append(np.bincount(t.feature[~t.is_leaf], fall, p) / fall.sum())
    return np.mean(shares, axis=0)


# ---- closed form and definition

def test_a_bootstrap_sample_has_n_rows_and_misses_about_a_share_one_over_e():
    """Each row is missed with probability (1 - 1/n)^n; 400 samples of 200 rows, 5 standard errors."""
    counts = bootstrap_counts(200, 400, rng=1)
    assert (counts.sum(axis=1) == 200).all()
    expected = (1 - 1 / 200) ** 200
    assert abs((counts == 0).mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / counts.size)


@pytest.mark.parametrize(("X", "y"), [classes_of(80), numbers_of(80)], ids=["classes", "numbers"])
def test_without_random_candidates_each_tree_is_cart_on_its_bootstrap_weights(X, y):
    forest = grow_forest(X, y, n_trees=5, max_features=None, max_depth=4, rng=3)
    for tree, counts in zip(forest.trees, forest.in_bag, strict=True):
        alone = grow_cart(X, y, criterion=tree.criterion, max_depth=4, sample_weight=counts)
        np.testing.assert_array_equal(tree.feature, alone.feature)
        np.testing.assert_array_equal(tree.threshold, alone.threshold)
        np.testing.assert_allclose(tree.value, alone.value, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("min_samples_leaf", [1, 3])
def test_a_forest_grown_on_one_frontier_is_cart_by_definition_on_each_sample(seed, min_samples_leaf):
    """Where all columns are candidates the engine's trees are the definition's, in every field: 1e-12."""
    X, y = classes_of(25, seed=seed, p=3)
    X = np.round(X, seed % 3)  # few values, some, many
    options = {"n_trees": 4, "max_depth": 3, "min_samples_leaf": min_samples_leaf, "rng": seed}
    fast = grow_forest(X, y, max_features=None, **options)
    slow = grow_forest_by_definition(X, y, **options)
    np.testing.assert_array_equal(fast.in_bag, slow.in_bag)
    for ours, theirs in zip(fast.trees, slow.trees, strict=True):
        assert ours.classes == theirs.classes and ours.names == theirs.names
        for field in ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples",
                      "weighted_n_node_samples", "value"):
            np.testing.assert_allclose(getattr(ours, field), getattr(theirs, field), atol=1e-12, err_msg=field)


def test_the_books_are_the_trees_own():
    X, y = classes_of(60)
    forest = grow_forest(X, y, n_trees=20, rng=4)
    assert forest.in_bag.shape == (20, 60)
    for tree, counts in zip(forest.trees, forest.in_bag, strict=True):
        assert tree.n_node_samples[0] == (counts > 0).sum()
        assert tree.weighted_n_node_samples[0] == 60
        shares = np.array([counts[y == label].sum() for label in forest.classes]) / 60
        np.testing.assert_allclose(tree.value[0], shares)


@pytest.mark.parametrize(("X", "y"), [classes_of(40), numbers_of(40)], ids=["classes", "numbers"])
def test_out_of_bag_prediction_is_its_definition(X, y):
    forest = grow_forest(X, y, n_trees=4, rng=5)  # so few trees that some rows are in every bag
    ours = oob_prediction(forest, X)
    np.testing.assert_allclose(ours, oob_prediction_by_definition(forest, X), atol=1e-12, equal_nan=True)
    np.testing.assert_array_equal(np.isnan(ours[:, 0]), (forest.in_bag > 0).all(axis=0))
    assert np.isnan(ours).any()


def test_a_forest_predicts_the_mean_of_its_trees():
    X, y = numbers_of(60)
    forest = grow_forest(X, y, n_trees=7)
    np.testing.assert_allclose(forest.predict(X), np.mean([tree.predict(X) for tree in forest.trees], axis=0),
                               atol=1e-12)


def test_without_bootstrap_every_row_is_in_every_bag():
    X, y = classes_of(30)
    forest = grow_forest(X, y, n_trees=5, bootstrap=False)
    assert (forest.in_bag == 1).all()
    assert np.isnan(oob_prediction(forest, X)).all()


def test_candidates_are_a_root_for_classes_and_a_third_for_numbers():
    """With 9 features a node that may look at 3 of them finds the only useful one in a third
    of the trees (300 stumps, 4 se)."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(100, 9))
    for y in (X[:, 4], X[:, 4] > 0):
        forest = grow_forest(X, y, n_trees=300, max_depth=1)
        share = np.mean([tree.feature[0] == 4 for tree in forest.trees])
        assert abs(share - 1 / 3) < 4 * np.sqrt(2 / 9 / 300)


@pytest.mark.parametrize(("y", "classes"), [
    (["a", "b"], True), ([True, False], True), ([0, 1, 2], True), ([0.0, 1.0], False), (list(range(21)), False),
    ([[1, 2], [3, 4]], False), (pd.Series(["a", "b"], dtype="category"), True)])
def test_labels_are_told_from_numbers(y, classes):
    assert holds_classes(y) == classes


# ---- planted truth and null

def test_a_forest_finds_the_planted_features_and_predicts_rows_it_never_saw():
    X, y = classes_of(500)
    forest = grow_forest(X, y, n_trees=60)
    shares = decrease_shares(forest.trees, 5)
    assert set(np.argsort(shares)[-3:]) == {0, 1, 2}
    fresh, truth = classes_of(500, seed=9)
    assert (forest.predict(fresh) == truth).mean() > 0.8


def test_out_of_bag_accuracy_on_pure_noise_is_a_coin_toss_and_in_bag_accuracy_is_not():
    """Features independent of y: out of bag 50 % within 4 standard errors of sqrt(.25/600);
    the trees know their own rows."""
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(600, 4)), rng.permutation(np.arange(600) % 2)
    forest = grow_forest(X, y, n_trees=40)
    assert abs((oob_prediction(forest, X).argmax(axis=1) == y).mean() - 0.5) < 4 * np.sqrt(0.25 / 600)
    assert (forest.predict(X) == y).mean() > 0.99


def test_several_outputs_are_predicted_together():
    X, y = numbers_of(200)
    both = np.column_stack([y, -2 * y])
    forest = grow_forest(X, both, n_trees=20, max_depth=4)
    prediction = forest.predict(X)
    np.testing.assert_allclose(prediction[:, 1], -2 * prediction[:, 0], atol=1e-10)
    assert oob_prediction(forest, X).shape == (200, 2)


# ---- agreement with the reference library

def test_out_of_bag_error_and_mdi_agree_with_scikit_learn_for_classes():
    """8 forests of 50 trees each on 400 rows; the means of the two libraries within .02 (error) and .015 (shares)."""
    X, y = classes_of(400)
    ours, theirs, our_shares, their_shares = [], [], [], []
    for seed in range(8):
        forest = grow_forest(X, y, n_trees=50, rng=seed)
        ours.append((np.array(forest.classes)[np.nan_to_num(oob_prediction(forest, X)).argmax(axis=1)] != y).mean())
        our_shares.append(decrease_shares(forest.trees, 5))
        sk = RandomForestClassifier(50, oob_score=True, random_state=seed).fit(X, y)
        theirs.append(1 - sk.oob_score_)
        their_shares.append(sk.feature_importances_)
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.02)
    np.testing.assert_allclose(np.mean(our_shares, axis=0), np.mean(their_shares, axis=0), atol=0.015)


def test_out_of_bag_error_and_mdi_agree_with_scikit_learn_for_numbers():
    """8 forests of 50 trees each on 400 rows; R squared within .02, shares within .015."""
    X, y = numbers_of(400)
    ours, theirs, our_shares, their_shares = [], [], [], []
    for seed in range(8):
        forest = grow_forest(X, y, n_trees=50, max_features=2, min_samples_leaf=3, rng=seed)
        ours.append(1 - ((oob_prediction(forest, X)[:, 0] - y) ** 2).mean() / y.var())
        our_shares.append(decrease_shares(forest.trees, 6))
        sk = RandomForestRegressor(50, max_features=2, min_samples_leaf=3, oob_score=True, random_state=seed).fit(X, y)
        theirs.append(sk.oob_score_)
        their_shares.append(sk.feature_importances_)
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=0.02)
    np.testing.assert_allclose(np.mean(our_shares, axis=0), np.mean(their_shares, axis=0), atol=0.015)


# ---- the door

def test_one_seed_one_forest():
    X, y = classes_of(60)
    first, again, other = (grow_forest(X, y, n_trees=5, rng=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.in_bag, again.in_bag)
    for one, two in zip(first.trees, again.trees, strict=True):
        np.testing.assert_array_equal(one.threshold, two.threshold)
    assert (first.in_bag != other.in_bag).any()


def test_frames_give_names_and_nothing_is_changed():
    X, y = classes_of(40)
    table = pd.DataFrame(X, columns=list("abcde"))
    before, y_before = table.copy(), y.copy()
    forest = grow_forest(table, pd.Series(y), n_trees=3)
    oob_prediction(forest, table)
    pd.testing.assert_frame_equal(table, before)
    np.testing.assert_array_equal(y, y_before)
    assert forest.names == tuple("abcde")
    assert forest.classes == ("no", "yes")


X, Y = classes_of(30)


@pytest.mark.parametrize(("call", "says"), [
    (lambda: grow_forest(X, Y, n_trees=0), "n_trees is 0"),
    (lambda: grow_forest(X, Y, n_trees=2.5), "n_trees is 2.5"),
    (lambda: grow_forest(X, Y, criterion="mae"), "unknown criterion 'mae'"),
    (lambda: grow_forest(X, Y, criterion="variance"), "expected numbers"),
    (lambda: grow_forest(X, Y, max_features=9), "max_features is 9"),
    (lambda: grow_forest(X, Y, max_depth=0), "max_depth is 0"),
    (lambda: grow_forest(X, Y, min_samples_leaf=0), "min_samples_leaf is 0"),
    (lambda: grow_forest(X, ["yes"] * 30), "y is constant"),
    (lambda: grow_forest(X[:1], Y[:1]), "y is constant"),
    (lambda: grow_forest(X, Y[:5]), "30 rows"),
    (lambda: grow_forest(X, 1), "30 rows"),
    (lambda: grow_forest(np.full((30, 2), np.nan), Y), "NaN"),
    (lambda: oob_prediction(grow_forest(X, Y, n_trees=2), X[:5]), "for the training rows"),
    (lambda: oob_prediction(grow_forest(X, Y, n_trees=2), X[:, :3]), "3 columns"),
])
def test_bad_input_is_refused_with_a_sentence_that_helps(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_a_forest_that_kept_no_books_has_no_out_of_bag_rows():
    for model in (replace(grow_forest(X, Y, n_trees=2), in_bag=None), grow_cart(X, Y), RandomForestClassifier()):
        with pytest.raises(ValueError, match="has no in_bag"):
            oob_prediction(model, X)


def test_columns_find_their_places_by_name_out_of_bag_too():
    table = pd.DataFrame(X, columns=list("abcde"))
    forest = grow_forest(table, Y, n_trees=5)
    np.testing.assert_array_equal(oob_prediction(forest, table[list("edcba")]), oob_prediction(forest, table))


def test_twenty_different_whole_numbers_are_still_classes():
    assert holds_classes(np.arange(20)) and not holds_classes(np.arange(21))
