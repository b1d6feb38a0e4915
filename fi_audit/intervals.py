"""Confidence intervals: of several means that hold together, and of ratios of means.

A figure is a mean over rows; its influence values psi (n,) say how far each row moves it, so that
its standard error is sd(psi) / sqrt(n), or that of the sums over groups of rows drawn together.
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.shuffles import variance_of_mean

LEVEL = 0.95
DRAWS = 500


def critical_value(
    psi: NDArray, groups: NDArray | None, rng: np.random.Generator, level: float = LEVEL
) -> float:
    """How many standard errors all m intervals must reach to hold together at the level.

    The level's quantile of max_j |t_j| over bootstrap samples of the rows (of the groups), t_j the
    studentised mean of psi_j: correlated figures err together, so they need less than Bonferroni's
    bound, and skewed ones get more.

    psi (n, m) : influence values; groups (n,) int, or None
    Source: Romano and Wolf (2005), the studentised max statistic.

    >>> rng = np.random.default_rng(0)
    >>> one = rng.normal(size=(400, 1))
    >>> copies, others = np.repeat(one, 10, axis=1), rng.normal(size=(400, 10))
    >>> bool(critical_value(copies, None, rng) < 2.2 < 2.5 < critical_value(others, None, rng))
    True
    """
    if groups is not None:
        sums = np.zeros((groups.max() + 1, psi.shape[1]))
        np.add.at(sums, groups, psi)
        psi = sums[np.bincount(groups) > 0]
    psi = psi[:, psi.std(axis=0) > 0]
    n = len(psi)
    if not psi.size:
        return NormalDist().inv_cdf((1 + level) / 2)
    psi = (psi - psi.mean(axis=0)) / psi.std(axis=0)
    largest = np.zeros(DRAWS)
    for start in range(0, DRAWS, 50):
        counts = rng.multinomial(n, np.full(n, 1 / n), size=50)
        mean = counts @ psi / n
        sd = np.sqrt(np.maximum(counts @ psi**2 / n - mean**2, 1e-12))
        largest[start:start + 50] = (np.abs(mean) / sd).max(axis=1) * np.sqrt(n)
    return float(max(np.quantile(largest, level), NormalDist().inv_cdf((1 + level) / 2)))


def half_width(level: float = LEVEL, n_figures: int = 1) -> float:
    """Standard errors that n intervals reach to hold together (Bonferroni).

    >>> round(half_width(), 2), round(half_width(n_figures=10), 2)
    (1.96, 2.81)
    """
    return NormalDist().inv_cdf(1 - (1 - level) / (2 * max(1, n_figures)))


def mean_with_interval(
    values: NDArray, weights: NDArray, groups: NDArray | None = None, n_figures: int = 1
) -> tuple[float, float, float]:
    """Weighted mean of one value a row, with its interval: (n,), (n,) of mean 1 -> 3 numbers.

    groups (n,) int : rows drawn together
    """
    mean = float((weights * values).mean())
    if len(values) < 2 or (groups is not None and len(np.unique(groups)) < 2):
        return mean, -np.inf, np.inf
    around_zero = weights * (values - mean)
    reach = half_width(n_figures=n_figures) * np.sqrt(variance_of_mean(around_zero, groups))
    return mean, mean - reach, mean + reach


def share_removed(
    before: float, after: float, psi: NDArray, groups: NDArray | None, times_error: float
) -> tuple[float, float, float]:
    """1 - after / before, of two mean losses, with its interval.

    By the delta method for the logarithm of the ratio, which is less skewed than the ratio.
    Undefined (NaN) where nothing was lost before; all of it is removed where nothing is after.

    psi (n,) : influence values of after - (after / before) * before, from influence_of_ratio
    """
    left = after / before if before > 0 else np.nan
    if not left > 0:
        return (1 - left,) * 3
    reach = min(50.0, times_error * np.sqrt(variance_of_mean(psi, groups)) / after)
    return 1 - left, 1 - left * np.exp(reach), 1 - left * np.exp(-reach)


def share_of(
    value: NDArray, error: NDArray, whole: float, whole_error: float, covariance: NDArray,
    times_error: float,
) -> NDArray:
    """value / whole with Fieller's interval -> (3, m): value, low, high.

    All ratios r at which value - r * whole is within its error of zero: above zero exactly where
    the value is clear of zero; unbounded above where the whole is not.
    """
    q2 = times_error**2
    a = whole**2 - q2 * whole_error**2
    if whole <= 0 or a <= 0:
        return np.full((3, len(value)), np.nan)
    b = value * whole - q2 * covariance
    c = value**2 - q2 * error**2
    root = np.sqrt(np.maximum(b**2 - a * c, 0))
    return np.array([value / whole, (b - root) / a, (b + root) / a])
