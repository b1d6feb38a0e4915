"""What all public functions promise, as far as their arguments go: one good call of each (calls.py), and changes of it.

A new function is tried by adding its good call. What its arguments promise is then tried by itself: inputs are left
alone, one seed gives one result from a stream of its own, columns go by name, classes by any label, equal weights
change nothing, rows without weight and groups count as such, an unused column gets 0, the fast version is the
definition, which calls no engine, and every optional argument changes the result.
"""

import importlib
import inspect
import pkgutil
import sys
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from itertools import chain, product

import definitions
import numpy as np
import pandas as pd
import pytest
from calls import FOREST, GOOD, PUBLIC, TREE, X, Y, call, parameters
from random_trees import tree_by_hand

from fi_teach import fast, importance, trees, worlds
from fi_teach.basics.equality import same
from fi_teach.basics.results import Attribution, Importance
from fi_teach.trees import Forest, Tree, grow_boosting, grow_cart, grow_forest

CLASSES = np.digitize(Y, [-0.5, 0.5])
DEFINITIONS = ("_by_definition", "_by_leaves", "_by_recursion")


def slopes(table, target):
    """Least squares without an intercept, which a blank column can replace."""
    weights = np.linalg.lstsq(np.asarray(table), target, rcond=None)[0]
    return lambda rows: np.asarray(rows) @ weights


def having(*arguments):
    """The names of the public functions that take all of these arguments."""
    return [name for name in GOOD if set(arguments) <= set(parameters(name))]


