"""Write a question as data: all that a page or a student's copy needs to judge, and no answer.

`of(question)` writes it down, from the same check that `judge` calls; `question_from(data)` makes a
question of it whose verdicts are the same, word for word; `page_specification(name)` is what the
page of an exercise set carries. All is JSON.

Every question
--------------
id, notebook, title, kind, stars, minutes, points, seconds, heading, hints, closed
    as in `Question`
asks
    how it is judged: "choice", "number", "function", "test" or "prose"

asks "choice"
-------------
options
    the letters on offer
verdicts
    {tag(id|letter): seal(verdict, id|letter)}

asks "number"
-------------
entries
    names of several values; empty for one number
units
    spellings of the unit, the first to be shown. If there are any and a number comes with another
    (see `parse_answer.is_unit`): "The question asks for {units[0]}.", mistake "wrong unit"
tolerance
    how far off a number may be, relative above 1
usual
    for each entry, what it is taken for if it is left out
spoken_of
    for each target (the right one is 0, the mistakes follow) the places of the entries it speaks of
cells
    {tag(word): pad(word, value)}, word = id|target|place|cell, for each cell near the value
verdicts
    for each target seal(verdict, id|target|hex|hex...):
    `hashed_answers.hex_of` the values it speaks of

A `verdict`, once opened, is JSON: {"status": "right" or "wrong", "mistake": its name or "",
"message": what to say; of the right answer, what it means}. `hashed_answers` defines tag, pad, seal
and cell; the table `answer_forms` how letters, numbers and units are read.

How numbers are judged
----------------------
1. Read each number. Of a single one, "3 out of 4" is 3/4 if that is right, else 3.
2. A number x fits target k in place i if tag(id|k|i|cell(x, 4 * max(tolerance, 1e-6))) is among the
   cells, and |x - v| <= tolerance * max(1, |v|) for the v found there.
3. A target is hit if all the places that it speaks of fit.
4. If target 0 is hit, the answer is right.
5. Else, of the targets hit, tell the first that speaks of every place. If there is none, tell all
   of them, one after the other, under the first one's name.
6. If no target is hit and all numbers, none beyond 100, divided by 100 fit target 0, the mistake is
   "per cent without its sign".
7. Else add the entries of which none of these speaks and that do not fit target 0: "Not right yet:
   `a`, `b`.", or "None of the 3 values is right yet."; of a single number "That is not the value."
   Where a usual value is not 0, to name entries would tell too much: "Not all of the values are
   right, or one is missing."

asks "function" and "test", in students' copies only
----------------------------------------------------
cases, expected, mistakes (name, message, gives), planted, tolerance, lists
    as in `functions.TestCases`, written by `encode`
right, bugs (name, message, implementation), code
    of a test. Implementations are code, and code can be read: they are sealed against a passing
    glance only. A page carries neither kind; it says how to run the question.
"""

import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fi_course.questions.checks import by_hand
from fi_course.questions.functions import (
    Catches,
    Function,
    Outcome,
    TestCases,
    judge_function,
    judge_test,
)
from fi_course.questions.hashed_answers import seal, unseal
from fi_course.questions.plain_values import OneOf, normalise
from fi_course.questions.question import PUBLIC_SEED, QUESTIONS, Question, judge
from fi_course.questions.values import Choice, Value, judge_choice, judge_value
from fi_course.questions.verdict import Mistake

IMPLEMENTATIONS = "fi_course.questions.implementations_to_test."
ABOUT = ("id", "notebook", "title", "kind", "stars", "minutes", "points", "seconds")


# Writing.


def of(question):
    """Return the question as plain data, without its answers -> dict.

    Raises ValueError for a check that no specification can hold.
    """
    about = {name: getattr(question, name) for name in ABOUT}
    about |= {
        "heading": question.heading,
        "hints": list(question.hints),
        "closed": list(question.blocked),
    }
    for kind, (asks, written) in _WRITERS.items():
        if isinstance(question.check, kind):
            return about | {"asks": asks} | written(question)
    if question.check is by_hand:
        return about | {"asks": "prose"}
    raise ValueError(f"the check of {question.id} is none of those in fi_course.questions.checks: "
                     "make it of these.")


def specification_of(notebook):
    """Return the specification of an exercise set, as in a student's copy -> dict.

    Raises ValueError for an unknown set.
    """
    those = [question for question in QUESTIONS.values() if question.notebook == notebook]
    if not those:
        sets = sorted({question.notebook for question in QUESTIONS.values()})
        raise ValueError(f"there is no exercise set {notebook!r}: the sets are {', '.join(sets)}.")
    return {"set": notebook, "questions": [of(question) for question in those]}


def page_specification(notebook):
    """Return the specification of a set for its page: without the cases of functions -> dict."""
    whole = specification_of(notebook)
    kept = {"asks", "heading", "hints", *ABOUT}
    return whole | {
        "questions": [
            question
            if question["asks"] in ("choice", "number")
            else {name: question[name] for name in question if name in kept}
            for question in whole["questions"]
        ]
    }


def _answer_key(question):
    return question.check.answer_key(question.id, question.meaning)


def _written_function(question):
    cases = question.check.drawn(np.random.default_rng(PUBLIC_SEED))
    expected = _encoded(cases.expected)

    def outputs(function):
        return _encoded(map(function, range(len(cases.inputs))))

    mistakes = [
        {"name": m.name, "message": m.message, "gives": outputs(m.output)} for m in cases.mistakes
    ]
    planted = cases.planted and outputs(cases.planted)
    return {
        "cases": [encode(case) for case in cases.inputs],
        "expected": expected,
        "mistakes": mistakes,
        "planted": planted,
        "tolerance": cases.tolerance,
        "lists": cases.lists,
        "meaning": seal(question.meaning, _key_of_cases(question.id, expected)),
    }


