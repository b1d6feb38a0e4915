"""Words, dates and gaps become numbers that a tree can cut apart."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.encoding import as_numbers


def column(values):
    return as_numbers(pd.DataFrame({"x": values}))[0][:, 0].tolist()


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([2.5, np.nan, 1.0], [2.5, 0.0, 1.0]),
        (["b", "a", "b"], [1, 0, 1]),
        (["b", None, "a"], [1, -1, 0]),
        ([3, "a", 3], [0, 1, 0]),
        ([True, False, True], [1, 0, 1]),
        (pd.array([5, None, 7], dtype="Int64"), [5, 4, 7]),
        (pd.array([True, None, False], dtype="boolean"), [1, -1, 0]),
        (pd.Categorical(["lo", "hi", None], ["lo", "hi"], ordered=True), [0, 1, -1]),
        ([None, None, None], [0, 0, 0]),
        ([np.nan, np.nan, np.nan], [0, 0, 0]),
    ],
)
def test_each_kind_of_column_becomes_numbers_in_its_own_order(values, numbers):
    assert column(values) == numbers


def test_dates_keep_their_order_and_a_missing_one_comes_before_all():
    dates = pd.to_datetime(["2024-02-01", None, "2024-01-01"])
    for values in (dates, dates.tz_localize("UTC"), dates - dates[2]):
        first, missing, second = column(values)
        assert missing < second < first


def test_an_array_of_numbers_stays_as_it_is_but_for_its_gaps():
    table = np.array([[1.0, 2.0], [np.nan, 4.0]])
    array, names = as_numbers(table)
    assert array.tolist() == [[1, 2], [0, 4]]
    assert names == ("x0", "x1")
    assert np.isnan(table[1, 0])
