"""The headline methods stay as fast as their algorithms make them: ratios of processor times within one run.

Never an absolute time, so that a slow or a busy machine passes:
each ratio is of two pieces of work that take turns, the best of several turns each.
For every guard there is a slow but right version of the method that it must refuse.
"""

import time

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import permutation_importance as shuffled

from fi_teach.importance import exact_permutation_importance, permutation_importance, tree_explainer, tree_shap
from fi_teach.trees import from_model

FEW_ROWS, MANY_ROWS, MOST_FOR_TEN_TIMES_THE_ROWS = 500, 5000, 4
FEW_BEHIND, MANY_BEHIND, MOST_FOR_TEN_TIMES_THE_BACKGROUND = 100, 1000, 2
LEAST_AGAINST_SHAP = 3
LEAST_AT_A_THOUSAND_ROWS = 2
LEAST_AT_ONE_ROW, LEAST_UNPREPARED = 0.5, 0.12
MOST_SHUFFLES = 6


def table(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] * X[:, 1] + X[:, 2:].sum(axis=1) / 4 + rng.normal(0, 0.3, n)


@pytest.fixture(scope="module")
def boosted():
    """20 boosted trees of depth 5 -> (scikit-learn's model, our Forest)."""
    model = GradientBoostingRegressor(n_estimators=20, max_depth=5, random_state=0).fit(*table(800, 10))
    return model, from_model(model)


@pytest.fixture(scope="module")
def forested():
    """A forest of 40 trees of depth 8 and rows to judge it on -> (model, Forest, X, y)."""
    X, y = table(1500, 20)
    model = RandomForestRegressor(40, max_depth=8, random_state=0).fit(X, y)
    return model, from_model(model), *table(600, 20, seed=1)


def times(work, other, rounds=5):
    """How many times the processor time of `other` does `work` take? In turn, the best of each."""
    spent = [[], []]
    for _ in range(rounds):
        for one, seconds in zip((work, other), spent, strict=True):
            start = time.process_time()
            one()
            seconds.append(time.process_time() - start)
    return min(spent[0]) / min(spent[1])


# --- path-dependent TreeSHAP: the tables are paid once, whatever the number of rows -----------------------------------

def by_rows(explain, forest, **rounds):
    """The price of ten times the rows."""
    X = table(MANY_ROWS, 10, seed=1)[0]
    return times(lambda: explain(forest, X), lambda: explain(forest, X[:FEW_ROWS]), **rounds)


def in_portions(forest, X):
    """Slow but right: a table for every hundred rows."""
    return np.concatenate([tree_shap(forest, X[start:start + 100]).values for start in range(0, len(X), 100)])


def test_ten_times_the_rows_cost_much_less_than_ten_times_the_time(boosted):
    """Path-dependent values of 5,000 rows against those of 500."""
    assert by_rows(tree_shap, boosted[1]) < MOST_FOR_TEN_TIMES_THE_ROWS


def test_a_table_for_every_hundred_rows_would_be_noticed(boosted):
    """The portions give the same values, and the guard refuses them."""
    X = table(300, 10, seed=1)[0]
    assert np.allclose(in_portions(boosted[1], X), tree_shap(boosted[1], X).values)
    assert by_rows(in_portions, boosted[1], rounds=1) > MOST_FOR_TEN_TIMES_THE_ROWS


def test_path_dependent_values_of_many_rows_come_faster_than_from_shap(boosted):
    """shap explains a twentieth of the 5,000 rows."""
    import shap

    X = table(MANY_ROWS, 10, seed=1)[0]
    explainer = shap.TreeExplainer(boosted[0], feature_perturbation="tree_path_dependent")
    theirs = times(lambda: explainer.shap_values(X[::20], check_additivity=False), lambda: tree_shap(boosted[1], X))
    assert 20 * theirs > LEAST_AGAINST_SHAP


def of_shap(setting):
    import shap

    return shap.TreeExplainer(setting[0], feature_perturbation="tree_path_dependent")


def thousand_rows(explain, setting, **rounds):
    """shap's time over ours for a thousand rows."""
    X, explainer = table(1000, 10, seed=1)[0], of_shap(setting)
    return times(lambda: explainer.shap_values(X, check_additivity=False), lambda: explain(setting[1], X), **rounds)


def test_a_thousand_rows_come_faster_than_from_shap(boosted):
    assert thousand_rows(tree_shap, boosted) > LEAST_AT_A_THOUSAND_ROWS


def test_a_thousand_rows_in_portions_would_be_noticed(boosted):
    assert thousand_rows(in_portions, boosted, rounds=1) < LEAST_AT_A_THOUSAND_ROWS


