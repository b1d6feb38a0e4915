"""fi_teach against the reference libraries: one table of methods, largest differences and tolerances.

    python tests/test_conformity.py --write    measure again and write book/conformity.json, which the book's page reads

The libraries' own tests of every method, on many inputs, are in tests/importance and tests/trees; here each pair is
measured once, on data of known seed, so that a reader sees how close the agreement is and with which version.
"""

import importlib
import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from definitions import mvr_loss
from oracles import CORRELATIONS, eighty_rows, knockoff_statistics, stored, stored_version

from fi_teach.basics.losses import auc, concordance
from fi_teach.importance import (
    kernel_shap,
    knockoff_threshold,
    mdi,
    mvr_s,
    permutation_importance,
    shapley_values,
    tree_shap,
    tree_shap_interactions,
)
from fi_teach.trees import from_model, log_rank, nelson_aalen

FILE = Path(__file__).resolve().parents[1] / "book/conformity.json"


# Data and models ------------------------------------------------------------------------------------------------------

@cache
def table():
    """200 rows, 6 features, an interaction and some noise -> X, y (numbers).

    Continuous, since a value that meets a threshold to single precision goes left in one library and right in another.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=200)


@cache
def fitted(name):
    """A small fitted model of a library, by the name of its class."""
    X, y = table()
    package, settings, target = MODELS[name]
    return getattr(importlib.import_module(package), name)(**settings).fit(X, y > 0 if target == "class" else y)


MODELS = {
    "DecisionTreeClassifier": ("sklearn.tree", {"random_state": 0}, "class"),
    "RandomForestRegressor": ("sklearn.ensemble", {"n_estimators": 20, "random_state": 0}, "number"),
    "RandomForestClassifier": ("sklearn.ensemble", {"n_estimators": 20, "max_depth": 6, "random_state": 0}, "class"),
    "GradientBoostingRegressor": ("sklearn.ensemble", {"n_estimators": 30, "random_state": 0}, "number"),
    "HistGradientBoostingRegressor": ("sklearn.ensemble", {"max_iter": 20, "min_samples_leaf": 5}, "number"),
    "XGBRegressor": ("xgboost", {"n_estimators": 30, "max_depth": 4, "n_jobs": 1}, "number"),
    "LGBMRegressor": ("lightgbm", {"n_estimators": 30, "num_leaves": 8, "n_jobs": 1, "verbose": -1}, "number"),
}


def gap(ours, theirs):
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    if ours.size == theirs.size:
        ours = ours.reshape(theirs.shape)
    return float(np.nan_to_num(np.abs(ours - theirs).max(), nan=np.inf))  # NaN is no smaller than other differences


# The pairs: each function measures one and returns the largest difference ---------------------------------------------

def mdi_gap(name):
    return gap(mdi(fitted(name)).mean, fitted(name).feature_importances_)


def prediction_gap(name):
    model, rows = fitted(name), np.vstack([table()[0], np.random.default_rng(1).normal(size=(200, 6))])
    return gap(np.squeeze(from_model(model).raw(rows)), model.predict(rows))


def shap_gap(name, background=None):
    """Against path-dependent values, or against interventional ones where there is a background."""
    import shap

    rows = table()[0][:50]
    game = "tree_path_dependent" if background is None else "interventional"
    masker = None if background is None else shap.maskers.Independent(background, max_samples=len(background))
    theirs = shap.TreeExplainer(fitted(name), masker, feature_perturbation=game)
    return gap(tree_shap(fitted(name), rows, background=background).values,
               theirs.shap_values(rows, check_additivity=False))


def interventional_gap(name):
    return shap_gap(name, table()[0][100:140])


def interactions_gap(name):
    import shap

    rows, theirs = table()[0][:15], shap.TreeExplainer(fitted(name), feature_perturbation="tree_path_dependent")
    return gap(tree_shap_interactions(fitted(name), rows), theirs.shap_interaction_values(rows))


def woodelf_gap():
    import pandas as pd
    import woodelf

    X = pd.DataFrame(table()[0], columns=[f"x{j}" for j in range(6)])
    model, rows, background = fitted("GradientBoostingRegressor"), X[:30], X[100:150]
    return max(gap(tree_shap(model, rows, background=given).values,
                   woodelf.WoodelfExplainer(model, given).shap_values(rows))
               for given in (None, background))


def contributions_gap(name):
    """Against the library's own contributions."""
    import xgboost

    model, rows = fitted(name), table()[0][:40]
    theirs = (model.get_booster().predict(xgboost.DMatrix(rows), pred_contribs=True) if name == "XGBRegressor"
              else model.booster_.predict(rows, pred_contrib=True))
    return gap(tree_shap(model, rows).values, theirs[:, :-1])


