"""Find what was handed in: which files are whose, for which exercise, and what is left aside and why.

A folder that a platform hands out (Moodle's zip, its folders, its flat files; Canvas's flat files;
Gradescope's export), nbgrader's `submitted/`, plain `<student>/<exercise>.ipynb`, or all of them
side by side. A notebook is known by what its cells say, then by its name; of several for one
exercise the newest counts, by what the platform's numbers, times and copies tell.

Links are never followed, wherever they lie, and the work on one student is bounded.
"""

import json
import os
import re
import stat
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path, PurePosixPath

from fi_course.submit import MANIFEST
from fi_grader import escaping, read
from fi_grader.platform_names import GRADESCOPE, Told, copy_number, is_litter, told_by
from fi_grader.read import INSIDE, Submission

MOST_FILES = read.MOST_FILES
DEEPEST = 12
DEEPEST_ZIP = 3
MOST_ZIPS = 50
MOST_PEEKED = 200_000_000
"""Bytes of one student that are looked through for the marks of cells; beyond, names decide."""
MOST_ASIDE = 20
"""So many files of one student are named on the terminal if they are left aside; the report names all."""
LITTER = "left by a program"
OURS = "the list that `fi-teach submit` packs with the notebooks"
LINK = "a link; links are not followed, hand in the file itself"
MARKS = re.compile(rb'"(?:grade_)?id": ?"([\w.-]{1,100})"|Q\(\\?["\']([\w.]{1,100})\\?["\']\)')
METADATA = "submission_metadata.yml"
HANDED_IN = "handed_in.json"
NBGRADERS = ("source", "release", "autograded", "feedback")
"""Folders of an nbgrader course beside submitted/."""
OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


@dataclass(frozen=True)
class Aside:
    """A file that is not graded, and why; `is_litter` if nobody made it on purpose."""

    student: str
    file: str
    why: str
    is_litter: bool = False

    def __str__(self):
        return f"{self.file}: {self.why}"


@dataclass(frozen=True)
class Piece:
    """A file of a student's: where it lies, what its names say, or why it is left aside.

    name : its own name
    time : when it was changed, by the zip file of the platform or by the disk; `is_told` if by the former
    """

    path: str
    member: str = ""
    name: str = ""
    why: str = ""
    told: Told | None = None
    time: float = 0.0
    is_told: bool = False

    @property
    def file(self):
        return f"{self.path}:{self.member.replace(INSIDE, ':')}" if self.member else self.path


@dataclass
class Area:
    """Where one student's files lie: what is known of the student, folders and zip files to look into, single files."""

    told: Told
    pieces: list = field(default_factory=list)
    places: list = field(default_factory=list)


@dataclass
class Found:
    """A folder of submissions as it is looked through."""

    areas: dict = field(default_factory=dict)
    aside: list = field(default_factory=list)
    times: dict = field(default_factory=dict)

    def area(self, told):
        return self.areas.setdefault((told.platform, told.student), Area(told))


def marks_of(assignments):
    """What tells the cells of each exercise from all others -> {grade id, cell id or question: exercise}."""
    told = defaultdict(set)
    for name, one in assignments.items():
        for cell in one.cells:
            for mark in (cell.grade_id, cell.id, cell.question):
                told[mark.encode()].add(name)
    return {mark: names.pop() for mark, names in told.items() if mark and len(names) == 1}


def find(folder, exercises, *, marks=None, roster=None):
    """What lies in a folder of submissions -> (list of Submission, list of Aside).

    exercises : their names; a student with no exercise at all is listed with an empty path for each exercise that
        anybody handed in
    marks : what tells their cells, from `marks_of`; without it names alone decide
    roster : a Roster, under whose names the students are listed

    Raises ValueError if the folder does not exist, holds nobody's work, or is one student's own, or if no file in it
    is of an exercise.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: name the one that holds a folder for each student.")
    found = Found()
    _look_through(folder, found, exercises, roster)
    _check_areas(folder, found, exercises)
    theirs = defaultdict(list)
    for area in found.areas.values():
        who = _who(area.told, roster)
        theirs[who.student].append((who, area))
    submissions = [one for student in sorted(theirs) for one in _of_student(theirs[student], exercises, marks or {}, found)]
    asked = sorted({s.exercise for s in submissions if s.exercise})
    if not asked:
        raise ValueError(_nothing(folder, exercises, found.aside))
    submissions = [_with_time(s, found.times) for s in _with_flags(submissions)]
    whole = [one for s in submissions for one in ([s] if s.exercise else [replace(s, exercise=e) for e in asked])]
    return whole, found.aside


def of_one(folder, exercises, marks):
    """What one student's folder holds -> {exercise: Submission}."""
    found, area = Found(), Area(Told("", "you"), places=[str(folder)])
    every = _of_student([(_who(area.told, None), area)], exercises, marks, found)
    return {s.exercise: s for s in every if s.path}


