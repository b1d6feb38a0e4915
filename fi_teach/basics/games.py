"""Cooperative games: Shapley values, Banzhaf values, interactions and axioms.

A game v of n players is a function of a frozenset of players, or an array of 2^n payoffs whose row
number is the coalition's bitmask: row 5 = 0b101 is the coalition {0, 2}. Further axes of the array
are further games, divided side by side.
"""

from collections.abc import Callable
from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count

Game = Callable[[frozenset], float] | ArrayLike
Rule = Callable[[NDArray, int], NDArray]

MOST_PLAYERS = 20  # 2^20 coalitions, about a million
MOST_ORDERED = 9  # 9! orderings, about a third of a million


# --- the table ---

def coalitions(n_players: int) -> NDArray:
    """Every coalition as a row of memberships, in the order of the bitmasks -> (2^n, n) bool.

    >>> coalitions(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    bitmask = np.arange(2**n_players)[:, None]
    is_in = bitmask >> np.arange(n_players) & 1
    return is_in.astype(bool)


def tabulate(v: Game, n_players: int) -> NDArray:
    """Tabulate the payoff of every coalition -> (2^n, ...) float.

    v : a function of a frozenset, or an array (2^n, ...)

    >>> tabulate(len, 2)
    array([0., 1., 1., 2.])
    """
    check_players(n_players)
    if callable(v):
        members = [np.flatnonzero(S) for S in coalitions(n_players)]
        v = [v(frozenset(S.tolist())) for S in members]
    table = np.asarray(v, dtype=float)
    n_payoffs = table.shape[0] if table.ndim else 1
    if table.ndim == 0 or n_payoffs != 2**n_players:
        raise ValueError(
            f"the game has {n_payoffs} payoffs, but {n_players} players form {2**n_players} "
            "coalitions: give one payoff for each, the empty coalition first.")
    if not np.isfinite(table).all():
        raise ValueError(
            "the game pays NaN or infinity to some coalition: give each a finite payoff.")
    return table


def check_players(
    n_players: int,
    *,
    most: float = MOST_PLAYERS,
    instead: str = "sampled_shapley",
) -> None:
    """Refuse a number of players below 1 or above `most`, and name what to use instead."""
    if n_players != int(n_players) or n_players < 1:
        raise ValueError(f"n_players is {n_players}, expected a whole number of at least 1.")
    if n_players > most:
        raise ValueError(
            f"{n_players} players are too many to enumerate: up to {most} are; "
            f"from {most + 1} players on use {instead}.")


def marginal_gains(table: NDArray, player: int) -> tuple[NDArray, NDArray]:
    """The marginal contribution of a player to each coalition without it.

    table (2^n, ...) -> coalitions (2^(n-1),) as bitmasks, gains (2^(n-1), ...)

    >>> marginal_gains(np.array([0.0, 1.0, 2.0, 5.0]), 0)
    (array([0, 2]), array([1., 3.]))
    """
    without = _with_all_out(len(table), [player])
    joined = without | 1 << player
    return without, table[joined] - table[without]


def _with_all_out(n_coalitions, players):
    """The bitmasks of the coalitions that have none of these players."""
    S = np.arange(n_coalitions)
    for player in players:
        S = S[S >> player & 1 == 0]
    return S


# --- how to divide it ---

def shapley_weights(n_players: int) -> NDArray:
    """Shapley's weight of a coalition of s players, for s = 0 ... n-1 -> (n,).

    w(s) = s! (n-s-1)! / n!,   s = 0 ... n-1

    >>> shapley_weights(3)
    array([0.33333333, 0.16666667, 0.33333333])
    """
    n = n_players
    return np.array([factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)])


def shapley(v: Game, n_players: int) -> NDArray:
    """Shapley values: a player's marginal contribution, averaged over coalitions by their weights.

    phi_i = sum over S without i of |S|! (n-|S|-1)! / n! * (v(S + i) - v(S))
    v : function of a frozenset, or array (2^n, ...) by bitmask -> (n, ...), in units of the payoff

    Source: Shapley (1953).

    >>> def gloves(S): return 1.0 if 0 in S and S & {1, 2} else 0.0  # one left one, two right ones
    >>> shapley(gloves, 3).round(4)
    array([0.6667, 0.1667, 0.1667])
    """
    table = tabulate(v, n_players)
    weight = shapley_weights(n_players)
    shares = []
    for player in range(n_players):
        S, gains = marginal_gains(table, player)
        size = np.bitwise_count(S)
        shares.append(np.tensordot(weight[size], gains, axes=1))
    return np.array(shares)


def shapley_by_orderings(v: Game, n_players: int) -> NDArray:
    """Shapley values by orderings: players enter one by one, and each gets what it adds.

    phi_i = 1/n! * sum over orderings of v(those before i, and i) - v(those before i)
    v as in `shapley` -> (n, ...)

    >>> def gloves(S): return 1.0 if 0 in S and S & {1, 2} else 0.0
    >>> shapley_by_orderings(gloves, 3).round(4)
    array([0.6667, 0.1667, 0.1667])
    """
    check_players(n_players, most=MOST_ORDERED, instead="shapley")
    table = tabulate(v, n_players)
    orders = np.array(list(permutations(range(n_players))))  # (n!, n)
    entering = 1 << orders
    after = np.cumsum(entering, axis=1)
    before = after - entering
    gains = table[after] - table[before]
    of_each = [gains[orders == player] for player in range(n_players)]
    return np.array([of_player.mean(axis=0) for of_player in of_each])


def sampled_shapley(
    v: Game,
    n_players: int,
    *,
    n_repeats: int = 1000,
    rng: Seed = 0,
) -> tuple[NDArray, NDArray]:
    """Shapley values from random orderings, with the standard errors of the means.

    v as in `shapley`, any number of players; each ordering calls v n + 1 times
    -> phi (n, ...), standard_error (n, ...)

    Source: Strumbelj and Kononenko (2014).

    >>> phi, error = sampled_shapley(lambda S: len(S) ** 2, 30, n_repeats=200)
    >>> bool(abs(phi.sum() - 900) < 1e-9), bool((np.abs(phi - 30) < 4 * error).all())
    (True, True)
    """
    rng = own_stream(rng, "Shapley values of a game")
    check_players(n_players, most=np.inf)
    check_repeats(n_repeats)
    if not callable(v):
        table = tabulate(v, n_players)
    earn = cache(v if callable(v) else lambda S: table[sum(1 << player for player in S)])
    orders = [rng.permutation(n_players) for _ in range(n_repeats)]
    draws = np.array([_gains_in_order(earn, order) for order in orders])
    return draws.mean(axis=0), standard_error(draws)


def check_repeats(n_repeats: int) -> None:
    """Refuse fewer than two draws, which have no standard error."""
    if check_count(n_repeats, "n_repeats") < 2:
        raise ValueError(f"n_repeats is {n_repeats}: a standard error needs at least 2.")


def standard_error(draws: NDArray) -> NDArray:
    """Standard error of the mean over the first axis: (n_repeats, ...) -> (...)."""
    return draws.std(axis=0, ddof=1) / np.sqrt(len(draws))


def _gains_in_order(earn, order):
    """What each player adds if they enter in this order -> (n, ...)."""
    stages = [frozenset(order[:k].tolist()) for k in range(len(order) + 1)]
    payoffs = np.array([earn(S) for S in stages], dtype=float)
    place = np.argsort(order)
    return np.diff(payoffs, axis=0)[place]


def banzhaf(v: Game, n_players: int) -> NDArray:
    """Banzhaf values: a player's marginal contribution, averaged over all coalitions alike.

    beta_i = 1 / 2^(n-1) * sum over S without i of v(S + i) - v(S)
    v as in `shapley` -> (n, ...). It breaks efficiency: the shares need not sum to the payout.

    Source: Banzhaf (1965).

    >>> banzhaf(lambda S: 1.0 if 0 in S and S & {1, 2} else 0.0, 3)
    array([0.75, 0.25, 0.25])
    """
    table = tabulate(v, n_players)
    gains = [marginal_gains(table, player)[1] for player in range(n_players)]
    return np.array([gain.mean(axis=0) for gain in gains])


@cache
def gauss_legendre(d: int) -> tuple[NDArray, NDArray]:
    """Gauss-Legendre times and weights on [0, 1], for players who join at random times.

    integral over t from 0 to 1 of f(t) = sum over q of weight_q f(t_q)

    Exact for polynomials f of degree d - 1: what a leaf of d players pays one of them is such a
    polynomial, if each of the others has joined by the time t with chance t.
    -> t (Q,), weight (Q,), Q = ceil(d/2), at least 1; they are kept, so do not change them

    Source: Owen (1972), for the random times.

    >>> t, weight = gauss_legendre(4)
    >>> round(float(weight @ t**3), 12)
    0.25
    """
    t, weight = np.polynomial.legendre.leggauss(max(1, (d + 1) // 2))
    return (t + 1) / 2, weight / 2


# --- pairs, and larger groups ---

def interaction_index(v: Game, n_players: int) -> NDArray:
    """Shapley interaction index: what two players add together beyond what each adds alone.

    I_ij = sum over S without i, j of |S|! (n-|S|-2)! / (n-1)!
               * (v(S+i+j) - v(S+i) - v(S+j) + v(S)),      I_ii = 0
    v as in `shapley` -> (n, n, ...), symmetric

    Source: Lundberg et al. (2020), Methods.

    >>> interaction_index(lambda S: float(len(S) == 2), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    table = tabulate(v, n_players)
    weight = shapley_weights(n_players - 1)
    index = np.zeros((n_players, n_players, *table.shape[1:]))
    for i in range(n_players):
        for j in range(i):
            S = _with_all_out(len(table), [i, j])
            with_i, with_j = S | 1 << i, S | 1 << j
            with_both = with_i | with_j
            beyond = table[with_both] - table[with_i] - table[with_j] + table[S]
            size = np.bitwise_count(S)
            index[i, j] = np.tensordot(weight[size], beyond, axes=1)
            index[j, i] = index[i, j]
    return index


def interaction_values(v: Game, n_players: int) -> NDArray:
    """Split Shapley values over pairs: half of each interaction goes to either player.

    Phi_ij = I_ij / 2,   Phi_ii = phi_i - sum over j != i of Phi_ij
    v as in `shapley` -> (n, n, ...); row i sums to phi_i

    Source: Lundberg et al. (2020), Methods.

    >>> interaction_values(lambda S: float(len(S) == 2), 2)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    values = interaction_index(v, n_players) / 2
    shared = values.sum(axis=1)
    own = np.arange(n_players)
    values[own, own] = shapley(v, n_players) - shared
    return values


def dividends(v: Game, n_players: int) -> NDArray:
    """Harsanyi dividends: what each coalition earns beyond all its parts.

    d(S) = sum over T in S of (-1)^(|S|-|T|) v(T)
    v as in `shapley` -> (2^n, ...) by bitmask. Each split evenly among its members, they add up to
    the Shapley values.

    >>> dividends(lambda S: float(len(S) == 2), 2)  # an AND gate is one dividend
    array([0., 0., 0., 1.])
    """
    dividend = tabulate(v, n_players).copy()
    for player in range(n_players):
        without = _with_all_out(len(dividend), [player])
        joined = without | 1 << player
        dividend[joined] -= dividend[without]
    return dividend


# --- axioms: how far a rule violates each ---

def efficiency_gap(divide: Rule, v: Game, n_players: int) -> float:
    """Violation of efficiency: |sum_i phi_i - (v(N) - v(empty))|, 0 if a rule is efficient.

    divide : function of (v, n_players) -> (n,), such as shapley or banzhaf

    >>> AND = lambda S: float(len(S) == 3)
    >>> efficiency_gap(shapley, AND, 3) < 1e-12, efficiency_gap(banzhaf, AND, 3)
    (True, 0.25)
    """
    table = tabulate(v, n_players)
    payout = table[-1] - table[0]
    shared = divide(table, n_players).sum(axis=0)
    return float(np.abs(shared - payout).max())


def symmetry_gap(divide: Rule, v: Game, n_players: int) -> float:
    """Violation of symmetry: the largest difference between two interchangeable players' shares.

    Two players are interchangeable if they add the same to every coalition of the others.

    >>> symmetry_gap(shapley, lambda S: float(len(S) == 3), 3)
    0.0
    """
    table = tabulate(v, n_players)
    shares = divide(table, n_players)
    gaps = [0.0]
    for i in range(n_players):
        for j in range(i):
            S = _with_all_out(len(table), [i, j])
            with_i, with_j = table[S | 1 << i], table[S | 1 << j]
            if np.allclose(with_i, with_j, rtol=0, atol=1e-12):
                gaps.append(float(np.abs(shares[i] - shares[j]).max()))
    return max(gaps)


def dummy_gap(divide: Rule, v: Game, n_players: int) -> float:
    """Violation of the dummy axiom: the largest share of a player who never adds anything.

    >>> dummy_gap(shapley, lambda S: float(0 in S), 2)
    0.0
    """
    table = tabulate(v, n_players)
    shares = divide(table, n_players)
    gaps = [0.0]
    for i in range(n_players):
        _, gains = marginal_gains(table, i)
        if np.allclose(gains, 0, atol=1e-12):
            gaps.append(float(np.abs(shares[i]).max()))
    return max(gaps)


def additivity_gap(divide: Rule, v: Game, w: Game, n_players: int) -> float:
    """Violation of additivity: how far the shares of v + w are from the sum of the shares.

    max |phi(v + w) - phi(v) - phi(w)|

    >>> additivity_gap(shapley, lambda S: float(len(S) == 2), lambda S: float(0 in S), 2)
    0.0
    """
    v, w = tabulate(v, n_players), tabulate(w, n_players)
    together = divide(v + w, n_players)
    apart = divide(v, n_players) + divide(w, n_players)
    return float(np.abs(together - apart).max())
