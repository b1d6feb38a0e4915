"""Write the instructor's page: results by question, frequent mistakes, who needs attention.

Mistakes have names: they are counted by question, week and group, and those that the same students
make are listed together, each with the message of its own check.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import escape
from itertools import combinations
from statistics import median

from fi_course.questions import QUESTIONS
from fi_course.questions.cards import Card
from fi_grader import escaping
from fi_grader.collecting import JUNK
from fi_grader.files_report import FilesReport
from fi_grader.notebooks.similarity import pairs
from fi_grader.pages import WORDS, link, page, table
from fi_grader.results import write
from fi_grader.spreadsheets import plain_number, table_of
from fi_grader.totals import points_of

NEXT_LECTURE = 5
MOST_LISTED = 15
FEWEST_WITH_BOTH = 3
"""A pair of mistakes is listed if at least so many students make both."""
COMMON_SHARE = 0.1
"""A mistake is common if at least this share of those who answered makes it."""
NOT_MISTAKES = ("not an answer", "too short to be read", "ran too long", "ran out of memory",
                "ended its process", "sent garbage")
"""Reasons that name no misconception."""


@dataclass
class ClassMistakes:
    """Count who makes which mistake.

    statuses : Counter of (exercise, question, status)
    students_by_mistake : {(question, mistake): set of students}
    students : who has handed in
    """

    statuses: Counter = field(default_factory=Counter)
    students_by_mistake: dict = field(default_factory=lambda: defaultdict(set))
    students: set = field(default_factory=set)

    def judged(self, question):
        """Count the answers to a question that were judged automatically -> int."""
        found = (n for (_, q, status), n in self.statuses.items()
                 if q == question and status in ("right", "wrong", "not started"))
        return sum(found)

    def common(self):
        """List mistakes, the most frequent first.

        -> list of (question, mistake, share of those judged)
        """
        parts = [(q, m, len(who) / max(1, self.judged(q)))
                 for (q, m), who in self.students_by_mistake.items() if m not in NOT_MISTAKES]
        return sorted(parts, key=lambda one: (-one[2], one[0], one[1]))

    def mistake_pairs(self):
        """Find mistakes that the same students make.

        -> list of (one, other, students with both, how often relative to chance)
        """
        by_student = defaultdict(set)
        for mistake, who in self.students_by_mistake.items():
            for student in who if mistake[1] not in NOT_MISTAKES else ():
                by_student[student].add(mistake)
        pairs = Counter(pair for those in by_student.values()
                        for pair in combinations(sorted(those), 2))
        who = self.students_by_mistake
        found = [(one, other, n, n * len(self.students) / (len(who[one]) * len(who[other])))
                 for (one, other), n in pairs.items() if n >= FEWEST_WITH_BOTH]
        return sorted((f for f in found if f[3] > 1), key=lambda f: (-f[2], -f[3], f[0], f[1]))


def class_mistakes(records):
    """Count the mistakes in merged records -> ClassMistakes."""
    found = ClassMistakes()
    for record in records:
        found.statuses.update((record["exercise"], row["question"], row["status"])
                              for row in record["rows"])
        found.students.add(record["student"])
        for row in record["rows"]:
            if row["mistake"] and row["status"] == "wrong":
                found.students_by_mistake[row["question"], row["mistake"]].add(record["student"])
    return found


def explanation(question, mistake):
    """Return the message of a question's own check for a mistake -> str, "" if there is none."""
    check = QUESTIONS[question].check if question in QUESTIONS else None
    named = (one for part in ("mistakes", "targets", "bugs", "right")
             for one in _listed(getattr(check, part, ())))
    return next((one.message for one in named if getattr(one, "name", None) == mistake), "")


def _listed(value):
    return value if isinstance(value, tuple | list) else ()


def write_class_page(report, seconds):
    """Write index.html and mistakes.csv.

    seconds : {exercise: [what grading each submission took]}
    """
    found = class_mistakes(report.values())
    write(report.folder / "index.html", class_page(report, found, seconds))
    write(report.folder / "mistakes.csv", _mistakes_csv(report, found))


def class_page(report, found, seconds):
    """Build the class page: results by question, mistakes, times, skipped files -> HTML."""
    to_review = [r for r in report.values() if r["human"]]
    students = len({s for s, _ in report.records})
    parts = [f"<p>{len(report.records)} submissions of {students} students.</p>", _absent(report),
             _needs_review(to_review), _next_lecture(found), _mistake_pairs(found)]
    for exercise in report.seen:
        week = report.course.set_of(exercise).week
        title = f"{exercise}, week {week}" if week else exercise
        parts += [f"<h2>{escape(title)}</h2>", _success(exercise, found),
                  _mistakes(exercise, report, found), _times(seconds.get(exercise, []))]
    return page(report.course.title or "The class", "".join(parts) + _similar(report)
                + _everybody(report) + _skipped(report))


def _absent(report):
    """List who in the roster has not handed in -> HTML."""
    if not report.course.roster:
        return ""
    rows = [(escape(e), str(len(who)), escape(", ".join(map(escaping.name, who))))
            for e in report.seen
            if (who := [p for p in report.course.roster.people
                        if not _has_handed_in(report, p, e)])]
    return "<h2>Not handed in</h2>" + table(("set", "how many", "who"), rows) if rows else ""


