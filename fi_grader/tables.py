"""The tables of a report: one row a question (grades.csv), one row a student (students.csv)."""

from itertools import chain

from fi_grader import escaping
from fi_grader.results import write
from fi_grader.spreadsheets import plain_number, table_of
from fi_grader.totals import percent_of, waiting_of

COLUMNS = ("student", "exercise", "question", "status", "points", "max_points", "mistake", "flag", "message", "comment", "changed")


def write_tables(view):
    """Write grades.csv and students.csv. Raises ValueError if one of the name is another program's."""
    rows = (row for record in view.values() for row in _questions(record))
    _write_ours(view.folder / "grades.csv", table_of(chain([COLUMNS], rows)))
    _write_ours(view.folder / "students.csv", table_of(_students(view)))


def _write_ours(path, text):
    if path.exists():
        with open(path, encoding="utf-8", errors="replace") as file:
            head = file.readline()
        if head.strip() and not head.startswith(("student,", "\ufeffstudent,")):
            raise ValueError(f"{path} was written by another program (it begins {head.strip()[:60]!r}): move it away, and start the same "
                             "command again.")
    write(path, text)


def _questions(record):
    for row in record["rows"]:
        flag = "; ".join([*row["flags"], *record["flags"]])
        message = f"{row['mistake']}: {row['message']}" if row["mistake"] else row["message"]
        yield (escaping.name(record["student"]), record["exercise"], row["question"], row["status"], plain_number(row["points"]),
               row["max_points"], row["mistake"], flag, message, row["comment"], row["changed"])


def _students(view):
    """A head, then for each student the points in each set, their sum, what waits for a person, what being late took, and the flags.

    A set that was not handed in is an empty field, and its points are among the most.
    """
    has_course, seen = view.course.path is not None, view.seen
    about = ("name", "group") * (view.course.roster is not None)
    extra = ("late_days", "dropped", "percent") * has_course
    yield ("student", *about, *seen, "points", "max_points", "points_by_hand", *extra, "flag", "sandbox")
    for student, records in view.by_student():
        shown_lines = {line.exercise: line for line in view.lines(student, records, seen)}
        lines = view.lines(student, records)
        person = view.course.person(student)
        points = [plain_number(shown_lines[e].counted) for e in seen]
        flags = dict.fromkeys(f for r in records.values() for f in r["human"])
        told = [f"{e}: late by Canvas's word, how late is not known" for e in seen if shown_lines[e].is_told_late]
        sums = (plain_number(sum(line.counted or 0 for line in lines)), sum(line.most for line in lines),
                sum(map(waiting_of, records.values())))
        late = [f"{line.exercise}: {line.days} ({line.free_days} free)" for line in lines if line.days]
        costs = ("; ".join(late), "; ".join(line.exercise for line in lines if line.is_dropped), percent_of(view.course, lines))
        sandboxes = sorted({r["sandbox"] for r in records.values()})
        yield (escaping.name(student), *(person.name, person.group)[:len(about)], *points, *sums, *costs[:len(extra)],
               "; ".join([*flags, *told]), "; ".join(sandboxes))
