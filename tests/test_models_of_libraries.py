"""Models of scikit-learn, XGBoost, LightGBM and scikit-survival in every configuration that we know of:
read and equal, or refused in a sentence.

    python tests/test_models_of_libraries.py --write    measure again and write the models in book/conformity.json

A configuration is a fitted model. Its trees must say what the library says (raw score, prediction, probabilities),
TreeSHAP must add up to the raw score, equal the library's own contributions where it has any, and agree
with shapley_values and kernel_shap, which ask the model itself;
MDI must equal feature_importances_ where the trees keep impurities.
"""

import json
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import NamedTuple

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as en
import sklearn.tree as tr
import xgboost as xgb
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sksurv.ensemble import GradientBoostingSurvivalAnalysis, RandomSurvivalForest
from sksurv.tree import SurvivalTree
from sksurv.util import Surv
from test_conformity import FILE, gap

from fi_teach.importance import kernel_shap, mdi, shapley_values, tree_shap
from fi_teach.trees import from_model

PACKAGES = {"scikit-learn": "scikit-learn", "XGBoost": "xgboost-cpu", "LightGBM": "lightgbm",
            "scikit-survival": "scikit-survival"}
TOLERANCE = {"scikit-learn": 1e-10, "XGBoost": 1e-5, "LightGBM": 1e-10,
             "scikit-survival": 1e-10}  # XGBoost computes in single precision

# Data: 160 rows to fit, 12 others to explain -------------------------------------------------------------------------

RNG = np.random.default_rng(0)
N, NEW = 160, 12
X = RNG.normal(size=(N + NEW, 4))
X[:, 1] = X[:, 1].round(1)  # few values, so that rows lie on thresholds
SIGNAL = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=N + NEW)
Y = SIGNAL[:N]
SHARE = 1 / (1 + np.exp(-Y))
TWO, THREE = (Y > 0).astype(int), np.digitize(Y, [-0.5, 0.5])
WORDS_OF = {2: np.array(["no", "yes"]), 3: np.array(["high", "low", "middle"])}
PAIR = np.column_stack([Y, -X[:N, 3]])
WEIGHT = RNG.integers(1, 4, size=N).astype(float)
GAPS = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
ZEROS = np.where(RNG.random(X.shape) < 0.2, 0.0, GAPS)
CODES = np.column_stack([X[:, :3], RNG.integers(0, 7, size=N + NEW)])
PRIMES = np.column_stack([X[:, :3], np.array([2.0, 3, 5, 7, 11, 13, 40])[CODES[:, 3].astype(int)]])
OTHER_CODES = np.where((np.arange(4) == 3) & (np.arange(N + NEW) % 3 == 0)[:, None], 99.0, PRIMES)
TOWNS = np.array(["Aachen", "Bonn", "Kiel", "Zuerich", "Ulm", "Lodz", "Rom"])
TOWN = TOWNS[CODES[:, 3].astype(int)]
FRAME = pd.DataFrame({"age": X[:, 0], "town": pd.Categorical(TOWN), "dose": X[:, 1],
                      "size": pd.Categorical(RNG.choice([3, 5, 7], size=N + NEW))})
BY_TOWN = Y + 2 * np.isin(TOWN[:N], ["Bonn", "Ulm", "Lodz"])
THREE_TOWNS, PAIR_TOWNS = np.digitize(BY_TOWN, [0.0, 1.0]), np.column_stack([BY_TOWN, Y])
OWN_ORDER = FRAME.assign(town=FRAME["town"].cat.reorder_categories(list(TOWNS)),
                         size=FRAME["size"].cat.set_categories([7, 5, 3]))
FEWER = FRAME.assign(town=pd.Categorical(np.where(TOWN == "Rom", "Ulm", TOWN)))
MISSING = FRAME.assign(town=FRAME["town"].where(np.arange(N + NEW) % 4 > 0))
BEYOND_ASCII = FRAME.assign(town=FRAME["town"].cat.rename_categories({"Zuerich": "Zürich", "Lodz": "Łódź"}))
UNSEEN = FRAME.assign(town=pd.Categorical(np.where(np.arange(N + NEW) > N + 5, "Oslo", TOWN)))


class Case(NamedTuple):
    """A fitted model and rows that it has not seen.

    refused : what its refusal says, or None where it is read
    """

    library: str
    name: str
    fit: Callable
    rows: object = X
    refused: str | None = None


