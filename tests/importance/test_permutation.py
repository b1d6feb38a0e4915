"""Permutation importance by any predict function: definition, truth, null, reference, groups, bad input."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.shuffles import receiver_donor_variance, shuffles
from fi_teach.importance.permutation import (
    permutation_importance,
    permutation_importance_by_definition,
    score_permutation_importance,
)


def first(X):
    return np.asarray(X)[:, 0]


def linear(X):
    X = np.asarray(X)
    return 2 * X[:, 0] - X[:, 1]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, linear(X) + 0.5 * rng.normal(size=120)


@pytest.mark.parametrize("loss", ["mse", "absolute", lambda y, f: np.abs(y - f) ** 3])
def test_the_batched_shuffles_are_the_definition_draw_by_draw(data, loss):
    X, y = data
    loss_of = {"loss": loss, "n_repeats": 7, "rng": 5}
    fast, slow = permutation_importance(linear, X, y,
                                        **loss_of), permutation_importance_by_definition(linear, X, y, **loss_of)
    assert fast.draws.shape == (3, 7)
    assert np.allclose(fast.draws, slow.draws, atol=1e-12)


def test_a_batch_of_many_calls_gives_the_draws_of_one(data, monkeypatch):
    X, y = data
    whole = permutation_importance(linear, X, y).draws
    monkeypatch.setattr("fi_teach.fast.permutation.ROWS_A_CALL", 300)
    assert np.array_equal(permutation_importance(linear, X, y).draws, whole)


def test_a_linear_model_has_the_closed_form():
    """For f = b x, y = f + e and a random permutation with fixed points:
    E = 2 b^2 Var(x), the variance taken over these rows.

    Tolerance: four standard errors of the 4000 shuffles.
    """
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 2))
    importance = permutation_importance(lambda X: 3 * X[:, 0], X, 3 * X[:, 0], n_repeats=4000)
    expected = 2 * 9 * X[:, 0].var()
    assert abs(importance.mean[0] - expected) < 4 * importance.permutation_sd[0] / np.sqrt(4000)


def test_an_unused_feature_has_importance_and_standard_error_exactly_zero(data):
    X, y = data
    importance = permutation_importance(linear, X, y)
    assert (importance.draws[2] == 0).all()
    assert importance.standard_error[2] == 0 and importance.permutation_sd[2] == 0


def test_the_planted_order_is_found(data):
    X, y = data
    assert permutation_importance(linear, X, y).rank.tolist() == [1, 2, 3]


def test_permuted_columns_give_permuted_importances(data):
    X, y = data
    order = [2, 0, 1]
    there = permutation_importance(lambda X: linear(X[:, np.argsort(order)]), X[:, order], y, n_repeats=300).mean
    here = permutation_importance(linear, X, y, n_repeats=300)
    assert np.allclose(there, here.mean[order], atol=5 * here.permutation_sd[order] / np.sqrt(300) * np.sqrt(2) + 1e-15)


def test_scaling_the_loss_scales_the_importance(data):
    X, y = data
    assert np.allclose(permutation_importance(linear, X, y, loss=lambda y, f: 5 * (y - f) ** 2).draws,
                       5 * permutation_importance(linear, X, y).draws)


def test_it_agrees_with_scikit_learn_within_its_own_permutation_noise(data):
    """Both estimate the same mean over permutations; tolerance four standard errors of the two of them."""
    inspection = pytest.importorskip("sklearn.inspection")
    from sklearn.ensemble import RandomForestRegressor

    X, y = data
    model = RandomForestRegressor(20, random_state=0).fit(X[:60], y[:60])
    ours = permutation_importance(model, X[60:], y[60:], n_repeats=50)
    theirs = inspection.permutation_importance(model, X[60:], y[60:], scoring="neg_mean_squared_error", n_repeats=50,
                                               random_state=1)
    noise = np.sqrt((ours.permutation_sd**2 + theirs.importances_std**2) / 50)
    assert (np.abs(ours.mean - theirs.importances_mean) < 4 * noise + 1e-12).all()
    assert np.allclose(ours.permutation_sd, theirs.importances_std, rtol=0.5)


def test_a_fitted_model_is_asked_for_probabilities_where_the_loss_takes_them():
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=200) > 0, "yes", "no")
    model = linear_model.LogisticRegression().fit(X, y)
    by_model = permutation_importance(model, X, y, loss="log_loss", n_repeats=3)
    by_function = permutation_importance(model.predict_proba, X, y, loss="log_loss", n_repeats=3)
    assert np.array_equal(by_model.draws, by_function.draws)
    assert by_model.mean[0] > 10 * abs(by_model.mean[1])
    assert permutation_importance(model, X, y, loss="zero_one").mean[0] > 0.3


def test_labels_are_matched_with_the_models_own_classes_where_some_do_not_occur():
    """Three classes, of which the test rows have two: the columns are the model's, not the sorted labels'."""
    class Model:
        classes_ = np.array([1, 2, 3])

        def predict(self, X):
            return np.where(X[:, 0] > 0, 3, 2)

        def predict_proba(self, X):
            high = np.where(X[:, 0] > 0, 0.9, 0.1)
            return np.column_stack([np.zeros(len(X)), 1 - high, high])

    X = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    importance = permutation_importance(Model(), X, [3, 2, 3, 2], loss="log_loss", n_repeats=200)
    assert importance.mean[0] == pytest.approx(0.5 * np.log(9), rel=0.15)  # half of the donors have the other sign
    with pytest.raises(ValueError, match="never saw"):
        permutation_importance(Model(), X, [4, 2, 3, 2], loss="log_loss")


def test_predict_gets_the_kind_of_table_that_came(data):
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(X)) + 7)
    seen = []

    def predict(table):
        seen.append((type(table), list(table.columns)))
        return 2 * table["a"] - table["b"]

    importance = permutation_importance(predict, frame, y)
    assert importance.names == ("a", "b", "c")
    assert set(map(str, seen)) == {str((pd.DataFrame, ["a", "b", "c"]))}
    assert np.allclose(importance.draws, permutation_importance(linear, X, y).draws)


def test_a_frames_column_types_survive_the_shuffle():
    frame = pd.DataFrame({"count": np.arange(6), "flag": [True, False] * 3, "size": np.linspace(0, 1, 6)})
    kinds = []
    permutation_importance(lambda t: kinds.append(tuple(t.dtypes.astype(str))) or t["size"].to_numpy(), frame,
                           np.arange(6))
    assert set(kinds) == {tuple(frame.dtypes.astype(str))}


def test_the_callers_table_is_left_alone(data):
    X, y = data
    frame = pd.DataFrame(X)
    before, y_before = frame.copy(), y.copy()
    permutation_importance(linear, frame, y, n_repeats=3)
    permutation_importance(linear, X, y, n_repeats=3)
    for together in (True, False):
        permutation_importance(linear, X, y, feature_groups={"both": [0, 1]}, together=together, n_repeats=3)
    pd.testing.assert_frame_equal(frame, before)
    assert np.array_equal(X, before.to_numpy()) and np.array_equal(y, y_before)


def test_the_same_seed_gives_the_same_draws(data):
    X, y = data
    assert np.array_equal(permutation_importance(linear, X, y, rng=3).draws,
                          permutation_importance(linear, X, y, rng=3).draws)


def test_a_missing_value_passes_where_the_model_can_take_it(data):
    X, y = data
    X = X.copy()
    X[0, 2] = np.nan
    assert permutation_importance(linear, X, y).mean[2] == 0
    with pytest.raises(ValueError, match="predict returned NaN"):
        permutation_importance(lambda X: X[:, 2], X, y)


# --- groups ---


def test_a_group_of_one_is_the_feature(data):
    X, y = data
    alone = permutation_importance(linear, X[:, :1].repeat(3, axis=1), y, n_repeats=4).draws[0]
    for together in (True, False):
        group = permutation_importance(linear, X[:, :1].repeat(3, axis=1), y, feature_groups={"first": [0]},
                                       together=together, n_repeats=4)
        assert np.allclose(group.draws[0], alone)


def test_twins_shuffled_jointly_matter_more_than_columnwise():
    """f = (x1 + x2) / 2 with x1 = x2 = x: jointly 2 Var(x), columnwise 3/2 Var(x), one alone Var(x) / 2.

    Tolerance 5 %, more than three standard errors of 1000 shuffles.
    """
    x = np.random.default_rng(4).normal(size=100)
    X, mean = np.column_stack([x, x]), (lambda X: X.mean(axis=1))
    twins = {"feature_groups": {"twins": [0, 1]}, "n_repeats": 1000}
    assert permutation_importance(mean, X, x, **twins).mean[0] == pytest.approx(2 * x.var(), rel=0.05)
    assert permutation_importance(mean, X, x, **twins, together=False).mean[0] == pytest.approx(1.5 * x.var(), rel=0.05)
    assert permutation_importance(mean, X, x, n_repeats=1000).mean == pytest.approx([x.var() / 2] * 2, rel=0.05)


def test_groups_go_by_name_too(data):
    X, y = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    by_name = permutation_importance(linear, frame, y, feature_groups={"ab": ["a", "b"], "c": "c"}, n_repeats=3)
    assert by_name.names == ("ab", "c")
    assert np.allclose(by_name.draws,
                       permutation_importance(linear, X, y, feature_groups={"ab": [0, 1], "c": [2]}, n_repeats=3).draws)


@pytest.mark.parametrize(("groups", "says"), [
    ({}, "at least one group"), ([0, 1], "expected {name of a group"), ({"g": []}, "no columns"),
    ({"g": [7]}, "column 7"), ({"g": ["x0", 0]}, "twice"),
])
@pytest.mark.parametrize("together", [True, False])
def test_a_group_that_makes_no_sense_is_refused(data, together, groups, says):
    with pytest.raises(ValueError, match=says):
        permutation_importance(linear, *data, feature_groups=groups, together=together)


# --- whole-set scores ---


def test_the_accuracy_that_is_lost_is_the_zero_one_loss_that_is_gained(data):
    X, y = data
    predict, y = (lambda X: linear(X) > 0), y > 0
    by_score = score_permutation_importance(predict, X, y, score="accuracy", n_repeats=200)
    by_loss = permutation_importance(predict, X, y, loss="zero_one", n_repeats=200, rng=1)
    assert np.allclose(by_score.mean, by_loss.mean, atol=4 * by_loss.permutation_sd.max() * np.sqrt(2 / 200))
    # 20 groups know an sd within 16 %
    assert np.allclose(by_score.standard_error[:2], by_loss.standard_error[:2], rtol=0.5)
    assert by_score.mean[2] == by_score.standard_error[2] == 0


def test_concordance_is_lost_with_the_feature_that_sets_the_pace():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 2))
    y = np.column_stack([rng.exponential(np.exp(-X[:, 0])), rng.random(150) < 0.8])
    importance = score_permutation_importance(lambda X: X[:, 0], X, y, score="concordance", n_repeats=5)
    records = np.rec.fromarrays([y[:, 1] == 1, y[:, 0]], names="event,time")
    assert importance.mean[0] > 0.15 and importance.mean[1] == 0
    assert np.array_equal(importance.draws,
                          score_permutation_importance(lambda X: X[:, 0], X, records, score="concordance",
                                                       n_repeats=5).draws)


def test_an_unknown_score_is_refused(data):
    with pytest.raises(ValueError, match="unknown score"):
        score_permutation_importance(linear, *data, score="f1")


def test_score_permutation_importance_leaves_groups_out_as_receivers_and_as_donors():
    """A jackknifed score sees some rows, and no value of a left-out group: neither a row nor a donor."""
    row, group = np.arange(20.0), np.arange(20) // 5
    seen = []

    def score(y, prediction):
        seen.append((y, prediction))
        return -np.abs(y - prediction).mean()

    score_permutation_importance(first, row[:, None], row, score=score, n_repeats=3, groups=group)
    parts = [group[np.concatenate([y, prediction]).astype(int)] for y, prediction in seen if len(y) < 20]
    assert len(parts) == 4 * 3 * 2, "4 groups, 3 shuffles, before and after"
    assert all(len(set(groups)) == 3 for groups in parts)


def test_score_permutation_importance_has_the_jackknifes_standard_error(data):
    """sqrt((G-1)/G sum_g (left_g - mean)^2), left_g the drop of the score without part g of G = 20."""
    scores = []

    def score(y, prediction):
        scores.append(-np.abs(y - prediction).mean())
        return scores[-1]

    found = score_permutation_importance(linear, *data, score=score, n_repeats=1)
    drops = np.subtract(scores[::2], scores[1::2]).reshape(3, 1 + 20)
    assert drops[:, 0] == pytest.approx(found.mean)
    left = drops[:, 1:]
    squares = ((left - left.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert found.standard_error == pytest.approx(np.sqrt(19 / 20 * squares))


# --- the standard error ---


def sampling_sd(columnwise, n=60, n_repeats=3, sims=800):
    """The true sd of the importance of f = x1 + x2 over new test sets, and the mean of its estimates."""
    rng = np.random.default_rng(6)
    means, errors = [], []
    for _ in range(sims):
        X = rng.normal(size=(n, 2))
        result = permutation_importance(
            lambda X: X.sum(axis=1), X, X.sum(axis=1), feature_groups={"g": [0, 1]}, together=not columnwise,
            n_repeats=n_repeats, rng=rng)
        means.append(result.mean[0])
        errors.append(result.standard_error[0])
    return np.std(means), np.sqrt(np.mean(np.square(errors)))


@pytest.mark.parametrize("columnwise", [False, True])
def test_the_standard_error_is_the_spread_over_new_test_sets(columnwise):
    """Tolerance 10 %: 800 simulated test sets fix a standard deviation within 2.5 %, the estimate has bias
    of order 1/n."""
    true, estimated = sampling_sd(columnwise)
    assert estimated == pytest.approx(true, rel=0.10)


def test_the_variance_of_two_rows_is_never_negative():
    """On few rows the correction may overshoot; the receiver's half is then used."""
    differences, donors = np.array([[4.0, 0.0], [0.0, 0.0]]), np.array([[1, 0], [0, 1]])
    assert receiver_donor_variance(differences, donors) == pytest.approx(1.0)  # var(2, 0) / 2


