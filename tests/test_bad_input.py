"""Every public function refuses what it cannot take, with a sentence that helps.

Never a wrong number, never a bare IndexError. Two sweeps leave nothing out: every function that
takes a table and a target gets spoiled tables, and every argument of every function gets values
that it cannot mean.
"""

import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fi_teach.compare as comparing
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
GRADED = comparing.grade(COMPARED, "relevant")
ONES, PAIRS, HALVES = np.ones(40), np.arange(40) // 2, np.arange(40) % 2


def strength(table, target):
    """A stand-in for any importance: absolute covariance with the target."""
    centred = np.asarray(target, float) - np.mean(np.asarray(target, float))
    return np.abs(np.asarray(table, float).T @ centred)


def fit(table, target):
    return trees.grow_cart(table, target, criterion="variance", max_depth=2)


def spoiled(value, row=3, column="b"):
    table = X.copy()
    table.loc[row, column] = value
    return table


# --- a good call of every public function, with all of its arguments ---


ROWS = {"X": X, "y": Y}
JUDGED = {"model": FOREST, **ROWS, "loss": None}
COUNTED = {"sample_weight": ONES, "groups": PAIRS}
DRAWN = {"n_repeats": 2, "rng": 0}
EXPLAINED = {"model": FOREST, "X": X, "background": X}
EFFECT = {"cause": "x1", "outcome": "y"}
LIMITS = {"max_depth": 2, "min_samples_leaf": 1}
SPLIT = {**ROWS, "criterion": "variance", "min_samples_leaf": 1, "sample_weight": ONES}
GROUPED = {
    **JUDGED, "feature_groups": {"g": ["a", "b"]}, **COUNTED, **DRAWN}
OUT_OF_BAG = {**JUDGED, "n_repeats": 1, "donors": None, **COUNTED, "rng": 0}
WORLD = {"n": 20, "rng": 0}
GATE = {**WORLD, "rates": (0.5, 0.4), "rho": 0.1, "flip": 0.1}
CONTEST = {"importance_of": strength, **ROWS, "n_repeats": 8, "rng": 0}

GOOD = {
    "as_forest": {"model": TREE},
    "as_risk": {"model": trees.grow_survival_tree(X, LIVED)},
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
    "columnwise_permutation_importance": GROUPED,
    "conditional_importance": {**JUDGED, **COUNTED, **DRAWN, "method": "subgroups"},
    "conditional_importance_by_definition": {
        **JUDGED, **COUNTED, **DRAWN, "method": "subgroups"},
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
    "every_split": SPLIT,
    "exact_permutation_importance": {**JUDGED, **COUNTED},
    "exact_permutation_importance_by_definition": {**JUDGED, **COUNTED},
    "from_model": {"model": TREE},
    "gain": {"y": LABELS, "branch": WORDS["sky"]},
    "gain_ratio": {"y": LABELS, "branch": WORDS["sky"]},
    "gaussian_knockoffs": {
        "X": X, "method": "mvr", "mean": np.zeros(3), "covariance": COVARIANCE, "rng": 0},
    "gini": {"counts": [1, 2]},
    "group_gap": {"attribution": PHI, "group": HALVES, "output": 0},
    "grouped_permutation_importance": GROUPED,
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
    "grow_forest_by_definition": {**ROWS, "n_trees": 2, "criterion": None, **LIMITS, "rng": 0},
    "grow_survival_forest": {
        "X": X, "y": LIVED, "n_trees": 2, "max_features": "sqrt", **LIMITS, "times": None,
        "rng": 0},
    "grow_survival_tree": {"X": X, "y": LIVED, **LIMITS, "times": None},
    "holm": {"p_values": [0.1, 0.2]},
    "impurity_of": {"y": LABELS, "criterion": "gini", "sample_weight": ONES},
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
    "oob_importance_by_definition": OUT_OF_BAG,
    "oob_importance_per_tree": OUT_OF_BAG,
    "oob_importance_per_tree_by_definition": OUT_OF_BAG,
    "oob_prediction": {"forest": FOREST, "X": X},
    "oob_prediction_by_definition": {"forest": FOREST, "X": X},
    "pair_differences": {**JUDGED, "column": "a"},
    "parents": {"model": CAUSES, "name": "x1"},
    "permutation_importance": {**JUDGED, **COUNTED, **DRAWN},
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
    "tied_splits": SPLIT,
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
    "grade": {"table": COMPARED, "question": "relevant"},
    "mediator": {**WORLD, "direct": 1.0},
    "misled_by": {"graded": GRADED},
    "null": {**WORLD, "p": 3},
    "pipeline_faults": {**WORLD, "faults": ["shift"]},
    "several_outputs": {**WORLD, "noise": 0.5},
    "shift": {**WORLD, "before": 1.0, "after": -1.0},
    "survival": {**WORLD, "log_hazard_ratios": (1.0, 0.0), "censoring": 0.5},
    "twins": {**WORLD, "copies": 2, "jitter": 0.1, "noise": 0.1},
    "variance": {"y": Y, "sample_weight": ONES},
    "what_if": {"tree": DECIDING, "x": X.iloc[0], "target": None, "scale": [1, 1, 1], "frozen": ()},
}
MODULES = (importance, trees, worlds, data, comparing)
PUBLIC = {name: getattr(module, name) for module in MODULES for name in module.__all__
          if inspect.isfunction(getattr(module, name))}
