"""Keep chapters comparable as stored: no outputs, no counters, sorted metadata, ids that stay.

    python book/tools/tidy.py

solutions/ and exercises/ are written whole by exercises.py.
"""

from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
          "language_info": {"name": "python"}}
CELL_KEYS = ("tags", "mystnb")


def tidy(notebook, prefix):
    """The notebook without what running or opening it leaves behind;
    cells that lack an id are numbered."""
    notebook.metadata = nbformat.from_dict(KERNEL)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    taken = set()
    for number, cell in enumerate(notebook.cells, 1):
        kept = {key: value for key, value in cell.metadata.items() if key in CELL_KEYS}
        if "hide-input" in kept.get("tags", []):  # JupyterLab collapses what the book hides
            kept["jupyter"] = {"source_hidden": True}
        cell.metadata = nbformat.from_dict(kept)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if not cell.get("id") or cell.id in taken:
            cell.id = f"{prefix}-{number:03d}"
        taken.add(cell.id)
    return notebook


def text_of(notebook):
    """A notebook as it is stored: keys sorted, letters as they are, one newline at the end."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def untidy(paths):
    """The files that are not as they ought to be -> {path: text it ought to hold}."""
    wanted = {path: text_of(tidy(nbformat.read(path, as_version=4), path.stem.replace("_", "-")))
              for path in paths}
    return {path: text for path, text in wanted.items() if text != path.read_text(encoding="utf-8")}


if __name__ == "__main__":
    for path, text in untidy(sorted(NOTEBOOKS.glob("*.ipynb"))).items():
        print(f"tidied: {path}")
        path.write_text(text, encoding="utf-8")
