"""A model cannot run with a feature missing, so "what does it predict from the features in S alone?" needs a choice.

Each function here is one choice and returns a value function v(X, S): for rows X (n, p) and coalitions S (C, p) bool, what
the model is taken to predict when it knows only the features in S -> (C, n, n_outputs). Shapley values of the same model
differ between the choices, not between the algorithms. Source: Covert, Lundberg and Lee (2021).
"""

import numpy as np
import pandas as pd

from fi_teach.basics.games import coalitions
from fi_teach.basics.tables import check_table

ROWS_AT_ONCE = 2**16  # rows handed to a model in one call: about 5 MB for ten features


def on_arrays(predict, X):
    """`predict` as a function of plain arrays with numbers out (n, n_outputs); fed DataFrames if X is one.

    Raises ValueError where predict returns labels, NaN or another number of rows.
    """
    columns = X.columns if isinstance(X, pd.DataFrame) else None
    if not callable(predict):
        raise ValueError(f"predict is a {type(predict).__name__}, expected a function of X: pass model.predict or model.predict_proba.")

    def numbers(rows):
        returned = predict(rows if columns is None else pd.DataFrame(rows, columns=columns))
        return _as_outputs(returned, len(rows))

    return numbers


def _as_outputs(returned, n_rows):
    try:
        outputs = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("predict returns labels, which cannot be averaged: pass predict_proba, or a function that returns numbers.") from None
    if outputs.ndim not in (1, 2) or len(outputs) != n_rows:
        raise ValueError(f"predict returned shape {outputs.shape} for {n_rows} rows: expected one number, or one row of numbers, a row.")
    if not np.isfinite(outputs).all():
        raise ValueError("predict returned NaN or infinity: mend the model or the rows before explaining it.")
    return outputs.reshape(n_rows, -1)


def check_background(background, names, *, allow_nan=True):
    """The background rows as an array (m, p) in the order of `names`, the columns of X.

    Raises ValueError for other columns, no rows, or whatever check_table refuses.
    """
    if background is None:
        raise ValueError("background is None: pass the rows that stand in for missing features, for example a sample of the training rows.")
    rows, given = check_table(background, allow_nan=allow_nan, what="background")
    if isinstance(background, pd.DataFrame) and given != tuple(names) and set(given) == set(names):
        return rows[:, [given.index(name) for name in names]]
    if rows.shape[1] != len(names):
        raise ValueError(f"background has {rows.shape[1]} columns, X has {len(names)}: give both the same columns in the same order.")
    both_named = isinstance(background, pd.DataFrame) and not all(name == f"x{j}" for j, name in enumerate(names))
    if both_named and given != tuple(names):
        raise ValueError(f"background has a column {sorted(set(given) - set(names))[0]!r} that X has not: give both the same columns.")
    return rows


def cover_shares(tree):
    """The share of its parent's training weight that reaches each node, 1 for the root -> (n_nodes,).

    Children of a node that no training weight reached share evenly.
    """
    share, inner = np.ones(tree.n_nodes), np.flatnonzero(~tree.is_leaf)
    parents, children = np.concatenate([inner, inner]), np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    cover = np.asarray(tree.weighted_n_node_samples, dtype=float)
    share[children] = np.divide(cover[children], cover[parents], out=np.full(len(parents), 0.5), where=cover[parents] > 0)
    return share


def marginal(predict, background):
    """Missing features are drawn from the background together, whatever the known ones say ("interventional").

    v(S) = mean over background rows z of f(x_S, z_without S)
    predict : X (n, p) -> (n, n_outputs); background (m, p). Cost: C * n * m predictions.
    """
    def v(X, S):
        parts = [_mean_prediction(predict, rows, background, S) for rows in _chunks(X, len(background))]
        return np.concatenate(parts, axis=1)

    return v


