"""Whose predictions are lower, and which features carry the difference? A gap between groups is divided like any prediction.

Dropping the protected column does not close the gap: other columns stand in for it, and `proxies` finds them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fi_teach.basics.losses import auc
from fi_teach.basics.results import Importance
from fi_teach.basics.tables import check_table, check_target
from fi_teach.trees.forest import grow_forest, oob_prediction


def group_gap(attribution, group, *, output=0):
    """Divide the gap between two groups' mean predictions among the features.

    gap_j = mean of phi_ij over the second group - mean of phi_ij over the first; sum_j gap_j is the whole gap, because each
    row's phi add up to its prediction.

    attribution : Attribution of n rows; group : (n,) two labels, sorted: the gap is second minus first
    output : which column, where the attribution has several
    -> Importance, in units of the prediction; its standard error is the two-sample one, rows taken as drawn at random

    Raises ValueError unless group names exactly two groups, each with two rows or more.
    Source: the efficiency axiom (Shapley 1953) applied to a difference of means.

    >>> from fi_teach.basics.results import Attribution
    >>> phi = Attribution(np.array([[1.0, 0.0], [1.0, 2.0], [3.0, 0.0], [3.0, 2.0]]), 0.0, ("income", "age"))
    >>> group_gap(phi, ["a", "a", "b", "b"]).mean
    array([2., 0.])
    """
    values = attribution.values if attribution.values.ndim == 2 else attribution.values[:, :, output]
    second = _two_groups(group, len(values))
    first_rows, second_rows = values[~second], values[second]
    error = np.sqrt(first_rows.var(axis=0, ddof=1) / len(first_rows) + second_rows.var(axis=0, ddof=1) / len(second_rows))
    gap = second_rows.mean(axis=0) - first_rows.mean(axis=0)
    return Importance(attribution.names, gap, method="gap between the groups", unit="units of the prediction", sampling_error=error)


@dataclass(frozen=True)
class Proxies:
    """How well the features give the protected column away.

    names : p features; alone : (p,) AUC of each feature by itself; together : AUC of all of them
    An AUC of 1/2 is a coin flip, 1 gives it away completely.
    """

    names: tuple
    alone: np.ndarray
    together: float

    def to_frame(self):
        """A table, the best give-away first: feature, AUC."""
        table = pd.DataFrame({"feature": self.names, "AUC": self.alone})
        return table.sort_values("AUC", ascending=False, ignore_index=True)


def proxies(X, protected, *, n_trees=100, min_samples_leaf=10, rng=0):
    """Which columns stand in for a protected column that was dropped, alone and all together?

    X : (n, p) the features that are left; protected : (n,) two labels
    -> Proxies: out-of-bag AUC of a forest that guesses `protected` from each feature, and from all of them

    Raises ValueError unless protected has exactly two labels.

    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.integers(0, 2, 300), rng.random(300)
    >>> found = proxies(np.column_stack([a + rng.normal(0, .5, 300), noise]), a, n_trees=20)
    >>> bool(found.alone[0] > .8), bool(abs(found.alone[1] - .5) < .1), bool(found.together > .8)
    (True, True, True)
    """
    rng = np.random.default_rng(rng)
    array, names = check_table(X)
    second = _two_groups(protected, len(array))
    grow = {"n_trees": n_trees, "min_samples_leaf": min_samples_leaf}
    alone = np.array([_oob_auc(array[:, [j]], second, grow, rng) for j in range(len(names))])
    return Proxies(names, alone, _oob_auc(array, second, grow, rng))


def _oob_auc(X, second, grow, rng):
    """Out-of-bag AUC of a forest that guesses the group; a constant column is a coin flip."""
    if np.ptp(X, axis=0).max() == 0:
        return 0.5
    guess = oob_prediction(grow_forest(X, second, rng=rng, **grow), X)[:, 1]
    heard = ~np.isnan(guess)
    return auc(second[heard], guess[heard])


def _two_groups(group, n_rows):
    """(n,) bool, True in the second group."""
    group = check_target(group, n_rows, what="group")
    labels, counts = np.unique(group, return_counts=True)
    if len(labels) != 2 or counts.min() < 2:
        raise ValueError(f"group has {len(labels)} labels ({', '.join(map(str, labels[:5]))}) with {counts.tolist()[:5]} rows: "
                         "expected two groups of at least two rows each. Compare two at a time, group != reference for example.")
    return group == labels[1]
