"""Derive exercises/ from solutions/: stamp the sources with what their questions say,
then clear the answers.

    python book/tools/exercises.py                      write solutions/ (stamped) and exercises/
    python book/tools/exercises.py --expected FOLDER    copies that store what checks say of stubs
    pytest --nbval solutions FOLDER                     run them, and compare each verdict

An author writes plain cells. A markdown cell that begins `### trees.decrease` opens a question;
the cell with `### BEGIN SOLUTION` is its answer and the cell `Q("trees.decrease").check(decrease)`
its test. Heading, cell ids, nbgrader metadata, points, time limits and the hidden test come
from the question. Clearing is nbgrader's own work.

Each check cell of solutions/ stores the verdict that is expected of it, "Right" and what it means.
It comes from the question, not from a run, so no wrong reference can renew it. No other output is
stored, and none is compared: those cells carry nbval's tag. A cell that ends in
`Q("trees.decrease").play(decrease, ...)` lets the student's own function move a picture; it is no
part of a question. The last cell hands in.
"""

import argparse
import ast
import re
from copy import deepcopy
from pathlib import Path

import nbformat
from nbgrader import preprocessors
from tidy import KERNEL, text_of

from fi_course.questions import QUESTIONS, Verdict, judge
from fi_course.questions.checks import CODE_STUB, TEXT_STUB
from fi_course.questions.question import DRAWS_INPUTS, card_of

ROOT = Path(__file__).resolve().parents[2]
OPENING = re.compile(r"### (?P<id>[a-z0-9_]+\.[a-z0-9_]+)\s*$")
CALL = re.compile(r"^Q\(.*\)\.(?P<what>check|play)\(", re.MULTILINE)
HAND_IN = """# Save the notebook (Ctrl+S), then run this cell: it runs the saved
# notebook afresh, lists your questions with their points, and writes
# the file to hand in.
from fi_course.submit import hand_in

hand_in()"""
HIDDEN_TESTS = "\n### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"
NOT_COMPARED, MAY_FAIL = "nbval-ignore-output", "raises-exception"
"""nbval's tags: the output may differ; the cell may raise, as a check does,
and an answer that is being written (and *Run All* goes on)."""


def stamp(notebook):
    """A solutions notebook with ids, headings and metadata
    as its questions say -> the same notebook, changed."""
    notebook.metadata = nbformat.from_dict(KERNEL)
    question, place, number = None, 0, 0
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != "hand-in"]
    for cell in notebook.cells:
        opened = _opens(cell)
        if opened:
            question, place = opened, place + 1
        part = "text" if opened else _part(cell)
        number += part != "play"
        tags = [tag for tag in cell.metadata.get("tags", [])
                if tag not in (NOT_COMPARED, MAY_FAIL)]
        tags += [NOT_COMPARED] * (cell.cell_type == "code" and part != "check")
        cell.metadata = {"tags": tags} if tags else {}
        cell.id = f"{question.id.replace('.', '-')}-{part}" if part else f"cell-{number:03d}"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if part:
            _stamp_part(cell, part, question, place)
    metadata = {"deletable": False, "editable": False, "fi_teach": {"part": "hand_in"},
                "tags": [NOT_COMPARED]}
    notebook.cells.append(nbformat.v4.new_code_cell(HAND_IN, id="hand-in", metadata=metadata))
    return notebook


def _opens(cell):
    """The question that a markdown cell opens, new (by its id) or stamped before (by its metadata),
    or None."""
    written = OPENING.match(cell.source.split("\n")[0]) if cell.cell_type == "markdown" else None
    stamped = cell.metadata.get("fi_teach", {})
    id = (written["id"] if written else stamped.get("question") if stamped.get("part") == "text"
          else None)
    if id and id not in QUESTIONS:
        raise SystemExit(
            f"a cell opens the question {id!r}, which no module in fi_course/questions defines.")
    return QUESTIONS.get(id)


def _part(cell):
    """What a cell is to its question: "answer", "check", "play", or None."""
    if "BEGIN SOLUTION" in cell.source:
        return "answer"
    called = CALL.search(cell.source) if cell.cell_type == "code" else None
    return called["what"] if called else None


