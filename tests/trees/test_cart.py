"""CART: the rule by definition, the fast search beside it, scikit-learn's trees,
and every tree greed could have grown."""

import numpy as np
import pandas as pd
import pytest
from definitions import every_split, tied_splits
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fi_teach.basics.target import target_of
from fi_teach.basics.thresholds import midpoints
from fi_teach.data import golf, midterm
from fi_teach.fast import cart as fast_cart
from fi_teach.fast.cart import grow_trees, rank_table
from fi_teach.importance.mdi import mdi
from fi_teach.trees.cart import (
    best_split,
    best_split_by_definition,
    every_greedy_tree,
    grow_cart,
    number_of_features,
    split_decrease,
)

FIELDS = ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples",
          "weighted_n_node_samples", "value")


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


# --- by hand ----------------------------------------------------------------------------------------------------------

def test_the_midterm_thresholds_weigh_what_the_slides_should_say():
    """MID-02 to MID-05, IMP-08: weighted Gini at the seven midpoints of Time, and attendance's .2, the best."""
    X, y = midterm()
    weighted = {(s.feature, s.threshold): round(0.5 - s.decrease, 4) for s in every_split(X, y)}
    assert weighted == {(0, 40.0): 0.4286, (0, 55.0): 0.3333, (0, 70.0): 0.4667, (0, 90.0): 0.375, (0, 105.0): 0.4667,
                        (0, 115.0): 0.5, (0, 130.0): 0.4286, (1, 0.5): 0.2}
    assert best_split_by_definition(X, y)[:2] == (1, 0.5)


def test_golf_starts_with_humidity():
    """GLF-01: gain .1518 bits."""
    split = best_split_by_definition(*golf(), criterion="entropy")
    assert (split.feature, split.threshold) == (2, 1.5) and round(split.decrease, 4) == 0.1518


def test_a_split_that_gains_nothing_now_is_made_all_the_same():
    """XOR: the root's decrease is 0, and the tree is right everywhere."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    tree = grow_cart(X, y)
    assert tree.decrease[0] == 0 and tree.predict(X).tolist() == y


# --- the fast search is the definition --------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(60))
def test_the_fast_split_is_the_one_by_definition(seed):
    """Same feature, same threshold, same decrease to 1e-12 (ties to the lower column, then the lower threshold)."""
    X, y, weight, criterion, options = data_set(seed)
    arguments = {"criterion": criterion, "min_samples_leaf": options["min_samples_leaf"], "sample_weight": weight}
    fast, slow = best_split(X, y, **arguments), best_split_by_definition(X, y, **arguments)
    assert (fast is None) == (slow is None)
    if slow is not None:
        assert (fast.feature, fast.threshold) == (slow.feature, slow.threshold)
        assert abs(fast.decrease - slow.decrease) < 1e-12


@pytest.mark.parametrize("seed", range(30))
def test_sorting_and_counting_find_the_same_splits(seed, monkeypatch):
    """The two searches are two ways to the same tree: every field equal, to 1e-12."""
    X, y, weight, criterion, options = data_set(seed)
    first = grow_cart(X, y, criterion=criterion, sample_weight=weight, **options)
    trees = []
    for search in (fast_cart._search_by_counting, fast_cart._search_by_sorting):
        monkeypatch.setattr(fast_cart, "_search_by_counting", search)
        monkeypatch.setattr(fast_cart, "_search_by_sorting", search)
        trees.append(grow_cart(X, y, criterion=criterion, sample_weight=weight, **options))
        monkeypatch.undo()
    for tree in trees:
        for field in FIELDS:
            np.testing.assert_allclose(getattr(tree, field), getattr(first, field), atol=1e-12, err_msg=field)


def test_looking_at_the_columns_in_pieces_changes_nothing(monkeypatch):
    """Chunks of one column, batches of one tree: the same trees, node by node."""
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(50, 6)), 1), rng.integers(0, 3, 50)
    weights = rng.integers(0, 3, size=(4, 50))
    table, target = rank_table(X, tuple("abcdef")), target_of(y, "gini")
    whole = grow_trees(table, target, weights)
    monkeypatch.setattr(fast_cart, "COUNTED", 1)
    monkeypatch.setattr(fast_cart, "SORTED", 1)
    monkeypatch.setattr(fast_cart, "BATCH", 1)
    for a, b in zip(whole, grow_trees(table, target, weights), strict=True):
        for field in FIELDS:
            np.testing.assert_array_equal(getattr(a, field), getattr(b, field))


@pytest.mark.parametrize("criterion", ["gini", "variance"])
def test_trees_grown_together_are_the_trees_grown_alone(criterion):
    """One frontier for five bootstrap samples gives what five calls with those weights give: equal to 1e-12."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    weights = rng.multinomial(40, np.full(40, 1 / 40), size=5)
    together = grow_trees(rank_table(X, ("x0", "x1", "x2")), target_of(y, criterion), weights, max_depth=4)
    for tree, weight in zip(together, weights, strict=True):
        alone = grow_cart(X, y, criterion=criterion, sample_weight=weight, max_depth=4)
        for field in FIELDS:
            np.testing.assert_allclose(getattr(tree, field), getattr(alone, field), atol=1e-12)


