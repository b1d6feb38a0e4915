"""Drop-column importance: leave a feature out, fit again, and compare the losses on held-out rows.

Also known as LOCO, leave one covariate out. Unlike a permutation this is about the *learner*: a
feature whose information another one carries, too, has importance 0.

    LOCO_j  =  mean over held-out rows of  L(y_i, f_-j(x_i without j))  -  L(y_i, f(x_i))
"""

from copy import deepcopy

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation, check_groups, check_weights_and_groups
from fi_teach.basics.folds import fold_error, grouped_folds
from fi_teach.basics.losses import NUMBER_LOSSES, Loss, row_loss
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import Table, take, variance_of_mean
from fi_teach.basics.tables import (
    blanked,
    check_real_table,
    check_weights,
    feature_names,
    in_order,
    some_names,
)
from fi_teach.basics.target import check_y

Rows = tuple[Table, NDArray]  # a table and its target


def drop_column_importance(
    fit: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | Loss | None = None,
    test: tuple | None = None,
    n_folds: int = 5,
    blank: bool = False,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Mean held-out loss of a model fitted without feature j, less that of the full model.

    fit : a function (X, y) -> a fitted model or predict function; or an unfitted model with fit and
        predict (it is copied before every fit and stays unfitted). It is called p + 1 times, or
        (p + 1) times n_folds
    X (n, p), y (n,) : training rows; with test=None they are split into `n_folds` random parts,
        each held out once
    test : (X_test, y_test) to hold out instead
    loss : as in permutation_importance; None follows the first model fitted
    blank : keep the column, but give it the same value in every row, its first known one: so a
        pipeline that names its columns can be fitted without the feature's information
    sample_weight, groups : for the rows that are held out (of X, or of X_test): how much each row's
        loss counts, and which were drawn together. Folds keep groups whole
    -> Importance in units of the loss.
       With test: draws (p, n_test), one column a held-out row; standard_error is that of new rows
       for these two fitted models (Lei et al.).
       With folds: draws (p, n_folds). The folds' models share training rows, so standard_error is
       widened to sd * sqrt(1/K + 1/(K - 1)), K folds, the correction of Nadeau and Bengio (2003):
       approximate, but it includes the variation of the learner.

    Source: Lei et al. (2018), sec. 6.

    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> def fit(X, y):
    ...     weights = np.linalg.lstsq(X, y, rcond=None)[0]
    ...     return lambda X: X @ weights
    >>> importance = drop_column_importance(fit, X, X[:, 0])
    >>> bool(importance.mean[0] > 100), bool(abs(importance.mean[1]) < 1e-9)
    (True, True)
    """
    rng = own_stream(rng, "drop column folds")
    X = check_real_table(X)
    y_train = _checked_target(y, len(X), loss)
    names = feature_names(X)
    if len(names) == 1:
        raise ValueError(
            "X has one column: without it there is nothing to fit. "
            "Compare the model's loss with that of a constant.")
    if test is not None:
        test = _checked_test(test, X, loss)
        refits = _Refits(fit, loss, np.concatenate([y_train, test[1]]), blank)
        return _by_test(refits, names, (X, y_train), test, sample_weight, groups)
    parts = _folds(n_folds, len(X), groups, rng)
    return _by_folds(_Refits(fit, loss, y, blank), names, (X, y_train), parts, sample_weight)


def _by_test(
    refits: "_Refits", names: tuple, train: Rows, test: Rows,
    sample_weight: ArrayLike | None, groups: ArrayLike | None,
) -> Importance:
    """One column a held-out row."""
    weights, groups = check_weights_and_groups(sample_weight, groups, len(test[1]))
    draws = weights * refits.gains(train, test)
    around_zero = draws - weights * draws.mean(axis=1, keepdims=True)
    errors = [np.sqrt(variance_of_mean(gains, groups)) for gains in around_zero]
    return Importance(names, draws, "drop-column importance", refits.unit, np.array(errors))


def _by_folds(
    refits: "_Refits", names: tuple, rows: Rows, parts: list[NDArray],
    sample_weight: ArrayLike | None,
) -> Importance:
    """One column a fold: the mean over its held-out rows."""
    X, y = rows
    weights = check_weights(sample_weight, len(y))
    means = []
    for part in parts:
        rest = np.setdiff1d(np.arange(len(y)), part)
        gains = refits.gains((take(X, rest), y[rest]), (take(X, part), y[part]))
        means.append(np.average(gains, axis=1, weights=weights[part]))
    draws = np.stack(means, axis=1)
    return Importance(names, draws, "drop-column importance", refits.unit, fold_error(draws))


class _Refits:
    """Fits models and computes their held-out losses, all by one loss function."""

    def __init__(
        self, fit: object, loss: str | Loss | None, whole: ArrayLike, blank: bool
    ) -> None:
        self.fit, self.loss, self.blank, self.unit = fit, loss, blank, ""
        self.whole = whole  # the target of all rows: some labels may be missing in a part

    def gains(self, train: Rows, test: Rows) -> NDArray:
        """Each held-out row's gain in loss without each column -> (p, n_test)."""
        before = self.losses(train, test)
        n_features = train[0].shape[1]
        return np.array([self._losses_without(j, train, test) for j in range(n_features)]) - before

    def _losses_without(self, j: int, train: Rows, test: Rows) -> NDArray:
        """The held-out losses of a model fitted without column j."""
        if self.blank:
            return self.losses(*[(blanked(X, [j], like=train[0]), y) for X, y in (train, test)])
        try:
            return self.losses(_without(train, j), _without(test, j))
        except (ValueError, KeyError) as refusal:
            raise ValueError(
                f"{refusal} This came from a fit without column {feature_names(train[0])[j]!r}: "
                "if the learner names its columns, as pipelines do, choose blank=True."
            ) from refusal

    def losses(self, train: Rows, test: Rows) -> NDArray:
        """The loss of each held-out row by the model of the training rows -> (n_test,)."""
        model = _fitted(self.fit, *train)
        test_set = Evaluation(model, *test, self.loss, whole=self.whole)
        self.loss, self.unit = test_set.loss, test_set.unit  # as the first model chose
        return test_set.losses_before


def _fitted(fit: object, X: Table, y: NDArray) -> object:
    """The model of these rows; an unfitted model is copied first."""
    if hasattr(fit, "fit"):
        return deepcopy(fit).fit(X, y)
    if not callable(fit):
        raise ValueError(
            f"fit is {type(fit).__name__!r}, expected a function (X, y) -> predict function, "
            "or an unfitted model with a fit method.")
    model = fit(X, y)
    if not (callable(model) or hasattr(model, "predict")):
        raise ValueError(
            f"fit returned {type(model).__name__!r}, expected a predict function or a fitted "
            "model: does it end in return?")
    return model


def _without(rows: Rows, j: int) -> Rows:
    """The rows without column j."""
    X, y = rows
    if isinstance(X, pd.DataFrame):
        return X.iloc[:, np.delete(np.arange(X.shape[1]), j)], y
    return np.delete(X, j, axis=1), y


def _folds(
    n_folds: int, n_rows: int, groups: ArrayLike | None, rng: np.random.Generator
) -> list[NDArray]:
    """The rows of each part, drawn at random; groups of rows stay together."""
    unit = np.arange(n_rows) if groups is None else check_groups(groups, n_rows)
    n_units = int(unit.max()) + 1
    whole = isinstance(n_folds, int | np.integer) and not isinstance(n_folds, bool)
    if not whole or not 2 <= n_folds <= n_units:
        of_what = "rows" if groups is None else "groups"
        raise ValueError(
            f"n_folds is {n_folds!r}, expected a whole number from 2 to the {n_units} {of_what}.")
    if groups is None:
        return np.array_split(rng.permutation(n_rows), n_folds)
    return grouped_folds(unit, n_folds, rng)


def _checked_target(y: ArrayLike, n_rows: int, loss: str | Loss | None) -> NDArray:
    numeric = loss is not None and row_loss(loss) in NUMBER_LOSSES
    return check_y(y, n_rows, numeric=numeric, several=True, varies=True)


def _checked_test(test: object, X: Table, loss: str | Loss | None) -> Rows:
    """The held-out rows, with X's columns in X's order."""
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise ValueError("test is not a pair: expected (X_test, y_test).")
    X_test = check_real_table(test[0], what="X_test")
    both_named = isinstance(X, pd.DataFrame) and isinstance(X_test, pd.DataFrame)
    given, wanted = feature_names(X_test), feature_names(X)
    if len(given) != len(wanted) or (both_named and set(given) != set(wanted)):
        raise ValueError(
            f"X_test has the columns {some_names(given)}, X has {some_names(wanted)}: "
            "give both the same.")
    if both_named:
        X_test = in_order(X_test, wanted, what="X_test", of="X")
    return X_test, _checked_target(test[1], len(X_test), loss)
