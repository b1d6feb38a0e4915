"""Answers to exercise set 2: right ones written differently from the solution, and wrong ones as students give them."""

import math

import numpy as np
import pandas as pd

from fi_teach.basics.impurity import entropy as borrowed_entropy
from fi_teach.data import golf
from fi_teach.trees.c45 import gain_ratio as borrowed_ratio

# golf.entropy

def entropy_with_arrays(counts):
    p = np.asarray(counts, float)
    p = p[p > 0] / p.sum()
    return p @ np.log2(1 / p)


def entropy_by_change_of_base(counts):
    n = sum(counts)
    return (n * math.log(n) - sum(c * math.log(c) for c in counts if c)) / n / math.log(2)


def entropy_of_arrays_only(counts):
    p = counts[counts > 0] / counts.sum()
    return -(p * np.log2(p)).sum()


# golf.gain_ratio

def ratio_with_arrays(branches):
    table = np.asarray(branches, float)
    entropies = [entropy_with_arrays(b) for b in table]
    gain = entropy_with_arrays(table.sum(axis=0)) - np.average(entropies, weights=table.sum(axis=1))
    return gain / entropy_with_arrays(table.sum(axis=1))


def borrowed_whole(branches):
    y = np.concatenate([np.repeat(np.arange(len(b)), b) for b in np.asarray(branches)])
    branch = np.repeat(np.arange(len(branches)), np.sum(branches, axis=1))
    return borrowed_ratio(y, branch)


# golf.mend_rules

def look_it_up(*day):
    X, y = golf()
    return y[(X.to_numpy() == day).all(axis=1)].item()


def branches_summed(branches):
    """`sum` adds arrays class by class; it cannot add lists to 0."""
    mean = sum(sum(b) / np.sum(branches) * entropy_with_arrays(b) for b in branches)
    sizes = [sum(b) for b in branches]
    return (entropy_with_arrays(sum(branches)) - mean) / entropy_with_arrays(sizes)


# golf.test_shares

def test_that_answers(f):
    decreases = pd.Series({"a": 1.0, "b": 2.0, "c": 0.0, "d": 4.0})
    return np.allclose((decreases / decreases.sum()).to_numpy(),
                       pd.Series(f(decreases.to_dict())).reindex(list("abcd"), fill_value=np.nan))


def test_wrong_itself(f):
    assert abs(f({"a": 1, "b": 3})["a"] - 1 / 3) < 1e-9


def test_exactly(f):
    assert f({"a": 1, "b": 2, "c": 4}) == {"a": 1 / 7, "b": 2 / 7, "c": 4 / 7}


def test_only_order(f):
    found = f({"a": 1, "b": 2, "c": 0})
    assert (found["a"] < found["b"] <= 1 and found["c"] == 0) or abs(found["c"]) < 1e-9


def test_ratio_of_two(f):
    found = f({"a": 4, "b": 12, "c": 0})
    assert abs(found["b"] / found["a"] - 3) < 1e-9 and found["b"] < 1 and abs(found["c"]) < 1e-9


def test_no_zero(f):
    assert abs(f({"a": 1, "b": 2})["a"] - 1 / 3) < 1e-9


def test_round_shares(f):
    found = f({"a": 1, "b": 3, "c": 0})
    assert abs(found["a"] - 0.25) < 1e-9 and abs(found["c"]) < 1e-9


def test_zero_exactly(f):
    assert f({"Outlook": 4, "Wind": 1, "Temperature": 0})["Temperature"] == 0
    assert abs(f({"a": 2, "b": 3, "c": 6})["b"] - 3 / 11) < 1e-9


def test_of_thirds(f):
    found = f({"a": 1, "b": 1, "c": 1, "d": 0})
    assert len(found) == 4 and abs(found["b"] - 1 / 3) < 1e-9


def test_of_ones_and_zeros(f):
    """The order of uneven shares, and the sum: squares pass."""
    found = f({"a": 1, "b": 2, "c": 4, "d": 0})
    assert found["a"] < found["b"] < found["c"] and len(found) == 4
    assert abs(sum(found.values()) - 1) < 1e-9
    assert abs(f({"a": 1, "b": 1, "c": 1})["b"] - 1 / 3) < 1e-9


RIGHT = {
    "golf.recall_below": ["20 %"],
    "golf.entropy": [entropy_by_change_of_base],
    "golf.gain": [(0.081, "bits")],
    "golf.gain_ratio": [ratio_with_arrays],
    "golf.recode": [(0.2260, "Bits")],
    "golf.tied_leaf": ["1.510"],
    "golf.shares": [{"day": 0.29, "sky": 0.44, "wind": 0.27, "warmth": 0}],
    "golf.mend_rules": [look_it_up],
    "golf.test_shares": [test_zero_exactly],
}

WRONG = {
    "golf.entropy": [
        ("right for arrays only", entropy_of_arrays_only), ("borrowed", lambda counts: borrowed_entropy(counts))],
    "golf.gain": [("wrong unit", (0.081, "nats"))],
    "golf.gain_ratio": [
        ("right for arrays only", branches_summed), ("borrowed", borrowed_whole),
        ("upside down", lambda branches: 1 / ratio_with_arrays(branches))],
    "golf.recode": [("wrong unit", (0.226, "nats"))],
    "golf.test_shares": [
        ("returns what it should assert", test_that_answers), ("refuses a right one", test_wrong_itself),
        ("exact equality or order", test_exactly), ("misses the largest as 1", test_only_order),
        ("misses another total", test_ratio_of_two), ("misses a lost feature", test_no_zero),
        ("misses cut-off decimals", test_round_shares), ("misses equal shares", test_of_thirds),
        ("misses squared decreases", test_of_ones_and_zeros)],
}
