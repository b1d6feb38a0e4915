"""Every page in a real browser: by day, by night and on a phone, with every network but localhost blocked."""

import re

import pytest
from browser import served, settle, until
from theme import SCRIPTS, SOME

from .accessibility import (
    CUT,
    FONTS,
    MOST_BYTES,
    PAGES,
    PASSED,
    SHOWN,
    TOO_SMALL,
    VIEWS,
    layout_problems,
    opened,
    violations,
    violations_in_every_view,
)
from .browser_pages import isolated_page, shared_page
from .conftest import ROOT

MOST_TIMES = 30  # what a page of prose needs

@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole_alone_and_accessible(browser, address, page):
    """First opened on a phone at night, then by day, by night and on a phone by day:
    no console error, no outside request, few bytes, nothing wider than the screen, every formula set,
    every picture described; and axe-core finds no violation, the explorables' tables unfolded.

    At 360 pixels, all unfolded, everything fits or scrolls in a box of its own, and a control is 44 pixels high;
    a figure never scrolls: it is drawn for phones.
    """
    with opened(browser, address, page, "phone at night") as (tab, errors, outside, sizes):
        assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
        assert sum(sizes) < MOST_BYTES
        until(tab, "[...document.images].every((image) => image.complete)")
        assert (layout_problems(tab, 390), errors, outside) == ({}, [], [])
        tab.evaluate("document.querySelectorAll('.explorable details').forEach((table) => { table.open = true; })")
        for view, found in violations_in_every_view(tab):
            assert (view, found | layout_problems(tab, VIEWS[view][1]), errors, outside) == (view, {}, [], [])
        tab.set_viewport_size({"width": 360, "height": 780})
        tab.evaluate("document.querySelectorAll('.bd-article details').forEach((part) => { part.open = true; })")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360
        assert tab.evaluate(CUT) == [] and tab.evaluate(TOO_SMALL) == []
        assert tab.evaluate("[...document.querySelectorAll('.cell_output img')].filter(i => "
                            "i.getBoundingClientRect().right > 361).length") == 0


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("book/")])
def test_a_page_first_opened_by_day_loads_nothing_else_and_no_more(browser, address, page):
    """Chapters and exercises are so opened, and weighed, by the tests of their cards and questions."""
    with opened(browser, address, page) as (tab, errors, outside, sizes):
        assert tab.evaluate("document.documentElement.dataset.theme") == "light"
        assert sum(sizes) < MOST_BYTES
        until(tab, "[...document.images].every((image) => image.complete)")
        assert (layout_problems(tab, 1280), errors, outside) == ({}, [], [])


FETCH = "url => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'failed')"
FETCH_IN_A_WORKER = """url => new Promise((done) => {
    const said = `fetch('${url}', { mode: 'no-cors' }).then(() => postMessage('reached'), () => postMessage('failed'));`;
    new Worker(URL.createObjectURL(new Blob([said]))).onmessage = (heard) => done(heard.data);
})"""


@pytest.mark.parametrize("fetch", [FETCH, FETCH_IN_A_WORKER], ids=["page", "worker"])
@pytest.mark.parametrize("host", ["example.org", "[::1]", "192.0.2.1"])
def test_a_request_that_leaves_this_computer_is_refused_and_one_without_the_policy_is_seen(browser, address, host, fetch):
    """The page's Python runs in a worker. Where no policy refuses it, as in an empty tab, these tests notice."""
    with opened(browser, address, "book/publish", within=isolated_page) as (tab, errors, outside, _):
        assert tab.evaluate(fetch, f"http://{host}/x") == "failed"
        assert outside == [] and all("Content Security Policy" in error for error in errors)
        tab.goto("about:blank")
        assert tab.evaluate(fetch, f"http://{host}/x") == "failed"
        assert outside == [f"http://{host}/x"]


LEFT = """() => {
    localStorage.left = sessionStorage.left = document.cookie = window.left = 'left';
    const made = indexedDB.open('left'), kept = caches.open('left');
    return Promise.all([kept, new Promise((done) => { made.onsuccess = () => { made.result.close(); done(); }; })]).then(() => null);
}"""
FOUND = """async () => [localStorage.left, sessionStorage.left, window.left, document.cookie, (await indexedDB.databases()).length,
    (await caches.keys()).length, matchMedia('print').matches, JSON.parse(localStorage['which-features-matter'] ?? '{}').settings?.all ?? false]"""