def _has_handed_in(report, student, exercise):
    return ((student, exercise) in report
            and "nothing handed in" not in report.records[student, exercise]["flags"])


def _needs_review(to_review):
    rows = [(link(r), escape(escaping.printable("; ".join(r["human"])))) for r in to_review]
    return (f"<h2>Wants a person ({len(rows)})</h2>"
            + (table(("submission", "why"), rows) if rows else "<p>None.</p>"))


def _next_lecture(found):
    """List the most common mistakes, each with its explanation -> HTML."""
    common = [one for one in found.common() if one[2] >= COMMON_SHARE
              and len(found.students_by_mistake[one[0], one[1]]) > 1][:NEXT_LECTURE]
    cards = [Card(f"{q}: {m} ({len(found.students_by_mistake[q, m])} students, {part:.0%})",
                  (explanation(q, m),))._repr_html_() for q, m, part in common]
    return "<h2>For the next lecture</h2>" + "".join(cards) if cards else ""


def _mistake_pairs(found):
    rows = [(escape(f"{a[0]}: {a[1]}"), escape(f"{b[0]}: {b[1]}"), str(n), f"{lift:.1f} times")
            for a, b, n, lift in found.mistake_pairs()[:MOST_LISTED]]
    head = ("who makes this mistake", "makes this one too", "students", "as often as by chance")
    return "<h2>Mistakes that come together</h2>" + table(head, rows) if rows else ""


def _success(exercise, found):
    rows = []
    statuses = [status for status in WORDS if status != "right"]
    for question in dict.fromkeys(q for e, q, _ in found.statuses if e == exercise):
        counts = {status: found.statuses[exercise, question, status] for status in WORDS}
        judged = counts["right"] + counts["wrong"] + counts["not started"]
        by_people = counts["by hand"] + counts["marked"]
        share = counts["right"] / judged if judged else 0
        bar = (f"<span class='bar' style='width:{4 * share:.2f}em'></span> {share:.0%}"
               if judged and not by_people else "")
        rows.append((escape(question), bar, *(str(counts[status]) for status in statuses)))
    return table(("question", "right, of those graded", *statuses), rows)


def _mistakes(exercise, report, found):
    """Tabulate the mistakes in a set, by group if there are groups -> HTML."""
    groups = (sorted({p.group for p in report.course.roster.people.values()} - {""})
              if report.course.roster else [])
    those = {place: who for place, who in found.students_by_mistake.items()
             if place[0] in QUESTIONS and QUESTIONS[place[0]].notebook == exercise}
    ranked = sorted(those.items(), key=lambda one: (-len(one[1]), one[0]))[:MOST_LISTED]
    rows = [(escape(q), escape(m), str(len(who)),
             *(str(sum(report.course.person(s).group == g for s in who)) for g in groups))
            for (q, m), who in ranked]
    head = ("question", "mistake", "how often", *(escape(f"group {g}") for g in groups))
    return "<h3>Frequent mistakes</h3>" + table(head, rows) if rows else ""


def _times(seconds):
    if not seconds:
        return ""
    return (f"<p>Grading took {median(seconds):.2f} s a submission (median), "
            f"{max(seconds):.2f} s at most.</p>")


def _similar(report):
    """Tabulate pairs of students who share answers that few others have -> HTML."""
    rows = [(escape(exercise), escape(escaping.name(one)), escape(escaping.name(other)),
             escape(", ".join(questions)))
            for exercise, one, other, questions in pairs(report.records.values())]
    words = ("<p>Comments, layout and chosen names aside, these two wrote the same, "
             "and hardly anybody else did. "
             "That is a reason to talk, not a verdict: partners may have been allowed.</p>")
    return ("<h2>Written alike</h2>" + words + table(("set", "one", "other", "answers"), rows)
            if rows else "")


def _everybody(report):
    rows = [(link(r),
             f"{plain_number(points_of(r))} of {sum(row['max_points'] for row in r['rows'])}",
             escape(r["sandbox"])) for r in report.values()]
    return "<h2>All submissions</h2>" + table(("submission", "points", "sandbox"), rows)


def _skipped(report):
    """Tabulate each file that was not graded, with the reason -> HTML."""
    rows = [(escape(escaping.name(student)), escape(escaping.printable(file)),
             escape(escaping.printable(why)))
            for student, files in sorted(FilesReport(report.folder).skipped().items())
            for file, why in files if why != JUNK]
    return (f"<h2>Files that were not graded ({len(rows)})</h2>"
            + table(("student", "file", "why"), rows) if rows else "")


def _mistakes_csv(report, found):
    """List who makes which mistake, one row each -> CSV."""
    rows = [(escaping.name(s), report.course.person(s).group,
             report.course.set_of(QUESTIONS[q].notebook).week or "", QUESTIONS[q].notebook, q, m,
             explanation(q, m)) for (q, m), who in sorted(found.students_by_mistake.items())
            if q in QUESTIONS for s in sorted(who)]
    return table_of([("student", "group", "week", "exercise", "question", "mistake",
                      "what is said to it"), *rows])
