"""Out-of-bag importance: the bananas by hand, weights and groups."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from definitions import oob_importance_by_definition, oob_importance_per_tree_by_definition
from random_trees import tree_by_hand

from fi_teach.basics.forest import Forest
from fi_teach.importance.oob import oob_importance, oob_importance_per_tree
from fi_teach.trees.forest import grow_forest

VOTES = (oob_importance, oob_importance_by_definition)
TREES = (oob_importance_per_tree, oob_importance_per_tree_by_definition)


# --- the bananas by hand ---


def length_between(low, high):
    """A tree by hand: banana if low < length <= high; column 0 is the colour, which it does not ask about."""
    shares = [[0.5, 0.5], [1, 0], [0.5, 0.5], [0, 1], [1, 0]]
    return tree_by_hand([1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [1, -2, 1, -2, -2], [low, -2, high, -2, -2], shares,
                        names=("colour", "length"), classes=("no", "yes"))


BANANAS = pd.DataFrame({"colour": [0, 1, 2, 0], "length": [10, 11, 19, 14]})
IS_BANANA = np.array(["no", "yes", "yes", "yes"])
ROTATION = np.array([[1], [2], [3], [0]])  # the lengths 10, 11, 19, 14 become 11, 19, 14, 10
SLIDES = Forest(  # the two trees that the slides draw, and their bags
    (length_between(10.5, 16.5), length_between(10.5, 99.0)), np.full(2, 0.5), np.zeros(2), ("colour", "length"),
    ("no", "yes"), in_bag=np.array([[1, 0, 1, 2], [2, 2, 0, 0]]))


@pytest.mark.parametrize(("measures", "weight", "expected"), [
    (VOTES, None, 2 / 3),
    (VOTES, [4, 1, 1, 3], (1 + 3) / (1 + 1 + 3)),
    (TREES, None, (1 + 1 / 2) / 2),
    (TREES, [4, 1, 1, 3], (1 + 3 / 4) / 2),
])
def test_the_bananas_have_the_importance_of_the_slides(measures, weight, expected):
    """Row 1 is in both bags and cannot be judged; of rows 2, 3, 4 the first and the last change sides.

    Judged tree by tree, tree 1 judges row 2 (wrong after), tree M rows 3 and 4 (only row 4 wrong after).
    """
    for measure in measures:
        found = measure(SLIDES, BANANAS, IS_BANANA, donors=ROTATION, sample_weight=weight)
        assert found.names == ("colour", "length")
        assert found.mean == pytest.approx([0, expected], abs=1e-15)
    if weight is None and measures is TREES:
        assert found.draws[1].tolist() == [1, 0.5]


# --- weights, groups, errors ---


def pure_forest(in_bag):
    """Every row has a class and a leaf of its own, so that another row's value is always wrong: forest, X, y."""
    n = np.shape(in_bag)[1]
    X, y = np.arange(n)[:, None], np.array(list("abcdefghij"[:n]))
    forest = grow_forest(X, y, n_trees=len(in_bag), bootstrap=False)
    return replace(forest, in_bag=np.array(in_bag)), X, y


def test_oob_importance_per_tree_takes_a_donor_for_as_likely_as_another():
    """Two trees judge 4 rows each, which lose 1 with every donor but themselves: 3/4.

    As receiver row i has its share of the weight, w = w_i / sum of w; as donor a quarter. Of both roles together it has
    3/4 w + (1 - w) / 4, where 3/4 (w + 1/4) is expected. Tolerance 10%, several errors of 3000 shuffles.
    """
    forest, X, y = pure_forest([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]])
    weight, psi = np.array([1.0, 9, 2, 3, 4, 8]), np.zeros(6)
    for bag in forest.in_bag:
        out = bag == 0
        share = weight[out] / weight[out].sum()
        psi[out] += 6 / 2 * (3 / 4 * share + (1 - share) / 4 - 3 / 4 * (share + 1 / 4))
    found = oob_importance_per_tree(forest, X, y, n_repeats=3000, sample_weight=weight)
    assert found.mean[0] == pytest.approx(3 / 4, rel=0.02)
    assert found.standard_error[0] == pytest.approx(psi.std(ddof=1) / np.sqrt(6), rel=0.1)
