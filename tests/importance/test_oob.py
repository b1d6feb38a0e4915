"""Out-of-bag permutation importance: the bananas by hand, both variants against their definitions, a null,
bad input."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from definitions import oob_importance_by_definition, oob_importance_per_tree_by_definition

from fi_teach.basics.forest import Forest
from fi_teach.basics.tree import Tree
from fi_teach.fast import oob as fast_oob
from fi_teach.importance.oob import oob_importance, oob_importance_per_tree
from fi_teach.trees.forest import grow_forest


def length_between(low, high):
    """A tree by hand: banana if low < length <= high; column 0 is the colour, which it does not ask about."""
    leaf = np.array([[0.5, 0.5], [1, 0], [0.5, 0.5], [0, 1], [1, 0]], float)
    return Tree(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]), np.array([1, -2, 1, -2, -2]),
                np.array([low, -2.0, high, -2, -2]), np.zeros(5), np.ones(5, int), np.ones(5), leaf,
                ("colour", "length"), ("no", "yes"))


@pytest.fixture
def bananas():
    """The two trees that the slides draw, their bags, the rotation 10, 11, 19, 14 -> 11, 19, 14, 10."""
    trees = (length_between(10.5, 16.5), length_between(10.5, 99.0))
    in_bag = np.array([[1, 0, 1, 2], [2, 2, 0, 0]])
    forest = Forest(trees, np.full(2, 0.5), np.zeros(2), ("colour", "length"), ("no", "yes"), in_bag=in_bag)
    X = pd.DataFrame({"colour": [0, 1, 2, 0], "length": [10, 11, 19, 14]})
    return forest, X, np.array(["no", "yes", "yes", "yes"]), np.array([[1], [2], [3], [0]])


def test_the_bananas_give_two_thirds_when_the_votes_are_judged(bananas):
    """Row 1 is in both bags and cannot be judged; of rows 2, 3, 4 two change sides: 0/3 errors before, 2/3 after."""
    forest, X, y, rotation = bananas
    importance = oob_importance(forest, X, y, donors=rotation)
    assert importance.names == ("colour", "length")
    assert importance.mean == pytest.approx([0, 2 / 3], abs=1e-15)


def test_the_bananas_give_three_quarters_when_each_tree_is_judged(bananas):
    """Tree 1 judges row 2 (wrong after), tree M rows 3 and 4 (one wrong after): (1 + 1/2) / 2."""
    forest, X, y, rotation = bananas
    importance = oob_importance_per_tree(forest, X, y, donors=rotation)
    assert importance.mean == pytest.approx([0, 0.75], abs=1e-15)
    assert importance.draws[1].tolist() == [1, 0.5]


VOTES = (oob_importance, oob_importance_by_definition)
TREES = (oob_importance_per_tree, oob_importance_per_tree_by_definition)


@pytest.mark.parametrize("measure", VOTES)
def test_oob_importance_counts_each_row_that_has_votes_with_its_weight(bananas, measure):
    """Rows 2, 3, 4 weigh 1, 1, 3 and the first and last of them change sides; row 1 has weight 4 and no vote."""
    forest, X, y, rotation = bananas
    found = measure(forest, X, y, donors=rotation, sample_weight=[4, 1, 1, 3])
    assert found.mean == pytest.approx([0, (1 + 3) / (1 + 1 + 3)])


@pytest.mark.parametrize("measure", TREES)
def test_oob_importance_per_tree_counts_each_row_with_its_weight(bananas, measure):
    """Tree 1 judges row 2 (wrong after), tree M rows 3 and 4 of weights 1 and 3 (only row 4 wrong after)."""
    forest, X, y, rotation = bananas
    found = measure(forest, X, y, donors=rotation, sample_weight=[4, 1, 1, 3])
    assert found.mean == pytest.approx([0, (1 + 3 / 4) / 2])


def pure_forest(in_bag):
    """Every row has a class and a leaf of its own, so that another row's value is always wrong: forest, X, y."""
    n = np.shape(in_bag)[1]
    X, y = np.arange(n)[:, None], np.array(list("abcdefghij"[:n]))
    forest = grow_forest(X, y, n_trees=len(in_bag), bootstrap=False)
    return replace(forest, in_bag=np.array(in_bag)), X, y


