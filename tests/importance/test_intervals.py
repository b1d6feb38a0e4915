"""Which interval covers? Closed forms by exact enumeration, coverage by seeded simulation."""


import numpy as np
import pytest
from small_tables import first

from fi_teach.importance.intervals import (
    naive_interval,
    receiver_donor_interval,
    row_bootstrap_interval,
    shuffle_differences,
)


def coverage(n_repeats=1, s=0.0, null=False, sims=1500, n=200):
    """Shares of simulated test sets whose naive and receiver-plus-donor intervals hold the truth."""
    rng, hits = np.random.default_rng(7), np.zeros(2)
    for _ in range(sims):
        x = rng.normal(size=n)
        y = rng.normal(size=n) if null else x + s * rng.normal(size=n)
        differences, donors = shuffle_differences(first, x[:, None], y, 0, n_repeats=n_repeats, rng=rng)
        intervals = naive_interval(differences), receiver_donor_interval(differences, donors)
        hits += [low <= (0 if null else 2) <= high for low, high in intervals]
    return hits / sims


@pytest.mark.parametrize(("world", "naive", "honest"), [
    ({"s": 0.0}, 0.876, 0.94), ({"s": 1.0}, 0.909, 0.94), ({"n_repeats": 50}, 0.67, 0.94),
    ({"null": True}, 0.98, 0.945),
])
def test_the_naive_interval_misses_and_the_receiver_donor_interval_covers(world, naive, honest):
    """Nominal 95%. Tolerance 0.025, two to five standard errors of 1500 simulated test sets."""
    assert np.allclose(coverage(**world), [naive, honest], atol=0.025)


def test_the_row_bootstrap_covers():
    """Nominal 95%, expected 94%; tolerance 0.03, about three standard errors of 500 test sets."""
    rng, hits = np.random.default_rng(8), 0
    for _ in range(500):
        X = rng.normal(size=(200, 1))
        low, high = row_bootstrap_interval(first, X, X[:, 0], 0, n_repeats=150, rng=rng)
        hits += low <= 2 <= high
    assert hits / 500 == pytest.approx(0.945, abs=0.03)


def test_a_bootstrap_of_groups_is_as_much_wider_as_theory_says():
    """30 patients of 5 like visits, f = x = y standard normal: importance 2 var(x).

    Its variance is 8 / 30 over patients and 8 / 150 over rows; each shuffle adds 4 / 150 to both.
    """
    patient, ratios = np.repeat(np.arange(30), 5), []
    for seed in range(12):
        X = np.random.default_rng(seed).normal(size=(30, 1))[patient]
        low, high = row_bootstrap_interval(first, X, X[:, 0], 0)
        wide = row_bootstrap_interval(first, X, X[:, 0], 0, groups=patient)
        ratios.append((wide[1] - wide[0]) / (high - low))
    assert np.mean(ratios) == pytest.approx(np.sqrt(44 / 12), rel=0.1)


def test_the_middle_of_receiver_donor_interval_is_the_weighted_mean():
    """(1 * 1 + 0 * 5 + 3 * 4) / (1 + 0 + 3)."""
    differences, donors = np.array([[1.0], [5.0], [4.0]]), np.array([[1], [2], [0]])
    low, high = receiver_donor_interval(differences, donors, sample_weight=[1, 0, 3])
    assert (low + high) / 2 == pytest.approx(13 / 4)


def test_row_bootstrap_interval_leaves_as_much_below_as_above():
    """As the level goes to 0, both ends meet at the median of the samples."""
    X = np.random.default_rng(0).normal(size=(30, 1))
    given = {"model": first, "X": X, "y": X[:, 0], "column": 0, "n_repeats": 20}
    low, high = row_bootstrap_interval(**given, level=1e-12)
    wide = row_bootstrap_interval(**given, level=0.5)
    assert high - low < 1e-9 < wide[1] - wide[0]
    assert wide[0] < low < wide[1]
