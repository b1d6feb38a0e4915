"""A figure on a phone: as wide as the phone, its panels below one another, its letters as large as they were."""

import numpy as np
import pytest

from fi_teach.data import midterm
from fi_teach.plots import alt_text, describe, draw_tree, new_axes, new_panels
from fi_teach.plots.phone import WIDTH, narrow, on_a_phone
from fi_teach.trees import grow_cart


def three_panels():
    panels = new_panels(3, 7.5, 3.2, sharey=True)
    for k, ax in enumerate(panels):
        ax.plot([0, 1], [k, k + 1])
    describe(panels[0], "Three lines.")
    return panels[0].figure


def left_ends(figure):
    figure.draw_without_rendering()
    return [ax.get_position().x0 for ax in figure.axes]


def test_panels_beside_one_another_stand_below_one_another():
    figure = three_panels()
    with narrow(figure):
        np.testing.assert_allclose(left_ends(figure), left_ends(figure)[0])
        tops = [ax.get_position().y1 for ax in figure.axes]
        assert tops == sorted(tops, reverse=True)
        assert figure.get_size_inches().tolist() == [WIDTH, pytest.approx(3 * 3.2)]


def test_stacked_panels_show_the_numbers_that_they_shared():
    figure = three_panels()
    with narrow(figure):
        assert all(ax.yaxis.get_tick_params()["labelleft"] for ax in figure.axes)


def test_afterwards_the_figure_is_as_it_was():
    figure = three_panels()
    before = alt_text.render(figure, "svg")
    with narrow(figure):
        pass
    assert alt_text.render(figure, "svg") == before


def test_a_figure_that_fits_has_no_second_picture():
    assert on_a_phone(new_axes(4.5, 3).figure, lambda figure: figure) is None


def test_the_picture_for_phones_travels_with_the_figure():
    _, metadata = alt_text.picture(three_panels())
    assert metadata["image/svg+xml"]["phone"].startswith("<?xml")


def test_a_wide_tree_becomes_an_outline_with_the_same_words():
    X, _ = midterm()
    wide = draw_tree(grow_cart(X.assign(row=range(8)), [f"group {k}" for k in range(8)]))
    outline = on_a_phone(wide.figure, lambda figure: figure)
    words = [text.get_text() for text in outline.axes[0].texts]
    assert outline.get_size_inches()[0] == WIDTH
    assert len(words) == 15 and words[0].endswith("Gini 0.875") and words[1].startswith("yes: ")
