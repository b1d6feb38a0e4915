"""Answers to exercise set 8: right ones written differently from the solution, and wrong ones as students give them."""

from fractions import Fraction
from itertools import combinations, permutations
from math import factorial

import numpy as np

from fi_teach.basics.games import shapley as borrowed_shapley

WHY = "because of what comes first and what is left"


# shapley.divide

def players_of(pay):
    return sorted(set("".join(pay)))


def divide_over_coalitions(pay):
    players = players_of(pay)
    n, shares = len(players), {}
    for player in players:
        others = [p for p in players if p != player]
        shares[player] = sum(
            Fraction(factorial(s) * factorial(n - s - 1),
                     factorial(n)) * (pay["".join(sorted((*S, player)))] - pay["".join(S)])
            if isinstance(pay[""], int) else
            factorial(s) * factorial(n - s - 1) / factorial(n) * (pay["".join(sorted((*S, player)))] - pay["".join(S)])
            for s in range(n) for S in combinations(others, s))
    return shares


def divide_dividends(pay):
    """Every coalition's dividend, shared evenly."""
    dividend = {}
    for S in sorted(pay, key=len):
        dividend[S] = pay[S] - sum(d for T, d in dividend.items() if set(T) < set(S))
    return {p: sum(d / len(S) for S, d in dividend.items() if p in S) for p in players_of(pay)}


def rises_in(pay, order):
    group, found = "", {}
    for player in order:
        larger = "".join(sorted(group + player))
        found[player] = pay[larger] - pay[group]
        group = larger
    return found


def in_the_alphabet(pay):
    return rises_in(pay, players_of(pay))


def there_and_back(pay):
    players = players_of(pay)
    one, two = rises_in(pay, players), rises_in(pay, players[::-1])
    return {p: np.mean([one[p], two[p]]) for p in players}


def coalitions_alike(pay):
    players = players_of(pay)
    joins = {p: [S for S in pay if p not in S] for p in players}
    return {p: sum(pay["".join(sorted(S + p))] - pay[S] for S in joins[p]) / len(joins[p]) for p in players}


def all_alike(pay):
    players = players_of(pay)
    return dict.fromkeys(players, (pay["".join(players)] - pay[""]) / len(players))


def by_own_ride(pay):
    players = players_of(pay)
    own = np.array([pay[p] - pay[""] for p in players])
    return dict(zip(players, (pay["".join(players)] - pay[""]) * own / own.sum(), strict=True))


def never_divided(pay):
    shares = dict.fromkeys(players_of(pay), 0)
    for order in permutations(shares):
        for p, rise in rises_in(pay, order).items():
            shares[p] += rise
    return shares


def from_zero(pay):
    return divide_dividends({**pay, "": 0})


def borrowed_whole(pay):
    players = players_of(pay)
    shares = borrowed_shapley(lambda S: pay["".join(players[i] for i in sorted(S))], len(players))
    return dict(zip(players, shares, strict=True))


# shapley.test_rule: what is left out lets one bug pass

TAXI = {"": 0, "A": 12, "B": 18, "C": 24, "AB": 24, "AC": 30, "BC": 30, "ABC": 36}
IDLE = {"": 0, "A": 6, "B": 0, "AB": 6}
CARD = {"": 0, "A": 10, "B": 0, "AB": 6}
BASE = {"": 2, "A": 4, "B": 6, "AB": 10}


def asks(rule, pay, **expected):
    found = rule(pay)
    assert set(found) == set(expected)
    assert all(abs(found[p] - share) < 1e-9 for p, share in expected.items())


def test_with_four_games(rule):
    asks(rule, TAXI, A=8, B=11, C=17)
    asks(rule, IDLE, A=6, B=0)
    asks(rule, CARD, A=8, B=-2)
    asks(rule, BASE, A=3, B=5)


def test_that_answers(rule):
    return all(np.allclose([rule(pay).get(p, np.nan) for p in right], list(right.values()))
               for pay in (TAXI, IDLE, CARD, BASE) for right in [divide_dividends(pay)])


def test_wrong_itself(rule):
    asks(rule, TAXI, A=12, B=12, C=12)


def test_exactly(rule):
    assert rule(TAXI) == {"A": 8, "B": 11, "C": 17}


def test_sum_only(rule):
    assert abs(sum(rule(TAXI).values()) - 36) < 1e-9


def test_two_players_only(rule):
    asks(rule, IDLE, A=6, B=0)
    asks(rule, CARD, A=8, B=-2)
    asks(rule, BASE, A=3, B=5)


def test_with_cleo_only(rule):
    """In the alphabet's order the first of two pays its own payoff; the game is additive, so that no order matters."""
    asks(rule, {"": 0, "A": 6, "B": 0, "C": -2, "AB": 6, "AC": 4, "BC": -2, "ABC": 4}, A=6, B=0, C=-2)
    assert abs(sum(rule(TAXI).values()) - 36) < 1e-9
    asks(rule, {"": 1, "A": 3, "B": 4, "AB": 6}, A=2, B=3)


