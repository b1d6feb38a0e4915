"""What the prose pages count: hours from the chapters' own tables, rows from the conformity file, claims
from the ledger, and what they say of a measure: from the stored comparison of chapter 13."""

import re

import pytest
from chapter import minutes_of
from measured import lines
from records import answering, comparison

from fi_course.claims import read_ledger
from fi_course.compare import METHODS, QUESTIONS, stored, verdicts

from .conftest import ROOT, notebook, prose, put


@pytest.mark.parametrize(("time", "minutes"), [
    ("50 minutes, and 15 more for the detective section", (50, 15)), ("30 minutes", (30, 0)),
    ("40 minutes, and an afternoon for the capstone", (40, 0)), ("a while", None)])
def test_a_chapters_minutes_are_read_from_its_table(tmp_path, time, minutes):
    """None where it does not say, so that the page can warn."""
    text = notebook("'**Time** | 99 minutes'", words=f"# Chapter\n\n| **Time** | {time} |\n")
    assert minutes_of(put(tmp_path, {"chapter.ipynb": text}) / "chapter.ipynb") == minutes


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


ROLE = re.compile(r"\{answering\}`(\w+)`")


@pytest.fixture(scope="module")
def found():
    return verdicts(stored())


def test_a_question_is_answered_by_the_measures_whose_word_it_is_and_by_none_that_misleads(found):
    words = found.set_index(["question", "measure"])["word"]
    for question in QUESTIONS:
        named = [measure for measure in METHODS if measure in answering(found, question).split("; ")]
        assert named == [measure for measure in METHODS if words[question, measure] == "answers"]
    assert answering(found, "causal") == "none of them"


def test_the_table_of_words_changes_with_the_comparison(found):
    words = dict(comparison(found))
    assert list(words) == list(METHODS) and words["MDI"][2] == "**answers** (100%)"
    turned = found.assign(word="misleads", worst_world="xor_gate")
    assert dict(comparison(turned))["MDI"] == ["misled by *xor gate*"] * 4
    assert answering(turned, "used") == answering(turned, "causal")


@pytest.mark.parametrize("page", ["cheatsheet", "surprises"])
def test_a_page_takes_what_answers_a_question_from_the_comparison(page):
    """Wherever a line of the page has one of the four words, set in italics, the measures follow from the file."""
    text = (ROOT / f"book/{page}.md").read_text(encoding="utf-8")
    places = [part for line in text.splitlines() for part in re.split(r"(?<=`)[.] ", line)]
    for question in QUESTIONS:
        about = [place for place in places if f"*{question}*" in place]
        assert about and all(ROLE.findall(place) == [question] for place in about), question


def test_the_closing_table_of_chapter_13_advises_no_measure_that_misleads_about_the_question(found):
    """Every row that begins with a question names measures that answer it; the last names none."""
    words = found.set_index(["question", "measure"])["word"]
    text = prose(ROOT / "notebooks/13_choosing.ipynb")
    [table] = [part for part in text.split("\n\n") if "you may not write |" in part]
    rows = [[part.strip() for part in line.split("|")[1:3]] for line in table.splitlines() if line[:1] == "|"][2:]
    advised = [(about.split(",")[0], [name for name in METHODS if name.split(" statistic")[0] in measured])
               for about, measured in rows]
    assert {question for question, _ in advised} == set(QUESTIONS)
    for question, names in advised:
        assert bool(names) == (question != "causal")
        assert all(words[question, name] == "answers" for name in names), (question, names)
