"""Shapley values of a model by definition: closed forms, the three meanings of "missing", and agreement with the shap library."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.games import shapley
from fi_teach.basics.removal import cover_shares, gaussian, marginal, neighbours
from fi_teach.importance.shapley import sampled_shapley_values, shapley_values
from fi_teach.trees.cart import grow_cart

BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)


def gate_and(X):
    return X[:, 0] * X[:, 1]


def linear(X):
    return 2 * X[:, 0] - X[:, 1] + 3


def curved(X):
    return np.sin(X[:, 0]) * X[:, 1] + X[:, 2] ** 2 - X[:, 3] * X[:, 0]


@pytest.fixture(scope="module")
def normal():
    return np.random.default_rng(0).normal(size=(60, 4))


def test_an_and_gate_of_fair_bits_has_the_values_of_the_ledger():
    """SHP-02: (1,1) .375 each, (0,0) -.125 each, (1,0) .125 and -.375."""
    values = shapley_values(gate_and, BITS, background=BITS).values
    np.testing.assert_allclose(values, [[-0.125, -0.125], [-0.375, 0.125], [0.125, -0.375], [0.375, 0.375]], atol=1e-15)


def test_a_linear_model_pays_slope_times_distance_from_the_mean(normal):
    """phi_j = beta_j (x_j - mean of the background), base = the model at the mean."""
    found = shapley_values(linear, normal[:5], background=normal)
    np.testing.assert_allclose(found.values[:, :2], [2, -1] * (normal[:5] - normal.mean(0))[:, :2], atol=1e-12)
    np.testing.assert_allclose(found.values[:, 2:], 0, atol=1e-14)
    assert found.base == pytest.approx(linear(normal).mean())


@pytest.mark.parametrize("removal", ["marginal", "neighbours", "gaussian"])
def test_values_and_base_sum_to_the_prediction(normal, removal):
    """Efficiency, whatever "missing" means."""
    found = shapley_values(curved, normal[:4], background=normal, removal=removal)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base, curved(normal[:4]), atol=1e-12)


def test_an_unused_copy_gets_nothing_by_the_marginal_and_half_by_conditionals():
    """SHP-07 and SHP-08: f reads x0 only and x1 is its copy."""
    x = np.repeat([0.0, 1.0, 2.0], 10)
    X, shown = np.column_stack([x, x]), [[0.0, 0.0], [2.0, 2.0]]
    def f(X):
        return X[:, 0]
    np.testing.assert_allclose(shapley_values(f, shown, background=X).values, [[-1, 0], [1, 0]], atol=1e-12)
    halves = [[-0.5, -0.5], [0.5, 0.5]]
    for removal in ("neighbours", "gaussian"):
        np.testing.assert_allclose(shapley_values(f, shown, background=X, removal=removal).values, halves, atol=1e-6)


def test_neighbours_among_discrete_rows_are_the_rows_that_agree():
    """v({0}) is the mean over background rows with the same x0, however many they are."""
    rng = np.random.default_rng(1)
    background = rng.integers(0, 2, size=(80, 2)).astype(float)
    v = neighbours(lambda X: X[:, [1]], background, n_neighbours=5)
    found = v(np.array([[1.0, 9.0]]), np.array([[True, False]]))[0, 0, 0]
    assert found == pytest.approx(background[background[:, 0] == 1, 1].mean())


def test_the_gaussian_expectation_of_a_linear_model_is_the_regression():
    """E[x1 | x0] = mu_1 + s01 / s00 (x0 - mu_0), exactly, because every draw comes with its mirror image."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=200)
    background = np.column_stack([a, 0.7 * a + rng.normal(size=200)])
    slope = np.polyfit(background[:, 0], background[:, 1], 1)
    v = gaussian(lambda X: X[:, [1]], background, n_samples=3)
    assert v(np.array([[2.0, 0.0]]), np.array([[True, False]]))[0, 0, 0] == pytest.approx(np.polyval(slope, 2.0), abs=1e-12)


def test_the_path_dependent_game_follows_training_cover():
    """A tree with one split: knowing nothing pays the training mean, knowing the feature pays the leaf."""
    tree = grow_cart([[0, 5], [0, 5], [0, 5], [1, 5]], [0.0, 0.0, 0.0, 8.0], criterion="variance")
    found = shapley_values(tree, [[1, 5]], background=None, removal="path-dependent")
    np.testing.assert_allclose(found.values, [[6, 0]], atol=1e-15)
    assert found.base == 2


def test_a_node_that_no_weight_reached_shares_evenly():
    """cover_shares gives 1/2 to both children where the cover is 0, and shares of siblings sum to 1 everywhere."""
    tree = grow_cart([[0.0], [1], [2], [3]], [0.0, 1, 0, 3], criterion="variance")
    inner = np.flatnonzero(~tree.is_leaf)
    share = cover_shares(tree)
    np.testing.assert_allclose(share[tree.children_left[inner]] + share[tree.children_right[inner]], 1)
    tree.weighted_n_node_samples[:] = 0
    assert set(cover_shares(tree)) == {0.5, 1.0}


def test_one_output_more_is_one_game_more(normal):
    """values[:, :, k] are the values of output k."""
    def two(X):
        return np.column_stack([curved(X), linear(X)])
    both = shapley_values(two, normal[:3], background=normal[:20])
    assert both.values.shape == (3, 4, 2)
    for k, f in enumerate((curved, linear)):
        alone = shapley_values(f, normal[:3], background=normal[:20])
        np.testing.assert_allclose(both.values[:, :, k], alone.values, atol=1e-12)
        assert both.base[k] == pytest.approx(alone.base)


