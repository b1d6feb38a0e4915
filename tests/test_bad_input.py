"""Every public function refuses what it cannot take, with a sentence that helps: never a wrong number, never a bare IndexError."""

import numpy as np
import pandas as pd
import pytest

import fi_teach.importance as importance
import fi_teach.trees as trees
from fi_teach.importance.fairness import group_gap, proxies
from fi_teach.importance.leakage import leak_suspects

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["a", "b", "c"])
Y = (X["a"] + RNG.normal(size=40)).to_numpy()
FOREST = trees.grow_forest(X, Y, n_trees=5)
TREE = trees.grow_cart(X, Y, criterion="variance", max_depth=3)


def strength(table, target):
    """A stand-in for any importance: absolute covariance with the target."""
    return np.abs(np.asarray(table, float).T @ (np.asarray(target, float) - np.mean(np.asarray(target, float))))


def fit(table, target):
    return trees.grow_cart(table, target, criterion="variance", max_depth=2)


# Every public function that takes data, called with a table and a target.
CALLS = {
    "grow_cart": lambda X, y: trees.grow_cart(X, y, criterion="variance"),
    "grow_cart_by_definition": lambda X, y: trees.grow_cart_by_definition(X, y, criterion="variance", max_depth=1),
    "grow_forest_by_definition": lambda X, y: trees.grow_forest_by_definition(X, y, n_trees=2, max_depth=1),
    "grow_forest": lambda X, y: trees.grow_forest(X, y, n_trees=2),
    "grow_boosting": lambda X, y: trees.grow_boosting(X, y, n_trees=2),
    "best_split": lambda X, y: trees.best_split(X, y, criterion="variance"),
    "best_split_by_definition": lambda X, y: trees.best_split_by_definition(X, y, criterion="variance"),
    "every_split": lambda X, y: trees.every_split(X, y, criterion="variance"),
    "tied_splits": lambda X, y: trees.tied_splits(X, y, criterion="variance"),
    "every_greedy_tree": lambda X, y: list(trees.every_greedy_tree(X, y, criterion="variance", max_depth=1)),
    "oob_prediction": lambda X, y: trees.oob_prediction(FOREST, X),
    "oob_prediction_by_definition": lambda X, y: trees.oob_prediction_by_definition(FOREST, X),
    "debiased_mdi": lambda X, y: importance.debiased_mdi(FOREST, X, y),
    "permutation_importance": lambda X, y: importance.permutation_importance(FOREST.predict, X, y, n_repeats=2),
    "permutation_importance_by_definition": lambda X, y: importance.permutation_importance_by_definition(FOREST.predict, X, y, n_repeats=2),
    "score_permutation_importance": lambda X, y: importance.score_permutation_importance(FOREST.predict, X, y, score="r2", n_repeats=2),
    "grouped_permutation_importance": lambda X, y: importance.grouped_permutation_importance(FOREST.predict, X, y, {"g": ["a", "b"]}, n_repeats=2),
    "columnwise_permutation_importance": lambda X, y: importance.columnwise_permutation_importance(
        FOREST.predict, X, y, {"g": ["a", "b"]}, n_repeats=2),
    "exact_permutation_importance": lambda X, y: importance.exact_permutation_importance(FOREST, X, y),
    "exact_permutation_importance_by_definition": lambda X, y: importance.exact_permutation_importance_by_definition(FOREST.predict, X, y),
    "oob_importance": lambda X, y: importance.oob_importance(FOREST, X, y, n_repeats=2),
    "oob_importance_by_definition": lambda X, y: importance.oob_importance_by_definition(FOREST, X, y, n_repeats=1),
    "oob_importance_per_tree": lambda X, y: importance.oob_importance_per_tree(FOREST, X, y, n_repeats=2),
    "oob_importance_per_tree_by_definition": lambda X, y: importance.oob_importance_per_tree_by_definition(
        FOREST, X, y, n_repeats=1),
    "conditional_importance_by_definition": lambda X, y: importance.conditional_importance_by_definition(
        FOREST, X, y, n_repeats=1),
    "conditional_importance": lambda X, y: importance.conditional_importance(FOREST.predict, X, y, n_repeats=2),
    "drop_column_importance": lambda X, y: importance.drop_column_importance(fit, X, y),
    "row_bootstrap_interval": lambda X, y: importance.row_bootstrap_interval(FOREST.predict, X, y, "a", n_repeats=5),
    "shuffle_differences": lambda X, y: importance.shuffle_differences(FOREST.predict, X, y, "a"),
    "pair_differences": lambda X, y: importance.pair_differences(FOREST.predict, X, y, "a"),
    "target_permutation_test": lambda X, y: importance.target_permutation_test(strength, X, y, n_repeats=3),
    "conditional_randomization_test": lambda X, y: importance.conditional_randomization_test(strength, X, y, n_repeats=3),
    "boruta": lambda X, y: importance.boruta(strength, X, y, n_repeats=8),
    "shapley_values": lambda X, y: importance.shapley_values(FOREST.predict, X, background=_fresh(X)),
    "sampled_shapley_values": lambda X, y: importance.sampled_shapley_values(FOREST.predict, X, background=_fresh(X), n_repeats=2),
    "kernel_shap": lambda X, y: importance.kernel_shap(FOREST.predict, X, background=_fresh(X)),
    "tree_shap": lambda X, y: importance.tree_shap(FOREST, X),
    "tree_shap_by_definition": lambda X, y: importance.tree_shap_by_definition(TREE, X),
    "tree_shap_by_leaves": lambda X, y: importance.tree_shap_by_leaves(TREE, X),
    "tree_shap_by_recursion": lambda X, y: importance.tree_shap_by_recursion(TREE, X),
    "tree_shap_interactions": lambda X, y: importance.tree_shap_interactions(FOREST, X),
    "tree_shap_interactions_by_definition": lambda X, y: importance.tree_shap_interactions_by_definition(TREE, X),
    "sage": lambda X, y: importance.sage(FOREST.predict, X, y, n_repeats=4),
    "sage_by_definition": lambda X, y: importance.sage_by_definition(FOREST.predict, X, y),
    "gaussian_knockoffs": lambda X, y: importance.gaussian_knockoffs(X),
    "knockoff_filter": lambda X, y: importance.knockoff_filter(strength, X, y),
    "proxies": lambda X, y: proxies(X, np.asarray(y) > 0, n_trees=2),
    "leak_suspects": lambda X, y: leak_suspects(X, y, n_trees=2),
}
TARGETLESS = {name for name in CALLS if "shap" in name or name in ("oob_prediction", "oob_prediction_by_definition", "gaussian_knockoffs")}


