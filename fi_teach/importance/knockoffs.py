"""Knockoffs: select features with a controlled false discovery rate.

A knockoff is an artificial copy of a feature that has the same correlations with the other
features, but is drawn without y. A feature more important than its knockoff is evidence; a knockoff
more important than its feature shows how often that happens by chance.
Notation: Sigma (p, p) is the covariance of the features, s (p,) the distance of each feature from
its knockoff, Cov(x_j, knockoff_j) = Sigma_jj - s_j: at s_j = 0 the knockoff is the feature itself.

Read next: fast/knockoffs.py, which finds the s of `mvr_s` with one inversion a round.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.choices import check_choice
from fi_teach.basics.covariance import correlation_of, estimate_covariance
from fi_teach.basics.refit import ImportanceOf, call_importance
from fi_teach.basics.results import Result
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import as_floats, check_table
from fi_teach.basics.target import check_y
from fi_teach.fast.knockoffs import one_round

NEGLIGIBLE = 1e-6  # a round that lowers the loss by a smaller share than this was the last one


@dataclass(frozen=True, eq=False)
class KnockoffSelection(Result):
    """The result of the knockoff filter; unpacks into (selected, statistics, threshold).

    names : p names; statistics : (p,) W, in units of the importance; threshold : number

    >>> found = KnockoffSelection(("a", "b"), np.array([3.0, -1.0]), 3.0)
    >>> found.selected, found.selected_names
    (array([0]), ('a',))
    """

    names: tuple
    statistics: NDArray
    threshold: float

    @property
    def selected(self) -> NDArray:
        """Indices of the features with W_j >= threshold."""
        return np.flatnonzero(self.statistics >= self.threshold)

    @property
    def selected_names(self) -> tuple:
        """Their names."""
        return tuple(self.names[j] for j in self.selected)

    @property
    def p_values(self) -> NDArray:
        """One bit a feature -> (p,): 1/2 where W_j > 0, else 1. Too coarse for a single feature;
        the filter's strength is in counting them in the order of |W_j| (Barber and Candès 2015).
        """
        return np.where(self.statistics > 0, 0.5, 1.0)

    def to_frame(self) -> pd.DataFrame:
        """A table, largest statistic first: feature, statistic, selected."""
        table = pd.DataFrame({"feature": self.names, "statistic": self.statistics})
        table["selected"] = table["statistic"] >= self.threshold
        return table.sort_values("statistic", ascending=False, ignore_index=True, kind="stable")

    def __iter__(self):
        return iter((self.selected, self.statistics, self.threshold))

    def __getitem__(self, place):
        return tuple(self)[place]

    def __len__(self):
        return 3


# --- the distance between a feature and its knockoff ---


def equicorrelated_s(covariance: ArrayLike) -> NDArray:
    """Equicorrelated knockoffs: s_j = min(1, 2 lambda_min) * Sigma_jj for every feature.

    lambda_min is the smallest eigenvalue of the correlation matrix; any common s larger than this
    would need a negative variance. covariance (p, p) -> (p,), in units of the variances.
    Source: Barber and Candès (2015), sec. 2.1.

    >>> equicorrelated_s([[1.0, 0.75], [0.75, 1.0]])
    array([0.5, 0.5])
    """
    _, scale, smallest = correlation_of(covariance)
    return min(1.0, 2 * smallest) * scale**2


def mvr_s(covariance: ArrayLike) -> NDArray:
    """Minimise how well features can be reconstructed from the others and all knockoffs -> s (p,).

    That is trace(G^-1) = trace((2 Sigma - S)^-1) + trace(S^-1), G the covariance of features and
    knockoffs, Sigma the correlation matrix: 1 / (G^-1)_jj is the variance that is left of feature j
    when everything else is known.

    Equicorrelated knockoffs leave some weighted sum of all the x_j + knockoff_j without any
    variance: a model can then move a feature's credit to the others and the knockoffs at no cost,
    and power is lost.
    The loss is convex, and its minimum over one s_j is a formula: with A = (2 Sigma - S)^-1,
    a = A_jj and c = |A e_j|, the best is s_j <- (1 + s_j a) / (a + c). Rounds over all j, until the
    loss stands still.
    covariance (p, p) -> (p,), in units of the variances.
    Source: Spector and Janson (2022), coordinate descent.

    >>> mvr_s([[1.0, 0.0], [0.0, 4.0]])
    array([1., 4.])
    """
    correlation, scale, smallest = correlation_of(covariance)
    s = np.full(len(scale), smallest)
    before = np.inf
    while True:
        inverse = np.linalg.inv(2 * correlation - np.diag(s))
        loss = np.trace(inverse) + (1 / s).sum()
        if before - loss <= NEGLIGIBLE * loss:
            return s * scale**2
        before = loss
        s = one_round(s, inverse)


S_METHODS = {"mvr": mvr_s, "equicorrelated": equicorrelated_s}


# --- drawing them ---


def knockoff_law(covariance: ArrayLike, s: ArrayLike) -> tuple[NDArray, NDArray]:
    """The distribution of a Gaussian knockoff given x: Normal(mean + shrink (x - mean), noise).

    -> shrink (p, p), noise (p, p)

    shrink = I - S Sigma^-1, noise = 2 S - S Sigma^-1 S: the only pair that makes the covariance of
    (features, knockoffs) [[Sigma, Sigma - S], [Sigma - S, Sigma]], in which any feature can change
    places with its own knockoff.
    Source: Candès et al. (2018), sec. 3.1.

    >>> independent = [[1.0, 0.0], [0.0, 1.0]]
    >>> shrink, noise = knockoff_law(independent, [1.0, 1.0])
    >>> shrink.tolist(), noise.tolist()             # fresh draws, the old value plays no part
    ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    covariance, s = as_floats(covariance, "covariance"), as_floats(s, "s")
    correlation_of(covariance)  # says what is no covariance
    if s.shape != (len(covariance),) or not ((s >= 0) & np.isfinite(s)).all():
        raise ValueError(
            f"s has shape {s.shape}, expected one finite number >= 0 a feature, "
            f"shape ({len(covariance)},), such as equicorrelated_s or mvr_s gives.")
    if np.linalg.eigvalsh(2 * covariance - np.diag(s))[0] < -1e-6 * covariance.max():
        raise ValueError(
            "s is too large for this covariance: no knockoffs are so far from their features. "
            "Take equicorrelated_s or mvr_s.")
    return _law(covariance, s)


