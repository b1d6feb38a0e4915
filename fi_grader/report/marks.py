"""Read what people add to the results: points and comments for prose, and corrections.

`REPORT/marks/*.csv`, one file an assistant, with the columns student, question, rubric_1 ... (1
where a point of the rubric is met) or points, and comment. `REPORT/overrides.csv`, with the columns
student, question, points, reason. Both are files of the people who mark: the grader reads them
each time it writes its tables, and never writes into them. Points given in nbgrader's Formgrader
are read from its gradebook. An override wins over a mark, a mark over Formgrader.
"""

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import quote

from fi_course.questions import QUESTIONS
from fi_grader.escaping import nbgrader_id
from fi_grader.report.spreadsheets import check_columns, number_of, read_table

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
    """Points that a person gave for an answer, or corrected them to.

    comment : for the student; the reason of a correction
    answer : the digest of the answer that was read, "" if the file does not say
    ticks : the numbers of the rubric's points that are met
    """

    points: float | None
    comment: str = ""
    by: str = ""
    answer: str = ""
    ticks: tuple = ()


class Marks:
    """All marks, overrides and Formgrader points of a report, by (student, question)."""

    def __init__(self, report):
        self.marks, self.marked_twice, self.overrides, self.formgrader = {}, {}, {}, {}
        for path in sorted((report / "marks").glob("*.csv")):
            for place, mark in read_marks(path).items():
                before = self.marks.get(place, mark)
                if before.points != mark.points:
                    both = f"{before.by} {before.points:g}, {mark.by} {mark.points:g}"
                    self.marked_twice[place] = f"marked twice: {both}"
                self.marks[place] = mark
        if (report / "overrides.csv").exists():
            self.overrides = read_marks(report / "overrides.csv", is_correction=True)
        if (report / "gradebook.db").exists():
            self.formgrader = read_formgrader(report / "gradebook.db")

    def unknown_students(self, students):
        """List students that marks or corrections name and nobody knows, with near names."""
        unknown = dict.fromkeys(student for student, _ in [*self.overrides, *self.marks]
                                if student not in students)
        return [f"{student} (near it: {', '.join(near)})"
                if (near := get_close_matches(student, students, 2, 0.4)) else student
                for student in unknown]

    def merged(self, record, row):
        """Merge a row of a record with its marks -> row with `comment`, `changed`, `marked`."""
        place = record["student"], row["question"]
        row = {**row, "comment": "", "changed": "", "marked": ""}
        mark, override = self.marks.get(place), self.overrides.get(place)
        if row["status"] == "by hand" and mark:
            now = digest(record.get("answers", {}).get(row["question"], ""))
            doubts = [CHANGED] if mark.answer not in ("", now) else []
            doubts += [self.marked_twice[place]] if place in self.marked_twice else []
            row.update(points=mark.points, status="marked", comment=mark.comment, marked=mark.by,
                       flags=[*row["flags"], *doubts])
        elif row["status"] == "by hand":
            cell = f"{row['question'].replace('.', '-')}-answer"
            points = self.formgrader.get((nbgrader_id(record["student"]), record["exercise"], cell))
            if points is not None:
                row.update(points=points, status="marked", marked="Formgrader")
        elif mark:
            row["comment"] = mark.comment
        if override:
            before = "no points yet" if row["points"] is None else f"{row['points']:g}"
            row.update(changed=f"{before} -> {override.points:g}: {override.comment}",
                       points=override.points)
            row["status"] = "marked" if row["status"] == "by hand" else row["status"]
        return row


def digest(answer):
    """Hash an answer -> str of twelve letters."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_marks(path, is_correction=False):
    """Read an assistant's marks, or corrections -> {(student, question): Mark}; the last counts.

    Rows of marks without points are skipped.

    Raises ValueError, naming file and line, if a question is unknown, the points are none or more
    than there are, or a correction has no reason.
    """
    path = Path(path)
    columns, rows = read_table(path)
    check_columns(path, columns, ("student", "question",
                                  *(("points", "reason") if is_correction else ())))
    found = {}
    for line, row in enumerate(rows, 2):
        where = f"{path}, line {line}"
        question = _question(row["question"].strip(), where)
        mark = _mark(row, question, path.stem, where)
        if is_correction and not mark.comment:
            raise ValueError(f"{where}: a correction needs a reason, which the student reads.")
        if is_correction and mark.points is None:
            raise ValueError(f"{where}: a correction needs its points.")
        if mark.points is not None:
            found[_plain(row["student"]), question.id] = mark
    return found


def _question(name, where):
    if name not in QUESTIONS:
        near = get_close_matches(name, QUESTIONS, 2, 0.4)
        raise ValueError(f"{where}: there is no question {name!r}. "
                         + f"Near it: {', '.join(near)}." * bool(near))
    return QUESTIONS[name]


def _mark(row, question, by, where):
    """Read a row -> Mark, its points None if nothing is filled in."""
    numbers = {column: column.removeprefix("rubric_") for column in row
               if column.startswith("rubric_")}
    ticks = {int(number): row[column].strip() for column, number in numbers.items()
             if number.isdecimal()}
    met = tuple(number for number, tick in sorted(ticks.items())
                if tick not in ("", "0", "-", "no"))
    if beyond := [number for number in met if not 1 <= number <= len(question.rubric)]:
        raise ValueError(f"{where}: rubric_{beyond[0]} is ticked, "
                         f"and {question.id} has {len(question.rubric)} points of rubric.")
    points = None
    if row.get("points", "").strip():
        points = number_of(row["points"], where)
    elif any(ticks.values()):
        points = sum(question.rubric[number - 1][0] for number in met)
    if points is not None and not 0 <= points <= question.points:
        raise ValueError(f"{where}: {points:g} points for {question.id}, "
                         f"which is worth {question.points}.")
    points = int(points) if points is not None and float(points).is_integer() else points
    words = _plain(row.get("reason", "") or row.get("comment", ""))
    return Mark(points, words, _plain(row.get("by", "")) or by, row.get("answer", "").strip(), met)


def _plain(text):
    """Remove the apostrophe that keeps spreadsheets from reading a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and text[1:2] in "=+-@" else text


def read_formgrader(path):
    """Read the points given in Formgrader -> {(nbgrader's student id, exercise, cell): points}.

    The gradebook is only read.
    """
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as book:
        try:
            rows = book.execute(FORMGRADER_QUERY).fetchall()
        except sqlite3.Error as error:
            raise ValueError(
                f"{path} is no gradebook of nbgrader's that can be read: {error}.") from None
    return {tuple(place): points for *place, points in rows}
