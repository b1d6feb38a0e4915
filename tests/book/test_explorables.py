"""Every explorable of the book on its page, without a kernel: its controls by keyboard, its words on a phone."""

from urllib.parse import unquote

import pytest
from explorable_pages import cut_off, press, sentence, silent_controls

from .accessibility import CHAPTERS, PAGES, opened, turned
from .conftest import ROOT

CASES = [page for page in PAGES if page not in CHAPTERS and page.startswith("notebooks/")
         and "fi_course.explorables" in (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")]
EXPLORED = [*CHAPTERS, *CASES]
SHOWN_LABELS = """() => [...document.querySelectorAll('.explorable-controls > *')].flatMap((control) => [
    ...[...control.querySelectorAll('select')].map((field) => field.selectedOptions[0]?.textContent),
    ...[...control.querySelectorAll('input[type=radio]:checked')].map((field) => field.parentNode.textContent),
    ...[...control.querySelectorAll('output')].map((output) => output.textContent),
    ...[...control.querySelectorAll('input[type=checkbox]')].map((field) => (field.checked ? 'on' : 'off')),
])"""


@pytest.fixture(scope="module", params=EXPLORED)
def shown(request, browser, address):
    """A page with explorables, opened once for all tests of this file -> (tab, its console's errors)."""
    with opened(browser, address, request.param) as (tab, errors, *_):
        yield tab, errors


def move_all(tab):
    for control in tab.locator(".explorable .explorable-controls > *").all():
        press(control)


def test_no_word_of_an_explorable_is_cut_off(shown):
    """Its words stay inside its drawing, as it stands and moved, by day and on a phone;
    the drawing may scroll, the page may not."""
    tab, _ = shown
    assert cut_off(tab) == []  # as it was opened, by day
    turned(tab, "phone")
    assert cut_off(tab) == []
    move_all(tab)
    assert cut_off(tab) == []
    turned(tab, "day")
    move_all(tab)
    assert cut_off(tab) == []


def test_every_control_changes_what_its_explorable_says(shown):
    """Each control of each explorable answers to the keyboard, and what is read out tells the difference."""
    tab, errors = shown
    explorables = tab.locator(".explorable")
    assert explorables.count() == tab.locator("script[type$='widget-view+json']").count() >= 1
    for explorable in explorables.all():
        title = explorable.locator(".explorable-title").inner_text()
        assert silent_controls(explorable) == [], f"{title}: moving this says nothing new"
        assert explorable.locator(".explorable-scene svg").get_attribute("aria-label") == sentence(explorable)
    assert errors == []


def test_no_explorable_is_on_any_other_page(built_book):
    """The walk above reaches them all."""
    others = [page for page in PAGES if page not in EXPLORED]
    assert [page for page in others
            if "widget-view+json" in (built_book / f"{page}.html").read_text(encoding="utf-8")] == []


def test_every_link_that_sets_an_explorable_sets_it(shown):
    """Each in turn, as a reader clicks: afterwards some control shows the label that the link asks for."""
    tab, errors = shown
    for link in tab.locator("a.fi-set").all():
        link.click()
        labels = [label.strip().lower() for label in tab.evaluate(SHOWN_LABELS) if label]
        for wish in link.get_attribute("href").removeprefix("#set:").split(","):
            wanted = unquote(wish.partition("=")[2]).lower()
            assert any(label == wanted or label.startswith(f"{wanted} ") for label in labels), wish
    assert errors == []
