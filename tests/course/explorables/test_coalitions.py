import json

import numpy as np
import pytest

from fi_course.explorables.coalitions import (
    GAMES,
    ORDERS,
    coalition_state,
    explore_coalitions,
    gains_in_order,
    look_of,
    payoffs,
)
from fi_teach.basics.games import banzhaf, shapley, shapley_by_orderings
from fi_teach.importance import shapley_values
from fi_teach.plots.colours import hues_of


@pytest.fixture(scope="module")
def seen():
    return explore_coalitions()


@pytest.mark.parametrize("game", GAMES)
def test_the_gains_of_every_order_make_the_whole_payout(game):
    """Sum of the gains = v(everybody) - v(nobody), whoever comes first."""
    table = payoffs(game)
    for order in ORDERS:
        assert gains_in_order(payoffs(game), order).sum() == pytest.approx(table[-1] - table[0])


@pytest.mark.parametrize("game", GAMES)
def test_the_mean_over_the_six_orders_is_the_shapley_value_that_is_drawn(game):
    mean = np.mean([gains_in_order(payoffs(game), order) for order in ORDERS], axis=0)
    assert mean == pytest.approx(shapley_by_orderings(payoffs(game), 3))
    diamonds = [mark for mark in coalition_state(game, ORDERS[0], 3).panels[1]["marks"] if mark["kind"] == "points"]
    assert diamonds[0]["x"] == pytest.approx(mean, abs=1e-4)


def test_the_taxi_comes_out_in_whole_euros_and_the_plain_average_leaves_the_driver_short():
    table = payoffs("taxi")
    assert shapley(table, 3).tolist() == pytest.approx([8, 11, 17])
    assert banzhaf(table, 3).sum() == pytest.approx(34.5)


def test_the_games_of_bits_are_those_that_the_package_plays():
    """The widget's tables and `shapley_values` agree on AND, row (1, 1, 1)."""
    every_row = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    expected = shapley_values(lambda X: X.prod(axis=1), [[1, 1, 1]], background=every_row).values[0]
    assert shapley(payoffs("and"), 3) == pytest.approx(expected)


def test_a_bit_that_is_not_read_adds_nothing_in_any_order():
    assert [gains_in_order(payoffs("xor"), order)[2] for order in ORDERS] == [0] * 6


@pytest.mark.parametrize("game", GAMES)
def test_each_bar_begins_where_the_one_before_has_ended(game):
    bars = [mark["x"] for mark in coalition_state(game, (2, 0, 1), 3).panels[0]["marks"] if mark["kind"] == "rect"]
    table = payoffs(game)
    assert [start for start, _ in bars] == pytest.approx([table[0], *[end for _, end in bars[:-1]]], abs=1e-4)
    assert bars[-1][1] == pytest.approx(table[-1], abs=1e-4)


def test_the_orders_are_called_by_the_names_of_the_players():
    """No comma in them: it parts the wishes of a link that sets an explorable."""
    assert coalition_state("golf", ORDERS[0], 0).options["order"][1] == "Outlook → Wind → Humidity"


@pytest.mark.parametrize("game", GAMES)
def test_a_player_has_the_colour_that_it_has_in_every_figure(game):
    played = GAMES[game]
    drawn = [look_of(played, player)["colour"] for player in range(3)]
    assert drawn == [*hues_of(played.players).values()] and len(set(drawn)) == 3


def test_before_anyone_enters_the_sentence_says_so(seen):
    assert "0 of 3 in: nobody has entered. The fare stands at 0" in seen.sentence_at(entered=0)


def test_the_page_carries_less_than_80_kB(seen):
    assert len(json.dumps([seen.states, seen.pool])) < 80_000


def test_a_player_enters_as_the_slider_moves(seen, show):
    page = show(seen)
    assert "Ada adds +12. " in page.locator(".explorable").inner_text()
    page.locator(".explorable input[type=range]").press("ArrowRight")
    page.wait_for_function("document.querySelector('.explorable').innerText.includes('2 of 3 in')")
    assert "Ben adds +12" in page.locator(".explorable").inner_text()
    assert page.errors == []
