"""One question has one answer: the first value that a student's function gives is the one that is judged."""

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "submissions"))
from fi_teach.course.grading.align import Plan
from fi_teach.course.grading.inside import wire
from fi_teach.course.grading.judging import WAVERS, Hearing, _judged
from fi_teach.course.grading.proxies import Faraway, Returned
from fi_teach.course.questions import QUESTIONS, judge
from fi_teach.course.questions.closing import closing
from fi_teach.course.questions.plain import plain
from notebooks import ROOT

PROOFS = sorted((ROOT / "tests" / "questions" / "answers").glob("ch*.py"))


class Near:
    """A student process that is here: it calls the function and sends plain data, or its error."""

    def __init__(self, function, seconds=0.0):
        self.function, self.seconds, self.lent = function, seconds, {}

    def lend(self, function):
        self.lent[len(self.lent)] = function
        return len(self.lent) - 1

    def ask(self, verb, *content):
        if verb != "call":
            return {}
        arguments = [wire.decode(a, self.lent.get) for a in content[1]]
        try:
            return {"plain": json.loads(json.dumps(plain(self.function(*arguments))))}
        except BaseException as error:
            return {"error": error}

    def taken(self, reply):
        if "plain" in reply:
            return reply["plain"]
        raise Returned(type(reply["error"]).__name__, str(reply["error"])) from None

    def spent(self):
        return self.seconds


def heard(question, function, seconds=0.0):
    """The verdict of the grader on a function, and the flags it gave -> (Verdict, list)."""
    hearing = Hearing(None, Plan(), 5)
    student = Near(function, seconds)
    with closing(QUESTIONS[question].closed):
        verdict = _judged(hearing, student, question, Faraway(student, 0, getattr(function, "__name__", "f")))
    return verdict, hearing.plan.flags.get(question, [])


@pytest.mark.parametrize("path", PROOFS, ids=lambda path: path.stem)
def test_no_honest_answer_of_any_set_loses_points_or_is_flagged(path):
    """Right answers stay right, mistakes keep their names, and none of them is said to waver."""
    proof = runpy.run_path(str(path))
    answers = [(q, a) for q, some in proof["RIGHT"].items() for a in some] + [(q, a) for q, some in proof["WRONG"].items() for _, a in some]
    for question, answer in answers:
        if callable(answer):
            with closing(QUESTIONS[question].closed):
                here = judge(QUESTIONS[question], answer, np.random.default_rng(5))
            there, flags = heard(question, answer)
            assert (here.status, here.mistake, flags) == (there.status, there.mistake, []), (question, answer)


def right(left, others):
    def gini(counts):
        return 1 - sum((c / sum(counts)) ** 2 for c in counts)
    left, others = map(list, (left, others))
    n, m = sum(left), sum(others)
    return gini([a + b for a, b in zip(left, others, strict=True)]) - (n * gini(left) + m * gini(others)) / (n + m)


def told(*answers):
    """A function that gives its first answer the first time it is asked a question, and so on to the last."""
    turns = {}

    def decrease(left, others):
        question = tuple(map(int, [*left, *others]))
        turns[question] = turns.get(question, 0) + 1
        return answers[min(turns[question], len(answers)) - 1](left, others)
    return decrease


def nothing(left, others):
    return 0.0


def stumbles(left, others):
    raise TypeError("lists only")


@pytest.mark.parametrize(("function", "status", "flagged"), [
    (right, "right", False), (nothing, "wrong", False), (told(nothing, right), "wrong", True), (told(nothing, nothing, right), "wrong", True),
    (told(right, nothing), "right", True), (told(right, stumbles), "right", True), (told(stumbles, right), "right", False),
    (told(stumbles, nothing, right), "wrong", True)])
def test_the_first_value_counts_and_another_one_is_flagged(function, status, flagged):
    verdict, flags = heard("trees.decrease", function)
    assert (verdict.status, flags) == (status, [WAVERS] * flagged)


def test_an_answer_may_stumble_over_arrays_and_be_right_for_lists():
    """What has raised an error has not answered yet: each kind of argument may be tried."""
    def decrease(left, others):
        if not isinstance(left, list):
            raise TypeError("lists only")
        return right(left, others)
    assert heard("trees.decrease", decrease)[0].status == "right"


@pytest.mark.parametrize("kind", [list, pd.Series])
def test_an_answer_that_is_right_for_one_kind_of_argument_only_is_wrong_and_flagged(kind):
    def decrease(left, others):
        return right(left, others) if isinstance(left, kind) else 0
    verdict, flags = heard("trees.decrease", decrease)
    assert verdict.status == "wrong" and flags == [WAVERS]


def test_an_answer_that_took_long_is_not_asked_once_more():
    assert heard("trees.decrease", told(right, nothing), seconds=0)[1] == [WAVERS]
    assert heard("trees.decrease", told(right, nothing), seconds=QUESTIONS["trees.decrease"].seconds / 2)[1] == []
