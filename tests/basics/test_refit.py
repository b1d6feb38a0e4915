"""What importance_of returns is taken as p numbers; what else it may return is refused in tests/test_bad_input.py."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.refit import call_importance
from fi_teach.basics.results import Importance

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0]


@pytest.mark.parametrize("found", [
    [1, 2, 3],
    pd.Series([1, 2, 3], index=list("abc")),
    Importance(("a", "b", "c"), np.array([[0.0, 2], [2, 2], [2, 4]])),
])
def test_numbers_and_importances_are_taken(found):
    assert call_importance(lambda X, y: found, X, Y, 3).tolist() == [1, 2, 3]
