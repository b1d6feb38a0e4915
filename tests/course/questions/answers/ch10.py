"""Answers to exercise set 10: right ones written differently from the solution, and wrong ones
as students give them."""

from fractions import Fraction

import numpy as np

from fi_teach.importance.knockoffs import knockoff_threshold as borrowed_threshold

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

def threshold_with_loops(w, q):
    good = [abs(one) for one in w if one != 0
            and 1 + sum(v <= -abs(one) for v in w) <= q * sum(v >= abs(one) for v in w)]
    return min(good) if good else np.inf


def borrowed(w, q):
    return borrowed_threshold(np.asarray(w), q)


RIGHT = {
    "knockoffs.recall_shuffles": ["799"],
    "knockoffs.double": [
        {"x1, double 1": Fraction(1, 4), "x1, double 2": 0.5, "double 1, double 2": 0.25 * 0.5 + 0.375}],
    "knockoffs.test_duel": [swaps_each_pair],
    "knockoffs.threshold": [threshold_with_loops],
    "knockoffs.fewest": ["30"],
}

WRONG = {
    "knockoffs.test_duel": [
        ("returns what it should assert", returns_false), ("refuses the difference", wants_positive_numbers),
        ("refuses the signed maximum", wants_the_difference),
        ("refuses a difference of squares", wants_no_large_numbers), ("misses a lost sign", sizes_only),
        ("misses a shared opponent", first_sign_only), ("misses a thumb on the scale", signs_of_all),
        ("misses mixed-up pairs", all_pairs_at_once), ("misses a neighbour that moves", own_number_only)],
    "knockoffs.threshold": [("borrowed", borrowed)],
}
