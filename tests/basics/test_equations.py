"""Equations are solved the same way for rows and for weights on the noises."""

import numpy as np

from fi_teach.basics.equations import solve
from fi_teach.worlds.causes import confounder_model
from fi_teach.worlds.linear import weights_on_noises


def test_rows_are_noises_times_weights():
    """Linear equations: what they give for rows of noise is the noise weighted, to rounding."""
    equations = confounder_model(effect=0.7, measurement_error=0.4).equations
    noises = np.random.default_rng(0).normal(size=(6, len(equations)))
    rows = solve(equations, dict(zip(equations, noises.T, strict=True)))
    for name, weights in weights_on_noises(equations).items():
        np.testing.assert_allclose(rows[name], noises @ weights, atol=1e-14)


def test_a_variable_that_is_set_ignores_its_causes_and_passes_its_value_on():
    equations = {"x": lambda noise: noise, "y": lambda x, noise: 2 * x + noise}
    noises = {"x": np.array([1.0, 5.0]), "y": np.zeros(2)}
    assert solve(equations, noises, {"x": 3})["y"].tolist() == [6.0, 6.0]


def test_an_equation_may_return_one_number_for_all_rows():
    assert solve({"x": lambda: 4}, {"x": np.zeros(3)})["x"].tolist() == [4.0, 4.0, 4.0]
