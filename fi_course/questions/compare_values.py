"""Compare plain answers with what was expected, in whatever container they came."""

from collections.abc import Mapping

import numpy as np

from fi_course.questions.parse_answer import number_and_unit
from fi_course.questions.plain_values import SET, OneOf, normalise


def same(got, expected, tolerance=1e-6):
    """Return whether a plain answer equals the expected one, in whatever container.

    Numbers are compared within the tolerance, relative above 1.

    A list may answer where a dictionary is expected if it has the same order, or pairs of names and
    values; a dictionary may leave out zeros, words may differ in case and spaces. Where a set is
    expected a list may have any order and repetition, but a set is no list. None is NaN.

    >>> same([0.6, 0.4], {"Attends": 0.6, "Time": 0.4}), same("no ", "No")
    (True, True)
    >>> same([2, 1, 1], {1, 2}), same(normalise({1, 2}), [1, 2])
    (True, False)
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
    return near(number_and_unit(got)[0], expected, tolerance)


def near(got, expected, tolerance):
    """Return whether a number (or None) is the expected one within the tolerance.

    The tolerance is absolute below 1 and relative above. NaN is near NaN, and nothing else is near
    infinity.
    """
    if got is None or np.isnan(expected):
        return got is not None and bool(np.isnan(got))
    reach = tolerance * max(1, abs(expected)) if np.isfinite(expected) else 0
    return got == expected or abs(got - expected) <= reach


def _same_list(got, expected, tolerance):
    if isinstance(got, dict) and SET not in got:
        got = list(got.values())
    if not isinstance(got, list):
        return len(expected) == 1 and same(got, expected[0], tolerance)
    return (len(got) == len(expected)
            and all(same(g, e, tolerance) for g, e in zip(got, expected, strict=True)))


def _same_set(got, expected, tolerance):
    """Return whether each element has a match on the other side, in any order."""
    got = got[SET] if isinstance(got, dict) and SET in got else got
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
