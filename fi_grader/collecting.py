"""Find what was handed in: whose each file is, for which exercise, and which files are skipped.

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
from fi_grader import escaping
from fi_grader.platform_names import GRADESCOPE, ParsedName, copy_number, is_junk, parse_name
from fi_grader.submissions import reading as read
from fi_grader.submissions.reading import INSIDE, Submission

MOST_FILES = read.MOST_FILES
DEEPEST = 12
DEEPEST_ZIP = 3
MOST_ZIPS = 50
MOST_SEARCHED = 200_000_000
"""Bytes of one student that are looked through for the marks of cells; beyond, names decide."""
MOST_SKIPPED_NAMED = 20
"""At most so many skipped files of one student are named on the terminal; the report names all."""
JUNK = "left by a program"
OURS = "the list that `fi-teach submit` packs with the notebooks"
LINK = "a link; links are not followed, hand in the file itself"
CELL_IDS = re.compile(rb'"(?:grade_)?id": ?"([\w.-]{1,100})"|Q\(\\?["\']([\w.]{1,100})\\?["\']\)')
METADATA = "submission_metadata.yml"
HANDED_IN = "handed_in.json"
NBGRADER_FOLDERS = ("source", "release", "autograded", "feedback")
"""Folders of an nbgrader course beside submitted/."""
OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


@dataclass(frozen=True)
class SkippedFile:
    """A file that is not graded, and why; `is_junk` if a program left it."""

    student: str
    file: str
    why: str
    is_junk: bool = False

    def __str__(self):
        return f"{self.file}: {self.why}"


@dataclass(frozen=True)
class File:
    """One file of a student: its place, its parsed name, or why it is skipped.

    name : its own name
    time : when it was changed, by the zip file of the platform or by the disk; `is_platform_time`
        if by the former
    """

    path: str
    member: str = ""
    name: str = ""
    why: str = ""
    parsed: ParsedName | None = None
    time: float = 0.0
    is_platform_time: bool = False

    @property
    def label(self):
        return f"{self.path}:{self.member.replace(INSIDE, ':')}" if self.member else self.path


@dataclass
class StudentFiles:
    """Where one student's files lie: folders and zip files to search, and single files."""

    parsed: ParsedName
    files: list = field(default_factory=list)
    folders: list = field(default_factory=list)


@dataclass
class Found:
    """What has been found so far in a folder of submissions."""

    students: dict = field(default_factory=dict)
    skipped: list = field(default_factory=list)
    times: dict = field(default_factory=dict)

    def student_files(self, parsed):
        return self.students.setdefault((parsed.platform, parsed.student), StudentFiles(parsed))


def cell_ids_of(assignments):
    """Collect the ids that occur in one exercise only.

    -> {grade id, cell id or question: exercise}
    """
    names_of = defaultdict(set)
    for name, one in assignments.items():
        for cell in one.cells:
            for mark in (cell.grade_id, cell.id, cell.question):
                names_of[mark.encode()].add(name)
    return {mark: names.pop() for mark, names in names_of.items() if mark and len(names) == 1}


def find(folder, exercises, *, cell_ids=None, roster=None):
    """Find all submissions in a folder -> (list of Submission, list of SkippedFile).

    exercises : their names; a student with no exercise at all is listed with an empty path for each
        exercise that anybody handed in
    cell_ids : what tells their cells, from `cell_ids_of`; without it names alone decide
    roster : a Roster, under whose names the students are listed

    Raises ValueError if the folder does not exist, holds nobody's work, or is one student's own, or
    if no file in it is of an exercise.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(f"there is no folder {folder}: "
                         "name the one that holds a folder for each student.")
    found = Found()
    _look_through(folder, found, exercises, roster)
    _check_students(folder, found, exercises)
    theirs = defaultdict(list)
    for student_files in found.students.values():
        who = _known_student(student_files.parsed, roster)
        theirs[who.student].append((who, student_files))
    submissions = [one for student in sorted(theirs)
                   for one in _of_student(theirs[student], exercises, cell_ids or {}, found)]
    asked = sorted({s.exercise for s in submissions if s.exercise})
    if not asked:
        raise ValueError(_nothing(folder, exercises, found.skipped))
    submissions = [_with_time(s, found.times) for s in _with_flags(submissions)]
    whole = [one for s in submissions
             for one in ([s] if s.exercise else [replace(s, exercise=e) for e in asked])]
    return whole, found.skipped


def of_one(folder, exercises, cell_ids):
    """Find the submissions in one student's folder -> {exercise: Submission}."""
    found, student_files = Found(), StudentFiles(ParsedName("", "you"), folders=[str(folder)])
    every = _of_student([(_known_student(student_files.parsed, None), student_files)], exercises,
                        cell_ids, found)
    return {s.exercise: s for s in every if s.path}


