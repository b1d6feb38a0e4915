"""Random numbers: each method has its own stream, so that its draws are independent of the data.

With one stream for all, rng=0 here and default_rng(0) where the data were made draw the very same
normals: a "new" value of a column would be its old one.
"""

from collections.abc import Sequence
from numbers import Integral
from zlib import crc32

import numpy as np

Seed = int | Sequence[int] | np.random.Generator | None


def own_stream(rng: Seed, name: str) -> np.random.Generator:
    """Return the generator of one method: the same seed and name give the same numbers.

    rng : a whole number or a sequence of them; None for numbers that differ at every
        call; or a Generator, which is not advanced and gives another stream at every call
    name : the method's

    >>> own_stream(0, "shuffles").random() == own_stream(0, "shuffles").random()
    True
    >>> own_stream(0, "shuffles").random() == np.random.default_rng(0).random()
    False
    """
    if isinstance(rng, np.random.Generator):
        return rng.spawn(1)[0]
    if rng is None:
        return np.random.default_rng()
    words = [crc32(name.encode()), *_whole_numbers(rng)]
    return np.random.default_rng(words)


def plain_stream(rng: Seed) -> np.random.Generator:
    """Return np.random.default_rng(rng) for functions that draw data."""
    if rng is not None and not isinstance(rng, np.random.Generator):
        _whole_numbers(rng)
    return np.random.default_rng(rng)


def _whole_numbers(rng: object) -> list[int]:
    """The seed's whole numbers, checked."""
    numbers = np.atleast_1d(np.asarray(rng, dtype=object)).tolist()
    are_whole = all(
        isinstance(number, Integral) and not isinstance(number, bool) and int(number) >= 0
        for number in numbers)
    if not numbers or not are_whole:
        raise ValueError(
            f"rng is {rng!r}, expected a seed: a whole number from 0, a list of them, None, "
            "or a generator that np.random.default_rng made.")
    return list(map(int, numbers))
