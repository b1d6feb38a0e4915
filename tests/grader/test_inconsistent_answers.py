"""One question has one answer: the first value that a student's function gives is the one that is judged."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from answered import right_answers, wrong_answers

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked
from fi_course.questions.plain_values import normalise
from fi_grader.judging.judge import INCONSISTENT, GradingRun, _judged
from fi_grader.judging.student import RemoteError, RemoteFunction
from fi_grader.notebooks.matching import Plan
from fi_grader.sandbox.inside import protocol as messages
from notebooks import SETS


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
    for id in (id for id, question in QUESTIONS.items() if question.notebook == name):
        for answer in filter(callable, (*right_answers(id), *(wrong for _, wrong in wrong_answers(id)))):
            with blocked(QUESTIONS[id].blocked):
                here = judge(QUESTIONS[id], answer, np.random.default_rng(5))
            there, flags = graded(id, answer)
            assert (here.status, here.mistake, flags) == (there.status, there.mistake, []), (id, answer)


right, = right_answers("trees.decrease")[:1]


def nothing(left, others):
    return 0.0


def raises(left, others):
    raise TypeError("not for these")


def in_turn(*answers):
    """A function that gives its first answer the first time it is asked a question, and so on to the last."""
    turns = Counter()

    def decrease(left, others):
        question = tuple(map(int, [*left, *others]))
        turns[question] += 1
        return answers[min(turns[question], len(answers)) - 1](left, others)
    return decrease


def by_kind(kind, its, others):
    """A function that gives one answer for this kind of argument, and another for the rest."""
    return lambda left, right: (its if isinstance(left, kind) else others)(left, right)


@pytest.mark.parametrize(("function", "status", "flagged"), [
    (in_turn(right), "right", False), (in_turn(nothing), "wrong", False), (in_turn(nothing, right), "wrong", True),
    (in_turn(nothing, nothing, right), "wrong", True), (in_turn(right, nothing), "right", True),
    (in_turn(right, raises), "right", True), (in_turn(raises, nothing, right), "wrong", True),
    (by_kind(list, right, raises), "right", False), (by_kind(list, raises, right), "right", False),
    (by_kind(np.ndarray, right, nothing), "right", False),
    (by_kind(list, right, nothing), "wrong", True), (by_kind(pd.Series, right, nothing), "wrong", True)])
def test_the_first_value_counts_and_another_one_is_flagged(function, status, flagged, monkeypatch):
    """An answer may be made for arrays, or stumble over one kind of argument: what has raised an error or was not asked
    has not answered yet. One that is wrong first and right for a later kind is flagged.

    The question's text calls no function with lists here, so that any style will do; the corpus asks with lists.
    """
    question = QUESTIONS["trees.decrease"]
    monkeypatch.setitem(QUESTIONS, question.id, replace(question, check=replace(question.check, lists=False)))
    verdict, flags = graded(question.id, function)
    assert (verdict.status, flags) == (status, [INCONSISTENT] * flagged)


def test_an_answer_that_took_long_is_not_asked_once_more():
    for spent, flags in ((0, [INCONSISTENT]), (QUESTIONS["trees.decrease"].seconds / 2, [])):
        assert graded("trees.decrease", in_turn(right, nothing), seconds=spent)[1] == flags
