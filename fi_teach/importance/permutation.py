"""How much worse does a model predict when one feature's values are dealt out to the wrong rows?

Shuffling x_j keeps its values but breaks its tie to the target, and to the other features too. The model is never
refitted: what is measured is how much *this model* leans on x_j. Use rows that it was not fitted on.
"""

import numpy as np

from fi_teach.basics.losses import row_loss, set_score
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import (
    check_outcome,
    check_setting,
    checked_prediction,
    predict_function,
    receiver_donor_variance,
    shuffles,
    swap,
)
from fi_teach.basics.tables import check_table, feature_names


def permutation_importance(predict, X, y, *, loss="mse", n_repeats=30, rng=0):
    """Mean loss after feature j was shuffled, less the mean loss before: for j = 1..p.

    PFI_j = 1/n sum_i [ L(y_i, f(x_i with x_ij replaced by x_pi(i)j)) - L(y_i, f(x_i)) ], averaged over random permutations pi.

    predict : a function of a table (m, p) -> predictions (m,) or (m, K); or a fitted model (its predict, or predict_proba
        for losses of probabilities). It gets the kind of table that X is: arrays, or DataFrames with the same columns.
    X (n, p), y (n,): rows the model has not seen. They are not changed.
    loss : "mse", "absolute", "zero_one", "log_loss", "brier", or a function of (y, prediction) -> one number a row
    Returns an Importance, in units of the loss: draws (p, n_repeats), one column a shuffle; permutation_sd is their spread
    on these n rows; standard_error is that of the mean over new test sets, with every row counted as receiver and as
    donor. It speaks of this fitted model, not of the learner.

    Raises ValueError for unusable tables, targets, losses, models, and fewer than one repeat.
    Source: Breiman (2001), sec. 10; Fisher, Rudin and Dominici (2019), sec. 3, for any model.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> importance = permutation_importance(lambda X: X[:, 0], X, [0, 1, 2, 3])
    >>> importance.mean.round(1) + 0.0
    array([2.2, 0. ])
    """
    setting = check_setting(predict, X, y, loss)
    return _shuffled(setting, [[j] for j in range(len(setting.names))], setting.names, n_repeats, rng)


def permutation_importance_by_definition(predict, X, y, *, loss="mse", n_repeats=30, rng=0):
    """permutation_importance as the sentence says it: copy the table, shuffle one column, predict, take the mean loss.

    Same arguments and the same draws; X must be a table of numbers.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> permutation_importance_by_definition(lambda X: X[:, 0], X, [0, 1, 2, 3]).mean.round(1) + 0.0
    array([2.2, 0. ])
    """
    rng = np.random.default_rng(rng)
    names, (X, y, loss) = feature_names(X), _checked(X, y, loss)
    draws = np.zeros((X.shape[1], n_repeats))
    for j in range(X.shape[1]):
        for k in range(n_repeats):
            permuted = X.copy()
            permuted[:, j] = X[rng.permutation(len(X)), j]
            draws[j, k] = loss(y, predict(permuted)).mean() - loss(y, predict(X)).mean()
    return Importance(names, draws)


def _checked(X, y, loss):
    """A table of numbers as an array, its targets, and the loss as a function. Raises ValueError."""
    X = check_table(X, allow_nan=True)[0]
    return X, check_outcome(y, len(X)), row_loss(loss)


def joint_permutation_importance(predict, X, y, groups, *, loss="mse", n_repeats=30, rng=0):
    """The importance of whole groups of features: all columns of a group are dealt out together, by one permutation.

    Rows of the group stay whole, so what is measured is what the group's members know together, whatever they tell twice.
    groups : {name of the group: its columns, by name or by position}; the rest as in permutation_importance.
    Returns an Importance with one name a group.
    Raises ValueError for no groups, an empty group, a column that X does not have or that a group names twice.

    >>> X = np.array([[0, 0], [1, 1], [2, 2], [3, 3]])
    >>> twins = lambda X: X.mean(axis=1)
    >>> joint_permutation_importance(twins, X, [0, 1, 2, 3], {"both": [0, 1]}).mean.round(1)
    array([2.2])
    """
    setting = check_setting(predict, X, y, loss)
    columns = _columns_of(groups, setting.names)
    return _shuffled(setting, columns, groups, n_repeats, rng)


def columnwise_permutation_importance(predict, X, y, groups, *, loss="mse", n_repeats=30, rng=0):
    """The importance of groups whose columns are shuffled each by its own permutation, all at the same time.

    Unlike joint_permutation_importance this also breaks the ties *inside* a group, and so makes rows that cannot exist
    when its members are correlated. The same arguments, result and errors.

    >>> X = np.array([[0, 0], [1, 1], [2, 2], [3, 3]])
    >>> twins = lambda X: X.mean(axis=1)
    >>> columnwise_permutation_importance(twins, X, [0, 1, 2, 3], {"both": [0, 1]}).mean.round(1)
    array([2.])
    """
    setting = check_setting(predict, X, y, loss)
    columns = _columns_of(groups, setting.names)
    return _shuffled(setting, columns, groups, n_repeats, rng, each_alone=True)


