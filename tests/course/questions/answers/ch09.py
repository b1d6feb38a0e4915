"""Answers to exercise set 9: right ones written differently from the solution."""

from itertools import combinations
from math import factorial

import numpy as np

# treeshap.expect

def expect_in_one_line(tree, row, known):
    try:
        j, low, high, p = tree
    except TypeError:
        return tree
    p = float(row[j] == 0) if j in known else p
    return p * expect_in_one_line(low, row, known) + (1 - p) * expect_in_one_line(high, row, known)


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


# treeshap.mend_ranking

def rank_with_loops(phi):
    phi = np.asarray(phi)
    return [sum(abs(share) for share in column) / len(column) for column in phi.T]


RIGHT = {
    "treeshap.expect": [expect_in_one_line],
    "treeshap.leaf": [leaf_over_coalitions],
    "treeshap.mend_ranking": [rank_with_loops],
}
