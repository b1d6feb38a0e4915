"""Games: the two sentences of Shapley's formula agree, its axioms hold, and every refusal says what to do instead."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics import games


def random_game(seed, n, *shape):
    return np.random.default_rng(seed).normal(size=(2**n, *shape))


def glove(S):
    return 1.0 if 0 in S and S & {1, 2} else 0.0


# --- axioms ---


@given(st.integers(0, 10**6), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_the_axioms_hold_and_orderings_give_the_same_shares(seed, n):
    """On random games; players 0 and 1 become interchangeable by averaging over their exchange, and player 0 a dummy
    in a game that does not look at it. What Banzhaf gives up is efficiency alone."""
    v, w, S = random_game(seed, n), random_game(seed + 1, n), np.arange(2**n)
    alike, without = v + v[S & ~3 | (S & 1) << 1 | S >> 1 & 1], v[S & ~1]
    np.testing.assert_allclose(games.shapley(v, n), games.shapley_by_orderings(v, n), atol=1e-12)
    assert games.efficiency_gap(games.shapley, v, n) < 1e-12
    for divide in (games.shapley, games.banzhaf):
        one, other, *_ = divide(alike, n)
        assert abs(one - other) < 1e-12 and games.symmetry_gap(divide, alike, n) < 1e-12
        assert abs(divide(without, n)[0]) < 1e-15 and games.dummy_gap(divide, without, n) < 1e-15
        assert games.additivity_gap(divide, v, w, n) < 1e-12


def equal_split(v, n):
    return np.full(n, (v[-1] - v[0]) / n)


def first_takes_all(v, n):
    return np.eye(n)[0] * (v[-1] - v[0])


def by_squared_payout(v, n):
    return games.shapley(v, n) * abs(v[-1] - v[0])


def test_each_axiom_catches_a_rule_that_breaks_it():
    """Banzhaf breaks efficiency, the first-takes-all rule symmetry, the equal split the dummy axiom,
    squared payouts additivity."""
    AND = games.tabulate(lambda S: float({0, 1} <= S), 3)
    assert games.efficiency_gap(games.banzhaf, games.tabulate(lambda S: float(len(S) == 3), 3), 3) == 0.25
    assert games.symmetry_gap(first_takes_all, AND, 3) == 1
    assert games.dummy_gap(equal_split, AND, 3) == pytest.approx(1 / 3)
    assert games.additivity_gap(by_squared_payout, AND, AND, 3) == pytest.approx(1)


# --- dividends and interactions ---


def test_dividends_split_evenly_are_the_shapley_values():
    """phi_i = sum over S with i of d(S) / |S|, and the dividends inside a coalition sum to its payoff."""
    v = random_game(3, 5)
    d, member = games.dividends(v, 5), games.coalitions(5)
    share = np.where(member.any(1), d / np.maximum(member.sum(1), 1), 0)
    np.testing.assert_allclose(share @ member, games.shapley(v, 5), atol=1e-12)
    np.testing.assert_allclose([d[(np.arange(32) & S) == np.arange(32)].sum() for S in range(32)], v, atol=1e-12)


def test_interactions_are_sums_of_dividends_and_their_values_sum_to_the_shapley_values():
    """I_ij = sum over S with i and j of d(S) / (|S| - 1); row i of Phi sums to phi_i."""
    v = random_game(4, 5)
    d, member = games.dividends(v, 5), games.coalitions(5)
    index = games.interaction_index(v, 5)
    for i, j in [(0, 1), (3, 2), (4, 0)]:
        both = member[:, i] & member[:, j]
        assert index[i, j] == pytest.approx((d[both] / (member[both].sum(1) - 1)).sum(), abs=1e-12)
    np.testing.assert_array_equal(index, index.T)
    values = games.interaction_values(v, 5)
    assert values[0, 1] == index[0, 1] / 2
    np.testing.assert_allclose(values.sum(axis=1), games.shapley(v, 5), atol=1e-12)


# --- sampling, and forms of a game ---


def test_sampled_shares_lie_within_their_standard_errors():
    """|estimate - exact| / se is below 4 for each of 6 players, and its root mean square over 20 seeds is about 1
    (0.7 to 1.3)."""
    v = random_game(6, 6)
    exact, scores = games.shapley(v, 6), []
    for seed in range(20):
        phi, error = games.sampled_shapley(v, 6, n_repeats=200, rng=seed)
        scores.append((phi - exact) / error)
        assert phi.sum() == pytest.approx(v[-1] - v[0])
    assert np.abs(scores).max() < 4
    assert 0.7 < np.sqrt(np.mean(np.square(scores))) < 1.3


def test_the_standard_error_divides_by_one_repeat_less():
    """Two draws 1 and 3: s^2 = 2 / (2 - 1), standard error sqrt(2 / 2) = 1."""
    assert games.standard_error(np.array([[1.0], [3.0]])).tolist() == pytest.approx([1.0])


def test_a_function_and_its_table_are_one_game():
    """Sampled with the same seed, v as a function and v as a table give the same draws."""
    drawn = [games.sampled_shapley(v, 3, n_repeats=10) for v in (glove, games.tabulate(glove, 3))]
    np.testing.assert_array_equal(*drawn)


def test_games_side_by_side_are_divided_one_by_one():
    """Further axes of the table are further games."""
    v = random_game(7, 4, 2, 3)
    np.testing.assert_allclose(games.shapley(v, 4)[:, 1, 2], games.shapley(v[:, 1, 2], 4), atol=1e-14)
    np.testing.assert_allclose(games.interaction_index(v, 4)[:, :, 1, 2], games.interaction_index(v[:, 1, 2], 4),
                               atol=1e-14)


def test_the_table_is_left_alone():
    v = random_game(8, 3)
    before = v.copy()
    for divide in (games.shapley, games.shapley_by_orderings, games.banzhaf, games.dividends, games.interaction_values):
        divide(v, 3)
    np.testing.assert_array_equal(v, before)


# --- refusals ---


@pytest.mark.parametrize(("divide", "v", "n", "says"), [
    (games.shapley, len, 21, "from 21 players on use sampled_shapley"), (games.banzhaf, len, 25, "sampled_shapley"),
    (games.shapley_by_orderings, len, 10, "from 10 players on use shapley"), (games.dividends, len, 40, "up to 20"),
    (games.shapley, [0, 1, 2], 2, "3 payoffs"), (games.shapley, 5.0, 1, "1 payoffs"),
    (games.shapley, [0, np.nan], 1, "NaN"), (games.shapley, len, 0, "at least 1"),
    (games.shapley, len, 1.5, "whole number"),
    (lambda v, n: games.sampled_shapley(v, n, n_repeats=1), len, 3, "at least 2")])
def test_what_cannot_be_divided_is_refused_with_advice(divide, v, n, says):
    """Too many players; a wrong length, a lone number, NaN, no players, half a player; one ordering, which has no
    standard error."""
    with pytest.raises(ValueError, match=says):
        divide(v, n)
