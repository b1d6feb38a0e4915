"""Compute a student's points over all sets: late penalties, dropped sets, percentages.

A set that a student has not handed in is absent: its field stays empty, and its points are among
those that could be had.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from fi_course.questions import QUESTIONS

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Score:
    """What a set brought a student; None where the set was not handed in.

    `points` are before and `counted` after the late penalty.
    """

    exercise: str
    points: float | None
    counted: float | None
    most: int
    waiting: int = 0
    days: int = 0
    free_days: int = 0
    is_dropped: bool = False
    is_late_undated: bool = False

    @property
    def share(self):
        """The share of the set's points that count -> float; 0 if absent."""
        return (self.counted or 0) / self.most if self.most else 0.0


@cache
def most_of(exercise):
    """Return the points that a set is worth -> int."""
    return sum(q.points for q in QUESTIONS.values() if q.notebook == exercise)


def points_of(record):
    """Sum the points a record has earned so far, without those that wait for a person."""
    return sum(row["points"] or 0 for row in record["rows"])


def waiting_of(record):
    """Sum the points of a record that a person has yet to give -> int."""
    return sum(row["max_points"] for row in record["rows"] if row["status"] == "by hand")


def scores_of(course, exercises, records, facts):
    """Compute a student's score in each set -> list of Score, in the order of the sets.

    exercises : the sets that count
    records : {exercise: merged record} of the student's
    facts : {exercise: Facts} of how they were handed in
    """
    late = {e: days_late(course, e, facts.get(e)) for e in exercises if e in records}
    free = _shared_out(course, late)
    scores = [_score(course, e, records.get(e), late.get(e, 0), free.get(e, 0), facts.get(e))
              for e in exercises]
    dropped = sorted((score for score in scores if course.set_of(score.exercise).weight),
                     key=lambda score: (score.share, score.exercise))
    names = ({score.exercise for score in dropped[:course.drop_lowest]}
             if len(dropped) > course.drop_lowest else set())
    return [Score(**{**vars(score), "is_dropped": score.exercise in names}) for score in scores]


def days_late(course, exercise, facts):
    """Count the days from the deadline to the submission, rounded up -> int.

    Canvas says only that it was late: that is one day.
    """
    deadline = course.set_of(exercise).deadline
    if facts is None or deadline is None:
        return 0
    if not facts.time:
        return int(facts.is_late)
    time = datetime.fromisoformat(facts.time)
    time = time.replace(tzinfo=deadline.tzinfo) if time.tzinfo is None else time
    beyond = time - deadline - timedelta(minutes=course.late.grace_minutes)
    return max(0, math.ceil(beyond / DAY))


def _shared_out(course, late):
    """Assign a student's free days to late sets in order of deadline -> {exercise: days}."""
    left, given = course.late.free_days, {}
    dated = [e for e in late if course.set_of(e).deadline]
    for exercise in sorted(dated, key=lambda e: (course.set_of(e).deadline, e)):
        given[exercise] = min(left, late[exercise])
        left -= given[exercise]
    return given


def _score(course, exercise, record, days, free, facts):
    if record is None or not _is_handed_in(record):
        return Score(exercise, None, None, most_of(exercise))
    points = points_of(record)
    is_over = course.late.last_day is not None and days > course.late.last_day
    left = 0 if is_over else max(0.0, 1 - course.late.cost * (days - free))
    counted = points if left == 1 else round(points * left, 2)
    undated = bool(facts and facts.is_late and not facts.time)
    return Score(exercise, points, counted, sum(row["max_points"] for row in record["rows"]),
                 waiting_of(record), days, free, is_late_undated=undated)


def _is_handed_in(record):
    return "nothing handed in" not in record["flags"]


def percent_of(course, scores):
    """Return the weighted share of the sets that are not dropped, in per cent -> float."""
    counted = [(course.set_of(score.exercise).weight, score.share)
               for score in scores if not score.is_dropped]
    weight = sum(w for w, _ in counted)
    return round(100 * sum(w * share for w, share in counted) / weight, 2) if weight else 0.0
