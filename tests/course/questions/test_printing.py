"""What a student's code prints in a check appears once, from the call that the verdict speaks of."""

from contextlib import suppress

import pytest

from fi_course.questions import CheckFailed
from fi_course.questions.checks import Mistake, catches, function
from fi_course.questions.question import Handle, Question


def handle(check):
    return Handle(Question("a.question", "A question", "implement", 1, 1, 1, ("one", "two"), check))


DOUBLE = handle(function(lambda rng: [(1,), (2,), (3,)], lambda x: 2 * x))


def printing(body):
    def answer(x):
        print("x is", x)
        return body(x)
    return answer


@pytest.mark.parametrize(("body", "printed"), [
    (lambda x: 2 * x, "x is 1\n"),
    (lambda x: x + 1, "x is 2\n"),
    (lambda x: 2 * x if x < 3 else 1 / 0, "x is 3\n"),
    (lambda x: None, "x is 1\n")], ids=["right", "wrong", "an error", "nothing yet"])
def test_a_function_prints_once_and_on_the_counterexample(body, printed, capsys):
    with suppress(CheckFailed):
        DOUBLE.check(printing(body))
    assert capsys.readouterr().out == printed


def test_a_test_prints_once_although_it_is_tried_on_many_implementations(capsys):
    check = catches([Mistake("refuses", abs, "no")], [Mistake("misses", lambda x: x, "try a negative number")])

    def test(f):
        print("here")
        assert f(-1) == 1
    handle(check).check(test)
    assert capsys.readouterr().out == "here\n"
