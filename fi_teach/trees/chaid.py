"""CHAID: merge words whose class shares do not differ, then test the split by chi-square.

    chi-square = sum over cells of (observed - expected)^2 / expected

Where Gini and entropy always find a split, a chi-square test may find none. Its p-value is
multiplied by the number of ways in which the words could have been merged, so that a column of
many words buys no advantage. Source: Kass (1980).
"""

from collections.abc import Iterable
from itertools import combinations, pairwise
from math import comb, exp, lgamma, log
from numbers import Real
from operator import add
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.nominal import check_words
from fi_teach.basics.tables import as_floats, check_between
from fi_teach.basics.target import check_y, encode_labels


class ChaidSplit(NamedTuple):
    """A column with its words merged into groups, and the chi-square test of these groups.

    column : its name; groups : tuples of words; statistic : chi-square; p_value : its chance
    adjusted : p_value times the ways in which the words could have been merged, at most 1

    >>> split = ChaidSplit("sky", (("cloud", "sun"), ("rain",)), 4.8, 0.028, 0.085)
    >>> split.groups[0]
    ('cloud', 'sun')
    """

    column: str
    groups: tuple
    statistic: float
    p_value: float
    adjusted: float


# --- the test ---------------------------------------------------------------------------------

def chi_square(table: ArrayLike) -> tuple[float, int]:
    """Pearson's statistic of a table of counts, and its degrees of freedom.

    sum of (observed - expected)^2 / expected

    table (r, K) counts; rows and columns of zeros are left out -> (statistic, (r - 1)(K - 1))
    Source: Kass (1980), who tests every split by it.

    >>> chi_square([[4, 1], [0, 3]])
    (4.8, 1)
    """
    observed = as_floats(table, "table")
    are_counts = np.isfinite(observed).all() and (observed >= 0).all() and observed.any()
    if observed.ndim != 2 or not are_counts:
        raise ValueError(
            f"table has shape {observed.shape}, expected counts (r, K), "
            "finite numbers >= 0 that are not all zero.")
    observed = observed[observed.any(axis=1)]
    observed = observed[:, observed.any(axis=0)]
    of_row = observed.sum(axis=1)
    of_column = observed.sum(axis=0)
    expected = np.outer(of_row, of_column) / max(observed.sum(), 1.0)
    statistic = ((observed - expected) ** 2 / expected).sum()
    df = (len(of_row) - 1) * (len(of_column) - 1)
    return float(statistic), max(0, df)


def chi_square_p_value(statistic: float, df: int) -> float:
    """P-value of a chi-square statistic with df degrees of freedom.

    Q(df / 2, statistic / 2), the regularised upper incomplete gamma function: below its mean 1
    less a power series, above it a continued fraction. With df = 0 there is nothing to test: 1.0.

    Source: as in `chi_square`, whose law this is where chance alone is at work.

    >>> round(chi_square_p_value(3.841, 1), 3), chi_square_p_value(0, 3)
    (0.05, 1.0)
    """
    if not all(isinstance(number, Real) and number >= 0 for number in (statistic, df)):
        raise ValueError(
            f"statistic is {statistic!r} with {df!r} degrees of freedom: expected numbers >= 0.")
    if df == 0 or statistic == 0:
        return 1.0
    a, x = df / 2, statistic / 2
    scale = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        return 1 - scale * _gamma_series(a, x)
    return scale * _gamma_fraction(a, x)


def _gamma_series(a: float, x: float) -> float:
    """1/a + x/(a(a+1)) + x^2/(a(a+1)(a+2)) + ..., until terms stop mattering."""
    term = total = 1 / a
    while term > 1e-17 * total:
        a += 1
        term *= x / a
        total += term
    return total


def _gamma_fraction(a: float, x: float, steps: int = 500) -> float:
    """1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))), from the inside out; for x > a + 1."""
    value = 0.0
    for k in range(steps, 0, -1):
        below = x + 2 * k + 1 - a
        value = k * (k - a) / (below - value)
    return 1 / (x + 1 - a - value)


# --- merging words, and its price -------------------------------------------------------------

