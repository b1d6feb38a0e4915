import json

import numpy as np
import pytest

from fi_course.explorables.do_operator import (
    ARROWS,
    SLOPE,
    VALUES,
    WORLDS,
    explore_do_operator,
    patients,
    patients_after,
    same_table_worlds,
    two_curves,
)
from fi_teach.importance.causal import observe, parents

EFFECTS = {"health": 0, "value": SLOPE, "both": -0.5, "severity": 0}


@pytest.mark.parametrize("world", WORLDS)
def test_the_four_worlds_make_the_same_table(world):
    """Jointly normal with equal covariances: no statistic of x1 and y, however clever, tells them apart.
    4 standard errors of 400,000 rows."""
    table = observe(same_table_worlds()[world], 400_000, rng=1)[["x1", "y"]]
    assert np.cov(table.T) == pytest.approx(np.array([[1.09, 2], [2, 4.34]]), abs=0.04)
    assert table.mean().to_numpy() == pytest.approx([0, 0], abs=0.02)
    assert abs(table.skew()).max() < 0.02 and abs(table.kurt()).max() < 0.04


@pytest.mark.parametrize("world", WORLDS)
def test_what_is_seen_has_one_slope_and_what_is_done_has_the_worlds_own(world):
    curves = two_curves(world)
    seen, done = (np.polyfit(curves["x1"], curves[column], 1)[0] for column in ("seen", "done"))
    assert seen == pytest.approx(SLOPE, abs=0.12)
    assert done == pytest.approx(EFFECTS[world], abs=1e-9)


@pytest.mark.parametrize("world", WORLDS)
def test_everybody_keeps_what_the_value_does_not_touch(world):
    """Each patient's severity moves by the effect times the change of the value, and by nothing else."""
    before, after = patients(world), patients_after(world, 2.0)
    assert (after["x1"] == 2).all()
    assert (after["y"] - before["y"]).to_numpy() == pytest.approx((EFFECTS[world] * (2 - before["x1"])).to_numpy())


def test_the_arrows_drawn_are_those_of_the_equations():
    for world, model in same_table_worlds().items():
        assert {(cause, child) for child in model.equations for cause in parents(model, child)} == set(ARROWS[world])


def test_it_is_small_and_every_state_has_its_own_sentence():
    widget = explore_do_operator()
    assert len(json.dumps([widget.states, widget.pool])) < 120_000
    assert len({state["sentence"] for state in widget.states}) == 2 * len(WORLDS) * len(VALUES)


def test_nothing_leaves_the_panels():
    widget = explore_do_operator()
    for state in widget.states:
        for drawn in state["panels"]:
            frame, marks = widget.pool[drawn["frame"]], [widget.pool[m] for m in drawn["marks"]]
            for side in "xy":
                low, high = sorted((frame[side]["low"], frame[side]["high"]))
                at = [v for mark in marks for v in np.ravel(mark[side])]
                assert low <= min(at) and max(at) <= high
