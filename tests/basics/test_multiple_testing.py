"""Corrected p-values reject what the procedures reject, and keep the procedures' promises."""

import numpy as np
import pytest
from definitions import benjamini_hochberg_by_definition, holm_by_definition
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics.multiple_testing import benjamini_hochberg, holm

P_VALUES = st.lists(st.integers(0, 40).map(lambda k: k / 40), min_size=1, max_size=8)


@given(P_VALUES)
@settings(max_examples=150, deadline=None)
def test_an_adjusted_p_value_is_the_smallest_level_at_which_the_procedure_rejects(p):
    """To the last bit: formula and procedure compare the same products."""
    assert (holm(p) == holm_by_definition(p)).all()
    assert (benjamini_hochberg(p) == benjamini_hochberg_by_definition(p)).all()


def test_the_procedures_on_paper():
    """Five tests at 5 %. Holm: .01 <= .05 / 5, .0124 <= .05 / 4, .017 > .05 / 3, so it stops at two.
    Benjamini and Hochberg: .04 <= 4 / 5 of .05, so the four smallest fall, .5 stays."""
    p = [0.04, 0.01, 0.5, 0.017, 0.0124]
    assert (holm_by_definition(p) <= 0.05).tolist() == [False, True, False, False, True]
    by_rate = benjamini_hochberg_by_definition(p) <= 0.05
    assert by_rate.tolist() == [True, True, False, True, True]


@given(P_VALUES)
@settings(max_examples=60, deadline=None)
def test_bonferroni_is_the_strictest_and_the_rate_the_mildest(p):
    bonferroni = np.minimum(1, len(p) * np.array(p))
    assert (bonferroni >= holm(p)).all()
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
    holm,
    benjamini_hochberg,
    holm_by_definition,
    benjamini_hochberg_by_definition,
]


@pytest.mark.parametrize("correct", CORRECTIONS)
@pytest.mark.parametrize("p_values", [[0.5, 1.5], [-0.1], [np.nan], [], [[0.1]]])
def test_what_is_no_list_of_probabilities_is_refused(correct, p_values):
    with pytest.raises(ValueError, match=r"p_values has shape .* expected one probability a test"):
        correct(p_values)
