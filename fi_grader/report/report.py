"""One report: results merged with marks, corrections and the course's decisions.

Tables, pages and exports are views of it; `write_views` writes them in one pass over the results.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from fi_grader.judging.judge import reasons_to_review
from fi_grader.report.course import Course, Person
from fi_grader.report.marks import CHANGED, Marks
from fi_grader.report.scores import Score, scores_of
from fi_grader.submissions.finding import BY_CELLS


@dataclass(frozen=True)
class Student:
    """A student of a report.

    records, scores : {exercise: merged record} of what was graded, {exercise: Score} of all sets
    """

    id: str
    person: Person
    name: str = ""
    records: dict = field(default_factory=dict)
    scores: dict[str, Score] = field(default_factory=dict)


class Report:
    """The results of a class; `student` and `students` merge them with all that is known."""

    def __init__(self, folder, records, course=None):
        self.folder, self.records, self.course = Path(folder), records, course or Course()
        self.marks = Marks(self.folder)
        self._exercises_of = defaultdict(list)
        for student, exercise in records:
            self._exercises_of[student].append(exercise)

    @property
    def exercises(self):
        """The sets that tables show: those of the course, and others handed in -> sorted list."""
        return sorted({*self.course.sets, *(exercise for _, exercise in self.records)})

    @property
    def ids(self):
        """All students: those of the roster, and others who handed in -> sorted list."""
        return sorted({*self.course.people, *self._exercises_of})

    @cached_property
    def names(self):
        """The students' names, where the roster or a platform gave them -> {student: name}."""
        found = {student: self.records[student, exercise]["found"]["name"]
                 for student, exercise in self.records}
        return {**found, **{id: person.name for id, person in self.course.people.items()}}

    def student(self, id):
        """Read all of a student's records, merged with marks and corrections -> Student."""
        records = {e: self._merged(self.records[id, e]) for e in self._exercises_of.get(id, ())}
        person = self.course.person(id)
        scores = scores_of(self.course, self.exercises, records)
        return Student(id, person, self.names.get(id, ""), records,
                       {score.exercise: score for score in scores})

    def students(self):
        """Read every student in order -> iterator of Student."""
        return map(self.student, self.ids)

    def _merged(self, record):
        """Merge a record with its marks; `review` is why a person should look at it -> dict."""
        rows = [self.marks.merged(record, row) for row in record["rows"]]
        found = record["found"]["flags"]
        review = [*reasons_to_review(record), *(flag for flag in found if flag != BY_CELLS)]
        review += [f"{row['question']}: {flag}" for row in rows for flag in row["flags"]
                   if flag == CHANGED or flag.startswith("marked twice")]
        return {**record, "rows": rows, "flags": [*record["flags"], *found],
                "review": list(dict.fromkeys(review))}

    def handed_in_as(self, platform, exercise=None):
        """Collect the numbers under which a platform knows students -> {number: student}."""
        found = ((place[0], self.records[place]["found"]) for place in self.records
                 if exercise in (None, place[1]))
        return {facts["number"]: student for student, facts in found
                if facts["platform"] == platform and facts["number"]}
