"""The rules that are printed are the tree, and the nearest change is the nearest."""

from dataclasses import replace
from itertools import product

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from fi_teach.data import golf_nominal, midterm
from fi_teach.trees import Tree, explain, from_model, grow_c45, grow_cart, rules, what_if


def run(text, rows, name="decide"):
    """What the printed function says of each row."""
    space = {}
    exec(text, space)
    return [space[name](*row) for row in rows]


@pytest.mark.parametrize("criterion", ["gini", "variance"])
def test_the_printed_function_is_the_tree(criterion):
    """exec(rules(tree)) and predict agree on every row, thresholds included; several numbers come as a list."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    for y in [rng.integers(0, 3, 60)] if criterion == "gini" else [rng.normal(size=60), rng.normal(size=(60, 2))]:
        tree = grow_cart(X, y, criterion=criterion)
        on_thresholds = np.column_stack([rng.choice(tree.threshold, 40) for _ in range(3)])
        for rows in (X, rng.normal(size=(60, 3)), on_thresholds):
            assert run(rules(tree), rows.tolist()) == tree.predict(rows).tolist()


def test_trees_of_words_print_as_functions_too():
    """Known words and a word never met: exec(rules(tree)) equals predict."""
    X, y = golf_nominal()
    tree = grow_c45(X, y)
    strange = X.assign(Outlook="fog")
    for rows in (X, strange):
        assert run(rules(tree), rows.to_numpy().tolist()) == tree.predict(rows).tolist()


def test_gaps_and_categories_and_zeros_are_printed_as_the_tree_takes_them():
    """NaN, unseen categories and zeros that stand for gaps: the function goes where the tree goes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:, 2] = rng.choice([2, 3, 5, 7, 11], 300)
    y = X[:, 0] + np.isin(X[:, 2], [3, 7])
    X[rng.random(X.shape) < 0.1] = np.nan
    X[::9, 0] = 0.0
    hist = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=5, categorical_features=[2]).fit(X, y)
    zero = lightgbm.LGBMRegressor(n_estimators=1, min_child_samples=5, zero_as_missing=True, n_jobs=1,
                                  verbose=-1).fit(X, y)
    rows = X[:150].copy()
    rows[:20, 2], rows[20:40, 0] = 99, np.nan
    for model in (hist, zero):
        tree = from_model(model).trees[0]
        assert run(rules(tree), rows.tolist()) == tree.predict(rows).tolist()


def test_a_categorical_split_without_a_list_of_known_codes_sends_nan_where_the_tree_does():
    tree = grow_cart([[0], [1], [2]], ["no", "yes", "yes"])
    tree = replace(tree, left_categories={0: np.array([0.0])}, missing_left=np.array([True, False, False]))
    rows = np.array([[0.0], [1.0], [np.nan]])
    assert run(rules(tree), rows.tolist()) == tree.predict(rows).tolist() == ["no", "yes", "no"]


def test_feature_names_become_python_names():
    """Blanks, signs, digits, keywords and clashes: the function still compiles."""
    X = pd.DataFrame(np.eye(5), columns=["class", "serum K+", "serum K-", "2nd", ""])
    tree = grow_cart(X, [0, 1, 2, 3, 4])
    assert rules(tree).startswith("def decide(class_, serum_K_, serum_K__, _2nd, _):")
    assert run(rules(tree), X.to_numpy().tolist()) == tree.predict(X).tolist()


@pytest.mark.parametrize("depth", [30, 31, 150])
def test_a_tree_too_deep_to_indent_is_written_node_by_node(depth):
    """Python reads no more than 100 levels of indentation. A staircase on either side of our 30: the function is the
    tree, also where a feature has the name of its variable."""
    X = pd.DataFrame({"node": np.arange(depth + 1.0)})
    tree = grow_cart(X, 4.0 ** np.arange(depth + 1), criterion="variance")
    text = rules(tree)
    assert tree.depth.max() == depth and ("node = 0" in text) == (depth > 30)
    assert run(text, X.to_numpy().tolist()) == tree.predict(X).tolist()


