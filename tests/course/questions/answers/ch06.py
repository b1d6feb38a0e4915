"""Answers to exercise set 6: right ones written differently from the solution, and wrong ones as students give them."""

from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.basics.shuffles import receiver_donor_variance as borrowed_variance

WHY = "because of what a shuffle does"


# negative.p_value

def p_by_rank(observed, copies):
    """The rank of the observed value among all draws, ties counted against it."""
    draws = sorted([*copies, observed])
    return Fraction(len(draws) - draws[::-1].index(observed), len(draws))


def p_by_mean(observed, copies):
    return np.append(np.asarray(copies) <= observed, True).mean()


def p_of_series(observed, copies):
    return (1 + pd.Series(copies).le(observed).sum()) / (1 + pd.Series(copies).size)


def plain_share(observed, copies):
    return np.mean(np.asarray(copies) <= observed)


def one_above_only(observed, copies):
    return (1 + sum(c <= observed for c in copies)) / len(copies)


def upper_tail(observed, copies):
    return (1 + sum(c >= observed for c in copies)) / (1 + len(copies))


def strictly_below(observed, copies):
    return (1 + sum(c < observed for c in copies)) / (1 + len(copies))


def one_below_only(observed, copies):
    return sum(c <= observed for c in copies) / (1 + len(copies))


def doubled(observed, copies):
    return min(1, 2 * p_by_mean(observed, copies))


def two_sided(observed, copies):
    return (1 + sum(abs(c) >= abs(observed) for c in copies)) / (1 + len(copies))


# negative.standard_error

def error_by_loops(D):
    n = len(D)
    psi = [sum(D[i][d] for d in range(n)) / n + sum(D[k][i] for k in range(n)) / n for i in range(n)]
    mean = sum(psi) / n
    return (sum((p - mean) ** 2 for p in psi) / (n - 1) / n) ** 0.5


def error_with_frames(D):
    D = pd.DataFrame(np.asarray(D))
    return (D.mean(axis=1) + D.mean(axis=0)).sem()


def error_by_jackknife(D):
    """Psi from deviations, its variance put together from variances and the covariance."""
    D = np.asarray(D)
    parts = np.cov(D.mean(axis=1), D.mean(axis=0))
    return np.sqrt(max(0, parts.sum()) / len(D))


def error_from_deviations(D):
    """The projection of the mean on its rows, centred, and the other way to correct for n."""
    D = np.asarray(D)
    psi = D.mean(axis=0) + D.mean(axis=1) - 2 * D.mean()
    return np.sqrt((psi**2).mean() / (len(D) - 1))


def receivers_only(D):
    return np.asarray(D).mean(axis=1).std(ddof=1) / len(D) ** 0.5


def donors_only(D):
    return np.asarray(D).mean(axis=0).std(ddof=1) / len(D) ** 0.5


def variances_added(D):
    D = np.asarray(D)
    return np.sqrt(D.mean(axis=1).var(ddof=1) / len(D) + D.mean(axis=0).var(ddof=1) / len(D))


def mean_of_roles(D):
    return error_by_loops(D) / 2


def all_pairs(D):
    D = np.asarray(D)
    return D.std(ddof=1) / np.sqrt(D.size)


def population_sd(D):
    D = np.asarray(D)
    return (D.mean(axis=0) + D.mean(axis=1)).std() / len(D) ** 0.5


def root_forgotten(D):
    D = np.asarray(D)
    return (D.mean(axis=0) + D.mean(axis=1)).std(ddof=1) / len(D)


def spread_of_rows(D):
    D = np.asarray(D)
    return (D.mean(axis=0) + D.mean(axis=1)).std(ddof=1)


def borrowed_error(D):
    D = np.asarray(D)
    return np.sqrt(borrowed_variance(D, np.tile(np.arange(len(D)), (len(D), 1))))


# negative.mend_bootstrap

def resample_by_composition(x, y, rows, order):
    donors = np.asarray(rows)[np.asarray(order)]
    x, y = np.asarray(x), np.asarray(y)
    return np.mean((y[rows] - x[donors]) ** 2) - np.mean((y[rows] - x[rows]) ** 2)


def resample_by_loops(x, y, rows, order):
    pairs = [(y[i], x[i], x[rows[k]]) for i, k in zip(rows, order, strict=True)]
    return sum((target - donor) ** 2 - (target - own) ** 2 for target, own, donor in pairs) / len(pairs)


