"""A p-value counts the observation among the draws."""

import numpy as np

from fi_teach.basics.null_test import NullTest


def of(nulls):
    return NullTest(("a", "b"), np.array([2.0, 9.0]), np.array(nulls))


def test_a_p_value_counts_the_observation_among_the_draws():
    """3 nulls, 1 of them as large: (1 + 1) / (1 + 3); the largest of all has p = 1/4, never 0."""
    test = of([[0.0, 2, 1], [0, 1, 2]])
    assert test.p_values.tolist() == [0.5, 0.25]
    assert test.p_values_below.tolist() == [1.0, 1.0]


def test_equal_tests_are_equal():
    """By their numbers: == of arrays would raise."""
    assert of([[0.0, 1], [2, 3]]) == of([[0.0, 1], [2, 3]]) != of([[0.0, 1], [2, 4]])


def test_the_table_has_the_smallest_p_value_first_and_the_nulls_spread():
    table = of([[0.0, 2, 1], [0, 2, 4]]).to_frame()
    assert table["feature"].tolist() == ["b", "a"]
    assert table["null_mean"].tolist() == [2, 1]
    assert np.allclose(table["null_sd"], [np.sqrt(8 / 3), np.sqrt(2 / 3)])
    assert (table["holm"] >= table["p_value"]).all()
