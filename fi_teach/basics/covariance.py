"""Covariance matrices: check a given one, or estimate one from rows with shrinkage."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.tables import as_floats, check_table

SMALLEST_EIGENVALUE = 1e-4  # of an estimated correlation matrix: below it, digits are lost


def correlation_of(covariance: ArrayLike) -> tuple[NDArray, NDArray, float]:
    """Check a covariance matrix -> correlations (p, p), deviations (p,), smallest eigenvalue.

    >>> correlation_of([[4.0, 1.0], [1.0, 1.0]])[0]
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    covariance = as_floats(covariance, "covariance")
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise ValueError(
            f"covariance has shape {covariance.shape}, expected a symmetric matrix (p, p).")
    variances = np.diag(covariance)
    if not (variances > 0).all():
        raise ValueError(
            "covariance has a variance that is not above 0: drop constant columns first.")
    scale = np.sqrt(variances)
    correlation = covariance / np.outer(scale, scale)
    asymmetry = np.abs(correlation - correlation.T).max()
    if not asymmetry <= 1e-5:
        raise ValueError(
            f"covariance, of shape {covariance.shape}, is not symmetric: "
            "expected the same number at (j, k) and at (k, j).")
    smallest = np.linalg.eigvalsh(correlation)[0]
    if smallest < 1e-10:
        raise ValueError(
            "covariance cannot be inverted: some column is a copy or a sum of others, and can have "
            "no knockoff but itself. Drop it, or shrink the correlations as estimate_covariance "
            "does.")
    return correlation, scale, smallest


def estimate_covariance(X: ArrayLike) -> NDArray:
    """Estimate the covariance of X's columns; correlations are shrunk towards 0.

    r_jk <- (1 - a) r_jk for j != k, with a = sum of the r_jk's sampling variances / sum of their
    squares, the share with the least expected squared error; it vanishes as rows grow. Variances
    stay. If columns are (nearly) copies, a is raised until the matrix can be inverted.
    X (n, p) -> (p, p).

    >>> estimate_covariance([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    array([[0.25, 0.  ],
           [0.  , 0.25]])
    """
    X, names = check_table(X)
    scale = X.std(axis=0)
    constant = scale <= 1e-12 * np.abs(X).max(axis=0)
    if len(X) < 2 or constant.any():
        raise ValueError(
            f"column {names[int(scale.argmin())]!r} of X has one value in all {len(X)} rows: a "
            "constant has no covariance and no knockoff. Drop it (or bring more rows).")
    z = (X - X.mean(axis=0)) / scale
    correlation = z.T @ z / len(X)
    shrunk = _shrunk(correlation, _noise_share(z, correlation))
    return shrunk * np.outer(scale, scale)


def _noise_share(z, correlation):
    """Sum of Var(r_jk) over sum of r_jk^2, j != k, between 0 and 1; z (n, p) standardised rows."""
    n = len(z)
    mean_squares = (z**2).T @ z**2 / n
    variances = (mean_squares - correlation**2) / n
    noise, size = (table.sum() - np.trace(table) for table in (variances, correlation**2))
    return min(1.0, noise / size) if size > 0 else 0.0


def _shrunk(correlation, share):
    """(1 - a) R + a I with a = share, or the smallest larger a that lifts every eigenvalue."""
    smallest = min(np.linalg.eigvalsh(correlation)[0], SMALLEST_EIGENVALUE)
    needed = (SMALLEST_EIGENVALUE - smallest) / (1 - smallest)
    share = max(share, needed)
    return (1 - share) * correlation + share * np.eye(len(correlation))
