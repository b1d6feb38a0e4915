"""The instructor's week, played on a made class of sixty: list, grade, mark, a complaint, late days, exports, feedback.

Everything is done by the commands that the guide names, in the order it names them; the class and its oddities are
tests/grader/submissions/week.py.
"""

import errno
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from contextlib import redirect_stdout

import pytest
from week import WEEK, make_week

import fi_teach.__main__ as cli
from fi_grader.report.spreadsheets import read_table
from notebooks import ESSAY, EXERCISE, ROOT


def run(*words):
    return cli.main([str(word) for word in words])


def table(path):
    return read_table(path)[1]


def files_of(folder):
    """{path: content} of all that a person or a program would read there."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and not p.name.startswith(".")}


@pytest.fixture(scope="module")
def week(tmp_path_factory, browser):
    """The whole week, step by step -> folder of it, with what each step printed in `said`."""
    folder = tmp_path_factory.mktemp("week")
    make_week(folder)
    for name in (EXERCISE, "02_golf"):
        (folder / "exercises").mkdir(exist_ok=True)
        shutil.copy(ROOT / "exercises" / f"{name}.ipynb", folder / "exercises")
    course, report = ("--course", folder / "course.toml", "--exercises", folder / "exercises"), folder / "report"
    downloads = sorted((folder / "downloads").iterdir())
    grade = ("grade", *downloads, "--out", report, *course, "--jobs", 2, "--marking")
    moodle = ("export", report, "--set", EXERCISE, "--moodle", folder / "worksheet.csv", *course)
    said = {"list": said_by("grade", *downloads, "--list", *course), "grade": said_by(*grade)}
    mark_as_ben(folder, browser)
    mark_as_clara(folder)
    said["marks"] = said_by("marks", report, folder / "marks-Ben.csv", folder / "marks-Clara.csv", *course)
    (report / "overrides.csv").write_text("student;question;points;reason\n"
                                          "s001;trees.recall_mean;1;the scan of the sheet was cut\n")
    said["complaint"] = said_by("marks", report, *course)
    said["moodle"] = said_by(*moodle)
    said["canvas"] = said_by("export", report, "--canvas", folder / "gradebook.csv", *course)
    before = files_of(report)
    said_by(*grade)
    return {"folder": folder, "report": report, "said": said, "before": before, "course": course, "moodle": moodle}


def said_by(*words):
    """What a command printed -> str."""
    with redirect_stdout(io.StringIO()) as printed:
        assert run(*words) == 0
    return printed.getvalue()


def mark_as_ben(folder, browser):
    """Mark by keyboard in a browser: two points and a comment for the first, one point for all others. No answer runs.
    """
    page, tried = folder / "report" / "marking" / "Ben.html", []
    assert "script-src 'sha256-" in page.read_text()
    tab = browser.new_page(accept_downloads=True)
    tab.on("dialog", lambda dialog: (tried.append(dialog.message), dialog.dismiss()))
    tab.goto(page.as_uri())
    how_many = int(re.search(r"of (\d+);", tab.inner_text("#progress"))[1])
    for key in ("1", "2", "c"):
        tab.keyboard.press(key)
    tab.keyboard.type("=Good, but say of which tree.")
    for key in ("Escape", *("Enter", "1", "Alt+1") * (how_many - 1)):
        tab.keyboard.press(key)
    assert f"{how_many} marked" in tab.inner_text("#progress") and not tried
    assert not tab.query_selector_all("#answer img, #answer script")
    with tab.expect_download() as download:
        tab.keyboard.press("s")
    assert download.value.suggested_filename == "marks-Ben.csv"
    download.value.save_as(folder / "marks-Ben.csv")
    tab.close()


def mark_as_clara(folder):
    """Clara marks in a spreadsheet of her own: her students, ticks of the rubric, semicolons between."""
    students = [row["student"] for row in table(folder / "report" / "grades.csv")
                if row["status"] == "by hand" and int(row["student"][1:]) % 2]
    lines = [f"{s};{ESSAY};1;;1;fine" for s in students if s != "s017"]
    (folder / "marks-Clara.csv").write_text("\n".join(["student;question;rubric_1;rubric_2;rubric_3;comment", *lines])
                                            + "\n", encoding="latin-1")


@pytest.mark.parametrize("name", ["list.txt", "files.csv", "students.csv", "exports/canvas.csv",
                                  "exports/moodle/01_trees.csv"])
def test_what_the_week_comes_to_is_what_was_read_line_by_line(name, week):
    """Absent is an empty field and counts among the most (s058); a day and three hours late is two days, one of them
    free (s010), five minutes are grace (s012), after a week nothing counts (s011), Canvas's word is one day (s040).
    A correction counts (s001), an answer that nobody marked waits (s017). No name is a formula (s006). What is left
    aside has a reason. Moodle's sheet comes back with its own columns, Canvas's with the set's column alone.
    """
    found = week["said"]["list"] if name == "list.txt" else (week["report"] / name).read_text(encoding="utf-8")
    expected = (WEEK / "expected" / name.rpartition("/")[2].replace("01_trees", "moodle")).read_text(encoding="utf-8")
    assert found.replace(f"{week['folder']}/", "").strip().splitlines() == expected.strip().splitlines()


def test_marks_of_both_assistants_reach_every_table_and_page(week):
    assert week["said"]["marks"].startswith("52 marked by assistants, 0 corrected, 1 still to be read.")
    rows = {(row["student"], row["question"]): row for row in table(week["report"] / "grades.csv")}
    marked = [row for (_, question), row in rows.items() if question == ESSAY and row["status"] == "marked"]
    assert {row["points"] for row in marked} == {"1", "2"}
    assert len([row for row in marked if row["comment"] == "fine"]) == 24
    commented = [row for row in marked if "say of which tree" in row["comment"]]
    assert len(commented) > 20 and all(row["comment"].startswith("'=Good") for row in commented)
    page = (week["report"] / "feedback" / commented[0]["student"] / "01_trees.html").read_text()
    assert "=Good, but say of which tree." in page and "A person will read this" not in page
    assert rows["s017", ESSAY]["status"] == "by hand"
    corrected = rows["s001", "trees.recall_mean"]
    assert (corrected["points"], corrected["changed"]) == ("1", "0 -> 1: the scan of the sheet was cut")
    assert "the scan of the sheet was cut" in (week["report"] / "feedback" / "s001" / "01_trees.html").read_text()


def test_grading_again_keeps_marks_corrections_and_every_byte(week):
    after = files_of(week["report"])
    changed = {name for name in after if after[name] != week["before"].get(name)}
    assert changed == {"marking/Ben.html", "marking/Clara.html"}, "only the pages to mark on, which now hold the marks"


def test_moodles_feedback_names_who_it_is_for_as_moodle_reads_it(week):
    """fullname_id_plugintype_pluginname, of which Moodle splits the first four at underscores."""
    with zipfile.ZipFile(week["report"] / "exports" / "moodle" / "01_trees-feedback.zip") as archive:
        names = archive.namelist()
        parts = [name.split("/")[0].split("_", 4) for name in names]
        assert all(p[1].isdecimal() and p[2:4] == ["assignsubmission", "file"] for p in parts)
        assert {int(p[1]) for p in parts} == {5000 + k for k in range(28) if k != 7}
        assert archive.read(names[0]).startswith(b"<!doctype html>")


def test_an_export_that_is_read_in_again_gives_the_same_file(week, tmp_path):
    """Round trip: what was exported is handed back as the platform's file."""
    for kind, name in (("--moodle", "moodle/01_trees.csv"), ("--canvas", "canvas.csv")):
        path = week["report"] / "exports" / name
        once = path.read_bytes()
        (tmp_path / "again.csv").write_bytes(once)
        run("export", week["report"], kind, tmp_path / "again.csv", "--set", EXERCISE, *week["course"])
        assert path.read_bytes() == once


