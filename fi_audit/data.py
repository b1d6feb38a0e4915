"""The data of an audit: a model, its table, and what the rows are to the model.

    unseen        the usual case: the model has not seen the rows, which judge it
    both          it was fitted on some of the rows and has not seen the others (test=)
    seen          it was fitted on all of them (seen=True): then the rows cannot judge it

The given model is audited. A copy of it is fitted anew only where the caller asks (refit=), and
every sentence about the copy says so. Everything is checked here, once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.evaluation import check_groups
from fi_teach.basics.losses import Loss, row_loss
from fi_teach.basics.model import Model, as_model
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import (
    check_real_table,
    check_weights,
    feature_names,
    places_by_name,
    some_names,
)
from fi_teach.basics.target import holds_labels, places_among

HELD_OUT = 1 / 3
LEAST_ROWS = 30


class Budget(NamedTuple):
    """How much to compute: test rows (fewer in wide tables), training rows, shuffles, refits."""

    test: int
    cells: int
    train: int
    repeats: int
    refits: int


THOROUGH = Budget(test=10_000, cells=200_000, train=3000, repeats=5, refits=8)
QUICK = Budget(test=2000, cells=40_000, train=1000, repeats=3, refits=4)


@dataclass(frozen=True, eq=False)
class AuditData:
    """A model, a table, a target and a loss, checked and matched once.

    model : the model that is asked; clone : how it was fitted anew, or "" if it is the given one
    table : all columns of all rows; X : the model's columns; y (n,) : the target
    held_out (n,) bool : the rows that judge; seen : was the model fitted on these very rows?
    metadata : what is known of the rows beside X, (n,) each: groups, protected, time (on one clock)
        and when (the same as it was given)
    known_from : {column of X: (n,) when its value came to be}
    weights (n,) : how much a row counts; learner : (X, y, weights) -> a fitted model, or None
    notes : what was dropped, restored or taken for granted
    """

    model: Model
    clone: str
    table: pd.DataFrame
    X: pd.DataFrame
    y: NDArray
    held_out: NDArray
    seen: bool
    metadata: Mapping[str, NDArray]
    known_from: Mapping[str, NDArray]
    weights: NDArray
    learner: Callable | None
    no_refit: str
    notes: tuple[str, ...]
    column_names: Mapping[str, str]
    budget: Budget
    seed: Seed
    progress: Callable | None
    loss: Loss | None

    @cached_property
    def names(self) -> tuple[str, ...]:
        return feature_names(self.X)

    @cached_property
    def subject(self) -> str:
        """What the sentences are about."""
        return "the model" if not self.clone else f"a copy of the model, {self.clone},"

    @cached_property
    def who(self) -> str:
        """The subject at the beginning of a sentence."""
        return self.subject[0].upper() + self.subject[1:]

    @cached_property
    def test(self) -> NDArray:
        """Positions of the rows that judge, at most as many as the budget allows."""
        most = min(self.budget.test, max(600, self.budget.cells // len(self.names)))
        return self.some(np.flatnonzero(self.held_out), most, "test rows")

    @cached_property
    def train(self) -> NDArray:
        """Positions of the rows that the model was fitted on, some of them; perhaps none."""
        return self.some(np.flatnonzero(~self.held_out), self.budget.train, "training rows")

    @cached_property
    def sample(self) -> NDArray:
        """Positions of rows for what is asked of the table alone, whoever saw them."""
        return self.some(np.arange(len(self.y)), self.budget.train, "rows of the table")

    # --- what is predicted ---

    @cached_property
    def kind(self) -> str:
        """What is predicted: "probability", "label" or "number"."""
        if self.model.is_classifier is False:
            return "number"
        answer = self.answers(self.X.iloc[self.test[:50]])
        if self.model.is_function and answer.ndim == 1:
            if not holds_labels(self.y):
                return "number"
            return "label" if answer.dtype.kind not in "iuf" else "probability"
        return "probability" if answer.ndim == 2 else "label"

    def answers(self, table: pd.DataFrame) -> NDArray:
        """Ask the model: probabilities where it has them, else its prediction."""
        if self.model.is_classifier and hasattr(self.model.given, "predict_proba"):
            return self.model.probabilities(table, arranged=True)
        return self.model.predict(table, arranged=True)

    @cached_property
    def classes(self) -> NDArray:
        """The labels, in the order of the model's probabilities."""
        known = self.model.classes
        return np.unique(self.y) if known is None else np.asarray(known)

    @cached_property
    def outcome(self) -> NDArray:
        """The target as the losses take it (n,): numbers, or the place of each label."""
        if self.kind == "number":
            return self.y.astype(float)
        return places_among(self.y, self.classes)

    @cached_property
    def targets(self) -> NDArray:
        """The target as numbers: (n, 1), or a column of 0 and 1 for each class (n, K)."""
        if self.kind == "number":
            return self.outcome[:, None]
        return (self.outcome[:, None] == np.arange(len(self.classes))).astype(float)

    def predict(self, table: pd.DataFrame) -> NDArray:
        """Predict as the losses take it: numbers (m,), label places (m,), probabilities (m, K)."""
        answer = self.answers(table)
        if self.kind == "number":
            return answer.astype(float)
        if self.kind == "label":
            return places_among(answer, self.classes)
        return np.column_stack([1 - answer, answer]) if answer.ndim == 1 else answer

    @cached_property
    def prediction(self) -> NDArray:
        """The predictions of the test rows."""
        return self.predict(self.X.iloc[self.test])

    def weights_of(self, rows: NDArray) -> NDArray:
        """Weights of some rows, scaled to a mean of 1."""
        weights = self.weights[rows]
        return weights / weights.mean() if weights.sum() > 0 else np.ones(len(rows))

    def groups_of(self, rows: NDArray) -> NDArray | None:
        """Codes of the rows' groups, or None where all are of one group or none were given."""
        if "groups" not in self.metadata:
            return None
        codes = np.unique(self.metadata["groups"][rows], return_inverse=True)[1]
        return codes if codes.max() > 0 else None

    def stream(self, name: str) -> np.random.Generator:
        """Return the random generator of one step."""
        return own_stream(self.seed, f"audit: {name}")

    def some(self, rows: NDArray, most: int, what: str) -> NDArray:
        """Draw at most so many of the rows, in their order."""
        if len(rows) <= most:
            return rows
        return np.sort(self.stream(what).choice(rows, most, replace=False))