GOOD |= {name: {} for name in data.__all__ if name in PUBLIC}  # loaders take no argument
PACKAGE = Path(comparing.__file__).parent
FLAGS = {"progress", "normalize", "weighted", "bootstrap", "blank", "shown"}
"""What is only asked whether it is true: there is no wrong value."""


def parameters(name):
    return inspect.signature(PUBLIC[name]).parameters


def call(name, /, **changed):
    """The good call, with some arguments changed; what is a generator is run to its end."""
    result = PUBLIC[name](**GOOD[name] | changed)
    return list(result) if inspect.isgenerator(result) else result


def assert_refused(name, /, **changed):
    """A ValueError of the project's own, in a sentence."""
    with pytest.raises(ValueError) as refusal:
        call(name, **changed)
    said = str(refusal.value)
    assert len(said.split()) >= 6
    origin = refusal.traceback[-1]
    assert PACKAGE in Path(origin.path).parents  # raised here, and on purpose:
    assert str(origin.statement).lstrip().startswith("raise")
    foreign = ("could not", "operands", "shape", "zero-size", "cannot reindex", "setting an")
    assert not said.startswith(foreign)


@pytest.mark.parametrize("name", PUBLIC)
def test_good_data_is_taken(name):
    assert call(name) is not None


@pytest.mark.parametrize("name", PUBLIC)
def test_no_argument_is_left_out_of_the_sweep(name):
    """Also not one that a function gets tomorrow."""
    asked = set(parameters(name)) - FLAGS - {"values" if name == "do" else None}
    assert asked <= set(GOOD[name])
    assert all(bad_values(name, argument) for argument in asked)


# --- spoiled tables and targets ---


IN_ONE_DIMENSION = X["a"].to_numpy()
SPOILED = {
    "no rows": {"X": X.iloc[:0], "y": Y[:0]},
    "one dimension": {"X": IN_ONE_DIMENSION},
    "NaN in X": {"X": spoiled(np.nan)},
    "infinity in X": {"X": spoiled(np.inf)},
    "a column of text": {"X": X.assign(b=["red", "blue"] * 20)},
    "two columns of one name": {"X": X.set_axis(["a", "b", "b"], axis=1)},
    "a short target": {"y": Y[:-1]},
    "NaN in the target": {"y": np.where(np.arange(40) == 3, np.nan, Y)},
    "a constant target": {"y": np.ones(40)},
}
AUDITS = ("proxies", "leak_suspects", "subgroups")
REAL = [(name, case) for name in AUDITS for case in ("NaN in X", "a column of text")]
"""These take a table as it is: words and gaps are values there."""
CASES = [(name, case) for name, given in GOOD.items() if given.get("X") is X
         for case, change in SPOILED.items() if set(change) & set(given)
         and (name, case) not in REAL]


