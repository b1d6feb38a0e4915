"""Kill it, start it again, it goes on; a disk that will not have it costs nothing that was done before."""

import errno
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from fi_grader import main
from fi_teach.__main__ import main as main_of_the_program
from notebooks import filled, lay_course, to_bytes

MANY = 24


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    """Two dozen students, two of three with one answer wrong; beside them the one set, so that no grader warms up for
    another.
    """
    students = {f"student{k:03d}": filled({"trees.recall_mean": f"average_of_all = {55 if k % 3 else 60}  # {k}"})
                for k in range(MANY)}
    return lay_course(tmp_path_factory.mktemp("course"), **students) / "in"


@pytest.fixture(scope="module")
def undisturbed(submissions, tmp_path_factory):
    """The report of a run that nobody disturbed -> Path."""
    report = tmp_path_factory.mktemp("undisturbed") / "report"
    assert grade(submissions, report).wait() == 0
    return report


def words(submissions, report, *options):
    """What follows `fi-teach` on the command line -> list."""
    return ["grade", str(submissions), "--out", str(report), "--exercises", str(submissions.parent / "exercises"),
            *options]


def grade(submissions, report, **options):
    """Start the grader as a program of its own -> Popen."""
    command = [sys.executable, "-m", "fi_teach", *words(submissions, report, "--seed", "5", "--jobs", "2")]
    return subprocess.Popen(command, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options})


def lines_of(report):
    """The whole lines of results.jsonl -> list of records."""
    path = report / "results.jsonl"
    content = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in content[:content.rfind(b"\n") + 1].splitlines()]


def same_report(one, other):
    return all((one / name).read_bytes() == (other / name).read_bytes()
               for name in ("results.jsonl", "grades.csv", "students.csv"))


def test_ten_kills_at_random_moments_change_nothing(submissions, undisturbed, tmp_path):
    """SIGKILL ten times, then a run to the end: the same bytes as undisturbed, and no submission ever written down
    twice.
    """
    rng, report, torn = random.Random(2), tmp_path / "report", 0
    for step in range(10):
        target = step * MANY // 12 + rng.randrange(3)
        running = grade(submissions, report)
        while len(lines_of(report)) < target and running.poll() is None:
            time.sleep(0.01)
        torn += running.poll() is None
        running.send_signal(signal.SIGKILL)
        running.wait()
        keys = [record["key"] for record in lines_of(report)]
        assert len(set(keys)) == len(keys)
    assert torn >= 5, "a machine this fast needs more submissions: most runs ended before they could be killed"
    assert grade(submissions, report).wait() == 0
    assert same_report(report, undisturbed)


def test_a_torn_last_line_is_cut_off_and_graded_again(submissions, undisturbed, tmp_path):
    report = tmp_path / "report"
    report.mkdir()
    whole = (undisturbed / "results.jsonl").read_bytes()
    (report / "results.jsonl").write_bytes(whole[:len(whole) * 2 // 3])
    (report / "seed").write_text("5\n")
    assert grade(submissions, report).wait() == 0
    assert same_report(report, undisturbed)


def test_a_second_run_grades_nothing_and_changes_no_byte(submissions, undisturbed):
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in undisturbed.rglob("*")
              if p.is_file() and p.name != ".lock"}
    assert grade(submissions, undisturbed).wait() == 0
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in undisturbed.rglob("*")
            if p.is_file() and p.name != ".lock"} == before


def begun(report, undisturbed, share):
    """A report in which this share of the results is written down already."""
    report.mkdir()
    lines = (undisturbed / "results.jsonl").read_bytes().splitlines(keepends=True)
    (report / "results.jsonl").write_bytes(b"".join(lines[:int(share * MANY)]))
    (report / "seed").write_text("5\n")


@pytest.mark.parametrize("after", [0, 3])
def test_a_full_disk_is_said_in_a_line_and_what_was_done_stays(
        after, submissions, undisturbed, tmp_path, monkeypatch, capsys):
    """The disk is full from the first or the fourth result on: exit code 2, one line; with room again, the same bytes.
    """
    report, room = tmp_path / "report", iter(range(after))
    begun(report, undisturbed, 0.8)
    command = words(submissions, report, "--seed", "5", "--jobs", "1")

    def sync(descriptor):
        if next(room, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", sync)
        assert main_of_the_program(command) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert "results.jsonl: No space left on device. What was graded before is kept" in said
    assert len(lines_of(report)) >= 0.8 * MANY + after
    assert main_of_the_program(command) == 0
    assert same_report(report, undisturbed)


def test_a_report_folder_that_cannot_be_made_is_refused_by_name(submissions, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ValueError, match=r"cannot write .*file/report"):
        main([str(submissions), "--out", str(tmp_path / "file" / "report")])


@pytest.mark.parametrize("command", ["grade", "marks", "export"])
def test_a_second_instructor_in_the_same_report_is_told_to_wait(command, submissions, undisturbed, capsys):
    from fi_grader.report.results import opened
    exercises = ["--exercises", str(submissions.parent / "exercises")]
    given = {"grade": words(submissions, undisturbed), "marks": ["marks", str(undisturbed), *exercises],
             "export": ["export", str(undisturbed), "--canvas", *exercises]}[command]
    with opened(undisturbed):
        assert main_of_the_program(given) == 2
    said = capsys.readouterr().err
    assert "another grader is writing into" in said and "wait for it" in said and said.count("\n") == 1


def test_a_clock_that_jumps_changes_nothing(submissions, undisturbed, tmp_path, monkeypatch):
    """Thirty years back and forth at every look at the clock, and files of 1970 and 2070: the same bytes."""
    folder, report = tmp_path / "submissions", tmp_path / "report"
    shutil.copytree(submissions, folder)
    for k, path in enumerate(sorted(folder.rglob("*.ipynb"))):
        os.utime(path, (k % 2 * 100 * 365 * 86400, k % 2 * 100 * 365 * 86400))
    now, jumps = time.time(), itertools.cycle([-1e9, 1e9])
    monkeypatch.setattr(time, "time", lambda: now + next(jumps))
    assert main(words(folder, report, "--seed", "5", "--exercises", str(submissions.parent / "exercises"))[1:]) == 0
    assert (report / "grades.csv").read_bytes() == (undisturbed / "grades.csv").read_bytes()


def test_another_seed_needs_another_report(submissions, undisturbed):
    with pytest.raises(ValueError, match="another seed"):
        main(words(submissions, undisturbed, "--seed", "6")[1:])


def test_a_new_version_of_one_submission_is_graded_and_the_others_are_not(submissions, undisturbed, tmp_path):
    folder, report = tmp_path / "course" / "in", tmp_path / "report"
    shutil.copytree(submissions.parent, folder.parent)
    shutil.copytree(undisturbed, report)
    assert grade(folder, report).wait() == 0
    (folder / "student001" / "01_trees.ipynb").write_bytes(to_bytes(filled()))
    running = grade(folder, report)
    assert running.wait() == 0
    was, now = ({r["student"]: (r["key"], sum(row["points"] or 0 for row in r["rows"])) for r in lines_of(where)}
                for where in (undisturbed, report))
    assert {s for s in was if was[s] != now[s]} == {"student001"}
    assert (was["student001"][1], now["student001"][1]) == (15, 16)
