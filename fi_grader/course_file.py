"""Read `course.toml`: deadlines, weights and roster. Without it, each set counts its points.

Every key with what it means: COURSE_FILE in fi_grader/bundle_readme.py, which the instructor's
bundle hands out as `course.toml.example`. A roster's columns are ROSTER_COLUMNS; `id` and `name`
are needed.
"""

import tomllib
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path

from fi_grader.platform_names import key_of_name, keys_of_name
from fi_grader.spreadsheets import check_columns, read_table

ROSTER_COLUMNS = ("id", "name", "email", "group", "assistant", "moodle", "canvas", "login")
KEYS = {"": {"roster": str, "seed": int, "drop_lowest": int, "late": dict, "sets": dict,
             "title": str},
        "late": {"free_days": int, "cost": float, "last_day": int, "grace_minutes": int},
        "sets": {"week": int, "weight": float, "deadline": datetime, "canvas": str}}


@dataclass(frozen=True)
class Person:
    """A student in the roster; unknown fields are ""."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""
    assistant: str = ""
    moodle: str = ""
    canvas: str = ""
    login: str = ""


class Roster:
    """The students of a class, found by any of the names that platforms use."""

    def __init__(self, people):
        self.people = {person.id: person for person in people}
        self._by = {}
        for person in people:
            for key in self._keys(person):
                self._by.setdefault(key, set()).add(person.id)

    @staticmethod
    def _keys(person):
        words = [person.id, person.email, person.login, person.email.partition("@")[0]]
        keys = {("word", word.strip().casefold()) for word in words if word.strip()}
        keys |= {("moodle", person.moodle),
                 ("canvas", person.canvas)} - {("moodle", ""), ("canvas", "")}
        return keys | {("name", key) for key in keys_of_name(person.name)}

    def find(self, parsed):
        """Find the one person that a parsed name means -> Person, or None for nobody or several."""
        name = parsed.name.removesuffix("_")
        keys = [(parsed.platform.lower(), parsed.number), ("word", parsed.number.casefold()),
                ("word", name.casefold()), ("name", key_of_name(name))]
        for key in keys:
            known = self._by.get(key, set()) if key[1] else set()
            if len(known) == 1:
                return self.people[next(iter(known))]
        return None


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
    roster: Roster | None = None
    seed: int | None = None
    drop_lowest: int = 0
    late: Late = Late()
    sets: dict = field(default_factory=dict)

    def set_of(self, exercise):
        return self.sets.get(exercise, Set(exercise))

    def person(self, student):
        """Look up a student in the roster -> Person, with only the id if not found."""
        people = self.roster.people if self.roster else {}
        return people.get(student, Person(student))


def load(path, exercises):
    """Read course.toml -> Course.

    exercises : the names of all sets

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
    late = raw.get("late", {})
    _check_keys(path, "late", late)
    sets = {name: _set(path, name, about, exercises) for name, about in raw.get("sets", {}).items()}
    roster = read_roster(path.parent / raw["roster"]) if "roster" in raw else None
    course = Course(path, raw.get("title", ""), roster, raw.get("seed"), raw.get("drop_lowest", 0),
                    Late(**late), sets)
    _check_numbers(course)
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
            raise ValueError(f"{path}: {where}{key} = {_told(value)} must be {_words(known[key])}.")


def _told(value):
    return repr(value)[:60] if not isinstance(value, date) else value.isoformat()


def _words(kind):
    return {str: "text in quotes", int: "a whole number", float: "a number", dict: "a table",
            datetime: "a date with a time and its zone, such as 2026-10-12T23:59:00+02:00"}[kind]


def _set(path, name, about, exercises):
    if name not in exercises:
        near = get_close_matches(name, exercises, 2, 0.3)
        raise ValueError(f"{path}: there is no set {name}. "
                         + f"Near it: {', '.join(near)}." * bool(near))
    if not isinstance(about, dict):
        raise ValueError(f"{path}: sets.{name} must be a table, as in [sets.{name}].")
    _check_keys(path, f"sets.{name}", about)
    found = Set(name, **about)
    if found.deadline is not None and found.deadline.tzinfo is None:
        raise ValueError(f"{path}: [sets.{name}] deadline has no time zone: "
                         f"add one, as in {found.deadline.isoformat()}+02:00.")
    return found


def _check_numbers(course):
    late = course.late
    wrong = [words for words, is_wrong in (
        ("drop_lowest is less than 0", course.drop_lowest < 0),
        ("seed is less than 0", (course.seed or 0) < 0),
        ("[late] free_days is less than 0", late.free_days < 0),
        ("[late] cost is not between 0 and 1", not 0 <= late.cost <= 1),
        ("[late] last_day is less than 0", (late.last_day or 0) < 0),
        ("[late] grace_minutes is less than 0", late.grace_minutes < 0),
        *((f"[sets.{one.name}] weight is less than 0", one.weight < 0)
          for one in course.sets.values()),
        (f"drop_lowest leaves none of {len(course.sets)} sets",
         0 < len(course.sets) <= course.drop_lowest)) if is_wrong]
    if wrong:
        raise ValueError(f"{course.path}: {'; '.join(wrong)}.")


def read_roster(path):
    """Read the class from a table with the columns id and name -> Roster.

    Raises ValueError if a column is missing, or an id is empty, doubled or no name for a folder.
    """
    columns, rows = read_table(path)
    named = {column: column.lower().replace("ta", "assistant")
             if column.lower() == "ta" else column.lower() for column in columns}
    check_columns(path, list(named.values()), ("id", "name"))
    people = []
    for line, row in enumerate(rows, 2):
        about = {named[column]: value.strip() for column, value in row.items()
                 if named[column] in ROSTER_COLUMNS}
        _check_id(path, line, about["id"], {person.id for person in people})
        people.append(Person(**about))
    return Roster(people)


def _check_id(path, line, id, known):
    if not id or id.startswith(".") or "/" in id or "\\" in id or not id.isprintable():
        raise ValueError(f"{path}, line {line}: {id!r} is no id: "
                         "it names a folder, so letters, digits and signs but / and \\.")
    if id in known:
        raise ValueError(f"{path}, line {line}: the id {id} stands there twice: "
                         "give each student one line.")