def test_the_class_page_says_what_to_say_next_and_to_whom(week):
    page = (week["report"] / "index.html").read_text()
    assert page.index("For the next lecture") < page.index("Wants a person") and "week 1" in page
    assert "mean of two means" in page and "<em>pupil</em> counts once" in page
    assert "Not handed in" in page and "s058" in page and "answers.rar" in page
    rows = table(week["report"] / "mistakes.csv")
    assert {"mean of two means"} <= {row["mistake"] for row in rows}
    assert {row["group"] for row in rows} <= {"Monday", "Friday"}


@pytest.mark.parametrize("step", ["list", "grade", "marks", "complaint", "moodle", "canvas"])
def test_the_guide_shows_what_the_commands_print(step, week):
    """The first or only line of each, for grade the first four, for exports all; but for folders."""
    guide = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    said = week["said"][step].replace(f"{week['folder']}/", "").strip().splitlines()
    assert all(line in guide for line in said[:{"grade": 4, "moodle": None, "canvas": None}.get(step, 1)])


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


@pytest.mark.parametrize(("command", "files"), [("marks", (0, 1, 3, 5)), ("export", (0, 1))])
def test_a_command_that_is_cut_off_anywhere_loses_nothing_and_comes_out_the_same(command, files, week, tmp_path):
    for name in ("cut off", "undisturbed"):
        shutil.copytree(week["report"], tmp_path / name, ignore=shutil.ignore_patterns("exports"))
        with open(tmp_path / name / "overrides.csv", "a") as overrides:
            overrides.writelines(f"s{k:03d};trees.recall_mean;0;in another's hand\n" for k in range(20, 30))
    options = week["course"] if command == "marks" else week["moodle"][2:]
    before = files_of(tmp_path / "undisturbed")
    assert run(command, tmp_path / "undisturbed", *options) == 0
    undisturbed = files_of(tmp_path / "undisturbed")
    assert undisturbed != before
    for many in files:
        words = [sys.executable, "-c", KILLED, many, command, tmp_path / "cut off", *options]
        assert subprocess.run([*map(str, words)], capture_output=True).returncode == -9
        assert all(content in (before.get(path), undisturbed[path])
                   for path, content in files_of(tmp_path / "cut off").items()), "a file is whole, old or new"
    assert run(command, tmp_path / "cut off", *options) == 0
    assert files_of(tmp_path / "cut off") == undisturbed


def test_an_export_on_a_full_disk_is_a_sentence_and_the_last_one_stays(week, monkeypatch, capsys):
    before = files_of(week["report"] / "exports")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    assert run(*week["moodle"]) == 2
    said = capsys.readouterr().err
    assert "feedback.zip: No space left on device" in said and said.count("\n") == 1
    assert files_of(week["report"] / "exports") == before
