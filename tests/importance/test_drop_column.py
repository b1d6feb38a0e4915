"""Leave one column out and fit again: closed forms for least squares, twins, folds, blanked columns."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.importance.drop_column import drop_column_importance
from fi_teach.trees import grow_cart, grow_forest


def least_squares(X, y):
    weights = np.linalg.lstsq(np.asarray(X, float), np.asarray(y, float), rcond=None)[0]
    return lambda X: np.asarray(X) @ weights


def data(n=300, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 2 * X[:, 0] + X[:, 1] + noise * rng.normal(size=n)


# --- closed forms ---


def test_by_hand_for_two_columns_that_do_not_overlap():
    """Orthogonal columns: without column j the loss gains exactly (weight_j x_ij)^2 on rows that the rest fits."""
    X = np.array([[1.0, 0], [0, 1]] * 3)
    y = 3 * X[:, 0] + 2 * X[:, 1]
    found = drop_column_importance(least_squares, X, y, test=(X, y))
    assert np.allclose(found.draws, [[9, 0] * 3, [0, 4] * 3], atol=1e-12)
    assert found.standard_error == pytest.approx(np.array([9, 4]) * np.std([1, 0] * 3, ddof=1) / np.sqrt(6))


@pytest.mark.parametrize("held_out", [True, False])
def test_independent_features_cost_their_weight_squared(held_out):
    """b_j^2 Var(x_j) = 4, 1, 0. Tolerance three standard errors, at most 0.6."""
    found = drop_column_importance(least_squares, *data(600), test=data(600, seed=1) if held_out else None)
    assert found.draws.shape == (3, 600 if held_out else 5)
    assert (np.abs(found.mean - [4, 1, 0]) < 3 * found.standard_error + 0.02).all()
    assert found.rank.tolist() == [1, 2, 3]


def test_of_two_copies_neither_is_missed():
    X, y = data(noise=0.1)
    found = drop_column_importance(least_squares, np.column_stack([X, X[:, 0]]), y)
    assert np.allclose(found.mean[[0, 3]], 0, atol=1e-10) and found.mean[1] > 0.8


def test_a_fold_may_be_a_single_row():
    """y = x0, and what is left when x0 is dropped predicts x1: the gain is (x1 - x0)^2, averaged over the rows."""
    X = np.array([[0.0, 1.0], [2.0, 5.0], [4.0, 4.0]])
    found = drop_column_importance(lambda X, y: lambda rows: rows[:, 0], X, X[:, 0], n_folds=3)
    assert found.mean == pytest.approx([10 / 3, 0])


# --- learners and losses ---


@pytest.mark.parametrize("loss", ["mse", "absolute", lambda y, f: (y - f) ** 4])
def test_an_unfitted_model_is_copied_and_gives_what_a_function_gives(loss):
    linear_model = pytest.importorskip("sklearn.linear_model")
    model = linear_model.LinearRegression(fit_intercept=False)
    by_model, by_function = (drop_column_importance(fit, *data(), loss=loss) for fit in (model, least_squares))
    assert np.allclose(by_model.draws, by_function.draws, atol=1e-10)
    assert not hasattr(model, "coef_")


def test_the_loss_follows_the_first_model_that_is_fitted():
    X, y = data(60)
    of_classes = drop_column_importance(lambda X, y: grow_cart(X, y, max_depth=2), X, y > 0)
    of_numbers = drop_column_importance(lambda X, y: grow_forest(X, y, n_trees=3), X, y)
    assert (of_classes.unit, of_numbers.unit) == ("error rate", "squared error")
    assert of_classes.rank[0] == of_numbers.rank[0] == 1


def test_a_class_that_a_held_out_part_lacks_keeps_its_column():
    """Nine rows of a rare class in ten folds: some folds have none, and log loss still counts."""
    y = np.where(np.arange(60) < 9, "rare", "usual")

    def fit(table, y):
        share = np.array([np.mean(y == "rare"), np.mean(y == "usual")])
        return lambda t: np.tile(share, (len(t), 1))

    found = drop_column_importance(fit, data(60)[0], y, loss="log_loss", n_folds=10)
    assert np.allclose(found.draws, 0)


# --- names, folds, blanked columns ---


def test_a_frame_loses_its_column_by_name():
    X, y = data(60)
    seen = set()

    def fit(X, y):
        seen.add(tuple(X.columns))
        return least_squares(X, y)

    found = drop_column_importance(fit, pd.DataFrame(X, columns=list("abc")), y, n_folds=3)
    assert seen == {("a", "b", "c"), ("b", "c"), ("a", "c"), ("a", "b")} and found.names == ("a", "b", "c")
    assert np.allclose(found.draws, drop_column_importance(least_squares, X, y, n_folds=3).draws)


def test_columns_called_by_numbers_are_held_out_by_name():
    """Held-out rows in another order, 1 here and "1" there."""
    X, y = data(60)
    numbered = pd.DataFrame(X, columns=[2, 0, 1])
    plain = drop_column_importance(least_squares, numbered, y, test=(numbered, y))
    for names in ([0, 1, 2], ["0", "1", "2"]):
        other = numbered[[0, 1, 2]].set_axis(names, axis=1)
        assert np.array_equal(drop_column_importance(least_squares, numbered, y, test=(other, y)).draws, plain.draws)


def test_folds_keep_groups_whole():
    X, y = data(60)
    patient, seen = np.repeat(np.arange(12), 5), []

    def fit(table, y):
        seen.append(set(patient[table["row"]]) if "row" in table else set())
        return lambda t: np.zeros(len(t))

    drop_column_importance(fit, pd.DataFrame(X).assign(row=np.arange(60)), y, n_folds=4, groups=patient)
    assert {len(patients) for patients in seen if patients} == {9}


GAP_FIRST = np.array([[np.nan, 3], [1, 4], [2, 5]])


@pytest.mark.parametrize("X", [GAP_FIRST, pd.DataFrame(GAP_FIRST, columns=["a", "b"])], ids=["array", "frame"])
def test_a_blanked_column_has_its_first_known_value_in_fits_and_predictions(X):
    seen = []

    def look(table):
        seen.append(np.asarray(table)[:, 0].tolist())
        return np.zeros(len(table))

    def fit(table, y):
        look(table)
        return look

    drop_column_importance(fit, X, np.arange(3.0), test=(X[::-1], np.arange(3.0)), blank=True)
    assert seen.count([1, 1, 1]) == 2


# --- weights, groups, errors ---


def reads_the_first(X, y):
    """y = x0 without an error, or 0 where only one column is left: without x0 each row loses y^2."""
    return lambda table: np.asarray(table)[:, 0] if np.shape(table)[1] == 2 else np.zeros(len(table))


def signed(size):
    """A table whose first column is +-size, and which is its target."""
    size = np.asarray(size, dtype=float)
    X = np.column_stack([size * (-1) ** np.arange(len(size)), np.zeros(len(size))])
    return X, X[:, 0]


def test_drop_column_importance_does_not_count_rows_without_weight_in_a_fold():
    """18 rows lose 1 and weigh 1, two lose 4 and weigh nothing: each fold loses exactly 1."""
    loses_four = np.arange(20) < 2
    found = drop_column_importance(
        reads_the_first, *signed(1 + loses_four), n_folds=2, sample_weight=1.0 - loses_four)
    assert found.draws[0].tolist() == [1, 1]


def test_drop_column_importance_of_test_rows_given_four_times_is_as_sure_as_of_rows_given_once():
    """If the four are named as a group; else it seems twice as sure, but for the n - 1."""
    X, y = signed(np.arange(1, 9))
    once = drop_column_importance(reads_the_first, X, y, test=(X, y)).standard_error[0]
    four_times = X.repeat(4, axis=0), y.repeat(4)
    grouped, alone = (
        drop_column_importance(reads_the_first, X, y, test=four_times, groups=groups).standard_error[0]
        for groups in (np.arange(32) // 4, None))
    assert grouped == pytest.approx(once)
    assert alone == pytest.approx(once / 2 * np.sqrt(7 / 8 * 32 / 31))


def test_drop_column_importance_is_sure_where_all_test_rows_lose_the_same_however_they_weigh():
    X, y = signed(np.full(8, 3))
    found = drop_column_importance(reads_the_first, X, y, test=(X, y), sample_weight=np.arange(1, 9))
    assert found.mean[0] == pytest.approx(9)
    assert found.standard_error[0] == pytest.approx(0, abs=1e-12)


def test_the_folds_error_is_the_widened_one_and_covers_a_null_column():
    """Nadeau and Bengio's correction on 200 data sets, a column without effect:
    |mean| < 2.78 errors (t with 4 degrees) in 90 to 100%."""
    found = [drop_column_importance(least_squares, *data(60, seed=seed), rng=seed) for seed in range(200)]
    assert np.mean([abs(f.mean[2]) < 2.78 * f.standard_error[2] for f in found]) >= 0.90
    sd = found[0].draws.std(axis=1, ddof=1)
    assert np.allclose(found[0].standard_error, sd * np.sqrt(1 / 5 + 1 / 4))
