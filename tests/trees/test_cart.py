"""CART: the rule by definition, the fast search beside it, scikit-learn's trees,
and every tree greed could have grown."""

import numpy as np
import pytest
from definitions import check_same_tree, tied_splits
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fi_teach.basics.target import target_of
from fi_teach.basics.thresholds import midpoints
from fi_teach.data import golf
from fi_teach.fast import cart as fast_cart
from fi_teach.fast.cart import grow_trees, rank_table
from fi_teach.importance.mdi import mdi
from fi_teach.trees.cart import (
    best_split,
    every_greedy_tree,
    grow_cart,
    grow_cart_by_definition,
    number_of_features,
    split_decrease,
)


def data_set(seed):
    """A random small table with a criterion to suit: 2 to 5 classes or numbers, few or many values, weights or none."""
    rng = np.random.default_rng(seed)
    n, p, K = rng.integers(8, 60), rng.integers(1, 5), rng.integers(1, 6)
    X = rng.normal(size=(n, p))
    X = np.round(X * rng.choice([1, 3])) if rng.random() < 0.5 else X
    X = X.astype(np.float32).astype(float)
    y = rng.integers(0, K, n) if K > 1 else rng.normal(size=n) + X[:, 0]
    weight = [None, rng.integers(0, 4, n), rng.uniform(0.1, 3, n)][rng.integers(0, 3)]
    counted = y if weight is None else y[weight > 0]
    criterion = "variance" if K == 1 else rng.choice(["gini", "entropy"])
    options = {"max_depth": [None, 1, 3][rng.integers(0, 3)], "min_samples_leaf": int(rng.choice([1, 4, 6]))}
    return (X, y, weight, str(criterion), options) if len(np.unique(counted)) > 1 else data_set(seed + 1000)


def scikit_learns(X, y, weight, criterion, options):
    kind = DecisionTreeRegressor if criterion == "variance" else DecisionTreeClassifier
    names = {"variance": "squared_error"}
    return kind(criterion=names.get(criterion, criterion), random_state=0, **options).fit(X, y, sample_weight=weight)


def test_a_split_that_gains_nothing_now_is_made_all_the_same():
    """XOR: the root's decrease is 0, and the tree is right everywhere."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    tree = grow_cart(X, y)
    assert tree.decrease[0] == 0 and tree.predict(X).tolist() == y


# --- the fast search is the definition --------------------------------------------------------------------------------

def test_where_rows_look_the_same_there_is_nothing_to_split():
    assert best_split([[1.0], [1.0]], [0, 1]) is None


def test_sorting_and_counting_find_the_same_splits(monkeypatch):
    """The two searches are two ways to the same tree, on 30 data sets."""
    searches = fast_cart._search_by_counting, fast_cart._search_by_sorting
    for seed in range(30):
        X, y, weight, criterion, options = data_set(seed)
        trees = []
        for search in searches:
            monkeypatch.setattr(fast_cart, "_search_by_counting", search)
            monkeypatch.setattr(fast_cart, "_search_by_sorting", search)
            trees.append(grow_cart(X, y, criterion=criterion, sample_weight=weight, **options))
        check_same_tree(*trees)


@pytest.mark.parametrize("criterion", ["gini", "variance"])
def test_trees_grown_together_or_in_pieces_are_the_trees_grown_alone(criterion, monkeypatch):
    """One frontier for five bootstrap samples, and chunks of one column, batches of one tree and draws for one node,
    give what five calls with those weights give."""
    rng = np.random.default_rng(1)
    X, y = np.round(rng.normal(size=(40, 3)), 1), rng.integers(0, 3, 40)
    weights = rng.multinomial(40, np.full(40, 1 / 40), size=5)
    table, target = rank_table(X, ("x0", "x1", "x2")), target_of(y, criterion)
    together = grow_trees(table, target, weights, max_depth=4)
    for size in ("COUNTED", "SORTED", "BATCH", "DRAWS"):
        monkeypatch.setattr(fast_cart, size, 1)
    in_pieces = grow_trees(table, target, weights, max_depth=4)
    for tree, piecemeal, weight in zip(together, in_pieces, weights, strict=True):
        check_same_tree(tree, piecemeal, atol=0)
        check_same_tree(tree, grow_cart(X, y, criterion=criterion, sample_weight=weight, max_depth=4))


def test_a_pure_bootstrap_sample_is_a_single_leaf():
    table, target = rank_table(np.array([[0.0], [1.0], [2.0]]), ("x0",)), target_of(["no", "no", "yes"], "gini")
    leaf, tree = grow_trees(table, target, np.array([[2, 1, 0], [1, 0, 2]]))
    assert leaf.n_nodes == 1 and leaf.value.tolist() == [[1.0, 0.0]] and tree.n_nodes == 3


# --- scikit-learn -----------------------------------------------------------------------------------------------------

def leads_and_ties(tree, X, y, weight, criterion, min_samples_leaf):
    """At each split of the tree: how far the best split is ahead of the chosen one, and how many are best together."""
    path = tree.decision_path(X) & (weight > 0)[:, None]
    for t in np.flatnonzero(~tree.is_leaf):
        rows = path[:, t]
        given = {"criterion": criterion, "sample_weight": weight[rows]}
        tied = tied_splits(X[rows], y[rows], min_samples_leaf=min_samples_leaf, **given)
        left = X[rows, tree.feature[t]] <= tree.threshold[t]
        yield tied[0].decrease - split_decrease(y[rows], left, **given), len(tied)


@pytest.mark.parametrize("block", range(5))
def test_our_trees_are_scikit_learns_wherever_greed_leaves_no_choice(block):
    """150 random data sets. Every split of ours is the best its node had (1e-12).
    Without ties the trees predict alike and share out the importance alike (1e-12 both);
    only with ties may they differ. Grown until rows agree, tied or not, both predict each row's mean target."""
    untied = 0
    for seed in range(30 * block, 30 * block + 30):
        X, y, weight, criterion, options = data_set(seed)
        counted = np.ones(len(y)) if weight is None else weight.astype(float)
        ours = grow_cart(X, y, criterion=criterion, sample_weight=weight, **options)
        found = list(leads_and_ties(ours, X, y, counted, criterion, options["min_samples_leaf"]))
        assert max((lead for lead, _ in found), default=0) <= 1e-12, seed
        settled = max((ties for _, ties in found), default=1) == 1
        untied += settled
        for grown, model, rows in [
                (ours, scikit_learns(X, y, weight, criterion, options), slice(None) if settled else []),
                (grow_cart(X, y, criterion=criterion, sample_weight=weight),
                 scikit_learns(X, y, weight, criterion, {}), counted > 0)]:
            expected = model.predict_proba(X) if grown.classes else model.predict(X)[:, None]
            np.testing.assert_allclose(grown.raw(X)[rows], expected[rows], rtol=0, atol=1e-12, err_msg=str(seed))
            if grown is ours and settled:
                np.testing.assert_allclose(mdi(ours).mean, model.feature_importances_, rtol=0, atol=1e-12)
    assert untied >= 8  # or the test would test nothing


