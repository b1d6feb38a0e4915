"""Export to nbgrader: a gradebook with our points, and notebooks for grading prose by hand.

The report's folder becomes an nbgrader course: start `nbgrader formgrader` in it.
"""

import hashlib
import json
import os
import re
import sys
import warnings
from contextlib import closing
from copy import deepcopy
from pathlib import Path

from fi_course.questions import QUESTIONS
from fi_grader import escaping
from fi_grader.judging.worker import Worker
from fi_grader.pages import WORDS
from fi_grader.release import NBGRADER_CONFIG
from fi_grader.results import write
from fi_grader.submissions import reading as read

LONGEST_ID = 80
"""Bytes of a name: it is a folder's, too."""


def export(report, records, assignments, submissions, marks=None):
    """Write gradebook.db and autograded/<student>/<exercise>/ for nbgrader's Formgrader.

    submissions : {(student, exercise): Submission}, to read the prose from
    marks : the Marks that people have given elsewhere; they are entered Grades that a person has
        given in formgrader stay. Raises ValueError if the report cannot be written or nbgrader is
        missing.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own, about its database
            _export(report, records, assignments, submissions, marks)
    except Exception as error:
        if not type(error).__module__.startswith("sqlalchemy"):
            raise
        raise ValueError(f"cannot write {report / 'gradebook.db'}: "
                         f"{getattr(error, 'orig', error)}. The grades themselves are written: "
                         "mend that "
                         "(more space, or close what has the gradebook open) and start the same "
                         "command again.") from None


def _export(report, records, assignments, submissions, marks):
    _configure(report / "nbgrader_config.py")
    exercises = sorted({exercise for _, exercise in records})
    worker = Worker({"exercises": str(next(iter(assignments.values())).path.parent)})
    with opened(report) as book, closing(worker):
        for name in exercises:
            _describe(book, assignments[name])
            write(report / "source" / name / f"{name}.ipynb", assignments[name].path.read_bytes())
        _remove_missing(book, records)
        for record in records.values():
            _enter(book, marks.merged(record) if marks else record, assignments[record["exercise"]])
            place = record["student"], record["exercise"]
            if place in submissions:
                _write_notebook(report, record, assignments[record["exercise"]],
                                _answers(worker, submissions[place]))


def _configure(path):
    """Write nbgrader's settings, unless somebody has written others.

    Its exports get a file name of their own.
    """
    if not path.exists() or path.read_text(errors="replace").startswith(NBGRADER_CONFIG):
        write(path, NBGRADER_CONFIG + 'c.ExportPlugin.to = "nbgrader-grades.csv"\n')


def opened(folder):
    """Open or create nbgrader's gradebook in a course folder -> Gradebook, for a `with` block.

    Raises ValueError if nbgrader is not installed.
    """
    try:
        from nbgrader.api import Gradebook
    except ImportError:
        raise ValueError('--gradebook needs nbgrader: pip install "fi-teach[grade]"') from None
    path = os.environ["PATH"]
    # nbgrader starts `alembic` by its bare name
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), path])
    try:
        return Gradebook(f"sqlite:///{Path(folder).resolve()}/gradebook.db")
    finally:
        os.environ["PATH"] = path


def id_of(student):
    """Return a student's id in nbgrader: safe characters only, and unique -> str.

    nbgrader puts it into pages, addresses and scripts as it is, so what could act there is left
    out, and the hash of the whole name tells it from others.
    """
    digest = hashlib.sha256(os.fsencode(student)).hexdigest()[:12]
    safe = re.sub(r"[^\w .,+@()-]|^\.+", "_", escaping.name(student))
    is_other = (safe != student or len(os.fsencode(safe)) > LONGEST_ID
                or re.search("-[0-9a-f]{12}$", safe))
    return f"{safe[:40]}-{digest}" if is_other else safe


def _graded_cells(assignment):
    """Return the cells that earn points: checks, or answers graded by hand -> {question: Cell}."""
    return {c.question: c for c in assignment.cells if dict(c.grading).get("grade")}


def _remove_missing(book, records):
    """Remove submissions that no longer exist, unless a person has given points for one."""
    here = {(exercise, id_of(student)) for student, exercise in records}
    for one in [s for name in {e for _, e in records} for s in book.assignment_submissions(name)]:
        place = one.assignment.name, one.student.id
        marked = any(grade.manual_score is not None for notebook in one.notebooks
                     for grade in notebook.grades)
        if place not in here and not marked:
            book.remove_submission(*place)


def _describe(book, assignment):
    """Enter the cells of an assignment and their points in the gradebook."""
    book.update_or_create_assignment(assignment.name)
    book.update_or_create_notebook(assignment.name, assignment.name)
    for cell in assignment.cells:
        facts, where = dict(cell.grading), (cell.grade_id, assignment.name, assignment.name)
        if facts.get("grade"):
            book.update_or_create_grade_cell(*where, max_score=cell.points, cell_type=cell.kind)
        if facts.get("solution"):
            book.update_or_create_solution_cell(*where)
        if facts:
            book.update_or_create_source_cell(*where, cell_type=cell.kind, source=cell.source,
                                              locked=bool(facts.get("locked")))


def _enter(book, record, assignment):
    """Enter one record's points; mark what a person has yet to grade."""
    student, name = id_of(record["student"]), assignment.name
    book.update_or_create_student(student)
    book.update_or_create_submission(name, student)
    cells = _graded_cells(assignment)
    for row in record["rows"]:
        grade = book.find_grade(cells[row["question"]].grade_id, name, name, student)
        grade.auto_score = row["points"] if row["status"] not in ("by hand", "marked") else None
        if row.get("marked", "Formgrader") != "Formgrader" or row.get("changed"):
            grade.manual_score = row["points"]
        grade.needs_manual_grade = row["points"] is None and grade.manual_score is None
    book.db.commit()