def _nothing(folder, exercises, skipped):
    seen = [str(one) for one in skipped if not one.is_junk]
    return (f"no file in {folder} is of an exercise ({', '.join(exercises)}), "
            "so there is nothing to grade: give the "
            f"files the exercises' names, as in {folder}/<student>/{next(iter(exercises))}.ipynb"
            + f". Seen: {'; '.join(seen[:3])}" * bool(seen))


def describe_skipped(skipped):
    """List the skipped files for the instructor, a limited number a student -> list of str."""
    lines, counts = [], Counter()
    for one in sorted(skipped, key=lambda one: one.why == "no notebook"):
        counts[one.student] += not one.is_junk
        lines += [str(one)] * (not one.is_junk and counts[one.student] <= MOST_SKIPPED_NAMED)
    lines += [f"{student or 'nobody'}: {many - MOST_SKIPPED_NAMED} more files"
              for student, many in counts.items() if many > MOST_SKIPPED_NAMED]
    n_junk = sum(one.is_junk for one in skipped)
    return lines + [f"{n_junk} files that programs have left"] * bool(n_junk)


# Which folder or file is whose

def _look_through(folder, found, exercises, roster, depth=0):
    """Sort the contents of a class's folder by student."""
    entries = sorted(os.scandir(folder), key=lambda e: e.name)
    metadata = _gradescope(folder) if any(e.name == METADATA for e in entries) else {}
    is_nbgraders = "submitted" in {e.name for e in entries}
    found.times.update(_handed_in(folder) if any(e.name == HANDED_IN for e in entries) else {})
    for entry in entries:
        if is_junk(entry.name):
            found.skipped.append(SkippedFile("", entry.path, JUNK, True))
        elif _is_link(entry.path):
            stem = entry.name.removesuffix(".zip")
            found.student_files(ParsedName("", stem)).files.append(File(entry.path, why=LINK))
        elif is_nbgraders and entry.name in NBGRADER_FOLDERS:
            found.skipped.append(SkippedFile("", entry.path,
                                             "nbgrader's own folder, not submitted/", True))
        elif entry.is_dir():
            _sort_folder(entry, found, exercises, roster, metadata, depth)
        elif entry.name.lower().endswith(".zip"):
            _sort_zip(entry, found)
        elif entry.name not in (METADATA, HANDED_IN):
            _sort_file(entry, found, exercises, roster)


def _sort_folder(entry, found, exercises, roster, metadata, depth):
    who = parse_name(entry.name, is_folder=True) or _parse_gradescope(entry.name, metadata)
    if who is None and depth < 2 and _holds_a_class(entry):
        _look_through(entry.path, found, exercises, roster, depth + 1)
    else:
        found.student_files(who or ParsedName("", entry.name)).folders.append(entry.path)


def _holds_a_class(entry):
    """Return whether this folder is a download of many students' work."""
    with suppress(OSError), os.scandir(entry.path) as inside:
        seen = {e.name: e.is_dir() for e in islice(inside, MOST_FILES)}
        is_nbgraders = (entry.name == "submitted"
                        and not any(name.endswith(".ipynb") for name in seen))
        return (is_nbgraders or METADATA in seen or HANDED_IN in seen
                or any(parse_name(*one) for one in seen.items()))
    return False


def _sort_zip(entry, found):
    """Sort a zip file: it is one student's, or a platform's download of the whole class."""
    who = parse_name(entry.name)
    if who:
        file = File(entry.path, "", who.rest or entry.name, parsed=who)
        found.student_files(_student_only(who)).files.append(file)
    elif infos := _class_in(entry.path):
        _sort_members(entry.path, infos, found)
    else:
        found.student_files(ParsedName("", entry.name[:-4])).folders.append(entry.path)


def _student_only(parsed):
    return replace(parsed, rest="", is_late=False, order=0)


