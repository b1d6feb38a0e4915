import numpy as np
import pandas as pd
import pytest

from fi_course.explorables.marks import (
    axis,
    bars,
    categories,
    curve,
    grouped_bars,
    line,
    panel,
    points,
    region,
    rule,
    signed,
    text,
)


def test_ticks_are_round_and_lie_on_the_axis():
    for low, high in [(0, 1), (-3, 7), (0, 0.0013), (20, 150), (1000, 99000)]:
        places = [place for place, _ in axis(low, high)["ticks"]]
        assert 3 <= len(places) <= 9
        assert low <= min(places) and max(places) <= high
        np.testing.assert_allclose(np.diff(places), np.diff(places)[0], rtol=1e-6)


def test_the_first_category_is_on_top_of_a_y_axis_and_left_on_an_x_axis():
    frame = panel(x=categories(["a", "b"]), y=categories(["a", "b"]))["frame"]
    assert frame["x"]["low"] < frame["x"]["high"]
    assert frame["y"]["low"] > frame["y"]["high"]


def test_a_horizontal_bar_is_a_vertical_one_turned_over():
    upright, lying = bars([2, -1], start=1)[0], bars([2, -1], start=1, horizontal=True)[0]
    assert (upright["x"], upright["y"]) == (lying["y"], lying["x"])
    assert upright["y"] == [1, 3]


def test_each_bar_may_have_its_own_look_and_striped_ones_come_first():
    marks = bars([5, 6, 7], colour=["c0", "c1", "c0"], hatch=[False, True, False], name=["a", "b", "a"],
                 labels="{:.0f}")
    drawn = [(mark["colour"], mark.get("hatch", False), mark["name"], mark["y"][1]) for mark in marks
             if mark["kind"] == "rect"]
    assert drawn == [("c1", True, "b", 6), ("c0", False, "a", 5), ("c0", False, "a", 7)]
    assert [mark["words"] for mark in marks if mark["kind"] == "text"] == ["5", "6", "7"]


def test_bars_of_a_group_stand_side_by_side_and_a_bar_of_no_length_is_a_dot():
    table = pd.DataFrame({"one": [1.0, 2.0], "other": [0.0, -1.0]})
    marks = grouped_bars(table)
    places = {mark["name"]: mark["y"] for mark in marks if mark["kind"] == "rect" and mark["y"][0] < 0.5}
    assert places["one"][1] < places["other"][0] and abs(sum(places["one"] + places["other"])) < 1e-9
    (dot,) = (mark for mark in marks if mark["kind"] == "points" and mark["x"])
    assert dot["x"] == [0] and places["other"][0] < dot["y"][0] < places["other"][1]


def test_a_curve_has_its_marker_where_it_has_such_a_place():
    on, off = curve([0, 0.1 * 3], [5, 6], 0.3, name="c"), curve([0, 1], [5, 6], 0.5)
    assert (on[1]["x"], on[1]["y"], on[1]["name"]) == ([0.3], [6], "c")
    assert len(panel(off)["marks"]) == 1


@pytest.mark.parametrize("value, form, words", [
    (0.25, "{:+.3g}", "+0.25"), (-0.25, "{:+.3g}", "−0.25"), (-1e-12, "{:+.3g}", "0"), (-0.001, "{:.2f}", "0.00"),
    (-0.4, "{:.4g}", "−0.4"), (0.0, "{:.0%}", "0%"), (-100, "{:.4g}", "−100")])
def test_a_number_has_a_true_minus_and_zero_no_sign(value, form, words):
    assert signed(value, form) == words


def test_a_step_keeps_its_value_until_the_next_place():
    mark = line([0, 1, 2], [5, 6, 7], step=True)
    assert list(zip(mark["x"], mark["y"], strict=True)) == [(0, 5), (1, 5), (1, 6), (2, 6), (2, 7)]


def test_a_rule_and_a_region_may_reach_from_edge_to_edge():
    assert rule(x=3)["y"] == [None, None]
    assert region(x=(None, 3))["x"] == [None, 3]


@pytest.mark.parametrize("wrong, message", [
    (lambda: axis(1, 1), "no length"),
    (lambda: axis(0, np.nan), "two different finite numbers"),
    (lambda: categories([]), "at least one"),
    (lambda: points([1], [1], shape="star"), "unknown shape 'star'"),
    (lambda: points([1], [1], colour="red"), "unknown colour 'red'"),
    (lambda: points([1, 2], [1]), "2 places on x and 1 on y"),
    (lambda: line([1, 2], [1, np.nan]), "leave out what is missing"),
    (lambda: rule(), "give either x or y"),
    (lambda: rule(x=1, y=1), "give either x or y"),
    (lambda: text(0, 0, "a", anchor="left"), "unknown anchor 'left'"),
])
def test_a_mark_that_cannot_be_drawn_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
