"""The inputs of an audit: a model, its table, and which rows the model has not seen.

Everything is checked and put in order here, once; the steps of the audit only read it.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation, check_groups
from fi_teach.basics.losses import Loss
from fi_teach.basics.model import Model, as_model
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import take
from fi_teach.basics.tables import (
    check_real_table,
    check_weights,
    feature_names,
    places_by_name,
    some_names,
)
from fi_teach.basics.target import check_y, holds_labels

HELD_OUT = 1 / 3
LEAST_ROWS = 30
ROWS_TIMED = 5000
NOT_STATED = "not stated"  # whom a row concerns, where a protected column of words has a gap


@dataclass(frozen=True)
class Effort:
    """How much to compute: rows judged, rows fitted on, shuffles, groups of columns refitted."""

    judged: int
    fitted: int
    repeats: int
    refitted: int


THOROUGH = Effort(judged=2000, fitted=3000, repeats=5, refitted=10)
QUICK = Effort(judged=500, fitted=800, repeats=3, refitted=4)


@dataclass(frozen=True, eq=False)
class AuditInputs:
    """A model, a table, a target and a loss, checked and matched once.

    X : DataFrame of the model's columns, all rows; y (n,) : the target
    held_out (n,) bool : rows that the model has not seen; they judge it
    metadata : what is known of the rows beside X, (n,) each: groups, protected, time (on one clock)
        and when (the same as it was given)
    known_from : {column of X: (n,) when its value came to be}
    weights (n,) : how much a row counts
    fit : (X, y) -> a fitted model, or None
    origin : how it is known that the held-out rows were not seen
    column_names : the names of the columns in metadata, where they have one
    """

    model: Model
    X: pd.DataFrame
    y: NDArray
    held_out: NDArray
    metadata: Mapping[str, NDArray]
    known_from: Mapping[str, NDArray]
    weights: NDArray
    fit: Callable | None
    origin: str
    column_names: Mapping[str, str]
    effort: Effort
    seed: Seed
    loss: str | Loss | None

    @cached_property
    def names(self) -> tuple[str, ...]:
        return feature_names(self.X)

    @cached_property
    def judged(self) -> NDArray:
        """Positions of the test rows: held out, and at most as many as the effort says."""
        rows = np.flatnonzero(self.held_out)
        return self._some(rows, self.effort.judged, "judged rows")

    @cached_property
    def fitted(self) -> NDArray:
        """Positions of the rows that refits learn from: not held out, perhaps none."""
        rows = np.flatnonzero(~self.held_out)
        return self._some(rows, self.effort.fitted, "fitted rows")

    @cached_property
    def test_set(self) -> Evaluation:
        """The model, evaluated on the test rows."""
        rows = self.judged
        groups = self.metadata.get("groups")
        return Evaluation(
            self.model, self.X.iloc[rows], self.y[rows], self.loss,
            sample_weight=self.weights[rows],
            groups=None if groups is None else check_groups(groups[rows], len(rows)),
            whole=self.y)

    def refit(self, X: pd.DataFrame, y: NDArray) -> object:
        """Fit a model to other rows. Raises ValueError if there is no learner."""
        if self.fit is None:
            raise ValueError("no learner was given: pass fit=, a function (X, y) -> model.")
        return self.fit(X, y)

    @cached_property
    def is_classification(self) -> bool:
        """Is the target one of classes?"""
        if self.model.is_classifier is None:
            return holds_labels(self.y)
        return bool(self.model.is_classifier)

    @cached_property
    def targets(self) -> NDArray:
        """The target as numbers: (n, 1), or a column of 0 and 1 for each class (n, K)."""
        if not self.is_classification:
            return self.y.astype(float)[:, None]
        labels, codes = np.unique(self.y, return_inverse=True)
        return np.eye(len(labels))[codes]

    def stream(self, name: str) -> np.random.Generator:
        """Return the random generator of one step."""
        return own_stream(self.seed, f"audit: {name}")

    def seconds(self) -> float:
        """Estimate how long the audit will take, from one prediction and one fit."""
        many = np.resize(np.arange(self.test_set.n_rows), ROWS_TIMED)  # a call's overhead is spread
        table = take(self.test_set.X, many)
        began = perf_counter()
        self.test_set.predict(table)
        a_row = (perf_counter() - began) / ROWS_TIMED
        asked = len(self.names) * self.effort.repeats * 2 * len(self.judged)
        return asked * a_row + self._seconds_to_fit()

    def _seconds_to_fit(self) -> float:
        if self.fit is None or not len(self.fitted):
            return 0.0
        some = self.fitted[: max(LEAST_ROWS, len(self.fitted) // 5)]
        began = perf_counter()
        try:
            self.fit(self.X.iloc[some], self.y[some])
        except Exception:
            return 0.0
        share = len(self.fitted) / len(some)
        a_fit = (perf_counter() - began) * share
        refits = 5 * (1 + min(self.effort.refitted, len(self.names)))
        return a_fit * refits

    def _some(self, rows: NDArray, most: int, what: str) -> NDArray:
        if len(rows) <= most:
            return rows
        return np.sort(self.stream(what).choice(rows, most, replace=False))


def make_inputs(
    model: object, X: ArrayLike, y: ArrayLike, *, test: Any = None, groups: Any = None,
    time: Any = None, protected: Any = None, known_from: Mapping | None = None,
    sample_weight: Any = None, fit: Callable | None = None, loss: str | Loss | None = None,
    quick: bool = False, rng: Seed = 0,
) -> AuditInputs:
    """Check all arguments, and find which rows the model has not seen. Arguments: see audit.

    Raises ValueError for whatever cannot be audited.
    """
    asked = as_model(model)
    whole, outcome, held_out = _one_table(X, y, test)
    features = _features(asked, whole)
    outcome = check_y(outcome, len(whole), several=True, varies=True)
    if outcome.ndim > 1:
        raise ValueError(
            f"the target has {outcome.shape[1]} columns: audit one output at a time.")
    given = {"groups": groups, "time": time, "protected": protected}
    metadata = {
        name: _column(whole, which, name) for name, which in given.items() if which is not None}
    if "time" in metadata:
        metadata["when"], metadata["time"] = metadata["time"], as_times(metadata["time"], "time")
    weights = _column(whole, sample_weight, "sample_weight") if sample_weight is not None else None
    refit = _learner(model, fit)
    origin = "the test rows you gave"
    if held_out is None:
        held_out, origin = _hold_out(len(whole), metadata, refit, rng)
        if refit is not None:
            asked = as_model(_refitted(refit, features[~held_out], outcome[~held_out]))
    _check_enough(outcome, held_out)
    return AuditInputs(
        model=asked, X=features, y=outcome, held_out=held_out, metadata=metadata,
        known_from=_times_of(whole, known_from, metadata, features),
        weights=check_weights(weights, len(whole)), fit=refit, origin=origin,
        column_names={name: which for name, which in given.items() if isinstance(which, str)},
        effort=QUICK if quick else THOROUGH, seed=rng, loss=loss or _loss_for(asked))


# --- the table ---


def _one_table(X: Any, y: Any, test: Any) -> tuple[pd.DataFrame, Any, NDArray | None]:
    """Return all rows in one table, the target, and which rows are held out, or None."""
    table = as_frame(X, "X")
    y = _one_column(y, len(table), "y")
    if test is None:
        return table, y, None
    if isinstance(test, tuple) and len(test) == 2:
        more = as_frame(test[0], "X_test")
        missing = [name for name in table if name not in more]
        if missing:
            raise ValueError(
                f"the test rows have no column {missing[0]!r}, which X has: give both the same.")
        y_test = _one_column(test[1], len(more), "y_test")
        both = pd.concat([table, more[list(table)]], ignore_index=True)
        held_out = np.arange(len(both)) >= len(table)
        return both, np.concatenate([y, y_test]), held_out
    held_out = np.asarray(test)
    if held_out.shape != (len(table),) or held_out.dtype != bool:
        raise ValueError(
            "test is neither a pair (X_test, y_test) nor one True or False for each row of X "
            "(True: the model has not seen it).")
    if held_out.all() or not held_out.any():
        raise ValueError("test marks all rows or none: some must be held out, and some not.")
    return table, y, held_out


def as_frame(X: Any, what: str) -> pd.DataFrame:
    """Convert a table to a DataFrame with text as column names and rows numbered from 0."""
    table = pd.DataFrame(check_real_table(X, what=what)).reset_index(drop=True)
    table.columns = list(feature_names(X if isinstance(X, pd.DataFrame) else table.to_numpy()))
    return table


def _one_column(y: Any, n_rows: int, what: str) -> NDArray:
    array = np.asarray(y)
    if len(array) != n_rows:
        raise ValueError(f"{what} has {len(array)} values for {n_rows} rows: give one a row.")
    missing = pd.isna(pd.Series(array)).to_numpy() if array.ndim == 1 else np.zeros(1, bool)
    if missing.any():
        raise ValueError(
            f"{what} has {missing.sum()} gaps: a row without its target cannot be judged. "
            "Drop such rows first.")
    return array


def _features(model: Model, table: pd.DataFrame) -> pd.DataFrame:
    """Return the model's columns of the table, in the model's order."""
    if model.names is None:
        return table
    places = places_by_name(model.names, feature_names(table), what="the table")
    if -1 in places:
        missing = model.names[places.index(-1)]
        raise ValueError(
            f"the model was fitted on a column {missing!r}, which the table does not have (it "
            f"has {some_names(feature_names(table))}): is it the model of another table?")
    return table.iloc[:, places]


def _column(table: pd.DataFrame, which: Any, what: str) -> NDArray:
    """Return a column by its name, or the values that were given, one a row."""
    if isinstance(which, str):
        if which not in table:
            raise ValueError(
                f"{what} is {which!r}, which is no column of the table: choose among "
                f"{some_names(feature_names(table))}.")
        values = table[which]
    else:
        values = pd.Series(np.asarray(which))
        if len(values) != len(table):
            raise ValueError(
                f"{what} has {len(values)} values, but there are {len(table)} rows (the test rows, "
                "if given, come after the others): give one a row, or the name of a column.")
    n_gaps = int(values.isna().sum())
    if n_gaps and what == "protected" and not pd.api.types.is_numeric_dtype(values):
        values = values.astype(object).fillna(NOT_STATED)
    elif n_gaps:
        raise ValueError(
            f"{what} has {n_gaps} gap{'s' if n_gaps > 1 else ''}: say which value such rows belong "
            "to, or drop them.")
    return values.to_numpy()


def as_times(values: Any, what: str) -> NDArray:
    """Convert dates or numbers to numbers on one clock (n,) float; NaN where there is none."""
    column = pd.Series(values)
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    try:
        dates = pd.to_datetime(column, utc=True)
    except (ValueError, TypeError):
        raise ValueError(
            f"{what} holds {str(column.iloc[0])!r}, expected dates such as 2024-05-31, or numbers."
        ) from None
    seconds = (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    return seconds.to_numpy(dtype=float)


def _times_of(
    table: pd.DataFrame, known_from: Mapping | None, metadata: Mapping, features: pd.DataFrame
) -> dict[str, NDArray]:
    """Return when each named column's values became known, row by row."""
    if not known_from:
        return {}
    if "time" not in metadata:
        raise ValueError(
            "known_from says when a value came to be, but not what that is too late for: say with "
            "time= (--time) when each row was decided.")
    times = {}
    for name, when in known_from.items():
        if name not in features:
            raise ValueError(f"known_from names {name!r}, which is no column of the model.")
        column = table[when] if isinstance(when, str) and when in table else [when] * len(table)
        times[name] = as_times(column, f"known_from of {name!r}")
    return times


