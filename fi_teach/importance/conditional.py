"""Conditional importance: what a feature adds to what the other features already say.

A permutation of a correlated feature makes rows that cannot exist: a height of two metres with a
child's weight. Drawing x_j anew *given the other features* keeps the rows possible, and measures
how the model uses the part of x_j that the others do not determine:

    CFI_j  =  mean over rows of  L(y_i, f(x_i with x_ij replaced by x~_ij))  -  L(y_i, f(x_i)),
    x~_ij drawn from the distribution of x_j given the rest of x_i

If x_j tells nothing about y once the others are known, the expected importance is 0 in every model.
The reverse does not hold: at 0 the model may use a feature that is correlated with x_j instead.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.choices import check_choice
from fi_teach.basics.encoding import as_numbers, is_words
from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.losses import Loss
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import Table, normal_given_others, variance_of_mean
from fi_teach.basics.tables import check_count, check_real_table, check_table, positions_of
from fi_teach.fast.permutation import losses_after_putting, losses_after_shuffling, never_asks
from fi_teach.trees.cart import grow_cart

Drawn = tuple[NDArray, float]
"""Each row's gain in loss in each draw (n, K), and the variance of their mean."""


def conditional_importance(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    method: str = "subgroups",
    loss: str | Loss | None = None,
    n_repeats: int = 30,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Mean loss after feature j was drawn anew given the other features, less the mean before.

    method : how x~ is drawn. "subgroups": x_j is permuted within the leaves of a tree that predicts
        x_j from the other features (see subgroups); dependence that the leaves do not explain is
        still broken. Columns of any kind. "gaussian": from the normal distribution that least
        squares fits; exact for jointly normal features, wrong for curved dependence. Numbers
        without gaps.
    model, X (n, p), y (n,), loss, n_repeats, sample_weight, groups : as in permutation_importance
    -> Importance in units of the loss: draws (p, n_repeats), permutation_sd their spread;
       standard_error is that of new test sets, each row counted twice: for subgroups as receiver
       and donor, for gaussian draws as receiver and as one of the rows that fitted the
       distribution. Neither includes the error of a distribution of the wrong shape.

    Source: Strobl et al. (2008); Molnar et al. (2023), subgroups by trees; Watson and Wright
    (2021), for tests.

    >>> data = np.random.default_rng(0)
    >>> x = data.normal(size=400)
    >>> X = np.column_stack([x, x + 0.5 * data.normal(size=400)])
    >>> f = lambda X: X[:, 0]
    >>> importance = conditional_importance(f, X, x, method="gaussian")
    >>> importance.mean.round(1)  # 2 Var(x given x1); alone it is 2 Var(x)
    array([0.4, 0. ])
    """
    check_choice(method, METHODS, "method")
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    as_seen, draw = METHODS[method]
    table, _ = as_seen(test_set.X)
    n_repeats = check_count(n_repeats, "n_repeats")
    streams = own_stream(rng, "conditional importance").spawn(test_set.n_features)
    no_gain = np.zeros((test_set.n_rows, n_repeats)), 0.0
    drawn = (
        no_gain if never_asks(test_set, [j]) else draw(test_set, table, j, n_repeats, stream)
        for j, stream in enumerate(streams))
    return test_set.importance(drawn, f"conditional importance ({method})")


def subgroups(X: ArrayLike, column: object, *, min_samples_leaf: int | None = None) -> NDArray:
    """Group the rows by the leaves of a tree that predicts one column from the others.

    Numbers are predicted by squared error, words by Gini.

    X (n, p) : any table; column : a name, of an array a position
    min_samples_leaf : smallest subgroup, None takes sqrt(n), at least 5
    -> (n,) int64, the subgroup's number from 0

    Smaller subgroups hold more similar rows and leave less to permute; with one subgroup the
    permutation is the marginal one.

    Source: Molnar et al. (2023), sec. 3.

    >>> subgroups(np.array([[0.0, 1], [0, 1], [1, 5], [1, 5]]), 1, min_samples_leaf=2)
    array([0, 0, 1, 1])
    """
    X = check_real_table(X)
    (j,) = positions_of([column], X)
    if min_samples_leaf is not None:
        min_samples_leaf = check_count(min_samples_leaf, "min_samples_leaf")
    return _leaves(as_numbers(X)[0], j, _holds_words(X, j), min_samples_leaf)


def shuffle_within(groups: NDArray, rng: np.random.Generator) -> NDArray:
    """A random permutation that keeps every row in its group: groups (n,) int -> donors (n,) int64.

    >>> shuffle_within(np.array([0, 1, 0, 1, 2]), np.random.default_rng(0))[[4]]
    array([4])
    """
    donors = np.empty(len(groups), dtype=np.int64)
    rows_by_group = np.argsort(groups, kind="stable")
    donors[rows_by_group] = np.lexsort((rng.random(len(groups)), groups))
    return donors


# --- permuted within subgroups ---


def _within_subgroups(
    test_set: Evaluation, table: NDArray, j: int, n_repeats: int, rng: np.random.Generator
) -> Drawn:
    within = _leaves(table, j, _holds_words(test_set.X, j))
    donors = np.stack([shuffle_within(within, rng) for _ in range(n_repeats)], axis=1)
    gains = losses_after_shuffling(test_set, [j], donors) - test_set.losses_before[:, None]
    return gains, test_set.variance_of_mean_gain(gains, donors, within)


def _leaves(table: NDArray, j: int, words: bool, min_samples_leaf: int | None = None) -> NDArray:
    """The leaf of each row in a tree that predicts column j from the others, numbered from 0."""
    n_rows, p = table.shape
    target = table[:, j]
    if p == 1 or (target == target[0]).all():
        return np.zeros(n_rows, dtype=np.int64)
    smallest = min_samples_leaf or max(5, round(np.sqrt(n_rows)))
    others = np.delete(table, j, axis=1)
    criterion = "gini" if words else "variance"
    tree = grow_cart(others, target, criterion=criterion, min_samples_leaf=smallest)
    return np.unique(tree.apply(others), return_inverse=True)[1].astype(np.int64)


def _holds_words(X: Table, j: int) -> bool:
    return not isinstance(X, np.ndarray) and is_words(X.dtypes.iloc[j])


# --- drawn from a fitted normal distribution ---


def _gaussian(
    test_set: Evaluation, table: NDArray, j: int, n_repeats: int, rng: np.random.Generator
) -> Drawn:
    design, fitted, spread = normal_given_others(table, j)
    noise = np.ascontiguousarray(rng.standard_normal((n_repeats, test_set.n_rows)).T)
    drawn = fitted[:, None] + spread * noise
    gains = losses_after_putting(test_set, j, drawn) - test_set.losses_before[:, None]
    residual = table[:, j] - fitted
    return gains, _gaussian_variance(test_set, gains, noise, design, residual, spread)


def _gaussian_variance(
    test_set: Evaluation, gains: NDArray, noise: NDArray, design: NDArray, residual: NDArray,
    spread: float,
) -> float:
    """Variance of the mean gain, each row counted as receiver and as one that fitted the draws."""
    counted = test_set.weights[:, None] * gains
    psi = counted.mean(axis=1) - test_set.weights * counted.mean()
    if spread > 0:  # else the others determine the column: every draw is the fitted value itself
        psi = psi + _influence_on_the_fit(counted, noise, design, residual, spread)
    return variance_of_mean(psi, test_set.groups)


def _influence_on_the_fit(
    gains: NDArray, noise: NDArray, design: NDArray, residual: NDArray, spread: float
) -> NDArray:
    """A row's second role: it is no donor, but helps to fit the normal distribution -> (n,).

    influence_i = g_w . H^-1 a_i r_i + g_s (r_i^2 - s^2) / (2 s): how far row i moves the weights w
    and the spread s, with a_i its row of the design, r_i its residual, H = mean of a a', times how
    far the mean difference D moves with them. Those slopes need no new predictions, as draws are
    w.a + s z:  d/dw E[D] = E[D z / s a]  and  d/ds E[D] = E[D (z^2 - 1) / s].
    """
    n = len(design)
    slope_w = design.T @ (gains * noise).mean(axis=1) / (spread * n)
    slope_s = (gains * (noise**2 - 1)).mean() / spread

    H = design.T @ design / n
    moved_w = design @ np.linalg.pinv(H) @ slope_w * residual
    moved_s = slope_s * (residual**2 - spread**2) / (2 * spread)
    return moved_w + moved_s


def _numbers_without_gaps(X: Table) -> tuple[NDArray, tuple]:
    try:
        return check_table(X)
    except ValueError as refusal:
        raise ValueError(
            f"{refusal} Or choose method='subgroups', which takes any columns.") from None


METHODS = {
    "subgroups": (as_numbers, _within_subgroups),
    "gaussian": (_numbers_without_gaps, _gaussian),
}
"""How each method reads the table, and how it draws."""
