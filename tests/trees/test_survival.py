"""Survival trees: cuts as the log-rank test judges them, trees as scikit-survival grows them."""

import numpy as np
import pytest
from definitions import grow_survival_tree
from oracles import censored
from sksurv.ensemble import RandomSurvivalForest
from sksurv.tree import SurvivalTree

from fi_course.tables import gbsg2
from fi_teach.basics.losses import concordance
from fi_teach.trees import survival as sv
from fi_teach.trees.forest import oob_prediction

GBSG2 = gbsg2()
X = GBSG2.X[["age", "estrec", "pnodes", "progrec", "tsize"]].to_numpy(dtype=float)
Y = GBSG2.y[["time", "event"]].to_numpy(dtype=float)
RECORDS = np.array([(bool(event), time) for time, event in Y], dtype=[("cens", bool), ("time", float)])
TIME, EVENT = RECORDS["time"], RECORDS["cens"]


# ---- agreement with the reference library

@pytest.mark.parametrize("depth", [1, 2, 4, None])
def test_a_tree_on_the_breast_cancer_data_predicts_as_scikit_survivals(depth):
    ours = sv.as_risk(grow_survival_tree(X, Y, max_depth=depth))
    theirs = SurvivalTree(max_depth=depth, min_samples_leaf=15, random_state=0).fit(X, RECORDS)
    assert ours.n_nodes == theirs.tree_.node_count
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-10)


def test_a_forests_out_of_bag_concordance_agrees_with_scikit_survivals():
    """40 trees each, within .015; two seeds of one library differ by about .005."""
    forest = sv.grow_survival_forest(X, Y, n_trees=40, rng=1)
    ours = concordance(TIME, EVENT, oob_prediction(sv.as_risk(forest), X)[:, 0])
    theirs = RandomSurvivalForest(40, min_samples_leaf=15, oob_score=True, random_state=0).fit(X, RECORDS).oob_score_
    assert ours == pytest.approx(theirs, abs=0.015)
    assert ours > 0.65


# ---- definition and closed form

@pytest.mark.parametrize("cells", [1 << 20, 100])
def test_cumulative_sums_judge_every_cut_as_log_rank_does(cells, monkeypatch):
    """Many event times at once or a few at a time: the statistic of each cut is log_rank of its two sides."""
    monkeypatch.setattr(sv, "CELLS", cells)
    for seed in range(5):
        time, event = censored(50, seed)
        column = np.random.default_rng(seed).integers(0, 8, 50) * 2.0
        thresholds, n_left, statistics = sv.cut_statistics(column, time, event)
        left = [column <= threshold for threshold in thresholds]
        assert thresholds.tolist() == [1, 3, 5, 7, 9, 11, 13] and n_left.tolist() == [rows.sum() for rows in left]
        by_definition = [sv.log_rank(time, event, rows) for rows in left]
        np.testing.assert_allclose(statistics, by_definition, rtol=1e-9, atol=1e-9)


# ---- axioms

def test_hazards_only_rise_and_risk_is_the_hazard_added_up_over_the_times():
    forest = sv.grow_survival_forest(X, Y, n_trees=4, times=[365, 730, 1460])
    risk = sv.as_risk(forest)
    assert forest.raw(X).shape == (len(X), 3) and (np.diff(forest.raw(X), axis=1) >= 0).all()
    np.testing.assert_allclose(risk.predict(X), forest.raw(X).sum(axis=1), atol=1e-12)
    np.testing.assert_array_equal(risk.in_bag, forest.in_bag)
    counts = [tree.n_node_samples[0] for tree in forest.trees]
    assert counts == [(of_tree > 0).sum() for of_tree in forest.in_bag], "a row counts once, however often drawn"


def test_a_node_in_which_nobody_dies_is_a_leaf_of_hazard_zero():
    y = [[1, 1], [2, 1], [3, 1], [9, 0], [9, 0], [9, 0]]
    tree = grow_survival_tree([[0], [0], [0], [1], [1], [1]], y, min_samples_leaf=1)
    assert tree.n_nodes == 3
    assert (tree.value[2] == 0).all()


def test_features_without_variation_leave_a_single_leaf():
    assert grow_survival_tree(np.ones((50, 2)), Y[:50]).n_nodes == 1


# ---- candidates, planted truth and null

def test_the_feature_that_drives_the_hazard_is_asked_first_and_ranks_fresh_rows():
    """Where it is among the candidates, which with max_features=1 it is not always."""
    table, fresh = np.random.default_rng(6).normal(size=(2, 300, 4))
    y = np.column_stack(censored(300, 6, risk=1.5 * table[:, 2]))
    forest = sv.grow_survival_forest(table, y, n_trees=20, max_features=None)
    assert all(tree.feature[0] == 2 for tree in forest.trees)
    later, died = censored(300, 7, risk=1.5 * fresh[:, 2])
    assert concordance(later, died, sv.as_risk(forest).predict(fresh)) > 0.7
    stumps = sv.grow_survival_forest(table, y, n_trees=20, max_features=1, max_depth=1)
    assert {tree.feature[0] for tree in stumps.trees} == {0, 1, 2, 3}


def test_a_constant_column_is_not_counted_among_the_candidates():
    """With one candidate a node, a node that draws the constant column first still splits on the other."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = np.column_stack([rng.exponential(np.exp(-3 * x)), np.ones(60)])
    forest = sv.grow_survival_forest(np.column_stack([np.zeros(60), x]), y, n_trees=10, max_features=1)
    assert all(tree.feature[0] == 1 for tree in forest.trees)
