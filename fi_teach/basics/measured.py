"""What methods that refit are handed: a function that fits on (X, y) and measures each column."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.results import Importance
from fi_teach.basics.tables import check_table
from fi_teach.basics.target import check_outcome

ImportanceOf = Callable[..., "Importance | NDArray"]
"""A function of (X, y) that fits what it needs and returns one importance a column."""


def measured(importance_of: ImportanceOf, X, y, n_columns: int) -> NDArray:
    """importance_of(X, y) as (n_columns,) finite numbers; of an Importance its mean.

    Raises ValueError for what is no function, and for a function that returns anything else.

    >>> measured(lambda X, y: np.abs(X.T @ y), np.eye(2), [1.0, -3.0], 2)
    array([1., 3.])
    """
    if not callable(importance_of):
        raise ValueError(
            f"importance_of is {type(importance_of).__name__!r}, expected a function (X, y) that "
            "fits what it needs and returns one importance a column."
        )
    found = importance_of(X, y)
    values = _as_numbers(found, n_columns)
    if values.shape != (n_columns,) or not np.isfinite(values).all():
        raise ValueError(
            f"importance_of returned shape {values.shape} for {n_columns} columns, or values that "
            f"are not finite: expected {n_columns} finite numbers, one for each column it is given."
        )
    return values


def _as_numbers(found, n_columns):
    if isinstance(found, Importance):
        return found.mean
    try:
        return np.asarray(found, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"importance_of returned {type(found).__name__}, expected {n_columns} numbers or an "
            "Importance: let it measure the model that it fitted, as in mdi(model)."
        ) from None


def shown(rounds: Iterable, progress: Callable | None) -> Iterable:
    """The rounds, wrapped by `progress` (such as tqdm.tqdm) where there is one."""
    return rounds if progress is None else progress(rounds)


def fitting_task(X, y) -> tuple:
    """A table and its target as what importance_of is handed: X of the caller's kind, y, names.

    Raises ValueError for tables and targets that cannot be used.
    """
    table, names = check_table(X)
    y = check_outcome(y, len(table))
    is_callers_kind = isinstance(X, (pd.DataFrame, np.ndarray))
    return (X if is_callers_kind else table), y, names
