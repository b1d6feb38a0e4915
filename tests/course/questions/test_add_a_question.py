"""CONTRIBUTING, "Add a question", followed to the letter with the question that stands there."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from prove import handed_to_checks, mistaken_answers

import exercises as tool
from fi_course.questions import QUESTIONS, CheckFailed, Handle, judge
from fi_course.questions.question_text import questions

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = re.search(r"## Add a question\n(.*?)\n## ", GUIDE, re.DOTALL)[1]
QUESTION, CELLS = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)


@pytest.fixture
def added(monkeypatch):
    """The question of the page, among those of its set."""
    (question,) = questions(QUESTION, {"__file__": "ch01_trees.py"})
    question = replace(question, notebook="01_trees")
    monkeypatch.setitem(QUESTIONS, question.id, question)
    return question


@pytest.fixture
def notebooks(added):
    """Its cells as an author writes them, stamped, and as a student gets them -> two lists of cells."""
    text, answer, check = (part.strip() for part in CELLS.split("---"))
    new = nbformat.v4
    solution = tool.stamp(new.new_notebook(cells=[
        new.new_markdown_cell(text), new.new_code_cell(answer), new.new_code_cell(check)]))
    return solution.cells, tool.derive(solution).cells


def test_it_fits_one_screen():
    assert len(SECTION.split("\n")) <= 45
    assert len(QUESTION.strip().split("\n")) <= 15 and QUESTION.count("\n- ") >= 3


def test_the_reference_and_the_answer_in_another_hand_are_right(added, notebooks):
    solved = handed_to_checks(notebooks[0])
    (known,) = (ast.literal_eval("{" + entry + "}") for entry in re.findall(r'`("[\w.]+": \[.*?\])`', SECTION))
    for answer in (solved[added.id], *known[added.id]):
        assert repr(Handle(added).check(answer)) == f"Right.\n{added.meaning}"


def test_each_mistake_is_told_by_name(added):
    mistakes = mistaken_answers(added)
    assert len({name for name, _ in mistakes} - {"wrong unit"}) == 3
    for name, answer in mistakes:
        assert judge(added, answer).mistake == name
        with pytest.raises(CheckFailed, match=rf"Not yet: {name} \(trees\.pair\)"):
            Handle(added).check(answer)


def test_the_students_notebook_has_the_question_and_no_answer(added, notebooks):
    _, (text, stub, check, *_) = notebooks
    assert text.source.startswith("### 1. How mixed is a pair? ★☆☆ (2 min, 1 point)\nA leaf")
    assert stub.source == "impurity = (\n    ...  # your answer\n)"
    assert check.source == 'Q("trees.pair").check(impurity)'
    assert check.metadata["nbgrader"]["points"] == 1
    assert judge(added, handed_to_checks(notebooks[1])[added.id]).status == "not started"
