"""Tables as numbers: words become codes, and missing values a value below all others."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype

from fi_teach.basics.tables import check_real_table, feature_names


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
    coded = []
    for _, column in pd.DataFrame(table).items():
        values = _as_floats(column)
        coded.append(_filled(values))
    return np.column_stack(coded), feature_names(table)


def _as_floats(column: pd.Series) -> NDArray:
    """One column as floats, NaN where a value is missing."""
    if is_numeric_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan)
    is_time = is_datetime64_any_dtype(column) or is_timedelta64_dtype(column)
    codes = column.astype("int64") if is_time else _codes(column)
    return np.where(column.isna(), np.nan, codes)


def _codes(column: pd.Series) -> NDArray:
    """The position of each word among the column's sorted words."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy()
    words = column.astype(str)  # so that words and numbers in one column have an order
    return pd.factorize(words, sort=True)[0]


def _filled(values: NDArray) -> NDArray:
    missing = np.isnan(values)
    below = 0.0 if missing.all() else np.nanmin(values) - 1
    return np.where(missing, below, values)
