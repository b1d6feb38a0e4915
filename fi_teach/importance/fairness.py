"""Fairness: divide a gap between two groups' mean predictions among the features, and find proxies.

    gap_j  =  mean of phi_ij over the second group  -  mean of phi_ij over the first

Dropping the protected column does not close the gap if other columns stand in for it; `proxies`
finds them.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.encoding import as_numbers
from fi_teach.basics.folds import fold_error, stratified_folds
from fi_teach.basics.losses import auc
from fi_teach.basics.results import Attribution, Importance, Result
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count
from fi_teach.basics.target import check_y, encode_labels
from fi_teach.trees.forest import held_out_by_forests

N_FOLDS = 5


def group_gap(attribution: Attribution, group: ArrayLike, *, output: int = 0) -> Importance:
    """Divide the gap between two groups' mean predictions among the features.

    gap_j = mean of phi_ij over the second group - mean of phi_ij over the first; sum_j gap_j is the
    whole gap, because each row's phi add up to its prediction.

    attribution : Attribution of n rows
    group : (n,) two labels, sorted: the gap is second minus first
    output : which column, where the attribution has several
    -> Importance, in the attribution's unit; its standard error is the two-sample one, rows taken
       as drawn at random

    Source: the efficiency axiom (Shapley 1953) applied to a difference of means.

    >>> values = np.array([[1.0, 0.0], [1.0, 2.0], [3.0, 0.0], [3.0, 2.0]])
    >>> phi = Attribution(values, 0.0, ("income", "age"))
    >>> group_gap(phi, ["a", "a", "b", "b"]).mean
    array([2., 0.])
    """
    if not isinstance(attribution, Attribution):
        raise ValueError(
            f"attribution is of type {type(attribution).__name__}, expected an Attribution: "
            "what tree_shap or shapley_values returns.")
    phi = _of_output(attribution.values, output)
    in_second = _two_groups(group, len(phi))
    first, second = phi[~in_second], phi[in_second]
    gap = second.mean(axis=0) - first.mean(axis=0)
    variance = _variance_of_mean(first) + _variance_of_mean(second)
    return Importance(
        attribution.names,
        gap,
        method="gap between the groups",
        unit=attribution.unit,
        sampling_error=np.sqrt(variance),
    )


def _of_output(values, output):
    """One output's values (n, p)."""
    values = np.atleast_3d(values)
    n_outputs = values.shape[2]
    if output not in range(-n_outputs, n_outputs):
        raise ValueError(
            f"output is {output!r}, but the attribution has {n_outputs}: "
            f"choose one from 0 to {n_outputs - 1}.")
    return values[:, :, output]


def _variance_of_mean(rows):
    return rows.var(axis=0, ddof=1) / len(rows)


@dataclass(frozen=True, eq=False)
class Proxies(Result):
    """How well the features predict the protected column.

    names : p features
    alone : (p,) AUC of each feature by itself; together : AUC of all of them
    alone_error, together_error : their standard errors
    An AUC of 1/2 is chance, 1 is perfect prediction.
    """

    names: tuple
    alone: NDArray
    together: float
    alone_error: NDArray
    together_error: float

    def to_frame(self) -> pd.DataFrame:
        """A table, the best proxy first: feature, AUC, standard_error."""
        columns = {
            "feature": self.names,
            "AUC": self.alone,
            "standard_error": self.alone_error,
        }
        return pd.DataFrame(columns).sort_values("AUC", ascending=False, ignore_index=True)


def proxies(
    X: ArrayLike,
    protected: ArrayLike,
    *,
    n_trees: int = 100,
    min_samples_leaf: int = 10,
    rng: Seed = 0,
) -> Proxies:
    """Measure how well each column, and all together, predict a protected column that was dropped.

    X : (n, p) the features that are left, of any kind and with gaps; protected : (n,) two labels
    n_trees : a fifth of them are grown on each four fifths of the rows, and guess the others
    -> Proxies: cross-validated AUC of forests that guess `protected` from each feature, and from
       all of them, as a mean over five folds, in which rows of one value are guessed alike

    Source: Hardt, Price and Srebro (2016), sec. 1, who call proxies redundant encodings.

    >>> rng = np.random.default_rng(0)
    >>> a, noise = rng.integers(0, 2, 300), rng.random(300)
    >>> found = proxies(np.column_stack([a + rng.normal(0, 0.5, 300), noise]), a)
    >>> bool(found.alone[0] > 0.8), bool(abs(found.alone[1] - 0.5) < 0.1)
    (True, True)
    """
    rng = own_stream(rng, "proxies")
    n_trees = check_count(n_trees, "n_trees")
    table, names = as_numbers(X)
    in_second = _two_groups(protected, len(table), what="protected")
    fewest = min(in_second.sum(), (~in_second).sum())
    folds = stratified_folds(in_second, min(N_FOLDS, fewest), rng)

    def aucs(columns):
        said = held_out_by_forests(
            columns, in_second, folds, n_trees, min_samples_leaf=min_samples_leaf, rng=rng)
        return np.array([auc(in_second[rows], said[rows]) for rows in folds])

    alone = np.array([aucs(table[:, [j]]) for j in range(len(names))])
    together = aucs(table)
    return Proxies(
        names=names,
        alone=alone.mean(axis=1),
        together=float(together.mean()),
        alone_error=fold_error(alone),
        together_error=float(fold_error(together)),
    )


def _two_groups(group, n_rows, *, what="group"):
    """(n,) bool, True in the second group."""
    labels, codes = encode_labels(check_y(group, n_rows, what=what))
    counts = np.bincount(codes)
    if len(labels) != 2 or counts.min() < 2:
        some = ", ".join(map(str, labels[:5]))
        raise ValueError(
            f"{what} has {len(labels)} labels ({some}) with {counts.tolist()[:5]} rows: expected "
            f"two groups of at least two rows each. Compare two at a time, {what} != reference for "
            "example.")
    return codes == 1
