"""Null distributions: uniform where they should be, corrections against their definitions, Boruta against planted truth."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics.results import Importance
from fi_teach.importance import null_tests
from fi_teach.importance.null_tests import (
    NullTest,
    benjamini_hochberg,
    benjamini_hochberg_by_definition,
    binomial_tail,
    bonferroni,
    boruta,
    holm,
    holm_by_definition,
    null_copy_test,
    target_permutation_test,
)


def correlation(X, y):
    """A quick importance: |correlation with y|, column by column."""
    X = np.asarray(X, float) - np.asarray(X, float).mean(axis=0)
    y = np.asarray(y, float) - np.mean(y)
    return np.abs(X.T @ y) / np.sqrt((X**2).sum(axis=0) * (y**2).sum() + 1e-300)


def ridge(X, y):
    """|coefficient| of a ridge regression, which shares weight among correlated features."""
    X = np.asarray(X)
    return np.abs(np.linalg.solve(X.T @ X + len(X) * np.eye(X.shape[1]), X.T @ y))


def pair(rng, n=60, rho=0.9):
    x = rng.normal(size=n)
    return np.column_stack([x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)])


# --- p-values ---


def test_a_p_value_counts_the_observation_among_the_draws():
    """3 nulls, 1 of them as large: (1 + 1) / (1 + 3); the largest of all still has p = 1/4, never 0."""
    test = NullTest(("a", "b"), np.array([2.0, 9.0]), np.array([[0.0, 2, 1], [0, 1, 2]]))
    assert test.p_values.tolist() == [0.5, 0.25]
    assert test.p_values_below.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("test", [
    lambda X, y, rng: target_permutation_test(correlation, X, y, n_permutations=19, rng=rng),
    lambda X, y, rng: null_copy_test(correlation, X, y, n_copies=19, rng=rng),
])
def test_under_the_null_every_p_value_is_as_likely(test):
    """400 data sets x 2 independent noise features; on multiples of 1/20. Tolerance on each quarter .06, four standard errors."""
    rng, p = np.random.default_rng(0), []
    for _ in range(400):
        p.extend(test(rng.normal(size=(30, 2)), rng.normal(size=30), rng).p_values)
    quarters = np.bincount(((np.array(p) * 20 - 1) // 5).round().astype(int), minlength=4) / len(p)
    assert np.allclose(quarters, 0.25, atol=0.06)
    assert np.mean(np.array(p) <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.03)


def test_marginal_copies_reject_a_feature_whose_only_fault_is_correlation():
    """y = x1 + e; x2 tells nothing beyond x1. Ridge leans on it all the same, a permuted copy it ignores: p <= .05 always."""
    rng, p = np.random.default_rng(1), []
    for _ in range(60):
        X = pair(rng)
        p.append(null_copy_test(ridge, X, X[:, 0] + 0.5 * rng.normal(size=60), n_copies=19, rng=rng).p_values[1])
    assert np.mean(np.array(p) <= 0.05 + 1e-9) > 0.9


def test_conditional_copies_are_uniform_for_that_feature():
    """The same world: p <= .05 in about 5 % of 300 data sets. Tolerance .04, three standard errors."""
    rng, p = np.random.default_rng(2), []
    for _ in range(300):
        X = pair(rng)
        p.append(null_copy_test(ridge, X, X[:, 0] + rng.normal(size=60), copies="conditional", n_copies=19, rng=rng).p_values[1])
    assert np.mean(np.array(p) <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.04)
    assert np.mean(p) == pytest.approx(0.525, abs=0.06)


def test_a_planted_signal_gets_the_smallest_p_value_there_is():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    for test in (target_permutation_test(correlation, X, X[:, 1], n_permutations=49),
                 null_copy_test(correlation, X, X[:, 1], n_copies=49)):
        assert test.p_values[1] == 1 / 50 and test.null.shape == (3, 49)
        assert test.to_frame().feature[0] == "x1"


def test_a_feature_worse_than_luck_shows_below():
    def importance_of(X, y):
        return -correlation(X, y)
    X = np.random.default_rng(4).normal(size=(50, 2))
    test = target_permutation_test(importance_of, X, X[:, 0], n_permutations=39)
    assert test.p_values_below[0] == 1 / 40 and test.p_values[0] == 1


def test_an_importance_result_is_taken_by_its_mean_and_frames_stay_frames():
    frame = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)), columns=["a", "b"])
    before, kinds = frame.copy(), set()

    def importance_of(X, y):
        kinds.add((type(X), tuple(X.columns)))
        return Importance(tuple(X.columns), np.column_stack([correlation(X, y)] * 2))

    for test in (target_permutation_test(importance_of, frame, frame["a"], n_permutations=9),
                 null_copy_test(importance_of, frame, frame["a"], n_copies=9),
                 null_copy_test(importance_of, frame, frame["a"], copies="conditional", n_copies=9)):
        assert test.names == ("a", "b") and test.p_values[0] == 0.1
    assert kinds == {(pd.DataFrame, ("a", "b"))}
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("call", [
    lambda progress: target_permutation_test(correlation, np.eye(6), np.arange(6), n_permutations=4, progress=progress),
    lambda progress: null_copy_test(correlation, np.eye(6), np.arange(6), n_copies=4, progress=progress),
    lambda progress: boruta(correlation, np.eye(6), np.arange(6), n_rounds=4, progress=progress),
])
def test_progress_sees_every_round(call):
    seen = []
    call(lambda rounds: (seen.append(i) or i for i in rounds))
    assert seen == [0, 1, 2, 3]


# --- corrections ---

P_VALUES = st.lists(st.integers(0, 40).map(lambda k: k / 40), min_size=1, max_size=8)


@given(P_VALUES, st.sampled_from([0.013, 0.05, 0.21, 0.5]))
@settings(max_examples=150, deadline=None)
def test_adjusted_p_values_reject_what_the_procedures_reject(p, level):
    """Levels that no k p / m meets exactly, so that rounding cannot decide."""
    assert ((holm(p) <= level + 1e-12) == holm_by_definition(p, level + 1e-12)).all()
    assert ((benjamini_hochberg(p) <= level + 1e-12) == benjamini_hochberg_by_definition(p, level + 1e-12)).all()


@given(P_VALUES)
@settings(max_examples=60, deadline=None)
def test_bonferroni_is_the_strictest_and_the_rate_the_mildest(p):
    assert (bonferroni(p) >= holm(p)).all() and (holm(p) >= benjamini_hochberg(p) - 1e-12).all()
    assert (benjamini_hochberg(p) >= np.array(p) - 1e-12).all()


def test_the_corrections_keep_their_promises():
    """1000 families of 10, 6 of them null. Any false rejection in at most 5 % (Holm), mean false share at most 5 % (BH); + .02."""
    rng = np.random.default_rng(6)
    null = np.arange(10) < 6
    wrong, share = 0, 0.0
    for _ in range(1000):
        p = np.where(null, rng.random(10), rng.random(10) ** 6)
        wrong += (holm(p) <= 0.05)[null].any()
        found = benjamini_hochberg(p) <= 0.05
        share += found[null].sum() / max(1, found.sum())
    assert wrong / 1000 <= 0.07 and share / 1000 <= 0.07


# --- Boruta ---


def test_the_binomial_tail_counts_coin_tosses():
    for rounds in (1, 4, 6):
        heads = np.array([sum(tosses) for tosses in product([0, 1], repeat=rounds)])
        for hits in range(rounds + 1):
            assert binomial_tail(hits, rounds) == np.mean(heads >= hits)


def test_many_rounds_do_not_overflow_the_binomial_tail():
    stats = pytest.importorskip("scipy.stats")
    for hits, rounds in [(40, 64), (60, 100), (520, 1000)]:
        assert binomial_tail(np.int64(hits), np.int64(rounds)) == pytest.approx(stats.binom.sf(hits - 1, rounds, 0.5), rel=1e-9)


def test_boruta_confirms_the_causes_and_rejects_nearly_all_noise():
    """Two causes, 18 noise features: both causes confirmed, and a few lucky ones with them, since the bar sinks with every
    shadow that leaves with its rejected feature."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.normal(size=(200, 20)), columns=list("abcdefghijklmnopqrst"))
    result = boruta(correlation, X, X["a"] + X["b"] + 0.5 * rng.normal(size=200))
    assert result.confirmed[:2] == ("a", "b") and len(result.confirmed) <= 5
    assert result.decision.count("rejected") >= 14
    assert result.to_frame().feature[:2].tolist() == ["a", "b"]


