"""Every library's trees, read into ours, say what the library says:
to its own precision, gaps and categories included."""

import json
import warnings
from types import SimpleNamespace

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

from fi_teach.basics.convert import as_forest, from_model
from fi_teach.basics.convert import xgboost as reader_of_xgboost
from fi_teach.basics.model import as_model
from fi_teach.basics.thresholds import double_threshold
from fi_teach.trees.cart import grow_cart

SEEDS = range(3)


def table(seed, n=150, p=4, gaps=False):
    """Doubles (not single-precision numbers), some columns with few values, a number and a label of K classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1] = np.round(X[:, 1], 1)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, signal


def labels(signal, K):
    return np.array(["a", "b", "c", "d", "e"])[np.digitize(signal, np.quantile(signal, np.linspace(0, 1, K + 1)[1:-1]))]


def quietly_fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


# --- scikit-learn -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("make", [
    lambda: DecisionTreeClassifier(random_state=0),
    lambda: DecisionTreeClassifier(criterion="log_loss", max_depth=3, random_state=0, class_weight="balanced"),
    lambda: RandomForestClassifier(7, random_state=0),
    lambda: RandomForestClassifier(5, criterion="entropy", bootstrap=False, max_features=2, random_state=0),
    lambda: ExtraTreesClassifier(7, random_state=0),
    lambda: BaggingClassifier(DecisionTreeClassifier(max_depth=4), 5, max_features=0.5, random_state=0),
])
def test_class_probabilities_of_trees_and_forests_are_scikit_learns(make, K, seed):
    """raw = predict_proba to 1e-12, on the training rows (where a float32 threshold bites) and on new ones."""
    X, signal = table(seed)
    new, _ = table(seed + 100)
    model = make().fit(X, labels(signal, K))
    forest = from_model(model)
    for rows in (X, new):
        np.testing.assert_allclose(forest.raw(rows), model.predict_proba(rows), rtol=0, atol=1e-12)
        assert (forest.predict(rows) == model.predict(rows)).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("make", [
    lambda: DecisionTreeRegressor(random_state=0),
    lambda: ExtraTreeRegressor(random_state=0, max_features=2),
    lambda: RandomForestRegressor(7, random_state=0),
    lambda: ExtraTreesRegressor(7, random_state=0),
    lambda: BaggingRegressor(DecisionTreeRegressor(max_depth=4), 5, max_features=2, random_state=0),
    lambda: GradientBoostingRegressor(n_estimators=20, random_state=0),
    lambda: GradientBoostingRegressor(n_estimators=10, init="zero", loss="huber", random_state=0),
    lambda: HistGradientBoostingRegressor(max_iter=10, min_samples_leaf=5),
])
def test_numbers_are_scikit_learns(make, seed):
    """raw = predict to 1e-12."""
    X, signal = table(seed)
    model = make().fit(X, 50 + signal)
    new, _ = table(seed + 100)
    for rows in (X, new):
        np.testing.assert_allclose(from_model(model).raw(rows)[:, 0], model.predict(rows), rtol=0, atol=1e-12 * 100)
        np.testing.assert_allclose(from_model(model).predict(rows), model.predict(rows), rtol=0, atol=1e-12 * 100)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("make", [
    lambda: GradientBoostingClassifier(n_estimators=10, random_state=0),
    lambda: GradientBoostingClassifier(n_estimators=10, init="zero", random_state=0),
    lambda: HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=5),
    lambda: AdaBoostClassifier(n_estimators=10, random_state=0),
    lambda: AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=5, random_state=0),
])
def test_margins_and_votes_of_boosting_are_scikit_learns(make, K):
    """raw = decision_function, predict_proba and predict follow, to 1e-12."""
    X, signal = table(1)
    model = make().fit(X, labels(signal, K))
    new, _ = table(101)
    forest = from_model(model)
    raw = forest.raw(new)
    np.testing.assert_allclose(raw[:, 0] if raw.shape[1] == 1 else raw, model.decision_function(new), rtol=0,
                               atol=1e-12)
    np.testing.assert_allclose(forest.predict_proba(new), model.predict_proba(new), rtol=0, atol=1e-12)
    assert (forest.predict(new) == model.predict(new)).all()


@pytest.mark.parametrize("make", [
    lambda: DecisionTreeRegressor(random_state=0),
    lambda: RandomForestRegressor(5, random_state=0),
    lambda: HistGradientBoostingRegressor(max_iter=10, min_samples_leaf=5),
])
@pytest.mark.parametrize("gaps_in_training", [True, False])
def test_rows_with_gaps_go_where_scikit_learn_sends_them(make, gaps_in_training):
    """raw = predict to 1e-12 on rows with NaN, whether or not the training rows had any."""
    X, signal = table(2, gaps=gaps_in_training)
    model = make().fit(X, signal)
    new, _ = table(102, gaps=True)
    np.testing.assert_allclose(from_model(model).raw(new)[:, 0], model.predict(new), rtol=0, atol=1e-12)


def test_a_library_that_refuses_gaps_gives_trees_that_refuse_them():
    """Gradient boosting takes no NaN, so neither does its conversion."""
    X, signal = table(0)
    forest = from_model(GradientBoostingRegressor(n_estimators=3).fit(X, signal))
    with pytest.raises(ValueError, match="NaN"):
        forest.raw(np.full((1, 4), np.nan))


@pytest.mark.parametrize("K", [0, 2, 3])
def test_categories_of_histogram_boosting_go_where_it_sends_them(K):
    """Category sets, gaps and categories never seen in training: raw equal to 1e-12."""
    rng = np.random.default_rng(0)
    X, _ = table(3, n=400)
    X[:, 3] = rng.choice([2, 3, 5, 7, 11, 13, 40], size=400)  # not 0, 1, 2, ...
    signal = X[:, 0] + np.isin(X[:, 3], [3, 7, 40]) + 0.1 * rng.normal(size=400)
    y = signal if K == 0 else labels(signal, K)
    kind = HistGradientBoostingRegressor if K == 0 else HistGradientBoostingClassifier
    model = kind(max_iter=8, min_samples_leaf=5, categorical_features=[3]).fit(X, y)
    new = X[:60].copy()
    new[:20, 3], new[20:30, 3], new[30:40, 0] = 99, np.nan, np.nan
    expected = model.predict(new) if K == 0 else model.decision_function(new)
    forest = from_model(model)
    assert any(tree.left_categories for tree in forest.trees)
    np.testing.assert_allclose(forest.raw(new).reshape(expected.shape), expected, rtol=0, atol=1e-12)


def test_a_poisson_model_predicts_the_exponential_of_its_raw_score():
    """predict = exp(raw) to 1e-12."""
    X, signal = table(4)
    model = HistGradientBoostingRegressor(loss="poisson", max_iter=5, min_samples_leaf=5).fit(X, np.exp(signal))
    np.testing.assert_allclose(from_model(model).predict(X), model.predict(X), rtol=1e-12)


def test_several_outputs_stay_several():
    """A forest of three outputs: raw (n, 3) = predict to 1e-12."""
    X, signal = table(5)
    Y = np.column_stack([signal, X[:, 0], -signal**2])
    model = RandomForestRegressor(5, random_state=0).fit(X, Y)
    np.testing.assert_allclose(from_model(model).raw(X), model.predict(X), rtol=0, atol=1e-12)


def test_the_nodes_keep_what_scikit_learn_knows_of_them():
    """Counts, weights, impurities, features and shape are the library's own; thresholds agree to single precision."""
    X, signal = table(6)
    model = DecisionTreeClassifier(random_state=0).fit(X, labels(signal, 3), sample_weight=np.arange(1, 151))
    tree, theirs = from_model(model).trees[0], model.tree_
    for name in ("children_left", "children_right", "feature", "impurity", "n_node_samples", "weighted_n_node_samples"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(theirs, name))
    np.testing.assert_allclose(tree.threshold, theirs.threshold, rtol=1e-7)
    np.testing.assert_array_equal(tree.apply(X), model.apply(X))


