"""Whose a file is says the name that a platform or the instructor gave it, never what a student packed."""

import io
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from fi_course.submit import submit
from fi_grader.notebooks.exercise import load
from fi_grader.report.course import Person, Roster
from fi_grader.submissions import finding
from fi_grader.submissions.files import JUNK
from fi_grader.submissions.platforms import Owner, copy_number, keys_of_name, owner_in
from fi_grader.submissions.reading import MOST_FILES
from notebooks import ROOT, filled, lay, to_bytes

SETS = load(ROOT / "exercises")
CELL_IDS = finding.cell_ids_of(SETS)
TREES, GOLF = to_bytes(filled()), (ROOT / "exercises" / "02_golf.ipynb").read_bytes()
MOODLES = "Anna Ek_1_assignsubmission_file"
GRADESCOPE = """submission_301:
  :submitters:
  - :name: Anna Ek
    :sid: '77'
    :email: anna@uni.example
  :created_at: 2026-10-11 12:00:00.000000000 Z
submission_302:
  :submitters:
  - :name: ../../Bert
    :sid: ''
"""


def zipped(files, year=2026):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (year, 10, 11, 12, 0, 0)), content)
    return memory.getvalue()


def find(*sources, roster=None):
    """All submissions that hold a file, and the skipped files."""
    found = finding.find(sources, list(SETS), cell_ids=CELL_IDS, roster=roster)
    return list(found.submissions()), found.skipped


def found_in(*sources, roster=None):
    """{(student, set): name of the file} and {name of the file: why it is left aside}."""
    found, skipped = find(*sources, roster=roster)
    names = {(s.student, s.exercise): Path(s.found["file"].rpartition(":")[2]).name for s in found if s.found["file"]}
    return names, {Path(a.file.rpartition(":")[2]).name: a.why for a in skipped}


# Whose it is

