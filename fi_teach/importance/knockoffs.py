"""A knockoff is a fake feature that is as much like the others as the real one, but made without looking at y.

Whatever a real feature scores above its knockoff is evidence; whatever a knockoff scores above the real feature counts the
luck that the real ones had too. Notation: Sigma (p, p) is the covariance of the features, s (p,) how far each feature is
kept from its knockoff: Cov(x_j, knockoff_j) = Sigma_jj - s_j, so at s_j = 0 it is a copy, which its feature never beats.
"""

from numbers import Real

import numpy as np

from fi_teach.basics.results import Importance
from fi_teach.basics.tables import check_table, check_target

SMALLEST_EIGENVALUE = 1e-4  # of an estimated correlation matrix: below it, sampling and inverting lose their digits


def equicorrelated_s(covariance):
    """Every feature is equally far from its knockoff: s_j = min(1, 2 lambda_min) * Sigma_jj.

    lambda_min is the smallest eigenvalue of the correlation matrix; any common s larger than this would need a negative
    variance. covariance (p, p) -> (p,), in units of the variances.
    Raises ValueError for a matrix that is no covariance. Source: Barber and Candès (2015), sec. 2.1.

    >>> equicorrelated_s([[1.0, 0.75], [0.75, 1.0]])
    array([0.5, 0.5])
    """
    _, scale, smallest = _correlation(covariance)
    return min(1.0, 2 * smallest) * scale**2


def mvr_loss(covariance, s):
    """How well the features can be reconstructed from the others and all knockoffs: trace of the inverse of G.

    G = [[Sigma, Sigma - S], [Sigma - S, Sigma]], S = diag(s), is the covariance of features and knockoffs, and 1 / (G^-1)_jj is
    the variance that is left of feature j when everything else is known. trace(G^-1) = trace((2 Sigma - S)^-1) + trace(S^-1).
    covariance (p, p), s (p,) -> number, infinite where no such knockoffs exist.
    Source: Spector and Janson (2022), minimum variance-based reconstructability.
    """
    s = np.asarray(s, dtype=float)
    eigenvalues = np.linalg.eigvalsh(2 * np.asarray(covariance, dtype=float) - np.diag(s))
    if min(eigenvalues[0], s.min()) <= 0:
        return np.inf
    return float((1 / eigenvalues).sum() + (1 / s).sum())


def mvr_s(covariance):
    """The s with the smallest mvr_loss (of the correlation matrix): features that nothing else can reconstruct.

    Equicorrelated knockoffs leave some weighted sum of all the x_j + knockoff_j without any variance: a model can then move a
    feature's credit to the others and the knockoffs at no cost, and power is lost.
    The loss is convex, and its minimum over one s_j is a formula: with A = (2 Sigma - S)^-1, a = A_jj and c = |A e_j|, the best
    is s_j <- (1 + s_j a) / (a + c). Rounds over all j, until the loss stands still.
    covariance (p, p) -> (p,), in units of the variances.
    Raises ValueError for a matrix that is no covariance. Source: Spector and Janson (2022), coordinate descent.

    >>> mvr_s([[1.0, 0.0], [0.0, 4.0]])
    array([1., 4.])
    """
    correlation, scale, smallest = _correlation(covariance)
    s, before = np.full(len(scale), smallest), np.inf
    while True:
        inverse = np.linalg.inv(2 * correlation - np.diag(s))
        loss = np.trace(inverse) + (1 / s).sum()
        if before - loss <= 1e-6 * loss:
            return s * scale**2
        s, before = _one_round(s, inverse), loss


def _one_round(s, inverse, block=32):
    """Each s_j in turn to its best value, the others fixed -> (p,). inverse = (2 Sigma - S)^-1 is used up.

    A step in s_j changes the inverse by weight * column column' (Sherman and Morrison); `block` such changes are kept aside
    and entered in one matrix product, which is much faster than p single ones.
    """
    s = s.copy()
    for start in range(0, len(s), block):
        columns, weights = np.zeros((block, len(s))), np.zeros(block)
        for k, j in enumerate(range(start, min(start + block, len(s)))):
            column = inverse[j] + (weights[:k] * columns[:k, j]) @ columns[:k]
            a, c = column[j], np.sqrt(column @ column)
            step = (1 - c * s[j]) / (a + c)
            columns[k], weights[k] = column, step / (1 - step * a)
            s[j] += step
        inverse += (columns.T * weights) @ columns
    return s