def _stamp_part(cell, part, question, place):
    """Give a cell the words, metadata and verdict that its question has for this part."""
    about = {"part": part} if part == "play" else {"part": part, "question": question.id}
    first, _, body = cell.source.partition("\n")
    if part == "text":
        cell.source = f"### {place}. {question.heading}\n{body}".rstrip()
    elif part == "check":
        hidden = HIDDEN_TESTS.format(first.replace(").check(", ").check_hidden("))
        cell.source = first + hidden * (question.kind in DRAWS_INPUTS)
        about["seconds"] = question.seconds
        right = card_of(question, Verdict("right", meaning=question.meaning))
        _store(cell, nbformat.v4.new_output("execute_result", execution_count=1, data={
            "text/html": right._repr_html_(), "text/plain": repr(right)}))
    if part in ("answer", "check"):
        grade = part == "check" or cell.cell_type == "markdown"  # prose is graded by hand
        cell.metadata["nbgrader"] = {
            "grade": grade, "grade_id": cell.id, "locked": part == "check", "schema_version": 3,
            "solution": part == "answer", "task": False,
            **({"points": question.points} if grade else {})}
    cell.metadata["fi_teach"] = about


def _store(cell, output):
    """The output that is expected; nbval compares those of cells that have been run once."""
    cell.outputs, cell.execution_count = [output], 1


def derive(notebook):
    """The exercise of a stamped solutions notebook, as nobody has run it yet."""
    exercise = expected(notebook)
    for cell in (cell for cell in exercise.cells if cell.cell_type == "code"):
        cell.outputs, cell.execution_count = [], None
    return exercise


def expected(notebook):
    """The same with what each check says of its stub; answers and hidden tests are cleared by
    nbgrader's own preprocessors.

    Raises SystemExit if a check takes a stub for an answer.
    """
    notebook, space = deepcopy(notebook), {"__name__": "exercise"}
    stubs = {"ClearSolutions": {"code_stub": {"python": CODE_STUB}, "text_stub": TEXT_STUB}}
    for name in ("LockCells", "ClearSolutions", "ClearOutput", "ClearHiddenTests",
                 "ComputeChecksums"):
        step = getattr(preprocessors, name)(**stubs.get(name, {}))
        notebook, _ = step.preprocess(notebook, {})
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        about = cell.metadata.get("fi_teach", {})
        part = about.get("part")
        if part in ("answer", "check"):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), MAY_FAIL]
        if part == "check":
            _expect_not_started(cell, QUESTIONS[about["question"]], space)
        elif part not in ("play", "hand_in"):  # what is defined, of a stub also what it assigns
            kinds = ast.stmt if part == "answer" else ast.Import | ast.ImportFrom | ast.FunctionDef
            kept = [node for node in ast.parse(cell.source).body
                    if isinstance(node, kinds) and not isinstance(node, ast.Expr)]
            exec(ast.unparse(kept), space)
    return notebook


def _expect_not_started(cell, question, space):
    """Store in a check cell what it says of what it is handed: the stub."""
    handed_over = ast.unparse(ast.parse(cell.source).body[0].value.args[0])
    verdict = judge(question, eval(handed_over, space))
    if verdict.status != "not started":
        raise SystemExit(f"the check of {question.id} says {verdict.status!r} of the stub, "
                         "and not 'not started'.")
    words = repr(card_of(question, verdict))
    _store(cell, nbformat.v4.new_output("error", ename="CheckFailed", evalue=words,
                                        traceback=[words]))


def stamped(root):
    """The notebooks of solutions/, stamped -> {path: notebook}."""
    return {path: stamp(nbformat.read(path, as_version=4))
            for path in sorted((root / "solutions").glob("[0-9]*.ipynb"))}


def wanted(root=ROOT):
    """What solutions/ and exercises/ ought to hold -> {path: text}."""
    texts = {}
    for path, notebook in stamped(root).items():
        texts[path] = text_of(notebook)
        texts[root / "exercises" / path.name] = text_of(derive(notebook))
    return texts


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--expected", metavar="FOLDER", type=Path,
                        help="write copies for pytest --nbval into FOLDER, and nothing else")
    folder = parser.parse_args(arguments).expected
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        for path, notebook in stamped(ROOT).items():
            (folder / path.name).write_text(text_of(expected(notebook)), encoding="utf-8")
        print(f"exercises, with what their checks say of a stub: {folder}")
        return
    texts = wanted()
    for path, text in texts.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    for path in set((ROOT / "exercises").glob("*.ipynb")) - set(texts):
        path.unlink()
        print(f"deleted: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