def case_of(name, case):
    return {argument: value for argument, value in SPOILED[case].items() if argument in GOOD[name]}


@pytest.mark.parametrize(("name", "case"), CASES, ids=map(": ".join, CASES))
def test_bad_data_is_refused_with_a_sentence(name, case):
    assert_refused(name, **case_of(name, case))


@pytest.mark.parametrize(("name", "case"), REAL, ids=map(": ".join, REAL))
def test_an_audit_takes_words_and_gaps(name, case):
    assert call(name, **case_of(name, case)) is not None


# --- every argument of every function ---


TABLES = [
    X.iloc[:0], IN_ONE_DIMENSION, spoiled(np.inf), X.set_axis(["a", "b", "b"], axis=1), None,
    "a table", np.zeros((2, 2, 2))]
WORD_TABLES = [WORDS.iloc[:0], None, "a table", WORDS.set_axis(["a", "a"], axis=1)]
GROUPINGS = [PAIRS[:3], np.zeros(40), np.full(40, np.nan)]
TWO_GROUPS = [HALVES[:3], None, np.zeros(40), np.arange(40)]
COUNTS = [0, -1, 1.5, 2.5, "ten", None, True, np.nan, [20]]
SHARES = [0, 1, -1, np.nan, "five"]
SHARES_OR_ENDS = [-0.1, 1.1, np.nan, np.inf, "five", None, True, [0.5]]
NUMBERS = [np.nan, "one", None, [1, 2]]
AMOUNTS = [*NUMBERS, np.inf, -np.inf, True, 1j, 10**400]
SPREADS = [*AMOUNTS, -0.1]
NAMES = ["nobody", 3, None, [], [["null"]], {"mine": 3}, {}]
MODELS = [None, "a forest", object(), trees.Tree, fit]

