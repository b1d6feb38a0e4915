"""Losses of single rows, and scores of whole sets; importances are differences of either.

A loss takes (y, prediction) and returns one number a row, small is good; its mean is the risk. A
score takes the same and returns one number for the set, large is good (accuracy, R squared, the
area under the ROC curve, concordance).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.survival_target import survival_target, times_and_events
from fi_teach.basics.target import encode_labels

Loss = Callable[[NDArray, NDArray], NDArray]
Score = Callable[[NDArray, NDArray], float]

SMALLEST_PROBABILITY = 1e-15  # log 0 is infinite: a sure and wrong prediction costs 34.5 nats


def squared_error(y: ArrayLike, prediction: ArrayLike) -> NDArray:
    """(y_i - f(x_i))^2, summed over outputs where there are several.

    y, prediction (n,) or (n, n_outputs) numbers -> (n,), in squared units of y

    >>> squared_error([1, 2], [1, 4])
    array([0., 4.])
    """
    return _over_outputs(_residual(y, prediction) ** 2)


def absolute_error(y: ArrayLike, prediction: ArrayLike) -> NDArray:
    """|y_i - f(x_i)|, summed over outputs where there are several.

    y, prediction (n,) or (n, n_outputs) numbers -> (n,), in units of y

    >>> absolute_error([1, 2], [1, 4])
    array([0., 2.])
    """
    return _over_outputs(np.abs(_residual(y, prediction)))


def zero_one(y: ArrayLike, prediction: ArrayLike) -> NDArray:
    """1 where the predicted label is wrong, else 0; the mean is the error rate.

    y, prediction (n,) labels -> (n,)

    >>> zero_one(["yes", "no"], ["yes", "yes"])
    array([0., 1.])
    """
    y, prediction = np.asarray(y), np.asarray(prediction)
    if y.shape != prediction.shape:
        raise ValueError(
            f"y has shape {y.shape}, the predictions {prediction.shape}: this loss compares one "
            "label a row with another. For class probabilities use 'log_loss' or 'brier'.")
    if {_script(y), _script(prediction)} == {"words", "numbers"}:
        raise ValueError(
            f"y holds labels such as {y.flat[0]!r}, the model predicts {prediction.flat[0]!r}: "
            "words and numbers cannot be compared. Give y in the words that the model uses.")
    return (y != prediction).astype(float)


def log_loss(
    y: ArrayLike, probabilities: ArrayLike, *, classes: ArrayLike | None = None
) -> NDArray:
    """-log of the probability that the model gave to the true class.

    y (n,) labels; probabilities (n, K), or (n,), the probability of the second of two classes
    classes : the columns' labels, in their order; None: whole numbers from 0 to K-1 are the
        columns' numbers, and other labels stand for the columns in sorted order
    -> (n,), in nats. Probabilities are kept above 1e-15.

    >>> log_loss(["no", "yes"], [0.5, 1.0]).round(3) + 0.0
    array([0.693, 0.   ])
    """
    given = probability_columns(probabilities)
    column = class_codes(y, given.shape[1], classes)
    chosen = given[np.arange(len(given)), column]
    return -np.log(np.maximum(chosen, SMALLEST_PROBABILITY))


def brier(
    y: ArrayLike, probabilities: ArrayLike, *, classes: ArrayLike | None = None
) -> NDArray:
    """sum over classes of (1[y_i = k] - p_ik)^2, from 0 (sure and right) to 2 (sure and wrong).

    y (n,) labels; probabilities and classes as in log_loss -> (n,)

    >>> brier(["no", "yes"], [0.5, 1.0])
    array([0.5, 0. ])
    """
    given = probability_columns(probabilities)
    column = class_codes(y, given.shape[1], classes)
    truth = np.arange(given.shape[1]) == column[:, None]
    return ((truth - given) ** 2).sum(axis=1)


LOSSES: dict[str, Loss] = {
    "squared": squared_error, "absolute": absolute_error, "zero_one": zero_one,
    "log_loss": log_loss, "brier": brier,
}
OTHER_WORDS = {"mse": squared_error}
NUMBER_LOSSES = (squared_error, absolute_error)
PROBABILITY_LOSSES = (log_loss, brier)
UNITS = {
    squared_error: "squared error", absolute_error: "absolute error", zero_one: "error rate",
    log_loss: "log loss (nats)", brier: "Brier score",
}


def row_loss(loss: str | Loss) -> Loss:
    """Return the loss of that name; a function of (y, prediction) is returned as it is.

    >>> row_loss("squared")([1.0], [3.0])
    array([4.])
    """
    return _looked_up(loss, LOSSES | OTHER_WORDS, "loss", "one number a row")


def accuracy(y: ArrayLike, labels: ArrayLike) -> float:
    """Share of rows whose label is right. y, labels (n,) -> float in [0, 1].

    >>> accuracy(["yes", "no"], ["yes", "yes"])
    0.5
    """
    return 1 - float(zero_one(y, labels).mean())


def r2(y: ArrayLike, prediction: ArrayLike) -> float:
    """1 - sum (y_i - f_i)^2 / sum (y_i - mean y)^2: the share of the variance explained.

    y, prediction (n,) numbers -> float; below 0 is worse than the mean

    >>> r2([1, 2, 3], [1, 2, 3]), r2([1, 2, 3], [2, 2, 2])
    (1.0, 0.0)
    """
    y = np.asarray(y, dtype=float)
    spread = ((y - y.mean(axis=0)) ** 2).sum()
    if spread == 0:
        raise ValueError(
            "y is constant, so R squared (a share of its variance) is undefined: "
            "use the loss 'squared' instead.")
    missed = squared_error(y, prediction).sum()
    return 1 - float(missed / spread)


def auc(y: ArrayLike, score: ArrayLike) -> float:
    """Area under the ROC curve: how often the second class has the higher score; ties count half.

    AUC = (sum of the positives' ranks - n1 (n1 + 1) / 2) / (n0 n1), tied scores sharing a rank.
    y (n,) two labels, the second in sorted order is the positive
    score (n,), or (n, 2) probabilities -> float in [0, 1]

    >>> auc([0, 0, 1, 1], [1, 2, 2, 3])
    0.875
    """
    positive, score = _two_classes(y, score)
    _, group, size = np.unique(score, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(size) - (size - 1) / 2
    ranks = mean_rank[group]
    n1 = int(positive.sum())
    n0 = len(score) - n1
    won = ranks[positive].sum() - n1 * (n1 + 1) / 2
    return float(won / (n1 * n0))


def concordance(time: ArrayLike, event: ArrayLike, risk: ArrayLike) -> float:
    """Harrell's C: the share of comparable pairs in which the earlier event has the higher risk.

    C = sum over comparable pairs (1[r_i > r_j] + 1/2 1[r_i = r_j]) / their number. Row i is known
    to come first if it had the event and t_i < t_j, or t_i = t_j and row j was censored then.
    time (n,) >= 0; event (n,) bool, False where censored; risk (n,), high means early -> in [0, 1]

    Source: Harrell et al. (1982).

    >>> concordance([1, 2, 3], [True, True, False], [9, 5, 7])
    0.6666666666666666
    """
    time, event, risk = _survival_rows(time, event, risk)
    won = 0.0
    pairs = 0
    for i in np.flatnonzero(event):  # only a row with the event can be known to come first
        later = (time > time[i]) | ((time == time[i]) & ~event)
        pairs += int(later.sum())
        won += (risk[later] < risk[i]).sum() + (risk[later] == risk[i]).sum() / 2
    _check_pairs(pairs)
    return float(won / pairs)


def survival_concordance(y: ArrayLike, risk: ArrayLike) -> float:
    """concordance with times and events in one y: columns (time, event), or records (event, time).

    y (n, 2), or (n,) with two fields in scikit-survival's order; risk (n,) -> float in [0, 1]

    >>> survival_concordance([[1, 1], [2, 1], [3, 0]], [9, 5, 7])
    0.6666666666666666
    """
    time, event = survival_target(y)
    return concordance(time, event, risk)


SCORES = {"accuracy": accuracy, "r2": r2, "auc": auc, "concordance": survival_concordance}


def set_score(score: str | Score) -> Score:
    """Return the score of that name; a function of (y, prediction) is returned as it is.

    >>> set_score("accuracy")([1, 0], [1, 1])
    0.5
    """
    return _looked_up(score, SCORES, "score", "one number")


def class_codes(y: ArrayLike, n_classes: int, classes: ArrayLike | None = None) -> NDArray:
    """The number of each label's column of probabilities -> (n,) int64; `classes` as in log_loss.

    >>> class_codes(["no", "yes", "no"], 2)
    array([0, 1, 0])
    """
    y = np.asarray(y)
    if classes is None and _are_codes(y, n_classes):
        return y.astype(np.int64)
    labels = column_labels(y, n_classes) if classes is None else np.asarray(classes)
    if len(labels) != n_classes:
        raise ValueError(
            f"there are {n_classes} columns of probabilities, but y has {len(labels)} labels: "
            "say which label each column stands for (classes=), or give y as the number of its "
            "column, 0, 1, ...")
    return encode_labels(y, labels)[1]


def column_labels(y: ArrayLike, n_classes: int) -> NDArray:
    """The default labels of K columns: 0 ... K-1 if y holds these, else y's sorted labels.

    >>> column_labels([0, 0], 2), column_labels([1, 2], 2)
    (array([0, 1]), array([1, 2]))
    """
    y = np.asarray(y)
    return np.arange(n_classes) if _are_codes(y, n_classes) else np.unique(y)


def _are_codes(y: NDArray, n_classes: int) -> bool:
    if y.dtype.kind not in "biuf" or len(y) == 0:
        return False
    whole = y == np.floor(y)
    return bool((whole & (y >= 0) & (y < n_classes)).all())


def _looked_up(given, known, kind, returns):
    if callable(given):
        return given
    if not isinstance(given, str) or given not in known:
        raise ValueError(
            f"unknown {kind} {given!r}: expected one of {', '.join(map(repr, known))}, "
            f"or a function of (y, prediction) that returns {returns}.")
    return known[given]


def _script(labels: NDArray) -> str:
    """"words", "numbers" or, for objects, "either"."""
    kind = labels.dtype.kind
    if kind in "US":
        return "words"
    return "numbers" if kind in "biuf" else "either"


def _residual(y: ArrayLike, prediction: ArrayLike) -> NDArray:
    y = np.asarray(y, dtype=float)
    prediction = _numbers(prediction)
    if y.shape != prediction.shape:
        raise ValueError(
            f"y has shape {y.shape}, the predictions {prediction.shape}: one number a row is "
            "compared with another. For class probabilities use 'log_loss' or 'brier'.")
    return y - prediction


def _numbers(prediction: ArrayLike) -> NDArray:
    try:
        return np.asarray(prediction, dtype=float)
    except (TypeError, ValueError):
        first = str(np.ravel(prediction)[0])
        raise ValueError(
            f"the predictions are labels such as {first!r}, but this loss takes numbers: "
            "use 'zero_one', or a model that predicts numbers.") from None


def _over_outputs(per_output: NDArray) -> NDArray:
    return per_output if per_output.ndim == 1 else per_output.sum(axis=1)


def probability_columns(probabilities: ArrayLike) -> NDArray:
    """Check probabilities and return them as (n, K); one number a row is the second class's.

    >>> probability_columns([0.25, 1.0])
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    given = _numbers(probabilities)
    if given.ndim == 1:
        given = np.column_stack([1 - given, given])
    outside = (given < -1e-9).any() or (given > 1 + 1e-9).any()
    if given.ndim != 2 or outside:
        raise ValueError(
            "this loss takes class probabilities, between 0 and 1: "
            "pass the model's predict_proba, not its labels or margins.")
    return given


def _two_classes(y: ArrayLike, score: ArrayLike) -> tuple[NDArray, NDArray]:
    score = _numbers(score)
    if score.ndim == 2 and score.shape[1] == 2:
        score = score[:, 1]
    labels, code = np.unique(np.asarray(y), return_inverse=True)
    if len(labels) != 2 or score.shape != code.shape:
        raise ValueError(
            f"y has {len(labels)} classes and shape {code.shape}, the scores shape {score.shape}: "
            "the AUC compares two classes by one score a row.")
    return code == 1, score


def _survival_rows(
    time: ArrayLike, event: ArrayLike, risk: ArrayLike
) -> tuple[NDArray, NDArray, NDArray]:
    risk = _numbers(risk)
    if not np.shape(time) == np.shape(event) == risk.shape or risk.ndim != 1:
        raise ValueError(
            f"time, event and risk have shapes {np.shape(time)}, {np.shape(event)}, {risk.shape}: "
            "expected one number a row each.")
    time, event = times_and_events(time, event)
    return time, event, risk


def _check_pairs(pairs: int) -> None:
    if pairs == 0:
        raise ValueError(
            "no pair of rows can be compared: "
            "concordance needs an event that another row outlived.")
