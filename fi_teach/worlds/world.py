"""A world is a data set with its truth beside it: there an importance can be right or wrong."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class World:
    """One data set with the truth beside it.

    X : DataFrame (n, p), all numbers
    y : Series (n,), or DataFrame (n, n_outputs); for survival its columns are time and event
    truth : DataFrame (p, 5), one row a feature:
        associated : the target depends on the feature, taken alone
        relevant : the target depends on it given all the other features of X (what knockoffs ask)
        used : the ideal predictor reads it
        causal : setting its column's variable to another value would change the target
        importance : by how much the expected squared error of `ideal` rises when this column is
            replaced by an independent copy,
            E[(y - ideal(X with x_j'))^2] - E[(y - ideal(X))^2]; NaN where no formula is known
    name, description : what it is
    task : "classification", "regression", "survival" or "several outputs"
    ideal : the best prediction of y from X, or None
        (for classes P(y = 1), for survival the log hazard ratio)
    hidden : DataFrame of what exists and is not shown
    test : a second World to evaluate on, where that one follows another law; else None
    extra : dict, facts of one world only

    >>> from fi_teach.worlds import xor_gate
    >>> xor_gate(100, rng=0).truth.loc["x1", ["associated", "relevant"]].tolist()
    [False, True]
    """

    X: pd.DataFrame
    y: pd.Series | pd.DataFrame
    truth: pd.DataFrame
    name: str
    description: str
    task: str
    ideal: Callable | None = None
    hidden: pd.DataFrame = field(default_factory=pd.DataFrame)
    test: "World | None" = None
    extra: dict = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names."""
        return tuple(self.X.columns)

    def __repr__(self):
        n, p = self.X.shape
        return f"<World {self.name}: {n} rows, {p} features, {self.task}>"


def truth_table(
    names, *, associated=(), relevant=(), used=(), causal=(), importance=None
) -> pd.DataFrame:
    """The truth from the names of the features that have each property -> DataFrame (p, 5)."""
    properties = {
        "associated": associated,
        "relevant": relevant,
        "used": used,
        "causal": causal,
    }
    names = list(names)
    columns = {}
    for title, members in properties.items():
        columns[title] = [name in members for name in names]
    columns["importance"] = np.nan if importance is None else np.asarray(importance, float)
    return pd.DataFrame(columns, index=names)


# --- what may be asked for: checked at the door ---


def check_rows(n: int, least: int = 1) -> None:
    """Raises ValueError unless n is a whole number of rows, at least `least`."""
    if not _is_whole(n) or n < least:
        raise ValueError(f"n is {n!r}, expected a whole number of rows, at least {least}.")


def check_whole(least: int, **counts: int) -> None:
    """Raises ValueError, by name, for a count that is no whole number of at least `least`."""
    for name, count in counts.items():
        if not _is_whole(count) or count < least:
            raise ValueError(f"{name} is {count!r}, expected a whole number, at least {least}.")


def check_finite(**amounts: float) -> None:
    """Raises ValueError, by name, for NaN and infinities."""
    for name, amount in amounts.items():
        if not np.isfinite(amount):
            raise ValueError(f"{name} is {amount}, expected a finite number.")


def check_not_negative(**amounts: float) -> None:
    """Raises ValueError, by name, for what cannot be a standard deviation or a rate."""
    for name, amount in amounts.items():
        if not (np.isfinite(amount) and amount >= 0):
            raise ValueError(
                f"{name} is {amount}, expected a finite number >= 0: "
                "it is a standard deviation or a rate."
            )


def check_between(low: float, high: float, **amounts: float) -> None:
    """Raises ValueError, by name, for a number outside low ... high."""
    for name, amount in amounts.items():
        if not low <= amount <= high:
            raise ValueError(f"{name} is {amount}, expected a number from {low} to {high}.")


def _is_whole(number):
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