def test_no_idle(rule):
    asks(rule, TAXI, A=8, B=11, C=17)
    asks(rule, CARD, A=8, B=-2)
    asks(rule, BASE, A=3, B=5)


def test_no_card(rule):
    asks(rule, TAXI, A=8, B=11, C=17)
    asks(rule, IDLE, A=6, B=0)
    asks(rule, BASE, A=3, B=5)


def test_no_base(rule):
    asks(rule, TAXI, A=8, B=11, C=17)
    asks(rule, IDLE, A=6, B=0)
    asks(rule, CARD, A=8, B=-2)


# shapley.mend_worth

def worth_row_by_row(row, background, known):
    total = 0
    for other in np.asarray(background):
        product = 1
        for j in range(len(row)):
            product *= row[j] if known[j] else other[j]
        total += product
    return total / len(background)


def worth_in_two_factors(row, background, known):
    row, background, known = np.asarray(row), np.asarray(background), np.asarray(known)
    return row[known].prod() * background[:, ~known].prod(axis=1).mean()


def turned_round(row, background, known):
    return np.where(known, background, row).prod(axis=1).mean()


def without_the_unknown(row, background, known):
    return np.where(known, row, 1).prod()


def zero_for_unknown(row, background, known):
    return np.where(known, row, 0).prod()


def first_of_the_background(row, background, known):
    return np.where(known, row, background[0]).prod()


def neighbours_only(row, background, known):
    alike = [z for z in np.asarray(background) if all(z[j] == row[j] for j in range(len(row)) if known[j])]
    return np.mean([np.where(known, row, z).prod() for z in alike])


def mean_row(row, background, known):
    """The planted bug, written otherwise."""
    means = np.asarray(background).mean(axis=0)
    return np.prod([row[j] if known[j] else means[j] for j in range(len(row))])


RIGHT = {
    "shapley.recall_rest": [0.24, "24 %", Fraction(6, 25)],
    "shapley.recall_copy": [("A", WHY), ["a)", WHY]],
    "shapley.bill": [[26, 29, 5], {"a": 26, "b": 29.0, "c": 5}, [("A", 26), ("B", 29), ("C", 5)], "26, 29, 5",
                     {"A": "26 euros", "B": "29 euros", "C": "5 euros"}],
    "shapley.divide": [divide_over_coalitions, divide_dividends],
    "shapley.test_rule": [test_with_four_games],
    "shapley.gate": [[3 / 8, -1 / 8], {"x1": "0.375", "x2": "-0.125"}, ["3/8", "-1/8"], {"x1": "3/8", "x2": "−1/8"}],
    "shapley.mend_worth": [worth_row_by_row, worth_in_two_factors],
    "shapley.first": [("B", WHY), ["b.", WHY]],
}

WRONG = {
    "shapley.recall_rest": [("the bars added", 0.06), ("one bar taken off", 0.28), ("the whole", 0.3),
                            ("a ratio", 0.8)],
    "shapley.recall_copy": [("the marginal shuffle", ("b", WHY)), ("halves for twins", ("c", WHY)),
                            ("negative by luck", ("d", WHY))],
    "shapley.bill": [("plain average", [25.5, 28.5, 4.5]), ("in proportion", [30, 30, 0]),
                     ("equal shares", [20, 20, 20]),
                     ("one order", {"A": 30, "B": 18, "C": 12}), ("two orders", [27, 27, 6]),
                     ("not averaged", [156, 174, 30])],
    "shapley.divide": [
        ("plain average", coalitions_alike), ("one order", in_the_alphabet), ("two orders", there_and_back),
        ("equal shares", all_alike), ("in proportion", by_own_ride), ("not averaged", never_divided),
        ("empty coalition forgotten", from_zero), ("borrowed", borrowed_whole)],
    "shapley.test_rule": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_wrong_itself), ("exact equality or order", test_exactly),
        ("misses equal shares", test_sum_only),
        ("misses the plain average", test_two_players_only), ("misses one order", test_with_cleo_only),
        ("misses a lost player", test_no_idle), ("misses negative shares", test_no_card),
        ("misses the base", test_no_base)],
    "shapley.gate": [("halves", [0.125, 0.125]), ("all to the one", [0.25, 0]), ("base forgotten", [0.75, 0.25]),
                     ("the gate AND", [0.125, -0.375]), ("the other way round", [-0.125, 0.375]),
                     ("one order", [0.5, -0.25]), ("each as if first", [0.25, -0.25])],
    "shapley.mend_worth": [
        ("known and unknown swapped", turned_round), ("gap left out", without_the_unknown), ("zeros", zero_for_unknown),
        ("one background row", first_of_the_background), ("only rows that agree", neighbours_only)],
    "shapley.first": [("always the second", ("a", WHY)), ("symmetric gate, symmetric tree", ("c", WHY)),
                      ("a question of depth", ("d", WHY))],
}
