"""On a wide screen the margin holds what else would stand in the text, or a link away; and there is always something to look at."""

from itertools import pairwise
from statistics import median

import pytest

from .test_pages import CHAPTERS, opened

WIDE = {"width": 1500, "height": 900}
NOTES = """() => {
    const box = (node) => { const { left, right, top, bottom } = node.getBoundingClientRect(); return { left, right, top, bottom }; };
    const noted = [...document.querySelectorAll('.bd-article :is(.fi-gloss, .fi-claim)')].filter((node) => node.getClientRects().length);
    const column = document.querySelector('.bd-article section section').getBoundingClientRect();
    return { column: column.right, end: document.querySelector('.bd-article').getBoundingClientRect().right, notes: noted.map(box) };
}"""
LOOKED_AT = """() => {
    const article = document.querySelector('.bd-article').getBoundingClientRect();
    const references = [...document.querySelectorAll('.bd-article h3')].find((title) => title.textContent.startsWith('References'));
    const seen = [...document.querySelectorAll('.bd-article :is(.fi-figure, .explorable, .fi-opener .fi-drawing, table)')].map((node) => node.getBoundingClientRect());
    return { start: article.top, end: references ? references.getBoundingClientRect().top : article.bottom,
             boxes: seen.filter(({ height }) => height).map(({ top, bottom }) => [top, bottom]) };
}"""


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_margin_holds_badges_and_words_beside_the_text(browser, address, page):
    """Right of the column, inside the page, none upon another; on a smaller screen words are links only."""
    with opened(browser, address, page) as (tab, *_):
        assert tab.locator(".fi-gloss:visible").count() == 0
        tab.set_viewport_size(WIDE)
        found = tab.evaluate(NOTES)
        assert tab.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]
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


@pytest.mark.parametrize("page", CHAPTERS)
def test_between_two_things_to_look_at_lie_less_than_two_screens(browser, address, page):
    """Figures, drawings, explorables and tables, in the middle of all gaps of a chapter, on a desktop's 900 pixels."""
    with opened(browser, address, page) as (tab, *_):
        found = tab.evaluate(LOOKED_AT)
    gaps, last = [], found["start"]
    for top, bottom in sorted(found["boxes"]):
        gaps.append(max(0, top - last))
        last = max(last, bottom)
    assert median([*gaps, found["end"] - last]) < 2 * 900
