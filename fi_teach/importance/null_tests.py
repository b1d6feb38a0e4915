"""Is an importance larger than luck? Compare it with importances that are luck by construction.

Luck can be made by shuffling the target (nothing is related to it any more), by replacing a feature with a copy that
knows nothing, or by letting shuffled shadows of all features compete. They test different null hypotheses: read which.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd

from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import check_count, check_outcome, gaussian_conditional, put, swap, take
from fi_teach.basics.tables import check_table

# --- p-values and their correction ---


@dataclass(frozen=True)
class NullTest:
    """Importances beside what chance alone gave.

    observed : (p,); null : (p, B), B importances of each feature under the null hypothesis; method : which hypothesis

    >>> NullTest(("a", "b"), np.array([5.0, 1.0]), np.array([[1.0, 2, 3], [0, 1, 2]])).p_values
    array([0.25, 0.75])
    """

    names: tuple
    observed: np.ndarray
    null: np.ndarray
    method: str = ""

    @property
    def p_values(self):
        """(1 + number of nulls >= observed) / (1 + B) -> (p,).

        The 1 is the observation itself, which under the null is one more draw: without it p could be 0 and the test too keen.
        """
        return (1 + (self.null >= self.observed[:, None]).sum(axis=1)) / (1 + self.null.shape[1])

    @property
    def p_values_below(self):
        """(1 + number of nulls <= observed) / (1 + B) -> (p,): is a NEGATIVE importance more than luck?"""
        return (1 + (self.null <= self.observed[:, None]).sum(axis=1)) / (1 + self.null.shape[1])

    def to_frame(self):
        """A table, smallest p-value first: feature, importance, null_mean, p_value, and corrected: holm, benjamini_hochberg."""
        p = self.p_values
        table = pd.DataFrame({"feature": self.names, "importance": self.observed, "null_mean": self.null.mean(axis=1), "p_value": p,
                              "holm": holm(p), "benjamini_hochberg": benjamini_hochberg(p)})
        return table.sort_values(["p_value", "feature"], ignore_index=True)


def bonferroni(p_values):
    """Adjusted p-values min(1, m p): below alpha for any true null with probability at most alpha, however dependent.

    p_values (m,) -> (m,). Raises ValueError outside [0, 1].

    >>> bonferroni([0.25, 0.5])
    array([0.5, 1. ])
    """
    p = _checked_p(p_values)
    return np.minimum(1, len(p) * p)


def holm(p_values):
    """Holm's step-down: as safe as Bonferroni's and never less powerful; adjusted p_(k) = max_{i <= k} min(1, (m - i + 1) p_(i)).

    p_values (m,) -> (m,). Raises ValueError outside [0, 1].

    >>> holm([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked_p(p_values)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order])
    return np.minimum(1, steps[np.argsort(order)])


def benjamini_hochberg(p_values):
    """Adjusted p-values for the false discovery RATE: p_(k) = min_{i >= k} min(1, m p_(i) / i).

    Rejecting all that are <= q keeps the expected share of false rejections at most q if the p-values are independent.
    p_values (m,) -> (m,). Raises ValueError outside [0, 1]. Source: Benjamini and Hochberg (1995).

    >>> benjamini_hochberg([0.25, 0.0625])
    array([0.25 , 0.125])
    """
    p = _checked_p(p_values)
    order = np.argsort(p, kind="stable")
    ratio = len(p) * p[order] / np.arange(1, len(p) + 1)
    return np.minimum(1, np.minimum.accumulate(ratio[::-1])[::-1][np.argsort(order)])


def holm_by_definition(p_values, alpha):
    """Reject the smallest p-values in turn while p_(k) <= alpha / (m - k + 1), stop at the first that fails -> (m,) bool.

    >>> holm_by_definition([0.25, 0.02], 0.05)
    array([False,  True])
    """
    rejected = np.zeros(len(p_values), dtype=bool)
    for k, i in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[i] > alpha / (len(p_values) - k):
            break
        rejected[i] = True
    return rejected


def benjamini_hochberg_by_definition(p_values, q):
    """Reject the k smallest p-values for the largest k with p_(k) <= k q / m -> (m,) bool.

    >>> benjamini_hochberg_by_definition([0.04, 0.03], 0.05)
    array([ True,  True])
    """
    rejected, order = np.zeros(len(p_values), dtype=bool), np.argsort(p_values, kind="stable")
    passes = [k for k in range(1, len(order) + 1) if p_values[order[k - 1]] <= k * q / len(order)]
    rejected[order[:max(passes, default=0)]] = True
    return rejected


# --- tests ---


