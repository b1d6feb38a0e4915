"""A prediction is a payout and the features are the players: divide it by Shapley's formula, summing over every coalition.

What "a feature is missing" means is a choice (`removal`), made before any formula; the functions of fi_teach.basics.removal are the
choices. Nothing here is clever: 2^p coalitions are asked for, which is why this stops at 16 features.
"""

import numpy as np

from fi_teach.basics.convert import as_forest
from fi_teach.basics.games import check_players, shapley
from fi_teach.basics.removal import (
    check_background,
    every_coalition,
    gaussian,
    marginal,
    neighbours,
    on_arrays,
    path_dependent,
)
from fi_teach.basics.results import Attribution
from fi_teach.basics.tables import check_table
from fi_teach.basics.tree import rows_for

MOST_FEATURES = 16
REMOVALS = {"marginal": marginal, "neighbours": neighbours, "gaussian": gaussian}


def shapley_values(predict, X, *, background, removal="marginal"):
    """Each prediction divided among the features by Shapley's formula, by definition: every coalition is asked.

    phi_j = sum over S without j of |S|! (p-|S|-1)! / p! * (v(S + j) - v(S)),   f(x) = v(empty) + sum_j phi_j
    predict : function of X (n, p) -> (n,) or (n, n_outputs); for removal="path-dependent" a tree or forest
    background : (m, p) rows that stand in for what is missing; None for "path-dependent", which needs none
    removal : "marginal" (missing features drawn from the background whatever the known ones say), "neighbours" and "gaussian"
        (two estimates of the conditional expectation), "path-dependent" (training cover), or a function of
        (predict, background) that returns v(X, S) as in fi_teach.basics.removal
    -> Attribution, values (n, p) or (n, p, n_outputs), in units of the prediction

    Raises ValueError for more than 16 features, an unknown removal, a background with other columns or no rows, and
    predictions that are labels or NaN. Cost: 2^p * n * m predictions. Source: Shapley (1953); Strumbelj and Kononenko (2014).

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> shapley_values(AND, [[1, 1], [1, 0]], background=[[0, 0], [0, 1], [1, 0], [1, 1]]).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    v, rows, names = _value_function(predict, X, background, removal)
    check_players(len(names), most=MOST_FEATURES, instead="sampled_shapley_values (any model), or tree_shap (trees)")
    payoffs = every_coalition(v, rows)
    return _attribution(shapley(payoffs, len(names)), payoffs[0, 0], names, removal)


def sampled_shapley_values(predict, X, *, background, removal="marginal", n_orderings=100, rng=0):
    """Shapley values estimated from random orderings, with the standard error of each; any number of features.

    The features enter one by one in a random order, each takes what it adds; the mean over orderings. Every row sees the
    same orderings. Other parameters and errors as in `shapley_values`.
    -> Attribution with standard_error, shaped like values. Cost: n_orderings * (p+1) * n * m predictions.

    Raises ValueError also for fewer than 2 orderings. Source: Strumbelj and Kononenko (2014).

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> found = sampled_shapley_values(AND, [[1, 1]], background=[[0, 0], [0, 1], [1, 0], [1, 1]], n_orderings=400)
    >>> bool((abs(found.values - 0.375) < 3 * found.standard_error).all())
    True
    """
    rng = np.random.default_rng(rng)
    if n_orderings < 2:
        raise ValueError(f"n_orderings is {n_orderings}: a standard error needs at least 2 orderings.")
    v, rows, names = _value_function(predict, X, background, removal)
    nothing = v(rows, np.zeros((1, len(names)), dtype=bool))[0]
    draws = np.array([_gains_in_order(v, rows, rng.permutation(len(names)), nothing) for _ in range(n_orderings)])
    error = draws.std(axis=0, ddof=1) / np.sqrt(n_orderings)
    return _attribution(draws.mean(axis=0), nothing[0], names, removal, error)


def _value_function(predict, X, background, removal):
    if removal == "path-dependent":
        forest = as_forest(predict)
        return path_dependent(forest), rows_for(forest, X), forest.names
    if not callable(removal) and removal not in REMOVALS:
        known = ", ".join(map(repr, [*REMOVALS, "path-dependent"]))
        raise ValueError(f"unknown removal {removal!r}: expected one of {known}, or a function of (predict, background) that returns v(X, S).")
    rows, names = check_table(X, allow_nan=removal == "marginal")
    background = check_background(background, names, allow_nan=removal == "marginal")
    return REMOVALS.get(removal, removal)(on_arrays(predict, X), background), rows, names


def _gains_in_order(v, X, order, nothing):
    entered = np.argsort(order)[None, :] < np.arange(1, len(order) + 1)[:, None]
    payoffs = np.concatenate([nothing[None], v(X, entered)])
    return np.diff(payoffs, axis=0)[np.argsort(order)]


def _attribution(shares, base, names, removal, error=None):
    """(p, n, n_outputs) shares as an Attribution; a single output loses its axis."""
    shares, error = (None if array is None else np.moveaxis(array, 0, 1) for array in (shares, error))
    if shares.shape[2] == 1:
        shares, base, error = shares[:, :, 0], float(base[0]), None if error is None else error[:, :, 0]
    title = removal if isinstance(removal, str) else getattr(removal, "__name__", "own removal")
    return Attribution(shares, base, names, method=f"Shapley values ({title})", standard_error=error)
