"""A student's own function moves a picture once its check has passed; until then the cell says what it waits for."""

import ast
import itertools
import json
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from fi_course.questions import QUESTIONS, Q, playground
from fi_course.questions.cards import Card

ROOT = Path(__file__).resolve().parents[3]
SETS = sorted({question.notebook for question in QUESTIONS.values()})


def half(left, right):
    """A wrong answer to trees.decrease."""
    return 0.5


def gini(counts):
    return 1 - sum((c / sum(counts)) ** 2 for c in counts)


def decrease(left, right):
    """A right answer to trees.decrease."""
    whole = [a + b for a, b in zip(left, right, strict=True)]
    return gini(whole) - sum(sum(child) * gini(child) for child in (left, right)) / sum(whole)


def cuts(at):
    """What a cut takes away"""
    return {k: decrease([4, k], [1, 4 - k]) for k in range(4)}, at


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def cells_that_play(folder, name):
    cells = json.loads((ROOT / folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return cells, [k for k, cell in enumerate(cells) if cell["metadata"].get("fi_teach", {}).get("part") == "play"]


def plays_of(folder, name, monkeypatch):
    """Run the cells of a set as far as its last play -> (what each play cell gave, [(picture, sliders)])."""
    cells, places = cells_that_play(folder, name)
    asked, space, gave = [], {"__name__": "exercise"}, []
    monkeypatch.setattr(playground, "in_notebook", lambda: True)
    monkeypatch.setattr(playground, "_sliders", lambda picture, sliders: asked.append((picture, sliders)))
    for place, cell in enumerate(cells[: places[-1] + 1]):
        source, part = "".join(cell["source"]), cell["metadata"].get("fi_teach", {}).get("part")
        if place in places:
            source, _, call = source.rpartition("\n\n")
            exec(source, space)
            gave.append(eval(call, space))
        elif cell["cell_type"] == "code" and part != "check":
            exec(source, space)
    return gave, asked


def extremes(slider):
    """Both ends and a value between -> list."""
    if isinstance(slider, list):
        return slider
    least, most, *step = slider
    middle = least + (most - least) // (2 * step[0]) * step[0] if step else (least + most) // 2
    return [least, middle, most]


def test_each_set_has_a_cell_to_play_with_below_the_check_of_a_function():
    """It stands right below the check it waits for, is no part of a question, and is the same for student
    and teacher."""
    for folder, name in itertools.product(("solutions", "exercises"), SETS):
        cells, places = cells_that_play(folder, name)
        assert places, name
        for place in places:
            above, cell = cells[place - 1]["metadata"]["fi_teach"], cells[place]
            assert above["part"] == "check" and f'Q("{above["question"]}").play(' in "".join(cell["source"]), name
            assert QUESTIONS[above["question"]].kind in ("implement", "mend"), name
            assert cell["metadata"] == {"fi_teach": {"part": "play"}, "tags": ["nbval-ignore-output"]}, name


@pytest.mark.parametrize("name", SETS)
def test_every_place_of_the_sliders_has_numbers_and_a_picture(name, monkeypatch):
    """With the reference, at the ends and in the middle of each slider: finite numbers, and they move."""
    _, asked = plays_of("solutions", name, monkeypatch)
    for picture, sliders in asked:
        seen = set()
        for values in itertools.product(*map(extremes, sliders.values())):
            at = dict(zip(sliders, values, strict=True))
            ax = playground.draw_picture(picture(**at), playground._title(picture), at)
            numbers = picture(**at)
            numbers = numbers[0] if isinstance(numbers, tuple) else numbers
            assert np.isfinite(list(numbers.values())).all() and ax.get_title(loc="left")
            seen.add(tuple(np.round(list(numbers.values()), 9)))
            plt.close("all")
        assert len(seen) > 1


def test_a_stub_is_told_what_the_sliders_wait_for(monkeypatch):
    for name in SETS:
        gave, asked = plays_of("exercises", name, monkeypatch)
        assert gave and not asked, name
        for card in gave:
            assert isinstance(card, Card) and card.title.startswith("Sliders wait here for your `"), name
            assert "must say Right" in card.paragraphs[1], name


def test_a_wrong_function_waits_too_and_a_right_one_outside_a_notebook_says_so():
    assert "wait here for your `half`" in Q("trees.decrease").play(half, cuts, at=(0, 3)).title
    assert Q("trees.decrease").play(decrease, cuts,
                                    at=(0, 3)).title == "Your `decrease` moves this picture in a notebook"


def test_moving_a_slider_draws_again_on_a_scale_that_never_shrinks(monkeypatch):
    """So that a bar that doubles is seen to double."""

    def double(at):
        """Twice as much"""
        return {"it": 2 * at}

    monkeypatch.setattr(playground, "in_notebook", lambda: True)
    axes, draw = [], playground.draw_picture
    monkeypatch.setattr(playground, "draw_picture", lambda *given: axes.append(draw(*given)) or axes[-1])
    slider, shown = Q("trees.decrease").play(decrease, double, at=(0, 4)).children
    assert [type(slider).__name__, type(shown).__name__] == ["IntSlider", "HTML"]  # no output of a cell: see _sliders
    slider.value = 4
    slider.value = 1
    assert [ax.patches[0].get_height() for ax in axes] == [0, 8, 2]  # it begins at the least
    low, middle, high = (ax.get_ylim() for ax in axes)
    assert middle == high and low[1] < middle[1]
    assert shown.value.startswith('<img alt="Twice as much. With at 1: it: 2." src="data:image/svg+xml;base64,')
    assert not plt.get_fignums()


def test_what_a_picture_prints_or_raises_stands_in_its_place(monkeypatch):
    """Unread as HTML; the next place of the slider is drawn again."""

    def noisy(at):
        """A title"""
        print("at", at, "<b>")
        return {"it": 1 / (2 - at)}

    monkeypatch.setattr(playground, "in_notebook", lambda: True)
    slider, shown = Q("trees.decrease").play(decrease, noisy, at=(0, 4)).children
    slider.value = 1
    assert shown.value.startswith("<img ") and shown.value.endswith("<pre>at 1 &lt;b&gt;\n</pre>")
    slider.value = 2
    assert shown.value == "<pre>ZeroDivisionError: division by zero</pre><pre>at 2 &lt;b&gt;\n</pre>"
    slider.value = 3
    assert shown.value.startswith("<img ")


def test_half_a_picture_is_left_nowhere(monkeypatch):
    """It would be shown below the next cell; figures of others stay."""

    def words(at):
        """A title"""
        return {"it": None}

    monkeypatch.setattr(playground, "in_notebook", lambda: True)
    mine = plt.figure().number
    _, shown = Q("trees.decrease").play(decrease, words, at=(0, 4)).children
    assert shown.value.startswith("<pre>TypeError: ") and plt.get_fignums() == [mine]


def test_a_picture_says_in_words_what_it_shows():
    ax = playground.draw_picture(({0: 0.5, 1: 0.3}, 1), "The fall, by the rows", {"rows_left": 1})
    assert ax.figure._fi_alt == "The fall, by the rows. With rows left 1: 1: 0.3."
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("The fall", "the rows")
    ax = playground.draw_picture({"A": 8, "B": 11}, "Shares", {"ride": 2})
    assert ax.figure._fi_alt == "Shares. With ride 2: A: 8, B: 11."


def test_a_picture_of_anything_else_is_refused_in_words():
    for found in (3, [1, 2], {}, None):
        with pytest.raises(ValueError, match="a picture returns a dictionary of numbers"):
            playground.draw_picture(found, "Title", {})


def test_the_built_page_says_what_a_cell_to_play_with_would_be_and_shows_no_verdict():
    """In words, in its place: which function moves what; and nothing of what is stored for nbval."""
    from exercise_pages import page_of

    for name in SETS:
        page = page_of(nbformat.read(ROOT / "exercises" / f"{name}.ipynb", as_version=4), name)
        cells, places = cells_that_play("exercises", name)
        told = [cell.source for cell in page.cells if cell.source.startswith("**To play with, in JupyterLab.** ")]
        assert len(told) == len(places), name
        for words, place in zip(told, places, strict=True):
            call = ast.parse("".join(cells[place]["source"])).body[-1].value
            assert f"your own `{call.args[0].id}` moves a picture" in words
            assert all(f"*{slider.arg.replace('_', ' ')}*" in words for slider in call.keywords)
        assert "Not started" not in json.dumps([cell.get("outputs", []) for cell in page.cells])
        assert ".play(" not in "".join(cell.source for cell in page.cells), name


@pytest.mark.parametrize("change", ["kept", "deleted", "changed", "stripped"])
def test_the_grader_does_not_run_it_and_flags_nothing_whatever_became_of_it(change):
    """An earlier edition's notebook, which has none, is graded as before."""
    from fi_grader.notebooks.exercise import cell_from, load
    from fi_grader.notebooks.matching import align

    cells, (place,) = cells_that_play("exercises", "01_trees")
    if change == "deleted":
        del cells[place]
    elif change == "changed":
        cells[place]["source"] = ["import nowhere"]
    elif change == "stripped":
        cells[place] = {"cell_type": "code", "source": cells[place]["source"]}
    plan = align(load(ROOT / "exercises")["01_trees"], [cell_from(cell) for cell in cells])
    assert plan.whole == [] and plan.flags == {}
    assert not [step for step in plan.steps if "play" in step.source or "nowhere" in step.source]


def test_in_the_sandbox_a_question_plays_nothing():
    from fi_grader.sandbox.inside.preload import Silent

    assert Silent("trees.decrease").play(half, cuts, at=(0, 3)) is None
