"""Exercise pages answer as `Q(id).check` does: the same verdict, the same named mistake, the same words; and what is
answered there and what stands in a notebook are the same: downloaded, graded, loaded again."""

import json
import re

import nbformat
import pytest
from answered import right_answers, wrong_answers
from prove import handed_to_checks
from rjsmin import jsmin
from test_answer_forms import READ, UNITS
from test_unusual_answers import RIGHT as UNUSUAL
from test_unusual_answers import WRONG as PLAUSIBLE
from theme import script_text

from fi_course.questions import QUESTIONS, judge
from fi_course.questions import parse_answer as parse
from fi_course.questions.blocked_calls import blocked
from fi_course.questions.plain_values import normalise
from fi_course.questions.specification import of, page_specification

from .accessibility import assert_accessible, opened
from .conftest import ROOT

SETS = sorted({question.notebook for question in QUESTIONS.values()})
ASKED = {id: of(question)["asks"] for id, question in QUESTIONS.items()}
JUDGED = [id for id in QUESTIONS if ASKED[id] in ("choice", "number")]
NAME = "05_permutation"
PROSE = "Which rows judged, which loss, and how many shuffles: I know none of the three."
VECTORS = json.loads((ROOT / "tests/course/questions/vectors.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def judging(browser):
    """A blank page that has the judge, as pages carry it."""
    tab = browser.new_page()
    tab.add_script_tag(content="window.fi = {};")
    tab.add_script_tag(content=jsmin(script_text(ROOT / "book/script/judge.js")))
    yield tab
    tab.close()


def typed(id, answer):
    """An answer as it would be typed into the page's fields -> dict, or None where no field takes it."""
    answer, asked = normalise(answer), of(QUESTIONS[id])
    if asked["asks"] == "choice":
        letter, reason = parse.letter_and_reason(answer)
        fits = letter in asked["options"] or (letter is None and reason)
        return {"letter": letter or "", "reason": reason} if fits else None
    if not asked["entries"]:
        return None if isinstance(answer, dict) else {"answer": in_words(answer)}
    try:
        given, strange = parse.named_values(answer, asked["entries"])
    except ValueError:
        return None
    return None if strange else {entry: in_words(value) for entry, value in given.items()}


def in_words(value):
    """A number as one types it, a pair with its unit; text stays as it is."""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
        return f"{in_words(value[0])} {value[1]}"
    if isinstance(value, list):
        return ", ".join(map(in_words, value))
    return value if isinstance(value, str) else repr(value)


def test_digests_cells_and_seals_are_as_the_vectors_say(judging):
    found = judging.evaluate(
        """(v) => ({
        digests: v.digests.map(({ word }) => [fi.judge.sha256(word), fi.judge.tag(word)]),
        cells: v.cells.map(({ number, width }) => fi.judge.cell(number, width)),
        pads: v.pads.map(({ word, pad, number }) => [fi.judge.unpad(word, pad), fi.judge.hexOf(number)]),
        seals: v.seals.map(({ sealed, key }) => fi.judge.unseal(sealed, key)),
    })""",
        VECTORS,
    )
    assert found["digests"] == [[case["digest"], case["tag"]] for case in VECTORS["digests"]]
    assert found["cells"] == [case["cell"] for case in VECTORS["cells"]]
    assert found["pads"] == [[case["number"], case["hex"]] for case in VECTORS["pads"]]
    assert found["seals"] == [case["text"] for case in VECTORS["seals"]]


def test_the_page_reads_numbers_and_units_as_the_package_does(judging):
    """Whatever the package reads out of a text, and whatever unit it knows; None where it reads nothing."""
    texts = [text for group in READ.values() for text in group] + [
        f"3 {unit}" for pairs in UNITS.values() for unit, _ in pairs
    ]
    units = [pair for pairs in UNITS.values() for pair in pairs]
    read, known = judging.evaluate(
        """([texts, units]) => [
            texts.map(fi.judge.numberAndUnit).map(({ number, unit }) =>
                [number, unit, fi.judge.unitWords(unit), number === null ? null : fi.judge.shareIn(number, unit)]),
            units.map(([unit, wanted]) => fi.judge.isUnit(unit, [wanted]))]""",
        [texts, units],
    )
    assert known == [parse.is_unit(unit, [wanted]) for unit, wanted in units]
    for text, found in zip(texts, read, strict=True):
        number, unit = parse.number_and_unit(text)
        assert found[1:] == [unit, parse.unit_words(unit), number and parse.share_in(number, unit)], text
        assert found[0] == (number if number is None else pytest.approx(number, rel=1e-15)), text


@pytest.mark.parametrize("id", JUDGED)
def test_the_page_says_of_every_known_answer_what_the_check_says(judging, id):
    """Every right and every mistaken answer of the proof, which all can be typed, and nonsense: status, mistake and
    words. Empty fields are not started."""
    asked = of(QUESTIONS[id])
    known = [*right_answers(id), *(answer for name, answer in wrong_answers(id) if name)]
    assert [answer for answer in known if typed(id, answer) is None] == []
    answers = [*known, *(answer for _, answer in wrong_answers(id)), *UNUSUAL.get(id, []),
               *(answer for _, answer in PLAUSIBLE.get(id, [])), 0, -1, 0.5, "x", "1,5", "7 %", "-1/8"]
    cases = [(answer, given) for answer in answers if (given := typed(id, answer)) is not None]
    names = ["letter", "reason"] if asked["asks"] == "choice" else asked["entries"] or ["answer"]
    empty = [{}, dict.fromkeys(names, "" if asked["asks"] == "choice" else " ")]
    *said, first, second = judging.evaluate("([asked, all]) => all.map((given) => fi.judge(asked, given))",
                                            [asked, [given for _, given in cases] + empty])
    for (answer, given), found in zip(cases, said, strict=True):
        verdict = judge(QUESTIONS[id], answer)
        assert found == {"status": verdict.status, "mistake": verdict.mistake,
                         "message": verdict.message or verdict.meaning}, given
    assert {found["status"] for found in said} >= {"right", "wrong"}
    assert first["status"] == second["status"] == "not started"


@pytest.mark.parametrize("name", SETS)
def test_above_fields_nobody_is_asked_for_a_dictionary(name):
    """The fields have the names of its keys; nothing else is missing from the text."""
    from exercise_pages import page_of

    notebook = nbformat.read(ROOT / "exercises" / f"{name}.ipynb", as_version=4)
    texts = {cell.id: cell.source for cell in notebook.cells}
    asked = {q["id"] for q in page_specification(name)["questions"] if q["asks"] == "number"}
    for cell in page_of(notebook, name).cells:
        about = cell.metadata.get("fi_teach", {})
        if about.get("part") == "text" and about["question"] in asked:
            assert "`{" not in cell.source and "dictionary" not in cell.source
            assert texts[cell.id].startswith(cell.source[:-1])


def answer_by_keyboard(tab, id, given):
    """Fill the fields of a question, the last letters key by key, and press Enter."""
    place = tab.locator(f"[data-question='{id}']")
    if ASKED[id] == "choice":
        place.locator("input[type=radio]").first.focus()
        tab.keyboard.press("Space")
        while place.locator("input:checked").get_attribute("value") != given["letter"]:
            tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Tab")
        given = {"reason": given["reason"]}
    for name, words in given.items():
        place.locator(f"input[name='{name}']").fill(words[:-3])
        place.locator(f"input[name='{name}']").press_sequentially(words[-3:])
    tab.keyboard.press("Enter")
    return place.locator(".fi-verdict").inner_text()


def plain_words(text):
    """A message as the page prints it, without its marks."""
    return text.replace("`", "").replace("*", "")


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


@pytest.fixture(scope="module", params=SETS)
def opened_set(request, browser, address):
    """A page of exercises, opened once for the three tests below -> (its set, its tab, its console's errors)."""
    with opened(browser, address, f"exercises/{request.param}", gated=True) as (tab, errors, *_):
        yield request.param, tab, errors


def test_a_page_shows_each_question_with_its_way_to_answer(opened_set):
    """Letters and numbers have a form, code says how it is run, prose has room and a model answer;
    each has its hints."""
    name, tab, *_ = opened_set
    for question in page_specification(name)["questions"]:
        place = tab.locator(f"[data-question='{question['id']}']")
        assert place.locator("form").count() == (question["asks"] in ("choice", "number"))
        assert place.locator("textarea").count() == (question["asks"] == "prose")
        assert ("make lab" in place.inner_text()) == (question["asks"] in ("function", "test"))
        assert place.locator(".fi-hints button").count() == 1
        assert place.locator("input, textarea").evaluate_all(
            "all => all.every(field => field.labels.length > 0 || field.hasAttribute('aria-label'))")
    rows = {"01_trees": 8, "02_golf": 32}  # the data of the set stand on its page
    assert name not in rows or tab.locator("table.dataframe tbody tr").count() == rows[name]


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


def wrong_answer(id):
    return next(answer for mistake, answer in wrong_answers(id) if mistake and typed(id, answer))


def right_answer(id):
    return right_answers(id)[0]


RIGHT_AND_WRONG = (wrong_answer, right_answer)


def assert_says(words, id, verdict):
    """The page's words begin with the verdict, and hold what it says."""
    begin = "Right. " if verdict.status == "right" else f"Not yet: {verdict.mistake}. "
    assert words.startswith(begin) and plain_words(verdict.message or QUESTIONS[id].meaning) in words


def test_a_page_gives_the_notebook_that_jupyterlab_would_have_saved_and_takes_it_back(opened_set):
    """Untouched it is the one of the students' bundle, byte for byte; answered, only the sources of answers differ,
    they are judged as the page says, with the same mistake in the same words, and loaded into another browser they
    are there again."""
    name, tab, errors = opened_set
    assert downloaded(tab) == handed_out(name) and "still open" in tab.locator(".fi-notebook + p").inner_text()
    for answer_of in RIGHT_AND_WRONG:
        answer_all(tab, name, answer_of)
        text, said = downloaded(tab), tab.locator("form + .fi-verdict").all_inner_texts()
        blank, cells = json.loads(handed_out(name))["cells"], json.loads(text)["cells"]
        assert [{**a, "source": b["source"]} for a, b in zip(blank, cells, strict=True)] == cells
        for id, verdict in judged(name, text).items():
            if id in JUDGED:
                expected = judge(QUESTIONS[id], answer_of(id))
                assert (verdict.status, verdict.mistake, verdict.message) == (
                    expected.status, expected.mistake, expected.message)
                assert_says(tab.locator(f"[data-question='{id}'] .fi-verdict").inner_text(), id, expected)
            else:
                assert verdict.status == ("by hand" if ASKED[id] == "prose" else "right")
    tab.evaluate("fi.forget()")
    tab.reload()
    assert downloaded(tab) == handed_out(name)
    assert load(tab, text).startswith("Loaded: {0} of {0} answers.".format(len(questions_of(name))))
    assert tab.locator("form + .fi-verdict").all_inner_texts() == said
    assert downloaded(tab) == text and errors == []


def test_a_choice_and_a_number_are_answered_wrongly_and_rightly_by_keyboard_and_remembered(opened_set):
    name, tab, errors = opened_set
    tab.evaluate("fi.forget()")
    tab.reload()
    mine = {ASKED[id]: id for id in questions_of(name) if id in JUDGED}.values()
    for id in mine:
        for answer_of in RIGHT_AND_WRONG:
            answer = answer_of(id)
            assert_says(answer_by_keyboard(tab, id, typed(id, answer)), id, judge(QUESTIONS[id], answer))
    tab.reload()
    verdicts = tab.locator(".fi-verdict.fi-right").all_inner_texts()
    assert len(verdicts) == len(mine) and all(said.startswith("Right. ") for said in verdicts)
    worth, whole = (sum(QUESTIONS[id].points for id in some)
                    for some in (mine, [id for id in questions_of(name) if id in JUDGED]))
    assert tab.locator(".fi-points").inner_text() == f"Points on this page so far: {worth} of {whole}."
    assert errors == []


def test_hints_come_one_at_a_time_and_the_model_answer_waits_for_a_sentence_of_ones_own(browser, address):
    hints = QUESTIONS["trees.entropy_bits"].hints
    with opened(browser, address, "exercises/01_trees", gated=True) as (tab, *_):
        place = tab.locator("[data-question='trees.entropy_bits'] .fi-hints")
        for k in range(1, len(hints) + 1):
            assert place.locator("li").count() == k - 1
            place.get_by_role("button").press("Enter")
            assert place.locator("li").all_inner_texts() == [plain_words(hint) for hint in hints[:k]]
        assert place.get_by_role("button").is_disabled()
        place = tab.locator("[data-question='trees.what_sixty_means']")
        assert not place.locator(".fi-model").is_visible()
        place.locator("textarea").fill("Too short.")
        assert not place.locator(".fi-model").is_visible()
        place.locator("textarea").fill("They are a share of what this tree took away from its own training rows.")
        assert place.locator(".fi-model").is_visible() and place.locator(".fi-model").get_attribute("open") is None
        tab.reload()
        assert place.locator("textarea").input_value().startswith("They are a share")


def test_without_scripts_a_question_says_where_it_is_answered(browser, address):
    with opened(browser, address, "exercises/01_trees", java_script_enabled=False) as (tab, *_):
        assert all("make lab" in words for words in tab.locator(".fi-exercise").all_inner_texts())


def test_a_page_with_verdicts_and_hints_passes_the_accessibility_rules(browser, address):
    with opened(browser, address, "exercises/06_negative", gated=True) as (tab, *_):
        for id in [id for id in JUDGED if id.startswith("negative.")]:
            answer_by_keyboard(tab, id, typed(id, right_answers(id)[0]))
        for button in tab.locator(".fi-hints button").all():
            button.click()
        assert_accessible(tab)


def test_without_any_server_pages_set_formulas_move_explorables_judge_and_download(browser, built_book):
    """A double click on a file of the unzipped book; the policy that keeps pages from other hosts hinders none."""
    with opened(browser, built_book.as_uri(), "notebooks/02_golf") as (tab, errors, *_):
        said = tab.locator(".explorable-sentence").first
        before = said.inner_text()
        tab.locator(".explorable input[type=radio]:not(:checked)").first.check()
        assert said.inner_text() != before and errors == []
        id = "permutation.accuracy"
        tab.goto(f"{built_book.as_uri()}/exercises/05_permutation.html")
        assert answer_by_keyboard(tab, id, typed(id, right_answers(id)[0])).startswith("Right.")
        with tab.expect_download() as found:
            tab.get_by_role("button", name="Download my notebook").click()
        assert json.loads(found.value.path().read_text(encoding="utf-8"))["cells"]
        for page in ("book/glossary", "search"):
            tab.goto(f"{built_book.as_uri()}/{page}.html")
        assert [words for words in errors if "Content Security Policy" in words] == []


@pytest.fixture(scope="module")
def page(browser, address):
    with opened(browser, address, f"exercises/{NAME}", gated=True) as (tab, errors, *_):
        yield tab, errors


@pytest.fixture
def tab(page):
    """The page of a reader who has answered nothing yet; it ends without an error."""
    tab, errors = page
    tab.evaluate("fi.forget()")
    tab.reload()
    yield tab
    assert errors == []


def cells_changed(**sources):
    """The handed-out notebook with other sources in some questions' answer cells -> its text."""
    notebook = json.loads(handed_out())
    for cell in notebook["cells"]:
        about = cell["metadata"].get("fi_teach", {})
        if about.get("part") == "answer":
            cell["source"] = sources.get(about["question"].split(".")[1], cell["source"])
    return json.dumps(notebook)


def test_answers_are_read_however_python_writes_them(tab):
    """A literal goes into its field; what is more than that stays code, and is downloaded as it was."""
    text = cells_changed(
        recall_judges="judged_rows = 4\n", recall_noise="two_columns = ('c', 'It\\'s the many cuts of the die')",
        bananas="this_deal = (\n    {'votes': 1/4,\n     \"trees\": 0.5}\n)",
        accuracy="fall = .9 - (.8 + .84 + .7) / 3")
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


def test_cells_are_found_although_an_editor_has_renamed_them_and_loading_can_be_undone(tab):
    """By nbgrader's name of the cell, or by the question in its metadata. What a notebook leaves open stays."""
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


def test_a_file_that_is_none_of_this_set_is_named_and_nothing_is_lost(tab):
    answer_by_keyboard(tab, "permutation.recall_judges", {"answer": "4"})
    before = tab.evaluate("fi.read()"), downloaded(tab)
    for text, words in STRANGE.items():
        said = load(tab, text)
        assert said.startswith("Nothing was loaded or changed: ") and words in said
        assert (tab.evaluate("fi.read()"), downloaded(tab)) == before
