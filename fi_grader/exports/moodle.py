"""Fill in Moodle's grading worksheet, and pack the feedback as a zip file.

The worksheet ("Download grading worksheet") comes back with the same columns and lines, only Grade
and Feedback comments are filled in. Moodle reads Identifier ("Participant 123"), Grade, Last
modified (grade) and the columns of feedback (mod/assign/feedback/offline/importgradeslib.php); its
columns are called as the user's language has them.
The feedback's files lie in folders `Name_123_assignsubmission_file_`, of which Moodle reads number
and plugin (mod/assign/feedback/file/importziplib.php).
"""

import re
from dataclasses import dataclass

from fi_course.reproducible_zip import write_zip
from fi_grader.platform_names import ParsedName, key_of_name
from fi_grader.results import write
from fi_grader.spreadsheets import plain_number, read_table, table_of

COLUMNS = {
    "identifier": ("Identifier", "ID", "Identifiant", "Identificador", "Identificatore",
                   "Identificatienummer"),
    "name": ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo", "Nome completo",
             "Volledige naam"),
    "email": ("Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo",
              "Indirizzo email", "E-mailadres"),
    "grade": ("Grade", "Bewertung", "Note", "Calificación", "Valutazione", "Cijfer"),
    "most": ("Maximum Grade", "Maximum grade", "Bestwertung", "Note maximale",
             "Calificación máxima", "Valutazione massima"),
    "can": ("Grade can be changed",),
    "handed in": ("Last modified (submission)",),
    "comment": ("Feedback comments", "Feedback als Kommentar", "Commentaires de feedback",
                "Comentarios de retroalimentación", "Commenti")}
"""The columns by the names that Moodle's languages give them."""
FRESH = ("Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
         "Grade can be changed",
         "Last modified (submission)", "Last modified (grade)", "Feedback comments")
SIGNS = re.compile(r'[_/\\:*?"<>|\0]')


@dataclass(frozen=True)
class Worksheet:
    """A grading worksheet: its columns, its lines, and the meaning of each column."""

    columns: list
    rows: list
    where: dict

    def value(self, row, what):
        return row.get(self.where.get(what, ""), "").strip()


def read_worksheet(path):
    """Read a grading worksheet -> Worksheet. Raises ValueError if the file is none."""
    columns, rows = read_table(path)
    where = {what: column for what, names in COLUMNS.items()
             for column in columns if column in names}
    if "identifier" not in where or "grade" not in where:
        raise ValueError(f"{path} is no grading worksheet of Moodle's: "
                         "it needs the columns Identifier and Grade, "
                         f"and has {', '.join(columns[:8])}.")
    return Worksheet(columns, rows, where)


def number_of(identifier):
    """Extract the number from "Participant 123" -> str, "" if there is none."""
    found = re.search(r"(\d+)\s*$", identifier)
    return found[1] if found else ""


def student_of(report, exercise, sheet, row):
    """Find the student a line is about -> str or None: by number, e-mail or name."""
    number = number_of(sheet.value(row, "identifier"))
    name, email = sheet.value(row, "name"), sheet.value(row, "email")
    handed_in = {f.number: s for (s, e), f in report.facts.items()
                 if e == exercise and f.platform == "Moodle"}
    if number in handed_in:
        return handed_in[number]
    if report.course.roster:
        known = report.course.roster.find(ParsedName("", email)) if email else None
        known = known or (report.course.roster.find(ParsedName("", name)) if name else None)
        return known.id if known else None
    same = [s for s in report.students
            if key_of_name(name) in {key_of_name(s),
                                     key_of_name(report.name(s))}] if key_of_name(name) else []
    return same[0] if len(same) == 1 else None


