"""A leak is a column that knows the answer because it was written down after it. It shows in two ways: it predicts too well
alone, and its date is too late. Only the second is proof."""

import numpy as np
import pandas as pd

from fi_teach.basics.losses import auc, r2
from fi_teach.basics.tables import check_table, check_target
from fi_teach.trees.forest import grow_forest, oob_prediction

LEAST_SKILL = 0.05  # a forest with less has learned nothing worth comparing with

def leak_suspects(X, y, *, known_from=None, decided_at=0, share=0.9, n_trees=50, rng=0):
    """Ask of every feature: does it do nearly the whole forest's work alone, and was it known in time?

    strength_j = (score of a forest on feature j alone) / (score of a forest on all features), where a score is
    2 AUC - 1 for two classes and R^2 for numbers, both out of bag: 0 for guessing, 1 for perfection
    (the whole forest's counts as at least .05, so that noise cannot dominate noise).

    X : (n, p); y : (n,) two labels, or numbers
    known_from : {feature: when its value is known}, on the same clock as decided_at; features left out count as known in time
    share : strength from which a feature is called dominant
    -> DataFrame, strongest first: feature, strength, dominant, too_late, verdict

    A dominant feature is a suspect, no more: some features are simply good. One that is known too late is a leak whatever
    its strength. Raises ValueError for unknown names in known_from, a share outside (0, 1], or more than two classes.
    Source: Kaufman et al. (2012), sec. 3 and 4.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = pd.DataFrame({"paid": y * 9.0, "age": y + rng.normal(0, 2, 300)})
    >>> leak_suspects(X, y, known_from={"paid": 30}, decided_at=0)["verdict"].tolist()
    ['leak: known only after the decision', 'no sign of a leak']
    """
    rng = np.random.default_rng(rng)
    array, names = check_table(X)
    y = _target(y, len(array))
    late = _too_late(names, known_from or {}, decided_at)
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}, expected a number above 0 and at most 1: the part of the whole forest's score.")
    everything = _score(array, y, n_trees, rng)
    strength = np.array([_score(array[:, [j]], y, n_trees, rng) for j in range(len(names))]) / max(everything, LEAST_SKILL)
    table = pd.DataFrame({"feature": names, "strength": strength, "dominant": strength >= share, "too_late": late})
    table["verdict"] = [_verdict(*row) for row in zip(table["dominant"], table["too_late"], strict=True)]
    return table.sort_values("strength", ascending=False, ignore_index=True)


def _target(y, n_rows):
    """Two classes as booleans, or numbers."""
    y = check_target(y, n_rows)
    labels = np.unique(y)
    if len(labels) == 2:
        return y == labels[1]
    if len(labels) == 1:
        raise ValueError(f"y is constant ({labels[0]!r}): there is nothing that a feature could give away.")
    if y.dtype.kind not in "iuf":
        raise ValueError(f"y has {len(labels)} classes, expected two or numbers: look at one class against the rest, y == label.")
    return y.astype(float)


def _too_late(names, known_from, decided_at):
    unknown = sorted(set(known_from) - set(names))
    if unknown:
        raise ValueError(f"known_from names {unknown[0]!r}, which is no column of X: expected some of {', '.join(names)}.")
    return np.array([name in known_from and known_from[name] > decided_at for name in names])


def _score(X, y, n_trees, rng):
    """Out-of-bag skill of a forest, 0 for guessing (or worse) and 1 for perfection."""
    if np.ptp(X, axis=0).max() == 0:
        return 0.0
    said = oob_prediction(grow_forest(X, y, n_trees=n_trees, min_samples_leaf=5, rng=rng), X)[:, -1]
    heard = ~np.isnan(said)
    skill = 2 * auc(y[heard], said[heard]) - 1 if y.dtype == bool else r2(y[heard], said[heard])
    return max(float(skill), 0.0)


def _verdict(dominant, too_late):
    if too_late:
        return "leak: known only after the decision"
    return "suspect: ask when and how it is recorded" if dominant else "no sign of a leak"
