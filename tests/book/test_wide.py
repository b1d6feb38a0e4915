"""On a wide screen the margin holds what else would stand in the text, or a link away;
and there is always something to look at."""

from itertools import pairwise
from statistics import median

import pytest

from .accessibility import CHAPTERS, opened

WIDE = {"width": 1500, "height": 900}
MOST_SCREENS = 2
STILL_FAR = {"notebooks/01_trees": 2.8, "notebooks/05_permutation": 2.3, "notebooks/07_correlated": 2.4,
             "notebooks/10_knockoffs": 2.7, "notebooks/11_causality": 2.4, "notebooks/14_own_model": 3.4}
"""Chapters whose pictures lie further apart than that: how far they may, so that it does not grow."""
NOTES = """() => {
    const box = (node) => { const { left, right, top, bottom } = node.getBoundingClientRect(); return { left, right, top, bottom }; };
    const noted = [...document.querySelectorAll('.bd-article :is(.fi-gloss, .fi-claim)')].filter((node) => node.getClientRects().length);
    const column = document.querySelector('.bd-article section section').getBoundingClientRect();
    return { column: column.right, end: document.querySelector('.bd-article').getBoundingClientRect().right, notes: noted.map(box) };
}"""
LOOKED_AT = """() => {
    const article = document.querySelector('.bd-article').getBoundingClientRect();
    const references = [...document.querySelectorAll('.bd-article h3')].find((title) => title.textContent.startsWith('References'));
    const boxes = (what) => [...document.querySelectorAll(`.bd-article :is(${what})`)].map((node) => node.getBoundingClientRect())
        .filter(({ height }) => height).map(({ top, bottom }) => [top, bottom]);
    const pictures = boxes('.cell_output img, .explorable, .fi-header .fi-drawing'), tables = boxes('table');
    return { start: article.top, end: references ? references.getBoundingClientRect().top : article.bottom,
             pictures, tables };
}"""


@pytest.fixture(scope="module", params=CHAPTERS)
def seen(request, browser, address):
    """A chapter, opened once: (its name, what there is to look at on a desktop, its notes on a wide screen)."""
    with opened(browser, address, request.param) as (tab, *_):
        assert tab.locator(".fi-gloss:visible").count() == 0
        pictures = tab.evaluate(LOOKED_AT)
        tab.set_viewport_size(WIDE)
        notes = tab.evaluate(NOTES)
        assert tab.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]
    return request.param, pictures, notes


def test_the_margin_holds_badges_and_words_beside_the_text(seen):
    """Right of the column, inside the page, none upon another; on a smaller screen words are links only."""
    _, _, found = seen
    notes = sorted(found["notes"], key=lambda note: note["top"])
    assert len(notes) >= 3
    assert all(found["column"] < note["left"] and note["right"] <= found["end"] + 1 for note in notes)
    assert all(above["bottom"] <= below["top"] + 1 for above, below in pairwise(notes))


def test_a_badge_comes_back_into_the_text_when_its_code_is_opened(browser, address):
    with opened(browser, address, "notebooks/05_permutation") as (tab, *_):
        tab.set_viewport_size(WIDE)
        cell = tab.locator(".cell:has(.fi-claim)").first
        before = cell.bounding_box()["width"]
        cell.locator("summary").first.click()
        assert cell.bounding_box()["width"] > 2 * before


def middle_gap(found, boxes):
    """The median of the gaps between boxes, in screens of 900 pixels."""
    gaps, last = [], found["start"]
    for top, bottom in sorted(boxes):
        gaps.append(max(0, top - last))
        last = max(last, bottom)
    return median([*gaps, found["end"] - last]) / WIDE["height"]


def test_between_two_things_to_look_at_lie_less_than_two_screens(seen):
    """On a desktop, code and answers folded, all else shown: pictures and explorables alone;
    counted with the tables, everywhere."""
    page, found, _ = seen
    assert middle_gap(found, found["pictures"]) < STILL_FAR.get(page, MOST_SCREENS)
    assert middle_gap(found, [*found["pictures"], *found["tables"]]) < MOST_SCREENS
