"""No submission ends the run or makes the grader work without bound: odd, spoiled, bulky and linked ones."""

import json
import os
import time
import zipfile

import pytest
from mutants import mutants, outcome

from fi_grader.judging import judge as judging
from fi_grader.notebooks.exercise import cell_from, load
from fi_grader.notebooks.matching import LONGEST_PROSE, align, match
from fi_grader.submissions import finding
from fi_grader.submissions import reading as read
from fi_grader.submissions.files import File
from notebooks import ROOT, filled, grade, handed_out, lay, lay_course, to_bytes

SETS = load(ROOT / "exercises")
TREES = SETS["01_trees"]


# Spoiled at random

@pytest.mark.parametrize("seed", range(5))
def test_a_notebook_spoiled_anywhere_gets_a_grade_or_a_flag(seed):
    """A hundred mutants; any error but ValueError would end this test."""
    for content in mutants(100, seed):
        record = outcome(TREES, content)
        assert [row["question"] for row in record["rows"]] == list(TREES.questions)
        assert len(json.dumps(record)) < 100_000


def test_a_class_of_mutants_is_graded_to_the_end(tmp_path):
    lay_course(tmp_path, **{f"s{k:02d}": content for k, content in enumerate(mutants(30, 99))})
    out = grade(tmp_path, "--jobs", 2, "--time-limit", 3)
    assert (out / "students.csv").read_text().count("\n") == 31
    assert "given up" not in (out / "grades.csv").read_text()


# Small to send, large to read

def notebook(cells):
    return json.dumps({"cells": cells}).encode()


def seconds_of(work, *given):
    """The least processor time of three calls."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        work(*given)
        seconds.append(time.process_time() - start)
    return min(seconds)


@pytest.mark.parametrize(("content", "words"), [
    (b'{"cells": [' + b"{}," * read.MOST_PARTS + b"{}]}", "more than 2,000,000 parts: clear its outputs"),
    (b'{"cells": [' + b'"",' * read.MOST_PARTS + b'""]}', "parts"),
    (b'{"cells": ["' + b'\\\\","' * read.MOST_PARTS + b'"]}', "parts"),
    (('{"cells": [' + r'"\",",' * 10 + "{}," * read.MOST_PARTS + "{}]}").encode("utf-16"), "parts"),
    (notebook([{}] * (read.MOST_CELLS + 1)), "20,001 cells, more than the 20,000"),
    (b"[" * 500_000, "nested too deeply"), (b"", "empty"), (b'{"cells"', "broken or cut off"),
    (b'{"cells": 1}', "no cells")])
def test_a_notebook_beyond_all_measure_is_refused_before_it_is_built(content, words):
    with pytest.raises(ValueError, match=words):
        read.notebook_of(content)


def test_what_stands_in_strings_is_no_part():
    """A picture, a page or a table in a stored output is one word, however many commas and brackets are in it."""
    text = '",[{\\' * read.MOST_PARTS
    cells, _, flags = read.notebook_of(notebook([{"cell_type": "code", "outputs": [text], "source": "x"}]))
    assert [c.source for c in cells] == ["x"] and not flags


def test_reading_that_takes_too_long_or_too_much_is_a_value_error(monkeypatch):
    monkeypatch.setattr(judging, "SECONDS_TO_READ", 0.1)
    with pytest.raises(ValueError, match=r"takes longer than 0.1 s"):
        judging.bounded(time.sleep, 5)

    def greedy():
        raise MemoryError
    with pytest.raises(ValueError, match="more memory than there is"):
        judging.bounded(greedy)


def test_cells_that_are_none_are_left_out_and_flagged():
    cells, metadata, flags = read.notebook_of(b'{"worksheets": [1, {"cells": [{"input": '
                                              b'["x", 1, "y"]}, null]}], "metadata": []}')
    assert [c.source for c in cells] == ["xy"] and metadata == {} and flags == ["cells unreadable"]


# Aligned in one pass

@pytest.mark.parametrize("name", SETS)
def test_a_notebook_without_any_marks_is_known_by_its_words(name):
    """Every text, check and answer of each set is found where it was, though grade ids, ids and metadata are gone."""
    for folder in ("exercises", "solutions"):
        raw = json.loads((ROOT / folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
        cells = [cell_from({"cell_type": c["cell_type"], "source": c["source"]}) for c in raw]
        found = match(SETS[name].cells, cells)
        known = {p: place for p, place in found.items() if SETS[name].cells[place].part in ("answer", "check", "text")}
        missed = [p for p, c in enumerate(SETS[name].cells) if c.part and found.get(p) != p and folder == "exercises"]
        assert not missed and all(p == place for p, place in known.items())


def test_thousands_of_cells_without_marks_are_looked_through_once():
    cells = [cell_from({"cell_type": "code", "source": f"x{k} = {k}\n" * 100}) for k in range(2000)]
    plan, (few, many) = align(TREES, cells), (seconds_of(align, TREES, cells[:n]) for n in (125, 2000))
    assert many < 100 * few  # 16 times as many cells; looked through for each other it would be 256
    assert "answer missing" in plan.flags["trees.decrease"]


def test_an_answer_in_many_cells_is_joined_once_and_cut():
    """Fifty megabytes in ten thousand cells of one question: joined two at a time they took minutes."""
    raw = next(c for c in handed_out()["cells"] if c["id"] and c["metadata"].get("fi_teach", {}).get("part") == "answer"
               and c["cell_type"] == "markdown")
    cells = [cell_from({**raw, "source": "five thousand letters " * 230})] * 64_000
    plan, (few, many) = align(TREES, cells[:10_000]), (seconds_of(align, TREES, cells[:n]) for n in (2_000, 64_000))
    assert many < 300 * few  # 32 times as many cells; joined two at a time it would be 1,024
    assert len(plan.answers["trees.what_sixty_means"]) == LONGEST_PROSE
    assert "prose cut" in plan.flags["trees.what_sixty_means"]


# Links, depths, crowds

def found_in(folder, **students):
    """What is found in a folder of students, each made by a function of its place -> ({student: has a file}, words on
    what was left aside).
    """
    for student, make in students.items():
        make(folder / student)
    found = finding.find([folder], ["01_trees"])
    handed_in = {s.student: bool(s.found["file"]) for s in found.submissions()}
    return handed_in, " | ".join(finding.describe_skipped(found.skipped))


def honest(place):
    lay(place, {"01_trees.ipynb": filled()})


def linked(to):
    """Hand in a link to somebody else's file or folder."""
    return lambda place: place.symlink_to(to, target_is_directory=to.is_dir())


