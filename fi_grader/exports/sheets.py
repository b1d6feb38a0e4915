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

from fi_course.reproducible_zip import write_zip
from fi_grader.report.results import explained, write
from fi_grader.report.scores import most_of
from fi_grader.report.spreadsheets import Table, plain_number, read_rows, read_table
from fi_grader.submissions.platforms import Owner, key_of_name

MOODLE = {
    "identifier": ("Identifier", "ID", "Identifiant", "Identificador", "Identificatore",
                   "Identificatienummer"),
    "name": ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo", "Nome completo",
             "Volledige naam"),
    "email": ("Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo",
              "Indirizzo email", "E-mailadres"),
    "grade": ("Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Cijfer"),
    "most": ("Maximum Grade", "Maximum grade", "Bestwertung", "Note maximale",
             "Calificación máxima", "Valutazione massima"),
    "comment": ("Feedback comments", "Feedback als Kommentar", "Commentaires de feedback",
                "Comentarios de retroalimentación", "Commenti")}
"""The columns by the names that Moodle's languages give them."""
WORKSHEET = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
             "Grade can be changed", "Last modified (submission)", "Last modified (grade)",
             "Feedback comments")
CANVAS = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID",
          "Integration ID", "Root Account", "Section")
"""The columns of a gradebook that are about the student."""
POLICY = re.compile(r"(?i)\s*(Muted|Manual Posting.*)?\s*")
"""What stands in Canvas's line on posting policies."""
SIGNS = re.compile(r'[_/\\:*?"<>|\0]')
"""What a feedback file's name may not hold."""


def student_of(report, handed_in, owner, words):
    """Find the student that a line is about -> str or None: by number, e-mail or login, name.

    handed_in : {number on the platform: student} of what was handed in
    """
    if owner.number in handed_in:
        return handed_in[owner.number]
    if report.course.roster:
        named = [Owner(word.strip()) for word in words if word.strip()]
        known = next(filter(None, map(report.course.roster.find, [*named, owner])), None)
        return known.id if known else None
    key = key_of_name(owner.name)
    same = [student for student in report.ids if student in words
            or (key and key in (key_of_name(student), key_of_name(report.names[student])))]
    return same[0] if len(same) == 1 else None


# Moodle

def to_moodle(report, exercise, worksheet=None):
    """Write exports/moodle/<set>.csv and <set>-feedback.zip.

    -> (paths, list of notes on lines without a match)

    worksheet : Moodle's own file; without it one is made of the numbers that the files handed in
        have
    """
    if exercise not in report.exercises:
        raise ValueError("Moodle has a worksheet for each set: "
                         f"say --set and one of {', '.join(report.exercises)}.")
    handed_in = report.handed_in_as("Moodle", exercise)
    columns, rows = read_table(worksheet) if worksheet else _fresh_worksheet(
        report, exercise, handed_in)
    column = {what: name for what, names in MOODLE.items() for name in columns if name in names}
    if not {"identifier", "grade"} <= set(column):
        raise ValueError(f"{worksheet} is no grading worksheet of Moodle's: "
                         "it needs the columns Identifier and Grade, "
                         f"and has {', '.join(columns[:8])}.")
    notes, whose, feedback = [], set(), {}
    for row in rows:
        identifier, name, email = (row.get(column.get(what), "").strip()
                                   for what in ("identifier", "name", "email"))
        number = re.search(r"\d*\s*$", identifier)[0].strip()
        student = student_of(report, handed_in, Owner(name, "Moodle", number), [email])
        whose.add(student)
        if student is None:
            notes.append(f"nobody here is {identifier} {name}".strip())
            continue
        merged = report.student(student)
        score = merged.scores[exercise]
        if score.counted is not None:
            most, scale = row.get(column.get("most"), "").replace(",", ".").strip(), 1.0
            if re.fullmatch(r"\d+(\.\d+)?", most):
                scale = float(most) / score.most
            told = {"grade": f"{score.counted * scale:.2f}",
                    "comment": comment_on(merged.records[exercise], score)}
            told |= {} if most else {"most": plain_number(score.most)}
            row.update({column[what]: told[what] for what in told if what in column})
        path = report.folder / "feedback" / student / f"{exercise}.html"
        if exercise in merged.records and number and path.exists():
            folder = f"{SIGNS.sub(' ', name).strip() or 'Participant'}_{number}"
            feedback[f"{folder}_assignsubmission_file_/{exercise}-feedback.html"] = (
                path.read_bytes())
    missing = sorted(student for student, e in report.records
                     if e == exercise and student not in whose
                     and report.records[student, e]["found"]["platform"] in ("Moodle", ""))
    notes += [f"no line in the worksheet: {', '.join(missing)}"] * bool(missing)
    folder = report.folder / "exports" / "moodle"
    paths = [folder / f"{exercise}.csv", folder / f"{exercise}-feedback.zip"]
    filled = Table(columns, *([row[name] for name in columns] for row in rows))
    write(paths[0], filled.text(mark=True))
    with explained(paths[1]):
        write_zip(paths[1], feedback)
    return paths, notes