def _class_in(path):
    """List the contents of a zip file that holds a whole class -> list of ZipInfo, else empty."""
    with suppress(Exception), read.zipped(path, most=read.MOST_MEMBERS) as archive:
        # whatever is wrong is said later
        infos = archive.infolist()
        if any(_parse_path(info.filename)
               for info in infos) or any(PurePosixPath(i.filename).name == METADATA for i in infos):
            return infos
    return []


def _parse_path(path):
    """Parse the first part of a path that a platform has named -> ParsedName or None."""
    *folders, name = path.rstrip("/").split("/")
    return next(filter(None, (*(parse_name(one, is_folder=True) for one in folders),
                              parse_name(name))), None)


def _sort_members(path, infos, found):
    metadata = {}
    with suppress(Exception):
        inside = next(i.filename for i in infos if PurePosixPath(i.filename).name == METADATA)
        metadata = _people_of(read.content_at(path, inside))
    for info in infos:
        parts = PurePosixPath(info.filename).parts
        who = (_parse_path(info.filename)
               or next(filter(None, (_parse_gradescope(p, metadata) for p in parts)), None))
        if info.is_dir() or not parts or parts[-1] == METADATA:
            continue
        file = replace(_member(path, info), parsed=who, is_platform_time=True)
        if any(map(is_junk, parts)):
            found.skipped.append(SkippedFile("", file.label, JUNK, True))
        elif who is None:
            found.skipped.append(SkippedFile("", file.label, "lies in no student's folder"))
        else:
            found.student_files(_student_only(who)).files.append(file)


def _sort_file(entry, found, exercises, roster):
    """Assign a single file to a student by its name, or skip it."""
    who = parse_name(entry.name)
    if who is None and roster and (stem := _without_exercise(entry.name, exercises)):
        named = ParsedName("", stem)
        who = named if roster.find(named) else None
    if who is None:
        words = ("nothing tells whose it is: put it into its student's folder"
                 if _is_notebook(entry.name) else "no student's work")
        return found.skipped.append(SkippedFile("", entry.path, words))
    file = File(entry.path, "", who.rest or entry.name, parsed=who, time=entry.stat().st_mtime)
    return found.student_files(_student_only(who)).files.append(file)


def _without_exercise(name, exercises):
    """Remove the exercise from a file name: "anna_01_trees.ipynb" -> "anna"."""
    stem = re.split(r"\.ipynb", name, flags=re.IGNORECASE)[0]
    exercise = exercise_of(stem, exercises)
    return (re.sub(re.escape(exercise), "", stem, flags=re.IGNORECASE).strip(" _-.")
            if exercise else "")


def _parse_gradescope(name, metadata):
    number = GRADESCOPE.fullmatch(name)
    if number is None:
        return None
    person = metadata.get(name, {})
    words = (str(person.get(":name") or name),
             str(person.get(":sid") or person.get(":email") or ""))
    return ParsedName("Gradescope", *(word.replace("/", "_").replace("\0", "").lstrip(".")
                                      for word in words), time=person.get("time", ""))


def _gradescope(folder):
    with suppress(Exception):
        return _people_of(read.content_at(os.path.join(folder, METADATA)))
    return {}


def _people_of(content):
    """Read Gradescope's list of submissions -> {folder: {":name": ..., ":sid": ...}}."""
    import yaml
    known = yaml.safe_load(content)
    first = {folder: one[":submitters"][0] for folder, one in known.items()
             if one.get(":submitters")}
    times = {folder: known[folder].get(":created_at") for folder in first}
    return {folder: {**person, "time": t.isoformat() if hasattr(t := times[folder], "isoformat")
                     else ""} for folder, person in first.items()}


def _handed_in(folder):
    """Read what `fi-teach collect` noted beside its copies -> {(student, exercise): facts}."""
    with suppress(ValueError, OSError, KeyError, TypeError):
        rows = json.loads(read.content_at(os.path.join(folder, HANDED_IN)))
        return {(row["student"], row["exercise"]): row for row in rows}
    return {}


