"""Answers to exercise set 13: right ones written differently from the solution, and wrong ones
as students give them."""

from fractions import Fraction

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu

from fi_teach.basics.losses import auc

WHY = "because of what is asked"


# choosing.told_apart

def apart_by_arrays(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    difference = importance[yes][:, None] - importance[~yes][None, :]
    return (np.sign(difference) + 1).mean() / 2


def apart_by_ranks(importance, yes):
    """Mann and Whitney's way: the ranks of the yes, less what they would be among themselves."""
    rank, yes = pd.Series(np.asarray(importance, float)).rank().to_numpy(), np.asarray(yes, bool)
    n = yes.sum()
    return (rank[yes].sum() - n * (n + 1) / 2) / (n * (~yes).sum())


def apart_by_loop(importance, yes):
    won, pairs = 0, 0
    for a, is_yes in zip(importance, yes, strict=True):
        for b, other in zip(importance, yes, strict=True):
            if is_yes and not other:
                won, pairs = won + (a > b) + 0.5 * (a == b), pairs + 1
    return won / pairs


def at_least(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    return np.mean(importance[yes][:, None] >= importance[~yes])


def strictly(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    return np.mean(importance[yes][:, None] > importance[~yes])


def by_scipy(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    return mannwhitneyu(importance[yes], importance[~yes]).statistic / (yes.sum() * (~yes).sum())


def ties_skipped(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    difference = (importance[yes][:, None] - importance[~yes]).ravel()
    difference = difference[difference != 0]
    return (difference > 0).mean() if len(difference) else 0


def points(importance, yes):
    importance, yes = np.asarray(importance, float), np.asarray(yes, bool)
    return ((np.sign(importance[yes][:, None] - importance[~yes]) + 1) / 2).sum()


def the_other_way(importance, yes):
    return apart_by_arrays(importance, ~np.asarray(yes, bool))


def by_size(importance, yes):
    return apart_by_ranks(np.abs(np.asarray(importance, float)), yes)


def precision(importance, yes):
    table = pd.DataFrame({"importance": np.asarray(importance, float), "yes": np.asarray(yes, bool)})
    return table.sort_values("importance", ascending=False, kind="stable")["yes"].head(table["yes"].sum()).mean()


def borrowed_apart(importance, yes):
    return auc(np.asarray(yes, int), np.asarray(importance, float))


def told_apart_in_arrays(importance, yes):
    difference = importance[yes][:, None] - importance[~yes]
    return (difference > 0).mean() + (difference == 0).mean() / 2


RIGHT = {
    "choosing.recall_list": [20.0, Fraction(20), "20"],
    "choosing.recall_twins": [("D", WHY), ["(d)", WHY]],
    "choosing.which_measure": [("C", WHY), ["c)", WHY]],
    "choosing.which_sentence": [("B", WHY), ["(b)", WHY]],
    "choosing.told_apart": [apart_by_arrays, apart_by_ranks, apart_by_loop, by_scipy],
}

WRONG = {
    "choosing.recall_list": [("the chapter's q", 5), ("the other q", 10), ("without the 1", 1), ("one too many", 21)],
    "choosing.recall_twins": [("splits still count", ("a", WHY)), ("the model is as it is", ("b", WHY)),
                              ("shares of what is read", ("c", WHY))],
    "choosing.which_measure": [("training credit", ("a", WHY)), ("the model they have", ("b", WHY)),
                               ("one prediction each", ("d", WHY)),
                               ("a cause", ("e", WHY))],
    "choosing.which_sentence": [("nothing to do with it", ("a", WHY)), ("causes from shuffling", ("c", WHY)),
                                ("one model for all models", ("d", WHY)), ("a drop that was not measured", ("e", WHY))],
    "choosing.told_apart": [
        ("right for arrays only", told_apart_in_arrays),("ties win", at_least), ("ties lose", strictly),
        ("ties left out", ties_skipped), ("points, not a share", points),
                            ("upside down", the_other_way), ("sign lost", by_size),
                            ("share at the top", precision), ("borrowed", borrowed_apart)],
}
