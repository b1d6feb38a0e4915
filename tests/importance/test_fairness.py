"""Gaps are divided without remainder, and a dropped column is found again in its proxies."""

import numpy as np
import pytest

from fi_teach.basics.results import Attribution
from fi_teach.importance.fairness import group_gap, proxies


def test_the_features_gaps_add_up_to_the_gap_in_predictions():
    """Closed form: sum_j gap_j = mean prediction of the second group - of the first."""
    rng = np.random.default_rng(0)
    phi, group = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    prediction = 3.0 + phi.sum(axis=1)
    gap = group_gap(Attribution(phi, 3.0, tuple("abcd")), group)
    assert gap.mean.sum() == pytest.approx(prediction[group == 1].mean() - prediction[group == 0].mean())


def test_a_feature_without_effect_carries_none_of_the_gap():
    phi = np.column_stack([np.arange(6.0), np.zeros(6)])
    assert group_gap(Attribution(phi, 0.0, ("a", "b")), [0, 0, 0, 1, 1, 1]).mean[1] == 0


def test_the_gaps_standard_error_is_the_two_sample_one():
    """Over 2000 seeded samples the sd of the gap equals the mean standard error within 5 %."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1], [30, 60])
    gaps = [group_gap(Attribution(rng.normal(size=(90, 1)) * (1 + group[:, None]), 0.0, ("a",)), group) for _ in range(2000)]
    assert np.std([g.mean[0] for g in gaps]) == pytest.approx(np.mean([g.standard_error[0] for g in gaps]), rel=0.05)


def test_one_output_of_several_can_be_asked_for():
    values = np.zeros((4, 1, 2))
    values[2:, 0, 1] = 1.0
    assert group_gap(Attribution(values, np.zeros(2), ("a",)), [0, 0, 1, 1], output=1).mean[0] == 1


def test_proxies_find_the_column_that_copies_the_protected_one():
    rng = np.random.default_rng(2)
    protected = rng.integers(0, 2, 400)
    X = np.column_stack([rng.random(400), protected, np.ones(400)])
    found = proxies(X, protected, n_trees=20)
    assert found.alone[1] == pytest.approx(1) and abs(found.alone[0] - 0.5) < 0.1 and found.alone[2] == 0.5
    assert found.to_frame()["feature"][0] == "x1"


def test_two_weak_proxies_together_tell_more_than_either():
    """Planted truth: the protected column is the exclusive or of two fair coins, each worthless alone."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    found = proxies(np.column_stack([a, b]), a ^ b, n_trees=40)
    assert found.alone.max() < 0.62 and found.together > 0.95


@pytest.mark.parametrize("group", [[0, 0, 0, 0], [0, 1, 2, 2], [0, 0, 0, 1]])
def test_anything_but_two_groups_is_refused(group):
    with pytest.raises(ValueError, match="expected two groups"):
        group_gap(Attribution(np.zeros((4, 1)), 0.0, ("a",)), group)


def test_a_group_of_another_length_is_refused():
    with pytest.raises(ValueError, match="one value a row"):
        group_gap(Attribution(np.zeros((4, 1)), 0.0, ("a",)), [0, 1])
