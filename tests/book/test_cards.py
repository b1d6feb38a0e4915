"""Predictions in a browser that remembers, forgets or refuses to; how far a reader has come; and the questions that are
asked again. (In test_chapters.py the predictions of every chapter are guessed.)"""

import json
import re

import pytest
from browser import settle, until

from .accessibility import PAGES, assert_accessible, opened, violations
from .conftest import ROOT, prose, put

NOTEBOOKS = [page for page in PAGES if page.startswith("notebooks/")]
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
    return len(GROUP.findall(prose(ROOT / f"{page}.ipynb")))


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


def guess_rightly(tab, card):
    guess(tab, card["id"], card["right"])
    assert verdict_in_focus(tab, card).startswith("Right.")


def guess_wrongly(tab, card):
    """The answer after the right one: the verdict says so, and both are marked."""
    guess(tab, card["id"], (card["right"] + 1) % card["many"])
    assert verdict_in_focus(tab, card).startswith("Not right.")
    marks = tab.locator(f"#{card['id']} .fi-mark").all_inner_texts()
    assert sorted(mark.strip() for mark in marks) == ["(right)", "(your guess)"]


def test_what_follows_waits_until_a_guess_a_skip_a_link_or_a_search(browser, address):
    """On paper nothing waits and every explanation is open; a skip is remembered, and "Show everything" on every page.
    """
    seen = "parts => parts.every((part) => part.checkVisibility() && part.getClientRects().length > 0)"
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        waiting = tab.evaluate(HIDDEN)
        words = tab.locator(".fi-card > p:first-child").all_inner_texts()
        assert waiting == sum("Predict" in one for one in words) > 2
        inside = tab.evaluate("[...document.querySelectorAll('.fi-gated [id^=claim-]')].at(-1).id")
        tab.evaluate("id => { location.hash = id; }", inside)
        tab.locator(f"#{inside}").wait_for()
        tab.goto(f"{address}/{CHAPTER}.html?highlight=quadruple")
        assert tab.evaluate(HIDDEN) == waiting, "a word that does not occur opens nothing"
        tab.goto(f"{address}/{CHAPTER}.html?highlight=quadruple#{inside}")
        assert tab.locator(f"#{inside}").is_visible()
        tab.goto(f"{address}/{CHAPTER}.html?highlight=naive")
        until(tab, "document.querySelectorAll('.fi-gated[hidden] .highlighted').length === 0")
        assert tab.locator(".highlighted").count() > 0
        tab.goto(f"{address}/{CHAPTER}.html")
        tab.emulate_media(media="print")
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert [place for place in ("details.fi-option > p", ".fi-gated > p")
                if not tab.locator(place).evaluate_all(seen)] == []
        assert not tab.locator(".fi-card form").first.is_visible() and not tab.locator(".fi-waiting").first.is_visible()
        tab.emulate_media(media="screen")
        tab.reload()
        tab.get_by_role("button", name="Skip").first.press("Enter")
        assert tab.evaluate(HIDDEN) == waiting - 1
        assert tab.evaluate("document.activeElement.className") == "fi-gated"
        tab.reload()
        assert tab.evaluate(HIDDEN) == waiting - 1
        tab.get_by_role("button", name="Show everything").first.press("Enter")
        assert tab.evaluate(HIDDEN) == 0 and tab.locator(".fi-waiting").count() == 0
        tab.goto(f"{address}/notebooks/07_correlated.html")
        assert tab.locator(".fi-card form").count() > 2 and tab.evaluate(HIDDEN) == 0


def test_without_scripts_the_cards_are_lists_and_nothing_waits(browser, address):
    with opened(browser, address, CHAPTER, java_script_enabled=False) as (tab, *_):
        assert tab.locator(".fi-card form").count() == 0
        assert all(option.is_visible() for option in tab.locator("details.fi-option summary").all())
        assert tab.locator(".fi-gated").last.is_visible()


def test_answered_cards_pass_the_accessibility_rules_and_twice_as_large_they_still_fit(browser, address):
    """Zoomed to 200 %, a window of 1280 pixels has room for 640."""
    with opened(browser, address, CHAPTER, gated=True) as (tab, *_):
        for card in tab.evaluate(CARDS):
            guess(tab, card["id"], 0)
        assert_accessible(tab)
        tab.set_viewport_size({"width": 640, "height": 450})
        assert tab.evaluate("[...document.querySelectorAll('.fi-card, html')].filter((part) => "
                            "part.scrollWidth > part.clientWidth).length") == 0