def test_boruta_stops_when_all_is_decided_at_the_first_round_that_can():
    """p P(Bin(r, 1/2) >= r) < alpha first at r = 8 for p = 2, alpha = .01: 2 / 2^8 = .0078, 2 / 2^7 is too much."""
    X = np.random.default_rng(8).normal(size=(300, 2))
    result = boruta(correlation, X, X.sum(axis=1))
    assert result.decision == ("confirmed", "confirmed")
    assert result.rounds.tolist() == [8, 8] and result.hits.tolist() == [8, 8] and len(result.history) == 8


def test_boruta_confirms_lucky_noise_far_more_often_than_alpha():
    """One noise feature, five shadows: with endless rounds it is confirmed when its luck is above the median of the best of
    five, probability 1 - 2^(-1/5) = .13, where alpha is .01; 100 rounds leave the borderline cases tentative. 300 data sets,
    tolerance .04, two standard errors."""
    rng = np.random.default_rng(9)
    found = [boruta(correlation, rng.normal(size=(25, 1)), rng.normal(size=25), rng=rng).decision[0] for _ in range(300)]
    confirmed, tentative = (found.count(decision) / 300 for decision in ("confirmed", "tentative"))
    assert confirmed > 0.05
    assert confirmed - 0.04 < 1 - 2 ** (-1 / 5) < confirmed + tentative + 0.04


