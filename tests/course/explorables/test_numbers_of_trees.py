"""The explorables of splits and trees show the numbers of fi_teach: chapters 1 to 4, and how a tree is drawn."""

import re
from itertools import product

import numpy as np
import pytest
from definitions import every_split, tied_splits

from fi_course.explorables import cardinality_race as race
from fi_course.explorables import explore_golf_trees, explore_impurity, explore_splits, golf_tree, telescope
from fi_course.explorables.split_explorer import weighted_gini
from fi_course.explorables.tree_marks import question, questions, tree_panel
from fi_course.tables import mtcars
from fi_teach.basics.impurity import class_counts
from fi_teach.data import golf, midterm
from fi_teach.importance import mdi
from fi_teach.trees import entropy, entropy_nats, every_c45_tree, gini, grow_cart
from fi_teach.trees.cart import best_split

LABELLED = list(product(telescope.LABELS, telescope.CRITERIA))


def of_kind(marks, kind):
    return [mark for mark in marks if mark["kind"] == kind]


def marks_of(seen, state, k):
    """The marks of a state's panel."""
    return [seen.pool[mark] for mark in state["panels"][k]["marks"]]


def states(seen):
    return [state for state in seen.states if state is not None]


# --- impurity curves ---


@pytest.mark.parametrize("values, shares", [
    ({"classes": 2, "share": 0.3}, [0.3, 0.7]),
    ({"classes": 3, "ratio": (3, 1), "share": 0.2}, [0.2, 0.6, 0.2]),
    ({"classes": 3, "ratio": (1, 0), "share": 0.5, "scaled": True}, [0.5, 0.5, 0.0]),
])
def test_the_impurities_in_the_sentence_are_those_of_the_shares(values, shares):
    told = re.search(r"Gini ([\d.]+), entropy ([\d.]+) bits or ([\d.]+) nats", explore_impurity().sentence_at(**values))
    assert [float(number) for number in told.groups()] == [
        round(float(measure(shares)), 3) for measure in (gini, entropy, entropy_nats)]


def test_scaled_the_two_entropies_are_one_curve_and_pure_and_even_nodes_are_named():
    seen = explore_impurity()
    state = seen.states[np.ravel_multi_index([1, 1, 4, 1], [len(control["labels"]) for control in seen.controls])]
    _, bits, nats = (mark for mark in of_kind(marks_of(seen, state, 0), "line") if len(mark["x"]) > 2)
    np.testing.assert_allclose(bits["y"], nats["y"], atol=1e-4)
    assert seen.sentence_at(share=1.0).endswith("a pure node.")
    assert seen.sentence_at(share=0.5).endswith("as mixed as two classes can be.")
    assert seen.states[0]["options"] == {"ratio": "needs three classes"}


# --- splits ---


def test_every_split_of_the_midterm_is_seen_with_its_decrease_and_the_best_is_named():
    seen = explore_splits()
    told = [float(re.search(r"a decrease of ([\d.]+)", state["sentence"])[1]) for state in states(seen)]
    assert told == [round(split.decrease, 3) for split in every_split(*midterm())]
    (best,) = tied_splits(*midterm())
    assert [state["sentence"] for state in states(seen) if "of all splits" in state["sentence"]] == [
        seen.sentence_at(feature=midterm().X.columns[best.feature])]
    assert states(seen)[-1]["options"] == {"threshold": "not asked: this split is on Attends"}


def test_the_weighted_gini_is_the_parents_less_the_decrease_and_the_bars_hold_every_student():
    X, y = midterm()
    for split in every_split(X, y):
        after = weighted_gini(X.columns[split.feature], split.threshold)
        assert after == pytest.approx(gini(class_counts(y)) - split.decrease, abs=1e-12)
    for state in states(seen := explore_splits()):
        assert sum(np.ptp(bar["x"]) for bar in of_kind(marks_of(seen, state, 1), "rect")) == 8


# --- golf trees ---


