"""Answers to exercise set 13: right ones written differently from the solution."""

import numpy as np
from scipy.stats import mannwhitneyu

# choosing.told_apart

def by_scipy(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    return mannwhitneyu(importance[yes], importance[~yes]).statistic / (yes.sum() * (~yes).sum())


RIGHT = {
    "choosing.told_apart": [by_scipy],
}
