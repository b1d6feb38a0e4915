"""From 1,200 pixels the margin holds what else would stand in the text, or a link away, and no code;
lines keep their length; and there is always something to look at."""

from itertools import pairwise
from statistics import median

import pytest

from .accessibility import CHAPTERS, opened

WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 1199, "height": 900}
MOST_SCREENS = 2
STILL_FAR = {"notebooks/01_trees": 2.8, "notebooks/05_permutation": 2.3, "notebooks/07_correlated": 2.4,
             "notebooks/08_shapley": 2.1,
             "notebooks/10_knockoffs": 2.7, "notebooks/11_causality": 2.4, "notebooks/14_own_model": 3.4}
"""Chapters whose pictures lie further apart than that: how far they may, so that it does not grow."""
NOTES = """() => {
    const box = (node) => { const { left, right, top, bottom } = node.getBoundingClientRect(); return { left, right, top, bottom }; };
    const noted = [...document.querySelectorAll('.bd-article :is(.fi-gloss, .fi-claim)')].filter((node) => node.getClientRects().length);
    const column = document.querySelector('.bd-article section section').getBoundingClientRect();
    const code = [...document.querySelectorAll('.bd-article pre')].filter((node) => node.checkVisibility());
    return { column: column.right, end: document.querySelector('.bd-article').getBoundingClientRect().right, notes: noted.map(box), code: code.map(box) };
}"""
FOLDED = """() => [...document.querySelectorAll('.fi-noted')].map((noted) => {
    const [text, ...notes] = [':scope > p', ...[...noted.querySelectorAll('.fi-gloss')]].map((node) =>
        (node.getBoundingClientRect ? node : noted.querySelector(node)).getBoundingClientRect());
    return notes.every((note) => note.top >= text.bottom - 12 && note.left === text.left);
})"""
LETTERS = """() => [...document.querySelectorAll('.bd-article section > p, .fi-noted > p')].filter((text) => !text.querySelector('.math')
    && text.getClientRects().length).flatMap((text) => {
    const words = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), letter = document.createRange(), lines = [];
    for (let last = -Infinity; words.nextNode();) for (let k = 0; k < words.currentNode.length; k++) {
        letter.setStart(words.currentNode, k); letter.setEnd(words.currentNode, k + 1);
        const { top, height } = letter.getBoundingClientRect();
        if (height && top > last + 12) { lines.push(0); last = top; }
        lines[lines.length - 1] += 1;
    }
    return lines.slice(0, -1);
})"""
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
        pictures = tab.evaluate(LOOKED_AT)
        tab.set_viewport_size(NARROW)
        folded = tab.evaluate(FOLDED)
        tab.set_viewport_size(WIDE)
        notes = tab.evaluate(NOTES) | {"folded": folded, "letters": tab.evaluate(LETTERS)}
        assert tab.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]
    return request.param, pictures, notes


def test_the_margin_holds_badges_and_words_beside_the_text(seen):
    """Right of the column, inside the page, none upon another, and no code there; a pixel less, below their text."""
    _, _, found = seen
    notes = sorted(found["notes"], key=lambda note: note["top"])
    assert len(notes) >= 3
    assert all(found["column"] < note["left"] and note["right"] <= found["end"] + 1 for note in notes)
    assert all(above["bottom"] <= below["top"] + 1 for above, below in pairwise(notes))
    assert [code for code in found["code"] if code["right"] > found["column"] + 1] == []
    assert all(found["folded"])


def test_a_line_has_66_to_72_letters(seen):
    """In a short chapter, whose few lines say little, give or take two."""
    _, _, found = seen
    slack = 0 if len(found["letters"]) > 20 else 2
    assert 66 - slack <= median(found["letters"]) <= 72 + slack


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
