"""Losses judge rows, scores judge sets: both against their definitions and against the reference libraries."""

import numpy as np
import pytest
from definitions import auc_by_definition, concordance_by_definition
from hypothesis import given, settings
from hypothesis import strategies as st

from fi_teach.basics import losses as scores

LABELS = np.array(["no", "yes", "yes", "no"])
PROBABILITIES = np.array([[0.9, 0.1], [0.25, 0.75], [0.5, 0.5], [0.2, 0.8]])


def test_the_squared_and_absolute_error_of_several_outputs_are_summed():
    y, prediction = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 2.0], [1.0, 1.0]])
    assert scores.squared_error(y, prediction).tolist() == [5, 0]
    assert scores.absolute_error(y, prediction).tolist() == [3, 0]


def test_log_loss_and_brier_agree_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    assert scores.log_loss(LABELS,
                           PROBABILITIES).mean() == pytest.approx(metrics.log_loss(LABELS, PROBABILITIES), abs=1e-12)
    assert scores.brier(LABELS, PROBABILITIES).mean() == pytest.approx(
        2 * metrics.brier_score_loss(LABELS == "yes", PROBABILITIES[:, 1]), abs=1e-12)


def test_one_column_of_probabilities_is_that_of_the_second_class():
    assert np.allclose(scores.log_loss(LABELS, PROBABILITIES[:, 1]), scores.log_loss(LABELS, PROBABILITIES), atol=1e-15)


def test_a_sure_and_wrong_probability_costs_a_finite_loss():
    assert scores.log_loss([0, 1], [1.0, 1.0])[0] == pytest.approx(-np.log(1e-15))


def test_class_codes_are_taken_on_any_subset_of_the_rows():
    """Codes stay what they are even where only some of the classes occur."""
    assert scores.class_codes(np.array([2, 1, 2]), 3).tolist() == [2, 1, 2]
    assert scores.class_codes(np.array(["b", "a"]), 2).tolist() == [1, 0]


@pytest.mark.parametrize("loss", [scores.log_loss, scores.brier])
def test_the_columns_labels_are_told_where_the_rows_do_not_show_them(loss):
    """Labels 1 and 2, but only 1 occurs: without the classes it would be taken for column 1."""
    y, p = np.array([1, 1]), np.array([[0.9, 0.1], [0.8, 0.2]])
    whole = loss(np.array([1, 1, 2]), np.vstack([p, p[:1]]))
    assert np.array_equal(loss(y, p, classes=[1, 2]), whole[:2])
    with pytest.raises(ValueError, match="never saw"):
        loss(y, p, classes=["no", "yes"])
    with pytest.raises(ValueError, match="2 columns"):
        loss(y, p, classes=[1, 2, 3])


@pytest.mark.parametrize("name", ["squared", "mse", "absolute", "zero_one", "log_loss", "brier"])
def test_every_named_loss_gives_one_number_a_row_and_a_right_answer_costs_nothing(name):
    y = np.array([0, 1, 1, 0])
    loss = scores.row_loss(name)(y, y)
    assert loss.shape == (4,) and np.allclose(loss, 0, atol=1e-12)


def test_a_function_passes_for_a_loss():
    assert scores.row_loss(np.maximum) is np.maximum and scores.set_score(max) is max


def test_r2_is_one_for_the_truth_and_zero_for_the_mean():
    y = np.array([1.0, 2.0, 6.0])
    assert scores.r2(y, y) == 1 and scores.r2(y, np.full(3, 3.0)) == 0


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=12))
@settings(max_examples=60, deadline=None)
def test_the_auc_by_ranks_is_the_auc_by_pairs(rows):
    y, score = np.array(rows).T
    if len(np.unique(y)) == 2:
        assert scores.auc(y, score) == pytest.approx(auc_by_definition(y, score), abs=1e-12)


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans(), st.integers(0, 3)), min_size=2, max_size=10))
@settings(max_examples=60, deadline=None)
def test_concordance_is_the_share_of_pairs_and_agrees_with_scikit_survival(rows):
    """Ties in time, in risk and in both are where implementations differ: small integers make plenty."""
    metrics = pytest.importorskip("sksurv.metrics")
    time, event, risk = (np.array(column) for column in zip(*rows, strict=True))
    try:
        by_pairs = concordance_by_definition(time, event, risk)
    except ValueError:
        return
    assert scores.concordance(time, event, risk) == pytest.approx(by_pairs, abs=1e-12)
    assert by_pairs == pytest.approx(metrics.concordance_index_censored(event, time, risk)[0], abs=1e-12)


def test_concordance_of_the_reversed_risk_is_one_minus_it():
    rng = np.random.default_rng(0)
    time, event, risk = rng.exponential(size=50), rng.random(50) < 0.7, rng.normal(size=50)
    assert scores.concordance(time, event, risk) + scores.concordance(time, event, -risk) == pytest.approx(1)


def test_a_survival_target_may_be_two_columns_or_a_record_array():
    columns = np.array([[1, 1], [2, 1], [3, 0]])
    records = np.array([(True, 1.0), (True, 2.0), (False, 3.0)], dtype=[("died", bool), ("days", float)])
    assert scores.survival_concordance(columns,
                                       [9, 5, 7]) == scores.survival_concordance(records, [9, 5, 7]) == pytest.approx(
                                           2 / 3)


@pytest.mark.parametrize(("call", "says"), [
    (lambda: scores.row_loss("hinge"), "unknown loss 'hinge'.*'squared', 'absolute', 'zero_one', 'log_loss', 'brier'"),
    (lambda: scores.set_score("f1"), "unknown score 'f1'.*'accuracy', 'r2', 'auc', 'concordance'"),
    (lambda: scores.squared_error([1, 2], [[1, 0], [0, 1]]), "shape"),
    (lambda: scores.squared_error([1, 2], ["a", "b"]), "labels such as 'a'"),
    (lambda: scores.zero_one([1, 2], [[1, 0], [0, 1]]), "one label a row"),
    (lambda: scores.log_loss([0, 1], [2.0, 0.1]), "between 0 and 1"),
    (lambda: scores.log_loss(["a", "b", "c"], PROBABILITIES[:3]), "3 labels"),
    (lambda: scores.r2([1, 1], [1, 2]), "constant"),
    (lambda: scores.auc([1, 1], [1, 2]), "1 classes"),
    (lambda: scores.concordance([1, 2], [1, 1, 1], [1, 2]), "shapes"),
    (lambda: scores.concordance([1, 2], [0, 0], [1, 2]), "no pair"),
    (lambda: scores.survival_concordance([1, 2], [1, 2]), "column of times"),
])
def test_what_cannot_be_judged_is_refused_with_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