def test_deep_trees_with_gaps_categories_and_words_are_written_rightly_too(monkeypatch):
    """The same trees as above, as if one level were too deep."""
    monkeypatch.setattr(explain, "DEEPEST", 0)
    test_gaps_and_categories_and_zeros_are_printed_as_the_tree_takes_them()
    test_trees_of_words_print_as_functions_too()


# --- what if ----------------------------------------------------------------------------------------------------------

def test_the_midterm_student_who_attends_needs_ten_minutes_less():
    """Row 7 (100 minutes, attends, fails) passes at 90; row 5 (110, does not attend) needs more than attendance."""
    X, y = midterm()
    tree = grow_cart(X, y)
    seventh, fifth = what_if(tree, X.loc[7]), what_if(tree, X.loc[5])
    row, prediction, changes, distance = seventh
    assert (row.tolist(), prediction, changes, distance) == ([90.0, 1.0], "Pass", {"Time": (100.0, 90.0)}, 10.0)
    assert str(seventh) == "Time 100 -> at most 90: Pass"
    assert fifth.prediction == "Pass" and set(fifth.changes) == {"Attends", "Time"} and "just above 0.5" in str(fifth)
    assert fifth == what_if(tree, X.loc[5]) != seventh


def nearest_by_definition(tree, row, scale):
    """Try every combination of: leave a feature, move it to a threshold, move it just above one."""
    now = tree.predict(row[None, :])[0]
    moves = [[row[j]] + [v for t in np.flatnonzero(tree.feature == j)
                         for v in (tree.threshold[t], np.nextafter(tree.threshold[t], np.inf))]
             for j in range(tree.n_features)]
    rows = np.array(list(product(*moves)))
    rows = rows[tree.predict(rows) != now]
    cost = [((r != row).sum(), (np.abs(r - row) / scale).sum()) for r in rows]
    return min(cost)


@pytest.mark.parametrize("seed", range(5))
def test_no_change_is_nearer(seed):
    """Fewest features, then smallest distance: equal to trying every combination, to 1e-9;
    and the new row does flip."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(25, 3)), 1)
    tree = grow_cart(X, rng.integers(0, 3, 25), max_depth=4)
    scale = rng.uniform(0.5, 2, 3)
    for row in X[:8]:
        answer = what_if(tree, row, scale=scale)
        n_changed, distance = nearest_by_definition(tree, row, scale)
        assert len(answer.changes) == n_changed and abs(answer.distance - distance) < 1e-9
        assert tree.predict(answer.row[None, :])[0] == answer.prediction != tree.predict(row[None, :])[0]


def test_what_must_not_change_does_not_and_the_target_is_met():
    """Frozen features keep their value; a named target is what the new row gets."""
    X = pd.DataFrame([[20, 1], [20, 5], [60, 1], [60, 5]] * 5, columns=["age", "dose"])
    tree = grow_cart(X, ["cured", "cured", "ill", "harmed"] * 5)
    old = pd.Series({"dose": 1.0, "age": 60.0})
    assert what_if(tree, old).prediction == "harmed"  # 2 units of dose are nearer than 20 years
    assert what_if(tree, old, scale=[20, 1]).prediction == "cured"  # unless 20 years count as one
    assert what_if(tree, old, target="cured").changes == {"age": (60.0, 40.0)}
    assert what_if(tree, old, scale=[20, 1], frozen=["age"]).prediction == "harmed"


def test_no_change_leads_into_a_leaf_that_no_row_can_reach():
    """x <= 1, then x > 2: a leaf with the wanted label in an empty box is no way out."""
    tree = Tree(
        np.array([1, 3, -1, -1, -1]), np.array([2, 4, -1, -1, -1]), np.array([0, 0, -2, -2, -2]),
        np.array([1.0, 2.0, -2, -2, -2]), np.zeros(5), np.ones(5, dtype=int), np.ones(5),
        np.array([[1.0, 0], [1, 0], [1, 0], [1, 0], [0, 1]]), ("x",), ("no", "yes"))
    with pytest.raises(ValueError, match="yes"):
        what_if(tree, [0.0], target="yes")
