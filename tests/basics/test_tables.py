"""What a table may be, and how its columns are called."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.tables import (
    check_count,
    check_real_table,
    check_table,
    feature_names,
    positions_of,
)

FRAME = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "b"])


def test_an_array_of_any_precision_stays_as_it_is():
    for kind in (np.float32, np.int8, bool):
        array = np.ones((2, 2), dtype=kind)
        assert check_real_table(array) is array
    assert check_real_table(np.ones((2, 2), dtype=object)).dtype == float


def test_a_table_of_20_000_columns_is_no_burden():
    wide = pd.DataFrame(np.zeros((3, 20_000)))
    assert check_table(wide)[0].shape == check_real_table(wide).shape
    assert positions_of(list(wide.columns), wide) == list(range(20_000))


@pytest.mark.parametrize(("columns", "positions"), [
    ("b", [1]), (["b", "a"], [1, 0]), (("a", "b"), [0, 1]), (iter("ab"), [0, 1]),
    (pd.Index(["b"]), [1]),
])
def test_columns_of_a_frame_go_by_name(columns, positions):
    assert positions_of(columns, FRAME) == positions


def test_a_tuple_is_one_column_where_names_are_tuples():
    levels = FRAME.set_axis(pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]), axis=1)
    assert positions_of(("a", 2), levels) == [1] and len(set(feature_names(levels))) == 2


def test_columns_of_an_array_go_by_position():
    array = FRAME.to_numpy()
    for column in (1, range(1, 2), "x1", [np.int64(1)]):
        assert positions_of(column, array) == [1]
    assert positions_of("left", array, ("left", "right")) == [0]


@pytest.mark.parametrize(("columns", "table", "says"), [
    (0, FRAME, "no column 0: choose names among 'a', 'b'"), ("z", FRAME, "no column 'z'"),
    (2, FRAME.to_numpy(), "positions from 0 to 1"), (-1, FRAME.to_numpy(), "no column -1"),
    ([], FRAME, "no columns"), (["a", "a"], FRAME, "twice"), ([["a"]], FRAME, r"no column \['a'\]"),
    (None, FRAME, "no column None"),
])
def test_a_column_that_is_not_there_is_refused(columns, table, says):
    with pytest.raises(ValueError, match=says):
        positions_of(columns, table)


@pytest.mark.parametrize(("table", "says"), [
    (np.zeros(4), "two dimensions"), (np.zeros((0, 2)), "at least one row"),
    (FRAME.iloc[:0], "at least one row"),
    (pd.DataFrame(index=[0, 1]), "at least one row"), ([["a"]], "not a number"),
    (FRAME.set_axis(["a", "a"], axis=1), "two columns named 'a'"),
    (FRAME / 0, "infinities, in column 'a'"),
    (np.array([[1.0, np.inf]]), "infinities, in column 'x1'"),
])
def test_what_is_no_table_is_refused(table, says):
    for check in (check_real_table, check_table):
        with pytest.raises(ValueError, match=says):
            check(table)


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "3", None])
def test_what_is_no_count_is_refused(count):
    with pytest.raises(ValueError, match="whole number"):
        check_count(count, "n_repeats")
