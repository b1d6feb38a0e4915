"""An importance from n test rows is uncertain; how uncertain depends on seeing that every shuffled row is used twice.

Three intervals for the importance of one feature: the textbook one, which is too narrow (or, for a feature that the target
does not depend on, too wide), and two that count each row both as receiver and as donor.
"""

from statistics import NormalDist

import numpy as np

from fi_teach.basics.shuffles import check_count, check_setting, receiver_donor_variance, shuffles, swap


def shuffle_differences(predict, X, y, column, *, loss="mse", n_repeats=1, rng=0):
    """What each row's loss gains when `column` is shuffled, and from whom it got its value.

    X (n, p), y (n,), column: a position or a name -> differences (n, n_repeats), in units of the loss, and
    donors (n, n_repeats) int: in shuffle k row i was given the value of row donors[i, k].
    Raises ValueError as permutation_importance does, and for a column that X does not have.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> differences, donors = shuffle_differences(lambda X: X[:, 0], X, [0, 1, 2], 0)
    >>> bool((differences[:, 0] == (X[donors[:, 0], 0] - X[:, 0]) ** 2).all())
    True
    """
    setting, j = _setting_and_column(predict, X, y, column, loss)
    donors = shuffles(setting.n_rows, n_repeats, np.random.default_rng(rng))
    return setting.swapped([j], donors) - setting.base[:, None], donors


def naive_interval(differences, *, level=0.95):
    """The textbook interval: mean plus and minus z sd / sqrt(n), as if the n loss differences were independent.

    They are not: a row is a receiver in its own difference and the donor in another's. For f(x) = x, y = x + s e and squared
    loss the interval is too narrow (about 87 % for 95 at s = 0, n = 200); averaging more shuffles first makes it worse (67 %),
    as the averages keep the receiver's half only; for a feature that y does not depend on it is too wide (98 %).

    differences (n,) or (n, K), averaged over the K shuffles first -> (low, high), in units of the loss.
    Raises ValueError for fewer than two rows, or a level outside (0, 1).

    >>> low, high = naive_interval(np.array([1.0, 2.0, 3.0]))
    >>> round(low, 2), round(high, 2)
    (0.87, 3.13)
    """
    differences = _checked_differences(differences).mean(axis=1)
    return _around(differences.mean(), differences.var(ddof=1) / len(differences), level)


def receiver_donor_interval(differences, donors, *, level=0.95):
    """Mean plus and minus z standard errors, each row counted in both its roles (shuffles.receiver_donor_variance).

    differences, donors (n, K) as shuffle_differences returns them -> (low, high), in units of the loss.
    Raises ValueError for arrays that do not belong together, fewer than two rows, or a level outside (0, 1).
    Source: Hoeffding (1948): the projection of a statistic of pairs on its single rows.

    >>> differences, donors = np.array([[1.0], [0.0], [2.0]]), np.array([[1], [2], [0]])
    >>> low, high = receiver_donor_interval(differences, donors)
    >>> bool(low < 1 < high)
    True
    """
    differences, donors = _checked_differences(differences), np.asarray(donors)
    donors = donors[:, None] if donors.ndim == 1 else donors
    if donors.shape != differences.shape or donors.dtype.kind not in "iu":
        raise ValueError(f"donors has shape {donors.shape}, the differences {differences.shape}: expected one donor's row number "
                         "for each difference, as shuffle_differences returns them.")
    return _around(differences.mean(), receiver_donor_variance(differences, donors), level)


def row_bootstrap_interval(predict, X, y, column, *, loss="mse", n_samples=200, level=0.95, rng=0):
    """Resample whole rows, shuffle the column afresh in every sample, take the middle `level` of the importances.

    Resampling the loss differences instead would repeat the naive interval's mistake: a resampled difference brings
    its receiver along but leaves its donor behind.

    X (n, p), y (n,), column: a position or a name -> (low, high), in units of the loss.
    Raises ValueError as permutation_importance does, for a column that X does not have, or a level outside (0, 1).

    >>> X = np.arange(20.0)[:, None]
    >>> low, high = row_bootstrap_interval(lambda X: X[:, 0], X, X[:, 0], 0)
    >>> bool(low < 2 * X.var() < high)
    True
    """
    setting, j = _setting_and_column(predict, X, y, column, loss)
    rng, tail = np.random.default_rng(rng), (1 - _checked_level(level)) / 2
    rows = rng.integers(setting.n_rows, size=(check_count(n_samples, "n_samples"), setting.n_rows))
    table = swap(setting.X, [j], rows.ravel(), rng.permuted(rows, axis=1).reshape(-1, 1))
    after = setting.losses(table, setting.y[rows.ravel()]).reshape(rows.shape)
    importances = (after - setting.base[rows]).mean(axis=1)
    low, high = np.quantile(importances, [tail, 1 - tail])
    return float(low), float(high)


def _setting_and_column(predict, X, y, column, loss):
    setting = check_setting(predict, X, y, loss)
    known = {name: j for j, name in enumerate(setting.names)} | {j: j for j in range(len(setting.names))}
    if column not in known:
        raise ValueError(f"X has no column {column!r}: choose among {', '.join(setting.names)}, or a position from 0.")
    return setting, known[column]


def _checked_differences(differences):
    array = np.asarray(differences, dtype=float)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) < 2 or array.shape[1] < 1:
        raise ValueError(f"differences has shape {np.shape(differences)}, expected (rows, shuffles) with at least two rows.")
    return array


def _checked_level(level):
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}, expected a share between 0 and 1, such as 0.95.")
    return level


def _around(mean, variance, level):
    reach = NormalDist().inv_cdf(0.5 + _checked_level(level) / 2) * np.sqrt(variance)
    return float(mean - reach), float(mean + reach)
