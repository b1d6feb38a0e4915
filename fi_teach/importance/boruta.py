"""Boruta: select the features that beat the best permuted copy more often than chance.

Put a permuted copy (shadow) of every feature beside it, fit, and give a hit to each feature that is
more important than the BEST shadow. After r rounds a feature with h hits is

    confirmed  if  p P(Binomial(r, 1/2) >= h) < alpha,
    rejected   if  p P(Binomial(r, 1/2) <= h) < alpha, and taken out,

with Bonferroni's factor p for the number of features.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.refit import ImportanceOf, call_importance, check_refit_data, with_progress
from fi_teach.basics.results import Result
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import take
from fi_teach.basics.tables import check_between, check_count

FEWEST_SHADOWS = 5  # a best of fewer would be easy to beat


@dataclass(frozen=True, eq=False)
class BorutaResult(Result):
    """The decision of Boruta for each feature, with its hits and importances.

    decision : (p,) of "confirmed", "rejected" or "tentative"
    hits : (p,) rounds in which it beat every shadow; rounds : (p,) rounds in which it took part
    history : (n_rounds, p) importances, NaN after it was rejected; best_shadow : (n_rounds,)
    """

    names: tuple
    decision: tuple
    hits: NDArray
    rounds: NDArray
    history: NDArray
    best_shadow: NDArray

    @property
    def confirmed(self) -> tuple[str, ...]:
        """Names of the confirmed features."""
        decided = zip(self.names, self.decision, strict=True)
        return tuple(name for name, decision in decided if decision == "confirmed")

    @property
    def p_values(self) -> NDArray:
        """P(Binomial(rounds, 1/2) >= hits) -> (p,): p-values were the rounds coins, which they are
        not (see `boruta`).
        """
        return np.array([
            binomial_tail(h, r) for h, r in zip(self.hits, self.rounds, strict=True)])

    def to_frame(self) -> pd.DataFrame:
        """A table, most hits a round first: feature, decision, hits, rounds, and the importance,
        mean and sd over its rounds.
        """
        columns = {
            "feature": self.names,
            "decision": self.decision,
            "hits": self.hits,
            "rounds": self.rounds,
            "importance": np.nanmean(self.history, axis=0),
            "importance_sd": np.nanstd(self.history, axis=0),
        }
        order = np.argsort(-self.hits / self.rounds, kind="stable")
        return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def boruta(
    importance_of: ImportanceOf,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_repeats: int = 100,
    alpha: float = 0.01,
    rng: Seed = 0,
    progress: Callable | None = None,
) -> BorutaResult:
    """Select the features that beat the best of their permuted copies more often than chance.

    Rounds end when all features are decided, or after n_repeats.

    importance_of : a function (XX, y) -> Importance or one number a column of XX, which holds
        features and shadows (at least five) side by side, so their number changes; it fits what it
        needs, and should vary its own random numbers from call to call
    X (n, p), y (n,); alpha in (0, 1); progress wraps the iteration, such as tqdm.tqdm

    The rounds are not independent: all share one table, and a noise feature that correlates with y
    by chance does so in every round. Given enough rounds it is confirmed when it beats the best of
    s shadows in more than half of them, which happens with probability 1 - 2^(-1/s), 0.13 for five
    shadows, whatever alpha is; and shadows leave with their rejected features, which lowers the
    bar. Take "confirmed" as a shortlist, not as a p-value.

    Source: Kursa and Rudnicki (2010), sec. 2.

    >>> def importance_of(X, y):
    ...     return np.abs(np.corrcoef(np.transpose(X), y)[-1, :-1])
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> boruta(importance_of, X, X[:, 0] + X[:, 2]).confirmed
    ('x0', 'x2')
    """
    rng = own_stream(rng, "Boruta")
    n_repeats = check_count(n_repeats, "n_repeats")
    check_between(alpha, 0, 1, "alpha")
    X, y, names = check_refit_data(X, y, any_columns=True)
    p = len(names)
    decision = np.full(p, "tentative", dtype=object)
    hits, rounds = np.zeros(p, int), np.zeros(p, int)
    history, best_shadow = [], []
    for _ in with_progress(range(n_repeats), progress):
        alive = np.flatnonzero(decision != "rejected")
        shadowed = np.resize(alive, max(len(alive), FEWEST_SHADOWS))
        both = _side_by_side(X, alive, shadowed, rng)
        values = call_importance(importance_of, both, y, len(alive) + len(shadowed))
        importances, best = values[: len(alive)], values[len(alive) :].max()
        hits[alive] += importances > best
        rounds[alive] += 1
        history.append(np.full(p, np.nan))
        history[-1][alive] = importances
        best_shadow.append(best)
        for j in np.flatnonzero(decision == "tentative"):
            decision[j] = _decide(hits[j], rounds[j], alpha / p)
        if not (decision == "tentative").any():
            break
    return BorutaResult(
        names, tuple(decision), hits, rounds, np.array(history), np.array(best_shadow)
    )


def binomial_tail(hits: int, rounds: int) -> float:
    """P(Binomial(rounds, 1/2) >= hits), the upper tail of a fair coin.

    >>> binomial_tail(2, 2)
    0.25
    """
    hits, rounds = int(hits), int(rounds)  # NumPy's integers would overflow at 2^63
    return sum(comb(rounds, k) for k in range(hits, rounds + 1)) / 2**rounds


def _decide(hits, rounds, alpha):
    """The decision on a tentative feature after one more round."""
    if binomial_tail(hits, rounds) < alpha:
        return "confirmed"
    if binomial_tail(rounds - hits, rounds) < alpha:
        return "rejected"
    return "tentative"


def _side_by_side(X, alive, shadowed, rng):
    """The remaining columns, and permuted copies of the `shadowed` ones."""
    orders = [rng.permutation(len(X)) for _ in shadowed]
    if not isinstance(X, pd.DataFrame):
        shadows = [X[order, j] for order, j in zip(orders, shadowed, strict=True)]
        return np.column_stack([X[:, alive], *shadows])
    shadows = {}
    for i, (order, j) in enumerate(zip(orders, shadowed, strict=True)):
        shuffled = take(X.iloc[:, [j]], order)
        shadows[f"shadow{i}_{X.columns[j]}"] = shuffled.iloc[:, 0]
    features = X.iloc[:, alive].reset_index(drop=True)
    return pd.concat([features, pd.DataFrame(shadows)], axis=1)
