"""Every chapter and case, opened once: on a wide screen, its explorables by keyboard and on a phone, its predictions
guessed by keyboard.

From 1,200 pixels the margin holds what else would stand in the text, or a link away, and no code;
lines keep their length; and there is always something to look at.
"""

from itertools import pairwise
from statistics import median
from urllib.parse import unquote

import pytest
from explorable_pages import cut_off, press, sentence, silent_controls

from .accessibility import CHAPTERS, PAGES, opened, turned
from .test_cards import CARDS, NOTEBOOKS, groups_in, guess_rightly, guess_wrongly

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
SHOWN_LABELS = """() => [...document.querySelectorAll('.explorable-controls > *')].flatMap((control) => [
    ...[...control.querySelectorAll('select')].map((field) => field.selectedOptions[0]?.textContent),
    ...[...control.querySelectorAll('input[type=radio]:checked')].map((field) => field.parentNode.textContent),
    ...[...control.querySelectorAll('output')].map((output) => output.textContent),
    ...[...control.querySelectorAll('input[type=checkbox]')].map((field) => (field.checked ? 'on' : 'off')),
])"""


@pytest.fixture(scope="module", params=NOTEBOOKS)
def shown(request, browser, address):
    """A page, opened once for all tests below -> (page, tab, its console's errors)."""
    with opened(browser, address, request.param) as (tab, errors, *_):
        yield request.param, tab, errors


def middle_gap(found, boxes):
    """The median of the gaps between boxes, in screens of 900 pixels."""
    gaps, last = [], found["start"]
    for top, bottom in sorted(boxes):
        gaps.append(max(0, top - last))
        last = max(last, bottom)
    return median([*gaps, found["end"] - last]) / WIDE["height"]


def test_the_margin_holds_badges_and_words_and_lines_and_gaps_keep_their_length(shown):
    """On a desktop between two things to look at lie less than two screens, code and answers folded, all else shown:
    pictures and explorables alone; counted with the tables, everywhere. Right of the column, inside the page, none upon
    another, and no code there; a pixel less, below their text. A line has 66 to 72 letters; in a short chapter, whose
    few lines say little, give or take two. A badge comes back into the text when its code is opened."""
    page, tab, _ = shown
    if page not in CHAPTERS:
        pytest.skip("it is chapters that are measured")
    seen = tab.evaluate(LOOKED_AT)
    assert middle_gap(seen, seen["pictures"]) < STILL_FAR.get(page, MOST_SCREENS)
    assert middle_gap(seen, [*seen["pictures"], *seen["tables"]]) < MOST_SCREENS
    tab.set_viewport_size(NARROW)
    assert all(tab.evaluate(FOLDED))
    tab.set_viewport_size(WIDE)
    assert tab.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]
    found, letters = tab.evaluate(NOTES), tab.evaluate(LETTERS)
    notes = sorted(found["notes"], key=lambda note: note["top"])
    assert len(notes) >= 3
    assert all(found["column"] < note["left"] and note["right"] <= found["end"] + 1 for note in notes)
    assert all(above["bottom"] <= below["top"] + 1 for above, below in pairwise(notes))
    assert [code for code in found["code"] if code["right"] > found["column"] + 1] == []
    slack = 0 if len(letters) > 20 else 2
    assert 66 - slack <= median(letters) <= 72 + slack
    if page == "notebooks/05_permutation":
        cell = tab.locator(".cell:has(.fi-claim)").first
        before = cell.bounding_box()["width"]
        cell.locator("summary").first.click()
        assert cell.bounding_box()["width"] > 2 * before
    tab.set_viewport_size({"width": 1280, "height": 900})


def test_every_control_and_link_changes_what_its_explorable_says_and_no_word_is_cut_off(shown):
    """Each control of each explorable answers to the keyboard, and what is read out tells the difference. Of each link
    that sets one, as a reader clicks, afterwards some control shows the label that the link asks for. Words stay inside
    their drawing, as it stands and moved, by day and on a phone; the drawing may scroll, the page may not."""
    page, tab, errors = shown
    explorables = tab.locator(".explorable")
    assert explorables.count() == tab.locator("script[type$='widget-view+json']").count() >= (page in CHAPTERS)
    assert cut_off(tab) == []
    for explorable in explorables.all():
        title = explorable.locator(".explorable-title").inner_text()
        assert silent_controls(explorable) == [], f"{title}: moving this says nothing new"
        assert explorable.locator(".explorable-scene svg").get_attribute("aria-label") == sentence(explorable)
    assert cut_off(tab) == []
    for link in tab.locator("a.fi-set").all():
        link.click()
        labels = [label.strip().lower() for label in tab.evaluate(SHOWN_LABELS) if label]
        for wish in link.get_attribute("href").removeprefix("#set:").split(","):
            wanted = unquote(wish.partition("=")[2]).lower()
            assert any(label == wanted or label.startswith(f"{wanted} ") for label in labels), wish
    turned(tab, "phone")
    assert cut_off(tab) == []
    for control in tab.locator(".explorable .explorable-controls > *").all():
        press(control)
    assert cut_off(tab) == [] and errors == []


def test_every_prediction_is_a_card_that_tells_right_from_wrong_and_remembers(shown):
    """Every other one is guessed wrongly, by keyboard, and the first twice; the verdict has the focus and names what is
    right; a reload keeps it."""
    page, tab, errors = shown
    tab.set_viewport_size({"width": 1280, "height": 200})  # what is not seen need not be drawn
    cards = tab.evaluate(CARDS)
    assert len(cards) == groups_in(page)
    for number, card in enumerate(cards):
        (guess_wrongly if number % 2 else guess_rightly)(tab, card)
    for first in cards[:1]:
        tab.locator(f"#{first['id']}").get_by_role("button", name="Ask me again").press("Enter")
        guess_wrongly(tab, first)
    tab.reload()
    assert tab.locator(".fi-verdict").count() == len(cards)
    assert tab.locator(".fi-verdict.fi-right").count() == len(cards[2::2])
    assert errors == []


def test_no_explorable_is_on_any_other_page(built_book):
    """The walk above reaches them all."""
    assert [page for page in PAGES if page not in NOTEBOOKS
            and "widget-view+json" in (built_book / f"{page}.html").read_text(encoding="utf-8")] == []
