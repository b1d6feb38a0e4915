"""Thresholds between two numbers: halfway, and safe against rounding."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import as_floats


def midpoints(column: ArrayLike) -> NDArray:
    """Return the thresholds halfway between neighbouring distinct values, ascending.

    column (n,) -> (at most n - 1,)

    >>> midpoints([30, 50, 80, 50])
    array([40., 65.])
    """
    numbers = as_floats(column, "the column")
    if numbers.ndim != 1 or np.isnan(numbers).any():
        raise ValueError(
            f"the column has shape {numbers.shape}, expected numbers (n,) without NaN.")
    values = np.unique(numbers)
    return halfway(values[:-1], values[1:])


def halfway(low: NDArray, high: NDArray) -> NDArray:
    """Return a threshold t for each pair with low <= t < high: the midpoint, or low itself.

    Two floats can be so close that their midpoint rounds to the upper one: a threshold there
    would send both to the left.

    low (m,) < high (m,) -> (m,)
    """
    middle = low / 2 + high / 2  # not (low + high) / 2, which can overflow
    too_low = middle < low
    too_high = middle >= high
    return np.where(too_low | too_high, low, middle)


def double_threshold(threshold: ArrayLike, *, strict: bool = False) -> NDArray:
    """The threshold for doubles that splits as a single-precision threshold of a library does.

    For every double x: x <= result if and only if float32(x) <= threshold
    (or < threshold, if `strict`).

    Rounding never changes the order, so such a number exists: it is where single precision stops
    rounding down. A threshold merely copied sends some of the library's own training rows to the
    wrong side.

    threshold (m,) -> (m,) float64

    >>> x = 0.1  # rounds up in single precision
    >>> bool(np.float32(x) <= np.float64(x)), bool(x <= double_threshold(np.array([x]))[0])
    (False, False)
    """
    threshold = np.asarray(threshold, dtype=float)
    nearest = threshold.astype(np.float32)
    above = np.greater_equal if strict else np.greater
    too_large = above(nearest.astype(float), threshold)
    left = np.where(too_large, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    right = np.nextafter(left, np.float32(np.inf))
    middle = halfway(left.astype(float), right.astype(float))
    rounds_down = middle.astype(np.float32) == left  # a tie goes to the even neighbour
    return np.where(rounds_down, middle, np.nextafter(middle, -np.inf))