def _fresh(table):
    """A good background, whatever came as the table."""
    return X.to_numpy() if not isinstance(table, pd.DataFrame) else X


def _put(value, row=3, column="b"):
    spoiled = X.copy()
    spoiled.loc[row, column] = value
    return spoiled


BAD = {
    "no rows": (X.iloc[:0], Y[:0]),
    "one dimension": (X["a"].to_numpy(), Y),
    "NaN in X": (_put(np.nan), Y),
    "infinity in X": (_put(np.inf), Y),
    "a column of text": (X.assign(b=["red", "blue"] * 20), Y),
    "two columns of one name": (X.set_axis(["a", "b", "b"], axis=1), Y),
    "a short target": (X, Y[:-1]),
    "NaN in the target": (X, np.where(np.arange(40) == 3, np.nan, Y)),
    "a constant target": (X, np.ones(40)),
}
ABOUT_THE_TARGET = {"a short target", "NaN in the target", "a constant target"}
# A missing value among the labels makes a group of its own nowhere: here the target is only compared with 0.
MAY_BE_TAKEN = {(name, "NaN in the target") for name in ("proxies",)}
# These audits take a table as it is: words and gaps are values there.
MAY_BE_TAKEN |= {
    (name, case)
    for name in ("proxies", "leak_suspects")
    for case in ("NaN in X", "a column of text")
}

PAIRS = [(name, case) for name in CALLS for case in BAD
         if not (case in ABOUT_THE_TARGET and name in TARGETLESS) and (name, case) not in MAY_BE_TAKEN]


