"""The answers that the proof knows: those of the notebooks, and those of answers/."""

import ast
import json
import runpy
from functools import cache
from pathlib import Path

from fi_teach.course.questions import QUESTIONS

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@cache
def answers_of_notebook(folder, name):
    """Run a notebook's cells in order -> {question id: what is handed to its check}."""
    path = ROOT / folder / f"{name}.ipynb"
    return answers_of_cells(json.loads(path.read_text(encoding="utf-8"))["cells"])


def answers_of_cells(cells):
    """Run a notebook's cells in order -> {question id: what is handed to its check}."""
    space, answers = {"__name__": "exercise"}, {}
    for cell in cells:
        source, about = "".join(cell["source"]), cell["metadata"].get("fi_teach", {})
        if about.get("part") == "check":
            call = ast.parse(source).body[0].value
            answers[about["question"]] = eval(ast.unparse(call.args[0]), space)
        elif cell["cell_type"] == "code":
            exec(source, space)
        elif about.get("part") == "answer":
            answers[about["question"]] = source
    return answers


@cache
def answers_of_proof(notebook):
    """RIGHT and WRONG of a set's answers file -> dict."""
    return runpy.run_path(str(HERE / "answers" / f"ch{notebook.split('_')[0]}.py"))


def right_answers(id):
    notebook = QUESTIONS[id].notebook
    known = answers_of_proof(notebook)["RIGHT"].get(id, [])
    return [answers_of_notebook("solutions", notebook)[id], *known]


def wrong_answers(id):
    """(mistake's name, answer) pairs."""
    return answers_of_proof(QUESTIONS[id].notebook)["WRONG"].get(id, [])
