"""Group correlated columns, so that they are reported together. Columns are alike in rank by

    |Spearman| of two numbers, Cramer's V of two columns of words (corrected for small tables),
    the square root of the correlation ratio of a number's ranks within words,

and a group is whatever hangs together by pairs of at least .6 (single linkage).
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.encoding import as_numbers

ALIKE = 0.6
MOST_WORDS = 50  # a column with more words than that is compared with nothing but its copy
RULE = (
    f"columns whose rank correlation (of words: Cramér's V) is at least {ALIKE:g}, and whatever "
    "such pairs hang together")


def clusters(X: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """Group the columns that go together -> tuples of two or more names, in X's order.

    >>> a = np.arange(50.0)
    >>> clusters(pd.DataFrame({"a": a, "b": a**3, "c": np.tile([1.0, 2, 3, 4, 5], 10)}))
    (('a', 'b'),)
    """
    alike = association(X) >= ALIKE
    group = np.arange(len(alike))
    for i, j in zip(*np.nonzero(alike), strict=True):
        group[group == group[j]] = group[i]
    names = np.array(X.columns, dtype=object)
    together = [tuple(names[group == g]) for g in dict.fromkeys(group.tolist())]
    return tuple(members for members in together if len(members) > 1)


def association(X: pd.DataFrame) -> NDArray:
    """Association of each two columns, from 0 to 1 -> (p, p)."""
    numbers, names = as_numbers(X)
    words = [j for j, kind in enumerate(X.dtypes) if _is_words(kind)]
    ranks = pd.DataFrame(numbers).rank().to_numpy()
    centred = ranks - ranks.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(size > 0, size, 1.0)
    alike = np.abs(unit.T @ unit)
    for j in words:
        for k in range(len(names)):
            alike[j, k] = alike[k, j] = _with_words(numbers, ranks, j, k, k in words)
    np.fill_diagonal(alike, 1.0)
    return alike


def _is_words(kind) -> bool:
    is_time = pd.api.types.is_datetime64_any_dtype(kind) or kind.kind == "m"
    return not (pd.api.types.is_numeric_dtype(kind) or is_time)


def _with_words(numbers: NDArray, ranks: NDArray, j: int, k: int, both: bool) -> float:
    """Association of a column of words with another column."""
    codes = np.unique(numbers[:, j], return_inverse=True)[1]
    if both:
        others = np.unique(numbers[:, k], return_inverse=True)[1]
        return _cramers_v(codes, others)
    if codes.max() + 1 > MOST_WORDS or np.ptp(ranks[:, k]) == 0:
        return 0.0
    n = len(codes)
    count = np.bincount(codes)
    means = np.bincount(codes, weights=ranks[:, k]) / count
    total = ranks[:, k].var()
    left = ((ranks[:, k] - means[codes]) ** 2).sum() / max(1, n - len(count))
    return float(np.sqrt(max(0.0, 1 - left / (total * n / (n - 1)))))


def _cramers_v(a: NDArray, b: NDArray) -> float:
    """Cramer's V, corrected as by Bergsma (2013): 0 for independent columns."""
    n, K, L = len(a), a.max() + 1, b.max() + 1
    if min(K, L) < 2 or max(K, L) > MOST_WORDS:
        return float(K == L and K > 1 and len(set(zip(a.tolist(), b.tolist(), strict=True))) == K)
    seen = np.zeros((K, L))
    np.add.at(seen, (a, b), 1)
    expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / n
    chi = ((seen - expected) ** 2 / expected).sum() / n
    corrected = max(0.0, chi - (K - 1) * (L - 1) / (n - 1))
    rows, columns = K - (K - 1) ** 2 / (n - 1), L - (L - 1) ** 2 / (n - 1)
    return float(np.sqrt(min(1.0, corrected / max(1e-12, min(rows - 1, columns - 1)))))
