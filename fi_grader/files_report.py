"""Keep the report's list of files: whose each is, for which set, when it came, why it was skipped.

`files.jsonl` is for the next run, `files.csv` for people. What another folder of submissions gave
stays when this one is graded again; what lay in this one and lies there no more is gone.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from fi_grader import escaping
from fi_grader.results import write
from fi_grader.spreadsheets import table_of

COLUMNS = ("student", "exercise", "file", "what became of it", "why", "handed in", "platform",
           "number")
GRADED, SKIPPED, NOTHING = "graded", "left aside", "nothing handed in"


@dataclass(frozen=True)
class Facts:
    """How a student handed in a set."""

    name: str = ""
    platform: str = ""
    number: str = ""
    time: str = ""
    is_late: bool = False
    file: str = ""


class FilesReport:
    """The list of files of a report: read it, or `update` it with what a folder holds now."""

    def __init__(self, report):
        self.path = report / "files.jsonl"
        self.lines = (list(map(json.loads, self.path.read_text().splitlines()))
                      if self.path.exists() else [])

    def update(self, folder, submissions, skipped):
        """Record what a folder holds now -> the (student, exercise) that it no longer holds."""
        folder = str(Path(folder).resolve())
        before = {_place(line)
                  for line in self.lines if line["folder"] == folder and line["state"] != SKIPPED}
        others = [line for line in self.lines if line["folder"] != folder]
        fresh = [_line(folder, s) for s in submissions]
        fresh += [{"folder": folder, "student": a.student, "exercise": "", "file": a.file,
                   "state": SKIPPED, "why": a.why} for a in skipped]
        fresh.sort(key=lambda line: (line["student"], line["exercise"], line["file"]))
        self.lines = others + fresh
        self._write()
        return before - {_place(line) for line in self.lines}

    def _write(self):
        write(self.path, "".join(json.dumps(line, sort_keys=True) + "\n" for line in self.lines))
        rows = ([escaping.name(line["student"]), line["exercise"], line["file"], line["state"],
                 line.get("why", ""),
                 line.get("time", ""), line.get("platform", ""), line.get("number", "")]
                for line in self.lines)
        write(self.path.with_suffix(".csv"), table_of([COLUMNS, *rows], mark=True))

    def facts(self):
        """Return how each set was handed in -> {(student, exercise): Facts}."""
        names = Facts.__dataclass_fields__
        return {_place(line): Facts(**{k: v for k, v in line.items() if k in names})
                for line in self.lines if line["state"] == GRADED}

    def names(self):
        """Return the students' names, where a platform gave them -> {student: name}."""
        return {line["student"]: line["name"] for line in self.lines if line.get("name")}

    def skipped(self):
        """Return the files that were not graded -> {student: [(file, why), ...]}."""
        found = defaultdict(list)
        for line in self.lines:
            if line["state"] == SKIPPED:
                found[line["student"]].append((line["file"], line["why"]))
        return found


def _place(line):
    return line["student"], line["exercise"]


def _line(folder, s):
    return {"folder": folder, "student": s.student, "exercise": s.exercise, "file": s.file,
            "state": GRADED if s.path else NOTHING,
            "why": s.flag, "name": s.name, "platform": s.platform, "number": s.number,
            "time": s.time, "is_late": s.is_late}
