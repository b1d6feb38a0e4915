"""Files are read once and few bounds are met; whose a file is, is in transcripts/finding.txt and attacks.txt.

Whose it is says the name that a platform or the instructor gave it, never what a student packed.
"""

from pathlib import Path

from fi_grader.submissions import finding
from fi_grader.submissions.reading import MOST_FILES
from notebooks import ROOT, SETS, filled, lay, to_bytes, zipped

TREES, GOLF = to_bytes(filled()), (ROOT / "exercises" / "02_golf.ipynb").read_bytes()


def find(source):
    """All submissions in a folder or zip file -> list."""
    return list(finding.find([source], SETS).submissions())


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
