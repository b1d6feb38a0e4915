"""Keep stored notebooks comparable: no outputs but verdicts, no counters, sorted metadata, ids
that stay.

    python book/tools/tidy.py [--check] [NOTEBOOK ...]

Without names it looks after notebooks/, solutions/ and exercises/.
With --check it writes nothing and fails if anything would change. What a check cell says stays:
`pytest --nbval` compares it. `python book/tools/exercises.py` writes it anew.
"""

import argparse
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("notebooks", "solutions", "exercises")
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
          "language_info": {"name": "python"}}
CELL_KEYS = ("tags", "mystnb", "nbgrader", "fi_teach", "deletable", "editable")


def tidy(notebook, prefix):
    """The notebook without what running or opening it leaves behind, verdicts aside;
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
            keep_verdict(cell)
        if not cell.get("id") or cell.id in taken:
            cell.id = f"{prefix}-{number:03d}"
        taken.add(cell.id)
    return notebook


def keep_verdict(cell):
    """Leave a code cell its outputs if it checks an answer, counted as the first run;
    strip any other one."""
    is_check = cell.metadata.get("fi_teach", {}).get("part") == "check"
    cell.outputs = cell.outputs if is_check else []
    cell.execution_count = 1 if cell.outputs else None
    for output in cell.outputs:
        if output.output_type == "execute_result":
            output.execution_count = 1


def text_of(notebook):
    """A notebook as it is stored: keys sorted, letters as they are, one newline at the end."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def tidied(path):
    """The text that the file ought to hold."""
    return text_of(tidy(nbformat.read(path, as_version=4), path.stem.replace("_", "-")))


def untidy(paths):
    """The files that are not as they ought to be -> {path: text it ought to hold}."""
    wanted = {path: tidied(path) for path in paths}
    return {path: text for path, text in wanted.items() if text != path.read_text(encoding="utf-8")}


def main():
    parser = argparse.ArgumentParser(
        description="Strip outputs from notebooks and put their metadata in order.")
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true",
                        help="write nothing; fail if a notebook is untidy")
    options = parser.parse_args()
    every = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.ipynb"))]
    changes = untidy(options.notebooks or every)
    for path, text in changes.items():
        print(f"{'untidy' if options.check else 'tidied'}: {path}")
        if not options.check:
            path.write_text(text, encoding="utf-8")
    sys.exit(1 if options.check and changes else 0)


if __name__ == "__main__":
    main()
