"""Whose a file is says the name that a platform or the instructor gave it, never what a student packed.

What `fi-teach grade --list` says to whole folders and zip files is in transcripts/finding.txt and attacks.txt.
"""

from pathlib import Path

import pytest

from fi_course.submit import submit
from fi_grader.notebooks.exercise import load
from fi_grader.report.course import Person, Roster
from fi_grader.submissions import finding
from fi_grader.submissions.platforms import Owner, keys_of_name, owner_in
from fi_grader.submissions.reading import MOST_FILES
from notebooks import ROOT, filled, lay, to_bytes, zipped

SETS = load(ROOT / "exercises")
TREES, GOLF = to_bytes(filled()), (ROOT / "exercises" / "02_golf.ipynb").read_bytes()


def find(source):
    """All submissions in a folder or zip file -> list."""
    return list(finding.find([source], list(SETS), cell_ids=finding.cell_ids_of(SETS)).submissions())


@pytest.mark.parametrize("name", ["run_10_20_log.txt", "a_1_assignsubmission_file/notes.txt", "submission_1/x.txt",
                                  "submission_metadata.yml", "submitted/x.txt", "handed_in.json", "01_trees/x.png"])
@pytest.mark.parametrize("place", ["anna.zip", "anna/", "anna/work.zip"])
def test_an_honest_student_is_found_whatever_else_is_packed(place, name, tmp_path):
    files = {"01_trees.ipynb": TREES, name: b"x"}
    lay(tmp_path, {f"anna/{path}": content for path, content in files.items()} if place.endswith("/")
        else {place: zipped(files)})
    submission, = find(tmp_path)
    assert (submission.student, submission.exercise, submission.content, submission.found["flags"]) == (
        "anna", "01_trees", TREES, [])


def test_what_a_student_packs_with_submit_is_found(tmp_path):
    lay(tmp_path, {"01_trees.ipynb": TREES, "in/": b""})
    submit([tmp_path / "01_trees.ipynb"], tmp_path / "in" / "carl.zip")
    submission, = find(tmp_path / "in")
    assert (submission.student, submission.content, submission.found["flags"]) == ("carl", TREES, [])


def test_a_roster_matches_people_and_not_numbers_of_two_systems():
    """Moodle's participant 12 is Anna, whatever else is called 12; a login is no name on Canvas."""
    roster = Roster([Person("12", "Bert Ek", login="ekanna"), Person("13", "Anna Ek"),
                     Person("77", "Cy Ek", canvas="5"), Person("9", "Dora Ek", "dora@uni.example", moodle="5"),
                     Person("a", "عبد‌الله خان"), Person("b", "山田 太郎"), Person("c", "Chloé O'Neill"),
                     Person("d", "Борис Иванов")])
    whose = {Owner("Anna Ek", "Moodle", "12"): "13", Owner("ekanna", "Canvas", "77"): "13",
             Owner("x", "Canvas", "5"): "77", Owner("x", "Moodle", "5"): "9", Owner("12"): "12",
             Owner("x", "Gradescope", "12"): "12", Owner("x", "Gradescope", "Dora@uni.example"): "9",
             Owner("خانعبدالله", "Canvas"): "a", Owner("太郎山田", "Canvas"): "b",
             Owner("oneillchloé", "Canvas"): "c", Owner("ивановборис", "Canvas"): "d"}
    assert {owner: roster.find(owner).id for owner in whose} == whose
    assert roster.find(Owner("Stranger", "Moodle", "12")) is None
    assert keys_of_name("Müller, Jörg") == keys_of_name("Jörg Müller")


@pytest.mark.parametrize(("name", "owner"), [
    ("Jörg Groß_5009_assignsubmission_file", Owner("Jörg Groß", "Moodle", "5009")),
    ("Jörg Groß_5009_assignsubmission_file_", Owner("Jörg Groß", "Moodle", "5009")),
    ("Jörg Groß_5009_assignsubmission_file_01_trees.ipynb", Owner("Jörg Groß", "Moodle", "5009", "01_trees.ipynb")),
    ("großjörg_7009_91009_01_trees-1.ipynb",
     Owner("großjörg", "Canvas", "7009", "01_trees-1.ipynb", False, 91009)),
    ("großjörg_LATE_7009_91009_01_trees.ipynb",
     Owner("großjörg", "Canvas", "7009", "01_trees.ipynb", True, 91009)),
    ("anon_x1Yz2_91009_a.ipynb", Owner("anon", "Canvas", "x1Yz2", "a.ipynb", False, 91009)),
    ("großjörg_7009_text.html", Owner("großjörg", "Canvas", "7009", "text.html")),
    ("anna", None), ("01_trees.ipynb", None), ("anna.zip", None)])
def test_a_name_that_a_platform_gave_tells_who_and_what(name, owner):
    assert owner_in(name) == owner
    assert owner_in("anna_1_2_x", is_folder=True) is None


def test_each_file_is_read_once_and_a_zip_in_a_zip_unpacked_once_for_all_its_files(tmp_path, monkeypatch):
    read, content_at = [], finding.reading.content_at
    unpacked, usual = [], finding.reading._unpacked
    monkeypatch.setattr(finding.reading, "content_at", lambda *place: read.append(place) or content_at(*place))
    monkeypatch.setattr(finding.reading, "_unpacked", lambda *one: unpacked.append(one[1].filename) or usual(*one))
    inner = zipped({"01_trees.ipynb": TREES, **{f"{k}.txt": b"" for k in range(100)}})
    find(lay(tmp_path / "0", {"anna/01_trees.ipynb": TREES, "bert.zip": zipped({"02_golf.ipynb": GOLF})}))
    assert sorted(Path(path).name for path, *_ in read) == ["01_trees.ipynb", "bert.zip"]
    find(lay(tmp_path / "1", {"eve.zip": zipped({"inner.zip": inner})}))
    assert unpacked.count("inner.zip") <= 2


def test_a_large_class_and_long_names_are_no_obstacle(tmp_path):
    """More files than one student may have; a name of more bytes than a folder's may have."""
    files = {f"Student {k}_{k}_assignsubmission_file/notes.txt": b"" for k in range(1, MOST_FILES + 2)}
    files[f"{'ก' * 100}_7_assignsubmission_file/01_trees.ipynb"] = TREES
    submission, *absent = find(lay(tmp_path, {"all.zip": zipped(files)}) / "all.zip")
    assert submission.content == TREES and len(absent) == MOST_FILES + 1
    assert len(submission.student.encode()) <= 255 and submission.student.startswith("ก" * 40 + "-")