def _nothing(folder, exercises, aside):
    seen = [str(one) for one in aside if not one.is_litter]
    return (f"no file in {folder} is of an exercise ({', '.join(exercises)}), so there is nothing to grade: give the "
            f"files the exercises' names, as in {folder}/<student>/{next(iter(exercises))}.ipynb"
            + f". Seen: {'; '.join(seen[:3])}" * bool(seen))


def told(aside):
    """What the instructor reads of what was left aside: each file with its reason, of one student so many -> list of str."""
    lines, counts = [], Counter()
    for one in sorted(aside, key=lambda one: one.why == "no notebook"):
        counts[one.student] += not one.is_litter
        lines += [str(one)] * (not one.is_litter and counts[one.student] <= MOST_ASIDE)
    lines += [f"{student or 'nobody'}: {many - MOST_ASIDE} more files" for student, many in counts.items() if many > MOST_ASIDE]
    litter = sum(one.is_litter for one in aside)
    return lines + [f"{litter} files that programs have left"] * bool(litter)


# Which folder or file is whose

def _look_through(folder, found, exercises, roster, depth=0):
    """Sort what lies in a folder of the whole class by student."""
    entries = sorted(os.scandir(folder), key=lambda e: e.name)
    metadata = _gradescope(folder) if any(e.name == METADATA for e in entries) else {}
    is_nbgraders = "submitted" in {e.name for e in entries}
    found.times.update(_handed_in(folder) if any(e.name == HANDED_IN for e in entries) else {})
    for entry in entries:
        if is_litter(entry.name):
            found.aside.append(Aside("", entry.path, LITTER, True))
        elif _is_link(entry.path):
            stem = entry.name.removesuffix(".zip")
            found.area(Told("", stem)).pieces.append(Piece(entry.path, why=LINK))
        elif is_nbgraders and entry.name in NBGRADERS:
            found.aside.append(Aside("", entry.path, "nbgrader's own folder, not submitted/", True))
        elif entry.is_dir():
            _sort_folder(entry, found, exercises, roster, metadata, depth)
        elif entry.name.lower().endswith(".zip"):
            _sort_zip(entry, found)
        elif entry.name not in (METADATA, HANDED_IN):
            _sort_file(entry, found, exercises, roster)


def _sort_folder(entry, found, exercises, roster, metadata, depth):
    who = told_by(entry.name, is_folder=True) or _told_by_gradescope(entry.name, metadata)
    if who is None and depth < 2 and _holds_a_class(entry):
        _look_through(entry.path, found, exercises, roster, depth + 1)
    else:
        found.area(who or Told("", entry.name)).places.append(entry.path)


def _holds_a_class(entry):
    """Is this folder no student's, but a download of many? -> bool."""
    with suppress(OSError), os.scandir(entry.path) as inside:
        seen = {e.name: e.is_dir() for e in islice(inside, MOST_FILES)}
        is_nbgraders = entry.name == "submitted" and not any(name.endswith(".ipynb") for name in seen)
        return is_nbgraders or METADATA in seen or HANDED_IN in seen or any(told_by(*one) for one in seen.items())
    return False


def _sort_zip(entry, found):
    """A student's own zip file, or what a platform made of the whole class."""
    who = told_by(entry.name)
    if who:
        found.area(_only_who(who)).pieces.append(Piece(entry.path, "", who.rest or entry.name, told=who))
    elif infos := _class_in(entry.path):
        _sort_members(entry.path, infos, found)
    else:
        found.area(Told("", entry.name[:-4])).places.append(entry.path)


def _only_who(told):
    return replace(told, rest="", is_late=False, order=0)


