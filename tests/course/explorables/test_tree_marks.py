import numpy as np

from fi_course.explorables.tree_marks import question, tree_panel
from fi_course.tables import mtcars
from fi_teach.data import golf
from fi_teach.trees import grow_cart


def test_leaves_stand_side_by_side_and_nodes_between_their_children():
    tree = grow_cart(*golf())
    x, leaf = tree.place, tree.is_leaf
    assert sorted(x[leaf]) == list(range(leaf.sum()))
    np.testing.assert_allclose(x[~leaf], (x[tree.children_left[~leaf]] + x[tree.children_right[~leaf]]) / 2)


def test_the_boxes_hold_every_row_of_the_training_table():
    tree = grow_cart(*golf())
    boxes = [mark["lines"] for mark in tree_panel(tree)["marks"] if mark["kind"] == "box"]
    assert boxes[0] == ["Humidity", "≤ 1.5", "5 No, 9 Yes"]
    assert sum(int(lines[1]) for lines in boxes if len(lines) == 2) == 14


def test_a_tree_that_predicts_numbers_says_them():
    X, y = mtcars()
    tree = grow_cart(X, y, criterion="variance", max_depth=1)
    leaves = [mark["lines"] for mark in tree_panel(tree)["marks"] if mark["kind"] == "box"][1:]
    assert leaves == [[f"{tree.value[t, 0]:.4g}", f"{tree.n_node_samples[t]} rows"] for t in (1, 2)]


def test_a_note_stands_above_its_node():
    tree = grow_cart(*golf())
    words = [mark for mark in tree_panel(tree, notes={0: "root", 1: "left", 2: "right"})["marks"]
             if mark["kind"] == "text"]
    noted = {mark["words"]: mark for mark in words if mark["words"] in ("root", "left", "right")}
    assert {word: mark["x"]
            for word, mark in noted.items()} == dict(zip(("root", "left", "right"), tree.place[:3], strict=True))
    assert all(mark["dy"] < 0 for mark in noted.values())


def test_a_question_about_categories_lists_them():
    tree = grow_cart([[0], [1], [2]], ["a", "b", "a"], max_depth=1)
    object.__setattr__(tree, "left_categories", {0: [0, 2]})
    assert question(tree, 0) == ("x0", "in 0, 2")


def test_the_way_to_a_node_is_drawn_strong_and_its_box_in_ink():
    tree = grow_cart(*golf())
    leaf = int(np.flatnonzero(tree.is_leaf)[-1])
    marks = tree_panel(tree, to=leaf)["marks"]
    lines, boxes = ([mark for mark in marks if mark["kind"] == kind] for kind in ("line", "box"))
    assert sum(line["width"] == 4 for line in lines) == tree.depth[leaf]
    assert [t for t, box in enumerate(boxes) if box["colour"] == "ink"] == [leaf]


def test_branches_of_a_bit_have_names_and_nodes_the_hue_of_what_they_ask():
    tree = grow_cart([[0], [1]], [0.0, 1.0], criterion="variance")
    marks = tree_panel(tree, answers={"x0": ("dry", "wet")}, hues={"x0": "c4"})["marks"]
    assert [mark["words"] for mark in marks if mark["kind"] == "text"] == ["dry", "wet"]
    root = next(mark for mark in marks if mark["kind"] == "box")
    assert (root["lines"][0], root["colour"]) == ("x0?", "c4")
