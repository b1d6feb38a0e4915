"""Fill in the sheets that Moodle and Canvas hand out, with the points of students.csv.

Moodle's grading worksheet of a set (mod/assign/feedback/offline/importgradeslib.php) is known by
Identifier ("Participant 123"); its columns are called as the user's language has them. Its
feedback files lie in folders `Name_123_assignsubmission_file_`, of which Moodle reads number and
plugin (mod/assign/feedback/file/importziplib.php). Canvas's gradebook (lib/gradebook_importer.rb)
has a column a set, `Title (123)`, lines on posting policies and points possible, and a line a
student, known by ID, SIS User ID or SIS Login ID; an empty field changes nothing.
"""

import re
from difflib import get_close_matches
from pathlib import Path

from fi_course.reproducible_zip import write_zip
from fi_grader.report.course import most_of
from fi_grader.report.results import explained, write
from fi_grader.report.spreadsheets import csv_of, plain_number, read_rows, read_table
from fi_grader.submissions.platforms import Owner

MOODLE = read_table(Path(__file__).with_name("moodle_columns.csv"))[1]
"""The columns by the names that Moodle's languages give them."""
CANVAS = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID",
          "Integration ID", "Root Account", "Section")
"""The columns of a gradebook that are about the student."""
POLICY = re.compile(r"(?i)\s*(Muted|Manual Posting.*)?\s*")  # Canvas's line on policies
SIGNS = re.compile(r'[_/\\:*?"<>|\0]')  # what a feedback file's name may not hold


def student_of(report, handed_in, owner, words):
    """Find the student of a line by number, one of {number: student}, e-mail or login, name."""
    if owner.number in handed_in:
        return handed_in[owner.number]
    named = [Owner(word.strip()) for word in words if word.strip()]
    known = next(filter(None, map(report.roster.find, [*named, owner])), None)
    return known.id if known else None


# Moodle

def to_moodle(report, exercise, worksheet=None):
    """Write exports/moodle/<set>.csv and <set>-feedback.zip -> lines for the instructor.

    worksheet : Moodle's own; without it one is made of the numbers that the files handed in have
    """
    if exercise not in report.exercises:
        raise ValueError("Moodle has a worksheet for each set: "
                         f"say --set and one of {', '.join(report.exercises)}.")
    handed_in = report.handed_in_as("Moodle", exercise)
    columns, rows = read_table(worksheet) if worksheet else _fresh_worksheet(
        report, exercise, handed_in)
    column = {what: name for names in MOODLE for what, name in names.items()
              if name and name in columns}
    if not {"identifier", "grade"} <= set(column):
        raise ValueError(f"{worksheet} is no grading worksheet of Moodle's: it needs the columns "
                         f"Identifier and Grade, and has {', '.join(columns[:8])}.")
    notes, whose, feedback = [], set(), {}
    for row in rows:
        identifier, name, email, most = (row.get(column.get(what), "").strip()
                                         for what in ("identifier", "name", "email", "most"))
        number = re.search(r"\d*\s*$", identifier)[0].strip()
        student = student_of(report, handed_in, Owner(name, "Moodle", number), [email])
        whose.add(student)
        if student is None:
            notes.append(f"nobody here is {identifier} {name}".strip())
            continue
        merged = report.student(student)
        score = merged.scores[exercise]
        if score.counted is not None:
            is_scaled = re.fullmatch(r"\d+([.,]\d+)?", most)
            scale = float(most.replace(",", ".")) / score.most if is_scaled else 1.0
            told = {"grade": f"{score.counted * scale:.2f}",
                    "comment": comment_on(merged.records[exercise], score),
                    **({} if most else {"most": plain_number(score.most)})}
            row.update({column[what]: told[what] for what in told if what in column})
        path = report.folder / "feedback" / student / f"{exercise}.html"
        if exercise in merged.records and number and path.exists():
            folder = f"{SIGNS.sub(' ', name).strip() or 'Participant'}_{number}"
            feedback[f"{folder}_assignsubmission_file_/{exercise}-feedback.html"] = (
                path.read_bytes())
    missing = sorted(student for student, e in report.records
                     if e == exercise and student not in whose
                     and report.records.found[student, e]["platform"] in ("Moodle", ""))
    notes += [f"no line in the worksheet: {', '.join(missing)}"] * bool(missing)
    sheet = report.folder / "exports" / "moodle" / f"{exercise}.csv"
    pages = sheet.with_name(f"{exercise}-feedback.zip")
    write(sheet, csv_of([columns, *([row[name] for name in columns] for row in rows)], mark=True))
    with explained(pages):
        write_zip(pages, feedback)
    return [f"Wrote {sheet}", f"Wrote {pages}", *notes]


