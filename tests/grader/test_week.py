"""The instructor's week, played on a made class of sixty: list, grade, mark, a complaint, late days, exports, feedback.

Everything is done by the commands that the guide names, in the order it names them; the class and its oddities are
tests/grader/submissions/week.py.
"""

import csv
import errno
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from week import make_week

import fi_teach.__main__ as cli
from fi_grader.report.scores import most_of
from fi_grader.report.spreadsheets import read_table
from notebooks import ROOT

PROSE = "trees.what_sixty_means"
TREES = "01_trees"


def run(*words):
    """Run a command of the course -> its exit code."""
    return cli.main([str(word) for word in words])


def table(path):
    return read_table(path)[1]


def by_student(path):
    return {row["student"]: row for row in table(path)}


@pytest.fixture(scope="module")
def week(tmp_path_factory, browser):
    """The whole week, step by step -> folder of it, with what each step printed in `said`."""
    folder = tmp_path_factory.mktemp("week")
    make_week(folder)
    exercises = folder / "exercises"
    exercises.mkdir()
    for name in (TREES, "02_golf"):
        (exercises / f"{name}.ipynb").write_bytes((ROOT / "exercises" / f"{name}.ipynb").read_bytes())
    course, report = ("--course", folder / "course.toml", "--exercises", exercises), folder / "report"
    downloads = sorted((folder / "downloads").iterdir())
    grade = ("grade", *downloads, "--out", report, *course, "--jobs", 2, "--marking")
    steps = {"list": ("grade", *downloads, "--list", *course), "grade": grade}
    said = {}
    with pytest.MonkeyPatch.context() as patch:
        for step, words in steps.items():
            said[step] = said_by(patch, words)
        mark_as_ben(folder, browser)
        mark_as_clara(folder)
        said["marks"] = said_by(patch, ("marks", report, folder / "marks-Ben.csv", folder / "marks-Clara.csv", *course))
        (report / "overrides.csv").write_text("student;question;points;reason\n"
                                              "s001;trees.recall_mean;1;the scan of the sheet was cut\n")
        said["complaint"] = said_by(patch, ("marks", report, *course))
        said["moodle"] = said_by(patch, ("export", report, "--set", TREES, "--moodle", folder / "worksheet.csv",
                                         *course))
        said["canvas"] = said_by(patch, ("export", report, "--canvas", folder / "gradebook.csv", *course))
        before = {p: p.read_bytes() for p in report.rglob("*") if p.is_file() and p.name != ".lock"}
        said["again"] = said_by(patch, grade)
    return {"folder": folder, "report": report, "said": said, "before": before, "course": course}


def said_by(patch, words):
    """What a command printed -> str."""
    printed = io.StringIO()
    patch.setattr(sys, "stdout", printed)
    assert run(*words) == 0
    patch.setattr(sys, "stdout", sys.__stdout__)
    return printed.getvalue()


def mark_as_ben(folder, browser):
    """Open Ben's page in a browser and mark by keyboard: two points and a comment for the first, one point for all
    others.
    """
    context = browser.new_context(accept_downloads=True)
    tab = context.new_page()
    tried = []
    tab.on("dialog", lambda dialog: (tried.append(dialog.message), dialog.dismiss()))
    tab.goto((folder / "report" / "marking" / "Ben.html").as_uri())
    how_many = int(re.search(r"of (\d+);", tab.inner_text("#progress"))[1])
    tab.keyboard.press("1")
    tab.keyboard.press("2")
    tab.keyboard.press("c")
    tab.keyboard.type("=Good, but say of which tree.")
    tab.keyboard.press("Escape")
    for _ in range(how_many - 1):
        tab.keyboard.press("Enter")
        tab.keyboard.press("1")
        tab.keyboard.press("Alt+1")
    assert f"{how_many} marked" in tab.inner_text("#progress") and not tried
    assert not tab.query_selector_all("#answer img, #answer script")
    with tab.expect_download() as download:
        tab.keyboard.press("s")
    assert download.value.suggested_filename == "marks-Ben.csv"
    download.value.save_as(folder / "marks-Ben.csv")
    context.close()


