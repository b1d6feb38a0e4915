"""Every public function refuses what it cannot take, with a sentence that helps.

Never a wrong number, never a bare IndexError: every argument of every function gets values that it cannot mean.
"""

import traceback
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from calls import (
    COMPARED,
    DATA,
    DECIDING,
    EVENT,
    FOREST,
    GOOD,
    HALVES,
    LABELS,
    LIVED,
    ONES,
    PAIRS,
    PHI,
    PUBLIC,
    TIME,
    TREE,
    WORDS,
    X,
    Y,
    call,
    fit,
    parameters,
)
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, VotingRegressor
from sklearn.tree import DecisionTreeRegressor

import fi_audit
import fi_course
import fi_teach
import fi_teach.trees as trees
from fi_course.tables import read_csv
from fi_teach.basics.value_functions import neighbours

PACKAGES = {Path(module.__file__).parent for module in (fi_teach, fi_audit, fi_course)}
FLAGS = {"together", "progress", "normalize", "weighted", "bootstrap", "blank", "shown"}
"""What is only asked whether it is true: there is no wrong value."""


def spoiled(value, row=3, column="b"):
    table = X.copy()
    table.loc[row, column] = value
    return table


FOREIGN = ("could not", "operands", "shape", "zero-size", "cannot reindex", "setting an")
"""How sentences of NumPy and pandas begin."""


def fault_of(name, /, **changed):
    """What is wrong with how a call is refused: None if it is a ValueError of our own, in a sentence."""
    try:
        call(name, **changed)
    except ValueError as refusal:
        said, origin = str(refusal), traceback.extract_tb(refusal.__traceback__)[-1]
    except Exception as error:
        return f"ends in {error!r}"
    else:
        return "is taken"
    if not PACKAGES & set(Path(origin.filename).parents) or not origin.line.startswith("raise"):
        return f"is not refused on purpose, but in {origin.filename}:{origin.lineno}: {said}"
    if len(said.split()) < 6 or said.startswith(FOREIGN):
        return f"is refused without a sentence that helps: {said!r}"
    return None


def test_no_argument_is_left_out_of_the_sweep():
    """Also not one that a function gets tomorrow."""
    for name in PUBLIC:
        asked = set(parameters(name)) - FLAGS - {"values" if name == "do" else None}
        assert asked <= set(GOOD[name]), name
        assert all(bad_values(name, argument) for argument in asked), name


def test_what_is_no_refusal_is_found_out(monkeypatch):
    """A number, an IndexError, and a ValueError that another library raised."""
    for answer, words in [(lambda **_: 1, "is taken"), (lambda **_: [][0], "ends in IndexError"),
                          (lambda **_: np.ones(2) @ np.ones(3), "not refused on purpose")]:
        monkeypatch.setitem(PUBLIC, "holm", answer)
        assert words in fault_of("holm")


# --- every argument of every function ---


REAL_TABLES = [
    X.iloc[:0], X["a"].to_numpy(), spoiled(np.inf), X.set_axis(["a", "b", "b"], axis=1), None,
    "a table", np.zeros((2, 2, 2)), np.zeros((0, 3)), spoiled(np.inf).to_numpy(), [["a", "b", "c"]] * 40]
"""What also an audit refuses, to which words and gaps are values."""
TABLES = [*REAL_TABLES, spoiled(np.nan), X.assign(b=["red", "blue"] * 20)]
TARGETS = [Y[:-1], np.where(np.arange(40) == 3, np.nan, Y), None, "y", np.zeros((40, 1, 1)), Y[:0]]
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
    "y": [*TARGETS, np.ones(40)],
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
    "rng": [
        -1, "zero", "a", 1.5, [1.5], [-1], [], {}, True, np.nan, [[1]], [1, -1], [1, [2]], object(),
        np.random.RandomState(0)],
    # numbers
    "after": AMOUNTS,
    "agreement": SHARES_OR_ENDS,
    "alpha": SHARES,
    "alpha_merge": SHARES,
    "before": AMOUNTS,
    "bias": AMOUNTS,
    "flip": SHARES_OR_ENDS,
    "jitter": SPREADS,
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
AUDITS = ("proxies", "leak_suspects", "subgroups")
SPOILED_COMPARISON = [
    None, "table", 3, COMPARED.drop(columns="world"), COMPARED.assign(importance="big"),
    COMPARED.to_numpy()]