def _fresh_worksheet(report, exercise, handed_in):
    """Build a worksheet of those who handed in through Moodle -> (columns, rows)."""
    if not handed_in:
        raise ValueError(f"no file for {exercise} has a number of Moodle's in its name: "
                         "hand in the grading worksheet, with --moodle FILE.")
    people = ((number, report.student(id))
              for number, id in sorted(handed_in.items(), key=lambda one: int(one[0])))
    rows = [{"Identifier": f"Participant {number}", "Full name": student.name,
             "Email address": student.person.email, "Status": "Submitted for grading",
             "Grade": "", "Maximum Grade": "", "Grade can be changed": "Yes",
             "Last modified (submission)": "-", "Last modified (grade)": "-",
             "Feedback comments": ""} for number, student in people]
    return list(rows[0]), rows


def comment_on(record, score):
    """Build the comment that a student reads beside the points -> str."""
    words = [f"{plain_number(score.points)} of {score.most} points."]
    if score.days:
        words.append(f"{score.days} day{'s' * (score.days != 1)} late, "
                     f"{score.free_days} of them free: {plain_number(score.counted)} count.")
    for key, told in (("mistake", "{}: {}."), ("comment", "{}: {}"),
                      ("changed", "{}, points changed: {}")):
        words += [told.format(row["question"], row[key]) for row in record["rows"]
                  if row[key] and (key != "mistake" or row["status"] == "wrong")]
    words += [f"{score.waiting} points wait for a person."] * bool(score.waiting)
    return " ".join(words)


# Canvas

def to_canvas(report, gradebook=None):
    """Write exports/canvas.csv -> lines for the instructor.

    gradebook : Canvas's own; without it one is made from the roster and the files handed in
    """
    handed_in = report.handed_in_as("Canvas")
    head, *rows = (read_rows(gradebook) or [[]] if gradebook
                   else _fresh_gradebook(report, handed_in))
    head = [name.strip() for name in head]
    if not {"ID", "Section"} <= set(head) or not {"Student", "LastName"} & set(head):
        raise ValueError(f"{gradebook} is no gradebook of Canvas's: its first line needs Student, "
                         f"ID and Section, and has {', '.join(head[:8])}.")
    columns = {e: place for e in report.exercises
               if (place := _column(report, e, head)) is not None}
    notes = [f"no column of the gradebook is {e}: name it in course.toml, [sets.{e}] canvas"
             for e in report.exercises if e not in columns]
    if not columns:
        others = ", ".join(name for name in head if name not in CANVAS)[:300]
        raise ValueError(f"{'; '.join(notes)}. The gradebook has {others}.")
    rows = [(row + [""] * len(head))[:len(head)] for row in rows]
    for row in rows:
        if "Points Possible" in row[0] or all(map(POLICY.fullmatch, row)):
            continue
        fields = dict(zip(head, row, strict=True))
        name = fields.get("Student") or f"{fields['LastName']}, {fields.get('FirstName', '')}"
        words = [fields.get(column, "") for column in ("SIS User ID", "SIS Login ID")]
        student = student_of(report, handed_in, Owner(name, "Canvas", fields["ID"].strip()), words)
        if student is None:
            notes.append(f"nobody here is {row[0]}")
            continue
        scores = report.student(student).scores
        for exercise, place in columns.items():
            if scores[exercise].counted is not None:
                row[place] = plain_number(scores[exercise].counted)
    kept = [k for k, name in enumerate(head) if name in CANVAS or k in columns.values()]
    path = report.folder / "exports" / "canvas.csv"
    write(path, csv_of([row[k] for k in kept] for row in [head, *rows]))
    return [f"Wrote {path}", *notes]


def _column(report, exercise, head):
    """Find a set's column: by its title in course.toml, else by its name -> int or None."""
    wanted, places = report.course.set_of(exercise).canvas or exercise, {}
    for place, name in enumerate(head):
        for title in (name, re.sub(r"\s*\(\d+\)$", "", name)) if name not in CANVAS else ():
            places.setdefault(title, place)
    words = {title.lower().replace(" ", "_"): place for title, place in places.items()}
    near = get_close_matches(wanted.lower(), words, 1, 0.85)
    return places.get(wanted, words[near[0]] if near else None)


def _fresh_gradebook(report, handed_in):
    """Build a gradebook of everybody, with a column for each set -> list of rows."""
    numbers = {student: number for number, student in handed_in.items()}
    titles = [report.course.set_of(e).canvas or e for e in report.exercises]
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles],
            ["    Points Possible", "", "", "", "", *(str(most_of(e)) for e in report.exercises)]]
    for id in report.ids:
        person, name = report.course.person(id), report.names.get(id) or id
        rows.append([name, numbers.get(id, person.canvas), id, person.login or person.email,
                     person.group, *[""] * len(titles)])
    return rows
