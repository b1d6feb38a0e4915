"""Write the tables of a report: a row for each question (grades.csv) or student (students.csv)."""

from itertools import chain

from fi_grader import escaping
from fi_grader.results import write
from fi_grader.spreadsheets import plain_number, table_of
from fi_grader.totals import percent_of, waiting_of

COLUMNS = ("student", "exercise", "question", "status", "points", "max_points", "mistake", "flag",
           "message", "comment", "changed")


def write_tables(report):
    """Write grades.csv and students.csv.

    Raises ValueError if another program wrote a file of that name.
    """
    rows = (row for record in report.values() for row in _questions(record))
    _write_ours(report.folder / "grades.csv", table_of(chain([COLUMNS], rows)))
    _write_ours(report.folder / "students.csv", table_of(_students(report)))


def _write_ours(path, text):
    if path.exists():
        with open(path, encoding="utf-8", errors="replace") as file:
            head = file.readline()
        if head.strip() and not head.startswith(("student,", "\ufeffstudent,")):
            raise ValueError(f"{path} was written by another program "
                             f"(it begins {head.strip()[:60]!r}): move it away, and start the same "
                             "command again.")
    write(path, text)


def _questions(record):
    for row in record["rows"]:
        flag = "; ".join([*row["flags"], *record["flags"]])
        message = f"{row['mistake']}: {row['message']}" if row["mistake"] else row["message"]
        yield (escaping.name(record["student"]), record["exercise"], row["question"], row["status"],
               plain_number(row["points"]),
               row["max_points"], row["mistake"], flag, message, row["comment"], row["changed"])


def _students(report):
    """Yield a header, then a row for each student: points, sums, late days, flags.

    A set that was not handed in is an empty field, and its points are among the most.
    """
    has_course, seen = report.course.path is not None, report.seen
    about = ("name", "group") * (report.course.roster is not None)
    extra = ("late_days", "dropped", "percent") * has_course
    yield ("student", *about, *seen, "points", "max_points", "points_by_hand", *extra, "flag",
           "sandbox")
    for student, records in report.by_student():
        scores_by_set = {score.exercise: score for score in report.scores(student, records, seen)}
        scores = report.scores(student, records)
        person = report.course.person(student)
        points = [plain_number(scores_by_set[e].counted) for e in seen]
        flags = dict.fromkeys(f for r in records.values() for f in r["human"])
        notes = [f"{e}: late by Canvas's word, how late is not known"
                 for e in seen if scores_by_set[e].is_late_undated]
        sums = (plain_number(sum(score.counted or 0 for score in scores)),
                sum(score.most for score in scores), sum(map(waiting_of, records.values())))
        late = [f"{score.exercise}: {score.days} ({score.free_days} free)"
                for score in scores if score.days]
        costs = ("; ".join(late), "; ".join(score.exercise for score in scores if score.is_dropped),
                 percent_of(report.course, scores))
        sandboxes = sorted({r["sandbox"] for r in records.values()})
        yield (escaping.name(student), *(person.name, person.group)[:len(about)], *points, *sums,
               *costs[:len(extra)], "; ".join([*flags, *notes]), "; ".join(sandboxes))