def make_data(
    model: Any, X: Any, y: Any, *, test: Any = None, seen: bool = False, refit: Any = False,
    groups: Any = None, time: Any = None, protected: Any = None, known_from: Mapping | None = None,
    sample_weight: Any = None, loss: str | Loss | None = None, quick: bool = False, rng: Seed = 0,
    progress: Callable | None = None,
) -> AuditData:
    """Check all arguments, and settle which rows judge which model. Arguments: see audit."""
    asked = as_model(model)
    if asked.is_function and not hasattr(X, "columns"):  # a function of arrays keeps getting them
        asked = replace(asked, given=lambda table: model(np.asarray(table)))
    table, outcome, held_out = _one_table(X, y, test)
    given = {"groups": groups, "time": time, "protected": protected}
    metadata = {
        name: _column(table, which, name) for name, which in given.items() if which is not None}
    weights = None if sample_weight is None else _column(table, sample_weight, "sample_weight")
    weights = check_weights(weights, len(table))

    has_target = ~pd.isna(pd.Series(outcome)).to_numpy()
    notes = []
    if not has_target.all():
        notes.append(f"{(~has_target).sum():,} rows without a target were left out.")
        table, outcome = table[has_target].reset_index(drop=True), outcome[has_target]
        weights, held_out = weights[has_target], held_out[has_target]
        metadata = {name: values[has_target] for name, values in metadata.items()}
    if "time" in metadata:
        metadata["when"], metadata["time"] = metadata["time"], as_times(metadata["time"], "time")
    features, restored = with_known_categories(asked, _features(asked, table))
    outcome = _check_target(outcome, asked)

    learner, no_refit = _learner(model, refit)
    if seen and test is not None:
        raise ValueError("seen says that all rows were fitted on, test that some were not: give "
                         "one of them.")
    clone = ""
    if seen and refit and len(outcome) >= LEAST_ROWS:
        if learner is None:
            raise ValueError(no_refit)
        held_out, how = _hold_out(len(outcome), metadata, rng)
        asked = fitted_again(learner, features[~held_out], outcome[~held_out], weights[~held_out])
        clone, seen = f"fitted again on {(~held_out).sum():,} of these rows", False
        notes.append(f"The copy is judged on {how}.")
    return AuditData(
        model=asked, clone=clone, table=table, X=features, y=outcome, held_out=held_out, seen=seen,
        metadata=metadata, known_from=_times_of(table, known_from, metadata, features),
        weights=weights, learner=learner if refit else None, no_refit=no_refit,
        notes=(*notes, *restored),
        column_names={name: which for name, which in given.items() if isinstance(which, str)},
        budget=QUICK if quick else THOROUGH, seed=rng, progress=progress,
        loss=None if loss is None else row_loss(loss))


# --- the table ---