def _class_in(path):
    """What lies in a zip file, if that is a whole class's -> list of ZipInfo, or none."""
    with suppress(Exception), read.zipped(path, most=read.MOST_MEMBERS) as archive:  # whatever is wrong is said later
        infos = archive.infolist()
        if any(_told_in(info.filename) for info in infos) or any(PurePosixPath(i.filename).name == METADATA for i in infos):
            return infos
    return []


def _told_in(path):
    """What the first part of a path says that a platform has named -> Told or None."""
    *folders, name = path.rstrip("/").split("/")
    return next(filter(None, (*(told_by(one, is_folder=True) for one in folders), told_by(name))), None)


def _sort_members(path, infos, found):
    metadata = {}
    with suppress(Exception):
        inside = next(i.filename for i in infos if PurePosixPath(i.filename).name == METADATA)
        metadata = _people_of(read.content_at(path, inside))
    for info in infos:
        parts = PurePosixPath(info.filename).parts
        who = _told_in(info.filename) or next(filter(None, (_told_by_gradescope(p, metadata) for p in parts)), None)
        if info.is_dir() or not parts or parts[-1] == METADATA:
            continue
        piece = replace(_piece(path, info), told=who, is_told=True)
        if any(map(is_litter, parts)):
            found.aside.append(Aside("", piece.file, LITTER, True))
        elif who is None:
            found.aside.append(Aside("", piece.file, "lies in no student's folder"))
        else:
            found.area(_only_who(who)).pieces.append(piece)


def _sort_file(entry, found, exercises, roster):
    """A single file among the students' folders: the name tells whose it is, or nothing does."""
    who = told_by(entry.name)
    if who is None and roster and (stem := _without_exercise(entry.name, exercises)) and roster.find(Told("", stem)):
        who = Told("", stem)
    if who is None:
        words = "nothing tells whose it is: put it into its student's folder" if _is_notebook(entry.name) else "no student's work"
        return found.aside.append(Aside("", entry.path, words))
    piece = Piece(entry.path, "", who.rest or entry.name, told=who, time=entry.stat().st_mtime)
    return found.area(_only_who(who)).pieces.append(piece)


def _without_exercise(name, exercises):
    """"anna" of "anna_01_trees.ipynb" -> str."""
    stem = re.split(r"\.ipynb", name, flags=re.IGNORECASE)[0]
    exercise = exercise_of(stem, exercises)
    return re.sub(re.escape(exercise), "", stem, flags=re.IGNORECASE).strip(" _-.") if exercise else ""


def _told_by_gradescope(name, metadata):
    number = GRADESCOPE.fullmatch(name)
    if number is None:
        return None
    person = metadata.get(name, {})
    words = (str(person.get(":name") or name), str(person.get(":sid") or person.get(":email") or ""))
    return Told("Gradescope", *(word.replace("/", "_").replace("\0", "").lstrip(".") for word in words), time=person.get("time", ""))


def _gradescope(folder):
    with suppress(Exception):
        return _people_of(read.content_at(os.path.join(folder, METADATA)))
    return {}


def _people_of(content):
    """Gradescope's list of submissions -> {folder: {":name": ..., ":sid": ..., ":email": ...}}."""
    import yaml
    known = yaml.safe_load(content)
    first = {folder: one[":submitters"][0] for folder, one in known.items() if one.get(":submitters")}
    times = {folder: known[folder].get(":created_at") for folder in first}
    return {folder: {**person, "time": t.isoformat() if hasattr(t := times[folder], "isoformat") else ""} for folder, person in first.items()}


def _handed_in(folder):
    """What `fi-teach collect` wrote down beside the files it copied -> {(student, exercise): facts}."""
    with suppress(ValueError, OSError, KeyError, TypeError):
        rows = json.loads(read.content_at(os.path.join(folder, HANDED_IN)))
        return {(row["student"], row["exercise"]): row for row in rows}
    return {}


def _check_areas(folder, found, exercises):
    """Raises ValueError if nothing here is a student's, or all of it is one student's."""
    places = [p for area in found.areas.values() for p in area.places or ["file"]]
    names = [Path(p).name for p in places]
    if not places:
        loose = [Path(one.file).name for one in found.aside if _is_notebook(one.file) and not one.is_litter]
        seen = f" It holds notebooks of its own ({', '.join(loose[:3])}): put each into its student's folder." if loose else ""
        raise ValueError(f"{folder} holds no student's folder: submissions lie in {folder}/<student>/<exercise>.ipynb.{seen}")
    if all(name in exercises for name in names):
        raise ValueError(f"{folder} is the folder of one student (it holds {names[0]}/): name the one above it, {folder.resolve().parent}")


