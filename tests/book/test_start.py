"""The start page: its picture keeps its promise, says why, and needs no script."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from start_page import MEASURES, differing, nth, ranks_of, template, told_first

from .accessibility import opened

START = "book/start"
RANKS = """() => [...document.querySelectorAll('.fi-ranks label')].map((label) =>
    [...label.querySelectorAll('i')].map((mark) => Number(mark.textContent)))"""


def in_splits(*above):
    """Ten splits of two measures; in these the first stands above the second -> (splits, 4)."""
    return np.array([[1, 3, 2, 4] if k in above else [3, 1, 2, 4] for k in range(10)])


def rank(*values):
    return pd.Series(values, list(MEASURES))


def why(rank, in_each, n_values):
    """What the page says of a feature with these ranks."""
    return template().module.why(rank, differing(rank, in_each), n_values)


def test_why_names_the_two_measures_that_differ_most_and_counts_the_splits():
    told = why(rank(2, 3, 3, 9), np.tile([2, 3, 3, 9], (10, 1)), 1_537)
    assert told.startswith("2nd by MDI, only 9th by permutation, and lower there in 10 of 10 splits.")
    assert "1,536 places" in told
    assert "at most once" in why(rank(5, 1, 4, 1), np.tile([5, 1, 4, 1], (10, 1)), 2)
    assert "what moves the predictions?" in why(rank(5, 5, 1, 9), np.tile([5, 5, 1, 9], (10, 1)), 50)


def test_measures_that_change_places_from_split_to_split_are_said_to_agree():
    assert "they agree" in why(rank(1, 3, 2, 2), in_splits(*range(8)), 50)
    assert "they agree" not in why(rank(1, 3, 2, 2), in_splits(*range(9)), 50)
    assert why(rank(7, 7, 7, 7), in_splits(), 50) == "7th by every measure."


def test_ranks_are_those_of_the_mean_and_of_each_split():
    tables = [pd.DataFrame({"m": values}, ["a", "b", "c"]) for values in ([3, 2, 0], [1, 1.5, 0])]
    mean, each = ranks_of(tables)
    assert mean["m"].tolist() == [1, 2, 3] and each[:, :, 0].tolist() == [[1, 2, 3], [2, 1, 3]]
    assert [nth(k) for k in (1, 2, 3, 4, 11, 12, 13, 21)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]


def test_the_first_that_is_shown_is_first_somewhere_and_far_down_elsewhere():
    assert told_first(pd.DataFrame([[1, 2], [2, 9], [5, 1]], ["a", "b", "c"])) == "c"


def test_the_ranks_visibly_cross(browser, address):
    """Of each measure a ranking; between two neighbours several pairs change places by more than one rank."""
    with opened(browser, address, START) as (tab, *_):
        ranks = np.array(tab.evaluate(RANKS))
    assert ranks.shape == (13, len(MEASURES)) and (np.arange(1, 14) == np.sort(ranks, axis=0).T).all()
    for left, right in zip(ranks.T, ranks.T[1:], strict=False):
        gaps = [(left[i] - left[j]) * (right[i] - right[j]) for i, j in combinations(range(13), 2)]
        assert sum(gap < -1 for gap in gaps) >= 3


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_touched_column_lights_up_and_says_why(built_book, browser, scripts):
    """By pointer for as long as it stays, by key and by a tap for good; one sentence at a time."""
    def lit():
        return tab.locator(".fi-ranks em:visible b").all_inner_texts()

    with opened(browser, built_book.as_uri(), START, java_script_enabled=scripts) as (tab, *_):
        chosen = lit()
        assert len(chosen) == 1
        tab.locator(".fi-ranks label", has_text="unemp").locator("input").hover()
        assert lit() == ["unemp"]
        tab.mouse.move(5, 5)
        assert lit() == chosen
        tab.locator(".fi-ranks input:checked").press("ArrowDown")
        assert len(lit()) == 1 and lit() != chosen
        tab.locator(".fi-ranks label", has_text="unemp").locator("input").click()
        tab.mouse.move(5, 5)
        assert lit() == ["unemp"]


@pytest.mark.parametrize("view", ["day", "phone"])
def test_the_first_screen_says_what_this_is_and_where_to_begin(browser, address, view):
    with opened(browser, address, START, view) as (tab, *_):
        height = tab.viewport_size["height"]
        for what in ("h1", "h1 + p", ".fi-begin a", *([".fi-ranks em:visible"] if view == "day" else [])):
            box = tab.locator(f".bd-article {what}").first.bounding_box()
            assert box["y"] > 0 and box["y"] + box["height"] < height, what