ATTACKS = {
    "Moodle's folder in a zip": {"eve.zip": zipped({f"{MOODLES}/01_trees.ipynb": TREES}, 2030)},
    "Moodle's flat file in a zip": {"eve.zip": zipped({f"{MOODLES}_01_trees.ipynb": TREES}, 2030)},
    "Canvas's flat files in a zip": {"eve.zip": zipped({"ekanna_LATE_11_99999_01_trees.ipynb": TREES}, 2030)},
    "a zip in a zip": {"eve.zip": zipped({"a.zip": zipped({f"{MOODLES}/01_trees.ipynb": TREES}, 2030)})},
    "a class in a folder": {f"eve/{MOODLES}/01_trees.ipynb": TREES, "eve/ekanna_11_99999_01_trees.ipynb": TREES},
    "the list that collecting wrote": {
        "eve/handed_in.json": json.dumps([{"student": MOODLES, "exercise": "01_trees", "time": "2030-01-01",
                                           "is_late": True}]).encode(),
        "eve/eve/01_trees.ipynb": TREES, f"eve/{MOODLES}/01_trees.ipynb": TREES},
    "Gradescope's list": {"eve/submission_metadata.yml": GRADESCOPE.encode(), "eve/submission_301/x.ipynb": TREES},
    "Gradescope's list in a zip": {"eve.zip": zipped({"submission_metadata.yml": GRADESCOPE.encode(),
                                                      "submission_301/01_trees.ipynb": TREES})},
    "nbgrader's folder": {"eve/submitted/anna/01_trees/01_trees.ipynb": TREES, "eve/source/x.ipynb": TREES},
    "a path that climbs": {"eve.zip": zipped({f"../{MOODLES}/01_trees.ipynb": TREES, "/x/01_trees.ipynb": TREES})},
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_name_in_what_a_student_packs_says_whose_it_is(attack, packed, tmp_path):
    """Anna's submission is the same beside Eve's: not replaced, dated, called late or flagged; all else is Eve's."""
    alone, beside = {f"{MOODLES}/01_trees.ipynb": TREES}, {**ATTACKS[attack], f"{MOODLES}/01_trees.ipynb": TREES}
    found = []
    for number, files in enumerate((alone, beside)):
        source = lay(tmp_path / str(number), {"all.zip": zipped(files)} if packed else files)
        submissions, skipped = find(source / "all.zip" if packed else source)
        found.append({s.student: replace(s, found={**s.found, "source": "", "file": ""}) for s in submissions})
        assert not [one for one in skipped if one.student not in ("", "eve")]
    assert found[0]["Anna Ek_1"] == found[1].pop("Anna Ek_1")
    assert set(found[1]) == {"eve"}


@pytest.mark.parametrize("name", ["run_10_20_log.txt", "a_1_assignsubmission_file/notes.txt", "submission_1/x.txt",
                                  "submission_metadata.yml", "submitted/x.txt", "handed_in.json", "01_trees/x.png"])
@pytest.mark.parametrize("place", ["anna.zip", "anna/", "anna/work.zip"])
def test_an_honest_student_is_found_whatever_else_is_packed(place, name, tmp_path):
    files = {"01_trees.ipynb": TREES, name: b"x"}
    lay(tmp_path, {f"anna/{path}": content for path, content in files.items()} if place.endswith("/")
        else {place: zipped(files)})
    submission, = find(tmp_path)[0]
    assert (submission.student, submission.exercise, submission.content, submission.found["flags"]) == (
        "anna", "01_trees", TREES, [])


def test_a_class_in_a_student_s_place_is_flagged_with_the_way_out(tmp_path):
    """Moodle's download lies in a folder of students and was not named: it is one student's, and a person hears it."""
    whole = zipped({f"{MOODLES}/01_trees.ipynb": TREES, "Bert Ek_2_assignsubmission_file/01_trees.ipynb": TREES})
    source = lay(tmp_path, {"set1.zip": whole, "cy/01_trees.ipynb": TREES})
    flags = {s.student: s.found["flags"] for s in find(source)[0]}
    assert "named for Anna Ek_1: a download of the whole class is to be named" in "".join(flags["set1"])
    assert not flags["cy"]
    assert {s.student for s in find(source, source / "set1.zip")[0]} == {"Anna Ek_1", "Bert Ek_2", "cy"}


def test_a_roster_matches_people_and_not_numbers_of_two_systems():
    """Moodle's participant 12 is Anna, whatever else is called 12; a login is no name on Canvas."""
    roster = Roster([Person("12", "Bert Ek", login="ekanna"), Person("13", "Anna Ek"),
                     Person("77", "Cy Ek", canvas="5"), Person("9", "Dora Ek", "dora@uni.example", moodle="5")])
    assert roster.find(Owner("Anna Ek", "Moodle", "12")).id == "13"
    assert roster.find(Owner("ekanna", "Canvas", "77")).id == "13"
    assert [roster.find(Owner("x", platform, "5")).id for platform in ("Canvas", "Moodle")] == ["77", "9"]
    assert roster.find(Owner("Stranger", "Moodle", "12")) is None
    assert roster.find(Owner("x", "Gradescope", "12")).id == roster.find(Owner("12")).id == "12"
    assert roster.find(Owner("x", "Gradescope", "Dora@uni.example")).id == "9"


def test_two_accounts_of_one_name_want_a_person(tmp_path):
    """Who renames an account to Anna's name hands in as Anna; the roster cannot tell, so a person must."""
    roster = Roster([Person("a", "Anna Ek")])
    files = {f"{MOODLES}/01_trees.ipynb": TREES, "Anna Ek_666_assignsubmission_file/01_trees.ipynb": TREES}
    submission, = find(lay(tmp_path, files), roster=roster)[0]
    assert submission.student == "a" and submission.found["flags"] == ["handed in by two accounts, 1 and 666"]


def test_the_roster_joins_what_one_student_hands_in_on_two_platforms(tmp_path):
    roster = Roster([Person("s1", "Anna Ek", "anna@uni.example"), Person("s2", "Bert Ek", canvas="12"),
                     Person("s3", "Bert Ek")])
    files = {f"{MOODLES}/01_trees.ipynb": TREES, "ekanna_11_901_02_golf.ipynb": GOLF,
             "ekbert_12_902_01_trees.ipynb": TREES, "s3/01_trees.ipynb": TREES, "anna_01_trees.ipynb": TREES,
             "Bert Ek_9_assignsubmission_file/01_trees.ipynb": TREES}
    found, _ = find(lay(tmp_path, files), roster=roster)
    assert {(s.student, s.exercise): s.found["flags"] for s in found} == {
        ("s1", "01_trees"): [], ("s1", "02_golf"): [], ("s2", "01_trees"): [], ("s3", "01_trees"): [],
        ("Bert Ek_9", "01_trees"): ["not in the roster"]}


def test_names_in_any_script_are_found_as_platforms_write_them():
    roster = Roster([Person("a", "عبد‌الله خان"), Person("b", "山田 太郎"), Person("c", "Chloé O'Neill"),
                     Person("d", "Борис Иванов")])
    names = ("خانعبدالله", "太郎山田", "oneillchloé", "ивановборис")
    assert [roster.find(Owner(name, "Canvas")).id for name in names] == list("abcd")
    assert keys_of_name("Müller, Jörg") == keys_of_name("Jörg Müller")


# What platforms hand out

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


@pytest.mark.parametrize(("stem", "number"), [("01_trees (2)", 2), ("01_trees-1", 1), ("01_trees", 0),
                                              ("01_trees-Copy1", 0)])
def test_the_number_that_a_browser_or_canvas_adds_tells_the_newer_file(stem, number):
    assert copy_number(stem) == number


def test_moodles_folders_flat_files_and_zip_are_read_side_by_side(tmp_path):
    whole = zipped({"Carl Ek_3_assignsubmission_file/01_trees.ipynb": TREES, "__MACOSX/x/._01_trees.ipynb": b"",
                    "Dora Ek_4_assignsubmission_file/deep/er/x.ipynb": TREES})
    folder = lay(tmp_path, {f"{MOODLES}_/01_trees.ipynb": TREES,
                            "Bert Ek_2_assignsubmission_file_01_trees.ipynb": TREES,
                            "all.zip": whole, "eve.zip": zipped({"exercises/01_trees.ipynb": TREES})})
    names, skipped = found_in(folder, folder / "all.zip")
    assert set(names) == {(s, "01_trees") for s in ("Anna Ek_1", "Bert Ek_2", "Carl Ek_3", "Dora Ek_4", "eve")}
    assert skipped == {"._01_trees.ipynb": JUNK}
    times = {s.student: s.found["time"] for s in find(folder / "all.zip")[0]}
    assert set(times.values()) == {"2026-10-11T12:00:00"}, "a platform's zip file tells when each came"


def test_canvas_flat_files_beside_folders_and_alone_are_read(tmp_path):
    folder = lay(tmp_path, {"ekanna_11_901_01_trees.ipynb": TREES, "ekanna_11_955_01_trees-1.ipynb": TREES,
                            "ekanna_11_960_02_golf.ipynb": GOLF, "carl/01_trees.ipynb": TREES,
                            "ekbert_LATE_12_902_answers.zip": zipped({"01_trees.ipynb": TREES})})
    names, skipped = found_in(folder)
    assert names == {("ekanna_11", "01_trees"): "ekanna_11_955_01_trees-1.ipynb",
                     ("ekanna_11", "02_golf"): "ekanna_11_960_02_golf.ipynb",
                     ("ekbert_12", "01_trees"): "01_trees.ipynb", ("carl", "01_trees"): "01_trees.ipynb"}
    assert "an older file of ekanna_11" in skipped["ekanna_11_901_01_trees.ipynb"]
    assert [s.found["is_late"] for s in find(folder)[0] if s.found["platform"]] == [False, False, True]


@pytest.mark.parametrize("packed", [False, True])
def test_gradescopes_export_is_read_by_its_list_of_people(packed, tmp_path):
    files = {"submission_metadata.yml": GRADESCOPE.encode(), "submission_301/01_trees.ipynb": TREES,
             "submission_302/01_trees.ipynb": TREES}
    files = {f"assignment_9_export/{name}": content for name, content in files.items()}
    lay(tmp_path, {"export.zip": zipped(files)} if packed else files)
    found, _ = find(tmp_path / "export.zip" if packed else tmp_path)
    assert [s.student for s in found] == ["Anna Ek_77", "_.._Bert"]
    assert found[0].found["time"].startswith("2026-10-11T12:00")


def test_our_layout_nbgraders_and_the_zip_of_submit_are_found(tmp_path):
    lay(tmp_path, {"submitted/anna/01_trees/01_trees.ipynb": TREES, "bert/02_golf/02_golf.ipynb": b"{}",
                   "source/01_trees/01_trees.ipynb": TREES, "01_trees.ipynb": TREES,
                   "dora/.ipynb_checkpoints/01_trees-checkpoint.ipynb": TREES})
    submit([tmp_path / "01_trees.ipynb"], tmp_path / "carl.zip")
    (tmp_path / "01_trees.ipynb").unlink()
    found, skipped = find(tmp_path)
    assert {(s.student, s.exercise, bool(s.found["file"])) for s in found} == {
        ("anna", "01_trees", True), ("bert", "02_golf", True), ("carl", "01_trees", True),
        ("dora", "01_trees", False), ("dora", "02_golf", False)}
    assert all(one.is_junk for one in skipped)
    assert next(s for s in found if s.student == "carl").content == TREES


# Which file counts, and why others do not

@pytest.mark.parametrize(("name", "flags"), [
    ("01_trees.IPYNB", []), ("01_trees.ipynb.txt", []), ("x.ipynb.json", [finding.BY_CELLS]),
    ("exercise1_final.ipynb", [finding.BY_CELLS]), ("notes.json", [finding.BY_CELLS]),
    ("02_golf.ipynb", ["called 02_golf, holds 01_trees"])])
def test_a_notebook_is_known_by_its_cells_whatever_it_is_called(name, flags, tmp_path):
    submission, = find(lay(tmp_path, {f"anna/{name}": TREES}))[0]
    assert (submission.exercise, submission.found["flags"]) == ("01_trees", flags)


def test_each_file_that_is_not_graded_has_a_reason(tmp_path):
    deep = zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"01_trees.ipynb": TREES})})})})
    files = {"anna/01_trees.ipynb": TREES, "anna/diary.ipynb": b"{}", "anna/x.rar": b"Rar!", "anna/photo.png": b"",
             "ekbert_12_text.html": b"", "01_trees.ipynb": TREES, "readme.txt": b"", "bad.zip": b"no zip",
             "cy/deep.zip": deep, "dora/a.zip": zipped({"b.zip": zipped({"02_golf.ipynb": GOLF})}),
             **{f"anna/.venv/{k}": b"" for k in range(50)}}
    lay(tmp_path, files)
    (tmp_path / "eve").symlink_to(tmp_path / "anna")
    (tmp_path / "fay").mkdir()
    (tmp_path / "fay" / "02_golf.ipynb").symlink_to(tmp_path / "anna" / "01_trees.ipynb")
    names, skipped = found_in(tmp_path)
    assert names == {("anna", "01_trees"): "01_trees.ipynb", ("dora", "02_golf"): "02_golf.ipynb"}
    assert {name: why[:24] for name, why in skipped.items()} == {
        "diary.ipynb": "no exercise: neither its", "x.rar": "an archive that is not r", "photo.png": "no notebook",
        "ekbert_12_text.html": "typed into Canvas, no fi", "01_trees.ipynb": "nothing tells whose it i",
        "readme.txt": "no student's work", "bad.zip": "a zip file that cannot b", "c.zip": "more than 3 zip files in",
        "eve": "a link; links are not fo", "02_golf.ipynb": "a link; links are not fo", ".venv": JUNK}


