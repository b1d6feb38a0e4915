"""The files are what their provenance says: same bytes, same cells as the packages, a holder and
a licence each, whose text goes wherever the table goes."""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from fi_teach.course.questions.release import release
from fi_teach.data.provenance import LICENCES, PROVENANCE, licence_texts, provenance_table
from fi_teach.data.table import FOLDER

ROOT = Path(__file__).resolve().parents[2]
TERMS = sorted({term for record in PROVENANCE.values() for term in record["terms"]})
FIRST_WORDS = {
    "Artistic-2.0": "Artistic License 2.0",
    "CC-BY-4.0": "Attribution 4.0 International",
    "GPL-2": "GNU GENERAL PUBLIC LICENSE Version 2, June 1991",
    "GPL-3": "GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007",
    "MIT": "MIT License",
}

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


@pytest.mark.parametrize("field", ["title", "source", "holder", "licence", "changes"])
def test_every_record_is_filled_in(field):
    assert all(record[field] for record in PROVENANCE.values())


@pytest.mark.parametrize("name", PROVENANCE)
def test_a_table_that_was_taken_from_a_package_has_terms_and_one_typed_in_has_none(name):
    assert bool(PROVENANCE[name]["terms"]) == bool(PROVENANCE[name]["package"])
    assert list(licence_texts(name)) == list(PROVENANCE[name]["terms"])


@pytest.mark.parametrize("term", TERMS)
def test_a_licence_is_there_in_full(term):
    """It begins with its own title and is as long as such a text is; MIT names its holder."""
    text = (LICENCES / f"{term}.txt").read_text(encoding="utf-8")
    assert " ".join(text.split()).startswith(FIRST_WORDS[term])
    assert len(text) > (1_000 if term == "MIT" else 8_000)
    assert term != "MIT" or "Copyright (c) 2023 modeldata authors" in text


def test_no_text_lies_there_for_nothing():
    assert sorted(path.stem for path in LICENCES.iterdir()) == TERMS


# --- what is handed on ------------------------------------------------------------------------

def expected_files():
    """The tables, the texts and the permission note, as paths of the package."""
    texts = [f"fi_teach/data/licences/{term}.txt" for term in TERMS]
    return {*texts, "fi_teach/data/README.md", *(f"fi_teach/data/{n}.csv" for n in PROVENANCE)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that this project builds, out of a copy of its files."""
    copy, out = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("wheel")
    skip = shutil.ignore_patterns("__pycache__", "course")
    shutil.copytree(ROOT / "fi_teach", copy / "fi_teach", ignore=skip)
    for name in ("pyproject.toml", "README.md", "LICENSE", "LICENSE-text"):
        shutil.copy(ROOT / name, copy)
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(out)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_table_with_its_licence(wheel):
    assert expected_files() <= set(wheel.namelist())


def test_the_wheel_names_every_licence_in_its_metadata(wheel):
    """One expression for code, text and tables, and the file of each licence by name."""
    (path,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(wheel.read(path))
    expression = re.split(r"[\s()]+|AND|OR", metadata["License-Expression"])
    spdx = {re.sub(r"^GPL-(\d)$", r"GPL-\1.0-only", term) for term in TERMS}
    assert {"BSD-3-Clause", "CC-BY-4.0"} | spdx == set(filter(None, expression))
    files = metadata.get_all("License-File")
    assert {f"fi_teach/data/licences/{term}.txt" for term in TERMS} <= set(files)
    for file in files:
        assert f"{path.removesuffix('METADATA')}licenses/{file}" in wheel.namelist()


def test_the_licence_expression_is_one_that_packaging_accepts():
    from packaging.licenses import canonicalize_license_expression

    expression = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
    assert canonicalize_license_expression(expression) == expression


@pytest.mark.parametrize("bundle", ["student", "instructor"])
def test_both_bundles_hold_every_table_with_its_licence(tmp_path, bundle):
    release(tmp_path, ROOT)
    with zipfile.ZipFile(tmp_path / f"{bundle}.zip") as packed:
        names = {name.removeprefix(f"{bundle}/") for name in packed.namelist()}
    assert expected_files() <= names
