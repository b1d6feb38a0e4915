"""Knockoffs: exchangeable by closed form, no worse than knockpy, and the false discovery rate that
is promised."""

import numpy as np
import pandas as pd
import pytest
from definitions import mvr_loss, mvr_s_by_definition
from oracles import CORRELATIONS, ar1, knockoff_statistics, random_covariance, stored
from scipy.optimize import minimize_scalar

from fi_teach.basics.results import Importance
from fi_teach.importance import knockoffs as kn
from fi_teach.importance import mdi
from fi_teach.trees.forest import grow_forest


def ridge_importance(XX, y):
    """|coefficient| of a ridge regression on features and knockoffs: fast, and symmetric in every
    pair."""
    return np.abs(np.linalg.solve(XX.T @ XX + 10 * np.eye(XX.shape[1]), XX.T @ y))


COVARIANCES = [
    ar1(6, 0.5),
    ar1(6, 0.95),
    ar1(5, -0.6),
    random_covariance(7, 1),
    0.1 * np.eye(3),
    np.array([[4.0]]),
]


# ---- closed form


@pytest.mark.parametrize("method", ["equicorrelated", "mvr"])
@pytest.mark.parametrize("covariance", COVARIANCES, ids=range(len(COVARIANCES)))
def test_swapping_any_features_with_their_knockoffs_leaves_all_second_moments_alone(
    method, covariance
):
    """With knockoff = A x + e, e of covariance V: Cov(x, k) = Sigma A', Cov(k) = A Sigma A' + V,
    and G is swap-invariant."""
    p = len(covariance)
    shrink, noise = kn.knockoff_law(covariance, kn.S_METHODS[method](covariance))
    cross, own = covariance @ shrink.T, shrink @ covariance @ shrink.T + noise
    joint = np.block([[covariance, cross], [cross.T, own]])
    scale = np.abs(covariance).max()
    for swapped in np.random.default_rng(0).random((8, p)) < 0.5:
        order = np.concatenate([np.arange(p) + p * swapped, np.arange(p) + p * ~swapped])
        np.testing.assert_allclose(joint[np.ix_(order, order)], joint, atol=1e-10 * scale)
    assert np.linalg.eigvalsh(joint)[0] > -1e-10 * scale, "a covariance has no negative variance"
    assert np.linalg.eigvalsh(noise)[0] > -1e-10 * scale


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7, 0.95])
def test_equicorrelated_s_is_twice_the_smallest_eigenvalue_at_most_one(rho):
    """p features of common correlation rho have smallest eigenvalue 1 - rho."""
    covariance = (1 - rho) * np.eye(4) + rho
    np.testing.assert_allclose(
        kn.equicorrelated_s(9 * covariance), 9 * min(1, 2 * (1 - rho)), rtol=1e-12
    )


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7, 0.95])
def test_mvr_s_minimises_its_loss_where_symmetry_leaves_one_number(rho):
    """With common correlation all s_j are one s, the loss is p/s + (p-1)/(2(1-rho)-s) +
    1/(2(1+(p-1)rho)-s)."""
    p, low, high = 4, 2 * (1 - rho), 2 * (1 + 3 * rho)
    best = minimize_scalar(
        lambda s: p / s + (p - 1) / (low - s) + 1 / (high - s),
        bounds=(1e-9, low - 1e-9),
        method="bounded",
        options={"xatol": 1e-10},
    )
    s = kn.mvr_s((1 - rho) * np.eye(p) + rho)
    np.testing.assert_allclose(s, best.x, rtol=2e-3)
    assert mvr_loss((1 - rho) * np.eye(p) + rho, s) <= best.fun * (1 + 1e-6)


@pytest.mark.parametrize("covariance", [*COVARIANCES, ar1(40, 0.6)])
def test_rounds_in_blocks_are_the_steps_with_an_inverse_each(covariance):
    """Changes kept aside and entered in one product give what inverting for every step gives."""
    expected = mvr_s_by_definition(covariance)
    np.testing.assert_allclose(kn.mvr_s(covariance), expected, rtol=1e-8)