def _check_students(folder, found, exercises):
    """Raise ValueError if no folder here is a student's, or if all of it is one student's."""
    folders = [p for student_files in found.students.values()
               for p in student_files.folders or ["file"]]
    names = [Path(p).name for p in folders]
    if not folders:
        loose = [Path(one.file).name for one in found.skipped
                 if _is_notebook(one.file) and not one.is_junk]
        seen = (f" It holds notebooks of its own ({', '.join(loose[:3])}): "
                "put each into its student's folder." if loose else "")
        raise ValueError(f"{folder} holds no student's folder: "
                         f"submissions lie in {folder}/<student>/<exercise>.ipynb.{seen}")
    if all(name in exercises for name in names):
        raise ValueError(f"{folder} is the folder of one student (it holds {names[0]}/): "
                         f"name the one above it, {folder.resolve().parent}")


# Which of a student's files count

def _known_student(who, roster):
    """Look up a student in the roster -> Submission without a file."""
    known = roster.find(who) if roster else None
    base = Submission(who.student, "", "", name=who.name, platform=who.platform, number=who.number,
                      time=who.time)
    if known:
        return replace(base, student=known.id, name=known.name)
    return replace(base, flag="not in the roster") if roster else base


def _of_student(students, exercises, cell_ids, found):
    """Choose the files of one student that count -> list of Submission.

    The list holds one with an empty path if there are none.
    """
    candidates, budget = defaultdict(list), [MOST_SEARCHED]
    for who, student_files in students:
        for file in _files(student_files):
            exercise, why, by_cells = _exercise_in(file, exercises, cell_ids, budget)
            if exercise:
                flag = "known by its cells" if by_cells else ""
                candidates[exercise].append((_age(file), len(candidates[exercise]), file,
                                             _submission(who, file, exercise, flag)))
            else:
                found.skipped.append(SkippedFile(who.student, file.label, why, why in (JUNK, OURS)))
    for those in candidates.values():
        *older, newest = sorted(those, key=lambda one: one[:2])
        name = newest[2].name
        found.skipped += [SkippedFile(s.student, p.label,
                                      f"an older file of {s.student}: {name} counts")
                          for _, _, p, s in older]
    chosen = [max(those, key=lambda one: one[:2])[3] for _, those in sorted(candidates.items())]
    return chosen or [students[0][0]]


def _submission(who, file, exercise, flag):
    flags = [words for words in (who.flag, flag) if words]
    late = bool(file.parsed and file.parsed.is_late)
    time = (datetime.fromtimestamp(file.time).isoformat() if file.is_platform_time and file.time
            and not who.time else who.time)
    number = file.parsed.number if file.parsed else who.number
    return replace(who, exercise=exercise, path=file.path, member=file.member,
                   flag="; ".join(flags), time=time, is_late=late, number=number)


def _age(file):
    """Return the sort key of a student's files, the newest last: number, copy, time, name."""
    order = file.parsed.order if file.parsed else 0
    platform_time = file.time if file.is_platform_time else 0
    return order, platform_time, copy_number(_stem(file.name)), file.time, file.label


def _exercise_in(file, exercises, cell_ids, budget):
    """Find the exercise of a file -> (its name or "", why skipped, known only by its cells?)."""
    if file.why:
        return "", file.why, False
    if any(map(is_junk, PurePosixPath(file.name).parts)):
        return "", JUNK, False
    name = PurePosixPath(file.name).name
    if name == MANIFEST:
        return "", OURS, False
    by_name = exercise_of(_stem(name), exercises) if _is_notebook(name) else None
    by_cells = (_by_cells(file, cell_ids, budget)
                if _is_notebook(name) or name.lower().endswith((".json", ".txt")) else None)
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


def _by_cells(file, cell_ids, budget):
    """Find the exercise that most cell ids in a file belong to -> str or None."""
    if not cell_ids or budget[0] <= 0:
        return None
    try:
        content = read.content_at(file.path, file.member)
    except Exception:  # it is said when it is graded
        return None
    budget[0] -= len(content)
    seen = {mark for found in CELL_IDS.finditer(content.replace(b"\0", b""))
            for mark in found.groups() if mark}
    counts = Counter(cell_ids[mark] for mark in seen if mark in cell_ids)
    return max(counts, key=counts.__getitem__) if counts else None


def exercise_of(stem, exercises):
    """Find the exercise in a file name, as 01_trees in "01_trees (1)" -> str or None."""
    stem = stem.lower()
    named = [name for name in exercises if name.lower() in stem]
    return max(named, key=len) if named else None


def _is_notebook(name):
    return ".ipynb" in name.lower()


