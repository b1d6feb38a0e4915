"""Match the cells of a submitted notebook to those handed out, and plan its grading.

A cell is known by its grade_id, else by its cell id, else by what it defines or asks. The result is
a plan: cells to run in the student's own order, each question to be judged before the next one
begins, and flags for what had to be put right.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field

from fi_grader.escaping import printable
from fi_grader.notebooks.exercise import Cell
from fi_grader.notebooks.similarity import digests

LONGEST_CODE = 1_000_000  # a longer cell of code is not run
LONGEST_PROSE = 50_000  # prose beyond so many characters is cut
MOST_SEARCHED = 2_000_000  # characters of cells without marks that are searched
NOT_RUN = ("play", "hand_in")  # cells that are for the student alone
_CHECKS = re.compile(r"""Q\(["']([\w.]{1,100})["']\)\.check\(""")
_DEFINES = re.compile(
    r"^(?:async +)?(?:def|class)[ \t]+(\w{1,100})|^(\w{1,100})[ \t]*(?::[^=\n]*)?=(?!=)",
    re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One step of a plan: run a cell, or judge a question; `question` is "" for none."""

    verb: str
    question: str = ""
    source: str = ""
    name: str = ""


@dataclass
class Plan:
    """How to grade one notebook: `steps`, flags by question and for the whole.

    `answers` are the student's, by question; `written` knows long ones by a digest.
    """

    steps: list = field(default_factory=list)
    flags: dict = field(default_factory=dict)
    whole: list = field(default_factory=list)
    untouched: set = field(default_factory=set)
    written: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)

    def flag(self, question, word):
        known = self.flags.setdefault(question, [])
        known += [word] * (word not in known)


def align(assignment, cells, metadata=None):
    """Plan the grading of a notebook's cells -> Plan."""
    places = dict(sorted(match(assignment.cells, cells).items()))
    matched = {p: assignment.cells[place] for p, place in places.items()}
    first, plan = list(dict.fromkeys(places.values())), Plan()
    plan.whole += ["cells reordered"] * (first != sorted(first))
    plan.whole += [f"cell {p + 1} is too long to be run"
                   for p, cell in enumerate(cells) if _is_too_long(cell)]
    kernel = (metadata or {}).get("kernelspec")
    name = kernel.get("name") if isinstance(kernel, dict) else None
    if isinstance(name, str) and name not in ("python3", "python"):
        plan.whole.append(f"kernel {printable(name[:40])}")
    for question in assignment.questions:
        _flag_question(plan, assignment, question, cells, matched)
    _collect_answers(plan, assignment, cells, places)
    gone = [c for place, c in enumerate(assignment.cells) if c.kind == "code"
            and not (c.question or c.part) and place not in first]
    plan.whole += [f"put back {c.id}" for c in gone]
    plan.steps = [Step("run", "", c.source, c.id) for c in gone]
    plan.steps += _steps(assignment, cells, matched)
    return plan


def match(handed_out, cells):
    """Match each cell to the one handed out -> {position: place of the handed-out cell}."""
    matched = {}
    for name in ("grade_id", "id"):
        places = {getattr(ref, name): place for place, ref in enumerate(handed_out)
                  if getattr(ref, name)}
        free = set(places.values()) - set(matched.values())
        found = {p: places.get(getattr(cell, name)) for p, cell in enumerate(cells)
                 if p not in matched}
        matched.update({p: place for p, place in found.items() if place in free})
    matched.update(_by_words(handed_out, cells, matched))
    # prose without ids is known by its place: the cell after the question's text
    at = {place: p for p, place in matched.items()}
    after = {at[k - 1] + 1: k for k, ref in enumerate(handed_out)
             if ref.kind == "markdown" and ref.part == "answer" and k not in at and k - 1 in at}
    prose = {p: k for p, k in after.items() if p < len(cells) and p not in matched
             and cells[p].kind == "markdown"}
    return {**matched, **prose}


def _by_words(handed_out, cells, matched):
    """Match handed-out cells that are missing to the first cell with the same text or names."""
    positions, left, found = defaultdict(list), MOST_SEARCHED, {}
    for p in (p for p in range(len(cells)) if p not in matched):
        left -= len(cells[p].source)
        for key in _keys_of(cells[p]) if left > 0 else ():
            positions[key].append(p)
    # a check is known by its question, an answer by what it defines, other cells by their text
    wanted = {"check": "checks", "answer": "defines"}
    for place in sorted(set(range(len(handed_out))) - set(matched.values())):
        ref = handed_out[place]
        same = [p for key in _keys_of(ref) if key[0] == wanted.get(ref.part, "says")
                for p in positions.get(key, ()) if p not in found]
        found.update({min(same): place} if same else {})
    return found


def _keys_of(cell):
    """List by what a cell without ids could be recognized -> set."""
    keys = {("checks", question) for question in _CHECKS.findall(cell.source)}
    keys |= {("says", cell.source.strip())} if cell.source.strip() else set()
    defined = map("".join, _DEFINES.findall(cell.source)) if cell.kind == "code" else ()
    return keys | {("defines", name) for name in defined}


def _flag_question(plan, assignment, question, cells, matched):
    """Flag what was changed about the cells of a question besides the answer."""
    for part in ("text", "answer", "check"):
        ref = next((c for c in assignment.cells if (c.question, c.part) == (question, part)), None)
        found = [cells[p] for p, r in matched.items() if r is ref] if ref else []
        edited = [cell for cell in found if cell.source.strip() != ref.source.strip()]
        if edited and part != "answer":
            plan.flag(question, f"{part} edited")
        if found and not edited and part == "answer":
            plan.untouched.add(question)
        if part == "text" or not ref:
            continue
        if len(found) != 1:
            plan.flag(question, f"{part} {'duplicated' if found else 'missing'}")
        for cell in found:
            if not cell.grade_id:
                plan.flag(question, "metadata lost")
            elif cell.grading.get("points") != ref.grading.get("points"):
                plan.flag(question, "points edited")
            elif cell.grading != ref.grading:
                plan.flag(question, "metadata edited")


def _collect_answers(plan, assignment, cells, places):
    """Join the cells of each answer, long ones cut, and hash them."""
    sources = defaultdict(list)
    for p, place in places.items():
        if assignment.cells[place].part == "answer":
            sources[assignment.cells[place].question].append(cells[p].source)
    plan.answers = {question: "\n\n".join(filter(None, found))[:LONGEST_PROSE]
                    for question, found in sources.items()}
    plan.written = digests(assignment, plan.answers)
    for question, text in plan.answers.items():
        if question not in assignment.expressions and len(text) == LONGEST_PROSE:
            plan.flag(question, "prose cut")


def _steps(assignment, cells, matched):
    """Order the student's cells, with the judgement of each question in its place -> list."""
    last = {ref.question: p for p, ref in matched.items() if ref.part == "answer"}
    steps, waiting = [], []
    for position, cell in enumerate(cells):
        ref = matched.get(position, Cell("", ""))
        if ref.question:
            steps += [Step("judge", q) for q in waiting if q != ref.question]
            waiting = [q for q in waiting if q == ref.question]
        is_asked = ref.question in assignment.expressions
        is_run = cell.kind == "code" and cell.source.strip() and ref.part not in NOT_RUN
        is_edited = ref.part != "check" or cell.source.strip() != ref.source.strip()
        if (is_run and is_edited and not _is_too_long(cell)
                and (is_asked or ref.part != "answer")):
            name = f"answer to {ref.question}" if ref.part == "answer" else f"cell {position + 1}"
            steps.append(Step("run", ref.question, cell.source, name))
        if last.get(ref.question) == position and is_asked:
            waiting.append(ref.question)
    late = [q for q in assignment.questions if q in assignment.expressions and q not in last]
    return [*steps, *(Step("judge", q) for q in [*waiting, *late])]


def _is_too_long(cell):
    return cell.kind == "code" and len(cell.source) > LONGEST_CODE
