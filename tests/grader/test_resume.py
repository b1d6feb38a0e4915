"""Kill it, start it again, it goes on; a disk that will not have it costs nothing that was done before."""

import errno
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time

import pytest

from fi_grader.report.results import opened
from fi_teach.__main__ import main
from notebooks import filled, lay, lay_course

MANY = 24


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    """Two dozen students, two of three with one answer wrong."""
    students = {f"student{k:03d}": filled({"trees.recall_mean": f"average_of_all = {55 if k % 3 else 60}  # {k}"})
                for k in range(MANY)}
    return lay_course(tmp_path_factory.mktemp("course"), **students) / "in"


@pytest.fixture(scope="module")
def undisturbed(submissions, tmp_path_factory):
    """The report of a run that nobody disturbed -> Path."""
    report = tmp_path_factory.mktemp("undisturbed") / "report"
    assert main(words(submissions, report)) == 0
    return report


def words(submissions, report, jobs=2):
    return ["grade", str(submissions), "--out", str(report), "--exercises", str(submissions.parent / "exercises"),
            "--seed", "5", "--jobs", str(jobs)]


def lines_of(report):
    """The whole lines of results.jsonl -> list of records."""
    path = report / "results.jsonl"
    content = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in content[:content.rfind(b"\n") + 1].splitlines()]


def same_report(one, other):
    return all((one / name).read_bytes() == (other / name).read_bytes()
               for name in ("results.jsonl", "grades.csv", "students.csv"))


def test_ten_kills_at_random_moments_change_nothing(submissions, undisturbed, tmp_path):
    """SIGKILL ten times, then a run to the end: the same bytes as undisturbed, and none written down twice."""
    rng, report, torn = random.Random(2), tmp_path / "report", 0
    for step in range(10):
        target = step * MANY // 12 + rng.randrange(3)
        running = subprocess.Popen([sys.executable, "-m", "fi_teach", *words(submissions, report)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(lines_of(report)) < target and running.poll() is None:
            time.sleep(0.01)
        torn += running.poll() is None
        running.kill()
        running.wait()
        keys = [record["key"] for record in lines_of(report)]
        assert len(set(keys)) == len(keys)
    assert torn >= 5, "a machine this fast needs more submissions: most runs ended before they could be killed"
    assert main(words(submissions, report)) == 0
    assert same_report(report, undisturbed)


def test_a_second_run_grades_nothing_and_changes_no_byte(submissions, undisturbed):
    def all_files():
        return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in undisturbed.rglob("*")
                if p.is_file() and p.name != ".lock"}
    before = all_files()
    assert main(words(submissions, undisturbed)) == 0
    assert all_files() == before


@pytest.mark.parametrize("after", [0, 3])
def test_a_full_disk_is_said_in_a_line_and_what_was_done_stays(
        after, submissions, undisturbed, tmp_path, monkeypatch, capsys):
    """From the first or the fourth result on, after a last line that is torn; with room again, the same bytes."""
    room, whole = iter(range(after)), (undisturbed / "results.jsonl").read_bytes()
    lay(tmp_path, {"results.jsonl": whole[:len(whole) * 4 // 5], "seed": b"5\n"})
    before = len(lines_of(tmp_path))

    def sync(descriptor):
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", sync)
        assert main(words(submissions, tmp_path, jobs=1)) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "results.jsonl: No space left on device. What was graded before is kept" in said
    assert len(lines_of(tmp_path)) >= before + after
    assert main(words(submissions, tmp_path, jobs=1)) == 0
    assert same_report(tmp_path, undisturbed)


@pytest.mark.parametrize("command", ["grade", "marks", "export"])
def test_a_second_instructor_in_the_same_report_is_told_to_wait(command, submissions, undisturbed, capsys):
    exercises = ["--exercises", str(submissions.parent / "exercises")]
    given = {"grade": words(submissions, undisturbed), "marks": ["marks", str(undisturbed), *exercises],
             "export": ["export", str(undisturbed), "--canvas", *exercises]}[command]
    with opened(undisturbed):
        assert main(given) == 2
    said = capsys.readouterr().err
    assert "another grader is writing into" in said and "wait for it" in said and said.count("\n") == 1


def test_a_clock_that_jumps_changes_nothing(submissions, undisturbed, tmp_path, monkeypatch):
    """Thirty years back and forth at every look at the clock, and files of 1970 and 2070: the same bytes."""
    shutil.copytree(submissions.parent, tmp_path / "course")
    for k, path in enumerate(sorted((tmp_path / "course" / "in").rglob("*.ipynb"))):
        os.utime(path, (k % 2 * 100 * 365 * 86400, k % 2 * 100 * 365 * 86400))
    now, jumps = time.time(), itertools.cycle([-1e9, 1e9])
    monkeypatch.setattr(time, "time", lambda: now + next(jumps))
    assert main(words(tmp_path / "course" / "in", tmp_path / "report")) == 0
    assert (tmp_path / "report" / "grades.csv").read_bytes() == (undisturbed / "grades.csv").read_bytes()
