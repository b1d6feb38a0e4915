"""In how many draws statements hold: a mark at each claim, and the page "How sure is this book?".

`make luck` writes one result a chapter, book/luck/NN_name.json. It names what it was computed from:
the hash of the chapter's code cells and that of the package. It holds no date, so running again
what has not changed changes nothing. A chapter that has changed since gets no mark.

    ```{seed-robustness} summary
    ```

Parts: summary, chapters (a table), weak (the statements below 19 of 20), one-draw, run.
"""

import hashlib
import json
import re
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FOLDER = "book/luck"
DRAWS = 20
ENOUGH = 0.95  # 19 of 20
PACKAGE = ("fi_*/**/*.py", "fi_*/**/*.csv", "book/claims.yaml")
ELSEWHERE = ("fi_grader", "fi_course/questions")  # no chapter imports these
PAGE = "book/sure"
BADGE = re.compile(r'(<div class="fi-claim"[^>]* data-claim="([^"]+)".*?)(</div></div>)', re.DOTALL)
HEAD = ("| chapter | statements | on numbers that vary | about one draw | held | below 19 of 20 |",
        "|:--|--:|--:|--:|--:|--:|")


# --- results ---


def all_cells(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))["cells"]


def code_cells(path):
    """A notebook's code cells -> [(id, source, tags), ...]."""
    return [(cell["id"], "".join(cell["source"]), tuple(cell["metadata"].get("tags", ())))
            for cell in all_cells(path) if cell["cell_type"] == "code"]


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


# --- the page's parts, as lines of Markdown ---


def percent(value):
    """A share as the page prints it: 100 % only if it is.

    >>> percent(1.0), percent(0.9996), percent(0.934), percent(None)
    ('100\\xa0%', '99.9\\xa0%', '93.4\\xa0%', 'nothing to count')
    """
    if value is None:
        return "nothing to count"
    return "100\xa0%" if value == 1 else f"{min(value * 100, 99.9):.1f}\xa0%"


def summary(found, pages):
    """Summarise the whole book in a paragraph."""
    counted = [(one, result["draws"]) for result in found for one in general(result)]
    if not counted:
        return ["No chapter has a result yet: `make luck` makes them."]
    held, asked = sum(one["held"] for one, _ in counted), sum(n for _, n in counted)
    always = sum(one["held"] == n for one, n in counted)
    below, draws = sum(len(weak(result)) for result in found), min(one["draws"] for one in found)
    return [f"**{percent(held / asked)}** of {asked:,} answers were yes: {len(counted)} statements "
            f"from {len(found)} of {len(pages)} notebooks, {draws} draws each. "
            f"{always} statements held in every draw, {below} in fewer than 19 of 20."]


def chapter_table(found, pages):
    """Return one row a chapter; a chapter without a current result says so."""
    known = {result["chapter"]: result for result in found}
    return [*HEAD, *(chapter_row(page, known.get(Path(page).name)) for page in pages)]


def chapter_row(page, result):
    link = f"[](../{page}.ipynb)"
    if result is None:
        return f"| {link} | not run since it changed | | | | |"
    counted = general(result)
    return (f"| {link} | {len(counted)} | {sum(one['varies'] for one in counted)} | "
            f"{len(result['statements']) - len(counted)} | {percent(share(result))} | "
            f"{len(weak(result)) or 'none'} |")


def listed(found, pick):
    """List the statements that `pick` finds, under the names of their chapters."""
    lines = []
    for result in found:
        if chosen := pick(result):
            lines += ["", f"**[](../notebooks/{result['chapter']}.ipynb)**", ""]
            lines += [statement_line(one, result["draws"]) for one in chosen]
    return lines or ["None."]


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


def one_draw(result):
    return [one for one in result["statements"] if one["one draw"]]


def what_was_run(found, pages):
    """List the versions of the package and the libraries, each with the chapters that used it."""
    def state(result):
        package, names = result["package"], result["versions"].items()
        return (f"fi_teach {package['version']} (state {package['hash']}), "
                + ", ".join(f"{name} {number}" for name, number in names))

    def number(result):  # 03_mdi -> 3, 12a_genes -> 12a
        return result["chapter"].partition("_")[0].removeprefix("0")

    groups = groupby(sorted(found, key=state), key=state)
    lines = [f"- {words}: {', '.join(map(number, some))}" for words, some in groups]
    seconds = sum(result["seconds"] * (result["draws"] + 1) for result in found)
    time = f"One after the other the runs took {round(seconds / 60)} minutes of one processor."
    return [*lines, "", time]


PARTS = {
    "summary": summary,
    "chapters": chapter_table,
    "weak": lambda found, pages: listed(found, weak),
    "one-draw": lambda found, pages: listed(found, one_draw),
    "run": what_was_run,
}


class SeedRobustness(SphinxDirective):
    """`{seed-robustness} part`."""

    required_arguments = 1

    def run(self):
        part, root = self.arguments[0], self.env.srcdir
        pages = [page for page in sorted(self.env.found_docs) if page.startswith("notebooks/")]
        for page in pages:
            self.env.note_dependency(self.env.doc2path(page, base=False))
            self.env.note_dependency(str(result_path(root, Path(page).name)))
        lines = PARTS[part](current_results(root), pages)
        return [nodes.container("", *self.parse_text_to_nodes("\n".join(lines)),
                                classes=["wide"] if part == "chapters" else [])]


# --- the marks ---


def mark_claims(app, doctree):
    """Put the mark into each badge of a page, which is read again when its result changes."""
    page = app.env.docname
    badges = [raw for raw in doctree.findall(nodes.raw) if 'class="fi-claim"' in raw.astext()]
    if not badges or PAGE not in app.env.found_docs:
        return
    app.env.note_dependency(str(result_path(app.srcdir, Path(page).name)))
    known, address = marks(app.srcdir), app.builder.get_relative_uri(page, PAGE)
    for raw in badges:
        html = BADGE.sub(lambda badge: marked(badge, known, address), raw.astext())
        raw.rawsource, raw[:] = html, [nodes.Text(html)]


def marked(badge, known, address):
    """Return a badge with its mark, or unchanged if it has none."""
    words = known.get(badge[2])
    return badge[0] if words is None else \
        f'{badge[1]}</div><div class="fi-robustness"><a href="{address}">{words}</a>{badge[3]}'


def setup(app):
    app.add_directive("seed-robustness", SeedRobustness)
    app.connect("doctree-read", mark_claims)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
