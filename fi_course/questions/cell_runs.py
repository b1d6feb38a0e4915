"""Know how the cells of a notebook ended, so that a check speaks of the answer as it stands.

A value outlives the cell that gave it: below a cell that has stopped, its name still holds what an
earlier run gave. IPython tells after each cell how it ended (`watch`). It does not tell of a cell
that was edited and not run; the saved notebook may.
"""

import ast
import json
import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fi_course.questions.cards import Card

GIVES = re.compile(r"^(?:async +)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)",
                   re.MULTILINE)
"""A name that a line gives, in a cell that cannot be parsed."""
CHECKS = re.compile(r"""Q\(["']([\w.]+)["']\)\.check\w*\((\w+)\)""")
"""A check in a cell: its question, and the name that it is handed."""
NEVER = sys.maxsize
RUNS: dict[str, "Run"] = {}
"""The last run of a cell that gives a name, or was to give it."""


@dataclass(frozen=True)
class Run:
    """One run of a cell: its source, the error that stopped it, and whether it had given a name."""

    source: str
    error: BaseException | None
    gave: bool

    @property
    def stopped(self):
        """Return what stopped the cell, in the grader's words -> str."""
        words = re.sub(r"\([^()]*, (line \d+)\)$", r"(\1)", str(self.error))  # names no file
        return f"Your cell stopped with {type(self.error).__name__}: {words}"


def shell():
    """Return IPython's shell, or None where there is none."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def in_notebook():
    """Return whether this runs in a Jupyter kernel, where cards are drawn -> bool."""
    return hasattr(shell(), "kernel")


def has_front_end():
    """Return whether somebody works in this notebook: JupyterLab names the cell that it runs.

    What only executes notebooks (nbclient, nbgrader, nbval) does not.
    """
    parent = shell().get_parent() if hasattr(shell(), "get_parent") else {}
    return "cellId" in parent.get("metadata", {}) and "JPY_SESSION_NAME" in os.environ


@cache
def watch():
    """Have IPython tell how each cell ends, from now on."""
    if shell():
        shell().events.register("post_run_cell", remember)
        shell().set_custom_exc((NameError,), told)


def told(shell, kind, error, trace, tb_offset=None):
    """Show an error of a name that is not there; for a check it is an answer that was not run."""
    asked = CHECKS.search(_running_cell())
    if asked and asked[2] == error.name and has_front_end():
        from IPython.display import display
        display(Card(f"Not started ({asked[1]})", (
            f"`{error.name}` is not there yet: run the cell of your answer, then this check.",),
            tone="not started"))
    else:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


def remember(result):
    """Remember the run of a cell for each name that it gives."""
    source, error = result.info.raw_cell, result.error_before_exec or result.error_in_exec
    stopped_at = (0 if result.error_before_exec else _line_of(error)) if error else NEVER
    for name, line in names_given(source).items():
        RUNS[name] = Run(source, error, line < stopped_at)
        if error and str(getattr(result.info, "cell_id", "")).endswith("-answer"):
            shell().user_ns.setdefault(name, ...)  # so that the check can say why there is nothing


def names_given(source):
    """Return the names that a cell gives, and the last line of what gives each -> dict.

    >>> names_given("x = (\\n  1)\\ndef f():\\n    y = 2")
    {'x': 2, 'f': 4}
    >>> names_given("x = 1\\ny = (")
    {'x': 9223372036854775807, 'y': 9223372036854775807}
    """
    try:
        statements = ast.parse(shell().transform_cell(source) if shell() else source).body
    except SyntaxError:
        return {"".join(found): NEVER for found in GIVES.findall(source)}
    return {name: one.end_lineno for one in statements for name in _given_by(one)}


def _given_by(statement):
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    return [node.id for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _line_of(error):
    """Return the line of the cell in which it was raised, 0 if that is not to be seen."""
    step = error.__traceback__
    while step and step.tb_frame.f_globals is not shell().user_ns:
        step = step.tb_next
    return step.tb_lineno if step else 0


def run_of_answer(id):
    """Return the last run of the cell that gives what the running cell hands to this check.

    None where that cannot be known.
    """
    return RUNS.get(dict(CHECKS.findall(_running_cell())).get(id))


def _running_cell():
    """Return the text of the cell that runs, "" where IPython keeps none."""
    history = shell().user_ns.get("In") if shell() else None
    return history[-1] if isinstance(history, list) and history else ""


# The saved notebook.


def notebook_path():
    """Return the file of the notebook that runs here, by Jupyter or VS Code -> Path or None."""
    named = shell().user_ns.get("__vsc_ipynb_file__") if shell() else None
    path = Path(os.environ.get("JPY_SESSION_NAME") or named or "")
    return path if path.is_file() else None


def is_saved(run):
    """Return whether the saved notebook holds the cell as it ran; True where nobody can know."""
    path = notebook_path() if run else None
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path else []
    except (OSError, ValueError, KeyError):
        return True
    return not cells or run.source.strip() in {"".join(c["source"]).strip() for c in cells}
