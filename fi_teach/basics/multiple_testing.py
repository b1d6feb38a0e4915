"""Many tests at once: what p-values must become so that twenty tries are not one discovery."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import as_floats


def holm(p_values: ArrayLike) -> NDArray:
    """Holm's step-down: as safe as Bonferroni's min(1, m p), and never less powerful.

    Adjusted p_(k) = max_{i <= k} min(1, (m - i + 1) p_(i)), p_(1) the smallest of m.
    The chance that any true null's is at most alpha is at most alpha, however dependent the tests.
    p_values (m,) -> (m,). Raises ValueError outside [0, 1]. Source: Holm (1979).

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


def holm_by_definition(p_values: ArrayLike) -> NDArray:
    """The smallest level alpha at which Holm's procedure rejects each test, at most 1.

    It rejects the smallest p-values in turn, while (m - k + 1) p_(k) <= alpha, and stops at the
    first that fails. What it does can only change at a level k p_i: all of them are tried.
    Same argument, result and errors as holm. Source: as in `holm`.

    >>> holm_by_definition([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked(p_values)
    adjusted = np.ones(len(p))
    levels = {k * p_i for k in range(1, len(p) + 1) for p_i in p.tolist()}
    for alpha in sorted(levels, reverse=True):
        if alpha < 1:
            adjusted[_holm_rejects(p, alpha)] = alpha
    return adjusted


def _holm_rejects(p: NDArray, alpha: float) -> NDArray:
    """The tests that Holm's procedure rejects at one level: p (m,) -> (m,) bool."""
    rejected = np.zeros(len(p), dtype=bool)
    for k, i in enumerate(np.argsort(p, kind="stable")):
        tests_left = len(p) - k
        if tests_left * p[i] > alpha:
            break
        rejected[i] = True
    return rejected


def benjamini_hochberg_by_definition(p_values: ArrayLike) -> NDArray:
    """The smallest rate q at which Benjamini and Hochberg's procedure rejects each test, at most 1.

    It rejects the k smallest p-values for the largest k with m p_(k) / k <= q. What it does can
    only change at a rate m p_i / k: all of them are tried.
    Same argument, result and errors as benjamini_hochberg. Source: as in `benjamini_hochberg`.

    >>> benjamini_hochberg_by_definition([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked(p_values)
    m = len(p)
    adjusted = np.ones(m)
    rates = {m * p_i / k for k in range(1, m + 1) for p_i in p.tolist()}
    for q in sorted(rates, reverse=True):
        if q < 1:
            adjusted[_benjamini_hochberg_rejects(p, q)] = q
    return adjusted


def _benjamini_hochberg_rejects(p: NDArray, q: float) -> NDArray:
    """The tests that the procedure rejects at one rate: p (m,) -> (m,) bool."""
    m = len(p)
    order = np.argsort(p, kind="stable")
    smallest_first = p[order]
    passing = [k for k in range(1, m + 1) if m * smallest_first[k - 1] / k <= q]
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
