"""Multiple testing: adjust p-values for the number of tests."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import as_floats


def holm(p_values: ArrayLike) -> NDArray:
    """Adjust p-values by Holm's step-down method, which controls the family-wise error rate.

    Adjusted p_(k) = max_{i <= k} min(1, (m - i + 1) p_(i)), p_(1) the smallest of m.
    The chance that any true null's is at most alpha is at most alpha, however dependent the tests.
    p_values (m,) -> (m,). Source: Holm (1979).

    >>> holm([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    tests_left = np.arange(len(p), 0, -1)
    steps = np.maximum.accumulate(tests_left * p[order])
    return np.minimum(1, steps[np.argsort(order)])


def benjamini_hochberg(p_values: ArrayLike) -> NDArray:
    """Adjust p-values by Benjamini and Hochberg: p_(k) = min_{i >= k} min(1, m p_(i) / i).

    Rejecting all that are <= q keeps the expected share of false rejections at most q if the
    p-values are independent.
    p_values (m,) -> (m,).
    Source: Benjamini and Hochberg (1995).

    >>> benjamini_hochberg([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    place = np.arange(1, len(p) + 1)
    ratio = len(p) * p[order] / place
    steps = np.minimum.accumulate(ratio[::-1])[::-1]
    return np.minimum(1, steps[np.argsort(order)])


def _checked(p_values):
    p = as_floats(p_values, "p_values")
    inside = (p >= 0) & (p <= 1)
    if p.ndim != 1 or len(p) == 0 or not inside.all():
        raise ValueError(
            f"p_values has shape {p.shape} or holds values outside [0, 1]: "
            "expected one probability a test.")
    return p
