"""Build offline pages on which assistants mark prose by the rubric.

Nothing a student wrote is anything but text in them: the answers travel as data, are set as text,
and the page's policy lets no script run but its own. What is saved is a table for `REPORT/marks/`;
`fi-teach marks` takes it in.
"""

import base64
import hashlib
import json
from collections import defaultdict
from pathlib import Path

from markupsafe import Markup

from fi_course.questions import QUESTIONS
from fi_grader import escaping
from fi_grader.report.marks import digest
from fi_grader.report.pages import page
from fi_grader.report.results import write

SCRIPT = Path(__file__).with_name("marking.js").read_text(encoding="utf-8")


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
