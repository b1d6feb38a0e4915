"""Write the feedback pages for students: verdicts and comments, but no hidden tests.

What students wrote stands in them as text; should a tag slip through, the page's own policy lets no
script run.
"""

import os
from html import escape
from urllib.parse import quote

from fi_course.questions import QUESTIONS
from fi_course.questions.cards import Card
from fi_grader import escaping
from fi_grader.results import write
from fi_grader.spreadsheets import plain_number
from fi_grader.totals import points_of, waiting_of

STYLE = """:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;
color:#222;background:#fff;overflow-wrap:anywhere}
.wide{overflow-x:auto;overflow-wrap:break-word}a{color:#0b57d0}
table{border-collapse:collapse;width:100%;margin:1rem 0}
th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #ccc;vertical-align:top}
td.n,th.n{text-align:right}div[role=status]{margin:1.2em 0 .2em!important}
h2{font-size:1.1rem;margin:.2em 0}
.said{white-space:pre-wrap;margin:.2em 0 .2em 1em}
pre{white-space:pre-wrap;background:#f4f4f4;padding:.5em}
.bar{background:#1a7f4b;height:.7em;display:inline-block;min-width:1px}
@media(prefers-color-scheme:dark){
body{color:#ddd;background:#181818}pre{background:#262626}a{color:#8ab4f8}}"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
WORDS = {"right": "Right", "wrong": "Not right", "not started": "Not started",
         "by hand": "A person will read this", "marked": "Read by a person",
         "not graded": "Not graded"}


def write_feedback(report):
    """Write feedback/<student>/<exercise>.html for each record."""
    for student, records in report.by_student():
        scores = {score.exercise: score for score in report.scores(student, records, report.seen)}
        for exercise, record in records.items():
            html = feedback(record, scores[exercise], report.name(student), report.course)
            write(report.folder / "feedback" / student / f"{exercise}.html", html)


def feedback(record, score=None, name="", course=None):
    """Build a student's feedback on one exercise -> HTML.

    No flag, no input of a hidden test beyond the counterexample.

    line : what counts of it, from `totals.lines_of`
    """
    most = sum(r["max_points"] for r in record["rows"])
    top = (f"<p>{plain_number(points_of(record))} of {most} points{_waiting(record)}."
           f"{_late(score, course)}</p>")
    notes = "".join(f"<p>{escape(r)}</p>" for r in _reasons(record))
    title = f"{record['exercise']}: {escaping.name(name or record['student'])}"
    return page(title, top + notes + "".join(map(_section, record["rows"])))


def _late(score, course):
    """Say what being late cost -> str."""
    if score is None or not score.days or course is None:
        return ""
    days = f"{score.days} day{'s' * (score.days > 1)} late"
    free = f", {score.free_days} of your free days used" if score.free_days else ""
    return f" {days}{free}: {plain_number(score.counted)} count."


def _reasons(record):
    """Collect why nothing could be graded, to be said once instead of at every question."""
    return dict.fromkeys(row["message"] for row in record["rows"] if row["status"] == "not graded")


def _waiting(record):
    waiting = waiting_of(record)
    return f"; {waiting} more wait for a person" if waiting else ""


def _section(row):
    question = QUESTIONS.get(row["question"])
    title = f"{row['question']}: {question.title}" if question else row["question"]
    earned = plain_number(row["points"])
    points = (f"{row['max_points']} points wait"
              if row["points"] is None else f"{earned} of {row['max_points']}")
    said = escaping.lines(row["message"]) if row["status"] in ("wrong", "not started") else ""
    words = (f"{WORDS[row['status']]} ({points}){': ' * bool(row['mistake'])}{row['mistake']}",
             said)
    trace = f"<pre>{escape(escaping.lines(row['trace']))}</pre>"
    trace = (f"<details><summary>Where it happened</summary>{trace}</details>"
             if row["trace"] else "")
    tone = row["status"] if row["status"] not in ("not graded", "marked") else "note"
    return Card(title, words, tone=tone)._repr_html_() + _said_by_a_person(row) + trace


def _said_by_a_person(row):
    """Show comment and correction as plain text -> HTML."""
    words = [("Comment", row.get("comment")), ("Points changed", row.get("changed"))]
    return "".join(f"<p class='said'><b>{what}:</b> {escape(escaping.lines(text))}</p>"
                   for what, text in words if text)


def link(record):
    """Link to a student's feedback on a set -> HTML."""
    place = quote(os.fsencode(f"feedback/{record['student']}/{record['exercise']}.html"))
    student = escape(escaping.name(record["student"]))
    return f"<a href='{place}'>{student}, {escape(record['exercise'])}</a>"


def table(head, rows):
    """Build a table of ready HTML cells -> HTML."""
    head = "".join(f"<th scope='col'>{name}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (f"<div class='wide' tabindex='0'><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></div>")


def page(title, body):
    """Build a whole page that loads nothing and runs no script -> HTML."""
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width'>"
            f"<meta http-equiv='Content-Security-Policy' content=\"{POLICY}\">"
            f"<title>{escape(title)}</title><style>{STYLE}</style></head>"
            f"<body><h1>{escape(title)}</h1>{body}</body></html>\n")