def case(library, name, model, y=Y, rows=X, refused=None, new=None, **how):
    """A model to be fitted on the first N of the rows, and explained on the others (or on those of `new`)."""
    def fit():
        table = rows.iloc[:N] if isinstance(rows, pd.DataFrame) else rows[:N]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(table, y, **how)
    return Case(library, name, fit, rows if new is None else new, refused)


def sk(name, model, y=Y, **others):
    return case("scikit-learn", f"{type(model).__name__}{name and ', ' + name}", model, y, **others)


def xg(name, y=Y, kind=xgb.XGBRegressor, fitting=None, rows=X, refused=None, new=None, **settings):
    model = kind(**{"n_estimators": 5, "max_depth": 3, "n_jobs": 1} | settings)
    return case("XGBoost", f"{kind.__name__}, {name}", model, y, rows, refused, new, **fitting or {})


def lg(name, y=Y, kind=lgb.LGBMRegressor, fitting=None, rows=X, refused=None, new=None, **settings):
    small = {"n_estimators": 5, "num_leaves": 6, "min_child_samples": 5, "n_jobs": 1, "verbose": -1, "random_state": 0}
    return case("LightGBM", f"{kind.__name__}, {name}", kind(**small | settings), y, rows, refused, new,
                **fitting or {})


def booster_of(one):
    """The same configuration as a bare booster."""
    def fit():
        model = one.fit()
        return model.get_booster() if hasattr(model, "get_booster") else model.booster_
    return Case(one.library, one.name.replace(one.name.partition(",")[0], "Booster"), fit, one.rows, one.refused)


# The configurations ---------------------------------------------------------------------------------------------------

SEED = {"random_state": 0}
SMALL = {"n_estimators": 4, "random_state": 0}
TREE, CLASS_TREE = tr.DecisionTreeRegressor(max_depth=4,
                                            random_state=0), tr.DecisionTreeClassifier(max_depth=4, random_state=0)
HIST, CLASS_HIST = ({"max_iter": 4, "min_samples_leaf": 5}, {"max_iter": 3, "min_samples_leaf": 5})
FROM_DTYPE = HIST | {"categorical_features": "from_dtype"}


def members(*models):
    return {"estimators": [(f"m{k}", model) for k, model in enumerate(models)]}