def test_the_newer_of_two_files_counts_in_a_folder_and_a_zip_of_one_student(tmp_path):
    lay(tmp_path, {"anna/01_trees.ipynb": TREES, "anna/01_trees-Copy1.ipynb": GOLF + b" ",
                   "anna.zip": zipped({"02_golf.ipynb": GOLF}, 2001)})
    os.utime(tmp_path / "anna" / "01_trees-Copy1.ipynb", (2e9, 2e9))
    names, skipped = found_in(tmp_path)
    assert names == {("anna", "01_trees"): "01_trees.ipynb", ("anna", "02_golf"): "01_trees-Copy1.ipynb"}
    assert "an older file of anna" in skipped["02_golf.ipynb"]


def test_each_file_is_read_once(tmp_path, monkeypatch):
    read, content_at = [], finding.reading.content_at
    monkeypatch.setattr(finding.reading, "content_at", lambda *place: read.append(place) or content_at(*place))
    find(lay(tmp_path, {"anna/01_trees.ipynb": TREES, "bert.zip": zipped({"02_golf.ipynb": GOLF})}))
    assert sorted(Path(path).name for path, *_ in read) == ["01_trees.ipynb", "bert.zip"]


def test_a_large_class_and_long_names_are_no_obstacle(tmp_path):
    """More files than one student may have; a name of more bytes than a folder's may have."""
    files = {f"Student {k}_{k}_assignsubmission_file/notes.txt": b"" for k in range(1, MOST_FILES + 2)}
    files[f"{'ก' * 100}_7_assignsubmission_file/01_trees.ipynb"] = TREES
    submission, *absent = find(lay(tmp_path, {"all.zip": zipped(files)}) / "all.zip")[0]
    assert submission.content == TREES and len(absent) == MOST_FILES + 1
    assert len(submission.student.encode()) <= 255 and submission.student.startswith("ก" * 40 + "-")