def kernel_shap_gap():
    predict, rows, background = fitted("RandomForestRegressor").predict, table()[0][:5], table()[0][100:120]
    return gap(kernel_shap(predict, rows, background=background).values,
               shapley_values(predict, rows, background=background).values)


def permutation_gap():
    """In standard errors of the two means over 50 shuffles, for the feature that differs most."""
    from sklearn.inspection import permutation_importance as theirs

    X, y = table()
    model = fitted("RandomForestRegressor")
    ours = permutation_importance(model, X, y, n_repeats=50)
    other = theirs(model, X, y, scoring="neg_mean_squared_error", n_repeats=50, random_state=1)
    error = np.sqrt((ours.permutation_sd**2 + other.importances_std**2) / 50)
    return gap(ours.mean / error, other.importances_mean / error)


def mvr_excess():
    """By which share our loss is above knockpy's at most; 0 if it is not."""
    return float(max(0, *(
        mvr_loss(correlation, mvr_s(correlation)) / mvr_loss(correlation, stored(f"mvr s, {name}", correlation)) - 1
        for name, correlation in CORRELATIONS.items())))


def threshold_gap():
    """Some thresholds are infinite in both."""
    statistics = knockoff_statistics()
    ours, theirs = [knockoff_threshold(W, 0.2) for W in statistics], stored("threshold, offset 1", statistics)
    return gap(np.where(ours == theirs, 0, ours), np.where(ours == theirs, 0, theirs))


def concordance_gap():
    from sksurv.metrics import concordance_index_censored

    time, event, _ = eighty_rows()
    risk = np.random.default_rng(1).integers(0, 20, 80)
    return gap(concordance(time, event, risk), concordance_index_censored(event, time, risk)[0])


def hazard_gap():
    from sksurv.nonparametric import nelson_aalen_estimator

    time, event, _ = eighty_rows()
    at, theirs = nelson_aalen_estimator(event, time)
    return gap(nelson_aalen(time, event, at), theirs)


def log_rank_gap():
    time, event, group = eighty_rows()
    return gap(log_rank(time, event, group), stored("log-rank, 80 rows", time, event, group))


def auc_gap():
    from sklearn.metrics import roc_auc_score

    score = np.random.default_rng(2).integers(0, 20, 200)
    return gap(auc(table()[1] > 0, score), roc_auc_score(table()[1] > 0, score))


@dataclass(frozen=True)
class Pair:
    """A method of ours, what it is held against, and how far apart the two may be.

    packages : whose versions to state, empty for our own definition; tolerance in `unit`
    """

    method: str
    reference: str
    packages: tuple
    tolerance: float
    measure: Callable[[], float]
    unit: str = "absolute"


def pairs_for(method, reference, packages, tolerance, measure, names):
    """The same measurement for several models."""
    return [Pair(f"{method}, {name}", reference, packages, tolerance, lambda name=name: measure(name))
            for name in names]