def test_every_tree_that_a_rule_could_grow_is_reached_once_and_told_with_its_mdi():
    told = [state["sentence"] for state in states(explore_golf_trees())]
    assert len(set(told)) == len(told) == sum(len(golf_tree.greedy_golf_trees(rule)) for rule in golf_tree.RULES)
    for tree in every_c45_tree(*golf()):
        ranked = mdi(tree).to_frame()[["feature", "importance"]].values
        words = ", ".join(f"{name} {value:.3f}" for name, value in ranked)
        assert sum(words in sentence for sentence in told if sentence.startswith("C4.5")) == 1


def test_the_golf_table_adds_up_to_the_entropy_and_the_tree_shows_where_ties_are_broken():
    seen, tree = explore_golf_trees(), next(every_c45_tree(*golf()))
    rows = [seen.pool[row] for row in states(seen)[0]["table"]["rows"]]
    # four numbers rounded to .001
    assert sum(float(row[1]) for row in rows) == pytest.approx(14 * tree.impurity[0], abs=0.002)
    for state in states(seen):
        asked = [tie for tie, labels in state["options"].items() if isinstance(labels, list)]
        ties = [mark["words"] for mark in of_kind(marks_of(seen, state, 0), "text") if mark["words"].startswith("tie")]
        assert ties == [f"tie {k}" for k in range(1, len(asked) + 1)]


def test_following_the_picks_leaves_the_tree_whose_nodes_are_picked_or_none():
    trees = golf_tree.greedy_golf_trees("c45")
    asked, (tree,) = golf_tree.follow(trees, [1, 0])
    assert all(questions(tree)[place] == splits[pick] for place, splits, pick in asked)
    assert golf_tree.follow(trees, [0, 5])[1] == golf_tree.follow(golf_tree.greedy_golf_trees("cut once"), [1])[1] == []


# --- the telescope ---


@pytest.mark.parametrize("labels, criterion", LABELLED)
def test_what_is_credited_and_what_is_left_make_the_root_and_end_at_the_mdi(labels, criterion):
    """Decreases telescope: root = sum of the splits' weighted decreases + what the leaves keep."""
    tree = telescope.grown(labels, criterion)
    n_splits = len(telescope.steps_of(tree))
    for splits in range(n_splits + 1):
        credit = telescope.telescope_state(labels, criterion, splits).table["credit"]
        assert credit[:-1].sum() == pytest.approx(tree.impurity[0], abs=1e-12)
        assert credit.iloc[-1] == pytest.approx(tree.impurity[0])
    assert credit[:tree.n_features].to_numpy() == pytest.approx(mdi(tree, normalize=False).mean)
    assert telescope.telescope_state(labels, criterion, n_splits + 1) is None


@pytest.mark.parametrize("labels, criterion", LABELLED)
def test_every_split_comes_after_its_parent_and_each_bar_begins_where_the_next_one_ends(labels, criterion):
    tree = telescope.grown(labels, criterion)
    order = telescope.order_of_splits(tree)
    assert sorted(order) == np.flatnonzero(~tree.is_leaf).tolist()
    parent = {child: t for t in order for child in (tree.children_left[t], tree.children_right[t])}
    assert all(order.index(parent[t]) < order.index(t) for t in order[1:])
    last = telescope.telescope_state(labels, criterion, len(order))
    ends = [bar["x"] for bar in of_kind(last.panels[0]["marks"], "rect")]
    assert [low for low, _ in ends[:-1]] == pytest.approx([high for _, high in ends[1:]], abs=1e-5)
    assert min(map(min, ends)) == pytest.approx(0, abs=1e-9)


# --- the cardinality race ---


