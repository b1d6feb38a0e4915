"""A model comes in one way: ours, the libraries', pipelines, functions; columns go by name."""

import warnings

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fi_teach.basics.model import as_model
from fi_teach.importance import permutation_importance, tree_shap
from fi_teach.trees import grow_boosting, grow_c45, grow_cart, grow_forest

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(80, 3)), columns=["a", "long name", "c"])
SHUFFLED = X[["c", "a", "long name"]]
NUMBERED = X.set_axis(["x0", "x1", "x2"], axis=1)
WORDS = np.where(X["a"] > 0, "yes", "no")
CODES = (WORDS == "yes").astype(int)
NUMBERS = X["a"].to_numpy() + X["c"].to_numpy()
QUIET = {"n_estimators": 3, "verbose": -1, "min_child_samples": 5}

OURS, OURS_OF_NUMBERS = grow_forest(X, WORDS, n_trees=3), grow_forest(X, NUMBERS, n_trees=3)


@pytest.fixture(scope="module")
def fitted():
    """Fitted models of all kinds, by name; those of numbers are called so."""
    xgb, light = xgboost.XGBClassifier(n_estimators=3).fit(X, CODES), lightgbm.LGBMClassifier(**QUIET).fit(X, CODES)
    return {
        "our tree": grow_cart(X, WORDS, max_depth=2),
        "our forest": OURS,
        "our boosting": grow_boosting(X, WORDS, n_trees=3),
        "our forest of numbers": OURS_OF_NUMBERS,
        "forest": RandomForestClassifier(3, random_state=0).fit(X, WORDS),
        "boosting": GradientBoostingClassifier(n_estimators=3).fit(X, WORDS),
        "adaboost": AdaBoostClassifier(n_estimators=3).fit(X, WORDS),
        "histogram of numbers": HistGradientBoostingRegressor(max_iter=3).fit(X, NUMBERS),
        "search": GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}).fit(X, WORDS),
        "pipeline of numbers": make_pipeline(DecisionTreeRegressor(max_depth=2)).fit(X, NUMBERS),
        "calibrated": CalibratedClassifierCV(DecisionTreeClassifier()).fit(X, WORDS),
        "linear": LogisticRegression().fit(X, WORDS),
        "xgboost": xgb,
        "lightgbm": light,
        "lightgbm of numbers": lightgbm.LGBMRegressor(**QUIET).fit(X, NUMBERS),
        "xgboost booster": xgb.get_booster(),
        "lightgbm booster": light.booster_,
    }


# --- what a model is, and how it is asked ---


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_every_model_says_what_it_is_and_is_asked_by_name(fitted):
    """Columns in another order give the same answers as in their own, and so does a bare array."""
    for name, given in fitted.items():
        model = as_model(given)
        assert model.is_classifier is ("numbers" not in name), name
        assert [word.replace("_", " ") for word in model.names] == ["a", "long name", "c"], name
        for ask in (model.predict, model.raw) + ((model.probabilities,) if model.is_classifier else ()):
            there = ask(X)
            assert len(there) == 80 and np.array_equal(ask(SHUFFLED), there), name
            with warnings.catch_warnings(action="error"):
                assert np.array_equal(ask(X.to_numpy()), there), name


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_the_raw_score_is_what_the_trees_add_up_to_where_there_are_trees(fitted):
    """Boosting's margin, a forest's probabilities; 1e-6 is XGBoost's single precision."""
    for name, given in fitted.items():
        model = as_model(given)
        if name in ("pipeline of numbers", "calibrated", "linear"):
            assert model.asks_about is None
            with pytest.raises(ValueError):
                model.forest  # noqa: B018
        else:
            assert np.allclose(model.raw(X), model.forest.raw(X), atol=1e-6), name
            asked = {column for tree in model.forest.trees for column in tree.feature[~tree.is_leaf]}
            assert model.asks_about == asked, name


def test_a_nominal_tree_is_a_model_too():
    golf = pd.DataFrame({"sky": ["sun", "rain", "sun", "rain"]})
    model = as_model(grow_c45(golf, ["no", "yes", "no", "yes"]))
    assert model.predict(golf).tolist() == ["no", "yes", "no", "yes"]
    assert model.probabilities(golf)[:, 0].tolist() == [1, 0, 1, 0] and model.names == ("sky",)


def test_a_bare_function_does_not_say_what_it_is_and_its_one_probability_a_row_is_the_second_classs():
    model = as_model(lambda table: np.full(len(table), 0.25))
    assert model.is_function and model.is_classifier is None and model.names is None and as_model(model) is model
    assert (model.predict(X.to_numpy()) == 0.25).all()
    assert model.probabilities(X.to_numpy())[0].tolist() == [0.75, 0.25]


def test_a_models_own_method_knows_what_the_model_knows():
    """forest.predict is a function, but one whose classes and columns are known."""
    model = as_model(OURS.predict)
    assert model.is_classifier is True and model.classes.tolist() == ["no", "yes"]
    assert np.array_equal(model.predict(SHUFFLED), OURS.predict(X))
    assert as_model(OURS.raw).is_classifier is None
    assert as_model(OURS_OF_NUMBERS.predict).is_classifier is False


