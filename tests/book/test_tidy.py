"""Notebooks are stored so that a diff shows what a person changed."""

from copy import deepcopy

import nbformat
import pytest
from tidy import tidy, untidy

from .conftest import ROOT

NOTEBOOKS = sorted(path for folder in ("notebooks", "solutions", "exercises")
                   for path in (ROOT / folder).glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_stored_notebooks_are_tidy(path):
    """No outputs but verdicts, no counters, sorted keys, one kernel, ids of their own. Mend with `make tidy`."""
    assert not untidy([path]), f"{path.relative_to(ROOT)} is untidy: run make tidy"


def test_tidying_strips_what_running_left_and_keeps_what_was_written():
    """Outputs, counters, timings and widget states go; sources, tags and ids stay; doubtful ids are numbered."""
    cells = [nbformat.v4.new_code_cell("1 + 1", id="mine", execution_count=7,
                                       metadata={"tags": ["hide-input"], "execution": {}},
                                       outputs=[nbformat.v4.new_output("stream", text="2")]),
             nbformat.v4.new_markdown_cell("Words", id="mine")]
    ran = nbformat.from_dict({"cells": cells, "metadata": {"widgets": {}, "kernelspec": {"name": "other"}}})
    notebook = tidy(ran, "01-x")
    assert notebook.cells[0].source == "1 + 1" and notebook.cells[0].metadata == {
        "tags": ["hide-input"], "jupyter": {"source_hidden": True}}, "JupyterLab collapses what the book hides"
    assert notebook.cells[0].outputs == [] and notebook.cells[0].execution_count is None
    assert [cell.id for cell in notebook.cells] == ["mine", "01-x-002"]
    assert notebook.metadata.kernelspec.name == "python3" and "widgets" not in notebook.metadata


def test_tidying_keeps_what_a_check_says_and_counts_it_as_the_first_run():
    """`pytest --nbval` compares it; the same output of a cell that checks nothing goes."""
    def ran(part):
        said = nbformat.v4.new_output("execute_result", {"text/plain": "Right."}, execution_count=9)
        return nbformat.v4.new_code_cell('Q("a.b").check(x)', execution_count=9, outputs=[said],
                                         metadata={"fi_teach": {"part": part}})

    once = tidy(nbformat.v4.new_notebook(cells=[ran("check"), ran("answer"), ran("check")]), "01-x")
    assert tidy(deepcopy(once), "01-x") == once, "twice changes nothing more"
    check, answer, empty = once.cells
    assert check.outputs[0].data == {"text/plain": "Right."}
    assert check.execution_count == check.outputs[0].execution_count == 1
    assert answer.outputs == [] and answer.execution_count is None
    empty.outputs = []
    assert tidy(nbformat.v4.new_notebook(cells=[empty]), "01-x").cells[0].execution_count is None
