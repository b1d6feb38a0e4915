"""A cooperative game is a table: what every coalition of players earns. How to divide it is a sum over the table's rows.

A game v of n players is either a function of a frozenset of players, or an array of 2^n payoffs whose row number is the
coalition's bitmask: row 5 = 0b101 is the coalition {0, 2}. Further axes of the array are further games, divided side by side.
"""

from functools import cache
from itertools import permutations
from math import factorial

import numpy as np

MOST_PLAYERS = 20  # 2^20 coalitions, about a million
MOST_ORDERED = 9  # 9! orderings, about a third of a million


def coalitions(n_players):
    """Every coalition as a row of a membership table, in the order of the bitmasks -> (2^n, n) bool.

    >>> coalitions(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return (np.arange(2**n_players)[:, None] >> np.arange(n_players) & 1).astype(bool)


def tabulate(v, n_players):
    """What every coalition earns, as a table: v a function of a frozenset or an array (2^n, ...) -> (2^n, ...) float.

    Raises ValueError for fewer than one player, more than 20, a table of another length, or payoffs that are not numbers.

    >>> tabulate(len, 2)
    array([0., 1., 1., 2.])
    """
    check_players(n_players)
    if callable(v):
        v = [v(frozenset(np.flatnonzero(S).tolist())) for S in coalitions(n_players)]
    table = np.asarray(v, dtype=float)
    if table.shape[:1] != (2**n_players,):
        raise ValueError(f"the game has {len(np.atleast_1d(table))} payoffs, but {n_players} players form {2**n_players} coalitions: "
                         "give one payoff for each, the empty coalition first.")
    if not np.isfinite(table).all():
        raise ValueError("the game pays NaN or infinity to some coalition: give every coalition a finite payoff.")
    return table


def check_players(n_players, *, most=MOST_PLAYERS, instead="shapley_sampled"):
    """Raises ValueError unless 1 <= n_players <= most, naming what to use instead."""
    if n_players != int(n_players) or n_players < 1:
        raise ValueError(f"n_players is {n_players}, expected a whole number of at least 1.")
    if n_players > most:
        raise ValueError(f"{n_players} players are too many to enumerate: up to {most} are; from {most + 1} players on use {instead}.")


def marginal_gains(table, player):
    """What a player adds to each coalition without it: table (2^n, ...) -> (coalitions (2^(n-1),) bitmasks, gains (2^(n-1), ...)).

    >>> marginal_gains(np.array([0.0, 1.0, 2.0, 5.0]), 0)
    (array([0, 2]), array([1., 3.]))
    """
    everyone = np.arange(len(table))
    S = everyone[everyone >> player & 1 == 0]
    return S, table[S | 1 << player] - table[S]


def shapley_weights(n_players):
    """Share of the orderings in which exactly these s players came before me, s!(n-s-1)!/n!, for s = 0 ... n-1 -> (n,).

    >>> shapley_weights(3)
    array([0.33333333, 0.16666667, 0.33333333])
    """
    return np.array([factorial(s) * factorial(n_players - s - 1) / factorial(n_players) for s in range(n_players)])


def shapley(v, n_players):
    """Each player's fair share: its gain, averaged over coalitions with the weight of the orderings that produce them.

    phi_i = sum over S without i of |S|! (n-|S|-1)! / n! * (v(S + i) - v(S))
    v : function of a frozenset, or array (2^n, ...) of payoffs by bitmask -> (n, ...), in units of the payoff

    Raises ValueError from 21 players on: use shapley_sampled there. Source: Shapley (1953).

    >>> shapley(lambda S: 1.0 if 0 in S and S & {1, 2} else 0.0, 3).round(4)  # one left glove, two right ones
    array([0.6667, 0.1667, 0.1667])
    """
    table, weight = tabulate(v, n_players), shapley_weights(n_players)
    shares = []
    for player in range(n_players):
        S, gains = marginal_gains(table, player)
        shares.append(np.tensordot(weight[np.bitwise_count(S)], gains, axes=1))
    return np.array(shares)


def shapley_by_orderings(v, n_players):
    """The same shares by another sentence: players enter one by one, each takes what it adds, averaged over all n! orderings.

    phi_i = 1/n! * sum over orderings of v(those before i, and i) - v(those before i)
    v as in `shapley` -> (n, ...)

    Raises ValueError from 10 players on: use shapley, or shapley_sampled from 21 on.

    >>> shapley_by_orderings(lambda S: 1.0 if 0 in S and S & {1, 2} else 0.0, 3).round(4)
    array([0.6667, 0.1667, 0.1667])
    """
    check_players(n_players, most=MOST_ORDERED, instead="shapley")
    table = tabulate(v, n_players)
    orders = np.array(list(permutations(range(n_players))))
    after = np.cumsum(1 << orders, axis=1)
    gains = table[after] - table[after - (1 << orders)]  # by place in the ordering; the next line sorts them by player
    return gains[np.arange(len(orders))[:, None], np.argsort(orders, axis=1)].mean(axis=0)


def shapley_sampled(v, n_players, *, n_orderings=1000, rng=0):
    """Shapley values from random orderings, with the standard errors of the means.

    v as in `shapley`, any number of players -> (phi (n, ...), standard_error (n, ...)); each ordering calls v n + 1 times.

    Raises ValueError for fewer than 2 orderings. Source: Strumbelj and Kononenko (2014).

    >>> phi, error = shapley_sampled(lambda S: len(S) ** 2, 30, n_orderings=200)
    >>> bool(abs(phi.sum() - 900) < 1e-9), bool((np.abs(phi - 30) < 4 * error).all())
    (True, True)
    """
    rng = np.random.default_rng(rng)
    check_players(n_players, most=np.inf)
    if n_orderings < 2:
        raise ValueError(f"n_orderings is {n_orderings}: a standard error needs at least 2 orderings.")
    earn = cache(v) if callable(v) else _lookup(tabulate(v, n_players))
    draws = np.array([_gains_in_order(earn, rng.permutation(n_players)) for _ in range(n_orderings)])
    return draws.mean(axis=0), draws.std(axis=0, ddof=1) / np.sqrt(n_orderings)


def _lookup(table):
    return lambda S: table[sum(1 << player for player in S)]


def _gains_in_order(earn, order):
    payoffs = np.array([earn(frozenset(order[:k].tolist())) for k in range(len(order) + 1)], dtype=float)
    return np.diff(payoffs, axis=0)[np.argsort(order)]


def banzhaf(v, n_players):
    """The plain average of a player's gains over all coalitions. It breaks efficiency: the shares need not sum to the payout.

    beta_i = 1 / 2^(n-1) * sum over S without i of v(S + i) - v(S)
    v as in `shapley` -> (n, ...)

    Raises ValueError from 21 players on. Source: Banzhaf (1965).

    >>> banzhaf(lambda S: 1.0 if 0 in S and S & {1, 2} else 0.0, 3)
    array([0.75, 0.25, 0.25])
    """
    table = tabulate(v, n_players)
    return np.array([marginal_gains(table, player)[1].mean(axis=0) for player in range(n_players)])


def interaction_index(v, n_players):
    """What two players earn together beyond what each adds alone, averaged like a Shapley value over the coalitions of the others.

    I_ij = sum over S without i, j of |S|! (n-|S|-2)! / (n-1)! * (v(S+i+j) - v(S+i) - v(S+j) + v(S)),   I_ii = 0
    v as in `shapley` -> (n, n, ...), symmetric

    Raises ValueError from 21 players on. Source: Lundberg et al. (2020), Methods.

    >>> interaction_index(lambda S: float(len(S) == 2), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    table = tabulate(v, n_players)
    index = np.zeros((n_players, n_players, *table.shape[1:]))
    for i in range(n_players):
        S, gains_of_i = marginal_gains(table, i)
        for j in range(i):
            together, apart = gains_of_i[S >> j & 1 == 1], gains_of_i[S >> j & 1 == 0]
            weight = shapley_weights(n_players - 1)[np.bitwise_count(S[S >> j & 1 == 0])]
            index[i, j] = index[j, i] = np.tensordot(weight, together - apart, axes=1)
    return index


def interaction_values(v, n_players):
    """Shapley values split over pairs: half of each interaction to either player, the rest on the diagonal; row i sums to phi_i.

    Phi_ij = I_ij / 2,   Phi_ii = phi_i - sum over j != i of Phi_ij
    v as in `shapley` -> (n, n, ...)

    Raises ValueError from 21 players on. Source: Lundberg et al. (2020), Methods.

    >>> interaction_values(lambda S: float(len(S) == 2), 2)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    values = interaction_index(v, n_players) / 2
    player = np.arange(n_players)
    values[player, player] = shapley(v, n_players) - values.sum(axis=1)
    return values


def dividends(v, n_players):
    """What each coalition earns beyond all its parts (Harsanyi): d(S) = sum over T in S of (-1)^(|S|-|T|) v(T).

    v as in `shapley` -> (2^n, ...) by bitmask. Splitting each dividend evenly among its members gives the Shapley values.

    Raises ValueError from 21 players on.

    >>> dividends(lambda S: float(len(S) == 2), 2)  # an AND gate is one dividend
    array([0., 0., 0., 1.])
    """
    dividend = tabulate(v, n_players).copy()
    everyone = np.arange(2**n_players)
    for player in range(n_players):
        S = everyone[everyone >> player & 1 == 1]
        dividend[S] -= dividend[S ^ 1 << player]
    return dividend


def efficiency_gap(divide, v, n_players):
    """How far the shares miss the payout: |sum_i phi_i - (v(N) - v(empty))|; 0 where `divide` is efficient.

    divide : function of (v, n_players) -> (n,), such as shapley or banzhaf

    >>> AND = lambda S: float(len(S) == 3)
    >>> efficiency_gap(shapley, AND, 3) < 1e-12, efficiency_gap(banzhaf, AND, 3)
    (True, 0.25)
    """
    table = tabulate(v, n_players)
    return float(np.abs(divide(table, n_players).sum(axis=0) - (table[-1] - table[0])).max())


def symmetry_gap(divide, v, n_players):
    """The largest difference between the shares of two interchangeable players, who add the same to every coalition of the others.

    >>> symmetry_gap(shapley, lambda S: float(len(S) == 3), 3)
    0.0
    """
    table = tabulate(v, n_players)
    shares, everyone = divide(table, n_players), np.arange(2**n_players)
    gaps = [0.0]
    for i in range(n_players):
        for j in range(i):
            S = everyone[(everyone >> i & 1 == 0) & (everyone >> j & 1 == 0)]
            if np.allclose(table[S | 1 << i], table[S | 1 << j], rtol=0, atol=1e-12):
                gaps.append(float(np.abs(shares[i] - shares[j]).max()))
    return max(gaps)


def dummy_gap(divide, v, n_players):
    """The largest share of a player who adds nothing to any coalition; 0 where `divide` gives nothing for nothing.

    >>> dummy_gap(shapley, lambda S: float(0 in S), 2)
    0.0
    """
    table = tabulate(v, n_players)
    shares = divide(table, n_players)
    idle = [i for i in range(n_players) if np.allclose(marginal_gains(table, i)[1], 0, atol=1e-12)]
    return float(max((np.abs(shares[i]).max() for i in idle), default=0.0))


def additivity_gap(divide, v, w, n_players):
    """How far the shares of two games played together miss the sum of the shares: max |phi(v + w) - phi(v) - phi(w)|.

    >>> additivity_gap(shapley, lambda S: float(len(S) == 2), lambda S: float(0 in S), 2)
    0.0
    """
    v, w = tabulate(v, n_players), tabulate(w, n_players)
    return float(np.abs(divide(v + w, n_players) - divide(v, n_players) - divide(w, n_players)).max())
