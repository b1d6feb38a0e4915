"""Answers to exercise set 7: right ones written differently from the solution, and wrong ones as students give them."""

import numpy as np
import pandas as pd

from fi_teach.basics.shuffles import gaussian_conditional as borrowed_draw

WHY = "because of what the model reads"


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


def test_by_frames(f):
    values = VALUES.copy()
    new = pd.Series(np.asarray(f(values, mixed, np.random.default_rng(3))))
    assert new.groupby(mixed).agg(set).equals(pd.Series(VALUES).groupby(mixed).agg(set))
    assert (new != VALUES).sum() > 10 and (values == VALUES).all()


def test_that_answers(f):
    kept = VALUES.tolist()
    news = [np.asarray(f(np.array(kept), mixed.copy(), np.random.default_rng(seed))) for seed in range(3)]
    own = all(sorted(new[mixed == g]) == sorted(VALUES[mixed == g]) for new in news for g in range(3))
    argument = np.array(kept)
    f(argument, mixed, np.random.default_rng(0))
    return bool(own and (argument == VALUES).all() and len({tuple(new) for new in news}) > 1)


def test_that_all_move(f):
    new = f(VALUES.copy(), mixed, np.random.default_rng(0))
    assert (np.asarray(new) != VALUES).all()


def test_one_outcome(f):
    rng = np.random.default_rng(0)
    new = np.asarray(f(np.arange(6), np.zeros(6, int), np.random.default_rng(0)))
    assert list(new) == list(rng.permutation(6))


def test_of_the_column_only(f):
    values = VALUES.copy()
    new = np.asarray(f(values, mixed, np.random.default_rng(0)))
    assert sorted(new) == sorted(VALUES) and (new != VALUES).any() and (values == VALUES).all()


def test_without_movement(f):
    values = VALUES.copy()
    new = np.asarray(f(values, mixed, np.random.default_rng(0)))
    assert all(sorted(new[mixed == g]) == sorted(VALUES[mixed == g]) for g in range(3)) and (values == VALUES).all()


def test_of_membership(f):
    values = VALUES.copy()
    new = np.asarray(f(values, mixed, np.random.default_rng(0)))
    assert all(set(new[mixed == g]) <= set(VALUES[mixed == g])
               for g in range(3)) and (new != VALUES).any() and (values == VALUES).all()


def test_on_sorted_groups(f):
    groups, values = np.repeat([0, 1, 2], 20), VALUES.copy()
    new = np.asarray(f(values, groups, np.random.default_rng(0)))
    assert all(sorted(new[groups == g]) == sorted(VALUES[groups == g])
               for g in range(3)) and (new != VALUES).any() and (values == VALUES).all()


def test_of_the_result_only(f):
    new = np.asarray(f(VALUES.copy(), mixed, np.random.default_rng(0)))
    assert all(sorted(new[mixed == g]) == sorted(VALUES[mixed == g]) for g in range(3)) and (new != VALUES).any()


RIGHT = {
    "correlated.recall_pairs": ["1600"],
    "correlated.recall_crowd": [("B", WHY)],
    "correlated.door": [("C", WHY)],
    "correlated.four_models": [{"x1": 18.0, "x2": 8.0, "together": 2.0}],
    "correlated.among_alike": [alike_by_weights],
    "correlated.one_copy": ["13/10"],
    "correlated.mend_sampler": [draw_by_polyfit],
    "correlated.test_shuffle": [test_by_frames],
    "correlated.contract": [("c", WHY)],
}

WRONG = {
    "correlated.mend_sampler": [("borrowed", borrowed_sampler)],
    "correlated.test_shuffle": [
        ("returns what it should assert", test_that_answers), ("refuses a right one", test_that_all_move),
        ("asks for one shuffle", test_one_outcome), ("misses crossed groups", test_of_the_column_only),
        ("misses a standstill", test_without_movement), ("misses replacement", test_of_membership),
        ("misses another order", test_on_sorted_groups), ("misses a changed argument", test_of_the_result_only)],
}
