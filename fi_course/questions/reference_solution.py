"""Find a question's reference solution, if the solutions lie beside the exercises."""

import json
import re
from pathlib import Path


def solutions_notebook(name, start=None):
    """Find the solutions notebook in `solutions/` here or in a folder above -> Path or None."""
    start = Path(start or Path.cwd()).resolve()
    found = (folder / "solutions" / f"{name}.ipynb" for folder in (start, *start.parents))
    return next((path for path in found if path.is_file()), None)


def reference(question, start=None):
    """Return the source of a question's solution with its reason -> str or None."""
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
    """Return a solution cell without its marker lines -> str."""
    return "\n".join(line for line in source.split("\n")
                     if not re.match(r"\s*### (BEGIN|END) SOLUTION", line))
