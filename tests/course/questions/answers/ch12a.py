"""Answers to exercise set 12a: right ones written differently from the solution, and wrong ones
as students give them."""

from fractions import Fraction

import numpy as np
import pandas as pd

WHY = "because the other copy can be read instead"


# field_one.whole_mixes

def by_loop(unit, held_out):
    return [any(u == h for h in held_out) for u in unit]


def by_series(unit, held_out):
    return pd.Series(unit).isin(list(held_out))


def by_dictionary(unit, held_out):
    """0 and 1 in place of False and True."""
    chosen = dict.fromkeys(np.asarray(held_out).tolist(), 1)
    return [chosen.get(u, 0) for u in np.asarray(unit).tolist()]


def rows_back(unit, held_out):
    return np.flatnonzero(np.isin(unit, held_out))


def rows_chosen(unit, held_out):
    return np.isin(np.arange(len(unit)), held_out)


def kept_rows(unit, held_out):
    return ~np.isin(unit, held_out)


def first_of_each(unit, held_out):
    return np.isin(unit, held_out) & ~pd.Series(np.asarray(unit)).duplicated().to_numpy()


# field_one.stability

def by_rank(importances, k):
    return (pd.DataFrame(importances).rank(axis=1, ascending=False) <= k).mean()


def by_sets(importances, k):
    lists = [set(np.argsort(row)[::-1][:k].tolist()) for row in np.asarray(importances)]
    return [Fraction(sum(j in chosen for chosen in lists), len(lists)) for j in range(np.shape(importances)[1])]


def by_threshold(importances, k):
    values = np.asarray(importances)
    return (values >= np.sort(values, axis=1)[:, [-k]]).mean(axis=0)


def by_size(importances, k):
    return by_threshold(np.abs(importances), k)


def how_many(importances, k):
    return (pd.DataFrame(importances).rank(axis=1, ascending=False) <= k).sum()


def smallest(importances, k):
    return (pd.DataFrame(importances).rank(axis=1) <= k).mean()


def of_the_mean(importances, k):
    mean = np.mean(importances, axis=0)
    return np.isin(np.arange(len(mean)), np.argsort(-mean, kind="stable")[:k]).astype(float)


def one_more(importances, k):
    return (pd.DataFrame(importances).rank(axis=1, ascending=False) <= k + 1).mean()


# field_one.mend_choice

def chosen_by_frame(X, y, new, k):
    old = ~np.asarray(new, bool)
    return pd.DataFrame(X)[old].corrwith(pd.Series(y)[old]).abs().nlargest(k).index.tolist()


def chosen_by_products(X, y, new, k):
    """Of standardised columns the correlation is a mean of products; order and type do not matter."""
    old = np.flatnonzero(np.logical_not(new))
    Z, z = (np.asarray(a, float)[old] for a in (X, y))
    Z, z = (Z - Z.mean(axis=0)) / Z.std(axis=0), z - z.mean()
    size = (Z * z[:, None]).mean(axis=0) ** 2
    return {j for j in range(Z.shape[1]) if (size > size[j]).sum() < k}


def chosen_on(X, y, rows, k, size=abs):
    return pd.DataFrame(X)[rows].corrwith(pd.Series(y)[rows]).map(size).nlargest(k).index.tolist()


def chosen_by_the_tested(X, y, new, k):
    return chosen_on(X, y, np.asarray(new, bool), k)


def chosen_one_way(X, y, new, k):
    return chosen_on(X, y, ~np.asarray(new, bool), k, size=float)


def chosen_weakest(X, y, new, k):
    return chosen_on(X, y, ~np.asarray(new, bool), k, size=lambda r: -abs(r))


def chosen_too_many(X, y, new, k):
    return chosen_on(X, y, ~np.asarray(new, bool), k + 1)


# field_one.mend_slip

def correlations(x, y, most):
    steps = np.arange(-most, most + 1)
    return steps, np.array([np.corrcoef(np.roll(x, k), y)[0, 1] for k in steps])


def by_square(x, y, most):
    steps, r = correlations(x, y, most)
    return int(steps[(r**2).argmax()])


def by_products(x, y, most):
    x, y = np.asarray(x) - np.mean(x), np.asarray(y) - np.mean(y)
    return max(range(-most, most + 1), key=lambda k: abs(sum(a * b for a, b in zip(np.roll(x, k), y, strict=True))))


def by_shift(x, y, most):
    """Without the rows that go round the end."""
    x, y = pd.Series(np.asarray(x)), pd.Series(np.asarray(y))
    return max(range(-most, most + 1), key=lambda k: abs(x.shift(k).corr(y)))


