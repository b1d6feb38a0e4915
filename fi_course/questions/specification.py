"""Write a question as data: all that a page or a student's copy needs to judge, and no answer.

`of(question)` writes it down, from the same check that `judge` calls; `question_from(data)` makes a
question of it whose verdicts are the same, word for word; `page_specification(name)` is what the
page of an exercise set carries. All is JSON.

Every question
    id, notebook, title, kind, stars, minutes, points, seconds, heading, hints, blocked (as in
    `Question`); asks: "choice", "number", "function", "test" or "prose"
"choice"
    options: the letters; verdicts: {tag(id|letter): seal(verdict, id|letter)}
"number"
    entries: names of several values, none for one number; units: spellings of the unit; tolerance;
    default: what an entry that is left out is taken for; relevant: for each target, the right one
    first, then the mistakes, the places of the entries that it speaks of;
    cells: {tag(word): pad(word, value)}, word = id|target|place|cell, for each cell near a value;
    verdicts: for each target seal(verdict, id|target|hex|hex...), the hexes of its values
"function" and "test", in students' copies only
    cases, expected, mistakes (name, message, gives), planted, tolerance, lists: `TestCases`, by
    `encode`; right, bugs (name, message, implementation), code: of a test, whose implementations
    are code, and code can be read: they are sealed against a passing glance only

A verdict, once opened, is {"status": "right" or "wrong", "mistake": its name, "message": what to
say, or what the right answer means}. `hashed_answers` defines tag, pad, seal and cell, and
`answer_forms` how letters, numbers and units are read. Numbers are judged in this order:

1. Of a single number, "3 out of 4" is 3/4 if that is right, else 3.
2. A number x fits target k in place i if tag(id|k|i|cell(x, 4 * max(tolerance, 1e-6))) is among the
   cells, and |x - v| <= tolerance * max(1, |v|) for the v found there. A target is hit if all the
   places that it speaks of fit; if target 0 is hit, the answer is right.
3. Of the targets hit, tell the first that speaks of every place; if there is none, all of them.
4. If none is hit, but all numbers, none beyond 100, fit target 0 when divided by 100, they are in
   per cent.
5. Else name the entries of which nothing was told and that do not fit target 0, unless a default
   value is not 0: then names would tell too much.
"""

import inspect
import json
import sys
from dataclasses import dataclass, field, replace

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
    about |= {"heading": question.heading, "hints": list(question.hints),
              "blocked": list(question.blocked)}
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
    judged = ("choice", "number")
    return whole | {"questions": [
        question if question["asks"] in judged else {name: question[name] for name in question
                                                     if name in kept}
        for question in whole["questions"]]}


def _answer_key(question):
    return question.check.answer_key(question.id, question.meaning)


def _written_function(question):
    cases = question.check.drawn(np.random.default_rng(PUBLIC_SEED))
    expected = _encoded(cases.expected)

    def outputs(function):
        return _encoded(map(function, range(len(cases.inputs))))

    mistakes = [{"name": m.name, "message": m.message, "gives": outputs(m.output)}
                for m in cases.mistakes]
    return {"cases": [encode(case) for case in cases.inputs], "expected": expected,
            "mistakes": mistakes, "planted": cases.planted and outputs(cases.planted),
            "tolerance": cases.tolerance, "lists": cases.lists,
            "meaning": seal(question.meaning, _key_of_cases(question.id, expected))}


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
    written = {part: [{"name": m.name, "message": m.message, "implementation": names[id(m.output)]}
                      for m in those]
               for part, those in (("right", question.check.right), ("bugs", question.check.bugs))}
    key = f"{question.id}|implementations"
    return {**written, "code": seal(inspect.getsource(module), key),
            "meaning": seal(question.meaning, key)}


_WRITERS = {Choice: ("choice", _answer_key), Value: ("number", _answer_key),
            Function: ("function", _written_function), Catches: ("test", _written_test)}


# Reading.


def question_from(data):
    """Return the question that `of` has written; its check gives the same verdicts -> Question.

    Functions are judged on the public cases whatever the seed: others are nowhere in the data.
    """
    return Question(**{name: data[name] for name in ABOUT}, hints=tuple(data["hints"]),
                    blocked=tuple(data["blocked"]),
                    check=by_hand if data["asks"] == "prose" else WrittenCheck(data))


def judge_from(data, answer):
    """Judge by a specification -> Verdict, the one that `judge` gives for the public seed."""
    return judge(question_from(data), answer)


@dataclass(frozen=True)
class WrittenCheck:
    """The check of a specification: it holds no letter and no number until one is given."""

    data: dict = field(repr=False)

    def __call__(self, answer, rng):
        return _JUDGES[self.data["asks"]](self.data, answer, rng)


def _judge_function(data, answer, rng):
    mistakes = tuple(Mistake(m["name"], _given(m["gives"]), m["message"]) for m in data["mistakes"])
    cases = TestCases(decode(data["cases"]), decode(data["expected"]), mistakes,
                      data["planted"] and _given(data["planted"]), data["tolerance"], data["lists"])
    key = _key_of_cases(data["id"], data["expected"])
    return _with_meaning(judge_function(cases, answer), data["meaning"], key)


def _given(gives):
    return lambda k: decode(gives[k])


def _judge_test(data, answer, rng):
    key, space = f"{data['id']}|implementations", {"__name__": "implementations"}
    exec(compile(unseal(data["code"], key), "<implementations>", "exec"), space)
    right, bugs = (
        tuple(Mistake(m["name"], space[m["implementation"]], m["message"]) for m in data[part])
        for part in ("right", "bugs"))
    return _with_meaning(judge_test(Catches(right, bugs), answer, rng), data["meaning"], key)


def _with_meaning(verdict, sealed, key):
    right = verdict.status == "right"
    return replace(verdict, meaning=unseal(sealed, key)) if right else verdict


_JUDGES = {"choice": lambda data, answer, rng: judge_choice(data, answer),
           "number": lambda data, answer, rng: judge_value(data, answer),
           "function": _judge_function, "test": _judge_test}


# What JSON has no word for.


def encode(value):
    """Encode a value as JSON; types unknown to JSON stand under a tag that begins with $.

    >>> encode((1, float("nan")))
    {'$tuple': [1, {'$number': 'nan'}]}
    """
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, list):
        return [encode(part) for part in value]
    if isinstance(value, float) and not np.isfinite(value):
        return {"$number": str(value)}
    for tag, (types, parts, _) in _TAGS.items():
        if isinstance(value, types):
            return {tag: encode(parts(value))}
    return value


def decode(written):
    """Decode the value that `encode` has written.

    >>> decode(encode({"a": (1, {2})}))
    {'a': (1, {2})}
    """
    if isinstance(written, list):
        return [decode(part) for part in written]
    if not isinstance(written, dict):
        return written
    ((tag, parts),) = written.items()
    return float(parts) if tag == "$number" else _TAGS[tag][2](decode(parts))


_TAGS = {
    "$tuple": (tuple, list, tuple),
    "$set": ((set, frozenset), list, set),
    "$pairs": (dict, lambda pairs: [*map(list, pairs.items())], dict),
    "$oneof": (OneOf, lambda one: list(one.answers), lambda answers: OneOf(tuple(answers))),
    "$error": (Outcome, lambda outcome: outcome.error, lambda error: Outcome(error=error)),
    "$array": (np.ndarray, lambda array: [array.dtype.str, array.tolist()],
               lambda parts: np.array(parts[1], dtype=parts[0])),
}
"""By tag: the types that bear it, their parts, and what makes them of their parts."""