def test_permuted_columns_give_permuted_values(normal):
    """Names, not places, carry the values."""
    order = [2, 0, 3, 1]
    def shuffled(X):
        return curved(X[:, np.argsort(order)])
    here = shapley_values(curved, normal[:3], background=normal[:20]).values
    there = shapley_values(shuffled, normal[:3][:, order], background=normal[:20][:, order]).values
    np.testing.assert_allclose(there, here[:, order], atol=1e-12)


def test_marginal_values_agree_with_shap(normal):
    """shap's exact explainer plays the same game; tolerance 1e-10."""
    shap = pytest.importorskip("shap")
    theirs = shap.explainers.Exact(curved, shap.maskers.Independent(normal, max_samples=60))(normal[:5])
    ours = shapley_values(curved, normal[:5], background=normal)
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-10)


def test_chunks_do_not_change_the_game(normal, monkeypatch):
    """However few rows go to the model at once, the payoffs are the same."""
    whole = shapley_values(curved, normal[:7], background=normal).values
    monkeypatch.setattr("fi_teach.basics.removal.ROWS_AT_ONCE", 100)
    np.testing.assert_allclose(shapley_values(curved, normal[:7], background=normal).values, whole, atol=1e-13)


def test_sampled_values_lie_within_their_errors(normal):
    """|estimate - exact| below 4.5 standard errors for 16 numbers, and efficient in every draw."""
    exact = shapley_values(curved, normal[:4], background=normal).values
    found = sampled_shapley_values(curved, normal[:4], background=normal, n_orderings=300)
    assert (np.abs(found.values - exact) < 4.5 * found.standard_error + 1e-12).all()
    np.testing.assert_allclose(found.values.sum(1) + found.base, curved(normal[:4]), atol=1e-12)


def test_an_own_removal_is_a_function_that_returns_a_value_function(normal):
    """removal=marginal as a function is removal='marginal'."""
    by_name = shapley_values(curved, normal[:2], background=normal).values
    np.testing.assert_array_equal(shapley_values(curved, normal[:2], background=normal, removal=marginal).values, by_name)


def test_frames_are_matched_by_name_and_reach_the_model_as_frames(normal):
    """A background with its columns in another order is put in order; predict sees the names."""
    frame = pd.DataFrame(normal, columns=list("abcd"))
    def f(table):
        return table["a"] * table["d"]
    found = shapley_values(f, frame[:3], background=frame[["d", "c", "b", "a"]])
    expected = shapley_values(lambda X: X[:, 0] * X[:, 3], normal[:3], background=normal)
    assert found.names == ("a", "b", "c", "d")
    np.testing.assert_allclose(found.values, expected.values, atol=1e-12)


def test_inputs_are_left_alone(normal):
    """X and the background keep their values."""
    X, background = normal[:3].copy(), normal.copy()
    for removal in ("marginal", "neighbours", "gaussian"):
        shapley_values(curved, X, background=background, removal=removal)
    np.testing.assert_array_equal(X, normal[:3])
    np.testing.assert_array_equal(background, normal)


def labels(X):
    return np.array(["yes"] * len(X))


@pytest.mark.parametrize(("change", "says"), [
    ({"background": None}, "background is None"),
    ({"background": np.zeros((3, 2))}, "background has 2 columns"),
    ({"background": np.zeros((0, 4))}, "at least one row"),
    ({"background": pd.DataFrame(np.zeros((2, 4)), columns=list("abcd"))}, None),
    ({"removal": "magic"}, "unknown removal 'magic'"),
    ({"predict": 3}, "expected a function"),
    ({"predict": labels}, "labels"),
    ({"predict": lambda X: np.zeros(2)}, "shape"),
    ({"predict": lambda X: np.full(len(X), np.nan)}, "NaN"),
    ({"X": np.full((2, 4), np.nan), "removal": "gaussian"}, "NaN"),
    ({"removal": lambda f, b: neighbours(f, b, n_neighbours=0)}, "n_neighbours is 0")])
def test_bad_input_is_answered_with_a_sentence(normal, change, says):
    """What came, what was expected, what to do; a named background beside a plain X is fine."""
    given = {"predict": curved, "X": normal[:2], "background": normal} | change
    if says is None:
        assert shapley_values(given.pop("predict"), given.pop("X"), **given).values.shape == (2, 4)
        return
    with pytest.raises(ValueError, match=says):
        shapley_values(given.pop("predict"), given.pop("X"), **given)


def test_frames_with_other_columns_are_refused():
    """Same number of columns, other names."""
    X, B = pd.DataFrame(np.zeros((2, 2)), columns=["a", "b"]), pd.DataFrame(np.zeros((2, 2)), columns=["a", "c"])
    with pytest.raises(ValueError, match="'c'"):
        shapley_values(lambda X: X["a"], X, background=B)


def test_seventeen_features_are_too_many_to_enumerate():
    """The refusal names the alternatives and the number; sampling takes them."""
    X = np.random.default_rng(3).normal(size=(3, 17))
    with pytest.raises(ValueError, match="from 17 players on use sampled_shapley_values"):
        shapley_values(linear, X, background=X)
    assert sampled_shapley_values(linear, X, background=X, n_orderings=2).values.shape == (3, 17)
    with pytest.raises(ValueError, match="at least 2"):
        sampled_shapley_values(linear, X, background=X, n_orderings=1)


def test_the_values_are_the_games_module_applied_to_payoffs(normal):
    """One row by hand: tabulate v, divide it."""
    def v(S):
        mixed = normal.copy()
        mixed[:, list(S)] = normal[0, list(S)]
        return curved(mixed).mean()
    np.testing.assert_allclose(shapley_values(curved, normal[:1], background=normal).values[0], shapley(v, 4), atol=1e-12)
