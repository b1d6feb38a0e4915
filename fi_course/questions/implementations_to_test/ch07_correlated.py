"""Shuffles within groups, right and wrong, for `correlated.test_shuffle`."""

import numpy as np


def within(values, groups, rng):
    values, groups = np.asarray(values), np.asarray(groups)
    new = values.copy()
    for g in np.unique(groups):
        new[groups == g] = rng.permutation(values[groups == g])
    return new


def within_by_sorting(values, groups, rng):
    values, groups = np.asarray(values), np.asarray(groups)
    new = np.empty_like(values)
    drawn = np.lexsort((rng.random(len(groups)), groups))
    new[np.argsort(groups, kind="stable")] = values[drawn]
    return new


def across(values, groups, rng):
    return rng.permutation(np.asarray(values))


def unmoved(values, groups, rng):
    return np.asarray(values).copy()


def with_replacement(values, groups, rng):
    values, groups = np.asarray(values), np.asarray(groups)
    return np.array([rng.choice(values[groups == g]) for g in groups])


def groups_sorted(values, groups, rng):
    """Shuffles within groups, and hands the groups back one after the other."""
    return within(values, groups, rng)[np.argsort(np.asarray(groups), kind="stable")]


def in_place(values, groups, rng):
    new = within(values, groups, rng)
    values[:] = new.tolist() if isinstance(values, list) else new
    return new