SCIKIT_LEARN = [
    sk("", TREE),
    *(sk(f"criterion {c}", tr.DecisionTreeRegressor(criterion=c, max_depth=4, **SEED), np.exp(Y))
      for c in ("absolute_error", "poisson")),
    sk("two targets", tr.DecisionTreeRegressor(max_depth=4, **SEED), PAIR),
    sk("missing values", tr.DecisionTreeRegressor(max_depth=4, **SEED), rows=GAPS),
    sk("missing values in new rows alone", tr.DecisionTreeRegressor(max_depth=4, **SEED), new=GAPS),
    sk("monotonic", tr.DecisionTreeRegressor(max_depth=4, monotonic_cst=[1, 0, 0, 0], **SEED)),
    *(sk(f"criterion {c}, 3 classes", tr.DecisionTreeClassifier(criterion=c, max_depth=4, **SEED), WORDS_OF[3][THREE])
      for c in ("gini", "entropy", "log_loss")),
    sk("balanced classes", tr.DecisionTreeClassifier(class_weight="balanced", max_depth=4, **SEED), TWO),
    sk("True and False", tr.DecisionTreeClassifier(max_depth=4, **SEED), TWO > 0),
    sk("sample weights", tr.DecisionTreeClassifier(max_depth=4, **SEED), TWO, sample_weight=WEIGHT),
    sk("a single class", tr.DecisionTreeClassifier(**SEED), np.full(N, "yes")),
    sk("two columns of classes", tr.DecisionTreeClassifier(**SEED), np.column_stack([TWO, THREE]),
       refused="several columns"),
    sk("", tr.ExtraTreeRegressor(max_depth=4, **SEED)),
    sk("3 classes", tr.ExtraTreeClassifier(max_depth=4, **SEED), THREE),
    sk("", en.RandomForestRegressor(**SMALL)),
    sk("two targets", en.RandomForestRegressor(**SMALL), PAIR),
    sk("missing values", en.RandomForestRegressor(**SMALL), rows=GAPS),
    sk("without bootstrap", en.RandomForestRegressor(bootstrap=False, max_features=2, **SMALL)),
    sk("2 classes", en.RandomForestClassifier(**SMALL), WORDS_OF[2][TWO]),
    sk("3 classes, balanced", en.RandomForestClassifier(class_weight="balanced_subsample", **SMALL), THREE),
    sk("", en.ExtraTreesRegressor(**SMALL)),
    sk("3 classes", en.ExtraTreesClassifier(**SMALL), THREE),
    sk("trees", en.BaggingRegressor(TREE, 4, random_state=0)),
    sk("some columns", en.BaggingRegressor(TREE, 4, max_features=2, random_state=0)),
    sk("few rows, so that classes are missing", en.BaggingClassifier(CLASS_TREE, 6, max_samples=6, random_state=0),
       THREE),
    sk("linear models", en.BaggingRegressor(LinearRegression(), 2), refused="bags LinearRegression"),
    *(sk(f"loss {loss}", en.GradientBoostingRegressor(loss=loss, **SMALL))
      for loss in ("squared_error", "absolute_error", "huber", "quantile")),
    sk("init zero", en.GradientBoostingRegressor(init="zero", **SMALL)),
    sk("init a model", en.GradientBoostingRegressor(init=LinearRegression(), **SMALL), refused="starts from a model"),
    sk("2 classes", en.GradientBoostingClassifier(**SMALL), WORDS_OF[2][TWO]),
    sk("3 classes", en.GradientBoostingClassifier(**SMALL), THREE),
    sk("exponential loss", en.GradientBoostingClassifier(loss="exponential", **SMALL), TWO),
    sk("subsample", en.GradientBoostingClassifier(subsample=0.5, **SMALL), TWO),
    sk("2 classes", en.AdaBoostClassifier(n_estimators=5, **SEED), TWO),
    sk("3 classes, deeper", en.AdaBoostClassifier(CLASS_TREE, n_estimators=4, **SEED), THREE),
    sk("linear models", en.AdaBoostClassifier(LogisticRegression(), n_estimators=2), TWO,
       refused="boosts LogisticRegression"),
    sk("", en.AdaBoostRegressor(n_estimators=3), refused="weighted median"),
    *(sk(f"loss {loss}", en.HistGradientBoostingRegressor(loss=loss, quantile=0.3 if loss == "quantile" else None,
                                                          **HIST), np.exp(Y))
      for loss in ("squared_error", "absolute_error", "poisson", "gamma", "quantile")),
    sk("missing values", en.HistGradientBoostingRegressor(**HIST), rows=GAPS),
    sk("missing values in new rows alone", en.HistGradientBoostingRegressor(**HIST), new=GAPS),
    sk("monotonic, interactions",
       en.HistGradientBoostingRegressor(monotonic_cst=[1, 0, 0, 0], interaction_cst="pairwise", **HIST)),
    sk("categories as numbers", en.HistGradientBoostingRegressor(categorical_features=[3], **HIST), BY_TOWN,
       rows=PRIMES),
    sk("categories as numbers, never seen", en.HistGradientBoostingRegressor(categorical_features=[3], **HIST),
       BY_TOWN, rows=PRIMES, new=OTHER_CODES),
    *(sk(f"words{name}", en.HistGradientBoostingRegressor(**FROM_DTYPE), BY_TOWN, rows=FRAME, new=new)
      for name, new in {"": FRAME, ", in another order": OWN_ORDER, ", fewer": FEWER, ", missing": MISSING,
                        " never seen": UNSEEN}.items()),
    sk("words beyond ASCII", en.HistGradientBoostingRegressor(**FROM_DTYPE), BY_TOWN, rows=BEYOND_ASCII),
    sk("words, 3 classes", en.HistGradientBoostingClassifier(categorical_features="from_dtype", **CLASS_HIST),
       THREE_TOWNS, rows=FRAME),
    sk("2 classes", en.HistGradientBoostingClassifier(**CLASS_HIST), WORDS_OF[2][TWO]),
    sk("3 classes", en.HistGradientBoostingClassifier(**CLASS_HIST), THREE),
    sk("early stopping", en.HistGradientBoostingClassifier(early_stopping=True, **CLASS_HIST), TWO),
    sk("trees and forests", en.VotingRegressor(**members(TREE, en.RandomForestRegressor(**SMALL)))),
    sk("weights, with boosting", en.VotingRegressor(
        **members(TREE, en.GradientBoostingRegressor(**SMALL), en.HistGradientBoostingRegressor(**HIST)),
        weights=[1, 2, 3])),
    sk("with a linear model", en.VotingRegressor(**members(TREE, LinearRegression())),
       refused="member LinearRegression"),
    sk("soft, trees and forests",
       en.VotingClassifier(**members(CLASS_TREE, en.RandomForestClassifier(**SMALL)), voting="soft"),
       WORDS_OF[3][THREE]),
    sk("soft, with boosting",
       en.VotingClassifier(**members(CLASS_TREE, en.GradientBoostingClassifier(**SMALL)), voting="soft"),
       THREE, refused="no sum of trees"),
    sk("hard", en.VotingClassifier(**members(CLASS_TREE, CLASS_TREE)), TWO, refused="voting='soft'"),
    sk("", en.StackingRegressor(**members(TREE)), refused="not made of trees that add up"),
    sk("", en.IsolationForest(n_estimators=2), refused="not made of trees that add up"),
    sk("", MultiOutputRegressor(TREE), PAIR, refused="not made of trees that add up"),
    sk("", OneVsRestClassifier(CLASS_TREE), THREE, refused="not made of trees that add up"),
    sk("", CalibratedClassifierCV(CLASS_TREE), TWO, refused="not made of trees that add up"),
    sk("", TransformedTargetRegressor(TREE, func=np.cbrt, inverse_func=lambda y: y**3),
       refused="not made of trees that add up"),
    sk("of a tree", make_pipeline(TREE), refused="model[-1], a DecisionTreeRegressor, and the table as model[:-1]"),
    sk("of a tree", GridSearchCV(TREE, {"max_depth": [2, 3]}), refused="best_estimator_"),
]

