"""Find what was handed in: whose each file is, for which exercise, and what is skipped and why.

A source, named on the command line, is a folder or a zip file whose topmost names are the
students': a platform or the instructor chose them. What lies below was packed by the student, and
no name in it says whose it is. A notebook is known by what its cells say, then by its name; of
several for one exercise the newest counts.

`find` looks at the topmost names alone. `Found.submissions` then reads each student's files, once.
"""

import os
import re
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

from fi_course.submit import MANIFEST
from fi_grader import escaping
from fi_grader.submissions import platforms, reading
from fi_grader.submissions.platforms import NO_ROSTER, Owner, key_of_name, owner_in
from fi_grader.submissions.reading import JUNK, LINK, File

CELL_IDS = re.compile(rb'"(?:grade_)?id": ?"([\w.-]{1,100})"|Q\(\\?["\']([\w.]{1,100})\\?["\']\)')
OF_THE_CLASS = re.compile(r"submitted|assignment_\d+_export")
"""Folders of nbgrader and Gradescope between a source and its students."""
NBGRADERS = ("source", "release", "autograded", "feedback")  # beside submitted/
OURS = "the list that `fi-teach submit` packs with the notebooks"
NOBODYS = "nothing tells whose it is: put it into its student's folder"
MOST_FLAGS = 3
BY_CELLS = "known by its cells"  # the one flag of a file that wants nobody's eye
REASONS = ((r"\.ipynb", "no exercise: neither its name nor its cells are of one"),
           (r"\.(rar|7z|tar|gz|tgz|bz2|xz)$",
            "an archive that is not read: ask for the notebook, or a zip file"),
           (r"^(text|link)\.html$", "typed into Canvas, no file: ask for the notebook"),
           ("", "no notebook"))


@dataclass(frozen=True)
class Submission:
    """One student's file for an exercise, read.

    found : what its record keeps of how it was handed in
        source : the folder or zip file of the class that it was found in
        file : where it lies, "" if nothing was handed in
        name : the student's, as people write it
        platform, number : where it comes from, and the student's number there
        time : when it was handed in, as ISO 8601, "" if nothing tells
        is_late : Canvas has said so
        flags : what a person should know about the student's name or this file
    content : its bytes, None with the reason in `problem` if there are none
    """

    student: str
    exercise: str
    found: dict
    content: bytes | None = None
    problem: str = "nothing was handed in."


@dataclass(frozen=True)
class SkippedFile:
    """A file that is not graded, and why."""

    student: str
    file: str
    why: str
    source: str = ""

    @property
    def is_junk(self):
        return self.why in (JUNK, OURS)

    def __str__(self):
        return f"{self.file}: {self.why}"


def cell_ids_of(assignments):
    """Collect what occurs in one exercise only -> {grade id, cell id or question: exercise}."""
    names_of = defaultdict(set)
    for name, assignment in assignments.items():
        for cell in assignment.cells:
            for id in (cell.grade_id, cell.id, cell.question):
                names_of[id.encode()].add(name)
    return {id: names.pop() for id, names in names_of.items() if id and len(names) == 1}


def find(sources, assignments, roster=NO_ROSTER):
    """Find the students of one class in folders and zip files, under a roster's ids -> Found.

    Raises ValueError if a source is missing, is one student's own, or holds no student.
    """
    named = {os.path.abspath(source): Path(source) for source in sources}
    found = Found(list(named.values()), list(assignments), cell_ids_of(assignments), roster)
    for source in found.sources:
        entries = [(owner, file) for owner, file in _topmost(source)
                   if file.member or os.path.abspath(file.path) not in named]
        names = [file.parts[0] for _, file in entries if not platforms.is_junk(file.parts[0])]
        if names and all(name in assignments for name in names):
            raise ValueError(f"{source} is the folder of one student (it holds {names[0]}/): "
                             f"name the one above it, {source.resolve().parent}")
        for owner, file in entries:
            found.sort(source, owner, file)
    if not found.files:
        loose = [Path(one.file).name for one in found.skipped
                 if ".ipynb" in one.file.lower() and not one.is_junk]
        seen = (f" It holds notebooks of its own ({', '.join(loose[:3])}): "
                "put each into its student's folder." if loose else "")
        raise ValueError(f"{', '.join(map(str, found.sources))} holds no student's folder: "
                         f"submissions lie in {found.sources[0]}/<student>/<exercise>.ipynb.{seen}")
    for student in found.files:
        found.looks[escaping.skeleton(student)].append(student)
    return found


def of_one(folder, assignments):
    """Find the submissions in one student's folder -> {exercise: Submission}."""
    found = Found([Path(folder)], list(assignments), cell_ids_of(assignments))
    found.files["you"].append((Path(folder), Owner("you"), File(str(folder), parts=("you",))))
    return {one.exercise: one for one in found.of_student("you")}


