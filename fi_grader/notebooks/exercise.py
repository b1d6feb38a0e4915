"""Read the assignments that were handed out: cells, questions, and a hash that results carry."""

import ast
import hashlib
import importlib
import inspect
import json
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from fi_course.questions import QUESTIONS
from fi_course.submit import checksum


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook, handed out or submitted.

    part : "text", "answer" or "check" of `question`; "" for what belongs to none
    grading : what nbgrader's metadata says of it
    """

    kind: str
    source: str
    id: str = ""
    grade_id: str = ""
    part: str = ""
    question: str = ""
    grading: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Assignment:
    """One exercise notebook.

    `cells` are in order, `questions` are their ids; `expressions` are what the checks ask for.
    """

    name: str
    cells: tuple
    questions: tuple
    expressions: dict
    hash: str
    path: Path = Path()

    @property
    def modules(self):
        """List what the cells import and the questions block, and the modules of it -> names."""
        nodes = [node for c in self.cells if c.kind == "code" and c.part not in ("play", "hand_in")
                 for node in ast.walk(ast.parse(c.source))]
        names = {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
        names |= {f"{n.module}.{alias.name}" for n in nodes
                  if isinstance(n, ast.ImportFrom) and n.module for alias in n.names}
        names |= {name for id in self.questions for name in QUESTIONS[id].blocked}
        return sorted(names | {name.rpartition(".")[0] for name in names} - {""})


def cell_from(raw):
    """Read a cell of a notebook's JSON, whatever is missing or malformed in it -> Cell."""
    def part_of(whole, name, kind):
        found = whole.get(name)
        return found if isinstance(found, kind) else kind()
    metadata = part_of(raw, "metadata", dict)
    about, grading = part_of(metadata, "fi_teach", dict), part_of(metadata, "nbgrader", dict)
    source = raw.get("source", raw.get("input"))
    lines = source if isinstance(source, list) else [source]
    known = {k: grading[k] for k in ("grade", "locked", "solution", "points") if k in grading}
    return Cell(part_of(raw, "cell_type", str),
                "".join(line for line in lines if isinstance(line, str)).replace("\r\n", "\n"),
                part_of(raw, "id", str), part_of(grading, "grade_id", str),
                part_of(about, "part", str), part_of(about, "question", str), known)


def load(folder):
    """Load all assignments of a folder of exercises -> {name: Assignment}.

    Raises ValueError if there are none, or one is unknown or worked in: nothing is judged by it.
    """
    paths = sorted(Path(folder).glob("*.ipynb"))
    if not paths:
        raise ValueError(f"there are no exercises in {folder}: "
                         "go to the course's folder, or name theirs with --exercises.")
    return {path.stem: _assignment(path) for path in paths}


def _assignment(path):
    content = path.read_bytes()
    raw_cells = json.loads(content)["cells"]
    worked_on = []
    for cell in raw_cells:
        metadata = cell.get("metadata", {})
        about, stored = metadata.get("fi_teach", {}), metadata.get("nbgrader", {}).get("checksum")
        if about.get("part") == "answer" and stored and checksum(cell) != stored:
            worked_on.append(about["question"])
    if worked_on:
        raise ValueError(f"{path} is not as it was handed out: {', '.join(worked_on)} was answered "
                         "in it. Name the folder that nobody works in with --exercises, or make "
                         "it anew with python book/tools/exercises.py.")
    cells = tuple(map(cell_from, raw_cells))
    questions = tuple(dict.fromkeys(c.question for c in cells if c.question))
    unknown = [id for id in questions if id not in QUESTIONS]
    if unknown:
        raise ValueError(f"{path} asks {', '.join(unknown)}, "
                         "which no module in fi_course/questions defines.")
    # the argument of a check: `Q("trees.decrease").check(decrease)` asks for "decrease"
    expressions = {c.question: ast.unparse(ast.parse(c.source).body[0].value.args[0])
                   for c in cells if c.part == "check"}
    # the hash is of what was handed out and of the code that judges it
    names = {f"fi_course.questions.{part}ch{QUESTIONS[id].notebook}"
             for id in questions if QUESTIONS[id].notebook
             for part in ("", "implementations_to_test.")}
    found = (importlib.import_module(name) for name in names if find_spec(name))
    modules = {inspect.getsource(module) for module in found}
    digest = hashlib.sha256(b"\0".join([content, *(m.encode() for m in sorted(modules))]))
    return Assignment(path.stem, cells, questions, expressions, digest.hexdigest(), path)
