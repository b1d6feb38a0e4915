"""What does a feature tell the model that the other features do not already say? Shuffle it among rows that are otherwise alike.

A marginal shuffle of a correlated feature makes rows that cannot exist: a height of two metres with a child's weight. Drawing
x_j anew *given the other features* keeps the rows possible, and measures x_j's part that the others do not know. The
price: the conditional distribution has to be known, or estimated, and the estimate decides.
"""

import numpy as np

from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import check_count, check_setting, normal_given_others, receiver_donor_variance
from fi_teach.basics.tables import check_table
from fi_teach.trees.cart import grow_cart


def conditional_importance(predict, X, y, *, method="subgroups", loss="mse", n_repeats=30, rng=0):
    """Mean loss after feature j was drawn anew given the other features, less the mean loss before.

    CFI_j = 1/n sum_i [ L(y_i, f(x_i with x_ij replaced by x~_ij)) - L(y_i, f(x_i)) ],  x~_ij drawn from x_j given x_i,-j.

    method : how x~ is drawn. "subgroups": x_j is shuffled within the leaves of a regression tree that predicts x_j from the other
        features (see subgroups); what the leaves leave unexplained of the dependence is still broken. "gaussian": from
        the normal distribution that least squares fits; exact for jointly normal features, wrong for curved dependence.
    predict, X (n, p), y (n,), loss, n_repeats, rng : as in permutation_importance; X without missing values
    Returns an Importance, in units of the loss: draws (p, n_repeats), permutation_sd their spread; standard_error is that of new
    test sets, each row counted twice: for subgroups as receiver and donor, for gaussian draws as receiver and as one of the
    rows that fitted the distribution drawn from. Neither knows whether that distribution has the right shape.

    Raises ValueError as permutation_importance does, and for missing values or an unknown method.
    Source: Strobl et al. (2008); Molnar et al. (2023), subgroups by trees; Watson and Wright (2021), for tests.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> X = np.column_stack([x, x + 0.5 * rng.normal(size=400)])
    >>> conditional_importance(lambda X: X[:, 0], X, x, method="gaussian").mean.round(1)  # 2 Var(x given x1); alone it is 2 Var(x)
    array([0.4, 0. ])
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}: expected one of {', '.join(map(repr, METHODS))}.")
    rng, (table, names) = np.random.default_rng(rng), check_table(X)
    setting = check_setting(predict, X, y, loss)
    draws, variance = [], []
    for j in range(len(names)):
        differences, its_variance = METHODS[method](setting, table, j, check_count(n_repeats, "n_repeats"), rng)
        draws.append(differences.mean(axis=0))
        variance.append(its_variance)
    spread = np.std(draws, axis=1, ddof=1) if n_repeats > 1 else None
    return Importance(names, np.array(draws), f"conditional importance ({method})", "loss", np.sqrt(variance), spread)


def subgroups(X, column, *, min_rows=None):
    """Rows that are alike in everything that predicts one column: the leaves of a regression tree for it on the others.

    X (n, p) array, column a position; min_rows : smallest subgroup, None takes sqrt(n), at least 5
    -> (n,) int, the subgroup's number from 0

    A small min_rows makes rows more alike and leaves less to shuffle; with one subgroup the shuffle is the marginal one.
    Source: Molnar et al. (2023), sec. 3.

    >>> subgroups(np.array([[0.0, 1], [0, 1], [1, 5], [1, 5]]), 1, min_rows=2)
    array([0, 0, 1, 1])
    """
    rest, target = np.delete(X, column, axis=1), X[:, column]
    min_rows = max(5, round(np.sqrt(len(X)))) if min_rows is None else check_count(min_rows, "min_rows")
    if rest.shape[1] == 0 or (target == target[0]).all():
        return np.zeros(len(X), dtype=int)
    tree = grow_cart(rest, target, criterion="variance", min_samples_leaf=min_rows)
    return np.unique(tree.apply(rest), return_inverse=True)[1]


def shuffle_within(groups, rng):
    """A random permutation that keeps every row in its group: groups (n,) int -> donors (n,) int.

    >>> shuffle_within(np.array([0, 1, 0, 1, 2]), np.random.default_rng(0))[[4]]
    array([4])
    """
    donors = np.empty(len(groups), dtype=int)
    donors[np.argsort(groups, kind="stable")] = np.lexsort((rng.random(len(groups)), groups))
    return donors


def _within_subgroups(setting, table, j, n_repeats, rng):
    groups = subgroups(table, j)
    donors = np.stack([shuffle_within(groups, rng) for _ in range(n_repeats)], axis=1)
    differences = setting.swapped([j], donors) - setting.base[:, None]
    return differences, receiver_donor_variance(differences, donors, groups)


def _gaussian(setting, table, j, n_repeats, rng):
    design, fitted, spread = normal_given_others(table, j)
    noise = rng.standard_normal((len(table), n_repeats))
    differences = setting.replaced(j, fitted[:, None] + spread * noise) - setting.base[:, None]
    if spread == 0:  # the others determine the column: every draw is the fitted value itself
        return differences, differences.mean(axis=1).var(ddof=1) / len(table)
    helped = _help_with_the_fit(differences, noise, design, table[:, j] - fitted, spread)
    return differences, (differences.mean(axis=1) + helped).var(ddof=1) / len(table)


def _help_with_the_fit(differences, noise, design, residual, spread):
    """A row's second role: no donor of its value, it helps to fit the normal distribution from which all rows draw -> (n,).

    helped_i = g_w . H^-1 a_i r_i + g_s (r_i^2 - s^2) / (2 s): how far row i moves the weights w and the spread s, with a_i its row
    of the design, r_i its residual, H = mean of a a', times how far the mean difference moves with them. Those slopes need no
    new predictions: d/dw E[D] = E[D z / s a] and d/ds E[D] = E[D (z^2 - 1) / s] for draws w.a + s z.
    """
    slope_w = design.T @ (differences * noise).mean(axis=1) / (spread * len(design))
    slope_s = (differences * (noise**2 - 1)).mean() / spread
    moved_w = design @ np.linalg.pinv(design.T @ design / len(design)) @ slope_w
    return moved_w * residual + slope_s * (residual**2 - spread**2) / (2 * spread)


METHODS = {"subgroups": _within_subgroups, "gaussian": _gaussian}
