"""Answers to exercise set 3: right ones written differently from the solution."""

import math

import numpy as np
import pandas as pd

# mdi.oob_mean

def oob_with_nanmean(predictions, in_bag):
    return pd.DataFrame(predictions).where(pd.DataFrame(in_bag) == 0).mean()


# mdi.mend_weights

def weights_by_halves(weight, missed):
    """Missed rows share one half, the others the other half."""
    weight, missed = np.asarray(weight, float), np.asarray(missed, bool)
    return weight / 2 / np.where(missed, weight[missed].sum(), weight[~missed].sum())


# mdi.forest_shares

def shares_with_pandas(decreases):
    table = pd.DataFrame(np.asarray(decreases, float))
    shares = table.div(table.sum(axis=1), axis=0).fillna(0).mean()
    return shares / shares.sum()


# mdi.test_stretch

X_TEST, Y_TEST = np.array([0.1, 0.2, 0.5, 1.0, 2.0, 6.0]), np.array([1, 0, 1, 0, 0, 1])


def test_with_cubes(importance):
    for change in (7 * X_TEST, X_TEST**3, np.log(X_TEST), np.sqrt(X_TEST)):
        assert math.isclose(importance(change, Y_TEST), importance(X_TEST, Y_TEST), abs_tol=1e-9)


RIGHT = {
    "mdi.recall_currency": [(0.2, "bits")],
    "mdi.oob_mean": [oob_with_nanmean],
    "mdi.mend_weights": [weights_by_halves],
    "mdi.forest_shares": [shares_with_pandas],
    "mdi.test_stretch": [test_with_cubes],
}
