"""What a converted model keeps, and what cannot be converted.

That trees say what their library says is tried for every configuration in tests/test_models_of_libraries.py.
"""

import json
import warnings
from types import SimpleNamespace

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fi_teach.basics.convert import as_forest, from_model
from fi_teach.basics.convert import scikit_learn as reader_of_scikit_learn
from fi_teach.basics.convert import xgboost as reader_of_xgboost
from fi_teach.basics.model import as_model
from fi_teach.basics.thresholds import double_threshold
from fi_teach.trees.cart import grow_cart

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4))
Y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=150)
CLASSES = np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])]
QUIET = {"n_estimators": 2, "n_jobs": 1, "verbose": -1}


# --- what is kept -----------------------------------------------------------------------------------------------------

def test_the_nodes_keep_what_scikit_learn_knows_of_them():
    """Thresholds agree to single precision."""
    model = DecisionTreeClassifier(random_state=0).fit(X, CLASSES, sample_weight=np.arange(1, 151))
    tree, theirs = from_model(model).trees[0], model.tree_
    for name in ("children_left", "children_right", "feature", "impurity", "n_node_samples", "weighted_n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(theirs, name))
    np.testing.assert_allclose(tree.threshold, theirs.threshold, rtol=1e-7)
    np.testing.assert_array_equal(tree.apply(X), model.apply(X))


def test_a_histogram_tree_counts_the_rows_in_its_nodes():
    tree = from_model(HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5).fit(X, Y)).trees[0]
    assert np.isnan(tree.impurity).all()
    np.testing.assert_array_equal(tree.decision_path(X).sum(axis=0), tree.n_node_samples)


def test_the_forest_remembers_which_rows_each_tree_saw():
    """n draws a tree, and the tree's root counts the distinct ones."""
    forest = from_model(RandomForestRegressor(6, random_state=0).fit(X, Y))
    assert forest.in_bag.shape == (6, 150) and (forest.in_bag.sum(axis=1) == 150).all()
    assert [(row > 0).sum() for row in forest.in_bag] == [tree.n_node_samples[0] for tree in forest.trees]


def test_a_bagged_tree_that_missed_a_class_has_its_shares_in_the_bags_columns():
    """Inside a bag a tree numbers the classes 0, 1, 2; this one saw no 1."""
    seen = DecisionTreeClassifier().fit([[0], [1]], [0, 2])
    tree = reader_of_scikit_learn._class_tree_of(seen, ("x0",), ("a", "b", "c"))
    assert tree.value[1:].tolist() == [[1, 0, 0], [0, 0, 1]] and tree.classes == ("a", "b", "c")


def test_our_own_models_pass_through():
    """A Tree becomes a forest of one; a Forest stays the very same object."""
    tree = grow_cart(X, CLASSES)
    forest = as_forest(tree)
    assert forest.kind == "tree" and as_forest(forest) is forest and from_model(forest) is forest
    np.testing.assert_array_equal(forest.raw(X), tree.raw(X))
    np.testing.assert_array_equal(forest.predict(X), tree.predict(X))


# --- thresholds, gaps, categories -------------------------------------------------------------------------------------

@pytest.mark.parametrize("strict", [False, True])
def test_the_double_threshold_says_what_single_precision_says_of_every_double(strict):
    """At the doubles nearest to where it turns, and exactly there."""
    thresholds = np.concatenate([Y, Y.astype(np.float32), np.arange(-5, 5) / 2, [0.0, 1e-40]])
    turn = double_threshold(thresholds, strict=strict)
    near = [turn, np.nextafter(turn, np.inf), np.nextafter(turn, -np.inf), thresholds, thresholds * (1 + 1e-8),
            thresholds - 1e-9]
    for x in near:
        single = x.astype(np.float32).astype(float)
        np.testing.assert_array_equal(x <= turn, single < thresholds if strict else single <= thresholds)


def test_a_library_that_refuses_gaps_gives_trees_that_refuse_them():
    forest = from_model(GradientBoostingRegressor(n_estimators=3).fit(X, Y))
    with pytest.raises(ValueError, match="NaN"):
        forest.raw(np.full((1, 4), np.nan))