def mark_as_clara(folder):
    """Clara marks in a spreadsheet of her own: her students, ticks of the rubric, semicolons between."""
    students = [row["student"] for row in table(folder / "report" / "grades.csv")
                if row["status"] == "by hand" and int(row["student"][1:]) % 2]
    lines = [f"{s};{PROSE};1;;1;fine" for s in students if s != "s017"]
    (folder / "marks-Clara.csv").write_text("\n".join(["student;question;rubric_1;rubric_2;rubric_3;comment", *lines])
                                            + "\n", encoding="latin-1")


# Collecting

def test_every_file_of_both_platforms_is_someones_or_has_a_reason(week):
    """Sixty students, 56 of whom handed in; the files beside each other are 59 and a bit of litter."""
    files = table(week["report"] / "files.csv")
    graded = {row["student"] for row in files if row["what became of it"] == "graded"}
    assert graded == {f"s{k:03d}" for k in range(60) if k not in (9, 28, 29, 58, 59)}
    reasons = {Path(row["file"]).name: row["why"] for row in files if row["what became of it"] == "left aside"}
    assert "nothing tells whose it is" in reasons["01_trees.ipynb"] or any("nothing tells" in r["why"] for r in files)
    assert reasons["answers.rar"].startswith("an archive that is not read")
    assert all(row["why"] for row in files if row["what became of it"] == "left aside")


def test_list_tells_beforehand_what_grade_will_read(week):
    said = week["said"]["list"]
    assert "57 students, 55 notebooks, 5 files left aside." in said and "[known by its cells]" in said
    graded = {(row["student"], row["exercise"]) for row in table(week["report"] / "files.csv")
              if row["what became of it"] == "graded"}
    listed = re.findall(r"^(s\d+)|^    (0[12]_\w+)", said.split("Left aside")[0], flags=re.MULTILINE)
    student, seen = "", set()
    for name, exercise in listed:
        student = name or student
        seen |= {(student, exercise)} if exercise else set()
    assert seen == graded


# Grading and totals

def test_absent_is_an_empty_field_and_counts_among_the_most(week):
    rows = by_student(week["report"] / "students.csv")
    assert len(rows) == 61 and rows["s058"]["01_trees"] == "" and rows["s058"]["points"] == "0"
    assert {row["max_points"] for row in rows.values()} == {str(19 + most_of("02_golf"))}


def test_late_days_cost_what_the_course_says(week):
    """A day and three hours late is two days, one of them free; five minutes are grace; after a week nothing counts."""
    rows = by_student(week["report"] / "students.csv")
    full = {row["student"]: sum(float(r["points"] or 0) for r in table(week["report"] / "grades.csv")
                                if r["student"] == row["student"])
            for row in rows.values()}
    assert rows["s010"]["late_days"] == "01_trees: 2 (1 free)"
    assert float(rows["s010"]["01_trees"]) == pytest.approx(0.9 * full["s010"])
    assert rows["s012"]["late_days"] == "" and float(rows["s012"]["01_trees"]) == full["s012"]
    assert rows["s011"]["01_trees"] == "0"
    assert "late by Canvas's word" in rows["s040"]["flag"] and rows["s040"]["late_days"] == "01_trees: 1 (1 free)"


# Marking, corrections

def test_marks_of_both_assistants_reach_every_table_and_page(week):
    rows = {(row["student"], row["question"]): row for row in table(week["report"] / "grades.csv")}
    marked = [row for (_, question), row in rows.items() if question == PROSE and row["status"] == "marked"]
    assert {row["points"] for row in marked} == {"1", "2"}
    assert len([row for row in marked if row["comment"] == "fine"]) == 25 or len(marked) > 50
    commented = [row for row in marked if "say of which tree" in row["comment"]]
    assert len(commented) > 20 and all(row["comment"].startswith("'=Good") for row in commented)
    page = (week["report"] / "feedback" / commented[0]["student"] / "01_trees.html").read_text()
    assert "=Good, but say of which tree." in page and "A person will read this" not in page
    assert rows["s017", PROSE]["status"] == "by hand"
    assert by_student(week["report"] / "students.csv")["s017"]["points_by_hand"] == "3"