def score_permutation_importance(predict, X, y, *, score, n_repeats=30, rng=0):
    """How far a whole-set score falls when feature j is shuffled: score before less score after.

    For measures that are no mean over rows (R squared, AUC, concordance). Note the order: large scores are good, so the
    importance is before minus after, where permutation_importance takes loss after minus before.

    predict : as in permutation_importance; X (n, p); y as the score takes it: (n,), or (n, 2) time and event for concordance
    score : "accuracy", "r2", "auc", "concordance", or a function of (y, prediction) -> one number
    Returns an Importance in units of the score: draws (p, n_repeats); permutation_sd is their spread. standard_error is a
    jackknife over 20 groups of rows: leave a group out both as receivers and as donors, and see how far the result moves.

    Raises ValueError as permutation_importance, for an unknown score, and where the score is undefined without a group.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> score_permutation_importance(lambda X: X[:, 0], X, [0, 1, 2, 3], score="r2").mean.round(2) + 0.0
    array([1.79, 0.  ])
    """
    rng = np.random.default_rng(rng)
    table, names = check_table(X, allow_nan=True)
    X = X if hasattr(X, "iloc") or isinstance(X, np.ndarray) else table
    score, predict, y = set_score(score), predict_function(predict, None), _rows_of_target(y, len(table))
    base, draws, errors = checked_prediction(predict, X), [], []
    group = rng.permutation(len(y)) % min(20, len(y))
    for j in range(len(names)):
        donors = shuffles(len(y), n_repeats, rng)
        after = [checked_prediction(predict, swap(X, [j], np.arange(len(y)), donors[:, [k]])) for k in range(n_repeats)]
        drops = _score_drops(score, y, base, after)
        draws.append(drops(np.ones_like(donors, dtype=bool)))
        left = [drops((group[:, None] != g) & (group[donors] != g)).mean() for g in range(group.max() + 1)]
        errors.append(np.sqrt(group.max() * np.var(left)))
    spread = np.std(draws, axis=1, ddof=1) if n_repeats > 1 else None
    return Importance(names, np.array(draws), "permutation importance", "drop in the score", np.array(errors), spread)


def _shuffled(setting, columns, names, n_repeats, rng, each_alone=False):
    """One importance for each list of columns, shuffled together or (each_alone) by a permutation for every column."""
    rng = np.random.default_rng(rng)
    draws, variance = [], []
    for group in columns:
        donors = np.stack([shuffles(setting.n_rows, n_repeats, rng) for _ in (group if each_alone else group[:1])])
        differences = setting.swapped(group, donors) - setting.base[:, None]
        draws.append(differences.mean(axis=0))
        variance.append(receiver_donor_variance(differences, donors))
    spread = np.std(draws, axis=1, ddof=1) if n_repeats > 1 else None
    return Importance(names, np.array(draws), "permutation importance", "loss", np.sqrt(variance), spread)


def _columns_of(groups, names):
    """The positions of each group's columns, checked -> list of lists of int."""
    if not hasattr(groups, "items") or len(groups) == 0:
        raise ValueError(f"groups is {groups!r}, expected {{name of a group: its columns}} with at least one group.")
    return [_positions(group, columns, names) for group, columns in groups.items()]


def _positions(group, columns, names):
    known = {name: j for j, name in enumerate(names)} | {j: j for j in range(len(names))}
    columns = [columns] if isinstance(columns, str) else list(columns)
    unknown = [column for column in columns if column not in known]
    if unknown or not columns:
        what = f"the column {unknown[0]!r}, which X does not have" if unknown else "no columns"
        raise ValueError(f"group {group!r} names {what}: choose among {', '.join(names)}, or positions 0 to {len(names) - 1}.")
    positions = [known[column] for column in columns]
    if len(set(positions)) < len(positions):
        raise ValueError(f"group {group!r} names a column twice: {columns}. Name each once.")
    return positions


def _rows_of_target(y, n_rows):
    """The target of a score: ordinary, or a survival record array."""
    array = np.asarray(y)
    if array.dtype.names and array.shape == (n_rows,):
        return array
    return check_outcome(array, n_rows)


def _score_drops(score, y, base, after):
    """A function of masks (n, K): the drop of the score in each shuffle, among the rows that the mask keeps."""
    def drops(kept):
        return np.array([score(y[keep], base[keep]) - score(y[keep], prediction[keep])
                         for keep, prediction in zip(kept.T, after, strict=True)])

    return drops