def test_oob_importance_per_tree_takes_a_donor_for_as_likely_as_another():
    """Two trees judge 4 rows each, which lose 1 with every donor but themselves: 3/4.

    As receiver row i has its share of the weight, w = w_i / sum of w; as donor a quarter. Of both roles together it has
    3/4 w + (1 - w) / 4, where 3/4 (w + 1/4) is expected. Tolerance 10 %, several errors of 3000 shuffles.
    """
    forest, X, y = pure_forest([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 0]])
    weight = np.array([1.0, 9, 2, 3, 4, 8])
    psi = np.zeros(6)
    for bag in forest.in_bag:
        out = bag == 0
        share = weight[out] / weight[out].sum()
        psi[out] += 6 / 2 * (3 / 4 * share + (1 - share) / 4 - 3 / 4 * (share + 1 / 4))
    found = oob_importance_per_tree(forest, X, y, n_repeats=3000, sample_weight=weight)
    assert found.mean[0] == pytest.approx(3 / 4, rel=0.02)
    assert found.standard_error[0] == pytest.approx(psi.std(ddof=1) / np.sqrt(6), rel=0.1)


@pytest.mark.parametrize("measure", VOTES + TREES)
def test_out_of_bag_importances_are_sure_where_no_row_with_weight_can_lose(measure):
    """The tree asks x1 first: shuffling x0 only harms the rows with x1 = 1, which weigh nothing."""
    X = np.column_stack([np.random.default_rng(0).normal(size=40), np.arange(40) % 2])
    tree = Tree(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]), np.array([1, -2, 0, -2, -2]),
                np.array([0.5, -2.0, 0, -2, -2]), np.zeros(5), np.ones(5, int), np.ones(5),
                np.array([[0.0], [0], [0], [-1], [1]]), ("x0", "x1"))
    forest = Forest((tree,) * 2, np.full(2, 0.5), np.zeros(1), ("x0", "x1"), in_bag=np.zeros((2, 40), int))
    found = measure(forest, X, X.prod(axis=1), n_repeats=3, sample_weight=1 - X[:, 1])
    assert found.mean[0] == found.standard_error[0] == 0
    assert measure(forest, X, X.prod(axis=1), n_repeats=3).standard_error[0] > 0


