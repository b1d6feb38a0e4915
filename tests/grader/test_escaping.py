"""What a student wrote is text wherever it is shown: tried in a browser, with nbgrader's own pages and JupyterLab."""

import base64
import json
import socket
import sys
from functools import cache
from pathlib import Path

import pytest
from scripts import IMAGE, PROSE
from server import fetched, jupyter

from fi_grader import escaping
from fi_grader.escaping import nbgrader_id
from notebooks import ROOT, filled, find, grade, lay_course

ASKED = "trees.what_sixty_means"
WRITES = """fetch('/api/contents/owned.txt', {method: 'PUT',
body: JSON.stringify({type: 'file', format: 'text', content: 'x'}),
headers: {'Content-Type': 'application/json', 'X-XSRFToken': (document.cookie.match(/_xsrf=([^;]*)/) || [])[1]}})"""
WRITER = f'<img src=x onerror="eval(atob(`{base64.b64encode(WRITES.encode()).decode()}`))">'
"""Prose that writes a file into the folder of the server that shows it."""


# Names, fields, listings, places

@pytest.mark.parametrize(("given", "shows"), [
    ("Jörg Müller-Ş", "Jörg Müller-Ş"), ("Анна Петрова", "Анна Петрова"), ("山田　太郎", "山田 太郎"), ("عبد‌الله", "عبد‌الله"),
    ("क्‍ष", "क्‍ष"), ("José Mª", "José Mª"), ("Иванов_12_assignsubmission_file", "Иванов_12_assignsubmission_file"),
    ("\u0430nna", "\\u0430nna"), ("ann\u200ba", "ann\\u200ba"), ("an\u200dna", "an\\u200dna"),
    ("\u202eanna", "\\u202eanna"), ("ａnna", "\\uff41nna"),
    ("𝐚nna", "\\U0001d41anna"), ("Pαul", "P\\u03b1ul"), ("two\nlines", "two lines"), ("\u200c", "\\u200c")])
def test_a_name_stays_as_it_is_in_any_script_but_for_letters_that_hide_or_imitate(given, shows):
    assert escaping.name(given) == shows


@pytest.mark.parametrize(("one", "other"), [("anna", "\u0430nna"), ("anna", "Anna "), ("anna", "an\u200bna"),
                                            ("PAX", "\u0420\u0410\u0425"), ("anna", "ａｎｎａ")])
def test_names_that_pass_for_each_other_have_one_skeleton(one, other):
    assert escaping.skeleton(one) == escaping.skeleton(other) != escaping.skeleton("hanna")


@pytest.mark.parametrize(("value", "written"), [
    ("=1+1", "'=1+1"), ("-x", "'-x"), ("two\nlines", "two lines"), (3, 3), ("\uff1d1+1", "'\uff1d1+1"),
    ("\ufe631", "'\ufe631"), ("\t@x", "'@x"),
    ("a; =1+1;+2", "a; '=1+1;'+2"), ("\u202e=1", "\\u202e=1"), ("a - b", "a - b")])
def test_no_field_of_a_table_is_a_formula(value, written):
    assert escaping.field(value) == written


def test_a_listing_shows_every_word_and_folds_long_lines():
    assert escaping.listing("  ") == ""
    assert escaping.listing("a\n\n```") == "```\n    a\n    \n    ```\n```"
    words = " ".join(["word"] * 60)
    assert " ".join(escaping.listing(words).replace("```", "").split()) == words
    assert max(map(len, escaping.listing("x" * 1000 + " y").split("\n"))) == escaping.LONGEST_LINE + 4


def test_places_and_the_name_of_this_machine_are_left_out(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "lab-7")
    text = f"{Path.home()}/x {ROOT}/fi_teach/y {sys.prefix}/z lab-7 lab-75"
    assert escaping.without_places(text) == "~/x (course)/fi_teach/y (python)/z (host) lab-75"


