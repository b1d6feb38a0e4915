"""Convert an answer (array, Series, tensor, ...) to numbers, strings, lists and dicts.

An answer may be an array, a Series, a frame, a fraction or a tuple; none of these is a matter of
right or wrong. `normalise` takes the wrapping off, and is what may cross a process border;
`compare_values` compares what is left.
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
SET = "{}"
"""A set crosses a border as a dictionary with this key: unlike a list, it has no order."""


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
    ((set, frozenset), lambda values: {SET: sorted(_of_many(values), key=_by_kind)}),
    (Iterable, _of_many),
)


def is_blank(answer):
    """Return whether nothing is filled in: None, or containers of nothing but None."""
    if isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, list):
        return bool(answer) and all(map(is_blank, answer))
    return answer is None


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
    if isinstance(value, dict) and [*value] == [SET]:
        return "{" + _written(value[SET], digits)[1:-1] + "}"
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
