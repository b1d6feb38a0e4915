"""Look at the columns: which go together, and which are no features at all.

Columns are alike in rank by

    |Spearman| of two numbers, over the rows where both are known,
    Cramer's V of two columns of words (corrected for small tables),
    the square root of the correlation ratio of a number's ranks within words,

and are grouped by average linkage: two groups join while their columns are alike by .6 on average.
"""

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from fi_audit.data import AuditData, are_packed_dates
from fi_audit.intervals import mean_with_interval
from fi_audit.results import Finding, listed, number, percent
from fi_teach.basics.encoding import as_numbers, is_words

ALIKE = 0.6
MOST_WORDS = 50  # a column with more words than that is compared with nothing but its copy
LEAST_GAPS = 30  # and rows with a value, before their targets are compared
SAME = 0.9995  # correlation of two columns in different units, rounded


# --- correlated columns ---


def clusters(X: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """Group the columns that go together -> tuples of two or more names, in X's order."""
    alike = association(X)
    np.fill_diagonal(alike, -1.0)
    members = [[j] for j in range(len(alike))]
    size = np.ones(len(alike))
    while len(alike) > 1:
        i, j = np.unravel_index(alike.argmax(), alike.shape)
        if alike[i, j] < ALIKE:
            break
        joined = (size[i] * alike[i] + size[j] * alike[j]) / (size[i] + size[j])
        alike[i], alike[:, i] = joined, joined
        alike[j], alike[:, j], alike[i, i] = -1.0, -1.0, -1.0
        size[i] += size[j]
        members[i] += members[j]
        members[j] = []
    names = list(X.columns)
    together = sorted(sorted(one) for one in members if len(one) > 1)
    return tuple(tuple(str(names[j]) for j in one) for one in together)


def association(X: pd.DataFrame) -> NDArray:
    """Association of each two columns, from 0 to 1 -> (p, p); the diagonal means nothing."""
    numbers = as_numbers(X)[0]
    words = [j for j, kind in enumerate(X.dtypes) if is_words(kind)]
    ranks = pd.DataFrame(np.where(X.notna(), numbers, np.nan)).rank()
    alike = ranks.corr(min_periods=10).abs().fillna(0).to_numpy(copy=True)
    filled = ranks.fillna(0).to_numpy()  # for words a gap is one more word
    codes = {j: np.unique(numbers[:, j], return_inverse=True)[1] for j in words}
    for j in words:
        for k in range(len(alike)):
            alike[j, k] = alike[k, j] = (
                _cramers_v(codes[j], codes[k]) if k in codes else
                _correlation_ratio(codes[j], filled[:, k]))
    return alike


def _correlation_ratio(codes: NDArray, ranks: NDArray) -> float:
    if codes.max() + 1 > MOST_WORDS or np.ptp(ranks) == 0:
        return 0.0
    n, count = len(codes), np.bincount(codes)
    means = np.bincount(codes, weights=ranks) / count
    left = ((ranks - means[codes]) ** 2).sum() / max(1, n - len(count))
    return float(np.sqrt(max(0.0, 1 - left / (ranks.var() * n / (n - 1)))))


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


# --- columns that are no features ---


def check_columns(data: AuditData) -> list[Finding]:
    """Look at all columns of the table, also those that the model does not take."""
    table = data.table.iloc[data.sample]
    used = set(data.names)
    return [_empty(table, used), _identifiers(table, used), _other_units(table)]


def _empty(table: pd.DataFrame, used: set[str]) -> Finding:
    same = tuple(name for name in table if table[name].nunique(dropna=False) == 1)
    gaps = float(table.isna().to_numpy().mean())
    text = "No column is constant." if not same else (
        f"{listed(same)} {'have' if len(same) > 1 else 'has'} one value, or none, in all rows.")
    return Finding("constant columns", "note" if same else "well",
                   f"{text} {percent(gaps)} of all values are missing.", same, {"gaps": gaps},
                   f"Leave out {listed(same)}: constant columns tell nothing."
                   if set(same) & used else "")


def _identifiers(table: pd.DataFrame, used: set[str]) -> Finding:
    names = tuple(name for name in table if is_identifier(table[name]))
    if not names:
        return Finding("identifiers", "well", "No column numbers or names the rows.")
    text = f"In {listed(names)} every row has a value of its own, as a number or a name has."
    taken = tuple(name for name in names if name in used)
    if not taken:
        return Finding("identifiers", "note", text + " The model does not take it.", names)
    return Finding("identifiers", "ask", text, names, None, f"Ask what {listed(taken)} stands for: "
                   "if it only names rows, or numbers them in the order they came, leave it out.")


def is_identifier(column: pd.Series) -> bool:
    """Does a column only name the rows: whole numbers or words, every row its own?

    Incomes are whole numbers too. What gives numbers away is that no two are equal though some
    should be by chance, that they are spread evenly, or the column's name.
    """
    known = column.dropna()
    n = len(known)
    if (n < 20 or known.nunique() < 0.99 * n
            or is_bool_dtype(column) or is_datetime64_any_dtype(column)):
        return False
    if is_words(column.dtype):
        spaces = known.astype(str).str.count(r"\s")
        return bool((spaces < 2).mean() > 0.9 and not looks_dated(column))
    if (known.dtype.kind == "f" and (known % 1 != 0).any()) or are_packed_dates(column):
        return False
    low, high = float(known.min()), float(known.max())
    width = high - low + 1
    expected = n * (n - 1) / 2 / width  # pairs that would be equal, were they spread evenly
    even = np.sort((known.to_numpy(dtype=float) - low + 0.5) / width)
    distance = np.abs(even - (np.arange(n) + 0.5) / n).max()
    named = re.search(r"(^|[_\W])(id|nr|no|key|uid|uuid|number|index)($|[_\W])|Id$|ID$",
                      str(column.name)) is not None
    return bool(known.nunique() == n and (
        expected > 5 or distance < 1.6 / np.sqrt(n) or named))


def looks_dated(column: pd.Series) -> bool:
    """Does a column hold dates: as dates, as words such as 2024-05-31, or as 20240531?"""
    if is_datetime64_any_dtype(column):
        return True
    known = column.dropna()
    if not len(known) or not is_words(column.dtype):
        return are_packed_dates(column) and known.nunique() > 1
    some = known.astype(str).iloc[:: max(1, len(known) // 1000)]
    form = r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}"
    return bool(some.str.match(rf"\s*({form})([ T].*)?$").all())


def _other_units(table: pd.DataFrame) -> Finding:
    """Find pairs of numeric columns that are straight lines of one another."""
    numeric = [name for name in table if is_numeric_dtype(table[name])
               and not is_bool_dtype(table[name]) and table[name].nunique() > 10]
    values = table[numeric].to_numpy(dtype=float, na_value=np.nan)
    alike = np.triu(pd.DataFrame(values).corr(min_periods=10).abs() > SAME, 1)
    pairs, texts = [], []
    for i, j in zip(*np.nonzero(alike), strict=True):
        both = ~np.isnan(values[:, [i, j]]).any(axis=1)
        slope, start = np.polyfit(values[both, i], values[both, j], 1)
        if values[both, j].std() * np.sqrt(1 - SAME) < np.abs(
                values[both, j] - start - slope * values[both, i]).mean():
            continue
        shift = "" if abs(start) < 1e-3 * values[both, j].std() else f"{number(start)} + "
        pairs += [numeric[i], numeric[j]]
        texts.append(f"'{numeric[j]}' is '{numeric[i]}' in other units "
                     f"({shift}{number(slope)} × '{numeric[i]}')")
    name_of, about = "the same in other units", tuple(dict.fromkeys(pairs))
    if not pairs:
        return Finding(name_of, "well", "No column is another one in other units.")
    return Finding(name_of, "ask", "; ".join(texts[:5]) + ".", about, None,
                   f"Keep one of {listed(about)}: two columns that say the same share one "
                   "importance between them.")


def check_gaps(data: AuditData) -> Finding:
    """Find columns in which missing values go with the target."""
    rows = data.sample
    gaps = data.X.iloc[rows].isna()
    asked = [name for name in gaps if min(gaps[name].sum(), (~gaps[name]).sum()) >= LEAST_GAPS]
    targets, groups, weights = data.targets[rows], data.groups_of(rows), data.weights[rows]
    outcomes = [targets.shape[1] - 1] if targets.shape[1] < 3 else range(targets.shape[1])
    figures, parts = {}, []
    for name in asked:
        found = []
        for k in outcomes:
            (without, low, _), (given, other, _) = (
                mean_with_interval(targets[some, k], weights[some],
                                   None if groups is None else groups[some],
                                   len(asked) * len(outcomes))
                for some in (gaps[name].to_numpy(), ~gaps[name].to_numpy()))
            if abs(without - given) > np.hypot(without - low, given - other):
                what = "the mean target is" if data.kind == "number" else (
                    f"the share of '{data.classes[k]}' is")
                found.append((without - given, f"Where '{name}' is empty ({gaps[name].sum():,} "
                              f"rows) {what} {number(without)}, elsewhere {number(given)}."))
        if found:
            figures[name], text = max(found, key=lambda one: abs(one[0]))
            parts.append(text)
    if not figures:
        return Finding("gaps that tell", "well", (
            f"In none of the {len(asked)} columns with {LEAST_GAPS} gaps or more do gaps go with "
            "the target.") if asked else f"No column has {LEAST_GAPS} gaps or more.")
    return Finding("gaps that tell", "ask", " ".join(parts), tuple(figures), figures,
                   f"Ask why {listed(tuple(figures))} can be empty: was the field empty when the "
                   "decision was made, or does the outcome empty it?")
