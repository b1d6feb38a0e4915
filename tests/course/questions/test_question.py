"""What a student meets: a verdict for everything that can be handed in, hints one at a time, no traceback unasked."""

import ast
import json
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fi_course.questions import QUESTIONS, CheckFailed, Q, Question, judge
from fi_course.questions.blocked_calls import functions_at
from fi_course.questions.cards import Card
from fi_course.questions.checks import Mistake, catches, choice, function, value
from fi_course.questions.compare_values import near
from fi_course.questions.question import KINDS, Handle, card_of
from fi_course.questions.reference_solution import reference, solutions_notebook

ROOT = Path(__file__).resolve().parents[3]


def question(check, **options):
    return Question(**{"id": "a.question", "title": "A question", "kind": "number", "stars": 1, "minutes": 1,
                       "points": 1,
                       "hints": ("one", "two"), "check": check, **options})


def doubled(x):
    return 2 * np.asarray(x)


DOUBLE = question(function(lambda rng: [(np.array([1, 2]),), (rng.integers(5, 9, size=3),)], doubled,
                           Mistake("squared", lambda x: np.asarray(x) ** 2, "You squared.")))


def test_every_question_is_complete():
    for id, q in QUESTIONS.items():
        assert q.id == id and id.split(".")[0] == q.notebook.split("_", 1)[1]
        assert q.kind in KINDS and 1 <= q.stars <= 3 and q.minutes > 0 and q.points >= 0 and q.seconds > 0
        assert len(q.hints) >= 2 and all(q.hints) and len(set(q.hints)) == len(q.hints)
        assert q.meaning or q.rubric
        assert all(functions_at(name) for name in q.blocked)


def test_ids_are_unique_within_and_across_sets():
    import importlib
    modules = {f"fi_course.questions.ch{q.notebook}" for q in QUESTIONS.values()}
    assert sum(len(importlib.import_module(m).QUESTIONS) for m in modules) == len(QUESTIONS)


def test_every_set_begins_with_two_questions_of_recall_and_has_four_kinds():
    for notebook in {q.notebook for q in QUESTIONS.values()}:
        those = [q for q in QUESTIONS.values() if q.notebook == notebook]
        assert all(".recall_" in q.id for q in those[:2])
        assert len({q.kind for q in those}) >= 4 and len(those) >= 5
        assert notebook not in ("01_trees", "02_golf") or {"test", "mend"} <= {q.kind for q in those}


def plain_number(node):
    try:
        return float(eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}}))
    except (NameError, SyntaxError, TypeError, ValueError):
        return None


