import json

import numpy as np
import pytest

from fi_course.explorables.shortlist import (
    LENGTHS,
    MOST,
    THRESHOLDS,
    bound,
    explore_shortlist,
    frequency,
)

NAMES = [f"g{j}" for j in range(60)]


def noisy(noise, seed=0):
    """Sixty features of falling strength, measured on forty halves."""
    strength = np.linspace(6, 0, 60)
    return strength + noise * np.random.default_rng(seed).normal(size=(40, 60))


def widget():
    return explore_shortlist({"calm": noisy(0.1), "wild": noisy(3.0)}, NAMES)


def named(explorable, **at):
    return int(explorable.sentence_at(**at).split(" %: ")[1].split(" of ")[0])


def test_the_bound_is_that_of_the_paper():
    """k = 20 of 500 at three quarters: 400 / 500 / .5; at one half there is none."""
    assert bound(20, 500, 0.75) == pytest.approx(1.6)
    assert bound(20, 500, 1.0) == pytest.approx(0.8)
    assert bound(20, 500, 0.5) == np.inf


def test_the_bound_holds_where_lists_are_drawn_blindly():
    """All features are of low chance then, and what is named of them stays below the bound."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        halves = rng.random((10, 60))
        found.append((frequency(halves, 20) >= 0.6).sum())
    assert 0 < np.mean(found) <= bound(20, 60, 0.6)


def test_frequencies_add_up_to_the_length_of_the_lists():
    for k in LENGTHS:
        assert frequency(noisy(1.0), k).sum() == pytest.approx(k)


def test_a_higher_threshold_never_names_more():
    found = widget()
    for scorer in ("calm", "wild"):
        counts = [named(found, scorer=scorer, k=20, threshold=at) for at in THRESHOLDS]
        assert counts == sorted(counts, reverse=True)


def test_noise_empties_the_shortlist():
    found = widget()
    calm, wild = (named(found, scorer=s, k=10, threshold=0.9) for s in ("calm", "wild"))
    assert calm >= 8 and wild <= 3


def test_at_one_half_it_promises_nothing():
    said = widget().sentence_at(scorer="calm", k=10, threshold=0.5)
    assert "the bound promises nothing here" in said
    said = widget().sentence_at(scorer="calm", k=10, threshold=0.75)
    assert "the bound lets 3.3 of them be there by luck" in said


def test_it_starts_at_twenty_and_three_quarters_and_every_state_has_its_own_sentence():
    found = widget()
    assert found.sentence.startswith("Lists of 20 by calm, threshold 75 %: ")
    assert len({state["sentence"] for state in found.states}) == len(found.states)
    assert len(json.dumps([found.states, found.pool])) < 190_000


def test_no_mark_leaves_its_panel():
    found = widget()
    for state in found.states:
        for panel, top in zip(state["panels"], (1.02, MOST + 2), strict=True):
            for mark in (found.pool[m] for m in panel["marks"]):
                values = mark["x"] if top == 1.02 else mark["y"]
                values = values if isinstance(values, list) else [values]
                assert all(v is None or 0 <= v <= top for v in values)


@pytest.mark.parametrize("halves, names", [
    ({"s": noisy(1.0)}, NAMES[:59]), ({"s": noisy(1.0)[0]}, NAMES),
    ({"s": noisy(1.0)[:, :20]}, NAMES[:20])])
def test_importances_that_do_not_fit_the_names_are_refused(halves, names):
    with pytest.raises(ValueError, match="one row a half and one column a name"):
        explore_shortlist(halves, names)