# Which of a student's files count

def _who(who, roster):
    """A student as the report calls them -> Submission without a file."""
    known = roster.find(who) if roster else None
    base = Submission(who.student, "", "", name=who.name, platform=who.platform, number=who.number, time=who.time)
    if known:
        return replace(base, student=known.id, name=known.name)
    return replace(base, flag="not in the roster") if roster else base


def _of_student(areas, exercises, marks, found):
    """The submissions from all of a student's places -> list of Submission, one with an empty path if there are none."""
    candidates, budget = defaultdict(list), [MOST_PEEKED]
    for who, area in areas:
        for piece in _pieces(area):
            exercise, why, by_cells = _exercise_in(piece, exercises, marks, budget)
            if exercise:
                flag = "known by its cells" if by_cells else ""
                candidates[exercise].append((_age(piece), len(candidates[exercise]), piece, _submission(who, piece, exercise, flag)))
            else:
                found.aside.append(Aside(who.student, piece.file, why, why in (LITTER, OURS)))
    for those in candidates.values():
        *older, newest = sorted(those, key=lambda one: one[:2])
        name = newest[2].name
        found.aside += [Aside(s.student, p.file, f"an older file of {s.student}: {name} counts") for _, _, p, s in older]
    chosen = [max(those, key=lambda one: one[:2])[3] for _, those in sorted(candidates.items())]
    return chosen or [areas[0][0]]


def _submission(who, piece, exercise, flag):
    flags = [words for words in (who.flag, flag) if words]
    late = bool(piece.told and piece.told.is_late)
    time = datetime.fromtimestamp(piece.time).isoformat() if piece.is_told and piece.time and not who.time else who.time
    number = piece.told.number if piece.told else who.number
    return replace(who, exercise=exercise, path=piece.path, member=piece.member, flag="; ".join(flags), time=time,
                   is_late=late, number=number)


def _age(piece):
    """What orders the files of one student, the newest last: Canvas's numbers, copies, times, names."""
    order = piece.told.order if piece.told else 0
    return order, piece.time if piece.is_told else 0, copy_number(_stem(piece.name)), piece.time, piece.file


def _exercise_in(piece, exercises, marks, budget):
    """The exercise that a file is of -> (its name or "", why it is left aside, do only its cells tell?)."""
    if piece.why:
        return "", piece.why, False
    if any(map(is_litter, PurePosixPath(piece.name).parts)):
        return "", LITTER, False
    name = PurePosixPath(piece.name).name
    if name == MANIFEST:
        return "", OURS, False
    by_name = exercise_of(_stem(name), exercises) if _is_notebook(name) else None
    by_cells = _by_cells(piece, marks, budget) if _is_notebook(name) or name.lower().endswith((".json", ".txt")) else None
    if by_cells or by_name:
        return by_cells or by_name, "", bool(by_cells and by_cells != by_name)
    return "", _why_not(name), False


def _why_not(name):
    if _is_notebook(name):
        return "no exercise: neither its name nor its cells are of one"
    if name.lower().endswith(OTHER_ARCHIVES):
        return "an archive that is not read: ask for the notebook, or a zip file"
    if name.lower() in ("text.html", "link.html"):
        return "typed into Canvas, no file: ask for the notebook"
    return "no notebook"


def _by_cells(piece, marks, budget):
    """The exercise that most marks in a file are of -> str or None."""
    if not marks or budget[0] <= 0:
        return None
    try:
        content = read.content_at(piece.path, piece.member)
    except Exception:  # it is said when it is graded
        return None
    budget[0] -= len(content)
    seen = {mark for found in MARKS.finditer(content.replace(b"\0", b"")) for mark in found.groups() if mark}
    counts = Counter(marks[mark] for mark in seen if mark in marks)
    return max(counts, key=counts.__getitem__) if counts else None


def exercise_of(stem, exercises):
    """The exercise that a file's name means, as "01_trees (1)" means 01_trees -> str or None."""
    stem = stem.lower()
    named = [name for name in exercises if name.lower() in stem]
    return max(named, key=len) if named else None


def _is_notebook(name):
    return ".ipynb" in name.lower()


