"""Where the solutions lie beside the exercises, a question can show its reference;
elsewhere they are not there."""

import json
import re
from pathlib import Path


def solutions_notebook(name, start=None):
    """The solutions notebook of that name, in `solutions/` here or in a folder above -> Path,
    or None if there is none."""
    start = Path(start or Path.cwd()).resolve()
    found = (folder / "solutions" / f"{name}.ipynb" for folder in (start, *start.parents))
    return next((path for path in found if path.is_file()), None)


def reference(question, start=None):
    """The source of the question's solution, with its reason in the comments -> str, or None
    if the solutions are not here."""
    path = solutions_notebook(question.notebook, start)
    if path is None:
        return None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return next((without_markers("".join(cell["source"])) for cell in cells
                 if _solves(cell, question)), None)


def _solves(cell, question):
    metadata = cell["metadata"]
    return (metadata.get("nbgrader", {}).get("solution")
            and metadata.get("fi_teach", {}).get("question") == question.id)


def without_markers(source):
    """A solution cell without its marker lines -> str."""
    return "\n".join(line for line in source.split("\n")
                     if not re.match(r"\s*### (BEGIN|END) SOLUTION", line))
