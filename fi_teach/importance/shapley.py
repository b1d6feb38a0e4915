"""Shapley values of a prediction: the features are the players, the prediction is the payoff.

What the model predicts with features missing is a choice (`removal`), made before any formula: the
functions of fi_teach/basics/value_functions.py. `shapley_values` evaluates all 2^p coalitions, for
at most 16 features; `sampled_shapley_values` samples orderings instead.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.games import check_players, check_repeats, shapley, standard_error
from fi_teach.basics.model import as_model
from fi_teach.basics.results import Attribution
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_real_table, feature_names
from fi_teach.basics.tree import rows_for
from fi_teach.basics.value_functions import (
    ValueFunction,
    check_background,
    every_coalition,
    gaussian,
    marginal,
    neighbours,
    path_dependent,
)

MOST_FEATURES = 16
REMOVALS = {"marginal": marginal, "neighbours": neighbours, "gaussian": gaussian}

Removal = str | Callable[[object, ArrayLike], ValueFunction]


def shapley_values(
    model: object,
    X: ArrayLike,
    *,
    background: ArrayLike | None,
    removal: Removal = "marginal",
) -> Attribution:
    """Divide each prediction among the features by Shapley's formula, over all coalitions.

    phi_j = sum over S without j of |S|! (p-|S|-1)! / p! * (v(S + j) - v(S))
    f(x)  = v(empty) + sum over j of phi_j

    model : a fitted model, of which the raw score is explained (a boosting model's margin, another
        classifier's probabilities), or a function of a table -> (n,) or (n, n_outputs) numbers
    X (n, p) : any table that the model takes, with categories and gaps too
    background : (m, p) rows that stand in for what is missing; "path-dependent" needs none
    removal : "marginal" (missing features come from the background whatever the known ones say),
        "neighbours" and "gaussian" (two estimates of the conditional expectation, for numbers
        without gaps), "path-dependent" (a tree's or forest's training cover), or a function of
        (model, background) that returns v(X, S) as in fi_teach.basics.value_functions
    -> Attribution, values (n, p) or (n, p, n_outputs), in units of the prediction

    Cost: 2^p * n * m predictions.
    Source: Shapley (1953); Strumbelj and Kononenko (2014).

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> shapley_values(AND, [[1, 1], [1, 0]], background=bits).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    v, rows, names = _value_function(model, X, background, removal)
    p = len(names)
    check_players(
        p, most=MOST_FEATURES, instead="sampled_shapley_values (any model), or tree_shap (trees)")
    payoffs = every_coalition(v, rows)  # (2^p, n, n_outputs)
    return _attribution(shapley(payoffs, p), payoffs[0, 0], names, removal)


def sampled_shapley_values(
    model: object,
    X: ArrayLike,
    *,
    background: ArrayLike | None,
    removal: Removal = "marginal",
    n_repeats: int = 100,
    rng: Seed = 0,
) -> Attribution:
    """Estimate Shapley values from random orderings, for any number of features.

    The features enter one by one in a random order, each takes what it adds; the mean over
    n_repeats orderings. Every row sees the same ones. Other parameters as in `shapley_values`.
    -> Attribution with standard_error, shaped like values. Cost: n_repeats * (p+1) * n * m
        predictions.

    Source: Strumbelj and Kononenko (2014).

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> found = sampled_shapley_values(AND, [[1, 1]], background=bits, n_repeats=400)
    >>> bool((abs(found.values - 0.375) < 3 * found.standard_error).all())
    True
    """
    rng = own_stream(rng, "Shapley values")
    check_repeats(n_repeats)
    v, rows, names = _value_function(model, X, background, removal)
    orders = [rng.permutation(len(names)) for _ in range(n_repeats)]
    base = v(rows, np.zeros((1, len(names)), dtype=bool))
    draws = np.array([_gains_in_order(v, rows, order, base) for order in orders])
    error = standard_error(draws)
    return _attribution(draws.mean(axis=0), base[0, 0], names, removal, error)


def _gains_in_order(v, X, order, base):
    """What each feature adds to each row if they enter in this order -> (p, n, n_outputs)."""
    place = np.argsort(order)
    entered = place < np.arange(1, len(order) + 1)[:, None]
    payoffs = np.concatenate([base, v(X, entered)])
    return np.diff(payoffs, axis=0)[place]


def _value_function(model, X, background, removal):
    """v(X, S), the rows as it takes them, and the features' names."""
    model, X = as_model(model), check_real_table(X)
    if removal == "path-dependent":
        rows = rows_for(model.forest, model.arrange(X))
        return path_dependent(model), rows, model.forest.names
    if not callable(removal) and removal not in REMOVALS:
        known = ", ".join(map(repr, [*REMOVALS, "path-dependent"]))
        raise ValueError(
            f"unknown removal {removal!r}: expected one of {known}, "
            "or a function of (model, background) that returns v(X, S).")
    remove = REMOVALS.get(removal, removal)
    background = model.arrange(check_background(background, X))
    model.as_asked(background, what="background")  # refuses gaps that its trees do not know
    rows = model.arrange(X)
    names = model.names or feature_names(rows)
    return remove(model, background), rows, names


def _attribution(shares, base, names, removal, error=None):
    """Shares (p, n, n_outputs), and their errors, as an Attribution."""
    title = removal if isinstance(removal, str) else getattr(removal, "__name__", "own removal")
    error = None if error is None else np.moveaxis(error, 0, 1)
    return Attribution.of_outputs(
        np.moveaxis(shares, 0, 1), base, names, method=f"Shapley values ({title})",
        standard_error=error)