STOPPING = {"eval_set": [(X[N:], SIGNAL[N:])]}
CATS = {"enable_categorical": True, "max_cat_to_onehot": 1}
TYPES = ["q", "q", "q", "c"]
XGBOOST = [
    *(xg(o, np.exp(Y), objective=o) for o in (
        "reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:squaredlogerror", "count:poisson",
        "reg:gamma",
        "reg:tweedie", "survival:cox")),
    xg("reg:logistic", SHARE, objective="reg:logistic"),
    xg("reg:quantileerror", objective="reg:quantileerror", quantile_alpha=0.3),
    xg("three quantiles", objective="reg:quantileerror", quantile_alpha=[0.1, 0.5, 0.9]),
    xg("binary:hinge", TWO, objective="binary:hinge", refused="the objective 'binary:hinge' is not one we can read"),
    xg("own objective", objective=lambda y, p: (p - y, np.ones(len(y)))),
    xg("two targets", PAIR),
    xg("two targets, a vector in each leaf", PAIR, multi_strategy="multi_output_tree", tree_method="hist"),
    xg("3 classes, a vector in each leaf", THREE, xgb.XGBClassifier, multi_strategy="multi_output_tree",
       tree_method="hist"),
    xg("two columns of classes", np.column_stack([TWO, TWO[::-1]]), xgb.XGBClassifier,
       refused="several columns of classes"),
    xg("2 classes", TWO, xgb.XGBClassifier),
    xg("2 classes, logitraw", TWO, xgb.XGBClassifier, objective="binary:logitraw"),
    xg("3 classes", THREE, xgb.XGBClassifier),
    xg("3 classes, softmax", THREE, xgb.XGBClassifier, objective="multi:softmax"),
    xg("scale_pos_weight", TWO, xgb.XGBClassifier, scale_pos_weight=3.0),
    xg("dart", booster="dart", rate_drop=0.5, n_estimators=8),
    xg("dart, 3 classes", THREE, xgb.XGBClassifier, booster="dart", rate_drop=0.5),
    xg("dart, one_drop and forest", booster="dart", one_drop=1, normalize_type="forest", n_estimators=8),
    xg("gblinear", booster="gblinear", max_depth=None, refused="booster is 'gblinear'"),
    xg("base_score", base_score=7.0),
    xg("missing values", rows=GAPS),
    xg("missing values in new rows alone", new=GAPS),
    xg("missing=0", rows=ZEROS, missing=0.0, refused="reads 0 as a missing value"),
    xg("early stopping", n_estimators=40, learning_rate=0.9, early_stopping_rounds=2,
       fitting=STOPPING | {"verbose": False}),
    xg("lossguide", grow_policy="lossguide", max_leaves=6, max_depth=0),
    xg("exact", tree_method="exact"),
    xg("approx, pruned", tree_method="approx", gamma=1.0),
    xg("several trees a round", num_parallel_tree=3, subsample=0.5),
    xg("monotonic", monotone_constraints=(1, 0, 0, 0)),
    xg("sample weights", fitting={"sample_weight": WEIGHT}),
    xg("constant target", np.full(N, 3.0)),
    xg("forest", kind=xgb.XGBRFRegressor),
    xg("forest, 3 classes", THREE, xgb.XGBRFClassifier),
    *(xg(o, THREE, xgb.XGBRanker, objective=o, fitting={"group": [40] * 4}) for o in ("rank:ndcg", "rank:pairwise")),
    xg("rank:map", TWO, xgb.XGBRanker, objective="rank:map", fitting={"group": [40] * 4}),
    xg("codes of categories", BY_TOWN, rows=CODES, feature_types=TYPES, **CATS),
    xg("codes, one against the others", BY_TOWN, rows=CODES, feature_types=TYPES, enable_categorical=True,
       max_cat_to_onehot=9),
    *(xg(f"words{name}", BY_TOWN, rows=FRAME, new=new, **CATS)
      for name, new in {"": FRAME, ", in another order": OWN_ORDER, ", fewer": FEWER, ", missing": MISSING}.items()),
    xg("words never seen", BY_TOWN, rows=FRAME, new=UNSEEN, refused="'Oslo', which the model never saw", **CATS),
    xg("words beyond ASCII", BY_TOWN, rows=BEYOND_ASCII, refused="which code each category of column 'town'", **CATS),
    xg("words, missing in training", BY_TOWN, rows=MISSING, **CATS),
    xg("words, 3 classes", THREE_TOWNS, xgb.XGBClassifier, rows=FRAME, **CATS),
    xg("words, two targets", PAIR_TOWNS, rows=FRAME, **CATS),
    xg("words, dart", BY_TOWN, rows=FRAME, booster="dart", rate_drop=0.5, **CATS),
]
XGBOOST += [booster_of(one) for one in XGBOOST if one.name.partition(", ")[2] in (
    "reg:squarederror", "2 classes", "two targets", "dart", "words", "reg:logistic")]

