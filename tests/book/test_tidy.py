"""Chapters are stored so that a diff shows what a person changed."""

import nbformat
from tidy import NOTEBOOKS, tidy, untidy


def test_stored_chapters_are_tidy():
    """No outputs, no counters, sorted keys, one kernel, ids of their own."""
    assert list(untidy(NOTEBOOKS.glob("*.ipynb"))) == [], "run make tidy"


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
