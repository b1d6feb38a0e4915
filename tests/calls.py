"""A good call of every public function, with all of its arguments: where the tests of all functions start."""

import inspect

import numpy as np
import pandas as pd

import fi_course.compare as comparing
import fi_teach.data as data
import fi_teach.importance as importance
import fi_teach.trees as trees
import fi_teach.worlds as worlds

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["a", "b", "c"])
Y = (X["a"] + RNG.normal(size=40)).to_numpy()
FOREST = trees.grow_forest(X, Y, n_trees=5)
TREE = trees.grow_cart(X, Y, criterion="variance", max_depth=3)
DECIDING = trees.grow_cart(X, Y > 0, max_depth=3)
WORDS = pd.DataFrame({"sky": ["sun", "rain"] * 20, "wind": ["west", "east", "east", "west"] * 10})
LABELS = np.array(["yes", "no", "no"] * 13 + ["yes"])
TIME, EVENT = np.arange(1.0, 41), (np.arange(40) % 3 > 0).astype(float)
LIVED = np.column_stack([TIME, EVENT])
PHI = importance.tree_shap(FOREST, X)
CAUSES = importance.confounder_model()
DATA = importance.observe(CAUSES, 60)
COVARIANCE = np.eye(3) + 0.3
COMPARED = comparing.compare(["and_gate"], ["MDI"], n=40, n_trees=2, n_repeats=3)
OUTCOMES = comparing.outcomes(COMPARED, "relevant")
ONES, PAIRS, HALVES = np.ones(40), np.arange(40) // 2, np.arange(40) % 2


def strength(table, target):
    """A stand-in for any importance: absolute covariance with the target."""
    centred = np.asarray(target, float) - np.mean(np.asarray(target, float))
    return np.abs(np.asarray(table, float).T @ centred)


def fit(table, target):
    return trees.grow_cart(table, target, criterion="variance", max_depth=2)


# --- a good call of every public function, with all of its arguments ---


ROWS = {"X": X, "y": Y}
JUDGED = {"model": FOREST, **ROWS, "loss": None}
COUNTED = {"sample_weight": ONES, "groups": PAIRS}
DRAWN = {"n_repeats": 2, "rng": 0}
EXPLAINED = {"model": FOREST, "X": X, "background": X}
EFFECT = {"cause": "x1", "outcome": "y"}
LIMITS = {"max_depth": 2, "min_samples_leaf": 1}
SPLIT = {**ROWS, "criterion": "variance", "min_samples_leaf": 1, "sample_weight": ONES}
OUT_OF_BAG = {**JUDGED, "n_repeats": 1, "donors": None, **COUNTED, "rng": 0}
WORLD = {"n": 20, "rng": 0}
GATE = {**WORLD, "rates": (0.5, 0.4), "rho": 0.1, "flip": 0.1}
CONTEST = {"importance_of": strength, **ROWS, "n_repeats": 8, "rng": 0}