# --- one row: what does not depend on it is prepared, what does is one walk of all trees ------------------------------

def one_by_one(explain, setting, **rounds):
    """shap's time over ours for thirty calls of one row, both sides prepared."""
    rows, explainer = table(30, 10, seed=1)[0][:, None], of_shap(setting)
    return times(lambda: [explainer.shap_values(row, check_additivity=False) for row in rows],
                 lambda: [explain(row).values for row in rows], **rounds)


def test_a_prepared_row_comes_about_as_fast_as_from_shap(boosted):
    assert one_by_one(tree_explainer(boosted[1]), boosted) > LEAST_AT_ONE_ROW


def test_tables_for_each_row_anew_would_be_noticed(boosted):
    """Slow but right: prepare, explain a row, throw away."""
    row = table(30, 10, seed=1)[0][:1]

    def slow(X):
        return tree_explainer(boosted[1])(X)

    assert np.allclose(slow(row).values, tree_shap(boosted[1], row).values)
    assert one_by_one(slow, boosted, rounds=1) < LEAST_AT_ONE_ROW


def from_the_model(explain, setting, **rounds):
    """shap's time over ours for one row, from scikit-learn's model on, nothing prepared."""
    row = table(30, 10, seed=1)[0][:1]
    of_shap(setting)  # imported before the clock runs
    return times(lambda: [of_shap(setting).shap_values(row, check_additivity=False) for _ in range(5)],
                 lambda: [explain(setting[0], row) for _ in range(5)], **rounds)


def test_one_row_from_a_fitted_model_does_not_wait_for_tables(boosted):
    assert from_the_model(tree_shap, boosted) > LEAST_UNPREPARED


def test_tables_for_a_single_row_would_be_noticed(boosted):
    def slow(model, X):
        return tree_explainer(model)(X)

    assert from_the_model(slow, boosted, rounds=1) < LEAST_UNPREPARED


# --- interventional TreeSHAP: the background's size does not matter ---------------------------------------------------

def by_background(explain, forest, **rounds):
    """The price of ten times the background."""
    X, B = table(FEW_ROWS, 10, seed=1)[0], table(MANY_BEHIND, 10, seed=2)[0]
    return times(lambda: explain(forest, X, B), lambda: explain(forest, X, B[:FEW_BEHIND]), **rounds)


def fast(forest, X, background):
    return tree_shap(forest, X, background=background).values


def background_in_portions(forest, X, background):
    """Slow but right: the mean over portions of the background."""
    return np.mean([fast(forest, X, background[start:start + 50]) for start in range(0, len(background), 50)], axis=0)


def test_ten_times_the_background_costs_about_the_same(boosted):
    """500 rows against 1,000 background rows and against 100."""
    assert by_background(fast, boosted[1]) < MOST_FOR_TEN_TIMES_THE_BACKGROUND


def test_a_pass_for_every_fifty_background_rows_would_be_noticed(boosted):
    """The mean of the portions is the same, and the guard refuses it."""
    X, B = table(20, 10, seed=1)[0], table(100, 10, seed=2)[0]
    assert np.allclose(background_in_portions(boosted[1], X, B), fast(boosted[1], X, B))
    assert by_background(background_in_portions, boosted[1], rounds=1) > MOST_FOR_TEN_TIMES_THE_BACKGROUND


# --- exact permutation importance: all pairings for the price of a few shuffles ---------------------------------------

def in_shuffles(explain, setting, **rounds):
    """The price in shuffles: how many of scikit-learn's, over all features, take as long?"""
    model, forest, X, y = setting
    return 2 * times(lambda: explain(forest, X, y),
                     lambda: shuffled(model, X, y, n_repeats=2, scoring="neg_mean_squared_error", random_state=0),
                     **rounds)


def by_shuffling(forest, X, y):
    """Slow, and right in the mean: so many shuffles that what is left of chance is small."""
    return permutation_importance(forest.predict, X, y, n_repeats=20)


def test_all_pairings_cost_no_more_than_a_few_shuffles(forested):
    """20 features, 600 rows: the mean over all permutations."""
    assert in_shuffles(exact_permutation_importance, forested) < MOST_SHUFFLES


@pytest.mark.slow
def test_twenty_shuffles_would_be_noticed(forested):
    """They come near the same importances, and the guard refuses them."""
    _, forest, X, y = forested
    assert np.allclose(by_shuffling(forest, X, y).mean, exact_permutation_importance(forest, X, y).mean, atol=0.03)
    assert in_shuffles(by_shuffling, forested, rounds=1) > MOST_SHUFFLES