def target_permutation_test(importance_of, X, y, *, n_permutations=100, rng=0, progress=None):
    """Shuffle the target, fit and measure again, n_permutations times: how often is luck as important as the feature was?

    Null hypothesis: y is independent of ALL features. Under it each feature's p-value is uniform (on multiples of
    1 / (n_permutations + 1)); it also compares a feature with itself, so a measure's bias towards many values cancels.

    importance_of : a function (X, y) -> Importance or (p,) numbers; it fits what it needs. X (n, p), y (n,)
    progress : wraps the iteration, such as tqdm.tqdm
    -> NullTest with null (p, n_permutations)

    Raises ValueError for unusable tables and targets, fewer than one permutation, and an importance_of that does not return
    p finite numbers.
    Source: Altmann et al. (2010), the empirical p-values, counted with the observation.

    >>> def importance_of(X, y):
    ...     return np.abs(np.corrcoef(X.T, y)[-1, :-1])
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> bool(target_permutation_test(importance_of, X, X[:, 0]).p_values[0] == 1 / 101)
    True
    """
    X, y, names = _checked(X, y)
    rng, n = np.random.default_rng(rng), check_count(n_permutations, "n_permutations")
    observed = _values(importance_of, X, y, len(names))
    null = [_values(importance_of, X, y[rng.permutation(len(y))], len(names)) for _ in _shown(range(n), progress)]
    return NullTest(names, observed, np.array(null).T, "target permutation")


def null_copy_test(importance_of, X, y, *, copies="marginal", n_copies=100, rng=0, progress=None):
    """Replace one feature by a copy without signal, fit and measure again: is the feature more important than its copies?

    copies : "marginal": a random permutation of the column. Null hypothesis: x_j is independent of the target AND of the other
        features; a correlated feature without any signal of its own fails to look like such copies.
        "conditional": drawn from the normal distribution of x_j given the other features (fitted by least squares). Null
        hypothesis: x_j tells nothing about y that the other features do not.
    importance_of, X, y, progress : as in target_permutation_test; it is called 1 + p n_copies times
    -> NullTest with null (p, n_copies); p_values for importance above its copies', p_values_below for negative ones

    Raises ValueError as target_permutation_test does, and for another kind of copies.
    Source: Candès et al. (2018), the conditional randomisation test, of which the marginal one is a special case.

    >>> def importance_of(X, y):
    ...     return np.abs(np.corrcoef(X.T, y)[-1, :-1])
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> bool(null_copy_test(importance_of, X, X[:, 0]).p_values[0] == 1 / 101)
    True
    """
    if copies not in COPIES:
        raise ValueError(f"unknown copies {copies!r}: expected one of {', '.join(map(repr, COPIES))}.")
    X, y, names = _checked(X, y)
    rng, n = np.random.default_rng(rng), check_count(n_copies, "n_copies")
    observed, null = _values(importance_of, X, y, len(names)), np.zeros((len(names), n))
    for k in _shown(range(n), progress):
        for j in range(len(names)):
            null[j, k] = _values(importance_of, COPIES[copies](X, j, rng), y, len(names))[j]
    return NullTest(names, observed, null, f"{copies} null copies")


def _permuted_copy(X, j, rng):
    return swap(X, [j], np.arange(len(X)), rng.permutation(len(X))[:, None])


def _conditional_copy(X, j, rng):
    return put(X, j, gaussian_conditional(check_table(X)[0], j, rng)[:, None])


COPIES = {"marginal": _permuted_copy, "conditional": _conditional_copy}


# --- Boruta ---


@dataclass(frozen=True)
class BorutaResult:
    """What became of each feature in the contest with the shadows.

    decision : (p,) of "confirmed", "rejected" or "tentative"; hits : (p,) rounds in which it beat every shadow;
    rounds : (p,) rounds in which it took part; history : (n_rounds, p) importances, NaN after it was rejected;
    best_shadow : (n_rounds,)
    """

    names: tuple
    decision: tuple
    hits: np.ndarray
    rounds: np.ndarray
    history: np.ndarray
    best_shadow: np.ndarray

    @property
    def confirmed(self):
        """Names of the confirmed features -> tuple of str."""
        return tuple(name for name, decision in zip(self.names, self.decision, strict=True) if decision == "confirmed")

    def to_frame(self):
        """A table, most hits a round first: feature, decision, hits, rounds, importance (mean over its rounds)."""
        table = pd.DataFrame({"feature": self.names, "decision": self.decision, "hits": self.hits, "rounds": self.rounds,
                              "importance": np.nanmean(self.history, axis=0)})
        return table.iloc[np.argsort(-self.hits / self.rounds, kind="stable")].reset_index(drop=True)