def test_the_forest_remembers_which_rows_each_tree_saw():
    """in_bag counts each bootstrap sample: n draws a tree, and the tree's root counts the distinct ones."""
    X, signal = table(7)
    model = RandomForestRegressor(6, random_state=0).fit(X, signal)
    forest = from_model(model)
    assert forest.in_bag.shape == (6, 150) and (forest.in_bag.sum(axis=1) == 150).all()
    assert [(row > 0).sum() for row in forest.in_bag] == [tree.n_node_samples[0] for tree in forest.trees]


def test_names_come_from_the_columns_the_model_was_fitted_on():
    X, signal = table(8)
    frame = pd.DataFrame(X, columns=["dose", "age", "sex", "site"])
    models = [RandomForestRegressor(2).fit(frame, signal), xgboost.XGBRegressor(n_estimators=2).fit(frame, signal),
              lightgbm.LGBMRegressor(n_estimators=2, n_jobs=1, verbose=-1).fit(frame, signal)]
    for model in models:
        assert from_model(model).names == ("dose", "age", "sex", "site")
        np.testing.assert_allclose(from_model(model).predict(frame[["site", "sex", "age", "dose"]]),
                                   model.predict(frame), rtol=1e-5)


# --- single precision -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("strict", [False, True])
def test_the_double_threshold_says_what_single_precision_says_of_every_double(strict):
    """x <= double_threshold(t) iff float32(x) <= t (or <), at the doubles nearest to where it turns,
    and exactly there."""
    rng = np.random.default_rng(0)
    thresholds = np.concatenate(
        [rng.normal(size=300), rng.normal(size=300).astype(np.float32), np.arange(-5, 5) / 2, [0.0, 1e-40]])
    turn = double_threshold(thresholds, strict=strict)
    near = [turn, np.nextafter(turn, np.inf), np.nextafter(turn, -np.inf), thresholds, thresholds * (1 + 1e-8),
            thresholds - 1e-9]
    for x in near:
        single = x.astype(np.float32).astype(float)
        np.testing.assert_array_equal(x <= turn, single < thresholds if strict else single <= thresholds)


