"""Check targets and encode labels.

Strings, booleans and categories are labels; so are the numbers 1, 2, 3 where a model has them as
its classes. A code is a label's place among the classes, 0 ... K-1.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray


class Target(NamedTuple):
    """A target as columns (q, n): 0/1, one a class, or numbers (then classes is None).

    codes (n,) : which of the classes each row has, or None
    """

    columns: NDArray
    classes: tuple | None
    criterion: str
    codes: NDArray | None = None


def encode_labels(y: ArrayLike, classes: ArrayLike | None = None) -> tuple[NDArray, NDArray]:
    """Encode labels as integers: labels (n,) -> classes (K,), codes (n,) int64.

    classes : the model's, in its order; None takes y's own labels, sorted

    >>> encode_labels(["yes", "no", "yes"])
    (array(['no', 'yes'], dtype='<U3'), array([1, 0, 1]))
    >>> encode_labels([2, 1, 2], classes=[1, 2, 3])[1]
    array([1, 0, 1])
    """
    y = np.asarray(y)
    if classes is None:
        classes, codes = _distinct(y)
        return classes, codes.astype(np.int64)
    classes = np.asarray(classes)
    codes = places_among(y, classes)
    unknown = codes < 0
    if unknown.any():
        known = ", ".join(map(repr, classes.tolist()))
        raise ValueError(
            f"y holds the label {y[unknown].tolist()[0]!r}, which the model never saw: "
            f"it knows {known}. Drop such rows, or fit the model with them.")
    return classes, codes


def places_among(y: ArrayLike, classes: ArrayLike) -> NDArray:
    """The position of each label among the classes, -1 if it is none: (n,), (K,) -> (n,) int64.

    >>> places_among(["b", "z", "a"], ["a", "b"])
    array([ 1, -1,  0])
    """
    place = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    labels, which = _distinct(np.asarray(y))
    places = [place.get(label, -1) for label in labels.tolist()]
    return np.array(places, dtype=np.int64)[which]


def _distinct(y: NDArray) -> tuple[NDArray, NDArray]:
    """The labels that occur, sorted, and which of them each row has."""
    if y.dtype.kind in "biu":  # the same, without sorting places
        labels = np.unique(y)
        return labels, labels.searchsorted(y.ravel())
    try:
        return np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y.tolist()})
        raise ValueError(
            f"y holds labels of different kinds ({' and '.join(kinds)}), which have no order: "
            "make them all strings, y.astype(str), or all numbers.") from None


def target_of(y: ArrayLike, criterion: str) -> Target:
    """Encode a target for tree growing: one 0/1 column a class, or the numbers themselves.

    columns[k, i] = 1 if row i is of class k, else 0: its mean over a node is the class's share

    y (n,) labels; for the criterion "variance" numbers (n,) or (n, q)
    -> Target, columns (K, n), or (q, n)

    >>> target = target_of(["yes", "no", "yes"], "gini")
    >>> target.classes, target.columns.tolist()
    (('no', 'yes'), [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    """
    if criterion == "variance":
        columns = np.asarray(y, dtype=float).T
        return Target(np.atleast_2d(columns), None, criterion)
    classes, code = encode_labels(y)
    is_class = np.arange(len(classes))[:, None] == code
    return Target(is_class.astype(float), tuple(classes.tolist()), criterion, code)


def holds_labels(y: ArrayLike) -> bool:
    """Whether y holds labels by its type: strings, booleans or categories, but not numbers.

    >>> holds_labels(["yes", "no"]), holds_labels([True, False]), holds_labels([1, 2])
    (True, True, False)
    """
    kind = getattr(y, "dtype", None)
    if isinstance(kind, pd.CategoricalDtype):
        return True
    y = np.asarray(y)
    if y.dtype.kind == "O":
        y = np.array(y.ravel().tolist())  # numbers that only look like objects become numbers
    return y.dtype.kind not in "iuf"


def check_y(
    y: ArrayLike,
    n_rows: int,
    *,
    numeric: bool = False,
    several: bool = False,
    varies: bool = False,
    what: str = "y",
) -> NDArray:
    """Check a target of n_rows rows without gaps, and return it as an array (n,).

    numeric : labels are refused, and numbers become floats
    several : several columns of numbers (n, n_outputs) are allowed, too
    varies : a target that is the same in all rows is refused

    >>> check_y([[1], [2]], 2, numeric=True)
    array([1., 2.])
    """
    if several and np.ndim(y) == 2 and np.shape(y)[1] > 1:
        columns = [check_y(column, n_rows, numeric=True, what=what) for column in np.asarray(y).T]
        array = np.column_stack(columns)
    else:
        array = _one_column(y, n_rows, what)
        array = _as_numbers(array, what) if numeric else array
    if varies:
        check_varies(array, what)
    return array


def _one_column(y: ArrayLike, n_rows: int, what: str) -> NDArray:
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != n_rows:
        raise ValueError(
            f"{what} has shape {array.shape}, but X has {n_rows} rows: "
            f"expected one value a row, shape ({n_rows},).")
    missing = int(pd.isna(array).sum())
    if missing:
        raise ValueError(f"{what} has {missing} missing values: drop those rows first.")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"{what} holds infinities: drop those rows or mend the values first.")
    return array


def _as_numbers(array: NDArray, what: str) -> NDArray:
    try:
        return array.astype(float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{what} holds labels such as {array[0]!r}, expected numbers: "
            "encode the classes (y == 'yes') or choose a loss for labels.") from None


def check_varies(y: NDArray, what: str = "y") -> None:
    """Refuse a target that is the same in all rows: y (n,) or (n, n_outputs)."""
    if (y == y[0]).all():
        where = "every row" if len(y) > 1 else "its one row"
        raise ValueError(
            f"{what} is constant ({y.tolist()[0]!r} in {where}): there is nothing to predict, so "
            "nothing can matter. Give rows with at least two different targets.")
