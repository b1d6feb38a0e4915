"""Input is checked once, at the public door: what came, what was expected, what to do."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import cache
from numbers import Integral, Real
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Table: TypeAlias = pd.DataFrame | NDArray


def feature_names(X: ArrayLike) -> tuple[str, ...]:
    """The names of X's columns: its own if it is a DataFrame, else x0, x1, ..."""
    if isinstance(X, pd.DataFrame):
        return tuple(str(column) for column in X.columns)
    shape = np.shape(X)
    return _numbered(shape[1] if len(shape) == 2 else 0)


@cache
def _numbered(p: int) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(p))


def check_table(
    X: ArrayLike, *, allow_nan: bool = False, what: str = "X"
) -> tuple[NDArray, tuple[str, ...]]:
    """A table of numbers as a float array of shape (n, p), with its column names.

    X : array-like or DataFrame (n, p) -> (array float64 (n, p), tuple of p str)

    >>> check_table([[1, 2], [3, 4]])
    (array([[1., 2.],
           [3., 4.]]), ('x0', 'x1'))
    """
    names = feature_names(X)
    if isinstance(X, pd.DataFrame):
        _check_names(names, what)
        for name, kind in zip(names, X.dtypes, strict=True):
            if not pd.api.types.is_numeric_dtype(kind):
                raise ValueError(
                    f"column {name!r} of {what} holds text or categories, not numbers: "
                    "encode it first, for example with pd.get_dummies or pd.factorize.")
    array = as_floats(X, what)
    _check_shape(array.shape, what)
    if np.isfinite(array).all():
        return array, names
    _check_infinities(array, names, what)
    if not allow_nan:
        column = names[_first_column(np.isnan(array))]
        raise ValueError(
            f"{what} holds NaN, in column {column!r}, which this method cannot take: "
            "fill it in or drop the rows.")
    return array, names