@pytest.mark.parametrize("within", [shared_page, isolated_page])
def test_what_a_test_leaves_is_not_there_for_the_next(browser, address, within):
    """Whether a tab is lent again or another: nothing stored, no script, no listener, no colour,
    and the same bytes are weighed."""
    as_new, weighed = [None, None, None, "", 0, 0, False, False], []
    for settings in ({}, {"gated": True}, {"gated": True}):
        with opened(browser, address, "book/publish", within=within, **settings) as (tab, errors, outside, sizes):
            assert tab.evaluate(FOUND) == [*as_new[:-1], not settings]
            assert tab.viewport_size == {"width": 1280, "height": 900}
            weighed.append(sum(sizes))
            assert tab.evaluate(LEFT) is None
            tab.emulate_media(media="print", color_scheme="dark")
            tab.set_viewport_size({"width": 500, "height": 500})
            assert tab.evaluate(FOUND) != as_new
        before = len(errors), len(outside), len(sizes)
    assert len(set(weighed)) == 1 and weighed[0] > 100_000
    with opened(browser, address, "book/sure", within=within) as (tab, *_):
        tab.evaluate("console.error('heard by this test alone')")
        assert (len(errors), len(outside), len(sizes)) == before


def test_what_the_browser_asks_about_again_weighs_as_much(browser, tmp_path):
    """A file just written is asked about at every visit, and the answer that it has not changed brings nothing."""
    (tmp_path / "page.html").write_text("<html data-theme=light><script src=long.js></script>")
    (tmp_path / "long.js").write_text(f"// {'x' * 100_000}")
    with served(tmp_path) as address:
        for _ in range(3):
            with opened(browser, address, "page", gated=True) as (*_, sizes):
                assert sum(sizes) > 100_000


def test_a_tab_is_not_lent_twice_nor_after_a_test_that_failed(browser, address):
    with opened(browser, address, "book/publish") as (first, *_), opened(browser, address, "book/sure") as (second, *_):
        assert first is not second and first.url.endswith("publish.html")
    with pytest.raises(ZeroDivisionError), opened(browser, address, "book/publish") as (third, *_):
        1 / 0  # noqa: B018
    assert third.is_closed()
    with opened(browser, address, "book/publish") as (fourth, *_):
        assert not fourth.is_closed()


@pytest.mark.parametrize("view", ["day", "night"])
def test_one_pale_word_of_code_is_a_violation(browser, address, view):
    """Although it looks like no other word, and most words of code are not looked at."""
    PASSED.clear()  # as on the first page of all
    with opened(browser, address, "notebooks/01_trees", view) as (tab, *_):
        tab.evaluate("[...document.querySelectorAll('pre span')].filter((word) => "
                     "word.textContent.length > 3 && word.checkVisibility() && word.getBoundingClientRect().right "
                     "< word.closest('pre').getBoundingClientRect().right).at(-9).style.color = '#777'")
        assert violations(tab).keys() == {"color-contrast"}
        assert 10 < tab.locator("pre span").count() < 100


def test_one_link_that_hardly_differs_from_its_text_is_a_violation(browser, address):
    with opened(browser, address, "book/ledger") as (tab, *_):
        tab.evaluate("""() => {
            const link = [...document.querySelectorAll('.bd-article p > a[href]')].filter((link) => link.checkVisibility()).at(-2);
            for (const part of [link, ...link.querySelectorAll('*')]) Object.assign(part.style, { textDecoration: 'none', color: '#444' });
        }""")
        assert violations(tab).keys() == {"link-in-text-block"}


@pytest.mark.parametrize("page", ["book/cheatsheet", "book/method_map", "book/benchmark", "book/conformity"])
def test_on_a_phone_a_wide_table_is_cards_and_on_a_desktop_its_cells_have_no_labels(browser, address, page):
    """Each cell below the other, the name of its column before it; nothing scrolls sideways."""
    with opened(browser, address, page) as (tab, *_):
        assert tab.locator(".fi-label:visible").count() == 0
        tab.set_viewport_size({"width": 390, "height": 844})
        frames = tab.locator(":is(.cheatsheet, .wide):has(> .pst-scrollable-table-container, > table)")
        assert frames.count() >= 1 and tab.locator(".fi-label:visible").count() > 10
        assert frames.evaluate_all(
            "frames => frames.filter(frame => frame.scrollWidth > frame.clientWidth + 1).length") == 0


