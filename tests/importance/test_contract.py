"""What holds for all permutation methods beyond test_common.py: honest errors, real tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_tables import first, warmth, words_dates_and_gaps

from fi_teach.importance import (
    conditional_importance,
    drop_column_importance,
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    oob_importance,
    oob_importance_per_tree,
    permutation_importance,
    permutation_importance_by_definition,
    row_bootstrap_interval,
    score_permutation_importance,
    shuffle_differences,
)
from fi_teach.trees import grow_cart, grow_forest

# --- the standard error is the spread of the importance over new test sets ---


def of_two_columns(rng, **how):
    X = rng.normal(size=(60, 2))
    return permutation_importance(
        lambda X: X.sum(axis=1), X, X.sum(axis=1), feature_groups={"both": [0, 1]}, n_repeats=3, rng=rng, **how)


def weighted(rng):
    X, weight = rng.normal(size=(120, 1)), rng.exponential(size=120)
    return permutation_importance(first, X, X[:, 0], n_repeats=5, sample_weight=weight, rng=rng)


def of_a_tree(rng):
    X = rng.normal(size=(150, 2))
    return exact_permutation_importance(FITTED, X, X[:, 0])


def conditional(rng, method):
    """A normal distribution fitted on the same rows hides the donor's role, but does not end it: with each row
    counted once the error would be half of the truth."""
    X = rng.normal(size=(150, 2))
    return conditional_importance(first, X, X[:, 0], method=method, n_repeats=8, rng=rng)


def of_a_wrong_model(rng):
    """The mean of the drawn values is off: where it lies depends on the rows that fitted it."""
    X = rng.normal(size=(150, 2))
    X[:, 0] += X[:, 1]
    return conditional_importance(first, X, -X[:, 1], method="gaussian", n_repeats=8, rng=rng)


def of_unlike_subgroups(rng):
    """Where x1 = 1 the values of x0 lie further apart: how many rows are there matters, too."""
    X = rng.normal(size=(150, 2))
    X[:, 1] = X[:, 1] > 0
    X[:, 0] = 5 * X[:, 1] + (0.3 + X[:, 1]) * X[:, 0]
    return conditional_importance(first, X, X[:, 0], n_repeats=8, rng=rng)


def out_of_bag(rng, method):
    """A forest of fixed trees, bags drawn afresh."""
    X = rng.normal(size=(80, 2))
    forest = replace(FITTED_FOREST, in_bag=(rng.random((15, 80)) < 0.632).astype(int))
    return method(forest, X, X[:, 0], n_repeats=3, rng=rng)


RNG = np.random.default_rng(4)
OLD = RNG.normal(size=(200, 2))
TARGET = OLD[:, 0] + 0.3 * RNG.normal(size=200)
FITTED = grow_cart(OLD, TARGET, criterion="variance", max_depth=4)
FITTED_FOREST = grow_forest(OLD, TARGET, n_trees=15, max_depth=4)
CASES = {
    "columns together": (of_two_columns, {}, 800),
    "columns one by one": (of_two_columns, {"together": False}, 800),
    "weighted": (weighted, {}, 300),
    "exact": (of_a_tree, {}, 400),
    "gaussian": (conditional, {"method": "gaussian"}, 300),
    "gaussian, wrong": (of_a_wrong_model, {}, 300),
    "subgroups": (conditional, {"method": "subgroups"}, 300),
    "unlike subgroups": (of_unlike_subgroups, {}, 300),
    "votes": (out_of_bag, {"method": oob_importance}, 250),
    "trees": (out_of_bag, {"method": oob_importance_per_tree}, 400),
}


@pytest.mark.parametrize("case", [
    pytest.param(case, marks=pytest.mark.slow if case in ("votes", "trees") else ()) for case in CASES])
def test_the_standard_error_is_the_spread_over_new_test_sets(case):
    """Tolerance 15%, at 800 test sets 10%: they fix a standard deviation within 2.5%, the estimate's bias is 1/n."""
    measure, how, n_test_sets = CASES[case]
    rng = np.random.default_rng(5)
    found = [measure(rng, **how) for _ in range(n_test_sets)]
    means, errors = np.array([(f.mean[0], f.standard_error[0]) for f in found]).T
    assert np.sqrt((errors**2).mean()) == pytest.approx(means.std(), rel=0.1 if n_test_sets == 800 else 0.15)


