"""What is answered on an exercise page and what stands in a notebook are the same: downloaded, graded, loaded again."""

import json
import re
import sys

import pytest

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked

from .accessibility import opened
from .conftest import ROOT
from .test_exercises import ASKED, SETS, answer_by_keyboard, typed

sys.path.insert(0, str(ROOT / "tests/course/questions"))
from answered import right_answers, wrong_answers
from prove import handed_to_checks

NAME = "05_permutation"
PROSE = "Which rows judged, which loss, and how many shuffles: I know none of the three."


def handed_out(name=NAME):
    return (ROOT / f"exercises/{name}.ipynb").read_text(encoding="utf-8")


def downloaded(tab):
    """What the page gives as a notebook -> its text."""
    with tab.expect_download() as found:
        tab.get_by_role("button", name="Download my notebook").click()
    return found.value.path().read_text(encoding="utf-8")


def load(tab, text, name="mine.ipynb"):
    """Load a file into the page -> what the page says."""
    said = tab.locator(".fi-notebook + p")
    said.evaluate("p => { p.textContent = '' }")  # else an earlier "Loaded" would be read again
    with tab.expect_file_chooser() as chooser:
        tab.get_by_role("button", name="Load a notebook").click()
    chooser.value.set_files({"name": name, "mimeType": "application/json", "buffer": text.encode()})
    said.filter(has_text=re.compile(r"\b[Ll]oaded")).wait_for()
    return said.inner_text()