@pytest.mark.parametrize(("name", "case"), PAIRS, ids=[f"{name}: {case}" for name, case in PAIRS])
def test_bad_data_is_refused_with_a_sentence(name, case):
    table, target = BAD[case]
    with pytest.raises(ValueError) as refusal:
        CALLS[name](table, target)
    said = str(refusal.value)
    assert len(said.split()) >= 6 and not said.startswith(("could not", "operands", "shape", "zero-size", "cannot reindex"))


@pytest.mark.parametrize("name", CALLS)
def test_good_data_is_taken(name):
    assert CALLS[name](X, Y) is not None


def test_the_sweep_leaves_no_public_function_out():
    """What takes X and y (or X alone) is swept; these take something else, and their own tests refuse for them."""
    other = {"as_forest", "as_risk", "from_model", "mdi", "decrease_by_feature", "subgroups", "knockoff_statistics",
             "grow_c45", "grow_cut_once", "every_c45_tree", "chaid_splits", "grow_adaboost",
             "grow_survival_forest", "grow_survival_tree", "log_rank", "nelson_aalen",
             "split_decrease", "impurity_of", "rules", "what_if"}
    other |= {name for name in importance.__all__
              if getattr(importance, name).__module__ == "fi_teach.importance.causal"}
    takes_a_table = {name for module in (importance, trees) for name in module.__all__
                     if callable(getattr(module, name)) and {"X", "model"} & set(_parameters(getattr(module, name)))}
    assert takes_a_table - set(CALLS) <= other


def _parameters(function):
    import inspect

    return inspect.signature(function).parameters


@pytest.mark.parametrize("model", [None, "a forest", object(), fit])
@pytest.mark.parametrize("method", [importance.mdi, trees.from_model, lambda m: importance.tree_shap(m, X),
                                    lambda m: importance.exact_permutation_importance(m, X, Y)], ids=["mdi", "from_model", "tree_shap", "exact"])
def test_foreign_models_are_refused(method, model):
    with pytest.raises(ValueError):
        method(model)


def test_an_unfitted_model_is_refused():
    from sklearn.ensemble import RandomForestRegressor

    for method in (importance.mdi, trees.from_model):
        with pytest.raises(ValueError, match="fit"):
            method(RandomForestRegressor())


@pytest.mark.parametrize("background", [X.iloc[:0], X[["a", "b"]], X.rename(columns={"a": "z"}), _put(np.nan)],
                         ids=["no rows", "a column short", "other names", "NaN"])
@pytest.mark.parametrize("method", ["shapley_values", "kernel_shap", "tree_shap"])
def test_a_background_that_does_not_fit_is_refused(method, background):
    model = FOREST if method == "tree_shap" else FOREST.predict
    with pytest.raises(ValueError):
        getattr(importance, method)(model, X, background=background)


@pytest.mark.parametrize("q", [0, 1, -0.1, 2, np.nan])
def test_a_false_discovery_rate_outside_0_and_1_is_refused(q):
    with pytest.raises(ValueError):
        importance.knockoff_filter(strength, X, Y, q=q)


def test_unknown_names_are_refused_with_the_known_ones():
    for call in (lambda: trees.grow_cart(X, Y, criterion="mse"), lambda: importance.permutation_importance(FOREST.predict, X, Y, loss="nope"),
                 lambda: importance.debiased_mdi(FOREST, X, Y, method="nope")):
        with pytest.raises(ValueError, match=r"expected|known"):
            call()


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="negative"):
        trees.grow_cart(X, Y, criterion="variance", sample_weight=-np.ones(40))


def test_too_many_players_are_refused_with_what_to_use_instead():
    wide = RNG.normal(size=(5, 40))
    with pytest.raises(ValueError, match=r"tree_shap|sampled|kernel"):
        importance.shapley_values(lambda Z: Z.sum(axis=1), wide, background=wide)


def test_one_row_cannot_be_shuffled():
    with pytest.raises(ValueError):
        importance.permutation_importance(FOREST.predict, X.iloc[:1], Y[:1])


def test_a_gap_needs_two_groups():
    with pytest.raises(ValueError, match="two groups"):
        group_gap(importance.tree_shap(FOREST, X), np.zeros(40))