# --- which rows are held out ---


def _hold_out(
    n_rows: int, metadata: Mapping, refit: Callable | None, rng: Seed
) -> tuple[NDArray, str]:
    """Hold out a third of the rows if the learner can be refitted on the others, else all rows."""
    if refit is None:
        return np.ones(n_rows, bool), "all rows, taken as unseen: nobody said which were"
    stream = own_stream(rng, "audit: held out")
    if "time" in metadata:
        latest = np.argsort(metadata["time"], kind="stable")[-max(1, int(n_rows * HELD_OUT)):]
        return np.isin(np.arange(n_rows), latest), "the latest third, by a refit on the others"
    unit = np.arange(n_rows)
    how = "a random third"
    if "groups" in metadata:
        unit = check_groups(metadata["groups"], n_rows)
        how = "a random third of the groups"
    units = stream.permutation(unit.max() + 1)
    chosen = units[: max(1, int(len(units) * HELD_OUT))]
    return np.isin(unit, chosen), f"{how}, by a refit on the others"


def _learner(model: object, fit: Callable | None) -> Callable | None:
    """Return how to refit the model: the caller's function, or a copy of a scikit-learn model."""
    if fit is not None:
        if not callable(fit):
            raise ValueError("fit is no function: expected (X, y) -> a fitted model.")
        return fit
    model = getattr(model, "best_estimator_", model)
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        return None
    return lambda X, y: deepcopy(model).fit(X, y)


def _refitted(fit: Callable, X: pd.DataFrame, y: NDArray) -> object:
    try:
        return fit(X, y)
    except Exception as error:
        raise ValueError(
            f"no test rows were given, and the model cannot be fitted again on a part of the rows "
            f"({type(error).__name__}: {str(error)[:200]}): give rows it has not seen, test=."
        ) from error


def _check_enough(y: NDArray, held_out: NDArray) -> None:
    n = int(held_out.sum())
    if n < LEAST_ROWS:
        raise ValueError(
            f"{n} rows judge the model: fewer than {LEAST_ROWS} bear no statement. Bring more.")
    if (y[held_out] == y[held_out][0]).all():
        raise ValueError(
            f"the target is {y[held_out][0]!r} in all rows that judge the model: there is nothing "
            "to tell apart.")


def _loss_for(model: Model) -> str | None:
    """Choose Brier's score for probabilities; labels and numbers follow the model."""
    gives_chances = hasattr(model.given, "predict_proba") and model.is_classifier
    return "brier" if gives_chances else None


