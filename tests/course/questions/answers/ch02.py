"""Answers to exercise set 2: right ones written differently from the solution, and wrong ones as students give them."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.basics.impurity import entropy as borrowed_entropy
from fi_teach.data import golf
from fi_teach.trees.c45 import gain_ratio as borrowed_ratio

WHY = "because of the counts on either side"


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


def zero_for_an_absent_class(counts):
    return entropy_with_arrays(counts) if all(counts) else 0


def entropy_of_lists_only(counts):
    """Uses what only a list has."""
    return -sum(Fraction(c, sum(counts)) * math.log2(c / sum(counts)) for c in counts if counts.count(c) and c)


def nats(counts):
    p = np.asarray(counts, float)
    p = p[p > 0] / p.sum()
    return -(p * np.log(p)).sum()


def base_10(counts):
    return -sum(c / sum(counts) * math.log10(c / sum(counts)) for c in counts if c)


def nan_for_an_absent_class(counts):
    p = np.asarray(counts, float) / np.sum(counts)
    return -(p * np.log2(p)).sum()


def error_for_an_absent_class(counts):
    return -sum(c / sum(counts) * math.log2(c / sum(counts)) for c in counts)


def logarithm_of_counts(counts):
    return -sum(c * math.log2(c) for c in counts if c)


def no_minus(counts):
    return -entropy_with_arrays(counts)


def sum_of_surprises(counts):
    return sum(math.log2(sum(counts) / c) for c in counts if c)


def scaled_to_one(counts):
    return entropy_with_arrays(counts) / math.log2(len(counts))


def gini(counts):
    return 1 - sum((c / sum(counts)) ** 2 for c in counts)


# golf.gain_ratio

def ratio_with_arrays(branches):
    table = np.asarray(branches, float)
    entropies = [entropy_with_arrays(b) for b in table]
    gain = entropy_with_arrays(table.sum(axis=0)) - np.average(entropies, weights=table.sum(axis=1))
    return gain / entropy_with_arrays(table.sum(axis=1))


def ratio_as_mutual_information(branches):
    """H(branch) + H(class) - H(both), over H(branch)."""
    table = np.asarray(branches)
    sizes = entropy_with_arrays(table.sum(axis=1))
    return (sizes + entropy_with_arrays(table.sum(axis=0)) - entropy_with_arrays(table.ravel())) / sizes


def gain_in(branches, entropy=entropy_with_arrays):
    table = np.asarray(branches)
    return entropy(table.sum(axis=0)) - sum(b.sum() / table.sum() * entropy(b) for b in table)


def sizes_in(branches, entropy=entropy_with_arrays):
    return entropy(np.asarray(branches).sum(axis=1))


def mean_of_branches(branches):
    table = np.asarray(branches)
    return (entropy_with_arrays(table.sum(axis=0))
            - np.mean([entropy_with_arrays(b) for b in table])) / sizes_in(branches)


def borrowed_whole(branches):
    y = np.concatenate([np.repeat(np.arange(len(b)), b) for b in np.asarray(branches)])
    branch = np.repeat(np.arange(len(branches)), np.sum(branches, axis=1))
    return borrowed_ratio(y, branch)


# golf.mend_rules

def nominal_tree(outlook, temperature, humidity, wind):
    if outlook == 1:
        return "yes" if humidity == 2 else "no"
    return "yes" if outlook == 2 or wind == 1 else "no"


def look_it_up(*day):
    X, y = golf()
    return y[(day == X).all(axis=1)].item()


def first_mended(outlook, temperature, humidity, wind):
    if humidity > 1:
        return "No" if wind > 1 and outlook > 2 else "Yes"
    return "No" if outlook <= 1 else "Yes"


def second_mended(outlook, temperature, humidity, wind):
    if humidity > 1:
        return "Yes"
    return "No" if outlook <= 1 or (wind > 1 and outlook > 2) else "Yes"


def windy_days_off(outlook, temperature, humidity, wind):
    return "No" if wind > 1 or (humidity <= 1 and outlook <= 1) else "Yes"


def always(outlook, temperature, humidity, wind):
    return "Yes"


def branches_summed(branches):
    """`sum` adds arrays class by class; it cannot add lists to 0."""
    mean = sum(sum(b) / np.sum(branches) * entropy_with_arrays(b) for b in branches)
    sizes = [sum(b) for b in branches]
    return (entropy_with_arrays(sum(branches)) - mean) / entropy_with_arrays(sizes)


# golf.test_shares

def test_by_hand(f):
    found = f({"a": 1, "b": 2, "c": 0, "d": 8})
    assert len(found) == 4
    for key, share in {"a": 1 / 11, "b": 2 / 11, "c": 0, "d": 8 / 11}.items():
        assert math.isclose(found[key], share, abs_tol=1e-9)


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
    "golf.recall_below": [0.2, Fraction(1, 5), "20 %"],
    "golf.recall_cuts": [("C", WHY), ["c)", WHY]],
    "golf.predict_root": [("C", WHY), pd.Series(["c", WHY])],
    "golf.entropy": [entropy_with_arrays, entropy_by_change_of_base, entropy_of_lists_only],
    "golf.gain": [0.08, 0.0808, (0.081, "bits"), [0.081], "0.081 bits a day", "0.08 bits/day"],
    "golf.gain_ratio": [ratio_with_arrays, ratio_as_mutual_information],
    "golf.recode": [0.226, 0.23, (0.2260, "Bits")],
    "golf.tied_leaf": [1.51, 6 * 0.918 - 4, "1.510", (1.51, "bits times days")],
    "golf.shares": [[0.29, 0.436, 0.273], {"day": 0.29, "sky": 0.44, "wind": 0.27, "warmth": 0}, "0.29, 0.436, 0.273",
                    [["Day", 0.29], ["Sky", 0.436], ["Wind", 0.273]],
                    pd.DataFrame({"Wind": [0.273], "Sky": [0.436], "Day": ["29 %"]})],
    "golf.whose_total": [("B", WHY), ["b.", WHY]],
    "golf.mend_rules": [nominal_tree, look_it_up],
    "golf.test_shares": [test_by_hand, test_zero_exactly],
}

WRONG = {
    "golf.recall_below": [("node weight forgotten", 0.32), ("in rows", 1.6), ("the other rows", 0.12)],
    "golf.recall_cuts": [("a mixed value has two sides", ("a", WHY)), ("a boundary overlooked", ("b", WHY)),
                         ("threshold on a data point", ("d", WHY))],
    "golf.predict_root": [("the answer for categories", ("a", WHY)), ("more values, more information?", ("b", WHY)),
                          ("a good story", ("d", WHY))],
    "golf.entropy": [
        ("entropy in nats", nats), ("entropy in base 10", base_10), ("a class that is absent", nan_for_an_absent_class),
        ("a class that is absent", error_for_an_absent_class), ("counts for shares", logarithm_of_counts),
        ("sign", no_minus),
        ("not averaged", sum_of_surprises), ("scaled to 1", scaled_to_one), ("Gini, not entropy", gini),
        ("a class that is absent", zero_for_an_absent_class), ("right for arrays only", entropy_of_arrays_only),
        ("borrowed", lambda counts: borrowed_entropy(counts))],
    "golf.gain": [
        ("gain in nats", 0.056), ("in bits times days", 1.455), ("what is left", 0.883),
            ("the parent is not one bit", 0.1167),
        ("one child forgotten", 0.7474), ("one child forgotten", 0.2974), ("children taken off in full", -0.686),
        ("children counted alike", 0.139), ("Gini, not entropy", 0.0494), ("wrong unit", (0.081, "nats"))],
    "golf.gain_ratio": [
        ("gain, not ratio", gain_in), ("split information in nats", lambda b: gain_in(b) / sizes_in(b, nats)),
        ("gain in nats", lambda b: gain_in(b, nats) / sizes_in(b)),
        ("divided by the classes' entropy", lambda b: gain_in(b) / entropy_with_arrays(np.sum(b, axis=0))),
        ("divided by the branches", lambda b: gain_in(b) / len(b)), ("branches not weighted", mean_of_branches),
        ("upside down", lambda b: sizes_in(b) / gain_in(b)), ("right for arrays only", branches_summed),
        ("borrowed", borrowed_whole)],
    "golf.recode": [("the old order", 0.102), ("three branches", 0.2467), ("gain in nats", 0.157),
                    ("what is left", 0.714),
                    ("in bits times days", 3.164), ("wrong unit", (0.226, "nats"))],
    "golf.tied_leaf": [("forgetting the leaf", 5.51), ("the leaf not weighted", 4.51), ("a day's decrease", 0.2516),
                       ("a share of all days", 0.084), ("the other split", 0.755)],
    "golf.shares": [
        ("forgetting the leaf", {"Day": 0.19, "Sky": 0.4, "Wind": 0.41}), ("one leaf of two", [0.215, 0.323, 0.463]),
        ("one leaf of two", [0.247, 0.521, 0.232]), ("not normalised", [3.296, 4.955, 3.104]),
        ("the last split only", [0.593, 0.136, 0.271]), ("mean of the splits", [0.45, 0.338, 0.212]),
        ("another tree's total", [0.19, 0.2855, 0.179]),
        ("per cent without its sign", {"Day": 29.03, "Sky": 43.64, "Wind": 27.33})],
    "golf.whose_total": [("a sum is no witness", ("a", WHY)), ("one leaf overlooked", ("c", WHY)),
                         ("a sum that telescopes", ("d", WHY))],
    "golf.mend_rules": [("one day left", first_mended), ("one day left", second_mended),
                        ("every windy day", windy_days_off),
                        ("the majority", always)],
    "golf.test_shares": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_wrong_itself), ("exact equality or order", test_exactly),
        ("misses the largest as 1", test_only_order),
        ("misses another total", test_ratio_of_two), ("misses a lost feature", test_no_zero),
            ("misses cut-off decimals", test_round_shares),
        ("misses equal shares", test_of_thirds), ("misses squared decreases", test_of_ones_and_zeros)],
}
