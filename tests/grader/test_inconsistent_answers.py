"""One question has one answer: the first value that a student's function gives is the one that is judged."""

import json
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked
from fi_course.questions.plain_values import normalise
from fi_grader.judging.judge import INCONSISTENT, GradingRun, _judged
from fi_grader.judging.student import RemoteError, RemoteFunction
from fi_grader.notebooks.matching import Plan
from fi_grader.sandbox.inside import protocol as messages
from notebooks import ROOT

sys.path.insert(0, str(ROOT / "tests" / "course" / "questions"))
from answered import right_answers, wrong_answers

SETS = sorted({question.notebook for question in QUESTIONS.values()})


class LocalProcess:
    """A student process that is here: it calls the function and sends plain data, or its error."""

    def __init__(self, function, seconds=0.0):
        self.function, self.seconds, self.lent = function, seconds, {}

    def register(self, function):
        self.lent[len(self.lent)] = function
        return len(self.lent) - 1

    def ask(self, verb, *content):
        if verb != "call":
            return {}
        arguments = [messages.decode(a, self.lent.get) for a in content[1]]
        try:
            return {"plain": json.loads(json.dumps(normalise(self.function(*arguments))))}
        except BaseException as error:
            return {"error": error}

    def decoded(self, reply):
        if "plain" in reply:
            return reply["plain"]
        raise RemoteError(type(reply["error"]).__name__, str(reply["error"])) from None

    def spent(self):
        return self.seconds


@pytest.fixture
def any_style(monkeypatch):
    """A question whose text calls no function with lists, so that any style will do -> its id."""
    question = QUESTIONS["trees.decrease"]
    monkeypatch.setitem(QUESTIONS, question.id, replace(question, check=replace(question.check, lists=False)))
    return question.id


def graded(question, function, seconds=0.0):
    """The verdict of the grader on a function, and the flags it gave -> (Verdict, list)."""
    run = GradingRun(None, Plan(), 5)
    student = LocalProcess(function, seconds)
    with blocked(QUESTIONS[question].blocked):
        verdict = _judged(run, student, question, RemoteFunction(student, 0, getattr(function, "__name__", "f")))
    return verdict, run.plan.flags.get(question, [])


@pytest.mark.parametrize("name", SETS)
def test_no_honest_answer_of_any_set_loses_points_or_is_flagged(name):
    """Right answers stay right, mistakes keep their names, and none of them is said to waver."""
    of_set = [id for id, question in QUESTIONS.items() if question.notebook == name]
    answers = [(id, answer) for id in of_set
               for answer in (*right_answers(id), *(wrong for _, wrong in wrong_answers(id)))]
    for question, answer in answers:
        if callable(answer):
            with blocked(QUESTIONS[question].blocked):
                here = judge(QUESTIONS[question], answer, np.random.default_rng(5))
            there, flags = graded(question, answer)
            assert (here.status, here.mistake, flags) == (there.status, there.mistake, []), (question, answer)


def right(left, others):
    def gini(counts):
        return 1 - sum((c / sum(counts)) ** 2 for c in counts)
    left, others = map(list, (left, others))
    n, m = sum(left), sum(others)
    return gini([a + b for a, b in zip(left, others, strict=True)]) - (n * gini(left) + m * gini(others)) / (n + m)


def nothing(left, others):
    return 0.0


def raises(left, others):
    raise TypeError("not for these")


def in_turn(*answers):
    """A function that gives its first answer the first time it is asked a question, and so on to the last."""
    turns = {}

    def decrease(left, others):
        question = tuple(map(int, [*left, *others]))
        turns[question] = turns.get(question, 0) + 1
        return answers[min(turns[question], len(answers)) - 1](left, others)
    return decrease


def by_kind(kind, its, others):
    """A function that gives one answer for this kind of argument, and another for the rest."""
    return lambda left, right: (its if isinstance(left, kind) else others)(left, right)


TURNS = [
    ([right], "right", False), ([nothing], "wrong", False), ([nothing, right], "wrong", True),
    ([nothing, nothing, right], "wrong", True),
    ([right, nothing], "right", True), ([right, raises], "right", True), ([raises, nothing, right], "wrong", True)]
"""What is answered each time, what that is worth whatever the text of the question calls it with, and whether it is
flagged."""
KINDS = [
    (by_kind(list, right, raises), "right", False), (by_kind(list, raises, right), "right", False),
    (by_kind(np.ndarray, right, nothing), "right", False),
    (by_kind(list, right, nothing), "wrong", True), (by_kind(pd.Series, right, nothing), "wrong", True)]
"""An answer may be made for arrays, or stumble over one kind of argument: what has raised an error or was not asked
has not answered yet. One that is wrong first and right for a later kind is flagged."""


@pytest.mark.parametrize(("lists", "function", "status", "flagged"), [
    *((lists, in_turn(*answers), *rest) for lists in (False, True) for answers, *rest in TURNS),
    *((False, *rest) for rest in KINDS)])
def test_the_first_value_counts_and_another_one_is_flagged(lists, function, status, flagged, request):
    """Whether the text of the question calls it with lists or not."""
    assert QUESTIONS["trees.decrease"].check.lists
    question = "trees.decrease" if lists else request.getfixturevalue("any_style")
    verdict, flags = graded(question, function)
    assert (verdict.status, flags) == (status, [INCONSISTENT] * flagged)


@pytest.mark.parametrize("function", [by_kind(list, raises, right), by_kind(np.ndarray, right, nothing),
                                      by_kind(pd.Series, right, nothing)])
def test_right_for_arrays_only_keeps_its_name_where_the_text_calls_with_lists(function):
    verdict, flags = graded("trees.decrease", function)
    assert (verdict.status, verdict.mistake, flags) == ("wrong", "right for arrays only", [])


def test_an_answer_that_took_long_is_not_asked_once_more():
    for spent, flags in ((0, [INCONSISTENT]), (QUESTIONS["trees.decrease"].seconds / 2, [])):
        assert graded("trees.decrease", in_turn(right, nothing), seconds=spent)[1] == flags
