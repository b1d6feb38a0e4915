"""Put a notebook that came back beside the one that was handed out: which cell answers what, and what was changed.

A cell is known by its grade_id, else by its cell id, else by what it defines or asks. The result is a plan: cells to run
in the student's own order, each question to be judged before the next one begins, and flags for what had to be put right.
"""

import ast
from dataclasses import dataclass, field
from functools import lru_cache

from fi_teach.course.grading.assignment import Cell


@dataclass(frozen=True)
class Step:
    """One step of a plan: run a cell, or judge a question. `question` is what it counts for, "" for none."""

    verb: str
    question: str = ""
    source: str = ""
    name: str = ""


@dataclass
class Plan:
    """What to do with one notebook: `steps`, `prose` of questions read by a person, flags by question and for the whole."""

    steps: list = field(default_factory=list)
    prose: dict = field(default_factory=dict)
    flags: dict = field(default_factory=dict)
    whole: list = field(default_factory=list)
    untouched: set = field(default_factory=set)

    def flag(self, question, word):
        self.flags.setdefault(question, []).append(word)


def align(assignment, cells, metadata=None):
    """The plan for grading a notebook's cells -> Plan."""
    matched = {p: assignment.cells[place] for p, place in sorted(match(assignment.cells, cells).items())}
    plan = Plan(whole=[*_whole_flags(assignment, cells, matched), *_kernel_flag(metadata or {})])
    for question in assignment.questions:
        _flag_question(plan, assignment, question, cells, matched)
    plan.steps = _steps(plan, assignment, cells, matched)
    return plan


def match(handed_out, cells):
    """Which handed-out cell each cell is -> {position: place of the handed-out cell}."""
    matched = {}
    for name in ("grade_id", "id"):
        places = {getattr(ref, name): place for place, ref in enumerate(handed_out) if getattr(ref, name)}
        free = set(places.values()) - set(matched.values())
        found = {p: places.get(getattr(cell, name)) for p, cell in enumerate(cells) if p not in matched}
        matched.update({p: place for p, place in found.items() if place in free})
    for place in sorted(set(range(len(handed_out))) - set(matched.values())):
        same = (p for p, cell in enumerate(cells) if p not in matched and _same_words(handed_out[place], cell))
        matched.update(dict.fromkeys(list(same)[:1], place))
    return {**matched, **_prose_after_its_text(handed_out, cells, matched)}


def _prose_after_its_text(handed_out, cells, matched):
    """Prose that has lost its marks is known by its place: the cell that follows the question's text."""
    at = {place: p for p, place in matched.items()}
    wanted = {at[k - 1] + 1: k for k, ref in enumerate(handed_out) if ref.kind == "markdown" and ref.part == "answer" and k not in at and k - 1 in at}
    return {p: k for p, k in wanted.items() if p < len(cells) and p not in matched and cells[p].kind == "markdown"}


def _same_words(ref, cell):
    """Does a cell without marks say or define what this one did?"""
    if ref.part == "check":
        return f'Q("{ref.question}").check(' in cell.source.replace("'", '"')
    if ref.part == "answer" and ref.kind == "code":
        return cell.kind == "code" and bool(_defined(ref.source) & _defined(cell.source))
    return ref.part != "answer" and bool(ref.source.strip()) and ref.source.strip() == cell.source.strip()


@lru_cache(maxsize=1000)
def _defined(source):
    """The names a cell defines at its top -> set; of a cell that is no Python, what its lines seem to define."""
    try:
        nodes = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {line.split("(")[0].removeprefix("def ").split("=")[0].strip() for line in source.split("\n")
                if line[:1].strip() and ("=" in line or line.startswith("def "))}
    targets = [t for n in nodes for t in (n.targets if isinstance(n, ast.Assign) else [n])]
    return {getattr(t, "id", getattr(t, "name", None)) for t in targets} - {None}


def _whole_flags(assignment, cells, matched):
    place = {id(cell): k for k, cell in enumerate(assignment.cells)}
    first = list(dict.fromkeys(place[id(ref)] for ref in matched.values()))
    return ["cells reordered"] * (first != sorted(first))


def _kernel_flag(metadata):
    kernel = metadata.get("kernelspec")
    name = kernel.get("name") if isinstance(kernel, dict) else None
    return [f"kernel {str(name)[:40]}"] if name not in (None, "python3", "python") else []


def _flag_question(plan, assignment, question, cells, matched):
    for part in ("answer", "check"):
        ref = assignment.cell_of(question, part)
        found = [cells[p] for p, r in matched.items() if r is ref] if ref else []
        if ref and not found:
            plan.flag(question, f"{part} missing")
        if len(found) > 1:
            plan.flag(question, f"{part} duplicated")
        for word in dict.fromkeys(word for cell in found for word in _changes(ref, cell)):
            plan.flag(question, word)
        if part == "answer" and found and all(c.source.strip() == ref.source.strip() for c in found):
            plan.untouched.add(question)


def _changes(ref, cell):
    """What was changed about a cell besides the answer in it -> words."""
    if ref.part == "check" and cell.source.strip() != ref.source.strip():
        yield "check edited"
    if not cell.grade_id:
        yield "metadata lost"
    elif cell.points != ref.points:
        yield "points edited"
    elif cell.grading != ref.grading:
        yield "metadata edited"


def _steps(plan, assignment, cells, matched):
    """The student's cells in the student's order, with what is missing put back and each question judged in its place."""
    last = {ref.question: p for p, ref in matched.items() if ref.part == "answer"}
    by_hand = [q for q in assignment.questions if q not in assignment.expressions]
    steps, waiting = _put_back(plan, assignment, matched), []
    for position, cell in enumerate(cells):
        ref = matched.get(position, Cell("", ""))
        if ref.question:
            steps += [Step("judge", q) for q in waiting if q != ref.question]
            waiting = [q for q in waiting if q == ref.question]
        if ref.question in by_hand and ref.part == "answer":
            plan.prose[ref.question] = "\n\n".join(filter(None, [plan.prose.get(ref.question), cell.source]))
        elif _is_run(ref, cell):
            name = f"answer to {ref.question}" if ref.part == "answer" else f"cell {position + 1}"
            steps.append(Step("run", ref.question, cell.source, name))
        if last.get(ref.question) == position and ref.question not in by_hand:
            waiting.append(ref.question)
    late = [q for q in assignment.questions if q not in by_hand and q not in last]
    return [*steps, *(Step("judge", q) for q in [*waiting, *late])]


def _is_run(ref, cell):
    unchanged_check = ref.part == "check" and cell.source.strip() == ref.source.strip()
    return cell.kind == "code" and bool(cell.source.strip()) and not unchanged_check


def _put_back(plan, assignment, matched):
    """Steps for the cells that others build on and that were deleted."""
    here = {id(ref) for ref in matched.values()}
    gone = [c for c in assignment.cells if c.kind == "code" and not c.question and id(c) not in here]
    plan.whole += [f"put back {c.id}" for c in gone]
    return [Step("run", "", c.source, c.id) for c in gone]
