"""Tables as numbers: words become codes, and missing values a value below all others."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype

from fi_teach.basics.tables import check_real_table, feature_names, some_names


def as_numbers(X: ArrayLike, *, what: str = "X") -> tuple[NDArray, tuple[str, ...]]:
    """Encode any table as an array of numbers without gaps -> array, column names.

    Words and categories become 0, 1, 2, ... in their order (ordered categories in theirs), dates
    count nanoseconds, and missing values of a column become one less than its smallest value. Made
    for trees, which can cut such codes apart; nothing is learned from a target.

    >>> as_numbers(pd.DataFrame({"town": ["Ulm", None, "Aachen"], "age": [30, 40, np.nan]}))
    (array([[ 1., 30.],
           [-1., 40.],
           [ 0., 29.]]), ('town', 'age'))
    """
    table = check_real_table(X, what=what)
    coded = [_filled(_as_floats(column)) for _, column in pd.DataFrame(table).items()]
    return np.column_stack(coded), feature_names(table)


def as_codes(
    X: pd.DataFrame, words: dict[int, dict], *, takes_new_words: bool
) -> pd.DataFrame:
    """Replace each category by a model's code for it, a missing one by NaN.

    words : {position of a column: {category: code}}, empty where the model does not say its codes
    takes_new_words : does a category that is none of them become NaN?

    >>> table = pd.DataFrame({"town": ["Ulm", None, "Aachen"]})
    >>> as_codes(table, {0: {"Aachen": 0.0, "Ulm": 1.0}}, takes_new_words=False)["town"].tolist()
    [1.0, nan, 0.0]
    """
    coded = X.copy()
    for j, known in words.items():
        column = X.iloc[:, j]
        if not known:
            if is_numeric_dtype(column):
                continue
            raise ValueError(
                f"the model does not say which code each category of column {X.columns[j]!r} has: "
                "pass the table as an array of the codes that it was fitted on, or refit on "
                "unordered categories in plain (ASCII) letters.")
        if is_numeric_dtype(column) and all(isinstance(word, str) for word in known):
            raise ValueError(
                f"column {X.columns[j]!r} holds numbers, but the model was fitted on the words "
                f"{some_names(list(map(repr, known)))}: pass the words.")
        codes = column.astype(object).map(known).astype(float)
        is_new = codes.isna() & column.notna()
        if is_new.any() and not takes_new_words:
            word = str(column[is_new].iloc[0])
            raise ValueError(
                f"column {X.columns[j]!r} holds {word!r}, which the model never saw: it knows "
                f"{some_names(list(map(repr, known)))}. "
                "Drop such rows, or fit the model with them.")
        coded.isetitem(j, codes)
    return coded


def is_words(kind: object) -> bool:
    """Does a column of this type hold words? Numbers, dates and durations have an order."""
    return not (is_numeric_dtype(kind) or is_datetime64_any_dtype(kind)
                or is_timedelta64_dtype(kind))


def _as_floats(column: pd.Series) -> NDArray:
    """One column as floats, NaN where a value is missing."""
    if is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    if not is_words(column.dtype):  # dates and durations
        codes = column.astype("int64")
    elif isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes
    else:
        words = column.astype(str)  # so that words and numbers in one column have an order
        codes = pd.factorize(words, sort=True)[0]
    return np.where(column.isna(), np.nan, codes)


def _filled(values: NDArray) -> NDArray:
    missing = np.isnan(values)
    below = 0.0 if missing.all() else np.nanmin(values) - 1
    return np.where(missing, below, values)
