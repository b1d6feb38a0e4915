"""One table, one target, one loss: it follows the model, labels are coded once, names hold."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.losses import LOSSES, absolute_error, squared_error, zero_one
from fi_teach.trees import grow_boosting, grow_cart, grow_forest

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["a", "b", "c"])
CODES = (X["a"] > 0).to_numpy() + (X["a"] > 1).to_numpy().astype(int)
NUMBERS = X["a"].to_numpy() + 0.5 * RNG.normal(size=60)
XYZ = np.array(["x", "y", "z"])
FOREST = grow_forest(X, NUMBERS, n_trees=3)


def class_of_a(table):
    return (np.asarray(table)[:, 0] > 0) + (np.asarray(table)[:, 0] > 1).astype(int)


# --- the loss follows the model ---


@pytest.mark.parametrize("labels", [["x", "y", "z"], [1, 2, 3], [3, 1, 2], [10.0, 20.0, 30.0]])
def test_a_classifier_is_judged_by_its_labels_whatever_they_are(labels):
    """The same tree under other names of the classes has the same losses."""
    y, plain = np.array(labels)[CODES], grow_cart(X, CODES, max_depth=1)
    for given in (grow_cart(X, y, max_depth=1), grow_cart(X, y, max_depth=1).predict):
        task = Evaluation(given, X, y)
        assert task.loss is zero_one and task.unit == "error rate"
        assert np.array_equal(task.losses_before, task.model.predict(X) != y)
    for loss in ("log_loss", "brier", "zero_one"):
        named = Evaluation(grow_cart(X, y, max_depth=1), X, y, loss).losses_before.mean()
        assert named == pytest.approx(Evaluation(plain, X, CODES, loss).losses_before.mean(), abs=1e-12)


def test_a_model_of_numbers_is_judged_by_squared_error():
    """Also where y is true or false, which then count 1 and 0."""
    assert Evaluation(FOREST, X, NUMBERS).loss is squared_error
    assert Evaluation(FOREST, X, NUMBERS > 0).y.dtype == float


@pytest.mark.parametrize(("y", "answer", "loss"), [
    (NUMBERS, lambda table: np.asarray(table)[:, 0], "squared"),
    (CODES, class_of_a, "squared"),
    (CODES > 0, lambda table: class_of_a(table) > 0, "zero_one"),
    (XYZ[CODES], lambda table: XYZ[class_of_a(table)], "zero_one"),
    (pd.Series(CODES, dtype="category"), class_of_a, "zero_one"),
    (CODES, lambda table: np.eye(3)[class_of_a(table)], "log_loss"),
], ids=["numbers", "whole numbers", "booleans", "strings", "categories", "probabilities"])
def test_a_bare_functions_loss_follows_the_target_and_the_answer(y, answer, loss):
    task = Evaluation(answer, X, y)
    assert task.loss is LOSSES[loss]
    if loss == "zero_one":
        assert (task.losses_before == 0).all()


def test_a_loss_that_is_named_is_taken():
    assert Evaluation(FOREST, X, NUMBERS, "absolute").loss is absolute_error
    assert Evaluation(FOREST, X, NUMBERS, "mse").loss is squared_error
    cubic = Evaluation(FOREST, X, NUMBERS, lambda y, f: np.abs(y - f) ** 3)
    assert cubic.unit == "loss" and cubic.losses_before.shape == (60,)


def test_boosting_is_judged_by_its_probabilities_not_by_its_margin():
    y = np.where(X["a"] > 0, "yes", "no")
    task = Evaluation(grow_boosting(X, y, n_trees=5), X, y, "brier")
    assert task.predict(X).shape == (60, 2) and (task.losses_before < 2).all()


# --- labels are coded once ---


def test_a_class_that_does_not_occur_among_the_rows_keeps_its_column():
    y = np.array([1, 2, 3])[CODES]
    tree, few = grow_cart(X, y, max_depth=2), CODES > 0
    whole, part = Evaluation(tree, X, y, "log_loss"), Evaluation(tree, X[few], y[few], "log_loss")
    assert np.array_equal(part.losses_before, whole.losses_before[few])


def test_a_label_that_the_model_never_saw_is_always_missed_but_has_no_probability():
    tree = grow_cart(X, np.where(CODES > 0, "y", "x"), max_depth=1)
    assert (Evaluation(tree, X, XYZ[CODES]).losses_before[CODES == 2] == 1).all()
    with pytest.raises(ValueError, match="never saw"):
        Evaluation(tree, X, XYZ[CODES], "log_loss")
    with pytest.raises(ValueError, match="none of which the model knows"):
        Evaluation(tree, X, CODES + 5)


@pytest.mark.parametrize(("model", "y", "loss", "says"), [
    (lambda table: np.asarray(table)[:, 0], CODES > 0, None, "Choose 'log_loss' or 'brier'"),
    (lambda table: np.full(len(table), "x"), NUMBERS, None, "labels such as 'x'"),
    (lambda table: np.full(len(table), "x"), CODES, "zero_one", "cannot be compared"),
    (FOREST, np.where(CODES > 0, "x", "y"), None, "labels such as"),
    (FOREST, NUMBERS, lambda y, f: 0.0, "one number a row"),
    (lambda table: np.eye(2)[np.minimum(class_of_a(table), 1)], CODES, None, "2 columns"),
])
def test_what_cannot_be_judged_is_refused(model, y, loss, says):
    with pytest.raises(ValueError, match=says):
        Evaluation(model, X, y, loss).losses_before  # noqa: B018


# --- columns, rows, weights ---


def test_an_array_gets_the_models_names_and_keeps_its_positions():
    task = Evaluation(FOREST, X.to_numpy(), NUMBERS)
    assert task.names == ("a", "b", "c")
    assert task.positions([2, "a"]) == [2, 0] and task.positions("b") == [1]


def test_columns_called_by_numbers_mean_names():
    task = Evaluation(lambda table: table[1], X.set_axis([1, 2, 3], axis=1), NUMBERS)
    assert task.positions([1]) == [0] and task.positions("3") == [2]
    with pytest.raises(ValueError, match=r"no column 0: choose names among 1, 2, 3"):
        task.positions([0])


def test_other_rows_are_judged_by_their_own_targets():
    task, rows = Evaluation(FOREST, X, NUMBERS), np.array([5, 5, 1])
    assert np.array_equal(task.losses(X.iloc[rows], rows), task.losses_before[rows])


def test_weights_are_scaled_to_a_mean_of_one():
    task = Evaluation(FOREST, X, NUMBERS, sample_weight=np.arange(60))
    assert task.weights.mean() == pytest.approx(1) and task.weights[0] == 0
    assert (Evaluation(FOREST, X, NUMBERS).weights == 1).all()


def test_groups_of_any_labels_are_coded():
    task = Evaluation(FOREST, X, NUMBERS, groups=np.repeat(["u", "s", "t"], 20))
    assert task.groups.dtype == np.int64 and task.groups[[0, 20, 40]].tolist() == [2, 0, 1]