def test_a_gap_is_in_no_list_of_categories_of_lightgbm():
    """A split "is it category 0?" sends NaN to the right, whether or not the model was fitted with gaps."""
    own = {"min_child_samples": 1, "cat_smooth": 0, "min_data_per_group": 1, "categorical_feature": [0]}
    for among in ([0.0, 1, 2, np.nan], [0.0, 1, 2, 3]):
        town = np.tile(among, 25)[:, None]
        with warnings.catch_warnings(action="ignore"):
            model = lightgbm.LGBMRegressor(**QUIET, **own).fit(town, (town[:, 0] == 0) * 1.0)
        assert from_model(model).trees[0].left_categories[0].tolist() == [0]
        with_a_gap = np.array([[0.0], [1], [np.nan]])
        np.testing.assert_allclose(from_model(model).predict(with_a_gap), model.predict(with_a_gap), atol=1e-12)


def test_a_category_that_histogram_boosting_never_saw_goes_where_gaps_go():
    """To the larger side, here the left one."""
    town = np.resize([2.0, 3, 5, 7], 100)[:, None]
    model = HistGradientBoostingRegressor(max_iter=1, categorical_features=[0]).fit(town, town[:, 0] == 7)
    rows = np.array([[2.0], [7], [99], [np.nan]])
    said = from_model(model).predict(rows)
    np.testing.assert_allclose(said, model.predict(rows), atol=1e-12)
    assert said[0] == said[2] == said[3] < said[1]


def test_categories_whose_codes_the_model_does_not_keep_are_read_from_an_array_of_codes():
    """XGBoost cuts off letters beyond ASCII, LightGBM does not say which columns are ordered."""
    colour = pd.Categorical(np.where(X[:, 0] > 0, "grün", "blau"))
    frame = pd.DataFrame({"colour": colour, "size": Y, "level": colour.as_ordered()})
    codes = frame.assign(colour=colour.codes, level=colour.codes).to_numpy(dtype=float)
    for model in (xgboost.XGBRegressor(n_estimators=2, enable_categorical=True), lightgbm.LGBMRegressor(**QUIET)):
        model.fit(frame, Y)
        np.testing.assert_allclose(from_model(model).predict(codes), model.predict(frame), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(as_model(model).predict(frame), model.predict(frame))


# --- refusals ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("model", "advice"), [
    (RandomForestClassifier(), "not fitted"),
    (DecisionTreeRegressor(), "not fitted"),
    (HistGradientBoostingRegressor(), "not fitted"),
    (xgboost.XGBRegressor(), "not fitted"),
    (lightgbm.LGBMRegressor(), "not fitted"),
    (RandomForestClassifier, "create one and fit it"),
    ("forest", "expected a fitted model"),
    (SimpleNamespace(estimators_=[], estimator_weights_=[], classes_=[0, 1], algorithm="SAMME.R"), "SAMME"),
], ids=lambda value: value if isinstance(value, str) else type(value).__name__)
def test_other_models_are_refused_with_advice(model, advice):
    with pytest.raises(ValueError, match=advice):
        from_model(model)


def test_vector_leaves_of_an_older_xgboost_are_refused():
    """Before 3.2 the vectors stood elsewhere."""
    model = xgboost.XGBRegressor(n_estimators=1, multi_strategy="multi_output_tree").fit(X, X[:, :2])
    tree = json.loads(bytes(model.get_booster().save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"][0]
    del tree["leaf_weights"]
    with pytest.raises(ValueError, match="one_output_per_tree"):
        reader_of_xgboost._tree_of(tree, ("a", "b", "c", "d"))


def test_a_tree_of_scikit_learn_that_splits_on_categories_is_refused():
    """They come with 1.10; until they are read, no code may be taken for a threshold."""
    model = DecisionTreeRegressor(max_depth=2).fit(X, Y)
    model.categorical_features = [0]
    with pytest.raises(ValueError, match="splits on categories"):
        from_model(model)
