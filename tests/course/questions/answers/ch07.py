"""Answers to exercise set 7: right ones written differently from the solution."""

import numpy as np
import pandas as pd

# correlated.among_alike

def alike_by_weights(D, groups):
    D, same = np.asarray(D), np.equal.outer(np.asarray(groups), np.asarray(groups))
    return (D * same / same.sum(axis=1, keepdims=True)).sum() / len(D)


# correlated.mend_sampler

def draw_by_polyfit(x, z, noise):
    weights = np.polyfit(np.asarray(z, float), np.asarray(x, float), 1)
    fitted = np.polyval(weights, np.asarray(z, float))
    return fitted + np.sqrt(np.mean((np.asarray(x) - fitted) ** 2)) * np.asarray(noise)


# correlated.test_shuffle

mixed, VALUES = np.array([0, 1, 1, 0, 2] * 12), np.arange(60)


def test_by_frames(f):
    values = VALUES.copy()
    new = pd.Series(np.asarray(f(values, mixed, np.random.default_rng(0))))
    assert new.groupby(mixed).agg(set).equals(pd.Series(VALUES).groupby(mixed).agg(set))
    assert (new != VALUES).sum() > 10
    assert (values == VALUES).all()


RIGHT = {
    "correlated.among_alike": [alike_by_weights],
    "correlated.mend_sampler": [draw_by_polyfit],
    "correlated.test_shuffle": [test_by_frames],
}
