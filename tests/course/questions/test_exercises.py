"""exercises/ is what solutions/ becomes when the answers are cleared: byte for byte, leaking nothing, failing only where it must."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.nbgraderformat import MetadataValidator

from fi_teach.course.questions import QUESTIONS

ROOT = Path(__file__).resolve().parents[3]
SOLUTIONS = sorted((ROOT / "solutions").glob("[0-9]*.ipynb"))
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))
MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "check_hidden")


@pytest.fixture(scope="module")
def tool():
    """book/tools/exercises.py, imported from where it lies."""
    spec = importlib.util.spec_from_file_location("exercises_tool", ROOT / "book" / "tools" / "exercises.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells_of(path):
    return [(c, "".join(c["source"])) for c in json.loads(path.read_text(encoding="utf-8"))["cells"]]


REGION = re.compile(r"[^\n]*### BEGIN (?:SOLUTION|HIDDEN TESTS)[^\n]*\n(.*?)\n[^\n]*### END (?:SOLUTION|HIDDEN TESTS)[^\n]*", re.S)


def secrets_of(path):
    """The lines of a solutions notebook that stand only where a student must not look -> list of str.

    A line that also stands in the open (a mended function shares lines with the one handed out) is no secret.
    """
    sources = [source for _, source in cells_of(path)]
    open_lines = {line.strip() for source in sources for line in REGION.sub("", source).split("\n")}
    hidden = [line.strip() for source in sources for region in REGION.findall(source) for line in region.split("\n")]
    return [line for line in hidden if len(line) > 5 and line not in open_lines]


def test_stamping_and_deriving_again_changes_no_byte(tool):
    for path, text in tool.wanted().items():
        assert path.read_bytes() == text.encode("utf-8"), f"{path.name} is out of date: run python book/tools/exercises.py"
    assert [p.name for p in EXERCISES] == [p.name for p in SOLUTIONS]


def test_the_check_option_names_what_is_out_of_date_and_writes_nothing(tool, tmp_path, monkeypatch, capsys):
    for folder in ("solutions", "exercises"):
        (tmp_path / folder).mkdir()
    source = tmp_path / "solutions" / "01_trees.ipynb"
    source.write_bytes(SOLUTIONS[0].read_bytes())
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool.wanted, "__defaults__", (tmp_path,))
    assert tool.main(["--check"]) and "out of date: exercises/01_trees.ipynb" in capsys.readouterr().out
    assert not list((tmp_path / "exercises").iterdir())
    assert not tool.main([]) and not tool.main(["--check"])


def test_a_question_nobody_defines_is_refused_by_name(tool):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("### trees.nowhere\nWhat?")])
    with pytest.raises(SystemExit, match=r"trees\.nowhere"):
        tool.stamp(notebook)


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_no_line_of_a_solution_or_hidden_test_leaks(path):
    """Neither its lines nor the markers are anywhere in the exercise, metadata and outputs included."""
    everything = path.read_text(encoding="utf-8")
    shown = {line.strip() for _, source in cells_of(path) for line in source.split("\n")}
    secrets = secrets_of(ROOT / "solutions" / path.name)
    assert len(secrets) > 20
    assert not [marker for marker in MARKERS if marker in everything]
    assert not [line for line in secrets if line in shown or (len(line) > 25 and json.dumps(line, ensure_ascii=False)[1:-1] in everything)]


@pytest.mark.parametrize("path", SOLUTIONS + EXERCISES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_notebooks_are_stored_without_outputs_with_unique_ids_in_nbgraders_format(path):
    notebook = nbformat.read(path, as_version=4)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    MetadataValidator().validate_nb(notebook)


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_every_question_of_a_set_has_text_answer_and_check_and_its_points(path):
    found = {}
    for cell, _ in cells_of(path):
        about = cell["metadata"].get("fi_teach", {})
        found.setdefault(about.get("question"), []).append((about.get("part"), cell["metadata"].get("nbgrader", {}).get("points", 0)))
    found.pop(None)
    assert list(found) == [id for id, question in QUESTIONS.items() if question.notebook == path.stem]
    for id, parts in found.items():
        by_hand = QUESTIONS[id].kind in ("explain", "open")
        assert [part for part, _ in parts] == (["text", "answer"] if by_hand else ["text", "answer", "check"])
        assert sum(points for _, points in parts) == QUESTIONS[id].points


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_a_check_cell_is_one_call_whose_value_never_reads_as_a_number(path):
    """nbgrader takes a cell that ends in a number for partial credit: a card's text is none."""
    for cell, source in cells_of(path):
        if cell["metadata"].get("fi_teach", {}).get("part") == "check":
            (line,) = ast.parse(source).body
            assert ast.unparse(line.value.func.value) == f"Q('{cell['metadata']['fi_teach']['question']}')"
    from fi_teach.course.questions.question import card_of
    from fi_teach.course.questions.verdict import Verdict
    for question in QUESTIONS.values():
        with pytest.raises(ValueError):
            float(repr(card_of(question, Verdict("right"))))


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_a_stub_is_at_most_twelve_lines(path):
    for cell, source in cells_of(path):
        if cell["metadata"].get("fi_teach", {}).get("part") == "answer":
            assert len(source.split('"""')[-1].strip().split("\n")) <= 18


