"""Every check is proved: right answers pass, untouched stubs say so, each mistake hears its own message.

A set NN_name is proved by solutions/NN_name.ipynb (the references), exercises/NN_name.ipynb (the stubs), by what the
mistakes of its checks lead to, and by answers/chNN.py (RIGHT: an answer in another hand, as of a function; NN may carry
a letter, as 12a). Nothing else is needed for a new set.
"""

import json
import time

import pytest
from answered import answers_of_notebook, right_answers, wrong_answers

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked
from fi_course.questions.plain_values import normalise
from fi_course.questions.specification import judge_from, of

SEEDS = (None, *range(101, 111))
"""The public seed and ten others."""
JUDGED = [id for id, question in QUESTIONS.items() if question.kind != "explain"]
NONSENSE = (None, "", 3, (1, 2), "a", len)


def stub_of(id):
    return answers_of_notebook("exercises", QUESTIONS[id].notebook)[id]


def verdict(id, answer, seed=None):
    with blocked(QUESTIONS[id].blocked):
        return judge(QUESTIONS[id], answer, seed)


def over_seeds(id, answer):
    """The verdicts on an answer for every seed; on what is no function one, since nothing is drawn."""
    return [verdict(id, answer, seed) for seed in (SEEDS if callable(answer) else (None,))]


@pytest.mark.parametrize("id", JUDGED)
def test_right_answers_pass_and_every_mistake_is_named_for_every_seed(id):
    """The reference and an answer in another hand are right; each wrong answer is told its mistake by name, in words
    that no other mistake of the question has. A question that blocks calls shows that it does.
    """
    rights, wrongs, messages = right_answers(id), wrong_answers(id), {}
    assert len(rights) >= 2, "give another right answer in RIGHT"
    for answer in rights:
        assert {found.status for found in over_seeds(id, answer)} == {"right"}, answer
    for name, answer in wrongs:
        found = over_seeds(id, answer)
        assert {(one.status, one.mistake) for one in found} == {("wrong", name)}, (name, answer, found[0])
        messages.setdefault(found[0].message, set()).add(name)
    assert len(messages) >= 3, "name at least three mistakes"
    assert all(message and len(names) == 1 for message, names in messages.items())
    proved = {name for name, _ in wrongs}
    assert QUESTIONS[id].check.names <= proved
    assert not QUESTIONS[id].blocked or "borrowed" in proved


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


@pytest.mark.parametrize("id", list(QUESTIONS))
def test_a_specification_and_a_border_change_no_word_of_a_verdict(id):
    """A student's copy, and the grader, who holds values as JSON and functions as handles, judge as it does."""
    data = json.loads(json.dumps(of(QUESTIONS[id])))
    known = [stub_of(id), *right_answers(id), *(answer for _, answer in wrong_answers(id))]
    for answer in (*known, *NONSENSE):
        here = verdict(id, answer)
        with blocked(QUESTIONS[id].blocked):
            written = judge_from(data, answer)
        assert str(here.__dict__ | {"trace": ""}) == str(written.__dict__ | {"trace": ""}), answer
        there = verdict(id, Faraway(answer) if callable(answer) else json.loads(json.dumps(normalise(answer))))
        assert (here.status, here.mistake, here.text) == (there.status, there.mistake, there.text), answer


def test_an_untouched_stub_is_not_started():
    assert {id for id in QUESTIONS if verdict(id, stub_of(id)).status != "not started"} == set()


def test_prose_waits_for_a_person_and_has_a_rubric_worth_its_points():
    for id in set(QUESTIONS) - set(JUDGED):
        assert verdict(id, right_answers(id)[0]).status == "by hand", id
        assert sum(points for points, _ in QUESTIONS[id].rubric) == QUESTIONS[id].points, id


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
            tries = (seconds_of(verdict, id, answer) / million for _ in range(3))
            if not any(took <= MOST_MILLIONS for took in tries):  # a first try may import something
                slow.append((id, name))
    assert slow == []
