"""Methods that refit: call a function that fits on (X, y) and returns an importance a column."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.results import Importance
from fi_teach.basics.tables import check_real_table, check_table, feature_names
from fi_teach.basics.target import check_y

ImportanceOf = Callable[..., "Importance | NDArray"]
"""A function of (X, y) that fits what it needs and returns one importance a column."""


def call_importance(importance_of: ImportanceOf, X: object, y: NDArray, n_columns: int) -> NDArray:
    """Call importance_of(X, y) -> (n_columns,) finite numbers; of an Importance, its mean.

    >>> call_importance(lambda X, y: np.abs(X.T @ y), np.eye(2), [1.0, -3.0], 2)
    array([1., 3.])
    """
    if not callable(importance_of):
        raise ValueError(
            f"importance_of is {type(importance_of).__name__!r}, expected a function (X, y) that "
            "fits what it needs and returns one importance a column.")
    try:
        found = importance_of(X, y)
    except ValueError as refusal:
        raise ValueError(
            f"importance_of refused the table ({refusal}): let it encode words and fill gaps, as "
            "a pipeline does, or pass a table that it can take.") from refusal
    found = found.mean if isinstance(found, Importance) else found
    try:
        values = np.asarray(found, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"importance_of returned {type(found).__name__}, expected {n_columns} numbers or an "
            "Importance: let it measure the model that it fitted, as in mdi(model).") from None
    if values.shape != (n_columns,) or not np.isfinite(values).all():
        raise ValueError(
            f"importance_of returned shape {values.shape} for {n_columns} columns, or values that "
            f"are not finite: expected {n_columns} finite numbers, one for each column it is given."
        )
    return values


def with_progress(rounds: Iterable, progress: Callable | None) -> Iterable:
    """Wrap the rounds by `progress`, such as tqdm.tqdm, if it is given."""
    return rounds if progress is None else progress(rounds)


def check_refit_data(
    X: ArrayLike, y: ArrayLike, *, any_columns: bool = False
) -> tuple[Any, NDArray, tuple[str, ...]]:
    """Check the table and target for importance_of -> X of the caller's kind, y, names.

    any_columns : a DataFrame may hold words, dates and gaps
    """
    if any_columns and isinstance(X, pd.DataFrame):
        table = check_real_table(X)
        return table, check_y(y, len(table), several=True, varies=True), feature_names(table)
    table, names = check_table(X)
    y = check_y(y, len(table), several=True, varies=True)
    is_callers_kind = isinstance(X, (pd.DataFrame, np.ndarray))
    return (X if is_callers_kind else table), y, names
