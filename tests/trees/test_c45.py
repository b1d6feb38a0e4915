"""C4.5 on golf: every figure of the post that holds, the four trees behind its ties, and the same table in words."""

import numpy as np
import pandas as pd
import pytest
from definitions import c45_splits, every_split, threshold_gains_by_definition

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

def test_golf_has_four_equally_good_c45_trees():
    """GLF-07: Humidity .161 in all; Outlook/Wind .477/.361, .535/.304, .581/.257, .639/.200; GLF-08: Temperature 0."""
    X, y = golf()
    trees = list(every_c45_tree(X, y))
    shares = sorted(tuple(mdi(tree).mean.round(3).tolist()) for tree in trees)
    assert shares == [(0.477, 0, 0.161, 0.361), (0.535, 0, 0.161, 0.304), (0.581, 0, 0.161, 0.257),
                      (0.639, 0, 0.161, 0.2)]
    assert all((tree.predict(X) == y).all() and tree.criterion == "entropy" for tree in trees)


def test_grow_c45_is_the_first_of_them():
    first, tree = next(every_c45_tree(*golf())), grow_c45(*golf())
    for field in ("children_left", "feature", "threshold", "impurity", "value"):
        np.testing.assert_array_equal(getattr(first, field), getattr(tree, field))


def test_golf_s_tie_is_between_wind_and_outlook():
    """GLF-03: among the seven days of normal humidity both gain .1981 bits, at a ratio of .2011."""
    X, y = golf()
    normal = (X["Humidity"] > 1).to_numpy()
    splits = c45_splits(X[normal], y[normal])
    assert [(X.columns[s.feature], s.threshold) for s in splits] == [("Outlook", 2.5), ("Wind", 1.5)]
    assert round(gain_ratio(y[normal], X["Wind"][normal]),
                 4) == round(gain_ratio(y[normal], X["Outlook"][normal] > 2), 4) == 0.2011
    assert [round(s.decrease, 4) for s in splits] == [0.1981, 0.1981]


def test_columns_cut_once_at_the_root_grow_the_printed_tree():
    """GLF-06, GLF-07: decreases 2.126, 4.406, 2.632 of 9.164 bits times rows; two leaves stay mixed;
    12 of 14 rows right."""
    X, y = golf()
    tree = grow_cut_once(X, y)
    decreases = dict(zip(X.columns, (14 * mdi(tree, normalize=False).mean).round(3).tolist(), strict=True))
    assert decreases == {"Outlook": 4.406, "Temperature": 0.0, "Humidity": 2.126, "Wind": 2.632}
    np.testing.assert_allclose(mdi(tree).mean, [0.481, 0, 0.232, 0.287], atol=5e-4)
    assert (tree.threshold[~tree.is_leaf] == 1.5).all()
    assert y[tree.predict(X) != y].index.tolist() == [6, 14]
    by_split = (tree.decrease * tree.n_node_samples)[~tree.is_leaf].round(3).tolist()
    assert by_split == [2.126, 3.651, 1.387, 1.245, 0.755]  # GLF-01 to GLF-05, level by level


def test_golf_in_words_has_outlook_at_the_root():
    """GLF-13: gains .2467, .0292, .1518, .0481; the tree is pure, and branches three ways at the root."""
    X, y = golf_nominal()
    assert [round(gain(y, X[name]), 4) for name in X] == [0.2467, 0.0292, 0.1518, 0.0481]
    assert round(gain_ratio(y, X["Outlook"]), 4) == 0.1564
    tree = grow_c45(X, y)
    assert isinstance(tree, NominalTree) and sorted(tree.branches[0]) == ["overcast", "rain", "sunny"]
    assert (tree.predict(X) == y).all() and tree.n_nodes == 8 and tree.n_features == 4


# --- the pieces -------------------------------------------------------------------------------------------------------

def test_gain_is_mutual_information():
    """Entropy of y plus entropy of the branch less entropy of both: 1e-12 on random labels."""
    rng = np.random.default_rng(0)
    y, branch = rng.integers(0, 3, 50), rng.integers(0, 4, 50)
    joint = entropy(np.bincount(4 * y + branch))
    assert abs(gain(y, branch) - (entropy(np.bincount(y)) + entropy(np.bincount(branch)) - joint)) < 1e-12
    assert abs(gain_ratio(y, branch) * split_information(branch) - gain(y, branch)) < 1e-12


def test_a_branch_that_all_rows_take_is_worth_nothing():
    assert gain_ratio([0, 1], ["a", "a"]) == 0


@pytest.mark.parametrize("seed", range(20))
def test_sorting_once_gives_the_gains_by_definition(seed):
    """Thresholds equal, gains to 1e-12; and both to what CART takes off the entropy at every midpoint."""
    rng = np.random.default_rng(seed)
    column, y = np.round(rng.normal(size=30), 1), rng.integers(0, 3, 30)
    thresholds, gains = threshold_gains(column, np.eye(3)[y])
    slow_thresholds, slow_gains = threshold_gains_by_definition(column, np.eye(3)[y])
    np.testing.assert_array_equal(thresholds, slow_thresholds)
    np.testing.assert_allclose(gains, slow_gains, atol=1e-12)
    splits = every_split(column[:, None], y, criterion="entropy")
    np.testing.assert_array_equal(thresholds, [s.threshold for s in splits])
    np.testing.assert_allclose(gains, [s.decrease for s in splits], atol=1e-12)


