"""Read `course.toml`: deadlines, weights and roster. Without it, each set counts its points.

Every key with what it means: fi_grader/bundle/course.toml.example, which the instructor's bundle
hands out. A roster's columns are the fields of Person; `id` and `name` are needed.
"""

import tomllib
from dataclasses import dataclass, field, fields
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from fi_grader.report.spreadsheets import check_columns, read_table
from fi_grader.submissions.platforms import key_of_name, keys_of_name

KEYS = {"": {"roster": str, "seed": int, "drop_lowest": int, "late": dict, "sets": dict,
             "title": str},
        "late": {"free_days": int, "cost": float, "last_day": int, "grace_minutes": int},
        "sets": {"week": int, "weight": float, "deadline": datetime, "canvas": str}}
WORDS = {str: "text in quotes", int: "a whole number", float: "a number", dict: "a table",
         datetime: "a date with a time and its zone, such as 2026-10-12T23:59:00+02:00"}


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
            words = [person.id, person.email, person.login, person.email.partition("@")[0]]
            keys = {("word", word.strip().casefold()) for word in words}
            keys |= {("moodle", person.moodle), ("canvas", person.canvas)}
            keys |= {("name", key) for key in keys_of_name(person.name)}
            for key in keys:
                self._by.setdefault(key, set()).add(person.id)

    def find(self, owner):
        """Find the one person that an Owner means -> Person, or None for nobody or several.

        A platform's number is looked for among the numbers of that platform alone. Gradescope's is
        the student's id or e-mail; a name that somebody chose may be an id, e-mail or login.
        """
        name = owner.name.removesuffix("_")
        word = {"": name, "Gradescope": owner.number}.get(owner.platform, "")
        for key in ((owner.platform.lower(), owner.number), ("word", word.strip().casefold()),
                    ("name", key_of_name(name))):
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

    @property
    def people(self):
        """The roster -> {id: Person}, empty without one."""
        return self.roster.people if self.roster else {}

    def person(self, student):
        """Look up a student in the roster -> Person, with only the id if not found."""
        return self.people.get(student, Person(student))


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
    _check_keys(path, "late", raw.get("late", {}))
    raw["late"] = Late(**raw.get("late", {}))
    raw["sets"] = {name: _set(path, name, entries, exercises)
                   for name, entries in raw.get("sets", {}).items()}
    raw["roster"] = read_roster(path.parent / raw["roster"]) if "roster" in raw else None
    course = Course(path, **raw)
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


def _check_numbers(course):
    numbers = {"drop_lowest": course.drop_lowest, "seed": course.seed,
               **{f"[late] {name}": value for name, value in vars(course.late).items()},
               **{f"[sets.{name}] weight": one.weight for name, one in course.sets.items()}}
    wrong = [f"{name} is less than 0" for name, value in numbers.items() if (value or 0) < 0]
    if course.late.cost > 1:
        wrong.append("[late] cost is more than 1")
    if 0 < len(course.sets) <= course.drop_lowest:
        wrong.append(f"drop_lowest leaves none of {len(course.sets)} sets")
    if wrong:
        raise ValueError(f"{course.path}: {'; '.join(wrong)}.")


def read_roster(path):
    """Read the class from a table with the columns id and name -> Roster.

    Raises ValueError if a column is missing, or an id is empty, doubled or no name for a folder.
    """
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
