"""How far a reader has come: seen beside each chapter, kept, carried away as a file and forgotten in one click."""

import json

import pytest
from browser import settle, until

from .accessibility import opened, violations
from .browser_pages import isolated_page
from .test_cards import CARDS, CHAPTER, HIDDEN, SHORT, guess, guess_rightly

# The theme has a storage of its own, and complains if it is refused: here only the book's is.
REFUSED = """const real = localStorage; Object.defineProperty(window, 'localStorage', { get() {
    if (new Error().stack.includes('reader.js')) throw new DOMException('forbidden', 'SecurityError');
    return real; } })"""
FULL = """const put = Storage.prototype.setItem; Storage.prototype.setItem = function (key, value) {
    if (key === 'which-features-matter') throw new DOMException('full', 'QuotaExceededError');
    put.call(this, key, value); }"""
RING = ".bd-sidebar-primary .fi-ring"


def answer_two(tab):
    for card in tab.evaluate(CARDS)[:2]:
        guess(tab, card["id"], card["right"])


def stored(tab):
    return json.loads(tab.evaluate("localStorage.getItem('which-features-matter')"))


def test_a_chapter_shows_in_words_how_much_of_it_is_answered(browser, address):
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        assert tab.locator(RING).count() == 0
        answer_two(tab)
        assert tab.locator(RING).inner_text() == f", 2 of {len(tab.evaluate(CARDS))} answered"
        tab.goto(f"{address}/notebooks/01_trees.html")
        link = tab.locator(".bd-sidebar-primary a", has=tab.locator(".fi-ring"))
        assert link.count() == 1 and "Negative and uncertain" in link.inner_text()


def test_the_start_page_leads_back_to_where_one_was(browser, address):
    """A newcomer continues nowhere."""
    with opened(browser, address, "book/start", gated=True) as (tab, *_):
        assert tab.locator(".fi-continue").count() == 0
        tab.goto(f"{address}/{CHAPTER}.html")
        settle(tab)
        tab.locator("#more-than-luck").evaluate("section => section.scrollIntoView()")
        tab.goto(f"{address}/book/start.html")
        tab.locator(".fi-continue a").click()
        assert tab.url.endswith(f"{CHAPTER}.html#more-than-luck")


def test_one_click_forgets_everything(browser, address):
    with opened(browser, address, SHORT, gated=True) as (tab, *_):
        answer_two(tab)
        tab.locator(".fi-corner summary").click()
        tab.get_by_role("button", name="Forget everything").click()
        assert (
            tab.evaluate("localStorage.getItem('which-features-matter')") is None
            and tab.locator(RING).count() == 0
        )
        tab.reload()
        assert tab.locator(".fi-verdict").count() == 0


def test_answers_travel_to_another_browser_as_a_file(browser, address, tmp_path):
    with opened(browser, address, SHORT, gated=True) as (tab, *_):
        answer_two(tab)
        tab.locator(".fi-corner summary").click()
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save as a file").click()
        download.value.save_as(tmp_path / "answers.json")
        guesses = stored(tab)["guesses"]
    with opened(browser, address, SHORT, gated=True) as (tab, *_):
        load(tab, tmp_path / "answers.json")
        assert "Loaded" in tab.locator(".fi-said").inner_text()
        assert len(guesses) == 2 and stored(tab)["guesses"] == guesses
        tab.reload()
        assert tab.locator(".fi-verdict").count() == 2


def test_a_file_of_something_else_is_refused_and_nothing_is_lost(browser, address, tmp_path):
    (tmp_path / "photo.json").write_text("[1, 2]")
    with opened(browser, address, SHORT, gated=True) as (tab, *_):
        answer_two(tab)
        load(tab, tmp_path / "photo.json")
        assert tab.locator(".fi-said").inner_text() == "This file holds no answers from this book."
        assert len(stored(tab)["guesses"]) == 2


def load(tab, path):
    """Choose a file with the button of the reader's corner."""
    tab.locator(".fi-corner summary").click()
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="Load a file").click()
    chooser.value.set_files(path)
    until(tab, "document.querySelector('.fi-said').textContent !== ''")


def test_whoever_lets_nothing_wait_can_change_their_mind(browser, address):
    with opened(browser, address, SHORT, gated=True) as (tab, *_):
        tab.locator(".fi-corner summary").click()
        wait = tab.get_by_label("Let the text wait for my guesses")
        assert wait.is_checked()
        wait.press("Space")
        assert tab.locator(".fi-gated[hidden]").count() == 0
        tab.get_by_label("Let the text wait for my guesses").press("Space")
        tab.reload()
        assert tab.locator(".fi-gated[hidden]").count() > 0


@pytest.mark.parametrize("storage", [REFUSED, FULL], ids=["refused", "full"])
def test_a_storage_that_refuses_breaks_nothing(browser, address, storage):
    """Every card tells, what waits is shown, ring and corner count, and all can be forgotten."""
    with opened(browser, address, SHORT, gated=True, within=isolated_page) as (tab, errors, *_):
        tab.context.add_init_script(storage)
        tab.reload()
        cards = tab.evaluate(CARDS)
        for card in cards:
            guess_rightly(tab, card)
        assert tab.evaluate(HIDDEN) == 0 and tab.locator(RING).count() == 1
        tab.locator(".fi-corner summary").click()
        assert f"{len(cards)} of" in tab.locator(".fi-corner p").first.inner_text()
        tab.get_by_role("button", name="Forget everything").click()
        assert tab.locator(RING).count() == 0 and errors == []


def test_rings_and_corner_pass_the_accessibility_rules_by_night(browser, address):
    with opened(browser, address, SHORT, "night", gated=True) as (tab, *_):
        answer_two(tab)
        tab.locator(".fi-corner summary").click()
        assert violations(tab) == {}
