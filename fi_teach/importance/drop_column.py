"""How much worse would a model be that had never seen the feature? Leave the column out, fit again, compare on held-out rows.

Unlike a shuffle this asks about the *learner*: a feature whose message another one carries too is not missed at all.
"""

from copy import deepcopy

import numpy as np
import pandas as pd

from fi_teach.basics.losses import PROBABILITY_LOSSES, absolute_error, row_loss, squared_error
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import check_outcome, setting_of, take
from fi_teach.basics.tables import check_table


def drop_column_importance(fit, X, y, *, loss="mse", test=None, folds=5, rng=0):
    """Mean held-out loss of the model fitted without feature j, less that of the model fitted with all features.

    LOCO_j = mean over held-out rows of [ L(y_i, f_-j(x_i,-j)) - L(y_i, f(x_i)) ]

    fit : a function (X, y) -> a predict function or a fitted model; or an unfitted model with fit and predict (it is copied
        before every fit and stays unfitted). It is called p + 1 times, or (p + 1) times folds.
    X (n, p), y (n,) : training rows; with test=None they are split into `folds` random parts, each held out once
    test : (X_test, y_test) to hold out instead
    loss : "mse", "absolute", "zero_one", "log_loss", "brier", or a function of (y, prediction) -> one number a row
    Returns an Importance in units of the loss.
      With test: draws (p, n_test), one column a held-out row, standard_error sd / sqrt(n_test): for these two fitted models and new
      rows (Lei et al.).
      With folds: draws (p, folds); the folds' models share training rows, so standard_error is widened to
      sd * sqrt(1/folds + 1/(folds - 1)), the correction of Nadeau and Bengio (2003): approximate, but not blind to the learner.

    Raises ValueError for unusable tables, targets, losses, folds and fits, and for a table of one column, which leaves nothing to fit.
    Source: Lei et al. (2018), sec. 6 (leave one covariate out).

    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> def fit(X, y):
    ...     weights = np.linalg.lstsq(X, y, rcond=None)[0]
    ...     return lambda X: X @ weights
    >>> importance = drop_column_importance(fit, X, X[:, 0])
    >>> bool(importance.mean[0] > 100), bool(abs(importance.mean[1]) < 1e-9)
    (True, True)
    """
    table, names = check_table(X, allow_nan=True)
    loss = row_loss(loss)
    numeric = loss in (squared_error, absolute_error)
    y = check_outcome(y, len(table), numeric=numeric)
    if len(names) == 1:
        raise ValueError("X has one column: without it there is nothing to fit. Compare the model's loss with that of a constant.")
    X = X if isinstance(X, (pd.DataFrame, np.ndarray)) else table
    if test is not None:
        gain = _gains(fit, loss, (X, y), _checked_test(test, X, names, numeric))
        return Importance(names, gain, "drop-column importance", "loss")
    parts = _folds(folds, len(y), np.random.default_rng(rng))
    draws = np.stack([_gains(fit, loss, *_split(X, y, part)).mean(axis=1) for part in parts], axis=1)
    widened = draws.std(axis=1, ddof=1) * np.sqrt(1 / folds + 1 / (folds - 1))
    return Importance(names, draws, "drop-column importance", "loss", widened)


def _gains(fit, loss, train, test):
    """What each held-out row's loss gains without each column: -> (p, n_test)."""
    before = _held_out_losses(fit, loss, train, test)
    return np.array([_held_out_losses(fit, loss, (_without(train[0], j), train[1]), (_without(test[0], j), test[1])) - before
                     for j in range(train[0].shape[1])])


def _held_out_losses(fit, loss, train, test):
    """Fit on the training rows, judge the held-out rows -> (n_test,)."""
    model = deepcopy(fit).fit(*train) if hasattr(fit, "fit") else _called(fit, *train)
    (X, y), labels = test, None
    if loss in PROBABILITY_LOSSES and not any(hasattr(model, name) for name in ("classes", "classes_")):
        labels = np.unique(np.concatenate([train[1], y]))  # a fold may lack a class: number them all
    return setting_of(model, X, y if labels is None else np.searchsorted(labels, y), loss).base


def _called(fit, X, y):
    if not callable(fit):
        raise ValueError(f"fit is {type(fit).__name__!r}, expected a function (X, y) -> predict function, or an unfitted model with a fit method.")
    model = fit(X, y)
    if not (callable(model) or hasattr(model, "predict")):
        raise ValueError(f"fit returned {type(model).__name__!r}, expected a predict function or a fitted model: does it end in return?")
    return model


def _without(X, j):
    return X.drop(columns=X.columns[j]) if isinstance(X, pd.DataFrame) else np.delete(X, j, axis=1)


def _folds(folds, n_rows, rng):
    """The rows of each part, dealt out at random."""
    if not isinstance(folds, (int, np.integer)) or not 2 <= folds <= n_rows:
        raise ValueError(f"folds is {folds!r}, expected a whole number from 2 to the {n_rows} rows.")
    return np.array_split(rng.permutation(n_rows), folds)


def _split(X, y, part):
    rest = np.setdiff1d(np.arange(len(y)), part)
    return (take(X, rest), y[rest]), (take(X, part), y[part])


def _checked_test(test, X, names, numeric):
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise ValueError("test is not a pair: expected (X_test, y_test).")
    X_test, y_test = test
    table, test_names = check_table(X_test, allow_nan=True, what="X_test")
    if table.shape[1] != len(names) or (isinstance(X, pd.DataFrame) and test_names != names):
        raise ValueError(f"X_test has the columns {', '.join(test_names)}, X has {', '.join(names)}: give both the same, in one order.")
    return X_test if isinstance(X_test, (pd.DataFrame, np.ndarray)) else table, check_outcome(y_test, len(table), numeric=numeric)
