"""Corrected p-values reject what the procedures reject, and keep the procedures' promises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics.multiple_testing import (
    benjamini_hochberg,
    benjamini_hochberg_by_definition,
    bonferroni,
    holm,
    holm_by_definition,
)

P_VALUES = st.lists(st.integers(0, 40).map(lambda k: k / 40), min_size=1, max_size=8)


@given(P_VALUES, st.sampled_from([0.013, 0.05, 0.21, 0.5]))
@settings(max_examples=150, deadline=None)
def test_adjusted_p_values_reject_what_the_procedures_reject(p, level):
    """Levels that no k p / m meets exactly, so that rounding cannot decide."""
    level += 1e-12
    assert ((holm(p) <= level) == holm_by_definition(p, level)).all()
    by_rate = benjamini_hochberg(p) <= level
    assert (by_rate == benjamini_hochberg_by_definition(p, level)).all()


@given(P_VALUES)
@settings(max_examples=60, deadline=None)
def test_bonferroni_is_the_strictest_and_the_rate_the_mildest(p):
    assert (bonferroni(p) >= holm(p)).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()
    assert (benjamini_hochberg(p) >= np.array(p) - 1e-12).all()


def test_the_corrections_keep_their_promises():
    """1000 families of 10, 6 of them null: any false rejection in at most 5 % of them (Holm), a
    mean false share of at most 5 % (BH); + .02."""
    rng = np.random.default_rng(6)
    null = np.arange(10) < 6
    wrong, share = 0, 0.0
    for _ in range(1000):
        p = np.where(null, rng.random(10), rng.random(10) ** 6)
        wrong += (holm(p) <= 0.05)[null].any()
        found = benjamini_hochberg(p) <= 0.05
        share += found[null].sum() / max(1, found.sum())
    assert wrong / 1000 <= 0.07
    assert share / 1000 <= 0.07


CORRECTIONS = [
    bonferroni,
    holm,
    benjamini_hochberg,
    lambda p: holm_by_definition(p, 0.05),
    lambda p: benjamini_hochberg_by_definition(p, 0.05),
]


@pytest.mark.parametrize("correct", CORRECTIONS)
@pytest.mark.parametrize("p_values", [[0.5, 1.5], [-0.1], [np.nan], [], [[0.1]]])
def test_what_is_no_list_of_probabilities_is_refused(correct, p_values):
    with pytest.raises(ValueError, match=r"p_values has shape .* expected one probability a test"):
        correct(p_values)
