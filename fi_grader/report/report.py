"""One report: results merged with what people add to them and with the course's decisions.

`REPORT/marks/*.csv`, one file an assistant, with the columns student, question, rubric_1 ... (1
where a point of the rubric is met) or points, and comment. `REPORT/overrides.csv`, with the columns
student, question, points, reason. Both are files of the people who mark: the grader reads them
each time it writes its tables, and never writes into them. Points given in nbgrader's Formgrader
are read from its gradebook. An override wins over a mark, a mark over Formgrader.
"""

import hashlib
import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from fi_course.questions import QUESTIONS
from fi_grader.escaping import nbgrader_id
from fi_grader.judging.judge import reasons_to_review
from fi_grader.report.course import Course, scores_of
from fi_grader.report.spreadsheets import check_columns, number_of, read_table
from fi_grader.submissions.finding import BY_CELLS
from fi_grader.submissions.platforms import Person, Roster

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


def digest(answer):
    """Hash an answer -> str of twelve letters."""
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_marks(path, is_correction=False):
    """Read an assistant's marks, or corrections -> {(student, question): Mark}; the last counts.

    Rows without points are skipped. Raises ValueError, naming file and line, for a slip.
    """
    path = Path(path)
    columns, rows = read_table(path)
    check_columns(path, columns, ("student", "question",
                                  *(("points", "reason") if is_correction else ())))
    found = {}
    for line, row in enumerate(rows, 2):
        where, name = f"{path}, line {line}", row["question"].strip()
        if name not in QUESTIONS:
            near = get_close_matches(name, QUESTIONS, 2, 0.4)
            raise ValueError(f"{where}: there is no question {name!r}. "
                             + f"Near it: {', '.join(near)}." * bool(near))
        mark = _mark(row, QUESTIONS[name], path.stem, where)
        if is_correction and not mark.comment:
            raise ValueError(f"{where}: a correction needs a reason, which the student reads.")
        if is_correction and mark.points is None:
            raise ValueError(f"{where}: a correction needs its points.")
        if mark.points is not None:
            found[_plain(row["student"]), name] = mark
    return found


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
        points = int(points) if points.is_integer() else points
    elif any(ticks.values()):
        points = sum(question.rubric[number - 1][0] for number in met)
    if points is not None and not 0 <= points <= question.points:
        raise ValueError(f"{where}: {points:g} points for {question.id}, "
                         f"which is worth {question.points}.")
    words = _plain(row.get("reason", "") or row.get("comment", ""))
    return Mark(points, words, _plain(row.get("by", "")) or by, row.get("answer", "").strip(), met)


def _plain(text):
    """Remove the apostrophe that keeps spreadsheets from reading a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and text[1:2] in "=+-@" else text


def read_formgrader(path):
    """Read the points given in Formgrader -> {(nbgrader's student id, exercise, cell): points}."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as book:
        try:
            rows = book.execute(FORMGRADER_QUERY).fetchall()
        except sqlite3.Error as error:
            raise ValueError(
                f"{path} is no gradebook of nbgrader's that can be read: {error}.") from None
    return {tuple(place): points for *place, points in rows}


@dataclass(frozen=True)
class Student:
    """A student: {exercise: merged record} of what was graded, {exercise: Score} of all sets."""

    id: str
    person: Person
    name: str
    records: dict
    scores: dict


class Report:
    """The results of a class; `student` and `students` merge them with all that is known.

    exercises : the sets that tables show: those of the course, and others handed in
    ids : all students: those of the roster, and others who handed in
    marks, overrides : what people have given and corrected, {(student, question): Mark}
    """

    def __init__(self, records, course=None):
        self.folder, self.records, self.course = records.folder, records, course or Course()
        self._exercises_of = defaultdict(list)
        for student, exercise in records:
            self._exercises_of[student].append(exercise)
        self.exercises = sorted({*self.course.sets, *(exercise for _, exercise in records)})
        self.ids = sorted({*self.course.roster.people, *self._exercises_of})
        self.marks, self._marked_twice = {}, {}
        for path in sorted((self.folder / "marks").glob("*.csv")):
            for place, mark in read_marks(path).items():
                before = self.marks.get(place, mark)
                if before.points != mark.points:
                    both = f"{before.by} {before.points:g}, {mark.by} {mark.points:g}"
                    self._marked_twice[place] = [f"marked twice: {both}"]
                self.marks[place] = mark
        overrides, book = self.folder / "overrides.csv", self.folder / "gradebook.db"
        self.overrides = read_marks(overrides, is_correction=True) if overrides.exists() else {}
        self._formgrader = read_formgrader(book) if book.exists() else {}

    def unknown_students(self):
        """List students that marks or corrections name and nobody knows, with near names."""
        unknown = dict.fromkeys(student for student, _ in [*self.overrides, *self.marks]
                                if student not in self.ids)
        return [f"{student} (near it: {', '.join(near)})"
                if (near := get_close_matches(student, self.ids, 2, 0.4)) else student
                for student in unknown]

    @cached_property
    def roster(self):
        """The course's roster, or one of those who handed in."""
        own = Roster(Person(id, self.names[id] or id) for id in self.ids)
        return self.course.roster if self.course.roster.people else own

    @cached_property
    def names(self):
        """The students' names, where the roster or a platform gave them -> {student: name}."""
        found = {place[0]: self.records.found[place]["name"] for place in self.records}
        return {**found, **{id: one.name for id, one in self.course.roster.people.items()}}

    def student(self, id):
        """Read all of a student's records, merged with marks and corrections -> Student."""
        records = {e: self._merged(self.records[id, e]) for e in self._exercises_of.get(id, ())}
        scores = scores_of(self.course, self.exercises, records)
        return Student(id, self.course.person(id), self.names.get(id, ""), records,
                       {score.exercise: score for score in scores})

    def students(self):
        """Read every student in order -> iterator of Student."""
        return map(self.student, self.ids)

    def _merged(self, record):
        """Merge a record with its marks; `review` is why a person should look at it -> dict."""
        rows = [self._row(record, row) for row in record["rows"]]
        found = record["found"]["flags"]
        review = reasons_to_review({**record, "rows": rows})
        review += [flag for flag in found if flag != BY_CELLS]
        return {**record, "rows": rows, "flags": [*record["flags"], *found],
                "review": list(dict.fromkeys(review))}

    def _row(self, record, row):
        """Merge a row of a record with its marks -> row with `comment`, `changed`, `marked`."""
        place = record["student"], row["question"]
        row = {**row, "comment": "", "changed": "", "marked": ""}
        mark, override = self.marks.get(place), self.overrides.get(place)
        if row["status"] == "by hand" and mark:
            now = digest(record.get("answers", {}).get(row["question"], ""))
            doubts = ["answer changed since it was marked"] * (mark.answer not in ("", now))
            doubts += self._marked_twice.get(place, [])
            row.update(points=mark.points, status="marked", comment=mark.comment, marked=mark.by,
                       flags=[*row["flags"], *doubts])
        elif row["status"] == "by hand":
            cell = f"{row['question'].replace('.', '-')}-answer"
            points = self._formgrader.get(
                (nbgrader_id(record["student"]), record["exercise"], cell))
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

    def handed_in_as(self, platform, exercise=None):
        """Collect the numbers under which a platform knows students -> {number: student}."""
        found = ((place[0], self.records.found[place]) for place in self.records
                 if exercise in (None, place[1]))
        return {facts["number"]: student for student, facts in found
                if facts["platform"] == platform and facts["number"]}
