"""What a course decides and people add: course.toml, the roster, scores; and the files of a report.

What they come to is in transcripts/deciding.txt, what is refused in refusals.txt.
"""

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from fi_course.questions import QUESTIONS
from fi_grader.exports import gradebook
from fi_grader.report import course, results
from fi_grader.report.report import Report
from notebooks import ROOT, SETS

NAMES = ["01_trees", "02_golf", "03_mdi"]


@pytest.mark.parametrize("content", ["id;name;ta\na;Müller;Ben\n".encode("latin-1"),
                                     "id\tname\tTA\na\tMüller\tBen\n".encode("utf-16"),
                                     "\ufeffID,Name,assistant\na,Müller,Ben\n".encode()])
def test_a_roster_is_read_as_any_spreadsheet_saves_it(content, tmp_path):
    (tmp_path / "r.csv").write_bytes(content)
    assert course.read_roster(tmp_path / "r.csv").people == {"a": course.Person("a", "Müller", assistant="Ben")}


def test_the_example_in_the_instructors_bundle_is_a_course_file(tmp_path):
    for name in ("course.toml", "roster.csv"):
        shutil.copy(ROOT / "fi_grader" / "bundle" / f"{name}.example", tmp_path / name)
    found = course.load(tmp_path / "course.toml", NAMES)
    assert found.late.free_days == 3 and list(found.sets) == ["01_trees", "02_golf"] and len(found.roster.people) == 3


def record(exercise, time):
    """Every answer to a set is right."""
    rows = [{"question": id, "status": "right", "points": question.points, "max_points": question.points, "mistake": "",
             "message": "", "flags": []} for id, question in QUESTIONS.items() if question.notebook == exercise]
    return {"student": "a", "exercise": exercise, "key": "k", "flags": [], "rows": rows,
            "found": {"name": "", "time": time.isoformat(), "is_late": False, "flags": []}}


def test_nbgraders_gradebook_gives_the_points_that_count(tmp_path):
    """Two sets, each a day late, and one free day: it is used up by the first."""
    deadline = datetime(2026, 10, 12, 12, 0, tzinfo=UTC)
    sets = {name: course.Set(name, deadline=deadline) for name in NAMES[:2]}
    with results.opened(tmp_path) as records:
        for name in sets:
            records.add(record(name, deadline + timedelta(days=0.5)))
        gradebook.export(Report(records, course.Course(late=course.Late(1, 0.1), sets=sets)), SETS)
    with gradebook.opened(tmp_path) as book:
        theirs = [book.find_submission(name, "a") for name in sets]
        assert [one.score - one.late_submission_penalty for one in theirs] == [19, 17.1]