# --- xgboost and lightgbm ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("K", [0, 2, 3])
def test_xgboosts_margin_is_ours_to_single_precision(K, gaps):
    """raw = predict(output_margin=True) to 1e-5, classifier probabilities and labels too."""
    X, signal = table(9, gaps=gaps)
    kind, y = (xgboost.XGBRegressor,
               20 + signal) if K == 0 else (xgboost.XGBClassifier, np.unique(labels(signal, K), return_inverse=True)[1])
    model = kind(n_estimators=15, max_depth=4).fit(X, y)
    new, _ = table(109, gaps=gaps)
    forest = from_model(model)
    for rows in (X, new):
        margin = model.predict(rows, output_margin=True)
        np.testing.assert_allclose(forest.raw(rows).reshape(margin.shape), margin, rtol=1e-5, atol=1e-5)
        if K:
            np.testing.assert_allclose(forest.predict_proba(rows), model.predict_proba(rows), atol=1e-5)
            assert (forest.predict(rows) == model.predict(rows)).mean() > 0.99
    np.testing.assert_allclose(from_model(model.get_booster()).raw(new), forest.raw(new), atol=1e-5)


def test_xgboosts_thresholds_are_strict():
    """Rows that sit on a threshold go right in xgboost: a stump on single-precision data says so."""
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    model = xgboost.XGBRegressor(n_estimators=1, max_depth=1, tree_method="exact",
                                 min_child_weight=0).fit(X, [0, 0, 1, 1])
    split = json_threshold(model)
    rows = np.array([[split], [np.nextafter(np.float32(split), np.float32(-np.inf))]])
    np.testing.assert_allclose(from_model(model).raw(rows)[:, 0], model.predict(rows), atol=1e-6)


def json_threshold(model):
    return float(model.get_booster().trees_to_dataframe()["Split"].iloc[0])


