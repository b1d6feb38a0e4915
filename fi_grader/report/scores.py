"""Compute a student's scores over all sets: late penalties, dropped sets, percentages.

A set that a student has not handed in is absent: its field stays empty, and its points are among
those that could be had.
"""

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache

from fi_course.questions import QUESTIONS

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Score:
    """What a set brought a student; None where the set was not handed in.

    points, counted : before and after the late penalty
    is_counting : is it one of the sets that the course counts?
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
    is_counting: bool = True

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


def is_handed_in(record):
    """Return whether there was a file."""
    return record is not None and "nothing handed in" not in record["flags"]


def scores_of(course, exercises, records):
    """Compute a student's score in each set -> list of Score, in the order of the sets.

    Free days and dropped sets are a matter of all sets, so all are computed together.

    exercises : the sets to be listed; of them those count that the course names, if it names any
    records : {exercise: merged record} of the student's
    """
    late = {e: days_late(course, e, records[e]) for e in exercises if is_handed_in(records.get(e))}
    free = _free_days(course, late)
    scores = [_score(course, e, records.get(e), late.get(e, 0), free.get(e, 0)) for e in exercises]
    can_drop = sorted((score for score in scores if score.is_counting
                       and course.set_of(score.exercise).weight),
                      key=lambda score: (score.share, score.exercise))
    drops = course.drop_lowest if len(can_drop) > course.drop_lowest else 0
    return [replace(score, is_dropped=score in can_drop[:drops]) for score in scores]


def days_late(course, exercise, record):
    """Count the days from the deadline to the submission, rounded up -> int.

    Canvas says only that it was late: that is one day.
    """
    deadline, found = course.set_of(exercise).deadline, record["found"]
    if deadline is None:
        return 0
    if not found["time"]:
        return int(found["is_late"])
    time = datetime.fromisoformat(found["time"])
    time = time.replace(tzinfo=deadline.tzinfo) if time.tzinfo is None else time
    beyond = time - deadline - timedelta(minutes=course.late.grace_minutes)
    return max(0, math.ceil(beyond / DAY))


def _free_days(course, late):
    """Assign a student's free days to late sets in order of deadline -> {exercise: days}."""
    left, given = course.late.free_days, {}
    dated = [e for e in late if course.set_of(e).deadline]
    for exercise in sorted(dated, key=lambda e: (course.set_of(e).deadline, e)):
        given[exercise] = min(left, late[exercise])
        left -= given[exercise]
    return given


def _score(course, exercise, record, days, free):
    is_counting = exercise in course.sets or not course.sets
    if not is_handed_in(record):
        return Score(exercise, None, None, most_of(exercise), is_counting=is_counting)
    points = points_of(record)
    is_over = course.late.last_day is not None and days > course.late.last_day
    left = 0 if is_over else max(0.0, 1 - course.late.cost * (days - free))
    counted = points if left == 1 else round(points * left, 2)
    undated = record["found"]["is_late"] and not record["found"]["time"]
    return Score(exercise, points, counted, sum(row["max_points"] for row in record["rows"]),
                 waiting_of(record), days, free, is_late_undated=undated, is_counting=is_counting)


def percent_of(course, scores):
    """Return the weighted share of the sets that are not dropped, in per cent -> float."""
    counted = [(course.set_of(score.exercise).weight, score.share)
               for score in scores if score.is_counting and not score.is_dropped]
    weight = sum(w for w, _ in counted)
    return round(100 * sum(w * share for w, share in counted) / weight, 2) if weight else 0.0