JUNK = ("", "{", "[1, 2]", '"x"', '{"guesses": 7, "settings": null}', '{"guesses": {"guess-ch02-002": 3}}')
# The theme has a storage of its own, and complains if it is refused: here only the book's is.
REFUSED = """const real = localStorage; Object.defineProperty(window, 'localStorage', { get() {
    if (new Error().stack.includes('reader.js')) throw new DOMException('forbidden', 'SecurityError');
    return real; } });"""
FULL = """const put = Storage.prototype.setItem; Storage.prototype.setItem = function (key, value) {
    if (key === 'which-features-matter') throw new DOMException('full', 'QuotaExceededError');
    put.call(this, key, value); };"""
RING = ".bd-sidebar-primary .fi-ring"


def stored(tab):
    return json.loads(tab.evaluate("localStorage.getItem('which-features-matter')"))


def test_a_storage_that_holds_something_else_is_taken_for_an_empty_one(browser, address):
    with opened(browser, address, SHORT, gated=True) as (tab, errors, *_):
        for found in JUNK:
            tab.evaluate("found => localStorage.setItem('which-features-matter', found)", found)
            read = tab.evaluate("fi.read()")
            assert isinstance(read["guesses"], dict) and isinstance(read["settings"], dict), found
        tab.reload()  # the last of them is as near to a guess as it gets
        first, *others = tab.evaluate(CARDS)
        assert tab.locator(".fi-card form").count() == 1 + len(others)
        guess_rightly(tab, first)
        tab.reload()
        assert tab.locator(f"#{first['id']} .fi-verdict").count() == 1 and errors == []


@pytest.mark.parametrize("storage", [REFUSED, FULL], ids=["refused", "full"])
def test_a_storage_that_refuses_breaks_nothing(browser, address, storage):
    """Every card tells, what waits is shown, ring and corner count, and all can be forgotten."""
    with opened(browser, address, SHORT, gated=True, before=storage) as (tab, errors, *_):
        cards = tab.evaluate(CARDS)
        for card in cards:
            guess_rightly(tab, card)
        assert tab.evaluate(HIDDEN) == 0 and tab.locator(RING).count() == 1
        tab.locator(".fi-corner summary").click()
        assert f"{len(cards)} of" in tab.locator(".fi-corner p").first.inner_text()
        tab.get_by_role("button", name="Forget everything").click()
        assert tab.locator(RING).count() == 0 and errors == []


def test_a_chapter_shows_how_much_of_it_is_answered_and_the_start_page_leads_back(browser, address):
    """A newcomer continues nowhere."""
    with opened(browser, address, "book/start", gated=True) as (tab, *_):
        assert tab.locator(".fi-continue").count() == 0
        tab.goto(f"{address}/{CHAPTER}.html")
        settle(tab)
        assert tab.locator(RING).count() == 0
        for card in tab.evaluate(CARDS)[:2]:
            guess_rightly(tab, card)
        assert tab.locator(RING).inner_text() == f", 2 of {len(tab.evaluate(CARDS))} answered"
        tab.locator("#more-than-luck").evaluate("section => section.scrollIntoView()")
        tab.goto(f"{address}/book/start.html")
        link = tab.locator(".bd-sidebar-primary a", has=tab.locator(".fi-ring"))
        assert link.count() == 1 and "Negative and uncertain" in link.inner_text()
        tab.locator(".fi-continue a").click()
        assert tab.url.endswith(f"{CHAPTER}.html#more-than-luck")


