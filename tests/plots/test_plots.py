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
from fi_teach.basics.tree import Tree
from fi_teach.plots.tree import Words
from fi_teach.trees import grow_cart


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def small_tree():
    """attends <= 0.5 -> 3 Fail; else 4 Pass, 1 Fail."""
    return Tree(
        children_left=np.array([1, -1, -1]),
        children_right=np.array([2, -1, -1]),
        feature=np.array([1, -2, -2]),
        threshold=np.array([0.5, -2, -2]),
        impurity=np.array([0.5, 0, 0.32]),
        n_node_samples=np.array([8, 3, 5]),
        weighted_n_node_samples=np.array([8.0, 3, 5]),
        value=np.array([[0.5, 0.5], [1, 0], [0.2, 0.8]]),
        names=("time", "attends"),
        classes=("Fail", "Pass"),
    )


def chain(depth):
    """A tree whose right child splits again, `depth` times: node 2k splits, 2k + 1 is its left
    leaf."""
    n = 2 * depth + 1
    node = np.arange(n)
    splits = (node % 2 == 0) & (node < n - 1)
    ones, shares = np.ones(n), np.full((n, 2), 0.5)
    return Tree(
        np.where(splits, node + 1, -1),
        np.where(splits, node + 2, -1),
        np.where(splits, 0, -2),
        node / 2.0,
        ones,
        ones,
        ones,
        shares,
        ("x",),
        ("no", "yes"),
    )


def words_in(ax):
    return [text.get_text() for text in ax.texts]