def test_every_picture_of_a_chapter_says_below_it_what_it_shows(built_book):
    for page in (built_book / "notebooks").glob("*.html"):
        words = page.read_text(encoding="utf-8")
        pictures, captions = (len(re.findall(what, words))
                              for what in (r'<img[^>]*src="\.\./_images/', r'<[^>]*id="figure-'))
        assert (page.name, captions) == (page.name, pictures)


def test_no_page_shows_what_python_warned_of(built_book):
    """A warning names the file of the kernel that gave it."""
    warned = [path.name for path in built_book.glob("*/*.html")
              if re.search(r"ipykernel_\d+/", path.read_text(encoding="utf-8"))]
    assert warned == []


def test_the_faces_are_small_and_bring_their_licence():
    """Latin subsets, under 200 kB in all."""
    folder = ROOT / "book/style/fonts"
    licence = (folder / "OFL.txt").read_text(encoding="utf-8")
    assert 0 < FONTS < 200_000 and "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert {path.name.split("-latin")[0] for path in folder.glob("*.woff2")} == {
        name.lower().replace(" ", "-") for name in re.findall(r"^([\w ]+): (?:Copyright|©)", licence, re.MULTILINE)}


def test_the_scripts_of_the_pages_are_small(built_book):
    """Ours that a page carries: under 31 kB, the forms of answers among them; what a page asks, on an exercise page: under 60 kB."""
    assert {name for names in (SCRIPTS, *SOME.values())
            for name in names} >= {path.name for path in (ROOT / "book/script").glob("*.js")}
    for names in SOME.values():
        carried = [built_book / "_static" / name for name in (*SCRIPTS, *names) if name != "course.js"]
        assert sum(path.stat().st_size for path in carried) < 31_000
    for page in (built_book / "exercises").glob("*.html"):
        asked = re.findall(r'<script type="application/json">(.*?)</script>', page.read_text(encoding="utf-8"),
                           re.DOTALL)
        assert sum(map(len, asked)) < 60_000, page.name


def test_a_chapter_is_ready_not_much_later_than_a_page_of_prose(browser, address):
    """Maths and explorables included. The processor's time counts, so that a busy machine fails nobody."""
    chapter, prose = (seconds_until_ready(browser, f"{address}/{page}.html")
                      for page in ("notebooks/09_treeshap", "book/publish"))
    assert 0 < chapter < MOST_TIMES * prose


def seconds_until_ready(browser, page):
    context = browser.new_context()
    context.add_init_script(SHOWN)
    tab = context.new_page()
    measured = context.new_cdp_session(tab)
    measured.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto(page)
    settle(tab)
    seconds = {one["name"]: one["value"] for one in measured.send("Performance.getMetrics")["metrics"]}
    context.close()
    return seconds["ThreadTime"]


def test_the_search_finds_a_claim_and_there_is_one_search_field_in_view(browser, address):
    """By day the sidebar's field, on a phone the magnifying glass; what is typed there leads to a page with results."""
    for view, visible in (("day", ".bd-sidebar-primary .search-button-field"),
                          ("phone", ".bd-header-article .search-button")):
        with opened(browser, address, "book/start", view) as (tab, errors, *_):
            fields = [tab.locator(".search-button-field:visible"), tab.locator(".search-button:visible")]
            assert tab.locator(visible).is_visible() and sum(field.count() for field in fields) == 1
            tab.locator(visible).click()
            tab.keyboard.type("impurity")
            tab.keyboard.press("Enter")
            tab.locator("#search-results li a", has_text="Mean decrease in impurity").first.wait_for()
            assert errors == []


def test_only_the_search_page_loads_the_index_of_all_words(browser, address):
    """The index weighs more than a chapter: it comes when somebody searches."""
    with opened(browser, address, "book/start") as (tab, *_):
        assert tab.locator("script[src*=searchindex]").count() == 0
    with opened(browser, address, "search") as (tab, *_):
        assert tab.locator("script[src*=searchindex]").count() == 1


def test_a_page_opened_from_disk_shows_its_formulas_and_moves_its_explorables(browser, built_book):
    """Without any server at all: a double click on a file of the unzipped book."""
    tab = browser.new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto((built_book / "notebooks/02_golf.html").as_uri())
    settle(tab)
    said = tab.locator(".explorable-sentence").first
    before = said.inner_text()
    tab.locator(".explorable input[type=radio]:not(:checked)").first.check()
    assert said.inner_text() != before and errors == []
    tab.close()