def resample_a_frame(x, y, rows, order):
    table = pd.DataFrame({"x": np.asarray(x), "y": np.asarray(y)}).iloc[list(rows)].reset_index(drop=True)
    dealt = table["x"].iloc[list(order)].to_numpy()
    return ((table["y"] - dealt) ** 2 - (table["y"] - table["x"]) ** 2).mean()


def old_donors(x, y, rows, order):
    return ((y[rows] - x[order]) ** 2 - (y[rows] - x[rows]) ** 2).mean()


def old_targets(x, y, rows, order):
    new = x[rows]
    return ((y - new[order]) ** 2 - (y - new) ** 2).mean()


def old_errors_before(x, y, rows, order):
    return ((y[rows] - x[rows][order]) ** 2).mean() - ((y - x) ** 2).mean()


def errors_after(x, y, rows, order):
    x, y = x[rows], y[rows]
    return np.mean((y - x[order]) ** 2)


def before_less_after(x, y, rows, order):
    return -resample_by_composition(x, y, rows, order)


def summed(x, y, rows, order):
    x, y = x[rows], y[rows]
    return ((y - x[order]) ** 2 - (y - x) ** 2).sum()


RIGHT = {
    "negative.recall_shuffle": [-0.02, Fraction(-1, 50), "-2 %", np.array([-0.02]),
                                0.80 - np.mean([0.83, 0.79, 0.85, 0.81])],
    "negative.recall_training": [("C", WHY), ["(c)", WHY]],
    "negative.thirty_bars": [("B", WHY), ["b)", WHY]],
    "negative.wrong_slope": [-0.16, Fraction(-4, 25), "-0.16"],
    "negative.p_value": [p_by_rank, p_by_mean, p_of_series],
    "negative.alarms": [0.46, "46 %", 0.4596],
    "negative.cure": [("c", WHY), np.array(["C.", WHY])],
    "negative.standard_error": [error_by_loops, error_with_frames, error_by_jackknife, error_from_deviations],
    "negative.mend_bootstrap": [resample_by_composition, resample_by_loops, resample_a_frame],
}

WRONG = {
    "negative.recall_shuffle": [("the sign", 0.02), ("the error after", 0.18), ("the accuracy after", 0.82),
                                ("one shuffle", -0.03), ("a ratio", 0.9),
                                ("percentage points", -2)],
    "negative.recall_training": [("noise helps to sort what was seen", ("a", WHY)),
                                 ("shuffled on seen rows", ("b", WHY)),
                                 ("new rows are fair", ("d", WHY))],
    "negative.thirty_bars": [("overfitting is not negative", ("a", WHY)), ("luck has two signs", ("c", WHY)),
                             ("zero on average only", ("d", WHY))],
    "negative.wrong_slope": [("the factor 2", -0.08), ("the variance forgotten", -0.04), ("the sign", 0.16),
                             ("the model's slope twice", 0.32),
                             ("taken for noise", 0)],
    "negative.p_value": [("the observation forgotten", plain_share), ("added above only", one_above_only),
                         ("added below only", one_below_only), ("doubled", doubled),
                         ("the wrong tail", upper_tail),
                         ("ties left out", strictly_below), ("size without sign", two_sided)],
    "negative.alarms": [("chances added", 12 * 0.05), ("all silent", 0.54), ("one test", 0.05),
                        ("all at once", 0.05**12), ("per cent without its sign", 46), ("twenty tests", 0.64)],
    "negative.cure": [("more shuffles", ("a", WHY)), ("differences drawn", ("b", WHY)),
                      ("no fixed factor", ("d", WHY))],
    "negative.standard_error": [
        ("the receiver's half", receivers_only), ("the donor's half", donors_only),
        ("halves taken as independent", variances_added),
        ("halved", mean_of_roles), ("pairs taken as independent", all_pairs), ("divided by n", population_sd),
        ("n for its root", root_forgotten), ("not of the mean", spread_of_rows), ("borrowed", borrowed_error)],
    "negative.mend_bootstrap": [
        ("donors from the old table", old_donors), ("targets left behind", old_targets),
        ("another table before", old_errors_before),
        ("only after", errors_after), ("the sign", before_less_after), ("a sum, not a mean", summed)],
}
