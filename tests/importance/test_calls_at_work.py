"""Which game do the calls play that people use at work?

Chapter 9's table rests on these, and two questions of set 9.
"""

import numpy as np
import pandas as pd
import pytest

from fi_course.tables import concrete
from fi_teach.importance import kernel_shap, tree_shap

shap = pytest.importorskip("shap")
xgboost = pytest.importorskip("xgboost")
lightgbm = pytest.importorskip("lightgbm")

X, y = concrete()
ROWS = X.iloc[:40]
FEW = X.iloc[100:160]
"""Fewer background rows than shap's limit of 100: it keeps them all."""
TREES = {"n_estimators": 20, "max_depth": 3, "n_jobs": 1}
BOOSTED = xgboost.XGBRegressor(**TREES).fit(X, y)
LIGHT = lightgbm.LGBMRegressor(**TREES, verbose=-1).fit(X, y)
CLASSIFIER = xgboost.XGBClassifier(**TREES).fit(X, y > 35)
SINGLE = 2e-5  # XGBoost and shap on it add up in single precision, here numbers up to 40
NAMES = ["XGBoost", "LightGBM", "classifier"]
MODELS = pytest.mark.parametrize("model", [BOOSTED, LIGHT, CLASSIFIER], ids=NAMES)


def gap(ours, theirs):
    return np.abs(np.asarray(ours) - np.asarray(theirs)).max()


@MODELS
def test_without_rows_calls_play_the_path_dependent_game_and_with_rows_the_interventional_one(model):
    walked, filled = (tree_shap(model, ROWS, background=background).values for background in (None, FEW))
    assert gap(walked, filled) > 0.1, "the games differ here"
    for ours, background in ((walked, None), (filled, FEW)):
        assert gap(ours, shap.TreeExplainer(model, background).shap_values(ROWS)) < SINGLE
        assert gap(ours, shap.Explainer(model, background)(ROWS).values) < SINGLE


def test_of_more_than_a_hundred_rows_shap_keeps_a_hundred_unless_told_otherwise():
    for explainer in (shap.TreeExplainer(BOOSTED, X), shap.Explainer(BOOSTED, X)):
        assert len(explainer.data) == 100
        kept = pd.DataFrame(explainer.data, columns=X.columns)
        theirs = explainer(ROWS).values
        assert gap(theirs, tree_shap(BOOSTED, ROWS, background=kept).values) < SINGLE
        assert gap(theirs, tree_shap(BOOSTED, ROWS, background=X).values) > 0.1
    everyone = shap.maskers.Independent(X, max_samples=len(X))
    theirs = shap.TreeExplainer(BOOSTED, everyone)(ROWS).values
    assert gap(theirs, tree_shap(BOOSTED, ROWS, background=X).values) < SINGLE


@pytest.mark.filterwarnings("ignore")
def test_told_to_be_interventional_without_rows_shap_walks_the_path():
    explainer = shap.TreeExplainer(BOOSTED, feature_perturbation="interventional")
    assert gap(explainer.shap_values(ROWS), tree_shap(BOOSTED, ROWS).values) < SINGLE


def test_shaps_kernel_explainer_plays_the_interventional_game():
    """All 254 coalitions of eight features are asked, so nothing is left to chance."""
    background, row = FEW.iloc[:10], ROWS.iloc[:1]
    explainer = shap.KernelExplainer(lambda rows: BOOSTED.predict(rows), background)
    theirs = explainer.shap_values(row, nsamples=300, l1_reg=False, silent=True)
    assert gap(theirs, kernel_shap(BOOSTED, row, background=background).values) < 1e-3
    assert gap(theirs, tree_shap(BOOSTED, row, background=background).values) < 1e-3


def test_xgboost_weighs_the_rows_of_a_classifier_by_how_unsure_it_was_of_them():
    """In classification its covers are sums of p (1 - p), in regression counts."""
    p = np.mean(y > 35)
    first = CLASSIFIER.get_booster().trees_to_dataframe().query("Tree == 0 and Node == 0")
    assert first["Cover"].item() == pytest.approx(len(X) * p * (1 - p), rel=1e-3)
    assert BOOSTED.get_booster().trees_to_dataframe()["Cover"][0] == len(X)
