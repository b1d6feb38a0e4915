"""The grader's parts, each by itself: how cells are matched, what is said, sandboxes and workers."""

import os
import shutil
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fi_grader.judging.judge import plan_of
from fi_grader.judging.student import StudentProcess, StudentProcessDied
from fi_grader.judging.worker import Worker
from fi_grader.sandbox import choose as sandbox
from fi_grader.sandbox.inside import protocol as messages
from fi_grader.sandbox.inside.restore import could_overwrite
from notebooks import ROOT, TREES, filled, handed_out, to_bytes

# Aligning

def test_every_question_is_judged_once_after_its_answer_and_before_the_next():
    assert plan_of(TREES, to_bytes(handed_out())).untouched == set(TREES.questions)
    order = [(step.verb, step.question) for step in plan_of(TREES, to_bytes(filled())).steps]
    judged = [question for verb, question in order if verb == "judge"]
    assert judged == [q for q in TREES.questions if q in TREES.expressions]
    assert all(order.index(("run", q)) < order.index(("judge", q)) for q in judged)
    assert order.index(("judge", judged[0])) < order.index(("run", judged[1]))


# A student process

@pytest.mark.parametrize(("source", "could"), [
    ("x = 1\ny = x == 2", False), ("def f(a, b=1):\n    return f(a, b=2)", False), ("np.abs = 1", True),
    ("setattr(np, 'abs', 1)", True), ("del np.abs", True), ("f.__code__ = g", True), ("import builtins", True)])
def test_only_code_that_could_overwrite_is_looked_after(source, could):
    assert could_overwrite(source) is could


@pytest.fixture(scope="module")
def server():
    with closing(sandbox.ForkServer(TREES.modules)) as server:
        yield server


def test_what_a_student_lends_is_taken_back_after_the_question(server):
    student = StudentProcess(server)
    call = {"arguments": messages.encode([-3]), "options": messages.encode({})}
    with student.within(5):
        call["callback"] = student.register(abs)
        assert student._run_callback(call) == {"value": 3, "changed": {}}
    assert "error" in student._run_callback(call)
    student.end()


def test_the_tables_of_the_exercises_are_read_before_a_process_is_forked(server):
    student = StudentProcess(server)
    with student.within(5):
        read = student.value("__import__('sys').modules['fi_teach.data.table']._stored_table.cache_info().currsize")
    student.end()
    assert read == 1  # set 1 has the midterm


def test_memory_of_all_processes_together_has_a_limit(monkeypatch):
    monkeypatch.setitem(sandbox.LIMITS, "megabytes_in_all", 150)
    with closing(sandbox.ForkServer()) as server:
        student = StudentProcess(server)
        with pytest.raises(StudentProcessDied), student.within(20):
            student.ask("run", "import os, time\nfor _ in range(3):\n    if not os.fork():\n        break\n"
                        "hoard = b'x' * (10**8)\ntime.sleep(60)", "cell")
        assert student.end()


# Which sandbox

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

def worker_of(exercises=ROOT / "exercises"):
    return closing(Worker({"exercises": str(exercises), "seed": 1, "limit": 5, "sandbox": "bwrap"}))


def test_a_worker_that_cannot_grade_where_it_is_says_so_and_writes_nothing_down(tmp_path):
    """As on a machine of a cluster that does not share the course's folder."""
    with worker_of(tmp_path / "nowhere") as worker, pytest.raises(
            ValueError, match=r"cannot grade: there are no exercises in .*nowhere"):
        worker.ask("01_trees", b"")


def test_a_worker_that_dies_twice_is_given_up_and_one_that_was_shut_stays_shut(monkeypatch):
    worker = Worker({})
    monkeypatch.setattr(worker, "_exchange", lambda job, content: (_ for _ in ()).throw(EOFError))
    for words in ("again and again", "ended"):
        with pytest.raises(RuntimeError, match=words):
            worker.ask("01_trees", b"")
        worker.stop()


def test_a_fork_server_that_dies_is_replaced():
    with worker_of() as worker:
        first = worker.ask("01_trees", to_bytes(filled()))
        pid = worker.program.process.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(child), 9)
        assert worker.ask("01_trees", to_bytes(filled()))["record"] == first["record"]
