"""The explorables of Shapley values and of interventions show the numbers of fi_teach: chapters 8, 9 and 11."""

import numpy as np
import pytest

from fi_course.explorables import coalitions, do_operator, leaf_pattern, shap_games
from fi_course.tables import concrete
from fi_teach.basics.games import coalitions as all_coalitions
from fi_teach.basics.games import shapley, shapley_by_orderings
from fi_teach.importance import shapley_values, tree_shap
from fi_teach.importance.causal import observe, parents

# --- coalitions ---


@pytest.mark.parametrize("game", coalitions.GAMES)
def test_gains_of_every_order_make_the_whole_payout_and_their_mean_is_the_shapley_value_drawn(game):
    table = coalitions.payoffs(game)
    gains = np.array([coalitions.gains_in_order(table, order)[np.argsort(order)] for order in coalitions.ORDERS])
    assert gains.sum(axis=1) == pytest.approx(table[-1] - table[0])
    assert gains.mean(axis=0) == pytest.approx(shapley_by_orderings(table, 3))
    state = coalitions.coalition_state(game, (2, 0, 1))
    steps, shares = (panel["marks"] for panel in state.panels)
    (means,) = (mark["x"] for mark in shares if mark["kind"] == "points")
    assert means == pytest.approx(gains.mean(axis=0), abs=1e-4)
    bars = [mark["y"] for mark in steps if mark["kind"] == "rect"]  # each begins where the one before has ended
    assert [start for start, _ in bars] == pytest.approx([table[0], *[end for _, end in bars[:-1]]], abs=1e-4)
    assert bars[-1][1] == pytest.approx(table[-1], abs=1e-4)


def test_the_games_of_bits_are_those_of_the_package_and_an_idle_bit_adds_nothing():
    every_row = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    expected = shapley_values(lambda X: X.prod(axis=1), [[1, 1, 1]], background=every_row).values[0]
    assert shapley(coalitions.payoffs("and"), 3) == pytest.approx(expected)
    xor = coalitions.payoffs("xor")
    assert [coalitions.gains_in_order(xor, order)[order.index(2)] for order in coalitions.ORDERS] == [0] * 6


def test_orders_are_called_by_the_players_and_nobody_has_entered_at_first():
    """No comma in an order: it parts the wishes of a link that sets an explorable."""
    state = coalitions.coalition_state("golf", ())
    assert state.options["entered"][0] == "nobody" and "Outlook → Wind → Humidity" in state.options["entered"]
    assert "entered: nobody yet. The prediction stands at" in state.sentence


# --- three SHAP games ---

INDEPENDENT = 8


def shares(tree, row, together):
    return {game: shapley(payoffs, 2) for game, payoffs in shap_games.three_games(tree, row, together).items()}


@pytest.mark.parametrize("tree", shap_games.TREES)
def test_the_two_games_that_tree_shap_plays_are_those_it_computes(tree):
    model = shap_games.ice_tree(tree, 12)
    for row in shap_games.ROWS:
        found = shares(tree, row, 12)
        assert tree_shap(model, [row]).values[0] == pytest.approx(found["path-dependent"])
        assert tree_shap(model, [row], background=shap_games.mornings(12)).values[0] == pytest.approx(
            found["interventional"])


def test_the_conditional_game_averages_over_the_mornings_that_agree():
    """Of the 16 cold mornings 12 are wet: knowing "cold" the ice is expected with 3/4; of the 20 wet ones 12 are cold:
    3/5."""
    assert shap_games.three_games("cold", (1, 1), 12)["conditional"] == pytest.approx([0.3, 0.75, 0.6, 1])


@pytest.mark.parametrize("row", shap_games.ROWS)
def test_all_games_agree_on_independence_and_one_alone_notices_the_order_of_the_questions(row):
    for tree in shap_games.TREES:
        found = shares(tree, row, INDEPENDENT)
        assert found["conditional"] == pytest.approx(found["interventional"])
        assert found["path-dependent"] == pytest.approx(found["interventional"])
    one, other = shares("cold", row, 12), shares("wet", row, 12)
    assert one["conditional"] == pytest.approx(other["conditional"])
    assert one["interventional"] == pytest.approx(other["interventional"])
    if row == (1, 1):
        assert one["path-dependent"] != pytest.approx(other["path-dependent"])


@pytest.mark.parametrize("together", shap_games.TOGETHER)
def test_what_is_not_asked_gets_nothing_but_in_the_conditional_game(together):
    found = shares("only", (1, 1), together)
    assert found["interventional"][1] == found["path-dependent"][1] == 0
    assert (abs(found["conditional"][1]) > 0.01) == (together != INDEPENDENT)


