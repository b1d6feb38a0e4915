"""A chapter without a mouse: Tab leads through all of it in order, and one always sees where one is."""

from .accessibility import opened

CHAPTER = "notebooks/02_golf"
MOST_STOPS = 400
STOP = """() => {
    document.getAnimations().forEach((moving) => moving.finish());
    const here = document.activeElement, style = getComputedStyle(here), box = here.getBoundingClientRect();
    const last = document.querySelector('[data-last-stop]');
    const forward = !last || Boolean(last.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING);
    last?.removeAttribute('data-last-stop');
    here.setAttribute('data-last-stop', '');
    here.setAttribute('data-reached', '');
    return { html: here.outerHTML.slice(0, 160), body: here === document.body, forward,
        marked: (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none',
        inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };
}"""
# The page's headings in the map unfold as one scrolls: what was not there at first need not have been reached.
IN_VIEW = """() => document.querySelectorAll('a, button, input, select, summary').forEach((field) =>
    field.toggleAttribute('data-in-view', field.checkVisibility()))"""
NOT_REACHED = """(places) => [...document.querySelectorAll(places)].filter((field) =>
    field.matches('[data-in-view]') && field.checkVisibility() && !field.disabled && !field.matches('[data-reached]')
    && !(field.type === 'radio' && !field.checked)).map((field) => field.outerHTML.slice(0, 160))"""


def stops(tab):
    """Where each press of Tab leads, until the page is left."""
    for _ in range(MOST_STOPS):
        tab.keyboard.press("Tab")
        here = tab.evaluate(STOP)
        if here["body"]:
            return
        yield here
    raise AssertionError(f"after {MOST_STOPS} presses of Tab the page has not ended")


def test_tab_leads_through_a_chapter_in_order_and_shows_where_it_is(browser, address):
    """Forward only, every stop marked and in view, and nothing that can be worked is left out. The first leads to the
    text, and the search opens by key."""
    with opened(browser, address, CHAPTER) as (tab, *_):
        tab.evaluate(IN_VIEW)
        met = list(stops(tab))
        assert "#main-content" in met[0]["html"], "the first stop skips to the text"
        assert [here["html"] for here in met if not here["forward"]] == []
        assert [here["html"] for here in met if not here["marked"]] == []
        assert [here["html"] for here in met if not here["inside"]] == []
        for places in (".search-button__button", ".theme-switch-button", ".explorable :is(input, select, summary)",
                       "article summary",
                       ".prev-next-area a", ".page-toc a"):
            assert tab.locator(places).count(), places
            assert tab.evaluate(NOT_REACHED, places) == []
        tab.reload()
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        assert tab.evaluate("location.hash") == "#main-content"
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.querySelector('#main-content').contains(document.activeElement)")
        tab.keyboard.press("Control+k")
        assert tab.evaluate("document.activeElement.type") == "search"
        tab.keyboard.press("Escape")
        assert not tab.locator("#pst-search-dialog").is_visible()