def test_xgboosts_categories_early_stopping_and_poisson_models_are_read():
    """Category lists, the best iteration, and a log link: predictions equal to single precision."""
    rng = np.random.default_rng(0)
    X, signal = table(10, n=400)
    X[:, 3] = rng.integers(0, 8, size=400)
    signal = signal + 2 * np.isin(X[:, 3], [1, 4, 6])
    categorical = xgboost.XGBRegressor(n_estimators=5, max_cat_to_onehot=1, enable_categorical=True,
                                       feature_types=["q", "q", "q", "c"]).fit(X, signal)
    assert any(tree.left_categories for tree in from_model(categorical).trees)
    stopped = xgboost.XGBRegressor(n_estimators=60, learning_rate=0.9, early_stopping_rounds=2)
    stopped.fit(X[:300], signal[:300], eval_set=[(X[300:], signal[300:])], verbose=False)
    assert len(from_model(stopped).trees) < 60
    counts = xgboost.XGBRegressor(n_estimators=5, objective="count:poisson").fit(X, np.exp(signal))
    for model in (categorical, stopped, counts):
        np.testing.assert_allclose(from_model(model).predict(X), model.predict(X), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("zero_as_missing", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("K", [0, 2, 3])
def test_lightgbms_raw_score_is_ours(K, gaps, zero_as_missing):
    """raw = predict(raw_score=True) to 1e-12, with gaps in the training rows, the new rows, or zeros that stand
    for gaps."""
    X, signal = table(11, n=300, gaps=gaps)
    X[::7, 2] = 0.0
    kind, y = (lightgbm.LGBMRegressor, 20 + signal) if K == 0 else (lightgbm.LGBMClassifier, labels(signal, K))
    model = kind(n_estimators=10, min_child_samples=5, n_jobs=1, verbose=-1, zero_as_missing=zero_as_missing).fit(X, y)
    new, _ = table(111, gaps=True)
    new[::5, 2], new[::6, 0] = 0.0, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw = model.predict(new, raw_score=True)
        probabilities = model.predict_proba(new) if K else None
    forest = from_model(model)
    np.testing.assert_allclose(forest.raw(new).reshape(raw.shape), raw, rtol=1e-12, atol=1e-12)
    if K:
        np.testing.assert_allclose(forest.predict_proba(new), probabilities, atol=1e-12)
    np.testing.assert_allclose(from_model(model.booster_).raw(new), forest.raw(new))


def test_a_lightgbm_model_without_a_single_split_is_read():
    """A constant target leaves trees of one leaf."""
    model = lightgbm.LGBMRegressor(n_estimators=2, n_jobs=1, verbose=-1).fit(X4, np.full(len(X4), 3.0))
    forest = from_model(model)
    assert [tree.n_nodes for tree in forest.trees] == [1] * len(forest.trees)
    np.testing.assert_allclose(forest.predict(X4), model.predict(X4))


def test_lightgbms_categories_and_random_forests_are_read():
    """Category lists (also for gaps and codes never seen) and averaged trees: raw equal to 1e-12."""
    rng = np.random.default_rng(0)
    X, signal = table(12, n=400)
    X[:, 3] = rng.integers(0, 8, size=400)
    signal = signal + 2 * np.isin(X[:, 3], [1, 4, 6])
    options = {"n_estimators": 5, "min_child_samples": 5, "n_jobs": 1, "verbose": -1}
    categorical = lightgbm.LGBMRegressor(**options, cat_smooth=0, min_data_per_group=1)
    categorical = quietly_fit(categorical.set_params(categorical_feature=[3]), X, signal)
    assert any(tree.left_categories for tree in from_model(categorical).trees)
    averaged = lightgbm.LGBMRegressor(**options, boosting_type="rf", bagging_freq=1,
                                      bagging_fraction=0.6).fit(X, signal)
    new = X[:60].copy()
    new[:10, 3], new[10:20, 3] = np.nan, 50
    for model in (categorical, averaged):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_allclose(from_model(model).predict(new), model.predict(new), rtol=1e-12, atol=1e-12)


# --- our own models, and refusals -------------------------------------------------------------------------------------

def test_our_own_models_pass_through():
    """A Tree becomes a forest of one with the same answers; a Forest stays the very same object."""
    X, signal = table(13)
    tree = grow_cart(X, labels(signal, 3))
    forest = as_forest(tree)
    assert forest.kind == "tree" and as_forest(forest) is forest and from_model(forest) is forest
    np.testing.assert_array_equal(forest.raw(X), tree.raw(X))
    np.testing.assert_array_equal(forest.predict(X), tree.predict(X))


X4, SIGNAL4 = table(0)


@pytest.mark.parametrize(("model", "advice"), [
    (RandomForestClassifier(), "not fitted"),
    (DecisionTreeRegressor(), "not fitted"),
    (HistGradientBoostingRegressor(), "not fitted"),
    (xgboost.XGBRegressor(), "not fitted"),
    (lightgbm.LGBMRegressor(), "not fitted"),
    (LinearRegression().fit(X4, SIGNAL4), "not made of trees"),
    (IsolationForest(n_estimators=2).fit(X4), "not made of trees"),
    (RandomForestClassifier, "create one and fit it"),
    (make_pipeline(DecisionTreeRegressor()).fit(X4, SIGNAL4),
     "model\\[-1\\], a DecisionTreeRegressor, and the table as model"),
    (SimpleNamespace(best_estimator_=1), "best_estimator_"),
    ("forest", "expected a fitted model"),
    (AdaBoostRegressor(n_estimators=2).fit(X4, SIGNAL4), "median"),
    (BaggingRegressor(LinearRegression(), 2).fit(X4, SIGNAL4), "bags LinearRegression"),
    (RandomForestClassifier(2).fit(X4, np.column_stack([SIGNAL4 > 0, SIGNAL4 > 1])), "one model for each column"),
    (GradientBoostingRegressor(n_estimators=2, init=LinearRegression()).fit(X4, SIGNAL4), "init=None"),
    (xgboost.XGBRegressor(booster="gblinear").fit(X4, SIGNAL4), "booster='gbtree'"),
    (xgboost.XGBRegressor(n_estimators=2, objective="binary:hinge").fit(X4, SIGNAL4 > 0), "objective"),
    (lightgbm.LGBMRegressor(n_estimators=2, n_jobs=1, verbose=-1, linear_tree=True).fit(X4, SIGNAL4),
     "linear_tree=False"),
    (lightgbm.LGBMRegressor(n_estimators=2, n_jobs=1, verbose=-1, reg_sqrt=True).fit(X4, SIGNAL4),
     "'regression sqrt' is not one we can read"),
    (lightgbm.LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1, sigmoid=2.0).fit(X4, SIGNAL4 > 0),
     "'binary sigmoid:2' is not one we can read"),
    (lightgbm.LGBMRegressor(n_estimators=2, n_jobs=1, verbose=-1,
                            objective=lambda y, p: (p - y, np.ones(len(y)))).fit(X4, SIGNAL4), "'custom' is not"),
    (SimpleNamespace(estimators_=[], estimator_weights_=[], classes_=[0, 1], algorithm="SAMME.R"), "SAMME"),
], ids=lambda value: value if isinstance(value, str) else type(value).__name__)
def test_other_models_are_refused_with_advice(model, advice):
    """Unfitted, foreign, or not a sum of trees: a ValueError that says what to do."""
    with pytest.raises(ValueError, match=advice):
        from_model(model)


def test_categories_that_are_words_are_read():
    """A table of words goes to the trees as codes; the trees' own table holds them already."""
    frame = pd.DataFrame({"size": SIGNAL4, "colour": pd.Categorical(np.where(X4[:, 0] > 0, "red", "blue"))})
    model = HistGradientBoostingRegressor(max_iter=2, categorical_features="from_dtype").fit(frame, SIGNAL4)
    forest = from_model(model)
    assert forest.words == {1: {"blue": 0.0, "red": 1.0}}
    np.testing.assert_allclose(forest.predict(frame), model.predict(frame), rtol=0, atol=1e-12)
    codes = np.column_stack([SIGNAL4, frame["colour"].cat.codes])
    np.testing.assert_array_equal(forest.predict(codes), forest.predict(frame[["colour", "size"]]))


def test_categories_whose_codes_the_model_does_not_keep_are_read_from_an_array_of_codes():
    """XGBoost cuts off letters beyond ASCII, LightGBM does not say which columns are ordered."""
    colour = pd.Categorical(np.where(X4[:, 0] > 0, "grün", "blau"))
    frame = pd.DataFrame({"colour": colour, "size": SIGNAL4, "level": colour.as_ordered()})
    spoilt = xgboost.XGBRegressor(n_estimators=2, enable_categorical=True).fit(frame, SIGNAL4)
    ordered = lightgbm.LGBMRegressor(n_estimators=2, n_jobs=1, verbose=-1).fit(frame, SIGNAL4)
    codes = frame.assign(colour=colour.codes, level=colour.codes).to_numpy(dtype=float)
    for model in (spoilt, ordered):
        np.testing.assert_allclose(from_model(model).predict(codes), model.predict(frame), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(as_model(model).predict(frame), model.predict(frame))
        with pytest.raises(ValueError, match="does not say which code each category of column 'colour' has"):
            from_model(model).predict(frame)


def test_vector_leaves_of_an_older_xgboost_are_refused():
    """Before 3.2 the vectors stood elsewhere."""
    model = xgboost.XGBRegressor(n_estimators=1, multi_strategy="multi_output_tree").fit(X4, X4[:, :2])
    tree = json.loads(bytes(model.get_booster().save_raw("json")))["learner"]["gradient_booster"]["model"]["trees"][0]
    del tree["leaf_weights"]
    with pytest.raises(ValueError, match="one_output_per_tree"):
        reader_of_xgboost._tree_of(tree, ("a", "b", "c", "d"))


def test_a_tree_of_scikit_learn_that_splits_on_categories_is_refused():
    """They come with 1.10; until they are read, no code may be taken for a threshold."""
    model = DecisionTreeRegressor(max_depth=2).fit(X4, SIGNAL4)
    model.categorical_features = [0]
    with pytest.raises(ValueError, match="splits on categories"):
        from_model(model)


def test_the_base_of_boosting_is_the_models_constant():
    """Leaving it out would spoil additivity: for squared error it is the mean target, to 1e-12."""
    model = GradientBoostingRegressor(n_estimators=3, random_state=0).fit(X4, SIGNAL4)
    np.testing.assert_allclose(from_model(model).base, [SIGNAL4.mean()], atol=1e-12)


def test_a_histogram_tree_counts_the_rows_in_its_nodes():
    model = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5).fit(X4, SIGNAL4)
    tree = from_model(model).trees[0]
    leaf = tree.apply(X4)
    assert tree.n_node_samples[0] == len(X4) and np.isnan(tree.impurity).all()
    assert all(tree.n_node_samples[t] == (leaf == t).sum() for t in np.flatnonzero(tree.is_leaf))


def test_a_gap_is_in_no_list_of_categories_of_lightgbm():
    """A split "is it category 0?" sends NaN to the right, whether or not the model was fitted with gaps."""
    options = {"n_estimators": 1, "min_child_samples": 1, "cat_smooth": 0, "min_data_per_group": 1}
    for among in ([0.0, 1, 2, np.nan], [0.0, 1, 2, 3]):
        town = np.tile(among, 25)[:, None]
        model = lightgbm.LGBMRegressor(**options, n_jobs=1, verbose=-1, categorical_feature=[0])
        model = quietly_fit(model, town, (town[:, 0] == 0) * 1.0)
        assert from_model(model).trees[0].left_categories[0].tolist() == [0]
        with_a_gap = np.array([[0.0], [1], [np.nan]])
        np.testing.assert_allclose(from_model(model).predict(with_a_gap), model.predict(with_a_gap), atol=1e-12)