def _fresh_worksheet(report, exercise, handed_in):
    """Build a worksheet of those who handed in through Moodle -> (columns, rows)."""
    if not handed_in:
        raise ValueError(f"no file for {exercise} has a number of Moodle's in its name: "
                         "hand in the grading worksheet, with --moodle FILE.")
    rows = []
    for number, id in sorted(handed_in.items(), key=lambda one: int(one[0])):
        student = report.student(id)
        fields = (f"Participant {number}", student.name, student.person.email,
                  "Submitted for grading", "", "", "Yes", "-", "-", "")
        rows.append(dict(zip(WORKSHEET, fields, strict=True)))
    return list(WORKSHEET), rows


def comment_on(record, score):
    """Build the comment that a student reads beside the points -> str."""
    words = [f"{plain_number(score.points)} of {score.most} points."]
    if score.days:
        words.append(f"{score.days} days late, {score.free_days} of them free: "
                     f"{plain_number(score.counted)} count.")
    for key, told in (("mistake", "{}: {}."), ("comment", "{}: {}"),
                      ("changed", "{}, points changed: {}")):
        words += [told.format(row["question"], row[key]) for row in record["rows"]
                  if row[key] and (key != "mistake" or row["status"] == "wrong")]
    words += [f"{score.waiting} points wait for a person."] * bool(score.waiting)
    return " ".join(words)


# Canvas

def to_canvas(report, gradebook=None):
    """Write exports/canvas.csv -> (paths, list of notes on lines and sets without a match).

    gradebook : the file that Canvas exports; without it one is made from the roster and the files
        handed in
    """
    handed_in = report.handed_in_as("Canvas")
    rows = read_rows(gradebook) if gradebook else _fresh_gradebook(report, handed_in)
    head, *rows = rows or [[]]
    head = [name.strip() for name in head]
    if not {"ID", "Section"} <= set(head) or not {"Student", "LastName"} & set(head):
        raise ValueError(f"{gradebook} is no gradebook of Canvas's: "
                         "its first line needs Student, ID and Section, "
                         f"and has {', '.join(head[:8])}.")
    columns = {e: place for e in report.exercises
               if (place := _column(report, e, head)) is not None}
    notes = [f"no column of the gradebook is {e}: name it in course.toml, [sets.{e}] canvas"
             for e in report.exercises if e not in columns]
    if not columns:
        others = ", ".join(name for name in head if name not in CANVAS)[:300]
        raise ValueError(f"{'; '.join(notes)}. The gradebook has {others}.")
    filled = [head]
    for row in rows:
        row = (row + [""] * len(head))[:len(head)]
        filled.append(row)
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
    write(path, Table(*([row[k] for k in kept] for row in filled)).text())
    return [path], notes


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
    exercises = report.exercises
    titles = [report.course.set_of(e).canvas or e for e in exercises]
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles],
            ["    Points Possible", "", "", "", "", *(str(most_of(e)) for e in exercises)]]
    for student in report.students():
        person = student.person
        rows.append([student.name or student.id, numbers.get(student.id, person.canvas), person.id,
                     person.login or person.email, person.group, *[""] * len(titles)])
    return rows
