"""Read the names that Moodle, Canvas and Gradescope give to what students hand in, and whose it is.

Moodle (mod/assign/classes/downloader.php): folders `Name_123_assignsubmission_file`, 123 being the
participant's number in this assignment, or flat files `Name_123_assignsubmission_file_x.ipynb`.
Canvas (lib/content_zipper.rb), flat: `namewithoutspaces[_LATE]_USER_FILE_x.ipynb`, or
`[LATE_]anon_abc12_FILE_...`; numbers of files grow with time.
Gradescope: folders `submission_123`; who that is stands in `submission_metadata.yml` beside them.
"""

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass

LONGEST_NAME = 255  # bytes of a student's name: it is a folder's, too
METADATA = "submission_metadata.yml"
PATTERNS = (
    ("Moodle", re.compile(
        r"(?P<name>.+?)_(?P<number>\d{1,18})_assign(?:submission|feedback)_[a-z]+"
        r"(?:_(?P<rest>.*))?", re.DOTALL)),
    ("Canvas", re.compile(
        r"(?P<late>LATE_)?(?P<name>anon)_(?P<number>\w+?)_(?P<order>\d{1,18})_(?P<rest>.+)")),
    ("Canvas", re.compile(
        r"(?P<name>\w*?)(?P<late>_LATE)?_(?P<number>\d{1,18})_(?P<order>\d{1,18})_(?P<rest>.+)")),
    ("Canvas", re.compile(
        r"(?P<name>\w*?)(?P<late>_LATE)?_(?P<number>\d{1,18})_(?P<rest>(?:text|link)\.html)")))
"""Each platform with what it calls a file; Moodle calls folders so too."""
COPY = re.compile(r"(?: ?\((\d{1,6})\)|-(\d{1,6}))$")
JUNK = ("__macosx", "thumbs.db", "desktop.ini", "__pycache__")


@dataclass(frozen=True)
class Owner:
    """Whose a file is, by the name that a platform or an instructor gave it.

    name, number : of the student, the number as the platform counts
    platform : "Moodle", "Canvas", "Gradescope", or "" for a name that somebody chose
    rest : the file's own name, "" for a folder
    order : of two files of a student, the newer has the larger one
    time : when it was handed in, as ISO 8601, "" if nothing tells
    """

    name: str
    platform: str = ""
    number: str = ""
    rest: str = ""
    is_late: bool = False
    order: int = 0
    time: str = ""

    @property
    def student(self):
        """Return a name that no other student of the platform has, and a folder may have -> str."""
        whole = f"{self.name}_{self.number}" if self.number else self.name
        if len(os.fsencode(whole)) <= LONGEST_NAME:
            return whole
        return f"{whole[:40]}-{hashlib.sha256(os.fsencode(whole)).hexdigest()[:12]}"


def owner_in(name, is_folder=False):
    """Read the owner from the name of a file or folder -> Owner, None if no platform gave it."""
    for platform, pattern in PATTERNS[:1] if is_folder else PATTERNS:
        if found := pattern.fullmatch(name):
            parts = found.groupdict()
            return Owner(parts["name"], platform, parts["number"], parts["rest"] or "",
                         bool(parts.get("late")), int(parts.get("order") or 0))
    return None


def owners_in(metadata):
    """Read Gradescope's submission_metadata.yml, as bytes -> {folder: Owner}."""
    import yaml
    found = {}
    for folder, about in yaml.safe_load(metadata).items():
        person = (about.get(":submitters") or [{}])[0]
        words = (person.get(":name") or folder, person.get(":sid") or person.get(":email") or "")
        name, number = (re.sub(r"[/\\]", "_", str(word)).replace("\0", "").lstrip(".")
                        for word in words)
        time = about.get(":created_at")
        found[folder] = Owner(name, "Gradescope", number,
                              time=time.isoformat() if hasattr(time, "isoformat") else "")
    return found


def copy_number(stem):
    """Return the number of a copy: 2 for "01_trees (2)", 0 for the first -> int."""
    found = COPY.search(stem)
    return int(found[1] or found[2]) if found else 0


def is_junk(name):
    """Return whether an operating system or an editor left this file."""
    return name.startswith(".") or name.lower() in JUNK


def key_of_name(name):
    """Normalize a name for comparison: no case, spaces or signs -> str."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in plain if c.isalnum() or unicodedata.category(c).startswith("M"))


def keys_of_name(name):
    """Return the ways platforms may write a name: "Jörg Müller", "Müller, Jörg" -> set of keys."""
    words = [key for word in name.replace(",", " ").replace("_", " ").split()
             if (key := key_of_name(word))]
    return {"".join(words[k:] + words[:k]) for k in range(len(words))}


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
        for person in self.people.values():
            words = [person.id, person.email, person.login, person.email.partition("@")[0]]
            keys = {("word", word.strip().casefold()) for word in words}
            keys |= {("moodle", person.moodle), ("canvas", person.canvas)}
            for key in keys | {("name", key) for key in keys_of_name(person.name)}:
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
            known = self._by.get(key, ()) if key[1] else ()
            if len(known) == 1:
                return self.people[next(iter(known))]
        return None


NO_ROSTER = Roster(())
