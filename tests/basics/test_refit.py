"""What importance_of returns is taken as p numbers, or refused with advice."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.refit import call_importance
from fi_teach.basics.results import Attribution, Importance
from fi_teach.trees import grow_cart

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0]


@pytest.mark.parametrize("found", [
    [1, 2, 3],
    pd.Series([1, 2, 3], index=list("abc")),
    Importance(("a", "b", "c"), np.array([[0.0, 2], [2, 2], [2, 4]])),
])
def test_numbers_and_importances_are_taken(found):
    assert call_importance(lambda X, y: found, X, Y, 3).tolist() == [1, 2, 3]


@pytest.mark.parametrize(("importance_of", "says"), [
    (lambda X, y: grow_cart(X, y, criterion="variance"), "returned Tree, expected 3 numbers"),
    (lambda X, y: Attribution(np.ones((4, 3)), 0.0, ("a", "b", "c")), "returned Attribution, expected"),
    (lambda X, y: [[1.0], [1.0, 2.0]], "returned list, expected"),
    (lambda X, y: np.ones((1, 3)), "returned shape .1, 3. for 3 columns"),
])
def test_what_is_no_list_of_importances_is_refused_by_name(importance_of, says):
    """The forgotten last step: a fitted model is no importance."""
    with pytest.raises(ValueError, match=says):
        call_importance(importance_of, X, Y, 3)
