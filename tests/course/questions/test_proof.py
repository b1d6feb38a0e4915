"""Every check is checked three ways: right answers pass, untouched stubs say so, each wrong one hears its own message.

A set NN_name is proved by solutions/NN_name.ipynb (the references), exercises/NN_name.ipynb (the stubs) and
answers/chNN.py (RIGHT: other right answers, WRONG: mistakes by name; NN may carry a letter, as 12a).
Nothing else is needed for a new set.
"""

import builtins
import json
import sys
import time
from pathlib import Path

import pytest

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked
from fi_course.questions.plain_values import normalise

sys.path.insert(0, str(Path(__file__).parent))
from answered import answers_of_notebook, right_answers, wrong_answers

SEEDS = (None, *range(101, 111))
"""The public seed and ten others."""
ALL = list(QUESTIONS)
JUDGED = [id for id, question in QUESTIONS.items() if question.kind not in ("explain", "open")]


JUDGED_ALREADY = {}
"""Verdicts by question, answer and seed: several tests look at the same ones."""


def verdict(id, answer, seed=None):
    """The verdict on an answer of the proof; these live on, so each has an id() of its own."""
    if (id, builtins.id(answer), seed) not in JUDGED_ALREADY:
        with blocked(QUESTIONS[id].blocked):
            JUDGED_ALREADY[id, builtins.id(answer), seed] = judge(QUESTIONS[id], answer, seed)
    return JUDGED_ALREADY[id, builtins.id(answer), seed]


@pytest.mark.parametrize("id", JUDGED)
def test_right_answers_pass_whatever_their_style_and_seed(id):
    """The reference and at least one answer written differently are right, for the public seed and ten others."""
    answers = right_answers(id)
    assert len(answers) >= 2, "give another right answer in RIGHT"
    for answer in answers:
        found = [verdict(id, answer, seed) for seed in SEEDS]
        assert {v.status for v in found} == {"right"}, (answer, next(v for v in found if v.status != "right"))


def test_an_untouched_stub_is_not_started():
    stubs = {id: answers_of_notebook("exercises", QUESTIONS[id].notebook)[id] for id in ALL}
    assert {id for id, stub in stubs.items() if verdict(id, stub).status != "not started"} == set()


@pytest.mark.parametrize("id", JUDGED)
def test_each_named_mistake_loses_and_hears_its_own_message(id):
    """Every wrong answer is told its mistake by name, for every seed, with a message no other mistake of the question
    has.

    No mistake is declared without an answer in WRONG that makes it, and a question that closes names proves it.
    """
    messages = {}
    for name, answer in wrong_answers(id):
        found = [verdict(id, answer, seed) for seed in SEEDS]
        assert {(v.status, v.mistake) for v in found} == {("wrong", name)}, (name, answer, found[0])
        messages.setdefault(found[0].message, set()).add(name)
    assert len(messages) >= 3, "prove at least three mistakes"
    assert all(message and len(names) == 1 for message, names in messages.items())
    proved = {name for name, _ in wrong_answers(id)}
    assert QUESTIONS[id].check.names <= proved
    assert not QUESTIONS[id].blocked or "borrowed" in proved


MOST_MILLIONS = 40
"""How often Python counts to a million while the slowest answer is judged: about a second on a fast machine."""


def seconds_of(work, *given):
    """Of this process's own time, so that a busy machine fails nobody."""
    start = time.process_time()
    work(*given)
    return time.process_time() - start


def count_to_a_million():
    for _ in range(10**6):
        pass


def test_no_answer_takes_long_to_judge():
    """Against what the same machine needs to count, whatever machine it is."""
    million, slow = min(seconds_of(count_to_a_million) for _ in range(5)), []
    for id in JUDGED:
        for name, answer in [("right", right_answers(id)[0]), *wrong_answers(id)]:
            with blocked(QUESTIONS[id].blocked):
                tries = (seconds_of(judge, QUESTIONS[id], answer) / million for _ in range(3))
                if not any(took <= MOST_MILLIONS for took in tries):  # a first try may import something
                    slow.append((id, name))
    assert slow == []


def test_prose_waits_for_a_person_and_has_a_rubric_worth_its_points():
    for id in set(ALL) - set(JUDGED):
        question = QUESTIONS[id]
        assert verdict(id, answers_of_notebook("solutions", question.notebook)[id]).status == "by hand", id
        assert sum(points for points, _ in question.rubric) == question.points, id


def test_the_proof_has_no_gap(record_property):
    """The table that `make test` prints: one row a question, and not one hole."""
    rows = [_row(id) for id in JUDGED]
    width = max(map(len, JUDGED))
    head = f"{'question':{width}}  right accepted  stub refused  mistakes caught"
    record_property("table", "\n".join([head, *(row for row, _ in rows)]))
    assert all(whole for _, whole in rows)


def _row(id):
    right = [verdict(id, a).status == "right" for a in right_answers(id)]
    stub = verdict(id, answers_of_notebook("exercises", QUESTIONS[id].notebook)[id]).status == "not started"
    caught = [verdict(id, a).mistake == name for name, a in wrong_answers(id)]
    row = (f"{id:{max(map(len, JUDGED))}}  {sum(right):6} of {len(right):<4}  {'yes' if stub else 'NO':>7}      "
           f"{sum(caught):6} of {len(caught):<4}")
    return row.rstrip(), all(right) and stub and all(caught)


class Faraway:
    """A function behind a border: only plain data comes back, errors as their kind and words."""

    def __init__(self, function):
        self.function, self.__name__ = function, getattr(function, "__name__", "f")

    def __call__(self, *arguments):
        try:
            return json.loads(json.dumps(normalise(self.function(*arguments))))
        except BaseException as error:
            raise Returned(type(error).__name__, str(error)) from None


class Returned(Exception):
    """An error that crossed the border."""

    def __init__(self, kind, words):
        super().__init__(words)
        self.kind = kind


@pytest.mark.parametrize("id", JUDGED)
def test_an_answer_that_crossed_a_border_is_judged_as_it_is_here(id):
    """Values as JSON, functions as handles: what the grader holds gets the verdict that the student saw."""
    for answer in (*right_answers(id), *(answer for _, answer in wrong_answers(id))):
        crossed = Faraway(answer) if callable(answer) else json.loads(json.dumps(normalise(answer)))
        here = verdict(id, answer)
        with blocked(QUESTIONS[id].blocked):
            there = judge(QUESTIONS[id], crossed)
        assert (here.status, here.mistake, here.text) == (there.status, there.mistake, there.text)
