"""Linear Gaussian worlds: each variable is a weighted sum of independent standard normal noises.

So a variable is the vector of its weights on the noises, covariances are inner products of such
vectors, and the whole truth is linear algebra.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.equations import Equations, solve
from fi_teach.basics.seeds import Seed, plain_stream
from fi_teach.basics.tables import check_count
from fi_teach.worlds.world import World, truth_table


def weights_on_noises(equations: Equations) -> dict:
    """The equations at unit noises: {variable: weights (n_noises,)}, one noise a variable.

    >>> weights_on_noises({"x": lambda noise: noise, "y": lambda x, noise: 2 * x + noise})["y"]
    array([2., 1.])
    """
    unit_vectors = np.eye(len(equations))
    return solve(equations, dict(zip(equations, unit_vectors, strict=True)))


def linear_world(
    n: int,
    rng: Seed,
    equations: Equations,
    *,
    shown: Sequence[str],
    called: Mapping[str, str] | None = None,
    hidden: Sequence[str] = (),
    causal: Collection[str] = (),
    name: str,
    description: str = "",
) -> World:
    """Draw n rows of the linear equations; the variable "y" is the target.

    shown : the variables that are X's columns; called : {variable: another name for its column}
    hidden : variables that exist and are not shown; causal : names of the columns that are causes
    """
    n, rng = check_count(n, "n"), plain_stream(rng)
    weights = weights_on_noises(equations)
    features = np.column_stack([weights[variable] for variable in shown])
    target = weights["y"]
    noises = rng.standard_normal((n, len(target)))
    called = called or {}
    names = [called.get(variable, variable) for variable in shown]
    coefficients = ideal_coefficients(features, target)
    return World(
        X=pd.DataFrame(noises @ features, columns=names),
        y=pd.Series(noises @ target, name="y"),
        truth=_linear_truth(names, features, target, coefficients, causal),
        name=name,
        description=description,
        task="regression",
        ideal=lambda X: np.asarray(X, float) @ coefficients,
        hidden=pd.DataFrame({variable: noises @ weights[variable] for variable in hidden}),
    )


def ideal_coefficients(features: NDArray, target: NDArray) -> NDArray:
    """Coefficients of E[y | x] -> (p,); of copies the first is read, the others get 0.

    features (n_noises, p), target (n_noises,): weights on the noises
    """
    kept = _independent_columns(features)
    coefficients = np.zeros(features.shape[1])
    coefficients[kept] = _least_squares(features[:, kept], target)
    negligible = np.abs(coefficients) < 1e-12
    return np.where(negligible, 0.0, coefficients)


def _independent_columns(weights):
    """Indices of the columns that no earlier column determines; of two copies only the first."""
    kept = []
    for j in range(weights.shape[1]):
        candidates = weights[:, [*kept, j]]
        if np.linalg.matrix_rank(candidates) > len(kept):
            kept.append(j)
    return kept


def _own_part(features, j):
    """The residual of feature j after regression on the others."""
    others = np.delete(features, j, axis=1)
    explained = others @ _least_squares(others, features[:, j])
    return features[:, j] - explained


def _linear_truth(names, features, target, coefficients, causal):
    """Truth of a linear Gaussian world: an independent copy of x_j costs 2 b_j^2 Var(x_j)."""
    variances = (features**2).sum(axis=0)
    covariances = features.T @ target
    own = np.array([_own_part(features, j) @ target for j in range(len(names))])
    return truth_table(
        names,
        associated=_chosen(names, np.abs(covariances) > 1e-12),
        relevant=_chosen(names, np.abs(own) > 1e-9),
        used=_chosen(names, coefficients != 0),
        causal=causal,
        importance=2 * coefficients**2 * variances,
    )


def _least_squares(columns, target):
    return np.linalg.lstsq(columns, target, rcond=None)[0]


def _chosen(names, flags):
    return [name for name, yes in zip(names, flags, strict=True) if yes]
