"""A page in a real browser: opened, turned to another view, and held against axe-core's rules;
every network but localhost is blocked."""

import re
from contextlib import contextmanager

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from browser import settle, until
from sphinx_external_toc.parsing import parse_toc_yaml

from .conftest import ROOT

PAGES = sorted(parse_toc_yaml(ROOT / "_toc.yml"))
CHAPTERS = [page for page in PAGES if re.match(r"notebooks/(?!12)\d", page)]
VIEWS = {"day": ("light", 1280, 900), "night": ("dark", 1280, 900), "phone": ("light", 390, 844)}
FRESH = VIEWS | {"phone at night": ("dark", 390, 844), "small phone": ("light", 360, 780)}
FONTS = sum(path.stat().st_size for path in (ROOT / "book/style/fonts").glob("*.woff2"))
MOST_BYTES = 3_000_000 + FONTS
RULES = {"label-content-name-mismatch": {"enabled": True}}  # axe leaves it out unless asked
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# What the reader has chosen is kept as a page is left.
SHOWN = "localStorage['which-features-matter'] ??= JSON.stringify({ settings: { all: true } })"


# Colours become others at once instead of fading into them: what is looked at has come to rest. The shade that says
# that a box scrolls is taken away, since axe judges no words before a gradient.
STILL = """const still = new CSSStyleSheet();
still.replaceSync('*, ::before, ::after { transition: none !important } .bd-article * { background-image: none !important }');
document.adoptedStyleSheets = [still];"""
# The theme takes its time to find the boxes that scroll, and lets the keyboard into them.
REACHED = """() => [...document.querySelectorAll('pre, .cell_output > .output, .pst-scrollable-table-container')]
    .every((box) => box.scrollWidth <= box.clientWidth || box.tabIndex === 0)"""
# Contrast is a matter of colours, size and weight: of words alike in these, which are thousands, the first that can be
# seen by day, and by night, is held against the rule; in explorables, where things lie over others, all are.
ONE_OF_EACH = """() => axe.configure({ rules: [{ id: 'color-contrast',
    selector: ':not([data-alike], mjx-container[data-alike] *)' }] })"""
MARK_ALIKE = """() => {
    const met = (window.met ??= { light: new Set(), dark: new Set() })[document.documentElement.dataset.theme];
    const known = new Map([[null, ['', 1]]]);
    const under = (node) => {  // what is painted below its words, and how much of them shows through
        if (!known.has(node)) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(node), [below, shown] = under(node.parentElement);
            const opaque = backgroundColor.startsWith('rgb(');
            known.set(node, [`${opaque ? '' : below} ${backgroundColor} ${backgroundImage}`, shown * opacity]);
        }
        return known.get(node);
    };
    const words = [...document.body.querySelectorAll(':not(mjx-container *, .explorable *, svg *)')].filter((node) =>
        node.matches('mjx-container') || [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
    for (const node of words) {
        const { color, fontWeight, fontSize } = getComputedStyle(node), box = node.closest('pre, .pst-scrollable-table-container');
        const seen = node.checkVisibility() && !(node.getBoundingClientRect().right > box?.getBoundingClientRect().right);
        const kind = [node.matches('mjx-container'), color, fontWeight, fontSize, ...under(node)].join('|');
        node.toggleAttribute('data-alike', !seen || met.has(kind));
        if (seen) met.add(kind);
    }
}"""
SHOWN_NOW = "() => [...document.body.querySelectorAll('*')].map((node) => Number(node.checkVisibility())).join('')"
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


@contextmanager
def opened(browser, address, page, view="day", *, gated=False, before="", **settings):
    """The page in a browser that remembers no reader, its console's errors, the requests it sent outside, and the bytes
    it asked of localhost.

    The reader lets nothing wait for a guess, unless `gated`; `before` is a script that runs before the page's own.
    """
    scheme, width, height = FRESH[view]
    settings = {"color_scheme": scheme, "viewport": {"width": width, "height": height}} | settings
    errors, outside, sizes = [], [], []
    with browser.new_context(**settings) as context:
        context.add_init_script("\n".join([before, STILL, "" if gated else f"try {{ {SHOWN} }} catch {{}}"]))
        tab = context.new_page()
        # of requests the context tells, for workers send some
        context.on("request", lambda request: outside.append(request.url) if re.match(
            r"http(?!s?://localhost[:/])", request.url) else None)  # the browser reaches nothing there (browser.py)
        tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on("response", lambda response: sizes.append(int(response.headers.get("content-length", 0))))
        tab.goto(f"{address}/{page}.html", wait_until="load")
        if settings.get("java_script_enabled", True):
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


def violations(tab, only_colours=False):
    """What axe-core finds on a page -> {rule: where}."""
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(AXE_SCRIPT)
        tab.evaluate(ONE_OF_EACH)
    tab.evaluate(MARK_ALIKE)
    # else axe asks the server for style sheets itself
    options = {"rules": RULES, "resultTypes": ["violations"], "preload": False}
    asked = {"runOnly": OF_COLOURS} if only_colours else {}
    found = Axe("").run(tab, options=options | asked).response["violations"]
    return {violation["id"]: [node["html"][:200] for node in violation["nodes"]][:5] for violation in found}


def assert_accessible(tab):
    """By day, by night and on a phone axe-core finds nothing, and no page is wider than its screen.

    The views of the page's size come first. By night, where the same is shown as by day, only colours can differ.
    """
    by_day, width = None, tab.viewport_size["width"]
    for view in sorted(VIEWS, key=lambda view: VIEWS[view][1] != width):
        turned(tab, view)
        found = violations(tab, only_colours=view == "night" and tab.evaluate(SHOWN_NOW) == by_day)
        if view == "day":
            by_day = tab.evaluate(SHOWN_NOW)
        assert (view, found | layout_problems(tab)) == (view, {})


def layout_problems(tab):
    """What else is wrong with a page as it is shown -> {what: where}."""
    seen = {
        "wider than the screen by": max(0, tab.evaluate("document.documentElement.scrollWidth - innerWidth")),
        "formulas that are not set": tab.evaluate("document.querySelectorAll('mjx-merror').length"),
        "pictures without words, or missing": tab.evaluate(
            "[...document.images].filter(i => !i.alt.trim() || !i.complete || !i.naturalWidth).map(i => i.src)"),
        "icons without a sign": tab.evaluate(
            "[...document.querySelectorAll('.fa-solid')].filter(icon => icon.getClientRects().length && "
            "getComputedStyle(icon, '::before').content === 'none').map(icon => icon.className)"),
    }
    return {what: where for what, where in seen.items() if where}