def test_mvr_loss_is_the_trace_of_the_inverse_joint_covariance():
    covariance, s = ar1(5, 0.6), np.linspace(0.1, 0.4, 5)
    joint = np.block([[covariance, covariance - np.diag(s)], [covariance - np.diag(s), covariance]])
    assert mvr_loss(covariance, s) == pytest.approx(np.trace(np.linalg.inv(joint)), rel=1e-10)
    assert mvr_loss(covariance, 10 * s) == np.inf


def test_at_the_mvr_optimum_no_single_step_helps_even_with_more_features_than_one_block_holds():
    """The gradient of the loss, |A e_j|^2 - 1/s_j^2, is zero in every coordinate."""
    covariance = ar1(50, 0.6)
    s = kn.mvr_s(covariance)
    columns = np.linalg.inv(2 * covariance - np.diag(s))
    np.testing.assert_allclose(np.linalg.norm(columns, axis=0), 1 / s, rtol=5e-3)


def test_units_of_the_features_carry_over():
    covariance, units = ar1(5, 0.7), np.array([1, 10, 0.1, 1000, 3.0])
    for s_of in kn.S_METHODS.values():
        np.testing.assert_allclose(
            s_of(covariance * np.outer(units, units)), s_of(covariance) * units**2, rtol=1e-9
        )


def test_drawn_knockoffs_have_the_moments_they_should():
    """20 000 rows: entries of the joint covariance within .04, 4 standard errors of at most
    sqrt(2/20000)."""
    covariance, rng = ar1(4, 0.7), np.random.default_rng(3)
    X = rng.multivariate_normal(np.full(4, 5.0), covariance, size=20_000)
    both = np.hstack(
        [
            X,
            kn.gaussian_knockoffs(
                X, method="equicorrelated", mean=np.full(4, 5.0), covariance=covariance, rng=1
            ),
        ]
    )
    mixed = covariance - np.diag(kn.equicorrelated_s(covariance))
    np.testing.assert_allclose(
        np.cov(both.T), np.block([[covariance, mixed], [mixed, covariance]]), atol=0.04
    )
    np.testing.assert_allclose(both.mean(axis=0), 5, atol=0.04)


def test_data_and_knockoffs_from_one_seed_share_no_numbers():
    """X = default_rng(0).normal(...) and rng=0: a sampler that drew the same stream would return X
    itself."""
    X = np.random.default_rng(0).normal(size=(2000, 3))
    knockoffs = kn.gaussian_knockoffs(X, mean=np.zeros(3), covariance=np.eye(3), rng=0)
    assert np.abs([np.corrcoef(X[:, j], knockoffs[:, j])[0, 1] for j in range(3)]).max() < 0.1


# ---- the covariance that is estimated


def test_a_large_table_keeps_its_correlations_and_a_small_one_is_shrunk():
    covariance, rng = ar1(5, 0.5), np.random.default_rng(0)
    X = rng.multivariate_normal(np.zeros(5), covariance, size=50_000)
    np.testing.assert_allclose(
        kn.estimate_covariance(X), covariance, atol=0.03
    )  # 5 standard errors of 1/sqrt(50000)
    wide = rng.normal(size=(20, 60))
    estimate = kn.estimate_covariance(wide)
    np.testing.assert_allclose(np.diag(estimate), wide.var(axis=0))
    assert np.linalg.eigvalsh(estimate)[0] > 0.1, (
        "20 rows know nothing about 60 independent columns"
    )


def test_copies_of_a_column_get_knockoffs_that_stay_with_them():
    """A column known from its copy leaves no room: s is near 0 and the knockoff is nearly the
    column."""
    coin = np.tile([0.0, 1.0], 200)
    X = np.column_stack([coin, coin])
    knockoffs = kn.gaussian_knockoffs(X, rng=1)
    assert np.isfinite(knockoffs).all()
    assert np.corrcoef(X[:, 0], knockoffs[:, 0])[0, 1] > 0.99


# ---- agreement with the reference library