@cache
def lists_of_numbers(chapter):
    """The lists and tuples of numbers in the code of a chapter, such as (2/3, 3/4) -> list of lists."""
    sources = ("".join(cell["source"]) for path in (ROOT / "notebooks").glob(f"{chapter}*.ipynb")
               for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code")
    lists = [node.elts for source in sources for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1]
    return [numbers for numbers in ([plain_number(node) for node in nodes] for nodes in lists) if None not in numbers]


def are_near(one, other, tolerance):
    return len(one) == len(other) and all(map(near, one, other, [tolerance] * len(one)))


@pytest.mark.parametrize("id", [id for id, q in QUESTIONS.items() if hasattr(q.check, "targets")])
def test_no_two_mistakes_and_no_numbers_of_the_chapter_lead_to_one_diagnosis(id):
    """Where another way leads to the same numbers, the message names both ways."""
    check, chapter = QUESTIONS[id].check, lists_of_numbers(QUESTIONS[id].notebook[:2])
    whole = [target for target in check.targets[1:] if None not in target.values]
    for one, other in combinations([check.targets[0], *whole], 2):
        assert not are_near(one.values, other.values, check.tolerance), (one.name, other.name)
    for target in whole:
        known = [numbers for numbers in chapter if are_near(numbers, target.values, check.tolerance)]
        assert "the chapter" in target.message or not known, (target.name, known)


def test_an_unknown_id_is_refused_with_the_nearest_ones():
    with pytest.raises(ValueError, match=r"trees\.decrease"):
        Q("trees.decreese")


@pytest.mark.parametrize("blank", [None, ..., [...], (..., None), {"a": ...}, np.array([None])])
def test_what_holds_nothing_is_not_started(blank):
    assert judge(question(value(1)), blank).status == "not started"


@pytest.mark.parametrize("answer", [object(), open, type])
def test_what_cannot_be_read_is_wrong_and_never_an_error(answer):
    assert judge(question(value(1)), answer).status == "wrong"


def test_an_object_that_equals_everything_is_no_right_answer():
    class Chameleon:
        def __eq__(self, other):
            return True
        __hash__ = None
    assert judge(question(value(1)), Chameleon()).status == "wrong"
    assert judge(DOUBLE, lambda x: Chameleon()).status == "wrong"


@pytest.mark.parametrize(("answer", "words"), [
    ("maybe", "asks for a number"), (0.5, "not the value"), ([0, 5], "decimal point"), ((1, "nats"), "asks for bits")])
def test_a_number_that_is_no_known_mistake_gets_a_helpful_word(answer, words):
    assert words in judge(question(value(1, unit="bits")), answer).message


@pytest.mark.parametrize(("answer", "words"), [
    ({"a": 1, "b": ...}, "Still to be filled in: `b`"), ({"a": 5, "b": 2}, "Not right yet: `a`."),
        ({"a": 1}, "No entry yet for `b`"), ([3, 4], "None of the 2 values"), ([1], "2 values: `a`, `b`")])
def test_several_values_say_what_is_missing(answer, words):
    assert words in judge(question(value({"a": 1, "b": 2})), answer).message


MANY_FORMS = [
    (value({"day": 0.29, "sky": 0.436, "wind": 0.273}), [
        [0.29, 0.44, 0.27], "0.29, 0.436, 0.273", np.array([0.29, 0.436, 0.273]),
        [["Day", 0.29], ["Sky", 0.436], ["Wind", 0.273]], [("wind", "27.3 %"), ("day", 0.29), ("sky", "109/250")],
        pd.Series({"wind": 0.273, "day": 0.29, "sky": 0.436}),
        pd.DataFrame({"Wind": [0.273], "Sky": 0.436, "Day": "29 %"}),
        {"day": Fraction(29, 100), "sky": "0.436", "breeze": 0.273}]),
    (value({"Rent <= 525": 5 / 12, "Rent <= 680": 3 / 8}), [
        {525: "5/12", 680: "3/8"}, [["525", 0.417], ["680", 0.38]], {"Rent < 680": 0.375, "Rent < 525": 0.4167},
        {"rent<=525": 0.417, "Rent ≤ 680": 0.375}])]


def test_right_values_are_right_in_every_form():
    for check, forms in MANY_FORMS:
        for form in forms:
            assert judge(question(check), form).status == "right", form


def test_some_of_several_values_without_names_are_asked_for_them():
    asked = question(value({"a": 1, "b": 2}, default={"a": 3, "b": 2}))
    assert "as in `{'a': 0.31}`" in judge(asked, [1]).message


def test_an_entry_of_another_name_is_named():
    asked = question(value({"MDI": 5, "out of bag": 2}))
    assert "no entry `OOB`" in judge(asked, {"MDI": 5, "out of bag": 2, "OOB": 2}).message
    assert "no entry `gini`" in judge(asked, {"gini": 5, "OOB": 2}).message


def test_a_function_that_rounds_is_told_so():
    third = function(lambda rng: [(1,), (2,)], lambda x: x / 3)
    assert "do not round" in judge(question(third), lambda x: round(x / 3, 3)).message
    assert "do not round" not in judge(question(third), lambda x: x / 2).message


@pytest.mark.parametrize(("answer", "name", "words"), [
    ("a", "no reason yet", "chosen `a`"), (("a", ""), "no reason yet", "say why"),
    ("b - yes", "no reason yet", "3 words"),
    ("because it is so", "no letter yet", "a, b"), ("A tree is greedy here", "no letter yet", "a, b"),
    (("z", "because I say so"), "", "a, b"), (("b", "because I say so"), "other", "no"),
    ("b the cut is pure", "other", "no")])
def test_what_a_prediction_lacks_is_told_without_a_word_on_its_letter(answer, name, words):
    verdict = judge(question(choice("a", Mistake("other", "b", "no"))), answer)
    assert (verdict.status, verdict.mistake) == ("wrong", name) and words in verdict.message


@pytest.mark.parametrize("answer", [("b", ...), (..., "because I say so")])
def test_a_prediction_half_filled_in_is_not_started(answer):
    assert judge(question(choice("a", Mistake("other", "b", "no"))), answer).status == "not started"


def test_the_first_case_that_fails_is_the_counterexample():
    verdict = judge(DOUBLE, lambda x: np.asarray(x) + 1)
    assert verdict.counterexample == "On `f([1, 2])` you return `[2, 3]`; expected: `[2, 4]`."


def test_a_named_mistake_shows_message_and_counterexample():
    def square(x):
        return [v * v for v in x]
    verdict = judge(DOUBLE, square)
    assert verdict.mistake == "squared"
    assert verdict.text == "You squared. On `square([1, 2])` you return `[1, 4]`; expected: `[2, 4]`."


@pytest.mark.parametrize("right", [
    lambda x: [2 * v for v in x], lambda x: tuple(x + x) if isinstance(x, np.ndarray) else None,
    lambda x: (v * 2.0 for v in x), lambda x: pd.Series(x) * 2, lambda x: x.mul(2),
    lambda x: [*map((2).__mul__, x.copy())]])
def test_a_right_function_is_right_in_every_style(right):
    assert judge(DOUBLE, right).status == "right"


def in_its_place(x):
    x[0] += 1
    return x


@pytest.mark.parametrize(("answer", "name"), [
    (lambda x: print(2 * x), "prints, but does not return"), (in_its_place, "changes its input"),
    (lambda x: np.random.default_rng().random(2), "another answer each time")])
def test_a_habit_of_a_wrong_function_is_named(answer, name):
    verdict = judge(DOUBLE, answer)
    assert (verdict.status, verdict.mistake) == ("wrong", name)


def test_arguments_are_copies_so_that_an_answer_may_change_them():
    def in_place(x):
        x *= 2
        return x
    assert judge(DOUBLE, in_place).status == "right"


@pytest.mark.parametrize(("answer", "status", "words"), [
    (lambda x: None, "not started", "returns nothing"),
    (lambda x: exec("raise NotImplementedError"), "not started", "write its body"),
    (lambda x: 1 / 0, "wrong", "ZeroDivisionError"),
    (lambda x: sys.exit(), "wrong", "SystemExit"),
    (lambda x: None if len(x) == 2 else 2 * x, "wrong", "`return` missing"),
    (3, "wrong", "asks for a function")])
def test_a_function_that_stumbles_is_told_where(answer, status, words):
    verdict = judge(DOUBLE, answer)
    assert verdict.status == status and words in verdict.message


def test_a_bug_that_was_only_rewritten_is_told_so():
    """Not started, as far as one sees from afar; title and message say what else it may be."""
    asked = question(function(lambda rng: [(2,), (3,)], lambda x: x + 1, planted=lambda x: x - 1), kind="mend")
    verdict = judge(asked, lambda x: -(1 - x))
    assert verdict.status == "not started" and "the change makes no difference" in verdict.message
    assert card_of(asked, verdict).title == "Not started, or the bug is still there (a.question)"


def test_a_warning_in_an_answer_is_no_error_and_is_not_shown(capfd):
    assert judge(DOUBLE, lambda x: [np.log(0.0) and 2 * v for v in x]).status == "right"
    assert capfd.readouterr() == ("", "")


def test_a_test_that_never_calls_what_it_is_given_is_not_started():
    check = catches([Mistake("refuses", abs, "no")], [Mistake("misses", lambda x: x, "try a negative number")])
    assert judge(question(check), lambda f: None).status == "not started"
    assert "TypeError" in judge(question(check), lambda f: f(1, 2)).message
    assert judge(question(check), 3).status == "wrong"


@pytest.mark.parametrize("first", [1, 2])
def test_a_test_that_counts_its_calls_instead_of_looking_fails(first):
    """It lets the first implementations pass, or every other one, and refuses the rest."""
    check = catches([Mistake("refuses", abs, "no")],
                    [Mistake("misses", lambda x: x, "try"), Mistake("misses too", lambda x: 1, "try")])
    for seed in range(10):
        calls = []
        assert judge(question(check), lambda f, calls=calls: calls.append(f(1)) or len(calls) <= first,
                     seed).status == "wrong"


# The handle

def test_a_right_answer_returns_a_card_that_promises_no_more_than_it_knows():
    card = Handle(question(value(1), meaning="One is one.")).check(1)
    assert repr(card) == "Right.\nOne is one."
    drawn = Handle(question(DOUBLE.check, kind="implement")).check(doubled)
    assert repr(drawn) == "Right on all the inputs tried here; a grader draws others."
    assert "One is one." in card._repr_html_()


def test_a_wrong_answer_raises_only_its_message():
    handle = Handle(question(value(1, Mistake("twice", 2, "Half of it, <please>."))))
    with pytest.raises(CheckFailed) as failed:
        handle.check(2)
    assert failed.value._render_traceback_() == [str(failed.value)]
    assert str(failed.value).startswith("Not yet: twice (a.question)\nHalf of it, <please>.\nYou give `2`.")
    assert "&lt;please&gt;" in card_of(handle.question, handle.last)._repr_html_()


def test_the_traceback_comes_on_request():
    handle = Handle(DOUBLE)
    assert "No traceback" in repr(handle.traceback())
    with pytest.raises(CheckFailed, match="ZeroDivisionError") as failed:
        handle.check(lambda x: 1 / 0)
    assert "Traceback" not in str(failed.value)
    assert "ZeroDivisionError" in handle.traceback().listing and "checks.py" not in handle.traceback().listing


def test_hints_come_one_at_a_time_and_the_last_stays():
    handle = Handle(question(value(1)))
    assert repr(handle) == "a.question: A question ★☆☆ (1 min, 1 point)"
    last = "two That is the last one."
    assert [handle.hint().paragraphs[0] for _ in range(3)] == ["one", last, last]


def test_the_hidden_check_draws_from_the_instructors_seed(monkeypatch):
    seen = []
    def answer(x):
        seen.append(x.tolist())
        return 2 * x
    for seed in ("5", "5", "6"):
        monkeypatch.setenv("FI_TEACH_SEED", seed)
        Handle(DOUBLE).check_hidden(answer)
    monkeypatch.delenv("FI_TEACH_SEED")
    assert seen[1] == seen[3] != seen[5]
    assert Handle(DOUBLE).check_hidden(answer).tone == "right"


def test_the_solution_is_shown_with_its_reason_where_the_instructor_left_it(tmp_path, monkeypatch):
    found = repr(Handle(QUESTIONS["trees.decrease"]).solution())
    assert "# Why:" in found and "def decrease(left, right):" in found and "BEGIN SOLUTION" not in found
    monkeypatch.chdir(tmp_path)
    assert "has kept the solutions" in repr(Handle(QUESTIONS["trees.decrease"]).solution())
    assert solutions_notebook("01_trees", tmp_path) is None and reference(QUESTIONS["trees.decrease"], tmp_path) is None


def test_a_card_marks_code_and_emphasis_and_escapes_the_rest():
    html = Card("`a < b`", ("2 * 3 * 4 and *so*",))._repr_html_()
    assert "<code>a &lt; b</code>" in html and "2 * 3 * 4" in html and "<em>so</em>" in html


def test_questions_need_neither_jupyter_nor_scikit_learn():
    code = ("import sys; sys.modules.update(dict.fromkeys(['IPython', 'sklearn', 'matplotlib', "
            "'nbformat']));from fi_course.questions import Q; Q('trees.what_if').check(60)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
