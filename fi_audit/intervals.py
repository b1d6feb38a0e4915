"""Confidence intervals: of means over rows, and several that hold together."""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from fi_teach.basics.shuffles import variance_of_mean

LEVEL = 0.99
"""Of all intervals of a table together: skewed losses still leave 95 sentences of 100 right."""


def level_of_each(n_figures: int = 1) -> float:
    """Level of one interval, so that n of them hold together (Bonferroni).

    >>> round(level_of_each(10), 4)
    0.999
    """
    return 1 - (1 - LEVEL) / max(1, n_figures)


def times_error(n_figures: int = 1) -> float:
    """Half width of such an interval, in standard errors.

    >>> round(times_error(), 2), round(times_error(10), 2)
    (2.58, 3.29)
    """
    return NormalDist().inv_cdf((1 + level_of_each(n_figures)) / 2)


def mean_with_interval(
    values: NDArray, weights: NDArray, groups: NDArray | None = None, n_figures: int = 1
) -> tuple[float, float, float]:
    """Weighted mean of one value a row, with its interval: (n,), (n,) of mean 1 -> 3 numbers.

    groups (n,) int : rows drawn together
    """
    mean = float((weights * values).mean())
    around_zero = weights * (values - mean)
    reach = times_error(n_figures) * np.sqrt(variance_of_mean(around_zero, groups))
    return mean, mean - reach, mean + reach


def share_removed(
    before: NDArray, after: NDArray, weights: NDArray, groups: NDArray | None = None,
    n_figures: int = 1,
) -> tuple[float, float, float]:
    """1 - mean(after) / mean(before), of losses (n,), with its interval.

    By the delta method for the logarithm of the ratio, which is less skewed than the ratio.
    Undefined (NaN) where nothing was lost before; all of it is removed where nothing is after.
    """
    under = float((weights * before).mean())
    left = float((weights * after).mean()) / under if under > 0 else np.nan
    if not left > 0:
        return (1 - left,) * 3
    around_zero = weights * (after / left - before) / under
    reach = times_error(n_figures) * np.sqrt(variance_of_mean(around_zero, groups))
    return 1 - left, 1 - left * np.exp(reach), 1 - left * np.exp(-reach)


def number(value: float) -> str:
    """Format a number with three digits.

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
    """Format a share in per cent.

    >>> percent(0.1234), percent(0.0), percent(-0.5)
    ('12.3 %', '0 %', '−50 %')
    """
    return f"{number(round(100 * share, 1))} %"


def span(low: float, high: float, form=number) -> str:
    """Format an interval."""
    return f"{form(low)} to {form(high)}"