def export(report, exercise, worksheet=None):
    """Write exports/moodle/<set>.csv and <set>-feedback.zip.

    -> (paths, list of notes on lines without a match)

    worksheet : Moodle's own file; without it one is made of the numbers that the files handed in
        have
    """
    folder = report.folder / "exports" / "moodle"
    sheet = read_worksheet(worksheet) if worksheet else _fresh(report, exercise)
    whose = {number_of(sheet.value(row, "identifier")): student_of(report, exercise, sheet, row)
             for row in sheet.rows}
    rows = [_filled(report, exercise, sheet, row, whose[number_of(sheet.value(row, "identifier"))])
            for row in sheet.rows]
    write(folder / f"{exercise}.csv",
          table_of([sheet.columns, *([row[c] for c in sheet.columns] for row in rows)], mark=True))
    names = {number_of(sheet.value(row, "identifier")): sheet.value(row, "name")
             for row in sheet.rows}
    write_zip(folder / f"{exercise}-feedback.zip", _feedback(report, exercise, whose, names))
    left = [f"{sheet.value(row, 'identifier')} {sheet.value(row, 'name')}".strip()
            for row in sheet.rows
            if whose[number_of(sheet.value(row, "identifier"))] is None]
    elsewhere = {s for (s, e), f in report.facts.items()
                 if e == exercise and f.platform not in ("Moodle", "")}
    missing = sorted({s for s, e in report.records if e == exercise} - set(whose.values())
                     - elsewhere)
    notes = ([f"nobody here is {one}" for one in left]
             + [f"no line in the worksheet: {', '.join(missing)}"] * bool(missing))
    return [folder / f"{exercise}.csv", folder / f"{exercise}-feedback.zip"], notes


def _fresh(report, exercise):
    """Build a worksheet of those who handed in through Moodle -> Worksheet."""
    known = sorted((int(f.number), s) for (s, e), f in report.facts.items()
                   if e == exercise and f.platform == "Moodle" and f.number.isdecimal())
    if not known:
        raise ValueError(f"no file for {exercise} has a number of Moodle's in its name: "
                         "hand in the grading worksheet, with --moodle FILE.")
    rows = []
    for number, student in known:
        about = (f"Participant {number}", report.name(student), report.course.person(student).email,
                 "Submitted for grading", "", "", "Yes", "-", "-", "")
        rows.append(dict(zip(FRESH, about, strict=True)))
    return Worksheet(list(FRESH), rows, {what: column for what, names in COLUMNS.items()
                                         for column in FRESH if column in names})


def _filled(report, exercise, sheet, row, student):
    """Fill in a student's points and comments; the line stays as it is for absent students."""
    score = next(iter(report.scores(student, {exercise: report[student, exercise]}, [exercise])),
                 None) if (student, exercise) in report else None
    if score is None or score.counted is None:
        return row
    scale, most = 1.0, sheet.value(row, "most").replace(",", ".")
    if re.fullmatch(r"\d+(\.\d+)?", most):
        scale = float(most) / score.most
    filled = {**row, sheet.where["grade"]: f"{score.counted * scale:.2f}"}
    if "most" in sheet.where and not most:
        filled[sheet.where["most"]] = plain_number(score.most)
    if "comment" in sheet.where:
        filled[sheet.where["comment"]] = comment_on(report[student, exercise], score)
    return filled


def comment_on(record, score):
    """Build the comment that a student reads beside the points -> str."""
    words = [f"{plain_number(score.points)} of {score.most} points."]
    words += [f"{score.days} days late, {score.free_days} of them free: "
              f"{plain_number(score.counted)} count."] * bool(score.days)
    words += [f"{row['question']}: {row['mistake']}." for row in record["rows"] if row["mistake"]]
    words += [f"{row['question']}: {row['comment']}" for row in record["rows"] if row["comment"]]
    words += [f"{row['question']}, points changed: {row['changed']}" for row in record["rows"]
              if row["changed"]]
    words += [f"{score.waiting} points wait for a person."] * bool(score.waiting)
    return " ".join(words)


def _feedback(report, exercise, whose, names):
    """Lay out the feedback files in the folders that Moodle reads -> {path: bytes}."""
    files = {}
    for number, student in whose.items():
        path = report.folder / "feedback" / str(student) / f"{exercise}.html"
        if student is not None and number and (student, exercise) in report and path.exists():
            name = SIGNS.sub(" ", names.get(number) or "Participant").strip() or "Participant"
            folder = f"{name}_{number}_assignsubmission_file_"
            files[f"{folder}/{exercise}-feedback.html"] = path.read_bytes()
    return files
