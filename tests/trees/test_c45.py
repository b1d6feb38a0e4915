"""C4.5: the four trees behind golf's ties, the pieces, and the same table in words.

The figures of the post are claims, which chapter 2 and appendix 1 settle.
"""

import numpy as np
import pandas as pd
import pytest
from definitions import every_split

from fi_teach.basics.impurity import entropy
from fi_teach.basics.nominal import NominalTree
from fi_teach.data import golf, golf_nominal
from fi_teach.importance.mdi import mdi
from fi_teach.trees.c45 import (
    best_by_gain_ratio,
    every_c45_tree,
    gain,
    gain_ratio,
    grow_c45,
    grow_cut_once,
    split_information,
    threshold_gains,
)

# --- golf -------------------------------------------------------------------------------------------------------------

def test_golf_has_four_equally_good_c45_trees_of_which_grow_c45_grows_the_first():
    """GLF-07: Outlook .477, .535, .581 or .639 of the importance."""
    X, y = golf()
    trees = list(every_c45_tree(X, y))
    assert sorted(mdi(tree).mean[0].round(3) for tree in trees) == [0.477, 0.535, 0.581, 0.639]
    assert all((tree.predict(X) == y).all() and tree.criterion == "entropy" for tree in trees)
    assert trees[0] == grow_c45(X, y)


def test_columns_cut_once_at_the_root_grow_the_printed_tree():
    """GLF-06, GLF-07: decreases 4.406, 0, 2.126, 2.632 of 9.164 bits times rows; two leaves stay mixed."""
    X, y = golf()
    tree = grow_cut_once(X, y)
    np.testing.assert_allclose(14 * mdi(tree, normalize=False).mean, [4.406, 0, 2.126, 2.632], atol=5e-4)
    assert (tree.threshold[~tree.is_leaf] == 1.5).all()
    assert y[tree.predict(X) != y].index.tolist() == [6, 14]


# --- the pieces -------------------------------------------------------------------------------------------------------

def test_gain_is_mutual_information():
    """Entropy of y plus entropy of the branch less entropy of both: 1e-12 on random labels."""
    rng = np.random.default_rng(0)
    y, branch = rng.integers(0, 3, 50), rng.integers(0, 4, 50)
    joint = entropy(np.bincount(4 * y + branch))
    assert abs(gain(y, branch) - (entropy(np.bincount(y)) + entropy(np.bincount(branch)) - joint)) < 1e-12
    assert abs(gain_ratio(y, branch) * split_information(branch) - gain(y, branch)) < 1e-12
    assert gain_ratio([0, 1], ["a", "a"]) == 0, "a branch that all rows take is worth nothing"


def test_sorting_once_gives_what_cart_by_definition_takes_off_the_entropy():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        column, y = np.round(rng.normal(size=30), 1), rng.integers(0, 3, 30)
        splits = every_split(column[:, None], y, criterion="entropy")
        thresholds, gains = threshold_gains(column, np.eye(3)[y])
        np.testing.assert_array_equal(thresholds, [s.threshold for s in splits])
        np.testing.assert_allclose(gains, [s.decrease for s in splits], atol=1e-12)


def test_cheap_splits_that_gain_little_are_passed_over():
    """The average is over columns that gain: candidates at .3, .2 and .01 average .17, so the third's ratio
    of 1 is no use."""
    assert best_by_gain_ratio([0.3, 0.2, 0.01, 0.0], [0.3, 0.4, 1.0, 0.0]) == [1]
    assert best_by_gain_ratio([0.0, 0.0], [0.0, 0.0]) == []


def test_a_column_whose_thresholds_tie_counts_once_in_the_average():
    """Gains of .1 three times (one column), .3 and .2 average .2, not .16; .3 three times, .2 and .1 not .24."""
    columns = [0, 0, 0, 1, 2]
    assert best_by_gain_ratio([0.1, 0.1, 0.1, 0.3, 0.2], [0.1, 0.1, 0.1, 0.3, 0.9], columns) == [4]
    assert best_by_gain_ratio([0.3, 0.3, 0.3, 0.2, 0.1], [0.3, 0.3, 0.3, 0.9, 0.1], columns) == [3]
    assert best_by_gain_ratio([0.3, 0.3, 0.3, 0.2, 0.1], [0.3, 0.3, 0.3, 0.9, 0.1]) == [0, 1, 2]


def test_c45_makes_no_split_that_gains_nothing():
    """XOR is a leaf to it, and not to CART."""
    assert grow_c45([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).n_nodes == 1


def test_a_column_of_row_numbers_has_all_the_gain_and_is_not_chosen():
    """Quinlan's reason for the ratio: an identifier gains 1 bit, and costs 3; a fair question costs 1."""
    X = pd.DataFrame({"id": list("abcdefgh"), "sky": ["sun"] * 4 + ["rain"] * 4})
    y = ["Yes", "Yes", "Yes", "Yes", "No", "No", "No", "No"]
    assert gain(y, X["id"]) == gain(y, X["sky"]) == 1.0
    assert gain_ratio(y, X["id"]) < gain_ratio(y, X["sky"])
    assert grow_c45(X, y).feature[0] == 1


def test_the_limits_are_kept():
    X, y = golf()
    assert grow_c45(X, y, max_depth=2).depth.max() == 2
    tree = grow_c45(X, y, min_samples_leaf=2)
    assert tree.n_node_samples[tree.is_leaf].min() >= 2  # Quinlan's default of two rows a branch
    words, y = golf_nominal()
    assert [grow_c45(words, y, max_depth=depth).n_nodes for depth in (1, None)] == [4, 8]
    assert grow_c45(words, y, min_samples_leaf=5).feature[0] == 0  # two of three branches with 5 rows: enough
    assert grow_c45(words, y, min_samples_leaf=8).n_nodes == 1


# --- trees of words ---------------------------------------------------------------------------------------------------

def test_a_word_never_met_stays_at_its_node_and_gets_the_majority():
    X, y = golf_nominal()
    tree, foggy = grow_c45(X, y), X.iloc[[0]].assign(Outlook="fog")
    assert tree.predict(foggy)[0] == "Yes"
    np.testing.assert_allclose(tree.predict_proba(foggy), [[5 / 14, 9 / 14]])


@pytest.mark.parametrize("names", [["Outlook", "Temperature", "Humidity", "Wind"], [1, 2, 3, 4]], ids=str)
def test_the_columns_of_words_are_found_by_name_be_it_a_number(names):
    X, y = golf_nominal()
    X.columns = names
    tree = grow_c45(X, y)
    assert (tree.predict(X) == y).all() and (tree.predict(X[[names[3], names[1], names[2], names[0]]]) == y).all()
    for table, says in [(X[names[:3]], f"'{names[3]}' is not among them"), (X.to_numpy(), "DataFrame"),
                        (pd.concat([X, X[names[3:]]], axis=1), f"two columns named '{names[3]}'")]:
        with pytest.raises(ValueError, match=says):
            tree.predict(table)


def test_trees_of_words_are_equal_if_all_their_fields_are():
    X, y = golf_nominal()
    assert grow_c45(X, y) == grow_c45(X, y) != grow_c45(X, y, max_depth=1)


def test_categorical_and_boolean_columns_are_words():
    X, y = golf_nominal()
    tree = grow_c45(X.astype("category").assign(strong=X["Wind"] == "strong"), y)
    assert isinstance(tree, NominalTree) and tree.n_features == 5
