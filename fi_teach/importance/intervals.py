"""Confidence intervals for the importance of one feature, measured on n test rows.

The textbook interval is too narrow (or, for a feature that the target does not depend on, too
wide), because a permutation uses every row twice. Two others count each row as receiver and as
donor.
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation, check_weights_and_groups
from fi_teach.basics.losses import Loss
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import receiver_donor_variance, shuffles
from fi_teach.basics.tables import as_floats, check_between, check_count
from fi_teach.fast.permutation import losses_after_shuffling, losses_of_pairs

Interval = tuple[float, float]


def shuffle_differences(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    column: object,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 1,
    rng: Seed = 0,
) -> tuple[NDArray, NDArray]:
    """Each row's gain in loss when `column` is permuted, and the row that gave it its value.

    model, X (n, p), y (n,), loss : as in permutation_importance
    column : a name; of an array, a position
    -> differences (n, n_repeats), in units of the loss, and donors (n, n_repeats) int: in shuffle k
       row i was given the value of row donors[i, k]

    Source: as in `permutation_importance`.

    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> differences, donors = shuffle_differences(lambda X: X[:, 0], X, [0, 1, 2], 0)
    >>> bool((differences[:, 0] == (X[donors[:, 0], 0] - X[:, 0]) ** 2).all())
    True
    """
    test_set = Evaluation(model, X, y, loss)
    columns = test_set.positions([column])
    rng = own_stream(rng, "shuffle differences")
    donors = shuffles(test_set.n_rows, n_repeats, rng)
    after = losses_after_shuffling(test_set, columns, donors)
    return after - test_set.losses_before[:, None], donors


def naive_interval(differences: ArrayLike, *, level: float = 0.95) -> Interval:
    """The textbook interval: mean +- z sd / sqrt(n), as if the n differences were independent.

    They are not: a row is a receiver in its own difference and the donor in another's. For f(x) =
    x, y = x + s e and squared loss the interval is too narrow (about 87 % for 95 at s = 0,
    n = 200); averaging more shuffles first makes it worse (67 %), as averages keep the receiver's
    half only; for a feature that y does not depend on it is too wide (98 %).

    differences (n,) or (n, K), averaged over the K shuffles first
    -> (low, high), in units of the loss

    Source: Stock and Watson (2007), ch. 3, the interval for a mean of independent draws.

    >>> low, high = naive_interval(np.array([1.0, 2.0, 3.0]))
    >>> round(low, 2), round(high, 2)
    (0.87, 3.13)
    """
    of_rows = _checked_differences(differences).mean(axis=1)
    return _around(of_rows.mean(), of_rows.var(ddof=1) / len(of_rows), level)


def receiver_donor_interval(
    differences: ArrayLike,
    donors: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """Mean +- z standard errors, each row counted as receiver and as donor.

    differences, donors (n, K), as shuffle_differences returns them
    sample_weight (n,) : how much each row counts; groups (n,) : rows drawn together
    -> (low, high), in units of the loss

    Source: Hoeffding (1948): the projection of a statistic of pairs (a U-statistic) on single rows.

    >>> differences, donors = np.array([[1.0], [0.0], [2.0]]), np.array([[1], [2], [0]])
    >>> low, high = receiver_donor_interval(differences, donors)
    >>> bool(low < 1 < high)
    True
    """
    differences = _checked_differences(differences)
    donors = _checked_donors(donors, differences)
    weights, groups = check_weights_and_groups(sample_weight, groups, len(differences))
    mean = (weights[:, None] * differences).mean()
    variance = receiver_donor_variance(differences, donors, weights=weights, groups=groups)
    return _around(mean, variance, level)


def row_bootstrap_interval(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    column: object,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 200,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    level: float = 0.95,
    rng: Seed = 0,
) -> Interval:
    """Bootstrap interval: resample rows, permute the column afresh in each sample.

    Resampling the loss differences instead would repeat the naive interval's mistake: a resampled
    difference brings its receiver along but leaves its donor behind.

    column : a name; of an array, a position; n_repeats : samples
    groups (n,) : rows drawn together; whole groups are then resampled
    the others : as in permutation_importance
    -> (low, high), in units of the loss

    Source: the bootstrap of rows with which Breiman (1996) fits trees, here for a fitted model.

    >>> X = np.arange(20.0)[:, None]
    >>> low, high = row_bootstrap_interval(lambda X: X[:, 0], X, X[:, 0], 0)
    >>> bool(low < 2 * X.var() < high)
    True
    """
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    columns = test_set.positions([column])
    n_repeats = check_count(n_repeats, "n_repeats")
    tail = (1 - check_between(level, 0, 1, "level")) / 2
    rng = own_stream(rng, "row bootstrap")

    sample, rows, donors = _resampled(test_set, n_repeats, rng)
    gains = losses_of_pairs(test_set, columns, rows, donors) - test_set.losses_before[rows]
    weights = test_set.weights[rows]
    importances = np.bincount(sample, weights * gains) / np.bincount(sample, weights)
    return tuple(np.quantile(importances, [tail, 1 - tail]).tolist())


def _resampled(
    test_set: Evaluation, n_repeats: int, rng: np.random.Generator
) -> tuple[NDArray, NDArray, NDArray]:
    """Rows, or whole groups of rows, drawn with replacement -> samples, rows, donors, each (m,)."""
    if test_set.groups is None:
        rows = rng.integers(test_set.n_rows, size=(n_repeats, test_set.n_rows))
        sample = np.repeat(np.arange(n_repeats), test_set.n_rows)
        return sample, rows.ravel(), rng.permuted(rows, axis=1).ravel()
    n_groups = int(test_set.groups.max()) + 1
    members = [np.flatnonzero(test_set.groups == g) for g in range(n_groups)]
    drawn = rng.integers(n_groups, size=(n_repeats, n_groups))
    samples = [np.concatenate([members[g] for g in groups]) for groups in drawn]
    donors = np.concatenate([rng.permutation(rows) for rows in samples])
    sample = np.repeat(np.arange(n_repeats), [len(rows) for rows in samples])
    return sample, np.concatenate(samples), donors


def _checked_differences(differences: ArrayLike) -> NDArray:
    array = as_floats(differences, "differences")
    array = array[:, None] if array.ndim == 1 else array
    is_table = array.ndim == 2 and len(array) > 1 and array.shape[1] > 0
    if not is_table or not np.isfinite(array).all():
        raise ValueError(
            f"differences has shape {np.shape(differences)}, "
            "expected finite numbers (rows, shuffles) with at least two rows.")
    return array


def _checked_donors(donors: ArrayLike, differences: NDArray) -> NDArray:
    donors = np.asarray(donors)
    donors = donors[:, None] if donors.ndim == 1 else donors
    is_rows = donors.dtype.kind in "iu" and donors.shape == differences.shape
    if not is_rows or donors.min() < 0 or donors.max() >= len(donors):
        raise ValueError(
            f"donors has shape {donors.shape}, the differences {differences.shape}: expected one "
            f"donor's row number, 0 to {len(differences) - 1}, for each difference, as "
            "shuffle_differences returns them.")
    return donors


def _around(mean: float, variance: float, level: float) -> Interval:
    z = NormalDist().inv_cdf(0.5 + check_between(level, 0, 1, "level") / 2)
    reach = z * np.sqrt(variance)
    return float(mean - reach), float(mean + reach)
