"""Permuted tables, and the variance of the mean loss differences that they give.

In a permutation every row counts twice: as *receiver* of another row's value and as *donor* of its
own. Both roles add to the variance.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.tables import Table as Table
from fi_teach.basics.tables import check_count


def shuffles(n_rows: int, n_repeats: int, rng: np.random.Generator) -> NDArray:
    """Draw random permutations, one a column: row i takes its value from row donors[i, k].

    -> (n_rows, n_repeats) int64
    """
    n_repeats = check_count(n_repeats, "n_repeats")
    permutations = [rng.permutation(n_rows) for _ in range(n_repeats)]
    return np.stack(permutations, axis=1).astype(np.int64)


def take(X: Table, rows: NDArray | slice) -> Any:
    """Take rows of a table, as a new table of the same kind: rows (m,) int -> (m, p)."""
    if isinstance(X, pd.DataFrame):
        return X.iloc[rows].reset_index(drop=True)
    return X[rows]


def swap(X: Table, columns: list[int], rows: NDArray, donors: NDArray) -> Table:
    """Repeat each row K times, with `columns` taken from its K donors -> table (n K, p).

    rows (n,) int; donors (n, K) int, or (C, n, K): each of the C columns has donors of its own

    >>> swap(np.array([[1, 10], [2, 20]]), [1], np.array([0, 1]), np.array([[1], [0]]))
    array([[ 1, 20],
           [ 2, 10]])
    """
    new = take(X, np.repeat(rows, donors.shape[-1]))
    per_column = np.broadcast_to(donors, (len(columns), *donors.shape[-2:]))
    for j, its_donors in zip(columns, per_column, strict=True):
        donor = its_donors.ravel()
        if isinstance(X, pd.DataFrame):
            new.isetitem(j, X.iloc[:, j].array.take(donor))
        else:
            new[:, j] = X[donor, j]
    return new


def put(X: Table, column: int, values: NDArray) -> Table:
    """Repeat each row K times, with one column replaced by values (n, K) -> table (n K, p).

    >>> put(np.array([[1, 10], [2, 20]]), 1, np.array([[0.5], [0.25]]))
    array([[1.  , 0.5 ],
           [2.  , 0.25]])
    """
    new = take(X, np.repeat(np.arange(len(X)), values.shape[1]))
    if isinstance(X, pd.DataFrame):
        new.isetitem(column, values.ravel())
        return new
    new = new.astype(np.result_type(new, values), copy=False)
    new[:, column] = values.ravel()
    return new


# --- variances ---


def receiver_donor_variance(
    differences: NDArray,
    donors: NDArray,
    within: NDArray | None = None,
    *,
    weights: NDArray | None = None,
    groups: NDArray | None = None,
) -> float:
    """Variance of the mean loss difference over new test sets, each row counted in both its roles.

    psi_i = a_i + b_i with a_i the mean difference row i suffers as receiver and b_i the mean it
    causes as donor: the Hajek projection of a U-statistic of two rows. For K shuffles of n rows

        Var = (Var_i(psi_i) - Var(all differences) / K) / n :

    the first term measures both roles, but each through K shuffles only; the second takes out that
    noise and leaves in what a finite K really adds. Where C columns have donors of their own, a row
    is a donor C times: psi_i has C terms b and C times the noise is taken out.

    differences (n, K), donors (n, K) or (C, n, K) int
    within (n,) int : rows swap within these subgroups only; then psi_i = a_i + b_i - its subgroup's
        mean
    weights (n,), of mean 1 : how much a row's difference counts
    groups (n,) int : rows that were drawn together; psi is then summed over each group
    -> float, in squared units of the loss

    Source: Hoeffding (1948), applied to the loss as a kernel of two rows.
    """
    n, n_repeats = differences.shape
    donors = donors.reshape(-1, n * n_repeats)
    times_donor = len(donors)
    if weights is not None and (weights != 1).any():
        total = (weights[:, None] * differences).mean()
        differences = weights[:, None] * (differences - total)

    receiver = differences.mean(axis=1)
    caused = [np.bincount(rows, weights=differences.ravel(), minlength=n) for rows in donors]
    donor = sum(caused) / n_repeats
    centre = np.full(n, receiver.mean())
    if within is not None:
        centre = (np.bincount(within, weights=receiver) / np.bincount(within))[within]
    psi = receiver + donor - times_donor * centre

    noise = times_donor * ((differences - centre[:, None]) ** 2).mean() / n_repeats
    variance = variance_of_mean(psi, groups) - noise / n
    if variance > 0:
        return variance
    # A difference of estimates may fall below zero on few rows: then the receiver's half is known.
    return variance_of_mean(receiver, groups)


def variance_of_mean(psi: NDArray, groups: NDArray | None = None) -> float:
    """Variance of the mean of psi (n,) over new samples: of rows, or of groups of rows.

    rows: sum_i (psi_i - mean)^2 / (n (n-1));  G groups: G / (G-1) sum_g (sum_{i in g} ...)^2 / n^2

    >>> psi = np.array([1.0, 3.0, 1.0, 3.0])
    >>> variance_of_mean(psi), variance_of_mean(psi, np.array([0, 1, 0, 1]))
    (0.3333333333333333, 1.0)
    """
    n = len(psi)
    if groups is None:
        return float(psi.var(ddof=1) / n)
    sums = np.bincount(groups, weights=psi - psi.mean())
    occurring = np.bincount(groups) > 0
    n_groups = int(occurring.sum())
    return float((sums**2).sum() / n**2 * n_groups / (n_groups - 1))


# --- a column drawn anew given the others ---


def gaussian_conditional(X: NDArray, column: int, rng: np.random.Generator) -> NDArray:
    """Draw new values of one column from its normal distribution given the other columns.

    x_j | rest ~ N(least-squares prediction from the rest, residual variance): exact if the columns
    are jointly normal and n is large. X (n, p) float array -> (n,) float. A column that the others
    determine comes back (almost) as it was.

    Source: Candès et al. (2018), the conditional randomisation test.
    """
    _, fitted, spread = normal_given_others(X, column)
    return fitted + spread * rng.standard_normal(len(X))


def normal_given_others(X: NDArray, column: int) -> tuple[NDArray, NDArray, float]:
    """Regress one column on the others by least squares.

    -> design (n, p) with a first column of ones, fitted values (n,), residual standard deviation
    """
    others = np.delete(X, column, axis=1)
    design = np.column_stack([np.ones(len(X)), others])
    weights, _, rank, _ = np.linalg.lstsq(design, X[:, column], rcond=None)
    fitted = design @ weights
    left = X[:, column] - fitted
    degrees = max(1, len(X) - rank)
    return design, fitted, float(np.sqrt((left**2).sum() / degrees))
