"""The grader's parts, each by itself: what crosses the border, what is found in a folder, how cells are aligned, what
is said."""

import json
import os
import re
import shutil
import socket
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fi_course.questions import QUESTIONS, judge
from fi_grader import command
from fi_grader.judging.judge import grade
from fi_grader.judging.student import StudentProcess, StudentProcessDied
from fi_grader.judging.worker import Worker
from fi_grader.notebooks.exercise import cell_from, load
from fi_grader.notebooks.matching import align
from fi_grader.report.views import feedback
from fi_grader.sandbox import choose as sandbox
from fi_grader.sandbox.choose import ForkServer
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.inside.restore import could_overwrite
from fi_grader.sandbox.inside.session import Shell, compiled
from notebooks import ROOT, filled, find, handed_out, lay, to_bytes

TREES = load(ROOT / "exercises")["01_trees"]


# Functions on loan

def scramble(table, names, seen, rng):
    """Changes all that it is given."""
    table[:, 0] = 7
    names.append("new")
    seen["more"] = 1
    return rng.random()


def test_a_function_on_loan_changes_its_callers_arguments_as_it_would_here(server):
    """A student's test may ask whether its table was left alone, or draw twice from one generator."""
    source = """
def tried(borrowed):
    table, names, seen, rng = np.zeros((2, 2)), ["old"], {"a": 2}, np.random.default_rng(1)
    one, two = borrowed(table, names, seen, rng), borrowed(table, names, seen, rng)
    wanted = np.random.default_rng(1).random(2).tolist()
    return [table.tolist(), names, seen, [one, two] == wanted]
"""
    student = StudentProcess(server)
    with student.within(20):
        student.ask("run", "import numpy as np" + source, "cell")
        found = student.value("tried")(scramble)
    student.end()
    assert found == [[[7, 0], [7, 0]], ["old", "new", "new"], {"a": 2, "more": 1}, True]


# Aligning

def plan_of(notebook):
    return align(TREES, [cell_from(c) for c in notebook["cells"]], notebook["metadata"])


def test_an_untouched_exercise_is_all_untouched_and_has_no_flag():
    plan = plan_of(handed_out())
    assert plan.untouched == set(TREES.questions) and not plan.flags and not plan.whole


def test_every_question_is_judged_once_after_its_answer_and_before_the_next():
    plan = plan_of(filled())
    judged = [step.question for step in plan.steps if step.verb == "judge"]
    assert judged == [q for q in TREES.questions if q in TREES.expressions]
    order = [(step.verb, step.question) for step in plan.steps]
    assert all(order.index(("run", q)) < order.index(("judge", q)) for q in judged)
    assert order.index(("judge", judged[0])) < order.index(("run", judged[1]))


def answered(cells):
    find({"cells": cells}, "trees.decrease", "answer")["source"] = "def decrease("


def unknown(cells):
    for cell in cells:
        cell["metadata"] = json.loads(json.dumps(cell["metadata"]).replace("trees.recall_mean", "trees.nowhere"))


@pytest.mark.parametrize(("change", "words"), [
    (unknown, r"asks trees\.nowhere"), (answered, r"not as it was handed out: trees\.decrease was answered")])
