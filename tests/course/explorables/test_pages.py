"""The explorables in a real browser: no kernel, no network."""

import re

import ipywidgets
import pandas as pd
import pytest

from fi_course.explorables import (
    State,
    axis,
    bars,
    choice,
    explore,
    explore_coalitions,
    explore_splits,
    line,
    panel,
    points,
    slider,
    switch,
)
from fi_course.explorables.marks import SHAPES, box, region, text


def sentences(page):
    return page.locator(".explorable-sentence").all_inner_texts()


def zoo():
    """One control of each kind; three animals, of which the fish has no colour to choose."""
    def state_of(animal, colour, size, loud):
        if animal == "fish" and colour > 0:
            return None
        shown = panel(points([size], [1], name=animal), line([0, 3], [1, 1]), x=axis(0, 4, "size"), y=axis(0, 2))
        told = f"{animal}, colour {colour}, size {size}, {'loud' if loud else 'quiet'}."
        return State(told, [shown], pd.DataFrame({"animal": [animal], "size": [size]}),
                     {"colour": "fish are grey" if animal == "fish" else ["red", "blue"]})

    controls = [choice("animal", "Animal", ["dog", "cat", "fish"]), choice("colour", "Colour", range(2), kind="select"),
                slider("size", "Size", [1, 2, 3]), switch("loud", "Loud")]
    return explore("A zoo", controls, state_of)


def test_each_kind_of_control_moves_the_sentence_the_picture_and_the_table(show):
    page = show(zoo())
    assert sentences(page) == ["dog, colour 0, size 1, quiet."]
    page.get_by_role("radio", name="cat").check()
    page.get_by_role("combobox", name="Colour").select_option("blue")
    page.get_by_role("slider", name="Size").press("ArrowRight")
    page.get_by_role("checkbox", name="Loud").check()
    assert sentences(page) == ["cat, colour 1, size 2, loud."]
    assert page.get_by_role("img").get_attribute("aria-label") == "cat, colour 1, size 2, loud."
    assert page.locator(".explorable-legend").inner_text() == "cat"
    page.get_by_text("Show as a table").click()
    assert page.get_by_role("cell").all_inner_texts() == ["cat", "2"]
    assert page.errors == [] and page.outside == []


def test_a_choice_that_is_gone_says_so_and_comes_back(show):
    page = show(zoo())
    page.get_by_role("combobox", name="Colour").select_option("blue")
    page.get_by_role("radio", name="fish").check()
    assert sentences(page) == ["fish, colour 0, size 1, quiet."]
    assert page.get_by_role("combobox", name="Colour").is_disabled()
    assert page.get_by_role("combobox", name="Colour").inner_text() == "fish are grey"
    page.get_by_role("radio", name="dog").check()
    assert page.get_by_role("combobox", name="Colour").is_enabled()
    assert sentences(page) == ["dog, colour 0, size 1, quiet."]


def test_the_focus_stays_on_the_control_that_moves(show):
    page = show(zoo())
    page.get_by_role("radio", name="dog").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert sentences(page) == ["fish, colour 0, size 1, quiet."]
    assert page.evaluate("document.activeElement.parentNode.textContent") == "fish"


def one_slider(values, say):
    """A slider named k, of which the sentence is what `say` makes."""
    def state_of(k):
        return State(say(k), [panel(points([k], [1]), x=axis(0, 100), y=axis(0, 2))], pd.DataFrame({"k": [k]}))

    return explore("One slider", [slider("k", "How many", values)], state_of)


def with_link(page, wish):
    """A link in the page's text that wishes a state, as the book makes it."""
    page.evaluate("""wish => document.querySelector('h1').insertAdjacentHTML('afterend',
        `<p><a href="#set:${wish}">set it</a></p>`)""", wish)
    page.get_by_text("set it").first.press("Enter")