# --- columns of words ---


FRAME = pd.DataFrame({
    "town": pd.Categorical(np.where(X["c"] > 0, "Ulm", np.where(X["a"] > 0, "Rom", "Kiel"))), "dose": X["a"]})


def fitted_on_words():
    """One boosting model of each library, fitted on a column of words."""
    yield xgboost.XGBRegressor(n_estimators=3, enable_categorical=True).fit(FRAME, NUMBERS)
    yield lightgbm.LGBMRegressor(**QUIET).fit(FRAME, NUMBERS)
    yield HistGradientBoostingRegressor(max_iter=3, min_samples_leaf=5).fit(FRAME, NUMBERS)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_words_go_straight_to_the_libraries_and_to_their_trees():
    """permutation_importance finds the column; codes in an array mean what they mean to the library."""
    codes = FRAME.assign(town=FRAME["town"].cat.codes).to_numpy(dtype=float)
    for given in fitted_on_words():
        model = as_model(given)
        assert permutation_importance(given, FRAME, NUMBERS, n_repeats=3).mean[0] > 0.1
        assert np.array_equal(model.forest.predict(codes), model.forest.predict(FRAME[["dose", "town"]]))
        if hasattr(given, "get_booster") or hasattr(given, "booster_"):
            assert np.array_equal(model.predict(codes), model.predict(FRAME))
            assert np.array_equal(tree_shap(given, codes).values, tree_shap(given, FRAME).values)


def test_numbers_in_place_of_words_and_a_word_that_xgboost_never_saw_are_refused():
    """XGBoost takes such a word for the next in the alphabet: Oslo for Rom."""
    table, new = FRAME.assign(town=1.0), FRAME.assign(town=pd.Categorical(["Oslo", "Rom"] * 40))
    with pytest.raises(ValueError, match="column 'town' holds 'Oslo', which the model never saw"):
        as_model(next(fitted_on_words())).predict(new)
    for given in fitted_on_words():
        with pytest.raises(ValueError, match="column 'town' holds numbers, but the model was fitted on the words"):
            as_model(given).forest.predict(table)
        with pytest.raises(ValueError, match=r"cannot be asked about this table|column 'town' holds numbers"):
            as_model(given).predict(table)


# --- columns go by name ---


@pytest.mark.parametrize("table", [
    X.rename(columns={"a": "z"}), X[["a", "c"]], X.assign(d=1.0), X.assign(z=1.0)[["c", "z", "a"]],
])
def test_a_table_with_other_columns_is_refused_and_never_taken_by_position(table):
    for given in (OURS, OURS.predict):
        with pytest.raises(ValueError, match=r"X has (no column|a column)"):
            as_model(given).predict(table)


def test_a_table_of_another_width_or_with_a_name_twice_is_refused(fitted):
    for given in (OURS, fitted["forest"]):
        with pytest.raises(ValueError, match="the model was fitted on 3"):
            as_model(given).predict(X.to_numpy()[:, :2])
        with pytest.raises(ValueError, match="X has two columns named 'a'"):
            as_model(given).predict(X.iloc[:, [0, 1, 2, 0]])


def test_a_model_fitted_on_an_array_takes_names_as_they_come():
    nameless = as_model(grow_cart(X.to_numpy(), WORDS, max_depth=2))
    assert nameless.names is None
    assert np.array_equal(nameless.predict(X), nameless.predict(X.to_numpy()))
    assert np.array_equal(nameless.predict(NUMBERED[["x2", "x0", "x1"]]), nameless.predict(X))


def test_columns_called_x0_and_so_on_are_found_by_name_too():
    """LightGBM took them by position, in silence."""
    for given in (grow_cart(NUMBERED, WORDS, max_depth=3), DecisionTreeClassifier().fit(NUMBERED, CODES),
                  lightgbm.LGBMClassifier(**QUIET).fit(NUMBERED, CODES), xgboost.XGBClassifier().fit(NUMBERED, CODES)):
        model = as_model(given)
        assert np.array_equal(model.predict(NUMBERED[["x2", "x0", "x1"]]), model.predict(NUMBERED)), type(given)


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_numbered_columns_in_another_order_are_no_table_of_a_model_without_names():
    """The model would take them by position and its trees, read by TreeSHAP, by name."""
    model = as_model(DecisionTreeClassifier(max_depth=3).fit(X.to_numpy(), WORDS))
    for table in (NUMBERED, X):
        assert np.array_equal(model.predict(table), model.predict(X.to_numpy()))
    with pytest.raises(ValueError, match="fitted on a table without names"):
        model.predict(NUMBERED[["x2", "x0", "x1"]])


# --- refusals ---


def test_several_columns_of_classes_are_refused():
    both = np.column_stack([CODES, CODES[::-1]])
    for given in (DecisionTreeClassifier(), xgboost.XGBClassifier(n_estimators=2)):
        with pytest.raises(ValueError, match="several columns of classes"):
            as_model(given.fit(X, both)).predict(X)
