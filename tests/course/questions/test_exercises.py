"""exercises/ is what solutions/ becomes when the answers are cleared: byte for byte, leaking nothing, run by nobody.

`make test` runs solutions/ and copies of exercises/ with `pytest --nbval`, cell by cell:
what each check says is compared with what is stored of it, which of an exercise only the copies do.
"""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

import exercises as tool
from fi_course.questions import QUESTIONS

ROOT = Path(__file__).resolve().parents[3]
SOLUTIONS = sorted((ROOT / "solutions").glob("[0-9]*.ipynb"))
EXERCISES = sorted((ROOT / "exercises").glob("*.ipynb"))
MARKERS = ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "check_hidden")


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The exercises with what each check is expected to say of its stub -> their folder."""
    folder = tmp_path_factory.mktemp("expected") / "exercises"
    tool.main(["--expected", str(folder)])
    return folder


def cells_of(path):
    return [(c, "".join(c["source"])) for c in json.loads(path.read_text(encoding="utf-8"))["cells"]]


REGION = re.compile(
    r"[^\n]*### BEGIN (?:SOLUTION|HIDDEN TESTS)[^\n]*\n(.*?)\n[^\n]*### END (?:SOLUTION|HIDDEN TESTS)[^\n]*", re.S)


def secrets_of(path):
    """The lines of a solutions notebook that stand only where a student must not look -> list of str.

    A line that also stands in the open (a mended function shares lines with the one handed out) is no secret.
    """
    sources = [source for _, source in cells_of(path)]
    open_lines = {line.strip() for source in sources for line in REGION.sub("", source).split("\n")}
    hidden = [line.strip() for source in sources for region in REGION.findall(source) for line in region.split("\n")]
    return [line for line in hidden if len(line) > 5 and line not in open_lines]


def test_stamping_and_deriving_again_changes_no_byte():
    for path, text in tool.wanted().items():
        assert path.read_bytes() == text.encode(
            "utf-8"), f"{path.name} is out of date: run python book/tools/exercises.py"
    assert [p.name for p in EXERCISES] == [p.name for p in SOLUTIONS]


def test_what_is_out_of_date_is_written_and_what_has_no_source_goes(tmp_path, monkeypatch, capsys):
    for folder in ("solutions", "exercises"):
        (tmp_path / folder).mkdir()
    source = tmp_path / "solutions" / "01_trees.ipynb"
    source.write_bytes(SOLUTIONS[0].read_bytes())
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool.wanted, "__defaults__", (tmp_path,))
    (tmp_path / "exercises/02_gone.ipynb").touch()
    for said in ("written: exercises/01_trees.ipynb\ndeleted: exercises/02_gone.ipynb\n", ""):
        tool.main([])
        assert capsys.readouterr().out == said
    assert (tmp_path / "exercises/01_trees.ipynb").read_bytes() == EXERCISES[0].read_bytes()


def test_a_question_nobody_defines_is_refused_by_name():
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
    assert not [line for line in secrets if line in shown
                or (len(line) > 25 and json.dumps(line, ensure_ascii=False)[1:-1] in everything)]


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_an_exercise_is_stored_as_nobody_has_run_it_and_its_copy_differs_in_verdicts_alone(path, copies):
    ours, copy = (nbformat.read(p, as_version=4) for p in (path, copies / path.name))
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in ours.cells)
    assert any(cell.get("outputs") for cell in copy.cells)
    for cell in (cell for cell in copy.cells if cell.cell_type == "code"):
        cell.outputs, cell.execution_count = [], None
    assert ours == copy


@pytest.mark.parametrize("path", SOLUTIONS + EXERCISES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_notebooks_store_verdicts_and_nothing_else_with_unique_ids_in_nbgraders_format(path, copies):
    """A check cell stores "Right" or "Not started"; the output of any other cell is neither stored nor compared."""
    notebook = nbformat.read(path if path in SOLUTIONS else copies / path.name, as_version=4)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        tags = cell.metadata.get("tags", [])
        if cell.metadata.get("fi_teach", {}).get("part") == "check":
            (output,) = cell.outputs
            first = output.evalue if path in EXERCISES else output.data["text/plain"]
            assert cell.execution_count == 1 and "nbval-ignore-output" not in tags
            assert first.startswith("Right" if path in SOLUTIONS else "Not started")
        else:
            assert not cell.outputs and cell.execution_count is None and "nbval-ignore-output" in tags
        is_ours = cell.metadata.get("fi_teach", {}).get("part") in ("answer", "check")
        assert ("raises-exception" in tags) == (is_ours and path in EXERCISES), "Run All goes on below an error"
    MetadataValidator().validate_nb(notebook)


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_every_question_of_a_set_has_text_answer_and_check_and_its_points(path):
    found = {}
    for cell, _ in cells_of(path):
        about = cell["metadata"].get("fi_teach", {})
        found.setdefault(about.get("question"),
                         []).append((about.get("part"), cell["metadata"].get("nbgrader", {}).get("points", 0)))
    found.pop(None)
    assert list(found) == [id for id, question in QUESTIONS.items() if question.notebook == path.stem]
    for id, parts in found.items():
        by_hand = QUESTIONS[id].kind == "explain"
        assert [part for part, _ in parts] == (["text", "answer"] if by_hand else ["text", "answer", "check"])
        assert sum(points for _, points in parts) == QUESTIONS[id].points


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_at_most_ten_questions_and_an_hour_count(path):
    """The others are optional, worth 0 points. A capstone is an afternoon's assignment of its own, read by a person."""
    counting = [q for q in QUESTIONS.values() if q.notebook == path.stem and q.points and "Capstone" not in q.title]
    assert len(counting) <= 10 and sum(q.minutes for q in counting) <= 60


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_a_check_cell_is_one_call_whose_value_never_reads_as_a_number(path):
    """nbgrader takes a cell that ends in a number for partial credit: a card's text is none."""
    for cell, source in cells_of(path):
        if cell["metadata"].get("fi_teach", {}).get("part") == "check":
            (line,) = ast.parse(source).body
            assert ast.unparse(line.value.func.value) == f"Q('{cell['metadata']['fi_teach']['question']}')"
    from fi_course.questions.question import card_of
    from fi_course.questions.verdict import Verdict
    for question in QUESTIONS.values():
        with pytest.raises(ValueError):
            float(repr(card_of(question, Verdict("right"))))


