"""Export to nbgrader: a gradebook with our points, and notebooks for grading prose by hand.

The report's folder becomes an nbgrader course: start `nbgrader formgrader` in it.
"""

import json
import os
import sys
import warnings
from pathlib import Path

from fi_course.questions import QUESTIONS
from fi_grader import escaping
from fi_grader.release import NBGRADER_CONFIG
from fi_grader.report.results import write
from fi_grader.report.views import WORDS


def export(report, assignments):
    """Write gradebook.db and autograded/<student>/<exercise>/ for nbgrader's Formgrader.

    Points that a person has given there stay. Raises ValueError, saying what to do.
    """
    config = report.folder / "nbgrader_config.py"
    if not config.exists() or config.read_text(errors="replace").startswith(NBGRADER_CONFIG):
        # nbgrader's own export gets a name of its own
        write(config, NBGRADER_CONFIG + 'c.ExportPlugin.to = "nbgrader-grades.csv"\n')
    names = sorted({exercise for _, exercise in report.records})
    try:
        with warnings.catch_warnings(action="ignore"), opened(report.folder) as book:
            for name in names:
                _describe(book, assignments[name])
                write(report.folder / "source" / name / f"{name}.ipynb",
                      assignments[name].path.read_bytes())
            _remove_missing(book, report.records, names)
            for student in report.students():
                for name, record in student.records.items():
                    _enter(book, record, student.scores[name], assignments[name])
                    _write_notebook(report.folder, record, assignments[name])
    except Exception as error:
        if not type(error).__module__.startswith("sqlalchemy"):
            raise
        raise ValueError(f"cannot write {report.folder / 'gradebook.db'}: "
                         f"{getattr(error, 'orig', error)}. The grades themselves are written: "
                         "mend that (more space, or close what has the gradebook open) and start "
                         "the same command again.") from None


def opened(folder):
    """Open or create nbgrader's gradebook in a course folder -> Gradebook, for a `with` block."""
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


def _describe(book, assignment):
    """Enter the cells of an assignment and their points in the gradebook."""
    book.update_or_create_assignment(assignment.name)
    book.update_or_create_notebook(assignment.name, assignment.name)
    for cell in assignment.cells:
        facts, where = cell.grading, (cell.grade_id, assignment.name, assignment.name)
        if facts.get("grade"):
            book.update_or_create_grade_cell(*where, max_score=facts["points"], cell_type=cell.kind)
        if facts.get("solution"):
            book.update_or_create_solution_cell(*where)
        if facts:
            book.update_or_create_source_cell(*where, cell_type=cell.kind, source=cell.source,
                                              locked=bool(facts.get("locked")))


def _remove_missing(book, records, exercises):
    """Remove submissions that no longer exist, unless a person has given points for one."""
    here = {(exercise, escaping.nbgrader_id(student)) for student, exercise in records}
    for one in [s for name in exercises for s in book.assignment_submissions(name)]:
        place = one.assignment.name, one.student.id
        is_marked = any(grade.manual_score is not None for notebook in one.notebooks
                        for grade in notebook.grades)
        if place not in here and not is_marked:
            book.remove_submission(*place)


def _enter(book, record, score, assignment):
    """Enter one record's points and what being late costs; mark what a person has yet to grade."""
    student, name = escaping.nbgrader_id(record["student"]), assignment.name
    book.update_or_create_student(student)
    book.update_or_create_submission(name, student)
    graded = {cell.question: cell.grade_id for cell in assignment.cells
              if cell.grading.get("grade")}
    for row in record["rows"]:
        grade = book.find_grade(graded[row["question"]], name, name, student)
        grade.auto_score = row["points"] if row["status"] not in ("by hand", "marked") else None
        if row["marked"] not in ("", "Formgrader") or row["changed"]:
            grade.manual_score = row["points"]
        grade.needs_manual_grade = row["points"] is None and grade.manual_score is None
    notebook = book.find_submission_notebook(name, name, student)
    notebook.late_submission_penalty = (score.points or 0) - (score.counted or 0)
    book.db.commit()


def _write_notebook(folder, record, assignment):
    """Write a notebook for Formgrader: the exercise's own cells, with answers and verdicts.

    Formgrader renders prose as a page of the server that also runs the instructor's notebooks, so
    what a student wrote there is a listing: to be read, never rendered.
    """
    notebook = json.loads(assignment.path.read_text(encoding="utf-8"))
    rows = {row["question"]: row for row in record["rows"]}
    cells = []
    for raw, cell in zip(notebook["cells"], assignment.cells, strict=True):
        cells.append(raw)
        if cell.part == "answer":
            answer = record.get("answers", {}).get(cell.question, "")
            answer = answer.encode("utf-8", "replace").decode()
            raw["source"] = answer if cell.kind == "code" else escaping.listing(answer)
            if cell.grading.get("grade"):
                lines = [f"- {points} point{'s' * (points > 1)}: {what}"
                         for points, what in QUESTIONS[cell.question].rubric]
                cells.append({"cell_type": "markdown", "id": f"{cell.id}-rubric"[:64],
                              "metadata": {}, "source": "\n".join(["**Rubric**", "", *lines])})
        elif cell.part == "check":
            row = rows[cell.question]
            text = f"{WORDS[row['status']]}. {row['message']}\n{'; '.join(row['flags'])}".strip()
            raw["outputs"] = [{"output_type": "stream", "name": "stdout",
                               "text": escaping.lines(text) + "\n"}]
    path = folder / "autograded" / escaping.nbgrader_id(record["student"]) / assignment.name
    write(path / f"{assignment.name}.ipynb", json.dumps({**notebook, "cells": cells}, indent=1))
