"""Answers to exercise set 13: right ones written differently from the solution, and wrong ones
as students give them."""

import numpy as np
from scipy.stats import mannwhitneyu

from fi_teach.basics.losses import auc

# choosing.told_apart

def by_scipy(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    return mannwhitneyu(importance[yes], importance[~yes]).statistic / (yes.sum() * (~yes).sum())


def borrowed_apart(importance, yes):
    return auc(np.asarray(yes, int), np.asarray(importance, float))


def told_apart_in_arrays(importance, yes):
    difference = importance[yes][:, None] - importance[~yes]
    return (difference > 0).mean() + (difference == 0).mean() / 2


RIGHT = {
    "choosing.recall_list": ["20"],
    "choosing.told_apart": [by_scipy],
}

WRONG = {
    "choosing.told_apart": [("right for arrays only", told_apart_in_arrays), ("borrowed", borrowed_apart)],
}
