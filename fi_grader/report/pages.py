"""Write the pages of a report from templates/: a student's feedback, and the frame of all pages.

What students wrote stands in them as text: the templates escape all they are given, and each
page's own policy lets no script run but one whose hash it names.
"""

import os
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from fi_course.questions import QUESTIONS
from fi_course.questions.cards import Card
from fi_grader import escaping
from fi_grader.report.results import write
from fi_grader.report.scores import points_of, waiting_of
from fi_grader.report.spreadsheets import plain_number

TEMPLATES = Path(__file__).with_name("templates")
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
