"""Write the audit as a notebook that starts from the two files and computes all of it again."""

import json
from pathlib import Path

SHOW = '''from IPython.display import HTML, display

from fi_audit.pictures import of_importances
from fi_audit.report import STYLE

print(found.answer)
display(HTML(f"<style>{STYLE}</style>{of_importances(found)}"))'''
CELLS = [
    ("markdown", "# Audit of {model}\n\nIt starts from the model and its table, and computes every "
                 "figure of the report again. Only load a model file whose maker you trust."),
    ("code", "from fi_audit.command import read_inputs\n\ndata = read_inputs({options})\n"
             "data.X.head()"),
    ("markdown", "## The answer\n\nLines are 95% intervals that hold for all columns together."),
    ("code", "from fi_audit.run import run\n\nfound = run(data)"),
    ("code", SHOW),
    ("markdown", "## What may be written, and what may not"),
    ("code", 'for sentence in found.sentences:\n    sign = "YES" if sentence.may else "NO "\n'
             '    print(f"{sign} {sentence.text}\\n    {sentence.condition}")'),
    ("markdown", "## Before you send it"),
    ("code", "for text in found.asks:\n    print(text)"),
    ("markdown", "## The checks, and the figures by question"),
    ("code", 'for finding in found.findings:\n    print(f"{finding.verdict}: {finding.text}")'),
    ("code", "import pandas as pd\n\nfor measure in found.measures:\n    print(measure.how)\n"
             '    display(pd.DataFrame({"value": measure.value, "low": measure.low,\n'
             '                          "high": measure.high}, index=measure.names)\n'
             '            .sort_values("value", ascending=False))'),
]


def write_notebook(folder: str | Path, model: str, options: dict) -> Path:
    """Write report.ipynb, whose first cell reads the two files -> its path.

    options : those of the command, as read_inputs takes them
    """
    given = ",\n    ".join(f"{name}={value!r}" for name, value in options.items()
                           if value not in (None, False, []))
    cells: list[dict] = []
    for kind, text in CELLS:
        source = text.replace("{model}", model).replace("{options}", f"\n    {given}")
        cell: dict = {"cell_type": kind, "id": f"audit-{len(cells)}", "metadata": {},
                      "source": source.splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    path = Path(folder) / "report.ipynb"
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path