def test_a_pure_bootstrap_sample_is_a_single_leaf():
    table, target = rank_table(np.array([[0.0], [1.0], [2.0]]),
                               ("x0",)), target_of(np.array(["no", "no", "yes"]), "gini")
    leaf, tree = grow_trees(table, target, np.array([[2, 1, 0], [1, 0, 2]]))
    assert leaf.n_nodes == 1 and leaf.value.tolist() == [[1.0, 0.0]] and tree.n_nodes == 3


# --- scikit-learn -----------------------------------------------------------------------------------------------------

def leads_and_ties(tree, X, y, weight, criterion, min_samples_leaf):
    """At each split of the tree: how far the best split is ahead of the chosen one, and how many are best together."""
    path = tree.decision_path(X) & (weight > 0)[:, None]
    for t in np.flatnonzero(~tree.is_leaf):
        rows = path[:, t]
        tied = tied_splits(X[rows], y[rows], criterion=criterion, sample_weight=weight[rows],
                           min_samples_leaf=min_samples_leaf)
        left = X[rows, tree.feature[t]] <= tree.threshold[t]
        yield tied[0].decrease - split_decrease(y[rows], left, criterion=criterion,
                                                sample_weight=weight[rows]), len(tied)


@pytest.mark.parametrize("block", range(10))
def test_our_trees_are_scikit_learns_wherever_greed_leaves_no_choice(block):
    """300 random data sets. Every split of ours is the best its node had (1e-12).
    Without ties the trees predict alike and share out the importance alike (1e-12 both);
    only with ties may they differ."""
    untied = 0
    for seed in range(30 * block, 30 * block + 30):
        X, y, weight, criterion, options = data_set(seed)
        ours = grow_cart(X, y, criterion=criterion, sample_weight=weight, **options)
        theirs = scikit_learns(X, y, weight, criterion, options)
        weight = np.ones(len(y)) if weight is None else weight.astype(float)
        leads, ties = zip(*leads_and_ties(ours, X, y, weight, criterion, options["min_samples_leaf"]),
                          strict=True) if ours.n_nodes > 1 else ((0,), (1,))
        assert max(leads) <= 1e-12, seed
        if max(ties) == 1:
            untied += 1
            expected = theirs.predict_proba(X) if ours.classes else theirs.predict(X)[:, None]
            np.testing.assert_allclose(ours.raw(X), expected, rtol=0, atol=1e-12, err_msg=str(seed))
            np.testing.assert_allclose(mdi(ours).mean, theirs.feature_importances_, rtol=0, atol=1e-12,
                                       err_msg=str(seed))
    assert untied >= 8  # or the test would test nothing