def test_cheap_splits_that_gain_little_are_passed_over():
    """The average is over columns that gain: candidates at .3, .2 and .01 average .17, so the third's ratio
    of 1 is no use."""
    assert best_by_gain_ratio([0.3, 0.2, 0.01, 0.0], [0.3, 0.4, 1.0, 0.0]) == [1]
    assert best_by_gain_ratio([0.0, 0.0], [0.0, 0.0]) == []


def test_a_column_whose_thresholds_tie_counts_once_in_the_average():
    """Gains .4, .4 (one column) and .3 average .35, not .367: either way .3 is out; with .1 twice and .2 it is not."""
    assert best_by_gain_ratio([0.1, 0.1, 0.1, 0.3, 0.2], [0.1, 0.1, 0.1, 0.3, 0.9], [0, 0, 0, 1, 2]) == [4]
    assert best_by_gain_ratio([0.3, 0.3, 0.3, 0.2, 0.1], [0.3, 0.3, 0.3, 0.9, 0.1], [0, 0, 0, 1, 2]) == [3]
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
    assert grow_c45(words, y, max_depth=1).n_nodes == 4
    assert grow_c45(words, y, min_samples_leaf=5).feature[0] == 0  # two of three branches with 5 rows: enough
    assert grow_c45(words, y, min_samples_leaf=8).n_nodes == 1


def test_a_word_never_met_stays_at_its_node_and_gets_the_majority():
    X, y = golf_nominal()
    tree = grow_c45(X, y)
    assert tree.predict(X.iloc[[0]].assign(Outlook="fog"))[0] == "Yes"
    np.testing.assert_allclose(tree.predict_proba(X.iloc[[0]].assign(Outlook="fog")), [[5 / 14, 9 / 14]])


def test_the_columns_of_words_are_found_by_name():
    X, y = golf_nominal()
    tree = grow_c45(X, y)
    assert (tree.predict(X[["Wind", "Humidity", "Temperature", "Outlook"]]) == y).all()
    with pytest.raises(ValueError, match="Wind"):
        tree.predict(X[["Outlook", "Temperature", "Humidity"]])
    with pytest.raises(ValueError, match="DataFrame"):
        tree.predict(X.to_numpy())


def test_columns_of_words_that_are_called_by_numbers_are_found_by_them():
    """A tree grown on columns 1, 2, 3, 4 predicts its own table, in any order."""
    X, y = golf_nominal()
    X.columns = [1, 2, 3, 4]
    tree = grow_c45(X, y)
    assert (tree.predict(X) == y).all() and (tree.predict(X[[4, 2, 3, 1]]) == y).all()
    with pytest.raises(ValueError, match="'4' is not among them"):
        tree.predict(X[[1, 2, 3]])
    with pytest.raises(ValueError, match="two columns named '4'"):
        tree.predict(pd.concat([X, X[[4]]], axis=1))


def test_trees_of_words_are_equal_if_all_their_fields_are():
    X, y = golf_nominal()
    assert grow_c45(X, y) == grow_c45(X, y) != grow_c45(X, y, max_depth=1)


def test_categorical_and_boolean_columns_are_words():
    X, y = golf_nominal()
    tree = grow_c45(X.astype("category").assign(strong=X["Wind"] == "strong"), y)
    assert isinstance(tree, NominalTree) and tree.n_features == 5


def test_the_inputs_are_left_alone():
    for X, y in (golf(), golf_nominal()):
        before = X.copy()
        grow_c45(X, y)
        pd.testing.assert_frame_equal(X, before)


# --- refusals ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("change", "advice"), [
    ({"X": lambda X: X.assign(Wind=np.arange(14))}, "mixes words with numbers"),
    ({"X": lambda X: X.assign(Wind=None)}, "missing"),
    ({"X": lambda X: X.rename(columns={"Wind": "Outlook"})}, "Rename"),
    ({"X": lambda X: X[:0]}, "column of words"),
    ({"y": lambda y: ["Yes"] * 14}, "y is constant"),
    ({"y": lambda y: y[:5]}, "14 rows"),
    ({"max_depth": 0}, "max_depth"),
])
def test_words_that_cannot_be_grown_on_are_refused_with_advice(change, advice):
    X, y = golf_nominal()
    X, y = change.pop("X", lambda X: X)(X), change.pop("y", lambda y: y)(y)
    with pytest.raises(ValueError, match=advice):
        grow_c45(X, y, **change)


def test_numbers_that_cannot_be_grown_on_are_refused_with_advice():
    X, y = golf()
    for grow in (grow_c45, every_c45_tree, grow_cut_once):
        with pytest.raises(ValueError, match="y is constant"):
            grow(X, ["Yes"] * 14)
        with pytest.raises(ValueError, match="NaN"):
            grow(X.assign(Wind=np.nan), y)
    with pytest.raises(ValueError, match="more than most=3 different trees"):
        every_c45_tree(X, y, most=3)
    with pytest.raises(ValueError, match="min_samples_leaf"):
        every_c45_tree(X, y, min_samples_leaf=0)
    with pytest.raises(ValueError, match=r"pd\.cut"):
        grow_c45(pd.DataFrame({"x": [0.5, 1.5], "word": ["a", "b"]}), [0, 1])
