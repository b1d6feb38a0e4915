"""Impurity of a node: 0 if all rows agree. It is concave, so no split increases it."""

from collections.abc import Callable
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.choices import check_choice
from fi_teach.basics.tables import as_floats, check_weights
from fi_teach.basics.target import check_y, encode_labels

CRITERIA = ("gini", "entropy", "entropy_nats", "variance")
TIE = 1e-12  # decreases closer than this share of the node's impurity are equal: the first wins


def gini(counts: ArrayLike) -> NDArray:
    """Probability that two rows drawn with replacement differ, between 0 and 1 - 1/K.

    1 - sum over classes k of p_k^2

    counts (..., K), rows or weight a class -> (...). Source: Breiman et al. (1984), ch. 4.

    >>> round(float(gini([4, 1])), 2)
    0.32
    """
    shares = _shares(counts)
    same = (shares**2).sum(axis=-1)
    return np.where(shares.any(axis=-1), 1 - same, 0.0)[()]


def entropy(counts: ArrayLike, base: float = 2) -> NDArray:
    """Expected surprise, in bits (base 2) or nats (base e), between 0 and log K.

    - sum over classes k of p_k log p_k, with 0 log 0 = 0

    counts (..., K), rows or weight a class -> (...). Source: Quinlan (1986), sec. 4.

    >>> float(entropy([1, 1])), round(float(entropy([9, 5])), 3)
    (1.0, 0.94)
    """
    if not isinstance(base, Real) or not 0 < base < np.inf or base == 1:
        raise ValueError(f"base is {base!r}, expected a number above 0 other than 1: 2 for bits.")
    shares = _shares(counts)
    log_shares = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    surprise = np.abs((shares * log_shares).sum(axis=-1))
    return (surprise / np.log(base))[()]


def entropy_nats(counts: ArrayLike) -> NDArray:
    """Entropy in nats, entropy(counts, base=e): a bit is 0.693 nats.

    - sum over classes k of p_k ln p_k, with 0 ln 0 = 0

    counts (..., K), rows or weight a class -> (...), between 0 and ln K
    Source: as in `entropy`.

    >>> round(float(entropy_nats([1, 1])), 3)
    0.693
    """
    return entropy(counts, base=np.e)


def variance(y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Mean squared distance from the (weighted) mean, in squared units of y.

    It is the mean squared error of a node that predicts its mean.

    y (n,), sample_weight (n,) or None -> float. Source: Breiman et al. (1984), ch. 8.

    >>> float(variance([1, 3]))
    1.0
    """
    y = check_y(y, np.size(y), numeric=True)
    return node_impurity(y, check_weights(sample_weight, len(y)), "variance")


def node_impurity(y: NDArray, weight: NDArray, criterion: str) -> float:
    """Impurity of a node that holds checked rows: y (n,), weight (n,).

    >>> node_impurity(np.array([1.0, 3.0]), np.ones(2), "variance")
    1.0
    """
    if criterion != "variance":
        impurity = class_impurity(criterion)
        return float(impurity(class_counts(y, weight)))
    mean = np.average(y, weights=weight)
    squares = (y - mean) ** 2
    return float(np.average(squares, weights=weight))


def class_counts(y: ArrayLike, sample_weight: ArrayLike | None = None) -> NDArray:
    """Rows (or weight) of each class in y, classes in sorted order -> (K,).

    >>> class_counts(["Pass", "Fail", "Pass"])
    array([1., 2.])
    """
    _, code = encode_labels(y)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    return np.bincount(code, weights=weight).astype(float)


def class_impurity(criterion: str) -> Callable[[ArrayLike], NDArray]:
    """Return the function of class counts that `criterion` names.

    >>> round(float(class_impurity("gini")([4, 1])), 2)
    0.32
    """
    known = {"gini": gini, "entropy": entropy, "entropy_nats": entropy_nats}
    if criterion not in known:
        check_choice(criterion, CRITERIA, "criterion")
    return known[criterion]


def _shares(counts: ArrayLike) -> NDArray:
    """Counts (..., K) as shares of their sum; an empty node has shares 0."""
    counts = as_floats(counts, "counts")
    if counts.ndim == 0 or counts.shape[-1] == 0 or not (counts >= 0).all():
        raise ValueError(
            f"counts has shape {counts.shape}, or holds negative numbers or NaN: "
            "give how many rows (or how much weight) each class has.")
    total = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