def boruta(importance_of, X, y, *, n_rounds=100, alpha=0.01, rng=0, progress=None):
    """All features that beat the best of many shuffled shadows more often than a coin falls heads.

    Each round: put a shuffled copy (shadow) of every remaining feature beside it, fit, and give a hit to each feature that is more
    important than the BEST shadow. After r rounds a feature with h hits is
        confirmed if p P(Binomial(r, 1/2) >= h) < alpha,   rejected, and taken out, if p P(Binomial(r, 1/2) <= h) < alpha,
    with Bonferroni's factor p for the number of features. It ends when all are decided, or after n_rounds.

    importance_of : a function (XX, y) -> Importance or one number a column of XX, which holds features and shadows (at least five) side
        by side, so their number changes; it fits what it needs, and should vary its own random numbers from call to call
    X (n, p), y (n,); alpha in (0, 1); progress wraps the iteration, such as tqdm.tqdm
    -> BorutaResult

    The coin is a convenient fiction: all rounds share one table, so a noise feature that is lucky there is lucky in every
    round. Given enough rounds it is confirmed when it beats the best of s shadows in more than half of them, which happens
    with probability 1 - 2^(-1/s), .13 for five shadows, whatever alpha is; and shadows leave with their rejected features, so
    the bar sinks. Take "confirmed" as a shortlist, not as a p-value.

    Raises ValueError for unusable tables and targets, n_rounds, alpha, and an importance_of that does not return finite numbers.
    Source: Kursa and Rudnicki (2010), sec. 2.

    >>> def importance_of(X, y):
    ...     return np.abs(np.corrcoef(np.transpose(X), y)[-1, :-1])
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> boruta(importance_of, X, X[:, 0] + X[:, 2]).confirmed
    ('x0', 'x2')
    """
    X, y, names = _checked(X, y)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha!r}, expected a share between 0 and 1, such as 0.01.")
    rng, p = np.random.default_rng(rng), len(names)
    decision, hits, rounds = np.array(["tentative"] * p, dtype=object), np.zeros(p, int), np.zeros(p, int)
    history, best = [], []
    for _ in _shown(range(check_count(n_rounds, "n_rounds")), progress):
        alive = np.flatnonzero(decision != "rejected")
        values, shadows = _contest(importance_of, X, y, alive, rng)
        history.append(np.full(p, np.nan))
        history[-1][alive], rounds[alive] = values, rounds[alive] + 1
        best.append(shadows.max())
        hits[alive] += values > best[-1]
        decision = np.array([_decided(*state, alpha / p) for state in zip(decision, hits, rounds, strict=True)], dtype=object)
        if not (decision == "tentative").any():
            break
    return BorutaResult(names, tuple(decision), hits, rounds, np.array(history), np.array(best))


def binomial_tail(hits, rounds):
    """P(Binomial(rounds, 1/2) >= hits): how likely a fair coin gives at least so many heads -> float.

    >>> binomial_tail(2, 2)
    0.25
    """
    hits, rounds = int(hits), int(rounds)  # NumPy's integers would overflow at 2^63
    return sum(comb(rounds, k) for k in range(hits, rounds + 1)) / 2**rounds


def _decided(decision, hits, rounds, alpha):
    """The decision after one more round; what was decided stays."""
    if decision == "tentative" and binomial_tail(hits, rounds) < alpha:
        return "confirmed"
    if decision == "tentative" and binomial_tail(rounds - hits, rounds) < alpha:
        return "rejected"
    return decision


def _contest(importance_of, X, y, alive, rng):
    """Importances of the features that are left, and of their shadows."""
    shadowed = np.resize(alive, max(len(alive), 5))  # a best of fewer than five shadows would be easy to beat
    both = _side_by_side(X, alive, shadowed, rng)
    values = _values(importance_of, both, y, len(alive) + len(shadowed))
    return values[:len(alive)], values[len(alive):]


def _side_by_side(X, alive, shadowed, rng):
    shuffled = [rng.permutation(len(X)) for _ in shadowed]
    if not isinstance(X, pd.DataFrame):
        return np.column_stack([X[:, alive], *(X[rows, j] for rows, j in zip(shuffled, shadowed, strict=True))])
    shadows = {f"shadow{i}_{X.columns[j]}": take(X.iloc[:, [j]], rows).iloc[:, 0]
               for i, (rows, j) in enumerate(zip(shuffled, shadowed, strict=True))}
    return pd.concat([X.iloc[:, alive].reset_index(drop=True), pd.DataFrame(shadows)], axis=1)


# --- shared ---


def _checked(X, y):
    table, names = check_table(X)
    y = check_outcome(y, len(table))
    return X if isinstance(X, (pd.DataFrame, np.ndarray)) else table, y, names


def _values(importance_of, X, y, n_columns):
    """importance_of(X, y) as (n_columns,) finite numbers."""
    if not callable(importance_of):
        raise ValueError(f"importance_of is {type(importance_of).__name__!r}, expected a function (X, y) that fits what it needs "
                         "and returns one importance a column.")
    found = importance_of(X, y)
    values = np.asarray(found.mean if isinstance(found, Importance) else found, dtype=float)
    if values.shape != (n_columns,) or not np.isfinite(values).all():
        raise ValueError(f"importance_of returned shape {values.shape} for {n_columns} columns, or values that are not finite: "
                         "expected one number a column.")
    return values


def _shown(rounds, progress):
    return rounds if progress is None else progress(rounds)


def _checked_p(p_values):
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or len(p) == 0 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"p_values has shape {p.shape} or holds values outside [0, 1]: expected one probability a test.")
    return p