def test_a_zip_in_a_zip_is_unpacked_once_for_all_its_files(tmp_path, monkeypatch):
    unpacked, usual = [], finding.reading._unpacked
    monkeypatch.setattr(finding.reading, "_unpacked", lambda *one: unpacked.append(one[1].filename) or usual(*one))
    inner = zipped({"01_trees.ipynb": TREES, **{f"{k}.txt": b"" for k in range(100)}})
    find(lay(tmp_path, {"eve.zip": zipped({"inner.zip": inner})}))
    assert unpacked.count("inner.zip") <= 2


@pytest.mark.parametrize(("files", "words"), [
    (None, "there is no folder or zip file .*: name the one"),
    ({}, "holds no student's folder: submissions lie in"),
    ({"01_trees-anna.ipynb": b""}, "notebooks of its own .01_trees-anna.ipynb.: put each into its student's folder"),
    ({"01_trees/01_trees.ipynb": b""}, "is the folder of one student .*: name the one above"),
    ({"anna/holiday.ipynb": b"{}"}, "no file in .* is of an exercise .01_trees.*holiday"),
    ({"anna/notes.txt": b""}, "nothing to grade")])
def test_a_folder_with_another_layout_is_refused_with_the_right_one(files, words, tmp_path):
    if files is not None:
        (tmp_path / "in").mkdir()
        lay(tmp_path / "in", files)
    with pytest.raises(ValueError, match=words):
        find(tmp_path / "in")
