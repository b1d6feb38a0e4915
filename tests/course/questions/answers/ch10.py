"""Answers to exercise set 10: right ones written differently from the solution, and wrong ones
as students give them."""

from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.importance.knockoffs import knockoff_threshold as borrowed_threshold

WHY = "because of what a swap does"


# knockoffs.test_duel

def swaps_each_pair(duel):
    values = np.array([3.0, 1.0, 2.0, 0.5, 2.5, 1.5])
    before = np.asarray(duel(values))
    for j in range(3):
        turned = values.copy()
        turned[[j, j + 3]] = turned[[j + 3, j]]
        expected = before.copy()
        expected[j] *= -1
        assert np.allclose(duel(turned), expected)


def returns_false(duel):
    rng = np.random.default_rng(0)
    values = rng.permutation(8) + 1.0
    order = [4, 1, 2, 3, 0, 5, 6, 7]
    w, v = duel(values), duel(values[order])
    return bool(abs(w[0] + v[0]) < 1e-9 and np.allclose(w[1:], v[1:]))


def wants_the_difference(duel):
    assert np.allclose(duel(np.array([3.0, 1.0, 2.0, 2.5])), [1.0, -1.5])


def wants_positive_numbers(duel):
    assert (np.asarray(duel(np.array([3.0, 2.0, 1.0, 1.0]))) < 0).all()


def wants_no_large_numbers(duel):
    swaps_each_pair(duel)
    assert abs(duel(np.array([3.0, 1.0, 2.0, 2.5]))[0]) < 4


def sizes_only(duel):
    values = np.array([3.0, 1.0, 2.0, 0.5, 2.5, 1.5])
    turned = np.array([0.5, 1.0, 2.0, 3.0, 2.5, 1.5])
    assert np.isfinite(duel(values)).all() and np.isfinite(duel(turned)).all()


def first_sign_only(duel):
    """Two pairs, in order: the mean of the doubles lies between, and turns with them."""
    assert np.sign(duel(np.array([9.0, 5.0, 1.0, 2.0]))[0]) == -np.sign(duel(np.array([1.0, 5.0, 9.0, 2.0]))[0])


def own_number_only(duel):
    """Swaps each pair, in numbers without order, and looks at the W of that pair alone."""
    values = np.array([3.0, 1.0, 2.0, 0.5, 2.5, 1.5])
    for j in range(3):
        turned = values.copy()
        turned[[j, j + 3]] = turned[[j + 3, j]]
        assert abs(duel(turned)[j] + duel(values)[j]) < 1e-9


def signs_of_all(duel):
    values = np.array([3.0, 1.0, 2.0, 0.5, 2.5, 1.5])
    for j in range(3):
        turned = values.copy()
        turned[[j, j + 3]] = turned[[j + 3, j]]
        before, after = np.sign(duel(values)), np.sign(duel(turned))
        before[j] *= -1
        assert (before == after).all()


def all_pairs_at_once(duel):
    values = np.array([3.0, 1.0, 2.0, 0.5, 2.5, 1.8])
    assert np.allclose(duel(np.roll(values, 3)), -np.asarray(duel(values)))


# knockoffs.threshold

def threshold_by_rank(w, q):
    """One sort, then winners and losers by counting along it."""
    w = np.asarray(w, float)
    w = w[w != 0]
    best = np.inf
    for t in np.unique(np.abs(w))[::-1]:
        if (1 + np.count_nonzero(w <= -t)) / max(1, np.count_nonzero(w >= t)) <= q:
            best = t
    return best


def threshold_with_pandas(w, q):
    w = pd.Series(np.asarray(w, float))
    sizes = w[w != 0].abs().drop_duplicates().sort_values()
    for t in sizes:
        if 1 + w.le(-t).sum() <= q * w.ge(t).sum():
            return t
    return float("inf")


def threshold_with_loops(w, q):
    good = [abs(one) for one in w if one != 0
            and 1 + sum(v <= -abs(one) for v in w) <= q * sum(v >= abs(one) for v in w)]
    return min(good) if good else np.inf


def no_one(w, q):
    w = np.asarray(w)
    good = [t for t in abs(w) if t > 0 and (w <= -t).sum() / max(1, (w >= t).sum()) <= q and (w >= t).any()]
    return min(good, default=np.inf)


def strictly(w, q):
    w = np.asarray(w)
    return min((t for t in abs(w) if t > 0 and 1 + (w < -t).sum() <= q * (w > t).sum()), default=np.inf)


def largest_t(w, q):
    w = np.asarray(w)
    return max((t for t in abs(w) if t > 0 and 1 + (w <= -t).sum() <= q * (w >= t).sum()), default=np.inf)


def down_to_the_first_failure(w, q):
    w = np.asarray(w)
    found = np.inf
    for t in np.unique(abs(w[w != 0]))[::-1]:
        passes = 1 + (w <= -t).sum() <= q * (w >= t).sum()
        if not passes and found < np.inf:
            return found
        if passes:
            found = t
    return found