def _stem(name):
    """Return the name without its extensions: "01_trees (1).ipynb.txt" -> "01_trees (1)"."""
    return re.split(r"\.ipynb", PurePosixPath(name).name, flags=re.IGNORECASE)[0]


# The files of a student

def _files(student_files):
    """List every file of a student -> iterator of File, the last one saying if there are more."""
    zips = [MOST_ZIPS]
    every = (file for source in (student_files.files, *map(_below, student_files.folders))
             for file in _with_insides(source, zips))
    for number, file in enumerate(every):
        if number == MOST_FILES:
            yield replace(file, why=f"more than {MOST_FILES:,} files: the rest was not looked at")
            return
        yield file


def _with_insides(files, zips, depth=0):
    """Replace zip files by their contents, as long as `zips` lasts."""
    for file in files:
        if file.why or not file.name.lower().endswith(".zip"):
            yield file
        elif depth == DEEPEST_ZIP:
            yield replace(file, why=f"more than {DEEPEST_ZIP} zip files in one another")
        elif not zips[0]:
            yield replace(file, why=f"more than {MOST_ZIPS} zip files of one student")
        else:
            zips[0] -= 1
            yield from _with_insides(_members(file), zips, depth + 1)


def _members(file):
    """List the files in a zip file -> list of File."""
    try:
        with read.zipped(file.path, file.member) as archive:
            inside = [_member(file.path, info, file.member) for info in archive.infolist()
                      if not info.is_dir()]
        when = {"time": file.time, "is_platform_time": True} if file.is_platform_time else {}
        return [replace(one, parsed=file.parsed, **when) for one in inside]
    except Exception as error:  # a zip file that somebody made up can go wrong in any way
        return [replace(file, why=f"a zip file that cannot be read ({error})")]


def _member(path, info, outer=""):
    """Describe a member of a zip file -> File."""
    member = f"{outer}{INSIDE}{info.filename}" if outer else info.filename
    why = "a link in a zip file" if stat.S_ISLNK(info.external_attr >> 16) else ""
    try:
        time = datetime(*info.date_time).timestamp()
    except (ValueError, OverflowError):
        time = 0.0
    parsed = _parse_path(info.filename)
    name = (parsed and parsed.rest) or info.filename
    return File(path, member, name, why, None, 0.0 if info.date_time[0] < 1990 else time)


def _below(place):
    """List every file in a student's folder, or the single file -> iterator of File."""
    waiting = [(str(place), "", 0)]
    while waiting:
        path, name, depth = waiting.pop()
        if _is_link(path):
            yield File(path, why=LINK)
        elif name and is_junk(os.path.basename(path)):
            yield File(path, why=JUNK)
        elif os.path.isdir(path):
            too_deep = [], f"more than {DEEPEST} folders deep"
            inside, why = _inside(path) if depth < DEEPEST else too_deep
            yield from [File(os.path.join(path, ""), why=why)] * bool(why)
            waiting += [(one, os.path.join(name, os.path.basename(one)), depth + 1)
                        for one in inside]
        elif os.path.isfile(path):
            yield File(path, "", name or os.path.basename(path), time=os.stat(path).st_mtime)
        else:
            yield File(path, why="no ordinary file")


def _inside(folder):
    """List a folder, the last name first -> (list of paths, why it cannot be read or "")."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e.path for e in islice(entries, MOST_FILES + 1)), reverse=True), ""
    except OSError as error:
        return [], f"cannot be looked into ({error.strerror})"


def _is_link(path):
    return os.path.islink(path) or getattr(os.path, "isjunction", os.path.islink)(path)


# What a person should know

def _with_flags(found):
    """Flag students whose names look alike -> the same submissions."""
    alike = defaultdict(set)
    for s in found:
        alike[escaping.skeleton(s.student)].add(s.student)
    others = {s: sorted(those - {s}) for those in alike.values() for s in those}
    words = {s: f"name looks like {escaping.name(near[0])}" for s, near in others.items() if near}
    return [replace(s, flag="; ".join(filter(None, (s.flag, words.get(s.student))))) for s in found]


def _with_time(submission, times):
    """Add what `fi-teach collect` noted -> the same submission."""
    row = times.get((submission.student, submission.exercise))
    if not row:
        return submission
    known = {name: str(row.get(name) or "") for name in ("time", "platform", "number")}
    return replace(submission, **known, name=str(row.get("name") or submission.name),
                   is_late=row.get("is_late") is True)