def _stem(name):
    """"01_trees (1)" of "01_trees (1).ipynb.txt" -> str."""
    return re.split(r"\.ipynb", PurePosixPath(name).name, flags=re.IGNORECASE)[0]


# The files of a student

def _pieces(area):
    """Every file of a student's -> iterator of Piece, so many and one that says that there are more."""
    zips = [MOST_ZIPS]
    every = (piece for source in (area.pieces, *map(_below, area.places)) for piece in _with_insides(source, zips))
    for number, piece in enumerate(every):
        if number == MOST_FILES:
            yield replace(piece, why=f"more than {MOST_FILES:,} files: the rest was not looked at")
            return
        yield piece


def _with_insides(pieces, zips, depth=0):
    """The same pieces, zip files among them replaced by what they hold, as long as `zips` lasts."""
    for piece in pieces:
        if piece.why or not piece.name.lower().endswith(".zip"):
            yield piece
        elif depth == DEEPEST_ZIP:
            yield replace(piece, why=f"more than {DEEPEST_ZIP} zip files in one another")
        elif not zips[0]:
            yield replace(piece, why=f"more than {MOST_ZIPS} zip files of one student")
        else:
            zips[0] -= 1
            yield from _with_insides(_members(piece), zips, depth + 1)


def _members(piece):
    """The files in a zip file -> list of Piece."""
    try:
        with read.zipped(piece.path, piece.member) as archive:
            inside = [_piece(piece.path, info, piece.member) for info in archive.infolist() if not info.is_dir()]
        when = {"time": piece.time, "is_told": True} if piece.is_told else {}
        return [replace(one, told=piece.told, **when) for one in inside]
    except Exception as error:  # a zip file that somebody made up can go wrong in any way
        return [replace(piece, why=f"a zip file that cannot be read ({error})")]


def _piece(path, info, outer=""):
    """A member of a zip file -> Piece."""
    member = f"{outer}{INSIDE}{info.filename}" if outer else info.filename
    why = "a link in a zip file" if stat.S_ISLNK(info.external_attr >> 16) else ""
    try:
        time = datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError):
        time = 0.0
    told = _told_in(info.filename)
    return Piece(path, member, (told and told.rest) or info.filename, why, None, 0.0 if info.date_time[0] < 1990 else time)


def _below(place):
    """Every file in a student's folder, or the one file it is -> iterator of Piece."""
    waiting = [(str(place), "", 0)]
    while waiting:
        path, name, depth = waiting.pop()
        if _is_link(path):
            yield Piece(path, why=LINK)
        elif name and is_litter(os.path.basename(path)):
            yield Piece(path, why=LITTER)
        elif os.path.isdir(path):
            inside, why = _inside(path) if depth < DEEPEST else ([], f"more than {DEEPEST} folders deep")
            yield from [Piece(os.path.join(path, ""), why=why)] * bool(why)
            waiting += [(one, os.path.join(name, os.path.basename(one)), depth + 1) for one in inside]
        elif os.path.isfile(path):
            yield Piece(path, "", name or os.path.basename(path), time=os.stat(path).st_mtime)
        else:
            yield Piece(path, why="no ordinary file")


def _inside(folder):
    """What lies in a folder, the last first -> (list of paths, why it cannot be looked into or "")."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e.path for e in islice(entries, MOST_FILES + 1)), reverse=True), ""
    except OSError as error:
        return [], f"cannot be looked into ({error.strerror})"


def _is_link(path):
    return os.path.islink(path) or getattr(os.path, "isjunction", os.path.islink)(path)


# What a person should know

def _with_flags(found):
    """The same submissions; students whose names pass for each other are flagged."""
    alike = defaultdict(set)
    for s in found:
        alike[escaping.skeleton(s.student)].add(s.student)
    others = {s: sorted(those - {s}) for those in alike.values() for s in those}
    words = {s: f"name looks like {escaping.name(near[0])}" for s, near in others.items() if near}
    return [replace(s, flag="; ".join(filter(None, (s.flag, words.get(s.student))))) for s in found]


def _with_time(submission, times):
    """The same submission, with what `collect` has written down of it."""
    row = times.get((submission.student, submission.exercise))
    if not row:
        return submission
    known = {name: str(row.get(name) or "") for name in ("time", "platform", "number")}
    return replace(submission, **known, name=str(row.get("name") or submission.name), is_late=row.get("is_late") is True)