BOTH = ("GradientBoostingRegressor", "RandomForestClassifier")
PAIRS = [
    *pairs_for("mdi", "feature_importances_", ("scikit-learn",), 1e-12, mdi_gap,
               ("DecisionTreeClassifier", "RandomForestRegressor", "GradientBoostingRegressor")),
    *pairs_for("from_model", "predict", ("scikit-learn",), 1e-10, prediction_gap,
               ("RandomForestRegressor", "GradientBoostingRegressor", "HistGradientBoostingRegressor")),
    *pairs_for("from_model", "predict", ("xgboost-cpu",), 1e-5, prediction_gap, ("XGBRegressor",)),
    *pairs_for("from_model", "predict", ("lightgbm",), 1e-10, prediction_gap, ("LGBMRegressor",)),
    *pairs_for("tree_shap", "TreeExplainer, path-dependent", ("shap",), 1e-10, shap_gap, BOTH),
    *pairs_for("tree_shap with a background", "TreeExplainer, interventional", ("shap",), 1e-6, interventional_gap,
               BOTH),
    *pairs_for("tree_shap_interactions", "shap_interaction_values", ("shap",), 1e-10, interactions_gap, BOTH[:1]),
    Pair("tree_shap, both games", "WoodelfExplainer", ("woodelf-explainer",), 1e-6, woodelf_gap),
    Pair("tree_shap", "pred_contribs (single precision)", ("xgboost-cpu",), 1e-4,
         lambda: contributions_gap("XGBRegressor")),
    Pair("tree_shap", "pred_contrib", ("lightgbm",), 1e-10, lambda: contributions_gap("LGBMRegressor")),
    Pair("kernel_shap, every coalition", "shapley_values, by definition", (), 1e-10, kernel_shap_gap),
    Pair("permutation_importance", "permutation_importance", ("scikit-learn",), 4, permutation_gap, "standard errors"),
    Pair("mvr_s, its loss above theirs", "compute_smatrix, mvr, stored figures", ("knockpy",), 1e-9, mvr_excess,
         "share"),
    Pair("knockoff_threshold", "data_dependent_threshhold, stored figures", ("knockpy",), 0, threshold_gap),
    Pair("concordance", "concordance_index_censored", ("scikit-survival",), 1e-12, concordance_gap),
    Pair("nelson_aalen", "nelson_aalen_estimator", ("scikit-survival",), 1e-10, hazard_gap),
    Pair("log_rank", "logrank_test, stored figures", ("lifelines",), 1e-10, log_rank_gap),
    Pair("auc", "roc_auc_score", ("scikit-learn",), 1e-12, auc_gap),
]


def stated(pair):
    """What the page says of a pair, but for what was measured."""
    return {"method": pair.method, "reference": pair.reference, "packages": list(pair.packages),
            "tolerance": pair.tolerance,
            "unit": pair.unit}


def row(pair):
    """One measured row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        difference = pair.measure()
    return {**stated(pair), "versions": [stored_version(name) or version(name) for name in pair.packages],
            "difference": difference}


def as_text(rows):
    """The table for a terminal."""
    return "\n".join(f"{r['method']:<50} {', '.join(r['packages']) or 'definition':<18} {', '.join(r['versions']):<8} "
                     f"{r['difference']:9.1e} of {r['tolerance']:.0e} {r['unit']}" for r in rows)


# The tests ------------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def rows():
    return [row(pair) for pair in PAIRS]


def test_fi_teach_agrees_with_the_reference_libraries(rows, record_property):
    """Each within its tolerance; the table is printed under the results."""
    record_property("table", as_text(rows))
    assert [r for r in rows if not r["difference"] <= r["tolerance"]] == []


def test_stored_figures_are_refused_for_other_inputs_than_theirs():
    """One correlation moved by 0.001, or the rows in another order."""
    correlation = CORRELATIONS["ar 0.5"]
    moved = correlation.copy()
    moved[0, 1] += 0.001
    for other in (moved, correlation[::-1]):
        with pytest.raises(ValueError, match=r"the inputs of 'mvr s, ar 0.5' are not those .* run make oracles"):
            stored("mvr s, ar 0.5", other)


def test_two_programs_are_compared_and_not_one_with_itself(rows):
    """Two ways to the same number differ by rounding: a third of the differences at least are not exactly 0."""
    assert sum(r["difference"] > 0 for r in rows) > len(rows) / 3


def test_a_difference_is_found():
    """Measured against another model's importances, the first pair would miss its tolerance by far;
    test_models_of_libraries.py measures by the same `gap`."""
    theirs = fitted("RandomForestRegressor").feature_importances_
    assert gap(mdi(fitted("DecisionTreeClassifier")).mean, theirs) > 1e6 * PAIRS[0].tolerance
    assert gap(theirs * np.nan, theirs) == np.inf


def test_the_page_states_the_pairs_and_tolerances_of_this_table():
    """book/conformity.json is written by this module; what was measured may differ in the last digits,
    the rest may not."""
    written = json.loads(FILE.read_text(encoding="utf-8"))["rows"]
    assert [{key: r[key] for key in stated(PAIRS[0])} for r in written] == [stated(pair) for pair in PAIRS]
    assert all(r["difference"] <= r["tolerance"] for r in written)


if __name__ == "__main__" and "--write" in sys.argv:
    measured = [row(pair) for pair in PAIRS]
    # the models are test_models_of_libraries'
    stored = json.loads(FILE.read_text(encoding="utf-8")) | {"rows": measured}
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(as_text(measured))
