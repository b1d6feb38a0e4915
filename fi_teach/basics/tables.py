"""Input is checked once, at the public door: what came, what was expected, what to do."""

import numpy as np
import pandas as pd


def feature_names(X):
    """The names of X's columns: its own if it is a DataFrame, else x0, x1, ... -> tuple of str."""
    if isinstance(X, pd.DataFrame):
        return tuple(str(c) for c in X.columns)
    shape = np.shape(X)
    return tuple(f"x{j}" for j in range(shape[1] if len(shape) == 2 else 0))


def check_table(X, *, allow_nan=False, what="X"):
    """A table of numbers as a float array of shape (n, p), with its column names.

    X : array-like or DataFrame (n, p) -> (array float64 (n, p), tuple of p str)

    Raises ValueError for a table that is not two-dimensional, has no rows or columns, holds text, NaN
    (unless `allow_nan`) or infinities, or has two columns of one name.

    >>> check_table([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), ('x0', 'x1'))
    """
    names = feature_names(X)
    if len(set(names)) < len(names):
        twice = sorted({c for c in names if names.count(c) > 1})
        raise ValueError(f"{what} has two columns named {twice[0]!r}: an importance could not say which it means. Rename one.")
    if isinstance(X, pd.DataFrame):
        text = [c for c, kind in zip(names, X.dtypes, strict=True) if not pd.api.types.is_numeric_dtype(kind)]
        if text:
            raise ValueError(f"column {text[0]!r} of {what} holds text or categories, not numbers: encode it first, "
                             "for example with pd.get_dummies or pd.factorize.")
    try:
        array = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} holds something that is not a number (text, perhaps): encode it first, "
                         "for example with pd.get_dummies or pd.factorize.") from None
    if array.ndim != 2:
        raise ValueError(f"{what} has shape {array.shape}, expected two dimensions (rows, features). "
                         "For one feature use X.reshape(-1, 1), for one row X.reshape(1, -1).")
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(f"{what} has shape {array.shape}: at least one row and one feature are needed.")
    if np.isinf(array).any():
        raise ValueError(f"{what} holds infinities, in column {names[int(np.isinf(array).any(0).argmax())]!r}: "
                         "replace them with large finite numbers or drop the rows.")
    if not allow_nan and np.isnan(array).any():
        raise ValueError(f"{what} holds NaN, in column {names[int(np.isnan(array).any(0).argmax())]!r}, which this method "
                         "cannot take: fill it in or drop the rows.")
    return array, names


def check_target(y, n_rows, *, what="y"):
    """The target as a one-dimensional array of n_rows values, numbers or labels, without gaps.

    Raises ValueError for another length, more than one dimension, or missing values.
    """
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != n_rows:
        raise ValueError(f"{what} has shape {array.shape}, but X has {n_rows} rows: expected one value a row, shape ({n_rows},).")
    if pd.isna(array).any():
        raise ValueError(f"{what} has {int(pd.isna(array).sum())} missing values: drop those rows first.")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"{what} holds infinities: drop those rows or mend the values first.")
    return array


def check_numeric_target(y, n_rows, *, what="y"):
    """Like check_target, for targets that must be numbers -> float array (n,)."""
    array = check_target(y, n_rows, what=what)
    try:
        return array.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} holds labels such as {array[0]!r}, expected numbers: "
                         "encode the classes (y == 'yes') or choose a loss for labels.") from None


def check_weights(sample_weight, n_rows):
    """Row weights as a float array (n,); None means one each. Raises ValueError for negative or all-zero weights."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}, expected one weight a row, shape ({n_rows},).")
    if not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() == 0:
        raise ValueError("sample_weight holds negative, infinite or NaN values, or nothing but zeros: "
                         "weights count rows, so give finite values >= 0 with a positive sum.")
    return weights