@pytest.mark.parametrize("name", CORRELATIONS)
def test_mvr_loss_is_no_worse_than_knockpys(name):
    correlation = CORRELATIONS[name]
    theirs = stored(f"mvr s, {name}", correlation)
    assert mvr_loss(correlation, kn.mvr_s(correlation)) <= mvr_loss(correlation, theirs) * (
        1 + 1e-9
    )


def test_equicorrelated_s_is_no_smaller_than_knockpys_which_steps_back_from_the_edge():
    correlation = ar1(30, 0.5)
    theirs = stored("equicorrelated s, ar 0.5", correlation)
    ours = kn.equicorrelated_s(correlation)
    assert (ours >= theirs).all()
    np.testing.assert_allclose(ours, theirs, rtol=0.01)


@pytest.mark.parametrize("offset", [0, 1])
def test_the_threshold_is_knockpys(offset):
    statistics = knockoff_statistics()
    ours = [kn.knockoff_threshold(W, 0.2, offset=offset) for W in statistics]
    np.testing.assert_array_equal(ours, stored(f"threshold, offset {offset}", statistics))


@pytest.mark.parametrize("offset", [0, 1])
def test_the_threshold_is_its_definition_read_aloud_with_ties_and_zeros(offset):
    rng = np.random.default_rng(4)
    for _ in range(200):
        stat = np.round(rng.normal(rng.random(), 1, size=25), 1)
        good = [
            t
            for t in np.abs(stat)
            if t > 0 and (offset + (stat <= -t).sum()) / max(1, (stat >= t).sum()) <= 0.2
        ]
        assert kn.knockoff_threshold(stat, 0.2, offset=offset) == min(good, default=np.inf)


# ---- axioms of the filter


def test_knockoff_plus_selects_one_over_q_features_or_none():
    """(1 + 0) / k <= q needs k >= 1/q: at q = .2 it is five or none."""
    rng = np.random.default_rng(5)
    for q, fewest in [(0.1, 10), (0.2, 5), (0.3, 4), (0.5, 2)]:
        sizes = {
            int((kn.knockoff_threshold(W, q) <= W).sum())
            for W in rng.normal(rng.random((500, 1)), 1, size=(500, 15))
        }
        assert not sizes & set(range(1, fewest))
        assert fewest in sizes, "the bound is attained"


def test_four_perfect_statistics_are_not_enough_for_knockoff_plus_and_are_for_knockoff():
    assert kn.knockoff_threshold([9, 9, 9, 9]) == np.inf
    assert kn.knockoff_threshold([9, 9, 9, 9, 9]) == 9
    assert kn.knockoff_threshold([9, 9, 9, 9], offset=0) == 9


def test_statistics_of_zero_are_never_selected():
    assert kn.knockoff_threshold(np.zeros(10)) == np.inf
    assert kn.knockoff_threshold([0] * 10 + [1] * 5) == 1