@pytest.mark.parametrize("student", [IMAGE, "'-alert(1)-'", "a\"b", "a\\b", "..", "caf\udce9", "x" * 240, "anna\u202e",
                                     "x-0123456789ab", "anna "])
def test_a_name_in_nbgrader_is_a_harmless_word_of_its_own(student):
    assert not set(nbgrader_id(student)) & set("<>\"'\\&/;=\u202e\udce9") and len(nbgrader_id(student)) <= 80
    assert nbgrader_id(student) != student and nbgrader_id(nbgrader_id(student)) != nbgrader_id(student)
    assert nbgrader_id("Anna Müller") == "Anna Müller"


# In a browser

@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with a gradebook on every script as prose, and one as name, error, answer and comment -> Path."""
    base = tmp_path_factory.mktemp("shown")
    code = {"trees.recall_mean": f"average_of_all = {IMAGE!r}",
            "trees.decrease": f"# {IMAGE}\ndef decrease(left, right):\n    raise ValueError({IMAGE!r})",
            "trees.recall_two_draws": f"open({'/' + IMAGE!r})"}
    students = {f"s{k:02d}": filled(prose=f"Words enough to be read. {text}") for k, text in enumerate(PROSE.values())}
    students[f"bert {IMAGE}"] = filled(code, prose=f"Words enough to be read. {WRITER}")
    return grade(lay_course(base, **students), "--seed", 9, "--jobs", 2, "--gradebook")


@pytest.fixture
def tab(browser):
    """A tab that notes what a page tries: its dialogs and the files it would write -> Page with `.tried`."""
    tab = browser.new_page()
    tab.tried = []
    tab.on("dialog", lambda dialog: dialog.accept() if dialog.type == "beforeunload"
           else (tab.tried.append(dialog.message), dialog.dismiss()))
    tab.on("request", lambda request: tab.tried.append(request.url)
           if request.method == "PUT" and "owned" in request.url else None)
    yield tab
    tab.close()


def is_owned(tab):
    """Has anything run? Links and buttons are clicked first -> bool."""
    tab.evaluate("() => document.querySelectorAll(`#click, [href^=javascript], "
                 "[href^=data]`).forEach(one => one.dispatchEvent(new MouseEvent('click')))")
    tab.wait_for_timeout(50)
    return tab.evaluate("() => Boolean(window.owned) || document.title === 'owned'") or bool(tab.tried)


@cache
def exporter():
    """nbconvert's own page, with a MathJax that lies here, not on the network."""
    from nbconvert import HTMLExporter
    return HTMLExporter(mathjax_url="", require_js_url="", jquery_url="")


def rendered(sources):
    """Markdown cells as nbconvert shows them -> HTML."""
    from nbformat.v4 import new_markdown_cell, new_notebook
    html, _ = exporter().from_notebook_node(new_notebook(cells=[new_markdown_cell(source) for source in sources]))
    return html


def prose_of(report, number):
    """The cell that the gradebook's notebook has for the prose of a student -> its source."""
    notebook = json.loads((report / "autograded" / f"s{number:02d}" / "01_trees" / "01_trees.ipynb").read_text())
    return find({"cells": [c for c in notebook["cells"] if "fi_teach" in c["metadata"]]}, ASKED, "answer")["source"]


def test_markdown_as_students_write_it_would_run(tab):
    """So that the next test can fail: of these sources many run if they are rendered as they are."""
    ran = 0
    for text in PROSE.values():
        tab.goto("about:blank")
        tab.set_content(rendered([text.encode("utf-8", "replace").decode()]))
        ran += is_owned(tab)
    assert ran > len(PROSE) / 2