BAD = {
    # models and what stands in for them
    "attribution": [None, X, 3],
    "fit": [None, "forest", lambda X, y: None, lambda X, y: np.zeros(3)],
    "forest": [None, "a forest", TREE],
    "importance_of": [
        None, "mdi", lambda X, y: FOREST, lambda X, y: np.zeros(99),
        lambda X, y: np.full(np.shape(X)[1], np.nan)],
    "model": MODELS,
    "tree": [None, "a tree", object()],
    # tables, targets, rows
    "X": TABLES,
    "background": [
        X.iloc[:0], X[["a", "b"]], X.rename(columns={"a": "z"}), spoiled(np.nan), "rows"],
    "branch": [LABELS[:3], None],
    "data": [None, DATA.iloc[:0], DATA.to_numpy(), DATA.assign(x1=np.nan)],
    "event": [np.full(40, 2), EVENT[:3], np.zeros(40), "e", None],
    "group": TWO_GROUPS,
    "groups": GROUPINGS,
    "knockoffs": [np.zeros((3, 3)), "copies", np.full((40, 3), np.nan), 3],
    "left": [np.zeros(3, bool), "l", None, np.full(40, 0.5)],
    "protected": [*TWO_GROUPS, np.where(np.arange(40) == 3, np.nan, HALVES)],
    "sample_weight": [-ONES, 0 * ONES, np.ones(3), np.nan * ONES, "heavy"],
    "test": [3, (X,), (X[["a"]], Y), (X, Y[:3])],
    "time": [-TIME, TIME[:3], np.nan * TIME, "t", None],
    "x": [[1.0, 2], "x", None, [np.nan] * 3, [[1, 2, 3]] * 2],
    "y": [Y[:-1], np.where(np.arange(40) == 3, np.nan, Y), None, "y", np.zeros((40, 1, 1)), Y[:0]],
    # choices by name
    "adjust": ["nobody", None, 3],
    "cause": ["nobody", None, ["x1", "z"]],
    "column": ["zz", 99, -99, None, ["a", "b"], 1.5],
    "criterion": ["nope", 3],
    "frozen": ["zz", [99], 3],
    "faults": ["shift", ["typo"], None, 3, [["shift"]], "typo"],
    "known_from": [{"zz": 1}, 3, "a", {"a": "late"}],
    "loss": ["nope", 3, ["squared"]],
    "method": ["nope", None, 3],
    "methods": [*NAMES, {"mine": lambda trial: 3}],
    "name": ["nobody", None, 3],
    "ordered": [("zz",), 3, "sky"],
    "outcome": ["nobody", None, "x1"],
    "question": ["nice", 3, None, ["relevant"]],
    "removal": ["nope", None],
    "score": ["nope", 3, None],
    "target": ["nobody", object()],
    "without": [{"null": "zz"}, {"twins": "x1"}, {"null": ["x1"]}, "x1", 3, ["null"]],
    "worlds": [*NAMES, {"mine": lambda n, rng: 3}],
    # how many
    "df": [-1, "one", None],
    "n_folds": [0, 1, 2.5, "ten", 10**6],
    "max_depth": [-1, 2.5, "ten"],
    "max_features": [0, -1, 9, "half", 2.5],
    "min_samples_leaf": [0, -1, 2.5, "ten", None],
    "most": [0, -1, "ten"],
    "n": COUNTS,
    "n_coalitions": [0, -1, "ten"],
    "n_repeats": COUNTS,
    "n_rows": COUNTS,
    "n_strata": COUNTS,
    "n_trees": COUNTS,
    "n_neighbours": [*COUNTS, 10**6],
    "offset": [2, -1, "one", 0.5],
    "output": [9, "first", None, 1.5],
    "copies": COUNTS,
    "p": COUNTS,
    "rng": [-1, "zero", "a", 1.5, [1.5], [-1], [], {}, True, np.nan],
    # numbers
    "after": AMOUNTS,
    "agreement": SHARES_OR_ENDS,
    "alpha": SHARES,
    "alpha_merge": SHARES,
    "before": AMOUNTS,
    "bias": AMOUNTS,
    "censoring": SPREADS,
    "flip": SHARES_OR_ENDS,
    "jitter": SPREADS,
    "log_hazard_ratios": [
        [], None, 3, "ab", ["one"], [np.nan], [np.inf], [[1, 2]], [[1], [2, 3]], [True]],
    "noise": SPREADS,
    "rates": [
        0.5, None, "ab", (0.5,), (0, 0.5), (0.5, 1), (0.5, np.nan), ("a", 0.5), [[0.5], [1, 2]],
        (0.5, None), [[0.5, 0.5]]],
    "rho": [-1.1, 1.1, np.nan, "five", None, True, [0.5]],
    "base": [0, 1, -2, "two", np.nan],
    "counts": [[-1, 2], "c", [np.nan, 1], []],
    "covariance": [
        np.eye(2)[:1], -np.eye(3), np.full((3, 3), np.nan), "eye", np.zeros((3, 3)),
        np.triu(np.ones((3, 3)))],
    "decided_at": ["today", None],
    "differences": [[1.0], [], "d", np.zeros((2, 2, 2)), [1.0, np.nan]],
    "direct": NUMBERS,
    "donors": [np.arange(3), np.full((5, 1), 99), np.full((5, 1), 0.5), "d", np.full((40, 1), 99)],
    "effect": NUMBERS,
    "learning_rate": [0, -1, np.nan, "fast", None],
    "level": SHARES,
    "mean": [np.zeros(2), np.full(3, np.nan), "zero"],
    "measurement_error": NUMBERS,
    "p_values": [[0.5, 2], [np.nan], "p", [[0.1]], [-0.1], []],
    "q": SHARES,
    "s": [np.ones(2), np.full(3, 9.0), -np.ones(3), "s", np.full(3, np.nan)],
    "scale": [[1.0], -np.ones(3), "s", np.zeros(3)],
    "share": [0, 2, np.nan, "most"],
    "statistic": [-1, np.nan, "s", None],
    "statistics": [[np.nan, 1.0], "w", [[1.0]], []],
    "table": [[1, 2], [[-1, 2], [3, 4]], [[0, 0], [0, 0]], "t", [[1, np.nan], [1, 2]]],
    "times": [[2, 1], [], "t", [[1.0]], [np.nan]],
    "value": [99],
    "values": ["a", [np.nan]],
    "x1": NUMBERS,
}
SPOILED_COMPARISON = [
    None, "table", 3, COMPARED.drop(columns="world"), COMPARED.assign(importance="big"),
    COMPARED.to_numpy()]
