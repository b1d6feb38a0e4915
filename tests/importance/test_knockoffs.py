"""Knockoffs: exchangeable by closed form, and the false discovery rate that is promised."""

import numpy as np
import pandas as pd
import pytest
from definitions import mvr_loss, mvr_s_by_definition
from oracles import ar1, knockoff_statistics, random_covariance
from quick_importances import ridge
from scipy.optimize import minimize_scalar

from fi_teach.basics.results import Importance
from fi_teach.importance import knockoffs as kn

COVARIANCES = [ar1(6, 0.5), ar1(6, 0.95), ar1(5, -0.6), random_covariance(7, 1), 0.1 * np.eye(3), np.array([[4.0]])]


# --- closed forms ---


@pytest.mark.parametrize("method", ["equicorrelated", "mvr"])
def test_swapping_any_features_with_their_knockoffs_leaves_all_second_moments_alone(method):
    """With knockoff = A x + e, e of covariance V: Cov(x, k) = Sigma A', Cov(k) = A Sigma A' + V; 1e-10."""
    for covariance in COVARIANCES:
        p, scale = len(covariance), np.abs(covariance).max()
        shrink, noise = kn.knockoff_law(covariance, kn.S_METHODS[method](covariance))
        cross, own = covariance @ shrink.T, shrink @ covariance @ shrink.T + noise
        joint = np.block([[covariance, cross], [cross.T, own]])
        for swapped in np.random.default_rng(0).random((8, p)) < 0.5:
            order = np.concatenate([np.arange(p) + p * swapped, np.arange(p) + p * ~swapped])
            np.testing.assert_allclose(joint[np.ix_(order, order)], joint, atol=1e-10 * scale)
        assert min(np.linalg.eigvalsh(joint)[0], np.linalg.eigvalsh(noise)[0]) > -1e-10 * scale, "negative variance"


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7, 0.95])
def test_s_of_one_common_correlation_has_a_closed_form(rho):
    """The smallest eigenvalue is 1 - rho. All s_j of mvr are one s, whose loss is
    p/s + (p-1)/(2(1-rho)-s) + 1/(2(1+(p-1)rho)-s)."""
    p, low, high = 4, 2 * (1 - rho), 2 * (1 + 3 * rho)
    covariance = (1 - rho) * np.eye(p) + rho
    np.testing.assert_allclose(kn.equicorrelated_s(9 * covariance), 9 * min(1, low), rtol=1e-12)
    best = minimize_scalar(
        lambda s: p / s + (p - 1) / (low - s) + 1 / (high - s),
        bounds=(1e-9, low - 1e-9), method="bounded", options={"xatol": 1e-10})
    s = kn.mvr_s(covariance)
    np.testing.assert_allclose(s, best.x, rtol=2e-3)
    assert mvr_loss(covariance, s) <= best.fun * (1 + 1e-6)


def test_rounds_in_blocks_are_the_steps_with_an_inverse_each():
    """Changes kept aside and entered in one product give what inverting for every step gives."""
    for covariance in (*COVARIANCES, ar1(40, 0.6)):
        np.testing.assert_allclose(kn.mvr_s(covariance), mvr_s_by_definition(covariance), rtol=1e-8)


def test_drawn_knockoffs_have_the_moments_they_should():
    """20,000 rows: entries of the joint covariance within 0.04, 4 standard errors of at most sqrt(2/20000)."""
    covariance, mean, rng = ar1(4, 0.7), np.full(4, 5.0), np.random.default_rng(3)
    X = rng.multivariate_normal(mean, covariance, size=20_000)
    drawn = kn.gaussian_knockoffs(X, method="equicorrelated", mean=mean, covariance=covariance, rng=1)
    both, mixed = np.hstack([X, drawn]), covariance - np.diag(kn.equicorrelated_s(covariance))
    np.testing.assert_allclose(np.cov(both.T), np.block([[covariance, mixed], [mixed, covariance]]), atol=0.04)
    np.testing.assert_allclose(both.mean(axis=0), 5, atol=0.04)


@pytest.mark.parametrize("below", [0.0, 1e-8])
def test_a_root_of_singular_noise_that_rounding_pushed_below_zero(below):
    """Two features with one noise between them: R R' is the matrix, up to what was cut off."""
    noise = np.array([[1.0, 1.0], [1.0, 1.0]]) - below * np.eye(2)
    root = kn._root(noise)
    np.testing.assert_allclose(root @ root.T, noise, atol=2e-8)


# --- what is estimated ---


def test_correlations_are_shrunk_by_their_sampling_variances_over_their_squares():
    """Columns of -1 and 1 that agree in 6 of 8 rows: r = 1/2, Var(r) = (1 - r^2) / 8, share 3/8, left r = 5/16.

    One column is in other units; variances stay.
    """
    x, z = np.repeat([1.0, -1.0], 4), np.array([1.0, 1, 1, -1, -1, -1, -1, 1])
    assert np.allclose(kn.estimate_covariance(np.column_stack([x, 2 * z])), [[1, 5 / 8], [5 / 8, 4]], atol=1e-12)


def test_copies_of_a_column_get_knockoffs_that_stay_with_them():
    """A column known from its copy leaves no room: s is near 0 and the knockoff is nearly the column."""
    coin = np.tile([0.0, 1.0], 200)
    knockoffs = kn.gaussian_knockoffs(np.column_stack([coin, coin]), rng=1)
    assert np.isfinite(knockoffs).all()
    assert np.corrcoef(coin, knockoffs[:, 0])[0, 1] > 0.99