def test_the_trees_count_their_mornings_and_predict_the_ice():
    for together in shap_games.TOGETHER:
        rows = shap_games.mornings(together)
        assert len(rows) == 40 and rows.sum(axis=0).tolist() == [16, 20]
        for tree in ("cold", "wet"):
            grown = shap_games.ice_tree(tree, together)
            assert grown.predict(rows).tolist() == rows.prod(axis=1).tolist()
            assert grown.n_node_samples.tolist() == grown.decision_path(rows).sum(axis=0).tolist()


@pytest.mark.parametrize("tree", shap_games.TREES)
def test_the_bars_that_are_drawn_are_the_shares_and_make_the_prediction(tree):
    state, found = shap_games.games_state(tree, (1, 0), 12), shares(tree, (1, 0), 12)
    drawn = [mark["x"][1] for mark in state.panels[-1]["marks"] if mark["kind"] == "rect"]
    assert sorted(drawn) == pytest.approx(sorted(np.ravel(list(found.values()))), abs=1e-4)
    reached = state.table["nothing known"] + state.table["share of cold"] + state.table["share of wet"]
    assert reached.tolist() == pytest.approx([shap_games.ice_tree(tree, 12).predict(np.array([[1, 0]]))[0]] * 3)


# --- one leaf at a time ---


def asked(names):
    """The columns of the widget's three features."""
    return [names.index(name) for name in leaf_pattern.FEATURES]


@pytest.mark.parametrize("mix", leaf_pattern.MIXES)
@pytest.mark.parametrize("stands_in", leaf_pattern.GAMES)
def test_the_shares_of_all_leaves_make_the_shap_values(mix, stands_in):
    X = concrete().X
    background = X.loc[[leaf_pattern.STAND_IN]] if stands_in == "row" else None
    expected = tree_shap(leaf_pattern.small_tree(), X.loc[[mix]], background=background)
    found = leaf_pattern.shares_by_leaf(mix, stands_in).sum(axis=0)
    assert found == pytest.approx(expected.values[0, asked(expected.names)])
    assert np.abs(np.delete(expected.values[0], asked(expected.names))).max() == 0


def test_each_leaf_pays_what_brute_force_pays_and_the_area_under_its_curve():
    """Brute force over its coalitions; a Riemann sum over 2000 midpoints of a smooth curve, within 1e-5."""
    middle, tree = (np.arange(2000) + 0.5) / 2000, leaf_pattern.small_tree()
    for k, (leaf, players, a, b) in enumerate(leaf_pattern.patterns_of(100, "cover")):
        value = tree.value[leaf, 0]
        paid = leaf_pattern.shares_by_leaf(100, "cover")[k, [list(leaf_pattern.FEATURES).index(j) for j in players]]
        game = [value * np.prod(np.where(S, a, b)) for S in all_coalitions(len(a))]
        assert paid == pytest.approx(shapley(game, len(a)))
        areas = [leaf_pattern.integrand(value, a, b, i, middle).mean() for i in range(len(a))]
        assert areas == pytest.approx(paid, abs=1e-5)


# --- seeing and doing ---

SLOPE = 2 / 1.09  # of y on x1, in the table of each of the four worlds
EFFECTS = {"health": 0, "value": SLOPE, "both": -0.5, "severity": 0}


@pytest.mark.parametrize("world", do_operator.WORLDS)
def test_the_four_worlds_make_the_same_table_by_the_arrows_that_are_drawn(world):
    """Jointly normal with equal covariances: no statistic of x1 and y, however clever, tells them apart.
    4 standard errors of 400,000 rows."""
    model = do_operator.same_table_worlds()[world]
    table = observe(model, 400_000, rng=1)[["x1", "y"]]
    assert np.cov(table.T) == pytest.approx(np.array([[1.09, 2], [2, 4.34]]), abs=0.04)
    assert table.mean().to_numpy() == pytest.approx([0, 0], abs=0.02)
    assert abs(table.skew()).max() < 0.02 and abs(table.kurt()).max() < 0.04
    arrows = {(cause, child) for child in model.equations for cause in parents(model, child)}
    assert arrows == set(do_operator.ARROWS[world])


@pytest.mark.parametrize("world", do_operator.WORLDS)
def test_what_is_seen_has_one_slope_and_what_is_done_has_the_worlds_own(world):
    """And each patient's severity moves by the effect times the change of the value, by nothing else."""
    curves = do_operator.two_curves(world)
    seen, done = (np.polyfit(curves["x1"], curves[column], 1)[0] for column in ("seen", "done"))
    assert seen == pytest.approx(SLOPE, abs=0.12)
    assert done == pytest.approx(EFFECTS[world], abs=1e-9)
    before, after = do_operator.patients(world), do_operator.patients_after(world, 2.0)
    assert (after["x1"] == 2).all()
    assert (after["y"] - before["y"]).to_numpy() == pytest.approx((EFFECTS[world] * (2 - before["x1"])).to_numpy())