@pytest.mark.parametrize("measure", VOTES + TREES)
def test_out_of_bag_importances_of_rows_given_four_times_are_half_as_sure_as_they_seem(measure):
    """10 rows, each four times and each in no bag; 60 shuffles leave an error of the factor 2 below 15 %."""
    X = np.random.default_rng(1).normal(size=(10, 2)).repeat(4, axis=0)
    grown = grow_forest(X, X[:, 0], n_trees=2, bootstrap=False, max_features=None)
    forest = replace(grown, in_bag=np.zeros((2, 40), int))
    n_repeats = 60 if measure in (oob_importance, oob_importance_per_tree) else 20
    alone, grouped = (measure(forest, X, X[:, 0], n_repeats=n_repeats, **given).standard_error[0]
                      for given in ({}, {"groups": np.arange(40) // 4}))
    assert grouped / alone == pytest.approx(2, rel=0.15)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=60)


MEASURES = {
    oob_importance: oob_importance_by_definition,
    oob_importance_per_tree: oob_importance_per_tree_by_definition,
}
DONORS = np.stack([np.random.default_rng(k).permutation(60) for k in range(3)], axis=1)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", ["numbers", "classes", "probabilities"])
@pytest.mark.parametrize("donors", [None, DONORS], ids=["drawn", "given"])
def test_one_walk_a_tree_gives_what_row_by_row_gives(data, measure, kind, donors):
    X, y = data
    y = y if kind == "numbers" else np.where(y > 0, "yes", "no")
    shuffled = {"n_repeats": 3, "donors": donors, "loss": "log_loss" if kind == "probabilities" else None}
    forest = grow_forest(X, y, n_trees=7, max_depth=5, rng=1)
    fast, slow = measure(forest, X, y, **shuffled), MEASURES[measure](forest, X, y, **shuffled)
    assert fast.draws.shape == (4, 3 if measure is oob_importance else 7)
    assert np.allclose(fast.draws, slow.draws, atol=1e-12)
    assert np.allclose(fast.standard_error, slow.standard_error, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_planted_order_is_found_and_noise_is_within_three_standard_errors_of_zero(measure):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 4))
    y = 2 * X[:, 0] + X[:, 1] + rng.normal(size=300)
    importance = measure(grow_forest(X, y, n_trees=60), X, y)
    assert importance.rank[:2].tolist() == [1, 2]
    assert (np.abs(importance.mean[2:]) < 3 * importance.standard_error[2:]).all()
    assert (importance.mean[:2] > 5 * importance.standard_error[:2]).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_a_feature_that_no_tree_asks_about_is_exactly_zero(data, measure):
    X, y = data
    X = X.copy()
    X[:, 3] = 5.0
    importance = measure(grow_forest(X, y, n_trees=7), X, y)
    assert (importance.draws[3] == 0).all() and importance.standard_error[3] == 0


def test_a_tree_alone_suffers_more_than_the_vote_where_voting_forgives():
    """Ten copies of one cause: the vote hardly notices one shuffled copy, the trees that lean on it do."""
    rng = np.random.default_rng(3)
    cause = rng.normal(size=200)
    X, y = np.column_stack([cause] * 10), cause > 0
    forest = grow_forest(X, y, n_trees=60, max_features=1)
    assert oob_importance_per_tree(forest, X, y).mean.sum() > 2 * oob_importance(forest, X, y).mean.sum()


@pytest.mark.slow
def test_the_standard_error_is_the_spread_over_new_rows():
    """A forest of fixed trees met by 250 new samples, bags drawn afresh:
    sd of the importance within 15 % of the estimate."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2))
    forest = grow_forest(X, X[:, 0] + 0.3 * rng.normal(size=200), n_trees=15, max_depth=4)
    for measure in MEASURES:
        found = []
        for _ in range(250):
            new = rng.normal(size=(80, 2))
            fresh = replace(forest, in_bag=(rng.random((15, 80)) < 0.632).astype(int))
            found.append(measure(fresh, new, new[:, 0], n_repeats=3, rng=rng))
        means, errors = np.array([(f.mean[0], f.standard_error[0]) for f in found]).T
        assert np.sqrt((errors**2).mean()) == pytest.approx(means.std(), rel=0.15)


def test_a_scikit_learn_forest_tells_its_bags_and_the_two_variants_frame_its_own_figure():
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 3))
    y = X[:, 0] > 0
    model = ensemble.RandomForestClassifier(40, random_state=0, oob_score=True).fit(X, y)
    importance = oob_importance(model, X, y)
    assert importance.mean[0] == pytest.approx(0.5 - (1 - model.oob_score_), abs=0.1)  # a shuffled cause is a coin flip
    assert importance.rank[0] == 1


def test_features_dealt_a_few_at_a_time_give_what_all_at_once_give(data, monkeypatch):
    """However little memory there is: the same numbers."""
    X, y = data
    forest = grow_forest(X, y, n_trees=7)
    whole = oob_importance(forest, X, y)
    for cells in (1, 3 * 10 * len(X)):
        monkeypatch.setattr(fast_oob, "CELLS_AT_ONCE", cells)
        assert oob_importance(forest, X, y) == whole


def test_the_callers_arguments_are_left_alone_and_seeds_repeat(data):
    X, y = data
    before = X.copy()
    forest = grow_forest(X, y, n_trees=5)
    for measure in MEASURES:
        assert measure(forest, X, y, rng=9) == measure(forest, X, y, rng=9)
    assert np.array_equal(X, before)


@pytest.mark.parametrize(("call", "says"), [
    (lambda f, X, y: oob_importance(replace(f, in_bag=None), X, y), "in_bag is None"),
    (lambda f, X, y: oob_importance(replace(f, in_bag=f.in_bag + 1), X, y), "no row is out of bag"),
    (lambda f, X, y: oob_importance(f, X[:50], y[:50]), "50 rows"),
    (lambda f, X, y: oob_importance(f, X[:, :2], y), "2 columns"),
    (lambda f, X, y: oob_importance(f, X, y[:5]), "y has shape"),
    (lambda f, X, y: oob_importance(f, X, np.zeros(60)), "constant"),
    (lambda f, X, y: oob_importance(f, X, y, loss="hinge"), "unknown loss"),
    (lambda f, X, y: oob_importance(f, X, y, loss="brier"), "class probabilities"),
    (lambda f, X, y: oob_importance(f, X, y, n_repeats=0), "n_repeats"),
    (lambda f, X, y: oob_importance_per_tree(f, X, y, n_repeats=0), "n_repeats"),
    (lambda f, X, y: oob_importance(f, X, y, n_repeats=np.zeros((60, 2), int)), "n_repeats"),
    (lambda f, X, y: oob_importance(f, X, y, donors=np.full((60, 2), 60)), "row numbers"),
    (lambda f, X, y: oob_importance_per_tree(f, X, y, donors=[[0]]), "row numbers"),
    (lambda f, X, y: oob_importance("forest", X, y), "or a fitted model"),
    (lambda f, X, y: oob_importance(f.predict, X, y), "expected a fitted model"),
    (lambda f, X, y: oob_importance(f, None, y), "two dimensions"),
])
def test_bad_input_is_refused_with_a_sentence(data, call, says):
    X, y = data
    with pytest.raises(ValueError, match=says):
        call(grow_forest(X, y, n_trees=5, max_depth=2), X, y)


# --- weights and groups ---


PAIRS_OF_METHODS = [(oob_importance, oob_importance_by_definition),
                    (oob_importance_per_tree, oob_importance_per_tree_by_definition)]


def weighed(rng=0, n=40):
    rng = np.random.default_rng(rng)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=n)
    return grow_forest(X, y, n_trees=9, rng=1), X, y, rng.integers(1, 5, size=n)


@pytest.mark.parametrize(("fast", "slow"), PAIRS_OF_METHODS)
def test_weighted_and_grouped_the_fast_version_is_the_definition(fast, slow):
    forest, X, y, weight = weighed()
    settings = {"sample_weight": weight, "groups": np.arange(40) // 4, "n_repeats": 2}
    here, there = fast(forest, X, y, **settings), slow(forest, X, y, **settings)
    np.testing.assert_allclose(here.draws, there.draws, atol=1e-12)
    np.testing.assert_allclose(here.standard_error, there.standard_error, atol=1e-12)


@pytest.mark.parametrize(("fast", "slow"), PAIRS_OF_METHODS)
def test_equal_weights_and_groups_of_one_change_nothing(fast, slow):
    forest, X, y, _ = weighed()
    settings = {"sample_weight": np.full(40, 3.0), "groups": np.arange(40)}
    here, plain = fast(forest, X, y, **settings), fast(forest, X, y)
    np.testing.assert_allclose(here.draws, plain.draws, rtol=1e-12)
    np.testing.assert_allclose(here.standard_error, plain.standard_error, rtol=1e-12)
    doubled = fast(forest, X, y, groups=np.arange(40) // 4)
    assert (doubled.draws == plain.draws).all() and (doubled.standard_error != plain.standard_error).any()


def test_votes_of_weight_zero_are_not_counted():
    """Half of the rows count: the mean is over the gains of these alone, each as before."""
    forest, X, y, _ = weighed()
    counts = np.arange(40) % 2 == 0
    donors = np.random.default_rng(2).permutation(40)[:, None]
    halves = [oob_importance(forest, X, y, donors=donors, sample_weight=some.astype(float)).mean
              for some in (counts, ~counts)]
    voted = forest.out_of_bag.any(axis=0)
    shares = np.array([(voted & some).sum() for some in (counts, ~counts)]) / voted.sum()
    np.testing.assert_allclose(shares @ halves, oob_importance(forest, X, y, donors=donors).mean, atol=1e-12)


@pytest.mark.parametrize("method", [oob_importance, oob_importance_per_tree])
def test_a_tree_whose_rows_weigh_nothing_cannot_be_judged(method):
    forest, X, y, _ = weighed()
    weight = np.zeros(40)
    weight[~forest.out_of_bag[0]] = 1
    with pytest.raises(ValueError, match="out of bag for some tree"):
        method(forest, X, y, sample_weight=weight)
