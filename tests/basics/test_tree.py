"""The noun: a row's way through the arrays, and back from leaves to paths."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from fi_teach.data import midterm
from fi_teach.trees import as_forest, from_model, grow_cart


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)).astype(np.float32).astype(float)
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0, 1])]
    return X, y, DecisionTreeClassifier(random_state=0).fit(X, y)


def test_the_path_holds_the_leaf_and_all_its_ancestors(fitted):
    """Equal to scikit-learn's decision_path, row by node; the depth counts the questions on the way."""
    X, _, model = fitted
    tree = from_model(model).trees[0]
    np.testing.assert_array_equal(tree.decision_path(X), model.decision_path(X).toarray().astype(bool))
    np.testing.assert_array_equal(tree.depth[tree.apply(X)], tree.decision_path(X).sum(axis=1) - 1)


def test_a_splits_decrease_is_its_impurity_less_its_childrens():
    """The midterm tree: .3 at the root, then .12 and .5 within their nodes, 0 in leaves."""
    np.testing.assert_allclose(grow_cart(*midterm()).decrease, [0.3, 0, 0.12, 0, 0.5, 0, 0], atol=1e-12)


def test_a_table_with_other_columns_is_refused_never_taken_by_position(fitted):
    """Fitted on (w, x, y, z): (x, y, z, v) and 0 to 3 are as many columns, but others."""
    X, y, _ = fitted
    tree = grow_cart(pd.DataFrame(X, columns=list("wxyz")), y, max_depth=4)
    for model in (tree, as_forest(tree)):
        for names, columns in ((list("xyzv"), "'w'"), (range(4), "'w'"), (list("xyz"), "3 columns")):
            with pytest.raises(ValueError, match=columns):
                model.predict(pd.DataFrame(X[:, :len(names)], columns=names))
        assert len(model.predict(X)) == len(X), "an array has no names, so it is taken as it comes"


def test_trees_and_forests_are_equal_if_all_their_fields_are(fitted):
    X, y, model = fitted
    one, again, other = grow_cart(X, y), grow_cart(X, y), grow_cart(X, y, max_depth=2)
    assert one == again and one != other and one != "a tree" and one != as_forest(one)
    assert as_forest(one) == as_forest(again) and as_forest(one) != as_forest(other)
    assert from_model(model) == from_model(model) != as_forest(one)
    categorical = replace(one, left_categories={0: np.array([1.0, np.nan])})
    assert categorical == replace(one, left_categories={0: np.array([1.0, np.nan])}) != one


def test_a_drawing_puts_leaves_side_by_side_and_nodes_between_their_children(fitted):
    X, y, _ = fitted
    tree = grow_cart(X, y)
    inner = ~tree.is_leaf
    assert sorted(tree.place[tree.is_leaf]) == list(range(tree.is_leaf.sum()))
    middle = (tree.place[tree.children_left[inner]] + tree.place[tree.children_right[inner]]) / 2
    np.testing.assert_array_equal(tree.place[inner], middle)
    assert (tree.place[tree.children_left[inner]] < tree.place[tree.children_right[inner]]).all()


def test_a_tree_stopped_at_a_depth_is_the_one_grown_to_it(fitted):
    """A greedy learner makes the same splits on the way; what nodes know of gaps and categories goes with them."""
    X, y, _ = fitted
    deep = grow_cart(X, y)
    for depth in range(1, deep.depth.max()):
        assert deep.stopped(depth) == grow_cart(X, y, max_depth=depth) != deep
    assert deep == deep.stopped(99) and deep.stopped(0).n_nodes == 1
    knowing = replace(deep, left_categories={t: np.array([float(t)]) for t, *_ in deep.splits},
                      missing_left=np.arange(deep.n_nodes) % 2 == 0)
    stopped, kept = knowing.stopped(2), np.flatnonzero(deep.depth <= 2)
    assert stopped.missing_left.tolist() == (kept % 2 == 0).tolist()
    assert [kept[t] for t in stopped.left_categories] == [t for t, *_ in deep.splits if deep.depth[t] < 2]
    assert all(codes == [kept[t]] for t, codes in stopped.left_categories.items())


def test_a_row_lies_in_the_boxes_of_the_nodes_it_visits_and_in_no_other(fitted):
    X, y, _ = fitted
    tree = grow_cart(X, y)
    lower, upper = tree.boxes()
    inside = ((lower < X[:, None]) & (X[:, None] <= upper)).all(axis=2)
    np.testing.assert_array_equal(inside, tree.decision_path(X))


def test_gaps_go_where_the_node_sends_them_or_are_refused():
    tree = grow_cart([[1.0], [3.0]], ["no", "yes"])
    with pytest.raises(ValueError, match="NaN"):
        tree.predict([[np.nan]])
    for left, answer in ((True, "no"), (False, "yes")):
        knows = replace(tree, missing_left=np.array([left, False, False]))
        assert knows.predict([[np.nan]]) == answer
        assert knows.goes_left(np.array([[np.nan], [1.0], [3.0]]), 0).tolist() == [left, True, False]


def test_categories_unseen_in_training_count_as_missing():
    tree = grow_cart([[0], [1], [2]], ["no", "yes", "yes"])
    tree = replace(tree, left_categories={0: np.array([0.0, 2.0])}, known_categories={0: np.array([0.0, 1.0, 2.0])},
                   missing_left=np.array([True, False, False]))
    column = np.array([[0.0], [1.0], [2.0], [7.0], [np.nan]])
    assert tree.goes_left(column, 0).tolist() == [True, False, True, True, True]
    assert tree.apply(column).tolist() == [1, 2, 1, 1, 1]


def test_questions_of_the_wrong_kind_are_refused():
    tree = grow_cart([[0], [1]], [0.0, 1.0], criterion="variance")
    for model in (tree, as_forest(tree)):
        with pytest.raises(ValueError, match="use predict"):
            model.predict_proba([[0]])
        with pytest.raises(ValueError, match="columns"):
            model.predict([[0, 1]])
