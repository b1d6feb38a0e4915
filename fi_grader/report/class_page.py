"""Write the instructor's page: what to teach next, who wants a person, results by question.

Mistakes have names: they are counted by question, and shown with what the check itself says to
them.
"""

from collections import Counter, defaultdict

from markupsafe import Markup

from fi_course.questions import QUESTIONS
from fi_course.questions.cards import Card
from fi_grader import escaping
from fi_grader.notebooks.similarity import pairs
from fi_grader.report.pages import WORDS, address_of, page
from fi_grader.report.results import write
from fi_grader.report.scores import is_handed_in, points_of
from fi_grader.report.spreadsheets import Table, plain_number
from fi_grader.report.tables import skipped_in
from fi_grader.submissions.files import JUNK

MISTAKES = ("student", "group", "week", "exercise", "question", "mistake", "what is said to it")
NEXT_LECTURE = 3
MOST_LISTED = 15
NOT_MISTAKES = ("not an answer", "too short to be read", "ran too long", "ran out of memory",
                "ended its process", "sent garbage")
"""Reasons that name no misconception."""


class ClassPage:
    """Count over a class, a Student at a time; then `write`.

    statuses : Counter of (exercise, question, status)
    mistakes, lost : who makes each (question, mistake), and the points that it cost them all
    review : (student, exercise, reasons) of what wants a person
    """

    def __init__(self, report):
        self.report = report
        self.statuses, self.lost, self.absent = Counter(), Counter(), Counter()
        self.mistakes, self.handed_in = defaultdict(set), defaultdict(set)
        self.submissions, self.review, self.written = [], [], []

    def add(self, student):
        """Count a student's records."""
        for exercise, record in student.records.items():
            most = sum(row["max_points"] for row in record["rows"])
            self.submissions.append((address_of(student.id, exercise), self._called(student.id),
                                     exercise, f"{plain_number(points_of(record))} of {most}"))
            self.written.append({"student": student.id, "exercise": exercise,
                                 "written": record.get("written", {})})
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

    def _called(self, student):
        """Return a student's name with the id, as a person reads it -> str."""
        called = escaping.name(self.report.names.get(student, ""))
        id = escaping.name(student)
        return f"{called} ({id})" if called and called != id else id

    def lessons(self):
        """Choose the mistakes that cost most points.

        -> list of (question, mistake, students, points lost, what is to be said)
        """
        ranked = sorted((place for place in self.mistakes if place[1] not in NOT_MISTAKES),
                        key=lambda place: (-self.lost[place], place))
        found = ((*place, len(self.mistakes[place]), self.lost[place], explanation(*place))
                 for place in ranked)
        return [lesson for lesson in found if lesson[-1]][:NEXT_LECTURE]

    def write(self):
        """Write index.html and mistakes.csv."""
        report = self.report
        absent = [(exercise, len(who), ", ".join(map(self._called, who)))
                  for exercise in report.exercises
                  if (who := sorted({*report.course.people} - self.handed_in[exercise]))]
        skipped = [(self._called(student), escaping.printable(file), escaping.printable(why))
                   for rows in skipped_in(report.folder).values()
                   for student, file, why in sorted(rows) if why != JUNK]
        html = page(
            "class.html", title=report.course.title or "The class", submissions=self.submissions,
            n_students=len({student for student, _ in report.records}),
            lessons=list(map(_card, self.lessons())), absent=absent, skipped=skipped,
            review=[(address_of(student, exercise), self._called(student), exercise, reasons)
                    for student, exercise, reasons in self.review],
            sets=list(map(self._set, report.exercises)),
            alike=[(exercise, self._called(one), self._called(other), ", ".join(questions))
                   for exercise, one, other, questions in pairs(self.written)])
        write(report.folder / "index.html", html)
        write(report.folder / "mistakes.csv", Table(MISTAKES, *self._mistake_rows()).text())

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

    def _mistake_rows(self):
        """List who makes which mistake, one row each -> iterator."""
        course = self.report.course
        for (question, mistake), who in sorted(self.mistakes.items()):
            exercise = QUESTIONS[question].notebook if question in QUESTIONS else ""
            for student in sorted(who):
                yield (escaping.name(student), course.person(student).group,
                       course.set_of(exercise).week or "", exercise, question, mistake,
                       explanation(question, mistake))


def _card(lesson):
    """Show what to teach next -> HTML."""
    question, mistake, students, points, sentence = lesson
    cost = (f"cost {students} student{'s' * (students != 1)} "
            f"{plain_number(points)} point{'s' * (points != 1)} in {question}")
    return Markup(Card(f"{mistake.capitalize()}: {cost}", (sentence,))._repr_html_())


def explanation(question, mistake):
    """Return the message of a question's own check for a mistake -> str, "" if there is none."""
    check = QUESTIONS[question].check if question in QUESTIONS else None
    for part in ("mistakes", "targets", "bugs", "right"):
        known = getattr(check, part, ())
        for one in known if isinstance(known, tuple | list) else ():
            if getattr(one, "name", None) == mistake:
                return one.message
    return ""
