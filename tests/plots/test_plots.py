"""A figure shows what is in the data, says it in words, and leaves its input alone."""

from dataclasses import replace
from itertools import combinations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.offsetbox import AnnotationBbox
from matplotlib.text import Text

from fi_teach import plots
from fi_teach.basics.results import Importance
from fi_teach.data import midterm
from fi_teach.trees import grow_cart

STUMP = grow_cart(*midterm(), max_depth=1)
"""Attends <= 0.5 -> 3 Fail; else 4 Pass, 1 Fail."""


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def words_in(ax):
    return [text.get_text() for text in ax.texts]


def alt_of(ax):
    return ax.figure._fi_alt


# --- trees ---


def deep_tree():
    """Time three times, then attendance: leaves on every level, and numbers with many digits."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"Time": rng.integers(0, 1000, 60), "Attends": rng.integers(0, 2, 60)})
    return grow_cart(X, 1000 * X["Time"] ** 0.5 + 300 * X["Attends"], criterion="variance", max_depth=3)


def node_boxes(ax):
    """The boxes of a drawn tree, as drawn -> list of (box, [extent of each line])."""
    ax.figure.draw_without_rendering()
    renderer = ax.figure.canvas.get_renderer()
    return [(node.patch.get_window_extent(renderer),
             [line.get_window_extent(renderer) for line in node.findobj(Text) if line.get_text()])
            for node in ax.findobj(AnnotationBbox)]


def test_a_drawn_tree_carries_everything_a_hand_computation_needs_and_tells_it_in_sentences():
    ax = plots.draw_tree(STUMP)
    words = {text.get_text() for text in ax.findobj(Text)}
    assert {"Attends ≤ 0.5?", "4 Fail, 4 Pass", "Gini 0.32", "1 Fail, 4 Pass", "→ Pass", "yes", "no"} <= words
    assert alt_of(ax).startswith("Decision tree. Attends ≤ 0.5? 4 Fail, 4 Pass (Gini 0.5). "
                                 "If yes: leaf with 3 Fail, 0 Pass")


def test_the_branches_of_a_bit_can_be_called_by_their_names():
    ax = plots.draw_tree(STUMP, answers={"Attends": ("absent", "present")})
    words = {text.get_text() for text in ax.findobj(Text)}
    assert {"Attends?", "absent", "present"} <= words and not {"yes", "no"} & words
    assert "If absent: leaf with 3 Fail, 0 Pass" in alt_of(ax)


@pytest.mark.parametrize("panels", [0, 2], ids=["a figure of its own", "one of two panels"])
@pytest.mark.parametrize("labels", [
    {}, {"Attends": "comes to class with the exercises done", "Time": "minutes on social media"},
], ids=["short names", "long names"])
@pytest.mark.parametrize("tree", [STUMP, deep_tree()], ids=["a stump", "three levels"])
def test_words_stay_inside_their_box_boxes_apart_and_all_in_the_picture(tree, labels, panels):
    ax = plots.draw_tree(tree, plots.new_panels(panels)[-1] if panels else None, labels=labels)
    drawn = node_boxes(ax)
    assert len(drawn) == tree.n_nodes
    for box, lines in drawn:
        assert all(box.x0 < line.x0 and line.x1 < box.x1 and box.y0 < line.y0 and line.y1 < box.y1 for line in lines)
    boxes = [box for box, _ in drawn]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert min(box.x0 for box in boxes) >= 0 and max(box.x1 for box in boxes) <= ax.figure.bbox.x1


# --- bars, dots, curves ---


def test_importance_bars_are_sorted_labelled_with_their_values_and_twice_the_error_long():
    draws = np.array([[0.1, 0.3], [0.6, 0.8]])
    before = draws.copy()
    ax = plots.draw_importance(Importance(("a", "b"), draws))
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([0.2, 0.7])
    ends = ax.containers[0][2][0].get_segments()
    assert [np.ptp(end[:, 0]) for end in ends] == pytest.approx([4 * 0.1] * 2)
    assert words_in(ax) == ["0.2", "0.7"]
    assert "b 0.7, a 0.2" in alt_of(ax) and "two standard errors" in alt_of(ax)
    assert (draws == before).all()


def test_a_plain_dict_is_drawn_without_spread():
    ax = plots.draw_importance({"a": 1.0, "b": -0.5}, title="Coefficients")
    assert "standard error" not in alt_of(ax)
    assert "b -0.5" in alt_of(ax)


def test_dots_stand_at_the_means_and_lines_reach_from_the_lowest_to_the_highest_repeat():
    ax = plots.draw_dots({"own": np.array([[1.0, 4], [3, 8]]), "new": [0.5, -2]}, ["a", "b"])
    own, new = (box[0] for box in ax.containers)
    assert own.get_xdata() == pytest.approx([2, 6]) and new.get_xdata() == pytest.approx([0.5, -2])
    ends = ax.containers[0][2][0].get_segments()
    assert [tuple(end[:, 0]) for end in ends] == [(1, 3), (4, 8)]
    assert "a: own 2 (1 to 3), new 0.5; b: own 6 (4 to 8), new -2" in alt_of(ax)
    assert own.get_marker() != new.get_marker() and own.get_color() != new.get_color()


def test_a_table_is_drawn_by_its_columns_and_an_error_is_a_line_on_both_sides():
    table = pd.DataFrame({"MDI": [0.5, 0.1]}, ["age", "water"])
    ax = plots.draw_dots(table, errors=pd.DataFrame({"MDI": [0.1, 0]}), unit="share")
    assert [words.get_text() for words in ax.get_yticklabels()] == ["age", "water"]
    assert alt_of(ax) == "Dot plot, share. age: MDI 0.5 (0.4 to 0.6); water: MDI 0.1 (0.1 to 0.1)."
    assert ax.get_legend() is None and table.equals(pd.DataFrame({"MDI": [0.5, 0.1]}, ["age", "water"]))


def test_a_series_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"series 'MDI' has the shape \(3,\), but there are 2 names"):
        plots.draw_dots({"MDI": [1, 2, 3]}, ["a", "b"])


def test_impurity_curves_mark_the_computed_value():
    ax = plots.draw_impurity_curves(("gini",), mark=0.2)
    assert ax.lines[1].get_ydata()[0] == pytest.approx(0.32)
    assert "Gini peaks at 0.5 and is 0.32 at share 0.2" in alt_of(ax)


# --- regions ---


def test_regions_are_the_leaves_rectangles():
    ax = plots.draw_regions(STUMP, *midterm())
    (low, high), (low_size, _) = zip(*sorted((patch.get_y(), patch.get_height()) for patch in ax.patches), strict=True)
    assert low + low_size == pytest.approx(0.5) == high
    assert "Attends up to 0.5: 3 Fail, 0 Pass" in alt_of(ax)


@pytest.mark.parametrize(("tree", "X", "features", "says"), [
    (STUMP, np.zeros((2, 3)), (0, 2), "also splits on Attends"),
    (replace(STUMP, left_categories={0: np.array([0.0, 2.0])}), np.zeros((2, 2)), (0, 1), "categories"),
])
def test_regions_refuse_a_tree_that_needs_a_third_axis_or_a_set_of_codes(tree, X, features, says):
    with pytest.raises(ValueError, match=says):
        plots.draw_regions(tree, X, ["Pass", "Fail"], features=features)


# --- waterfalls ---


def test_a_waterfall_leads_from_the_base_to_the_prediction_bar_by_bar():
    """Each bar begins where the last one ended; the last one ends at base + sum of the shares."""
    shares = np.array([0.1, -0.4, 0.3])
    ax = plots.draw_waterfall(0.25, shares, ("a", "b", "c"))
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    assert [start for start, _ in spans] == pytest.approx([0.25, *[end for _, end in spans[:-1]]])
    assert spans[-1][1] == pytest.approx(0.25)
    assert [word.get_text() for word in ax.get_yticklabels()] == ["b", "c", "a"]
    assert words_in(ax) == ["−0.4", "+0.3", "+0.1", "base 0.25", "prediction 0.25"]
    assert [bar.get_hatch() for bar in ax.patches] == ["///", "", ""], "only bars that lead down are striped"
    assert shares.tolist() == [0.1, -0.4, 0.3]


def test_a_waterfall_says_its_shares_in_words_and_lumps_the_small_ones_together():
    """The lump keeps the sum: 10 + 5 - 3 + 1 - 0.5 = 12.5."""
    ax = plots.draw_waterfall(10, [1.0, -3.0, 5.0, -0.5], ["a", "b", "c", "d"], top=2)
    assert alt_of(ax) == (
        "Waterfall from 10, when nothing is known, to the prediction 12.5: c +5, b −3, 2 others +0.5.")


def test_a_feature_keeps_the_colour_it_is_given_in_a_waterfall_and_no_share_has_no_sign():
    ax = plots.draw_waterfall(0, [1.0, 2.0, 0.0], ["a", "b", "c"], colours={"a": "#ff0000", "b": "#0000ff"})
    assert [bar.get_facecolor()[:3] for bar in ax.patches[:2]] == [(0, 0, 1), (1, 0, 0)]
    assert words_in(ax)[:3] == ["+2", "+1", "0"]


# --- axes and numbers ---


def test_drawing_into_given_axes_returns_them_and_joins_their_sentences():
    left, right = plots.new_panels(2)
    assert plots.draw_importance({"a": 1.0}, left) is left
    assert plots.draw_importance({"b": 2.0}, right) is right
    assert alt_of(left).index("a 1") < alt_of(left).index("b 2")


def test_numbers_print_with_three_digits_and_no_minus_zero():
    assert [plots.number(v) for v in (1 / 3, 5.0, -0.0, 12345.6)] == ["0.333", "5", "0", "12,346"]