def _write_notebook(report, record, assignment, answers):
    """Write a notebook for Formgrader: the exercise's own cells, with answers and verdicts.

    Formgrader renders prose as a page of the server that also runs the instructor's notebooks, so
    what a student wrote there is a listing: to be read, never rendered.
    """
    notebook = json.loads(assignment.path.read_text(encoding="utf-8"))
    rows, cells = {row["question"]: row for row in record["rows"]}, []
    for place, (raw, cell) in enumerate(zip(notebook["cells"], assignment.cells, strict=True)):
        cells.append(_with_answer(deepcopy(raw), cell, answers.get(str(place), ""), rows))
        cells += _rubric(cell)
    notebook["cells"] = cells
    folder = report / "autograded" / id_of(record["student"]) / assignment.name
    write(folder / f"{assignment.name}.ipynb", json.dumps(notebook, indent=1))


def _answers(worker, submission):
    """Read a submission's answer cells -> {place of the handed-out cell: source}.

    A worker with limited memory reads it; what it cannot read was flagged when it was graded.
    """
    try:
        return worker.ask(submission.exercise, read.content_of(submission), "read")["answers"]
    except (ValueError, RuntimeError):
        return {}


def _with_answer(raw, cell, answer, rows):
    if cell.part == "answer":
        answer = answer.encode("utf-8", "replace").decode()
        raw["source"] = answer if cell.kind == "code" else escaping.listing(answer)
    if cell.part == "check":
        row = rows[cell.question]
        text = f"{WORDS[row['status']]}. {row['message']}\n{'; '.join(row['flags'])}".strip()
        text = escaping.lines(text) + "\n"
        raw["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]
    return raw


def _rubric(cell):
    """Build a cell with the rubric, after an answer graded by hand -> list of one cell or none."""
    if cell.part != "answer" or not dict(cell.grading).get("grade"):
        return []
    lines = [f"- {points} point{'s' * (points > 1)}: {what}"
             for points, what in QUESTIONS[cell.question].rubric]
    return [{"cell_type": "markdown", "id": f"{cell.id}-rubric"[:64], "metadata": {},
             "source": "\n".join(["**Rubric**", "", *lines])}]
