import json

import numpy as np
import pytest

from fi_course.explorables.cost_threshold import CUTS, RATIOS, cost_at, errors_at, explore_costs


@pytest.fixture(scope="module")
def calibrated():
    """Forecasts that keep their word: whoever gets p is accepted with chance p."""
    rng = np.random.default_rng(0)
    chance = rng.random(40_000)
    return chance, rng.random(40_000) < chance


@pytest.mark.parametrize("ratio", RATIOS)
def test_of_forecasts_that_keep_their_word_the_cheapest_cut_follows_from_the_costs(calibrated, ratio):
    """Closed form: accepting costs ratio (1 - p), refusing p, so the least lies at ratio / (1 + ratio)."""
    costs = [cost_at(*calibrated, ratio, cut) for cut in CUTS]
    assert abs(CUTS[int(np.argmin(costs))] - ratio / (1 + ratio)) <= 0.05


def test_a_higher_cut_wrongly_accepts_fewer_and_wrongly_refuses_more(calibrated):
    wrongly_in, wrongly_out = zip(*(errors_at(*calibrated, cut) for cut in CUTS), strict=True)
    assert (np.diff(wrongly_in) <= 0).all() and (np.diff(wrongly_out) >= 0).all()


def test_it_is_small_and_every_state_has_its_own_sentence(calibrated):
    widget = explore_costs(*calibrated)
    assert len(json.dumps([widget.states, widget.pool])) < 90_000
    assert len({state["sentence"] for state in widget.states}) == len(RATIOS) * len(CUTS)


def test_nothing_leaves_the_panels(calibrated):
    widget = explore_costs(*calibrated)
    for state in widget.states:
        for drawn in state["panels"]:
            frame, marks = widget.pool[drawn["frame"]], [widget.pool[m] for m in drawn["marks"]]
            for side in "xy":
                low, high = sorted((frame[side]["low"], frame[side]["high"]))
                at = [v for mark in marks for v in np.ravel(mark[side]) if v is not None]
                assert low <= min(at) and max(at) <= high


@pytest.mark.parametrize("chance, accepted, message", [
    ([0.1, 0.2], [True], "one decision for each chance"),
    ([0.1, 0.2], [True, True], "decisions are alike"),
])
def test_forecasts_that_cannot_be_judged_are_refused(chance, accepted, message):
    with pytest.raises(ValueError, match=message):
        explore_costs(chance, accepted)
