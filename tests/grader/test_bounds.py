"""No submission ends the run or makes the grader work without bound: odd, spoiled, bulky and linked ones."""

import json
import os
import time
from pathlib import Path

import pytest
from corpus import overwritten
from mutants import mutants, outcome

from fi_grader.judging import judge as judging
from fi_grader.notebooks.exercise import cell_from
from fi_grader.notebooks.matching import LONGEST_PROSE, align, match
from fi_grader.submissions import finding
from fi_grader.submissions import reading as read
from fi_grader.submissions.reading import File
from notebooks import ESSAY, ROOT, SETS, TREES, filled, find, grade, handed_out, lay, lay_course, to_bytes, zipped

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

@pytest.mark.parametrize(("content", "words"), [
    (b'{"cells": [' + b"{}," * read.MOST_PARTS + b"{}]}", "more than 2,000,000 parts: clear its outputs"),
    (b'{"cells": [' + b'"",' * read.MOST_PARTS + b'""]}', "parts"),
    (b'{"cells": ["' + b'\\\\","' * read.MOST_PARTS + b'"]}', "parts"),
    (('{"cells": [' + r'"\",",' * 10 + "{}," * read.MOST_PARTS + "{}]}").encode("utf-16"), "parts"),
    (to_bytes({"cells": [{}] * (read.MOST_CELLS + 1)}), "20,001 cells, more than the 20,000"),
    (b"[" * 500_000, "nested too deeply"), (b"", "empty"), (b'{"cells"', "broken or cut off"),
    (b'{"cells": 1}', "no cells")])
def test_a_notebook_beyond_all_measure_is_refused_before_it_is_built(content, words):
    with pytest.raises(ValueError, match=words):
        read.notebook_of(content)


def test_what_stands_in_strings_is_no_part():
    """A picture, a page or a table in a stored output is one word, however many commas and brackets are in it."""
    text = '",[{\\' * read.MOST_PARTS
    cells, _, flags = read.notebook_of(to_bytes({"cells": [{"cell_type": "code", "outputs": [text], "source": "x"}]}))
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