def test_exercises_that_nobody_handed_out_are_refused(change, words, tmp_path):
    """The reference would be somebody's answer; outputs and other cells do no harm."""
    notebook = {**handed_out(), "metadata": {"changed": True}}
    notebook["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    changed = load(lay(tmp_path, {"01_trees.ipynb": notebook}))["01_trees"]
    assert changed.hash != TREES.hash and replace(changed, hash=TREES.hash, path=TREES.path) == TREES
    change(notebook["cells"])
    with pytest.raises(ValueError, match=words):
        load(lay(tmp_path, {"01_trees.ipynb": notebook}))


# Inside, without a sandbox

def test_magics_that_time_run_their_line_and_others_do_nothing(tmp_path):
    space = {}
    space["get_ipython"] = lambda: Shell(space)
    exec(compiled(f"%time x = 1\n!touch {tmp_path}/made\n%matplotlib inline\ny = !ls", "cell"), space)
    exec(compiled("%%timeit\nz = 2", "cell"), space)
    exec(compiled("%%bash\ntouch made", "cell"), space)
    assert (space["x"], space["z"], space["y"]) == (1, 2, None) and not list(tmp_path.iterdir())
    with pytest.raises(SyntaxError):
        compiled("1 +", "cell")


@pytest.mark.parametrize(("source", "could"), [
    ("x = 1\ny = x == 2", False), ("def f(a, b=1):\n    return f(a, b=2)", False), ("np.abs = 1", True),
    ("setattr(np, 'abs', 1)", True), ("del np.abs", True), ("f.__code__ = g", True), ("import builtins", True)])
def test_only_code_that_could_overwrite_is_looked_after(source, could):
    assert could_overwrite(source) is could


@pytest.fixture(scope="module")
def server():
    server = ForkServer(TREES.modules)
    yield server
    server.close()


@pytest.mark.parametrize(("body", "mistake"), [
    ("print(left)", "prints, but does not return"),
    ("left[0] += 1; return left[0]", "changes its input"),
    ("import random; return random.random()", "another answer each time")])
def test_the_grader_names_a_functions_habits_as_the_notebook_does(server, body, mistake):
    answer = f"def decrease(left, right):\n    {body}"
    record = grade(TREES, to_bytes(filled({"trees.decrease": answer})), server, seed=3)
    exec(answer, space := {})
    here = judge(QUESTIONS["trees.decrease"], space["decrease"])
    row = next(row for row in record["rows"] if row["question"] == "trees.decrease")
    assert row["mistake"] == here.mistake == mistake and here.message in row["message"]


TELLING = """
import os, platform, socket, sys
import numpy
def decrease(left, right):
    try:
        from numpy import no_such_name
    except ImportError as error:
        host = f"{socket.gethostname()} {platform.node()} {os.uname().nodename}"
        raise ValueError(f"{error} {numpy.__file__} {sys.prefix} {host}")
"""


def test_an_error_is_told_with_its_place_and_no_path_or_name_of_the_instructors_machine(server):
    """An import that fails names the file it looked in, and a student may ask for the rest."""
    record = grade(TREES, to_bytes(filled({"trees.decrease": TELLING})), server, seed=3)
    wrong, = (row for row in record["rows"] if row["status"] == "wrong")
    assert "ValueError" in wrong["message"] and "raise ValueError" in wrong["trace"] and not record["flags"]
    page = feedback({**record, "student": "anna", "exercise": "01_trees"})
    assert "cannot import name" in page and "numpy/__init__.py" in page
    assert sys.prefix not in page and str(Path.home()) not in page
    assert not re.search(rf"(?<!\w){socket.gethostname()}(?!\w)", page)


def test_what_a_student_lends_is_taken_back_after_the_question(server):
    student = StudentProcess(server)
    with student.within(5):
        number = student.register(abs)
        assert student._run_callback({"callback": number, "arguments": messages.encode([-3]),
                                      "options": messages.encode({})}) == {"value": 3, "changed": {}}
    assert "error" in student._run_callback({"callback": number, "arguments": [], "options": {"dict": []}})
    student.end()


def test_memory_of_all_processes_together_has_a_limit(monkeypatch):
    monkeypatch.setitem(sandbox.LIMITS, "megabytes_in_all", 150)
    server = ForkServer()
    student = StudentProcess(server)
    with pytest.raises(StudentProcessDied), student.within(20):
        student.ask("run", "import os, time\nfor _ in range(3):\n    if not os.fork():\n        break\n"
                    "hoard = b'x' * (10**8)\ntime.sleep(60)", "cell")
    assert student.end()
    server.close()


# The sandbox's level

def test_auto_takes_bubblewrap_where_it_works_and_webassembly_elsewhere(monkeypatch):
    for works, taken in (("bwrap", "wasm"), "bwrap"), (("wasm",), "wasm"):
        monkeypatch.setattr(sandbox, "probe", lambda kind, works=works: "" if kind in works else sandbox.NOT_INSTALLED)
        assert sandbox.level("auto") == taken


@pytest.mark.parametrize(("wanted", "why", "words"), [
    ("auto", "WebAssembly failed: x", "300 MB"), ("wasm", sandbox.NO_WASM, r"\.\[wasm\]"),
    ("auto", f"{sandbox.NO_LINUX} darwin", "Use a Linux machine; on Windows, WSL 2 is one"),
    ("bwrap", sandbox.NOT_INSTALLED, "apt install bubblewrap"), ("auto", "bubblewrap failed: x", "userns")])
def test_without_a_sandbox_nothing_is_graded_and_each_reason_has_its_way_out_in_one_line(wanted, why, words,
                                                                                         monkeypatch):
    monkeypatch.setattr(sandbox, "probe", {"bwrap": why, "wasm": sandbox.NO_WASM}.get)
    with pytest.raises(ValueError, match=words) as caught:
        sandbox.level(wanted)
    said = str(caught.value)
    assert why in said and "\n" not in said and "read and change your files" in said


@pytest.mark.parametrize(("platform", "found", "command", "words"), [
    ("win32", "x", [], "needs Linux, and this is win32"), ("linux", None, [], "not installed"),
    ("linux", "x", ["bwrap", "--no-such-option"], "no-such-option")])
def test_the_probe_says_why_there_is_no_sandbox(platform, found, command, words, monkeypatch):
    """The last reason is bubblewrap's own complaint."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(shutil, "which", lambda name: found)
    monkeypatch.setattr(sandbox, "bwrap", lambda *_: command)
    assert words in sandbox.probe.__wrapped__("bwrap")


# Workers

def test_a_worker_that_cannot_grade_where_it_is_says_so_and_writes_nothing_down(tmp_path):
    """As on a machine of a cluster that does not share the course's folder."""
    with closing(worker_of(tmp_path / "nowhere")) as worker, pytest.raises(
            ValueError, match=r"cannot grade: there are no exercises in .*nowhere"):
        worker.ask("01_trees", to_bytes(filled()))


def worker_of(exercises=ROOT / "exercises"):
    return Worker({"exercises": str(exercises), "seed": 1, "limit": 5, "sandbox": "bwrap"})


def test_a_cluster_without_dask_is_refused_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="cluster"), command._pool(SimpleNamespace(cluster="tcp://nowhere:1")):
        pass


def test_a_worker_that_dies_twice_is_given_up_and_one_that_was_shut_stays_shut(monkeypatch):
    worker = Worker({})
    monkeypatch.setattr(worker, "_exchange", lambda job, content: (_ for _ in ()).throw(EOFError))
    with pytest.raises(RuntimeError, match="again and again"):
        worker.ask("01_trees", b"")
    worker.stop()
    with pytest.raises(RuntimeError, match="ended"):
        worker.ask("01_trees", b"")


def test_a_fork_server_that_dies_is_replaced():
    with closing(worker_of()) as worker:
        first = worker.ask("01_trees", to_bytes(filled()))
        pid = worker.program.process.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(child), 9)
        assert worker.ask("01_trees", to_bytes(filled()))["record"] == first["record"]