def merge_words(
    column: ArrayLike,
    y: ArrayLike,
    *,
    alpha: float = 0.05,
    ordered: bool = False,
) -> tuple[tuple, ...]:
    """Merge the two groups of words that differ least, again and again, until all differ.

    That is, until all pairs of groups differ at level alpha, or two groups are left.

    column (n,) words, y (n,) labels; ordered: only neighbours may merge -> groups of words
    Source: Kass (1980), steps 1 and 2.

    >>> merge_words(["a", "a", "b", "b", "c", "c"] * 5, [0, 1, 0, 1, 1, 1] * 5)
    (('a', 'b'), ('c',))
    """
    words, code = np.unique(column, return_inverse=True)
    counts = dict(enumerate(_cross_table(code, y)))  # of each group, by its first word's number
    members: dict[int, tuple] = dict(enumerate(zip(words.tolist())))
    p_values: dict[tuple, float] = {}
    while len(members) > 2:
        pairs = list(pairwise(members) if ordered else combinations(members, 2))
        for a, b in pairs:
            if (a, b) not in p_values:
                p_values[a, b] = chi_square_p_value(*chi_square([counts[a], counts[b]]))
        a, b = max(pairs, key=lambda pair: p_values[pair])
        if p_values[a, b] <= alpha:
            break
        counts[a] = counts[a] + counts.pop(b)
        members[a] += members.pop(b)
        p_values = {pair: p for pair, p in p_values.items() if a not in pair}  # it has grown
    return tuple(members.values())


def _cross_table(code: NDArray, y: ArrayLike) -> NDArray:
    """How many rows of each code have each label: (r, K)."""
    labels, label = encode_labels(y)
    n_codes = code.max() + 1
    table = np.zeros((n_codes, len(labels)), dtype=int)
    np.add.at(table, (code, label), 1)
    return table


def ways_to_merge(n_words: int, n_groups: int, *, ordered: bool = False) -> int:
    """Number of ways to merge c words into r groups, CHAID's Bonferroni factor.

    Ordered: choose r - 1 of the c - 1 gaps. Unordered: a Stirling number of the second kind,
    sum over i < r of (-1)^i (r - i)^c / (i! (r - i)!). Source: Kass (1980), sec. 4.

    >>> ways_to_merge(3, 2), ways_to_merge(3, 2, ordered=True), ways_to_merge(3, 3)
    (3, 2, 1)
    """
    if ordered:
        return comb(n_words - 1, n_groups - 1)
    ways = [1] + [0] * n_groups
    for _ in range(n_words):  # a new word joins one of k groups, or founds the k-th
        joins = [k * way for k, way in enumerate(ways)]
        founds = [0, *ways]
        ways = list(map(add, joins, founds))
    return ways[n_groups]


def chaid_splits(
    X: pd.DataFrame,
    y: ArrayLike,
    *,
    alpha_merge: float = 0.05,
    ordered: tuple = (),
) -> list[ChaidSplit]:
    """The best merged split of each column, in column order.

    CHAID would branch by the smallest `adjusted` p-value, if that is at most 5 %, say. The step
    that splits merged groups of three or more again (Kass 1980, step 3) is left out.

    X : DataFrame (n, p) of words, categories or codes; y (n,) labels
    ordered : names of columns whose words have an order (that of sorting)

    A column of one word has p-value 1.
    Source: Kass (1980), without step 3.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"attends": ["yes"] * 5 + ["no"] * 3})
    >>> split = chaid_splits(X, ["Pass"] * 4 + ["Fail"] * 4)[0]
    >>> split.groups, round(split.statistic, 2), round(split.p_value, 3)
    ((('no',), ('yes',)), 4.8, 0.028)
    """
    words, names = check_words(X)
    y = check_y(y, len(words), varies=True)
    check_between(alpha_merge, 0, 1, "alpha_merge")
    if isinstance(ordered, str) or not isinstance(ordered, Iterable):
        raise ValueError(f"ordered is {ordered!r}, expected a list of column names, () for none.")
    unknown = [name for name in ordered if name not in names]
    if unknown:
        raise ValueError(
            f"ordered names {unknown[0]!r}, but X has the columns {', '.join(names)}.")
    return [
        _offer(name, column, y, alpha_merge, name in ordered)
        for name, column in zip(names, words.T, strict=True)
    ]


def _offer(name: str, column: NDArray, y: NDArray, alpha: float, ordered: bool) -> ChaidSplit:
    groups = merge_words(column, y, alpha=alpha, ordered=ordered)
    group_of = {word: g for g, group in enumerate(groups) for word in group}
    group = np.array([group_of[word] for word in column])
    statistic, df = chi_square(_cross_table(group, y))
    p_value = chi_square_p_value(statistic, df)
    ways = ways_to_merge(len(group_of), len(groups), ordered=ordered)
    return ChaidSplit(name, groups, statistic, p_value, adjusted=_bonferroni(p_value, ways))


def _bonferroni(p_value: float, ways: int) -> float:
    """min(1, ways * p_value), also where the ways are too many for a float."""
    if ways < 1e300 or p_value == 0:
        return min(1.0, p_value * min(ways, 10**300))
    return exp(min(0.0, log(p_value) + log(ways)))
