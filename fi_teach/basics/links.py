"""Inverse links: from a model's raw score to a mean or a probability."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray


def logistic(raw: NDArray) -> NDArray:
    """1 / (1 + e^-raw), the probability that belongs to these log odds, without overflow.

    >>> logistic(np.array([-2000.0, 0.0, 2000.0]))
    array([0. , 0.5, 1. ])
    """
    return np.exp(-np.logaddexp(0, -raw))


def softmax(raw: NDArray) -> NDArray:
    """e^raw_k / sum over l of e^raw_l: turn scores (n, K) into probabilities of K classes.

    >>> softmax(np.array([[0.0, 0.0], [-1000.0, 0.0]]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    largest = raw.max(axis=1, keepdims=True)
    odds = np.exp(raw - largest)
    return odds / odds.sum(axis=1, keepdims=True)


def mean_of(raw: NDArray, link: str) -> NDArray:
    """Apply the inverse link to raw scores, column by column: (n, K) -> (n, K).

    "identity" raw; "exp" e^raw; "logistic" the second class's chance; "softmax" each class's;
    "exponential" the second class's chance, whose log odds are twice the score (exponential loss);
    "samme" softmax of raw / (K - 1), as AdaBoost has it.

    >>> mean_of(np.array([[0.0, 0.0]]), "softmax"), mean_of(np.array([[0.0]]), "logistic")
    (array([[0.5, 0.5]]), array([[0.5]]))
    """
    return INVERSE[link](raw)


INVERSE: dict[str, Callable[[NDArray], NDArray]] = {
    "identity": lambda raw: raw,
    "exp": np.exp,
    "logistic": logistic,
    "exponential": lambda raw: logistic(2 * raw),
    "softmax": softmax,
    "samme": lambda raw: softmax(raw / (raw.shape[1] - 1)),
}
