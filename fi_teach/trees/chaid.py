"""CHAID asks whether a split could be chance: it merges words that do not differ, tests what is left, and pays for looking.

Where Gini and entropy always find a split, a chi-square test may find none (Kass 1980). Its p-values are multiplied by
the number of ways in which the words could have been merged, so that a column of many words buys no advantage.
"""

from itertools import combinations, pairwise
from math import comb, exp, lgamma, log
from typing import NamedTuple

import numpy as np

from fi_teach.basics.impurity import gini
from fi_teach.basics.nominal import check_words, grow_nominal
from fi_teach.trees.cart import check_growing_target, check_limits


class ChaidSplit(NamedTuple):
    """A column with its words merged into groups, and how surprising the groups' difference would be by chance."""

    column: str
    groups: tuple
    statistic: float
    p_value: float
    adjusted: float


# --- the test ---------------------------------------------------------------------------------------------------------

def chi_square(table):
    """Pearson's statistic of a table of counts, sum of (observed - expected)^2 / expected, and its degrees of freedom.

    table (r, K) counts; rows and columns of zeros are left out -> (statistic, (r - 1)(K - 1))

    >>> chi_square([[4, 1], [0, 3]])
    (4.8, 1)
    """
    table = np.asarray(table, dtype=float)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / max(table.sum(), 1.0)
    return float(((table - expected) ** 2 / expected).sum()), max(0, (table.shape[0] - 1) * (table.shape[1] - 1))


def chi_square_p_value(statistic, df):
    """Chance that a chi-square variable with df degrees of freedom is at least `statistic`: Q(df / 2, statistic / 2).

    Q is the regularised upper incomplete gamma function: below its mean 1 less a power series, above it a continued
    fraction. With df = 0 there is nothing to test: 1.0.

    Raises ValueError for a negative statistic or df.

    >>> round(chi_square_p_value(3.841, 1), 3), chi_square_p_value(0, 3)
    (0.05, 1.0)
    """
    if not statistic >= 0 or df < 0:
        raise ValueError(f"statistic {statistic} with {df} degrees of freedom: expected both to be >= 0.")
    if df == 0 or statistic == 0:
        return 1.0
    a, x = df / 2, statistic / 2
    scale = exp(a * log(x) - x - lgamma(a))
    return 1 - scale * _gamma_series(a, x) if x < a + 1 else scale * _gamma_fraction(a, x)


def _gamma_series(a, x):
    """1/a + x/(a(a+1)) + x^2/(a(a+1)(a+2)) + ..., until terms stop mattering."""
    term = total = 1 / a
    while term > 1e-17 * total:
        a += 1
        term *= x / a
        total += term
    return total


def _gamma_fraction(a, x, steps=500):
    """1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))), from the inside out; x > a + 1 makes it settle quickly."""
    value = 0.0
    for k in range(steps, 0, -1):
        value = k * (k - a) / (x + 2 * k + 1 - a - value)
    return 1 / (x + 1 - a - value)


# --- merging words, and its price -------------------------------------------------------------------------------------

def merge_words(column, y, *, alpha=0.05, ordered=False):
    """Merge the two groups of words that differ least, again and again, until all pairs differ at level alpha or two are left.

    column (n,) words, y (n,) labels; ordered: only neighbours may merge -> tuple of groups, each a tuple of words
    Source: Kass (1980), steps 1 and 2.

    >>> merge_words(["a", "a", "b", "b", "c", "c"] * 5, [0, 1, 0, 1, 1, 1] * 5)
    (('a', 'b'), ('c',))
    """
    words, code = np.unique(column, return_inverse=True)
    counts = {(word,): row for word, row in zip(words.tolist(), _cross_table(code, y), strict=True)}
    while len(counts) > 2:
        names = list(counts)
        pairs = list(pairwise(names)) if ordered else list(combinations(names, 2))
        p_values = [chi_square_p_value(*chi_square([counts[a], counts[b]])) for a, b in pairs]
        if max(p_values) <= alpha:
            break
        a, b = pairs[int(np.argmax(p_values))]
        counts = {(a + b if name == a else name): (counts[a] + counts[b] if name == a else row)
                  for name, row in counts.items() if name != b}
    return tuple(counts)


def _cross_table(code, y):
    """How many rows of each code have each label: (r, K)."""
    _, label = np.unique(y, return_inverse=True)
    return np.array([np.bincount(label[code == c], minlength=label.max() + 1) for c in range(code.max() + 1)])


