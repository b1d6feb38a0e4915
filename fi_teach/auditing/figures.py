"""Figures with their intervals: means over rows, and several that hold together."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.shuffles import variance_of_mean

LEVEL = 0.95


def times_error(n_figures: int = 1) -> float:
    """How many standard errors an interval reaches, so that n of them hold together (Bonferroni).

    >>> round(times_error(), 2), round(times_error(10), 2)
    (1.96, 2.81)
    """
    tail = (1 - LEVEL) / 2 / max(1, n_figures)
    return NormalDist().inv_cdf(1 - tail)


def mean_with_interval(
    values: NDArray, weights: NDArray, groups: NDArray | None = None, n_figures: int = 1
) -> tuple[float, float, float]:
    """The weighted mean of one value a row, and its interval: (n,), (n,) of mean 1 -> 3 numbers.

    groups (n,) int : rows drawn together
    """
    mean = float((weights * values).mean())
    around_zero = weights * (values - mean)
    reach = times_error(n_figures) * np.sqrt(variance_of_mean(around_zero, groups))
    return mean, mean - reach, mean + reach


def ratio_with_interval(
    above: NDArray, below: NDArray, weights: NDArray, groups: NDArray | None = None,
    n_figures: int = 1,
) -> tuple[float, float, float]:
    """mean(above) / mean(below) and its interval by the delta method, rows as in a mean.

    Undefined (NaN) where the mean below is 0.
    """
    under = float((weights * below).mean())
    if under == 0:
        return (np.nan,) * 3
    ratio = float((weights * above).mean()) / under
    around_zero = weights * (above - ratio * below) / under
    reach = times_error(n_figures) * np.sqrt(variance_of_mean(around_zero, groups))
    return ratio, ratio - reach, ratio + reach


def number(value: float) -> str:
    """A number as people write it, three digits.

    >>> number(0.01234), number(1234.5), number(-2), number(0)
    ('0.0123', '1,234', '−2', '0')
    """
    if not np.isfinite(value):
        return "—"
    size = abs(value)
    text = f"{size:,.0f}" if size >= 1000 else f"{size:.3g}" if size >= 1e-3 or size == 0 else (
        f"{size:.1e}")
    return ("−" if value < 0 else "") + text


def percent(share: float) -> str:
    """A share in per cent.

    >>> percent(0.1234), percent(0.0), percent(-0.5)
    ('12.3 %', '0 %', '−50 %')
    """
    return f"{number(round(100 * share, 1))} %"


def span(low: float, high: float, form=number) -> str:
    """An interval in words."""
    return f"{form(low)} to {form(high)}"