def test_shuffles_are_permutations():
    donors = shuffles(20, 5, np.random.default_rng(0))
    assert (np.sort(donors, axis=0) == np.arange(20)[:, None]).all()


# --- bad input ---


@pytest.mark.parametrize(("change", "says"), [
    ({"X": np.zeros((0, 2))}, "at least one row"), ({"X": np.zeros((1, 2)), "y": [1]}, "one row"),
    ({"X": np.zeros(4)}, "two dimensions"), ({"X": [["a"], ["b"]], "y": [1, 2]}, "not a number"),
    ({"X": np.array([[np.inf], [1.0]]), "y": [1, 2]}, "infinities"),
    ({"X": pd.DataFrame([[1, 2], [2, 3]], columns=["a", "a"]), "y": [1, 2]}, "two columns named"),
    ({"y": [1, 2]}, "y has shape"), ({"y": np.ones(120)}, "constant"), ({"y": ["a", "b"] * 60}, "y holds classes"),
    ({"y": ["a", "b"] * 60, "loss": "squared"}, "labels such as"),
    ({"loss": "hinge"}, "unknown loss"), ({"loss": lambda y, f: 0.0}, "one number a row"),
    ({"n_repeats": 0}, "n_repeats"), ({"n_repeats": 2.5}, "n_repeats"),
    ({"model": 3}, "expected a function"), ({"model": lambda X: X[:5, 0]}, "one prediction a row"),
    ({"model": lambda X: 1.0}, "one prediction a row"),
    ({"model": lambda X: np.array(["a"] * len(X))}, "labels such as"),
])
def test_bad_input_is_refused_with_a_sentence(data, change, says):
    given = {"model": linear, "X": data[0], "y": data[1]} | change
    with pytest.raises(ValueError, match=says):
        permutation_importance(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_an_unfitted_model_and_one_without_probabilities_are_refused(data):
    linear_model = pytest.importorskip("sklearn.linear_model")
    with pytest.raises(ValueError, match="not fitted"):
        permutation_importance(linear_model.LinearRegression(), *data)
    with pytest.raises(ValueError, match="class probabilities"):
        permutation_importance(linear_model.LinearRegression().fit(*data), data[0], data[1] > 0, loss="log_loss")
