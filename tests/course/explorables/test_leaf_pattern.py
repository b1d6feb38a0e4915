import json

import numpy as np
import pytest

from fi_course.explorables.leaf_pattern import (
    FEATURES,
    GAMES,
    MIXES,
    STAND_IN,
    explore_leaf_pattern,
    integrand,
    leaf_state,
    patterns_of,
    shares_by_leaf,
    small_tree,
)
from fi_course.tables import concrete
from fi_teach.basics.games import coalitions, shapley
from fi_teach.importance import tree_shap


@pytest.fixture(scope="module")
def seen():
    return explore_leaf_pattern()


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("stands_in", GAMES)
def test_the_shares_of_all_leaves_make_the_shap_values(mix, stands_in):
    X = concrete().X
    background = X.loc[[STAND_IN]] if stands_in == "row" else None
    expected = tree_shap(small_tree(), X.loc[[mix]], background=background)
    asked = [expected.names.index(name) for name in FEATURES]
    assert shares_by_leaf(mix, stands_in).sum(axis=0) == pytest.approx(expected.values[0, asked])
    assert np.abs(np.delete(expected.values[0], asked)).max() == 0


def test_each_leaf_pays_what_brute_force_over_its_coalitions_pays():
    for k, (leaf, players, a, b) in enumerate(patterns_of(100, "cover")):
        game = [small_tree().value[leaf, 0] * np.prod(np.where(S, a, b)) for S in coalitions(len(a))]
        paid = shares_by_leaf(100, "cover")[k, [list(FEATURES).index(name) for name in players]]
        assert paid == pytest.approx(shapley(game, len(a)))


def test_the_area_under_a_curve_is_the_share():
    """Riemann sum over 2000 midpoints of a curve that is smooth: within 1e-5 of the exact share."""
    leaf, players, a, b = patterns_of(100, "cover")[6]
    middle = (np.arange(2000) + 0.5) / 2000
    areas = [integrand(small_tree().value[leaf, 0], a, b, i, middle).mean() for i in range(len(a))]
    assert areas == pytest.approx(shares_by_leaf(100, "cover")[6, [list(FEATURES).index(name) for name in players]],
                                  abs=1e-5)


def test_a_stand_in_row_passes_or_fails_and_training_rows_pass_by_their_share():
    bits = np.concatenate([b for _, _, _, b in patterns_of(2, "row")])
    shares = np.concatenate([b for _, _, _, b in patterns_of(2, "cover")])
    assert set(bits) == {0, 1} and ((shares > 0) & (shares < 1)).all()


@pytest.mark.parametrize("stands_in", GAMES)
def test_everything_drawn_stays_inside_its_panel(stands_in):
    for mix in MIXES:
        for leaf in range(1, 9):
            for part in leaf_state(mix, stands_in, leaf).panels[1:]:
                for axis in ("x", "y"):
                    low, high = sorted((part["frame"][axis]["low"], part["frame"][axis]["high"]))
                    places = [v for mark in part["marks"] for v in mark[axis] if v is not None]
                    assert low <= min(places) and max(places) <= high


def test_the_page_carries_less_than_150_kB(seen):
    assert len(json.dumps([seen.states, seen.pool])) < 150_000


def test_a_step_of_the_slider_is_a_leaf(seen, show):
    page = show(seen)
    assert "Leaf 1 of 8" in page.locator(".explorable").inner_text()
    page.locator(".explorable input[type=range]").press("ArrowRight")
    page.wait_for_function("document.querySelector('.explorable').innerText.includes('Leaf 2 of 8')")
    assert page.errors == []
