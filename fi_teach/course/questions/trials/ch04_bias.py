"""Controls for `bias.test_control`: a right one is the column's own values in another order."""

import numpy as np


def shuffled(column, rng=0):
    return np.random.default_rng(rng).permutation(np.asarray(column))


def shuffled_by_keys(column, rng=0):
    column = np.asarray(column)
    return column[np.random.default_rng(rng).random(len(column)).argsort()]


def constant(column, rng=0):
    return np.random.default_rng(rng).integers(0, 1, len(column))


def fresh_numbers(column, rng=0):
    return np.random.default_rng(rng).random(len(column))


def with_replacement(column, rng=0):
    return np.random.default_rng(rng).choice(np.asarray(column), len(column))


def untouched_copy(column, rng=0):
    return np.array(column)


def shuffled_in_place(column, rng=0):
    np.random.default_rng(rng).shuffle(column)
    return np.array(column)
