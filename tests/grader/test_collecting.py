"""What platforms hand out is read as it is: names, zip files, mixtures; and a file that is not graded has a reason."""

import io
import os
import sys
import zipfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "submissions"))
import fi_teach.__main__ as cli
from fi_grader import collecting
from fi_grader.course_file import Person, Roster
from fi_grader.notebooks.exercise import load
from fi_grader.platform_names import ParsedName, copy_number, keys_of_name, parse_name
from notebooks import ROOT, filled, to_bytes

SETS = load(ROOT / "exercises")
CELL_IDS = collecting.cell_ids_of(SETS)
TREES, GOLF = to_bytes(filled()), (ROOT / "exercises" / "02_golf.ipynb").read_bytes()


def lay(folder, files):
    """Write {path: bytes}."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def found_in(folder, roster=None):
    """{(student, set): name of the file} and {name of the file: why it is left aside}."""
    found, skipped = collecting.find(folder, list(SETS), cell_ids=CELL_IDS, roster=roster)
    names = {(s.student, s.exercise): Path(s.file.rpartition(":")[2]).name for s in found if s.path}
    return names, {Path(a.file.rpartition(":")[2]).name: a.why for a in skipped}


def zipped(files):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return memory.getvalue()


@pytest.mark.parametrize(("name", "parsed"), [
    ("Jörg Groß_5009_assignsubmission_file", ParsedName("Moodle", "Jörg Groß", "5009")),
    ("Jörg Groß_5009_assignsubmission_file_", ParsedName("Moodle", "Jörg Groß", "5009")),
    ("Jörg Groß_5009_assignsubmission_file_01_trees.ipynb",
     ParsedName("Moodle", "Jörg Groß", "5009", "01_trees.ipynb")),
    ("großjörg_7009_91009_01_trees-1.ipynb",
     ParsedName("Canvas", "großjörg", "7009", "01_trees-1.ipynb", False, 91009)),
    ("großjörg_LATE_7009_91009_01_trees.ipynb",
     ParsedName("Canvas", "großjörg", "7009", "01_trees.ipynb", True, 91009)),
    ("anon_x1Yz2_91009_a.ipynb", ParsedName("Canvas", "anon", "x1Yz2", "a.ipynb", False, 91009)),
    ("großjörg_7009_text.html", ParsedName("Canvas", "großjörg", "7009", "text.html")),
    ("anna", None), ("01_trees.ipynb", None), ("anna.zip", None)])
def test_a_name_that_a_platform_gave_tells_who_and_what(name, parsed):
    assert parse_name(name) == parsed


def test_a_folder_is_never_taken_for_one_of_canvass_flat_files():
    assert parse_name("anna_1_2_x", is_folder=True) is None


@pytest.mark.parametrize(("stem", "number"), [("01_trees (2)", 2), ("01_trees-1", 1), ("01_trees", 0),
                                              ("01_trees-Copy1", 0)])
def test_the_number_that_a_browser_or_canvas_adds_tells_the_newer_file(stem, number):
    assert copy_number(stem) == number


def test_moodles_folders_flat_files_and_zip_are_read_side_by_side(tmp_path):
    whole = zipped({"Carl Ek_3_assignsubmission_file/01_trees.ipynb": TREES,
                    "Dora Ek_4_assignsubmission_file/deep/er/x.ipynb": TREES, "__MACOSX/x/._01_trees.ipynb": b""})
    folder = lay(tmp_path, {"Anna Ek_1_assignsubmission_file_/01_trees.ipynb": TREES,
                            "Bert Ek_2_assignsubmission_file_01_trees.ipynb": TREES,
                            "all.zip": whole, "eve.zip": zipped({"exercises/01_trees.ipynb": TREES})})
    names, skipped = found_in(folder)
    assert set(names) == {(s, "01_trees") for s in ("Anna Ek_1", "Bert Ek_2", "Carl Ek_3", "Dora Ek_4", "eve")}
    assert skipped == {"._01_trees.ipynb": "left by a program"}


def test_canvas_flat_files_beside_folders_and_alone_are_read(tmp_path):
    folder = lay(tmp_path, {"ekanna_11_901_01_trees.ipynb": TREES, "ekanna_11_955_01_trees-1.ipynb": TREES,
                            "ekanna_11_960_02_golf.ipynb": GOLF,
                            "ekbert_LATE_12_902_answers.zip": zipped({"01_trees.ipynb": TREES}),
                            "carl/01_trees.ipynb": TREES})
    names, skipped = found_in(folder)
    assert names == {("ekanna_11", "01_trees"): "ekanna_11_955_01_trees-1.ipynb",
                     ("ekanna_11", "02_golf"): "ekanna_11_960_02_golf.ipynb",
                     ("ekbert_12", "01_trees"): "01_trees.ipynb", ("carl", "01_trees"): "01_trees.ipynb"}
    assert "an older file of ekanna_11" in skipped["ekanna_11_901_01_trees.ipynb"]
    found, _ = collecting.find(folder, list(SETS), cell_ids=CELL_IDS)
    assert [s.is_late for s in found if s.platform == "Canvas"] == [False, False, True]


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


@pytest.mark.parametrize("packed", [False, True])
def test_gradescopes_export_is_read_by_its_list_of_people(packed, tmp_path):
    files = {"submission_metadata.yml": GRADESCOPE.encode(), "submission_301/01_trees.ipynb": TREES,
             "submission_302/01_trees.ipynb": TREES}
    lay(tmp_path / "in", {"export.zip": zipped({f"assignment_9_export/{k}": v for k, v in files.items()})}
        if packed else
        {f"assignment_9_export/{k}": v for k, v in files.items()})
    found, _ = collecting.find(tmp_path / "in", list(SETS), cell_ids=CELL_IDS)
    assert [s.student for s in found] == ["Anna Ek_77", "_.._Bert"] and found[0].time.startswith("2026-10-11T12:00")


def test_nbgraders_submitted_does_not_hide_its_neighbours(tmp_path):
    names, _ = found_in(lay(tmp_path, {"submitted/anna/01_trees/01_trees.ipynb": TREES, "bert/01_trees.ipynb": TREES,
                                       "source/01_trees/01_trees.ipynb": TREES}))
    assert set(names) == {("anna", "01_trees"), ("bert", "01_trees")}


@pytest.mark.parametrize("name", ["01_trees.IPYNB", "01_trees.ipynb.txt", "x.ipynb.json", "exercise1_final.ipynb",
                                  "02_golf.ipynb", "notes.json"])
def test_a_notebook_is_known_by_its_cells_whatever_it_is_called(name, tmp_path):
    names, _ = found_in(lay(tmp_path, {f"anna/{name}": TREES}))
    assert names == {("anna", "01_trees"): name}


def test_a_zip_in_a_zip_is_opened_and_one_in_one_in_one_in_one_is_not(tmp_path):
    inner = zipped({"01_trees.ipynb": TREES})
    deep = zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": inner})})})
    names, skipped = found_in(lay(tmp_path, {"anna/a.zip": zipped({"b.zip": inner}), "bert/deep.zip": deep}))
    assert set(names) == {("anna", "01_trees")} and "zip files in one another" in skipped["c.zip"]


def test_each_file_that_is_not_graded_has_a_reason(tmp_path):
    files = {"anna/01_trees.ipynb": TREES, "anna/diary.ipynb": b"{}", "anna/x.rar": b"Rar!", "anna/photo.png": b"",
             "ekbert_12_text.html": b"", "01_trees.ipynb": TREES, "readme.txt": b""}
    _, skipped = found_in(lay(tmp_path, files))
    assert set(skipped) == {"diary.ipynb", "x.rar", "photo.png", "ekbert_12_text.html", "01_trees.ipynb", "readme.txt"}
    assert all(skipped.values())
    assert skipped["ekbert_12_text.html"].startswith("typed into Canvas")
    assert skipped["01_trees.ipynb"].startswith("nothing tells whose")


def test_the_roster_joins_what_one_student_hands_in_on_two_platforms(tmp_path):
    roster = Roster([Person("s1", "Anna Ek", "anna@uni.example"), Person("s2", "Bert Ek", canvas="12"),
                     Person("s3", "Bert Ek")])
    files = {"Anna Ek_1_assignsubmission_file/01_trees.ipynb": TREES, "ekanna_11_901_02_golf.ipynb": GOLF,
             "ekbert_12_902_01_trees.ipynb": TREES,
             "s3/01_trees.ipynb": TREES, "anna_01_trees.ipynb": TREES,
             "Bert Ek_9_assignsubmission_file/01_trees.ipynb": TREES}
    names, _ = found_in(lay(tmp_path, files), roster)
    assert set(names) == {("s1", "01_trees"), ("s1", "02_golf"), ("s2", "01_trees"), ("s3", "01_trees"),
                          ("Bert Ek_9", "01_trees")}
    found, _ = collecting.find(tmp_path, list(SETS), cell_ids=CELL_IDS, roster=roster)
    assert next(s.flag for s in found if s.student == "Bert Ek_9").startswith("not in the roster")


def test_names_in_any_script_are_found_as_platforms_write_them():
    roster = Roster([Person("a", "عبد‌الله خان"), Person("b", "山田 太郎"), Person("c", "Chloé O'Neill"),
                     Person("d", "Борис Иванов")])
    names = ("خانعبدالله", "太郎山田", "oneillchloé", "ивановборис")
    assert [roster.find(ParsedName("Canvas", name)).id for name in names] == list("abcd")
    assert keys_of_name("Müller, Jörg") == keys_of_name("Jörg Müller")


def test_what_collect_has_copied_is_read_again_with_its_times_and_numbers(tmp_path, capsys):
    lay(tmp_path / "in",
        {"all.zip": zipped({"Anna Ek_1_assignsubmission_file/x.ipynb": TREES,
                            "Bert Ek_2_assignsubmission_file/01_trees.ipynb": GOLF})})
    assert cli.main(["collect", str(tmp_path / "in"), "--out", str(tmp_path / "clean"), "--exercises",
                     str(ROOT / "exercises")]) == 0
    assert "2 students, 2 notebooks, 0 files left aside." in capsys.readouterr().out
    before, _ = collecting.find(tmp_path / "in", list(SETS), cell_ids=CELL_IDS)
    after, _ = collecting.find(tmp_path / "clean", list(SETS), cell_ids=CELL_IDS)
    assert [(s.student, s.exercise, s.time, s.number,
             s.platform) for s in before] == [(s.student, s.exercise, s.time, s.number, s.platform) for s in after]
    assert cli.main(["collect", str(tmp_path / "in"), "--out", str(tmp_path / "clean"), "--exercises",
                     str(ROOT / "exercises")]) == 2
    assert "is there already" in capsys.readouterr().err


def test_hidden_folders_are_not_looked_through(tmp_path):
    """Two thousand files of an environment do not crowd out the notebook."""
    files = {"anna/01_trees.ipynb": TREES, **{f"anna/.venv/{k}": b"" for k in range(50)}}
    found, skipped = collecting.find(lay(tmp_path, files), list(SETS), cell_ids=CELL_IDS)
    assert found[0].path and [os.path.basename(a.file) for a in skipped] == [".venv"]
