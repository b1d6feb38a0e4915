"""Cross-validation: each row is predicted by a model that was fitted without it."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Fit = Callable[[NDArray, NDArray], Callable]
"""A function of rows and targets that returns a function of rows."""


def stratified_folds(
    labels: NDArray,
    n_folds: int,
    rng: np.random.Generator,
) -> list[NDArray]:
    """Split the rows into n_folds parts with equal shares of each label -> list of row arrays.

    The rows of each label are permuted and then assigned to the parts in turn.

    >>> labels = np.array([0, 0, 0, 0, 1, 1])
    >>> folds = stratified_folds(labels, 2, np.random.default_rng(0))
    >>> [sorted(labels[rows].tolist()) for rows in folds]
    [[0, 0, 1], [0, 0, 1]]
    """
    shuffled = rng.permutation(len(labels))
    order = np.argsort(labels[shuffled], kind="stable")
    deck = shuffled[order]
    return [deck[start::n_folds] for start in range(n_folds)]


def grouped_folds(groups: NDArray, n_folds: int, rng: np.random.Generator) -> list[NDArray]:
    """Split the rows into n_folds random parts; rows of one group stay together.

    groups (n,) : each row's group, 0 ... G-1 -> list of row arrays, fewer than n_folds if G is

    >>> folds = grouped_folds(np.array([0, 0, 1, 2, 2]), 2, np.random.default_rng(0))
    >>> [rows.tolist() for rows in folds]
    [[0, 1, 3, 4], [2]]
    """
    shuffled = rng.permutation(int(groups.max()) + 1)
    parts = np.array_split(shuffled, n_folds)
    folds = [np.flatnonzero(np.isin(groups, part)) for part in parts]
    return [rows for rows in folds if len(rows)]


def held_out_predictions(
    fit: Fit,
    X: NDArray,
    y: NDArray,
    folds: Sequence[NDArray],
) -> NDArray:
    """Predict each row by the model fitted on the other folds: X (n, p), y (n,) -> (n,).

    >>> def fit(X, y):
    ...     return lambda rows: np.full(len(rows), y.mean())
    >>> held_out_predictions(fit, np.zeros((3, 1)), np.array([1.0, 2.0, 6.0]), [[0], [1, 2]])
    array([4., 1., 1.])
    """
    everyone = np.arange(len(y))
    said = np.zeros(len(y))
    for rows in folds:
        others = np.setdiff1d(everyone, rows)
        predict = fit(X[others], y[others])
        said[rows] = predict(X[rows])
    return said


def fold_error(scores: NDArray) -> NDArray:
    """The standard error of a mean over folds: scores (..., K) -> (...).

    sd * sqrt(1 / K + 1 / (K - 1)): the models of K folds share training rows, so that sd / sqrt(K)
    would be too small. Source: Nadeau and Bengio (2003), approximate.

    >>> round(float(fold_error(np.array([0.5, 0.6, 0.7]))), 3)
    0.091
    """
    n_folds = scores.shape[-1]
    sd = scores.std(axis=-1, ddof=1)
    shared = 1 / n_folds + 1 / (n_folds - 1)
    return sd * np.sqrt(shared)
