"""A loss judges one row, a score judges a whole set: importances are differences of one or the other.

A loss takes (y, prediction) and returns one number a row, small is good; its mean is the risk. A score takes the same and
returns one number for the set, large is good (accuracy, R squared, the area under the ROC curve, concordance).
"""

import numpy as np

SMALLEST_PROBABILITY = 1e-15  # log 0 is infinite: a model that is sure and wrong loses 34.5 nats, not everything


def squared_error(y, prediction):
    """(y_i - f(x_i))^2, summed over outputs where there are several.

    y, prediction (n,) or (n, n_outputs) numbers -> (n,), in squared units of y

    >>> squared_error([1, 2], [1, 4])
    array([0., 4.])
    """
    return _over_outputs(_residual(y, prediction) ** 2)


def absolute_error(y, prediction):
    """|y_i - f(x_i)|, summed over outputs where there are several.

    y, prediction (n,) or (n, n_outputs) numbers -> (n,), in units of y

    >>> absolute_error([1, 2], [1, 4])
    array([0., 2.])
    """
    return _over_outputs(np.abs(_residual(y, prediction)))


def zero_one(y, prediction):
    """1 where the predicted label is wrong, 0 where it is right; the mean is the error rate.

    y, prediction (n,) labels -> (n,)

    >>> zero_one(["yes", "no"], ["yes", "yes"])
    array([0., 1.])
    """
    y, prediction = np.asarray(y), np.asarray(prediction)
    if y.shape != prediction.shape:
        raise ValueError(f"y has shape {y.shape}, the predictions {prediction.shape}: this loss compares one label a row with "
                         "another. For class probabilities use 'log_loss' or 'brier'.")
    return (y != prediction).astype(float)


def log_loss(y, probabilities):
    """-log of the probability that the model gave to the class that came true.

    y (n,) labels; probabilities (n, K), columns in sorted order of the labels, or (n,), the probability of the second of
    two classes -> (n,), in nats. Probabilities are kept above 1e-15.

    >>> log_loss(["no", "yes"], [0.5, 1.0]).round(3) + 0.0
    array([0.693, 0.   ])
    """
    given = _probability_columns(probabilities)
    chosen = given[np.arange(len(given)), class_codes(y, given.shape[1])]
    return -np.log(np.maximum(chosen, SMALLEST_PROBABILITY))


def brier(y, probabilities):
    """sum over classes of (1[y_i = k] - p_ik)^2, between 0 (sure and right) and 2 (sure and wrong).

    y (n,) labels; probabilities as in log_loss -> (n,)

    >>> brier(["no", "yes"], [0.5, 1.0])
    array([0.5, 0. ])
    """
    given = _probability_columns(probabilities)
    truth = np.arange(given.shape[1]) == class_codes(y, given.shape[1])[:, None]
    return ((truth - given) ** 2).sum(axis=1)


LOSSES = {"mse": squared_error, "absolute": absolute_error, "zero_one": zero_one, "log_loss": log_loss, "brier": brier}
PROBABILITY_LOSSES = (log_loss, brier)


def row_loss(loss):
    """The loss that a name stands for; a function of (y, prediction) -> one number a row passes through.

    Raises ValueError for an unknown name, listing the known.

    >>> row_loss("mse")([1.0], [3.0])
    array([4.])
    """
    return _looked_up(loss, LOSSES, "loss", "one number a row")


def accuracy(y, labels):
    """Share of rows whose label is right. y, labels (n,) -> float in [0, 1].

    >>> accuracy(["yes", "no"], ["yes", "yes"])
    0.5
    """
    return 1 - float(zero_one(y, labels).mean())


def r2(y, prediction):
    """1 - sum (y_i - f_i)^2 / sum (y_i - mean y)^2: the share of the variance explained; below 0 is worse than the mean.

    y, prediction (n,) numbers -> float. Raises ValueError for a constant y, of which no share can be taken.

    >>> r2([1, 2, 3], [1, 2, 3]), r2([1, 2, 3], [2, 2, 2])
    (1.0, 0.0)
    """
    y = np.asarray(y, dtype=float)
    spread = ((y - y.mean(axis=0)) ** 2).sum()
    if spread == 0:
        raise ValueError("y is constant, so R squared (a share of its variance) is undefined: use the loss 'mse' instead.")
    return 1 - float(squared_error(y, prediction).sum() / spread)


def auc(y, score):
    """Chance that a random row of the second class gets a higher score than one of the first, ties counting half.

    AUC = (sum of the positives' ranks - n1 (n1 + 1) / 2) / (n0 n1), tied scores sharing their mean rank.
    y (n,) two labels, the second in sorted order is the positive; score (n,), or (n, 2) probabilities -> float in [0, 1].
    Raises ValueError unless y has exactly two classes.

    >>> auc([0, 0, 1, 1], [1, 2, 2, 3])
    0.875
    """
    positive, score = _two_classes(y, score)
    _, group, size = np.unique(score, return_inverse=True, return_counts=True)
    mean_rank = (np.cumsum(size) - (size - 1) / 2)[group]
    n1 = int(positive.sum())
    return float((mean_rank[positive].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(score) - n1)))


def auc_by_definition(y, score):
    """auc, every pair of a positive and a negative row looked at.

    >>> auc_by_definition([0, 0, 1, 1], [1, 2, 2, 3])
    0.875
    """
    positive, score = _two_classes(y, score)
    pairs = [(up > down) + (up == down) / 2 for up in score[positive] for down in score[~positive]]
    return float(np.mean(pairs))


