"""Links: what raw scores say, by hand and at the ends of what floats can hold."""

import numpy as np
import pytest

from fi_teach.basics.forest import Forest
from fi_teach.basics.links import logistic, mean_of, softmax


@pytest.mark.parametrize(("link", "raw", "expected"), [
    ("identity", [[0.25, -3.0]], [[0.25, -3.0]]),
    ("exp", [[0.0, np.log(2)]], [[1.0, 2.0]]),
    ("logistic", [[np.log(3)]], [[0.75]]),
    ("exponential", [[np.log(3) / 2]], [[0.75]]),
    ("softmax", [[0, 0, np.log(2)]], [[0.25, 0.25, 0.5]]),
    ("samme", [[0, 0, 2 * np.log(2)]], [[0.25, 0.25, 0.5]]),
])
def test_each_link_by_hand(link, raw, expected):
    np.testing.assert_allclose(mean_of(np.array(raw), link), expected, atol=1e-12)


def test_a_forest_with_one_column_for_two_classes_predicts_the_likelier():
    forest = Forest((), np.ones(0), np.zeros(1), ("x0",), classes=("a", "b"), link="logistic")
    raw = np.array([[np.log(3)], [-np.log(3)]])
    np.testing.assert_allclose(forest.probabilities_of(raw), [[0.25, 0.75], [0.75, 0.25]], atol=1e-12)
    assert forest.prediction_of(raw).tolist() == ["b", "a"]


def test_large_scores_do_not_overflow():
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(logistic(np.array([-1e4, 0.0, 1e4])), [0, 0.5, 1])
        np.testing.assert_allclose(softmax(np.array([[-1e4, 1e4], [1e4, 1e4]])), [[0, 1], [0.5, 0.5]])
