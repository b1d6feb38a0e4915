"""Shapley values of a model by definition: closed forms, the meanings of "missing", models and tables of any kind."""

import numpy as np
import pandas as pd
import pytest
from random_trees import chain
from small_tables import close, warmth, words_dates_and_gaps

from fi_teach.basics.games import coalitions, shapley
from fi_teach.basics.value_functions import gaussian, marginal, mixed, neighbours, path_dependent
from fi_teach.importance.shapley import sampled_shapley_values, shapley_values
from fi_teach.importance.tree_shap import tree_shap


def linear(X):
    return 2 * X[:, 0] - X[:, 1] + 3


def curved(X):
    return np.sin(X[:, 0]) * X[:, 1] + X[:, 2] ** 2 - X[:, 3] * X[:, 0]


@pytest.fixture
def normal():
    return np.random.default_rng(0).normal(size=(60, 4))


# --- closed forms and axioms ---


def test_a_linear_model_pays_slope_times_distance_from_the_mean(normal):
    """phi_j = beta_j (x_j - mean of the background), base = the model at the mean."""
    found = shapley_values(linear, normal[:5], background=normal)
    close(found.values, [2, -1, 0, 0] * (normal[:5] - normal.mean(0)))
    assert found.base == pytest.approx(linear(normal).mean())


@pytest.mark.parametrize("removal", ["marginal", "neighbours", "gaussian"])
def test_values_and_base_sum_to_the_prediction(normal, removal):
    """Efficiency, whatever "missing" means."""
    found = shapley_values(curved, normal[:4], background=normal, removal=removal)
    close(found.values.sum(axis=1) + found.base, curved(normal[:4]))


def test_an_unused_copy_gets_nothing_by_the_marginal_and_half_by_conditionals():
    """SHP-07 and SHP-08: f reads x0 only and x1 is its copy."""
    x = np.repeat([0.0, 1.0, 2.0], 10)
    given = {"model": lambda X: X[:, 0], "X": [[0.0, 0.0], [2.0, 2.0]], "background": np.column_stack([x, x])}
    close(shapley_values(**given).values, [[-1, 0], [1, 0]])
    for removal in ("neighbours", "gaussian"):
        close(shapley_values(**given, removal=removal).values, [[-0.5, -0.5], [0.5, 0.5]], 1e-6)


def test_sampled_values_lie_within_their_errors(normal):
    """|estimate - exact| below 4.5 standard errors for 16 numbers, and efficient in every draw."""
    exact = shapley_values(curved, normal[:4], background=normal).values
    found = sampled_shapley_values(curved, normal[:4], background=normal, n_repeats=300)
    apart = np.abs(found.values - exact)
    assert (apart < 4.5 * found.standard_error + 1e-12).all()
    assert (apart > 0.3 * found.standard_error).mean() > 0.5, "the errors are not far too large"
    close(found.values.sum(1) + found.base, curved(normal[:4]))


def test_seventeen_features_are_too_many_to_enumerate():
    """The refusal names the alternatives and the number; sampling takes them, from two orderings on."""
    X = np.random.default_rng(3).normal(size=(3, 17))
    with pytest.raises(ValueError, match="from 17 players on use sampled_shapley_values"):
        shapley_values(linear, X, background=X)
    assert sampled_shapley_values(linear, X, background=X, n_repeats=2).values.shape == (3, 17)
    with pytest.raises(ValueError, match="at least 2"):
        sampled_shapley_values(linear, X, background=X, n_repeats=1)


# --- what "missing" means ---


def test_neighbours_among_discrete_rows_are_the_rows_that_agree():
    """v({0}) is the mean over background rows with the same x0, however many they are."""
    background = np.random.default_rng(1).integers(0, 2, size=(80, 2)).astype(float)
    v = neighbours(lambda X: X[:, [1]], background, n_neighbours=5)
    found = v(np.array([[1.0, 9.0]]), np.array([[True, False]]))
    assert found.item() == pytest.approx(background[background[:, 0] == 1, 1].mean())


def test_the_default_number_of_neighbours_is_the_root_of_the_rows_rounded_up():
    """Of 5 rows 3 are near: with x0 = 0 known, x1 is the mean of 1, 2 and 4."""
    v = neighbours(lambda X: X[:, 1], np.column_stack([np.arange(5.0), 2.0 ** np.arange(5)]))
    assert v(np.zeros((1, 2)), np.array([[True, False]])).item() == pytest.approx(7 / 3)


def test_shapley_values_by_neighbours_do_not_depend_on_units(normal):
    """Metres or millimetres: which rows are near does not change; a constant column decides nothing."""
    unit = np.array([1, 1000, 0.01, 1])
    normal[:, 3] = 1
    plain = shapley_values(curved, normal[:3], background=normal, removal="neighbours")
    scaled = shapley_values(lambda X: curved(X / unit), normal[:3] * unit, background=normal * unit,
                            removal="neighbours")
    close(scaled.values, plain.values, 1e-9)


