import json

import numpy as np
import pytest

from fi_course.explorables.cardinality_race import (
    CRITERIA,
    LEVELS,
    SIZES,
    decreases,
    explore_cardinality_race,
    races_at_root,
    shares_over_sizes,
)
from fi_teach.trees.cart import best_split


@pytest.fixture(scope="module")
def seen():
    return explore_cardinality_race()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_best_cut_of_a_race_is_the_best_split_of_the_tree_grower(criterion):
    """With labels in the order of the column, its cuts are the places between neighbours."""
    rng = np.random.default_rng(3)
    y = rng.standard_normal((1, 30)) if criterion == "variance" else rng.integers(0, 2, (1, 30)).astype(float)
    rows = np.arange(1.0, 30)[None, :]
    best = decreases(y, rows, y.cumsum(axis=1)[:, :-1], criterion).max()
    assert best == pytest.approx(
        best_split(np.arange(30)[:, None], y[0] if criterion == "variance" else y[0].astype(int),
                   criterion=criterion).decrease)


def test_a_cut_with_an_empty_side_takes_nothing():
    y = np.array([[0.0, 1.0, 1.0]])
    for criterion in CRITERIA:
        assert decreases(y, np.array([[0.0, 3.0]]), np.array([[0.0, 2.0]]), criterion) == pytest.approx(0, abs=1e-12)


def test_a_fixed_cut_on_noise_takes_the_share_one_in_n_minus_one_of_the_impurity():
    """Mean over shuffles of Gini decrease / impurity is 1 / (n - 1);
    4000 tables of 20 rows, within 5 standard errors."""
    y = np.random.default_rng(1).permuted(np.tile(np.repeat([0.0, 1.0], 10), (4000, 1)), axis=1)
    taken = decreases(y, np.full((4000, 1), 4.0), y[:, :4].sum(axis=1, keepdims=True), "gini")[:, 0] / 0.5
    assert abs(taken.mean() - 1 / 19) < 5 * taken.std() / np.sqrt(4000)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_more_values_win_more_races(criterion):
    best = races_at_root(criterion, 60, 2000, rng=5)
    ahead = (best > best[:, :1] + 1e-12).mean(axis=0)
    assert ahead[0] == 0
    assert (np.diff(ahead) > 0).all()


@pytest.mark.parametrize("where", ["root", "forest"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_shares_add_up_to_one_and_follow_the_number_of_values(where, criterion):
    share = shares_over_sizes(where, criterion)
    assert share.sum(axis=1).to_numpy() == pytest.approx(1)
    assert list(share.columns) == list(LEVELS)
    assert (np.diff(share.mean()) > 0).all()


def test_the_head_to_head_chance_of_the_continuous_column_crawls_upwards(seen):
    """At 1000 rows it is above its value at 20 rows, and both lie where independent cuts would not put them."""
    def chance(n):
        return int(seen.sentence_at(where="root", criterion="gini",
                                    n=n).split("all different values ")[-1].rstrip("%."))

    assert 85 < chance(20) < chance(1000) < 99


def test_the_table_says_what_the_bars_show(seen):
    state = seen.states[SIZES.index(100)]
    table = [seen.pool[row] for row in state["table"]["rows"]]
    assert [row[1] for row in table] == ["1", "3", "9", "19", "99"]
    marks = [seen.pool[mark] for mark in state["panels"][0]["marks"]]
    shown = [int(mark["words"].rstrip("%")) / 100 for mark in marks if mark["kind"] == "text"]
    assert [float(row[2]) for row in table] == pytest.approx(shown, abs=0.0056)  # three decimals against two


def test_the_page_carries_less_than_100_kB(seen):
    assert len(json.dumps([seen.states, seen.pool])) < 100_000


def test_the_race_is_drawn_and_moves(seen, show):
    page = show(seen)
    before = page.locator(".explorable").inner_text()
    page.locator(".explorable input[type=range]").press("ArrowRight")
    page.wait_for_function("before => document.querySelector('.explorable').innerText !== before", arg=before)
    assert "200 rows of pure noise" in page.locator(".explorable").inner_text()
    assert page.errors == []
