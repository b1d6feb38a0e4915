"""Answers to exercise set 8: right ones written differently from the solution, and wrong ones as students give them."""

import numpy as np

from fi_teach.basics.games import shapley as borrowed_shapley

# shapley.divide

def players_of(pay):
    return sorted(set("".join(pay)))


def divide_dividends(pay):
    """Every coalition's dividend, shared evenly."""
    dividend = {}
    for S in sorted(pay, key=len):
        dividend[S] = pay[S] - sum(d for T, d in dividend.items() if set(T) < set(S))
    return {p: sum(d / len(S) for S, d in dividend.items() if p in S) for p in players_of(pay)}


def borrowed_whole(pay):
    players = players_of(pay)
    shares = borrowed_shapley(lambda S: pay["".join(players[i] for i in sorted(S))], len(players))
    return dict(zip(players, shares, strict=True))


# shapley.test_rule: what is left out lets one bug pass

TAXI = {"": 0, "A": 12, "B": 18, "C": 24, "AB": 24, "AC": 30, "BC": 30, "ABC": 36}
IDLE = {"": 0, "A": 6, "B": 0, "AB": 6}
CARD = {"": 0, "A": 10, "B": 0, "AB": 6}
BASE = {"": 2, "A": 4, "B": 6, "AB": 10}


SHARES = {"taxi": (TAXI, {"A": 8, "B": 11, "C": 17}), "idle": (IDLE, {"A": 6, "B": 0}),
          "card": (CARD, {"A": 8, "B": -2}), "base": (BASE, {"A": 3, "B": 5})}


def asks(rule, pay, shares):
    found = rule(pay)
    assert set(found) == set(shares)
    assert all(abs(found[p] - share) < 1e-9 for p, share in shares.items())


def test_of(*games):
    def test(rule):
        for game in games:
            asks(rule, *SHARES[game])
    return test


def test_that_answers(rule):
    return all(np.allclose([rule(pay).get(p, np.nan) for p in shares], list(shares.values()))
               for pay, shares in SHARES.values())


def test_wrong_itself(rule):
    asks(rule, TAXI, {"A": 12, "B": 12, "C": 12})


def test_exactly(rule):
    assert rule(TAXI) == {"A": 8, "B": 11, "C": 17}


def test_sum_only(rule):
    assert abs(sum(rule(TAXI).values()) - 36) < 1e-9


def test_with_cleo_only(rule):
    """In the alphabet's order the first of two pays its own payoff; the game is additive, so that no order matters."""
    asks(rule, {"": 0, "A": 6, "B": 0, "C": -2, "AB": 6, "AC": 4, "BC": -2, "ABC": 4}, {"A": 6, "B": 0, "C": -2})
    assert abs(sum(rule(TAXI).values()) - 36) < 1e-9
    asks(rule, {"": 1, "A": 3, "B": 4, "AB": 6}, {"A": 2, "B": 3})


# shapley.mend_worth

def worth_in_two_factors(row, background, known):
    row, background, known = np.asarray(row), np.asarray(background), np.asarray(known)
    return row[known].prod() * background[:, ~known].prod(axis=1).mean()


RIGHT = {
    "shapley.recall_rest": ["24 %"],
    "shapley.bill": [{"a": 26, "b": 29.0, "c": 5}],
    "shapley.divide": [divide_dividends],
    "shapley.test_rule": [test_of("taxi", "idle", "card", "base")],
    "shapley.gate": [{"x1": "0.375", "x2": "-0.125"}],
    "shapley.mend_worth": [worth_in_two_factors],
}

WRONG = {
    "shapley.divide": [("borrowed", borrowed_whole)],
    "shapley.test_rule": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_wrong_itself),
        ("exact equality or order", test_exactly),
        ("misses equal shares", test_sum_only),
        ("misses the plain average", test_of("idle", "card", "base")),
        ("misses one order", test_with_cleo_only),
        ("misses a lost player", test_of("taxi", "card", "base")),
        ("misses negative shares", test_of("taxi", "idle", "base")),
        ("misses the base", test_of("taxi", "idle", "card"))],
}
