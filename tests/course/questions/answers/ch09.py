"""Answers to exercise set 9: right ones written differently from the solution, and wrong ones as students give them."""

from itertools import combinations
from math import factorial

import numpy as np

from fi_teach.basics.games import shapley as borrowed_shapley

WHY = "because of what is known and what is asked"


# treeshap.expect

def expect_leaf_by_leaf(tree, row, known):
    """Every leaf with the chance of reaching it."""
    total, stack = 0.0, [(tree, 1.0)]
    while stack:
        node, chance = stack.pop()
        if not isinstance(node, list | tuple):
            total += chance * node
            continue
        feature, low, high, share_low = node
        p_low = (1 - row[feature]) if feature in known else share_low
        stack += [(low, chance * p_low), (high, chance * (1 - p_low))]
    return total


def expect_in_one_line(tree, row, known):
    try:
        j, low, high, p = tree
    except TypeError:
        return tree
    p = float(row[j] == 0) if j in known else p
    return p * expect_in_one_line(low, row, known) + (1 - p) * expect_in_one_line(high, row, known)


def walk(weigh):
    """An answer whose weight of the low branch is weigh(known?, bit, share)."""
    def expect(tree, row, known):
        if not isinstance(tree, tuple):
            return tree
        j, low, high, share = tree
        p = weigh(j in known, row[j], share)
        return p * expect(low, row, known) + (1 - p) * expect(high, row, known)
    return expect


both_alike = walk(lambda known, bit, share: 1 - bit if known else 0.5)
high_share = walk(lambda known, bit, share: 1 - bit if known else 1 - share)
always_the_row = walk(lambda known, bit, share: 1 - bit)
always_the_rows = walk(lambda known, bit, share: share)
the_other_way_round = walk(lambda known, bit, share: share if known else 1 - bit)
the_other_branch = walk(lambda known, bit, share: bit if known else share)
where_most_went = walk(lambda known, bit, share: 1 - bit if known else float(share >= 0.5))


# treeshap.leaf

def leaf_over_coalitions(value, a, b):
    d, shares = len(a), []
    for i in range(d):
        others, share = [j for j in range(d) if j != i], 0.0
        for s in range(d):
            for S in combinations(others, s):
                rest = np.prod([a[j] if j in S else b[j] for j in others])
                share += factorial(s) * factorial(d - s - 1) / factorial(d) * rest
        shares.append(value * (a[i] - b[i]) * share)
    return shares


def leaf_by_polynomial(value, a, b):
    """The integrand multiplied out, and integrated power by power."""
    shares = []
    for i in range(len(a)):
        product = np.polynomial.Polynomial([1.0])
        for j in range(len(a)):
            if j != i:
                product *= np.polynomial.Polynomial([b[j], a[j] - b[j]])
        shares.append(value * (a[i] - b[i]) * product.integ()(1.0))
    return np.array(shares)


def leaf_at_time(value, a, b, times):
    a, b = np.array(a, float), np.array(b, float)
    found = []
    for i in range(len(a)):
        products = [np.prod(np.delete(t * a + (1 - t) * b, i)) for t in times]
        found.append(value * (a[i] - b[i]) * np.mean(products))
    return found


def leaf_banzhaf(value, a, b):
    return leaf_at_time(value, a, b, [0.5])


def leaf_last(value, a, b):
    return leaf_at_time(value, a, b, [1.0])


def leaf_first(value, a, b):
    return leaf_at_time(value, a, b, [0.0])


def leaf_left_to_right(value, a, b):
    shares, now = [], value * np.prod(b)
    for i in range(len(a)):
        then = value * np.prod([*a[:i + 1], *b[i + 1:]])
        shares.append(then - now)
        now = then
    return shares


def leaf_alike(value, a, b):
    return [value * (np.prod(a) - np.prod(b)) / len(a)] * len(a)


def leaf_of_single_bits(value, a, b):
    return [value * (bit - chance) for bit, chance in zip(a, b, strict=True)]


def leaf_turned_round(value, a, b):
    return leaf_over_coalitions(value, b, a)


def leaf_without_stand_in(value, a, b):
    return leaf_over_coalitions(value, a, [0] * len(a))


def leaf_from_minus_one(value, a, b):
    a, b = np.array(a), np.array(b)
    nodes, weights = np.polynomial.legendre.leggauss(5)
    factors = [nodes * a_j + (1 - nodes) * b_j for a_j, b_j in zip(a, b, strict=True)]
    others = [np.prod(factors[:i] + factors[i + 1:] + [np.ones(5)], axis=0) for i in range(len(a))]
    return value * (a - b) * (np.array(others) @ weights)