OF_ONE_FUNCTION = {
    ("clear_of_zero", "table"): SPOILED_COMPARISON,
    ("compare", "n"): [*COUNTS, 19],
    ("conditional_randomization_test", "copies"): [3, "copies"],
    ("friedman", "p"): [*COUNTS, 4],
    ("outcomes", "table"): [*SPOILED_COMPARISON, COMPARED[COMPARED["repeat"] == 0], COMPARED.iloc[:0]],
    ("pipeline_faults", "n"): [*COUNTS, 1],
    ("collider", "effect"): AMOUNTS,
    ("confounder", "effect"): AMOUNTS,
    ("mediator", "direct"): AMOUNTS,
    ("confounder", "measurement_error"): SPREADS,
    ("verdicts", "found"): [None, "found", COMPARED],
    ("log_rank", "group"): [np.zeros(40, bool), np.ones(3, bool), "g", None],
    ("midpoints", "column"): [[np.nan, 1], "c", [[1, 2]]],
    ("rules", "name"): ["two words", None, 3, "class"],
    **{(name, "X"): WORD_TABLES for name in ("chaid_splits", "grow_c45")},
    **{(name, "X"): REAL_TABLES for name in AUDITS},
    **{(name, "y"): TARGETS for name in ("gain", "gain_ratio", "split_decrease")},  # one class has no impurity
    ("permutation_importance", "feature_groups"): [{}, {"g": ["zz"]}, {"g": []}, ["a"]],
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


def sweep(name):
    """(what is wrong, the changed arguments) of every bad call of a function."""
    if GOOD[name].get("X") is X and "y" in GOOD[name]:
        yield "no rows", {"X": X.iloc[:0], "y": Y[:0]}
    for argument in GOOD[name]:
        for value in bad_values(name, argument):
            yield f"{argument} = {value!r}", {argument: value}


@pytest.mark.parametrize("name", [name for name in GOOD if GOOD[name]])
def test_every_bad_value_is_refused_with_a_sentence(name):
    """A failure names each value that is not refused, and what became of it."""
    faults = [f"{name}, {wrong}: {fault}" for wrong, changed in sweep(name)
              if (fault := fault_of(name, **changed))]
    assert not faults, "\n".join(faults)


# --- what the sweep cannot say ---


def test_a_table_that_is_not_there_is_refused_with_those_there_are():
    """Also where the name is a path, or none."""
    for name in ("nobody", "../compare", None, 3, ["golf"]):
        with pytest.raises(ValueError, match=r"unknown table .* concrete, credit_cards"):
            read_csv(name)


def of_three(table, target):
    """A learner that names its columns."""
    return fit(table[["a", "b", "c"]], target)


CONSTANT, ONE_LABEL, WIDE = X.assign(c=1.0), np.zeros(40), np.zeros((5, 17))
ALONE, OUT_OF_BAG = {"sample_weight": None, "groups": None}, ("oob_importance", "oob_importance_per_tree")
EVERY = replace(FOREST, in_bag=FOREST.in_bag + 1)
ONE_SAW_ALL = replace(FOREST, in_bag=np.maximum(FOREST.in_bag, np.arange(5)[:, None] == 1))
TOGETHER = [
    *[(name, {"background": spoiled(np.nan)}, "^background holds NaN, in column 'b'")
      for name in ("kernel_shap", "sage", "shapley_values", "tree_shap", "tree_explainer")],
    ("proxies", {"protected": ONE_LABEL}, "^protected has 1 labels"),
    ("group_gap", {"group": ONE_LABEL}, "^group has 1 labels"),
    *[(name, {"y": LABELS[:3]}, "^y has 3 labels, branch has shape .40,.") for name in ("gain", "gain_ratio")],
    ("gaussian_knockoffs", {"X": CONSTANT, "covariance": None}, "^column 'c' of X"),
    ("knockoff_filter", {"X": CONSTANT, "knockoffs": "mvr"}, "^column 'c' of X"),
    # choices by name
    ("boruta", {"rng": object()}, "expected a seed"),
    ("grow_cart", {"criterion": "mse"}, "expected one of"),
    # models
    *[("debiased_mdi", {"model": model}, says) for model, says in (
        (TREE, "grow_forest"), (trees.grow_boosting(X, Y, n_trees=2), "grow_forest"),
        (EVERY, "some tree saw every row"), (ONE_SAW_ALL, "some tree saw every row"))],
    *[(name, {"model": model}, says) for name in OUT_OF_BAG
      for model, says in ((replace(FOREST, in_bag=None), "in_bag is None"), (EVERY, "no row is out of bag"))],
    *[("oob_prediction", {"forest": forest}, "has no in_bag") for forest in (replace(FOREST, in_bag=None), TREE)],
    *[("permutation_importance", {"model": model}, "not fitted: call its fit") for model in (
        RandomForestClassifier(), RandomForestClassifier().predict, GradientBoostingClassifier())],
    ("mdi", {"model": VotingRegressor([("tree", DecisionTreeRegressor())]).fit(X, Y)}, "mdi of each member"),
    ("as_risk", {"model": TREE}, "as_risk takes a survival tree or forest, but got Tree"),
    ("rules", {"tree": FOREST}, r"trees\[0\]"),
    *[("what_if", changed, says) for changed, says in (
        ({"tree": FOREST}, r"trees\[0\]"), ({"tree": TREE}, "grow it on classes"), ({"x": X}, "one complete row"),
        ({"tree": replace(DECIDING, left_categories={0: np.zeros(1)})}, "splits on categories"),
        ({"frozen": ["a", "b", "c"]}, "freeze fewer"))],
    # tables
    *[("chaid_splits", {"X": words, "y": [0, 1], "ordered": ()}, says)
      for words, says in ((X[["a"]][:2], "pd.cut"), ([["x"], ["y"]], "DataFrame"))],
    ("conditional_importance", {"method": "gaussian", "X": X.assign(b="red"), "model": lambda rows: rows["a"]},
     "'b' of X holds text.*method='subgroups'"),
    ("debiased_mdi", {"X": X[:20], "y": Y[:20]}, "training rows"),
    ("drop_column_importance", {"X": np.zeros((40, 1))}, "one column"),
    ("drop_column_importance", {"fit": of_three}, "choose blank=True"),
    ("drop_column_importance", {"test": (X[["a", "b"]], Y), **ALONE}, "X_test has the columns"),
    ("gaussian_knockoffs", {"X": [[1.0, 2.0]], "mean": None, "covariance": None}, "one value in all 1 rows"),
    ("gaussian_knockoffs", {"covariance": np.ones((3, 3))}, "cannot be inverted"),
    *[("grow_c45", {"X": WORDS.assign(wind=wind)}, says) for wind, says in (
        (np.arange(40), "mixes words with numbers"), (None, "missing"), (np.arange(40) / 2, "pd.cut"))],
    ("grow_c45", {"X": WORDS.set_axis(["sky", "sky"], axis=1)}, "Rename"),
    ("mvr_s", {"covariance": [[1, 2], [2, 1]]}, "cannot be inverted"),
    *[(name, {"X": X[:30], "y": Y[:30], **ALONE}, "30 rows") for name in OUT_OF_BAG],
    ("oob_prediction", {"X": X[:5]}, "for the training rows"),
    ("oob_prediction", {"X": X.to_numpy()[:, :2]}, "2 columns"),
    *[("permutation_importance", {"feature_groups": groups}, says) for groups, says in (
        ({}, "at least one group"), ([0, 1], "expected {name of a group"), ({"g": []}, "group 'g': .*no columns"),
        ({"g": [7]}, "group 'g': .*column 7"), ({"g": ["a", "a"]}, "group 'g': .*twice"))],
    ("sage_by_definition", {"model": lambda table: table[:, 0], "X": WIDE, "y": Y[:5], "background": WIDE,
                            "sample_weight": None}, "use sage"),
    ("shapley_values", {"background": None}, "background is None"),
    ("permutation_importance", {"X": X[:1], "y": Y[:1], **ALONE}, "row"),
    ("permutation_importance", {"model": lambda rows: rows[:, 0], "X": spoiled(np.inf).to_numpy()}, "holds infinities"),
    *[("permutation_importance", {"model": model, "y": LABELS, "loss": "log_loss"}, says) for model, says in (
        (FOREST, "this takes class probabilities"), (FOREST.predict, "this takes class probabilities"),
        (lambda rows: rows["a"], "between 0 and 1"), (trees.grow_cart(X, LABELS).predict, "labels such as"))],
    ("every_c45_tree", {"X": X.assign(b=X["a"], c=X["a"]), "most": 2}, "more than most=2 different trees"),
    # answers, targets, numbers
    *[("target_permutation_test", {"importance_of": lambda X, y, found=found: found}, says) for found, says in (
        (TREE, "returned Tree, expected 3 numbers"), (PHI, "returned Attribution, expected"),
        ([[1.0], [1.0, 2.0]], "returned list, expected"), (np.ones((1, 3)), "returned shape .1, 3. for 3 columns"))],
    ("debiased_mdi", {"y": np.column_stack([Y, Y])}, "columns"),
    ("debiased_mdi", {"model": trees.grow_forest(X, LABELS, n_trees=3), "y": np.where(LABELS == "no", "nay", LABELS)},
     "never saw"),
    ("drop_column_importance", {"fit": lambda table, target: lambda rows: 1.0}, "one prediction a row"),
    ("drop_column_importance", {"y": LABELS, "loss": "squared"}, "labels such as"),
    ("drop_column_importance", {"n_folds": 41, "groups": None}, "to the 40 rows"),
    ("drop_column_importance", {"n_folds": 21}, "to the 20 groups"),
    ("grow_adaboost", {"y": Y}, "fractions"),
    ("grow_adaboost", {"X": [[0], [0], [1], [1]], "y": [0, 1, 0, 1]}, "no better than chance"),
    ("grow_boosting", {"y": LABELS, "loss": "squared"}, "expected numbers"),
    ("grow_boosting", {"loss": "logistic"}, "fractions"),
    ("grow_boosting", {"learning_rate": 1.5}, "learning_rate is 1.5"),
    ("grow_survival_forest", {"y": LIVED * [1, 0]}, "nobody in y has the event"),
    ("score_permutation_importance", {"y": LIVED[:, ::-1], "score": "concordance"}, "in the order time, event"),
    ("grow_cart", {"criterion": "gini"}, 'criterion="variance"'),
    ("grow_cart", {"y": LABELS}, "numbers"),
    ("grow_cart", {"y": [[0.0, 1], [1, 1]]}, "40 rows"),
    *[("kernel_shap", {"model": lambda table: table[:, 0], "X": rows, "background": rows, "n_coalitions": n}, says)
      for rows, n, says in ((np.eye(1, 10), 4, "do not determine"), (np.eye(1, 21), 2**30, "too many to use all"),
                            (np.eye(1, 24), 2**23, "is too large"))],
    *[("leak_suspects", {"y": y}, says) for y, says in (
        (list("abcd") * 10, "expected two or numbers"), ([0] * 39 + [1], "one row of one of its classes"),
        (np.eye(40), "one target"))],
    *[(name, {"sample_weight": 1 - FOREST.out_of_bag[0]}, "out of bag for some tree") for name in OUT_OF_BAG],
    *[(name, {"donors": np.full((40, 2), 40)}, "row numbers") for name in OUT_OF_BAG],
    *[("shapley_values", {"model": model}, says) for model, says in (
        (lambda rows: np.array(["yes"] * len(rows)), "labels such as 'yes'"), (lambda: 1.0, "cannot be asked"),
        (lambda rows: np.zeros(2), "one prediction a row"), (lambda rows: 1.0, "one prediction a row"),
        (lambda rows: np.zeros((len(rows), 2, 2)), "one prediction a row"),
        (lambda rows: np.full(len(rows), np.nan), "NaN or infinite"))],
    ("shapley_values", {"removal": lambda model, rows: neighbours(model, rows, n_neighbours=0)}, "n_neighbours is 0"),
]


@pytest.mark.parametrize(("name", "changed", "says"), TOGETHER, ids=[f"{name}: {says}" for name, _, says in TOGETHER])
def test_a_refusal_says_what_is_wrong_and_what_only_comes_together_is_refused(name, changed, says):
    with pytest.raises(ValueError, match=says):
        call(name, **changed)
