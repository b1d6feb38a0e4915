"""Convert an answer (array, Series, tensor, ...) to numbers, strings, lists and dicts.

An answer may be an array, a Series, a frame, a fraction or a tuple;
none of these is a matter of right or wrong.
`plain` takes the wrapping off (and is what may cross a process border),
`same` compares what is left.

A number in words is read by one pattern, the same on the page:

    [+ or -] digits [. digits]  [e exponent]  [/ another number]  [what follows]

A minus may be typographic. A comma is a decimal comma, but "1,600" is no number: it might be a
thousand. What follows begins with a letter or one of % € $ £ ° and is a unit; "%", "percent", "per
cent", "percentage points" and "pp" divide by 100.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import numpy as np
import pandas as pd

LONGEST = 100_000
"""No answer has more parts than this: an endless generator is cut here."""
NUMBER = r"[+-]?\s*(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:e[+-]?[0-9]+)?"
WRITTEN = re.compile(rf"\s*({NUMBER})(?:\s*/\s*({NUMBER}))?\s*((?:[^\W\d_]|[%€$£°]).*?)?\s*",
                     re.IGNORECASE | re.DOTALL)
PERCENT = re.compile(r"(?:%|percent|per cent|percentage points?|pp)(?![a-z])\s*", re.IGNORECASE)
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}(?![0-9])")


@dataclass(frozen=True)
class OneOf:
    """Several answers that are equally right, as when two splits tie."""

    answers: tuple


def normalise(value):
    """Convert a value to None, bool, int, float, str, list or dict.

    `...` counts as None, an answer not yet given.

    Raises ValueError for what is none of these (a model, a function), naming its type.

    >>> normalise((np.float64(0.5), np.array([1, 2]), ...))
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
    return {_key(k): normalise(v) for k, v in islice(mapping.items(), LONGEST)}


def _of_series(series):
    counted = isinstance(series.index, pd.RangeIndex)
    return normalise(series.tolist()) if counted else _of_mapping(series)


def _of_many(values):
    return [normalise(v) for v in islice(values, LONGEST)]


def _by_kind(value):
    return (True, value, "") if isinstance(value, int | float) else (False, 0, repr(value))


def _key(key):
    return key if isinstance(key, str) else str(normalise(key))


_WRAPPINGS = (
    ((bool, np.bool_), bool),
    ((int, np.integer), int),
    ((float, np.floating, Fraction, Decimal), float),
    (str, str),
    (pd.Series, _of_series),
    ((pd.DataFrame, Mapping), _of_mapping),
    (np.ndarray, lambda array: normalise(array.tolist())),
    ((set, frozenset), lambda values: sorted(_of_many(values), key=_by_kind)),
    (Iterable, _of_many),
)


