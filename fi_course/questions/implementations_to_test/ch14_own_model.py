"""Shuffles of a column's known values, right and wrong, for `own_model.test_gaps`."""

import numpy as np


def right(column, rng):
    """The known values dealt out anew among the rows that have one; gaps stay where they are."""
    column = np.array(column, dtype=float)
    known = ~np.isnan(column)
    column[known] = rng.permutation(column[known])
    return column


def right_by_keys(column, rng):
    """The same by sorting random keys, so that it deals otherwise from the same rng."""
    column = np.array(column, dtype=float)
    places = np.flatnonzero(~np.isnan(column))
    column[places] = column[places[np.argsort(rng.random(len(places)))]]
    return column


def gaps_move(column, rng):
    return rng.permutation(np.array(column, dtype=float))


def gaps_filled(column, rng):
    column = np.array(column, dtype=float)
    return right(np.where(np.isnan(column), np.nanmedian(column), column), rng)


def drawn_again(column, rng):
    column = np.array(column, dtype=float)
    known = ~np.isnan(column)
    column[known] = rng.choice(column[known], size=known.sum())
    return column


def nothing_moves(column, rng):
    return np.array(column, dtype=float)


def in_place(column, rng):
    known = ~np.isnan(column)
    column[known] = rng.permutation(column[known])
    return column