def strictly_below_q(w, q):
    for t in sorted({abs(one) for one in w if one}):
        winners = sum(v >= t for v in w)
        if winners and (1 + sum(v <= -t for v in w)) / winners < q:
            return t
    return np.inf


def sizes_of_winners(w, q):
    for t in sorted(one for one in w if one > 0):
        if (1 + sum(v <= -t for v in w)) / sum(v >= t for v in w) <= q:
            return t
    return np.inf


def nothing_is_zero(w, q):
    w = np.asarray(w)
    return min((t for t in abs(w) if t > 0 and 1 + (w <= -t).sum() <= q * (w >= t).sum()), default=0)


def every_negative(w, q):
    w = np.asarray(w)
    return min((t for t in abs(w) if t > 0 and 1 + (w < 0).sum() <= q * (w >= t).sum()), default=np.inf)


def with_zero(w, q):
    w = np.asarray(w)
    return min((t for t in abs(w) if 1 + (w <= -t).sum() <= q * (w >= t).sum()), default=np.inf)


def borrowed(w, q):
    return borrowed_threshold(np.asarray(w), q)


def threshold_as_the_text_says(w, q):
    w = np.asarray(w)
    share = {t: (1 + (w <= -t).sum()) / max(1, (w >= t).sum()) for t in abs(w) if t > 0}
    return min((t for t in share if share[t] <= q), default=np.inf)


RIGHT = {
    "knockoffs.recall_shuffles": [799, "799", 40 / 0.05 - 1],
    "knockoffs.recall_shares": [("B", WHY), ["(b)", WHY]],
    "knockoffs.double": [[0.25, 0.5, 0.5],
                         {"x1, double 1": Fraction(1, 4), "x1, double 2": 0.5,
                          "double 1, double 2": 0.25 * 0.5 + 0.375}],
    "knockoffs.independent": [("b", WHY), ("B.", WHY)],
    "knockoffs.test_duel": [swaps_each_pair],
    "knockoffs.threshold": [threshold_by_rank, threshold_with_pandas, threshold_with_loops, threshold_as_the_text_says],
    "knockoffs.fewest": [30, "30", 3 / 0.1, "30 genes"],
    "knockoffs.sentence": [("C", WHY), ["c)", WHY]],
    "knockoffs.null": [("c", WHY), ("(C)", WHY)],
    "knockoffs.three_of_four": [("D", WHY), ["d)", WHY]],
}

WRONG = {
    "knockoffs.recall_shuffles": [("the observation forgotten", 800), ("one test", 19), ("one copy a feature", 40),
                                  ("one test", 20), ("one copy a feature", 39)],
    "knockoffs.recall_shares": [("noise earns nothing", ("a", WHY)), ("fit and share confused", ("c", WHY)),
                                ("negative decreases", ("d", WHY))],
    "knockoffs.double": [("s itself", [0.75, 0.5, 0.5]), ("a shuffled column", [0, 0, 0.5]), ("a copy", [1, 0.5, 0.5]),
                         ("doubles that do not know each other",
                          {"x1, double 1": 0.25, "x1, double 2": 0.5, "double 1, double 2": 0.125})],
    "knockoffs.independent": [("looks at the target", ("a", WHY)), ("too wide", ("c", WHY)),
                              ("a neighbour", ("d", WHY))],
    "knockoffs.test_duel": [
        ("returns what it should assert", returns_false),
        ("refuses the difference", wants_positive_numbers), ("refuses the signed maximum", wants_the_difference),
        ("refuses a difference of squares", wants_no_large_numbers), ("misses a lost sign", sizes_only),
        ("misses a shared opponent", first_sign_only), ("misses a thumb on the scale", signs_of_all),
        ("misses mixed-up pairs", all_pairs_at_once),
        ("misses a neighbour that moves", own_number_only)],
    "knockoffs.threshold": [
        ("the 1 forgotten", no_one), ("strict inequalities", strictly), ("the largest", largest_t),
        ("the first failure", down_to_the_first_failure),
        ("below q", strictly_below_q), ("winners' sizes only", sizes_of_winners), ("zero for none", nothing_is_zero),
        ("all losers", every_negative), ("zero as a candidate", with_zero), ("borrowed", borrowed)],
    "knockoffs.fewest": [("the 1 forgotten", 20), ("the losers not counted", 10), ("the other q", 15),
                         ("one short", 29), ("losers announced", 32)],
    "knockoffs.sentence": [("a bound on this list", ("a", WHY)), ("a probability for each", ("b", WHY)),
                           ("the others are null", ("d", WHY))],
    "knockoffs.three_of_four": [
        ("frequency as probability", ("a", WHY)), ("a majority of promises", ("b", WHY)),
        ("new applicants", ("c", WHY)), ("not found, so null", ("e", WHY))],
    "knockoffs.null": [("one at a time", ("a", WHY)), ("a relative", ("b", WHY)), ("x4 replaces x1", ("d", WHY))],
}