def below(name, make):
    """Hand in what `make` makes, under a name in the student's folder."""
    return lambda place: (place.mkdir(), make(place / name))


def packed_link(place):
    """Hand in a zip file whose notebook is a link."""
    with zipfile.ZipFile(place.with_suffix(".zip"), "w") as archive:
        entry = zipfile.ZipInfo("01_trees.ipynb")
        entry.create_system, entry.external_attr = 3, 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")


WAYS = {
    "the folder": lambda to: linked(to), "a folder in it": lambda to: below("mine", linked(to)),
    "a file in it": lambda to: below("01_trees.ipynb", linked(to / "01_trees.ipynb")),
    "far below": lambda to: below("deep", below("deeper", linked(to))),
    "a zip file": lambda to: lambda place: linked(to / "all.zip")(place.with_suffix(".zip")),
    "a zip file in it": lambda to: below("all.zip", linked(to / "all.zip")),
    "inside a zip file": lambda to: packed_link}


@pytest.mark.parametrize("way", WAYS)
def test_a_link_is_left_aside_wherever_it_lies(way, tmp_path):
    honest(tmp_path / "solutions")
    with zipfile.ZipFile(tmp_path / "solutions" / "all.zip", "w") as archive:
        archive.writestr("01_trees.ipynb", to_bytes(filled()))
    (tmp_path / "in").mkdir()
    found, skipped = found_in(tmp_path / "in", anna=honest, eve=WAYS[way](tmp_path / "solutions"))
    assert found == {"anna": True, "eve": False} and "eve" in skipped
    assert ("a link in a zip file" if way == "inside a zip file" else "a link; links are not followed") in skipped


def test_a_link_that_takes_the_files_place_after_it_was_found_is_not_read(tmp_path):
    honest(tmp_path / "eve")
    found = File(str(tmp_path / "eve" / "01_trees.ipynb"))
    os.replace(found.path, tmp_path / "01_trees.ipynb")
    os.symlink(tmp_path / "01_trees.ipynb", found.path)
    with pytest.raises(ValueError, match="cannot be read"):
        read.content_of(found)


def test_a_pipe_is_no_file_and_nobody_waits_for_it(tmp_path):
    found, skipped = found_in(tmp_path, anna=honest, eve=below("01_trees.ipynb", os.mkfifo))
    assert found == {"anna": True, "eve": False} and "no ordinary file" in skipped
    with pytest.raises(ValueError, match="no ordinary file"):
        read.content_of(File(str(tmp_path / "eve" / "01_trees.ipynb")))


def test_a_folder_of_too_many_files_or_too_deep_is_not_looked_through(tmp_path):
    (tmp_path / "dora" / "/".join("abcdefghijklmnopqrst")).mkdir(parents=True)
    (tmp_path / "eve").mkdir()
    for k in range(read.MOST_FILES + 10):
        (tmp_path / "eve" / f"{k}.txt").touch()
    found, skipped = found_in(tmp_path, anna=honest)
    assert found == {"anna": True, "dora": False, "eve": False}
    assert "more than 12 folders deep" in skipped and "the rest was not looked at" in skipped


def test_what_is_told_of_one_students_files_has_an_end(tmp_path):
    def crowd(place):
        place.mkdir()
        for k in range(100):
            (place / f"{k}.ipynb").touch()
    _, skipped = found_in(tmp_path, anna=honest, eve=crowd)
    assert skipped.count(" | ") == 20 and "eve: 80 more files" in skipped


def test_a_folder_that_cannot_be_looked_into_is_named(tmp_path, monkeypatch):
    honest(tmp_path / "anna")
    (tmp_path / "eve").mkdir()
    usual = os.scandir

    def scandir(path):
        if str(path).endswith("eve"):
            raise PermissionError(13, "Permission denied")
        return usual(path)
    monkeypatch.setattr(os, "scandir", scandir)
    found, skipped = found_in(tmp_path)
    assert found == {"anna": True, "eve": False} and "cannot be looked into (Permission denied)" in skipped
