"""Every page in a real browser: by day, by night and on a phone, with every network but localhost blocked."""

import re

import pytest
from browser import settle, until
from chapter import other_names
from chapter_cache import BOOK, fingerprint
from fontTools.ttLib import TTFont
from theme import FONTS as ICONS
from theme import ICON, SCRIPTS, SHEET, SOME, THEME

from .accessibility import CUT, FONTS, MOST_BYTES, PAGES, assert_accessible, layout_problems, opened, violations
from .conftest import ROOT

MOST_TIMES = 30  # what a page of prose needs
WIDE = ":is(.cheatsheet, .wide):has(> .pst-scrollable-table-container, > table)"
# What a thumb must meet: a control, or the label in which it lies.
TOO_SMALL = """() => [...document.querySelectorAll(':is(.bd-article, .bd-header-article) :is(button, summary, select, input, textarea)')]
    .filter((node) => node.getClientRects().length && node.checkVisibility())
    .map((node) => (node.matches('input') && node.closest('label:not(.fi-ranks label)')) || node)
    .filter((node) => node.getBoundingClientRect().height < 43.9).map((node) => node.outerHTML.slice(0, 120))"""
UNFOLD = "what => document.querySelectorAll(what).forEach((part) => { part.open = true; })"
ASKING = ("""url => {
    const box = document.createElement('b');
    box.style.background = String.raw`\\75rl(${url})`;
    document.body.append(box);
}""", """url => new Promise((done) => {
    const picture = new Image();
    picture.onerror = () => done();
    picture.src = url;
})""", "url => fetch(url, { mode: 'no-cors' }).catch(() => {})", """url => new Promise((done) => {
    const said = `fetch('${url}', { mode: 'no-cors' }).catch(() => postMessage('failed'))`;
    new Worker(URL.createObjectURL(new Blob([said]))).onmessage = () => done();
})""")
"""How a page asks another host: by a style, a picture, its script, and a worker, in which its Python runs."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole_alone_and_accessible(browser, address, page):
    """First opened on a phone at night, and then turned by day, by night and on a phone by day:
    no console error, no outside request, few bytes, nothing wider than the screen, every formula set, every icon drawn,
    every picture described; and axe-core finds no violation, the explorables' tables unfolded.

    A wide table has labels in its cells, and does not scroll, on a phone alone. At 360 pixels, all unfolded, everything
    fits or scrolls in a box of its own, and a control is 44 pixels high; a figure never scrolls: it is drawn for phones.
    """
    with opened(browser, address, page, "phone at night") as (tab, errors, outside, sizes):
        assert sum(sizes) < MOST_BYTES
        until(tab, "[...document.images].every((image) => image.complete)")
        assert layout_problems(tab) == {}
        tables = tab.locator(WIDE)
        assert tables.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length") == 0
        assert tab.locator(".fi-label:visible").count() > 10 or tables.count() == 0
        tab.evaluate(UNFOLD, ".explorable details")
        assert_accessible(tab)
        assert tab.locator(".fi-label:visible").count() == 0
        tab.set_viewport_size({"width": 360, "height": 780})
        tab.evaluate(UNFOLD, ".bd-article details")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360
        assert tab.evaluate(CUT) == [] and tab.evaluate(TOO_SMALL) == []
        assert tab.evaluate("[...document.querySelectorAll('.cell_output img')].filter(i => "
                            "i.getBoundingClientRect().right > 361).length") == 0
        assert (errors, outside) == ([], [])


@pytest.mark.parametrize(("view", "theme"), [("day", "light"), ("phone at night", "dark")])
def test_a_page_opens_in_the_readers_colours(browser, address, view, theme):
    with opened(browser, address, "book/publish", view) as (tab, errors, *_):
        assert tab.evaluate("document.documentElement.dataset.theme") == theme and errors == []


def test_wide_tables_are_on_these_pages(built_book):
    pages = [page for page in PAGES if re.search(r'class="[^"]*\b(cheatsheet|wide)\b',
                                                 (built_book / f"{page}.html").read_text(encoding="utf-8"))]
    assert {"book/cheatsheet", "book/method_map", "book/benchmark", "book/conformity"} <= set(pages)


@pytest.mark.parametrize("from_disk", [False, True])
def test_a_request_that_leaves_this_computer_is_refused_and_one_without_the_policy_is_seen(
        browser, address, built_book, from_disk):
    """Where no policy refuses it, as in an empty tab, these tests notice."""
    hosts = [f"http://{host}/{way}" for way in range(len(ASKING)) for host in ("example.org", "[::1]", "192.0.2.1")]
    start = built_book.as_uri() if from_disk else address
    with opened(browser, start, "book/publish") as (tab, errors, outside, _):
        reasons = []
        tab.context.on("requestfailed", lambda request: reasons.append(request.failure))
        for url in hosts:
            tab.evaluate(ASKING[int(url[-1])], url)
        assert set(reasons) == {"csp"} and len(reasons) == len(outside)  # a script's own is not even sent
        assert len(errors) == len(hosts) and all("Content Security Policy" in error for error in errors)
        outside.clear()
        tab.goto("about:blank")
        for url in hosts:
            tab.evaluate(ASKING[int(url[-1])], url)
        assert sorted(outside) == sorted(hosts)


def test_the_policy_is_in_every_page(built_book):
    for path in built_book.rglob("*.html"):
        words = path.read_text(encoding="utf-8")
        assert "_static" in path.parts or "Content-Security-Policy" in words or 'http-equiv="Refresh"' in words, path


PALE = """([what, color]) => [...document.querySelectorAll(what)].filter((one) => one.textContent.length > 3
    && one.checkVisibility() && !(one.getBoundingClientRect().right > one.closest('pre')?.getBoundingClientRect().right))
    .at(-9).style.color = color"""


def test_one_pale_word_is_a_violation(browser, address):
    """Although of words that look alike, in code, in sentences and in tables, only one is looked at."""
    with opened(browser, address, "notebooks/02_golf") as (tab, *_):
        assert violations(tab) == {}
        for k, what in enumerate(("pre span", ".bd-article p", ".bd-article td"), 5):
            tab.evaluate(PALE, [what, f"#77777{k}"])
            assert (what, violations(tab, only_colours=True).keys()) == (what, {"color-contrast"})


def test_every_picture_of_a_chapter_says_below_it_what_it_shows(built_book):
    for page in (built_book / "notebooks").glob("*.html"):
        words = page.read_text(encoding="utf-8")
        pictures, captions = (len(re.findall(what, words))
                              for what in (r'<img[^>]*src="\.\./_images/', r'<[^>]*id="figure-'))
        assert (page.name, captions) == (page.name, pictures)


def test_the_faces_are_small_and_bring_their_licence():
    """Latin subsets, under 200 kB in all."""
    folder = ROOT / "book/style/fonts"
    licence = (folder / "OFL.txt").read_text(encoding="utf-8")
    assert 0 < FONTS < 200_000 and "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert {path.name.split("-latin")[0] for path in folder.glob("*.woff2")} == {
        name.lower().replace(" ", "-") for name in re.findall(r"^([\w ]+): (?:Copyright|©)", licence, re.MULTILINE)}


def test_the_style_sheet_and_the_fonts_carry_the_icons_that_pages_show_and_few_others(built_book):
    """They have another address when our scripts and templates change, which decide which icons there are; a browser
    keeps a file for as long as its address stays."""
    page, sheet = ((built_book / name).read_text(encoding="utf-8") for name in ("book/start.html", f"_static/{SHEET}"))
    shown = set(re.findall(r'class="[^"]*\b(fa-(?:sun|moon|bars|list|chevron-down|magnifying-glass))\b', page))
    assert len(shown) == 6 and all(f".{name}:before" in sheet for name in shown)
    assert len(ICON.findall(sheet)) < 60 < len(ICON.findall((THEME / SHEET).read_text(encoding="utf-8"))) / 10
    signs = TTFont(built_book / "_static" / ICONS / "fa-solid-900.ttf").getBestCmap()
    assert {0xF185, 0xF0C9, 0xF078, 0xF002} <= set(signs) and len(signs) < 100
    assert ".woff2" not in sheet
    [digest] = re.findall(r'/pydata-sphinx-theme\.css\?digest=(\w+)"', page)
    assert digest.startswith(fingerprint(BOOK, ("style/**/*", "script/*", "templates/*")))


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
    took = []
    for page in ("notebooks/09_treeshap", "book/publish"):
        with opened(browser, address, "book/publish") as (tab, *_):
            measured = tab.context.new_cdp_session(tab)
            measured.send("Performance.enable", {"timeDomain": "threadTicks"})
            tab.goto(f"{address}/{page}.html")
            settle(tab)
            seconds = {one["name"]: one["value"] for one in measured.send("Performance.getMetrics")["metrics"]}
            took.append(seconds["ThreadTime"])
    assert 0 < took[0] < MOST_TIMES * took[1]


@pytest.mark.parametrize(("view", "field"), [("day", ".bd-sidebar-primary .search-button-field"),
                                             ("phone", ".bd-header-article .search-button")])
def test_the_search_finds_a_claim_and_there_is_one_search_field_in_view(browser, address, view, field):
    """By day the sidebar's field, on a phone the magnifying glass; what is typed there leads to a page with results.
    Only that page loads the index of all words, which weighs more than a chapter. A method is found by its other names.
    """
    assert set(other_names()) <= set(PAGES)
    with opened(browser, address, "book/start", view) as (tab, errors, *_):
        fields = [tab.locator(".search-button-field:visible"), tab.locator(".search-button:visible")]
        assert tab.locator(field).is_visible() and sum(one.count() for one in fields) == 1
        assert tab.locator("script[src*=searchindex]").count() == 0
        tab.locator(field).click()
        tab.keyboard.type("impurity")
        tab.keyboard.press("Enter")
        tab.locator("#search-results li a", has_text="Mean decrease in impurity").first.wait_for()
        assert tab.locator("script[src*=searchindex]").count() == 1
        for words, page in {"PIMP": "04_bias", "LOCO": "07_correlated", "beeswarm": "09_treeshap",
                            "TreeExplainer": "09_treeshap"}.items():
            tab.goto(f"{address}/search.html?q={words}")
            tab.locator(f".search a[href*='{page}']").first.wait_for(timeout=20_000)
        assert errors == []
