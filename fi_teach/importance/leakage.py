"""Leakage: find columns that were recorded after the outcome.

A leak shows in two ways: it predicts too well alone, and it was known too late. Only the second is
proof.

    strength_j  =  score of a forest on feature j alone  /  score of a forest on all features
"""

from collections.abc import Mapping
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fi_teach.basics.encoding import as_numbers
from fi_teach.basics.folds import stratified_folds
from fi_teach.basics.losses import auc, r2
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count
from fi_teach.basics.target import check_y, encode_labels, holds_labels
from fi_teach.trees.forest import held_out_by_forests

LEAST_SKILL = 0.05  # a forest with less has learned nothing worth comparing with
N_FOLDS = 3


def leak_suspects(
    X: ArrayLike,
    y: ArrayLike,
    *,
    known_from: Mapping | None = None,
    decided_at: float = 0,
    share: float = 0.9,
    n_trees: int = 50,
    rng: Seed = 0,
) -> pd.DataFrame:
    """Flag features that predict nearly as well alone as all together, or were known too late.

    strength_j = score of a forest on feature j alone / score of a forest on all features

    A score is 2 AUC - 1 for two classes and R^2 for numbers, both cross-validated: 0 for guessing,
    1 for perfection (the whole forest's counts as at least .05, so that noise cannot dominate
    noise).

    X : (n, p), columns of any kind and with gaps; y : (n,) two labels, or numbers
    known_from : {feature: when its value is known}, on the same clock as decided_at; features left
        out count as known in time
    share : strength from which a feature is called dominant
    n_trees : a third of them are grown on each two thirds of the rows, and judge the others
    -> DataFrame of p rows, strongest first: feature, strength (of the whole forest's score),
        dominant and too_late (True or False), verdict (a sentence)

    A dominant feature is a suspect, no more: some features are simply good. One that is known too
    late is a leak whatever its strength.
    Source: Kaufman et al. (2012), sec. 3 and 4.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> X = pd.DataFrame({"paid": y * 9.0, "age": y + rng.normal(0, 2, 300)})
    >>> leak_suspects(X, y, known_from={"paid": 30}, decided_at=0)["verdict"].tolist()
    ['leak: known only after the decision', 'no sign of a leak']
    """
    rng = own_stream(rng, "leak suspects")
    n_trees = check_count(n_trees, "n_trees")
    if not isinstance(share, Real) or not 0 < share <= 1:
        raise ValueError(
            f"share is {share}, expected a number above 0 and at most 1: "
            "the part of the whole forest's score.")
    table, names = as_numbers(X)
    y = _two_classes_or_numbers(y, len(table))
    late = _too_late(names, known_from or {}, decided_at)
    folds = _folds(y, rng)

    def skill(columns):
        return _skill(columns, y, folds, n_trees, rng)

    everything = max(skill(table), LEAST_SKILL)
    alone = np.array([skill(table[:, [j]]) for j in range(len(names))])
    found = pd.DataFrame({"feature": names, "strength": alone / everything})
    found["dominant"] = found["strength"] >= share
    found["too_late"] = late
    found["verdict"] = list(map(_verdict, found["dominant"], found["too_late"]))
    return found.sort_values("strength", ascending=False, ignore_index=True)


def _two_classes_or_numbers(y, n_rows):
    """The target as booleans, or as numbers."""
    is_words = holds_labels(y)
    y = check_y(y, n_rows, several=True, varies=True)
    if y.ndim > 1:
        raise ValueError(
            f"y has shape {y.shape}, expected one target, shape ({n_rows},): "
            "look at one output at a time.")
    labels, codes = encode_labels(y)
    if len(labels) == 2:
        return codes == 1
    if is_words:
        raise ValueError(
            f"y has {len(labels)} classes, expected two or numbers: "
            "look at one class against the rest, y == label.")
    return y.astype(float)


def _too_late(names, known_from, decided_at):
    """(p,) bool."""
    if not isinstance(known_from, Mapping):
        raise ValueError(f"known_from is {known_from!r}, expected {{feature: when it is known}}.")
    when = {str(name): time for name, time in known_from.items()}
    unknown = sorted(set(when) - set(names))
    if unknown:
        raise ValueError(
            f"known_from names {unknown[0]!r}, which is no column of X: "
            f"expected some of {', '.join(names)}.")
    try:
        return np.array([name in when and bool(when[name] > decided_at) for name in names])
    except TypeError:
        raise ValueError(
            f"known_from has times such as {next(iter(when.values()))!r}, decided_at is "
            f"{decided_at!r}: expected both on one clock, numbers or dates.") from None


def _folds(y, rng):
    """Parts of the rows: with equal shares of both classes, of numbers at random."""
    if y.dtype != bool:
        return stratified_folds(np.zeros(len(y)), min(N_FOLDS, len(y)), rng)
    fewest = min(y.sum(), (~y).sum())
    if fewest < 2:
        raise ValueError(
            "y has one row of one of its classes: without a second nothing can be held out. "
            "Bring more rows of it.")
    return stratified_folds(y, min(N_FOLDS, fewest), rng)


def _skill(X, y, folds, n_trees, rng):
    """Cross-validated skill of a forest, 0 for guessing (or worse) and 1 for perfection."""
    said = held_out_by_forests(X, y, folds, n_trees, min_samples_leaf=5, rng=rng)
    if y.dtype == bool:
        aucs = [auc(y[rows], said[rows]) for rows in folds]
        skill = 2 * np.mean(aucs) - 1
    else:
        skill = r2(y, said)
    return max(float(skill), 0.0)


def _verdict(dominant, too_late):
    if too_late:
        return "leak: known only after the decision"
    return "suspect: ask when and how it is recorded" if dominant else "no sign of a leak"
