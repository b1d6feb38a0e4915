"""Find what was handed in, and read it whatever state it is in.

SUBMISSIONS/<student>/<exercise>.ipynb, nbgrader's submitted/<student>/<assignment>/<notebook>.ipynb, and the zip files
of `fi-teach submit`, as <student>.zip or inside a student's folder.

Whatever somebody has made up, the work on one student is bounded: files, depth, bytes, and parts of a notebook are
counted before they are taken in. Links are never followed, wherever they lie.
"""

import io
import json
import os
import stat
import zipfile
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path

from fi_teach.course.grading import shown
from fi_teach.course.grading.assignment import cell_from

LARGEST_FILE = 64_000_000
MOST_FILES = 2000
"""Files and folders that are looked at for one student, those in zip files counted."""
DEEPEST = 12
MOST_PARTS = 2_000_000
"""Numbers, words, lists and dictionaries that a notebook may have, its stored outputs counted."""
MOST_CELLS = 20_000
MOST_ASIDE = 20
"""So many files of one student are named if they are left aside."""
LINK = "a link; links are not followed, hand in the file itself"
TOO_MANY = f"more than {MOST_FILES:,} files: the rest was not looked at"


@dataclass(frozen=True)
class Submission:
    """A file of a student's for an exercise.

    path : "" if nothing was handed in
    member : its name inside a zip file, "" if it lies in none
    flag : what a person should know about the student's name, "" if nothing
    """

    student: str
    exercise: str
    path: str
    member: str = ""
    flag: str = ""

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
    found = _with_flags(found)
    return [one for s in found for one in ([s] if s.exercise else [replace(s, exercise=e) for e in asked])], aside


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


def _with_flags(found):
    """The same submissions; students whose names pass for each other are flagged."""
    alike = defaultdict(set)
    for s in found:
        alike[shown.skeleton(s.student)].add(s.student)
    others = {s: sorted(those - {s}) for those in alike.values() for s in those}
    words = {s: f"name looks like {shown.name(near[0])}" for s, near in others.items() if near}
    return [replace(s, flag=words.get(s.student, "")) for s in found]


def _of_student(student, places, exercises):
    theirs, seen = {}, [file for place in places for file in islice(_files(place), MOST_FILES + 1)]
    aside = [(path, TOO_MANY) for path, _, _ in seen[MOST_FILES:MOST_FILES + 1]]
    aside += sorted((path, why) for path, _, why in seen[:MOST_FILES] if why)
    notebooks = [(path, member) for path, member, why in seen[:MOST_FILES] if not why and (member or path).endswith(".ipynb")]
    for path, member in sorted(notebooks, key=lambda one: (len(one[0]) + len(one[1]), one)):
        exercise = exercise_of(Path(member or path).stem, exercises)
        if exercise is None or exercise in theirs:
            why = f"a second file of {student}" if exercise else "no exercise"
            aside.append((f"{path}{':' * bool(member)}{member}", why))
        else:
            theirs[exercise] = Submission(student, exercise, path, member)
    told = [f"{path}: {why}" for path, why in aside[:MOST_ASIDE]]
    told += [f"{student}: {len(aside) - MOST_ASIDE} more files"] * (len(aside) > MOST_ASIDE)
    return list(theirs.values()) or [Submission(student, "", "")], told


def _files(place):
    """Every file of a student's, as (path, member of a zip or "", why it is left aside or ""); what lies below a dot is not theirs."""
    waiting = [(str(place), 0)]
    while waiting:
        path, depth = waiting.pop()
        if os.path.islink(path) or getattr(os.path, "isjunction", os.path.islink)(path):
            yield path, "", LINK
        elif os.path.isdir(path):
            inside, why = _inside(path) if depth < DEEPEST else ([], f"more than {DEEPEST} folders deep")
            yield os.path.join(path, ""), "", why
            waiting += [(one, depth + 1) for one in inside]
        elif path.endswith(".zip"):
            yield from _members(path)
        else:
            yield path, "", "" if os.path.isfile(path) else "no ordinary file"


def _inside(folder):
    """What lies in a folder, the last first -> (list of paths, why it cannot be looked into or "")."""
    try:
        with os.scandir(folder) as entries:
            near = [e.path for e in islice(entries, MOST_FILES + 1) if not e.name.startswith(".")]
        return sorted(near, reverse=True), ""
    except OSError as error:
        return [], f"cannot be looked into ({error.strerror})"