@pytest.mark.parametrize("mean", [None, np.array([0.5, -2.0])])
def test_gaussian_knockoffs_of_shifted_features_are_shifted_as_much(mean):
    X = np.random.default_rng(3).normal(size=(50, 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    here = kn.gaussian_knockoffs(X, mean=mean)
    there = kn.gaussian_knockoffs(X + 100, mean=None if mean is None else mean + 100)
    assert np.allclose(there, here + 100)


# --- the threshold's definition ---


@pytest.mark.parametrize("offset", [0, 1])
def test_the_threshold_is_its_definition_read_aloud_with_ties_and_zeros(offset):
    statistics = knockoff_statistics()
    for values in (*statistics, *statistics.round(1), np.zeros(10), np.repeat([0, 1], [10, 5]), np.full(4, 9)):
        good = [t for t in np.abs(values)
                if t > 0 and (offset + (values <= -t).sum()) / max(1, (values >= t).sum()) <= 0.2]
        assert kn.knockoff_threshold(values, 0.2, offset=offset) == min(good, default=np.inf)


# --- statistics: the coin that decides the order of a pair ---


def test_an_importance_that_always_prefers_the_first_columns_finds_nothing():
    """Signs are fair even for a rule as biased as this (3000 signs, 4 standard errors)."""
    X = np.random.default_rng(0).normal(size=(10, 3000))

    def first_half_wins(XX, y):
        return np.repeat([1.0, 0.0], XX.shape[1] // 2)

    statistics = kn.knockoff_statistics(first_half_wins, X, X + 1, np.arange(10), rng=2)
    assert abs((statistics > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(3000)
    one, other = (kn.knockoff_filter(first_half_wins, X, np.arange(10), knockoffs=X + 1, rng=seed) for seed in (2, 3))
    assert one != other


def test_statistics_do_not_care_how_the_pairs_were_shuffled():
    """A symmetric importance gives the same W for every seed: what is swapped is put back."""
    X, fake = np.random.default_rng(1).normal(size=(2, 50, 6))
    first, *others = (kn.knockoff_statistics(ridge, X, fake, X[:, 0], rng=seed) for seed in range(6))
    opposite = kn.knockoff_statistics(ridge, fake, X, X[:, 0], rng=0)
    np.testing.assert_allclose([*others, -opposite], [first] * 6, atol=1e-12)


# --- planted truth, null features, and the guarantee ---


def simulate(n_runs, method, offset):
    """p = 40, 12 signals, correlation 0.5 between neighbours: FDP, power and null statistics of each run."""
    covariance, shares, powers, nulls = ar1(40, 0.5), [], [], []
    shrink, noise = kn.knockoff_law(covariance, kn.S_METHODS[method](covariance))
    root, mixing = kn._root(noise), np.linalg.cholesky(covariance)
    rng = np.random.default_rng(11)
    for run in range(n_runs):
        signal = rng.permutation(40) < 12
        X = rng.normal(size=(250, 40)) @ mixing.T
        y = X @ np.where(signal, rng.choice([-0.4, 0.4], 40), 0) + rng.normal(size=250)
        fake = X @ shrink.T + rng.normal(size=X.shape) @ root.T
        selected, statistics, _ = kn.knockoff_filter(ridge, X, y, knockoffs=fake, offset=offset, rng=run)
        found = np.isin(np.arange(40), selected)
        false = (found & ~signal).sum()
        shares.append(false / max(1, found.sum()) if offset else false / (found.sum() + 5))
        powers.append((found & signal).sum() / 12)
        nulls.append(statistics[~signal])
    return np.array(shares), np.array(powers), np.concatenate(nulls)


@pytest.mark.parametrize(("method", "offset"), [("mvr", 1), ("equicorrelated", 1), ("mvr", 0)])
def test_the_mean_false_discovery_proportion_stays_below_q(method, offset):
    """400 runs, q = 0.2, exact knockoffs: the mean is at most q + 3 standard errors, and half of that is spent.

    Most signals are found. Without the plus the proportion is false / (selected + 1/q). The sign of a null statistic
    is a fair coin.
    """
    shares, powers, nulls = simulate(400, method, offset)
    assert 0.1 < shares.mean() < 0.2 + 3 * shares.std() / np.sqrt(400)
    assert powers.mean() > 0.8
    assert abs((nulls > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(len(nulls))


# --- what goes in and what comes out ---


def test_the_filter_takes_frames_labels_and_importances_and_says_what_it_found():
    rng = np.random.default_rng(6)
    table = pd.DataFrame(rng.normal(size=(300, 8)), columns=list("abcdefgh"))
    y = np.where(table.iloc[:, :6].sum(axis=1) > 0, "yes", "no")
    before, y_before = table.copy(), y.copy()

    def importance_of(XX, y):
        values = ridge(XX, (y == "yes") - 0.5)
        XX[:] = 0  # a careless importance may scribble on what it was handed
        return Importance(tuple(map(str, range(16))), values)

    found = kn.knockoff_filter(importance_of, table, y, q=0.3)
    pd.testing.assert_frame_equal(table, before)
    np.testing.assert_array_equal(y, y_before)
    selected, statistics, threshold = found
    assert set(selected) >= set(range(6)) and statistics.shape == (8,) and (statistics[selected] >= threshold).all()
    assert len(found) == 3 and found[2] == found.threshold == threshold
    assert found[0].tolist() == selected.tolist() and found[1].tolist() == found.statistics.tolist()
    assert found.selected_names == tuple(table.columns[selected])
    shown = found.to_frame()
    assert shown["statistic"].is_monotonic_decreasing
    assert set(shown.loc[shown["selected"], "feature"]) == set(found.selected_names)


def test_knockoff_p_values_are_one_half_only_above_zero():
    found = kn.KnockoffSelection(("a", "b", "c"), np.array([3.0, 0.0, -1.0]), 3.0)
    assert found.p_values.tolist() == [0.5, 1, 1]
