"""Stored reference figures belong to their inputs."""

import pytest
from oracles import CORRELATIONS, stored


def test_figures_are_refused_for_other_inputs():
    """One correlation moved by 0.001, or the rows in another order: the figures were computed for neither."""
    correlation = CORRELATIONS["ar 0.5"]
    moved = correlation.copy()
    moved[0, 1] += 0.001
    for other in (moved, correlation[::-1]):
        with pytest.raises(ValueError, match=r"the inputs of 'mvr s, ar 0.5' are not those .* run make oracles"):
            stored("mvr s, ar 0.5", other)
    assert len(stored("mvr s, ar 0.5", correlation)) == 30