# --- tables of any kind ---


@pytest.mark.parametrize("method", [
    permutation_importance, permutation_importance_by_definition, exact_permutation_importance,
    exact_permutation_importance_by_definition, conditional_importance, score_permutation_importance])
def test_a_table_of_words_dates_and_gaps_is_taken_as_it_is(method):
    table, y = words_dates_and_gaps()
    before, kinds = table.copy(), []

    def model(shuffled):
        kinds.append(tuple(shuffled.dtypes))
        return warmth(shuffled)

    score = {"score": "r2", "n_repeats": 3} if method is score_permutation_importance else {}
    found = method(model, table, y, **score)
    assert found.names == tuple(table.columns)
    assert found.mean[0] > 0.1 and found.mean[4] > 0.1 and (found.mean[1:4] == 0).all()
    assert set(kinds) == {tuple(table.dtypes)}
    pd.testing.assert_frame_equal(table, before)


def test_words_and_gaps_can_be_shuffled_as_a_group_and_resampled():
    table, y = words_dates_and_gaps()
    groups = {"weather": ["sky", "wind"], "time": "day"}
    found = permutation_importance(warmth, table, y, feature_groups=groups)
    assert found.names == ("weather", "time")
    assert found.mean[0] > 1 and found.mean[1] == 0
    low, high = row_bootstrap_interval(warmth, table, y, "sky")
    assert 0 < low < high
    assert shuffle_differences(warmth, table, y, "size")[0].shape == (120, 1)


def test_a_pipeline_of_words_and_gaps_is_judged_as_it_is_fitted():
    compose = pytest.importorskip("sklearn.compose")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table, y = words_dates_and_gaps()
    table, y = table.drop(columns="day"), np.where(y > 1, "high", "low")
    forest = RandomForestClassifier(20, random_state=0)
    words = compose.make_column_transformer((OneHotEncoder(), ["sky", "wind"]), remainder="passthrough")
    model = make_pipeline(words, forest).fit(table, y)
    for method in (permutation_importance, exact_permutation_importance, conditional_importance):
        found = method(model, table[["size", "mild", "wind", "sky"]], y)
        assert found.unit == "error rate" and found.names == tuple(table.columns)
        assert found.rank[0] <= 2 and found.rank[3] <= 2
    whatever_words = compose.make_column_selector(dtype_exclude=["number", "bool"])
    some = compose.make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), whatever_words), remainder="passthrough")
    refitted = drop_column_importance(make_pipeline(some, forest), table, y)
    assert refitted.names == tuple(table.columns) and refitted.unit == "error rate"


@pytest.mark.slow
def test_20_000_columns_cost_what_the_trees_ask_about():
    wide = pd.DataFrame(np.random.default_rng(2).normal(size=(50, 20_000)))
    y = wide[0].to_numpy() + wide[7].to_numpy()
    tree = grow_cart(wide, y, criterion="variance", max_depth=3)
    asked = np.unique(tree.feature[~tree.is_leaf])
    for found in (permutation_importance(tree, wide, y, n_repeats=2), exact_permutation_importance(tree, wide, y)):
        assert len(found.names) == 20_000
        assert set(np.flatnonzero(found.mean)) <= set(asked.tolist())
    forest = grow_forest(wide, y, n_trees=2, max_depth=2)
    for method in (oob_importance, oob_importance_per_tree):
        assert method(forest, wide, y, n_repeats=2).draws.shape == (20_000, 2)
    groups = {"first half": range(10_000), "second half": range(10_000, 20_000)}
    assert permutation_importance(tree, wide, y, feature_groups=groups, n_repeats=2).mean[0] > 0
