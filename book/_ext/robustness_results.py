"""Read the results of `make luck`: book/luck/NN_name.json, one file a chapter.

A result names what it was computed from: the hash of the chapter's code cells and that of the
package. It holds no date, so running again what has not changed changes nothing.
"""

import hashlib
import json
from pathlib import Path

FOLDER = "book/luck"
DRAWS = 20
ENOUGH = 0.95  # 19 of 20
PACKAGE = ("fi_*/**/*.py", "fi_*/**/*.csv", "book/claims.yaml")
ELSEWHERE = ("fi_grader", "fi_course/questions")  # no chapter imports these


def code_cells(path):
    """A notebook's code cells -> [(id, source, tags), ...]."""
    return [(cell["id"], "".join(cell["source"]), tuple(cell["metadata"].get("tags", ())))
            for cell in all_cells(path) if cell["cell_type"] == "code"]


def all_cells(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))["cells"]


def short_hash(parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part + b"\0")
    return digest.hexdigest()[:12]


def code_hash(path):
    """A hash of the ids and sources of a notebook's code cells: prose and tags do not change it."""
    return short_hash(text.encode() for id, source, _ in code_cells(path) for text in (id, source))


def package_hash(root):
    """A hash of the code and data that chapters import, and of the claims they settle."""
    root = Path(root)
    paths = sorted({path.relative_to(root) for pattern in PACKAGE for path in root.glob(pattern)})
    names = [path for path in paths if not path.as_posix().startswith(ELSEWHERE)]
    return short_hash(part for path in names
                      for part in (path.as_posix().encode(), (root / path).read_bytes()))


def result_path(root, chapter):
    return Path(root) / FOLDER / f"{chapter}.json"


def read_result(root, chapter):
    """A chapter's result, or None; chapter is the notebook's name, 03_mdi."""
    path = result_path(root, chapter)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def is_current(root, result):
    """Return whether the result was computed from the current code cells."""
    path = Path(root) / "notebooks" / f"{result['chapter']}.ipynb"
    return path.exists() and result["code"] == code_hash(path)


# --- figures ---

def general(result):
    """Return the statements that should hold under every seed."""
    return [statement for statement in result["statements"] if not statement["one draw"]]


def share(result):
    """Return the share of answers that hold: held / (statements x draws);
    None without statements."""
    counted = general(result)
    if not counted:
        return None
    return sum(statement["held"] for statement in counted) / (len(counted) * result["draws"])


def is_weak(statement, draws):
    """Return whether a statement held in fewer than 19 of 20 draws."""
    return statement["held"] < ENOUGH * draws


def weak(result):
    """Return the general statements below 19 of 20, the weakest first."""
    found = [one for one in general(result) if is_weak(one, result["draws"])]
    return sorted(found, key=lambda one: one["held"])


def held_by_claim(result):
    """Return {claim id: its statement} for one chapter."""
    return {one["claim"]: one for one in result["statements"] if one["claim"]}


def in_words(statement, draws):
    """Return how often a statement held, in the words of the mark at its claim.

    >>> in_words({"held": 19, "one draw": False}, 20), in_words({"held": 7, "one draw": True}, 20)
    ('held in 19 of 20 draws', 'about one draw; held in 7 of 20 others')
    """
    if statement["one draw"]:
        return f"about one draw; held in {statement['held']} of {draws} others"
    return f"held in {statement['held']} of {draws} draws"


def current_results(root):
    """Return the results whose chapters have not changed since, in the chapters' order."""
    paths = sorted((Path(root) / FOLDER).glob("*.json"))
    found = [read_result(root, path.stem) for path in paths]
    return [result for result in found if is_current(root, result)]


def marks(root):
    """Return {claim id: the words of its mark} for all chapters that have a current result."""
    return {id: in_words(one, result["draws"]) for result in current_results(root)
            for id, one in held_by_claim(result).items()}