def _key_of_cases(id, expected):
    return f"{id}|{json.dumps(expected)}"


def _encoded(values):
    """Encode what a function returned: normalised, except what is compared in its own way."""
    own = Outcome | OneOf | set | frozenset
    return [encode(value if isinstance(value, own) else normalise(value)) for value in values]


def _written_test(question):
    module = sys.modules[question.check.right[0].output.__module__]
    if not module.__name__.startswith(IMPLEMENTATIONS):
        raise ValueError(f"{question.id} tries tests on what stands in {module.__name__}: "
                         "its implementations go out as code, so put them, and nothing else, "
                         f"into a module below {IMPLEMENTATIONS[:-1]}.")
    names = {id(found): name for name, found in vars(module).items()}
    written = {
        part: [
            {"name": m.name, "message": m.message, "implementation": names[id(m.output)]}
            for m in those
        ]
        for part, those in (("right", question.check.right), ("bugs", question.check.bugs))
    }
    key = f"{question.id}|implementations"
    return {
        **written,
        "code": seal(inspect.getsource(module), key),
        "meaning": seal(question.meaning, key),
    }


_WRITERS = {
    Choice: ("choice", _answer_key),
    Value: ("number", _answer_key),
    Function: ("function", _written_function),
    Catches: ("test", _written_test),
}


# Reading.


def question_from(data):
    """Return the question that `of` has written; its check gives the same verdicts -> Question.

    Functions are judged on the public cases whatever the seed: others are nowhere in the data.
    """
    about = {name: data[name] for name in ABOUT}
    return Question(
        **about,
        hints=tuple(data["hints"]),
        blocked=tuple(data["closed"]),
        check=_CHECKS[data["asks"]](data),
    )


def judge_from(data, answer):
    """Judge by a specification -> Verdict, the one that `judge` gives for the public seed."""
    return judge(question_from(data), answer)


@dataclass(frozen=True)
class HashedAnswers:
    """The check of a letter or of numbers by their key: it knows none until it is given."""

    data: dict = field(repr=False)
    judge: Callable

    def __call__(self, answer, rng):
        return self.judge(self.data, answer)


@dataclass(frozen=True)
class WrittenFunction:
    """The check of a function by stored outputs on the public cases."""

    data: dict = field(repr=False)

    @cached_property
    def cases(self):
        mistakes = tuple(Mistake(m["name"], _given(m["gives"]), m["message"])
                         for m in self.data["mistakes"])
        planted = self.data["planted"] and _given(self.data["planted"])
        return TestCases(decode(self.data["cases"]), decode(self.data["expected"]), mistakes,
                         planted, self.data["tolerance"], self.data["lists"])

    def __call__(self, answer, rng):
        verdict = judge_function(self.cases, answer)
        return _with_meaning(verdict, self.data["meaning"],
                             _key_of_cases(self.data["id"], self.data["expected"]))


def _given(gives):
    return lambda k: decode(gives[k])


def _with_meaning(verdict, sealed, key):
    return (replace(verdict, meaning=unseal(sealed, key))
            if verdict.status == "right" else verdict)


@dataclass(frozen=True)
class HashedTest:
    """The check of a test; its encrypted implementations are decrypted when they are run."""

    data: dict = field(repr=False)

    @cached_property
    def _space(self):
        space = {"__name__": "implementations"}
        exec(compile(unseal(self.data["code"], self._key), "<implementations>",
                     "exec"), space)
        return space

    @property
    def _key(self):
        return f"{self.data['id']}|implementations"

    def _those(self, part):
        return tuple(Mistake(m["name"], self._space[m["implementation"]], m["message"])
                     for m in self.data[part])

    def __call__(self, answer, rng):
        verdict = judge_test(Catches(self._those("right"), self._those("bugs")), answer, rng)
        return _with_meaning(verdict, self.data["meaning"], self._key)


_CHECKS = {
    "choice": lambda data: HashedAnswers(data, judge_choice),
    "number": lambda data: HashedAnswers(data, judge_value),
    "function": WrittenFunction,
    "test": HashedTest,
    "prose": lambda data: by_hand,
}


# What JSON has no word for.


def encode(value):
    """Encode a value as JSON; types unknown to JSON stand under a key that begins with $.

    >>> encode((1, float("nan")))
    {'$tuple': [1, {'$number': 'nan'}]}
    """
    if isinstance(value, np.ndarray):
        return {"$array": encode(value.tolist()), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return {"$number": str(value)}
    if isinstance(value, dict):
        return {"$pairs": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, Outcome):
        return {"$error": value.error}
    for kind, key in _KEYS.items():
        if isinstance(value, kind):
            return {key: [encode(part) for part in (value.answers if kind is OneOf else value)]}
    return [encode(part) for part in value] if isinstance(value, list) else value


_KEYS = {tuple: "$tuple", set: "$set", frozenset: "$set", OneOf: "$oneof"}


def decode(written):
    """Decode the value that `encode` has written.

    >>> decode(encode({"a": (1, {2})}))
    {'a': (1, {2})}
    """
    if isinstance(written, list):
        return [decode(part) for part in written]
    if not isinstance(written, dict):
        return written
    key = next(iter(written))
    inner = written[key] if key in ("$number", "$error") else decode(written[key])
    return _DECODERS[key](inner, written)


_DECODERS = {
    "$tuple": lambda inner, _: tuple(inner),
    "$set": lambda inner, _: set(inner),
    "$number": lambda inner, _: float(inner),
    "$oneof": lambda inner, _: OneOf(tuple(inner)),
    "$error": lambda inner, _: Outcome(error=inner),
    "$pairs": lambda inner, _: dict(inner),
    "$array": lambda inner, written: np.array(inner, dtype=written["dtype"]),
}