def equal(one, other):
    """Are two results the same in all they hold?"""
    if isinstance(one, pd.DataFrame | pd.Series):
        return one.equals(other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    if is_dataclass(one) and type(one) is type(other):
        return all(equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    return same(one, other)


def outcome(name, /, **changed):
    """What a call leads to, in a form that can be compared: a model's rows, a world's tables, an explainer's answer."""
    found = call(name, **changed)
    if isinstance(found, importance.CausalModel):
        return importance.observe(found, 9)
    if isinstance(found, worlds.World):
        made = [found, found.test or found]
        return [table for world in made for table in (world.X, world.y, world.hidden, world.truth)]
    return found(X) if name == "tree_explainer" else found


FIGURES = {
    Importance: ("draws", "standard_error", "permutation_sd"),
    Attribution: ("values", "base"),
    Tree: ("children_left", "feature", "threshold", "impurity", "n_node_samples", "weighted_n_node_samples", "value"),
}


def figures(found):
    """All that a result says in numbers, as a list of arrays."""
    if isinstance(found, Forest):
        found = list(found.trees)
    if isinstance(found, list) and any(isinstance(part, Tree) for part in found):
        return [number for tree in found for number in figures(tree)]
    parts = [found] if type(found) not in FIGURES else [getattr(found, name) for name in FIGURES[type(found)]]
    return [np.asarray(part, dtype=float) for part in parts if part is not None]


def close(one, other):
    """Do two results agree up to rounding in all their figures?"""
    pairs = zip(figures(one), figures(other), strict=True)
    return all(np.allclose(a, b, rtol=1e-9, atol=1e-11, equal_nan=True) for a, b in pairs)


# --- inputs and seeds ---


def test_every_function_leaves_its_inputs_alone():
    changed = []
    for name, given in GOOD.items():
        tables = {key: value for key, value in given.items() if isinstance(value, np.ndarray | pd.DataFrame)}
        before = deepcopy(tables)
        call(name)
        changed += [(name, key) for key, value in before.items() if not equal(value, given[key])]
    assert changed == []


CHANCE_HIDES = {
    "leak_suspects": "the strongest feature has strength 1",
    "knockoff_statistics": "the covariance does not depend on the order of columns",
    "sage_by_definition": "only the default background is drawn",
    "kernel_shap": "all coalitions are asked",
}
CHANCE_SHOWS = {"knockoff_filter": {"knockoffs": "mvr"}, "compare": {"worlds": ["and_gate"], "without": None}}


def test_one_seed_gives_one_result_and_another_seed_another():
    unlike, alike = [], []
    for name in having("rng"):
        first, again, other = (outcome(name, rng=seed, **CHANCE_SHOWS.get(name, {})) for seed in (3, 3, 4))
        unlike += [] if equal(first, again) else [name]
        alike += [name] if equal(first, other) and name not in CHANCE_HIDES else []
    assert (unlike, alike) == ([], [])


DRAWS_DATA = {*worlds.__all__, "compare", "interventional_mean", "observe"}


def test_every_method_draws_from_a_stream_of_its_own(monkeypatch):
    """Data of default_rng(3) and a method with rng=3 share no numbers, and nor do two methods with one seed."""
    seeds, make, streams, wrong = [], np.random.default_rng, {}, []
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: seeds.append(seed) or make(seed))
    for name in set(having("rng")) - DRAWS_DATA:
        seeds.clear()
        call(name, rng=3)
        wrong += [name] if 3 in seeds else []
        streams.setdefault(str(seeds[0]), set()).add(name.removesuffix("_by_definition"))
    assert wrong == [] == [names for names in streams.values() if len(names) > 1]


# --- columns and labels ---


ASKED = [*having("model", "X"), "oob_prediction"]


def test_columns_of_a_model_go_by_name_and_those_of_an_array_by_position():
    wrong = []
    for name in ASKED:
        plain = call(name)
        for order in (["c", "a", "b"], ["b", "c", "a"]):
            wrong += [] if equal(call(name, X=X[order]), plain) else [(name, order)]
        arrays = {key: value.to_numpy() for key, value in GOOD[name].items() if value is X}
        arrays |= {"column": 0} if "column" in GOOD[name] else {}
        arrays |= {"feature_groups": {"g": [0, 1]}} if "feature_groups" in GOOD[name] else {}
        wrong += [] if close(call(name, **arrays), plain) else [(name, "array")]
    assert wrong == []


@pytest.mark.parametrize("name", ASKED)
def test_a_column_that_the_model_does_not_know_is_refused_by_name(name):
    with pytest.raises(ValueError, match=r"column '[ad]'"):
        call(name, X=X.set_axis(["b", "c", "d"], axis=1))


JUDGING = [name for name in having("model", "X", "y") if name not in ("score_permutation_importance", "debiased_mdi")]


@pytest.mark.parametrize(
    "words", [list("xyz"), [1, 2, 3], [10.0, 20.0, 30.0], pd.Categorical(["low", "mid", "top"])], ids=repr)
def test_classes_may_have_any_labels(words):
    plain, labels = grow_forest(X, CLASSES, n_trees=5, criterion="gini"), np.asarray(words)[CLASSES]
    named = grow_forest(X, labels, n_trees=5, criterion="gini")
    wrong = [name for name in JUDGING
             if not close(call(name, model=named, y=labels), call(name, model=plain, y=CLASSES))]
    assert wrong == []


# --- weights, unused columns, spreads ---


GROWN = ("grow_cart", "grow_cart_by_definition", "every_greedy_tree")
"""A tree reports the sum of its rows' weights, so only weights of 1 change nothing."""


def test_equal_weights_and_groups_of_one_row_change_nothing():
    wrong = []
    for name in set(having("sample_weight")) - {"sage"}:  # which draws rows in another way if they have weights
        n = len(GOOD[name]["sample_weight"])
        alike = {"sample_weight": np.full(n, 1.0 if name in GROWN else 7.0), "groups": np.arange(n)}
        taken = alike.keys() & parameters(name).keys()
        plain = call(name, **dict.fromkeys(taken))
        wrong += [] if close(call(name, **{key: alike[key] for key in taken}), plain) else [name]
    assert wrong == []


def test_a_column_that_no_tree_asks_about_gets_exactly_zero():
    alone = X[["a"]].assign(b=0.0, c=0.0)
    forest = grow_forest(alone, Y, n_trees=5, max_features=None)
    wrong = []
    for name in JUDGING:
        given = {"column": "c"} if "column" in GOOD[name] else {}
        given |= {"feature_groups": {"g": ["b", "c"]}} if "feature_groups" in GOOD[name] else {}
        found = call(name, model=forest, **given)
        values = found.draws[-1] if isinstance(found, Importance) else np.ravel(
            found[0] if name == "shuffle_differences" else found)
        wrong += [] if (values == 0).all() else [name]
    assert wrong == []


def test_permutation_sd_is_the_sample_standard_deviation_of_the_draws():
    for method in ("subgroups", "gaussian"):
        for name in having("n_repeats", "model", "X", "y"):
            given = {"method": method} if "method" in parameters(name) else {}
            found = call(name, n_repeats=3, **given)
            if getattr(found, "permutation_sd", None) is not None:
                np.testing.assert_allclose(found.permutation_sd, np.std(found.draws, axis=1, ddof=1), err_msg=name)


SCORED = ("score_permutation_importance", "sage", "sage_by_definition")
"""They weigh, or group, whole sets of rows: their own tests do."""
ERRING = [(name, settings) for name in having("model", "X", "y", "groups") if name not in SCORED
          for settings in ([{"method": "subgroups"}, {"method": "gaussian"}] if "method" in parameters(name) else [{}])]


def of_first(name, settings, forest, table, **given):
    """What a method finds of the first column of a table, from forests whose trees saw none of its rows."""
    taken = {key: value for key, value in {"feature_groups": None, "column": 0, "n_repeats": 60, **settings}.items()
             if key in parameters(name)}
    unseen = replace(forest, in_bag=np.zeros((len(forest.trees), len(table)), int))
    found = PUBLIC[name](model=unseen, X=table, **taken, **given)
    return found if isinstance(found, tuple) else (found.mean[0], found.standard_error[0])


@pytest.mark.parametrize(("name", "settings"), ERRING, ids=str)
def test_a_method_is_sure_of_zero_where_no_row_with_weight_can_lose(name, settings):
    """The trees ask x1 first: new values of x0 only harm the rows with x1 = 1, which weigh nothing."""
    tree = tree_by_hand([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [1, -2, 0, -2, -2], [0.5, -2, 0, -2, -2],
                        [0, 0, 0, -1, 1])
    forest = Forest((tree,) * 2, np.full(2, 0.5), np.zeros(1), ("x0", "x1"))
    table = np.column_stack([np.random.default_rng(0).normal(size=40), np.arange(40) % 2])
    given = {"name": name, "settings": settings, "forest": forest, "table": table, "y": table.prod(axis=1)}
    assert of_first(**given, sample_weight=1 - table[:, 1]) == (0, 0)
    assert min(of_first(**given)) > 0


@pytest.mark.parametrize(("name", "settings"), [one for one in ERRING if "interval" not in one[0]], ids=str)
def test_rows_given_four_times_are_half_as_sure_as_they_seem(name, settings):
    """As many rows, a quarter of the knowledge: named as groups, they have twice the error, and a little for G - 1."""
    rows = np.random.default_rng(1).normal(size=(20, 2)) @ [[1, 0.9], [0, 0.4]]
    table = rows.repeat(4, axis=0)
    forest = grow_forest(table, table[:, 0], n_trees=2, max_features=None)
    alone, grouped = (of_first(name, settings, forest, table, y=table[:, 0], groups=groups)[1]
                      for groups in (None, np.arange(80) // 4))
    assert grouped / alone == pytest.approx(2.04, rel=0.05)


# --- fast, and by definition ---


SLOW = {name: function for module in (definitions, importance, trees) for name, function in vars(module).items()
        if name.endswith(DEFINITIONS)}
PAIRS = [(name, slow) for name in PUBLIC for slow in SLOW if slow.startswith(f"{name}_by_") and name != "sage"]
MODELS = {
    "tree": (grow_cart(X, Y, criterion="variance", max_depth=4), Y),
    "forest": (FOREST, Y),
    "classes": (grow_forest(X, CLASSES, n_trees=5, criterion="gini"), CLASSES),
    "boosting": (grow_boosting(X, Y > 0, n_trees=4), Y > 0),
    "function": (lambda table: np.asarray(table)[:, 0] * np.asarray(table)[:, 1], Y),
}
WEIGHED = {
    "plain": {"sample_weight": None, "groups": None},
    "weighted": {"sample_weight": np.arange(1.0, 41), "groups": np.arange(40) // 4},
}


def kinds_of(name, slow):
    """Which of the models a pair takes: forests have rows out of bag, tree methods take trees."""
    if "model" not in inspect.signature(SLOW[slow]).parameters:
        return ["tree"]
    if "oob" in name or "debiased" in name:
        return ["forest", "classes"]
    return [kind for kind in MODELS if "tree" not in name or kind != "function"]


def settings_of(both, kind):
    """The settings under which a pair is compared: a loss beside the usual one, and a method beside the first."""
    yield {}
    if "loss" in both:
        yield {"loss": "log_loss" if kind in ("classes", "boosting") else "absolute"}
    if "method" in both:
        yield {"method": "gaussian" if "loss" in both else "ufi"}


@pytest.mark.parametrize(("fast", "slow"), PAIRS, ids=[slow for _, slow in PAIRS])
def test_the_fast_version_equals_the_definition(fast, slow):
    both = set(GOOD[fast]) & set(inspect.signature(SLOW[slow]).parameters)
    wrong = []
    for kind in kinds_of(fast, slow):
        for (weighed, weights), settings in product(WEIGHED.items(), settings_of(both, kind)):
            given = {key: GOOD[fast][key] for key in both} | {key: weights[key] for key in weights if key in both}
            model, y = MODELS[kind]
            given |= settings | ({"model": model} if "model" in both else {})
            given |= {"y": y} if {"model", "y"} <= both else {}
            every = {"max_features": None} if fast == "grow_forest" else {}
            wrong += [] if close(PUBLIC[fast](**given, **every), SLOW[slow](**given)) else [(kind, weighed, settings)]
    assert wrong == []


AT_ONCE = {
    "exact_permutation_importance": ("fast.exact_permutation.PAIRS_AT_ONCE", "fast.exact_permutation.RANGES_AT_ONCE"),
    "oob_importance": ("fast.oob.CELLS_AT_ONCE",),
    "permutation_importance": ("fast.permutation.ROWS_A_CALL",),
    "shapley_values": ("basics.value_functions.NUMBERS_AT_ONCE",),
    "tree_explainer": ("fast.tree_explainer.ANSWERS_AT_ONCE",),
}


@pytest.mark.parametrize("size", [1, 100, 10**9])
def test_a_few_at_a_time_give_what_all_at_once_give(size, monkeypatch):
    """However little memory there is: the same numbers."""
    whole = {name: outcome(name) for name in AT_ONCE}
    for constant in chain(*AT_ONCE.values()):
        monkeypatch.setattr(f"fi_teach.{constant}", size)
    assert [name for name in AT_ONCE if not close(outcome(name), whole[name])] == []


@pytest.fixture
def without_engines(monkeypatch):
    """Every function and class of fi_teach.fast raises, under whatever name a module of fi_teach has it."""
    def refuse(*_, **__):
        raise AssertionError("an engine was called")

    for module in pkgutil.iter_modules(fast.__path__, f"{fast.__name__}."):
        importlib.import_module(module.name)
    ours = [module for name, module in sys.modules.items() if name.split(".")[0] in ("fi_teach", "definitions")]
    for module in ours:
        for name, value in list(vars(module).items()):
            if callable(value) and str(getattr(value, "__module__", "")).startswith(fast.__name__):
                monkeypatch.setattr(module, name, refuse)


@pytest.mark.parametrize("slow", SLOW)
def test_a_definition_calls_no_engine(slow, without_engines):
    """An error of an engine that both sides call would be on both sides of the test that holds them equal.

    Subgroups are the leaves of a tree that the method grows, in the definition, too: there it is "gaussian".
    """
    given = {"tree": TREE} | GOOD.get(slow.partition("_by_")[0], {}) | {"method": "gaussian"} | GOOD.get(slow, {})
    if slow.startswith("debiased"):
        given["method"] = "oob"
    taken = inspect.signature(SLOW[slow]).parameters
    given = {key: value for key, value in given.items() if key in taken}
    for without in [{}, {"background": None}] if "background" in given else [{}]:
        assert SLOW[slow](**given | without) is not None


@pytest.mark.parametrize("name", ["oob_importance", "permutation_importance", "tree_shap", "grow_cart"])
def test_without_engines_the_fast_versions_fail(name, without_engines):
    """So the engines are really gone."""
    with pytest.raises(AssertionError, match="an engine was called"):
        call(name)


# --- every optional argument ---


OTHER = {
    "adjust": "x2", "after": 2.0, "agreement": 0.6, "alpha": 0.4, "alpha_merge": 0.9, "background": X.iloc[:7],
    "base": 3, "before": 2.0, "bias": 9.0, "blank": True, "bootstrap": False, "copies": 3,
    "covariance": np.eye(3), "criterion": "entropy", "decided_at": 9, "direct": 2.0,
    "donors": np.arange(40)[::-1, None], "effect": 2.0, "faults": ["id"], "feature_groups": {"g": ["c"]}, "flip": 0.5,
    "frozen": ("a",),
    "groups": np.arange(40) % 3, "jitter": 3.0,
    "knockoffs": "mvr", "known_from": None, "learning_rate": 0.5, "level": 0.5,
    "loss": "absolute", "max_depth": 1, "max_features": 1, "mean": np.ones(3), "measurement_error": 3.0,
    "method": "gaussian", "methods": ["feature alone"], "min_samples_leaf": 18, "n": 21, "n_folds": 4,
    "n_neighbours": 3, "n_repeats": 3, "n_strata": 7, "n_trees": 30, "name": "other", "noise": 9.0,
    "normalize": False, "offset": 0,
    "ordered": (), "output": 1, "p": 7, "q": 0.7, "rates": (0.1, 0.9), "removal": "gaussian", "rho": -0.1,
    "sample_weight": np.arange(40.0) ** 2 + 1, "scale": [9, 1, 1], "share": 0.01, "shown": True, "target": 2,
    "test": (X.iloc[:9] + 1, Y[:9]), "times": [5.0, 9.0], "together": False, "weighted": False,
    "without": {"and_gate": "x1"},
    "worlds": ["and_gate"],
}
"""Another value of each argument ..."""

OTHER_OF = {
    ("chaid_splits", "ordered"): ("sky",),
    ("conditional_randomization_test", "copies"): "marginal",
    ("debiased_mdi", "method"): "ufi",
    ("fairness", "shown"): False,
    ("gaussian_knockoffs", "method"): "equicorrelated",
    ("grow_boosting", "loss"): "squared",
    ("receiver_donor_interval", "groups"): [0, 0, 0, 1, 1],
    ("receiver_donor_interval", "sample_weight"): [1, 4, 9, 1, 1],
    **{(name, "max_depth"): 2 for name in ("every_greedy_tree", "grow_adaboost", "grow_cart_by_definition")},
    **{(name, "max_features"): 3 for name in ("grow_forest", "grow_survival_forest")},
}
"""... where one function needs a value of its own ..."""

THREE = grow_cart(X, CLASSES, max_depth=4)
SKIES = pd.DataFrame({
    "sky": np.resize(["sun", "rain", "fog", "snow"], 40), "wind": np.resize(["west", "east", "east"], 40)})
MARKS = np.where(np.arange(40) % 7 > np.arange(40) % 4, "yes", "no")
SEEN = {
    "criterion": {"y": Y > 0, "criterion": "gini"},
    ("chaid_splits", "alpha_merge"): {"X": SKIES, "y": MARKS, "ordered": ()},
    ("chaid_splits", "ordered"): {"X": SKIES, "y": MARKS, "ordered": ()},
    ("compare", "methods"): {"worlds": ["and_gate"], "without": None},
    ("compare", "without"): {"worlds": ["and_gate"], "n": 200, "without": None},
    ("compare", "worlds"): {"without": None},
    ("confounder", "measurement_error"): {"shown": True},
    ("drop_column_importance", "blank"): {"fit": slopes},
    ("drop_column_importance", "test"): {"sample_weight": None, "groups": None},
    ("group_gap", "output"): {"attribution": importance.tree_shap(THREE, X)},
    ("grow_boosting", "loss"): {"y": CLASSES},
    ("grow_c45", "max_depth"): {"X": SKIES, "y": MARKS},
    ("grow_c45", "min_samples_leaf"): {"X": SKIES, "y": MARKS},
    ("knockoff_threshold", "q"): {"statistics": [3.0, 2, 1, -1]},
    ("leak_suspects", "share"): {"y": X["a"] + X["b"], "n_trees": 30},
    ("leak_suspects", "n_trees"): {"y": X["a"] + X["b"]},
    ("split_decrease", "criterion"): {"criterion": "gini"},
    ("what_if", "frozen"): {"tree": THREE},
    ("what_if", "target"): {"tree": THREE, "target": 0},
}
"""... and what the call must be for the argument to show."""

NEVER_SEEN = {
    "progress": "it wraps the iteration",
    "rng": "see one_seed_gives_one_result",
    "most": "it refuses more trees than these",
    "n_coalitions": "three features have so few that all are asked: see test_kernel_shap.py",
}


def optional(name):
    given = parameters(name).values()
    names = [argument.name for argument in given if argument.default is not argument.empty]
    return [name for name in names if name not in NEVER_SEEN]


def test_every_optional_argument_changes_the_result():
    ignored = []
    for name in GOOD:
        for argument in optional(name):
            base = SEEN.get((name, argument), SEEN.get(argument, {}) if "y" in GOOD[name] else {})
            other = OTHER_OF.get((name, argument), OTHER[argument])
            before, after = outcome(name, **base), outcome(name, **base | {argument: other})
            ignored += [(name, argument)] if equal(before, after) else []
    assert ignored == []
