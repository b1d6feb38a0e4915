"""The files are what their provenance says: same bytes, same cells as the packages, a licence
each."""

import hashlib
import importlib.util
import re
from pathlib import Path

import pytest

from fi_teach.data.provenance import PROVENANCE, provenance_table
from fi_teach.data.table import FOLDER

spec = importlib.util.spec_from_file_location(
    "compare_with_packages", Path(__file__).with_name("compare_with_packages.py")
)
compare = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare)


@pytest.mark.parametrize("name", PROVENANCE)
def test_file_has_the_checksum_of_its_record(name):
    assert (
        hashlib.sha256((FOLDER / f"{name}.csv").read_bytes()).hexdigest()
        == PROVENANCE[name]["sha256"]
    )


def test_every_file_has_a_record_and_every_record_a_file():
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(PROVENANCE)


@pytest.mark.parametrize("name", [name for name, record in PROVENANCE.items() if record["package"]])
def test_no_cell_differs_from_the_package_it_was_taken_from(name):
    assert compare.differing_cells(name) == 0


def test_a_table_of_other_shape_is_reported_not_compared(monkeypatch):
    monkeypatch.setitem(compare.PACKAGE_TABLES, "mtcars", compare.PACKAGE_TABLES["concrete"])
    with pytest.raises(ValueError, match="mtcars"):
        compare.differing_cells("mtcars")


def test_a_changed_cell_would_be_counted(monkeypatch):
    cars = compare.package_mtcars()
    cars.loc[3, "hp"] += 1
    monkeypatch.setitem(compare.PACKAGE_TABLES, "mtcars", lambda: cars)
    assert compare.differing_cells("mtcars") == 1


def test_readme_holds_the_provenance_table():
    assert provenance_table() in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_meat_spectra_travel_with_their_permission_note():
    note = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.search(r"redistributed as long as this\s+permission note is attached", note)


@pytest.mark.parametrize("field", ["title", "source", "licence", "changes"])
def test_every_record_is_filled_in(field):
    assert all(record[field] for record in PROVENANCE.values())
