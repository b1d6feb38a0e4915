"""Only plain data is judged: numbers, words, lists and dictionaries, whatever the answer was wrapped in.

An answer may be an array, a Series, a frame, a fraction or a tuple; none of these is a matter of right or wrong.
`plain` takes the wrapping off (and is what may cross a process border), `same` compares what is left.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import numpy as np
import pandas as pd

LONGEST = 100_000
"""No answer has more parts than this: an endless generator is cut here."""


@dataclass(frozen=True)
class OneOf:
    """Several answers are equally right, as when two splits tie."""

    answers: tuple


def plain(value):
    """The value as None, bool, int, float, str, list or dict; `...` counts as None, an answer not yet given.

    Raises ValueError for what is none of these (a model, a function), naming its type.

    >>> plain((np.float64(0.5), np.array([1, 2]), ...))
    [0.5, [1, 2], None]
    """
    if value is None or value is Ellipsis:
        return None
    for types, strip in _WRAPPINGS:
        if isinstance(value, types):
            return strip(value)
    raise ValueError(f"a {type(value).__name__} is not an answer that can be compared: "
                     "give numbers, words, lists or dictionaries.")


def _of_mapping(mapping):
    return {_key(k): plain(v) for k, v in islice(mapping.items(), LONGEST)}


def _of_series(series):
    counted = isinstance(series.index, pd.RangeIndex)
    return plain(series.tolist()) if counted else _of_mapping(series)


def _of_many(values):
    return [plain(v) for v in islice(values, LONGEST)]


def _by_kind(value):
    return (True, value, "") if isinstance(value, int | float) else (False, 0, repr(value))


def _key(key):
    return key if isinstance(key, str) else str(plain(key))


_WRAPPINGS = (
    ((bool, np.bool_), bool),
    ((int, np.integer), int),
    ((float, np.floating, Fraction, Decimal), float),
    (str, str),
    (pd.Series, _of_series),
    ((pd.DataFrame, Mapping), _of_mapping),
    (np.ndarray, lambda array: plain(array.tolist())),
    ((set, frozenset), lambda values: sorted(_of_many(values), key=_by_kind)),
    (Iterable, _of_many),
)


def is_blank(answer):
    """Has nothing been filled in? True for None and for containers that hold nothing but None."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, list):
        return bool(answer) and all(map(is_blank, answer))
    return answer is None


def number(value):
    """A plain value read as one number -> float, or None if it is not one; "60 %" is 0.6, [0.5] is 0.5, True is none."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        return _number_in_words(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _number_in_words(text):
    digits = text.strip().removesuffix("%").strip()
    try:
        return float(digits) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        return None


def same(got, expected, tolerance=1e-6):
    """Is a plain answer the expected one, whatever its wrapping? Numbers within tolerance, relative above 1.

    A list may answer where a dictionary is expected if it has the same order, a dictionary may leave out zeros, words
    may differ in case and spaces, a set in order and repetition.

    >>> same([0.6, 0.4], {"Attends": 0.6, "Time": 0.4}), same({"attends": 1}, {"Attends": 1, "Time": 0}), same("no ", "No")
    (True, True, True)
    """
    if isinstance(expected, OneOf):
        return any(same(got, one, tolerance) for one in expected.answers)
    if isinstance(expected, Mapping):
        return _same_entries(got, plain(expected), tolerance)
    if isinstance(expected, set | frozenset):
        return _same_set(got, expected, tolerance)
    expected = plain(expected)
    if isinstance(expected, list):
        return _same_list(got, expected, tolerance)
    if isinstance(expected, str):
        return isinstance(got, str) and _word(got) == _word(expected)
    if expected is None or isinstance(expected, bool):
        return got is not None and got == expected if isinstance(expected, bool) else got is None
    return _same_number(number(got), expected, tolerance)


def _same_number(got, expected, tolerance):
    if got is None or np.isnan(expected):
        return got is not None and bool(np.isnan(got))
    near = tolerance * max(1, abs(expected)) if np.isfinite(expected) else 0  # no number is near infinity
    return got == expected or abs(got - expected) <= near


def _same_list(got, expected, tolerance):
    if isinstance(got, dict):
        got = list(got.values())
    if not isinstance(got, list):
        return len(expected) == 1 and same(got, expected[0], tolerance)
    return len(got) == len(expected) and all(same(g, e, tolerance) for g, e in zip(got, expected, strict=True))


def _same_set(got, expected, tolerance):
    """Order and repetition do not matter: each is matched by one of the other side."""
    got = got if isinstance(got, list) else [got]
    return (all(any(same(g, e, tolerance) for e in expected) for g in got)
            and all(any(same(g, e, tolerance) for g in got) for e in expected))


def _same_entries(got, expected, tolerance):
    if isinstance(got, list):
        return _same_list(got, list(expected.values()), tolerance)
    if not isinstance(got, dict):
        return False
    got, expected = ({_word(k): v for k, v in d.items()} for d in (got, expected))
    return all(same(got.get(k, 0), expected.get(k, 0), tolerance) for k in {*got, *expected})


def _word(text):
    return "".join(str(text).lower().replace("≤", "<=").replace("×", "x").split())


def show(value, digits=4):
    """A value as a reader would write it: short, floats to a few digits -> str.

    >>> show([4, np.float64(1 / 3)]), show({"Time": 0.4}), show("No")
    ('[4, 0.3333]', "{'Time': 0.4}", "'No'")
    """
    if isinstance(value, OneOf):
        return " or ".join(show(one, digits) for one in value.answers)
    if callable(value):
        return getattr(value, "__name__", "a function")
    text = _written(plain(value), digits)
    return text if len(text) <= 300 else text[:297] + "..."


def _written(value, digits):
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, list):
        return "[" + ", ".join(_written(v, digits) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_written(v, digits)}" for k, v in value.items()) + "}"
    return repr(value)


def show_apart(one, other):
    """Two values shown with as many digits as it takes to tell them apart -> (str, str)."""
    for digits in (4, 7, 17):
        pair = show(one, digits), show(other, digits)
        if pair[0] != pair[1]:
            break
    return pair