@pytest.mark.parametrize("wish, said", [
    ("size=3", "dog, colour 0, size 3, quiet."),
    ("animal=cat,colour=blue,loud=on", "cat, colour 1, size 1, loud."),
])
def test_a_link_in_the_text_sets_the_controls_that_it_names(show, wish, said):
    page = show(zoo())
    with_link(page, wish)
    assert sentences(page) == [said] and page.errors == []


def test_a_link_may_name_a_label_with_any_sign_in_it(show):
    shares = {"none": "", "60 %": "60%20%25", "half, or so": "half%2C%20or%20so", "a=b": "a%3Db"}
    page = show(explore("Shares", [choice("share", "Share", list(shares))], lambda share: State(
        share, [panel(points([1], [1]), x=axis(0, 2), y=axis(0, 2))], pd.DataFrame({"share": [share]}))))
    for share, written in list(shares.items())[1:]:
        with_link(page, f"share={written}")
        assert sentences(page) == [share] and page.errors == []


def test_a_link_means_the_label_that_a_control_offers_when_its_turn_comes(show):
    """The players depend on the game."""
    page = show(explore_coalitions())
    with_link(page, "game=XOR,entered=x2 → x1")
    assert "entered: x2 adds" in sentences(page)[0] and page.errors == []


def test_a_link_sets_the_nearest_explorable_that_has_its_control(show):
    page = show(one_slider([1, 2], "{} steps.".format), zoo(), zoo())
    with_link(page, "size=3")
    assert sentences(page) == ["1 steps.", "dog, colour 0, size 3, quiet.", "dog, colour 0, size 1, quiet."]


@pytest.mark.parametrize("wish", ["weight=3", "size=9"])
def test_a_link_that_cannot_be_followed_says_so_to_the_console(show, wish):
    page = show(zoo())
    with_link(page, wish)
    assert sentences(page) == ["dog, colour 0, size 1, quiet."] and len(page.errors) == 1


@pytest.mark.parametrize("width", [800, 390])
def test_the_cut_can_be_taken_by_hand(show, width):
    """Dragged to the right end, then to the left: the threshold goes with it, and nothing else moves."""
    page = show(explore_splits(), width=width)
    grip, slider = page.locator(".explorable-grip").first, page.get_by_role("slider", name="Threshold for Time")
    for end in (slider.get_attribute("max"), "0"):
        box = grip.bounding_box()
        at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(*at)
        page.mouse.down()
        page.mouse.move(at[0] + (600 if end != "0" else -700), at[1], steps=6)
        page.mouse.up()
        assert slider.input_value() == end
    assert sentences(page)[0].startswith("Time ≤ 40") and page.errors == []


def grip_at(page, words):
    """The middle of the handle that lies over these words of the picture -> (x, y)."""
    box = page.locator(".explorable-scene text", has_text=re.compile(f"^{words}$")).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_player_is_dragged_into_the_taxi_to_another_seat_and_out_again(show):
    page = show(explore_coalitions())
    for player, goal, said in (("Ben", "2nd", "Ada adds +12, Ben adds +12."), ("Cleo", "1st", "Cleo adds +24, Ada"),
                               ("Ada", "outside", "Cleo adds +24, Ben adds +6.")):
        page.mouse.move(*grip_at(page, player))
        page.mouse.down()
        page.mouse.move(grip_at(page, goal)[0], grip_at(page, goal)[1], steps=8)
        page.mouse.up()
        assert said in sentences(page)[0], sentences(page)
    assert page.locator(".explorable-goal").inner_text().startswith("Reached: ") and page.errors == []


def test_whatever_is_shown_an_explorable_is_as_tall(show):
    """One panel or two below each other: the taller keeps its room."""
    def state_of(many):
        panels = [panel(points([1], [1]), x=axis(0, 2), y=axis(0, 2), min_width=500)] * (1 + many)
        return State(f"{1 + many} of them.", panels, pd.DataFrame({"n": [many]}))

    page = show(explore("Panels", [switch("many", "Two panels")], state_of))
    below = page.get_by_text("Show as a table")
    before = below.bounding_box()["y"]
    page.get_by_role("checkbox").check()
    assert below.bounding_box()["y"] == before


