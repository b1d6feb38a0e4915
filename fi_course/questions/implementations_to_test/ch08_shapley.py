"""Rules that divide a bill, right and wrong, for `shapley.test_rule`.

A game is {"": 0, "A": 12, "B": 18, "AB": 24}, players in the order of the alphabet.
"""

from itertools import combinations, permutations

import numpy as np


def players(pay):
    return max(pay, key=len)


def named(group):
    return "".join(sorted(group))


def rise(pay, before, player):
    return pay[named(before + player)] - pay[before]


def in_order(pay, order):
    return {player: rise(pay, named(order[:k]), player) for k, player in enumerate(order)}


def divide(pay):
    """Shapley's shares, over all orders."""
    rises = [in_order(pay, order) for order in permutations(players(pay))]
    return {player: sum(rise[player] for rise in rises) / len(rises) for player in players(pay)}


def backwards_and_rounded(pay):
    return {p: share + 1e-15 for p, share in sorted(divide(pay).items(), reverse=True)}


def equal(pay):
    return {p: (pay[players(pay)] - pay[""]) / len(players(pay)) for p in players(pay)}


def _others(pay, player):
    others = [p for p in players(pay) if p != player]
    return [named(S) for size in range(len(others) + 1) for S in combinations(others, size)]


def plain_average(pay):
    return {p: float(np.mean([rise(pay, S, p) for S in _others(pay, p)])) for p in players(pay)}


def one_order(pay):
    return in_order(pay, players(pay))


def without_idle(pay):
    return {p: share for p, share in divide(pay).items() if abs(share) > 1e-12}


def never_negative(pay):
    return {p: max(share, 0) for p, share in divide(pay).items()}


def base_included(pay):
    """Takes the first player's whole payoff for its rise."""
    return divide(pay | {"": 0})
