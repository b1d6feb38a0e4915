"""nbgrader's own programs work on our files, agree with our points, and open the gradebook we write.

Its Formgrader, and what it must not run, is in test_escaping.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fi_grader.exports.gradebook import opened
from fi_grader.release import NBGRADER_CONFIG
from fi_grader.report.spreadsheets import read_table
from fi_teach.__main__ import main
from notebooks import ESSAY, ROOT, filled, find, lay

STUDENTS = {"anna": {}, "bert": {"trees.recall_mean": "average_of_all = 55",
                                 "trees.decrease": "def decrease(left, right):\n    return 0"}}
POINTS = {"anna": 16, "bert": 12}


def nbgrader(folder, *words):
    """Run nbgrader's program in a course folder -> what it printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run([sys.executable, "-m", "nbgrader", *words], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PATH": path, "FI_TEACH_SEED": "9"})
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """An nbgrader course with our source and two submissions in nbgrader's own layout -> Path."""
    folder = tmp_path_factory.mktemp("course")
    lay(folder, {"source/01_trees/01_trees.ipynb": (ROOT / "solutions" / "01_trees.ipynb").read_bytes(),
                 **{f"submitted/{student}/01_trees/01_trees.ipynb": filled(answers)
                    for student, answers in STUDENTS.items()}})
    (folder / "nbgrader_config.py").write_text(NBGRADER_CONFIG + "c.Execute.iopub_timeout = 60\n")
    return folder


@pytest.fixture(scope="module")
def report(course, tmp_path_factory):
    """Our report on the course's submissions, with a gradebook -> Path."""
    report = tmp_path_factory.mktemp("ours") / "report"
    main(["grade", str(course), "--out", str(report), "--seed", "9", "--jobs", "2", "--gradebook"])
    return report


def points_in(table, student="student", points="points"):
    return {row[student]: float(row[points]) for row in read_table(table)[1]}


def test_nbgraders_autograde_gives_honest_submissions_our_points(course, report):
    """generate_assignment, autograde: the real programs, on our source and the same two notebooks."""
    nbgrader(course, "generate_assignment", "01_trees")
    nbgrader(course, "autograde", "01_trees")
    with opened(course) as book:
        theirs = {student: book.find_submission("01_trees", student).score for student in STUDENTS}
    assert theirs == points_in(report / "students.csv") == POINTS


def test_nbgraders_export_of_our_gradebook_has_our_totals(report):
    nbgrader(report, "export", "--to", "out.csv")
    assert points_in(report / "out.csv", "student_id", "score") == POINTS
    assert set(points_in(report / "out.csv", "student_id", "max_score").values()) == {19}


def test_the_exported_notebook_has_the_prose_with_its_rubric_and_our_verdicts(report):
    cells = json.loads((report / "autograded" / "bert" / "01_trees" / "01_trees.ipynb").read_text())["cells"]
    graded = {"cells": [c for c in cells if "fi_teach" in c["metadata"]]}
    assert find(graded, ESSAY, "answer")["source"].startswith("```\n    Attendance took")
    assert any("**Rubric**" in c["source"] and "1 point" in c["source"] for c in cells)
    assert any("averaged the two averages" in str(c.get("outputs")) for c in cells)


def test_points_given_by_hand_survive_grading_again(course, report):
    place = "trees-what_sixty_means-answer", "01_trees", "01_trees", "anna"
    with opened(report) as book:
        book.find_grade(*place).manual_score = 2
        book.db.commit()
    main(["grade", str(course), "--out", str(report), "--gradebook"])
    with opened(report) as book:
        assert book.find_submission("01_trees", "anna").score == 18
        assert not book.find_grade(*place).needs_manual_grade
