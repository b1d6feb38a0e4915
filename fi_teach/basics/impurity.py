"""How mixed is a node? Every impurity is 0 when all rows agree, and concave: no split can make it worse on average."""

import numpy as np

CRITERIA = ("gini", "entropy", "entropy_nats", "variance")


def _shares(counts):
    """Counts (..., K) as shares of their sum; an empty node has shares 0."""
    counts = np.asarray(counts, dtype=float)
    if (counts < 0).any():
        raise ValueError("counts holds negative numbers: give how many rows (or how much weight) each class has.")
    total = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def gini(counts):
    """Probability that two rows drawn with replacement differ: 1 - sum_k p_k^2, between 0 and 1 - 1/K.

    counts (..., K), rows or weight a class -> (...). Source: Breiman et al. (1984), ch. 4.

    >>> round(float(gini([4, 1])), 2)
    0.32
    """
    shares = _shares(counts)
    return np.where(shares.sum(axis=-1) > 0, 1 - (shares**2).sum(axis=-1), 0.0)[()]


def entropy(counts, base=2):
    """Expected surprise: - sum_k p_k log p_k with 0 log 0 = 0, in bits (base 2) or nats (base e), between 0 and log K.

    counts (..., K), rows or weight a class -> (...). Source: Quinlan (1986), sec. 4.

    >>> float(entropy([1, 1])), round(float(entropy([9, 5])), 3)
    (1.0, 0.94)
    """
    shares = _shares(counts)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return (np.abs((shares * logs).sum(axis=-1)) / np.log(base))[()]


def entropy_nats(counts):
    """entropy(counts, base=e): natural units, as scikit-learn's chapters on theory use; 1 bit is .693 nats."""
    return entropy(counts, base=np.e)


def variance(y, sample_weight=None):
    """Mean squared distance from the (weighted) mean, in squared units of y.

    y (n,), sample_weight (n,) or None -> float; it is the node's MSE, since the node predicts its mean.

    >>> float(variance([1, 3]))
    1.0
    """
    y = np.asarray(y, dtype=float)
    centre = np.average(y, weights=sample_weight)
    return float(np.average((y - centre) ** 2, weights=sample_weight))


def impurity_of(y, criterion="gini", sample_weight=None):
    """Impurity of a node that holds the rows y: `criterion` is one of CRITERIA.

    y (n,) labels, or numbers for "variance" -> float

    >>> round(impurity_of(["Pass"] * 4 + ["Fail"]), 2)
    0.32
    """
    if criterion == "variance":
        return variance(y, sample_weight)
    return float(class_impurity(criterion)(class_counts(y, sample_weight)))


def class_counts(y, sample_weight=None):
    """Rows (or weight) of each class in y, classes in sorted order -> (K,)."""
    _, code = np.unique(np.asarray(y), return_inverse=True)
    return np.bincount(code, weights=sample_weight).astype(float)


def class_impurity(criterion):
    """The function of class counts that `criterion` names. Raises ValueError for an unknown name."""
    known = {"gini": gini, "entropy": entropy, "entropy_nats": entropy_nats}
    if criterion not in known:
        raise ValueError(f"unknown criterion {criterion!r}: expected one of {', '.join(map(repr, CRITERIA))}.")
    return known[criterion]
