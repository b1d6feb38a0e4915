"""Find what was handed in, and read it whatever state it is in.

SUBMISSIONS/<student>/<exercise>.ipynb, nbgrader's submitted/<student>/<assignment>/<notebook>.ipynb, and the zip files
of `fi-teach submit`, as <student>.zip or inside a student's folder.
"""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from fi_teach.grading.assignment import cell_from

LARGEST_FILE = 200_000_000


@dataclass(frozen=True)
class Submission:
    """A file of a student's for an exercise; `path` is "" if nothing was handed in, `member` its name inside a zip."""

    student: str
    exercise: str
    path: str
    member: str = ""

    @property
    def file(self):
        return f"{self.path}:{self.member}" if self.member else self.path


def find(folder, exercises):
    """What lies in a folder of submissions -> (list of Submission, list of words on what was left aside).

    exercises : their names; a file that is none of them is left aside, a student with no exercise at all is listed with
        an empty path for each exercise that anybody handed in

    Raises ValueError if the folder does not exist or holds nothing.
    """
    folder = Path(folder)
    folder = folder / "submitted" if (folder / "submitted").is_dir() else folder
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name the one that holds a folder for each student.")
    places = sorted(p for p in folder.iterdir() if not p.name.startswith(".") and (p.is_dir() or p.suffix == ".zip"))
    if not places:
        raise ValueError(f"{folder} holds no student's folder: submissions lie in {folder}/<student>/<exercise>.ipynb")
    found, aside = [], []
    for place in places:
        theirs, rest = _of_student(place, exercises)
        found += theirs
        aside += rest
    asked = sorted({s.exercise for s in found if s.exercise}) or list(exercises)
    return [one for s in found for one in ([s] if s.exercise else [Submission(s.student, e, "") for e in asked])], aside


def _of_student(place, exercises):
    student = place.name if place.is_dir() else place.stem
    theirs, aside = {}, []
    for path, member in sorted(_files(place), key=lambda one: (len(one[0]) + len(one[1]), one)):
        exercise = exercise_of(Path(member or path).stem, exercises)
        if exercise is None or exercise in theirs:
            aside.append(f"{path}{':' * bool(member)}{member}: {'a second file of ' + student if exercise else 'no exercise'}")
        else:
            theirs[exercise] = Submission(student, exercise, path, member)
    return list(theirs.values()) or [Submission(student, "", "")], aside


def _files(place):
    """Every notebook of a student, as (path, member of a zip or "")."""
    paths = [place] if place.is_file() else [p for p in place.rglob("*") if p.suffix in (".ipynb", ".zip") and p.is_file()]
    for path in paths:
        if any(part.startswith(".") for part in path.relative_to(place.parent).parts):
            continue
        if path.suffix == ".ipynb":
            yield str(path), ""
        else:
            yield from ((str(path), member) for member in _members(path))


def _members(path):
    try:
        with zipfile.ZipFile(path) as archive:
            return [name for name in archive.namelist() if name.endswith(".ipynb")]
    except (zipfile.BadZipFile, OSError):
        return []


def exercise_of(stem, exercises):
    """The exercise that a file's name means, as "01_trees (1)" means 01_trees -> str or None."""
    stem = stem.lower()
    named = [name for name in exercises if name.lower() in stem]
    return max(named, key=len) if named else None


def content_of(submission):
    """The bytes that were handed in. Raises ValueError if they cannot be had."""
    try:
        if not submission.member:
            return _limited(Path(submission.path).stat().st_size, Path(submission.path).read_bytes)
        with zipfile.ZipFile(submission.path) as archive:
            size = archive.getinfo(submission.member).file_size
            return _limited(size, lambda: archive.read(submission.member))
    except (OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"the file cannot be read: {error}") from None


def _limited(size, read):
    if size > LARGEST_FILE:
        raise ValueError(f"the file has {size // 10**6} MB, more than the {LARGEST_FILE // 10**6} that are read.")
    return read()


def notebook_of(content):
    """The cells and metadata of a notebook's bytes -> (list of Cell, metadata, list of flags).

    Raises ValueError if this is no notebook, saying what it is instead.
    """
    text, flags = _text(content)
    try:
        raw = json.loads(text)
    except RecursionError:
        raise ValueError("the file is nested too deeply to be a notebook.") from None
    except ValueError:
        raise ValueError("the file is empty." if not text.strip() else "the file is no notebook: its JSON is broken or cut off.") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("cells", raw.get("worksheets")), list):
        raise ValueError("the file is JSON, but no notebook: it has no cells.")
    cells = raw["cells"] if "cells" in raw else [c for sheet in raw["worksheets"] for c in sheet.get("cells", [])]
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    return [cell_from(c) for c in cells if isinstance(c, dict)], metadata, flags


def _text(content):
    for encoding in ("utf-8-sig", "utf-16") if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return content.decode(encoding), [] if encoding == "utf-8-sig" else ["not UTF-8"]
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), ["not UTF-8"]