@dataclass
class Found:
    """The students of a class with their files; the files that are skipped are listed as they come.

    files : {student: [(source, Owner, File), ...]}
    looks : the students by what their names look like
    """

    sources: list
    exercises: list
    cell_ids: dict
    roster: object = NO_ROSTER
    files: dict = field(default_factory=lambda: defaultdict(list))
    looks: dict = field(default_factory=lambda: defaultdict(list))
    skipped: list = field(default_factory=list)

    def sort(self, source, owner, file):
        """Assign what lies at the top of a source to its student, or skip it."""
        name, find = file.parts[0], self.roster.find
        is_folder = file.is_folder or len(file.parts) > 1
        owner = owner or owner_in(name, is_folder)
        if owner is None and (is_folder or file.why == LINK or name.lower().endswith(".zip")):
            owner = Owner(re.sub(r"\.zip$", "", name, flags=re.IGNORECASE))
        if owner is None:  # a name in the roster beside the exercise's, as in "anna_01_trees"
            exercise = self._by_name(file.stem)
            rest = re.sub(re.escape(exercise or file.stem), "", file.stem, flags=re.IGNORECASE)
            named = Owner(rest.strip(" _-."))
            owner = named if named.name and find(named) else None
        if platforms.is_junk(name) or file.why == JUNK:
            self.skip("", source, file, JUNK)
        elif owner is None or not owner.student.strip():
            self.skip("", source, file, file.why or (
                NOBODYS if ".ipynb" in name.lower() else "no student's work"))
        else:
            person = find(owner)
            own = replace(file, is_told=file.is_told and owner.platform == "Moodle",
                          parts=(owner.student, owner.rest) if owner.rest else file.parts)
            self.files[person.id if person else owner.student].append((source, owner, own))

    def skip(self, student, source, file, why):
        self.skipped.append(SkippedFile(student, file.file, why, os.path.abspath(source)))

    def submissions(self):
        """Read what each student has handed in -> iterator of Submission, the absent last."""
        asked, absent = set(), []
        for student in sorted(self.files):
            theirs = self.of_student(student)
            asked |= {one.exercise for one in theirs}
            absent += [student] * (not theirs)
            yield from theirs
        if not asked:
            seen = "; ".join([str(one) for one in self.skipped if not one.is_junk][:3])
            raise ValueError(
                f"no file in {', '.join(map(str, self.sources))} is of an exercise "
                f"({', '.join(self.exercises)}), so there is nothing to grade: give the files the "
                f"exercises' names, as in {self.sources[0]}/<student>/{self.exercises[0]}.ipynb"
                + f". Seen: {seen}" * bool(seen))
        for student in absent:
            facts = self._facts(student, *self.files[student][0][:2])
            yield from (Submission(student, exercise, facts) for exercise in sorted(asked))

    def of_student(self, student):
        """Read the files of a student; the newest of each exercise counts -> list of Submission."""
        newest, others = {}, []
        budget = SimpleNamespace(files=reading.MOST_FILES, zips=reading.MOST_ZIPS,
                                 bytes=reading.MOST_BYTES)
        for source, owner, top in self.files[student]:
            for file in reading.leaves(top, budget):
                exercise, why, known = self._look_into(file, budget)
                if not exercise:
                    self.skip(student, source, file, why)
                    continue
                others += self._named_for_others(student, file)
                age = (owner.order, file.time if file.is_told else 0,
                       platforms.copy_number(file.stem), file.time, file.file)
                this = age, source, owner, file, known
                older, newest[exercise] = sorted((newest.get(exercise, this), this),
                                                 key=lambda one: one[0])
                if older is not newest[exercise]:
                    name = newest[exercise][3].parts[-1]
                    self.skip(student, older[1], older[3],
                              f"an older file of {student}: {name} counts")
        chosen = []
        for exercise, (_, source, owner, file, known) in sorted(newest.items()):
            flags = [*known.pop("flags"), *list(dict.fromkeys(others))[:MOST_FLAGS]]
            facts = self._facts(student, source, owner, file, flags)
            chosen.append(Submission(student, exercise, facts, **known))
        return chosen

    def _facts(self, student, source, owner, file=None, flags=()):
        """Collect what is known of how something was handed in -> dict."""
        person = self.roster.people.get(student)
        time = owner.time
        if file and file.is_told and file.time and not time:
            time = datetime.fromtimestamp(file.time).isoformat()
        return {"source": os.path.abspath(source), "file": file.file if file else "",
                "name": person.name if person else owner.name, "platform": owner.platform,
                "number": owner.number, "time": time, "is_late": owner.is_late,
                "flags": [*self._flags(student), *flags]}

    def _flags(self, student):
        """List what a person should know about who this is -> iterator."""
        if self.roster.people and student not in self.roster.people:
            yield "not in the roster"
        near = [other for other in self.looks[escaping.skeleton(student)] if other != student]
        if near:
            yield f"name looks like {escaping.name(min(near))}"
        accounts = {(source, owner.platform, owner.number) for source, owner, _
                    in self.files[student] if owner.number}
        if len({account[:2] for account in accounts}) < len(accounts):
            numbers = " and ".join(sorted({number for _, _, number in accounts}))
            yield f"handed in by two accounts, {numbers}"

    def _look_into(self, file, budget):
        """Find a file's exercise by cells, else name -> (it or "", why skipped, what is known)."""
        name = file.parts[-1].lower()
        if file.why or name == MANIFEST:
            return "", file.why or OURS, {}
        is_notebook = ".ipynb" in name
        by_name = self._by_name(file.stem) if is_notebook else ""
        known, counts = {"content": None, "problem": "", "flags": ()}, Counter()
        is_read = budget.bytes > 0 and (is_notebook or name.endswith((".json", ".txt")))
        if by_name or is_read:
            try:
                known["content"] = reading.content_of(file)
            except ValueError as error:
                known["problem"] = str(error)
        if is_read and known["content"]:
            budget.bytes -= len(known["content"])
            ids = {id for found in CELL_IDS.finditer(known["content"].replace(b"\0", b""))
                   for id in found.groups()}
            counts.update(self.cell_ids[id] for id in ids if id in self.cell_ids)
        by_cells = max(counts, key=counts.__getitem__, default="")
        if not by_cells and not by_name:
            return "", next(why for pattern, why in REASONS if re.search(pattern, name)), {}
        if by_cells and by_cells != by_name:
            known["flags"] = (f"called {by_name}, holds {by_cells}" if by_name else BY_CELLS,)
        return by_cells or by_name, "", known

    def _by_name(self, stem):
        """Find the exercise in a file name: "01_trees (1)" is of 01_trees -> str, "" if of none."""
        return max((e for e in self.exercises if e.lower() in stem.lower()), key=len, default="")

    def _named_for_others(self, student, file):
        """Flag a notebook that the name of a file or folder gives to another student -> list."""
        *folders, name = file.parts[1:] or [""]
        owners = [*(owner_in(folder, is_folder=True) for folder in folders), owner_in(name)]
        mine = {key_of_name(owner.name) for _, owner, _ in self.files[student]}
        return [f"holds a notebook named for {escaping.name(owner.student)}: a download of the "
                "whole class is to be named on the command line"
                for owner in owners if owner and key_of_name(owner.name) not in mine]