def _law(covariance, s):
    """knockoff_law for an s that is known to fit."""
    pull = np.linalg.solve(covariance, np.diag(s))  # Sigma^-1 S
    shrink = np.eye(len(s)) - pull.T
    noise = 2 * np.diag(s) - s[:, None] * pull
    return shrink, (noise + noise.T) / 2


def gaussian_knockoffs(
    X: ArrayLike,
    *,
    method: str = "mvr",
    mean: ArrayLike | None = None,
    covariance: ArrayLike | None = None,
    rng: Seed = 0,
) -> NDArray:
    """Draw knockoffs for Gaussian features, one for each column of X.

    Exact if X's rows are independent draws of Normal(mean, covariance); if these are not given they
    are estimated (`estimate_covariance`) and the guarantee is approximate. For other laws the first
    two moments are matched.
    X (n, p); method "mvr" or "equicorrelated"; mean (p,), covariance (p, p)
    -> (n, p), in units of X.
    Source: Candès et al. (2018), sec. 3; the choice of s: `mvr_s`, `equicorrelated_s`.

    >>> X = np.random.default_rng(1).normal(size=(1000, 2))
    >>> gaussian_knockoffs(X, mean=[0, 0], covariance=np.eye(2)).shape
    (1000, 2)
    """
    rng = own_stream(rng, "gaussian knockoffs")
    X, names = check_table(X)
    check_choice(method, S_METHODS, "method")
    if covariance is None:
        covariance = estimate_covariance(pd.DataFrame(X, columns=names))
    if mean is None:
        mean = X.mean(axis=0)
    p = X.shape[1]
    covariance = _check_shape(covariance, (p, p), "covariance")
    mean = _check_shape(mean, (p,), "mean")
    shrink, noise = _law(covariance, S_METHODS[method](covariance))
    expected = (X - mean) @ shrink.T + mean
    return expected + rng.standard_normal(X.shape) @ _root(noise).T


def _root(matrix):
    """An R with R R' = matrix.

    An equicorrelated noise is singular, and rounding can push it below zero: that is cut off.
    """
    try:
        return np.linalg.cholesky(matrix + 1e-10 * np.diag(np.diag(matrix)))
    except np.linalg.LinAlgError:
        eigenvalues, vectors = np.linalg.eigh(matrix)
        return vectors * np.sqrt(np.maximum(eigenvalues, 0))


# --- statistics and threshold ---


def knockoff_statistics(
    importance_of: ImportanceOf, X: ArrayLike, knockoffs: ArrayLike, y: ArrayLike, *, rng: Seed = 0
) -> NDArray:
    """W_j = importance of feature j - importance of its knockoff, in a model that saw both.

    X, knockoffs (n, p), y (n,) -> (p,); importance_of(XX, y) as in `knockoff_filter`

    Every pair is handed over in an order that a fair coin decides, and put back afterwards. Without
    it a tree that breaks ties by column order would prefer the features, which always come first;
    with it the sign of W_j of a null feature is a fair coin whatever importance_of does.
    Source: Candès et al. (2018), sec. 3.2.

    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> fakes = gaussian_knockoffs(X, mean=[0, 0], covariance=np.eye(2))
    >>> correlations = lambda XX, y: abs(np.corrcoef(XX.T, y)[-1, :-1])
    >>> W = knockoff_statistics(correlations, X, fakes, X[:, 0])  # the target is the first feature
    >>> bool(W[0] > 0.9), bool(abs(W[1]) < 0.1)
    (True, True)
    """
    rng = own_stream(rng, "knockoff statistics")
    X, _ = check_table(X)
    knockoffs, _ = check_table(knockoffs, what="knockoffs")
    if knockoffs.shape != X.shape:
        raise ValueError(
            f"knockoffs has shape {knockoffs.shape}, X has {X.shape}: "
            "expected one knockoff for each value of X.")
    y = check_y(y, len(X), several=True, varies=True)
    p = X.shape[1]
    swapped = rng.random(p) < 0.5
    both = np.hstack([np.where(swapped, knockoffs, X), np.where(swapped, X, knockoffs)])
    values = call_importance(importance_of, both, y, 2 * p)
    difference = values[:p] - values[p:]
    return np.where(swapped, -difference, difference)


