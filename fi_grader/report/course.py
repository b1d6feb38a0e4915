"""What a course decides, from `course.toml`, and what that makes of a student's points.

Every key with what it means: fi_grader/bundle/course.toml.example. Without the file each set counts
its points. A roster's columns are the fields of Person; `id` and `name` are needed.
"""

import math
import tomllib
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from fi_course.questions import QUESTIONS
from fi_grader.report.spreadsheets import check_columns, read_table
from fi_grader.submissions.platforms import NO_ROSTER, Person, Roster

KEYS = {"": {"roster": str, "seed": int, "drop_lowest": int, "late": dict, "sets": dict,
             "title": str},
        "late": {"free_days": int, "cost": float, "last_day": int, "grace_minutes": int},
        "sets": {"week": int, "weight": float, "deadline": datetime, "canvas": str}}
WORDS = {str: "text in quotes", int: "a whole number", float: "a number", dict: "a table",
         datetime: "a date with a time and its zone, such as 2026-10-12T23:59:00+02:00"}


@dataclass(frozen=True)
class Set:
    """How an exercise set counts."""

    name: str
    week: int = 0
    weight: float = 1.0
    deadline: datetime | None = None
    canvas: str = ""


@dataclass(frozen=True)
class Late:
    """What handing in late costs: nothing, unless a course says so."""

    free_days: int = 0
    cost: float = 0.0
    last_day: int | None = None
    grace_minutes: int = 0


@dataclass(frozen=True)
class Course:
    """The decisions of a course; `path` is None if there is no course file."""

    path: Path | None = None
    title: str = ""
    roster: Roster = NO_ROSTER
    seed: int | None = None
    drop_lowest: int = 0
    late: Late = Late()
    sets: dict = field(default_factory=dict)

    def set_of(self, exercise):
        return self.sets.get(exercise, Set(exercise))

    def person(self, student):
        """Look up a student in the roster -> Person, with only the id if not found."""
        return self.roster.people.get(student, Person(student))


def load(path, exercises):
    """Read course.toml, given the names of all sets -> Course.

    Raises ValueError, naming the file and the entry, if it says what cannot be meant.
    """
    path = Path(path)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}.") from None
    _check_keys(path, "", raw)
    _check_keys(path, "late", raw.get("late", {}))
    raw["late"] = Late(**raw.get("late", {}))
    raw["sets"] = {name: _set(path, name, entries, exercises)
                   for name, entries in raw.get("sets", {}).items()}
    if "roster" in raw:
        raw["roster"] = read_roster(path.parent / raw["roster"])
    course = Course(path, **raw)
    numbers = {"drop_lowest": course.drop_lowest, "seed": course.seed,
               **{f"[late] {name}": value for name, value in vars(course.late).items()},
               **{f"[sets.{name}] weight": one.weight for name, one in course.sets.items()}}
    wrong = [f"{name} is less than 0" for name, value in numbers.items() if (value or 0) < 0]
    wrong += ["[late] cost is more than 1"] * (course.late.cost > 1)
    if 0 < len(course.sets) <= course.drop_lowest:
        wrong.append(f"drop_lowest leaves none of {len(course.sets)} sets")
    if wrong:
        raise ValueError(f"{path}: {'; '.join(wrong)}.")
    return course


def _check_keys(path, table, entries):
    known, where = KEYS[table.partition(".")[0]], f"[{table}] " if table else ""
    for key, value in entries.items():
        if key not in known:
            near = get_close_matches(key, known, 1)
            raise ValueError(f"{path}: {where}{key} means nothing here. "
                             + (f"Did you mean {near[0]}?" if near else
                                f"Known are {', '.join(known)}."))
        wanted = (int, float) if known[key] is float else known[key]
        if not isinstance(value, wanted) or isinstance(value, bool):
            shown = value.isoformat() if hasattr(value, "isoformat") else repr(value)[:60]
            raise ValueError(f"{path}: {where}{key} = {shown} must be {WORDS[known[key]]}.")


def _set(path, name, entries, exercises):
    if name not in exercises:
        near = get_close_matches(name, exercises, 2, 0.3)
        raise ValueError(f"{path}: there is no set {name}. "
                         + f"Near it: {', '.join(near)}." * bool(near))
    if not isinstance(entries, dict):
        raise ValueError(f"{path}: sets.{name} must be a table, as in [sets.{name}].")
    _check_keys(path, f"sets.{name}", entries)
    found = Set(name, **entries)
    if found.deadline is not None and found.deadline.tzinfo is None:
        raise ValueError(f"{path}: [sets.{name}] deadline has no time zone: "
                         f"add one, as in {found.deadline.isoformat()}+02:00.")
    return found


def read_roster(path):
    """Read the class from a table with the columns id and name -> Roster. Raises ValueError."""
    columns, rows = read_table(path)
    named = {column: {"ta": "assistant"}.get(column.lower(), column.lower()) for column in columns}
    check_columns(path, list(named.values()), ("id", "name"))
    known, people = {one.name for one in fields(Person)}, {}
    for line, row in enumerate(rows, 2):
        person = Person(**{named[column]: value.strip() for column, value in row.items()
                           if named[column] in known})
        id = person.id
        if not id or id.startswith(".") or {*id} & {*"/\\"} or not id.isprintable():
            raise ValueError(f"{path}, line {line}: {id!r} is no id: "
                             "it names a folder, so letters, digits and signs but / and \\.")
        if id in people:
            raise ValueError(f"{path}, line {line}: the id {id} stands there twice: "
                             "give each student one line.")
        people[id] = person
    return Roster(people.values())


# Scores

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

    Free days go to late sets in the order of their deadlines; the worst sets are dropped.

    exercises : the sets to be listed; of them those count that the course names, if it names any
    records : {exercise: merged record} of the student's
    """
    late = {e: days_late(course, e, records[e]) for e in exercises if is_handed_in(records.get(e))}
    left, free = course.late.free_days, {}
    dated = [e for e in late if course.set_of(e).deadline]
    for exercise in sorted(dated, key=lambda e: (course.set_of(e).deadline, e)):
        free[exercise] = min(left, late[exercise])
        left -= free[exercise]
    scores = [_score(course, e, records.get(e), late.get(e, 0), free.get(e, 0)) for e in exercises]
    can_drop = sorted((score for score in scores if score.is_counting
                       and course.set_of(score.exercise).weight),
                      key=lambda score: (score.share, score.exercise))
    drops = course.drop_lowest if len(can_drop) > course.drop_lowest else 0
    return [replace(score, is_dropped=score in can_drop[:drops]) for score in scores]


def days_late(course, exercise, record):
    """Count the days from deadline to submission, rounded up -> int; 1 if Canvas says late."""
    deadline, found = course.set_of(exercise).deadline, record["found"]
    if deadline is None:
        return 0
    if not found["time"]:
        return int(found["is_late"])
    time = datetime.fromisoformat(found["time"])
    time = time.replace(tzinfo=deadline.tzinfo) if time.tzinfo is None else time
    beyond = time - deadline - timedelta(minutes=course.late.grace_minutes)
    return max(0, math.ceil(beyond / timedelta(days=1)))


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
