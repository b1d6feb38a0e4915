"""Answers to exercise set 12a: right ones written differently from the solution."""

import numpy as np
import pandas as pd

# field_one.whole_mixes

def by_loop(unit, held_out):
    return [any(u == h for h in held_out) for u in unit]


# field_one.stability

def by_rank(importances, k):
    return (pd.DataFrame(importances).rank(axis=1, ascending=False) <= k).mean()


# field_one.mend_choice

def chosen_by_frame(X, y, new, k):
    old = ~np.asarray(new, bool)
    return pd.DataFrame(X)[old].corrwith(pd.Series(y)[old]).abs().nlargest(k).index.tolist()


# field_one.mend_slip

def by_products(x, y, most):
    x, y = np.asarray(x) - np.mean(x), np.asarray(y) - np.mean(y)
    return max(range(-most, most + 1), key=lambda k: abs(sum(a * b for a, b in zip(np.roll(x, k), y, strict=True))))


# field_one.mend_leak

def means_by_frame(town, y, train):
    told = pd.Series(y, dtype=float).where(pd.Series(train, dtype=bool))
    return told.groupby(pd.Series(town)).transform("mean").fillna(told.mean())


RIGHT = {
    "field_one.mend_leak": [means_by_frame],
    "field_one.whole_mixes": [by_loop],
    "field_one.stability": [by_rank],
    "field_one.mend_choice": [chosen_by_frame],
    "field_one.mend_slip": [by_products],
}
