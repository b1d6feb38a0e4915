"""Find answers that two students share and few others have: a reason to look, no verdict.

An answer is known by a digest of its code without comments, layout and chosen names, or of its
words. Short answers are left out, and so are those that many have: a short right answer is often
written alike.
"""

import ast
import hashlib
import re
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations

LONG_CODE = 25  # nodes of syntax that an answer in code has at least
LONGEST = 20_000  # characters beyond which an answer is not looked at
LONG_PROSE = 15  # words that an answer in prose has at least
RARE = 3
"""An answer is somebody's own if no more students than these have it, and no more than a third of a
small class."""
SHARED = 3  # a pair is listed if it shares so many answers in code of one set, or one in prose


def digests(assignment, answers):
    """Hash each long answer of {question: source} -> {question: digest}."""
    cells = {cell.question: cell for cell in assignment.cells if cell.part == "answer"}
    found = {question: digest(cells[question].kind, text) for question, text in answers.items()}
    return {question: own for question, own in found.items()
            if own and own != digest(cells[question].kind, cells[question].source)}


@lru_cache(maxsize=1_000)
def digest(kind, source):
    """Hash one answer, such as "code 1f3a…" -> str, "" if it is too short or too long."""
    if kind == "code":
        own = _code(source)
    else:
        words = re.findall(r"\w+", source[:LONGEST].casefold())
        own = " ".join(words) if len(words) >= LONG_PROSE else ""
    name = "code" if kind == "code" else "prose"
    return own and f"{name} {hashlib.sha256(own.encode()).hexdigest()[:16]}"


def _code(source):
    """Normalize the names in code -> str, "" if it is short, very long or no code."""
    names, numbers = {ast.Name: "id", ast.arg: "arg", ast.FunctionDef: "name"}, {}
    try:
        tree = ast.parse(source if len(source) <= LONGEST else "")
        nodes = list(ast.walk(tree))
        for node in nodes:
            if type(node) in names:
                name = getattr(node, names[type(node)])
                setattr(node, names[type(node)], numbers.setdefault(name, f"n{len(numbers)}"))
            if isinstance(node, ast.FunctionDef):
                node.body = [one for one in node.body if not (
                    isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        return ast.dump(tree) if len(nodes) >= LONG_CODE else ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def pairs(written):
    """Find pairs of students who share rare answers -> [(exercise, one, other, questions)].

    written : {(student, exercise): digests of the answers by question}
    """
    owners, sizes = defaultdict(set), Counter(exercise for _, exercise in written)
    for (student, exercise), answers in written.items():
        for question, digest in answers.items():
            owners[exercise, question, digest].add(student)
    shared = defaultdict(list)
    for (exercise, question, digest), students in sorted(owners.items()):
        if 2 <= len(students) <= min(RARE, sizes[exercise] / 3):
            for one, other in combinations(sorted(students), 2):
                shared[exercise, one, other].append((question, digest))
    found = [(*place, [question for question, _ in answers]) for place, answers in shared.items()
             if len(answers) >= SHARED or any(digest.startswith("prose") for _, digest in answers)]
    return sorted(found, key=lambda pair: (pair[0], -len(pair[3]), pair[1], pair[2]))