def test_on_its_training_rows_a_full_tree_is_scikit_learns_for_200_data_sets():
    """Grown until rows agree, tied or not, both predict each training row's mean target: 1e-12."""
    for seed in range(200):
        X, y, weight, criterion, _ = data_set(seed)
        ours = grow_cart(X, y, criterion=criterion, sample_weight=weight)
        theirs = scikit_learns(X, y, weight, criterion, {})
        seen = np.ones(len(y), dtype=bool) if weight is None else weight > 0
        expected = theirs.predict_proba(X[seen]) if ours.classes else theirs.predict(X[seen])[:, None]
        np.testing.assert_allclose(ours.raw(X[seen]), expected, rtol=0, atol=1e-12, err_msg=str(seed))


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


# --- ties and every greedy tree ---------------------------------------------------------------------------------------

def test_ties_are_reported_in_column_order():
    """Three copies of a column: three splits, equally good."""
    X = np.repeat([[0.0], [1.0], [2.0]], 3, axis=1)
    assert [(s.feature, s.threshold) for s in tied_splits(X, [0, 1, 1])] == [(0, 0.5), (1, 0.5), (2, 0.5)]


def test_entropy_s_rounding_does_not_break_a_tie():
    """The mirror image of a split has the same decrease, and logarithms that round differently: both are reported."""
    X = np.arange(7.0)[:, None]
    assert [s.threshold for s in tied_splits(X, [1, 0, 0, 0, 0, 0, 1], criterion="entropy")] == [0.5, 5.5]


@pytest.mark.parametrize("seed", range(25))
def test_the_first_greedy_tree_is_grow_carts(seed):
    """Node by node, in every field: 1e-12. That is grow_cart by definition."""
    X, y, weight, criterion, options = data_set(seed)
    X, y = X[:14], y[:14]
    weight = None if weight is None else weight[:14] + 1
    if len(np.unique(y)) == 1:
        y = np.arange(14) % 2
    first = next(every_greedy_tree(X, y, criterion=criterion, max_depth=options["max_depth"], sample_weight=weight,
                                   most=10**12))
    tree = grow_cart(X, y, criterion=criterion, max_depth=options["max_depth"], sample_weight=weight)
    for field in FIELDS:
        np.testing.assert_allclose(getattr(tree, field), getattr(first, field), rtol=0, atol=1e-12, err_msg=field)


def test_every_greedy_tree_is_greedy_and_no_two_are_the_same():
    """Golf has four under entropy; all are pure, and the shares differ."""
    X, y = golf()
    trees = list(every_greedy_tree(X, y, criterion="entropy"))
    assert len(trees) == 4 and all((tree.predict(X) == y).all() for tree in trees)
    assert len({tuple(mdi(tree).mean.round(9)) for tree in trees}) == 4


@pytest.mark.slow
def test_too_many_trees_are_refused_before_the_first_is_taken():
    """Five columns at each of five splits: 3125 trees."""
    X = np.repeat(np.arange(6.0)[:, None], 5, axis=1)
    with pytest.raises(ValueError, match="more than most=3124 different trees"):
        every_greedy_tree(X, 2.0 ** np.arange(6), criterion="variance", most=3124)
    assert len(list(every_greedy_tree(X, 2.0 ** np.arange(6), criterion="variance", most=3125))) == 3125


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


