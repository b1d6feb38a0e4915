"""Kernel SHAP: Shapley values as the weighted least-squares fit of an additive model to payoffs.

With every coalition in the regression the answer is exact; with a sample of them it is an estimate,
for models of any kind. The "kernel" is the weight: heavy on coalitions of one player and of all but
one, light in the middle.
"""

from math import comb
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.games import coalitions
from fi_teach.basics.model import as_model
from fi_teach.basics.results import Attribution
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_real_table, feature_names
from fi_teach.basics.value_functions import check_background, marginal

ALL_UP_TO = 12  # features for which all coalitions are used unless told otherwise
MOST_FEATURES = 20
MOST_NUMBERS = 2**27  # of the regression's design: 1 GB


def kernel_shap(
    model: object,
    X: ArrayLike,
    *,
    background: ArrayLike,
    n_coalitions: int | None = None,
    rng: Seed = 0,
) -> Attribution:
    """Shapley values by weighted least squares, missing features drawn from the background.

    phi  = argmin of sum over S of k(|S|) * (v(S) - v(empty) - sum over j in S of phi_j)^2,
           subject to sum over j of phi_j = f(x) - v(empty)
    k(s) = (p-1) / (C(p,s) s (p-s))
    v(S) = mean over background rows z of f(x_S, z without S)

    model : a fitted model, of which the raw score is explained, or a function of a table -> (n,) or
        (n, n_outputs) numbers; X (n, p), background (m, p) : any tables that it takes
    n_coalitions : how many to ask, in pairs of a coalition and its complement; None for all
        2^p - 2 up to 12 features (then the values equal shapley_values), beyond that 2p + 2048
    -> Attribution, values (n, p) or (n, p, n_outputs). Cost: n_coalitions * n * m predictions.

    Source: Lundberg and Lee (2017), section 4.1.

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> kernel_shap(AND, [[1, 1], [1, 0]], background=bits).values.round(12)
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    rng = own_stream(rng, "Kernel SHAP")
    model, X = as_model(model), check_real_table(X)
    background = model.arrange(check_background(background, X))
    model.as_asked(background, what="background")  # refuses gaps that its trees do not know
    rows = model.arrange(X)
    names = model.names or feature_names(rows)
    S, weight = _design(len(names), n_coalitions, rng)

    v = marginal(model, background)
    nobody = np.zeros(len(names), dtype=bool)
    payoffs = v(rows, np.vstack([nobody, ~nobody, S]))
    nothing = payoffs[0]
    gains = payoffs[1:] - nothing
    shares = solve_for_shares(S, weight, gains[1:], total=gains[0])

    return Attribution.of_outputs(
        np.moveaxis(shares, 0, 1), nothing[0], names, method="Shapley values (Kernel SHAP)")


def kernel_weight(p: int, s: int) -> float:
    """The regression weight of one coalition of size s among p players, 0 < s < p.

    (p-1) / (C(p,s) s (p-s))

    >>> [round(kernel_weight(4, s), 3) for s in (1, 2, 3)]
    [0.25, 0.125, 0.25]
    """
    return (p - 1) / (comb(p, s) * s * (p - s))


def solve_for_shares(S: NDArray, weight: NDArray, payoffs: NDArray, total: NDArray) -> NDArray:
    """Solve the weighted regression under the constraint that the shares add up to the total.

    argmin of sum over S of weight_S * (payoff_S - sum over j in S of phi_j)^2,
    subject to sum over j of phi_j = total

    S (C, p) bool, weight (C,), payoffs (C, ...) above the empty coalition's, total (...)
    -> shares (p, ...) that sum to total

    >>> alone = np.array([[True, False], [False, True]])  # one earns 1, the other 3, both 6
    >>> shares = solve_for_shares(alone, np.ones(2), np.array([1.0, 3.0]), np.array(6.0))
    >>> shares.round(12)
    array([2., 4.])
    """
    n_coalitions, p = S.shape
    totals = total.reshape(1, total.size)
    payoffs = payoffs.reshape(n_coalitions, total.size)
    has_last = S[:, [-1]].astype(float)
    design = S[:, :-1] - has_last
    left = payoffs - has_last * totals
    root = np.sqrt(weight)[:, None]
    solution = np.linalg.lstsq(root * design, root * left, rcond=None)
    others, rank = solution[0], solution[2]
    if rank < p - 1:
        raise ValueError(
            f"{n_coalitions} coalitions do not determine {p} shares: "
            f"raise n_coalitions, at least to {4 * p}.")
    shares = np.vstack([others, totals - others.sum(axis=0)])
    return shares.reshape(p, *total.shape)


def _design(p, n_coalitions, rng):
    """The coalitions of the regression, without the empty and the full one, and their weights."""
    wanted = n_coalitions
    if wanted is None:
        wanted = np.inf if p <= ALL_UP_TO else 2 * p + 2048
    if not isinstance(wanted, Real) or not wanted >= 2:
        raise ValueError(
            f"n_coalitions is {n_coalitions}, expected at least 2 (a coalition and its "
            "complement), or None for all.")
    if wanted < 2**p - 2:
        if wanted * p > MOST_NUMBERS:
            raise ValueError(
                f"a regression of {wanted} coalitions on {p} features is too large: use "
                "sampled_shapley_values (any model), or tree_shap (trees).")
        return _sampled_pairs(p, int(wanted) // 2, rng)
    if p > MOST_FEATURES:
        raise ValueError(
            f"{p} features have 2^{p} coalitions, too many to use all: up to {MOST_FEATURES} "
            f"features can; from {MOST_FEATURES + 1} on give n_coalitions, "
            f"for example {2 * p + 2048}.")
    S = coalitions(p)[1:-1]
    weight = [kernel_weight(p, s) for s in S.sum(axis=1).tolist()]
    return S, np.array(weight)


def _sampled_pairs(p, n_pairs, rng):
    """Coalitions drawn in proportion to the kernel, each with its complement; they weigh alike.

    Pairs cancel all that features do two at a time: such a model is explained exactly by any sample
    that determines the shares.
    """
    sizes = np.arange(1, p)
    chance = 1 / (sizes * (p - sizes))  # kernel times number of coalitions, up to a constant
    size = rng.choice(sizes, size=n_pairs, p=chance / chance.sum())
    place = rng.random((n_pairs, p)).argsort(axis=1)
    S, times = np.unique(place < size[:, None], axis=0, return_counts=True)
    return np.concatenate([S, ~S]), np.concatenate([times, times]).astype(float)