def _members(path):
    """The files in a zip file, in the form of `_files`."""
    try:
        with _opened(path) as archive:
            return [(path, info.filename, "a link in a zip file" if stat.S_ISLNK(info.external_attr >> 16) else "")
                    for info in archive.infolist() if not Path(info.filename).name.startswith(".")]
    except Exception as error:  # a zip file that somebody made up can go wrong in any way
        return [(path, "", f"a zip file that cannot be read ({error})")]


def _opened(path):
    """A zip file, its table of contents read -> ZipFile. Raises ValueError if that would take long."""
    content = _bytes_of(path)
    if content.count(b"PK\x01\x02") > MOST_FILES:
        raise ValueError(f"it holds more than {MOST_FILES:,} files")
    return zipfile.ZipFile(io.BytesIO(content))


def exercise_of(stem, exercises):
    """The exercise that a file's name means, as "01_trees (1)" means 01_trees -> str or None."""
    stem = stem.lower()
    named = [name for name in exercises if name.lower() in stem]
    return max(named, key=len) if named else None


def content_of(submission):
    """The bytes that were handed in. Raises ValueError if they cannot be had."""
    try:
        if not submission.member:
            return _bytes_of(submission.path)
        with _opened(submission.path) as archive:
            return _unpacked(archive, archive.getinfo(submission.member))
    except ValueError:
        raise
    except Exception as error:  # a zip file that somebody made up can go wrong in any way: a password, a lie
        raise ValueError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _bytes_of(path):
    """The bytes of an ordinary file that is no link and not too large."""
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    with open(os.open(path, os.O_RDONLY | sum(flags)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no ordinary file.")
        _check_size(os.fstat(file.fileno()).st_size)
        return file.read(LARGEST_FILE)


def _unpacked(archive, info):
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("the zip file is packed in an unusual way: make an ordinary one.")
    _check_size(info.file_size)
    with archive.open(info) as file:
        return file.read(info.file_size + 1)  # a size that lies bounds what is unpacked all the same


def _check_size(size):
    if size > LARGEST_FILE:
        raise ValueError(f"the file has {size // 10**6} MB, more than the {LARGEST_FILE // 10**6} that are read: clear its outputs "
                         "and hand it in again.")


def notebook_of(content):
    """The cells and metadata of a notebook's bytes -> (list of Cell, metadata, list of flags).

    Raises ValueError if this is no notebook, saying what it is instead, or one beyond all measure.
    """
    text, flags = _text(content)
    _check_parts(text.encode("utf-8", "surrogatepass") if flags else content)
    try:
        raw = json.loads(text)
    except RecursionError:
        raise ValueError("the file is nested too deeply to be a notebook.") from None
    except ValueError:
        raise ValueError("the file is empty." if not text.strip() else "the file is no notebook: its JSON is broken or cut off.") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("cells", raw.get("worksheets")), list):
        raise ValueError("the file is JSON, but no notebook: it has no cells.")
    cells = raw["cells"] if "cells" in raw else [c for sheet in raw["worksheets"] for c in _cells_of(sheet)]
    if len(cells) > MOST_CELLS:
        raise ValueError(f"the notebook has {len(cells):,} cells, more than the {MOST_CELLS:,} that are read: delete the empty ones.")
    whole = [c for c in cells if isinstance(c, dict)]
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    return list(map(cell_from, whole)), metadata, flags + ["cells unreadable"] * (len(whole) < len(cells))


def _cells_of(sheet):
    """The cells of a sheet of an old notebook; a sheet that is none is one unreadable cell."""
    cells = sheet.get("cells", []) if isinstance(sheet, dict) else None
    return cells if isinstance(cells, list) else [None]


def _text(content):
    for encoding in ("utf-8-sig", "utf-16") if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return content.decode(encoding), [] if encoding == "utf-8-sig" else ["not UTF-8"]
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), ["not UTF-8"]


def _check_parts(content):
    """Refuse JSON that would take long to build: every part follows a bracket or a comma outside of a string."""
    bare = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    outside = b"".join(bare.split(b'"')[::2]) if quotes <= 4 * MOST_PARTS else b""
    if quotes > 4 * MOST_PARTS or sum(map(outside.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise ValueError(f"the file has more than {MOST_PARTS:,} parts: clear its outputs and hand it in again.")
