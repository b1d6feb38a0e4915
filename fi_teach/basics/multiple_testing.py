"""Many tests at once: what p-values must become so that twenty tries are not one discovery."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import as_floats


def bonferroni(p_values: ArrayLike) -> NDArray:
    """Adjusted p-values min(1, m p): below alpha for any true null with probability at most alpha,
    however dependent.

    p_values (m,) -> (m,). Raises ValueError outside [0, 1].

    >>> bonferroni([0.25, 0.5])
    array([0.5, 1. ])
    """
    p = _checked(p_values)
    return np.minimum(1, len(p) * p)


def holm(p_values: ArrayLike) -> NDArray:
    """Holm's step-down: as safe as Bonferroni's and never less powerful.

    Adjusted p_(k) = max_{i <= k} min(1, (m - i + 1) p_(i)), p_(1) the smallest of m.
    p_values (m,) -> (m,). Raises ValueError outside [0, 1].

    >>> holm([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    tests_left = np.arange(len(p), 0, -1)
    steps = np.maximum.accumulate(tests_left * p[order])
    return np.minimum(1, _put_back(steps, order))


def benjamini_hochberg(p_values: ArrayLike) -> NDArray:
    """Adjusted p-values for the false discovery RATE: p_(k) = min_{i >= k} min(1, m p_(i) / i).

    Rejecting all that are <= q keeps the expected share of false rejections at most q if the
    p-values are independent.
    p_values (m,) -> (m,). Raises ValueError outside [0, 1].
    Source: Benjamini and Hochberg (1995).

    >>> benjamini_hochberg([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    place = np.arange(1, len(p) + 1)
    ratio = len(p) * p[order] / place
    steps = np.minimum.accumulate(ratio[::-1])[::-1]
    return np.minimum(1, _put_back(steps, order))


def holm_by_definition(p_values: ArrayLike, alpha: float) -> NDArray:
    """Reject the smallest p-values in turn while p_(k) <= alpha / (m - k + 1), stop at the first
    that fails -> (m,) bool.

    >>> holm_by_definition([0.25, 0.02], 0.05)
    array([False,  True])
    """
    p = _checked(p_values)
    rejected = np.zeros(len(p), dtype=bool)
    for k, i in enumerate(np.argsort(p, kind="stable")):
        tests_left = len(p) - k
        if p[i] > alpha / tests_left:
            break
        rejected[i] = True
    return rejected


def benjamini_hochberg_by_definition(p_values: ArrayLike, q: float) -> NDArray:
    """Reject the k smallest p-values for the largest k with p_(k) <= k q / m -> (m,) bool.

    >>> benjamini_hochberg_by_definition([0.04, 0.03], 0.05)
    array([ True,  True])
    """
    p = _checked(p_values)
    m = len(p)
    order = np.argsort(p, kind="stable")
    smallest_first = p[order]
    passing = [k for k in range(1, m + 1) if smallest_first[k - 1] <= k * q / m]
    largest = max(passing, default=0)
    rejected = np.zeros(m, dtype=bool)
    rejected[order[:largest]] = True
    return rejected


def _put_back(sorted_values, order):
    """Values in sorted order -> values in the order in which they came."""
    values = np.empty_like(sorted_values)
    values[order] = sorted_values
    return values


def _checked(p_values):
    p = as_floats(p_values, "p_values")
    inside = (p >= 0) & (p <= 1)
    if p.ndim != 1 or len(p) == 0 or not inside.all():
        raise ValueError(
            f"p_values has shape {p.shape} or holds values outside [0, 1]: "
            "expected one probability a test."
        )
    return p