@pytest.mark.parametrize("folder", ["exercises", "solutions"])
@pytest.mark.parametrize("name", SETS)
def test_a_notebook_without_any_marks_is_known_by_its_words(name, folder):
    """Every text, check and answer of each set is found where it was, though grade ids, ids and metadata are gone."""
    raw = json.loads((ROOT / folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    cells = SETS[name].cells
    found = match(cells, [cell_from({"cell_type": c["cell_type"], "source": c["source"]}) for c in raw])
    assert all(p == place for p, place in found.items() if cells[place].part in ("answer", "check", "text"))
    assert folder == "solutions" or all(found.get(p) == p for p, cell in enumerate(cells) if cell.part)


def growth(cells, few, many):
    """How much longer it takes to align many cells than few, in processor time."""
    seconds = {}
    for size in (few, many) * 3:
        start = time.process_time()
        align(TREES, cells[:size])
        seconds[size] = min(seconds.get(size, 100), time.process_time() - start)
    return seconds[many] / seconds[few]


def test_thousands_of_cells_without_marks_are_looked_through_once():
    cells = [cell_from({"cell_type": "code", "source": f"x{k} = {k}\n" * 100}) for k in range(2000)]
    assert "answer missing" in align(TREES, cells).flags["trees.decrease"]
    assert growth(cells, 125, 2000) < 100  # 16 times as many cells; looked through for each other it would be 256


def test_an_answer_in_many_cells_is_joined_once_and_cut():
    """Fifty megabytes in ten thousand cells of one question: joined two at a time they took minutes."""
    essay = find(handed_out(), ESSAY, "answer")
    cells = [cell_from({**essay, "source": "five thousand letters " * 230})] * 64_000
    plan = align(TREES, cells[:10_000])
    assert len(plan.answers[ESSAY]) == LONGEST_PROSE and "prose cut" in plan.flags[ESSAY]
    assert growth(cells, 2000, 64_000) < 300  # 32 times as many cells; joined two at a time it would be 1,024


# Files that cannot be read; links, depths and numbers of files are in transcripts/bounds.txt

@pytest.mark.parametrize(("places", "words"), [
    ([(b"PK\x03\x04", 6, b"\1"), (b"PK\x01\x02", 8, b"\1")], "cannot be read: .*password"),
    ([(b"PK\x03\x04", 30, b"z")], "cannot be read"),
    (None, "cannot be read: No such file")], ids=["a password", "another name inside", "gone"])
def test_a_file_that_cannot_be_read_is_said_to_be_without_its_path(places, words, tmp_path):
    """The first bit of a zip file's flags says that it is encrypted, in the file and in the directory at its end."""
    if places:
        lay(tmp_path, {"a.zip": overwritten(zipped({"01_trees.ipynb": b"x"}), *places)})
    with pytest.raises(ValueError, match=words) as caught:
        read.content_of(File(str(tmp_path / "a.zip"), "01_trees.ipynb" if places else ""))
    assert str(tmp_path) not in str(caught.value)


def test_a_link_that_takes_the_files_place_a_pipe_and_a_file_beyond_all_measure_are_not_read(tmp_path):
    """A class is found before it is read: meanwhile a file can become a link."""
    path = lay(tmp_path, {"eve/01_trees.ipynb": filled()}) / "eve" / "01_trees.ipynb"
    os.truncate(path, read.LARGEST_FILE + 1)
    with pytest.raises(ValueError, match="MB"):
        read.content_of(File(str(path)))
    path.rename(tmp_path / "01_trees.ipynb")
    path.symlink_to(tmp_path / "01_trees.ipynb")
    with pytest.raises(ValueError, match="cannot be read"):
        read.content_of(File(str(path)))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ValueError, match="no ordinary file"):
        read.content_of(File(str(path)))
    found = finding.find([tmp_path], {"01_trees": TREES})
    assert not found.of_student("eve")
    assert "no ordinary file" in " ".join(finding.describe_skipped(found.skipped))


def test_a_folder_of_too_many_files_or_closed_to_us_is_named_and_no_more(tmp_path, monkeypatch):
    lay(tmp_path, {"anna/01_trees.ipynb": filled(), "eve/": b"", **{
        f"fay/{k}.txt": b"" for k in range(read.MOST_FILES + 10)}})

    def scandir(path, usual=os.scandir):
        if str(path).endswith("eve"):
            raise PermissionError(13, "Permission denied")
        return usual(path)
    monkeypatch.setattr(os, "scandir", scandir)
    found = finding.find([tmp_path], {"01_trees": TREES})
    assert {s.student: bool(s.found["file"]) for s in found.submissions()} == {"anna": True, "eve": False, "fay": False}
    skipped = " | ".join(finding.describe_skipped(found.skipped))
    assert "the rest was not looked at" in skipped and "cannot be looked into (Permission denied)" in skipped


# Files are read once, and few bounds are met; whose a file is, is in transcripts/finding.txt and attacks.txt

def test_each_file_is_read_once_and_a_zip_in_a_zip_unpacked_once_for_all_its_files(tmp_path, monkeypatch):
    places, content_at, unpacked, usual = [], read.content_at, [], read._unpacked
    monkeypatch.setattr(read, "content_at", lambda *place: places.append(place) or content_at(*place))
    monkeypatch.setattr(read, "_unpacked", lambda *one: unpacked.append(one[1].filename) or usual(*one))
    inner = zipped({"01_trees.ipynb": to_bytes(filled()), **{f"{k}.txt": b"" for k in range(100)}})
    golf = (ROOT / "exercises" / "02_golf.ipynb").read_bytes()
    lay(tmp_path, {"0/anna/01_trees.ipynb": filled(), "0/bert.zip": zipped({"02_golf.ipynb": golf}),
                   "1/eve.zip": zipped({"inner.zip": inner})})
    assert len(list(finding.find([tmp_path / "0"], SETS).submissions())) == 2
    assert sorted(Path(path).name for path, *_ in places) == ["01_trees.ipynb", "bert.zip"]
    assert len(list(finding.find([tmp_path / "1"], SETS).submissions())) == 1
    assert unpacked.count("inner.zip") <= 2


def test_a_large_class_and_long_names_are_no_obstacle(tmp_path):
    """More files than one student may have; a name of more bytes than a folder's may have."""
    files = {f"Student {k}_{k}_assignsubmission_file/notes.txt": b"" for k in range(1, read.MOST_FILES + 2)}
    files[f"{'ก' * 100}_7_assignsubmission_file/01_trees.ipynb"] = to_bytes(filled())
    folder = lay(tmp_path, {"all.zip": zipped(files)})
    submission, *absent = finding.find([folder / "all.zip"], SETS).submissions()
    assert submission.content == to_bytes(filled()) and len(absent) == read.MOST_FILES + 1
    assert len(submission.student.encode()) <= 255 and submission.student.startswith("ก" * 40 + "-")
