"""Impurities: as SciPy has them, and the properties that make a decrease a decrease."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy as scipy_entropy

from fi_teach.basics.impurity import class_counts, entropy, entropy_nats, gini, variance

counts = st.lists(st.integers(0, 50), min_size=2, max_size=5).filter(sum)


@settings(deadline=None, max_examples=60)
@given(counts)
def test_entropy_is_scipys_and_gini_the_chance_that_two_draws_differ(c):
    """In bits, in nats, and over all pairs of rows with replacement: 1e-12."""
    rows = np.repeat(np.arange(len(c)), c)
    np.testing.assert_allclose(
        [entropy(c), entropy_nats(c), gini(c)],
        [scipy_entropy(c, base=2), scipy_entropy(c), (rows[:, None] != rows).mean()], atol=1e-12)


def test_variance_is_the_mean_squared_error_of_the_mean():
    """IMP-03; weights count rows: weight 2 is the row twice."""
    assert variance([1, 3]) == 1.0
    np.testing.assert_allclose(variance([1, 3, 10], [2, 1, 1]), np.var([1, 1, 3, 10]), atol=1e-12)


def test_an_empty_node_has_no_impurity():
    assert gini([0, 0]) == 0 and entropy([0, 0]) == 0


def test_class_counts_come_in_sorted_order():
    np.testing.assert_array_equal(class_counts(["b", "a", "b"]), [1, 2])
    np.testing.assert_array_equal(class_counts(["b", "a", "b"], [0.5, 1, 2]), [1, 2.5])
