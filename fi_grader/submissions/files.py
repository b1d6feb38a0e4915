"""List the files that a folder or a zip file holds, as many as may be looked at for one student.

Links are never followed, and a file that is not looked at carries the reason.
"""

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from fi_grader.submissions import reading
from fi_grader.submissions.platforms import is_junk
from fi_grader.submissions.reading import INSIDE, MOST_FILES

DEEPEST = 12
DEEPEST_ZIP = 3
MOST_ZIPS = 50
MOST_BYTES = 200_000_000
"""Bytes of one student that are looked through for the ids of cells; beyond, names decide."""
JUNK = "left by a program"
LINK = "a link; links are not followed, hand in the file itself"


@dataclass(frozen=True)
class File:
    """A file or folder: where it lies, its names from the student's on, why it is skipped.

    time : when it was changed; `is_told` if Moodle's zip file says when it was handed in (Canvas's
        says when the zip file was made)
    """

    path: str
    member: str = ""
    parts: tuple = ()
    time: float = 0.0
    is_told: bool = False
    why: str = ""

    @property
    def file(self):
        return f"{self.path}:{self.member.replace(INSIDE, ':')}" if self.member else self.path

    @property
    def is_folder(self):
        return not self.why and not self.member and os.path.isdir(self.path)

    @property
    def stem(self):
        """Return the name without its extensions: "01_trees (1)" of "01_trees (1).ipynb.txt"."""
        return re.split(r"\.ipynb", self.parts[-1], flags=re.IGNORECASE)[0]


@dataclass
class Budget:
    """How much may still be looked at for one student."""

    files: int = MOST_FILES
    zips: int = MOST_ZIPS
    bytes: int = MOST_BYTES


def leaves(file, budget, depth=0):
    """List the files that a file or folder is or holds, while the budget lasts -> iterator."""
    if budget.files < 0:
        return
    budget.files -= 1
    if budget.files < 0:
        yield replace(file, why=f"more than {MOST_FILES:,} files: the rest was not looked at")
    elif file.why or any(map(is_junk, file.parts[1:])):
        yield replace(file, why=file.why or JUNK)
    elif file.is_folder:
        if len(file.parts) > DEEPEST:
            yield replace(file, why=f"more than {DEEPEST} folders deep")
            return
        for inner in below(file):
            yield from leaves(inner, budget, depth)
    elif not file.member and not os.path.isfile(file.path):
        yield replace(file, why="no ordinary file")
    elif not (file.member or file.path).lower().endswith(".zip"):
        yield file
    elif depth == DEEPEST_ZIP:
        yield replace(file, why=f"more than {DEEPEST_ZIP} zip files in one another")
    elif not budget.zips:
        yield replace(file, why=f"more than {MOST_ZIPS} zip files of one student")
    else:
        budget.zips -= 1
        for inner in members(file):
            yield from leaves(inner, budget, depth + 1)


def below(folder):
    """List what lies in a folder -> list of File; the folder itself if it cannot be opened."""
    most = MOST_FILES + 1 if folder.parts else reading.MOST_MEMBERS
    is_junction = getattr(os.path, "isjunction", os.path.islink)
    try:
        with os.scandir(folder.path) as entries:
            names = sorted(entry.name for entry in islice(entries, most))
        return [File(path, "", (*folder.parts, name), os.lstat(path).st_mtime,
                     why=LINK if os.path.islink(path) or is_junction(path) else "")
                for name in names for path in [os.path.join(folder.path, name)]]
    except OSError as error:
        return [replace(folder, parts=folder.parts or (folder.path,),
                        why=f"cannot be looked into ({error.strerror})")]


def members(file, most=MOST_FILES, is_told=False):
    """List the files in a zip file -> list of File; the zip file itself if it cannot be read."""
    try:
        infos = reading.members_of(file.path, file.member, most)
        return [_member(file, info, is_told) for info in infos if not info.is_dir()]
    except Exception as error:  # a zip file that somebody made up can go wrong in any way
        return [replace(file, parts=file.parts or (Path(file.path).name,),
                        why=f"a zip file that cannot be read ({error})")]


def _member(file, info, is_told):
    member = f"{file.member}{INSIDE}{info.filename}" if file.member else info.filename
    why = "a link in a zip file" if stat.S_ISLNK(info.external_attr >> 16) else ""
    time = file.time
    if not file.is_told:
        with suppress(ValueError, OverflowError):
            time = datetime(*info.date_time).timestamp() if info.date_time[0] >= 1990 else 0.0
    names = tuple(part for part in info.filename.split("/") if part)
    return File(file.path, member, (*file.parts, *names), time, is_told or file.is_told, why)