def ways_to_merge(n_words, n_groups, *, ordered=False):
    """In how many ways can c words be merged into r groups? What a p-value is multiplied by (Bonferroni).

    Ordered: choose r - 1 of the c - 1 gaps. Unordered: sum over i < r of (-1)^i (r - i)^c / (i! (r - i)!), a Stirling number.
    Source: Kass (1980), sec. 4.

    >>> ways_to_merge(3, 2), ways_to_merge(3, 2, ordered=True), ways_to_merge(3, 3)
    (3, 2, 1)
    """
    if ordered:
        return comb(n_words - 1, n_groups - 1)
    stirling = [1] + [0] * n_groups
    for _ in range(n_words):  # a new word joins one of k groups, or founds the k-th
        stirling = [0] + [k * stirling[k] + stirling[k - 1] for k in range(1, n_groups + 1)]
    return stirling[n_groups]


# --- the split and the tree -------------------------------------------------------------------------------------------

def chaid_splits(X, y, *, alpha_merge=0.05, ordered=()):
    """What each column offers once its words are merged -> list of ChaidSplit, in column order.

    X : DataFrame (n, p) of words, categories or codes; y (n,) labels; ordered: names of columns whose words have an order
    A column of one word has p-value 1. Raises ValueError for tables and targets that cannot be used.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"attends": ["yes"] * 5 + ["no"] * 3})
    >>> split = chaid_splits(X, ["Pass"] * 4 + ["Fail"] * 4)[0]
    >>> split.groups, round(split.statistic, 2), round(split.p_value, 3)
    ((('no',), ('yes',)), 4.8, 0.028)
    """
    words, names, y = _check(X, y, alpha_merge, ordered)
    return [_offer(name, column, y, alpha_merge, name in ordered) for name, column in zip(names, words.T, strict=True)]


def _offer(name, column, y, alpha, ordered):
    groups = merge_words(column, y, alpha=alpha, ordered=ordered)
    group_of = {word: g for g, group in enumerate(groups) for word in group}
    statistic, df = chi_square(_cross_table(np.array([group_of[word] for word in column]), y))
    p_value = chi_square_p_value(statistic, df)
    ways = ways_to_merge(len(group_of), len(groups), ordered=ordered)
    return ChaidSplit(name, groups, statistic, p_value, min(1.0, p_value * ways))


def grow_chaid(X, y, *, alpha_merge=0.05, alpha_split=0.05, max_depth=None, min_samples_leaf=1, ordered=()):
    """Grow CHAID's tree: branch by the column with the smallest adjusted p-value, while that is at most alpha_split.

    X : DataFrame (n, p) of words, categories or codes; y (n,) labels -> NominalTree, its impurities Gini's
    ordered : names of columns whose words have an order (that of sorting); only neighbours merge there
    min_samples_leaf : a column is passed over where one of its groups would be smaller

    The step that splits merged groups of three or more again (Kass 1980, step 3) is left out.
    Raises ValueError for tables and targets that cannot be used, one class only, and levels outside (0, 1).

    >>> import pandas as pd
    >>> X = pd.DataFrame({"attends": ["yes"] * 5 + ["no"] * 3})
    >>> grow_chaid(X, ["Pass"] * 4 + ["Fail"] * 4).branches[0]
    {'no': 1, 'yes': 2}
    """
    check_limits(max_depth, min_samples_leaf)
    _check_level(alpha_split, "alpha_split")
    words, names, y = _check(X, y, alpha_merge, ordered)
    max_depth = np.inf if max_depth is None else max_depth

    def choose(rows, depth):
        offers = [_offer(name, words[rows, j], y[rows], alpha_merge, name in ordered) for j, name in enumerate(names)]
        sizes = [[np.isin(words[rows, j], group).sum() for group in offer.groups] for j, offer in enumerate(offers)]
        able = [j for j, offer in enumerate(offers) if offer.adjusted <= alpha_split and min(sizes[j]) >= min_samples_leaf]
        if not able or depth == max_depth:
            return None
        best = min(able, key=lambda j: offers[j].adjusted)
        return best, offers[best].groups

    return grow_nominal(words, names, y, choose, impurity=gini, criterion="gini")


def _check(X, y, alpha_merge, ordered):
    """Words, names and labels as arrays. Raises ValueError."""
    words, names = check_words(X)
    y = check_growing_target(y, len(words), "gini")
    if len(np.unique(y)) == 1:
        raise ValueError(f"y holds one class only ({y.tolist()[0]!r}): there is nothing to split for. Give rows of at least two classes.")
    _check_level(alpha_merge, "alpha_merge")
    unknown = [name for name in ordered if name not in names]
    if unknown:
        raise ValueError(f"ordered names {unknown[0]!r}, but X has the columns {', '.join(names)}.")
    return words, names, y


def _check_level(alpha, name):
    if not 0 < alpha < 1:
        raise ValueError(f"{name} is {alpha!r}, expected a level between 0 and 1, such as 0.05.")