def test_rejected_features_leave_and_at_least_five_shadows_stay():
    rng = np.random.default_rng(10)
    widths = []

    def importance_of(X, y):
        widths.append(X.shape[1])
        return correlation(X, y)

    X = rng.normal(size=(100, 4))
    result = boruta(importance_of, X, X[:, 0])
    assert widths[0] == 4 + 5 and set(widths) <= {k + 5 for k in range(1, 5)} and min(widths) < 9
    assert np.isnan(result.history[-1, 1:]).any() and not np.isnan(result.history[:, 0]).any()


def test_shadows_keep_a_columns_values_and_the_callers_table_is_left_alone():
    X = np.random.default_rng(11).normal(size=(30, 5))
    before = X.copy()
    shadows = null_tests._side_by_side(X, np.arange(5), np.arange(5), np.random.default_rng(0))[:, 5:]
    assert np.array_equal(np.sort(shadows, axis=0), np.sort(X, axis=0)) and not np.array_equal(shadows, X)
    boruta(correlation, X, X[:, 0], n_rounds=3)
    assert np.array_equal(X, before)


def test_the_same_seed_gives_the_same_contest():
    X = np.random.default_rng(12).normal(size=(40, 3))
    first, second = (boruta(correlation, X, X[:, 0], n_rounds=5, rng=1) for _ in range(2))
    assert np.array_equal(first.history, second.history, equal_nan=True)


def test_with_a_random_forest_the_planted_causes_are_confirmed():
    from fi_teach.trees.forest import grow_forest

    rng, seeds = np.random.default_rng(13), iter(range(1000))
    X = rng.normal(size=(120, 5))

    def importance_of(X, y):
        forest = grow_forest(X, y, n_trees=15, max_depth=4, rng=next(seeds))
        weight = [np.bincount(t.feature[~t.is_leaf], (t.decrease * t.weighted_n_node_samples)[~t.is_leaf], minlength=X.shape[1])
                  for t in forest.trees]
        return np.mean(weight, axis=0)

    result = boruta(importance_of, X, 3 * X[:, 0] + 2 * X[:, 2] + 0.5 * rng.normal(size=120), n_rounds=15)
    assert result.confirmed == ("x0", "x2")


# --- bad input ---


@pytest.mark.parametrize(("call", "says"), [
    (lambda X, y: target_permutation_test(correlation, X, y, n_permutations=0), "n_permutations"),
    (lambda X, y: null_copy_test(correlation, X, y, n_copies=1.5), "n_copies"),
    (lambda X, y: null_copy_test(correlation, X, y, copies="twins"), "unknown copies 'twins'.*'marginal', 'conditional'"),
    (lambda X, y: boruta(correlation, X, y, n_rounds=0), "n_rounds"),
    (lambda X, y: boruta(correlation, X, y, alpha=1), "alpha"),
    (lambda X, y: boruta(lambda X, y: np.ones(3), X, y), "shape .3,. for 8 columns"),
    (lambda X, y: target_permutation_test(lambda X, y: np.full(3, np.nan), X, y), "not finite"),
    (lambda X, y: target_permutation_test("mdi", X, y), "expected a function"),
    (lambda X, y: target_permutation_test(correlation, X, np.ones(20)), "constant"),
    (lambda X, y: target_permutation_test(correlation, X[:0], y[:0]), "at least one row"),
    (lambda X, y: null_copy_test(correlation, X, y[:3]), "y has shape"),
    (lambda X, y: boruta(correlation, np.full((20, 3), np.nan), y), "NaN"),
    (lambda X, y: boruta(correlation, X[:1], y[:1]), "one row"),
    (lambda X, y: bonferroni([0.5, 1.5]), "outside"), (lambda X, y: holm([]), "expected one probability"),
    (lambda X, y: benjamini_hochberg([[0.1]]), "p_values has shape"),
])
def test_bad_input_is_refused_with_a_sentence(call, says):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=says):
        call(X, X[:, 0])
