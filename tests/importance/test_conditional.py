"""Conditional importance: closed forms for jointly normal features, proxies, what is drawn, honest errors."""

import numpy as np
import pandas as pd
import pytest
from small_tables import first

from fi_teach.basics.shuffles import gaussian_conditional
from fi_teach.importance.conditional import conditional_importance, shuffle_within, subgroups
from fi_teach.importance.permutation import permutation_importance

METHODS = pytest.mark.parametrize("method", ["subgroups", "gaussian"])


def correlated(n=2000, rho=0.9, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return np.column_stack([x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)])


# --- closed forms ---


def test_gaussian_draws_leave_what_the_others_do_not_know():
    """f = x1 = y, correlation r: marginal 2, conditional 2 (1 - r^2). Tolerance 10%, about three standard errors.

    Within a subgroup some dependence is left, so the shuffle still moves a little more than it should.
    """
    X = correlated(rho=0.8)
    gaussian, by_subgroups = (
        conditional_importance(first, X, X[:, 0], method=method).mean[0] for method in ("gaussian", "subgroups"))
    assert gaussian == pytest.approx(2 * (1 - 0.8**2), rel=0.10)
    assert permutation_importance(first, X, X[:, 0]).mean[0] == pytest.approx(2, rel=0.10)
    assert 2 * (1 - 0.8**2) * 0.9 < by_subgroups < 1.0


@METHODS
def test_a_used_proxy_is_important_marginally_and_hardly_conditionally(method):
    """y comes from x1 alone, the model uses both: given x1 the proxy's new values are as good as its old ones."""
    X = correlated(rho=0.95)
    y = X[:, 0] + 0.5 * np.random.default_rng(2).normal(size=len(X))

    def mean(X):
        return X.mean(axis=1)

    assert permutation_importance(mean, X, y).mean[1] > 0.4
    assert abs(conditional_importance(mean, X, y, method=method).mean[1]) < 0.05


def test_a_copy_of_another_feature_cannot_be_drawn_anew():
    """x2 = x1: given x1 nothing is left of x2, so its conditional importance is 0 up to rounding."""
    x = np.random.default_rng(3).normal(size=100)
    found = conditional_importance(lambda X: X[:, 1], np.column_stack([x, x]), x, method="gaussian")
    assert np.allclose(found.draws, 0, atol=1e-12)


def test_gaussian_conditional_importance_divides_the_residuals_by_their_degrees_of_freedom():
    """f = x0 = y, 6 rows, a regression on 2 columns and a constant: RSS / 6 + RSS / (6 - 3). Tolerance four errors."""
    X = np.random.default_rng(6).normal(size=(6, 3))
    design = np.column_stack([np.ones(6), X[:, 1:]])
    rss = np.linalg.lstsq(design, X[:, 0], rcond=None)[1][0]
    found = conditional_importance(first, X, X[:, 0], method="gaussian", n_repeats=5000)
    assert found.mean[0] == pytest.approx(rss / 6 + rss / 3, abs=4 * found.permutation_sd[0] / np.sqrt(5000))


# --- what is drawn ---


def test_shuffling_within_groups_is_a_permutation_that_stays_in_them():
    groups = np.random.default_rng(0).integers(0, 5, 60)
    donors = shuffle_within(groups, np.random.default_rng(1))
    assert (np.sort(donors) == np.arange(60)).all() and (groups[donors] == groups).all()
    assert (donors != np.arange(60)).any()


def test_gaussian_draws_keep_the_covariance():
    """Tolerance 0.05, three standard errors of 5000 rows."""
    X = correlated(n=5000)
    new = np.column_stack([X[:, 0], gaussian_conditional(X, 1, np.random.default_rng(4))])
    assert np.allclose(np.cov(new.T), np.cov(X.T), atol=0.05)


def test_whole_numbers_may_become_fractions_when_drawn():
    X = np.random.default_rng(1).integers(0, 40, size=(20, 2))
    seen = []
    conditional_importance(lambda X: seen.append(X[:, 1]) or X[:, 1], X, np.arange(20), method="gaussian", n_repeats=2)
    assert X.dtype.kind == "i" and any((column != np.floor(column)).any() for column in seen)


def test_a_constant_column_and_a_column_alone_form_one_subgroup():
    assert subgroups(np.column_stack([np.arange(30.0), np.ones(30)]), 1).max() == 0
    assert subgroups(np.arange(30.0)[:, None], 0).max() == 0


@pytest.mark.parametrize(("n", "fewest"), [(16, 5), (100, 10)])
def test_a_subgroup_has_at_least_five_rows_and_the_root_of_all_rows(n, fewest):
    """Other features that would explain the column in steps of 4 rows must not."""
    steps = np.arange(n) // 4
    assert np.bincount(subgroups(np.column_stack([2.0**steps, steps]), 0)).min() >= fewest


def test_a_subgroup_is_found_by_name_among_words_and_gaps():
    """The wind tells the temperature: its words split the rows; the note, different in each, does not."""
    wind = np.array(["south", "north"] * 30)
    table = pd.DataFrame({
        "wind": wind, "degrees": np.where(wind == "south", 25.0, 5.0), "note": [f"day {i}" for i in range(60)]})
    table.loc[7, "degrees"] = np.nan
    leaf = subgroups(table, "degrees")
    of_wind = pd.DataFrame({"leaf": leaf, "wind": wind}).groupby("leaf")["wind"].nunique()
    assert (of_wind == 1).all() and len(of_wind) >= 2
    words = subgroups(table[["degrees", "wind"]], "wind")
    assert len(set(zip(words, wind, strict=True))) <= len(set(words)) + 1  # row 7 apart


def test_words_are_grouped_by_gini_and_not_by_the_order_of_the_alphabet():
    """One cut is possible, before or after c. Gini takes the second; of squared codes c is nearer to b than to a."""
    table = pd.DataFrame({"word": np.repeat(["a", "c", "b"], [30, 10, 50]), "x": np.repeat([0, 1, 2], [30, 10, 50])})
    assert subgroups(table, "word", min_samples_leaf=30).tolist() == [0] * 40 + [1] * 50


# --- weights, groups, errors ---


def test_gaussian_conditional_importance_is_sure_where_all_rows_lose_the_same_however_they_weigh():
    """Any new value costs 1. Uncentred, the error would be that of the mean weight; tolerance a tenth of it."""
    X, weight = correlated(n=40), np.arange(1.0, 41)
    found = conditional_importance(first, X, X[:, 0], method="gaussian", loss=lambda y, f: (y != f).astype(float),
                    n_repeats=2000, sample_weight=weight)
    assert found.mean[0] == pytest.approx(1)
    assert found.standard_error[0] < 0.1 * weight.std() / weight.mean() / np.sqrt(40)
