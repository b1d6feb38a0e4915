import json

import numpy as np
import pandas as pd
import pytest

from fi_course.explorables.held_out_units import SHOWN, explore_held_out, with_sister

SISTERS = np.repeat(np.arange(6), 2)
PLACES = pd.DataFrame({"water": 180.0 + SISTERS, "cement": 300.0 - 10 * SISTERS})
SPLITS = {
    "rows": [np.arange(12) % 3 == k % 3 for k in range(5)],
    "pours": [k % 3 == SISTERS % 3 for k in range(5)],
}
ERRORS = {"rows": [3.0, 4.0, 5.0, 4.0, 4.0], "pours": [6.0, 7.0, 8.0, 7.0, 7.0]}


def widget():
    return explore_held_out(PLACES, SISTERS, SPLITS, ERRORS, unit="MPa")


def names_drawn(explorable, at):
    marks = explorable.states[at]["panels"][0]["marks"]
    return {explorable.pool[mark].get("name") for mark in marks}


def test_a_row_has_a_sister_in_training_only_if_some_of_its_kind_are_not_held_out():
    new = np.array([True, False, True, True, False])
    assert with_sister(new, np.array([0, 0, 1, 1, 2])).tolist() == [True, False, False, False, False]


def test_whole_units_have_no_sister_left_and_rows_have():
    found = widget()
    assert "4 with a sister in training" in found.sentence_at(kind="rows", split=1)
    assert "0 with a sister in training" in found.sentence_at(kind="pours", split=1)
    assert "held out, a sister in training" in names_drawn(found, 0)
    assert "held out, a sister in training" not in names_drawn(found, SHOWN)


def test_the_sentence_says_this_error_and_the_mean_of_all_splits():
    said = widget().sentence_at(kind="pours", split=2)
    assert "Error 7.0 MPa here, 7.0 MPa on average over 5 splits" in said
    assert "Error 6.0 MPa here" in widget().sentence_at(kind="pours", split=1)


def test_every_pour_is_drawn_once():
    found = widget()
    for state in found.states:
        drawn = [found.pool[mark] for mark in state["panels"][0]["marks"]]
        assert sum(len(mark["x"]) for mark in drawn if mark["kind"] == "points") == 6


def test_as_many_states_as_kinds_and_shown_splits_each_with_its_own_sentence():
    found = widget()
    assert len(found.states) == len(SPLITS) * SHOWN
    assert len({state["sentence"] for state in found.states}) == len(found.states)


def test_a_thousand_rows_stay_small():
    rng = np.random.default_rng(0)
    places = pd.DataFrame(rng.normal(size=(1000, 2)), columns=["water", "cement"])
    sisters = np.arange(1000) // 3
    splits = {f"kind {k}": [rng.random(1000) < 0.3 for _ in range(20)] for k in range(5)}
    errors = {kind: rng.random(20) for kind in splits}
    found = explore_held_out(places, sisters, splits, errors, unit="MPa")
    assert len(json.dumps([found.states, found.pool])) < 120_000


def test_a_frame_of_errors_will_do():
    assert explore_held_out(PLACES, SISTERS, SPLITS, pd.DataFrame(ERRORS)).sentence


@pytest.mark.parametrize("splits, errors, said", [
    ({}, {}, "same kinds"),
    (SPLITS, {"rows": [1.0] * 5}, "same kinds"),
    (SPLITS, ERRORS | {"pours": [1.0]}, "one error for each split"),
    (SPLITS | {"rows": [np.ones(3, bool)] * 5}, ERRORS, "one entry a row"),
])
def test_splits_that_do_not_fit_are_refused(splits, errors, said):
    with pytest.raises(ValueError, match=said):
        explore_held_out(PLACES, SISTERS, splits, errors)