CATEGORICAL = {"cat_smooth": 0, "min_data_per_group": 1, "max_cat_to_onehot": 1}
RF = {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
RANKS = {"fitting": {"group": [40] * 4}}
ORDERED = FRAME.assign(size=FRAME["size"].cat.as_ordered())
LIGHTGBM = [
    *(lg(o, np.exp(Y), objective=o) for o in (
        "regression", "regression_l1", "huber", "fair", "poisson", "quantile", "mape", "gamma", "tweedie")),
    lg("cross_entropy", SHARE, objective="cross_entropy"),
    lg("cross_entropy_lambda", SHARE, objective="cross_entropy_lambda",
       refused="'cross_entropy_lambda' is not one we can read"),
    lg("own objective", objective=lambda y, p: (p - y, np.ones(len(y))), refused="'custom' is not one we can read"),
    lg("root of the target", np.exp(Y), reg_sqrt=True, refused="'regression sqrt' is not one we can read"),
    lg("2 classes", WORDS_OF[2][TWO], lgb.LGBMClassifier),
    lg("3 classes", THREE, lgb.LGBMClassifier),
    lg("3 classes, one against the others", THREE, lgb.LGBMClassifier, objective="multiclassova"),
    lg("sigmoid 2", TWO, lgb.LGBMClassifier, sigmoid=2.0, refused="'binary sigmoid:2' is not one we can read"),
    lg("unbalanced", TWO, lgb.LGBMClassifier, is_unbalance=True),
    lg("random forest", **RF),
    lg("random forest, 2 classes", TWO, lgb.LGBMClassifier, **RF),
    lg("random forest, 3 classes", THREE, lgb.LGBMClassifier, **RF),
    lg("random forest, words", BY_TOWN, rows=FRAME, **RF, **CATEGORICAL),
    lg("dart", boosting_type="dart", drop_rate=0.5, skip_drop=0.0, n_estimators=8),
    lg("dart, 3 classes", THREE, lgb.LGBMClassifier, boosting_type="dart", drop_rate=0.5),
    lg("goss", data_sample_strategy="goss"),
    lg("extra trees", extra_trees=True),
    lg("linear leaves", linear_tree=True, refused="linear model in each leaf"),
    lg("monotonic", monotone_constraints=[1, 0, 0, 0]),
    lg("path smoothing, bagging", path_smooth=1.0, bagging_freq=1, bagging_fraction=0.7),
    lg("sample weights", fitting={"sample_weight": WEIGHT}),
    lg("constant target", np.full(N, 3.0)),
    lg("missing values", rows=GAPS),
    lg("missing values in new rows alone", new=GAPS),
    lg("missing values without a rule", rows=GAPS, use_missing=False),
    lg("zeros are missing", rows=ZEROS, zero_as_missing=True),
    lg("early stopping", n_estimators=40, learning_rate=0.9,
       fitting=STOPPING | {"callbacks": [lgb.early_stopping(2, verbose=False)]}),
    *(lg(o, THREE, lgb.LGBMRanker, objective=o, **RANKS) for o in ("lambdarank", "rank_xendcg")),
    lg("codes of categories", BY_TOWN, rows=CODES, fitting={"categorical_feature": [3]}, **CATEGORICAL),
    *(lg(f"words{name}", BY_TOWN, rows=FRAME, new=new, **CATEGORICAL)
      for name, new in {"": FRAME, ", in another order": OWN_ORDER, ", fewer": FEWER, ", missing": MISSING,
                        " never seen": UNSEEN}.items()),
    lg("words beyond ASCII", BY_TOWN, rows=BEYOND_ASCII, **CATEGORICAL),
    lg("words, missing in training", BY_TOWN, rows=MISSING, **CATEGORICAL),
    lg("words, ordered", BY_TOWN, rows=ORDERED, refused="which code each category of column 'town'", **CATEGORICAL),
    lg("words, 3 classes", THREE_TOWNS, lgb.LGBMClassifier, rows=FRAME, **CATEGORICAL),
]
LIGHTGBM += [booster_of(one) for one in LIGHTGBM if one.name.partition(", ")[2] in (
    "regression", "2 classes", "random forest", "dart", "words", "3 classes, one against the others")]
SURVIVAL = [
    case("scikit-survival", name, model, Surv.from_arrays(Y > -1, np.exp(Y))) for name, model in {
        "SurvivalTree": SurvivalTree(max_depth=3),
        "SurvivalTree, low_memory": SurvivalTree(max_depth=3, low_memory=True),
        "RandomSurvivalForest": RandomSurvivalForest(**SMALL),
        "GradientBoostingSurvivalAnalysis": GradientBoostingSurvivalAnalysis(**SMALL)}.items()]
CASES = [*SCIKIT_LEARN, *XGBOOST, *LIGHTGBM, *SURVIVAL]


# What the library says ------------------------------------------------------------------------------------------------

def raw_of(model, rows):
    """The library's own raw score (n, n_outputs), and its contributions (n, p, n_outputs) or None."""
    n = len(rows)
    if isinstance(model, xgb.Booster):
        table = xgb.DMatrix(rows, enable_categorical=True,
                            feature_types=model.feature_types if isinstance(rows, np.ndarray) else None)
        end = getattr(model, "best_iteration", -1) + 1
        ask = lambda **how: model.predict(table, validate_features=False, iteration_range=(0, end), **how)  # noqa: E731
        raw = ask(output_margin=True).reshape(n, -1)
        is_vector = '"size_leaf_vector":"1"' not in bytes(model.save_raw("json")).decode()
        return raw, None if is_vector else _by_output(ask(pred_contribs=True), n, rows.shape[1])  # 3.2 refuses vectors
    if hasattr(model, "get_booster"):
        return raw_of(model.get_booster(), rows)
    if isinstance(model, lgb.Booster) or hasattr(model, "booster_"):
        booster = getattr(model, "booster_", model)
        is_mean = "average_output" in booster.model_to_string()
        size = booster.num_trees() // booster.num_model_per_iteration() if is_mean else 1
        raw, parts = model.predict(rows, raw_score=True), model.predict(rows, pred_contrib=True)
        return raw.reshape(n, -1) / size, _by_output(parts, n, rows.shape[1]) / size
    if hasattr(model, "decision_function"):
        return model.decision_function(rows).reshape(n, -1), None
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows), None
    predicted = model.predict(rows).reshape(n, -1)
    return np.log(predicted) if getattr(model, "loss", "") in ("poisson", "gamma") else predicted, None


