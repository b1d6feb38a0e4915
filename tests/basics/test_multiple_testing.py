"""Corrected p-values reject what the procedures reject."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from fi_teach.basics.multiple_testing import benjamini_hochberg, holm

P_VALUES = st.lists(st.integers(0, 40).map(lambda k: k / 40), min_size=1, max_size=8)


def holm_rejects(p, alpha):
    """What Holm's procedure rejects: the smallest p-values in turn, while (m - k + 1) p_(k) <= alpha."""
    rejected = np.zeros(len(p), dtype=bool)
    for k, i in enumerate(np.argsort(p, kind="stable")):
        if (len(p) - k) * p[i] > alpha:
            break
        rejected[i] = True
    return rejected


@given(P_VALUES)
@settings(max_examples=150, deadline=None)
def test_holm_is_the_smallest_level_at_which_the_procedure_rejects(p):
    """What it does can only change at a level k p_i: all of them are tried, to the last bit."""
    p, adjusted = np.array(p), np.ones(len(p))
    for alpha in sorted({k * p_i for k in range(1, len(p) + 1) for p_i in p}, reverse=True):
        if alpha < 1:
            adjusted[holm_rejects(p, alpha)] = alpha
    assert (holm(p) == adjusted).all()


@given(P_VALUES)
@settings(max_examples=100, deadline=None)
def test_benjamini_hochberg_is_scipys(p):
    np.testing.assert_allclose(benjamini_hochberg(p), false_discovery_control(p), rtol=1e-12)
