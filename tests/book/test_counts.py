"""What the prose pages count: hours from the chapters' own tables, rows from the conformity file, claims
from the ledger."""

import json
import re

import pytest
from chapter import minutes_of
from measured import lines

from fi_course.claims import read_ledger

from .conftest import ROOT


def chapter(tmp_path, time):
    path = tmp_path / "chapter.ipynb"
    cells = [{"cell_type": "code", "source": ["'**Time** | 99 minutes'"]},
             {"cell_type": "markdown", "source": ["# Chapter\n", f"| **Time** | {time} |\n"]}]
    path.write_text(json.dumps({"cells": cells}))
    return path


@pytest.mark.parametrize(("time", "minutes"), [
    ("50 minutes, and 15 more for the detective section", (50, 15)), ("30 minutes", (30, 0)),
    ("40 minutes, and an afternoon for the capstone", (40, 0)), ("a while", None)])
def test_a_chapters_minutes_are_read_from_its_table(tmp_path, time, minutes):
    """None where it does not say, so that the page can warn."""
    assert minutes_of(chapter(tmp_path, time)) == minutes


PAIR = {"method": "mdi", "reference": "importances", "packages": ["scikit-learn"], "versions": ["1.2.3"],
        "difference": 2e-16, "tolerance": 1e-12, "unit": "absolute"}
MODEL = {"library": "XGBoost", "version": "3.2.0", "configuration": "XGBRegressor, dart"}


@pytest.mark.parametrize(("table", "rows", "told"), [
    (0, {"rows": [PAIR, PAIR | {"tolerance": 0}, PAIR | {"tolerance": 4, "unit": "shares"}, PAIR | {"packages": []}]},
     ["| mdi | scikit-learn, importances | 1.2.3 | 2.0e-16 | 1e-12 |",
      "| mdi | scikit-learn, importances | 1.2.3 | 2.0e-16 | exactly equal |",
      "| mdi | scikit-learn, importances | 1.2.3 | 2.0e-16 | 4 shares |",
      "| mdi | fi_teach, importances | this one | 2.0e-16 | 1e-12 |"]),
    (1, {"models": [MODEL | {"difference": 2e-7, "where": "raw score"}, MODEL | {"refused": "refit."}]},
     ["| XGBoost 3.2.0 | XGBRegressor, dart | equal, 2.0e-07 |",
      "| XGBoost 3.2.0 | XGBRegressor, dart | refused: refit. |"])])
def test_the_tables_of_conformity_name_version_difference_tolerance_and_refusal(table, rows, told):
    assert lines("conformity", table, rows)[2:] == told


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_pages_that_no_build_touches_count_the_claims_as_the_ledger_does(page):
    """The book's own pages count while they are built; these two are read as they stand."""
    told = re.findall(r"\b(\d+) statements\b", (ROOT / page).read_text(encoding="utf-8"))
    assert told == [str(len(read_ledger()))]


def test_the_readme_counts_the_chapters_that_there_are():
    """Chapter 12 is one chapter in several notebooks."""
    numbers = {path.name[:2] for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")}
    words = ("Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen")
    assert f"{words[len(numbers) - 12]} chapters" in (ROOT / "README.md").read_text(encoding="utf-8")
