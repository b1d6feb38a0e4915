"""Read what people add to the results: points and comments for prose, and corrections.

`REPORT/marks/*.csv`, one file an assistant, with the columns student, question, rubric_1 ... (1
where a point of the rubric is met) or points, and comment. `REPORT/overrides.csv`, with the columns
student, question, points, reason. Both are files of the people who mark: the grader reads them
each time it writes its tables, and never writes into them. Points given in nbgrader's Formgrader
are read from its gradebook. An override wins over a mark, a mark over Formgrader.
"""

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches
from urllib.parse import quote

from fi_course.questions import QUESTIONS
from fi_grader.gradebook import id_of
from fi_grader.spreadsheets import check_columns, number_of, read_table

ANSWERS = "answers.jsonl"
CHANGED = "answer changed since it was marked"
FORMGRADER_QUERY = """
SELECT student.id, assignment.name, base_cell.name, grade.manual_score
FROM grade JOIN submitted_notebook ON grade.notebook_id = submitted_notebook.id
JOIN submitted_assignment ON submitted_notebook.assignment_id = submitted_assignment.id
JOIN student ON submitted_assignment.student_id = student.id
JOIN assignment ON submitted_assignment.assignment_id = assignment.id
JOIN base_cell ON grade.cell_id = base_cell.id
WHERE grade.manual_score IS NOT NULL
"""


@dataclass(frozen=True)
class Mark:
    """Points that a person gave for an answer.

    answer : the digest of the answer that was read, "" if the file does not say
    ticks : the numbers of the rubric's points that are met
    """

    points: float
    comment: str = ""
    by: str = ""
    answer: str = ""
    ticks: tuple = ()


@dataclass(frozen=True)
class Override:
    """Points that a person has decided on, and why."""

    points: float
    reason: str


class Marks:
    """All marks, overrides and Formgrader points of a report, by (student, question).

    answers : {(student, question): digest} of the prose as it is now
    """

    def __init__(self, report, students=(), answers=None):
        self.answers = answers or {}
        self.marks, self.overrides, self.formgrader, self.marked_twice = {}, {}, {}, {}
        for path in sorted((report / "marks").glob("*.csv")):
            self._add(read_marks(path))
        if (report / "overrides.csv").exists():
            self.overrides = read_overrides(report / "overrides.csv")
        self.unknown_students = self._unknown_students(students) if students else []
        if (report / "gradebook.db").exists():
            self.formgrader = read_formgrader(report / "gradebook.db")

    def _add(self, marks):
        for place, mark in marks.items():
            before = self.marks.get(place, mark)
            if before.points != mark.points:
                both = f"{before.by} {before.points:g}, {mark.by} {mark.points:g}"
                self.marked_twice[place] = f"marked twice: {both}"
            self.marks[place] = mark

    def _unknown_students(self, students):
        """List students that marks or corrections name and nobody knows, with near names."""
        unknown = dict.fromkeys(student for student, _ in [*self.overrides, *self.marks]
                                if student not in students)
        return [f"{student} (near it: {', '.join(near)})"
                if (near := get_close_matches(student, students, 2, 0.4)) else student
                for student in unknown]

    def merged(self, record):
        """Merge a record with its marks -> dict; rows gain `comment`, `changed` and `marked`."""
        rows = [self._row(record, row) for row in record["rows"]]
        doubts = [f"{row['question']}: {flag}" for row in rows for flag in row["flags"]
                  if flag == CHANGED or flag.startswith("marked twice")]
        return {**record, "rows": rows, "human": [*record["human"], *doubts]}

    def _row(self, record, row):
        place = record["student"], row["question"]
        row = {**row, "comment": "", "changed": "", "marked": ""}
        mark, override = self.marks.get(place), self.overrides.get(place)
        if row["status"] == "by hand" and mark:
            row.update(points=mark.points, status="marked", comment=mark.comment, marked=mark.by)
            row["flags"] = [*row["flags"],
                            *[CHANGED] * _has_changed(mark.answer, self.answers.get(place, "")),
                            *filter(None, [self.marked_twice.get(place)])]
        elif row["status"] == "by hand":
            points = self.formgrader.get((id_of(record["student"]), record["exercise"],
                                          f"{row['question'].replace('.', '-')}-answer"))
            if points is not None:
                row.update(points=points, status="marked", marked="Formgrader")
        elif mark:
            row["comment"] = mark.comment
        if override:
            row.update(changed=f"{_points_text(row['points'])} -> {_points_text(override.points)}: "
                       f"{override.reason}", points=override.points)
            row["status"] = "marked" if row["status"] in ("by hand", "marked") else row["status"]
        return row


