"""Parse the file names that Moodle, Canvas and Gradescope give to submissions.

Moodle (mod/assign/classes/downloader.php), the folder `Name_123_assignsubmission_file` (before 4.1
with one more `_`) or the flat file `Name_123_assignsubmission_file_01_trees.ipynb`; 123 is the
participant's number in this one assignment.
Canvas (lib/content_zipper.rb), flat: `namewithoutspaces[_LATE]_USER_FILE_01_trees.ipynb`, or
`[LATE_]anon_abc12_FILE_...`; numbers of files grow with time.
Gradescope: `submission_123/`, who it is stands in `submission_metadata.yml` beside it.
"""

import re
import unicodedata
from dataclasses import dataclass

MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d{1,18})_assign(?:submission|feedback)_(?P<kind>[a-z]+)"
                    r"(?:_(?P<rest>.*))?", re.DOTALL)
CANVAS = re.compile(
    r"(?P<name>\w*?)(?P<late>_LATE)?_(?P<number>\d{1,18})_(?P<file>\d{1,18})_(?P<rest>.+)")
CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon)_(?P<number>\w+?)_(?P<file>\d{1,18})_(?P<rest>.+)")
CANVAS_TYPED = re.compile(
    r"(?P<name>\w*?)(?P<late>_LATE)?_(?P<number>\d{1,18})_(?P<rest>(?:text|link)\.html)")
GRADESCOPE = re.compile(r"submission_(?P<number>\d{1,18})")
COPY = re.compile(r"(?: ?\((\d{1,6})\)|-(\d{1,6}))$")
JUNK = ("__macosx", "thumbs.db", "desktop.ini", "__pycache__")


@dataclass(frozen=True)
class ParsedName:
    """What the name of a file or folder says.

    platform : "Moodle", "Canvas", "Gradescope", or "" for a name that somebody chose
    name, number : of the student, the number as the platform counts
    rest : the file's own name, "" for a folder
    order : of two files of a student, the newer has the larger one
    time : when it was handed in, as ISO 8601, "" if nothing tells
    """

    platform: str
    name: str
    number: str = ""
    rest: str = ""
    is_late: bool = False
    order: int = 0
    time: str = ""

    @property
    def student(self):
        """Return a name that no other student of the platform has -> str."""
        return f"{self.name}_{self.number}" if self.number else self.name


def parse_name(name, is_folder=False):
    """Parse the name of a file or folder, if a platform gave it -> ParsedName or None."""
    if found := MOODLE.fullmatch(name):
        return ParsedName("Moodle", found["name"], found["number"], found["rest"] or "")
    if is_folder:
        return None
    if found := CANVAS_ANONYMOUS.fullmatch(name) or CANVAS.fullmatch(name):
        late, order = bool(found["late"]), int(found["file"])
        return ParsedName("Canvas", found["name"], found["number"], found["rest"], late, order)
    if found := CANVAS_TYPED.fullmatch(name):
        return ParsedName("Canvas", found["name"], found["number"], found["rest"],
                          bool(found["late"]))
    return None


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
