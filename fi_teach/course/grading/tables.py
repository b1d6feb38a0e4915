"""The tables of a report: one row a question (grades.csv), one row a student (students.csv)."""

import csv
import io
from itertools import chain, groupby

from fi_teach.course.grading import shown
from fi_teach.course.grading.results import write

COLUMNS = ("student", "exercise", "question", "status", "points", "max_points", "flag", "message")


def write_tables(report, records):
    """Write grades.csv and students.csv from Records."""
    rows = (row for record in records.values() for row in _questions(record))
    write(report / "grades.csv", _csv(chain([COLUMNS], rows)))
    write(report / "students.csv", _csv(_students(records)))


def _questions(record):
    for row in record["rows"]:
        flag = "; ".join([*row["flags"], *record["flags"]])
        message = f"{row['mistake']}: {row['message']}" if row["mistake"] else row["message"]
        points = "" if row["points"] is None else row["points"]
        yield (shown.name(record["student"]), record["exercise"], row["question"], row["status"],
               points, row["max_points"], flag, message)


def _students(records):
    """A head, then for each student the points in each exercise, their sum, what waits for a person, and the flags."""
    exercises = sorted({exercise for _, exercise in records})
    yield ("student", *exercises, "points", "max_points", "points_by_hand", "flag", "sandbox")
    for student, places in groupby(records, key=lambda place: place[0]):
        theirs = {exercise: records[student, exercise] for _, exercise in places}
        rows = [row for r in theirs.values() for row in r["rows"]]
        points = [points_of(theirs[e]) if e in theirs else "" for e in exercises]
        waiting = sum(row["max_points"] for row in rows if row["status"] == "by hand")
        flags = dict.fromkeys(f for r in theirs.values() for f in r["human"])
        most, walls = sum(row["max_points"] for row in rows), sorted({r["sandbox"] for r in theirs.values()})
        yield (shown.name(student), *points, sum(p for p in points if p != ""), most, waiting,
               "; ".join(flags), "; ".join(walls))


def points_of(record):
    """The points a record has earned so far, those that wait for a person not counted -> int."""
    return sum(row["points"] or 0 for row in record["rows"])


def _csv(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([shown.field(value) for value in row] for row in rows)
    return text.getvalue()
