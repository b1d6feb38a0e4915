"""Make submissions out of the exercises: every answer filled in, then spoiled in one way or another."""

import io
import json
import runpy
import sys
import zipfile
from datetime import datetime
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "course" / "questions"))
from prove import mistaken_answers

from fi_course.questions import QUESTIONS
from fi_grader.notebooks.exercise import load
from fi_teach.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
SETS = load(ROOT / "exercises")
EXERCISE, ESSAY = "01_trees", "trees.what_sixty_means"
TREES = SETS[EXERCISE]
ANSWERS_FILE = ROOT / "tests" / "course" / "questions" / "answers" / "ch01.py"
PROSE = "Attendance took away 60 % of the impurity that this one tree takes away on its eight training rows."


@cache
def _text(folder):
    return (ROOT / folder / f"{EXERCISE}.ipynb").read_text(encoding="utf-8")


@cache
def proof():
    """RIGHT and WRONG answers to the set as its proof has them, of functions those with a source to send -> dict."""
    found, wrong = runpy.run_path(str(ANSWERS_FILE)), {}
    for id in TREES.expressions:
        by_hand = found["WRONG"].get(id, [])
        known = mistaken_answers(QUESTIONS[id], by_hand=by_hand)
        wrong[id] = [one for one in known if one in by_hand or not callable(one[1])]
    return {"RIGHT": found["RIGHT"], "WRONG": wrong}


def handed_out():
    """The exercise as students get it -> notebook as JSON, ours to change."""
    return json.loads(_text("exercises"))


def _about(cell):
    return cell["metadata"].get("fi_teach", {})


def find(notebook, question, part):
    """A question's answer or check cell in a notebook -> cell."""
    return next(c for c in notebook["cells"] if _about(c).get("part") == part and _about(c)["question"] == question)


def filled(answers=None, prose=PROSE):
    """The exercise with every answer right, but for those given as {question: source of its cell} -> notebook."""
    notebook, right = handed_out(), json.loads(_text("solutions"))
    for question in TREES.expressions:
        find(notebook, question, "answer")["source"] = (answers or {}).get(
            question, "".join(find(right, question, "answer")["source"]))
    find(notebook, ESSAY, "answer")["source"] = prose
    return notebook


def from_proof(which, number):
    """The exercise with the number-th right (or wrong) answer of the proof to each question -> (notebook, {question:
    mistake}).

    Where the proof has no so many the answer is the reference.
    """
    answers, names = {}, {}
    for question, known in proof()[which].items():
        if number < len(known):
            names[question], answer = known[number] if which == "WRONG" else ("", known[number])
            pick = answer.__name__ if callable(answer) else repr(answer)
            answers[question] = f"{ANSWERS_FILE.read_text(encoding='utf-8')}\n{TREES.expressions[question]} = {pick}"
    return filled(answers), names


def to_bytes(notebook):
    """A notebook as a file's content -> bytes."""
    return json.dumps(notebook).encode()


def zipped(files, when=datetime(2026, 10, 11, 12), method=zipfile.ZIP_DEFLATED):
    """{name: bytes, or (bytes, when it was handed in, what kind of file it is)} as a zip file -> bytes."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", method) as archive:
        for name, held in files.items():
            content, time, kind = (*held, 0)[:3] if isinstance(held, tuple) else (held, when, 0)
            entry = zipfile.ZipInfo(name, time.timetuple()[:6])
            entry.create_system, entry.external_attr = 3, kind
            archive.writestr(entry, content, method, 1)
    return memory.getvalue()


def lay(folder, files):
    """Write {path: bytes or notebook}; a path that ends with / is an empty folder -> folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        content = content if isinstance(content, bytes) else to_bytes(content)
        (folder / name).mkdir() if name.endswith("/") else (folder / name).write_bytes(content)
    return folder


def lay_course(folder, **students):
    """Lay out exercises/ with the one set, and in/ with each student's notebook of it -> folder."""
    handed_in = {f"in/{student}/{EXERCISE}.ipynb": notebook for student, notebook in students.items()}
    return lay(folder, {f"exercises/{EXERCISE}.ipynb": _text("exercises").encode(), **handed_in})


def grade(folder, *options, out="out"):
    """Grade what `lay_course` has laid out -> folder of the report."""
    words = ["grade", "--out", folder / out, "--exercises", folder / "exercises", folder / "in", *options]
    assert main(list(map(str, words))) == 0
    return folder / out