def test_a_large_mean_does_not_drown_small_differences():
    """y = 1e9 + noise is split as noise is: same tree."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), np.round(rng.normal(size=100), 3)
    plain, lifted = (grow_cart(X, y + shift, criterion="variance", min_samples_leaf=5) for shift in (0, 1e9))
    np.testing.assert_array_equal(plain.feature, lifted.feature)
    np.testing.assert_array_equal(plain.threshold, lifted.threshold)


def test_a_wild_neighbour_does_not_disturb_a_calm_node():
    """Running sums pass from node to node. Beside rows whose spread is 1e15 times its own, a node splits
    as it does alone, and the first of two equal columns still wins."""
    rng = np.random.default_rng(3)
    side, twin, other = np.repeat([0.0, 1.0], 60), rng.normal(size=120), rng.normal(size=120)
    X = np.column_stack([side, twin, twin, other])
    y = np.where(side == 0, 1e9 * rng.normal(size=120) + 1e10, 1e-6 * rng.normal(size=120))
    both, alone = grow_cart(X, y, criterion="variance",
                            max_depth=4), grow_cart(X[60:], y[60:], criterion="variance", max_depth=3)
    assert (both.feature[0], both.threshold[0]) == (0, 0.5)
    calm = X[60:]
    for t in np.flatnonzero(~alone.is_leaf):
        row = np.flatnonzero(alone.decision_path(calm)[:, t])[0]
        path = np.flatnonzero(both.decision_path(calm[[row]])[0])
        twin_node = path[1 + np.flatnonzero(np.flatnonzero(alone.decision_path(calm[[row]])[0]) == t)[0]]
        assert (both.feature[twin_node], both.threshold[twin_node]) == (alone.feature[t], alone.threshold[t])
    assert 2 not in both.feature


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_units_of_the_target_do_not_matter(scale):
    """A target in other units gives the same tree: nothing compares an impurity with an absolute number."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    plain, scaled = (grow_cart(X, target, criterion="variance") for target in (y, y * scale))
    np.testing.assert_array_equal(plain.threshold, scaled.threshold)


def test_equal_targets_are_not_split_for_rounding_errors():
    """Thirty times .1 is not quite 3: the node is pure all the same."""
    X, y = np.arange(60.0)[:, None], np.repeat([0.1, 0.7], 30)
    assert grow_cart(X, y, criterion="variance").n_nodes == 3


def test_rows_of_weight_zero_are_left_out():
    """As if they were not there, in every field; and a whole weight is a row given so many times."""
    rng = np.random.default_rng(2)
    X, y, weight = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    tree = grow_cart(X, y, sample_weight=weight)
    without = grow_cart(X[weight > 0], y[weight > 0], sample_weight=weight[weight > 0])
    copies = np.repeat(np.arange(40), weight.astype(np.intp))
    repeated = grow_cart(X[copies], y[copies])
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(tree, field), getattr(without, field))
        if field != "n_node_samples":
            np.testing.assert_allclose(getattr(tree, field), getattr(repeated, field), atol=1e-12)


def test_parents_are_stored_before_their_children():
    X, y, _, criterion, _ = data_set(3)
    tree = grow_cart(X, y, criterion=criterion)
    inner = ~tree.is_leaf
    assert (tree.children_left[inner] > np.flatnonzero(inner)).all() and (
        tree.children_right[inner] > np.flatnonzero(inner)).all()


def test_the_limits_are_kept():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 4)), rng.normal(size=200)
    tree = grow_cart(X, y, criterion="variance", max_depth=4, min_samples_leaf=9)
    assert tree.depth.max() == 4 and tree.n_node_samples[tree.is_leaf].min() >= 9
    assert grow_cart(X, y, criterion="variance", min_samples_leaf=101).n_nodes == 1


# --- candidates drawn at random ---------------------------------------------------------------------------------------

