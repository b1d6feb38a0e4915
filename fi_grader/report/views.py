"""Write the tables and pages of a report: grades, students, files, feedback, marking, the class.

What students wrote stands in pages as text: templates/ escape all they are given, and each page's
own policy lets no script run but one whose hash it names. A page to mark on works offline: answers
travel as data, and what it saves is a table that `fi-teach marks` takes in.
"""

import base64
import hashlib
import json
import os
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from fi_course.questions import QUESTIONS
from fi_course.questions.cards import Card
from fi_grader import escaping
from fi_grader.notebooks.similarity import pairs
from fi_grader.report.course import is_handed_in, percent_of, points_of, waiting_of
from fi_grader.report.report import digest
from fi_grader.report.results import write
from fi_grader.report.spreadsheets import csv_of, plain_number
from fi_grader.submissions.reading import JUNK

HERE = Path(__file__).parent
SCRIPT = (HERE / "marking.js").read_text(encoding="utf-8")
WORDS = {"right": "Right", "wrong": "Not right", "not started": "Not started",
         "by hand": "A person will read this", "marked": "Read by a person",
         "not graded": "Not graded"}
GRADES = ("student", "exercise", "question", "status", "points", "max_points", "mistake", "flag",
          "message", "comment", "changed")
FILES = ("student", "exercise", "file", "what became of it", "why", "handed in", "platform",
         "number")
MISTAKES = ("student", "group", "week", "exercise", "question", "mistake", "what is said to it")
NEXT_LECTURE = 3
MOST_LISTED = 15
NOT_MISTAKES = ("not an answer", "too short to be read", "ran too long", "ran out of memory",
                "ended its process", "sent garbage")
"""Reasons that name no misconception."""


def write_views(report):
    """Write all tables and pages of a report, in one pass -> ClassPage, what was counted."""
    class_page, grades, students = ClassPage(report), [GRADES], []
    for student in report.students():
        for exercise, record in student.records.items():
            html = feedback(record, student.scores[exercise], student.name)
            write(report.folder / "feedback" / student.id / f"{exercise}.html", html)
            grades += (_grade(student.id, record, row) for row in record["rows"])
        students.append(row_of_student(report, student))
        class_page.add(student)
    write_ours(report.folder / "grades.csv", csv_of(grades))
    write_ours(report.folder / "students.csv",
               csv_of([*map(dict.keys, students[:1]), *map(dict.values, students)]))
    class_page.write()
    return class_page


# Tables

def write_ours(path, text):
    """Write a table whose first column is `student`, but over no other program's file."""
    if path.exists():
        with open(path, encoding="utf-8", errors="replace") as file:
            head = file.readline()
        if head.strip() and not head.startswith(("student,", "\ufeffstudent,")):
            raise ValueError(f"{path} was written by another program "
                             f"(it begins {head.strip()[:60]!r}): move it away, and start the same "
                             "command again.")
    write(path, text)


def _grade(student, record, row):
    message = f"{row['mistake']}: {row['message']}" if row["mistake"] else row["message"]
    return (escaping.name(student), record["exercise"], row["question"], row["status"],
            plain_number(row["points"]), row["max_points"], row["mistake"],
            "; ".join([*row["flags"], *record["flags"]]), message, row["comment"], row["changed"])


def row_of_student(report, student):
    """Return a student's row of students.csv; a set that was not handed in is an empty field."""
    scores, records = student.scores.values(), student.records.values()
    counting = [score for score in scores if score.is_counting]
    row = {"student": escaping.name(student.id)}
    if report.course.roster.people:
        row |= {"name": student.person.name, "group": student.person.group}
    row |= {score.exercise: plain_number(score.counted) for score in scores}
    row |= {"points": plain_number(sum(score.counted or 0 for score in counting)),
            "max_points": sum(score.most for score in counting),
            "points_by_hand": sum(score.waiting for score in scores)}
    if report.course.path:
        late = [f"{score.exercise}: {score.days} ({score.free_days} free)"
                for score in counting if score.days]
        dropped = [score.exercise for score in scores if score.is_dropped]
        row |= {"late_days": "; ".join(late), "dropped": "; ".join(dropped),
                "percent": percent_of(report.course, scores)}
    flags = dict.fromkeys(reason for record in records for reason in record["review"])
    undated = [f"{score.exercise}: late by Canvas's word, how late is not known"
               for score in scores if score.is_late_undated]
    return {**row, "flag": "; ".join([*flags, *undated]),
            "sandbox": "; ".join(sorted({record["sandbox"] for record in records}))}


