"""Export to nbgrader: its gradebook with our points, and notebooks in which a person reads and grades the prose.

The report's folder becomes an nbgrader course: start `nbgrader formgrader` in it.
"""

import json
import os
import sys
import warnings
from copy import deepcopy
from pathlib import Path

from fi_teach.course.grading import read
from fi_teach.course.grading.align import match
from fi_teach.course.grading.pages import WORDS
from fi_teach.course.grading.proxies import printable
from fi_teach.course.grading.results import write
from fi_teach.course.questions import QUESTIONS
from fi_teach.course.questions.release import NBGRADER_CONFIG


def export(report, records, assignments, submissions):
    """Write gradebook.db, and autograded/<student>/<exercise>/ for formgrader, from Records.

    submissions : {(student, exercise): Submission}, to read the prose from
    Grades that a person has given in formgrader stay. Raises ValueError if the report cannot be written or nbgrader is missing.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own, about its database
            _export(report, records, assignments, submissions)
    except Exception as error:
        if not type(error).__module__.startswith("sqlalchemy"):
            raise
        raise ValueError(f"cannot write {report / 'gradebook.db'}: {getattr(error, 'orig', error)}. The grades themselves are written: mend that "
                         "(more space, or close what has the gradebook open) and start the same command again.") from None


def _export(report, records, assignments, submissions):
    write(report / "nbgrader_config.py", NBGRADER_CONFIG)
    exercises = sorted({exercise for _, exercise in records})
    with opened(report) as book:
        for name in exercises:
            _describe(book, assignments[name])
            write(report / "source" / name / f"{name}.ipynb", assignments[name].path.read_bytes())
        for record in records.values():
            _enter(book, record, assignments[record["exercise"]])
            place = record["student"], record["exercise"]
            if place in submissions:
                _show(report, record, assignments[record["exercise"]], submissions[place])


def opened(folder):
    """nbgrader's gradebook of a course folder, made if it is not there -> Gradebook, for a `with` block.

    Raises ValueError if nbgrader is not installed.
    """
    try:
        from nbgrader.api import Gradebook
    except ImportError:
        raise ValueError('--gradebook needs nbgrader: pip install "fi-teach[grade]"') from None
    path = os.environ["PATH"]
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), path])  # nbgrader starts `alembic` by its bare name
    try:
        return Gradebook(f"sqlite:///{Path(folder).resolve()}/gradebook.db")
    finally:
        os.environ["PATH"] = path


def _graded_cells(assignment):
    """The cells that earn points -> {question: Cell}: the check, or the answer where a person grades it."""
    return {c.question: c for c in assignment.cells if dict(c.grading).get("grade")}


def _describe(book, assignment):
    """Tell the gradebook which cells there are and what they are worth."""
    book.update_or_create_assignment(assignment.name)
    book.update_or_create_notebook(assignment.name, assignment.name)
    for cell in assignment.cells:
        facts, where = dict(cell.grading), (cell.grade_id, assignment.name, assignment.name)
        if facts.get("grade"):
            book.update_or_create_grade_cell(*where, max_score=cell.points, cell_type=cell.kind)
        if facts.get("solution"):
            book.update_or_create_solution_cell(*where)
        if facts:
            book.update_or_create_source_cell(*where, cell_type=cell.kind, source=cell.source, locked=bool(facts.get("locked")))


def _enter(book, record, assignment):
    """Enter one record's points; what waits for a person is marked so, unless one has graded it."""
    student, name = printable(record["student"]), assignment.name
    book.update_or_create_student(student)
    book.update_or_create_submission(name, student)
    cells = _graded_cells(assignment)
    for row in record["rows"]:
        grade = book.find_grade(cells[row["question"]].grade_id, name, name, student)
        grade.auto_score = row["points"]
        grade.needs_manual_grade = row["points"] is None and grade.manual_score is None
    book.db.commit()


def _show(report, record, assignment, submission):
    """Write the notebook that formgrader shows: the exercise's own cells, with the student's answers and our verdicts in them."""
    notebook = json.loads(assignment.path.read_text(encoding="utf-8"))
    answers = _answers(assignment, submission)
    rows, cells = {row["question"]: row for row in record["rows"]}, []
    for raw, cell in zip(notebook["cells"], assignment.cells, strict=True):
        cells.append(_with_answer(deepcopy(raw), cell, answers, rows))
        cells += _rubric(cell)
    notebook["cells"] = cells
    folder = report / "autograded" / os.path.basename(printable(record["student"])) / assignment.name
    write(folder / f"{assignment.name}.ipynb", json.dumps(notebook, indent=1))


def _answers(assignment, submission):
    """What stands in a submission's answer cells -> {place of the handed-out cell: source}."""
    try:
        cells, _, _ = read.notebook_of(read.content_of(submission)) if submission.path else ([], {}, [])
    except ValueError:
        return {}
    answers = {}
    for position, place in sorted(match(assignment.cells, cells).items()):
        answers[place] = "\n\n".join(filter(None, [answers.get(place), cells[position].source]))
    return {assignment.cells[place]: source for place, source in answers.items()}


def _with_answer(raw, cell, answers, rows):
    if cell.part == "answer":
        raw["source"] = answers.get(cell, "")
    if cell.part == "check":
        row = rows[cell.question]
        said = f"{WORDS[row['status']]}. {row['message']}\n{'; '.join(row['flags'])}".strip() + "\n"
        raw["outputs"] = [{"output_type": "stream", "name": "stdout", "text": said.encode("utf-8", "replace").decode()}]
    return raw


def _rubric(cell):
    """A cell that tells the grader what earns points, after an answer a person reads -> list of one cell or none."""
    if cell.part != "answer" or not dict(cell.grading).get("grade"):
        return []
    lines = [f"- {points} point{'s' * (points > 1)}: {what}" for points, what in QUESTIONS[cell.question].rubric]
    return [{"cell_type": "markdown", "id": f"{cell.id}-rubric"[:64], "metadata": {}, "source": "\n".join(["**Rubric**", "", *lines])}]