def is_blank(answer):
    """Return whether nothing is filled in: None, or containers of nothing but None."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, list):
        return bool(answer) and all(map(is_blank, answer))
    return answer is None


def number(value):
    """Read a plain value as one number without its unit -> float, or None if it is not one.

    True is not a number.

    >>> number("60 %"), number([0.5]), number("3/4"), number(True)
    (0.6, 0.5, 0.75, None)
    """
    return number_and_unit(value)[0]


def number_and_unit(answer):
    """Read a plain answer as one number -> (float, unit), or (None, "") if it is not one.

    True is not a number.

    >>> number_and_unit("8/25"), number_and_unit("60 %")
    ((0.32, ''), (0.6, ''))
    >>> number_and_unit([10, "minutes"]), number_and_unit("0,5 bits a day")
    ((10.0, 'minutes'), (0.5, 'bits a day'))
    """
    while isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], str):
        value, unit = number_and_unit(answer[0])
        is_pair = value is not None and not unit and re.search(r"[^\W\d]|%", answer[1])
        return number_and_unit(f"{value!r} {answer[1]}") if is_pair else (None, "")
    if isinstance(answer, str):
        return _in_words(answer)
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return None, ""
    try:
        return float(answer), ""
    except OverflowError:
        return np.inf if answer > 0 else -np.inf, ""


def _in_words(text):
    found = WRITTEN.fullmatch(text.replace("−", "-"))
    if not found:
        return None, ""
    above, below, rest = (part or "" for part in found.groups())
    value, divisor = _decimal(above), _decimal(below or "1")
    if divisor == 0 or THOUSANDS.match(above) or THOUSANDS.match(below):
        return None, ""
    percent = PERCENT.match(rest)
    return value / divisor / (100 if percent else 1), rest[percent.end():] if percent else rest


def _decimal(digits):
    return float("".join(digits.replace(",", ".").split()))


def same(got, expected, tolerance=1e-6):
    """Return whether a plain answer equals the expected one, in whatever container.

    Numbers are compared within the tolerance, relative above 1.

    A list may answer where a dictionary is expected if it has the same order, or pairs of names and
    values; a dictionary may leave out zeros, words may differ in case and spaces, a set in order
    and repetition; None is NaN.

    >>> same([0.6, 0.4], {"Attends": 0.6, "Time": 0.4}), same("no ", "No"), same(
    ...     {"attends": 1}, {"Attends": 1, "Time": 0})
    (True, True, True)
    """
    if isinstance(expected, OneOf):
        return any(same(got, one, tolerance) for one in expected.answers)
    if isinstance(expected, Mapping):
        return _same_entries(got, normalise(expected), tolerance)
    if isinstance(expected, set | frozenset):
        return _same_set(got, expected, tolerance)
    expected = normalise(expected)
    if isinstance(expected, list):
        return _same_list(got, expected, tolerance)
    if isinstance(expected, str):
        return isinstance(got, str) and _word(got) == _word(expected)
    if expected is None or isinstance(expected, bool):
        return got is not None and got == expected if isinstance(expected, bool) else got is None
    if np.isnan(expected) and got is None:
        return True  # nobody knows, in Python's own word
    return near(number(got), expected, tolerance)


def near(got, expected, tolerance):
    """Return whether a number (or None) is the expected one within the tolerance.

    The tolerance is relative above 1. NaN is near NaN, and nothing else is near infinity.

    The tolerance is absolute for expected values below 1.
    """
    if got is None or np.isnan(expected):
        return got is not None and bool(np.isnan(got))
    reach = tolerance * max(1, abs(expected)) if np.isfinite(expected) else 0
    return got == expected or abs(got - expected) <= reach


def _same_list(got, expected, tolerance):
    if isinstance(got, dict):
        got = list(got.values())
    if not isinstance(got, list):
        return len(expected) == 1 and same(got, expected[0], tolerance)
    return (len(got) == len(expected)
            and all(same(g, e, tolerance) for g, e in zip(got, expected, strict=True)))


def _same_set(got, expected, tolerance):
    """Return whether each element has a match on the other side, in any order."""
    got = got if isinstance(got, list) else [got]
    return (all(any(same(g, e, tolerance) for e in expected) for g in got)
            and all(any(same(g, e, tolerance) for g in got) for e in expected))


def _same_entries(got, expected, tolerance):
    if isinstance(got, list) and got and all(isinstance(g, list) and len(g) == 2
                                             and isinstance(g[0], str) for g in got):
        got = dict(got)
    if isinstance(got, list):
        return _same_list(got, list(expected.values()), tolerance)
    if not isinstance(got, dict):
        return False
    got, expected = ({_word(k): v for k, v in d.items()} for d in (got, expected))
    return all(same(got.get(k, 0), expected.get(k, 0), tolerance) for k in {*got, *expected})


def _word(text):
    return "".join(str(text).lower().replace("≤", "<=").replace("×", "x").split())


def show(value, digits=4):
    """Format a value briefly, floats to a few digits -> str.

    >>> show([4, np.float64(1 / 3)]), show({"Time": 0.4}), show("No")
    ('[4, 0.3333]', "{'Time': 0.4}", "'No'")
    """
    if isinstance(value, OneOf):
        return " or ".join(show(one, digits) for one in value.answers)
    if callable(value):
        return getattr(value, "__name__", "a function")
    text = _written(normalise(value), digits)
    return text if len(text) <= 300 else text[:297] + "..."


def _written(value, digits):
    if isinstance(value, float):
        return f"{value + 0.0:.{digits}g}"  # a zero has no sign
    if isinstance(value, list):
        return "[" + ", ".join(_written(v, digits) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {_written(v, digits)}" for k, v in value.items()) + "}"
    return repr(value)


def show_apart(one, other):
    """Format two values with as many digits as it takes to tell them apart -> (str, str)."""
    for digits in (4, 7, 17):
        pair = show(one, digits), show(other, digits)
        if pair[0] != pair[1]:
            break
    return pair
