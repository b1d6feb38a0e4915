"""A simulated data set with its truth, and checks of arguments."""

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fi_teach.basics.tables import check_count


@dataclass(frozen=True, repr=False, eq=False)
class World:
    """A simulated data set with its truth.

    X : DataFrame (n, p), all numbers
    y : Series (n,)
    truth : DataFrame (p, 5), one row a feature:
        associated : the target depends on the feature, taken alone
        relevant : the target depends on it given all the other features of X (what knockoffs ask)
        used : the ideal predictor reads it
        causal : setting its column's variable to another value would change the target
        importance : by how much the expected squared error of `ideal` rises when this column is
            replaced by an independent copy,
            E[(y - ideal(X with x_j'))^2] - E[(y - ideal(X))^2]; NaN where no formula is known
    name, description : what it is
    task : "classification" or "regression"
    ideal : the best prediction of y from X (for classes P(y = 1)), or None
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
    names: Iterable[str],
    *,
    associated: Collection[str] = (),
    relevant: Collection[str] = (),
    used: Collection[str] = (),
    causal: Collection[str] = (),
    importance: ArrayLike | None = None,
) -> pd.DataFrame:
    """The truth from the names of the features that have each property -> DataFrame (p, 5)."""
    properties = {
        "associated": associated,
        "relevant": relevant,
        "used": used,
        "causal": causal,
    }
    names = list(names)
    columns: dict = {}
    for title, members in properties.items():
        columns[title] = [name in members for name in names]
    columns["importance"] = np.nan if importance is None else np.asarray(importance, float)
    return pd.DataFrame(columns, index=names)


# --- what only worlds ask for; the other checks are in basics/tables.py ---


def check_at_least(count: object, least: int, what: str) -> int:
    """Check a whole number of at least `least`.

    >>> check_at_least(5, 5, "p")
    5
    """
    with suppress(ValueError):  # the message below says what is expected
        if check_count(count, what) >= least:
            return check_count(count, what)
    raise ValueError(f"{what} is {count!r}, expected a whole number of at least {least}.")


def check_number(amount: object, what: str) -> float:
    """Check a finite number; True is none."""
    number = _as_number(amount)
    if not np.isfinite(number):
        raise ValueError(f"{what} is {amount!r}, expected one finite number.")
    return number


def check_not_negative(amount: object, what: str) -> float:
    """Check a standard deviation or a rate: a finite number >= 0."""
    number = _as_number(amount)
    if not 0 <= number < np.inf:
        raise ValueError(
            f"{what} is {amount!r}, expected one finite number of at least 0: "
            "it is a standard deviation or a rate.")
    return number


def check_between_or_at(amount: object, low: float, high: float, what: str) -> float:
    """Check a number from `low` to `high`, both included."""
    number = _as_number(amount)
    if not low <= number <= high:
        raise ValueError(f"{what} is {amount!r}, expected a number from {low} to {high}.")
    return number


def _as_number(amount):
    """The amount as a float, NaN if it is no number or too large for a float."""
    if not isinstance(amount, Real) or isinstance(amount, bool):
        return float("nan")
    try:
        return float(amount)
    except OverflowError:
        return float("nan")
