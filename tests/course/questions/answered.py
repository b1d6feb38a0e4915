"""The answers that the proof knows: those of the notebooks, the mistakes of the checks, and those of answers/."""

import json
import runpy
from functools import cache
from pathlib import Path

from prove import handed_to_checks, mistaken_answers, right_in_another_hand

from fi_course.questions import QUESTIONS

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


@cache
def answers_of_notebook(folder, name):
    """Run a notebook's cells in order -> {question id: what is handed to its check}."""
    path = ROOT / folder / f"{name}.ipynb"
    return handed_to_checks(json.loads(path.read_text(encoding="utf-8"))["cells"])


@cache
def answers_of_proof(notebook):
    """RIGHT of a set's answers file, and WRONG where it has some -> dict."""
    return runpy.run_path(str(HERE / "answers" / f"ch{notebook.split('_')[0]}.py"))


def right_answers(id):
    notebook = QUESTIONS[id].notebook
    by_hand = answers_of_proof(notebook)["RIGHT"].get(id, [])
    return [answers_of_notebook("solutions", notebook)[id], *right_in_another_hand(QUESTIONS[id].check, by_hand)]


def wrong_answers(id):
    """(mistake's name, answer) pairs, by hand or from the mistakes of the check -> list."""
    by_hand = answers_of_proof(QUESTIONS[id].notebook).get("WRONG", {}).get(id, [])
    return mistaken_answers(QUESTIONS[id], right_answers(id)[0], by_hand)
