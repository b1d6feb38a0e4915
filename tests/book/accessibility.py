"""A page in a real browser: opened, turned to another view, and held against axe-core's rules;
every network but localhost is blocked."""

import re
from contextlib import contextmanager
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from browser import settle, until
from sphinx_external_toc.parsing import parse_toc_yaml

from .browser_pages import shared_page
from .conftest import ROOT

PAGES = sorted(parse_toc_yaml(ROOT / "_toc.yml"))
CHAPTERS = [page for page in PAGES if re.match(r"notebooks/(?!12)\d", page)]
VIEWS = {"day": ("light", 1280, 900), "night": ("dark", 1280, 900), "phone": ("light", 390, 844)}
FRESH = VIEWS | {"phone at night": ("dark", 390, 844)}
FONTS = sum(path.stat().st_size for path in (ROOT / "book/style/fonts").glob("*.woff2"))
MOST_BYTES = 3_000_000 + FONTS
RULES = {"label-content-name-mismatch": {"enabled": True}}  # axe leaves it out unless asked
OF_COLOURS = ["color-contrast", "link-in-text-block"]
SHOWN = "localStorage.setItem('which-features-matter', JSON.stringify({ settings: { all: true } }))"


# Colours become others at once instead of fading into them: what is looked at has come to rest.
STILL = """const still = new CSSStyleSheet();
still.replaceSync('*, ::before, ::after { transition: none !important }');
document.adoptedStyleSheets = [still];"""
# The theme takes its time to find the boxes that scroll, and lets the keyboard into them.
REACHED = """() => [...document.querySelectorAll('pre, .cell_output > .output, .pst-scrollable-table-container')]
    .every((box) => box.scrollWidth <= box.clientWidth || box.tabIndex === 0)"""
# A page is thousands of words in a few dozen looks: the colours of one word, or link,
# of a kind are held against the rules. A kind is what the word, what it stands in and what that stands in are called,
# its colours and its size; longer words stand for it first.
# Kinds that passed on another page are not asked about again, and what has no words of its own, fields apart,
# has no colours to be read in.
# The shade that says that a box scrolls is taken away, since axe judges no words before a gradient;
# words of code become plain text but for the first of a kind, and formulas and the drawings on buttons are emptied but
# for the first two until axe has looked.
ONE_OF_A_KIND = """(passed) => {
    const flat = document.createElement('style');
    flat.textContent = '.bd-article * { background-image: none !important; }';
    document.head.append(flat);
    const grounds = new Map(), kinds = new Set(passed);
    const ground = (node) => {
        if (!node) return 'none';
        if (!grounds.has(node)) {
            const { backgroundColor, backgroundImage } = getComputedStyle(node);
            grounds.set(node, backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' ? ground(node.parentElement)
                : backgroundColor + backgroundImage);
        }
        return grounds.get(node);
    };
    const said = (node) => [...node.childNodes].map((part) => part.nodeType === 3 ? part.data.trim() : '').join('');
    const named = (node) => node ? `${node.tagName} ${node.getAttribute('class')} ${node.getAttribute('style')}` : '';
    const nodes = [...document.body.querySelectorAll('*')], words = (node) => said(node).length > 1;
    for (const node of [...nodes.filter(words), ...nodes.filter((node) => !words(node))]) {  // axe is undecided about a single letter
        const box = node.closest('pre');
        node.toggleAttribute('data-wordless', !said(node) && !node.matches('input, select, textarea'));
        if (!said(node)) { node.toggleAttribute('data-alike', Boolean(box)); continue; }
        const hidden = !node.checkVisibility() || (box && node.getBoundingClientRect().right > box.getBoundingClientRect().right);
        const { color, fontSize, fontWeight, opacity } = getComputedStyle(node), parent = node.parentElement;
        const kind = hidden || [color, fontSize, fontWeight, opacity, ground(node), ...[node, parent, parent.parentElement].map(named)].join('|');
        node.toggleAttribute('data-alike', hidden || kinds.has(kind));
        if (!hidden) kinds.add(kind);
    }
    for (const word of document.querySelectorAll('pre span[data-alike]')) word.replaceWith(...word.childNodes);
    const met = {};
    for (const drawn of document.querySelectorAll('mjx-container, button svg')) {
        const kind = [drawn.tagName, drawn.getAttribute('display'), drawn.getAttribute('class'), ground(drawn)];
        met[kind] = (met[kind] ?? 0) + 1;
        if (met[kind] > 2) for (const stroke of drawn.querySelectorAll('mjx-math, math > *, path, rect, line, polyline')) {
            (window.emptied ??= []).push([stroke, stroke.parentNode, stroke.nextSibling]);
            stroke.remove();
        }
    }
    axe.configure({ rules: [{ id: 'color-contrast', selector: ':not([data-alike], [data-wordless])' },
                            { id: 'link-in-text-block', selector: 'a[href]:not([data-alike])' }] });
    return [...kinds].slice(passed.length);
}"""
SHOWN_NOW = "() => [...document.body.querySelectorAll('*')].map((node) => Number(node.checkVisibility())).join('')"
FILLED_AGAIN = ("() => { for (const [stroke, parent, next] of (window.emptied ?? "
                "[]).splice(0).reverse()) parent.insertBefore(stroke, next); }")
