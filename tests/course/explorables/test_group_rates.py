import json

import numpy as np
import pytest

from fi_course.explorables.group_rates import SHARES, WAYS, cuts_for, explore_group_rates, rates_of

LINE = {"denials": 0, "alarms": 1, "catches": 2}  # which rate each way makes equal


@pytest.fixture(scope="module")
def lenders():
    """Two groups of unlike risk, and risks that keep their word in both."""
    rng = np.random.default_rng(0)
    group = rng.random(12_000) < 0.3
    risk = rng.beta(np.where(group, 2, 1), 6)
    return risk, rng.random(12_000) < risk, group


def rates_with(lenders, way, share):
    risk, denied, group = lenders
    denials = risk > np.where(group, *cuts_for(*lenders, way, share))
    return denials.mean(), [rates_of(denials[rows], denied[rows]) for rows in (group, ~group)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("share", SHARES)
def test_every_way_to_cut_denies_as_many(lenders, way, share):
    assert rates_with(lenders, way, share)[0] == pytest.approx(share, abs=0.002)


@pytest.mark.parametrize("way", LINE)
def test_what_is_to_be_equal_is_equal_and_another_line_is_not(lenders, way):
    """Planted: the groups' shares of denials differ, so no cuts can make all lines equal."""
    _, (first, second) = rates_with(lenders, way, 0.2)
    apart = abs(np.subtract(first, second))
    assert apart[LINE[way]] < 0.003 and apart.max() > 0.02


def test_one_cut_is_harder_on_the_group_with_the_higher_risks(lenders):
    _, (group, others) = rates_with(lenders, "one", 0.2)
    assert (np.array(group) > np.array(others)).all()


def test_it_is_small_and_every_state_has_its_own_sentence(lenders):
    widget = explore_group_rates(*lenders)
    assert len(json.dumps([widget.states, widget.pool])) < 60_000
    assert len({state["sentence"] for state in widget.states}) == len(WAYS) * len(SHARES)


def test_nothing_leaves_the_panel(lenders):
    widget = explore_group_rates(*lenders)
    for state in widget.states:
        frame = widget.pool[state["panels"][0]["frame"]]
        ends = [max(mark["x"]) for mark in (widget.pool[m] for m in state["panels"][0]["marks"])
                if mark["kind"] == "rect"]
        assert max(ends) <= frame["x"]["high"]


@pytest.mark.parametrize("denied, group, message", [
    ([True, False, True], [True, True, False, False], "one value a row"),
    ([True, True, True, False], [True, True, False, False], "no granted ones"),
])
def test_groups_that_cannot_be_compared_are_refused(denied, group, message):
    with pytest.raises(ValueError, match=message):
        explore_group_rates([0.1, 0.2, 0.3, 0.4], denied, group)
