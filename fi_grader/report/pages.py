"""Write the pages of a report from templates/: students' feedback, and pages to mark prose on.

What students wrote stands in them as text: the templates escape all they are given, and each
page's own policy lets no script run but one whose hash it names. A page to mark on works offline:
the answers travel as data, and what it saves is a table that `fi-teach marks` takes in.
"""

import base64
import hashlib
import json
import os
from collections import defaultdict
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from fi_course.questions import QUESTIONS
from fi_course.questions.cards import Card
from fi_grader import escaping
from fi_grader.report.marks import digest
from fi_grader.report.results import write
from fi_grader.report.scores import points_of, waiting_of
from fi_grader.report.spreadsheets import plain_number

TEMPLATES = Path(__file__).with_name("templates")
SCRIPT = Path(__file__).with_name("marking.js").read_text(encoding="utf-8")
WORDS = {"right": "Right", "wrong": "Not right", "not started": "Not started",
         "by hand": "A person will read this", "marked": "Read by a person",
         "not graded": "Not graded"}


@cache
def _templates():
    found = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                        lstrip_blocks=True)
    found.filters |= {"name": escaping.name, "lines": escaping.lines, "number": plain_number,
                      "printable": escaping.printable}
    return found


def page(template, **values):
    """Fill in a template -> HTML."""
    style = Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))
    return _templates().get_template(template).render(style=style, **values)


def write_feedback(folder, student):
    """Write feedback/<student>/<exercise>.html for each record of a Student."""
    for exercise, record in student.records.items():
        html = feedback(record, student.scores[exercise], student.name)
        write(folder / "feedback" / student.id / f"{exercise}.html", html)


def feedback(record, score=None, name=""):
    """Build a student's feedback on one exercise -> HTML.

    It holds no flag, and no input of a hidden test beyond the counterexample.
    """
    rows = record["rows"]
    reasons = dict.fromkeys(row["message"] for row in rows if row["status"] == "not graded")
    return page("feedback.html", exercise=record["exercise"], name=name or record["student"],
                score=score, rows=rows, card=_card, reasons=reasons, points=points_of(record),
                most=sum(row["max_points"] for row in rows), waiting=waiting_of(record))


def _card(row):
    question, status = QUESTIONS.get(row["question"]), row["status"]
    title = f"{row['question']}: {question.title}" if question else row["question"]
    points = (f"{row['max_points']} points wait" if row["points"] is None
              else f"{plain_number(row['points'])} of {row['max_points']}")
    words = f"{WORDS[status]} ({points}){': ' * bool(row['mistake'])}{row['mistake']}"
    said = escaping.lines(row["message"]) if status in ("wrong", "not started") else ""
    tone = "note" if status in ("not graded", "marked") else status
    return Markup(Card(title, (words, said), tone=tone)._repr_html_())


def address_of(student, exercise):
    """Return where the feedback lies, seen from the report's folder -> part of an address."""
    return quote(os.fsencode(f"feedback/{student}/{exercise}.html"))


# Marking

def write_marking(report, assistants=()):
    """Write marking/<assistant>.html with each assistant's students -> list of paths.

    assistants : who marks the students for whom the roster names nobody
    """
    shares = defaultdict(list)
    for student in report.students():
        others = assistants or ("everybody",)
        share = shares[student.person.assistant
                       or others[int(digest(student.id), 16) % len(others)]]
        for record in student.records.values():
            share += [_item(report, record, row) for row in record["rows"]
                      if row["status"] in ("by hand", "marked")]
    paths = []
    for assistant, items in sorted(shares.items()):
        if items:
            items.sort(key=lambda item: (item["question"], digest(item["student"])))
            name = "".join(c if c.isalnum() or c in "-_" else "_" for c in assistant)[:60]
            paths.append(report.folder / "marking" / f"{name}.html")
            write(paths[-1], marking_page(assistant, items))
    return paths


def _item(report, record, row):
    """Collect what a page needs to show and save one answer -> dict."""
    student, question = record["student"], row["question"]
    answer, mark = record["answers"].get(question, ""), report.marks.marks.get((student, question))
    return {"student": student, "question": question, "answer": escaping.lines(answer),
            "digest": digest(answer), "points": mark.points if mark else None,
            "ticks": list(mark.ticks) if mark else [], "comment": mark.comment if mark else ""}


def marking_page(assistant, items):
    """Build a complete offline page for marking -> HTML."""
    asked = dict.fromkeys(item["question"] for item in items)
    rubrics = {q: {"title": QUESTIONS[q].title, "points": QUESTIONS[q].points,
                   "rubric": QUESTIONS[q].rubric} for q in asked}
    data = json.dumps({"assistant": assistant, "questions": rubrics, "items": items})
    allowed = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    return page("marking.html", assistant=assistant, allowed=allowed, script=Markup(SCRIPT),
                data=Markup(data.replace("<", "\\u003c")))
