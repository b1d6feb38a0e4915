"""Boosting: equal to scikit-learn's gradient boosting and AdaBoost wherever no splits tie."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier

from fi_teach.trees.boosting import grow_adaboost, grow_boosting


def signal(n, seed=0):
    """Features that float32 holds exactly, as scikit-learn casts them, and a score with an interaction."""
    rng = np.random.default_rng([seed, 3])
    X = rng.normal(size=(n, 6)).astype(np.float32).astype(float)
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) / 2


X, SCORE = signal(400)
FRESH = signal(300, seed=5)[0]
TWO = np.where(SCORE > 0.3, "yes", "no")
THREE = np.digitize(SCORE, [-0.7, 0.9])
TARGETS = pytest.mark.parametrize("y", [SCORE, TWO, THREE], ids=["numbers", "two classes", "three classes"])
CLASSES = pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])


# ---- agreement with the reference library

def theirs(y, **settings):
    kind = GradientBoostingRegressor if y.dtype.kind == "f" else GradientBoostingClassifier
    return kind(**settings).fit(X, y)


def raw_of(model, rows):
    return model.decision_function(rows) if hasattr(model, "classes_") else model.predict(rows)


@TARGETS
def test_scores_predictions_and_importances_are_scikit_learns(y):
    """1e-8 on fresh rows; with large leaves, since splits that part one outlier from the rest can tie."""
    ours = grow_boosting(X, y, n_trees=25, min_samples_leaf=20)
    model = theirs(y, n_estimators=25, min_samples_leaf=20, random_state=0)
    np.testing.assert_allclose(ours.raw(FRESH).squeeze(), raw_of(model, FRESH), atol=1e-8)
    if ours.classes:
        np.testing.assert_allclose(ours.predict_proba(FRESH), model.predict_proba(FRESH), atol=1e-8)
        np.testing.assert_array_equal(ours.predict(FRESH), model.predict(FRESH))
    fall = sum(np.bincount(t.feature[~t.is_leaf], (t.decrease * t.weighted_n_node_samples)[~t.is_leaf], 6)
               for t in ours.trees)
    np.testing.assert_allclose(fall / fall.sum(), model.feature_importances_, atol=1e-10)


@pytest.mark.parametrize(("depth", "rate"), [(1, 1.0), (2, 1.0), (1, 0.5)])
@CLASSES
def test_adaboost_votes_as_scikit_learns_samme(y, depth, rate):
    """Its decision function counts -1/(K-1) for classes not voted for: (K share - 1) / (K - 1);
    for K = 2 the difference of both."""
    ours = grow_adaboost(X, y, n_trees=20, max_depth=depth, learning_rate=rate)
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth, random_state=0), n_estimators=20,
                               learning_rate=rate, random_state=0).fit(X, y)
    n_classes = len(ours.classes)
    score = (n_classes * ours.raw(X) - 1) / (n_classes - 1)
    expected = score[:, 1] - score[:, 0] if n_classes == 2 else score
    np.testing.assert_allclose(expected, model.decision_function(X), atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), model.predict(X))
    np.testing.assert_allclose(ours.weights, model.estimator_weights_ / model.estimator_weights_.sum(), atol=1e-10)


# ---- closed form and ends

def test_the_kind_of_target_chooses_the_loss_and_the_base_is_the_best_constant():
    """The mean, its log odds, or the log shares, centred."""
    share = (TWO == "yes").mean()
    shares = np.log(np.bincount(THREE) / 400)
    for y, loss, link, base in [(SCORE, None, "identity", SCORE.mean()), (THREE, "squared", "identity", THREE.mean()),
                                (TWO, None, "logistic", np.log(share / (1 - share))),
                                (THREE, None, "softmax", shares - shares.mean())]:
        model = grow_boosting(X, y, n_trees=1, loss=loss)
        assert model.link == link
        np.testing.assert_allclose(model.base, np.atleast_1d(base), atol=1e-12)
    three = grow_boosting(X, THREE, n_trees=4)
    assert len(three.trees) == 12, "one tree a class and round"
    assert three.classes == (0, 1, 2)


def test_rows_that_are_certain_take_no_step_and_nothing_overflows():
    with np.errstate(all="raise", under="ignore"):
        model = grow_boosting(X, X[:, 0] > 0, n_trees=150, learning_rate=1.0)
    assert np.isfinite(model.raw(X)).all()
    assert (model.predict(X) == (X[:, 0] > 0)).all()


def test_adaboost_stops_when_a_tree_misses_nothing():
    model = grow_adaboost(X, X[:, 0] > 0, n_trees=50)
    assert model.weights.tolist() == [1.0]
    assert (model.predict(X) == (X[:, 0] > 0)).all()


def test_adaboost_drops_the_tree_that_is_no_better_than_chance():
    """The only question is right for 3 of 4 rows on either side;
    once the other two weigh as much, it is a coin toss."""
    model = grow_adaboost([[0]] * 4 + [[1]] * 4, [0, 0, 0, 1, 1, 1, 1, 0], n_trees=50)
    assert len(model.trees) == 1
    assert model.predict([[0], [1]]).tolist() == [0, 1]