@pytest.mark.parametrize("path", EXERCISES, ids=lambda p: p.stem)
def test_a_stub_has_at_most_twelve_lines_and_a_function_to_mend_eighteen(path):
    for cell, source in cells_of(path):
        about = cell["metadata"].get("fi_teach", {})
        if about.get("part") == "answer":
            most = 18 if QUESTIONS[about["question"]].kind == "mend" else 12
            assert len(source.split('"""')[-1].strip().split("\n")) <= most, about["question"]


def only(path, question):
    """The notebook with the cells of one question, below those that import -> notebook."""
    notebook = nbformat.read(path, as_version=4)
    kept = (None, question)
    notebook.cells = [c for c in notebook.cells if c.metadata.get("fi_teach", {}).get("question") in kept
                      and c.cell_type == "code"
                      and c.metadata.get("fi_teach", {}).get("part") != "play"]
    return notebook


def planted(folder, path, question, old, new, where="answer"):
    """Write a copy of the notebook's question with a fault: in its answer's source, or in what its check has stored."""
    notebook = only(path, question)
    cell = next(c for c in notebook.cells if c.metadata.get("fi_teach", {}).get("part") == where)
    if where == "answer":
        assert old in cell.source
        cell.source = cell.source.replace(old, new)
    else:
        kinds = cell.outputs[0].data
        assert old in kinds["text/plain"]
        kinds["text/plain"] = kinds["text/plain"].replace(old, new)
    nbformat.write(notebook, folder / f"{path.parent.name}_{question}_{where}.ipynb")


def validated(folder):
    """`pytest --nbval` on a folder -> (exit code, files and cells that failed, all it printed)."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rf", "-o", "addopts=", "--nbval",
               "--nbval-current-env"]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True, cwd=ROOT)
    return done.returncode, sorted(re.findall(r"^FAILED .*?([\w.]+)\.ipynb::", done.stdout, re.M)), done.stdout


@pytest.mark.slow
def test_nbval_turns_red_for_a_wrong_reference_a_changed_message_and_a_check_that_takes_a_stub(tmp_path, copies):
    """Each fault fails the check cell of its own question, which the report names, and no other cell."""
    solutions, exercises = SOLUTIONS[0], copies / EXERCISES[0].name
    planted(tmp_path, solutions, "trees.decrease", "parent = [a + b", "parent = [a + 2 * b")
    planted(tmp_path, solutions, "trees.first_cut", '"c", "because', '"a", "because')
    planted(tmp_path, solutions, "trees.recall_mean", "Right", "Well done", where="check")
    planted(tmp_path, exercises, "trees.recall_two_draws", "...  # your answer", "0.42")
    nbformat.write(only(solutions, "trees.thresholds"), tmp_path / "untouched.ipynb")
    code, failed, report = validated(tmp_path)
    assert code == 1
    assert failed == ["exercises_trees.recall_two_draws_answer", "solutions_trees.decrease_answer",
                      "solutions_trees.first_cut_answer", "solutions_trees.recall_mean_check"]
    assert all(f'Q("trees.{name}").check' in report
               for name in ("decrease", "first_cut", "recall_mean", "recall_two_draws"))


def test_a_wrong_reference_cannot_renew_its_own_verdict():
    """What is stored comes from the question, so that writing the notebooks again launders nothing."""
    notebook = nbformat.read(SOLUTIONS[0], as_version=4)
    expected = {cell.id: cell.outputs for cell in notebook.cells if cell.get("outputs")}
    for cell in notebook.cells:
        cell.source = cell.source.replace("(20 * 70 + 10 * 40) / 30", "55")
    again = {cell.id: cell.outputs for cell in tool.stamp(notebook).cells if cell.get("outputs")}
    assert "55" in "".join(cell.source for cell in notebook.cells) and again == expected


def test_a_check_that_takes_its_stub_for_an_answer_stops_the_tool(monkeypatch):
    from fi_course.questions import Verdict

    monkeypatch.setattr(tool, "judge", lambda question, answer: Verdict("right"))
    with pytest.raises(SystemExit, match=r"trees\.recall_mean says 'right' of the stub"):
        tool.derive(tool.stamp(nbformat.read(SOLUTIONS[0], as_version=4)))


@pytest.mark.slow
def test_nbgrader_generates_the_same_assignment(tmp_path):
    """nbgrader's own command, given our stubs, accepts the source and writes the cells we derive."""
    from fi_grader.release import NBGRADER_CONFIG
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
    for cell in (*ours, *theirs):
        cell["metadata"].pop("tags", None)  # ours lets the check of a stub fail, so that "Run All" goes on
    assert [(c["source"], c["metadata"]) for c in ours] == [(c["source"], c["metadata"]) for c in theirs]