@pytest.mark.parametrize(("number", "name"), list(enumerate(PROSE)), ids=list(PROSE))
def test_prose_in_the_exported_notebook_is_read_and_never_rendered(number, name, report, tab):
    """The answer's cell is one listing without a tag or link inside, and shows every visible letter."""
    tab.set_content(rendered([prose_of(report, number)]))
    assert not is_owned(tab)
    cell = tab.query_selector(".jp-MarkdownOutput")
    assert cell.evaluate("cell => [...cell.querySelectorAll('*')].map(one => one.tagName)") == ["PRE", "CODE"]
    seen = cell.inner_text()
    assert "".join(escaping.lines(PROSE[name].encode("utf-8", "replace").decode()).split()) in "".join(seen.split())


def test_a_formula_in_an_answer_is_not_set(report, tab):
    """MathJax leaves listings alone: the same formula outside of one is set."""
    import importlib.util
    number = list(PROSE).index("a formula with a link")
    package = importlib.util.find_spec("sphinx-mathjax-offline").submodule_search_locations[0]
    folder = Path(package) / "static" / "mathjax"
    tab.route("http://mathjax.test/**",
              lambda route: route.fulfill(path=folder / route.request.url.removeprefix("http://mathjax.test/")))
    for source, is_set in ((PROSE["a formula with a link"], True), (prose_of(report, number), False)):
        tab.goto("about:blank")
        tab.set_content(rendered([source]))
        tab.evaluate("() => {window.MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}}}")
        tab.add_script_tag(url="http://mathjax.test/tex-chtml.js")
        tab.evaluate("() => MathJax.startup.promise")
        assert bool(tab.query_selector("mjx-container")) is is_set
        assert is_owned(tab) is is_set


def test_feedback_and_class_page_show_names_errors_and_answers_as_text(report, tab):
    pages = [report / "index.html", *(report / "feedback").rglob("*.html")]
    assert len(pages) == len(PROSE) + 2
    for page in pages:
        tab.goto("about:blank")
        tab.set_content(page.read_text().replace("Content-Security-Policy", "x-none"))
        assert not is_owned(tab)
        assert not tab.query_selector_all("img, script, svg, iframe, form, input, object, embed, base")
    assert all("default-src 'none'" in page.read_text() for page in pages)
    berts = next(page.read_text() for page in pages if "bert" in page.parent.name)
    assert berts.count("&lt;img src=x onerror=") >= 4


# With the real programs

def test_no_script_in_an_answer_writes_a_file_from_jupyterlab_or_formgrader(report, tab, tmp_path):
    """The instructor opens the exported notebook in JupyterLab, then Formgrader's pages: nothing runs, no file is
    written.

    So that this can fail, the same prose is put into a notebook unescaped at the end: Formgrader's page writes the
    file.
    """
    notebook = Path("autograded", nbgrader_id(f"bert {IMAGE}"), "01_trees", "01_trees.ipynb")
    with jupyter(report, tmp_path) as address:
        shown_as = {one["student"]: one["id"]
                    for one in json.loads(fetched(f"{address}/formgrader/api/submitted_notebooks/01_trees/01_trees"))}
        tab.goto(f"{address}/lab/tree/{notebook}?token=t")
        tab.wait_for_selector(".jp-RenderedMarkdown pre", state="attached", timeout=60_000)
        tab.wait_for_timeout(500)
        assert not is_owned(tab)
        student, = (one for one in shown_as if one.startswith("bert"))
        for page in ("manage_students", f"manage_students/{student}", "gradebook/01_trees/01_trees",
                     f"submissions/{shown_as[student]}/"):
            tab.goto(f"{address}/formgrader/{page}")
            tab.wait_for_timeout(1000)
            assert not is_owned(tab), page
        assert "onerror" in tab.inner_text("body") and not (report / "owned.txt").exists()
        cells = json.loads((report / notebook).read_text())
        next(c for c in cells["cells"] if "onerror=\"eval" in c["source"])["source"] = WRITER
        (report / notebook).write_text(json.dumps(cells))
        tab.reload()
        tab.wait_for_timeout(1000)
        assert tab.tried and (report / "owned.txt").exists()
