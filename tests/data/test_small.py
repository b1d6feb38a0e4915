"""The tables that fit on paper, and the cars, against the paper."""

import pandas as pd
import pytest

from fi_course.tables import mtcars
from fi_teach.data import bananas, golf, golf_nominal, midterm

CLASSIC_GOLF = """sunny hot high weak No
sunny hot high strong No
overcast hot high weak Yes
rain mild high weak Yes
rain cool normal weak Yes
rain cool normal strong No
overcast cool normal strong Yes
sunny mild high weak No
sunny cool normal weak Yes
rain mild normal weak Yes
sunny mild normal strong Yes
overcast mild high strong Yes
overcast hot normal weak Yes
rain mild high strong No""".splitlines()


def test_golf_in_words_is_the_classic_table():
    X, y = golf_nominal()
    assert [[*X.loc[day], y.loc[day]] for day in X.index] == [day.split() for day in CLASSIC_GOLF]
    assert [*X.index] == [*range(1, len(CLASSIC_GOLF) + 1)]
    assert golf().X.shape == (14, 4) and golf().y.equals(y)


def test_midterm_keeps_both_codings_of_attendance_and_changes_class_at_four_times():
    X, y = midterm()
    words = midterm().in_words().X["Attends"]
    assert X["Attends"].tolist() == [1, 1, 1, 1, 0, 0, 1, 0]
    assert words.tolist() == ["Yes", "Yes", "Yes", "Yes", "No", "No", "Yes", "No"]
    assert (y == "Pass").tolist() == [True] * 4 + [False] * 4
    by_time = pd.DataFrame({"time": X["Time"], "result": y}).sort_values("time", ignore_index=True)
    changes = by_time["result"] != by_time["result"].shift(-1)
    assert (by_time["time"] + by_time["time"].shift(-1))[changes][:-1].tolist() == [110, 140, 180, 260]


def test_mtcars_has_the_mean_fuel_economy_every_handbook_prints():
    X, y = mtcars()
    assert X.shape == (32, 10)
    assert y.mean() == pytest.approx(20.090625)


@pytest.mark.parametrize("load", [golf, golf_nominal, midterm, bananas, mtcars])
def test_a_loaded_table_is_the_callers_own_and_its_features_are_numbers_but_for_words(load):
    first = load()
    assert all(map(pd.api.types.is_numeric_dtype, first.X.dtypes)) == (load is not golf_nominal)
    first.X.iloc[0] = first.X.iloc[-1]
    first.y.iloc[:] = first.y.iloc[0]
    first.units.clear()
    assert not first.X.equals(load().X) and not first.y.equals(load().y) and load().units


def test_a_table_introduces_itself_in_one_line_and_shows_its_target_as_the_last_column():
    assert repr(golf()) == "<Golf: 14 rows, 4 features, target Decision>"
    shown = golf().to_frame()
    assert shown.columns[-1] == "Decision"
    assert (shown["Decision"] == golf().y).all() and shown.shape == (14, 5)
