"""The headline methods stay as fast as their algorithms make them: ratios of processor times within one run.

Never an absolute time, so that a slow or a busy machine passes: each ratio is of two pieces of work that take turns,
the best of several turns each. Beside every guard stands a slow but right version of the method that it must refuse.
"""

import time

import numpy as np
import pytest
import shap
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import permutation_importance as shuffled

from fi_teach.importance import exact_permutation_importance, permutation_importance, tree_explainer, tree_shap
from fi_teach.trees import from_model


def table(n, p=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] * X[:, 1] + X[:, 2:].sum(axis=1) / 4 + rng.normal(0, 0.3, n)


@pytest.fixture(scope="module")
def boosted():
    """20 boosted trees of depth 5 -> (scikit-learn's model, our Forest)."""
    model = GradientBoostingRegressor(n_estimators=20, max_depth=5, random_state=0).fit(*table(800))
    return model, from_model(model)


@pytest.fixture(scope="module")
def forested():
    """40 trees of depth 8 on 20 columns -> (scikit-learn's model, our Forest)."""
    model = RandomForestRegressor(40, max_depth=8, random_state=0).fit(*table(1500, 20))
    return model, from_model(model)


def times(work, other, rounds=5):
    """How many times the processor time of `other` does `work` take? In turn, the best of each."""
    spent = [[], []]
    for _ in range(rounds):
        for one, seconds in zip((work, other), spent, strict=True):
            start = time.process_time()
            one()
            seconds.append(time.process_time() - start)
    return min(spent[0]) / min(spent[1])


ROWS, BEHIND = table(5000, seed=1)[0], table(1000, seed=2)[0]


def of_shap(model):
    return shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")


def shaps(explainer, rows):
    return explainer.shap_values(rows, check_additivity=False)


# --- what is measured: each returns a ratio for a way to explain ---


def ten_times_the_rows(explain, setting, rounds=5):
    """The price of 5,000 rows in place of 500: tables are paid once, whatever the number of rows."""
    return times(lambda: explain(setting, ROWS), lambda: explain(setting, ROWS[:500]), rounds)


def ten_times_the_background(explain, setting, rounds=5):
    """The price of 1,000 background rows in place of 100, for 500 rows."""
    return times(lambda: explain(setting, ROWS[:500], BEHIND), lambda: explain(setting, ROWS[:500], BEHIND[:100]),
                 rounds)


def of_shaps_time_for_a_thousand_rows(explain, setting, rounds=5):
    explainer = of_shap(setting[0])
    return times(lambda: explain(setting, ROWS[:1000]), lambda: shaps(explainer, ROWS[:1000]), rounds)


def of_shaps_time_for_a_prepared_row(explain, setting, rounds=5):
    """Thirty calls of one row, both sides prepared."""
    explainer, ours, rows = of_shap(setting[0]), explain(setting), ROWS[:30, None]
    return times(lambda: [ours(row).values for row in rows], lambda: [shaps(explainer, row) for row in rows], rounds)


def of_shaps_time_for_a_row_of_a_fitted_model(explain, setting, rounds=5):
    """From scikit-learn's model on, nothing prepared."""
    row = ROWS[:1]
    return times(lambda: [explain(setting, row) for _ in range(5)],
                 lambda: [shaps(of_shap(setting[0]), row) for _ in range(5)], rounds)


def shuffles_over_all_features(explain, setting, rounds=5):
    """How many of scikit-learn's shuffles take as long?"""
    X, y = table(600, 20, seed=1)
    two = {"n_repeats": 2, "scoring": "neg_mean_squared_error", "random_state": 0}
    return 2 * times(lambda: explain(setting, X, y), lambda: shuffled(setting[0], X, y, **two), rounds)


# --- ways to explain: the package's, and slow ones that are right ---


def all_at_once(setting, X, background=None):
    return tree_shap(setting[1], X, background=background).values


def a_table_for_every_hundred_rows(setting, X):
    return np.concatenate([all_at_once(setting, X[start:start + 100]) for start in range(0, len(X), 100)])


def a_pass_for_every_fifty_background_rows(setting, X, background):
    """The mean over portions of the background."""
    return np.mean([all_at_once(setting, X, background[start:start + 50]) for start in range(0, len(background), 50)],
                   axis=0)


def prepared(setting):
    return tree_explainer(setting[1])


def prepared_for_each_row_anew(setting):
    return lambda X: tree_explainer(setting[1])(X)


def unprepared(setting, X):
    return tree_shap(setting[0], X).values


def prepared_for_a_single_row(setting, X):
    return tree_explainer(setting[0])(X).values


def every_pairing(setting, X, y):
    return exact_permutation_importance(setting[1], X, y).mean


def twenty_shuffles(setting, X, y):
    """So many that what is left of chance is small."""
    return permutation_importance(setting[1].predict, X, y, n_repeats=20).mean


GUARDS = [
    (ten_times_the_rows, 4, all_at_once, a_table_for_every_hundred_rows),
    (of_shaps_time_for_a_thousand_rows, 1 / 2, all_at_once, a_table_for_every_hundred_rows),
    (ten_times_the_background, 2, all_at_once, a_pass_for_every_fifty_background_rows),
    (of_shaps_time_for_a_prepared_row, 2, prepared, prepared_for_each_row_anew),
    (of_shaps_time_for_a_row_of_a_fitted_model, 1 / 0.12, unprepared, prepared_for_a_single_row),
    (shuffles_over_all_features, 6, every_pairing, twenty_shuffles),
]
"""(ratio, the most it may be, the way that keeps it, the way that does not)."""


@pytest.mark.parametrize(("ratio", "most", "fast", "slow"), GUARDS, ids=[ratio.__name__ for ratio, *_ in GUARDS])
def test_a_ratio_is_kept_and_a_slow_version_would_be_noticed(ratio, most, fast, slow, boosted, forested):
    setting = forested if fast is every_pairing else boosted
    assert ratio(fast, setting) < most
    assert ratio(slow, setting, rounds=1) > most


def test_the_slow_versions_are_right(boosted, forested):
    X, B = ROWS[:300], BEHIND[:100]
    values = all_at_once(boosted, X)
    assert np.allclose(a_table_for_every_hundred_rows(boosted, X), values)
    assert np.allclose(prepared_for_each_row_anew(boosted)(X).values, values)
    assert np.allclose(prepared_for_a_single_row(boosted, X[:1]), values[:1])
    assert np.allclose(a_pass_for_every_fifty_background_rows(boosted, X, B), all_at_once(boosted, X, B))
    given = table(600, 20, seed=1)
    assert np.allclose(twenty_shuffles(forested, *given), every_pairing(forested, *given), atol=0.03)
