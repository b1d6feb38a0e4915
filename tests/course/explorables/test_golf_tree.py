import pytest

from fi_course.explorables import explore_golf_trees
from fi_course.explorables.golf_tree import (
    N_TIES,
    RULES,
    follow,
    greedy_golf_trees,
    open_question,
    places,
    splits_by_place,
)
from fi_teach.data import golf
from fi_teach.importance import mdi
from fi_teach.trees import every_c45_tree


@pytest.fixture(scope="module")
def seen():
    return explore_golf_trees()


def drawn_states(seen):
    return [state for state in seen.states if state is not None]


def test_every_tree_that_a_rule_could_grow_can_be_reached_and_none_twice(seen):
    told = [state["sentence"] for state in drawn_states(seen)]
    assert len(set(told)) == len(told) == sum(len(greedy_golf_trees(rule)) for rule in RULES)


def test_the_numbers_in_the_sentences_are_those_of_mdi(seen):
    told = [state["sentence"] for state in drawn_states(seen) if state["sentence"].startswith("C4.5")]
    for tree in every_c45_tree(*golf()):
        ranked = mdi(tree).to_frame()
        words = ", ".join(f"{name} {value:.3f}"
                          for name, value in zip(ranked["feature"], ranked["importance"], strict=True))
        assert sum(words in sentence for sentence in told) == 1


def test_the_table_adds_up_to_the_entropy_of_the_fourteen_rows(seen):
    rows = [seen.pool[row] for row in drawn_states(seen)[0]["table"]["rows"]]
    tree = next(every_c45_tree(*golf()))
    # four numbers rounded to .001
    assert sum(float(row[1]) for row in rows) == pytest.approx(14 * tree.impurity[0], abs=0.002)


def test_where_ties_are_broken_the_tree_says_so(seen):
    for state in drawn_states(seen):
        words = [seen.pool[mark].get("words") for mark in state["panels"][0]["marks"]]
        asked = [tie for tie, labels in state["options"].items() if isinstance(labels, list)]
        assert [f"tie {k}" for k in range(1, len(asked) + 1)] == [
            word for word in words if word and word.startswith("tie")]


def test_following_the_picks_leaves_one_tree_whose_nodes_are_the_picked_ones():
    trees = greedy_golf_trees("c45")
    asked, left = follow(trees, [1, 0])
    assert len(left) == 1
    for place, splits, pick in asked:
        assert splits_by_place(left[0])[place] == splits[pick]


def test_a_pick_that_is_not_offered_leaves_no_tree():
    assert follow(greedy_golf_trees("c45"), [0, 5])[1] == []
    assert follow(greedy_golf_trees("cut once"), [1])[1] == []


def test_trees_without_a_difference_leave_no_question():
    trees = greedy_golf_trees("c45")
    assert open_question(trees[:1]) is None
    assert max(len(greedy_golf_trees(rule)) for rule in RULES) == 2**N_TIES  # two splits at each tie


def test_a_place_is_the_answers_that_lead_to_the_node():
    tree = greedy_golf_trees("c45")[0]
    X, _ = golf()
    for t, place in enumerate(places(tree)):
        assert len(place) == tree.depth[t]
    first = places(tree)[tree.apply(X)[0]]  # row 1: sunny, hot, high, weak
    assert first == "yy"