def run_notebook(path):
    """Ids of the code cells that fail when the whole notebook runs in a real kernel -> list of (id, error's words)."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, allow_errors=True, resources={"metadata": {"path": str(path.parent)}}).execute()
    return [(cell, out) for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs if out.output_type == "error"]


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda p: p.stem)
def test_solutions_run_without_an_error(path):
    assert not run_notebook(path)


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_exercises_fail_in_their_check_cells_and_nowhere_else(path):
    """Each check cell says "Not started" and shows no traceback; every other cell runs."""
    failed = run_notebook(path)
    checks = [cell["id"] for cell, _ in cells_of(path) if cell["metadata"].get("fi_teach", {}).get("part") == "check"]
    assert [cell.id for cell, _ in failed] == checks
    for _, error in failed:
        assert error.ename == "CheckFailed" and error.evalue.startswith("Not started")
        assert len(error.traceback) == 1 and "File" not in error.traceback[0]


def test_nbval_fails_on_an_exercise_once_a_check_cell_and_not_elsewhere():
    """The lax runner sees what the kernel sees. (On solutions/ it runs as part of `make test`.)"""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--nbval-lax", "-q", "-o", "addopts=", str(EXERCISES[0])]
    exercise = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    checks = [cell for cell, _ in cells_of(EXERCISES[0]) if cell["metadata"].get("fi_teach", {}).get("part") == "check"]
    assert exercise.returncode == 1
    assert len(re.findall(r"^FAILED", exercise.stdout, re.M)) == len(checks)


def test_nbgrader_generates_the_same_assignment(tmp_path):
    """nbgrader's own command, given our stubs, accepts the source and writes the cells we derive."""
    from fi_teach.course.questions.release import NBGRADER_CONFIG
    source = tmp_path / "source" / "01_trees"
    source.mkdir(parents=True)
    (source / "01_trees.ipynb").write_bytes(SOLUTIONS[0].read_bytes())
    (tmp_path / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf-8")
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run([sys.executable, "-m", "nbgrader", "generate_assignment", "01_trees"], cwd=tmp_path,
                          capture_output=True, text=True, env={**os.environ, "PATH": tools})
    assert done.returncode == 0, done.stderr
    ours, theirs = (json.loads(p.read_text(encoding="utf-8"))["cells"]
                    for p in (EXERCISES[0], tmp_path / "release" / "01_trees" / "01_trees.ipynb"))
    assert [(c["source"], c["metadata"]) for c in ours] == [(c["source"], c["metadata"]) for c in theirs]
