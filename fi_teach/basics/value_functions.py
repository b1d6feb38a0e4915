"""Value functions: what a model predicts when only the features in S are known.

Each function here is one answer, and returns a value function v(X, S): for rows X (n, p) and
coalitions S (C, p) bool, what the model is taken to predict when it knows only the features in S
-> (C, n, n_outputs). Shapley values of the same model differ between the answers, not between the
algorithms. Source: Covert, Lundberg and Lee (2021).

A model is fitted, or a function of a table. What is averaged is its raw score: a boosting model's
margin, another classifier's probabilities, or the prediction.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.games import coalitions
from fi_teach.basics.model import Table, as_model
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import take
from fi_teach.basics.tables import (
    check_count,
    check_real_table,
    check_table,
    feature_names,
    in_order,
)
from fi_teach.basics.tree import LEAF, Tree

NUMBERS_AT_ONCE = 2**19  # of a table that is handed to a model in one call: 4 MB

ValueFunction = Callable[[Table, NDArray], NDArray]


# --- four value functions ---

def marginal(model: object, background: Table) -> ValueFunction:
    """Missing features are drawn together from the background, independently of the known ones.

    v(S) = mean over background rows z of f(x_S, z without S)        ("interventional")
    background (m, p) : any table that the model takes. Cost: C * n * m predictions.
    -> value function, in units of the model's raw score
    Source: Lundberg and Lee (2017), section 4.1; Janzing, Minorics and Blöbaum (2020).

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> v = marginal(AND, bits)
    >>> every_coalition(v, np.array([[1, 1]])).ravel()  # of no, either, both features
    array([0.25, 0.5 , 0.5 , 1.  ])
    """
    ask = as_model(model).raw

    def means(X, S):
        answers = ask(mixed(X, background, S))
        answers = answers.reshape(len(S), len(X), len(background), -1)
        return answers.mean(axis=2)

    def v(X, S):
        size = max(1, NUMBERS_AT_ONCE // (len(X) * background.size))
        parts = [S[start:start + size] for start in range(0, len(S), size)]
        return np.concatenate([_in_chunks(means, X, len(background), some) for some in parts])

    return v


def neighbours(
    model: object,
    background: Table,
    *,
    n_neighbours: int | None = None,
) -> ValueFunction:
    """Missing features come from the background rows nearest to x in the known features.

    v(S) = mean of f(x_S, z without S) over the n_neighbours rows z nearest to x in the columns S,
    each column scaled to unit variance: an empirical conditional expectation. Ties at the edge all
    count, so that with discrete columns the rows that agree with x exactly stay together.
    background (m, p) : numbers without gaps. Cost: C * n * m predictions.
    n_neighbours : number, or None for the square root of the background's rows.
    -> value function, in units of the model's raw score

    Source: Aas, Jullum and Loland (2021), section 3.

    >>> twins = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> v = neighbours(lambda X: X[:, 1], twins, n_neighbours=2)
    >>> every_coalition(v, np.array([[1.0, 1.0]])).ravel()  # the first determines the second
    array([0.5, 1. , 1. , 1. ])
    """
    m = len(background)
    k = int(np.ceil(np.sqrt(m))) if n_neighbours is None else n_neighbours
    if not 1 <= k <= m:
        raise ValueError(
            f"n_neighbours is {k}, expected between 1 and the background's {m} rows.")
    ask = as_model(model).raw
    why = "'neighbours' measures how far rows are apart"
    others = _as_numbers(background, why)
    spread = others.std(axis=0)
    spread[spread == 0] = 1.0

    def means(X, known):
        x = _as_numbers(X, why)[:, None, known]
        steps = (x - others[:, known]) / spread[known]
        apart = (steps**2).sum(axis=2)
        nearest = _share_of_nearest(apart, k)
        answers = ask(mixed(X, background, known[None]))
        answers = answers.reshape(len(X), m, -1)
        return np.einsum("im,imk->ik", nearest, answers)

    return _each_coalition(means, rows_each=m)


def _share_of_nearest(apart, k):
    """Equal weights for the k nearest background rows and their ties: (n, m) -> (n, m)."""
    in_order = np.partition(apart, k - 1, axis=1)
    edge = in_order[:, [k - 1]]
    near = apart <= edge * (1 + 1e-12)
    return near / near.sum(axis=1, keepdims=True)


def gaussian(
    model: object,
    background: Table,
    *,
    n_repeats: int = 100,
    rng: Seed = 0,
) -> ValueFunction:
    """Missing features are drawn given the known ones, from a joint normal distribution.

    v(S) = E f(x_S, Z),   Z ~ N(mu_R + B (x_S - mu_S), Sigma_RR - B Sigma_SR),
    B = Sigma_RS Sigma_SS^-1, R the rest; mu and Sigma from the background. n_repeats draws and
    their mirror images, the same for all rows, so that a linear model is exact.

    background (m, p) : numbers without gaps. Cost: C * n * 2 n_repeats predictions.
    -> value function, in units of the model's raw score

    Source: Aas, Jullum and Loland (2021), section 3.

    >>> twins = np.array([[0.0, 0.0], [2.0, 2.0]])
    >>> v = gaussian(lambda X: X[:, 1], twins)
    >>> every_coalition(v, np.array([[3.0, 3.0]])).ravel().round(12)
    array([1., 3., 3., 3.])
    """
    rng = own_stream(rng, "Gaussian removal")
    ask = as_model(model).raw
    why = "'gaussian' draws from a normal distribution"
    others = _as_numbers(background, why)
    p = others.shape[1]
    centre = others.mean(axis=0)
    covariance = np.cov(others.T, bias=True).reshape(p, p)
    n_repeats = check_count(n_repeats, "n_repeats")
    noise = rng.normal(size=(n_repeats, p))
    noise = np.concatenate([noise, -noise])

    def means(X, known):
        x = _as_numbers(X, why)
        drawn = _drawn_given(x, known, centre, covariance, noise)
        drawn = drawn.reshape(-1, p)
        answers = ask(_like(X, drawn))
        answers = answers.reshape(len(x), len(noise), -1)
        return answers.mean(axis=1)

    return _each_coalition(means, rows_each=len(noise))


def _drawn_given(x, known, centre, covariance, noise):
    """Rows whose missing features are drawn given the known: (n, p) -> (n, draws, p)."""
    rest = ~known
    of_known = covariance[known][:, known]
    of_rest = covariance[rest][:, rest]
    of_both = covariance[rest][:, known]
    slope = of_both @ np.linalg.pinv(of_known)
    left = of_rest - slope @ of_both.T

    away = x[:, known] - centre[known]
    expected = centre[rest] + away @ slope.T
    spread = noise[:, rest] @ _square_root(left)
    drawn = np.repeat(x[:, None, :], len(noise), axis=1)
    drawn[:, :, rest] = expected[:, None, :] + spread
    return drawn


def _square_root(covariance):
    variance, axes = np.linalg.eigh(covariance)
    lengths = np.sqrt(np.maximum(variance, 0))
    return (axes * lengths) @ axes.T


def path_dependent(model: object) -> ValueFunction:
    """At a split on a missing feature both branches are followed, weighted by training rows.

    v(S) = base + sum over trees of weight * G(root). G of a leaf is its value. G of a split is the
    G of the branch that x takes, if the split's feature is in S, else the mean of both, weighted by
    training cover.

    model : our Tree or Forest, or any fitted model of trees
    -> value function, in units of the model's raw score

    Source: Lundberg et al. (2020), Methods (Algorithm 1).

    >>> from fi_teach.trees import grow_cart
    >>> bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> AND = grow_cart(bits, [0, 0, 0, 1], criterion="variance")
    >>> every_coalition(path_dependent(AND), np.array([[1, 1]])).ravel()
    array([0.25, 0.5 , 0.5 , 1.  ])
    """
    forest = as_model(model).forest

    def v(X, S):
        values = np.zeros((len(S), len(X), forest.n_outputs)) + forest.base
        for weight, tree in zip(forest.weights, forest.trees, strict=True):
            share = cover_shares(tree)
            for value, known in zip(values, S, strict=True):
                value += weight * _expected_value(tree, X, known, share)
        return values

    return v


def _expected_value(tree, X, known, share):
    """G of the root, from the leaves up: children are stored after their parents."""
    G = {}
    for t in reversed(range(tree.n_nodes)):
        left = tree.children_left[t]
        right = tree.children_right[t]
        if left == LEAF:
            G[t] = np.tile(tree.value[t], (len(X), 1))
            continue
        if_left, if_right = G.pop(left), G.pop(right)
        if known[tree.feature[t]]:
            goes_left = tree.goes_left(X, t)[:, None]
            G[t] = np.where(goes_left, if_left, if_right)
        else:
            G[t] = share[left] * if_left + share[right] * if_right
    return G[0]


def cover_shares(tree: Tree) -> NDArray:
    """The share of its parent's training weight that reaches each node, 1 for the root.

    -> (n_nodes,). Children of a node that no training weight reached share evenly.

    >>> from fi_teach.trees import grow_cart
    >>> cover_shares(grow_cart([[0], [0], [0], [1]], [0, 0, 0, 1]))
    array([1.  , 0.75, 0.25])
    """
    inner = np.flatnonzero(~tree.is_leaf)
    parents = np.concatenate([inner, inner])
    children = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    cover = np.asarray(tree.weighted_n_node_samples, dtype=float)
    above, below = cover[parents], cover[children]
    even = np.full(len(parents), 0.5)
    share = np.ones(tree.n_nodes)
    share[children] = np.divide(below, above, out=even, where=above > 0)
    return share


def every_coalition(v: ValueFunction, X: Table) -> NDArray:
    """The payoff of every coalition for each row: X (n, p) -> (2^p, n, n_outputs).

    >>> v = marginal(lambda X: X[:, 0], np.array([[0.0], [2.0]]))
    >>> every_coalition(v, np.array([[5.0]])).ravel()
    array([1., 5.])
    """
    return v(X, coalitions(X.shape[1]))


# --- tables of mixed rows ---

def mixed(X: Table, background: Table, S: NDArray) -> Table:
    """Mix rows: the features in S from X, the others from each background row.

    X (n, p), background (m, p), S (C, p) bool -> table (C n m, p) of X's kind

    >>> mixed(np.array([[1, 2]]), np.array([[7, 8], [9, 0]]), np.array([[True, False]]))
    array([[1, 8],
           [1, 0]])
    """
    if isinstance(X, pd.DataFrame):
        return _mixed_frames(X, background, S)
    known = S[:, None, None, :]
    rows = np.where(known, X[:, None, :], background)  # (C, n, m, p)
    return rows.reshape(-1, X.shape[1])


def _mixed_frames(X, background, S):
    """All at once if the columns are floats; else one by one, to leave each its kind."""
    kinds = {*X.dtypes, *background.dtypes}
    if kinds == {np.dtype(float)}:
        rows = mixed(X.to_numpy(), background.to_numpy(), S)
        return pd.DataFrame(rows, columns=X.columns)
    from_row = np.arange(len(X))[:, None]
    from_background = len(X) + np.arange(len(background))
    columns = {}
    for j in range(X.shape[1]):
        known = S[:, j, None, None]
        source = np.where(known, from_row, from_background)  # (C, n, m)
        values = _stacked(X.iloc[:, j], background.iloc[:, j])
        columns[j] = values.take(source.ravel())
    return pd.DataFrame(columns).set_axis(X.columns, axis=1)


def _stacked(x, z):
    """Two columns, one under the other; categories remain categories."""
    categories = [isinstance(column.dtype, pd.CategoricalDtype) for column in (x, z)]
    if all(categories) and x.dtype != z.dtype:
        return pd.api.types.union_categoricals([x, z], ignore_order=True)
    return pd.concat([x, z]).array


def check_background(background: ArrayLike | None, X: Table) -> Table:
    """Check the background and return it as a table of X's kind, columns in X's order.

    >>> check_background([[1, 2]], np.array([[5, 6], [7, 8]]))
    array([[1., 2.]])
    """
    if background is None:
        raise ValueError(
            "background is None: pass the rows that stand in for missing features, "
            "for example a sample of the training rows.")
    table = check_real_table(background, what="background")
    m_columns, p = table.shape[1], X.shape[1]
    if m_columns != p:
        raise ValueError(
            f"background has {m_columns} columns, X has {p}: give both the same columns.")
    if not isinstance(table, pd.DataFrame):
        return _like(X, table)
    if isinstance(X, pd.DataFrame):
        return in_order(table, feature_names(X), what="background", of="X")
    return check_table(table, allow_nan=True, what="background")[0]


def _like(X, array):
    """An array as a table of X's kind."""
    if isinstance(X, pd.DataFrame):
        return pd.DataFrame(array, columns=X.columns)
    return array


def _as_numbers(table, why):
    """The table as an array of numbers; refused with the reason why it must be."""
    try:
        return check_table(table)[0]
    except ValueError as error:
        raise ValueError(
            f"removal {why}, which takes numbers without gaps. Choose removal='marginal', which "
            f"takes any table, or mend this: {error}") from None


def _in_chunks(means, X, rows_each, known):
    """means(rows, known), for as many rows of X at a time as may go to the model, side by side."""
    size = max(1, NUMBERS_AT_ONCE // (rows_each * X.shape[1]))
    parts = [slice(start, start + size) for start in range(0, len(X), size)]
    return np.concatenate([means(take(X, rows), known) for rows in parts], axis=-2)


def _each_coalition(means, rows_each):
    """The value function whose v(S) is means(rows, known), one coalition after the other."""
    return lambda X, S: np.stack([_in_chunks(means, X, rows_each, known) for known in S])