def _by_output(parts, n, p):
    """Contributions without the constants -> (n, p, n_outputs)."""
    return np.moveaxis(np.asarray(parts).reshape(n, -1, p + 1), 1, 2)[:, :-1]


def distances(one):
    """Largest differences between our reading of a model and what the library says, by what was compared.

    All rows are predicted, the new ones explained.
    """
    model, table = one.fit(), one.rows
    background, rows = (table.iloc[:6], table.iloc[N:]) if isinstance(table, pd.DataFrame) else (table[:6], table[N:])
    forest = from_model(model)
    explained = tree_shap(model, rows)
    raw, contributions = raw_of(model, table)

    def of_output(found):
        values = found.values if found.values.ndim == 3 else found.values[..., None]
        return values, np.reshape(found.base, -1)

    values, base = of_output(explained)
    apart = {"raw score": gap(forest.raw(table), raw), "additivity": gap(base + values.sum(axis=1), raw[N:])}
    if contributions is not None:
        apart["contributions"] = gap(values, contributions[N:])
    if not isinstance(model, xgb.Booster | lgb.Booster):
        if forest.classes is None:
            apart["prediction"] = gap(forest.predict(table), model.predict(table))
        elif getattr(model, "objective", "") != "binary:logitraw":  # there the library calls a score a probability
            apart["probabilities"] = gap(forest.predict_proba(table), model.predict_proba(table))
            assert (forest.predict(table) == model.predict(table)).all()
    if "words" in one.name or "categories" in one.name:
        assert any(tree.left_categories for tree in forest.trees), one.name
    apart["shapley_values"] = gap(*(of_output(explain(model, rows[:3], background=background))[0]
                                    for explain in (tree_shap, shapley_values)))
    if forest.n_features == 4 and "words" in one.name:
        apart["kernel_shap"] = gap(*(of_output(explain(model, rows[:3], background=background))[0]
                                     for explain in (tree_shap, kernel_shap)))
    keeps_impurities = one.library == "scikit-learn" and not np.isnan(forest.trees[0].impurity).any()
    if keeps_impurities and hasattr(model, "feature_importances_"):
        apart["mdi"] = gap(mdi(model).mean, model.feature_importances_)
    return apart


