"""Times and events are read in one place, which refuses what would be answered wrong."""

import numpy as np
import pandas as pd
import pytest
from definitions import grow_survival_tree

from fi_teach.basics.losses import concordance, survival_concordance
from fi_teach.basics.survival_target import check_someone_has_it, survival_target

Y = np.array([[1.0, 1], [2, 1], [3, 0], [4, 1]])
RISK = [9, 5, 7, 1]
FORMS = {
    "array": Y,
    "list": Y.tolist(),
    "records": np.array([(event, time) for time, event in Y], dtype=[("died", bool), ("days", float)]),
    "frame": pd.DataFrame({"time": Y[:, 0], "event": Y[:, 1] == 1}),
}
SPOILT = {
    "swapped": (Y[:, ::-1], "in the order time, event"),
    "swapped records": (np.array([(t, e) for t, e in Y], dtype=[("days", float), ("died", bool)]), "time, event"),
    "a negative time": (Y * [-1, 1], "finite numbers >= 0"),
    "a gap among the times": (np.where(Y == 2, np.nan, Y), "finite numbers >= 0"),
    "a 7 among the events": (Y * [1, 7], "1 .happened. or 0 .censored., but 7.0 came"),
    "a gap among the events": (np.where(Y == 0, np.nan, Y), "but nan came"),
    "three columns": (np.ones((4, 3)), "expected .(n|4), 2."),
    "words": ([[1, 1], [2, 1], [3, 0], ["late", 1]], "not a number"),
    "words in a frame": (pd.DataFrame({"time": list("abcd"), "event": 1}), "not a number"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form):
    time, event = survival_target(FORMS[form])
    assert time.tolist() == [1, 2, 3, 4] and event.tolist() == [True, True, False, True]
    assert survival_concordance(FORMS[form], RISK) == survival_concordance(Y, RISK)


@pytest.mark.parametrize("name", SPOILT)
def test_a_score_and_a_tree_refuse_the_same_targets(name):
    """Swapped columns once had a concordance of 0.0, and time -1 and event 7 passed."""
    y, says = SPOILT[name]
    for ask in (lambda: survival_concordance(y, RISK), lambda: grow_survival_tree(np.eye(4), y)):
        with pytest.raises(ValueError, match=says):
            ask()


def test_times_and_events_given_apart_are_looked_at_too():
    time, event = Y.T
    with pytest.raises(ValueError, match="in the order time, event"):
        concordance(event, time, RISK)
    with pytest.raises(ValueError, match="finite numbers >= 0"):
        concordance(-time, event, RISK)


def test_rows_that_are_all_censored_can_be_read_but_no_rate_comes_of_them():
    assert not survival_target(Y * [1, 0])[1].any()
    with pytest.raises(ValueError, match="nobody in y has the event"):
        check_someone_has_it(np.zeros(4, dtype=bool), what="y")
    with pytest.raises(ValueError, match="no pair of rows"):
        survival_concordance(Y * [1, 0], RISK)
