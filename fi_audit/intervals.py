"""Confidence intervals: of several means that hold together, and of ratios of means.

A figure is a mean over rows; its influence values psi (n,) say how far each row moves it, so that
its standard error is sd(psi) / sqrt(n), or that of the sums over groups of rows drawn together.
"""

from statistics import NormalDist

import numpy as np
import pandas as pd
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
        psi = pd.DataFrame(psi).groupby(groups).sum().to_numpy()
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


def mean_with_interval(
    values: NDArray, weights: NDArray, groups: NDArray | None = None, n_figures: int = 1
) -> tuple[float, float, float]:
    """Weighted mean of one value a row, with its interval: (n,), (n,) -> 3 numbers.

    groups (n,) int : rows drawn together; n_figures : that hold together (Bonferroni)
    """
    if not weights.sum() > 0:
        return 0.0, -np.inf, np.inf
    weights = weights / weights.mean()
    mean = float((weights * values).mean())
    if len(values if groups is None else np.unique(groups)) < 2:
        return mean, -np.inf, np.inf
    times = NormalDist().inv_cdf(1 - (1 - LEVEL) / (2 * max(1, n_figures)))
    reach = times * np.sqrt(variance_of_mean(weights * (values - mean), groups))
    return mean, mean - reach, mean + reach


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
