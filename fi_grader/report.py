"""A report: results merged with marks, corrections and the course's decisions."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from fi_grader.course_file import Course
from fi_grader.files_report import FilesReport
from fi_grader.marks import Marks, answers_of, digest
from fi_grader.totals import scores_of


@dataclass
class Report:
    """The results of a class, merged with marks and corrections.

    `records` are by (student, exercise), `facts` say how each was handed in, `names` are the
    students' names.
    """

    folder: Path
    records: object
    course: Course
    marks: Marks
    facts: dict
    names: dict

    @property
    def exercises(self):
        """The sets that count: those of the course file, else those that were handed in -> list."""
        return list(self.course.sets) or sorted({exercise for _, exercise in self.records})

    @property
    def seen(self):
        """The sets that tables show -> list."""
        return sorted({*self.exercises, *(exercise for _, exercise in self.records)})

    @property
    def students(self):
        """All students: those of the roster, and others who handed in -> sorted list."""
        people = self.course.roster.people if self.course.roster else ()
        return sorted({*people, *(student for student, _ in self.records)})

    def __getitem__(self, place):
        return self.marks.merged(self.records[place])

    def __contains__(self, place):
        return place in self.records.places

    def values(self):
        """Yield the merged records in order of student and exercise -> iterator."""
        return (self[place] for place in self.records)

    def by_student(self):
        """Yield every student with their merged records.

        -> iterator of (student, {exercise: record})
        """
        theirs = {student: [e for _, e in places]
                  for student, places in groupby(self.records, key=lambda place: place[0])}
        return ((student, {e: self[student, e] for e in theirs.get(student, ())})
                for student in self.students)

    def scores(self, student, records, exercises=None):
        """Return a student's score in each set -> list of Score."""
        facts = {e: self.facts.get((student, e)) for e in self.seen}
        return scores_of(self.course, exercises or self.exercises, records, facts)

    def name(self, student):
        """Return a student's name, "" if it is not known -> str."""
        return self.course.person(student).name or self.names.get(student, "")


def load_report(folder, records, course=None):
    """Load a report's records and marks -> Report.

    Raises ValueError if a file of marks is invalid.
    """
    course, files = course or Course(), FilesReport(folder)
    people = course.roster.people if course.roster else ()
    answers = {place: digest(answer) for place, answer in answers_of(folder).items()}
    marks = Marks(folder, sorted({*people, *(student for student, _ in records)}), answers)
    return Report(folder, records, course, marks, files.facts(), files.names())