def leaf_borrowed(value, a, b):
    a, b = np.array(a), np.array(b)
    return borrowed_shapley(lambda S: value * np.prod([a[j] if j in S else b[j] for j in range(len(a))]), len(a))


# treeshap.mend_ranking

def rank_with_loops(phi):
    phi = np.asarray(phi)
    return [sum(abs(share) for share in column) / len(column) for column in phi.T]


def rank_by_parts(phi):
    phi = np.array(phi, dtype=float)
    return (phi.clip(min=0) + (-phi).clip(min=0)).mean(0)


def rank_summed(phi):
    return np.abs(phi).sum(axis=0)


def rank_of_rows(phi):
    return np.abs(phi).mean(axis=1)


def rank_of_all(phi):
    return float(np.mean(np.abs(phi)))


def rank_of_squares(phi):
    return np.sqrt(np.mean(np.square(phi), axis=0))


def rank_to_one(phi):
    size = np.abs(phi).mean(axis=0)
    return size / size.sum()


def rank_with_sign(phi):
    return np.mean(phi, axis=0)


RIGHT = {
    "treeshap.recall_last": [5.0, "5"],
    "treeshap.recall_shuffle": [("C", WHY), ["c)", WHY]],
    "treeshap.three": [[0.225, 0.1, 0.225], "9/40, 1/10, 9/40",
                       {"conditional": "0.225", "interventional": 1 / 10, "path-dependent": 9 / 40}],
    "treeshap.which_call": [("B", WHY), "b because no rows are given"],
    "treeshap.caption": [("D", WHY), "d: rows are given, 100 are kept, margins are divided"],
    "treeshap.regrown": [("B", WHY), ["b.", WHY]],
    "treeshap.expect": [expect_leaf_by_leaf, expect_in_one_line],
    "treeshap.leaf": [leaf_over_coalitions, leaf_by_polynomial],
    "treeshap.mend_ranking": [rank_with_loops, rank_by_parts],
}

WRONG = {
    "treeshap.recall_last": [("base forgotten", 15), ("minus sign lost", -9), ("the payout", 2)],
    "treeshap.recall_shuffle": [("the marginal one", ("a", WHY)), ("model decides alone", ("b", WHY)),
                                ("noise", ("d", WHY))],
    "treeshap.three": [
        ("the dry bit's shares", [-0.525, -0.4, -0.525]), ("first order only", [0.45, 0.2, 0.45]),
        ("the wet morning", [0.425, 0.4, 0.525]),
        ("path taken for marginal", [0.225, 0.1, 0.1]), ("halves", [-0.15, -0.15, -0.15]),
        ("first order only", [0.225, 0.2, 0.225]), ("the dry bit's shares", ["9/40", "1/10", "-21/40"]),
        ("marginal taken for path", [0.225, 0.225, 0.225]), ("worth, not gain", ["3/4", "1/2", "3/4"]),
        ("worth, not gain", [0.225, 0.5, 0.225])],
    "treeshap.which_call": [("one name, one game", ("a", WHY)), ("data means background", ("c", WHY)),
                            ("the class decides", ("d", WHY))],
    "treeshap.caption": [
        ("background overlooked", ("a", WHY)), ("all rows", ("b", WHY)), ("probability", ("c", WHY))],
    "treeshap.regrown": [("exact, so equal", ("a", WHY)), ("background changes", ("c", WHY)),
                         ("both change", ("d", WHY))],
    "treeshap.expect": [
        ("branches alike", both_alike), ("shares swapped", high_share), ("the prediction", always_the_row),
        ("nothing is known", always_the_rows), ("known and unknown swapped", the_other_way_round),
        ("only the likelier branch", where_most_went),
        ("low and high swapped", the_other_branch)],
    "treeshap.leaf": [
        ("plain average", leaf_banzhaf), ("last to arrive", leaf_last), ("first to arrive", leaf_first),
        ("one order", leaf_left_to_right),
        ("equal shares", leaf_alike), ("times from -1 to 1", leaf_from_minus_one),
        ("stand-in forgotten", leaf_without_stand_in),
        ("the others left out", leaf_of_single_bits), ("row and stand-in swapped", leaf_turned_round),
        ("borrowed", leaf_borrowed)],
    "treeshap.mend_ranking": [
        ("sum", rank_summed), ("mean over features", rank_of_rows), ("one number", rank_of_all),
        ("root mean square", rank_of_squares),
        ("normalised", rank_to_one), ("no absolute value", rank_with_sign)],
}