def describe_skipped(skipped, most=20):
    """List the skipped files for the instructor, at most so many a student -> list of str."""
    lines, counts = [], Counter()
    for one in sorted(skipped, key=lambda one: one.why == "no notebook"):
        counts[one.student] += not one.is_junk
        lines += [str(one)] * (not one.is_junk and counts[one.student] <= most)
    lines += [f"{student or 'nobody'}: {count - most} more files"
              for student, count in counts.items() if count > most]
    n_junk = sum(one.is_junk for one in skipped)
    left = f"{n_junk} files that programs have left"
    return lines + ["1 file that a program has left" if n_junk == 1 else left] * bool(n_junk)


def _topmost(source):
    """List what lies at the top of a source -> list of (Owner that a list names or None, File)."""
    if not source.exists():
        raise ValueError(f"there is no folder or zip file {source}: "
                         "name the one that holds a folder for each student.")
    if source.is_dir():
        files = reading.below(File(str(source)))
    else:
        files = reading.members(File(str(source)), most=reading.MOST_MEMBERS, is_told=True)
    if any(file.parts[0] == "submitted" for file in files):
        files = [replace(file, why=JUNK) if file.parts[0] in NBGRADERS else file for file in files]
    found, people = [], {}
    for file in files:  # a folder of the class stands for what lies in it
        is_whole = OF_THE_CLASS.fullmatch(file.parts[0])
        if is_whole and file.is_folder:
            found += reading.below(replace(file, parts=()))
        else:
            is_inside = is_whole and file.member
            found.append(replace(file, parts=file.parts[1:]) if is_inside else file)
    lists = [file for file in found if file.parts == (platforms.METADATA,)]
    for listed in lists:
        with suppress(Exception):  # without the list, folders keep their numbers
            people |= platforms.owners_in(reading.content_of(listed))
    return [(people.get(file.parts[0]), file) for file in found if file.parts and file not in lists]
