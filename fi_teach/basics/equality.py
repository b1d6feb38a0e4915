"""Equality of dataclasses, tuples and dicts that hold arrays."""

from dataclasses import fields

import numpy as np


class EqualByFields:
    """Base class of dataclasses that hold arrays: two are equal (==) if all their fields are."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return all(same(getattr(self, name), getattr(other, name)) for name in names)


def same(one: object, other: object) -> bool:
    """Are two values equal? Arrays by their numbers (NaN is NaN), tuples and dicts item by item.

    >>> same({0: np.array([1.0, np.nan])}, {0: np.array([1.0, np.nan])})
    True
    """
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        floats = one.dtype.kind == other.dtype.kind == "f"
        return np.array_equal(one, other, equal_nan=floats)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(np.all(one == other))