def _one_table(X: Any, y: Any, test: Any) -> tuple[pd.DataFrame, NDArray, NDArray]:
    """Return all rows in one table, the target, and which rows the model has not seen."""
    table = as_frame(X, "X")
    y = _one_column(y, len(table), "y")
    if test is None:
        return table, y, np.ones(len(table), bool)
    if isinstance(test, tuple) and len(test) == 2:
        more = as_frame(test[0], "X_test")
        missing = [name for name in table if name not in more]
        if missing:
            raise ValueError(
                f"the test rows have no column {missing[0]!r}, which X has: give both the same.")
        both = pd.concat([table, more[list(table)]], ignore_index=True)
        categories = table.select_dtypes("category").columns
        both = both.astype(dict.fromkeys(categories, "category"))  # concat forgets differing ones
        y_test = _one_column(test[1], len(more), "y_test")
        return both, np.concatenate([y, y_test]), np.arange(len(both)) >= len(table)
    held_out = np.asarray(test)
    if held_out.shape != (len(table),) or held_out.dtype != bool:
        raise ValueError(
            "test is neither a pair (X_test, y_test) nor one True or False for each row of X "
            "(True: the model has not seen it).")
    if not held_out.any():
        raise ValueError("test marks no row: say seen=True if the model was fitted on all rows.")
    return table, y, held_out


def as_frame(X: Any, what: str) -> pd.DataFrame:
    """Convert a table (also polars' or Arrow's) to a DataFrame with text as column names."""
    X = X.to_pandas() if hasattr(X, "to_pandas") else X
    table = pd.DataFrame(check_real_table(X, what=what)).reset_index(drop=True)
    table.columns = list(feature_names(X if isinstance(X, pd.DataFrame) else table.to_numpy()))
    return table


def _one_column(y: Any, n_rows: int, what: str) -> NDArray:
    array = np.asarray(y.to_pandas() if hasattr(y, "to_pandas") else y)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"the target has {array.shape[1]} columns: audit one output at a time.")
    array = array.reshape(len(array), -1)[:, 0] if array.ndim == 2 else array
    if array.shape != (n_rows,):
        raise ValueError(f"{what} has {len(array)} values for {n_rows} rows: give one a row.")
    return array


def _check_target(y: NDArray, model: Model) -> NDArray:
    """Refuse a target that the model does not predict, or that has nothing to tell apart."""
    if y.dtype.kind == "O":
        y = np.array(y.tolist())
    if len(y) == 0:
        raise ValueError("no row has a target: give rows with one.")
    if (y == y[0]).all():
        raise ValueError(f"the target is {y[0]!r} in all rows: there is nothing to tell apart.")
    if model.is_classifier is False and holds_labels(y):
        if y.dtype.kind != "b":
            raise ValueError(
                f"the target holds words such as {str(y[0])!r}, but the model predicts numbers: "
                "give the target as the numbers that the model was fitted on.")
        return y.astype(float)
    if model.classes is not None and (places_among(y, model.classes) < 0).all():
        raise ValueError(
            f"the target holds {str(y[0])!r}, which the model never saw: it knows "
            f"{some_names(list(map(repr, model.classes.tolist())))}. "
            "Give the target in the words that it was fitted on.")
    return y


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


