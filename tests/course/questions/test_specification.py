"""Checks as data: nothing in them that could be read; that they give the same verdicts stands in `test_proof`."""

import json
from pathlib import Path

import numpy as np
import pytest

from fi_course.questions import QUESTIONS, hashed_answers, judge
from fi_course.questions.checks import Mistake, catches, choice, value
from fi_course.questions.functions import Outcome
from fi_course.questions.plain_values import OneOf
from fi_course.questions.question import Question
from fi_course.questions.specification import (
    decode,
    encode,
    judge_from,
    of,
    page_specification,
    question_from,
    specification_of,
)

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
SETS = sorted({question.notebook for question in QUESTIONS.values()})
LARGEST_PAGE = 60_000


def question(check, kind="number"):
    return Question("a.question", "A question", kind, 1, 1, 1, ("one", "two"), check, "What it means.")


def through_json(data):
    """The specification as a file holds it."""
    return json.loads(json.dumps(data))


def test_a_question_read_from_its_specification_tells_the_same_of_itself():
    told = ("id", "title", "kind", "stars", "minutes", "points", "seconds", "hints", "blocked", "notebook", "heading")
    for question in QUESTIONS.values():
        read = question_from(through_json(of(question)))
        assert [getattr(read, name) for name in told] == [getattr(question, name) for name in told]


@pytest.mark.parametrize("tolerance", [0, 0.0011, 0.0051, 0.011])
def test_the_grid_honours_the_tolerance_exactly(tolerance):
    """At the tolerance, just inside, just outside, and wherever cells meet, both say the same."""
    for right in (0, 0.32, -0.02, 1, 0.9999, 1.0001, 60, 1600, -7.25, 1e9, 1e-9):
        asked = question(value(right, Mistake("twice", 3 * right + 5, "Twice."), tolerance=tolerance))
        data = of(asked)
        reach = tolerance * max(1, abs(right))
        edges = [right + sign * reach * factor for sign in (-1, 1)
                 for factor in (0, 0.3, 0.999999, 1, 1.000001, 1.5, 3)]
        beside = [np.nextafter(edge, side) for edge in edges for side in (-np.inf, np.inf)]
        for answer in [*edges, *beside, *(3 * right + 5 + np.array(edges) - right)]:
            assert judge(asked, answer) == judge_from(data, answer), (right, answer)
        assert judge_from(data, right).status == "right"


def test_numbers_out_of_this_world_are_wrong_and_no_error():
    data = of(question(value(1, Mistake("m", 2, "M."))))
    for answer in (float("nan"), float("inf"), -float("inf"), 10**400, "1e999", 1e308):
        assert judge_from(data, answer).status == "wrong", answer


# What pages and copies carry


def test_the_specification_of_a_page_is_small_and_carries_no_function():
    for name in SETS:
        data = page_specification(name)
        assert len(json.dumps(data, ensure_ascii=False).encode()) < LARGEST_PAGE, name
        assert [q["id"] for q in data["questions"]] == [id for id, q in QUESTIONS.items() if q.notebook == name]
        for q in data["questions"]:
            assert q["heading"] and (q["points"] or "optional" in q["heading"]), q["id"]
            assert q["asks"] in ("choice", "number") or not {"cases", "code"} & set(q), q["id"]


def doubled(x):
    return 2 * x


@pytest.mark.parametrize(("wrong", "said"), [
    (lambda: specification_of("99_nowhere"), "01_trees"),
    (lambda: of(question(lambda answer, rng: None)), "none of those"),
    (lambda: of(question(catches([Mistake("a", doubled, "A.")], [Mistake("b", doubled, "B.")]), "test")),
     "implementations_to_test")], ids=["an unknown set", "a check of one's own", "implementations beside secrets"])
def test_what_no_specification_can_hold_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()


def test_nothing_that_opens_only_with_the_answer_stands_in_the_open():
    """No message, name or meaning of a choice or number is in its specification as text."""
    for id, q in QUESTIONS.items():
        data = of(q)
        if data["asks"] not in ("choice", "number"):
            continue
        open_ones = ("hints", "heading", "title", "default", "tolerance")
        text = json.dumps({name: data[name] for name in data if name not in open_ones}, ensure_ascii=False)
        assert not q.meaning or q.meaning not in text, id
        told = q.check.mistakes if data["asks"] == "choice" else q.check.targets
        messages = [one.message for one in told]
        names = q.check.names
        assert not [m for m in messages if m and m in text], id
        assert not [n for n in names if f'"{n}"' in text], id


def test_a_letter_or_number_is_looked_up_by_its_own_question_only():
    one, other = (of(Question(id, "T", "predict", 1, 1, 1, ("a", "b"), choice("a", Mistake("m", "b", "M."))))
                  for id in ("x.a", "x.b"))
    assert not set(one["verdicts"]) & set(other["verdicts"])


# Vectors: what any other evaluator must give


HASHED = {  # kind of vector: what each of its fields must be
    "digests": lambda of: {"digest": hashed_answers.digest(of["word"]), "tag": hashed_answers.tag(of["word"])},
    "cells": lambda of: {"cell": hashed_answers.cell(of["number"], of["width"])},
    "pads": lambda of: {"pad": hashed_answers.pad(of["word"], of["number"]), "hex": hashed_answers.hex_of(of["number"]),
                        "number": hashed_answers.unpad(of["word"], of["pad"])},
    "seals": lambda of: {"sealed": hashed_answers.seal(of["text"], of["key"]),
                         "text": hashed_answers.unseal(of["sealed"], of["key"])}}


@pytest.mark.parametrize("kind", HASHED)
def test_what_is_hashed_or_sealed_is_as_the_vectors_say(kind):
    assert VECTORS[kind] and all(one == one | HASHED[kind](one) for one in VECTORS[kind])


def test_verdicts_are_as_the_vectors_say():
    for case in VECTORS["verdicts"]:
        for answer, *expected in case["answers"]:
            found = judge_from(case["question"], answer)
            said = [found.status, found.mistake, found.message or found.meaning]
            assert said == expected, (case["question"]["id"], answer)


# What JSON has no word for


def test_what_json_has_no_word_for_survives_it():
    for thing in (None, True, 3, 0.1, "x", [1, (2, [3])], {"": 0, "A": (1,)}, {1: 2}, {1, 2}, OneOf((1, (2, 3))),
                  Outcome(error="ValueError"), float("inf")):
        assert decode(through_json(encode(thing))) == thing


def test_arrays_keep_their_kind():
    for values in ([[1, 2]], [0.5, np.nan], [True], ["Pass", "no"], []):
        array = np.array(values)
        found = decode(through_json(encode((array,))))[0]
        assert found.dtype == array.dtype, array
        assert np.array_equal(found, array, equal_nan=array.dtype.kind == "f"), array
