"""Kernel SHAP: exact with every coalition, an estimate with a sample of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics import games
from fi_teach.importance.kernel_shap import kernel_shap, kernel_weight, solve_for_shares
from fi_teach.importance.shapley import shapley_values


@given(st.integers(0, 10**6), st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_the_regression_finds_the_shapley_values_of_any_game(seed, p):
    """Weighted least squares with the Shapley kernel = Shapley's formula, on random games."""
    v = np.random.default_rng(seed).normal(size=2**p)
    S = games.coalitions(p)[1:-1]
    weight = np.array([kernel_weight(p, s) for s in S.sum(axis=1)])
    shares = solve_for_shares(S, weight, v[1:-1] - v[0], np.array(v[-1] - v[0]))
    np.testing.assert_allclose(shares, games.shapley(v, p), atol=1e-10)


def test_a_model_of_pairs_is_exact_from_few_coalitions():
    """A coalition and its complement cancel two-way interactions: 200 of 16382 coalitions suffice."""
    rng = np.random.default_rng(3)
    X, slope = rng.normal(size=(8, 14)), rng.normal(size=14)

    def f(X):
        return X @ slope + X[:, 0] * X[:, 1] - X[:, 2] * X[:, 1]

    found = kernel_shap(f, X[:2], background=X, n_coalitions=200)
    np.testing.assert_allclose(found.values, shapley_values(f, X[:2], background=X).values, atol=1e-10)


def test_kernel_shap_of_sampled_coalitions_is_right_on_average():
    """A product of 6 of 9 binary features, 500 of 510 coalitions, 200 seeds: within 4 standard errors plus 1%."""
    def product(X):
        return X[:, :6].prod(axis=1)

    given = {"X": np.ones((1, 9)), "background": np.zeros((1, 9))}
    runs = np.array([kernel_shap(product, **given, n_coalitions=500, rng=seed).values[0] for seed in range(200)])
    exact = np.repeat([1 / 6, 0], [6, 3])
    error = runs.std(axis=0, ddof=1) / np.sqrt(200)
    assert (np.abs(runs.mean(axis=0) - exact) < 4 * error + 0.01 / 6).all()


@pytest.mark.parametrize(("p", "n_coalitions"), [(12, 2**12 - 2), (13, 2 * 13 + 2048)])
def test_kernel_shap_asks_all_coalitions_of_12_features_and_2p_plus_2048_of_13(p, n_coalitions):
    X = np.random.default_rng(6).normal(size=(2, p))

    def f(X):
        return X[:, :4].prod(axis=1) + X[:, 3:].max(axis=1)

    given = {"X": X[:1], "background": X[1:]}
    assert kernel_shap(f, **given) == kernel_shap(f, **given, n_coalitions=n_coalitions)
    assert kernel_shap(f, **given) != kernel_shap(f, **given, n_coalitions=n_coalitions - 2)


def test_one_feature_takes_all():
    """p = 1: phi = f(x) - base."""
    found = kernel_shap(lambda X: X[:, 0] ** 2, [[3.0]], background=[[0.0], [1.0]])
    np.testing.assert_allclose(found.values, [[8.5]])
