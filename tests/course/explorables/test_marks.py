import numpy as np
import pytest

from fi_course.explorables import (
    axis,
    band,
    bars,
    box,
    categories,
    handle,
    line,
    panel,
    points,
    region,
    rule,
    text,
)


def test_ticks_are_round_and_lie_on_the_axis():
    for low, high in [(0, 1), (-3, 7), (0, 0.0013), (20, 150), (1000, 99000)]:
        places = [place for place, _ in axis(low, high)["ticks"]]
        assert 3 <= len(places) <= 9
        assert low <= min(places) and max(places) <= high
        np.testing.assert_allclose(np.diff(places), np.diff(places)[0], rtol=1e-6)


def test_zero_is_never_written_with_a_minus():
    assert [words for _, words in axis(-0.4, 1)["ticks"]].count("-0") == 0


def test_the_first_category_is_on_top_of_a_y_axis_and_left_on_an_x_axis():
    frame = panel(x=categories(["a", "b"]), y=categories(["a", "b"]))["frame"]
    assert frame["x"]["low"] < frame["x"]["high"]
    assert frame["y"]["low"] > frame["y"]["high"]


def test_a_horizontal_bar_is_a_vertical_one_turned_over():
    upright, lying = bars([2, -1], start=1)[0], bars([2, -1], start=1, horizontal=True)[0]
    assert (upright["x"], upright["y"]) == (lying["y"], lying["x"])
    assert upright["y"] == [1, 3]


def test_an_error_bar_reaches_one_error_to_each_side_and_is_left_out_where_there_is_none():
    marks = bars([5, 5], error=[2, np.nan])
    whiskers = [mark["y"] for mark in marks if mark["kind"] == "line"]
    assert whiskers == [[3, 7], [3, 3], [7, 7]]


def test_a_step_keeps_its_value_until_the_next_place():
    mark = line([0, 1, 2], [5, 6, 7], step=True)
    assert list(zip(mark["x"], mark["y"], strict=True)) == [(0, 5), (1, 5), (1, 6), (2, 6), (2, 7)]


def test_a_band_runs_along_its_lower_edge_and_back_along_its_upper_one():
    mark = band([0, 1], [1, 2], [3, 4])
    assert list(zip(mark["x"], mark["y"], strict=True)) == [(0, 1), (1, 2), (1, 4), (0, 3)]


def test_a_rule_and_a_region_may_reach_from_edge_to_edge():
    assert rule(x=3)["y"] == [None, None]
    assert region(x=(None, 3))["x"] == [None, 3]


def test_marks_may_come_in_nested_lists():
    assert len(panel([points([1], [1]), [bars([1, 2])]], text(0, 0, "a"), box(0, 0, ["b"]))["marks"]) == 5


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


def test_a_handle_knows_its_control_and_where_its_mark_can_stand():
    mark = handle(rule(x=2), "t", [1, 2, 3])
    assert mark["handle"] == {"control": "t", "along": "x", "places": [1, 2, 3]} and mark["x"] == [2, 2]


def test_a_handle_that_moves_in_no_known_direction_is_refused():
    with pytest.raises(ValueError, match="along 'z': expected 'x' or 'y'"):
        handle(rule(x=2), "t", [1, 2], along="z")
