"""In how many draws statements hold: a mark at each claim, and the page "How sure is this book?".

`make luck` writes one result a chapter, book/luck/NN_name.json. It names what it was computed from:
the hash of the chapter's code cells and that of the package. It holds no date, so running again
what has not changed changes nothing. A chapter that has changed since gets no mark.

    ```{seed-robustness}
    {{ results | length }} of {{ pages | length }} notebooks have a result.
    ```
"""

import ast
import hashlib
import json
import re
from functools import cache
from pathlib import Path

from records import TEMPLATES, Measured

FOLDER = "book/luck"
DRAWS = 20
ENOUGH = 0.95  # 19 of 20
PACKAGE = ("fi_*/**/*.py", "fi_*/**/*.csv", "book/claims.yaml")
ELSEWHERE = ("fi_grader", "fi_course/questions")  # no chapter imports these
PAGE = "book/sure"
BADGE = re.compile(r'(<div class="fi-claim"[^>]* data-claim="([^"]+)".*?)(</div></div>)', re.DOTALL)


def code_cells(path):
    """A notebook's code cells -> [(id, source, tags), ...]."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    return [(cell["id"], "".join(cell["source"]), tuple(cell["metadata"].get("tags", ())))
            for cell in cells if cell["cell_type"] == "code"]


def short_hash(parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part + b"\0")
    return digest.hexdigest()[:12]


def code_hash(path):
    """A hash of the ids and sources of a notebook's code cells.

    Prose and tags do not change it, nor where a line breaks; a statement's indentation does.
    """
    return short_hash(part for id, source, _ in code_cells(path) for part in hashed(id, source))


@cache
def hashed(id, source):
    """What of a cell goes into the hash of its notebook; several pages ask for each chapter's."""
    places = (str(node.col_offset) for node in ast.walk(ast.parse(source))
              if isinstance(node, ast.stmt))
    return [part.encode() for part in (id, "".join(source.split()), *places)]


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


def current_results(root):
    """Return the results whose chapters have not changed since, in the chapters' order."""
    paths = sorted((Path(root) / FOLDER).glob("*.json"))
    found = [read_result(root, path.stem) for path in paths]
    return [result for result in found if is_current(root, result)]


def general(result):
    """Return the statements that should hold under every seed."""
    return [statement for statement in result["statements"] if not statement["one draw"]]


def share(result):
    """Return the share of answers that hold: held / (statements x draws);
    None without statements."""
    counted = general(result)
    held = sum(statement["held"] for statement in counted)
    return held / (len(counted) * result["draws"]) if counted else None


def weak(result):
    """Return the general statements that held in fewer than 19 of 20 draws, the weakest first."""
    found = [one for one in general(result) if one["held"] < ENOUGH * result["draws"]]
    return sorted(found, key=lambda one: one["held"])


def in_words(statement, draws):
    """Return how often a statement held, in the words of the mark at its claim.

    >>> in_words({"held": 19, "one draw": False}, 20), in_words({"held": 7, "one draw": True}, 20)
    ('held in 19 of 20 draws', 'about one draw; held in 7 of 20 others')
    """
    if statement["one draw"]:
        return f"about one draw; held in {statement['held']} of {draws} others"
    return f"held in {statement['held']} of {draws} draws"


def marks(root):
    """Return {claim id: the words of its mark} for all chapters that have a current result."""
    return {one["claim"]: in_words(one, result["draws"]) for result in current_results(root)
            for one in result["statements"] if one["claim"]}


def percent(value):
    """A share as the page prints it: 100 % only if it is.

    >>> percent(1.0), percent(0.9996), percent(0.934), percent(None)
    ('100\\xa0%', '99.9\\xa0%', '93.4\\xa0%', 'nothing to count')
    """
    if value is None:
        return "nothing to count"
    return "100\xa0%" if value == 1 else f"{min(value * 100, 99.9):.1f}\xa0%"


def statement_line(one, draws):
    """- **14 of 20**: `a > b`; draw 3: `(1, 2)`"""
    source = one["source"].removeprefix("assert ")
    words = f"claim {one['claim']}" if one["claim"] else code(source)
    draw, _, why = (one["lost"] or [""])[0].partition(": ")
    met = why.removeprefix(source).strip() or "false"  # the numbers alone, if it is not a part
    return f"- **{one['held']} of {draws}**: {words}" + (f"; {draw}: {code(met)}" if why else "")


def code(text):
    """Format text as inline code, also if it contains backticks."""
    text = " ".join(text.split())
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def totals(results):
    """Sums over the results of several chapters -> {name: number}."""
    counted = [(one["held"], result["draws"]) for result in results for one in general(result)]
    return {"statements": len(counted), "held": sum(held for held, _ in counted),
            "asked": sum(draws for _, draws in counted), "draws": min(r["draws"] for r in results),
            "always": sum(held == draws for held, draws in counted),
            "weak": sum(len(weak(result)) for result in results),
            "minutes": round(sum(r["seconds"] * (r["draws"] + 1) for r in results) / 60)}


TEMPLATES.globals |= {one.__name__: one for one in (general, weak, share, percent, totals,
                                                    statement_line)}


class SeedRobustness(Measured):
    """A template that knows `pages`, the book's notebooks, and `results` {page: its result}."""

    def run(self):
        self.pages = [page for page in sorted(self.env.found_docs) if page.startswith("notebooks/")]
        for page in self.pages:
            self.env.note_dependency(self.env.doc2path(page, base=False))
            self.env.note_dependency(str(result_path(self.env.srcdir, Path(page).name)))
        return super().run()

    def record(self):
        results = {f"notebooks/{one['chapter']}": one for one in current_results(self.env.srcdir)}
        return {"pages": self.pages, "results": results}


def marker(app):
    """A function that puts its mark into each badge of a piece of HTML, for the page that is read
    now, which is read again when its result changes."""
    page = app.env.docname
    if PAGE not in app.env.found_docs:
        return lambda html: html
    app.env.note_dependency(str(result_path(app.srcdir, Path(page).name)))
    known, address = marks(app.srcdir), app.builder.get_relative_uri(page, PAGE)

    def marked(badge):
        words = known.get(badge[2])
        mark = f'</div><div class="fi-robustness"><a href="{address}">{words}</a>' if words else ""
        return f"{badge[1]}{mark}{badge[3]}"

    return lambda html: BADGE.sub(marked, html)


def setup(app):
    app.add_directive("seed-robustness", SeedRobustness)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
