"""What a table may be, and how its columns are called."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.tables import (
    blanked,
    check_real_table,
    check_table,
    feature_names,
    places_by_name,
    positions_of,
    some_names,
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
    (0, FRAME, "no column 0: choose names among 'a', 'b'"), (2, FRAME.to_numpy(), "positions from 0 to 1"),
    ([], FRAME, "no columns"), (["a", "a"], FRAME, "twice"), ([["a"]], FRAME, r"no column \['a'\]"),
])
def test_a_column_that_is_not_there_is_refused(columns, table, says):
    with pytest.raises(ValueError, match=says):
        positions_of(columns, table)


# --- a model's columns among a table's ---


@pytest.mark.parametrize(("wanted", "given", "places"), [
    (["a", "b"], ["b", "a", "c"], [1, 0]),              # another order, and one too many
    (["a", "b"], ["b"], [-1, 0]),                       # one is missing
    (["a_b"], ["c", "a b"], [1]),                       # LightGBM's spelling of "a b"
    (["a b"], ["c", "a_b"], [-1]),                      # nobody spells so
    (["a_b", "a b"], ["a b", "a_b"], [1, 0]),           # a name comes before a spelling
    (["a b", "a_b"], ["a b", "z"], [0, -1]),            # no column stands for two
    (["a_b"], ["a_b", "a b"], [0]),
    (["0", "2", "1"], ["2", "1", "0"], [2, 0, 1]),      # numbers as names
])
def test_a_models_columns_are_found_by_name_and_each_once(wanted, given, places):
    assert places_by_name(wanted, given) == places


def test_a_name_that_two_columns_bear_is_refused():
    with pytest.raises(ValueError, match="X has two columns named 'a'"):
        places_by_name(["a", "b"], ["a", "b", "a"])
    with pytest.raises(ValueError, match="the table has two columns named 'a_b_c'"):
        places_by_name(["a_b_c"], ["a b c", "a_b c"], what="the table")
    assert places_by_name(["z"], ["a b c", "a_b c", "z"]) == [2], "it matters to nobody here"


def test_a_sentence_holds_ten_names():
    assert some_names(list("abcdefghij")) == "a, b, c, d, e, f, g, h, i, j"
    assert some_names(list("abcdefghijk")).endswith("i, j, ...")


# --- columns with one value ---


KINDS = pd.DataFrame({
    "number": [np.nan, 1.0, 2.0],
    "whole": [7, 8, 9],
    "only gaps": [np.nan] * 3,
    "word": [None, "b", "a"],
    "category": pd.Categorical([None, "b", "a"], categories=["a", "b", "c"]),
    "nullable": pd.array([None, 4, 5], dtype="Int64"),
    "date": pd.to_datetime([None, "2020-01-02", "2020-01-03"]),
    "flag": [False, True, True],
}, index=[5, 5, 3])


@pytest.mark.parametrize("name", KINDS)
def test_a_blanked_column_has_its_first_known_value_and_keeps_its_kind(name):
    before = KINDS.copy()
    column = blanked(KINDS, positions_of(name, KINDS))[name]
    known = KINDS[name].dropna()
    assert column.dtype == KINDS[name].dtype and column.nunique(dropna=False) == 1
    assert column.iloc[0] == known.iloc[0] if len(known) else column.isna().all()
    pd.testing.assert_frame_equal(KINDS, before)


def test_several_columns_are_blanked_and_the_others_stay():
    new = blanked(KINDS, [0, 3])
    assert new["number"].tolist() == [1, 1, 1] and new["word"].tolist() == ["b", "b", "b"]
    others = KINDS.columns.drop(["number", "word"])
    pd.testing.assert_frame_equal(new[others], KINDS[others])


def test_an_array_is_blanked_too_and_the_values_may_be_another_tables():
    train, test = np.array([[np.nan, 1], [0.5, 2]]), np.array([[7, 8], [9, 10]])
    assert blanked(train, [0]).tolist() == [[0.5, 1], [0.5, 2]]
    assert blanked(test, [0], like=train).tolist() == [[0.5, 8], [0.5, 10]], "whole numbers become fractions"
    framed = pd.DataFrame(test, columns=["a", "b"])
    assert blanked(framed, [0], like=train)["a"].tolist() == [0.5, 0.5]
    assert blanked(test, [1], like=pd.DataFrame(train)).tolist() == [[7, 1], [9, 1]]
    assert np.isnan(blanked(np.full((2, 1), np.nan), [0])).all()