OF_ONE_FUNCTION = {
    ("clear_of_zero", "table"): SPOILED_COMPARISON,
    ("compare", "n"): [*COUNTS, 19],
    ("conditional_randomization_test", "copies"): [3, "copies"],
    ("friedman", "p"): [*COUNTS, 4],
    ("grade", "table"): [*SPOILED_COMPARISON, COMPARED[COMPARED["repeat"] == 0], COMPARED.iloc[:0]],
    ("misled_by", "graded"): [
        None, "graded", COMPARED, GRADED.iloc[:2], GRADED.assign(worst="big")],
    ("pipeline_faults", "n"): [*COUNTS, 1],
    ("collider", "effect"): AMOUNTS,
    ("confounder", "effect"): AMOUNTS,
    ("mediator", "direct"): AMOUNTS,
    ("confounder", "measurement_error"): SPREADS,
    ("log_rank", "group"): [np.zeros(40, bool), np.ones(3, bool), "g", None],
    ("midpoints", "column"): [[np.nan, 1], "c", [[1, 2]]],
    ("rules", "name"): ["two words", None, 3, "class"],
    **{(name, "X"): WORD_TABLES for name in ("chaid_splits", "grow_c45")},
    **{(name, "feature_groups"): [{}, None, {"g": ["zz"]}, {"g": []}, ["a"]]
       for name in ("columnwise_permutation_importance", "grouped_permutation_importance")},
    **{(name, "model"): [None, TREE, "z -> x"]
       for name in ("descendants", "do", "interventional_mean", "observe", "parents",
                    "satisfies_backdoor")},
    ("interventional_mean", "outcome"): ["nobody", None],
    ("variance", "y"): [np.where(np.arange(40) == 3, np.nan, Y), None, "y", LABELS, Y[:0], Y[:3]],
}


def bad_values(name, argument):
    """None is no bad value where it is the default."""
    values = OF_ONE_FUNCTION.get((name, argument)) or BAD[argument]
    optional = argument in parameters(name) and parameters(name)[argument].default is None
    return [value for value in values if value is not None or not optional]


ARGUMENTS = [(name, argument) for name in GOOD for argument in GOOD[name]]


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS, ids=map(" ".join, ARGUMENTS))
def test_a_value_that_an_argument_cannot_mean_is_refused_with_a_sentence(name, argument):
    for value in bad_values(name, argument):
        assert_refused(name, **{argument: value})


# --- what the sweeps cannot say ---


def test_an_unfitted_model_is_refused():
    from sklearn.ensemble import RandomForestRegressor

    for method in (importance.mdi, trees.from_model):
        with pytest.raises(ValueError, match="fit"):
            method(RandomForestRegressor())


def test_unknown_names_are_refused_with_the_known_ones():
    for name, unknown in (("grow_cart", {"criterion": "mse"}), ("debiased_mdi", {"method": "nope"}),
                          ("permutation_importance", {"loss": "nope"})):
        with pytest.raises(ValueError, match=r"expected|known"):
            call(name, **unknown)


def test_a_table_that_is_not_there_is_refused_with_those_that_are():
    from fi_teach.data.provenance import licence_texts
    from fi_teach.data.table import read_csv

    for name in ("nobody", "../compare", None, 3, ["golf"]):
        for ask in (read_csv, licence_texts):
            with pytest.raises(ValueError, match="golf, midterm"):
                ask(name)


def test_too_many_players_are_refused_with_what_to_use_instead():
    wide = RNG.normal(size=(5, 40))
    with pytest.raises(ValueError, match=r"tree_shap|sampled|kernel"):
        importance.shapley_values(lambda Z: Z.sum(axis=1), wide, background=wide)


def test_one_row_cannot_be_shuffled():
    assert_refused("permutation_importance", X=X.iloc[:1], y=Y[:1], sample_weight=None, groups=None)
