"""CHAID: the chi-square test against SciPy, merging, its price, and a tree that may refuse to grow."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency

from fi_teach.data import golf_nominal
from fi_teach.trees.chaid import chaid_splits, chi_square, chi_square_p_value, grow_chaid, merge_words, ways_to_merge


def test_the_tail_of_chi_square_is_scipys():
    """1 to 300 degrees of freedom, far left to far right: relative error below 1e-11, but where the tail is next to 1."""
    for df, x in product((1, 2, 3, 5, 10, 40, 300), (1e-9, 0.01, 0.5, 1, 3, 10, 45, 200, 600)):
        assert chi_square_p_value(x, df) == pytest.approx(chi2.sf(x, df), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("seed", range(10))
def test_the_statistic_is_scipys(seed):
    """Without the continuity correction, to 1e-10."""
    table = np.random.default_rng(seed).integers(1, 30, size=(4, 3))
    expected = chi2_contingency(table, correction=False)
    statistic, df = chi_square(table)
    assert df == expected.dof and statistic == pytest.approx(expected.statistic, abs=1e-10)
    assert chi_square_p_value(statistic, df) == pytest.approx(expected.pvalue, abs=1e-12)


def test_empty_rows_and_columns_of_a_table_do_not_count():
    assert chi_square([[4, 0, 1], [0, 0, 3], [0, 0, 0]]) == chi_square([[4, 1], [0, 3]])
    assert chi_square([[3, 0]]) == (0.0, 0)


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


def test_words_that_answer_alike_are_merged_and_others_are_not():
    """Four words in two pairs of equal rates: two groups, found whatever the order; neighbours only, if ordered."""
    column = np.repeat(["a", "b", "c", "d"], 40)
    y = np.concatenate([np.arange(40) < k for k in (8, 32, 8, 32)])
    assert {frozenset(group) for group in merge_words(column, y)} == {frozenset("ac"), frozenset("bd")}
    assert len(merge_words(column, y, ordered=True)) == 4
    y = np.concatenate([np.arange(40) < k for k in (8, 8, 32, 32)])
    assert merge_words(column, y, ordered=True) == (("a", "b"), ("c", "d"))


def test_golf_is_too_small_for_chaid():
    """Fourteen days: no column comes near 5 %, so the tree is one leaf; at 30 % Humidity (p = .094) is first."""
    X, y = golf_nominal()
    assert min(split.adjusted for split in chaid_splits(X, y)) > 0.05
    assert grow_chaid(X, y).n_nodes == 1 and grow_chaid(X, y).predict(X).tolist() == ["Yes"] * 14
    assert grow_chaid(X, y, alpha_split=0.3).feature[0] == 2


def test_noise_is_split_no_more_often_than_the_level_says():
    """200 tables of noise with one column of two, one of five words: a root split at 5 % on each column with Bonferroni
    merging happens in at most 10 % + 4 standard errors of them; entropy would split every one."""
    splits = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame({"two": rng.choice(list("ab"), 80), "five": rng.choice(list("abcde"), 80)})
        splits += grow_chaid(X, rng.integers(0, 2, 80), max_depth=1).n_nodes > 1
    assert splits / 200 <= 0.10 + 4 * np.sqrt(0.10 * 0.90 / 200)


def test_a_planted_signal_is_found_and_its_words_are_merged():
    """y depends on whether the colour is red or blue: two groups, whatever the other column does."""
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "blue", "green", "white"], 300)
    y = rng.random(300) < np.where(np.isin(colour, ["red", "blue"]), 0.9, 0.1)
    X = pd.DataFrame({"noise": rng.choice(list("abcdef"), 300), "colour": colour})
    tree = grow_chaid(X, y)
    assert tree.feature[0] == 1 and tree.branches[0]["red"] == tree.branches[0]["blue"] != tree.branches[0]["green"]
    assert (tree.predict(X) == y).mean() > 0.85


def test_limits_and_orders_are_kept():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"size": rng.integers(0, 5, 200), "side": rng.choice(["left", "right"], 200)})
    y = (X["size"] >= 3) ^ (X["side"] == "left")
    tree = grow_chaid(X, y, ordered=["size"], max_depth=1)
    assert tree.n_nodes > 1 and all(len(branches) == 0 for branches in tree.branches[1:])
    split = chaid_splits(X, X["size"] >= 3, ordered=["size"])[0]
    assert split.groups == ((0, 1, 2), (3, 4)) and split.adjusted == min(1.0, 4 * split.p_value)
    assert grow_chaid(X, y, min_samples_leaf=150).n_nodes == 1


@pytest.mark.parametrize(("arguments", "options", "advice"), [
    ((pd.DataFrame({"a": ["x", "y"]}), [1, 1]), {}, "one class"),
    ((pd.DataFrame({"a": ["x", "y"]}), [0, 1, 1]), {}, "2 rows"),
    ((pd.DataFrame({"a": [0.5, 1]}), [0, 1]), {}, "pd.cut"),
    (([["x"], ["y"]], [0, 1]), {}, "DataFrame"),
    ((pd.DataFrame({"a": ["x", "y"]}), [0, 1]), {"alpha_split": 5}, "alpha_split"),
    ((pd.DataFrame({"a": ["x", "y"]}), [0, 1]), {"alpha_merge": 0}, "alpha_merge"),
    ((pd.DataFrame({"a": ["x", "y"]}), [0, 1]), {"ordered": ["b"]}, "'b'"),
    ((pd.DataFrame({"a": ["x", "y"]}), [0, 1]), {"max_depth": -1}, "max_depth"),
])
def test_what_cannot_be_tested_is_refused_with_advice(arguments, options, advice):
    with pytest.raises(ValueError, match=advice):
        grow_chaid(*arguments, **options)


def test_a_negative_statistic_is_refused():
    for statistic, df in ((-1, 2), (1, -2), (np.nan, 1)):
        with pytest.raises(ValueError, match=">= 0"):
            chi_square_p_value(statistic, df)