def skipped_in(folder):
    """Read what earlier runs have skipped -> {source: [[student, file, why], ...]}."""
    path = folder / "skipped.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_files(report, skipped, sources):
    """Write files.csv: what became of every file; SkippedFiles of other sources stay."""
    kept = {source: rows for source, rows in skipped_in(report.folder).items()
            if source not in sources}
    for one in skipped:
        kept.setdefault(one.source, []).append([one.student, one.file, one.why])
    write(report.folder / "skipped.json", json.dumps(kept, indent=1, sort_keys=True))
    rows = [(escaping.name(student), "", file, "left aside", why, "", "", "")
            for entries in kept.values() for student, file, why in entries]
    for student, exercise in report.records:
        found = report.records.found[student, exercise]
        state = "graded" if found["file"] else "nothing handed in"
        rows.append((escaping.name(student), exercise, found["file"], state,
                     "; ".join(found["flags"]), found["time"], found["platform"], found["number"]))
    rows.sort(key=lambda row: row[:3])
    write(report.folder / "files.csv", csv_of([FILES, *rows], mark=True))


# Pages

TEMPLATES = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True,
                        trim_blocks=True, lstrip_blocks=True)
TEMPLATES.filters |= {"name": escaping.name, "lines": escaping.lines, "number": plain_number,
                      "printable": escaping.printable}


def feedback(record, score=None, name=""):
    """Build a student's feedback -> HTML, without flags and inputs of hidden tests."""
    rows = record["rows"]
    reasons = dict.fromkeys(row["message"] for row in rows if row["status"] == "not graded")
    return TEMPLATES.get_template("feedback.html").render(
        exercise=record["exercise"], name=name or record["student"], score=score, rows=rows,
        card=_card, reasons=reasons, points=points_of(record), waiting=waiting_of(record),
        most=sum(row["max_points"] for row in rows))


def _card(row):
    question, status = QUESTIONS.get(row["question"]), row["status"]
    title = f"{row['question']}: {question.title}" if question else row["question"]
    points = (f"{row['max_points']} points wait" if row["points"] is None
              else f"{plain_number(row['points'])} of {row['max_points']}")
    words = f"{WORDS[status]} ({points}){': ' * bool(row['mistake'])}{row['mistake']}"
    said = escaping.lines(row["message"]) if status in ("wrong", "not started") else ""
    tone = "note" if status in ("not graded", "marked") else status
    return Markup(Card(title, (words, said), tone=tone)._repr_html_())


def write_marking(report, assistants=()):
    """Write marking/<assistant>.html; assistants share whom the roster gives to nobody -> paths."""
    shares, paths, others = defaultdict(list), [], assistants or ("everybody",)
    for student in report.students():
        share = shares[student.person.assistant
                       or others[int(digest(student.id), 16) % len(others)]]
        for record in student.records.values():
            share += [_item(report, record, row["question"]) for row in record["rows"]
                      if row["status"] in ("by hand", "marked")]
    for assistant, items in sorted(shares.items()):
        if items:
            items.sort(key=lambda item: (item["question"], digest(item["student"])))
            name = "".join(c if c.isalnum() or c in "-_" else "_" for c in assistant)[:60]
            paths.append(report.folder / "marking" / f"{name}.html")
            write(paths[-1], marking_page(assistant, items))
    return paths


def _item(report, record, question):
    """Collect what a page needs to show and save one answer -> dict."""
    answer = record["answers"].get(question, "")
    mark = report.marks.get((record["student"], question))
    return {"student": record["student"], "question": question, "answer": escaping.lines(answer),
            "digest": digest(answer), "points": mark.points if mark else None,
            "ticks": list(mark.ticks) if mark else [], "comment": mark.comment if mark else ""}


def marking_page(assistant, items):
    """Build a complete offline page for marking -> HTML."""
    rubrics = {q: {"title": QUESTIONS[q].title, "points": QUESTIONS[q].points,
                   "rubric": QUESTIONS[q].rubric} for q in (item["question"] for item in items)}
    data = json.dumps({"assistant": assistant, "questions": rubrics, "items": items})
    allowed = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return TEMPLATES.get_template("marking.html").render(
        assistant=assistant, allowed=allowed, script=Markup(SCRIPT),
        data=Markup(data.replace("<", "\\u003c")))