def test_drawn_candidates_are_reproducible_and_roughly_even():
    """max_features=1: the root splits on each of 4 features in a quarter of 2000 trees, to within 4 standard errors."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 4)), rng.integers(0, 2, 20)
    table, target, weights = rank_table(X, tuple("abcd")), target_of(y, "gini"), np.ones((2000, 20), dtype=int)
    roots = np.array([tree.feature[0]
                      for tree in grow_trees(table, target, weights, max_depth=1, max_features=1, rng=5)])
    assert (np.abs(np.bincount(roots, minlength=4) - 500) < 4 * np.sqrt(2000 * 0.25 * 0.75)).all()
    a, b = (grow_cart(X, y, max_features=2, rng=7) for _ in range(2))
    np.testing.assert_array_equal(a.threshold, b.threshold)


def test_a_node_whose_candidates_do_not_vary_draws_another():
    """Two constant columns and one that separates: with max_features=1 every tree still finds it."""
    X = np.column_stack([np.zeros(6), np.arange(6.0), np.ones(6)])
    assert all((grow_cart(X, [0, 0, 0, 1, 1, 1], max_features=1, rng=seed).feature[0] == 1) for seed in range(20))


def test_rows_that_cannot_be_told_apart_share_a_leaf():
    tree = grow_cart([[1, 1], [1, 1], [2, 2]], ["no", "yes", "yes"], max_features=1)
    assert tree.n_nodes == 3 and tree.predict_proba([[1, 1]]).tolist() == [[0.5, 0.5]]


# --- axioms -----------------------------------------------------------------------------------------------------------

@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000))
def test_a_monotone_transform_of_a_column_changes_no_decision_on_the_training_rows(seed):
    """Ranks are all that greed sees: exp and cube leave the leaves as they are."""
    X, y, weight, criterion, options = data_set(seed)
    plain = grow_cart(X, y, criterion=criterion, sample_weight=weight, **options)
    for warp in (np.exp, lambda x: x**3):
        warped = grow_cart(warp(X), y, criterion=criterion, sample_weight=weight, **options)
        if len(np.unique(warp(X))) == len(np.unique(X)):
            np.testing.assert_array_equal(plain.feature, warped.feature)
            seen = slice(None) if weight is None else weight > 0
            np.testing.assert_array_equal(plain.apply(X[seen]), warped.apply(warp(X)[seen]))


def test_the_inputs_are_left_alone():
    X, y, _, criterion, _ = data_set(5)
    weight = np.arange(len(y)) % 3
    copies = X.copy(), y.copy(), weight.copy()
    grow_cart(X, y, criterion=criterion, sample_weight=weight)
    for now, before in zip((X, y, weight), copies, strict=True):
        np.testing.assert_array_equal(now, before)


# --- refusals ---------------------------------------------------------------------------------------------------------

GOOD_X, GOOD_Y = [[0.0], [1.0], [2.0]], [0, 1, 1]


@pytest.mark.parametrize(("X", "y", "options", "advice"), [
    (GOOD_X, [1, 1, 1], {}, "constant"),
    (GOOD_X, [0, 1, 1], {"sample_weight": [0, 1, 1]}, "constant"),
    (GOOD_X, [2.0, 2.0, 2.0], {"criterion": "variance"}, "constant"),
    (GOOD_X, [0.5, 1, 1], {}, 'criterion="variance"'),
    (GOOD_X, ["a", "b", "b"], {"criterion": "variance"}, "numbers"),
    (GOOD_X, GOOD_Y, {"criterion": "giny"}, "expected one of"),
    (GOOD_X, [0, 1], {}, "3 rows"),
    (GOOD_X, [[0.0, 1], [1, 1]], {"criterion": "variance"}, "3 rows"),
    ([[np.nan], [1], [2]], GOOD_Y, {}, "NaN"),
    (pd.DataFrame({"a": ["x", "y", "z"]}), GOOD_Y, {}, "encode"),
    (np.empty((0, 2)), [], {}, "at least one row"),
    (GOOD_X, GOOD_Y, {"max_depth": 0}, "max_depth"),
    (GOOD_X, GOOD_Y, {"max_depth": 2.5}, "max_depth"),
    (GOOD_X, GOOD_Y, {"min_samples_leaf": 0}, "min_samples_leaf"),
    (GOOD_X, GOOD_Y, {"max_features": 2}, "max_features"),
    (GOOD_X, GOOD_Y, {"max_features": "log2"}, "max_features"),
    (GOOD_X, GOOD_Y, {"sample_weight": [-1, 1, 1]}, "weight"),
    (GOOD_X, GOOD_Y, {"sample_weight": [1, 1]}, "weight"),
])
def test_what_cannot_be_grown_on_is_refused_with_advice(X, y, options, advice):
    with pytest.raises(ValueError, match=advice):
        grow_cart(X, y, **options)


def test_a_share_of_the_features_is_rounded_down_but_never_to_none():
    assert [number_of_features(share, 10) for share in (0.05, 0.39, 1.0, "sqrt", 7, None)] == [1, 3, 10, 3, 7, None]
