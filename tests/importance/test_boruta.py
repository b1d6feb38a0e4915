"""Boruta against planted truth, and against what its coin does not keep."""

import numpy as np
import pandas as pd
import pytest
from quick_importances import correlation

from fi_teach.importance import boruta
from fi_teach.importance.boruta import _side_by_side, binomial_tail


def test_the_binomial_tail_is_scipys_and_many_rounds_do_not_overflow_it():
    stats = pytest.importorskip("scipy.stats")
    for hits, rounds in [(0, 1), (1, 4), (4, 6), (40, 64), (60, 100), (520, 1000)]:
        expected = stats.binom.sf(hits - 1, rounds, 0.5)
        assert binomial_tail(np.int32(hits), np.int32(rounds)) == pytest.approx(expected, rel=1e-9)


def test_boruta_confirms_the_causes_and_rejects_nearly_all_noise():
    """Two causes, 18 noise features: a few lucky ones are confirmed with the causes, since the bar sinks with every
    shadow that leaves with its rejected feature."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.normal(size=(200, 20)), columns=list("abcdefghijklmnopqrst"))
    result = boruta(correlation, X, X["a"] + X["b"] + 0.5 * rng.normal(size=200))
    assert result.confirmed[:2] == ("a", "b")
    assert len(result.confirmed) <= 5
    assert result.decision.count("rejected") >= 14
    assert result.to_frame().feature[:2].tolist() == ["a", "b"]


def test_boruta_stops_when_all_is_decided_at_the_first_round_that_can():
    """p P(Bin(r, 1/2) >= r) < alpha first at r = 8 for p = 2, alpha = 0.01: 2 / 2^8 = 0.0078, 2 / 2^7 is too much."""
    X = np.random.default_rng(8).normal(size=(300, 2))
    result = boruta(correlation, X, X.sum(axis=1))
    assert result.decision == ("confirmed", "confirmed")
    assert result.rounds.tolist() == result.hits.tolist() == [8, 8]
    assert result.p_values.tolist() == [2**-8, 2**-8]
    assert len(result.history) == 8


def test_boruta_confirms_lucky_noise_far_more_often_than_alpha():
    """One noise feature, five shadows: with endless rounds it is confirmed when its luck is above the median of the
    best of five, probability 1 - 2^(-1/5) = 0.13, where alpha is 0.01; 100 rounds leave the borderline cases
    tentative. 300 data sets, tolerance 0.04, two standard errors."""
    rng, found = np.random.default_rng(9), []
    for _ in range(300):
        X, y = rng.normal(size=(25, 1)), rng.normal(size=25)
        found.append(boruta(correlation, X, y, rng=rng).decision[0])
    confirmed, tentative = (found.count(decision) / 300 for decision in ("confirmed", "tentative"))
    assert confirmed > 0.05
    assert confirmed - 0.04 < 1 - 2 ** (-1 / 5) < confirmed + tentative + 0.04


def test_boruta_gives_no_hit_for_a_tie_with_the_best_shadow():
    X = np.random.default_rng(12).normal(size=(30, 2))
    result = boruta(lambda X, y: np.ones(np.shape(X)[1]), X, X[:, 0])
    assert result.hits.tolist() == [0, 0]
    assert result.decision == ("rejected", "rejected")


def test_rejected_features_leave_and_at_least_five_shadows_stay():
    widths = []

    def importance_of(X, y):
        widths.append(X.shape[1])
        return correlation(X, y)

    X = np.random.default_rng(10).normal(size=(100, 4))
    result = boruta(importance_of, X, X[:, 0])
    assert widths[0] == 4 + 5
    assert set(widths) <= {k + 5 for k in range(1, 5)}
    assert min(widths) < 9
    assert np.isnan(result.history[-1, 1:]).any()
    assert not np.isnan(result.history[:, 0]).any()


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame])
def test_shadows_keep_a_columns_values_in_another_order(kind):
    X, columns = np.random.default_rng(11).normal(size=(30, 5)), np.arange(5)
    both = np.asarray(_side_by_side(kind(X), columns, columns, np.random.default_rng(0)))
    shadows = both[:, 5:]
    assert np.array_equal(both[:, :5], X)
    assert np.array_equal(np.sort(shadows, axis=0), np.sort(X, axis=0))
    assert not any(np.array_equal(shadows[:, j], order(X[:, j])) for j in columns for order in (np.asarray, np.sort))
