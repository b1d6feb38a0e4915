"""The command from end to end. What it prints is in transcripts/deciding.txt, what it refuses in refusals.txt."""

import json
import re
import sys
import threading
import zipfile
from contextlib import closing

import pytest
from corpus import written

import fi_teach.__main__ as cli
from fi_grader import command
from fi_grader.exports import gradescope
from fi_grader.judging import judge, worker
from fi_grader.report.results import seed_of
from fi_grader.sandbox import choose
from fi_grader.submissions import finding
from notebooks import ROOT, SETS, TREES, filled, grade, lay, lay_course


def test_an_error_while_jobs_are_handed_out_ends_the_run_and_what_was_graded_stays(tmp_path, monkeypatch):
    lay_course(tmp_path, **{f"s{k}": filled({"trees.recall_mean": f"average_of_all = 60  # {k}"}) for k in range(8)})

    def of_student(found, student, usual=finding.Found.of_student):
        if student == "s6":
            raise MemoryError("no room for s6")
        return usual(found, student)
    monkeypatch.setattr(finding.Found, "of_student", of_student)
    with pytest.raises(MemoryError):
        grade(tmp_path, "--jobs", "2")
    assert (tmp_path / "out" / "results.jsonl").read_bytes().count(b"\n") == 6


def test_the_seed_comes_from_the_option_the_environment_or_chance(monkeypatch, tmp_path):
    assert (command._seed(3), command._seed(None)) == (3, None)
    monkeypatch.setenv("FI_TEACH_SEED", "8")
    assert command._seed(None) == 8
    monkeypatch.setenv("FI_TEACH_SEED", "eight")
    with pytest.raises(ValueError, match=r"FI_TEACH_SEED holds 'eight'.*correct it"):
        command._seed(None)
    assert seed_of(tmp_path) == seed_of(tmp_path)


def test_ctrl_c_ends_in_a_word(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command.finding, "find", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
    assert cli.main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == "fi-teach grade: stopped.\n"


def test_what_the_grader_itself_could_not_do_is_tried_again():
    """Its result is written down for a person to see, but not under the key that would keep it."""
    job = {"student": "anna", "exercise": "01_trees", "key": "k", "found": {"file": "x"}, "problem": ""}
    record = worker.named_record(job, {"problem": "the grader was ended twice"}, SETS, "bwrap")
    assert record["flags"] == ["given up"] and record["key"] != "k"


# Gradescope

def test_results_for_gradescope_have_its_fields_and_no_score_for_prose():
    row = {"question": "trees.decrease", "status": "right", "points": 3, "max_points": 3, "mistake": "", "message": ""}
    wrong = {**row, "status": "wrong", "points": 0, "mistake": "mean of two means", "message": "No."}
    prose = {**row, "question": "trees.what_sixty_means", "status": "by hand", "points": None}
    found = gradescope.results_of({"flags": [], "rows": [row, wrong, prose]})
    assert found["score"] == 3 and found["stdout_visibility"] == "hidden"
    assert [t.get("score") for t in found["tests"]] == [3, 0, None]
    known = {"score", "max_score", "status", "name", "number", "output", "output_format", "tags", "visibility"}
    assert all(set(test) <= known and test["visibility"] == "visible" for test in found["tests"])
    assert found["tests"][1]["output"] == "Not right. mean of two means. No."
    assert found["tests"][1]["tags"] == ["mean of two means"]


def test_the_autograder_grades_a_folder_as_gradescope_hands_it_over(tmp_path):
    """A notebook of any name, which leaves a process behind to change the results."""
    results, exercises = tmp_path / "results.json", lay_course(tmp_path) / "exercises"
    (_, source), = written("stays", RESULTS=repr(str(results)))
    answers = {"trees.recall_mean": source, "trees.decrease": "decrease = 0"}
    folder = lay(tmp_path, {"submission/mine.ipynb": filled(answers)}) / "submission"
    expected = gradescope.results_of(gradescope.grade_one("01_trees", folder, 3, exercises))
    gradescope.write(results, json.dumps(expected))
    gradescope.grade_one("01_trees", folder, 3, exercises)  # so that it had its time
    assert json.loads(results.read_text()) == expected and expected["score"] == 13
    with pytest.raises(ValueError, match="there is no set 02_golf"):
        gradescope.grade_one("02_golf", folder, 3, exercises)


def test_the_autograder_brings_a_sandbox_and_never_goes_without(tmp_path, monkeypatch):
    """A container may deny bubblewrap: set-up installs the WebAssembly one, and without both nothing is graded."""
    with zipfile.ZipFile(gradescope.export(tmp_path, "01_trees", ROOT, 3)) as archive:
        assert all(archive.getinfo(name).external_attr >> 16 == 0o755 for name in ("setup.sh", "run_autograder"))
        setup, run = archive.read("setup.sh").decode(), archive.read("run_autograder").decode()
        assert "bubblewrap" in setup and "wasm" in setup.split('".[')[1].split("]")[0].split(",")
        assert "01_trees /autograder/submission /autograder/results/results.json 3" in run
        assert {"course/solutions/01_trees.ipynb", "course/fi_grader/judging/worker.py",
                "course/fi_grader/report/templates/class.html"} <= set(archive.namelist())
    monkeypatch.setattr(choose, "probe", lambda kind: f"{kind} failed: denied")
    with pytest.raises(ValueError, match="there is no sandbox here"):
        gradescope.grade_one("01_trees", lay_course(tmp_path, you=filled()) / "in/you", 3, tmp_path / "exercises")


def test_the_steps_of_the_readme_are_those_that_a_submission_takes(tmp_path, monkeypatch):
    """Each function that the numbered steps name is called, for the first time in this order.

    The judge's work is done here, not in a process of its own, where it could not be watched.
    """
    text = (ROOT / "fi_grader" / "README.md").read_text(encoding="utf-8")
    steps = re.findall(r"`(\w+(?:\.\w+)+)`", text[text.index("\n1. "):text.index("Where things are")])
    assert len(steps) >= 10
    seen = {}

    def watch(frame, event, _):
        if event == "call" and frame.f_globals.get("__name__", "").startswith("fi_grader"):
            seen.setdefault(f"{frame.f_globals['__name__'].rpartition('.')[2]}.{frame.f_code.co_qualname}")
    lay_course(tmp_path, anna=filled())
    choose.level("auto")  # its trial forks too
    with closing(choose.start_server("bwrap", TREES.modules)) as server:
        monkeypatch.setattr(worker.Worker, "_exchange", lambda _, job, content: {
            "record": judge.grade(TREES, content, server, seed=1)})
        for who in (sys, threading):
            who.setprofile(watch)
        try:
            grade(tmp_path)
        finally:
            for who in (sys, threading):
                who.setprofile(None)
    assert [name for name in seen if name in steps] == steps