def test_the_gaussian_expectation_of_a_linear_model_is_the_regression():
    """E[x1 | x0] = mu_1 + s01 / s00 (x0 - mu_0), exactly, because every draw comes with its mirror image."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=200)
    background = np.column_stack([a, 0.7 * a + rng.normal(size=200)])
    line = np.polyfit(background[:, 0], background[:, 1], 1)
    v = gaussian(lambda X: X[:, [1]], background, n_repeats=3)
    found = v(np.array([[2.0, 0.0]]), np.array([[True, False]]))
    assert found.item() == pytest.approx(np.polyval(line, 2.0), abs=1e-12)


def test_shapley_values_by_gaussian_removal_draw_with_the_spread_that_the_known_columns_leave():
    """f = x1^2 and x1 is a copy of x0: at (3, 3) each column alone says 9, so both get half of 9 - mean of x1^2."""
    x = np.array([-2.0, 0, 1, 5])
    found = shapley_values(lambda X: X[:, 1] ** 2, [[3.0, 3.0]], background=np.column_stack([x, x]), removal="gaussian")
    assert found.values[0] == pytest.approx([(9 - found.base) / 2] * 2, abs=1e-6)


def test_the_draws_of_the_gaussian_removal_are_no_rows_of_the_background():
    """Data from default_rng(0) and rng=0: the noise has a stream of its own."""
    background, seen = np.random.default_rng(0).normal(size=(50, 2)), []
    v = gaussian(lambda X: seen.append(X) or X[:, 0], background, n_repeats=50, rng=0)
    v(np.zeros((1, 2)), np.array([[False, False]]))
    assert abs(np.corrcoef(seen[0][:50, 0], background[:, 0])[0, 1]) < 0.5


def test_a_tree_of_depth_5000_is_asked_without_recursion():
    """v(everything) is the prediction, v(nothing) the mean by cover."""
    tree = chain(12, n_splits=5000)
    x = np.random.default_rng(0).normal(0.5, 1, size=(2, 12))
    payoffs = path_dependent(tree)(x, np.array([[False] * 12, [True] * 12]))
    close(payoffs[1], tree.raw(x))
    assert payoffs[0, 0, 0] == pytest.approx(payoffs[0, 1, 0])


def test_an_own_removal_is_a_function_that_returns_a_value_function(normal):
    """removal=marginal as a function is removal='marginal'."""
    by_name, own = (shapley_values(curved, normal[:2], background=normal, removal=removal).values
                    for removal in ("marginal", marginal))
    assert np.array_equal(own, by_name)


# --- models and tables of any kind ---


def test_frames_are_matched_by_name_and_reach_the_model_as_frames(normal):
    """A background with its columns in another order is put in order; predict sees the names."""
    frame = pd.DataFrame(normal, columns=list("abcd"))
    found = shapley_values(lambda table: table["a"] * table["d"], frame[:3], background=frame[list("dcba")])
    expected = shapley_values(lambda X: X[:, 0] * X[:, 3], normal[:3], background=normal)
    assert found.names == ("a", "b", "c", "d")
    close(found.values, expected.values)


def test_words_categories_and_gaps_are_mixed_as_they_are():
    """Equal to Shapley's formula on rows mixed by hand, and sampled values are efficient."""
    table, _ = words_dates_and_gaps(40)
    X, background = table[:2], table[10:30].reset_index(drop=True)

    def price(rows):
        assert rows["sky"].dtype == "category" and rows["mild"].dtype == bool and rows["day"].dtype.kind == "M"
        return warmth(rows) * (rows["wind"] == "west") + rows["mild"] * (rows["day"] > table["day"][1])

    def v(S):
        rows = background.copy()
        for j in S:
            rows.isetitem(j, table.iloc[[0] * 20, j].array)
        return price(rows).mean()

    found = shapley_values(price, X, background=background)
    assert found.names == tuple(table.columns)
    close(found.values[0], shapley(v, 5))
    sampled = sampled_shapley_values(price, X, background=background, n_repeats=4)
    close(sampled.values.sum(axis=1) + sampled.base, price(X))


def test_categories_that_differ_between_table_and_background_remain_categories():
    """Their union is what the model sees."""
    X, background = (pd.DataFrame({"colour": pd.Categorical(colours)}) for colours in (["red"], ["blue", "green"]))
    seen = mixed(X, background, coalitions(1))["colour"]
    assert seen.dtype == "category" and seen.tolist() == ["blue", "green", "red", "red"]


def test_gaps_pass_where_the_trees_know_the_way(normal):
    """Path-dependent values of histogram boosting, NaN among the rows: the brute force is tree_shap's."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    X = np.where(np.random.default_rng(3).random(normal.shape) < 0.2, np.nan, normal)
    model = ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3).fit(X, curved(normal))
    found = shapley_values(model, X[:4], background=None, removal="path-dependent")
    close(found.values, tree_shap(model, X[:4]).values, 1e-10)


@pytest.mark.parametrize(("removal", "why"),
                         [("gaussian", "draws from a normal distribution"), ("neighbours", "how far rows are apart")])
def test_a_removal_that_needs_numbers_says_why(removal, why):
    """A normal distribution of words and a distance between gaps have no sense: the reason, and what to choose."""
    words, _ = words_dates_and_gaps()
    for table in (words[["sky"]], words[["size"]]):
        with pytest.raises(ValueError, match=f"{why}.*removal='marginal'"):
            shapley_values(lambda X: np.zeros(len(X)), table, background=table, removal=removal)


def test_a_named_background_beside_a_plain_table_is_fine(normal):
    named = pd.DataFrame(normal, columns=list("abcd"))
    assert shapley_values(curved, normal[:2], background=named).values.shape == (2, 4)
