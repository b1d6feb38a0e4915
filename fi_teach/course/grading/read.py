"""Find what was handed in, and read it whatever state it is in.

SUBMISSIONS/<student>/<exercise>.ipynb, nbgrader's submitted/<student>/<assignment>/<notebook>.ipynb, and the zip files
of `fi-teach submit`, as <student>.zip or inside a student's folder.
"""

import json
import zipfile
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from fi_teach.course.grading.assignment import cell_from

LARGEST_FILE = 100_000_000


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

    Raises ValueError if the folder does not exist, holds no student's folder, or is one student's own, or if no file in it
    is named after an exercise.
    """
    folder = Path(folder)
    folder = folder / "submitted" if (folder / "submitted").is_dir() else folder
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name the one that holds a folder for each student.")
    found, aside = [], []
    for student, places in groupby(_places(folder, exercises), key=_student_of):
        theirs, rest = _of_student(student, list(places), exercises)
        found += theirs
        aside += rest
    asked = sorted({s.exercise for s in found if s.exercise})
    if not asked:
        raise ValueError(f"no file in {folder} is named after an exercise ({', '.join(exercises)}), so there is nothing to grade: give the "
                         f"files the exercises' names, as in {folder}/<student>/{next(iter(exercises))}.ipynb"
                         + f". Seen: {'; '.join(aside[:3])}" * bool(aside))
    return [one for s in found for one in ([s] if s.exercise else [Submission(s.student, e, "") for e in asked])], aside


def _places(folder, exercises):
    """The students' folders and zip files, each student's side by side -> list of Path."""
    inside = [p for p in folder.iterdir() if not p.name.startswith(".")]
    places = sorted((p for p in inside if p.is_dir() or p.suffix == ".zip"), key=lambda p: (_student_of(p), p))
    loose = sorted(p.name for p in inside if p.suffix == ".ipynb")
    if not places:
        seen = f" It holds notebooks of its own ({', '.join(loose[:3])}): put each into its student's folder." if loose else ""
        raise ValueError(f"{folder} holds no student's folder: submissions lie in {folder}/<student>/<exercise>.ipynb.{seen}")
    if all(p.is_dir() and p.name in exercises for p in places):
        raise ValueError(f"{folder} is the folder of one student (it holds {places[0].name}/): name the one above it, {folder.resolve().parent}")
    return places


def _student_of(place):
    return place.name if place.is_dir() else place.stem


def _of_student(student, places, exercises):
    theirs, aside = {}, []
    files = [(path, member, why) for place in places for path, member, why in _files(place)]
    aside += [f"{path}: {why}" for path, _, why in files if why]
    for path, member in sorted(((path, member) for path, member, why in files if not why), key=lambda one: (len(one[0]) + len(one[1]), one)):
        exercise = exercise_of(Path(member or path).stem, exercises)
        if exercise is None or exercise in theirs:
            aside.append(f"{path}{':' * bool(member)}{member}: {'a second file of ' + student if exercise else 'no exercise'}")
        else:
            theirs[exercise] = Submission(student, exercise, path, member)
    return list(theirs.values()) or [Submission(student, "", "")], aside


def _files(place):
    """Every notebook of a student, as (path, member of a zip or "", why it is left aside or "")."""
    paths = [place] if place.is_file() else [p for p in place.rglob("*") if p.suffix in (".ipynb", ".zip") and p.is_file()]
    for path in paths:
        if any(part.startswith(".") for part in path.relative_to(place.parent).parts):
            continue
        if place.is_dir() and not path.resolve().is_relative_to(place.resolve()):
            yield str(path), "", "a link to a file outside the student's folder"
        elif path.suffix == ".ipynb":
            yield str(path), "", ""
        else:
            yield from _members(path)


def _members(path):
    """The notebooks in a zip file, in the form of `_files`."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [(str(path), name, "") for name in archive.namelist() if name.endswith(".ipynb") and not Path(name).name.startswith(".")]
    except Exception as error:  # a zip file that somebody made up can go wrong in any way
        return [(str(path), "", f"a zip file that cannot be read ({error})")]


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
    except ValueError:
        raise
    except Exception as error:  # a zip file that somebody made up can go wrong in any way: a password, an odd method, a lie
        raise ValueError(f"the file cannot be read: {error}") from None


def _limited(size, read):
    if size > LARGEST_FILE:
        raise ValueError(f"the file has {size // 10**6} MB, more than the {LARGEST_FILE // 10**6} that are read: clear its outputs "
                         "and hand it in again.")
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
