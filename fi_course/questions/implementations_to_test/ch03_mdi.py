"""Importances of one column for `mdi.test_stretch`: some see its order alone, some more."""

import numpy as np


def _best_decrease(impurity):
    def importance(x, y):
        x, y = np.asarray(x, float), np.asarray(y)
        cuts = np.unique(x)[:-1]
        halves = [(y[x <= cut], y[x > cut]) for cut in cuts]
        decreases = (impurity(y) - (len(a) * impurity(a) + len(b) * impurity(b)) / len(y)
                     for a, b in halves)
        return max(decreases, default=0.0)
    return importance


def _gini(y):
    return 2 * np.mean(y) * (1 - np.mean(y))


def _entropy(y):
    shares = np.array([np.mean(y), 1 - np.mean(y)])
    return -sum(p * np.log2(p) for p in shares if p > 0)


best_gini = _best_decrease(_gini)
best_entropy = _best_decrease(_entropy)


def rank_difference(x, y):
    ranks, y = np.searchsorted(np.unique(x), x), np.asarray(y)
    return abs(ranks[y == 1].mean() - ranks[y == 0].mean())


def mean_difference(x, y):
    x, y = np.asarray(x, float), np.asarray(y)
    return abs(x[y == 1].mean() - x[y == 0].mean())


def standardised_difference(x, y):
    return mean_difference(x, y) / np.std(x)


def _cut_at(place):
    """The decrease of a single cut, at a place that distances decide."""
    def importance(x, y):
        x, y = np.asarray(x, float), np.asarray(y)
        left = x <= place(x)
        right = _gini(y[~left]) if (~left).any() else 0.0
        return _gini(y) - left.mean() * _gini(y[left]) - (1 - left.mean()) * right
    return importance


cut_at_the_mean = _cut_at(np.mean)
cut_at_mid_range = _cut_at(lambda x: (x.min() + x.max()) / 2)