def knockoff_threshold(statistics: ArrayLike, q: float = 0.2, *, offset: int = 1) -> float:
    """The smallest t > 0 at which the estimated share of false discoveries is at most q, or
    infinity.

    (offset + #{j: W_j <= -t}) / max(1, #{j: W_j >= t}) <= q, over t among the |W_j| > 0. offset 1
    is knockoff+, which controls the false discovery rate E[false / selected] at q; offset 0 is the
    knockoff filter, which controls E[false / (selected + 1/q)]. With offset 1 it takes 1/q
    selections or more: at q = .2 it is at least five features or none.
    statistics (p,) -> number, in units of the statistics.
    Source: Barber and Candès (2015), sec. 1.2.

    >>> knockoff_threshold([6, 5, 4, 3, 2, -1]), knockoff_threshold([6, 5, 4, 3])
    (2.0, inf)
    """
    _check_filter(q, offset)
    statistics = as_floats(statistics, "statistics")
    if statistics.ndim != 1 or statistics.size == 0 or not np.isfinite(statistics).all():
        raise ValueError(
            f"statistics has shape {statistics.shape}, "
            "expected one finite number a feature, shape (p,).")
    candidates = np.unique(np.abs(statistics[statistics != 0]))
    ordered = np.sort(statistics)
    losers = np.searchsorted(ordered, -candidates, side="right")
    winners = len(ordered) - np.searchsorted(ordered, candidates, side="left")
    passing = candidates[(offset + losers) / np.maximum(1, winners) <= q]
    return float(passing[0]) if len(passing) else np.inf


def knockoff_filter(
    importance_of: ImportanceOf,
    X: ArrayLike,
    y: ArrayLike,
    *,
    q: float = 0.2,
    knockoffs: str | ArrayLike = "mvr",
    offset: int = 1,
    rng: Seed = 0,
) -> KnockoffSelection:
    """Select features with at most a share q of false discoveries on average.

    Build knockoffs, let importance_of compare each feature with its own, keep W_j >= threshold. A
    discovery j is false if y is independent of x_j GIVEN the other features. Exact for features of
    known law, approximate when it is estimated.

    importance_of : function of (XX, y), XX (n, 2p) features and knockoffs side by side
        -> 2p values or an Importance
    X (n, p), y (n,); q in (0, 1), the target false discovery rate
    knockoffs : "mvr", "equicorrelated", or an array (n, p) of your own (`gaussian_knockoffs` with a
        known covariance)
    offset : 1 for knockoff+, 0 for the knockoff filter

    Source: Candès et al. (2018), sec. 3; Barber and Candès (2015), sec. 1.2.

    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(500, 20))
    >>> y = X[:, :6].sum(axis=1) + rng.normal(size=500)
    >>> selected, statistics, threshold = knockoff_filter(lambda XX, y: abs(XX.T @ y), X, y)
    >>> selected   # the six causes; at q = .2 a false one or two may come along
    array([ 0,  1,  2,  3,  4,  5, 10])
    """
    rng = own_stream(rng, "knockoff filter")
    _check_filter(q, offset)
    table, names = check_table(X)
    if isinstance(knockoffs, str):
        named = pd.DataFrame(table, columns=names)
        knockoffs = gaussian_knockoffs(named, method=knockoffs, rng=rng)
    statistics = knockoff_statistics(importance_of, table, knockoffs, y, rng=rng)
    threshold = knockoff_threshold(statistics, q, offset=offset)
    return KnockoffSelection(names, statistics, threshold)


def _check_filter(q, offset):
    if not (isinstance(q, Real) and 0 < q < 1):
        raise ValueError(
            f"q is {q!r}, expected a false discovery rate strictly between 0 and 1, such as 0.2.")
    if offset not in (0, 1):
        raise ValueError(f"offset is {offset!r}, expected 1 (knockoff+) or 0 (knockoff).")


def _check_shape(values, shape, what):
    """A mean (p,) or a covariance (p, p) that fits X's p columns."""
    values = as_floats(values, what)
    if values.shape != shape or not np.isfinite(values).all():
        raise ValueError(
            f"{what} has shape {values.shape}, expected finite numbers of shape {shape}, "
            f"as X has {shape[0]} columns.")
    return values