def test_on_a_phone_a_few_controls_stay_in_view(show):
    page = show(explore_splits(), width=390)
    page.evaluate("document.body.style.paddingBottom = '900px'; "
                  "scrollTo(0, document.querySelector('.explorable-scene').getBoundingClientRect().top + 60)")
    assert 0 <= page.get_by_role("slider", name="Threshold for Time").bounding_box()["y"] < 300


def test_nothing_below_the_sentence_moves_when_it_grows(show):
    """The longest sentence keeps its room."""
    page = show(one_slider([1, 90], lambda k: "word " * k + f"{k}."), width=390)
    below = page.get_by_text("Show as a table")
    before = below.bounding_box()["y"]
    page.get_by_role("slider", name="How many").press("End")
    assert below.bounding_box()["y"] == before


def test_jupyterlab_leaves_the_keys_to_the_controls(show):
    """In its command mode the lab takes every arrow key, unless the element in focus carries this attribute."""
    page = show(zoo())
    fields = page.locator(".explorable :is(input, select, summary)")
    assert fields.count() == 7
    assert {field.get_attribute("data-lm-suppress-shortcuts") for field in fields.all()} == {"true"}


def test_every_mark_and_every_shape_is_drawn_and_named_in_the_legend(show):
    def state_of(k):
        shapes = [points([j], [1], shape=shape, colour="c3", name=shape) for j, shape in enumerate(SHAPES)]
        others = [bars([k, -1], hatch=True, name="bar"),
                  line([0, 1], [k, 2], step=True, dashed=True, name="line"), region(x=(1, None), name="region"),
                  text(0, 0, "words", anchor="end"), box(2, 2, ["box", "of two lines"], rounded=True)]
        return State(f"{k}.", [panel(shapes, others, x=axis(-1, 5), y=axis(-2, 4))], pd.DataFrame({"k": [k]}))

    page = show(explore("Marks", [slider("k", "K", [1, 2])], state_of))
    assert page.locator(".explorable-legend > span").all_inner_texts() == [*SHAPES, "bar", "line", "region"]
    assert page.evaluate("""[...document.querySelectorAll('.explorable svg *')].filter((part) =>
        [...part.attributes].some((attribute) => /NaN|undefined|null/.test(attribute.value))).length""") == 0
    assert page.get_by_text("of two lines").count() == 1 and page.errors == []


def test_one_widget_shown_twice_moves_together(show):
    widget = zoo()
    page = show(widget, widget)
    page.get_by_role("radio", name="cat").nth(1).check()
    assert sentences(page) == ["cat, colour 0, size 1, quiet."] * 2
    assert page.get_by_role("radio", name="cat").nth(0).is_checked()


def test_a_widget_that_cannot_be_shown_says_so_and_the_others_work(open_page, page_of):
    broken = zoo()
    broken._esm = "export default { render() { throw new Error('out of ink') } }"
    lost = ipywidgets.IntSlider()
    unsaved = zoo()
    fine = zoo()
    page = open_page(page_of(broken, lost, unsaved, fine, models=[broken, lost, fine]))
    page.locator(".explorable-error").nth(2).wait_for()
    told = page.get_by_role("alert").all_inner_texts()
    assert "out of ink" in told[0] and "anywidgets only" in told[1] and "not saved with the page" in told[2]
    assert sentences(page) == ["dog, colour 0, size 1, quiet."]


@pytest.mark.parametrize("theme, bright", [("light", True), ("dark", False)])
def test_the_paper_is_bright_in_a_light_book_and_dark_in_a_dark_one(show, theme, bright):
    page = show(zoo(), theme=theme)
    paper = page.evaluate(
        "getComputedStyle(document.querySelector('.explorable')).backgroundColor.match(/\\d+/g).map(Number)")
    assert (min(paper) > 200) == bright and (max(paper) < 60) == (not bright)
