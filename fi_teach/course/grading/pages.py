"""The pages of a report: feedback for each student, without a hidden test; one for the instructor, with the whole class.

What students wrote stands in them as text; should a tag slip through, the page's own policy lets no script run.
"""

import os
from collections import Counter
from html import escape
from statistics import median
from urllib.parse import quote

from fi_teach.course.grading import shown
from fi_teach.course.grading.results import write
from fi_teach.course.grading.tables import points_of
from fi_teach.course.questions import QUESTIONS
from fi_teach.course.questions.cards import Card

STYLE = """:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff;overflow-wrap:anywhere}
.wide{overflow-x:auto;overflow-wrap:break-word}a{color:#0b57d0}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #ccc;vertical-align:top}
td.n,th.n{text-align:right}div[role=status]{margin:1.2em 0 .2em!important}h2{font-size:1.1rem;margin:.2em 0}
pre{white-space:pre-wrap;background:#f4f4f4;padding:.5em}.bar{background:#1a7f4b;height:.7em;display:inline-block;min-width:1px}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#262626}a{color:#8ab4f8}}"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
WORDS = {"right": "Right", "wrong": "Not right", "not started": "Not started", "by hand": "A person will read this", "not graded": "Not graded"}


def write_pages(report, records, seconds):
    """Write feedback/<student>/<exercise>.html for each record, and index.html for the class.

    seconds : {exercise: [what grading each submission took]}
    """
    for record in records.values():
        write(report / "feedback" / record["student"] / f"{record['exercise']}.html", feedback(record))
    write(report / "index.html", class_page(records, seconds))


def feedback(record):
    """What a student reads about one exercise -> HTML. No flag, no input of a hidden test beyond the counterexample."""
    top = f"<p>{points_of(record)} of {sum(r['max_points'] for r in record['rows'])} points{_waiting(record)}.</p>"
    notes = "".join(f"<p>{escape(r)}</p>" for r in _reasons(record))
    title = f"{record['exercise']}: {shown.name(record['student'])}"
    return _page(title, top + notes + "".join(map(_section, record["rows"])))


def _reasons(record):
    """Said once instead of at every question: why nothing could be graded."""
    return dict.fromkeys(row["message"] for row in record["rows"] if row["status"] == "not graded")


def _waiting(record):
    waiting = sum(r["max_points"] for r in record["rows"] if r["status"] == "by hand")
    return f"; {waiting} more wait for a person" if waiting else ""


def _section(row):
    question = QUESTIONS.get(row["question"])
    title = f"{row['question']}: {question.title}" if question else row["question"]
    points = f"{row['max_points']} points wait" if row["points"] is None else f"{row['points']} of {row['max_points']}"
    said = shown.lines(row["message"]) if row["status"] in ("wrong", "not started") else ""
    words = (f"{WORDS[row['status']]} ({points}){': ' * bool(row['mistake'])}{row['mistake']}", said)
    trace = f"<pre>{escape(shown.lines(row['trace']))}</pre>"
    trace = f"<details><summary>Where it happened</summary>{trace}</details>" if row["trace"] else ""
    tone = row["status"] if row["status"] != "not graded" else "note"
    return Card(title, words, tone=tone)._repr_html_() + trace


def class_page(records, seconds):
    """Success by question, frequent mistakes, times, and who needs a person -> HTML."""
    statuses, mistakes = Counter(), Counter()
    for record in records.values():
        statuses.update((record["exercise"], row["question"], row["status"]) for row in record["rows"])
        mistakes.update((record["exercise"], row["question"], row["mistake"]) for row in record["rows"] if row["mistake"])
    parts = [f"<p>{len(records)} submissions of {len({s for s, _ in records})} students.</p>", _who(records)]
    for exercise in sorted({e for _, e in records}):
        parts.append(f"<h2>{escape(exercise)}</h2>{_success(exercise, statuses)}{_mistakes(exercise, mistakes)}{_times(seconds.get(exercise, []))}")
    return _page("The class", "".join(parts) + _everybody(records))


def _who(records):
    wanted = [r for r in records.values() if r["human"]]
    rows = [(_link(r), escape(shown.printable("; ".join(r["human"])))) for r in wanted]
    return f"<h2>Wants a person ({len(rows)})</h2>" + (_table(("submission", "why"), rows) if rows else "<p>None.</p>")


def _success(exercise, statuses):
    rows = []
    for question in dict.fromkeys(q for e, q, _ in statuses if e == exercise):
        found = {status: statuses[exercise, question, status] for status in WORDS}
        judged = found["right"] + found["wrong"] + found["not started"]
        share = found["right"] / judged if judged else 0
        bar = f"<span class='bar' style='width:{4 * share:.2f}em'></span> {share:.0%}" if judged and not found["by hand"] else ""
        rows.append((escape(question), bar, *(str(n) for status, n in found.items() if status != "right")))
    return _table(("question", "right, of those graded", *list(WORDS)[1:]), rows)


def _mistakes(exercise, mistakes):
    those = Counter({(q, m): n for (e, q, m), n in mistakes.items() if e == exercise})
    rows = [(escape(q), escape(m), str(n)) for (q, m), n in those.most_common(15)]
    return "<h3>Frequent mistakes</h3>" + _table(("question", "mistake", "how often"), rows) if rows else ""


def _times(seconds):
    if not seconds:
        return ""
    return f"<p>Grading took {median(seconds):.2f} s a submission (median), {max(seconds):.2f} s at most.</p>"


def _everybody(records):
    rows = [(_link(r), f"{points_of(r)} of {sum(row['max_points'] for row in r['rows'])}", escape(r["sandbox"])) for r in records.values()]
    return "<h2>All submissions</h2>" + _table(("submission", "points", "sandbox"), rows)


def _link(record):
    place = quote(os.fsencode(f"feedback/{record['student']}/{record['exercise']}.html"))
    return f"<a href='{place}'>{escape(shown.name(record['student']))}, {escape(record['exercise'])}</a>"


def _table(head, rows):
    head = "".join(f"<th scope='col'>{name}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='wide' tabindex='0'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _page(title, body):
    return (f"<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
            f"<meta http-equiv='Content-Security-Policy' content=\"{POLICY}\">"
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{body}</body></html>\n")