def with_known_categories(model: Model, X: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Give words, as a CSV file keeps them, the categories a tree model knows -> table, notes."""
    last = getattr(model.given, "best_estimator_", model.given)
    last = last.steps[-1][1] if hasattr(last, "steps") else last
    notes: list[str] = []
    X = X.copy(deep=False)
    try:
        asked = as_model(last)
        names, words = asked.names or feature_names(X), asked.forest.words
    except (ValueError, AttributeError, TypeError):  # not made of trees that we can read
        return X, notes
    for name, categories in ((names[j], words[j]) for j in words if j < len(names) and words[j]):
        if name not in X or isinstance(X[name].dtype, pd.CategoricalDtype):
            continue
        known = {_word(word): word for word in categories}
        given = X[name].astype(object).map(_word, na_action="ignore")
        X[name] = pd.Categorical(given.map(known), categories=list(categories))
        new = int((X[name].isna() & given.notna()).sum())
        if new:
            notes.append(f"{new:,} values of '{name}' are words that the model never saw; they "
                         "count as gaps.")
    return X, notes


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


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
        values = values.astype(object).fillna("not stated")
    elif n_gaps:
        raise ValueError(
            f"{what} has {n_gaps} gap{'s' if n_gaps > 1 else ''}: say which value such rows belong "
            "to, or drop them.")
    return values.to_numpy()


def as_times(values: Any, what: str) -> NDArray:
    """Convert dates (20240531 is one) or numbers to numbers on one clock (n,); NaN where none."""
    column = pd.Series(values)
    if are_packed_dates(column):
        column = column.astype("Int64").astype(str)
    elif pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    try:
        dates = pd.to_datetime(column, utc=True)
    except (ValueError, TypeError):
        raise ValueError(
            f"{what} holds {str(column.iloc[0])!r}, expected dates such as 2024-05-31, or numbers."
        ) from None
    return ((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy(dtype=float)


def are_packed_dates(column: pd.Series) -> bool:
    """Are these numbers dates, written as 20240531?"""
    known = column.dropna()
    if not len(known) or not pd.api.types.is_numeric_dtype(column) or (known % 1 != 0).any():
        return False
    if known.min() < 19000101 or known.max() > 21001231:
        return False
    dates = pd.to_datetime(known.astype("int64").astype(str), format="%Y%m%d", errors="coerce")
    return bool(dates.notna().all())


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
    times, when_given = {}, pd.Series(metadata["when"])
    for name, when in known_from.items():
        if name not in features:
            raise ValueError(f"known_from names {name!r}, which is no column of the model.")
        is_column = isinstance(when, str) and when in table
        rows = when if np.ndim(when) == 1 else [when] * len(table)
        column = pd.Series(table[when] if is_column else rows)
        if _is_number(column) != _is_number(when_given):
            raise ValueError(
                f"known_from of {name!r} is {str(column.iloc[0])!r}, but time holds "
                f"{str(metadata['when'][0])!r}: give both as dates, or both as numbers.")
        times[name] = as_times(column, f"known_from of {name!r}")
    return times


def _is_number(time: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(time) and not are_packed_dates(time)


# --- a copy of the model, fitted anew ---


def _learner(model: object, refit: Any) -> tuple[Callable | None, str]:
    """Return how to fit a copy of the model, (X, y, weights) -> model, or None and why not."""
    if callable(refit):
        return lambda X, y, weights: refit(X, y), ""
    if refit not in (True, False):
        raise ValueError(
            f"refit is {refit!r}, expected True, False, or a function (X, y) -> model.")
    model = getattr(model, "best_estimator_", model)
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        return None, (f"a {type(model).__name__} cannot be fitted again: give refit=, a function "
                      "(X, y) -> model.")
    for name, part in {"": model, **model.get_params(deep=True)}.items():
        prefit = name.split("__")[-1] == "cv" and isinstance(part, str) and part == "prefit"
        if prefit or type(part).__name__ == "FrozenEstimator":
            what = "cv='prefit'" if prefit else "a FrozenEstimator"
            return None, (f"the model holds {what}, which keeps what it learned from all rows: a "
                          "copy of it would know the rows that judge it.")

    def learn(X, y, weights):
        from sklearn.base import clone
        counts = {}
        if (weights != weights[0]).any():
            last = model.steps[-1][0] + "__" if hasattr(model, "steps") else ""
            counts = {f"{last}sample_weight": weights}
        return clone(model).fit(X, y, **counts)
    return learn, ""


def fitted_again(learner: Callable | None, X: pd.DataFrame, y: NDArray, weights: NDArray) -> Model:
    """Fit a copy of the model. Raises ValueError, in one line, for whatever goes wrong."""
    try:
        return as_model(learner(X, y, weights))  # type: ignore[misc]
    except Exception as error:
        raise ValueError(
            f"a copy of the model could not be fitted ({in_one_line(error)}).") from error


def in_one_line(error: Exception) -> str:
    """Name the kind of an error, and its first line."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:160]}"


def _hold_out(n_rows: int, metadata: Mapping, rng: Seed) -> tuple[NDArray, str]:
    """Hold out a third of the rows: the latest where there is a time, whole groups where given."""
    grouped = "groups" in metadata
    unit = check_groups(metadata["groups"], n_rows) if grouped else np.arange(n_rows)
    if "time" in metadata:
        last = pd.Series(metadata["time"]).groupby(unit).transform("max").to_numpy()
        cut = np.quantile(last, 1 - HELD_OUT)  # a group is as late as its latest row
        held_out = last > cut if (last > cut).any() else last >= cut
        if held_out.all():
            raise ValueError("all rows are of one time: nothing is later than the rest.")
        return held_out, "the latest third of the rows, whole days and groups"
    units = own_stream(rng, "audit: held out").permutation(unit.max() + 1)
    chosen = units[: max(1, round(len(units) * HELD_OUT))]
    return np.isin(unit, chosen), f"a random third of the {'groups' if grouped else 'rows'}"
