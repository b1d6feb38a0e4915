"""Exercises in the page's own Python: done to the end, handed in, graded;
stopped, mistaken, written as code, on a phone, at night."""

import csv
import inspect
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from answered import right_answers

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked

from . import test_exercises as exercises
from .accessibility import CUT, assert_accessible, opened
from .conftest import ROOT
from .test_exercises import ASKED, NAME, SETS, answer_by_keyboard, downloaded, questions_of, source_of

PATIENCE = 60_000  # milliseconds; the machine may do other work
WANTED = SETS if os.environ.get("FI_TEACH_LIVE") == "all" else ("11_causality", "12a_field_one")  # `make live-check`


def column_mean(X, y, weights, j):
    """Put a column's mean in: a mistake that has a name, as a student writes it."""
    filled = np.array(X, dtype=float)
    filled[:, j] = filled[:, j].mean()
    return np.mean((y - filled @ weights) ** 2) - np.mean((y - X @ weights) ** 2)


HELPERS = "import numpy as np\nimport pandas as pd\n"


def start_python(tab):
    """Press the page's one button and wait until Python is there."""
    tab.get_by_role("button", name="Run Python in this page").click()
    tab.locator(".fi-live").get_by_text("Python runs in this page").wait_for(timeout=PATIENCE)


@pytest.fixture(scope="module")
def page(browser, live_book):
    with opened(browser, live_book, f"exercises/{NAME}", gated=True) as (tab, *seen):
        start_python(tab)
        yield tab, seen


@pytest.fixture
def tab(page):
    """The page, on which Python runs; it is left without an error, and has asked no other host."""
    tab, (errors, outside, _) = page
    yield tab
    assert errors == [] and outside == []


def place_of(tab, id):
    return tab.locator(f"[data-question='{id}']")


def check(tab, id, source=None):
    """Write into the editor of a question, let it be checked -> what the page says."""
    place = place_of(tab, id)
    if source is not None:
        place.locator("textarea").fill(source)
    place.get_by_role("button", name="Check", exact=True).click()
    place.locator("[aria-busy=false]").wait_for(timeout=PATIENCE)
    return place.locator(".fi-in-code .fi-verdict").inner_text()