def concordance(time, event, risk):
    """Harrell's C: among pairs in which it is known who died first, the share in which that one had the higher risk.

    C = sum over comparable pairs (1[r_i > r_j] + 1/2 1[r_i = r_j]) / their number. Row i is known to come first if it had
    the event and t_i < t_j, or t_i = t_j and row j was censored then (it outlived that moment).
    time (n,) >= 0; event (n,) bool, False where censored; risk (n,), high means early -> float in [0, 1].

    Raises ValueError for lengths that disagree and where no pair can be compared. Source: Harrell et al. (1982).

    >>> concordance([1, 2, 3], [True, True, False], [9, 5, 7])
    0.6666666666666666
    """
    time, event, risk = _survival_rows(time, event, risk)
    won = pairs = 0.0
    for i in np.flatnonzero(event):  # only a row with the event can be known to come first
        later = (time > time[i]) | ((time == time[i]) & ~event)
        pairs += later.sum()
        won += (risk[later] < risk[i]).sum() + (risk[later] == risk[i]).sum() / 2
    return float(won / _some_pairs(pairs))


def concordance_by_definition(time, event, risk):
    """concordance, every ordered pair of rows looked at.

    >>> concordance_by_definition([1, 2, 3], [True, True, False], [9, 5, 7])
    0.6666666666666666
    """
    time, event, risk = _survival_rows(time, event, risk)
    won = []
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                won.append(1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0)
    return sum(won) / _some_pairs(len(won))


def survival_concordance(y, risk):
    """concordance with time and event in one y: columns (time, event), or a record array (event, time).

    y (n, 2), or (n,) with two fields in scikit-survival's order; risk (n,) -> float in [0, 1]

    >>> survival_concordance([[1, 1], [2, 1], [3, 0]], [9, 5, 7])
    0.6666666666666666
    """
    y = np.asarray(y)
    if y.dtype.names and len(y.dtype.names) == 2:
        event, time = (y[field] for field in y.dtype.names)
    elif y.ndim == 2 and y.shape[1] == 2:
        time, event = y.T
    else:
        raise ValueError(f"y has shape {y.shape}, expected (n, 2) for survival: a column of times and one of events (1, or 0 where censored).")
    return concordance(time, event, risk)


SCORES = {"accuracy": accuracy, "r2": r2, "auc": auc, "concordance": survival_concordance}


def set_score(score):
    """The score that a name stands for; a function of (y, prediction) -> one number passes through.

    Raises ValueError for an unknown name, listing the known.

    >>> set_score("accuracy")([1, 0], [1, 1])
    0.5
    """
    return _looked_up(score, SCORES, "score", "one number")


def class_codes(y, n_classes):
    """Each label's place among the sorted labels -> (n,) int; whole numbers from 0 to n_classes - 1 are their own place.

    Raises ValueError where the labels cannot be matched with n_classes columns.

    >>> class_codes(["no", "yes", "no"], 2)
    array([0, 1, 0])
    """
    y = np.asarray(y)
    if y.dtype.kind in "biuf" and (y == np.floor(y)).all() and y.min() >= 0 and y.max() < n_classes:
        return y.astype(int)
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) != n_classes:
        raise ValueError(f"there are {n_classes} columns of probabilities, but y has {len(labels)} labels: "
                         "give y as the number of its column, 0, 1, ...")
    return codes


def _looked_up(given, known, kind, returns):
    if callable(given):
        return given
    if given not in known:
        raise ValueError(f"unknown {kind} {given!r}: expected one of {', '.join(map(repr, known))}, "
                         f"or a function of (y, prediction) that returns {returns}.")
    return known[given]


def _residual(y, prediction):
    y, prediction = np.asarray(y, dtype=float), _numbers(prediction)
    if y.shape != prediction.shape:
        raise ValueError(f"y has shape {y.shape}, the predictions {prediction.shape}: one number a row is compared with another. "
                         "For class probabilities use 'log_loss' or 'brier'.")
    return y - prediction


def _numbers(prediction):
    try:
        return np.asarray(prediction, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"the predictions are labels such as {str(np.ravel(prediction)[0])!r}, but this loss takes numbers: "
                         "use 'zero_one', or a model that predicts numbers.") from None


def _over_outputs(per_output):
    return per_output if per_output.ndim == 1 else per_output.sum(axis=1)


def _probability_columns(probabilities):
    given = _numbers(probabilities)
    given = np.column_stack([1 - given, given]) if given.ndim == 1 else given
    if given.ndim != 2 or (given < -1e-9).any() or (given > 1 + 1e-9).any():
        raise ValueError("this loss takes class probabilities, between 0 and 1: pass the model's predict_proba, not its labels or margins.")
    return given


def _two_classes(y, score):
    score, (labels, code) = _numbers(score), np.unique(np.asarray(y), return_inverse=True)
    score = score[:, -1] if score.ndim == 2 and score.shape[1] == 2 else score
    if len(labels) != 2 or score.shape != code.shape:
        raise ValueError(f"y has {len(labels)} classes and shape {code.shape}, the scores shape {score.shape}: "
                         "the AUC compares two classes by one score a row.")
    return code == 1, score


def _survival_rows(time, event, risk):
    time, event, risk = np.asarray(time, dtype=float), np.asarray(event).astype(bool), np.asarray(risk, dtype=float)
    if time.ndim != 1 or not time.shape == event.shape == risk.shape:
        raise ValueError(f"time, event and risk have shapes {time.shape}, {event.shape}, {risk.shape}: expected one number a row each.")
    return time, event, risk


def _some_pairs(pairs):
    if pairs == 0:
        raise ValueError("no pair of rows can be compared: concordance needs an event that another row outlived.")
    return pairs