def deep_tree():
    """Time three times, then attendance: leaves on every level, and numbers with many digits."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"time": rng.integers(0, 1000, 60), "attends": rng.integers(0, 2, 60)})
    return grow_cart(
        X, 1000 * X["time"] ** 0.5 + 300 * X["attends"], criterion="variance", max_depth=3
    )


def node_boxes(ax):
    """The boxes of a drawn tree, as drawn -> list of (box, [extent of each line])."""
    ax.figure.draw_without_rendering()
    renderer = ax.figure.canvas.get_renderer()
    return [
        (
            node.patch.get_window_extent(renderer),
            [line.get_window_extent(renderer) for line in node.findobj(Text) if line.get_text()],
        )
        for node in ax.findobj(AnnotationBbox)
    ]


def test_a_drawn_tree_carries_everything_a_hand_computation_needs():
    words = [text.get_text() for text in plots.draw_tree(small_tree()).findobj(Text)]
    for needed in (
        "attends ≤ 0.5?",
        "4 Fail, 4 Pass",
        "Gini 0.32",
        "1 Fail, 4 Pass",
        "→ Pass",
        "yes",
        "no",
    ):
        assert needed in words


@pytest.mark.parametrize("panels", [0, 2], ids=["a figure of its own", "one of two panels"])
@pytest.mark.parametrize(
    "labels",
    [{}, {"attends": "comes to class with the exercises done", "time": "minutes on social media"}],
    ids=["short names", "long names"],
)
@pytest.mark.parametrize("tree", [small_tree, deep_tree])
def test_words_stay_inside_their_box_boxes_apart_and_all_in_the_picture(tree, labels, panels):
    ax = plots.draw_tree(tree(), plots.new_panels(panels)[-1] if panels else None, labels=labels)
    boxes = node_boxes(ax)
    assert len(boxes) == tree().n_nodes
    for box, lines in boxes:
        assert all(
            box.x0 < line.x0 and line.x1 < box.x1 and box.y0 < line.y0 and line.y1 < box.y1
            for line in lines
        )
    for (one, _), (other, _) in combinations(boxes, 2):
        assert not one.overlaps(other)
    assert (
        min(box.x0 for box, _ in boxes) >= 0
        and max(box.x1 for box, _ in boxes) <= ax.figure.bbox.x1
    )


def test_alt_text_tells_the_tree_as_sentences():
    alt = plots.draw_tree(small_tree()).figure._fi_alt
    assert alt.startswith(
        "Decision tree. attends ≤ 0.5? 4 Fail, 4 Pass (Gini 0.5). "
        "If yes: leaf with 3 Fail, 0 Pass"
    )


def test_the_branches_of_a_bit_can_be_called_by_their_names():
    ax = plots.draw_tree(small_tree(), answers={"attends": ("absent", "present")})
    words = [text.get_text() for text in ax.findobj(Text)]
    assert {"attends?", "absent", "present"} <= set(words)
    assert "If absent: leaf with 3 Fail, 0 Pass" in ax.figure._fi_alt
    assert not {"yes", "no"} & set(words)


def test_importance_bars_are_sorted_and_labelled_with_their_values():
    ax = plots.draw_importance(Importance(("a", "b"), np.array([[0.1, 0.3], [0.6, 0.8]])))
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([0.2, 0.7])
    assert words_in(ax) == ["0.2", "0.7"]
    assert "b 0.7, a 0.2" in ax.figure._fi_alt
    assert "two standard errors" in ax.figure._fi_alt


def test_a_plain_dict_is_drawn_without_spread():
    ax = plots.draw_importance({"a": 1.0, "b": -0.5}, title="Coefficients")
    assert "standard error" not in ax.figure._fi_alt
    assert "b -0.5" in ax.figure._fi_alt


def test_dots_stand_at_the_means_and_lines_reach_from_the_lowest_to_the_highest_repeat():
    ax = plots.draw_dots({"own": np.array([[1.0, 4], [3, 8]]), "new": [0.5, -2]}, ["a", "b"])
    own, new = (box[0] for box in ax.containers)
    assert own.get_xdata() == pytest.approx([2, 6]) and new.get_xdata() == pytest.approx([0.5, -2])
    ends = ax.containers[0][2][0].get_segments()
    assert [tuple(end[:, 0]) for end in ends] == [(1, 3), (4, 8)]
    assert "a: own 2 (1 to 3), new 0.5; b: own 6 (4 to 8), new -2" in ax.figure._fi_alt
    assert own.get_marker() != new.get_marker() and own.get_color() != new.get_color()


def test_a_table_is_drawn_by_its_columns_and_an_error_is_a_line_on_both_sides():
    table = pd.DataFrame({"MDI": [0.5, 0.1]}, ["age", "water"])
    ax = plots.draw_dots(table, errors=pd.DataFrame({"MDI": [0.1, 0]}), unit="share")
    assert [words.get_text() for words in ax.get_yticklabels()] == ["age", "water"]
    assert ax.figure._fi_alt == "Dot plot, share. age: MDI 0.5 (0.4 to 0.6); water: MDI 0.1 (0.1 to 0.1)."
    assert ax.get_legend() is None and table.equals(pd.DataFrame({"MDI": [0.5, 0.1]}, ["age", "water"]))


def test_a_series_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"series 'MDI' has the shape \(3,\), but there are 2 names"):
        plots.draw_dots({"MDI": [1, 2, 3]}, ["a", "b"])


def test_regions_are_the_leaves_rectangles():
    X, y = (
        np.array([[30, 1], [60, 0], [100, 1], [120, 0]]),
        np.array(["Pass", "Fail", "Fail", "Fail"]),
    )
    ax = plots.draw_regions(small_tree(), X, y)
    lower, upper = sorted((patch.get_y(), patch.get_height()) for patch in ax.patches)
    assert lower[0] + lower[1] == pytest.approx(0.5) == upper[0]
    assert "attends up to 0.5: 3 Fail, 0 Pass" in ax.figure._fi_alt


def test_regions_refuse_a_tree_that_needs_a_third_axis():
    with pytest.raises(ValueError, match="also splits on attends"):
        plots.draw_regions(small_tree(), np.zeros((2, 3)), ["Pass", "Fail"], features=(0, 2))


def test_regions_refuse_a_tree_that_splits_on_categories():
    """A set of codes is no stretch of an axis."""
    tree = replace(small_tree(), left_categories={0: np.array([0.0, 2.0])})
    with pytest.raises(ValueError, match="categories"):
        plots.draw_regions(tree, np.zeros((2, 2)), ["Pass", "Fail"])


def test_a_tree_deeper_than_the_stack_can_be_told_in_words():
    """3,000 splits in a chain: neither places nor sentences recurse."""
    column = np.arange(3001.0)[:, None]
    place = chain(3000).place
    assert sorted(place[chain(3000).is_leaf]) == column[:, 0].tolist()
    assert Words(chain(3000), {}, 3).sentences().count("If no:") == 3000


def test_impurity_curves_mark_the_computed_value():
    ax = plots.draw_impurity_curves(("gini",), mark=0.2)
    assert ax.lines[1].get_ydata()[0] == pytest.approx(0.32)
    assert "Gini peaks at 0.5 and is 0.32 at share 0.2" in ax.figure._fi_alt


def test_drawing_into_given_axes_returns_them_and_joins_their_sentences():
    left, right = plots.new_panels(2)
    assert plots.draw_importance({"a": 1.0}, left) is left
    assert plots.draw_importance({"b": 2.0}, right) is right
    assert left.figure._fi_alt.index("a 1") < left.figure._fi_alt.index("b 2")


def test_numbers_print_with_three_digits_and_no_minus_zero():
    assert [plots.number(v) for v in (1 / 3, 5.0, -0.0, 12345.6)] == ["0.333", "5", "0", "12,346"]


def test_drawing_leaves_the_importance_alone():
    draws = np.array([[0.1, 0.3], [0.6, 0.8]])
    before = draws.copy()
    plots.draw_importance(Importance(("a", "b"), draws))
    assert (draws == before).all()


def test_a_waterfall_leads_from_the_base_to_the_prediction_bar_by_bar():
    """Each bar begins where the last one ended; the last one ends at base + sum of the shares."""
    ax = plots.draw_waterfall(0.25, np.array([0.1, -0.4, 0.3]), ("a", "b", "c"))
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    assert [start for start, _ in spans] == pytest.approx([0.25, *[end for _, end in spans[:-1]]])
    assert spans[-1][1] == pytest.approx(0.25)
    assert [word.get_text() for word in ax.get_yticklabels()] == ["b", "c", "a"]
    assert words_in(ax) == ["−0.4", "+0.3", "+0.1", "base 0.25", "prediction 0.25"]


def test_only_bars_that_lead_down_are_striped():
    ax = plots.draw_waterfall(0, [0.5, -0.25, 0.0], ("a", "b", "c"))
    assert [bar.get_hatch() for bar in ax.patches] == ["", "///", ""]


def test_a_waterfall_says_its_shares_in_words_and_lumps_the_small_ones_together():
    """The lump keeps the sum: 10 + 5 - 3 + 1 - 0.5 = 12.5."""
    ax = plots.draw_waterfall(10, [1.0, -3.0, 5.0, -0.5], ["a", "b", "c", "d"], top=2)
    assert ax.figure._fi_alt == (
        "Waterfall from 10, when nothing is known, to the prediction 12.5: "
        "c +5, b −3, 2 others +0.5."
    )


def test_a_feature_keeps_the_colour_it_is_given_in_a_waterfall():
    ax = plots.draw_waterfall(0, [1.0, 2.0], ["a", "b"], colours={"a": "#ff0000", "b": "#0000ff"})
    assert [bar.get_facecolor()[:3] for bar in ax.patches] == [(0, 0, 1), (1, 0, 0)]


def test_drawing_leaves_the_shares_alone():
    values = np.array([1.0, -2.0])
    plots.draw_waterfall(0, values, ("a", "b"))
    assert values.tolist() == [1.0, -2.0]