def graded(notebooks, folder):
    """Hand notebooks in, {student: text}, and grade them as the instructor does -> {student: {question:
    row of grades.csv}}."""
    for student, notebook in notebooks.items():
        handed_in = folder / "submissions" / student / f"{NAME}.ipynb"
        handed_in.parent.mkdir(parents=True)
        handed_in.write_text(notebook, encoding="utf-8")
    command = [sys.executable, "-m", "fi_teach", "grade", str(folder / "submissions"), "--out", str(folder / "report"),
               "--exercises", str(ROOT / "exercises"), "--seed", "20", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(folder / "report/grades.csv", encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["exercise"] == NAME]
    return {student: {row["question"]: row for row in rows if row["student"] == student} for student in notebooks}


def test_set_five_is_done_in_the_page_and_the_instructors_grades_are_right(tab, tmp_path):
    """With nothing but a browser: open, start, be told a mistake by name, mend it, go to the end, download,
    be graded."""
    for id in questions_of(NAME):
        if ASKED[id] == "prose":
            place_of(tab, id).locator("textarea").fill(exercises.PROSE)
        elif ASKED[id] in ("choice", "number"):
            assert answer_by_keyboard(tab, id, exercises.typed(id, right_answers(id)[0])).startswith("Right. ")
        else:
            assert check(tab, id).startswith("Not started")
            assert check(tab, id, source_of(NAME, id)).startswith("Right on all the inputs")
    as_students_write = HELPERS + inspect.getsource(column_mean).replace("column_mean", "all_pairs")
    said = check(tab, "permutation.all_pairs", as_students_write)
    with blocked(QUESTIONS["permutation.all_pairs"].blocked):
        found = judge(QUESTIONS["permutation.all_pairs"], column_mean)
    assert found.mistake == "the mean put in" and said.startswith("Not yet: the mean put in. ")
    assert exercises.plain_words(found.text).replace("column_mean", "all_pairs") in said
    assert "10 of 13" in tab.locator(".fi-points").inner_text()
    unfinished = downloaded(tab)
    assert check(tab, "permutation.all_pairs", source_of(NAME, "permutation.all_pairs")).startswith("Right on all")
    assert tab.locator(".fi-points").inner_text() == "Points on this page so far: 13 of 13."
    grades = graded({"anna": unfinished, "ben": downloaded(tab)}, tmp_path)
    for student, lost in (("anna", {"permutation.all_pairs"}), ("ben", set())):
        rows = grades[student]
        assert set(rows) == set(questions_of(NAME))
        for id, row in rows.items():
            expected = "by hand" if ASKED[id] == "prose" else "wrong" if id in lost else "right"
            points = {"by hand": "", "wrong": 0, "right": QUESTIONS[id].points}[expected]
            assert (row["status"], float(row["points"]) if row["points"] else "", row["flag"]) == (expected, points, "")


def test_code_is_kept_and_comes_back_with_its_verdict(tab):
    id, source = "permutation.all_pairs", source_of(NAME, "permutation.all_pairs")
    check(tab, id, source)
    tab.reload()
    assert "np.mean(after) - before" in tab.locator(f".cell:has(+ [data-question='{id}']) pre").inner_text()
    start_python(tab)
    place = place_of(tab, id)
    assert place.locator("textarea").input_value() == source
    assert place.locator(".fi-verdict").inner_text().startswith("Right, when it was last checked.")
    place.get_by_role("button", name="Start over").click()
    assert place.locator("textarea").input_value() == source_of(NAME, id, "exercises")
    place.get_by_role("button", name="Undo").click()
    assert place.locator("textarea").input_value() == source
    tab.get_by_role("button", name="Start over with all code").click()
    assert place.locator("textarea").input_value() == source_of(NAME, id, "exercises")
    place.get_by_role("button", name="Undo").click()
    assert place.locator("textarea").input_value() == source


def test_errors_are_shown_as_in_jupyterlab_and_a_stumbling_function_shows_where(tab):
    id = "permutation.all_pairs"
    check(tab, id, "def all_pairs(X, y, weights, j):\n    return np.zeros(")
    outputs = place_of(tab, id).locator(".fi-live-output")
    assert "SyntaxError" in outputs.inner_text() and not place_of(tab, id).locator(".fi-verdict").is_visible()
    said = check(tab, id, "def all_pairs(X, y, weights, j):\n    return weights[7]")
    assert said.startswith("Not yet. On all_pairs(") and "IndexError" in said
    place_of(tab, id).get_by_text("Where it happened").click()
    assert "return weights[7]" in place_of(tab, id).locator("details pre").inner_text()
    said = check(tab, id, "import fi_teach.importance as fi\ndef all_pairs(X, y, weights, j):\n"
                          "    return fi.exact_permutation_importance(lambda T: T @ weights, X, y).mean[j]")
    assert said.startswith("Not yet: borrowed.")


def test_an_endless_loop_is_stopped_where_it_runs_and_a_fresh_python_judges(tab):
    """On a phone: the page stays alive."""
    id, desktop = "permutation.mend_groups", tab.viewport_size
    tab.set_viewport_size({"width": 360, "height": 780})
    place = place_of(tab, id)
    assert place.locator(".fi-source").evaluate("area => getComputedStyle(area).color") == "rgba(0, 0, 0, 0)"
    place.locator("textarea").fill("while True:\n    print('again')")
    assert place.locator(".fi-colours .k").evaluate("word => getComputedStyle(word).color") != place.locator(
        ".fi-colours").evaluate("colours => getComputedStyle(colours).color")
    stop = place.get_by_role("button", name="Stop")
    assert not stop.is_visible()
    place.get_by_role("button", name="Check", exact=True).click()
    place.locator(".fi-live-output", has_text="A page shows the first").wait_for(timeout=PATIENCE)
    assert stop.bounding_box()["height"] >= 44
    place_of(tab, "permutation.recall_judges").locator("input").fill("4")  # the page does not freeze
    stop.click()
    place.locator("[aria-busy=false]").wait_for(timeout=PATIENCE)
    assert "Stopped" in tab.locator(".fi-live [role=status]").inner_text()
    assert check(tab, id, source_of(NAME, id)).startswith("Right on all")
    tab.set_viewport_size(desktop)


def test_a_number_may_be_written_as_code_and_a_loaded_notebook_fills_the_editors(tab):
    id = "permutation.accuracy"
    answer_by_keyboard(tab, id, {"answer": "0.5"})
    place = place_of(tab, id)
    place.get_by_role("button", name="Write it as code").click()
    assert place.locator("textarea").input_value() == "fall = (\n    0.5\n)"
    said = check(tab, id, "fall = .9 - np.mean([.8, .84, .7])")
    assert said.startswith("Right. ") and not place.locator("form").is_visible()
    text = downloaded(tab)
    place.get_by_role("button", name="Back to the field").click()
    assert place.locator("form").is_visible() and place.locator("textarea").count() == 0
    exercises.load(tab, text)
    assert "np.mean" in place.locator("textarea").input_value() and downloaded(tab) == text
    changed = json.loads(text)
    cell = next(c for c in changed["cells"] if c["id"] == "permutation-all_pairs-answer")
    cell["source"] = source_of(NAME, "permutation.all_pairs")
    exercises.load(tab, json.dumps(changed))
    assert check(tab, "permutation.all_pairs").startswith("Right on all")


def test_a_page_with_editors_and_verdicts_passes_the_accessibility_rules_and_fits(tab):
    """By day, at night and on a phone, every detail open; at 360 pixels nothing is cut."""
    check(tab, "permutation.all_pairs", "def all_pairs(X, y, weights, j):\n    print('seen')\n    return weights[7]")
    check(tab, "permutation.test_groups", source_of(NAME, "permutation.test_groups"))
    tab.evaluate("document.querySelectorAll('.bd-article details').forEach((part) => { part.open = true; })")
    assert_accessible(tab)
    tab.set_viewport_size({"width": 360, "height": 780})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    assert tab.evaluate(CUT) == []


PROVE = """async ([program]) => {
    const { Python } = await import(new URL(fi.root + "_static/live/live.js", location.href));
    const py = window.prover ??= new Python(), shown = [];
    await py.start();
    const end = await py.run(program, { onOutput: (output) => shown.push(output.text ?? output.traceback.join("\\n")), name: "proof" });
    return [end.status, shown.join("")];
}"""


def set_to_prove(name):
    """What `prove` is given -> [name, solutions, exercises, answers, module, implementations]."""
    cells = [json.loads((ROOT / folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
             for folder in ("solutions", "exercises")]
    questions = ROOT / "fi_course/questions"
    files = (ROOT / f"tests/course/questions/answers/ch{name.split('_')[0]}.py", questions / f"ch{name}.py",
             questions / f"implementations_to_test/ch{name}.py")
    return [name, *cells, *(path.read_text(encoding="utf-8") if path.exists() else "" for path in files)]


@pytest.mark.parametrize("name", WANTED)
def test_every_answer_of_the_proof_is_judged_the_same_in_the_page(tab, name):
    """Right, not started, each named mistake: what `tests/course/questions` proves, in Chromium's WebAssembly."""
    program = (ROOT / "tests/course/questions/prove.py").read_text(encoding="utf-8")
    program += f"\nimport json\nprint(json.dumps(prove(*json.loads({json.dumps(set_to_prove(name))!r}))))"
    status, shown = tab.evaluate(PROVE, [program])
    assert status == "ok", shown[-2000:]
    found = json.loads(shown.splitlines()[-1])
    assert found["gaps"] == [] and found["judged"] > 40
