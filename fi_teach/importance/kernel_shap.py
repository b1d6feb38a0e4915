"""Shapley values are a regression: the additive model that fits the payoffs best, if the coalitions are weighted just so.

With every coalition in the regression the answer is exact; with a sample of them it is an estimate for models of any kind.
"Kernel" is the weight: heavy on coalitions of one player and of all but one, light in the middle.
"""

from math import comb

import numpy as np

from fi_teach.basics.games import coalitions
from fi_teach.basics.removal import check_background, marginal, on_arrays
from fi_teach.basics.results import Attribution
from fi_teach.basics.tables import check_table

ALL_UP_TO = 12  # features for which all coalitions are used unless told otherwise
MOST_FEATURES = 20


def kernel_shap(predict, X, *, background, n_coalitions=None, rng=0):
    """Shapley values of each prediction by weighted least squares, missing features drawn from the background.

    phi = argmin over phi with sum_j phi_j = f(x) - v(empty) of sum over S of k(|S|) (v(S) - v(empty) - sum_{j in S} phi_j)^2,
    k(s) = (p-1) / (C(p,s) s (p-s)),   v(S) = mean over background rows z of f(x_S, z_without S)
    predict : function of X (n, p) -> (n,) or (n, n_outputs); background (m, p)
    n_coalitions : how many to ask, in pairs of a coalition and its complement; None for all 2^p - 2 up to 12 features
        (then the values equal shapley_values), beyond that 2p + 2048. As many as there are, or more, means all.
    -> Attribution, values (n, p) or (n, p, n_outputs). Cost: n_coalitions * n * m predictions.

    Raises ValueError for too few coalitions to determine p values, for all coalitions of more than 20 features, a background
    with other columns or no rows, and predictions that are labels or NaN. Source: Lundberg and Lee (2017), section 4.1.

    >>> AND = lambda X: X[:, 0] * X[:, 1]
    >>> kernel_shap(AND, [[1, 1], [1, 0]], background=[[0, 0], [0, 1], [1, 0], [1, 1]]).values.round(12)
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    rng = np.random.default_rng(rng)
    rows, names = check_table(X, allow_nan=True)
    v = marginal(on_arrays(predict, X), check_background(background, names))
    p = len(names)
    nothing, everything = v(rows, coalitions(1)[:, [0] * p])
    S, weight = _design(p, n_coalitions, rng)
    payoffs = v(rows, S) - nothing if len(S) else np.zeros((0, *nothing.shape))
    shares = solve_for_shares(S, weight, payoffs, everything - nothing)
    values, base = np.moveaxis(shares, 0, 1), nothing[0]
    if values.shape[2] == 1:
        values, base = values[:, :, 0], float(base[0])
    return Attribution(values, base, names, method="Shapley values (Kernel SHAP)")


def kernel_weight(p, s):
    """The regression weight of one coalition of size s among p players, 0 < s < p: (p-1) / (C(p,s) s (p-s)).

    >>> [round(kernel_weight(4, s), 3) for s in (1, 2, 3)]
    [0.25, 0.125, 0.25]
    """
    return (p - 1) / (comb(p, s) * s * (p - s))


def solve_for_shares(S, weight, payoffs, total):
    """The weighted regression, its constraint met by elimination: the last share is the total less the others.

    S (C, p) bool, weight (C,), payoffs (C, ...) above the empty coalition's, total (...) -> shares (p, ...) that sum to total

    Raises ValueError where the coalitions leave some share undetermined.
    """
    last = S[:, -1].astype(float)
    design = S[:, :-1] - last[:, None]
    left = payoffs.reshape(len(S), total.size) - last[:, None] * total.reshape(1, -1)
    root = np.sqrt(weight)[:, None]
    first, _, rank, _ = np.linalg.lstsq(root * design, root * left, rcond=None)
    if rank < S.shape[1] - 1:
        raise ValueError(f"{len(S)} coalitions do not determine {S.shape[1]} shares: raise n_coalitions, at least to {4 * S.shape[1]}.")
    shares = np.vstack([first, total.reshape(1, -1) - first.sum(axis=0)])
    return shares.reshape(S.shape[1], *total.shape)


def _design(p, n_coalitions, rng):
    """The coalitions that enter the regression, without the empty and the full one, and their weights."""
    wanted = (np.inf if p <= ALL_UP_TO else 2 * p + 2048) if n_coalitions is None else n_coalitions
    if wanted < 2:
        raise ValueError(f"n_coalitions is {n_coalitions}, expected at least 2 (a coalition and its complement), or None for all.")
    if wanted < 2**p - 2:
        return _sampled_pairs(p, int(wanted) // 2, rng)
    if p > MOST_FEATURES:
        raise ValueError(f"{p} features have 2^{p} coalitions, too many to use all: up to {MOST_FEATURES} features can; "
                         f"from {MOST_FEATURES + 1} on give n_coalitions, for example {2 * p + 2048}.")
    S = coalitions(p)[1:-1]
    return S, np.array([kernel_weight(p, s) for s in S.sum(axis=1)])


def _sampled_pairs(p, n_pairs, rng):
    """Coalitions drawn in proportion to the kernel, each with its complement; drawn so, they weigh the same in the regression.

    Pairs cancel all that features do two at a time: such a model is explained exactly by any sample that determines the shares.
    """
    sizes = np.arange(1, p)
    chance = 1 / (sizes * (p - sizes))  # kernel_weight times the number of coalitions of that size, up to a constant
    size = rng.choice(sizes, size=n_pairs, p=chance / chance.sum())
    place = rng.random((n_pairs, p)).argsort(axis=1)
    S, times = np.unique(place < size[:, None], axis=0, return_counts=True)
    return np.concatenate([S, ~S]), np.concatenate([times, times]).astype(float)
