import json

import numpy as np
import pytest

from fi_course.explorables.knockoff_scan import (
    CAUSES,
    SIZES,
    STUDIES,
    counts_at,
    explore_knockoffs,
    scan_state,
    statistics_of,
)
from fi_teach.importance import knockoff_threshold


def announced(study, q):
    statistics, cause = statistics_of(study)
    won, _, false, _ = counts_at(statistics, cause, knockoff_threshold(statistics, q))
    return won, false


def test_counts_are_those_of_a_pencil():
    W, cause = np.array([4.0, 3.0, -2.0, 2.0, -1.0, 0.0]), np.array([True, False, False, True, False, False])
    assert counts_at(W, cause, 2.0) == (3, 1, 1, 2 / 3)
    assert counts_at(W, cause, 5.0) == (0, 0, 0, 1.0)


def test_four_causes_can_be_announced_at_thirty_percent_and_not_at_twenty():
    """Five or none: (1 + 0) / 4 = .25 lies above .2."""
    assert announced("four", 0.2) == (0, 0)
    assert announced("four", 0.3) == (4, 0)


def test_nothing_is_announced_where_nothing_is_a_cause():
    assert [announced("none", q) for q in (0.1, 0.2, 0.3)] == [(0, 0)] * 3


@pytest.mark.parametrize("study", ["strong", "weak"])
def test_twelve_causes_are_mostly_found_at_twenty_percent(study):
    won, false = announced(study, 0.2)
    assert won - false >= 9 and false / won <= 0.2


@pytest.mark.parametrize("study", STUDIES)
def test_causes_stand_as_declared_and_everything_fits_the_panel(study):
    statistics, cause = statistics_of(study)
    assert cause.sum() == CAUSES[study][0]
    assert abs(statistics).max() < SIZES[-1] + 0.015
    for state in (scan_state(study, 0.2, t) for t in SIZES):
        for mark in state.panels[0]["marks"]:
            if mark["kind"] == "points":
                assert min(mark["y"]) > -0.5 and max(mark["y"]) < 1.5


@pytest.mark.parametrize("q", [0.1, 0.2, 0.3])
def test_the_sentence_says_passes_exactly_where_the_estimate_is_at_most_q(q):
    for study in STUDIES:
        for t in SIZES:
            won, _, _, estimate = counts_at(*statistics_of(study), t)
            said = scan_state(study, q, t).sentence
            assert (": t passes" in said) == (won > 0 and estimate <= q)


def test_the_page_stays_small_and_every_state_has_its_own_sentence():
    widget = explore_knockoffs()
    assert len(json.dumps([widget.states, widget.pool])) < 190_000
    assert len({state["sentence"] for state in widget.states}) == len(STUDIES) * 3 * len(SIZES)