def source_of(name, id, folder="solutions"):
    """The answer cell of a question -> its source."""
    cells = json.loads((ROOT / folder / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return next("".join(cell["source"]) for cell in cells
                if cell["metadata"].get("fi_teach", {}) == {"part": "answer", "question": id})


def questions_of(name):
    return [id for id in QUESTIONS if QUESTIONS[id].notebook == name]


def answer_all(tab, name, answer_of):
    """Answer every question of the page: fields as they are kept when checked, code and prose as they are kept."""
    mine = questions_of(name)
    answers = {id: {"given": typed(id, answer_of(id)), "status": ""} for id in mine
               if ASKED[id] in ("choice", "number")}
    code = {id: source_of(name, id) for id in mine if ASKED[id] in ("function", "test")}
    words = {id: PROSE for id in mine if ASKED[id] == "prose"}
    tab.evaluate("(answers) => fi.change((state) => Object.assign(state, answers))",
                 {"answers": answers, "code": code, "words": words})
    tab.reload()


def judged(name, text):
    """The verdicts on the answers of a notebook -> {question: Verdict}."""
    answers, found = handed_to_checks(json.loads(text)["cells"]), {}
    for id in questions_of(name):
        with blocked(QUESTIONS[id].blocked):
            found[id] = judge(QUESTIONS[id], answers[id])
    return found


RIGHT_AND_WRONG = {"wrong": lambda id: next(a for m, a in wrong_answers(id) if m and typed(id, a)),
                   "right": lambda id: right_answers(id)[0]}


@pytest.mark.parametrize("name", SETS)
def test_a_page_gives_the_notebook_that_jupyterlab_would_have_saved_and_takes_it_back(browser, address, name):
    """Untouched it is the one of the students' bundle, byte for byte;
    answered, only the sources of answers differ, they are judged as they were on the page,
    and loaded into another browser they are there again."""
    with opened(browser, address, f"exercises/{name}", gated=True) as (tab, errors, *_):
        assert downloaded(tab) == handed_out(name) and "still open" in tab.locator(".fi-notebook + p").inner_text()
        for status, answer_of in RIGHT_AND_WRONG.items():
            answer_all(tab, name, answer_of)
            text, said = downloaded(tab), tab.locator("form + .fi-verdict").all_inner_texts()
            blank, cells = json.loads(handed_out(name))["cells"], json.loads(text)["cells"]
            assert [{**a, "source": b["source"]} for a, b in zip(blank, cells, strict=True)] == cells
            for id, verdict in judged(name, text).items():
                if ASKED[id] in ("choice", "number"):
                    expected = judge(QUESTIONS[id], answer_of(id))
                    assert (verdict.status, verdict.mistake,
                            verdict.message) == (status, expected.mistake, expected.message)
                else:
                    assert verdict.status == ("by hand" if ASKED[id] == "prose" else "right")
        tab.evaluate("fi.forget()")
        tab.reload()
        assert downloaded(tab) == handed_out(name)
        assert load(tab, text).startswith("Loaded: {0} of {0} answers.".format(len(questions_of(name))))
        assert tab.locator("form + .fi-verdict").all_inner_texts() == said
        assert downloaded(tab) == text and errors == []


def cells_changed(**sources):
    """The handed-out notebook with other sources in some questions' answer cells -> its text."""
    notebook = json.loads(handed_out())
    for cell in notebook["cells"]:
        about = cell["metadata"].get("fi_teach", {})
        if about.get("part") == "answer":
            cell["source"] = sources.get(about["question"].split(".")[1], cell["source"])
    return json.dumps(notebook)


def test_answers_are_read_however_python_writes_them(browser, address):
    """A literal goes into its field; what is more than that stays code, and is downloaded as it was."""
    text = cells_changed(
        recall_judges="judged_rows = 4\n", recall_noise="two_columns = ('c', 'It\\'s the many cuts of the die')",
        bananas="this_deal = (\n    {'votes': 1/4,\n     \"trees\": 0.5}\n)",
        accuracy="fall = .9 - (.8 + .84 + .7) / 3")
    with opened(browser, address, f"exercises/{NAME}", gated=True) as (tab, errors, *_):
        load(tab, text)
        values = tab.evaluate(
            "Object.fromEntries(Object.values(fi.exercises).map(({ asked, given }) => [asked.id, given?.()]))")
        assert values["permutation.recall_judges"] == {"answer": "4"}
        assert values["permutation.recall_noise"] == {"letter": "c", "reason": "It's the many cuts of the die"}
        assert values["permutation.bananas"] == {"votes": "1/4", "trees": "0.5"}
        kept = tab.locator("[data-question='permutation.accuracy'] .fi-kept")
        assert "fall = .9 - (.8 + .84 + .7) / 3" in kept.inner_text()
        answers = handed_to_checks(json.loads(downloaded(tab))["cells"])
        assert answers["permutation.accuracy"] == .9 - (.8 + .84 + .7) / 3
        answer_by_keyboard(tab, "permutation.accuracy", {"answer": "0.12"})
        assert kept.count() == 0
        assert handed_to_checks(json.loads(downloaded(tab))["cells"])["permutation.accuracy"] == 0.12
        assert errors == []


def test_cells_are_found_although_an_editor_has_renamed_them_and_loading_can_be_undone(browser, address):
    """By nbgrader's name of the cell, or by the question in its metadata. What a notebook leaves open stays."""
    with opened(browser, address, f"exercises/{NAME}", gated=True) as (tab, *_):
        answer_by_keyboard(tab, "permutation.recall_judges", {"answer": "4"})
        answer_by_keyboard(tab, "permutation.accuracy", {"answer": "0.5"})
        before = downloaded(tab)
        for drop in (["id"], ["id", "nbgrader"]):
            notebook = json.loads(cells_changed(accuracy="fall = 0.12"))
            for k, cell in enumerate(notebook["cells"]):
                cell["id"] = f"renamed-{k}"
                if "nbgrader" in drop:
                    cell["metadata"].pop("nbgrader", None)
            assert load(tab, json.dumps(notebook)).startswith("Loaded: 1 of 9 answers.")
            given = tab.evaluate(
                "['recall_judges', 'accuracy'].map((id) => fi.exercises[`permutation.${id}`].given().answer)")
            assert given == ["4", "0.12"]
            tab.get_by_role("button", name="Undo").click()
            assert downloaded(tab) == before


STRANGE = {"{\"cells\": [": "is no notebook, or is damaged", "": "is no notebook", "[1]": "is no notebook",
           "{\"cells\": [3]}": "is no notebook",
           handed_out("06_negative"): "another set, whose questions begin with “negative.”",
           "{\"cells\": []}": "no cell of this notebook belongs",
           "{\"cells\": [{\"source\": \"1\"}]}": "no cell of this notebook belongs"}


def test_a_file_that_is_none_of_this_set_is_named_and_nothing_is_lost(browser, address):
    with opened(browser, address, f"exercises/{NAME}", gated=True) as (tab, errors, *_):
        answer_by_keyboard(tab, "permutation.recall_judges", {"answer": "4"})
        before = tab.evaluate("fi.read()"), downloaded(tab)
        for text, words in STRANGE.items():
            said = load(tab, text)
            assert said.startswith("Nothing was loaded or changed: ") and words in said
            assert (tab.evaluate("fi.read()"), downloaded(tab)) == before and errors == []
