"""Kill it, start it again, it goes on; a disk that will not have it costs nothing that was done before."""

import json
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "submissions"))
from fi_teach.grading import main
from notebooks import filled, to_bytes

MANY = 60


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    """Sixty students, every third with one answer wrong."""
    folder = tmp_path_factory.mktemp("submissions")
    for k in range(MANY):
        (folder / f"student{k:02d}").mkdir()
        answer = {"trees.recall_mean": f"average_of_all = {55 if k % 3 else 60}  # {k}"}
        (folder / f"student{k:02d}" / "01_trees.ipynb").write_bytes(to_bytes(filled(answer)))
    return folder


@pytest.fixture(scope="module")
def undisturbed(submissions, tmp_path_factory):
    """The report of a run that nobody disturbed -> Path."""
    report = tmp_path_factory.mktemp("undisturbed") / "report"
    assert grade(submissions, report).wait() == 0
    return report


def grade(submissions, report, **options):
    """Start the grader as a program of its own -> Popen."""
    command = [sys.executable, "-m", "fi_teach.cli", "grade", str(submissions), "--out", str(report), "--seed", "5", "--jobs", "2"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def lines_of(report):
    """The whole lines of results.jsonl -> list of records."""
    path = report / "results.jsonl"
    content = path.read_bytes() if path.exists() else b""
    return [json.loads(line) for line in content[:content.rfind(b"\n") + 1].splitlines()]


def same_report(one, other):
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in ("results.jsonl", "grades.csv", "students.csv"))


def test_ten_kills_at_random_moments_change_nothing(submissions, undisturbed, tmp_path):
    """SIGKILL ten times, then a run to the end: the same bytes as undisturbed, and no submission ever written down twice."""
    rng, report = random.Random(2), tmp_path / "report"
    for _ in range(10):
        target = len(lines_of(report)) + rng.randrange(5)
        running = grade(submissions, report)
        while len(lines_of(report)) < target and running.poll() is None:
            time.sleep(0.01)
        time.sleep(0.3 * rng.random())
        running.send_signal(signal.SIGKILL)
        running.wait()
        keys = [record["key"] for record in lines_of(report)]
        assert len(set(keys)) == len(keys)
    assert 0 < len(keys) < MANY
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
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in undisturbed.rglob("*") if p.is_file() and p.name != ".lock"}
    assert grade(submissions, undisturbed).wait() == 0
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in undisturbed.rglob("*") if p.is_file() and p.name != ".lock"} == before


def test_a_full_disk_is_said_in_a_line_and_what_was_done_stays(submissions, undisturbed, tmp_path):
    """No file may grow beyond 60 kB: the run stops with a clear error; with room again it goes on to the same bytes."""
    report = tmp_path / "report"
    limited = grade(submissions, report, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)))
    _, said = limited.communicate()
    assert limited.returncode == 2
    assert "cannot write" in said and "What was graded before is kept" in said and "Traceback" not in said
    assert 0 < len(lines_of(report)) < MANY
    assert grade(submissions, report).wait() == 0
    assert same_report(report, undisturbed)


def test_a_report_folder_that_cannot_be_made_is_refused_by_name(submissions, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ValueError, match=r"cannot write .*file/report"):
        main([str(submissions), "--out", str(tmp_path / "file" / "report")])


def test_two_graders_do_not_share_a_report(submissions, undisturbed):
    from fi_teach.grading.results import opened
    with opened(undisturbed), pytest.raises(ValueError, match="another grader"):
        main([str(submissions), "--out", str(undisturbed)])


def test_another_seed_needs_another_report(submissions, undisturbed):
    with pytest.raises(ValueError, match="another seed"):
        main([str(submissions), "--out", str(undisturbed), "--seed", "6"])


def test_a_new_version_of_one_submission_is_graded_and_the_others_are_not(submissions, undisturbed, tmp_path):
    import shutil
    folder, report = tmp_path / "submissions", tmp_path / "report"
    shutil.copytree(submissions, folder)
    shutil.copytree(undisturbed, report)
    assert grade(folder, report).wait() == 0
    (folder / "student01" / "01_trees.ipynb").write_bytes(to_bytes(filled()))
    running = grade(folder, report)
    assert running.wait() == 0
    was, now = ({r["student"]: (r["key"], sum(row["points"] or 0 for row in r["rows"])) for r in lines_of(where)} for where in (undisturbed, report))
    assert {s for s in was if was[s] != now[s]} == {"student01"}
    assert (was["student01"][1], now["student01"][1]) == (23, 24)
