import json

import numpy as np
import pytest
from definitions import oob_importance_by_definition, oob_importance_per_tree_by_definition

from fi_course.explorables.banana_shuffler import drawn_forest, explore_bananas, importance_of_deals
from fi_teach.data import BANANA_LENGTH_PERMUTED, BANANA_OUT_OF_BAG, bananas

ROTATION = (1, 2, 3, 0)


@pytest.fixture(scope="module")
def seen():
    return explore_bananas()


def test_the_trees_answer_as_drawn():
    """Fruit 2: yes at 11, no at 19 (tree 1). Fruits 3 and 4: yes at 19 and 14, then yes at 14 and no at 10 (tree M)."""
    X = bananas().X
    dealt = X.assign(Length=BANANA_LENGTH_PERMUTED)
    first, last = drawn_forest().trees
    assert [first.predict(table)[1] for table in (X, dealt)] == ["yes", "no"]
    assert [list(last.predict(table)[2:]) for table in (X, dealt)] == [["yes", "yes"], ["yes", "no"]]


def test_the_bags_are_those_of_the_drawing():
    out = drawn_forest().in_bag == 0
    assert [tuple(np.flatnonzero(row) + 1) for row in out] == list(BANANA_OUT_OF_BAG.values())


def test_it_opens_with_the_drawn_deal_and_its_two_thirds(seen):
    assert seen.sentence.startswith(f"Fruits 1 to 4 get the lengths {', '.join(map(str, BANANA_LENGTH_PERMUTED))}.")
    assert "2 of 3 votes wrong, none before: importance 0.667" in seen.sentence
    assert "importance 0.750 for this deal" in seen.sentence_at(aggregate=False, pick1=1, pick2=1, pick3=1)


@pytest.mark.parametrize("aggregate", [True, False])
def test_every_deal_is_worth_what_the_definition_says(aggregate):
    X, y = bananas()
    for deal, worth in importance_of_deals(aggregate).items():
        measure = oob_importance_by_definition if aggregate else oob_importance_per_tree_by_definition
        by_definition = measure(drawn_forest(), X, y, donors=np.array(deal)[:, None]).mean
        assert worth == pytest.approx(by_definition[3], abs=1e-12)
        assert by_definition[:3].tolist() == [0, 0, 0]


@pytest.mark.parametrize(("aggregate", "mean"), [(True, 1 / 3), (False, 3 / 8)])
def test_the_mean_over_all_deals_is_what_a_pencil_finds(aggregate, mean):
    """Fruit 2 goes wrong with 2 of 4 lengths, fruits 3 and 4 with 1 of 4: (1/2 + 1/4 + 1/4) / 3, or (1/2 + 1/4) / 2."""
    assert importance_of_deals(aggregate).mean() == pytest.approx(mean, abs=1e-12)


def test_every_deal_can_be_reached_and_each_has_its_own_sentence(seen):
    assert len({state["sentence"] for state in seen.states}) == len(seen.states) == 2 * 24


def test_the_bars_count_24_deals(seen):
    for state in seen.states:
        marks = [seen.pool[mark] for mark in state["panels"][1]["marks"]]
        assert sum(max(mark["y"]) for mark in marks if mark["kind"] == "rect") == 24


def test_it_is_small(seen):
    assert len(json.dumps([seen.states, seen.pool])) < 60_000
