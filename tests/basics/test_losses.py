"""Losses judge rows, scores judge sets: by hand, and as the reference libraries do."""

import numpy as np
import pytest
from sklearn import metrics

from fi_teach.basics import losses as scores

LABELS = np.array(["no", "yes", "yes", "no"])
PROBABILITIES = np.array([[0.9, 0.1], [0.25, 0.75], [0.5, 0.5], [0.2, 0.8]])


# --- losses ---


def test_the_squared_and_absolute_error_of_several_outputs_are_summed():
    y, prediction = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 2.0], [1.0, 1.0]])
    assert scores.squared_error(y, prediction).tolist() == [5, 0]
    assert scores.absolute_error(y, prediction).tolist() == [3, 0]


def test_log_loss_and_brier_agree_with_scikit_learn():
    """Also where one column of probabilities is given, that of the second class."""
    entropy = metrics.log_loss(LABELS, PROBABILITIES)
    square = metrics.brier_score_loss(LABELS == "yes", PROBABILITIES[:, 1])
    for probabilities in (PROBABILITIES, PROBABILITIES[:, 1]):
        assert scores.log_loss(LABELS, probabilities).mean() == pytest.approx(entropy, abs=1e-12)
        assert scores.brier(LABELS, probabilities).mean() == pytest.approx(2 * square, abs=1e-12)


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


@pytest.mark.parametrize("name", [*scores.LOSSES, "mse"])
def test_every_named_loss_gives_one_number_a_row_and_a_right_answer_costs_nothing(name):
    y = np.array([0, 1, 1, 0])
    loss = scores.row_loss(name)(y, y)
    assert loss.shape == (4,) and np.allclose(loss, 0, atol=1e-12)


def test_a_function_passes_for_a_loss_or_a_score():
    assert scores.row_loss(np.maximum) is np.maximum and scores.set_score(max) is max


# --- scores ---


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
    (lambda: scores.survival_concordance([1, 2], [1, 2]), "column of times"),
])
def test_what_cannot_be_judged_is_refused_with_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
