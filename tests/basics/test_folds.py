"""Each row is predicted once, by a model that never saw it."""

import numpy as np
import pytest

from fi_teach.basics.folds import fold_error, grouped_folds, held_out_predictions, stratified_folds


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_folds_hold_each_row_once_and_equal_shares_of_each_label(n_folds):
    labels = np.repeat(["a", "b", "c"], [11, 7, 5])
    folds = stratified_folds(labels, n_folds, np.random.default_rng(0))
    assert sorted(np.concatenate(folds).tolist()) == list(range(23))
    for label in "abc":
        counts = [(labels[rows] == label).sum() for rows in folds]
        assert max(counts) - min(counts) <= 1


def test_no_model_is_asked_about_a_row_it_saw():
    X = np.arange(10.0)[:, None]

    def fit(X, y):
        seen = set(X[:, 0])
        return lambda rows: np.array([row not in seen for row in rows[:, 0]])

    folds = stratified_folds(np.zeros(10), 3, np.random.default_rng(0))
    assert held_out_predictions(fit, X, X[:, 0], folds).all()


def test_the_error_of_a_mean_over_folds_is_wider_than_that_of_independent_scores():
    scores = np.array([[0.5, 0.6, 0.7, 0.6], [1.0, 1.0, 1.0, 1.0]])
    independent = scores.std(axis=1, ddof=1) / 2
    assert np.allclose(fold_error(scores), independent * np.sqrt(1 + 4 / 3))


def test_grouped_folds_hold_each_row_once_and_tear_no_group():
    groups = np.random.default_rng(1).integers(0, 9, 60)
    folds = grouped_folds(groups, 4, np.random.default_rng(0))
    assert sorted(np.concatenate(folds).tolist()) == list(range(60)) and len(folds) == 4
    members = [set(groups[rows]) for rows in folds]
    assert sum(map(len, members)) == len(set(groups))


def test_fewer_groups_than_folds_make_fewer_folds():
    assert len(grouped_folds(np.array([0, 0, 1]), 5, np.random.default_rng(0))) == 2
