"""Build offline pages on which assistants mark prose by the rubric.

Nothing a student wrote is anything but text in it: the answers travel as data, are set as text, and
the page's policy lets no script run but its own. What is saved is a table for `REPORT/marks/`;
`fi-teach marks` takes it in.
"""

import base64
import hashlib
import json
from collections import defaultdict
from contextlib import closing
from html import escape
from pathlib import Path

from fi_course.questions import QUESTIONS
from fi_grader import escaping
from fi_grader.judging.worker import Worker
from fi_grader.marks import ANSWERS, answer_lines, answers_of, digest
from fi_grader.pages import STYLE
from fi_grader.results import write
from fi_grader.submissions import reading as read

BY_PEOPLE = ("by hand", "marked")
SCRIPT = Path(__file__).with_name("marking.js").read_text(encoding="utf-8")
MARKING_STYLE = """main{max-width:56rem;margin:auto}
textarea{width:100%;font:inherit;box-sizing:border-box}
#answer{white-space:pre-wrap;border-left:4px solid #2f6db5;padding:.4em .8em;min-height:4em;
background:#f4f4f4;color:#222}
label{display:block;padding:.2em}kbd{border:1px solid #888;border-radius:3px;padding:0 .3em}
button{font:inherit;margin:.2em .3em .2em 0}
.done{color:#1a7f4b}#used button{display:block;text-align:left}"""
HELP = ("Keys: <kbd>1</kbd> to <kbd>9</kbd> points of the rubric, <kbd>0</kbd> none of them, "
        "<kbd>c</kbd> comment (<kbd>Esc</kbd> leaves it), "
        "<kbd>Enter</kbd> next, <kbd>Backspace</kbd> back, <kbd>u</kbd> next unmarked, "
        "<kbd>s</kbd> save; a comment that was used before is put "
        "in again by a click, or by <kbd>Alt</kbd> and its number.")


def update_answers(report, records, assignments, submissions):
    """Read the prose of what was graded anew, and write answers.jsonl.

    submissions : {(student, exercise): Submission}

    A process of limited memory does the reading.
    """
    known = {(line["key"], line["question"]): line["answer"] for line in answer_lines(report)}
    lines = []
    with closing(
        Worker({"exercises": str(next(iter(assignments.values())).path.parent)})) as worker:
        for record in records.values():
            asked = [row["question"] for row in record["rows"] if row["status"] in BY_PEOPLE]
            fresh = [q for q in asked if (record["key"], q) not in known]
            place = record["student"], record["exercise"]
            found = (_prose(worker, submissions[place], assignments[place[1]])
                     if fresh and place in submissions else {})
            answers = {q: known.get((record["key"], q), found.get(q)) for q in asked}
            lines += [{"student": place[0], "key": record["key"], "question": q, "answer": a}
                      for q, a in answers.items() if a is not None]
    write(report / ANSWERS, "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines))


def _prose(worker, submission, assignment):
    """Read the answers in one submission that people grade -> {question: text}."""
    try:
        answers = worker.ask(submission.exercise, read.content_of(submission), "read")["answers"]
    except (ValueError, RuntimeError):
        return {}
    cells = {assignment.cells[int(place)].question: text for place, text in answers.items()}
    return {question: text for question, text in cells.items()
            if question in QUESTIONS and QUESTIONS[question].rubric}


def write_marking(report, assistants=()):
    """Write marking/<assistant>.html with each assistant's students -> list of paths."""
    answers = answers_of(report.folder)
    shares = defaultdict(list)
    for record in report.values():
        for row in record["rows"]:
            place = record["student"], row["question"]
            if row["status"] in BY_PEOPLE and place in answers:
                shares[_assistant(report, record["student"],
                                  assistants)].append(_item(report, row, place, answers[place]))
    paths = []
    for name, items in sorted(shares.items()):
        items.sort(key=lambda item: (item["question"], digest(item["student"])))
        paths.append(report.folder / "marking" / f"{_file_name(name)}.html")
        write(paths[-1], marking_page(name, items))
    return paths


def _file_name(name):
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:60] or "everybody"


def _assistant(report, student, assistants):
    """Return who marks a student: as the roster says, else by the student's digest -> str."""
    assistant = report.course.person(student).assistant
    return assistant or (assistants[int(digest(student), 16) % len(assistants)]
                         if assistants else "everybody")


def _item(report, row, place, answer):
    mark = report.marks.marks.get(place)
    return {"student": place[0], "question": place[1], "answer": escaping.lines(answer),
            "digest": digest(answer),
            "points": mark.points if mark else None, "ticks": list(mark.ticks) if mark else [],
            "comment": mark.comment if mark else ""}


def marking_page(assistant, items):
    """Build a complete offline page for marking -> HTML."""
    asked = dict.fromkeys(item["question"] for item in items)
    rubrics = {q: {"title": QUESTIONS[q].title, "points": QUESTIONS[q].points,
                   "rubric": QUESTIONS[q].rubric} for q in asked}
    data = json.dumps({"assistant": assistant, "questions": rubrics,
                       "items": items}).replace("<", "\\u003c")
    allowed = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'"
    title = escape(f"Marking: {assistant}")
    return ("<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width'>"
            f"<meta http-equiv='Content-Security-Policy' content=\"{policy}\">"
            f"<title>{title}</title><style>{STYLE}{MARKING_STYLE}</style></head>"
            f"<body><main><h1>{title}</h1><p id='progress' role='status'></p>"
            "<p><button id='save'>Save the marks</button><span id='saved'></span></p>"
            "<h2 id='question'></h2><div id='answer' lang='und' dir='auto' tabindex='0'></div>"
            "<div id='rubric'></div><p id='points'></p>"
            "<label for='comment'>Comment, for the student to read</label>"
            "<textarea id='comment' rows='3'></textarea><div id='used'></div>"
            "<p><button id='back'>Back</button><button id='next'>Next</button></p>"
            f"<p>{HELP}</p></main><script type='application/json' id='data'>{data}</script>"
            f"<script>{SCRIPT}</script></body></html>\n")
