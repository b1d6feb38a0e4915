"""Permutation importance by any predict function: closed forms, groups of features, whole-set scores."""

import numpy as np
import pytest
from small_tables import first

from fi_teach.basics.shuffles import receiver_donor_variance, shuffles
from fi_teach.importance.permutation import permutation_importance, score_permutation_importance
from fi_teach.trees import grow_forest


def linear(X):
    X = np.asarray(X)
    return 2 * X[:, 0] - X[:, 1]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, linear(X) + 0.5 * rng.normal(size=120)


# --- closed forms ---


def test_a_linear_model_has_the_closed_form():
    """For f = y = b x and a random permutation with fixed points: E = 2 b^2 Var(x), the variance over these rows.

    Tolerance: four standard errors of the 4000 shuffles.
    """
    X = np.random.default_rng(1).normal(size=(50, 2))
    found = permutation_importance(lambda X: 3 * X[:, 0], X, 3 * X[:, 0], n_repeats=4000)
    expected = 2 * 9 * X[:, 0].var()
    assert abs(found.mean[0] - expected) < 4 * found.permutation_sd[0] / np.sqrt(4000)


# --- groups of features ---


@pytest.mark.parametrize("together", [True, False])
def test_a_group_of_one_is_the_feature(data, together):
    X, y = data
    alone = permutation_importance(linear, X, y, n_repeats=4).draws[0]
    groups = {"feature_groups": {"first": [0]}, "together": together}
    assert np.allclose(permutation_importance(linear, X, y, **groups, n_repeats=4).draws[0], alone)


def test_twins_shuffled_jointly_matter_more_than_columnwise():
    """f = (x1 + x2) / 2 with x1 = x2 = x: jointly 2 Var(x), columnwise 3/2 Var(x), one alone Var(x) / 2.

    Tolerance 5%, more than three standard errors of 1000 shuffles.
    """
    x = np.random.default_rng(4).normal(size=100)
    given = {"model": lambda X: X.mean(axis=1), "X": np.column_stack([x, x]), "y": x, "n_repeats": 1000}
    twins = {"feature_groups": {"twins": [0, 1]}}
    assert permutation_importance(**given, **twins).mean == pytest.approx(2 * x.var(), rel=0.05)
    assert permutation_importance(**given, **twins, together=False).mean == pytest.approx(1.5 * x.var(), rel=0.05)
    assert permutation_importance(**given).mean == pytest.approx([x.var() / 2] * 2, rel=0.05)


# --- whole-set scores ---


def test_the_accuracy_that_is_lost_is_the_zero_one_loss_that_is_gained(data):
    """20 parts know a standard deviation within 16%."""
    X, y = data
    given = {"model": lambda X: linear(X) > 0, "X": X, "y": y > 0, "n_repeats": 200}
    by_score = score_permutation_importance(**given, score="accuracy")
    by_loss = permutation_importance(**given, loss="zero_one", rng=1)
    assert np.allclose(by_score.mean, by_loss.mean, atol=4 * by_loss.permutation_sd.max() * np.sqrt(2 / 200))
    assert np.allclose(by_score.standard_error[:2], by_loss.standard_error[:2], rtol=0.5)
    assert by_score.mean[2] == by_score.standard_error[2] == 0


def test_the_auc_of_a_classifier_is_that_of_its_probabilities(data):
    X, y = data
    forest = grow_forest(X, np.where(y > 0, "x", "y"), n_trees=8)
    by_model, by_hand = (
        score_permutation_importance(model, X, np.where(y > 0, "x", "y"), score="auc", n_repeats=2)
        for model in (forest, forest.predict_proba))
    assert by_model == by_hand and by_model.mean[0] > 0.05


def test_concordance_is_lost_with_the_feature_that_sets_the_pace():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 2))
    y = np.column_stack([rng.exponential(np.exp(-X[:, 0])), rng.random(150) < 0.8])
    records = np.rec.fromarrays([y[:, 1] == 1, y[:, 0]], names="event,time")
    found, of_records = (score_permutation_importance(first, X, target, score="concordance", n_repeats=5)
                         for target in (y, records))
    assert found.mean[0] > 0.15 and found.mean[1] == 0
    assert found == of_records


def test_score_permutation_importance_leaves_groups_out_as_receivers_and_as_donors():
    """A jackknifed score sees some rows, and no value of a left-out group: neither a row nor a donor."""
    row, group = np.arange(20.0), np.arange(20) // 5
    seen = []

    def score(y, prediction):
        seen.append((y, prediction))
        return -np.abs(y - prediction).mean()

    score_permutation_importance(first, row[:, None], row, score=score, n_repeats=3, groups=group)
    parts = [group[np.concatenate([y, prediction]).astype(int)] for y, prediction in seen if len(y) < 20]
    assert len(parts) == 4 * 3 * 2, "4 groups, 3 shuffles, before and after"
    assert all(len(set(groups)) == 3 for groups in parts)


def test_score_permutation_importance_has_the_jackknifes_standard_error(data):
    """sqrt((G-1)/G sum_g (left_g - mean)^2), left_g the drop of the score without part g of G = 20."""
    scores = []

    def score(y, prediction):
        scores.append(-np.abs(y - prediction).mean())
        return scores[-1]

    found = score_permutation_importance(linear, *data, score=score, n_repeats=1)
    drops = np.subtract(scores[::2], scores[1::2]).reshape(3, 1 + 20)
    assert drops[:, 0] == pytest.approx(found.mean)
    left = drops[:, 1:]
    squares = ((left - left.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert found.standard_error == pytest.approx(np.sqrt(19 / 20 * squares))


# --- shuffles, and the variance of their mean ---


def test_the_variance_of_two_rows_is_never_negative():
    """On few rows the correction may overshoot; the receiver's half is then used: var(2, 0) / 2."""
    differences, donors = np.array([[4.0, 0.0], [0.0, 0.0]]), np.array([[1, 0], [0, 1]])
    assert receiver_donor_variance(differences, donors) == pytest.approx(1.0)


def test_shuffles_are_permutations():
    donors = shuffles(20, 5, np.random.default_rng(0))
    assert (np.sort(donors, axis=0) == np.arange(20)[:, None]).all()
