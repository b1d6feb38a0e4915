"""Trees of depth 1,500 and more: nothing that reads, writes or draws a tree may lean on Python's own recursion."""

import inspect
import sys

import lightgbm
import numpy as np
import pytest
import xgboost
from definitions import grow_survival_tree
from sklearn.tree import DecisionTreeClassifier

from fi_teach.trees import (
    as_forest,
    every_greedy_tree,
    grow_boosting,
    grow_c45,
    grow_cart,
    grow_cart_by_definition,
    rules,
    what_if,
)

DEEP = 1500
X, Y = np.arange(DEEP + 1.0)[:, None], np.arange(DEEP + 1) % 2


@pytest.fixture(scope="module")
def staircase():
    """Labels that alternate along a line: the best cut takes one row off an end, again and again."""
    return grow_cart(X, Y)


def test_a_deep_tree_grows_predicts_and_is_printed_as_a_function_that_python_reads(staircase):
    assert staircase.depth.max() == DEEP
    np.testing.assert_array_equal(staircase.predict(X), Y)
    assert staircase.decision_path(X[:3]).sum(axis=1).max() <= DEEP + 1
    space = {}
    exec(rules(staircase), space)
    rows = range(0, DEEP, 111)
    assert [space["decide"](float(row)) for row in rows] == [Y[row] for row in rows]


def test_a_deep_tree_has_places_boxes_and_a_nearest_change(staircase):
    leaves = staircase.is_leaf
    assert sorted(staircase.place[leaves]) == list(range(leaves.sum()))
    lower, upper = staircase.boxes()
    assert ((lower < X[:1]) & (X[:1] <= upper)).sum() == staircase.decision_path(X[:1]).sum()
    assert what_if(staircase, [750.0]).distance <= 1


def test_a_deep_tree_is_drawn_and_told_in_words(staircase):
    pytest.importorskip("matplotlib")
    pytest.importorskip("anywidget")
    from fi_course.explorables.tree_marks import tree_panel
    from fi_teach.plots.tree import Words

    assert Words(staircase, {}, 3).sentences().count("leaf with") == DEEP + 1
    assert len(tree_panel(staircase)["marks"]) > 2 * DEEP


ONE = {"n_estimators": 1, "learning_rate": 1.0, "reg_lambda": 0, "n_jobs": 1}


def lightgbms(X, y):
    """LightGBM's own dump_model fails on this tree, as its nested text is too deep for Python's reader."""
    bins = {"max_bin": 60_000, "min_data_in_bin": 1, "bin_construct_sample_cnt": 10**6}
    leaves = {"num_leaves": DEEP, "min_child_samples": 1, "min_child_weight": 0}
    return lightgbm.LGBMRegressor(**ONE, **bins, **leaves, verbose=-1).fit(X, y)


@pytest.mark.parametrize("fit", [
    lambda X, y: DecisionTreeClassifier(random_state=0).fit(X, y),
    lightgbms,
    lambda X, y: xgboost.XGBRegressor(**ONE, max_depth=3000, min_child_weight=0, tree_method="exact").fit(X, y),
    grow_c45,
    lambda X, y: grow_boosting(X, y.astype(float), n_trees=1, learning_rate=1.0, max_depth=None),
    lambda X, y: grow_survival_tree(X, np.column_stack([1.0 + 4 * y, np.ones(len(y))]), min_samples_leaf=1),
], ids=["scikit-learn", "lightgbm", "xgboost", "C4.5", "boosting", "survival"])
def test_other_growers_go_as_deep_and_their_trees_are_read(fit):
    model = fit(X, Y)
    forest = as_forest(model)
    assert forest.trees[0].depth.max() > 1100
    np.testing.assert_allclose(forest.predict(X), model.predict(X), atol=1e-6)


@pytest.fixture
def few_frames():
    """Python's stack with room for 60 more calls."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    yield
    sys.setrecursionlimit(before)


def test_the_definition_and_the_trees_that_ties_leave_open_need_no_stack(few_frames):
    """80 levels: labels that alternate, by definition;
    and numbers that double from row to row, where no splits tie."""
    assert grow_cart_by_definition(X[:81], Y[:81]).depth.max() == 80
    assert [tree.depth.max()
            for tree in every_greedy_tree(X[:81], 4.0 ** np.arange(81), criterion="variance")] == [80]
