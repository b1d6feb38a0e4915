"""The grand table: every pair is there, the truth beside it, the figures are the methods' own."""

import numpy as np
import pandas as pd
import pytest
from other_worlds import several_outputs, survival

from fi_course.compare import (
    GRADES,
    METHODS,
    QUESTIONS,
    Trial,
    clear_of_zero,
    compare,
    grade,
    misled_by,
)
from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.importance.mdi import mdi
from fi_teach.trees.cart import grow_cart
from fi_teach.worlds import WORLDS, and_gate

QUICK = ["MDI", "permutation, held out", "SHAP, path-dependent"]


@pytest.fixture(scope="module")
def table():
    return compare(methods=QUICK, n=300, n_trees=20)


def test_every_method_meets_every_world_once_for_each_feature(table):
    for name in WORLDS:
        rows = table[table["world"] == name]
        p = rows["feature"].nunique()
        assert len(rows) == 3 * p and not rows.duplicated(["method", "feature"]).any()


def test_the_truth_in_the_table_is_the_worlds_own():
    rows = compare(["and_gate"], ["MDI"], n=100, n_trees=3)
    truth = and_gate(100).truth
    assert rows["relevant"].tolist() == truth["relevant"].tolist()
    assert np.allclose(rows["true_importance"], truth["importance"])


def test_an_importance_in_the_table_is_the_one_the_method_gives_by_hand():
    seed = int(np.random.default_rng(5).integers(2**31))
    trial = Trial(and_gate(200, rng=seed), 7, seed)
    found = compare(["and_gate"], ["MDI"], n=200, n_trees=7, rng=5)["importance"]
    assert found.tolist() == mdi(trial.model).mean.tolist()


def test_a_target_of_several_columns_is_refused_before_anything_is_grown():
    """A censored time has no squared error, and several targets have several."""
    for draw, columns in ((survival, 2), (several_outputs, 3)):
        with pytest.raises(ValueError, match=f"target of {columns} columns .*expected one number or class"):
            compare({"mine": draw}, ["MDI"], n=60)


def test_a_method_of_ones_own_stands_beside_the_others():
    found = compare(["null"], {"MDI": METHODS["MDI"], "mine": lambda trial: mdi(trial.model)}, n=60, n_trees=2)
    importances = found.pivot(index="feature", columns="method", values="importance")
    assert importances["mine"].tolist() == importances["MDI"].tolist()


def test_one_name_is_a_list_of_one():
    assert compare("null", "MDI", n=60, n_trees=2)["world"].unique().tolist() == ["null"]


