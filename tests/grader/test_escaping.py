"""What a student wrote is text wherever it is shown: tried in a browser, with nbgrader's own pages and JupyterLab."""

import base64
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from corpus import IMAGE, SCRIPTS, read

from fi_grader import escaping
from fi_grader.escaping import nbgrader_id
from notebooks import ROOT, filled, grade, lay_course

# Names, fields, listings, places

ESCAPES = json.loads(read("escapes.json"))


@pytest.mark.parametrize(("function", "given", "shows"),
                         [(function, *pair) for function, pairs in ESCAPES.items() for pair in pairs])
def test_what_a_student_wrote_is_shown_as_text_that_nothing_obeys(function, given, shows):
    """A name stays as it is in any script but for letters that hide or imitate, names that pass for each other have one
    skeleton, no field of a table is a formula, no line closes a listing.
    """
    assert getattr(escaping, function)(given) == shows


def test_a_listing_shows_every_word_and_folds_long_lines():
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

WRITES = """fetch('/api/contents/owned.txt', {method: 'PUT',
body: JSON.stringify({type: 'file', format: 'text', content: 'x'}),
headers: {'Content-Type': 'application/json', 'X-XSRFToken': (document.cookie.match(/_xsrf=([^;]*)/) || [])[1]}})"""
WRITER = f'<img src=x onerror="eval(atob(`{base64.b64encode(WRITES.encode()).decode()}`))">'
"""Prose that writes a file into the folder of the server that shows it."""
EVE = {"trees.recall_mean": f"average_of_all = {IMAGE!r}", "trees.recall_two_draws": f"open({'/' + IMAGE!r})",
       "trees.decrease": f"# {IMAGE}\ndef decrease(left, right):\n    raise ValueError({IMAGE!r})"}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with a gradebook on Anna, and on Eve, whose name, errors, answers and prose are scripts -> Path."""
    prose = f"Words enough to be read. {WRITER} {SCRIPTS['a formula with a link']}"
    students = {"anna": filled(), f"eve {IMAGE}": filled(EVE, prose=prose)}
    return grade(lay_course(tmp_path_factory.mktemp("shown"), **students), "--gradebook")


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


def is_owned(tab, html=None):
    """Has anything run in this page? Links and buttons are clicked first -> bool."""
    if html is not None:
        tab.goto("about:blank")
        tab.set_content(html)
    tab.evaluate("() => document.querySelectorAll(`#click, [href^=javascript], "
                 "[href^=data]`).forEach(one => one.dispatchEvent(new MouseEvent('click')))")
    tab.wait_for_timeout(50)
    return tab.evaluate("() => Boolean(window.owned) || document.title === 'owned'") or bool(tab.tried)


def test_a_listing_is_read_and_never_rendered(tab):
    """In nbconvert's own page it has no tag or link inside and shows every visible letter; as they are, many run."""
    from nbconvert import HTMLExporter
    from nbformat.v4 import new_markdown_cell, new_notebook
    ran, exporter = 0, HTMLExporter(mathjax_url="", require_js_url="", jquery_url="")
    for text in SCRIPTS.values():
        words = text.encode("utf-8", "replace").decode()
        raw, listed = (exporter.from_notebook_node(new_notebook(cells=[new_markdown_cell(source)]))[0]
                       for source in (words, escaping.listing(words)))
        ran += is_owned(tab, raw)
        tab.tried.clear()
        assert not is_owned(tab, listed), text
        cell = tab.query_selector(".jp-MarkdownOutput")
        assert cell.evaluate("cell => [...cell.querySelectorAll('*')].map(one => one.tagName)") == ["PRE", "CODE"]
        assert "".join(escaping.lines(words).split()) in "".join(cell.inner_text().split())
    assert ran > len(SCRIPTS) / 2


def test_feedback_and_class_page_show_names_errors_and_answers_as_text(report, tab):
    pages = [path.read_text() for path in (report / "index.html", *report.glob("feedback/eve*/*.html"))]
    assert len(pages) == 2 and pages[1].count("&lt;img src=x onerror=") >= 4
    for page in pages:
        assert "default-src 'none'" in page
        assert not is_owned(tab, page.replace("Content-Security-Policy", "x-none"))
        assert not tab.query_selector_all("img, script, svg, iframe, form, input, object, embed, base")


# With the real programs

@contextmanager
def jupyter(folder, home):
    """Start JupyterLab with nbgrader's Formgrader in a folder, as an instructor does -> its address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", f"--port={port}",
               "--IdentityProvider.token=t",
               "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    server = subprocess.Popen(command, cwd=folder, env={**os.environ, "HOME": str(home), "PATH": path},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def fetched(address, patience=180):
    """What the server answers, as soon as it does -> str."""
    end = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(f"{address}?token=t", timeout=30) as answer:
                return answer.read().decode()
        except OSError:  # it has not started yet
            assert time.monotonic() < end, "the server did not answer"
            time.sleep(0.5)


def test_jupyterlab_and_formgrader_show_our_points_and_the_rubric_and_run_no_script(report, tab, tmp_path):
    """The instructor opens the exported notebook in JupyterLab, then Formgrader's pages: nothing runs, no formula is
    set, no file is written. So that this can fail, the same prose is put into a notebook unescaped at the end:
    Formgrader's page writes the file.
    """
    eve = nbgrader_id(f"eve {IMAGE}")
    notebook = Path("autograded", eve, "01_trees", "01_trees.ipynb")
    with jupyter(report, tmp_path) as address:
        listed = {one["student"]: one
                  for one in json.loads(fetched(f"{address}/formgrader/api/submitted_notebooks/01_trees/01_trees"))}
        assert listed["anna"]["score"] == 16
        assert all(one["needs_manual_grade"] for one in listed.values())
        tab.goto(f"{address}/lab/tree/{notebook}?token=t")
        tab.wait_for_selector(".jp-RenderedMarkdown pre", state="attached", timeout=60_000)
        tab.wait_for_timeout(500)
        assert not is_owned(tab) and not tab.query_selector("mjx-container")
        for page in ("manage_students", f"manage_students/{eve}", "gradebook/01_trees/01_trees",
                     f"submissions/{listed[eve]['id']}/"):
            tab.goto(f"{address}/formgrader/{page}")
            tab.wait_for_timeout(1000)
            assert not is_owned(tab), page
        assert {"onerror", "Rubric"} <= set(tab.inner_text("body").replace("=", " ").split())
        assert not (report / "owned.txt").exists()
        cells = json.loads((report / notebook).read_text())
        next(c for c in cells["cells"] if "onerror=\"eval" in c["source"])["source"] = WRITER
        (report / notebook).write_text(json.dumps(cells))
        tab.reload()
        tab.wait_for_timeout(1000)
        assert tab.tried and (report / "owned.txt").exists()
