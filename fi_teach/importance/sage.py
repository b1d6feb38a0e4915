"""SAGE plays Shapley's game with the loss: a coalition earns what knowing its features saves, over the whole data set.

SHAP divides one prediction and never sees y; SAGE divides the model's merit. A feature the model uses badly gets less than
nothing.
"""

import numpy as np

from fi_teach.basics.games import check_players, coalitions, shapley
from fi_teach.basics.losses import row_loss
from fi_teach.basics.removal import check_background, marginal, on_arrays
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import check_outcome
from fi_teach.basics.tables import check_table

MOST_FEATURES = 16
ROWS_AN_ORDERING = 32


def sage(predict, X, y, *, loss="mse", background=None, n_permutations=512, rng=0):
    """Each feature's share of what the model saves over knowing nothing, from random orderings, with standard errors.

    v(S) = E loss(y, f_empty) - E loss(y, f_S),   f_S(x) = mean over background rows z of f(x_S, z_without S);
    phi = Shapley values of v. One permutation: 32 random rows, one random ordering of the features; each feature takes what
    its arrival saves on these rows.
    predict : function of X (n, p) -> (n,) or (n, n_outputs); numbers for "mse", predict_proba for "log_loss" or "brier"
    background : (m, p) rows that stand in for what is missing; None for X itself (at most 128 of its rows, drawn)
    -> Importance, draws (p, n_permutations), in units of the loss. Cost: n_permutations * (p+1) * 32 * m predictions.

    Raises ValueError for an unknown loss, fewer than 2 permutations, y of another length, and a background with other
    columns. Source: Covert, Lundberg and Lee (2020), section 4.

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> sage(lambda X: X[:, 0], X, X[:, 0], n_permutations=50).mean.round(1) + 0.0
    array([1., 0.])
    """
    rng = np.random.default_rng(rng)
    if n_permutations < 2:
        raise ValueError(f"n_permutations is {n_permutations}: a standard error needs at least 2.")
    v, rows, y, names = _parts(predict, X, y, background, rng)
    loss, p, draws = row_loss(loss), len(names), []
    for _ in range(n_permutations):
        some, order = rng.integers(len(rows), size=min(ROWS_AN_ORDERING, len(rows))), rng.permutation(p)
        known = np.argsort(order)[None, :] < np.arange(p + 1)[:, None]
        risk = _risks(v(rows[some], known), y[some], loss)
        draws.append(-np.diff(risk)[np.argsort(order)])
    return Importance(names, np.array(draws).T, method="SAGE", unit="reduction of the loss")


def sage_by_definition(predict, X, y, *, loss="mse", background=None, rng=0):
    """The same shares by enumeration: every coalition's loss on all rows, divided by Shapley's formula.

    Parameters as in `sage` -> Importance with one draw, exact for these rows and this background.

    Raises ValueError also for more than 16 features: use sage there.

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> sage_by_definition(lambda X: X[:, 0] * X[:, 1], X, [0, 0, 0, 1]).mean
    array([0.09375, 0.09375])
    """
    rng = np.random.default_rng(rng)
    v, rows, y, names = _parts(predict, X, y, background, rng)
    check_players(len(names), most=MOST_FEATURES, instead="sage")
    risk = _risks(v(rows, coalitions(len(names))), y, row_loss(loss))
    return Importance(names, shapley(-risk, len(names)), method="SAGE", unit="reduction of the loss")


def _parts(predict, X, y, background, rng):
    rows, names = check_table(X, allow_nan=True)
    y = check_outcome(y, len(rows))
    if background is None:
        background = rows[rng.choice(len(rows), size=min(128, len(rows)), replace=False)]
    return marginal(on_arrays(predict, X), check_background(background, names)), rows, y, names


def _risks(predictions, y, loss):
    """Mean loss of each coalition's predictions: (C, n, n_outputs) -> (C,)."""
    single = predictions[:, :, 0] if predictions.shape[2] == 1 else predictions
    return np.array([np.mean(loss(y, prediction)) for prediction in single])
