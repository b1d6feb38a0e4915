"""Rows with some values taken from other rows: what every permutation method shows its model, and how sure it can be.

In every shuffle a row acts twice: as *receiver* of another row's value and as *donor* of its own. Both roles make noise.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fi_teach.basics.losses import PROBABILITY_LOSSES, absolute_error, class_codes, row_loss, squared_error, zero_one
from fi_teach.basics.tables import check_count, check_table, feature_names
from fi_teach.basics.target import check_outcome

ROWS_A_CALL = 20_000  # shuffles are put under one another up to this many rows, to spare a model's overhead per call


@dataclass(frozen=True)
class Setting:
    """A prediction to be judged: a predict function, n rows, their targets and a loss per row; made by check_setting.

    X is the caller's own table (array or DataFrame), never changed: predict gets tables of the same kind.
    """

    predict: object
    X: object
    y: np.ndarray
    loss: object
    names: tuple

    @property
    def n_rows(self):
        return len(self.y)

    @cached_property
    def base(self):
        """The loss of each row as it is -> (n,)."""
        return self.losses(self.X, self.y)

    def losses(self, X, y):
        """The loss of each row of X, whose targets are y -> (len(X),)."""
        return checked_losses(self.loss, y, checked_prediction(self.predict, X))

    def swapped(self, columns, donors):
        """Losses after row i took its `columns` from row donors[i, k]: donors (n, K), or (C, n, K) by column -> (n, K)."""
        return self._in_batches(donors, lambda part: swap(self.X, columns, np.arange(self.n_rows), part))

    def replaced(self, column, values):
        """Losses after row i's `column` became values[i, k]: values (n, K) -> (n, K)."""
        return self._in_batches(values, lambda part: put(self.X, column, part))

    def _in_batches(self, per_shuffle, table_of):
        step = max(1, ROWS_A_CALL // self.n_rows)
        blocks = [per_shuffle[..., start:start + step] for start in range(0, per_shuffle.shape[-1], step)]
        losses = [self.losses(table_of(part), np.repeat(self.y, part.shape[-1], axis=0)) for part in blocks]
        return np.hstack([loss.reshape(self.n_rows, -1) for loss in losses])


def check_setting(predict, X, y, loss):
    """The public door of the permutation methods: everything checked once, the predict function found -> Setting.

    predict : a function of a table, or a fitted model (its predict, or predict_proba where the loss takes probabilities)
    Raises ValueError for tables, targets, losses and models that cannot be used.
    """
    table, _ = check_table(X, allow_nan=True)
    loss = row_loss(loss)
    return setting_of(predict, X, check_outcome(y, len(table), numeric=loss in (squared_error, absolute_error)), loss)


def setting_of(predict, X, y, loss):
    """check_setting for tables and targets that were checked before: y an array, loss a function."""
    function = predict_function(predict, loss)
    X = X if isinstance(X, (pd.DataFrame, np.ndarray)) else check_table(X, allow_nan=True)[0]
    if loss in PROBABILITY_LOSSES:
        y = _codes_for(predict, y, checked_prediction(function, X))
    return Setting(function, X, y, loss, feature_names(X))


def predict_function(model, loss):
    """A function passes through; of a fitted model its predict, or predict_proba where the loss takes probabilities.

    Raises ValueError for anything else.
    """
    wanted = "predict_proba" if loss in PROBABILITY_LOSSES else "predict"
    if callable(getattr(model, wanted, None)):
        return getattr(model, wanted)
    if hasattr(model, "predict"):
        raise ValueError(f"this loss takes class probabilities, but {type(model).__name__} has no predict_proba: "
                         "use 'zero_one', or pass a function that returns probabilities.")
    if not callable(model):
        raise ValueError(f"predict is {type(model).__name__!r}, expected a function of a table (n, p) that returns n predictions, "
                         "or a fitted model with a predict method.")
    return model


def checked_prediction(predict, X):
    """predict(X) as an array with one finite entry (or row) for each row of X. Raises ValueError otherwise."""
    prediction = np.asarray(predict(X))
    if prediction.ndim == 2 and prediction.shape[1] == 1:
        prediction = prediction[:, 0]
    if prediction.ndim == 0 or len(prediction) != len(X):
        raise ValueError(f"predict returned shape {prediction.shape} for {len(X)} rows: expected one prediction a row.")
    if pd.isna(prediction).any() or (prediction.dtype.kind == "f" and np.isinf(prediction).any()):
        raise ValueError("predict returned NaN or infinite predictions, so no loss can be computed: "
                         "fill in missing values in X, or mend the function.")
    return prediction


def checked_losses(loss, y, prediction):
    """loss(y, prediction) as floats (n,). Raises ValueError where a caller's own loss returns something else."""
    losses = np.asarray(loss(y, prediction), dtype=float)
    if losses.shape != (len(y),):
        raise ValueError(f"the loss returned shape {losses.shape} for {len(y)} rows: expected one number a row, "
                         "not their mean (a whole-set measure is a score).")
    return losses


def _codes_for(model, y, probabilities):
    n_classes = 2 if probabilities.ndim == 1 else probabilities.shape[1]
    classes = getattr(model, "classes", getattr(model, "classes_", None))
    return class_codes(y, n_classes) if classes is None else codes_among(y, classes)


def codes_among(y, classes):
    """Each label's place among the model's classes -> (n,) int. Raises ValueError for a label the model never saw."""
    place = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    unknown = [label for label in np.unique(y).tolist() if label not in place]
    if unknown:
        raise ValueError(f"y holds the label {unknown[0]!r}, which the model never saw: it knows {', '.join(map(repr, place))}.")
    return np.array([place[label] for label in np.asarray(y).tolist()])


def names_of(X, forest):
    """Names for a forest's importances: the table's own where the model knows others, else the model's, in the model's order."""
    given = tuple(map(str, X.columns)) if isinstance(X, pd.DataFrame) else forest.names
    return forest.names if set(given) == set(forest.names) else given


def judged_by(forest, y, loss):
    """The target in the form in which the loss meets it, and a function from raw values (m, n_outputs) to predictions."""
    if loss in PROBABILITY_LOSSES and forest.classes is None:
        raise ValueError("this loss takes class probabilities, but the model predicts numbers: use 'mse' or 'absolute'.")
    if loss in PROBABILITY_LOSSES:
        return codes_among(y, forest.classes), forest.probabilities_of
    if loss is zero_one and forest.classes is not None:  # codes compare faster than labels; ties are ties up to rounding
        return codes_among(y, forest.classes), lambda raw: forest.probabilities_of(raw).round(12).argmax(axis=1)
    return y, forest.prediction_of


def take(X, rows):
    """The given rows of a table, as a new table of the same kind: X (n, p), rows (m,) int -> (m, p)."""
    return X.iloc[rows].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[rows]


def swap(X, columns, rows, donors):
    """Each row as often as it has donors, with `columns` taken from the donor -> table (n K, p).

    rows (n,) int; donors (n, K) int, or (C, n, K) where each of the C columns has donors of its own

    >>> swap(np.array([[1, 10], [2, 20]]), [1], np.array([0, 1]), np.array([[1], [0]]))
    array([[ 1, 20],
           [ 2, 10]])
    """
    new = take(X, np.repeat(rows, donors.shape[-1]))
    donors = np.broadcast_to(donors, (len(columns), *donors.shape[-2:])).reshape(len(columns), -1)
    for j, donor in zip(columns, donors, strict=True):
        if isinstance(X, pd.DataFrame):
            new.isetitem(j, X.iloc[:, j].array.take(donor))
        else:
            new[:, j] = X[donor, j]
    return new


def put(X, column, values):
    """Each row K times, with one column replaced by given values: X (n, p), values (n, K) -> table (n K, p).

    >>> put(np.array([[1, 10], [2, 20]]), 1, np.array([[0.5], [0.25]]))
    array([[1.  , 0.5 ],
           [2.  , 0.25]])
    """
    new = take(X, np.repeat(np.arange(len(X)), values.shape[1]))
    if isinstance(X, pd.DataFrame):
        new.isetitem(column, values.ravel())
    else:
        new = new.astype(np.result_type(new, values), copy=False)
        new[:, column] = values.ravel()
    return new


def shuffles(n_rows, n_repeats, rng):
    """n_repeats random permutations of n_rows rows, one a column: donors[i, k] gives row i its value -> (n_rows, n_repeats) int.

    Raises ValueError unless n_repeats is a whole number of at least 1.
    """
    return np.stack([rng.permutation(n_rows) for _ in range(check_count(n_repeats, "n_repeats"))], axis=1)


def receiver_donor_variance(differences, donors, groups=None):
    """Variance of the mean loss difference over new test sets, each row counted in both its roles.

    psi_i = a_i + b_i with a_i the mean difference row i suffers as receiver and b_i the mean it causes as donor. For K
    shuffles of n rows

        Var = (Var_i(psi_i) - Var(all differences) / K) / n :

    the first term measures both roles, but each through K shuffles only; the second takes out that noise and leaves in
    what a finite K really adds. Where C columns have donors of their own, a row is a donor C times: psi_i has C terms b and
    C times the noise is taken out. With `groups` (rows swap within their group only) psi_i = a_i + b_i - mean of i's group.

    differences (n, K), donors (n, K) or (C, n, K) int, groups (n,) int or None -> float, in squared units of the loss.
    Source: Hoeffding (1948), applied to the loss as a kernel of two rows.
    """
    n, n_shuffles = differences.shape
    donors = donors.reshape(-1, n * n_shuffles)
    groups = np.zeros(n, dtype=int) if groups is None else groups
    receiver = differences.mean(axis=1)
    donor = sum(np.bincount(d, weights=differences.ravel(), minlength=n) for d in donors) / n_shuffles
    centre = (np.bincount(groups, weights=receiver) / np.bincount(groups))[groups]
    noise = len(donors) * ((differences - centre[:, None]) ** 2).mean() / n_shuffles
    variance = ((receiver + donor - len(donors) * centre).var(ddof=1) - noise) / n
    # a difference of estimates may come out below zero on few rows; then the receiver's half is all that is known
    return variance if variance > 0 else receiver.var(ddof=1) / n


def gaussian_conditional(X, column, rng):
    """New values for one column, drawn from its normal distribution given the other columns of the same row.

    x_j | rest ~ N(least-squares prediction from the rest, residual variance): exact if the columns are jointly normal and
    n is large. X (n, p) float array -> (n,) float. A column that the others determine comes back (almost) as it was.

    Source: Candès et al. (2018), the conditional randomisation test.
    """
    _, fitted, spread = normal_given_others(X, column)
    return fitted + spread * rng.standard_normal(len(X))


def normal_given_others(X, column):
    """The least-squares regression of one column on the others -> design (n, p) with a first column of ones, fitted (n,), residual sd."""
    design = np.column_stack([np.ones(len(X)), np.delete(X, column, axis=1)])
    weights, _, rank, _ = np.linalg.lstsq(design, X[:, column], rcond=None)
    fitted = design @ weights
    return design, fitted, np.sqrt(((X[:, column] - fitted) ** 2).sum() / max(1, len(X) - rank))