CUT = """() => {
    const scrolls = (node) => /auto|scroll/.test(getComputedStyle(node).overflowX);
    const cut = [];
    for (const node of document.querySelectorAll('.bd-article :is(p, li, h1, h2, h3, img, table, pre, figure, svg, input, button, td, .MathJax)')) {
        const { right, width } = node.getBoundingClientRect();
        if (!width || right <= innerWidth + 1) continue;
        let box = node.parentElement;
        while (box && !scrolls(box) && !scrolls(node)) box = box.parentElement;
        if (!box || box === document.documentElement || box === document.body) cut.push(`${node.tagName} ${node.textContent.slice(0, 60)}`);
    }
    return cut;
}"""

# What a thumb must meet: a control, or the label in which it lies.
TOO_SMALL = """() => [...document.querySelectorAll(':is(.bd-article, .bd-header-article) :is(button, summary, select, input, textarea)')]
    .filter((node) => node.getClientRects().length && node.checkVisibility())
    .map((node) => (node.matches('input') && node.closest('label:not(.fi-ranks label)')) || node)
    .filter((node) => node.getBoundingClientRect().height < 43.9).map((node) => node.outerHTML.slice(0, 120))"""


def is_outside(url):
    """Whether a request leaves this computer; the browser reaches nothing there (browser.py)."""
    return url.startswith("http") and urlsplit(url).hostname != "localhost"


BYTES = {}
"""What each address that was fetched weighs."""


def bytes_of(response):
    """What a response weighs, also if the browser had it and was told that it has not changed."""
    if response.status != 304:
        BYTES[response.url] = int(response.headers.get("content-length", 0))
    return BYTES.get(response.url, 0)


@contextmanager
def opened(browser, address, page, view="day", *, gated=False, within=shared_page):
    """The page, its console's errors, the requests it sent outside, and the bytes it asked of localhost.

    The reader lets nothing wait for a guess, unless `gated`; the browser remembers no reader.
    Who brings scripts to be run before the page's own, or lets a worker serve the page,
    opens it `within=isolated_page`.
    """
    errors, outside, sizes = [], [], []
    heard = {
        "request": lambda request: outside.append(request.url) if is_outside(request.url) else None,
        "console": lambda message: errors.append(message.text) if message.type == "error" else None,
        "pageerror": lambda error: errors.append(str(error)),
        "response": lambda response: sizes.append(bytes_of(response)),
    }
    with within(browser, FRESH[view], [STILL] if gated else [STILL, SHOWN], heard) as tab:
        tab.goto(f"{address}/{page}.html", wait_until="load")
        settle(tab)
        yield tab, errors, outside, sizes


def turned(tab, view):
    """The page after the reader has turned to another view: nothing on it moves or loads any more."""
    scheme, width, height = VIEWS[view]
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": height})
    until(tab, "scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    settle(tab)
    until(tab, "[...document.images].every((image) => image.complete)")
    until(tab, REACHED)


PASSED = []
"""The kinds of words whose colours are within the rules, seen on any page."""


def violations(tab, only_colours=False):
    """What axe-core finds on a page -> {rule: where}."""
    # else axe asks the server for style sheets itself
    options = {"rules": RULES, "resultTypes": ["violations"], "preload": False}
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(AXE_SCRIPT)
    kinds, found = tab.evaluate(ONE_OF_A_KIND, PASSED), []
    if kinds or not only_colours:
        asked = {"runOnly": OF_COLOURS} if only_colours else {}
        found = Axe("").run(tab, options=options | asked).response["violations"]
    tab.evaluate(FILLED_AGAIN)
    if not found:
        PASSED.extend(kinds)
    return {violation["id"]: [node["html"][:200] for node in violation["nodes"]][:5] for violation in found}


def violations_in_every_view(tab):
    """The views one after the other, those of the page's size first -> (view, what axe-core finds in it).

    By night, where the same is shown as by day, only colours can differ.
    """
    by_day, width = None, tab.viewport_size["width"]
    for view in sorted(VIEWS, key=lambda view: VIEWS[view][1] != width):
        turned(tab, view)
        found = violations(tab, only_colours=view == "night" and tab.evaluate(SHOWN_NOW) == by_day)
        if view == "day":
            by_day = tab.evaluate(SHOWN_NOW)
        yield view, found


def layout_problems(tab, width):
    """What else is wrong with a page as it is shown -> {what: where}."""
    seen = {
        "wider than the screen by": max(0, tab.evaluate("document.documentElement.scrollWidth") - width),
        "formulas that are not set": tab.evaluate("document.querySelectorAll('mjx-merror').length"),
        "pictures without words, or missing": tab.evaluate(
            "[...document.images].filter(i => !i.alt.trim() || !i.complete || !i.naturalWidth).map(i => i.src)"),
    }
    return {what: where for what, where in seen.items() if where}