def row(one):
    """A configuration as the page shows it: the largest difference and where, or the refusal."""
    said = {"library": one.library, "version": version(PACKAGES[one.library]), "configuration": one.name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            apart = distances(one)
        except ValueError as refusal:
            return said | {"refused": str(refusal)}
    where = max(apart, key=apart.get)
    return said | {"difference": apart[where], "where": where}


# The tests ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("library", PACKAGES)
def test_every_configuration_is_read_as_the_library_reads_it_or_refused_in_a_sentence(library):
    """The message names each configuration that is neither."""
    wrong = []
    for one in CASES:
        if one.library != library:
            continue
        found = row(one)
        is_right = (one.refused in found.get("refused", "") if one.refused
                    else found.get("difference", np.inf) <= TOLERANCE[library])
        if not is_right:
            wrong.append((one.name, found.get("refused") or (found["where"], found["difference"])))
    assert wrong == []


def test_the_page_lists_these_configurations_more_than_a_hundred_of_them():
    written = json.loads(FILE.read_text(encoding="utf-8"))["models"]
    assert [(r["library"], r["configuration"]) for r in written] == [(one.library, one.name) for one in CASES]
    assert len({(one.library, one.name) for one in CASES}) == len(CASES) >= 100
    for r, one in zip(written, CASES, strict=True):
        assert one.refused in r["refused"] if one.refused else r["difference"] <= TOLERANCE[one.library]


if __name__ == "__main__":
    measured = [row(one) for one in CASES]
    for r in measured:
        print(f"{r['library']:<13}{r['configuration']:<60}", r.get("refused") or f"{r['difference']:.1e} {r['where']}")
    if "--write" in sys.argv:
        stored = json.loads(FILE.read_text(encoding="utf-8")) | {"models": measured}
        FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