def test_an_importance_that_always_prefers_the_first_columns_finds_nothing():
    """Columns come in an order that a coin decides: signs are fair even for a rule as biased as
    this (3000 signs, 4 se)."""

    def first_half_wins(XX, y):
        return np.repeat([1.0, 0.0], XX.shape[1] // 2)

    X = np.random.default_rng(0).normal(size=(10, 3000))
    statistics = kn.knockoff_statistics(first_half_wins, X, X + 1, np.arange(10), rng=2)
    assert abs((statistics > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(3000)


def test_nulls_win_half_of_the_time_although_trees_give_ties_to_the_first_column():
    """Pure noise, a forest that offers every column; features always first win more often (60 studies, 4 se)."""

    def all_columns(XX, y):
        return mdi(grow_forest(XX, y, n_trees=5, max_features=None)).mean

    wins = {"first": [], "coin": []}
    for seed in range(60):
        rng = np.random.default_rng([12, seed])
        X, fake = rng.normal(size=(2, 60, 20))
        y = rng.normal(size=60)
        values = all_columns(np.hstack([X, fake]), y)
        wins["first"].append(values[:20] - values[20:])
        wins["coin"].append(kn.knockoff_statistics(all_columns, X, fake, y, rng=seed))
    first, coin = (np.ravel(W)[np.ravel(W) != 0] > 0 for W in wins.values())
    assert first.mean() > 0.5 + 4 * 0.5 / np.sqrt(len(first))
    assert abs(coin.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(coin))


def test_statistics_do_not_care_how_the_pairs_were_shuffled():
    """A symmetric importance gives the same W for every seed: what is swapped is put back."""
    X, fake = np.random.default_rng(1).normal(size=(2, 50, 6))
    y = X[:, 0]
    first = kn.knockoff_statistics(ridge_importance, X, fake, y, rng=0)
    for seed in range(1, 6):
        np.testing.assert_allclose(
            kn.knockoff_statistics(ridge_importance, X, fake, y, rng=seed), first, atol=1e-12
        )
    np.testing.assert_allclose(
        kn.knockoff_statistics(ridge_importance, fake, X, y, rng=0), -first, atol=1e-12
    )


# ---- planted truth, null features, and the guarantee


@pytest.mark.parametrize("below", [0.0, 1e-8])
def test_a_root_of_singular_noise_that_rounding_pushed_below_zero(below):
    """Two features with one noise between them: R R' is the matrix, up to what was cut off."""
    noise = np.array([[1.0, 1.0], [1.0, 1.0]]) - below * np.eye(2)
    root = kn._root(noise)
    np.testing.assert_allclose(root @ root.T, noise, atol=2e-8)


def simulate(n_runs, method, offset):
    """p = 40, 12 signals, correlation .5 between neighbours: FDP, power and null statistics of each
    run."""
    covariance, shares, powers, nulls = ar1(40, 0.5), [], [], []
    s = kn.S_METHODS[method](covariance)
    shrink, noise = kn.knockoff_law(covariance, s)
    root, mixing = kn._root(noise), np.linalg.cholesky(covariance)
    rng = np.random.default_rng(11)
    for run in range(n_runs):
        signal = rng.permutation(40) < 12
        X = rng.normal(size=(250, 40)) @ mixing.T
        y = X @ np.where(signal, rng.choice([-0.4, 0.4], 40), 0) + rng.normal(size=250)
        fake = X @ shrink.T + rng.normal(size=X.shape) @ root.T
        selected, statistics, _ = kn.knockoff_filter(
            ridge_importance, X, y, knockoffs=fake, offset=offset, rng=run
        )
        found = np.isin(np.arange(40), selected)
        false = (found & ~signal).sum()
        shares.append(false / max(1, found.sum()) if offset else false / (found.sum() + 5))
        powers.append((found & signal).sum() / 12)
        nulls.append(statistics[~signal])
    return np.array(shares), np.array(powers), np.concatenate(nulls)


@pytest.mark.parametrize("method", ["mvr", "equicorrelated"])
def test_knockoff_plus_keeps_the_mean_false_discovery_proportion_below_q(method):
    """400 runs, q = .2, exact knockoffs: mean FDP at most q + 3 standard errors; most signals are
    found."""
    shares, powers, nulls = simulate(400, method, offset=1)
    assert shares.mean() < 0.2 + 3 * shares.std() / np.sqrt(400)
    assert shares.mean() > 0.1, "the filter spends its allowance"
    assert powers.mean() > 0.8
    assert abs((nulls > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(len(nulls)), (
        "the sign of a null statistic is a fair coin"
    )


def test_knockoff_without_plus_controls_the_modified_rate():
    """E[false / (selected + 1/q)] <= q, 400 runs, 3 standard errors."""
    shares, powers, _ = simulate(400, "mvr", offset=0)
    assert shares.mean() < 0.2 + 3 * shares.std() / np.sqrt(400)
    assert powers.mean() > 0.8


def test_a_forests_impurity_decrease_is_a_valid_statistic_too():
    """24 features, 8 of them causes through a step; 40 runs: mean FDP at most q + 3 standard
    errors, null signs fair (4 se)."""

    def decrease(XX, y):
        trees = grow_forest(XX, y, n_trees=15, max_depth=3, criterion="variance").trees
        return sum(
            np.bincount(
                t.feature[~t.is_leaf], (t.decrease * t.weighted_n_node_samples)[~t.is_leaf], 48
            )
            for t in trees
        )

    shares, found, nulls = [], [], []
    rng = np.random.default_rng(13)
    for run in range(40):
        X = rng.normal(size=(300, 24))
        y = (X[:, :8] > 0).sum(axis=1) + 0.3 * rng.normal(size=300)
        fake = kn.gaussian_knockoffs(X, mean=np.zeros(24), covariance=np.eye(24), rng=rng)
        selected, statistics, _ = kn.knockoff_filter(decrease, X, y, knockoffs=fake, rng=run)
        shares.append((selected >= 8).sum() / max(1, len(selected)))
        found.append((selected < 8).sum() / 8)
        nulls.append(statistics[8:][statistics[8:] != 0] > 0)
    nulls = np.concatenate(nulls)
    assert np.mean(shares) < 0.2 + 3 * np.std(shares) / np.sqrt(40)
    assert abs(nulls.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(nulls))
    assert np.mean(found) > 0.8


def test_a_proxy_of_the_cause_is_null_and_an_input_of_an_xor_is_not():
    """KNO-04: the null is conditional. The proxy (correlation .9) hardly wins over its knockoff,
    the causes do."""
    rng = np.random.default_rng(2)
    wins = []
    for _ in range(60):
        cause = rng.normal(size=(400, 5))
        proxy = 0.9 * cause + np.sqrt(1 - 0.81) * rng.normal(size=(400, 5))
        X, y = np.hstack([cause, proxy]), cause.sum(axis=1) + rng.normal(size=400)
        covariance = np.kron([[1, 0.9], [0.9, 1]], np.eye(5))
        fake = kn.gaussian_knockoffs(X, mean=np.zeros(10), covariance=covariance, rng=rng)
        wins.append(kn.knockoff_statistics(ridge_importance, X, fake, y, rng=rng) > 0)
    wins = np.mean(wins, axis=0)
    assert wins[:5].min() > 0.9
    assert abs(wins[5:].mean() - 0.5) < 4 * 0.5 / np.sqrt(300)


# ---- the door


def test_the_filter_takes_frames_labels_and_importances_and_changes_nothing():
    rng = np.random.default_rng(6)
    table = pd.DataFrame(rng.normal(size=(300, 8)), columns=list("abcdefgh"))
    y = np.where(table.iloc[:, :6].sum(axis=1) > 0, "yes", "no")
    before, y_before = table.copy(), y.copy()

    def importance_of(XX, y):
        values = ridge_importance(XX, (y == "yes") - 0.5)
        XX[:] = 0  # a careless importance may scribble on what it was handed
        return Importance(tuple(map(str, range(16))), values)

    selected, statistics, threshold = kn.knockoff_filter(importance_of, table, y, q=0.3)
    pd.testing.assert_frame_equal(table, before)
    np.testing.assert_array_equal(y, y_before)
    assert set(selected) >= set(range(6))
    assert statistics.shape == (8,)
    assert (statistics[selected] >= threshold).all()


def test_what_the_filter_returns_unpacks_indexes_and_makes_a_table():
    X = pd.DataFrame(np.random.default_rng(8).normal(size=(200, 8)), columns=list("abcdefgh"))
    found = kn.knockoff_filter(ridge_importance, X, X.iloc[:, :6].sum(axis=1), q=0.3)
    selected, statistics, threshold = found
    assert found[0] is not None and len(found) == 3
    np.testing.assert_array_equal(found[0], selected)
    np.testing.assert_array_equal(found.statistics, statistics)
    assert found[2] == found.threshold == threshold
    assert found.selected_names == tuple(X.columns[selected])
    table = found.to_frame()
    assert table["statistic"].is_monotonic_decreasing
    assert set(table.loc[table["selected"], "feature"]) == set(found.selected_names)


def test_one_seed_one_answer():
    X = np.random.default_rng(7).normal(size=(100, 5))
    one, again, other = (
        kn.knockoff_filter(ridge_importance, X, X[:, 0], rng=seed) for seed in (3, 3, 4)
    )
    assert one == again
    assert one != other


X = np.random.default_rng(0).normal(size=(30, 3))
Y = X[:, 0]


@pytest.mark.parametrize("q", [0, 1, -0.1, 2, np.nan, "0.2"])
def test_a_q_outside_zero_and_one_is_refused(q):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        kn.knockoff_filter(ridge_importance, X, Y, q=q)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        kn.knockoff_threshold([1, 2], q)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: kn.knockoff_filter(ridge_importance, X, Y, offset=2), "offset"),
        (
            lambda: kn.knockoff_filter(ridge_importance, X, Y, knockoffs="sdp"),
            "unknown method 'sdp'",
        ),
        (
            lambda: kn.knockoff_filter(ridge_importance, X, Y, knockoffs=X[:, :2]),
            "one knockoff for each value",
        ),
        (lambda: kn.knockoff_filter(ridge_importance, X, np.ones(30)), "is constant"),
        (lambda: kn.knockoff_filter(ridge_importance, X, Y[:5]), "30 rows"),
        (lambda: kn.knockoff_filter(ridge_importance, np.where(X > 2, np.nan, X), Y), "NaN"),
        (lambda: kn.knockoff_filter(lambda XX, y: np.ones(3), X, Y), "expected 6 finite numbers"),
        (
            lambda: kn.knockoff_filter(lambda XX, y: np.full(6, np.nan), X, Y),
            "expected 6 finite numbers",
        ),
        (lambda: kn.knockoff_threshold([1, np.nan]), "finite number a feature"),
        (lambda: kn.knockoff_threshold([[1, 2]]), "finite number a feature"),
        (
            lambda: kn.gaussian_knockoffs(np.column_stack([X, np.ones(30)])),
            "'x3' of X has one value",
        ),
        (lambda: kn.gaussian_knockoffs(X[:1]), "one value in all 1 rows"),
        (lambda: kn.gaussian_knockoffs(X, covariance=np.eye(2)), "covariance has shape"),
        (lambda: kn.gaussian_knockoffs(X, mean=[0, 0]), "mean has shape"),
        (lambda: kn.gaussian_knockoffs(X, covariance=np.ones((3, 3))), "cannot be inverted"),
        (lambda: kn.equicorrelated_s([[1, 2], [3, 4]]), "symmetric"),
        (lambda: kn.equicorrelated_s([[1, 2, 3], [2, 4, 5]]), "symmetric"),
        (lambda: kn.mvr_s([[1, np.nan], [np.nan, 1]]), "symmetric"),
        (lambda: kn.mvr_s([[np.nan, 0], [0, 1]]), "not above 0"),
        (lambda: kn.mvr_s([[1, 2], [2, 1]]), "cannot be inverted"),
        (lambda: kn.mvr_s([[1, 0], [0, 0]]), "not above 0"),
    ],
)
def test_bad_input_is_refused_with_a_sentence_that_helps(call, says):
    with pytest.raises(ValueError, match=says):
        call()


# --- the estimated mean, and the p-value of no difference ---


@pytest.mark.parametrize("mean", [None, np.array([0.5, -2.0])])
def test_gaussian_knockoffs_of_shifted_features_are_shifted_as_much(mean):
    X = np.random.default_rng(3).normal(size=(50, 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    here = kn.gaussian_knockoffs(X, mean=mean)
    there = kn.gaussian_knockoffs(X + 100, mean=None if mean is None else mean + 100)
    assert np.allclose(there, here + 100)


def test_knockoff_p_values_are_one_half_only_above_zero():
    found = kn.KnockoffSelection(("a", "b", "c"), np.array([3.0, 0.0, -1.0]), 3.0)
    assert found.p_values.tolist() == [0.5, 1, 1]


def test_correlations_are_shrunk_by_their_sampling_variances_over_their_squares():
    """Columns of -1 and 1 that agree in 6 of 8 rows: r = 1/2, Var(r) = (1 - r^2) / 8, share 3/8, left r = 5/16."""
    x, z = np.repeat([1.0, -1.0], 4), np.array([1.0, 1, 1, -1, -1, -1, -1, 1])
    assert np.allclose(kn.estimate_covariance(np.column_stack([x, z])), [[1, 5 / 16], [5 / 16, 1]], atol=1e-12)
