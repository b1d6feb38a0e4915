"""Wrapping is taken off an answer before it is judged: no style is a mistake."""

from decimal import Decimal
from fractions import Fraction
from itertools import count

import numpy as np
import pandas as pd
import pytest

from fi_course.questions.compare_values import same
from fi_course.questions.parse_answer import number_and_unit
from fi_course.questions.plain_values import LONGEST, SET, OneOf, normalise, show, show_apart

WRAPPED = [
    (np.float32(0.5), 0.5), (np.int8(3), 3), (np.bool_(True), True), (Fraction(1, 4), 0.25), (Decimal("0.5"), 0.5),
    (np.str_("a"), "a"),
    (np.array([[1, 2]]), [[1, 2]]), (np.array(0.5), 0.5), (pd.Series([1, 2]), [1, 2]), (pd.Series({"a": 1}), {"a": 1}),
    (pd.DataFrame({"a": [1], "b": [2]}), {"a": [1], "b": [2]}), ({3, 20, 1}, {SET: [1, 3, 20]}), (range(2), [0, 1]),
    ({1: 2}.items(), [[1, 2]]), ({np.int64(1): ...}, {"1": None})]


def test_wrappings_come_off():
    for value, expected in WRAPPED:
        found = normalise(value)
        assert found == expected and type(found) is type(expected), (value, expected)


def test_an_endless_answer_is_cut_and_a_model_is_refused():
    assert len(normalise(count())) == LONGEST
    with pytest.raises(ValueError, match="object is not an answer"):
        normalise([1, object()])


NUMBERS = [
    ("0.5", 0.5), ([[0.5]], 0.5), (10**400, float("inf")), (True, None), ("", None), ([1, 2], None), (None, None)]


def test_a_number_is_read_from_what_means_one():
    for value, expected in NUMBERS:
        assert number_and_unit(value)[0] == expected, (value, expected)


SAME = [
    (0.1 + 0.2, 0.3), ([1, 2], (1, 2)), ({"b": 2, "a": 1}, {"a": 1, "b": 2}), ([1, 2], {"a": 1, "b": 2}),
    ({"a": 1}, {"A ": 1, "b": 0}), ([2, 1, 1], {1, 2}), (2, OneOf((1, 2))), (" YES", "Yes"), (True, True), (1, True),
    (float("nan"), float("nan")), ({"x": 1, "y": 2}, [1, 2]), (None, None), (5, [5]), ({"a": [1.0]}, {"a": 1}),
    (float("inf"), float("inf")), ({"Time ≤ 5": 1}, {"time <= 5": 1})]


def test_these_are_the_same():
    for got, expected in SAME:
        assert same(got, expected), (got, expected)


DIFFERENT = [
    (0.31, 0.3), ([1, 2, 3], [1, 2]), ([2, 1], [1, 2]), ({"a": 1}, {"a": 1, "b": 2}), ({"a": 1, "c": 3}, {"a": 1}),
    ([1], {1, 2}), ([1, 2, 3], {1, 2}),
    (3, OneOf((1, 2))), ("no", "Yes"), (float("nan"), 1), (1, float("nan")), (True, 1), (False, True), (None, 0),
    (None, True), ("x", 1), (3, {"a": 3, "b": 1}),
    (float("inf"), 1), (1, float("inf")), (-float("inf"), float("inf")), ([1, 2], [1, float("inf")]), (1, "1")]


def test_these_are_not():
    for got, expected in DIFFERENT:
        assert not same(got, expected), (got, expected)


def test_values_are_shown_short_and_with_enough_digits_to_tell_them_apart():
    assert show(np.array([1 / 3, 2])) == "[0.3333, 2]"
    assert show(OneOf((1, 2))) == "1 or 2" and show(len) == "len"
    assert len(show("x" * 1000)) == 300
    assert show(-0.0) == "0" and show([-0.0, -0.5]) == "[0, -0.5]"
    assert show_apart(0.33333, 1 / 3) == ("0.33333", "0.3333333")