def one_short(x, y, most):
    return max(range(-most, most), key=lambda k: abs(np.corrcoef(np.roll(x, k), y)[0, 1]))


def place(x, y, most):
    return int(abs(correlations(x, y, most)[1]).argmax())


def turned_round(x, y, most):
    return -by_square(x, y, most)


def signed(x, y, most):
    steps, r = correlations(x, y, most)
    return int(steps[r.argmax()])


def height(x, y, most):
    return float(abs(correlations(x, y, most)[1]).max())


def only_down(x, y, most):
    steps, r = correlations(x, y, most)
    return int(steps[steps >= 0][abs(r[steps >= 0]).argmax()])


# field_one.mend_leak

def means_by_frame(town, y, train):
    told = pd.Series(y, dtype=float).where(pd.Series(train, dtype=bool))
    return told.groupby(pd.Series(town)).transform("mean").fillna(told.mean())


def means_by_dictionary(town, y, train):
    known = {}
    for name, value, seen in zip(town, y, train, strict=True):
        if seen:
            known.setdefault(name, []).append(value)
    whole = [value for values in known.values() for value in values]
    return [np.mean(known.get(name, whole)) for name in town]


def _means(town, y, train, fill):
    told = pd.Series(np.where(train, y, np.nan))
    return told.groupby(np.asarray(town)).transform("mean").fillna(fill)


def means_or_zero(town, y, train):
    return _means(town, y, train, 0)


def means_or_nothing(town, y, train):
    return _means(town, y, train, np.nan)


def means_or_everybody(town, y, train):
    return _means(town, y, train, np.mean(y))


def means_of_the_tested(town, y, train):
    y, train = np.asarray(y, float), np.asarray(train, bool)
    return _means(town, y, ~train, y[train].mean())


RIGHT = {
    "field_one.select_inside": [("B", WHY), "(b) because it is so"],
    "field_one.mend_leak": [means_by_frame, means_by_dictionary],
    "field_one.recall_copy": [("B", WHY), ["(b)", WHY], ("b", "because the copies are both useless")],
    "field_one.recall_false": [20, Fraction(20), "20"],
    "field_one.together": [0.37, "37 %", Fraction(37, 100)],
    "field_one.whole_mixes": [by_loop, by_series, by_dictionary],
    "field_one.stability": [by_rank, by_sets, by_threshold],
    "field_one.false_lists": ["3/5", "60 %", 0.6, ".6", Fraction(3, 5), (2 / 5 + 8 / 10 + 3 / 5) / 3],
    "field_one.mend_choice": [chosen_by_frame, chosen_by_products],
    "field_one.mend_slip": [by_square, by_products, by_shift],
}

WRONG = {
    "field_one.select_inside": [("other folds, the same leak", ("a", WHY)), ("fewer false genes", ("c", WHY)),
                                ("a better choice, too early", ("d", WHY))],
    "field_one.mend_leak": [
        ("zero for the unknown", means_or_zero), ("nothing for the unknown", means_or_nothing),
        ("everybody for the unknown", means_or_everybody), ("the tested rows", means_of_the_tested)],
    "field_one.recall_copy": [("refitting finds the other", ("a", WHY)), ("the fitted forest reads both", ("c", WHY)),
                              ("exchanged", ("d", WHY))],
    "field_one.recall_false": [("all genes counted", 25), ("the true ones", 5), ("the level itself", 0.05),
                               ("none at 5 %", 0)],
    "field_one.together": [("the bars added", 0.16 + 0.04), ("the error after", 0.38), ("what is left over", 0.17),
                           ("the mean bar", 0.1),
                           ("the larger bar taken off", 0.21), ("per cent without its sign", 37)],
    "field_one.whole_mixes": [("row numbers for units", rows_chosen), ("the other side", kept_rows),
                              ("row numbers back", rows_back),
                              ("sisters left behind", first_of_each)],
    "field_one.stability": [("counts, no shares", how_many), ("the least important", smallest),
                            ("the list of the mean", of_the_mean),
                            ("sizes", by_size), ("one too many", one_more)],
    "field_one.false_lists": [("empty lists counted", "18 %"), ("the true ones", "2/5"),
                              ("all genes in one pot", 13 / 20), ("per cent without its sign", 60)],
    "field_one.mend_choice": [
        ("chosen by the tested rows", chosen_by_the_tested), ("one direction only", chosen_one_way),
        ("the weakest", chosen_weakest), ("one too many", chosen_too_many)],
    "field_one.mend_slip": [("the wrong way", turned_round), ("the height, not the place", height),
                            ("downwards only", only_down),
                            ("one step short", one_short), ("the place in the list", place)],
}
