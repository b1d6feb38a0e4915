"""What importance_of returns is taken as p numbers, or refused with advice."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.refit import call_importance
from fi_teach.basics.results import Attribution, Importance
from fi_teach.importance import (
    boruta,
    conditional_randomization_test,
    knockoff_filter,
    target_permutation_test,
)
from fi_teach.trees import grow_cart, grow_forest

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = X[:, 0]


@pytest.mark.parametrize(
    "found",
    [
        [1, 2, 3],
        np.array([1.0, 2.0, 3.0]),
        pd.Series([1, 2, 3], index=list("abc")),
        Importance(("a", "b", "c"), np.array([[0.0, 2], [2, 2], [2, 4]])),
    ],
)
def test_numbers_and_importances_are_taken(found):
    assert call_importance(lambda X, y: found, X, Y, 3).tolist() == [1, 2, 3]


METHODS = [target_permutation_test, conditional_randomization_test, boruta, knockoff_filter]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "importance_of",
    [
        lambda X, y: grow_cart(X, y, criterion="variance"),
        lambda X, y: grow_forest(X, y, n_trees=2),
        lambda X, y: Attribution(np.ones((4, 3)), 0.0, ("a", "b", "c")),
        lambda X, y: "mdi",
        lambda X, y: {"a": 1.0},
        lambda X, y: [[1.0], [1.0, 2.0]],
    ],
)
def test_a_model_in_place_of_importances_is_refused_by_name(method, importance_of):
    """The forgotten last step: a fitted model, or what is no list of numbers, is no importance."""
    with pytest.raises(ValueError, match=r"importance_of returned .*, expected"):
        method(importance_of, X, Y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("importance_of", "says"),
    [
        (lambda X, y: None, "returned shape"),
        (lambda X, y: np.ones(2), "returned shape .2,. for"),
        (lambda X, y: np.ones((1, X.shape[1])), "returned shape"),
        (lambda X, y: np.full(X.shape[1], np.nan), "not finite"),
        ("mdi", "expected a function"),
    ],
)
def test_the_wrong_shape_is_refused_with_the_right_one(method, importance_of, says):
    with pytest.raises(ValueError, match=says):
        method(importance_of, X, Y)