@pytest.mark.parametrize("criterion", race.CRITERIA)
def test_the_best_cut_of_a_race_is_the_best_split_of_the_tree_grower(criterion):
    """With labels in the order of the column, its cuts are between neighbours; an empty side takes nothing."""
    rng = np.random.default_rng(3)
    y = rng.standard_normal((1, 30)) if criterion == "variance" else rng.integers(0, 2, (1, 30)).astype(float)
    best = race.decreases(y, np.arange(1.0, 30), y.cumsum(axis=1)[:, :-1], criterion).max()
    labels = y[0] if criterion == "variance" else y[0].astype(int)
    assert best == pytest.approx(best_split(np.arange(30)[:, None], labels, criterion=criterion).decrease)
    nothing = race.decreases(np.array([[0.0, 1.0, 1.0]]), np.array([[0.0, 3.0]]), np.array([[0.0, 2.0]]), criterion)
    assert nothing == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("criterion", race.CRITERIA)
def test_more_values_win_more_races_and_more_of_the_mdi(criterion):
    best = race.races_at_root(criterion, 60, 2000, rng=5)
    ahead = (best > best[:, :1] + 1e-12).mean(axis=0)
    assert ahead[0] == 0 and (np.diff(ahead) > 0).all()
    for where in ("root", "forest"):
        share = race.shares_over_sizes(where, criterion)
        assert share.sum(axis=1).to_numpy() == pytest.approx(1) and (np.diff(share.mean()) > 0).all()


def test_the_head_to_head_chance_of_the_continuous_column_crawls_upwards():
    """At 1000 rows it is above its value at 20 rows, and both lie where independent cuts would not put them."""
    said = (race.race_state("root", "gini", n, "all different").sentence for n in (20, 1000))
    small, large = (int(re.search(r"beats the column with 2 values in (\d+)%", words)[1]) for words in said)
    assert 85 < small < large < 99


# --- a tree as marks ---


def test_boxes_hold_every_row_of_the_table_and_what_is_predicted():
    lines = [box["lines"] for box in of_kind(tree_panel(grow_cart(*golf()))["marks"], "box")]
    assert lines[0] == ["Humidity", "≤ 1.5", "5 No, 9 Yes"]
    assert sum(int(words[1]) for words in lines if len(words) == 2) == 14
    tree = grow_cart(*mtcars(), criterion="variance", max_depth=1)
    assert [box["lines"] for box in of_kind(tree_panel(tree)["marks"], "box")][1:] == [
        [f"{tree.value[t, 0]:.4g}", str(tree.n_node_samples[t]), "rows"] for t in (1, 2)]


def test_a_note_stands_above_its_node_and_leaves_stand_side_by_side():
    tree = grow_cart(*golf())
    notes = {0: "root", 1: "left", 2: "right"}
    noted = {mark["words"]: mark for mark in of_kind(tree_panel(tree, notes=notes)["marks"], "text")
             if mark["words"] in notes.values()}
    assert [noted[words]["x"] for words in notes.values()] == tree.place[:3].tolist()
    assert all(mark["dy"] < 0 for mark in noted.values())
    assert sorted(tree.place[tree.is_leaf]) == list(range(tree.is_leaf.sum()))


def test_a_question_about_categories_lists_them():
    tree = grow_cart([[0], [1], [2]], ["a", "b", "a"], max_depth=1)
    object.__setattr__(tree, "left_categories", {0: [0, 2]})
    assert question(tree, 0) == ("x0", "in 0, 2")


def test_the_way_to_a_node_is_strong_branches_have_names_and_nodes_the_hue_of_what_they_ask():
    tree = grow_cart(*golf())
    leaf = int(np.flatnonzero(tree.is_leaf)[-1])
    marks = tree_panel(tree, to=leaf)["marks"]
    assert sum(line["width"] == 4 for line in of_kind(marks, "line")) == tree.depth[leaf]
    assert [t for t, box in enumerate(of_kind(marks, "box")) if box["colour"] == "ink"] == [leaf]
    bit = grow_cart([[0], [1]], [0.0, 1.0], criterion="variance")
    marks = tree_panel(bit, answers={"x0": ("dry", "wet")}, hues={"x0": "c4"})["marks"]
    assert [mark["words"] for mark in of_kind(marks, "text")] == ["dry", "wet"]
    root, *_ = of_kind(marks, "box")
    assert (root["lines"][0], root["colour"]) == ("x0?", "c4")
