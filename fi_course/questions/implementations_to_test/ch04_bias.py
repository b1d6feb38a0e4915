"""Controls for `bias.test_control`: a right one is the column's own values in another order."""

import numpy as np


def shuffled(column, rng=0):
    return np.random.default_rng(rng).permutation(np.asarray(column))


def shuffled_by_keys(column, rng=0):
    column = np.asarray(column)
    return column[np.random.default_rng(rng).random(len(column)).argsort()]


def _shuffled_otherwise(which):
    """A shuffle that makes an order of its own out of the same seed."""
    def make_control(column, rng=0):
        drawn = np.random.default_rng(rng).integers(2**31)
        return np.random.default_rng([drawn, which]).permutation(np.asarray(column))
    return make_control


many_orders = tuple(map(_shuffled_otherwise, range(200)))
"""What one shuffle in fifty does by luck, one of these does."""


def constant(column, rng=0):
    return np.random.default_rng(rng).integers(0, 1, len(column))


def fresh_numbers(column, rng=0):
    return np.random.default_rng(rng).random(len(column))


def with_replacement(column, rng=0):
    """Draws again while each value happens to occur as often as it should."""
    rng, column = np.random.default_rng(rng), np.asarray(column)
    for _ in range(100):
        drawn = rng.choice(column, len(column))
        if not np.array_equal(np.sort(drawn), np.sort(column)):
            break
    return drawn


def untouched_copy(column, rng=0):
    return np.array(column)


def shuffled_in_place(column, rng=0):
    np.random.default_rng(rng).shuffle(column)
    return np.array(column)