def test_the_same_seed_gives_the_same_table():
    one, two = (compare(["twins", "null"], QUICK, n=100, n_trees=3, rng=1) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_runs(method):
    found = compare(["confounder"], [method], n=120, n_trees=5)
    assert np.isfinite(found["importance"]).all()


def made(world, importances, yes, copies=None, question="relevant"):
    """A table of one method on one world: importances (n_repeats, p), answers (p,)."""
    rows = []
    for repeat, of_draw in enumerate(importances):
        for j, (number, answer) in enumerate(zip(of_draw, yes, strict=True)):
            row = dict.fromkeys(QUESTIONS, True) | {question: answer}
            of = (copies or range(len(yes)))[j]
            names = {"feature": f"x{j}", "copy_of": f"x{of}", "world": world, "method": "mine"}
            rows.append({**row, **names, "repeat": repeat, "importance": number})
    return pd.DataFrame(rows)


def graded(*tables, question="relevant"):
    """The three grades of the one method, by name."""
    return grade(pd.concat(tables), question).set_index("grade")


def test_pairs_are_made_within_a_draw_of_a_world_and_each_world_has_one_vote():
    """By hand: one world 1/2 and 0, mean 1/4, the other 1 (its six pairs count no more): 5/8."""
    one = made("one", [[1, 1], [0, 2]], [True, False])
    other = made("other", [[9, 8, 9, 0, 0]] * 2, [True, True, True, False, False])
    found = graded(one, other).loc["in order"]
    assert found["share"] == 5 / 8 and found["worlds"] == 2 and found["cases"] == 7
    assert (found["worst"], found["worst_world"]) == (1 / 4, "one")


def test_the_error_of_a_grade_is_that_of_its_mean_over_draws():
    """Draws of 1, 1/2 and 0 have standard deviation 1/2, so the mean's error is 1/2 / sqrt(3)."""
    found = graded(made("one", [[2, 1], [1, 1], [0, 1]], [True, False])).loc["in order"]
    assert np.isclose(found["error"], 1 / 2 / np.sqrt(3)) and found["share"] == 1 / 2


def test_clear_of_zero_is_more_than_two_standard_deviations_over_the_draws():
    """3 and 5 have standard deviation sqrt(2): both clear. 1 and 4: 2 * 2.1 is more than both."""
    table = made("one", [[3, 1, 0], [5, 4, 0]], [True, False, False])
    assert clear_of_zero(table).tolist() == [True, False, False] * 2


def test_a_no_that_is_clear_and_a_yes_that_is_not_are_counted_apart():
    """A world whose features all answer alike holds no pair, and counts here all the same."""
    all_no = made("all no", [[3, 1, 0], [5, 4, 0]], [False] * 3)
    all_yes = made("all yes", [[3, 1], [5, 4]], [True] * 2)
    found = graded(all_no, all_yes)
    assert found.loc["in order", "worlds"] == 0 and np.isnan(found.loc["in order", "share"])
    assert found["share"].tolist()[1:] == [1 / 3, 1 / 2]
    assert found["worlds"].tolist() == [0, 1, 1] and found["cases"].tolist() == [0, 3, 2]


def test_copies_are_judged_only_where_their_answers_agree():
    """No table can tell which of two identical columns is the cause; a model reads one or both."""
    numbers, yes, copies = [[2, 1, 0]] * 2, [True, False, False], [0, 0, 2]
    causal = graded(made("twins", numbers, yes, copies, "causal"), question="causal")
    assert causal["cases"].tolist() == [0, 1, 0]
    used = graded(made("twins", numbers, yes, copies, "used"), question="used")
    assert used["cases"].tolist() == [2, 2, 1]


def test_a_world_misleads_by_its_order_or_by_its_false_alarms():
    """A false alarm in one world, reversed pairs in another; silence is no counterexample."""
    alarm = made("alarm", [[3], [3]], [False])
    turned = made("turned", [[0, 1], [0, 1]], [True, False])
    silent = made("silent", [[0, 0], [0, 0]], [True, False])
    for tables, expected in [([alarm, silent], "alarm"), ([turned], "turned"), ([silent], "")]:
        assert misled_by(grade(pd.concat(tables), "relevant"))["mine"] == expected


def test_what_a_forest_never_saw_it_does_not_use():
    """And what it did see it splits on: read off the trees, whatever the world's truth says."""
    table = compare(["twins", "confounder"], ["MDI"], n=100, n_trees=5, without={"twins": "x1"}, rng=2)
    rows = table.set_index(["world", "feature"])
    assert rows["used"].tolist() == [False, True, True, True]
    assert rows.loc[("twins", "x1"), "importance"] == 0
    assert rows.loc["twins", "copy_of"].tolist() == ["x1", "x1"]


def test_drop_column_is_the_same_whether_the_whole_forest_is_grown_again_or_not():
    """The trial hands its own forest back; grown again from the same seed it is the same."""
    trial = Trial(WORLDS["friedman"](100, rng=3), 5, 3)
    again = drop_column_importance(trial.grow, *trial.train, test=trial.test)
    assert METHODS["drop column"](trial).mean.tolist() == again.mean.tolist()


def test_a_feature_alone_saves_the_error_of_the_mean_less_that_of_a_tree():
    trial = Trial(WORLDS["twins"](200, rng=1), 5, 1)
    (X, y), (X_new, y_new) = trial.train, trial.test
    tree = grow_cart(X[["x1"]], y, criterion="variance", max_depth=3, min_samples_leaf=5)
    saved = (y_new - y.mean()) ** 2 - (y_new - tree.predict(X_new[["x1"]])) ** 2
    assert np.allclose(METHODS["feature alone"](trial).mean, saved.mean())


def test_drop_column_raises_fewer_false_alarms_than_mdi_about_what_is_relevant():
    """Planted truth: of two copies neither is missed, and a proxy adds nothing."""
    worlds = ["correlated_proxy", "twins", "null"]
    table = compare(worlds, ["drop column", "MDI"], n=200, n_trees=10, n_repeats=10)
    alarms = grade(table, "relevant")[lambda t: t["grade"] == GRADES[1]].set_index("method")["share"]
    assert alarms["drop column"] < 0.2 < 0.8 < alarms["MDI"]


def test_progress_wraps_the_pairs():
    seen = []
    compare(["null"], QUICK, n=60, n_trees=2, progress=lambda pairs: (seen.append(len(pairs)), pairs)[1])
    assert seen == [3]


@pytest.mark.parametrize("call, words", [
    (lambda: compare(["atlantis"]), "unknown world"),
    (lambda: compare(["null"], ["magic"]), "unknown method"),
    (lambda: compare(["null"], QUICK, n=10), r"n is 10, .*at least 20"),
    (lambda: compare(["null"], QUICK, n=60, n_repeats=0), "n_repeats is 0"),
    (lambda: compare(["null"], QUICK, n=60, without={"null": "z"}), "no column 'z'"),
    (lambda: compare(["null"], QUICK, n=60, without={"twins": "x1"}), "'twins', which is not"),
    (lambda: compare([], QUICK, n=60), "no world is named"),
    (lambda: compare({"mine": 3}, QUICK, n=60), "world 'mine' is 3"),
    (lambda: compare({"mine": lambda n, rng: 3}, QUICK, n=60), "returned what is of type int"),
    (lambda: compare(["null"], {"mine": lambda trial: 3}, n=60), "a method returned what is of type int"),
    (lambda: misled_by(made("w", [[1]], [True])), "no column 'grade'"),
    (lambda: clear_of_zero("table"), "is of type str, expected a DataFrame"),
    (lambda: grade(made("w", [[1], [2]], [True]), "pretty"), "unknown question"),
    (lambda: grade(made("w", [[1]], [True]), "used"), "at least two"),
])
def test_unknown_names_and_tiny_tables_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