def _mean_prediction(predict, X, background, S):
    size = max(1, ROWS_AT_ONCE // (len(X) * len(background)))
    means = []
    for some in (S[c:c + size] for c in range(0, len(S), size)):
        mixed = np.where(some[:, None, None, :], X[:, None, :], background)
        means.append(predict(mixed.reshape(-1, X.shape[1])).reshape(*mixed.shape[:3], -1).mean(axis=2))
    return np.concatenate(means)


def _chunks(X, rows_each):
    size = max(1, ROWS_AT_ONCE // rows_each)
    return [X[i:i + size] for i in range(0, len(X), size)]


def neighbours(predict, background, *, n_neighbours=None):
    """Missing features come from the background rows most like x in the known ones: an empirical conditional expectation.

    v(S) = mean of f(x_S, z_without S) over the n_neighbours rows z nearest to x in the columns S, each column scaled to unit
    variance; ties at the edge all count, so with discrete columns the rows that agree with x exactly stay together.
    n_neighbours : number, or None for the square root of the background's rows.
    Source: Aas, Jullum and Loland (2021), section 3.
    """
    k = int(np.ceil(np.sqrt(len(background)))) if n_neighbours is None else n_neighbours
    if not 1 <= k <= len(background):
        raise ValueError(f"n_neighbours is {k}, expected between 1 and the background's {len(background)} rows.")
    spread = background.std(axis=0)
    spread[spread == 0] = 1.0

    def v(X, S):
        return np.stack([np.concatenate([_neighbours_mean(predict, rows, background, known, spread, k)
                                         for rows in _chunks(X, len(background))]) for known in S])

    return v


def _neighbours_mean(predict, X, background, known, spread, k):
    mixed = np.where(known, X[:, None, :], background)
    outputs = predict(mixed.reshape(-1, X.shape[1])).reshape(*mixed.shape[:2], -1)
    apart = (((X[:, None, :] - background) / spread)[:, :, known] ** 2).sum(axis=2)
    edge = np.partition(apart, k - 1, axis=1)[:, [k - 1]]
    near = apart <= edge * (1 + 1e-12)
    return np.einsum("im,imk->ik", near / near.sum(axis=1, keepdims=True), outputs)


def gaussian(predict, background, *, n_samples=100, rng=0):
    """Missing features are drawn given the known ones, as if the features were jointly Gaussian.

    v(S) = E f(x_S, Z), Z ~ N(mu_R + B (x_S - mu_S), Sigma_RR - B Sigma_SR), B = Sigma_RS Sigma_SS^-1, R the rest;
    mu, Sigma from the background; n_samples draws and their mirror images, the same for all rows, so that a linear model
    is exact. Source: Aas, Jullum and Loland (2021), section 3.
    """
    rng = np.random.default_rng(rng)
    mean, covariance = background.mean(axis=0), np.atleast_2d(np.cov(background, rowvar=False, bias=True))
    noise = rng.normal(size=(n_samples, background.shape[1]))
    noise = np.concatenate([noise, -noise])

    def v(X, S):
        return np.stack([np.concatenate([_gaussian_mean(predict, rows, known, mean, covariance, noise)
                                         for rows in _chunks(X, len(noise))]) for known in S])

    return v


def _gaussian_mean(predict, X, known, mean, covariance, noise):
    rest = ~known
    slope = covariance[np.ix_(rest, known)] @ np.linalg.pinv(covariance[np.ix_(known, known)])
    left = covariance[np.ix_(rest, rest)] - slope @ covariance[np.ix_(known, rest)]
    drawn = np.repeat(X[:, None, :], len(noise), axis=1)
    centre = mean[rest] + (X[:, known] - mean[known]) @ slope.T
    drawn[:, :, rest] = centre[:, None, :] + noise[:, rest] @ _square_root(left)
    return predict(drawn.reshape(-1, X.shape[1])).reshape(*drawn.shape[:2], -1).mean(axis=1)


def _square_root(covariance):
    size, axes = np.linalg.eigh(covariance)
    return (axes * np.sqrt(np.maximum(size, 0))) @ axes.T


def path_dependent(forest):
    """A tree asks a missing feature: both branches are followed, weighted by the training rows that took them.

    v(S) = base + sum over trees of weight * G(root), where G(t) is the leaf's value, the G of the branch that x takes if the
    split's feature is in S, else the cover-weighted mean of both. Source: Lundberg et al. (2020), Methods (Algorithm 1).
    """
    def v(X, S):
        values = np.zeros((len(S), len(X), forest.n_outputs)) + forest.base
        for weight, tree in zip(forest.weights, forest.trees, strict=True):
            share = cover_shares(tree)
            values += weight * np.stack([_expected_value(tree, X, known, share) for known in S])
        return values

    return v


def _expected_value(tree, X, known, share):
    def below(t):
        if tree.is_leaf[t]:
            return np.tile(tree.value[t], (len(X), 1))
        left, right = tree.children_left[t], tree.children_right[t]
        if known[tree.feature[t]]:
            return np.where(tree.goes_left(X, t)[:, None], below(left), below(right))
        return share[left] * below(left) + share[right] * below(right)

    return below(0)


def every_coalition(v, X):
    """The game that each row plays, as a table of payoffs: v(X, S), X (n, p) -> (2^p, n, n_outputs), rows by bitmask."""
    return v(X, coalitions(X.shape[1]))