def test_several_outputs_are_split_for_together():
    """Impurity summed over outputs: scikit-learn's tree (which averages, so the same split), to 1e-12."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).astype(np.float32).astype(float)
    Y = np.column_stack([X[:, 0] ** 2, X[:, 1] + X[:, 0], rng.normal(size=80)])
    tree = grow_cart(X, Y, criterion="variance", min_samples_leaf=6)
    model = DecisionTreeRegressor(min_samples_leaf=6, random_state=0).fit(X, Y)
    np.testing.assert_allclose(tree.predict(X), model.predict(X), atol=1e-12)
    np.testing.assert_allclose(mdi(tree).mean, model.feature_importances_, atol=1e-12)
    np.testing.assert_allclose(tree.impurity[0], Y.var(axis=0).sum(), atol=1e-12)
    check_same_tree(tree, grow_cart_by_definition(X, Y, criterion="variance", min_samples_leaf=6))


# --- ties and every greedy tree ---------------------------------------------------------------------------------------

def test_ties_are_reported_in_column_order():
    """Three copies of a column: three splits, equally good."""
    X = np.repeat([[0.0], [1.0], [2.0]], 3, axis=1)
    assert [(s.feature, s.threshold) for s in tied_splits(X, [0, 1, 1])] == [(0, 0.5), (1, 0.5), (2, 0.5)]


def test_entropy_s_rounding_does_not_break_a_tie():
    """The mirror image of a split has the same decrease, and logarithms that round differently: both are reported."""
    X = np.arange(7.0)[:, None]
    assert [s.threshold for s in tied_splits(X, [1, 0, 0, 0, 0, 0, 1], criterion="entropy")] == [0.5, 5.5]


def test_every_greedy_tree_is_greedy_no_two_are_the_same_and_the_first_is_grow_carts():
    """Golf has four under entropy; all are pure, and the shares differ."""
    X, y = golf()
    check_same_tree(next(every_greedy_tree(X, y, criterion="entropy")), grow_cart(X, y, criterion="entropy"))
    trees = list(every_greedy_tree(X, y, criterion="entropy"))
    assert len(trees) == 4 and all((tree.predict(X) == y).all() for tree in trees)
    assert len({tuple(mdi(tree).mean.round(9)) for tree in trees}) == 4


def test_too_many_trees_are_refused_before_the_first_is_taken():
    """Four columns at each of four splits: 256 trees."""
    X, y = np.repeat(np.arange(5.0)[:, None], 4, axis=1), 2.0 ** np.arange(5)
    with pytest.raises(ValueError, match="more than most=255 different trees"):
        every_greedy_tree(X, y, criterion="variance", most=255)
    assert len(list(every_greedy_tree(X, y, criterion="variance", most=256))) == 256


# --- traps ------------------------------------------------------------------------------------------------------------

def test_a_threshold_never_reaches_the_upper_value():
    """Two neighbouring doubles whose midpoint rounds up: the rows are told apart all the same."""
    low = np.nextafter(1.0, 2.0)
    X = np.array([[low], [np.nextafter(low, 2.0)]])
    assert (X.sum() / 2 == X[1, 0]) and midpoints(X[:, 0])[0] == X[0, 0]
    assert grow_cart(X, ["no", "yes"]).predict(X).tolist() == ["no", "yes"]


def test_midpoints_of_huge_numbers_do_not_overflow():
    assert np.isfinite(midpoints([-1.7e308, 1.7e308, 1.5e308])).all()
    assert grow_cart([[1.6e308], [1.7e308]], [0, 1]).threshold[0] == pytest.approx(1.65e308)


@pytest.mark.parametrize("warp", [lambda y: y + 1e9, lambda y: 1e-12 * y, lambda y: 1e12 * y])
def test_neither_a_large_mean_nor_the_units_of_the_target_change_the_tree(warp):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), np.round(rng.normal(size=100), 3)
    plain, warped = (grow_cart(X, target, criterion="variance", min_samples_leaf=5) for target in (y, warp(y)))
    np.testing.assert_array_equal(plain.feature, warped.feature)
    np.testing.assert_array_equal(plain.threshold, warped.threshold)


def test_rows_of_a_far_larger_spread_do_not_disturb_a_node():
    """Running sums pass from node to node. Beside rows whose spread is 1e15 times its own, a node splits
    as it does alone, and the first of two equal columns still wins."""
    rng = np.random.default_rng(3)
    side, twin, other = np.repeat([0.0, 1.0], 60), rng.normal(size=120), rng.normal(size=120)
    X = np.column_stack([side, twin, twin, other])
    y = np.where(side == 0, 1e9 * rng.normal(size=120) + 1e10, 1e-6 * rng.normal(size=120))
    both, alone = (grow_cart(X[rows], y[rows], criterion="variance", max_depth=depth)
                   for rows, depth in ((slice(None), 4), (slice(60, None), 3)))
    assert (both.feature[0], both.threshold[0]) == (0, 0.5) and 2 not in both.feature
    for row in X[60:]:
        paths = [(tree, np.flatnonzero(tree.decision_path(row[None])[0])) for tree in (both, alone)]
        asked, expected = ([(tree.feature[t], tree.threshold[t]) for t in path] for tree, path in paths)
        assert asked[1:] == expected


def test_equal_targets_are_not_split_for_rounding_errors():
    """Thirty times .1 is not quite 3: the node is pure all the same."""
    X, y = np.arange(60.0)[:, None], np.repeat([0.1, 0.7], 30)
    assert grow_cart(X, y, criterion="variance").n_nodes == 3


def test_rows_of_weight_zero_are_left_out():
    """As if they were not there, in every field; and a whole weight is a row given so many times."""
    rng = np.random.default_rng(2)
    X, y, weight = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    tree = grow_cart(X, y, sample_weight=weight)
    check_same_tree(tree, grow_cart(X[weight > 0], y[weight > 0], sample_weight=weight[weight > 0]), atol=0)
    copies = np.repeat(np.arange(40), weight.astype(np.intp))
    repeated = grow_cart(X[copies], y[copies])
    np.testing.assert_array_equal(tree.threshold, repeated.threshold)
    np.testing.assert_allclose(tree.value, repeated.value, atol=1e-12)
    with pytest.raises(ValueError, match="constant"):
        grow_cart(X, y, sample_weight=y == 1)


# --- candidates drawn at random ---------------------------------------------------------------------------------------

def test_drawn_candidates_are_roughly_even():
    """max_features=1: the root splits on each of 4 features in a quarter of 2000 trees, to within 4 standard errors."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 4)), rng.integers(0, 2, 20)
    table, target, weights = rank_table(X, tuple("abcd")), target_of(y, "gini"), np.ones((2000, 20), dtype=int)
    roots = [tree.feature[0] for tree in grow_trees(table, target, weights, max_depth=1, max_features=1, rng=rng)]
    assert (np.abs(np.bincount(roots, minlength=4) - 500) < 4 * np.sqrt(2000 * 0.25 * 0.75)).all()


def test_rows_that_cannot_be_told_apart_share_a_leaf():
    tree = grow_cart([[1, 1], [1, 1], [2, 2]], ["no", "yes", "yes"], max_features=1)
    assert tree.n_nodes == 3 and tree.predict_proba([[1, 1]]).tolist() == [[0.5, 0.5]]


def test_a_share_of_the_features_is_rounded_down_but_never_to_none():
    assert [number_of_features(share, 10) for share in (0.05, 0.39, 1.0, "sqrt", 7, None)] == [1, 3, 10, 3, 7, None]
