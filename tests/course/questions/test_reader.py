"""Reading a student's copy earns nothing for numbers, choices, prose and hidden functions."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from reader import sums_in

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked
from fi_course.questions.compare_values import near
from fi_course.questions.functions import Function
from fi_course.questions.question import PUBLIC_SEED
from fi_course.questions.reference_solution import reference
from fi_course.questions.values import Value
from fi_grader.release import release

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
BY_TABLE = {"golf.mend_rules"}
"""Its inputs are the fourteen days of a printed table, at grading too."""
BESIDE_A_TEST = {"trees.decrease", "permutation.mend_groups", "shapley.divide", "causality.back_door"}
"""A test of the same set is tried on right implementations, and these are code."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A student's copy, unpacked -> Path."""
    out = tmp_path_factory.mktemp("copy")
    release(out, ROOT)
    zipfile.ZipFile(out / "student.zip").extractall(out)
    return out / "student"


@pytest.fixture(scope="module")
def read(copy):
    """What the reader writes down, in a process that does not see the project -> {id: answer}."""
    command = [sys.executable, "-I", Path(__file__).parent / "reader.py", copy]
    done = subprocess.run(command, capture_output=True, text=True, cwd=copy)
    assert done.returncode == 0, done.stderr
    return {id: _defined(source) for id, source in json.loads(done.stdout).items()}


def _defined(source):
    space = {"__name__": "answer"}
    exec(source, space)
    return space


def earned(read, kinds, seed):
    """Ids of those questions that the reader gets right, by the instructor's checks -> set."""
    found = set()
    for id, question in QUESTIONS.items():
        with blocked(question.blocked):
            if question.kind in kinds and judge(question, read[id]["answer"], seed).status == "right":
                found.add(id)
    return found


def test_reading_earns_nothing_for_numbers_choices_and_prose(read):
    assert set(read) == set(QUESTIONS)
    assert earned(read, ("number", "claim", "predict", "explain"), PUBLIC_SEED) == set()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_reading_earns_no_function_that_can_be_hidden(read, seed):
    """On the grader's own inputs a table is worth nothing, unless all inputs are public."""
    assert earned(read, ("implement", "mend"), seed) == BY_TABLE | BESIDE_A_TEST


def test_tests_are_tried_on_code_and_code_can_be_read(read):
    """All questions of this kind, and no other; the guide says so."""
    opened = {id for id, space in read.items() if "implementations_read" in space}
    assert opened == {id for id, question in QUESTIONS.items() if question.kind == "test"}
    guide = (ROOT / "book" / "grading.md").read_text(encoding="utf-8")
    assert "code can be read" in guide
    assert all(f"`{id}`" in guide for id in BY_TABLE | BESIDE_A_TEST)


def test_the_copy_holds_no_module_of_questions_no_rubric_and_no_message_in_the_open(copy):
    """Searched for every line of a rubric, message and meaning that an answer opens."""
    files = [file for file in copy.rglob("*") if file.is_file()]
    assert not [f for f in files if "implementations_to_test" in f.parts or f.match("questions/ch[0-9]*.py")]
    written = [f.read_text("utf-8", errors="replace") for f in files if "__pycache__" not in f.parts]
    texts = "\n".join(written)
    of_functions = {m.message for q in QUESTIONS.values() if isinstance(q.check, Function) for m in q.check.mistakes}
    for id, question in QUESTIONS.items():
        told = getattr(question.check, "targets", ()) or getattr(question.check, "mistakes", ())
        secrets = {question.meaning, *(line for _, line in question.rubric), *(one.message for one in told)}
        assert not [secret for secret in secrets - of_functions if secret and secret in texts], id


def test_trying_works_where_answers_are_instant_and_the_guide_says_so(copy):
    """Four letters, or the numbers on a grid: whoever tries finds them, here as on the page."""
    code = ("from fi_course.questions import Q, judge\nq = Q('trees.recall_mean').question\n"
            "print([n for n in range(100) if judge(q, n).status == 'right'])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=copy,
                          env={"PYTHONPATH": str(copy)})
    assert done.stdout.strip() == "[60]"
    assert "Trying" in (ROOT / "book" / "grading.md").read_text(encoding="utf-8")


def test_no_hint_comes_to_the_answer():
    """No number in a hint is right, and no sum that a hint writes out."""
    for id, question in QUESTIONS.items():
        if not isinstance(question.check, Value):
            continue
        tolerance, rights = question.check.tolerance, question.check.targets[0].values
        for number in (number for hint in question.hints for number in sums_in(hint)):
            assert not any(near(number, right, tolerance) for right in rights), (id, number)


def bare(text):
    """A line without what may be written in many ways."""
    return re.sub(r"\s|`|return ", "", text)


def test_no_hint_holds_a_line_of_the_solution():
    """Whatever the spaces: a hint leads to the line, it does not say it."""
    for id, question in QUESTIONS.items():
        if not isinstance(question.check, Function):
            continue
        solution = reference(question, ROOT).split("\n")
        lines = [line for line in map(bare, solution) if "#" not in line and len(line) > 20]
        told = [(line, hint) for line in lines for hint in map(bare, question.hints) if line in hint]
        assert not told, id