def _has_changed(marked, now):
    return bool(marked and now) and marked != now


def _points_text(points):
    return "no points yet" if points is None else f"{points:g}"


def answer_lines(report):
    """Read the prose of a report, as `prose.update_answers` wrote it -> list of dicts."""
    path = report / ANSWERS
    return list(map(json.loads, path.read_text().splitlines())) if path.exists() else []


def answers_of(report):
    """Return the prose of a report -> {(student, question): answer}."""
    return {(line["student"], line["question"]): line["answer"] for line in answer_lines(report)}


def digest(answer):
    """Hash an answer -> str of twelve letters."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_marks(path):
    """Read an assistant's marks -> {(student, question): Mark}; empty rows are skipped.

    Raises ValueError, naming file and line, if a question is unknown or the points are more than
    there are.
    """
    columns, rows = read_table(path)
    check_columns(path, columns, ("student", "question"))
    ticks = [c
             for c in columns if c.startswith("rubric_") and c.removeprefix("rubric_").isdecimal()]
    found = {}
    for line, row in enumerate(rows, 2):
        where = f"{path}, line {line}"
        question = _question(row["question"], where)
        given = [row[c].strip() for c in ticks]
        points = row.get("points", "").strip()
        if not points and not any(given):
            continue
        met = _met(question, dict(zip(ticks, given, strict=True)), where)
        value = number_of(points, where) if points else sum(question.rubric[n - 1][0] for n in met)
        found[_plain(row["student"]), question.id] = Mark(
            _within(value, question, where), _plain(row.get("comment", "")),
            _plain(row.get("by", "")) or path.stem, row.get("answer", "").strip(), met)
    return found


def _plain(text):
    """Remove the apostrophe that keeps spreadsheets from reading a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and text[1:2] in "=+-@" else text


def _met(question, ticks, where):
    """Return the rubric's points that are ticked -> tuple of numbers."""
    chosen = tuple(sorted(int(name.removeprefix("rubric_")) for name, tick in ticks.items()
                          if tick not in ("", "0", "-", "no")))
    beyond = [n for n in chosen if not 1 <= n <= len(question.rubric)]
    if beyond:
        raise ValueError(f"{where}: rubric_{beyond[0]} is ticked, "
                         f"and {question.id} has {len(question.rubric)} points of rubric.")
    return chosen


def read_overrides(path):
    """Read corrections -> {(student, question): Override}; the last line of each counts.

    Raises ValueError if one has no reason.
    """
    columns, rows = read_table(path)
    check_columns(path, columns, ("student", "question", "points", "reason"))
    found = {}
    for line, row in enumerate(rows, 2):
        where = f"{path}, line {line}"
        question = _question(row["question"], where)
        if not row["reason"].strip():
            raise ValueError(f"{where}: a correction needs a reason, which the student reads.")
        points = _within(number_of(row["points"], where), question, where)
        found[_plain(row["student"]), question.id] = Override(points, _plain(row["reason"]))
    return found


def _question(name, where):
    name = name.strip()
    if name not in QUESTIONS:
        near = get_close_matches(name, QUESTIONS, 2, 0.4)
        raise ValueError(f"{where}: there is no question {name!r}. "
                         + f"Near it: {', '.join(near)}." * bool(near))
    return QUESTIONS[name]


def _within(points, question, where):
    if not 0 <= points <= question.points:
        raise ValueError(f"{where}: {points:g} points for {question.id}, "
                         f"which is worth {question.points}.")
    return int(points) if float(points).is_integer() else points


def read_formgrader(path):
    """Read the points given in Formgrader -> {(nbgrader's student id, exercise, cell): points}.

    The gradebook is only read.
    """
    with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)) as book:
        try:
            rows = book.execute(FORMGRADER_QUERY).fetchall()
        except sqlite3.Error as error:
            raise ValueError(
                f"{path} is no gradebook of nbgrader's that can be read: {error}.") from None
    return {(student, exercise, cell): points for student, exercise, cell, points in rows}