def check_real_table(X: ArrayLike, *, what: str = "X") -> Table:
    """A table as people have it: a DataFrame of any columns, with gaps, or an array of numbers.

    -> X itself, or what an array-like becomes as an array of floats

    >>> check_real_table([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if not isinstance(X, pd.DataFrame):
        has_numbers = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
        array = np.asarray(X) if has_numbers else as_floats(X, what)
        _check_shape(array.shape, what)
        _check_infinities(array, feature_names(array), what)
        return array
    names = feature_names(X)
    _check_names(names, what)
    _check_shape(X.shape, what)
    floats = [j for j, kind in enumerate(X.dtypes) if kind.kind == "f"]
    if floats:
        columns = X if len(floats) == len(names) else X.iloc[:, floats]
        numbers = columns.to_numpy(dtype=float, na_value=np.nan)
        _check_infinities(numbers, [names[j] for j in floats], what)
    return X


def positions_of(
    columns: object, X: Table, names: tuple[str, ...] | None = None
) -> list[int]:
    """Where the given columns stand in X: one column, or several -> list of positions.

    In a DataFrame a column goes by its name, whatever its kind: 1 is the column called 1. In an
    array, which has no names, it goes by its position, or as "x1", or by the `names` given.

    >>> positions_of([1, 3], pd.DataFrame([[7, 8, 9]], columns=[1, 2, 3]))
    [0, 2]
    >>> positions_of([1, "x2"], np.array([[7, 8, 9]]))
    [1, 2]
    """
    place = _places(X, names or feature_names(X))
    asked = _as_list(columns, place)
    unknown = [column for column in asked if not _is_in(column, place)]
    if unknown or not asked:
        came = f"X has no column {unknown[0]!r}" if unknown else "no columns are named"
        raise ValueError(f"{came}: {_known_columns(X)}.")
    positions = [place[column] for column in asked]
    if len(set(positions)) < len(positions):
        raise ValueError(f"a column is named twice among {asked}: name each once.")
    return positions


def places_by_name(
    wanted: Sequence[str], given: Sequence[str], *, what: str = "X"
) -> list[int]:
    """Where a model's columns stand among a table's -> list of positions, -1 where there is none.

    A column goes by its own name, or else by what LightGBM makes of it: _ for every space. No
    column is found twice.

    >>> places_by_name(["long_name", "a", "b"], ["a", "c", "long name"])
    [2, 0, -1]
    """
    _check_names(given, what)
    place = {name: j for j, name in enumerate(given)}
    missing = set(wanted) - set(given)
    if missing:
        others = set(given) - set(wanted)
        respelt = [(name.replace(" ", "_"), place[name]) for name in given if name in others]
        fitting = [(name, j) for name, j in respelt if name in missing]
        _check_names([name for name, _ in fitting], what)
        place.update(fitting)
    return [place.get(name, -1) for name in wanted]


def in_order(
    X: pd.DataFrame, names: Sequence[str], *, what: str = "X", of: str = "the model"
) -> pd.DataFrame:
    """Put X's columns in the order of `names`, found by name as in places_by_name.

    of : whose names these are

    >>> in_order(pd.DataFrame([[1, 2]], columns=["b", "a"]), ("a", "b")).columns.tolist()
    ['a', 'b']
    """
    given = feature_names(X)
    if given == tuple(names):
        return X
    places = places_by_name(names, given, what=what)
    if -1 in places:
        raise ValueError(
            f"{what} has no column {names[places.index(-1)]!r}, which {of} has; it has "
            f"{some_names([repr(name) for name in given])}. Pass the columns of {of}: "
            f"{some_names(names)}.")
    foreign = sorted(set(given) - {given[j] for j in places})
    if foreign:
        raise ValueError(
            f"{what} has a column {foreign[0]!r} that {of} does not have: leave it out.")
    return X.iloc[:, places]


def some_names(names: Sequence[str], most: int = 10) -> str:
    """Names in a row, not more than a sentence can hold.

    >>> some_names(["a", "b", "c"], most=2)
    'a, b, ...'
    """
    more = ", ..." if len(names) > most else ""
    return ", ".join(names[:most]) + more


def blanked(X: Table, columns: Sequence[int], *, like: Table | None = None) -> Table:
    """A copy of X with one and the same value in every row of some columns.

    That is the column's first known value, so that nothing is told but what the column looks like;
    a gap if all are gaps. A DataFrame's column keeps its kind.

    columns : positions; like : the table whose values and kinds are taken (the training rows'), by
        default X

    >>> blanked(np.array([[np.nan, 1], [5, 2], [6, 3]]), [0])
    array([[5., 1.],
           [5., 2.],
           [5., 3.]])
    """
    like = X if like is None else like
    new = X.copy()
    for j in columns:
        column = like.iloc[:, j] if isinstance(like, pd.DataFrame) else pd.Series(like[:, j])
        first_known = int(column.notna().to_numpy().argmax())  # 0 if none is known
        if isinstance(new, pd.DataFrame):
            new.isetitem(j, column.array.take(np.full(len(new), first_known)))
        else:
            new = new.astype(np.result_type(new, column.to_numpy()), copy=False)
            new[:, j] = column.iloc[first_known]
    return new


def _places(X: Table, names: tuple[str, ...]) -> dict:
    """Each column's position, by its label and by its name."""
    labels = X.columns if isinstance(X, pd.DataFrame) else range(X.shape[1])
    by_name = {name: j for j, name in enumerate(names)}
    by_label = {label: j for j, label in enumerate(labels)}
    return by_name | by_label


def _is_in(column: object, place: dict) -> bool:
    return isinstance(column, Hashable) and column in place


def _as_list(columns: object, place: dict) -> list:
    """One column or several as a list."""
    if isinstance(columns, str) or not isinstance(columns, Iterable) or _is_in(columns, place):
        return [columns]
    return list(columns)


def _known_columns(X: Table) -> str:
    """A sentence's end: what may be chosen, at most ten names of it."""
    if not isinstance(X, pd.DataFrame):
        return f"choose positions from 0 to {X.shape[1] - 1}"
    return f"choose names among {some_names([repr(label) for label in X.columns])}"


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray:
    """Check row weights and return them as floats (n,); None means one each."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = as_floats(sample_weight, "sample_weight")
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}, "
            f"expected one weight a row, shape ({n_rows},).")
    usable = np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0
    if not usable:
        raise ValueError(
            "sample_weight holds negative, infinite or NaN values, or nothing but zeros: "
            "weights count rows, so give finite values >= 0 with a positive sum.")
    return weights


def check_count(count: object, what: str) -> int:
    """A whole number of at least 1 passes through. Raises ValueError for anything else."""
    if not isinstance(count, Integral) or isinstance(count, bool) or int(count) < 1:
        raise ValueError(f"{what} is {count!r}, expected a whole number of at least 1.")
    return int(count)


def check_between(value: object, low: float, high: float, what: str) -> float:
    """A number strictly between two others passes through. Raises ValueError for anything else."""
    number = float(value) if isinstance(value, Real) else float("nan")
    if not low < number < high:
        raise ValueError(
            f"{what} is {value!r}, expected a number strictly between {low} and {high}.")
    return number


def _check_names(names: Sequence[str], what: str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ValueError(
            f"{what} has two columns named {twice[0]!r}: "
            "an importance could not say which it means. Rename one.")


def as_floats(X: ArrayLike, what: str) -> NDArray:
    """Numbers as an array of floats. Raises ValueError for text and the like."""
    try:
        return np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{what} holds something that is not a number (text, perhaps): encode it first, "
            "for example with pd.get_dummies or pd.factorize.") from None


def _check_shape(shape: tuple[int, ...], what: str) -> None:
    if len(shape) != 2:
        raise ValueError(
            f"{what} has shape {shape}, expected two dimensions (rows, features). "
            "For one feature use X.reshape(-1, 1), for one row X.reshape(1, -1).")
    if 0 in shape:
        raise ValueError(f"{what} has shape {shape}: at least one row and one feature are needed.")


def _check_infinities(array: NDArray, names: Sequence[str], what: str) -> None:
    infinite = np.isinf(array)
    if infinite.any():
        raise ValueError(
            f"{what} holds infinities, in column {names[_first_column(infinite)]!r}: "
            "replace them with large finite numbers or drop the rows.")


def _first_column(where: NDArray) -> int:
    """The first column in which something is true."""
    return int(where.any(axis=0).argmax())
