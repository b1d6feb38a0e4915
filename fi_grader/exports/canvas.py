"""Fill in the CSV of a Canvas gradebook.

Canvas reads (lib/gradebook_importer.rb) a head `Student, ID, SIS User ID, SIS Login ID, Section`,
or some of these, then a column an assignment, `Title (123)`; perhaps a line that names posting
policies, a line whose first field holds "Points Possible", and a line a student, known by ID, then
SIS User ID, then SIS Login ID. An empty field changes nothing.
"""

import re
from difflib import get_close_matches

from fi_grader.platform_names import ParsedName
from fi_grader.results import write
from fi_grader.spreadsheets import plain_number, read_rows, table_of
from fi_grader.totals import most_of

ABOUT = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID",
         "Root Account", "Section")
FRESH = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def export(report, gradebook=None):
    """Write exports/canvas.csv -> (paths, list of notes on lines and sets without a match).

    gradebook : the file that Canvas exports; without it one is made from the roster and the files
        handed in
    """
    rows = [list(row) for row in read_rows(gradebook)] if gradebook else _fresh(report)
    head = [name.strip() for name in rows[0]] if rows else []
    if "ID" not in head or "Section" not in head or not {"Student", "LastName"} & set(head):
        raise ValueError(f"{gradebook} is no gradebook of Canvas's: "
                         "its first line needs Student, ID and Section, "
                         f"and has {', '.join(head[:8])}.")
    columns = {e: place for e in report.seen if (place := _column(report, e, head)) is not None}
    kept = [place for place, name in enumerate(head) if name in ABOUT or place in columns.values()]
    notes = [f"no column of the gradebook is {e}: name it in course.toml, [sets.{e}] canvas"
             for e in report.seen if e not in columns]
    if not columns:
        raise ValueError(f"{'; '.join(notes)}. "
                         "The gradebook has "
                         f"{', '.join(name for name in head if name not in ABOUT)[:300]}.")
    filled = [head]
    for row in rows[1:]:
        row = (row + [""] * len(head))[:len(head)]
        filled.append(row if _is_about_columns(row) else _filled(report, head, columns, row, notes))
    path = report.folder / "exports" / "canvas.csv"
    write(path, table_of([row[place] for place in kept] for row in filled))
    return [path], notes


def _column(report, exercise, head):
    """Find a set's column: by its title in course.toml, else by its name -> int or None."""
    wanted = report.course.set_of(exercise).canvas or exercise
    titles = {place: re.sub(r"\s*\(\d+\)$", "", name) for place, name in enumerate(head)
              if name not in ABOUT}
    same = [place for place, title in titles.items() if wanted in (head[place], title)]
    if same:
        return same[0]
    words = {title.lower().replace(" ", "_"): place for place, title in titles.items()}
    near = get_close_matches(wanted.lower(), words, 1, 0.85)
    return words[near[0]] if near else None


def _is_about_columns(row):
    """Return whether this line holds the points possible or the posting policies."""
    return ("Points Possible" in row[0]
            or all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", field, re.IGNORECASE)
                   for field in row))


def _filled(report, head, columns, row, notes):
    student = _student(report, dict(zip(head, row, strict=True)))
    if student is None:
        notes.append(f"nobody here is {row[0]}")
        return row
    for exercise, place in columns.items():
        if (student, exercise) in report:
            score, = report.scores(student, {exercise: report[student, exercise]}, [exercise])
            row[place] = plain_number(score.counted) if score.counted is not None else row[place]
    return row


def _student(report, fields):
    """Find the student a line is about -> str or None: by Canvas's number, the roster, the name."""
    number = fields.get("ID", "").strip()
    by_number = {f.number: s for (s, _), f in report.facts.items() if f.platform == "Canvas"}
    if number and number in by_number:
        return by_number[number]
    name = fields.get("Student") or f"{fields.get('LastName', '')}, {fields.get('FirstName', '')}"
    named = [ParsedName("Canvas", name, number)]
    named += [ParsedName("", fields[c].strip()) for c in ("SIS User ID", "SIS Login ID")
              if fields.get(c, "").strip()]
    if report.course.roster:
        known = next(filter(None, map(report.course.roster.find, (*named[1:], named[0]))), None)
        return known.id if known else None
    return next((one.name for one in named if one.name in report.students), None)


def _fresh(report):
    """Build a gradebook of everybody, with a column for each set -> list of rows."""
    numbers = {s: f.number for (s, _), f in report.facts.items() if f.platform == "Canvas"}
    titles = [report.course.set_of(e).canvas or e for e in report.seen]
    rows = [[*FRESH, *titles],
            ["    Points Possible", "", "", "", "", *(str(most_of(e)) for e in report.seen)]]
    for student in report.students:
        person = report.course.person(student)
        rows.append([report.name(student) or student, numbers.get(student, person.canvas),
                     person.id, person.login or person.email, person.group, *[""] * len(titles)])
    return rows
