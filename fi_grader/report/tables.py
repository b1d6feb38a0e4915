"""Write the tables of a report: grades.csv, students.csv, mistakes.csv and files.csv."""

import json

from fi_grader import escaping
from fi_grader.report.results import write
from fi_grader.report.scores import percent_of
from fi_grader.report.spreadsheets import Table, plain_number

GRADES = ("student", "exercise", "question", "status", "points", "max_points", "mistake", "flag",
          "message", "comment", "changed")
FILES = ("student", "exercise", "file", "what became of it", "why", "handed in", "platform",
         "number")


def write_ours(path, text):
    """Write a table, as text, whose first column is `student`.

    Raises ValueError if another program wrote a file of that name.
    """
    if path.exists():
        with open(path, encoding="utf-8", errors="replace") as file:
            head = file.readline()
        if head.strip() and not head.startswith(("student,", "\ufeffstudent,")):
            raise ValueError(f"{path} was written by another program "
                             f"(it begins {head.strip()[:60]!r}): move it away, and start the same "
                             "command again.")
    write(path, text)


def grades_of(student):
    """Yield a row for each question of a student's -> iterator of grades.csv's rows."""
    for record in student.records.values():
        for row in record["rows"]:
            message = f"{row['mistake']}: {row['message']}" if row["mistake"] else row["message"]
            yield (escaping.name(student.id), record["exercise"], row["question"], row["status"],
                   plain_number(row["points"]), row["max_points"], row["mistake"],
                   "; ".join([*row["flags"], *record["flags"]]), message, row["comment"],
                   row["changed"])


def head_of_students(report):
    """Return the columns of students.csv, which are more with a course file and a roster."""
    about = ("name", "group") if report.course.roster else ()
    extra = ("late_days", "dropped", "percent") if report.course.path else ()
    return ("student", *about, *report.exercises, "points", "max_points", "points_by_hand", *extra,
            "flag", "sandbox")


def row_of_student(report, student):
    """Return a student's row of students.csv: points of each set, sums, late days, flags.

    A set that was not handed in is an empty field, and its points are among the most.
    """
    scores, records = student.scores.values(), student.records.values()
    counting = [score for score in scores if score.is_counting]
    row = [escaping.name(student.id)]
    if report.course.roster:
        row += [student.person.name, student.person.group]
    row += [plain_number(score.counted) for score in scores]
    row += [plain_number(sum(score.counted or 0 for score in counting)),
            sum(score.most for score in counting), sum(score.waiting for score in scores)]
    if report.course.path:
        late = [f"{score.exercise}: {score.days} ({score.free_days} free)"
                for score in counting if score.days]
        dropped = [score.exercise for score in scores if score.is_dropped]
        row += ["; ".join(late), "; ".join(dropped), percent_of(report.course, scores)]
    flags = dict.fromkeys(reason for record in records for reason in record["review"])
    undated = [f"{score.exercise}: late by Canvas's word, how late is not known"
               for score in scores if score.is_late_undated]
    sandboxes = sorted({record["sandbox"] for record in records})
    return [*row, "; ".join([*flags, *undated]), "; ".join(sandboxes)]


# Files

def skipped_in(folder):
    """Read what earlier runs have skipped -> {source: [[student, file, why], ...]}."""
    path = folder / "skipped.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_files(report, skipped, sources):
    """Write files.csv: every file that was there, and what became of it.

    skipped : the SkippedFiles of these sources; those of other sources stay as they were
    """
    kept = {source: rows for source, rows in skipped_in(report.folder).items()
            if source not in sources}
    for one in skipped:
        kept.setdefault(one.source, []).append([one.student, one.file, one.why])
    write(report.folder / "skipped.json", json.dumps(kept, indent=1, sort_keys=True))
    rows = [(escaping.name(student), "", file, "left aside", why, "", "", "")
            for entries in kept.values() for student, file, why in entries]
    for place in report.records:
        found = report.records[place]["found"]
        state = "graded" if found["file"] else "nothing handed in"
        rows.append((escaping.name(place[0]), place[1], found["file"], state,
                     "; ".join(found["flags"]), found["time"], found["platform"], found["number"]))
    rows.sort(key=lambda row: row[:3])
    write(report.folder / "files.csv", Table(FILES, *rows).text(mark=True))
