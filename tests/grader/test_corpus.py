"""The corpus of tests/grader/submissions: every case gets its points and its flag, and nothing outside the sandbox
changes."""

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from corpus import PLACES, SEED, bulky, every_case, flags, hand_in, honest, points, problem

from notebooks import ESSAY, ROOT, find

SANDBOX = os.environ.get("FI_TEACH_WALLS", "bwrap")
"""The sandbox that the corpus goes through: `make test-walls` sends it through WebAssembly."""
CASES = {case.name: case for case in every_case()}


def fingerprint(*folders):
    """A hash of every file under the folders, with its place -> str."""
    digest = hashlib.sha256()
    for path in sorted(p for folder in folders for p in Path(folder).rglob("*") if "__pycache__" not in p.parts):
        digest.update(os.fsencode(path) + (path.read_bytes() if path.is_file() else b""))
    return digest.hexdigest()


MEASURED = """
import json, sys, time
from fi_teach.__main__ import main
from fi_grader.judging import worker as run
seconds, grade_one = {}, run.grade_one
def timed(job, settings):
    worker = getattr(run._local, "worker", None)
    if not (worker and worker.program):  # its start is not the submission's time
        grade_one({"exercise": "01_trees", "problem": "", "content": b'{"cells": []}'}, settings)
    start = time.monotonic()
    graded = grade_one(job, settings)
    seconds[job["student"]] = time.monotonic() - start
    return graded
run.grade_one = timed
main(["grade", *sys.argv[1:]])
most = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([int(most) / 1024, seconds]))
"""


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """The whole corpus, graded in one run with the sandbox -> {case's name: (Case, record)}, and what the run was like.

    It is a process of its own, so that what it held at most is its own.
    """
    base = tmp_path_factory.mktemp("corpus")
    folders = {word: base / word for word in PLACES}
    for word in ("exercises", "solutions"):
        shutil.copytree(ROOT / word, folders[word])
    folders["home"].mkdir()
    (folders["home"] / "diary").write_text("mine")
    with socket.create_server(("127.0.0.1", 0)) as server:
        cases = every_case({**folders, "port": server.getsockname()[1]})
        cases = [replace(case, **case.in_wasm[0]) for case in cases] if SANDBOX == "wasm" else cases
        students = hand_in(cases, folders["submissions"])
        watched = [folders[w] for w in ("home", "submissions", "exercises", "solutions")] + [*ROOT.glob("fi_*/")]
        before = fingerprint(*watched)
        words = [str(folders["submissions"]), "--out", str(folders["report"]), "--exercises", str(folders["exercises"])]
        words += ["--jobs", "3", "--seed", str(SEED), "--time-limit", "4", "--gradebook", "--sandbox", SANDBOX]
        done = subprocess.run([sys.executable, "-c", MEASURED, *words], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                              check=True)
        unchanged = fingerprint(*watched) == before
    records = [json.loads(line) for line in (folders["report"] / "results.jsonl").read_text().splitlines()]
    found = {students[r["student"]].name: (students[r["student"]], r) for r in records}
    megabytes, seconds = json.loads(done.stdout.splitlines()[-1])
    return {"found": found, "unchanged": unchanged, "report": folders["report"], "megabytes": megabytes,
            "seconds": {students[student].name: took for student, took in seconds.items()}}


def test_no_exported_notebook_renders_what_a_student_wrote(batch):
    """Formgrader's notebooks hold prose as a listing: a fence, and every line between indented; as many as records."""
    notebooks = list((batch["report"] / "autograded").rglob("*.ipynb"))
    assert len(notebooks) == len(batch["found"])
    for path in notebooks:
        prose = find(json.loads(path.read_text()), ESSAY, "answer")["source"].split("\n")
        assert prose == [""] or (prose[0] == prose[-1] == "```"
                                 and all(line.startswith("    ") for line in prose[1:-1])), path


def test_feedback_holds_no_hidden_test_nor_a_place_or_the_name_of_this_machine(batch):
    """An error is told with its place; an import that fails names the file it looked in."""
    pages = {path.parent.name: path.read_text() for path in (batch["report"] / "feedback").rglob("*.html")}
    assert len(pages) == len(batch["found"])
    words = ("BEGIN HIDDEN", "check_hidden", sys.prefix, rf"{Path.home()}\b", rf"(?<!\w){socket.gethostname()}(?!\w)")
    assert not [name for name, page in pages.items() if re.search("|".join(words), page)]
    telling = pages["an error that tells where it was"]
    assert "raise ValueError" in telling and (SANDBOX == "wasm" or "numpy/__init__.py" in telling)


def test_nobody_else_reads_the_seed(batch):
    assert (batch["report"] / "seed").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("name", CASES)
def test_each_case_gets_its_points_and_its_flag(name, batch):
    case, record = batch["found"][name]
    assert not problem(case, record)


def test_honest_work_gets_no_flag(batch):
    assert not {case.name: told for case in honest() if (told := flags(batch["found"][case.name][1]))}


def test_whatever_it_is_handed_the_grader_stays_small_and_no_submission_takes_long(batch):
    """Megabytes that the process which finds, reports and exports held at most, and seconds to read, align, run and
    judge: without bounds a bulky case took 1,650 MB of it, 3 million cells of nothing 57 s.
    """
    assert batch["megabytes"] < 600
    most = 15 + 10 * batch["seconds"]["perfect"]  # WebAssembly and a busy machine are slow with everything
    assert not {case.name: took for case in bulky() if (took := batch["seconds"][case.name]) > most}


def test_nothing_outside_the_sandbox_has_changed_and_nothing_that_students_started_still_runs(batch):
    """Submissions, exercises, solutions, the package and a home folder hash the same after everything above ran; no
    process whose user a sandbox made up, and no fork server, has outlived the run.
    """
    assert batch["unchanged"]
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_ours(pid)]


def _is_ours(pid):
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return False
    return b"fi_grader.sandbox" in command and parent == 1


def test_every_case_was_graded_and_what_ends_otherwise_in_webassembly_says_why(batch, record_property):
    """CI prints the table: case, expected, got, flag."""
    told = {name: "; ".join(dict.fromkeys(flags(record)))[:90] for name, (_, record) in batch["found"].items()}
    lines = [f"{name[:42]:42} {case.points:8} {points(record):4}  {told[name]}".rstrip()
             for name, (case, record) in batch["found"].items()]
    record_property("table", "\n".join([f"{'case':42} expected  got  flag", *lines]))
    assert set(batch["found"]) == set(CASES)
    assert all(why for other, why in (case.in_wasm for case in CASES.values()) if other)