def test_a_correction_counts_everywhere_and_says_why(week):
    row = next(r for r in table(week["report"] / "grades.csv")
               if (r["student"], r["question"]) == ("s001", "trees.recall_mean"))
    assert (row["points"], row["changed"]) == ("1", "0 -> 1: the scan of the sheet was cut")
    assert "the scan of the sheet was cut" in (week["report"] / "feedback" / "s001" / "01_trees.html").read_text()
    assert "1 corrected" in week["said"]["complaint"]


def test_grading_again_keeps_marks_corrections_and_every_byte(week):
    after = {p: p.read_bytes() for p in week["report"].rglob("*") if p.is_file() and p.name != ".lock"}
    changed = {p.name for p in after if after[p] != week["before"].get(p)}
    assert changed == {"Ben.html", "Clara.html"}, "only the pages to mark on, which now hold the marks"


# Home

def test_moodles_worksheet_comes_back_filled_in_and_otherwise_as_it_was(week):
    before = read_table(week["folder"] / "worksheet.csv")
    after = read_table(week["report"] / "exports" / "moodle" / "01_trees.csv")
    assert before[0] == after[0] and len(before[1]) == len(after[1])
    points = by_student(week["report"] / "students.csv")
    for k, (old, new) in enumerate(zip(before[1], after[1], strict=True)):
        kept = set(old) - {"Grade", "Feedback comments", "Full name"}
        assert all(old[c] == new[c] for c in kept)
        told = points[f"s{k:03d}"]["01_trees"]
        assert new["Grade"] == (f"{float(told) * 100 / most_of(TREES):.2f}" if told else "")
    assert (week["report"] / "exports" / "moodle" / "01_trees.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_moodles_feedback_names_who_it_is_for_as_moodle_reads_it(week):
    """fullname_id_plugintype_pluginname, of which Moodle splits the first four at underscores."""
    with zipfile.ZipFile(week["report"] / "exports" / "moodle" / "01_trees-feedback.zip") as archive:
        names = archive.namelist()
        parts = [name.split("/")[0].split("_", 4) for name in names]
        assert all(p[1].isdecimal() and p[2:4] == ["assignsubmission", "file"] for p in parts)
        assert {int(p[1]) for p in parts} == {5000 + k for k in range(28) if k != 7}
        assert archive.read(names[0]).startswith(b"<!doctype html>")


def test_canvas_gets_its_own_columns_back_and_empty_fields_for_who_is_absent(week):
    rows = list(csv.reader(io.StringIO((week["report"] / "exports" / "canvas.csv").read_text())))
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Set 1 (123)"]
    assert rows[1][0] == "    Points Possible".strip() or "Points Possible" in rows[1][0]
    points = by_student(week["report"] / "students.csv")
    found = {row[2]: row[5] for row in rows[2:] if row[2]}
    assert found == {f"s{k:03d}": points[f"s{k:03d}"]["01_trees"] for k in range(30, 60)}
    assert "nobody here is Student, Test" in week["said"]["canvas"]


def test_an_export_that_is_read_in_again_gives_the_same_file(week, tmp_path):
    """Round trip: what was exported is handed back as the platform's file."""
    for kind, name, options in (("--moodle", "moodle/01_trees.csv", ("--set", TREES)), ("--canvas", "canvas.csv", ())):
        path = week["report"] / "exports" / name
        once = path.read_bytes()
        (tmp_path / "again.csv").write_bytes(once)
        run("export", week["report"], kind, tmp_path / "again.csv", *options, *week["course"])
        assert path.read_bytes() == once


def test_the_class_page_says_what_to_say_next_and_to_whom(week):
    page = (week["report"] / "index.html").read_text()
    assert page.index("For the next lecture") < page.index("Wants a person") and "week 1" in page
    assert "mean of two means" in page and "<em>pupil</em> counts once" in page
    assert "Not handed in" in page and "s058" in page and "answers.rar" in page
    rows = table(week["report"] / "mistakes.csv")
    assert {"mean of two means"} <= {row["mistake"] for row in rows}
    assert {row["group"] for row in rows} <= {"Monday", "Friday"}


def test_names_are_shown_as_they_are_written_and_none_is_a_formula(week):
    text = (week["report"] / "students.csv").read_text()
    assert "Борис Иванов" in text and "山田 太郎" in text and "عبد‌الله خان" in text and ",'=cmd Kalkül," in text


@pytest.mark.parametrize("step", ["list", "grade", "marks", "complaint", "moodle", "canvas"])
def test_the_guide_shows_what_the_commands_print(step, week):
    """The first or only line of each, for grade the first four, for exports all; but for folders."""
    guide = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    said = week["said"][step].replace(f"{week['folder']}/", "").strip().splitlines()
    assert said[0] in guide and (step != "grade" or all(line in guide for line in said[:4]))
    assert step not in ("moodle", "canvas") or all(line in guide for line in said)


# Pulling the plug

KILLED = """
import os, sys
import fi_teach.__main__ as cli
left, replace = int(sys.argv[1]), os.replace
def until_the_plug_is_pulled(*paths):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    replace(*paths)
os.replace = until_the_plug_is_pulled
sys.exit(cli.main(sys.argv[2:]))
"""
"""A command that dies, as by a cut of power, before it puts its so-manieth file in place."""


def killed_after(files, *words):
    """Run a command that is killed after it has written so many files -> was it killed, and not done before?"""
    done = subprocess.run([sys.executable, "-c", KILLED, str(files), *map(str, words)], capture_output=True)
    return done.returncode == -9


def files_of(folder):
    """{path: content} of all that a person or a program would read there."""
    paths = (p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in paths}


def test_marks_that_are_cut_off_anywhere_lose_nothing_and_come_out_the_same(week, tmp_path):
    for name in ("cut off", "undisturbed"):
        shutil.copytree(week["report"], tmp_path / name)
        with open(tmp_path / name / "overrides.csv", "a") as overrides:
            overrides.writelines(f"s{k:03d};trees.recall_mean;0;in another's hand\n" for k in range(20, 30))
    before = files_of(tmp_path / "undisturbed")
    assert run("marks", tmp_path / "undisturbed", *week["course"]) == 0
    undisturbed = files_of(tmp_path / "undisturbed")
    assert undisturbed != before
    for files in (0, 1, 3, 5):
        assert killed_after(files, "marks", tmp_path / "cut off", *week["course"])
        now = files_of(tmp_path / "cut off")
        assert all(content in (before.get(path), undisturbed[path])
                   for path, content in now.items()), "a file is whole, old or new"
    assert run("marks", tmp_path / "cut off", *week["course"]) == 0
    assert files_of(tmp_path / "cut off") == undisturbed


def test_an_export_that_is_cut_off_leaves_no_half_a_file(week, tmp_path):
    for name in ("cut off", "undisturbed"):
        shutil.copytree(week["report"], tmp_path / name, ignore=shutil.ignore_patterns("exports"))
    words = ("--set", TREES, "--moodle", week["folder"] / "worksheet.csv", *week["course"])
    for files in (0, 1):
        assert killed_after(files, "export", tmp_path / "cut off", *words)
        assert len(files_of(tmp_path / "cut off" / "exports")) == files
    for name in ("cut off", "undisturbed"):
        assert run("export", tmp_path / name, *words) == 0
    assert files_of(tmp_path / "cut off" / "exports") == files_of(tmp_path / "undisturbed" / "exports")


def test_an_export_on_a_full_disk_is_a_sentence_and_the_last_one_stays(week, tmp_path, monkeypatch, capsys):
    shutil.copytree(week["report"], tmp_path / "report")
    before = files_of(tmp_path / "report" / "exports")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    words = ("--set", TREES, "--moodle", week["folder"] / "worksheet.csv", *week["course"])
    assert run("export", tmp_path / "report", *words) == 2
    said = capsys.readouterr().err
    assert "feedback.zip: No space left on device" in said and said.count("\n") == 1
    assert files_of(tmp_path / "report" / "exports") == before