S_METHODS = {"mvr": mvr_s, "equicorrelated": equicorrelated_s}


def knockoff_law(covariance, s):
    """Given x, its Gaussian knockoff is Normal(mean + shrink (x - mean), noise) -> (shrink (p, p), noise (p, p)).

    shrink = I - S Sigma^-1, noise = 2 S - S Sigma^-1 S: the only pair that makes the covariance of (features, knockoffs)
    [[Sigma, Sigma - S], [Sigma - S, Sigma]], in which any feature can change places with its own knockoff.
    Source: Candès et al. (2018), sec. 3.1.

    >>> shrink, noise = knockoff_law([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0])   # independent features:
    >>> shrink.tolist(), noise.tolist()                                      # fresh draws, the old value plays no part
    ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    s = np.asarray(s, dtype=float)
    pull = np.linalg.solve(np.asarray(covariance, dtype=float), np.diag(s))  # Sigma^-1 S
    noise = 2 * np.diag(s) - s[:, None] * pull
    return np.eye(len(s)) - pull.T, (noise + noise.T) / 2


def estimate_covariance(X):
    """The covariance of X's columns, correlations shrunk towards 0 by the share that is expected to be noise.

    r_jk <- (1 - a) r_jk for j != k, with a = sum of the r_jk's sampling variances / sum of their squares, the share with the
    least expected squared error; it vanishes as rows grow. Variances stay. If columns are (nearly) copies, a is raised
    until the matrix can be inverted. X (n, p) -> (p, p).
    Raises ValueError for fewer than two rows or a constant column.

    >>> estimate_covariance([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    array([[0.25, 0.  ],
           [0.  , 0.25]])
    """
    X, names = check_table(X)
    centred = X - X.mean(axis=0)
    scale = X.std(axis=0)
    if len(X) < 2 or (scale <= 1e-12 * np.abs(X).max(axis=0)).any():
        raise ValueError(f"column {names[int(scale.argmin())]!r} of X has one value in all {len(X)} rows: a constant has no "
                         "covariance and no knockoff. Drop it (or bring more rows).")
    z = centred / scale
    correlation = z.T @ z / len(X)
    return _shrunk(correlation, _noise_share(z, correlation)) * np.outer(scale, scale)


def _noise_share(z, correlation):
    """Sum of Var(r_jk) over sum of r_jk^2, j != k, between 0 and 1: z (n, p) standardised rows -> number."""
    variances = ((z**2).T @ z**2 / len(z) - correlation**2) / len(z)
    noise, size = (table.sum() - np.trace(table) for table in (variances, correlation**2))
    return min(1.0, noise / size) if size > 0 else 0.0


def _shrunk(correlation, share):
    """(1 - a) R + a I with a = share, or the smallest larger a that lifts every eigenvalue to SMALLEST_EIGENVALUE."""
    smallest = min(np.linalg.eigvalsh(correlation)[0], SMALLEST_EIGENVALUE)
    share = max(share, (SMALLEST_EIGENVALUE - smallest) / (1 - smallest))
    return (1 - share) * correlation + share * np.eye(len(correlation))


def gaussian_knockoffs(X, *, method="mvr", mean=None, covariance=None, rng=0):
    """Knockoffs for Gaussian features: one fake column for each of X's, drawn without looking at any target.

    Exact if X's rows are independent draws of Normal(mean, covariance); if these are not given they are estimated
    (`estimate_covariance`) and the guarantee is approximate. For other laws the first two moments are matched.
    X (n, p); method "mvr" or "equicorrelated"; mean (p,), covariance (p, p) -> (n, p), in units of X.
    Raises ValueError for an unknown method, a constant column, and a mean or covariance that does not fit X.
    Source: Candès et al. (2018), sec. 3; the choice of s: `mvr_s`, `equicorrelated_s`.

    >>> X = np.random.default_rng(1).normal(size=(1000, 2))
    >>> gaussian_knockoffs(X, mean=[0, 0], covariance=np.eye(2)).shape
    (1000, 2)
    """
    rng = np.random.default_rng(rng).spawn(1)[0]  # X may come from default_rng(0).normal: never draw the same numbers again
    X, _ = check_table(X)
    if method not in S_METHODS:
        raise ValueError(f"unknown method {method!r}: expected one of {', '.join(map(repr, S_METHODS))}.")
    covariance = estimate_covariance(X) if covariance is None else _check_shape(covariance, X, 2, "covariance")
    mean = X.mean(axis=0) if mean is None else _check_shape(mean, X, 1, "mean")
    shrink, noise = knockoff_law(covariance, S_METHODS[method](covariance))
    table = X - mean
    knockoffs = table @ shrink.T
    knockoffs += mean  # in place, here and below: a fresh array costs more time than the sum that fills it
    knockoffs += rng.standard_normal(out=table) @ _root(noise).T
    return knockoffs


def _root(matrix):
    """An R with R R' = matrix. An equicorrelated noise is singular, and rounding can push it below zero: that is cut off."""
    try:
        return np.linalg.cholesky(matrix + 1e-10 * np.diag(np.diag(matrix)))
    except np.linalg.LinAlgError:
        eigenvalues, vectors = np.linalg.eigh(matrix)
        return vectors * np.sqrt(np.maximum(eigenvalues, 0))


def knockoff_statistics(importance_of, X, knockoffs, y, *, rng=0):
    """W_j = importance of feature j - importance of its knockoff, in a model that saw both.

    X, knockoffs (n, p), y (n,); importance_of(XX, y) gets (n, 2p) and returns 2p values or an Importance -> (p,).

    Every pair is handed over in an order that a fair coin decides, and put back afterwards. Without it a tree that breaks
    ties by column order would prefer the features, which always come first; with it the sign of W_j of a null feature is a
    fair coin whatever importance_of does.
    Raises ValueError if importance_of does not return 2p finite numbers, and for shapes that disagree. Source: Candès et al. (2018), sec. 3.2.
    """
    rng = np.random.default_rng(rng)
    X, _ = check_table(X)
    knockoffs, y, n_features = _check_own(knockoffs, X), check_target(y, len(X)), X.shape[1]
    swapped = rng.random(n_features) < 0.5
    side_by_side = np.hstack([np.where(swapped, knockoffs, X), np.where(swapped, X, knockoffs)])
    values = importance_of(side_by_side, y)
    values = np.asarray(values.mean if isinstance(values, Importance) else values, dtype=float)
    if values.shape != (2 * n_features,) or not np.isfinite(values).all():
        raise ValueError(f"importance_of returned shape {values.shape}, expected {2 * n_features} finite numbers: one for each of the "
                         f"{n_features} features and then one for each knockoff, which it gets side by side.")
    difference = values[:n_features] - values[n_features:]
    return np.where(swapped, -difference, difference)


def knockoff_threshold(statistics, q=0.2, *, offset=1):
    """The smallest t > 0 at which the estimated share of false discoveries is at most q, or infinity.

    (offset + #{j: W_j <= -t}) / max(1, #{j: W_j >= t}) <= q, over t among the |W_j| > 0. offset 1 is knockoff+, which
    controls the false discovery rate E[false / selected] at q; offset 0 is the knockoff filter, which controls
    E[false / (selected + 1/q)]. With offset 1 it takes 1/q selections or more: at q = .2 it is five features or none.
    statistics (p,) -> number, in units of the statistics.
    Raises ValueError for q outside (0, 1), another offset, or statistics that are not finite numbers.
    Source: Barber and Candès (2015), sec. 1.2.

    >>> knockoff_threshold([6, 5, 4, 3, 2, -1]), knockoff_threshold([6, 5, 4, 3])
    (2.0, inf)
    """
    _check_filter(q, offset)
    statistics = np.asarray(statistics, dtype=float)
    if statistics.ndim != 1 or not np.isfinite(statistics).all():
        raise ValueError(f"statistics has shape {statistics.shape}, expected one finite number a feature, shape (p,).")
    t = np.unique(np.abs(statistics[statistics != 0]))
    ordered = np.sort(statistics)
    below = np.searchsorted(ordered, -t, side="right")
    above = len(ordered) - np.searchsorted(ordered, t, side="left")
    good = t[(offset + below) / np.maximum(1, above) <= q]
    return float(good[0]) if len(good) else np.inf


def knockoff_filter(importance_of, X, y, *, q=0.2, knockoffs="mvr", offset=1, rng=0):
    """Which features matter, with at most a share q of false discoveries on average?

    Build knockoffs, let importance_of compare each feature with its own, keep W_j >= threshold. A discovery j is false if y
    is independent of x_j GIVEN the other features. Exact for features of known law, approximate when it is estimated.

    importance_of : function of (XX, y), XX (n, 2p) features and knockoffs side by side -> 2p values or an Importance
    X (n, p), y (n,); q in (0, 1), the target false discovery rate
    knockoffs : "mvr", "equicorrelated", or an array (n, p) of your own (`gaussian_knockoffs` with a known covariance)
    offset : 1 for knockoff+, 0 for the knockoff filter
    -> (selected, int array; statistics W (p,), in units of the importance; threshold, number)

    Raises ValueError for q outside (0, 1), a constant column or target, and shapes that disagree.
    Source: Candès et al. (2018), sec. 3; Barber and Candès (2015), sec. 1.2.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(500, 20))
    >>> y = X[:, :6].sum(axis=1) + rng.normal(size=500)
    >>> selected, statistics, threshold = knockoff_filter(lambda XX, y: abs(XX.T @ y), X, y)
    >>> selected   # the six causes; at q = .2 a stranger or two may come along
    array([ 0,  1,  2,  3,  4,  5,  9, 10])
    """
    rng = np.random.default_rng(rng)
    _check_filter(q, offset)
    X, _ = check_table(X)
    y = check_target(y, len(X))
    if len(set(y.tolist())) == 1:
        raise ValueError(f"y is {y[0]!r} in every row: nothing can be important for a constant. Bring a target that varies.")
    fake = gaussian_knockoffs(X, method=knockoffs, rng=rng) if isinstance(knockoffs, str) else _check_own(knockoffs, X)
    statistics = knockoff_statistics(importance_of, X, fake, y, rng=rng)
    threshold = knockoff_threshold(statistics, q, offset=offset)
    return np.flatnonzero(statistics >= threshold), statistics, threshold


def _check_filter(q, offset):
    if not (isinstance(q, Real) and 0 < q < 1):
        raise ValueError(f"q is {q!r}, expected a false discovery rate strictly between 0 and 1, such as 0.2.")
    if offset not in (0, 1):
        raise ValueError(f"offset is {offset!r}, expected 1 (knockoff+) or 0 (knockoff).")


def _check_own(knockoffs, X):
    """Knockoffs that the caller built: as an array of X's shape."""
    array, _ = check_table(knockoffs, what="knockoffs")
    if array.shape != X.shape:
        raise ValueError(f"knockoffs has shape {array.shape}, X has {X.shape}: expected one knockoff for each value of X.")
    return array


def _check_shape(values, X, n_dimensions, what):
    """A mean (p,) or a covariance (p, p) that fits X's p columns."""
    values, shape = np.asarray(values, dtype=float), (X.shape[1],) * n_dimensions
    if values.shape != shape or not np.isfinite(values).all():
        raise ValueError(f"{what} has shape {values.shape}, expected finite numbers of shape {shape}, as X has {X.shape[1]} columns.")
    return values


def _correlation(covariance):
    """A covariance matrix as (correlation (p, p), standard deviations (p,), its smallest eigenvalue); refuses what is none."""
    covariance = np.asarray(covariance, dtype=float)
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise ValueError(f"covariance has shape {covariance.shape}, expected a symmetric matrix (p, p).")
    if not (np.diag(covariance) > 0).all():
        raise ValueError("covariance has a variance that is not above 0: drop constant columns first.")
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    if not np.abs(correlation - correlation.T).max() <= 1e-5:
        raise ValueError(f"covariance, of shape {covariance.shape}, is not symmetric: expected the same number at (j, k) and at (k, j).")
    smallest = np.linalg.eigvalsh(correlation)[0]
    if smallest < 1e-10:
        raise ValueError("covariance cannot be inverted: some column is a copy or a sum of others, and can have no knockoff "
                         "but itself. Drop it, or shrink the correlations as estimate_covariance does.")
    return correlation, scale, smallest
