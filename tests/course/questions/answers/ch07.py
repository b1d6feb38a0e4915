"""Answers to exercise set 7: right ones written differently from the solution, and wrong ones as students give them."""

import numpy as np
import pandas as pd

from fi_teach.basics.shuffles import gaussian_conditional as borrowed_draw

# correlated.among_alike

def alike_by_weights(D, groups):
    D, same = np.asarray(D), np.equal.outer(np.asarray(groups), np.asarray(groups))
    return (D * same / same.sum(axis=1, keepdims=True)).sum() / len(D)


# correlated.mend_sampler

def draw_by_polyfit(x, z, noise):
    weights = np.polyfit(np.asarray(z, float), np.asarray(x, float), 1)
    fitted = np.polyval(weights, np.asarray(z, float))
    return fitted + np.sqrt(np.mean((np.asarray(x) - fitted) ** 2)) * np.asarray(noise)


def borrowed_sampler(x, z, noise):
    return borrowed_draw(np.column_stack([x, z]), 0, np.random.default_rng(0))


# correlated.test_shuffle

mixed, VALUES = np.array([0, 1, 1, 0, 2] * 12), np.arange(60)


def new_of(f, groups=mixed):
    return np.asarray(f(VALUES.copy(), groups, np.random.default_rng(0)))


def within_groups(f, groups=mixed):
    assert all(sorted(new_of(f, groups)[groups == g]) == sorted(VALUES[groups == g]) for g in range(3))


def within_sorted_groups(f):
    within_groups(f, np.repeat([0, 1, 2], 20))


def members_of_groups(f):
    assert all(set(new_of(f)[mixed == g]) <= set(VALUES[mixed == g]) for g in range(3))


def same_values(f):
    assert sorted(new_of(f)) == sorted(VALUES)


def some_move(f):
    assert (new_of(f) != VALUES).any()


def argument_stays(f):
    values = VALUES.copy()
    f(values, mixed, np.random.default_rng(0))
    assert (values == VALUES).all()


def test_of(*parts):
    def test(f):
        for part in parts:
            part(f)
    return test


def test_by_frames(f):
    new = pd.Series(new_of(f))
    assert new.groupby(mixed).agg(set).equals(pd.Series(VALUES).groupby(mixed).agg(set))
    assert (new != VALUES).sum() > 10
    argument_stays(f)


def test_that_answers(f):
    argument_stays(f)
    own = all(sorted(new_of(f)[mixed == g]) == sorted(VALUES[mixed == g]) for g in range(3))
    return bool(own and (new_of(f) != VALUES).any())


def test_that_all_move(f):
    assert (new_of(f) != VALUES).all()


def test_one_outcome(f):
    new = np.asarray(f(np.arange(6), np.zeros(6, int), np.random.default_rng(0)))
    assert list(new) == list(np.random.default_rng(0).permutation(6))


RIGHT = {
    "correlated.recall_pairs": ["1600"],
    "correlated.four_models": [{"x1": 18.0, "x2": 8.0, "together": 2.0}],
    "correlated.among_alike": [alike_by_weights],
    "correlated.one_copy": ["13/10"],
    "correlated.mend_sampler": [draw_by_polyfit],
    "correlated.test_shuffle": [test_by_frames],
}

WRONG = {
    "correlated.mend_sampler": [("borrowed", borrowed_sampler)],
    "correlated.test_shuffle": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_that_all_move),
        ("asks for one shuffle", test_one_outcome),
        ("misses crossed groups", test_of(same_values, some_move, argument_stays)),
        ("misses a standstill", test_of(within_groups, argument_stays)),
        ("misses replacement", test_of(members_of_groups, some_move, argument_stays)),
        ("misses another order", test_of(within_sorted_groups, some_move, argument_stays)),
        ("misses a changed argument", test_of(within_groups, some_move))],
}
