"""CHAID: the chi-square test against SciPy, merging, its price, and what each column offers."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency

from fi_teach.data import golf_nominal
from fi_teach.trees import chaid
from fi_teach.trees.chaid import chaid_splits, chi_square, chi_square_p_value, merge_words, ways_to_merge

# --- the test ---------------------------------------------------------------------------------------------------------

def test_the_tail_of_chi_square_is_scipys():
    """1 to 300 degrees of freedom, far left to far right:
    relative error below 1e-11, but where the tail is next to 1."""
    for df, x in product((1, 2, 3, 5, 10, 40, 300), (1e-9, 0.01, 0.5, 1, 3, 10, 45, 200, 600)):
        assert chi_square_p_value(x, df) == pytest.approx(chi2.sf(x, df), rel=1e-11, abs=1e-300)


def test_the_statistic_is_scipys():
    """Without the continuity correction, to 1e-10; empty rows and columns do not count."""
    for seed in range(10):
        table = np.random.default_rng(seed).integers(1, 30, size=(4, 3))
        expected = chi2_contingency(table, correction=False)
        statistic, df = chi_square(np.pad(table, 1))
        assert df == expected.dof and statistic == pytest.approx(expected.statistic, abs=1e-10)
        assert chi_square_p_value(statistic, df) == pytest.approx(expected.pvalue, abs=1e-12)
    assert chi_square([[3, 0]]) == (0.0, 0)


# --- merging, and its price -------------------------------------------------------------------------------------------

def partitions(n_words, n_groups, ordered):
    """All ways to merge words into groups, by trying every labelling."""
    ways = set()
    for label in product(range(n_groups), repeat=n_words):
        groups = frozenset(frozenset(i for i in range(n_words) if label[i] == g) for g in range(n_groups))
        neighbours = all(max(g) - min(g) == len(g) - 1 for g in groups if g)
        if frozenset() not in groups and (neighbours or not ordered):
            ways.add(groups)
    return len(ways)


@pytest.mark.parametrize("ordered", [True, False])
def test_the_price_counts_the_ways_to_merge(ordered):
    """Equal to counting all partitions, up to five words."""
    for n_words in range(1, 6):
        for n_groups in range(1, n_words + 1):
            assert ways_to_merge(n_words, n_groups, ordered=ordered) == partitions(n_words, n_groups, ordered)


def test_a_price_that_no_float_can_hold_is_paid_all_the_same():
    """1,011 words in two groups: 2^1010 - 1 ways; 3,000 words: 2^2999 - 1."""
    adjusted = chaid._bonferroni(1e-306, ways_to_merge(1011, 2))
    assert adjusted == pytest.approx(np.exp(np.log(1e-306) + 1010 * np.log(2)))
    assert chaid._bonferroni(0.5, ways_to_merge(3000, 2)) == 1.0
    assert chaid._bonferroni(0.0, ways_to_merge(3000, 2)) == 0.0


def test_words_that_answer_alike_are_merged_and_others_are_not():
    """Four words in two pairs of equal rates: two groups, found whatever the order; neighbours only, if ordered."""
    column = np.repeat(["a", "b", "c", "d"], 40)
    y = np.concatenate([np.arange(40) < k for k in (8, 32, 8, 32)])
    assert {frozenset(group) for group in merge_words(column, y)} == {frozenset("ac"), frozenset("bd")}
    assert len(merge_words(column, y, ordered=True)) == 4
    y = np.concatenate([np.arange(40) < k for k in (8, 8, 32, 32)])
    assert merge_words(column, y, ordered=True) == (("a", "b"), ("c", "d"))


def merge_by_definition(column, y, alpha):
    """Test every pair anew before every merger."""
    groups = [(word,) for word in np.unique(column).tolist()]
    y = np.asarray(y)
    while len(groups) > 2:
        counts = [[(np.isin(column, group) & (y == label)).sum() for label in np.unique(y)] for group in groups]
        pairs = [(a, b) for b in range(len(groups)) for a in range(b)]
        p, a, b = max((chi_square_p_value(*chi_square([counts[a], counts[b]])), -a, -b) for a, b in pairs)
        if p <= alpha:
            break
        groups[-a] += groups.pop(-b)
    return tuple(groups)


def test_pairs_that_are_remembered_merge_as_pairs_that_are_tested_anew():
    rates = np.array([0.1, 0.1, 0.5, 0.9, 0.9, 0.2, 0.6, 0.3, 0.8])
    for seed in range(10):
        rng = np.random.default_rng(seed)
        column = rng.integers(0, 9, 150)
        y = rng.random(150) < rates[column]
        assert merge_words(column, y) == merge_by_definition(column, y, 0.05)


def test_no_pair_of_groups_is_tested_twice(monkeypatch):
    """60 words of one row each: n (n - 1) / 2 pairs at first, then those of the grown group alone."""
    tested = []
    monkeypatch.setattr(chaid, "chi_square_p_value",
                        lambda statistic, df: tested.append(df) or chi_square_p_value(statistic, df))
    n = 60
    split = chaid_splits(pd.DataFrame({"id": [f"w{k}" for k in range(n)]}), np.arange(n) % 2)[0]
    assert len(split.groups) == 2 and 0 <= split.adjusted <= 1
    assert len(tested) <= n * (n - 1)  # testing all pairs anew takes n^3 / 6 = 36,000


# --- columns ----------------------------------------------------------------------------------------------------------

def test_golf_is_too_small_for_chaid():
    """Fourteen days: no column comes near 5 %; Humidity (p = .094) is first."""
    splits = chaid_splits(*golf_nominal())
    assert min(split.adjusted for split in splits) > 0.05
    assert min(splits, key=lambda split: split.adjusted).column == "Humidity"


def test_noise_passes_the_test_no_more_often_than_the_level_says():
    """200 tables of noise with one column of two, one of five words: at 5 % on each column, with Bonferroni's price for
    merging, one of them passes in at most 10 % + 4 standard errors of them; entropy would split every one."""
    passes = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"two": rng.choice(list("ab"), 80), "five": rng.choice(list("abcde"), 80)})
        passes += min(split.adjusted for split in chaid_splits(X, rng.integers(0, 2, 80))) <= 0.05
    assert passes / 200 <= 0.10 + 4 * np.sqrt(0.10 * 0.90 / 200)


def test_a_planted_signal_is_found_and_its_words_are_merged():
    """y depends on whether the colour is red or blue: two groups, whatever the other column does."""
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green", "white"], 300)
    y = rng.random(300) < np.where(np.isin(colour, ["red", "blue"]), 0.9, 0.1)
    X = pd.DataFrame({"noise": rng.choice(list("abcdef"), 300), "colour": colour})
    noise, signal = chaid_splits(X, y)
    assert signal.adjusted < 1e-10 < noise.adjusted
    assert {frozenset(group) for group in signal.groups} == {frozenset({"red", "blue"}), frozenset({"green", "white"})}


def test_only_neighbours_merge_where_words_have_an_order():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"size": rng.integers(0, 5, 200), "side": rng.choice(["left", "right"], 200)})
    split = chaid_splits(X, X["size"] >= 3, ordered=["size"])[0]
    assert split.groups == ((0, 1, 2), (3, 4)) and split.adjusted == min(1.0, 4 * split.p_value)
