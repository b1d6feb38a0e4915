import json

import numpy as np
import pytest

from fi_course.explorables.shap_games import (
    GAMES,
    ROWS,
    TOGETHER,
    TREES,
    explore_shap_games,
    games_state,
    ice_tree,
    mornings,
    three_games,
)
from fi_teach.basics.games import shapley
from fi_teach.importance import shapley_values, tree_shap

INDEPENDENT = 8


@pytest.fixture(scope="module")
def seen():
    return explore_shap_games()


def shares(tree, row, together):
    return {game: shapley(payoffs, 2) for game, payoffs in three_games(tree, row, together).items()}


@pytest.mark.parametrize("tree", TREES)
def test_the_two_games_that_tree_shap_plays_are_those_it_computes(tree):
    for row in ROWS:
        found = shares(tree, row, 12)
        assert tree_shap(ice_tree(tree, 12), [row]).values[0] == pytest.approx(found["path-dependent"])
        assert tree_shap(ice_tree(tree, 12), [row],
                         background=mornings(12)).values[0] == pytest.approx(found["interventional"])


def test_the_interventional_game_is_the_one_of_shapley_values():
    expected = shapley_values(ice_tree("cold", 4).predict, list(ROWS), background=mornings(4)).values
    assert [shares("cold", row, 4)["interventional"].tolist() for row in ROWS] == pytest.approx(expected)


def test_the_conditional_game_averages_over_the_mornings_that_agree():
    """Of the 16 cold mornings 12 are wet: knowing "cold" the ice is expected with 3/4; of the 20 wet ones 12 are cold:
    3/5."""
    assert three_games("cold", (1, 1), 12)["conditional"] == pytest.approx([0.3, 0.75, 0.6, 1])


@pytest.mark.parametrize("row", ROWS)
def test_all_games_agree_where_cold_and_wet_are_independent(row):
    for tree in TREES:
        found = shares(tree, row, INDEPENDENT)
        assert found["conditional"] == pytest.approx(found["interventional"])
        assert found["path-dependent"] == pytest.approx(found["interventional"])


def test_only_the_path_dependent_game_notices_the_order_of_the_questions():
    for row in ROWS:
        one, other = shares("cold", row, 12), shares("wet", row, 12)
        assert one["conditional"] == pytest.approx(other["conditional"])
        assert one["interventional"] == pytest.approx(other["interventional"])
    assert shares("cold", (1, 1), 12)["path-dependent"] != pytest.approx(shares("wet", (1, 1), 12)["path-dependent"])


@pytest.mark.parametrize("together", TOGETHER)
def test_what_is_not_asked_gets_nothing_but_in_the_conditional_game(together):
    found = shares("only", (1, 1), together)
    assert found["interventional"][1] == found["path-dependent"][1] == 0
    assert (abs(found["conditional"][1]) > 0.01) == (together != INDEPENDENT)


def test_the_trees_count_their_mornings_and_predict_the_ice():
    for together in TOGETHER:
        rows = mornings(together)
        assert len(rows) == 40 and rows.sum(axis=0).tolist() == [16, 20]
        for tree in ("cold", "wet"):
            grown = ice_tree(tree, together)
            assert grown.predict(rows).tolist() == rows.prod(axis=1).tolist()
            assert grown.n_node_samples.tolist() == grown.decision_path(rows).sum(axis=0).tolist()


@pytest.mark.parametrize("tree", TREES)
def test_the_bars_that_are_drawn_are_the_shares_and_make_the_prediction(tree):
    state = games_state(tree, (1, 0), 12)
    drawn = [mark["x"][1] for mark in state.panels[1]["marks"] if mark["kind"] == "rect"]
    found = shares(tree, (1, 0), 12)
    assert drawn == pytest.approx([found[game][j] for j in (0, 1) for game in GAMES], abs=1e-4)
    says = ice_tree(tree, 12).predict(np.array([[1, 0]]))[0]
    reached = state.table["nothing known"] + state.table["share of cold"] + state.table["share of wet"]
    assert reached.tolist() == pytest.approx([says] * 3)


def test_the_page_carries_less_than_100_kB(seen):
    assert len(json.dumps([seen.states, seen.pool])) < 100_000


def test_the_shares_move_as_the_slider_moves(seen, show):
    page = show(seen)
    assert "path-dependent cold +0.525" in page.locator(".explorable").inner_text()
    page.locator(".explorable input[type=range]").press("ArrowRight")
    page.wait_for_function("document.querySelector('.explorable').innerText.includes('14 of 40 mornings')")
    assert page.errors == []