class ClassPage:
    """The page of the class: what to teach next, who wants a person, results by question.

    Made of a report, it counts a Student at a time; then `write`.

    statuses : Counter of (exercise, question, status)
    mistakes, lost : who makes each (question, mistake), and the points that it cost them all
    review : (student, exercise, reasons) of what wants a person
    """

    def __init__(self, report):
        self.report = report
        self.statuses, self.lost = Counter(), Counter()
        self.mistakes, self.handed_in = defaultdict(set), defaultdict(set)
        self.submissions, self.review, self.written = [], [], {}

    def add(self, student):
        """Count a student's records."""
        for exercise, record in student.records.items():
            most = sum(row["max_points"] for row in record["rows"])
            self.submissions.append((*self._place(student.id, exercise),
                                     f"{plain_number(points_of(record))} of {most}"))
            self.written[student.id, exercise] = record.get("written", {})
            if is_handed_in(record):
                self.handed_in[exercise].add(student.id)
            if record["review"]:
                self.review.append((student.id, exercise, record["review"]))
            for row in record["rows"]:
                self.statuses[exercise, row["question"], row["status"]] += 1
                if row["mistake"] and row["status"] == "wrong":
                    place = row["question"], row["mistake"]
                    self.mistakes[place].add(student.id)
                    self.lost[place] += row["max_points"] - row["points"]

    def _place(self, student, exercise):
        """Return where the feedback lies, whose it is, and the set."""
        address = quote(os.fsencode(f"feedback/{student}/{exercise}.html"))
        return address, self._called(student), exercise

    def _called(self, student):
        """Return a student's name with the id, as a person reads it."""
        called, id = escaping.name(self.report.names.get(student, "")), escaping.name(student)
        return f"{called} ({id})" if called not in ("", id) else id

    def lessons(self):
        """Choose what cost most, with what its check says to it -> list of HTML."""
        cards = []
        for lost, question, mistake in sorted((-lost, *place) for place, lost in self.lost.items()):
            sentence = explanation(question, mistake)
            if sentence and mistake not in NOT_MISTAKES:
                students, points = len(self.mistakes[question, mistake]), plain_number(-lost)
                cost = (f"cost {students} student{'s' * (students != 1)} "
                        f"{points} point{'s' * (points != 1)} in {question}")
                cards.append(Card(f"{mistake.capitalize()}: {cost}", (sentence,))._repr_html_())
        return list(map(Markup, cards[:NEXT_LECTURE]))

    def write(self):
        """Write index.html and mistakes.csv."""
        report = self.report
        absent = [(exercise, len(who), ", ".join(map(self._called, who)))
                  for exercise in report.exercises
                  if (who := sorted({*report.course.roster.people} - self.handed_in[exercise]))]
        skipped = [(self._called(student), escaping.printable(file), escaping.printable(why))
                   for rows in skipped_in(report.folder).values()
                   for student, file, why in sorted(rows) if why != JUNK]
        html = TEMPLATES.get_template("class.html").render(
            title=report.course.title or "The class", submissions=self.submissions,
            n_students=len({student for student, _ in report.records}),
            lessons=self.lessons(), absent=absent, skipped=skipped,
            review=[(*self._place(*place), reasons) for *place, reasons in self.review],
            sets=list(map(self._set, report.exercises)),
            alike=[(exercise, self._called(one), self._called(other), ", ".join(questions))
                   for exercise, one, other, questions in pairs(self.written)])
        write(report.folder / "index.html", html)
        rows = [MISTAKES]
        for (question, mistake), who in sorted(self.mistakes.items()):
            exercise = QUESTIONS[question].notebook if question in QUESTIONS else ""
            rows += ((escaping.name(student), report.course.person(student).group,
                      report.course.set_of(exercise).week or "", exercise, question, mistake,
                      explanation(question, mistake)) for student in sorted(who))
        write(report.folder / "mistakes.csv", csv_of(rows))

    def _set(self, exercise):
        """Tabulate success and mistakes in a set -> dict for the template."""
        asked = dict.fromkeys(q for e, q, _ in self.statuses if e == exercise)
        seen = [status for status in WORDS if status != "right"
                and any(self.statuses[exercise, question, status] for question in asked)]
        success = []
        for question in asked:
            counts = {status: self.statuses[exercise, question, status] for status in WORDS}
            judged = counts["right"] + counts["wrong"] + counts["not started"]
            by_people = counts["by hand"] + counts["marked"]
            share = counts["right"] / judged if judged and not by_people else None
            success.append((question, share, [counts[status] for status in seen]))
        ours = [(question, mistake, len(who), plain_number(self.lost[question, mistake]))
                for (question, mistake), who in self.mistakes.items()
                if question in QUESTIONS and QUESTIONS[question].notebook == exercise]
        ours.sort(key=lambda row: (-row[3], row[:2]))
        week = self.report.course.set_of(exercise).week
        return {"title": f"{exercise}, week {week}" if week else exercise, "success": success,
                "statuses": seen, "mistakes": ours[:MOST_LISTED]}


def explanation(question, mistake):
    """Return the message of a question's own check for a mistake -> str, "" if there is none."""
    check = QUESTIONS[question].check if question in QUESTIONS else None
    parts = (getattr(check, part, ()) for part in ("mistakes", "targets", "bugs", "right"))
    known = (one for part in parts if isinstance(part, tuple | list) for one in part)
    return next((one.message for one in known if getattr(one, "name", None) == mistake), "")
