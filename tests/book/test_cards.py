"""The predictions of every chapter, guessed rightly and wrongly by keyboard, in a browser that remembers, forgets
or refuses to."""

import json
import re

import pytest
from browser import until

from .accessibility import MOST_BYTES, PAGES, opened, violations_in_every_view
from .conftest import ROOT

CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]
CHAPTER = "notebooks/06_negative"
SHORT = "notebooks/02_golf"  # opens in half the time, for what is the same on every page
GROUP = re.compile(r"<details><summary>.*?</details>\s*(?:<details><summary>.*?</details>\s*)+", re.DOTALL)
CARDS = """() => [...document.querySelectorAll('.fi-card')].map((card) => {
    const options = [...card.querySelectorAll('details.fi-option')];
    return { id: card.id, right: options.findIndex((option) => 'right' in option.dataset), many: options.length };
})"""
HIDDEN = "() => document.querySelectorAll('.fi-gated[hidden]').length"


def groups_in(page):
    """How many rows of details the notebook's source holds."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    return sum(len(GROUP.findall("".join(cell["source"]))) for cell in cells if cell["cell_type"] == "markdown")


def guess(tab, id, k):
    """Choose the k-th answer of a card and lock it in, by keyboard alone."""
    tab.locator(f"#{id} input").first.focus()
    tab.keyboard.press("Space")
    for _ in range(k):
        tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")


def verdict_in_focus(tab, card):
    """The verdict's words, if it has the focus and all of the card's explanations are open."""
    assert tab.locator(f"#{card['id']} details[open]").count() == card["many"]
    return tab.evaluate(
        "id => document.activeElement.closest('.fi-verdict') && document.getElementById(id)"
        ".contains(document.activeElement) && document.activeElement.textContent",
        card["id"],
    )


def ask_again(tab, card):
    tab.locator(f"#{card['id']}").get_by_role("button", name="Ask me again").press("Enter")


def guess_rightly(tab, card):
    guess(tab, card["id"], card["right"])
    assert verdict_in_focus(tab, card).startswith("Right.")


def guess_wrongly(tab, card):
    """The answer after the right one: the verdict says so, and both are marked."""
    guess(tab, card["id"], (card["right"] + 1) % card["many"])
    assert verdict_in_focus(tab, card).startswith("Not right.")
    marks = tab.locator(f"#{card['id']} .fi-mark").all_inner_texts()
    assert sorted(mark.strip() for mark in marks) == ["(right)", "(your guess)"]


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_prediction_is_a_card_that_tells_right_from_wrong_and_remembers(browser, address, page):
    """Each card once wrong and once right by keyboard, every other one wrong last;
    the verdict has the focus and names what is right; a reload keeps it.
    """
    with opened(browser, address, page, gated=True) as (tab, errors, outside, sizes):
        assert outside == [] and sum(sizes) < MOST_BYTES
        tab.set_viewport_size({"width": 1280, "height": 200})  # what is not seen need not be drawn
        cards = tab.evaluate(CARDS)
        assert len(cards) == groups_in(page)
        for number, card in enumerate(cards):
            first, last = (guess_wrongly, guess_rightly) if number % 2 else (guess_rightly, guess_wrongly)
            first(tab, card)
            ask_again(tab, card)
            last(tab, card)
        tab.reload()
        assert tab.locator(".fi-verdict").count() == len(cards) and tab.evaluate(HIDDEN) == 0
        assert tab.locator(".fi-verdict.fi-right").count() == len(cards[1::2])
        assert errors == []


def test_what_follows_waits_until_the_guess_or_a_skip(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        waiting = tab.evaluate(HIDDEN)
        assert (
            waiting
            == sum("Predict" in words for words in tab.locator(".fi-card > p:first-child").all_inner_texts())
            > 2
        )
        tab.get_by_role("button", name="Skip").first.press("Enter")
        assert tab.evaluate(HIDDEN) == waiting - 1
        assert tab.evaluate("document.activeElement.className") == "fi-gated"
        tab.reload()
        assert tab.evaluate(HIDDEN) == waiting - 1


def test_show_everything_is_remembered_on_every_page(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        tab.get_by_role("button", name="Show everything").first.press("Enter")
        assert tab.evaluate(HIDDEN) == 0 and tab.locator(".fi-waiting").count() == 0
        tab.goto(f"{address}/notebooks/07_correlated.html")
        assert tab.locator(".fi-card form").count() > 2 and tab.evaluate(HIDDEN) == 0


def test_a_link_into_a_part_that_waits_opens_it(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        inside = tab.evaluate("[...document.querySelectorAll('.fi-gated [id^=claim-]')].at(-1).id")
        tab.goto(f"{address}/{CHAPTER}.html#{inside}")
        assert tab.locator(f"#{inside}").is_visible()
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        tab.evaluate("id => { location.hash = id; }", inside)
        tab.locator(f"#{inside}").wait_for()


def test_a_word_found_by_the_search_opens_the_part_that_holds_it(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        before = tab.evaluate(HIDDEN)
        tab.goto(f"{address}/{CHAPTER}.html?highlight=quadruple")
        assert tab.evaluate(HIDDEN) == before, "a word that does not occur opens nothing"
        tab.goto(f"{address}/{CHAPTER}.html?highlight=naive")
        until(tab, "document.querySelectorAll('.fi-gated[hidden] .highlighted').length === 0")
        assert tab.locator(".highlighted").count() > 0


@pytest.mark.parametrize("found", ["", "{", "[1, 2]", '"x"', '{"guesses": 7, "settings": null}',
                                   '{"guesses": {"guess-ch02-002": 3}}'])
def test_a_storage_that_holds_something_else_is_taken_for_an_empty_one(browser, address, found):
    with opened(browser, address, SHORT, gated=True) as (tab, errors, *_):
        tab.evaluate("found => localStorage.setItem('which-features-matter', found)", found)
        tab.reload()
        assert tab.locator(".fi-card form").count() == len(tab.evaluate(CARDS))
        card = tab.evaluate(CARDS)[0]
        guess(tab, card["id"], card["right"])
        tab.reload()
        assert tab.locator(f"#{card['id']} .fi-verdict").count() == 1 and errors == []


def test_without_scripts_the_cards_are_lists_and_nothing_waits(browser, address):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(f"{address}/{CHAPTER}.html")
    assert tab.locator(".fi-card form").count() == 0
    assert all(option.is_visible() for option in tab.locator("details.fi-option summary").all())
    assert tab.locator(".fi-gated").last.is_visible()
    context.close()


def test_on_paper_every_explanation_is_open_and_nothing_waits(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        tab.emulate_media(media="print")
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        seen = "part => part.checkVisibility({ contentVisibilityAuto: true }) && part.getClientRects().length > 0"
        for place in ("details.fi-option > p", ".fi-gated > p"):
            assert all(part.evaluate(seen) for part in tab.locator(place).all()), place
        assert not tab.locator(".fi-card form").first.is_visible() and not tab.locator(".fi-waiting").first.is_visible()


def test_an_answered_card_passes_the_accessibility_rules(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        for card in tab.evaluate(CARDS):
            guess(tab, card["id"], 0)
        for view, found in violations_in_every_view(tab):
            assert (view, found) == (view, {})


def test_twice_as_large_a_card_still_fits_the_screen(browser, address):
    """Zoomed to 200 %, a window of 1280 pixels has room for 640."""
    context = browser.new_context(viewport={"width": 640, "height": 450}, device_scale_factor=2)
    tab = context.new_page()
    tab.goto(f"{address}/{CHAPTER}.html")
    for card in tab.evaluate(CARDS):
        guess(tab, card["id"], 0)
    assert (
        tab.evaluate(
            "Math.max(...[...document.querySelectorAll('.fi-card')].map((card) => card.scrollWidth - card.clientWidth))"
        )
        <= 0
    )
    assert tab.evaluate("document.documentElement.scrollWidth") <= 640
    context.close()