def test_answers_are_saved_forgotten_and_loaded_and_waiting_can_be_chosen(browser, address, tmp_path):
    """A file of something else is refused, and nothing is lost."""
    def load(path):
        with tab.expect_file_chooser() as chooser:
            tab.get_by_role("button", name="Load a file").click()
        chooser.value.set_files(path)
        until(tab, "document.querySelector('.fi-said').textContent !== ''")
        return tab.locator(".fi-said").inner_text()

    photo, answers = put(tmp_path, {"photo.json": "[1, 2]"}) / "photo.json", tmp_path / "answers.json"
    with opened(browser, address, SHORT, "night", gated=True) as (tab, *_):
        for card in tab.evaluate(CARDS)[:2]:
            guess_rightly(tab, card)
        tab.locator(".fi-corner summary").click()
        assert violations(tab) == {}
        assert load(photo) == "This file holds no answers from this book."
        guesses = stored(tab)["guesses"]
        with tab.expect_download() as download:
            tab.get_by_role("button", name="Save as a file").click()
        download.value.save_as(answers)
        tab.get_by_role("button", name="Forget everything").click()
        assert tab.evaluate("localStorage.getItem('which-features-matter')") is None and tab.locator(RING).count() == 0
        tab.reload()
        assert tab.locator(".fi-verdict").count() == 0
        tab.locator(".fi-corner summary").click()
        assert "Loaded" in load(answers) and len(guesses) == 2 and stored(tab)["guesses"] == guesses
        tab.reload()
        assert tab.locator(".fi-verdict").count() == 2 and tab.evaluate(HIDDEN) > 0
        tab.locator(".fi-corner summary").click()
        wait = tab.get_by_label("Let the text wait for my guesses")
        assert wait.is_checked()
        wait.press("Space")
        assert tab.evaluate(HIDDEN) == 0
        wait.press("Space")
        tab.reload()
        assert tab.evaluate(HIDDEN) > 0


def test_a_chapter_shows_all_its_code_or_what_is_asked_for_and_remembers(browser, address):
    folded = "[...document.querySelectorAll('details.fi-code')].map((code) => code.open)"
    with opened(browser, address, SHORT) as (tab, *_):
        box = tab.get_by_label("show all code")
        assert len(tab.evaluate(folded)) > 2
        for is_open in (False, True):
            assert box.is_checked() == is_open and set(tab.evaluate(folded)) == {is_open}
            box.press("Space")
            assert box.is_checked() != is_open and set(tab.evaluate(folded)) == {not is_open}
            tab.reload()


DRAWN = "() => [...document.querySelectorAll('.fi-draw .fi-card')].map((card) => card.id)"
REMEMBER = """days => localStorage.setItem('which-features-matter', JSON.stringify({ guesses:
    Object.fromEntries(Object.entries(days).map(([id, [ago, row]]) =>
        [id, { said: 'x', right: row > 0, day: Math.floor(Date.now() / 864e5) - ago, row }])) }))"""


def test_recall_draws_ten_the_overdue_first_and_counts(browser, address):
    """A newcomer is told so and may draw ten of all cards of the book. A miss of three days ago is overdue more than a
    right answer of three days ago, that more than a well-known one. Each question leads to its place in the book."""
    def drawn_with_past(days):
        """What is drawn if the browser remembers guesses {card: (days ago, right answers in a row)}."""
        tab.evaluate(REMEMBER, days)
        tab.reload()
        return tab.evaluate(DRAWN)

    with opened(browser, address, "book/recall", gated=True) as (tab, errors, *_):
        assert tab.locator(".fi-card").count() == sum(map(groups_in, NOTEBOOKS)) and tab.evaluate(DRAWN) == []
        tab.get_by_role("button", name="Draw ten anyway").press("Enter")
        assert len(set(tab.evaluate(DRAWN))) == 10 and errors == []
        assert_accessible(tab)
        tab.reload()
        first, second, third, *_ = cards = tab.evaluate(CARDS)[:14]
        past = {card["id"]: (1, 5) for card in cards} | {
            first["id"]: (3, 1), second["id"]: (3, 0), third["id"]: (3, 3)}
        found = drawn_with_past(past)
        assert len(found) == 10 and found[:3] == [second["id"], first["id"], third["id"]]
        assert drawn_with_past({first["id"]: (9, 1), second["id"]: (5, 2)}) == [first["id"], second["id"]]
        guess(tab, first["id"], first["right"])
        guess(tab, second["id"], (second["right"] + 1) % second["many"])
        assert tab.locator(".fi-draw [role=status]").inner_text().startswith("1 of 2 right.")
        assert [stored(tab)["guesses"][card["id"]]["row"] for card in (first, second)] == [2, 0]
        drawn_with_past({first["id"]: (2, 0)})
        tab.locator(".fi-draw .fi-from a").click()
        tab.locator(f"#{first['id']}").wait_for()
        assert tab.url.endswith(f"notebooks/01_trees.html#{first['id']}")