GOOD = {
    "as_forest": {"model": TREE},
    "as_risk": {"model": trees.grow_survival_forest(X, LIVED, n_trees=2)},
    "backdoor_adjustment": {"data": DATA, "adjust": "z", "n_strata": 3, **EFFECT},
    "backdoor_mean": {"data": DATA.round(), "value": 0, "adjust": [], **EFFECT},
    "benjamini_hochberg": {"p_values": [0.1, 0.2]},
    "best_split": SPLIT,
    "best_split_by_definition": SPLIT,
    "bootstrap_counts": {"n_rows": 5, "n_trees": 3, "rng": 0},
    "boruta": {**CONTEST, "alpha": 0.05},
    "chaid_splits": {"X": WORDS, "y": LABELS, "alpha_merge": 0.05, "ordered": ("sky",)},
    "chi_square": {"table": [[1, 2], [3, 4]]},
    "chi_square_p_value": {"statistic": 1.0, "df": 1},
    "collider_model": {"effect": 1.0},
    "conditional_importance": {**JUDGED, **COUNTED, **DRAWN, "method": "subgroups"},
    "conditional_mean": {"data": DATA, "values": [0], "n_neighbours": 10, **EFFECT},
    "conditional_randomization_test": {**CONTEST, "copies": "conditional"},
    "confounder_model": {"effect": 1.0, "measurement_error": 1.0},
    "debiased_mdi": {"model": FOREST, **ROWS, "method": "oob"},
    "decrease_by_feature": {"tree": TREE},
    "descendants": {"model": CAUSES, "name": "x1"},
    "do": {"model": CAUSES, "x1": 1.0},
    "drop_column_importance": {
        "fit": fit, **ROWS, "loss": None, "test": None, "n_folds": 3, **COUNTED, "rng": 0},
    "entropy": {"counts": [1, 2], "base": 2},
    "entropy_nats": {"counts": [1, 2]},
    "equicorrelated_s": {"covariance": COVARIANCE},
    "every_c45_tree": {"X": X, "y": LABELS, **LIMITS, "most": 10**6},
    "every_greedy_tree": {
        **ROWS, "criterion": "variance", "max_depth": 1, "sample_weight": ONES, "most": 50},
    "exact_permutation_importance": {**JUDGED, **COUNTED},
    "exact_permutation_importance_by_definition": {**JUDGED, **COUNTED},
    "from_model": {"model": TREE},
    "gain": {"y": LABELS, "branch": WORDS["sky"]},
    "gain_ratio": {"y": LABELS, "branch": WORDS["sky"]},
    "gaussian_knockoffs": {
        "X": X, "method": "mvr", "mean": np.zeros(3), "covariance": COVARIANCE, "rng": 0},
    "gini": {"counts": [1, 2]},
    "group_gap": {"attribution": PHI, "group": HALVES, "output": 0},
    "grow_adaboost": {
        "X": X, "y": LABELS, "n_trees": 2, "learning_rate": 1.0, "max_depth": 1},
    "grow_boosting": {
        **ROWS, "loss": None, "n_trees": 2, "learning_rate": 0.1, **LIMITS, "max_features": 2,
        "rng": 0},
    "grow_c45": {"X": WORDS, "y": LABELS, **LIMITS},
    "grow_cart": {**SPLIT, **LIMITS, "max_features": 2, "rng": 0},
    "grow_cart_by_definition": {**SPLIT, "max_depth": 1},
    "grow_cut_once": {"X": X, "y": LABELS},
    "grow_forest": {
        **ROWS, "n_trees": 2, "criterion": None, "max_features": "auto", **LIMITS, "rng": 0},
    "grow_survival_forest": {
        "X": X, "y": LIVED, "n_trees": 2, "max_features": "sqrt", **LIMITS, "times": None,
        "rng": 0},
    "holm": {"p_values": [0.1, 0.2]},
    "interventional_mean": {"model": CAUSES, "values": [0], "n": 10, "rng": 0, **EFFECT},
    "kernel_shap": {**EXPLAINED, "n_coalitions": None, "rng": 0},
    "knockoff_filter": {
        "importance_of": strength, **ROWS, "q": 0.2, "knockoffs": X.to_numpy()[::-1],
        "offset": 1, "rng": 0},
    "knockoff_law": {"covariance": COVARIANCE, "s": np.full(3, 0.3)},
    "knockoff_statistics": {
        "importance_of": strength, **ROWS, "knockoffs": X.to_numpy()[::-1], "rng": 0},
    "knockoff_threshold": {"statistics": [1.0, 2, -1], "q": 0.2, "offset": 1},
    "leak_suspects": {
        **ROWS, "known_from": {"a": 1}, "decided_at": 0, "share": 0.9, "n_trees": 3, "rng": 0},
    "log_rank": {"time": TIME, "event": EVENT, "group": HALVES == 0},
    "mdi": {"model": FOREST},
    "mediator_model": {"direct": 1.0},
    "midpoints": {"column": [1.0, 2, 3]},
    "mvr_s": {"covariance": COVARIANCE},
    "naive_interval": {"differences": np.arange(5.0), "level": 0.95},
    "nelson_aalen": {"time": TIME, "event": EVENT, "times": None},
    "observe": {"model": CAUSES, "n": 5, "rng": 0},
    "oob_importance": OUT_OF_BAG,
    "oob_importance_per_tree": OUT_OF_BAG,
    "oob_prediction": {"forest": FOREST, "X": X},
    "pair_differences": {**JUDGED, "column": "a"},
    "parents": {"model": CAUSES, "name": "x1"},
    "permutation_importance": {**JUDGED, **COUNTED, **DRAWN, "feature_groups": {"g": ["a", "b"]}},
    "permutation_importance_by_definition": {**JUDGED, **COUNTED, **DRAWN},
    "proxies": {"X": X, "protected": HALVES, "n_trees": 3, "min_samples_leaf": 3, "rng": 0},
    "receiver_donor_interval": {
        "differences": np.arange(5.0)[:, None], "donors": np.arange(5)[::-1, None],
        "sample_weight": ONES[:5], "groups": PAIRS[:5], "level": 0.95},
    "regression_adjustment": {"data": DATA, "adjust": "z", **EFFECT},
    "row_bootstrap_interval": {**JUDGED, **COUNTED, **DRAWN, "column": "a", "level": 0.95},
    "rules": {"tree": TREE, "name": "decide"},
    "sage": {**JUDGED, "background": X, "sample_weight": ONES, "n_repeats": 4, "rng": 0},
    "sage_by_definition": {**JUDGED, "background": X, "sample_weight": ONES, "rng": 0},
    "sampled_shapley_values": {**EXPLAINED, "removal": "marginal", **DRAWN},
    "satisfies_backdoor": {"model": CAUSES, "adjust": "z", **EFFECT},
    "score_permutation_importance": {
        "model": FOREST, **ROWS, "score": "r2", "groups": None, **DRAWN},
    "shapley_values": {**EXPLAINED, "removal": "marginal"},
    "shuffle_differences": {**JUDGED, "column": "a", **DRAWN},
    "split_decrease": {
        "y": LABELS, "left": TIME < 20, "criterion": "gini", "sample_weight": ONES},
    "subgroups": {"X": X, "column": "a", "min_samples_leaf": 5},
    "target_permutation_test": CONTEST,
    "tree_explainer": {"model": FOREST, "background": X},
    "tree_shap": EXPLAINED,
    "tree_shap_by_definition": {**EXPLAINED, "model": TREE},
    "tree_shap_by_recursion": {"model": TREE, "X": X},
    "tree_shap_interactions": EXPLAINED,
    "tree_shap_interactions_by_definition": {**EXPLAINED, "model": TREE},
    # worlds, tables, and the comparison of methods on worlds
    **dict.fromkeys(("and_gate", "or_gate", "xor_gate"), GATE),
    **dict.fromkeys(("cardinality", "leak"), WORLD),
    "bit_cells": {"rates": (0.5, 0.4), "rho": 0.1},
    "clear_of_zero": {"table": COMPARED},
    "collider": {**WORLD, "effect": 1.0},
    "compare": {
        "worlds": ["null"], "methods": ["MDI"], "n": 40, "n_trees": 2, "n_repeats": 1,
        "without": {"null": "x1"}, "rng": 0},
    "confounder": {**WORLD, "measurement_error": 0.1, "effect": 1.0},
    "correlated_proxy": {**WORLD, "rho": 0.9, "noise": 0.3},
    "fairness": {**WORLD, "bias": 1.0, "agreement": 0.9},
    "friedman": {**WORLD, "p": 6, "noise": 1.0},
    "mediator": {**WORLD, "direct": 1.0},
    "null": {**WORLD, "p": 3},
    "outcomes": {"table": COMPARED, "question": "relevant"},
    "pipeline_faults": {**WORLD, "faults": ["shift"]},
    "shift": {**WORLD, "before": 1.0, "after": -1.0},
    "twins": {**WORLD, "copies": 2, "jitter": 0.1, "noise": 0.1},
    "stored": {},
    "variance": {"y": Y, "sample_weight": ONES},
    "verdicts": {"found": OUTCOMES},
    "what_if": {"tree": DECIDING, "x": X.iloc[0], "target": None, "scale": [1, 1, 1], "frozen": ()},
}
MODULES = (importance, trees, worlds, data, comparing)
PUBLIC = {name: getattr(module, name) for module in MODULES for name in module.__all__
          if inspect.isfunction(getattr(module, name))}
GOOD |= {name: {} for name in data.__all__ if name in PUBLIC}  # loaders take no argument


def parameters(name):
    return inspect.signature(PUBLIC[name]).parameters


def call(name, /, **changed):
    """The good call, with some arguments changed; a generator is run to its end."""
    try:
        result = PUBLIC[name](**GOOD[name] | changed)
        return list(result) if inspect.isgenerator(result) else result
    except Exception as error:
        error.add_note(f"in {name}({', '.join(changed)} changed)")
        raise
