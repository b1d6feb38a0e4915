import json

import numpy as np
import pytest

from fi_course.explorables.correlated_leak import RHOS, explore_correlated_leak, four_measures, shuffled_rows


def test_a_forest_that_may_choose_gives_the_proxy_nothing_and_one_that_may_not_leaks():
    for rho in (0.8, 0.9, 0.95):
        leaks, none = (four_measures(rho, who)["x2"] for who in ("one", "both"))
        assert leaks["permutation"] > 0.1 and leaks["impurity"] > 0.3
        assert abs(none["permutation"]) < 0.02 and none["impurity"] < 0.05


def test_the_leak_grows_with_the_correlation():
    leak = [four_measures(rho, "one").at["permutation", "x2"] for rho in RHOS]
    assert abs(leak[0]) < 0.02 and (np.diff(leak[1:]) > 0).all()


def test_conditional_and_drop_column_give_the_proxy_nothing_in_either_forest():
    for rho in RHOS:
        for who in ("one", "both"):
            assert four_measures(rho, who).loc[["conditional", "drop column"], "x2"].max() < 0.02


@pytest.mark.parametrize("rho", [0.6, 0.8, 0.9, 0.95])
def test_the_cause_is_worth_what_its_own_part_is_worth(rho):
    """The ideal predictor loses 2 (1 - rho^2) when x1 is drawn given x2, and half of that, the variance left,
    when x1 is left out."""
    x1 = four_measures(rho, "both")["x1"]
    assert x1["conditional"] == pytest.approx(2 * (1 - rho**2), rel=0.25)
    assert 1.5 < x1["conditional"] / x1["drop column"] < 2.1


def test_rows_shuffled_out_of_their_line_are_counted():
    """x2' - rho x1 has variance 1 + rho^2: at correlation 0 one row in a hundred is rare, at .9 about 40 %,
    for twins all."""
    shares = [shuffled_rows(rho)[2].mean() for rho in (0.0, 0.9, 1.0)]
    assert shares[0] < 0.03 and abs(shares[1] - 0.404) < 0.08 and shares[2] > 0.99


def test_it_is_small_and_every_state_has_its_own_sentence():
    widget = explore_correlated_leak()
    assert len(json.dumps([widget.states, widget.pool])) < 80_000
    assert len({state["sentence"] for state in widget.states}) == 2 * len(RHOS)


def test_nothing_leaves_the_panels():
    widget = explore_correlated_leak()
    for state in widget.states:
        for drawn in state["panels"]:
            frame, marks = widget.pool[drawn["frame"]], [widget.pool[m] for m in drawn["marks"]]
            for side in "xy":
                low, high = sorted((frame[side]["low"], frame[side]["high"]))
                at = [v for mark in marks for v in np.ravel(mark[side])]
                assert low <= min(at) and max(at) <= high
