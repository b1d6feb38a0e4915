"""Collect what a student works in: chapters, sets, and two pages that lead through them.

JupyterLab opens the pages as notebooks: `start.ipynb`, and the claims, entry by entry.
"""

import json
import re
from pathlib import Path

from fi_course.claims import VERDICTS, read_ledger

START, LEDGER = "start.ipynb", "book/ledger.ipynb"
BOOK_PAGE = re.compile(rb"\[([^][\n]+)\]\(\.\./book/\w+\.md[^)]*\)")
"""A link to a page of the book, which is no notebook: a student's folder keeps its words."""
BEGIN = """# Which Features Matter?

Read a chapter, then do its set. Both open with a click, and both are yours to change.

**In a set** run the cell on top first; it brings `Q`, which knows the questions. Write your answer
over the dots, run it (Shift+Enter), and run the check below it. The check says *right*, *not
started*, or which mistake you have probably made; hints open below it at a click.

**At the end** save (Ctrl+S) and run the last cell: it lists your questions with their points, runs
the saved notebook afresh, and writes the file to hand in.

Something does not work? `python -m fi_teach doctor` in a terminal says what is missing. Where your
course has nbgrader, its *Validate* button runs the same checks on the saved notebook.
"""

ABOUT_CLAIMS = """# The claims ledger

What the sources state, with its verdict. The chapter that settles a claim shows the figure.

The first click on a claim in a chapter opens this page at its top; the next leads to the claim.
"""


def student_folder(project="."):
    """Collect what a student opens: chapters, exercises, the start page and the claims -> dict."""
    paths = [path for folder in ("notebooks", "exercises")
             for path in sorted((Path(project) / folder).glob("*.ipynb"))]
    notebooks = {f"{path.parent.name}/{path.name}": BOOK_PAGE.sub(
        rb"\1", path.read_bytes().replace(b"../book/ledger.md", b"../book/ledger.ipynb"))
        for path in paths}
    claims = Path(project) / "book/claims.yaml"
    return {**notebooks, **_pages(notebooks, claims), "book/claims.yaml": claims.read_bytes()}


def _pages(notebooks, ledger):
    """Write the start page and the ledger for these notebooks, by their first headings -> dict."""
    titles = {path: "".join(json.loads(content)["cells"][0]["source"]).split("\n")[0].strip("# ")
              for path, content in notebooks.items()}
    lists = {folder: f"## {heading}\n\n" + "\n".join(
        f"- [{title}]({path})" for path, title in titles.items() if path.startswith(folder))
        for heading, folder in (("The chapters", "notebooks"), ("The sets", "exercises"))}
    claims = {id: f"### {id}\n\n{entry['claim']}.\n\n**{VERDICTS[entry['verdict']]}** · "
                  f"{', '.join(entry['source'])}" for id, entry in read_ledger(ledger).items()}
    return {START: _notebook({"begin": BEGIN, **lists}),
            LEDGER: _notebook({"top": ABOUT_CLAIMS, **claims})}


def _notebook(texts):
    cells = [{"cell_type": "markdown", "id": id, "metadata": {}, "source": text}
             for id, text in texts.items()]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4,
                       "nbformat_minor": 5}, ensure_ascii=False, indent=1).encode()
