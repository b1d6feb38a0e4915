"""What holds for all permutation methods: any model and table, columns by name, weights, groups."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.importance import (
    conditional_importance,
    drop_column_importance,
    exact_permutation_importance,
    exact_permutation_importance_by_definition,
    oob_importance,
    oob_importance_per_tree,
    pair_differences,
    permutation_importance,
    permutation_importance_by_definition,
    row_bootstrap_interval,
    score_permutation_importance,
    shuffle_differences,
)
from fi_teach.trees import grow_cart, grow_forest

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["a", "b", "c"])
Y = 2 * X["a"].to_numpy() - X["b"].to_numpy() + 0.3 * RNG.normal(size=60)
FOREST = grow_forest(X, Y, n_trees=8)
EVERY = {
    "permutation": lambda m, X, y: permutation_importance(m, X, y, n_repeats=3),
    "by definition": lambda m, X, y: permutation_importance_by_definition(m, X, y, n_repeats=3),
    "grouped": lambda m, X, y: permutation_importance(m, X, y, feature_groups={"g": ["a"]}, n_repeats=3),
    "score": lambda m, X, y: score_permutation_importance(m, X, y, score="r2", n_repeats=2),
    "exact": exact_permutation_importance,
    "exact by definition": exact_permutation_importance_by_definition,
    "conditional": lambda m, X, y: conditional_importance(m, X, y, n_repeats=3),
    "gaussian": lambda m, X, y: conditional_importance(m, X, y, method="gaussian", n_repeats=3),
    "out of bag": lambda m, X, y: oob_importance(m, X, y, n_repeats=2),
    "out of bag per tree": lambda m, X, y: oob_importance_per_tree(m, X, y, n_repeats=2),
    "bootstrap": lambda m, X, y: row_bootstrap_interval(m, X, y, "a", n_repeats=5),
    "differences": lambda m, X, y: shuffle_differences(m, X, y, "a")[0].tolist(),
    "pairs": lambda m, X, y: pair_differences(m, X, y, "a").tolist(),
}


# --- columns go by name ---


@pytest.mark.parametrize("method", EVERY)
def test_a_table_in_another_order_gives_the_same_result(method):
    there = EVERY[method](FOREST, X[["c", "a", "b"]], Y)
    assert there == EVERY[method](FOREST, X, Y)


@pytest.mark.parametrize("method", EVERY)
def test_a_table_with_other_columns_is_refused_and_never_read_by_position(method):
    with pytest.raises(ValueError, match="no column 'a'"):
        EVERY[method](FOREST, X.set_axis(["b", "c", "d"], axis=1), Y)


def test_scikit_learns_models_are_asked_by_name_too():
    ensemble = pytest.importorskip("sklearn.ensemble")
    model = ensemble.RandomForestRegressor(10, random_state=0).fit(X, Y)
    for method in EVERY.values():
        assert method(model, X[["c", "a", "b"]], Y) == method(model, X, Y)


def test_columns_called_by_numbers_mean_names():
    """Columns 1, 2, 3: [1] is the first of them, which matters, not the second, which does not."""
    numbered = X.set_axis([1, 2, 3], axis=1)
    y = numbered[1].to_numpy()
    model = lambda table: table[1].to_numpy()  # noqa: E731
    whole = exact_permutation_importance(model, numbered, y).mean[0]
    group = permutation_importance(model, numbered, y, feature_groups={"g": [1]}, n_repeats=300)
    assert group.mean[0] == pytest.approx(whole, rel=0.1)  # 300 shuffles know it within 2 %
    assert shuffle_differences(model, numbered, y, 1)[0].mean() > 0.5 * whole
    assert pair_differences(model, numbered, y, 1).mean() == pytest.approx(whole)
    for column in (0, 4, "a"):
        with pytest.raises(ValueError, match="choose names among 1, 2, 3"):
            pair_differences(model, numbered, y, column)


@pytest.mark.parametrize("column", [3, -1, "d", None, 1.5])
def test_a_column_that_is_not_there_is_refused_by_a_sentence(column):
    for method in (shuffle_differences, pair_differences, row_bootstrap_interval):
        with pytest.raises(ValueError, match="no column"):
            method(FOREST, X.to_numpy(), Y, column)


# --- the loss follows the model ---


@pytest.mark.parametrize("labels", [[1, 2, 3], ["x", "y", "z"], [10.0, 20.0, 30.0]])
def test_classes_are_never_judged_by_squared_numbers_unasked(labels):
    """Whatever the three classes are called, the default counts wrong labels."""
    codes = np.digitize(X["a"], [-0.4, 0.4])
    y = np.array(labels)[codes]
    forest = grow_forest(X, y, n_trees=8, criterion="gini")
    plain = grow_forest(X, codes, n_trees=8, criterion="gini")
    for method in ("permutation", "exact", "out of bag", "out of bag per tree", "conditional"):
        found = EVERY[method](forest, X, y)
        assert found.unit == "error rate" and found.draws.max() <= 1
        assert np.allclose(found.draws, EVERY[method](plain, X, codes).draws, atol=1e-12)
    by_method = permutation_importance(forest.predict, X, y, n_repeats=3)
    assert by_method == EVERY["permutation"](forest, X, y)


def test_drop_column_follows_the_first_model_it_fits():
    y = np.array(["x", "y"])[(X["a"] > 0).astype(int)]
    found = drop_column_importance(lambda X, y: grow_cart(X, y, max_depth=2), X, y)
    assert found.unit == "error rate" and found.rank[0] == 1
    numbers = drop_column_importance(lambda X, y: grow_forest(X, y, n_trees=3), X, Y)
    assert numbers.unit == "squared error"


def test_the_auc_of_a_classifier_is_that_of_its_probabilities():
    y = np.array(["x", "y"])[(Y > 0).astype(int)]
    forest = grow_forest(X, y, n_trees=8)
    by_model = score_permutation_importance(forest, X, y, score="auc", n_repeats=2)
    by_hand = score_permutation_importance(forest.predict_proba, X, y, score="auc", n_repeats=2)
    assert by_model == by_hand and by_model.mean[0] > 0.05


# --- streams that the data cannot share ---


def test_seed_0_never_draws_the_data_again():
    """Data of default_rng(0), method of rng=0: a new value that is the old one would cost nothing.

    f = x = y standard normal, the others independent: conditionally as marginally 2; 40 rows.
    """
    for p in (1, 30):
        table = np.random.default_rng(0).normal(size=(600, p))
        y = table[:, 0]
        found = conditional_importance(
            lambda X: X[:, 0], table, y, method="gaussian", n_repeats=1, rng=0)
        assert found.draws[0, 0] == pytest.approx(2, rel=0.25)


def test_two_methods_with_one_seed_shuffle_apart():
    donors = shuffle_differences(FOREST, X, Y, "a", rng=0)[1][:, 0]
    assert not np.array_equal(donors, np.random.default_rng(0).permutation(60))
    first = permutation_importance(lambda t: t["a"], X, Y, n_repeats=1).draws[0, 0]
    differences, _ = shuffle_differences(lambda t: t["a"], X, Y, "a")
    assert first != pytest.approx(differences.mean())


# --- real tables ---


def real_table(n=120):
    """Words, dates, truth values, whole numbers and gaps; y hangs on the words and the size."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({
        "sky": pd.Series(rng.choice(["sun", "rain", "snow"], n), dtype="category"),
        "wind": rng.choice(["west", "east"], n),
        "day": pd.date_range("2024-01-01", periods=n),
        "mild": rng.random(n) < 0.5,
        "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
    })
    table.loc[::9, "wind"] = None
    return table, (table["sky"] == "sun") * 2.0 + table["size"].fillna(0)


def told(table):
    return (table["sky"] == "sun") * 2.0 + table["size"].fillna(0)


@pytest.mark.parametrize("method", [
    "permutation", "by definition", "exact", "exact by definition", "conditional", "score",
])
def test_a_table_of_words_dates_and_gaps_is_taken_as_it_is(method):
    table, y = real_table()
    before = table.copy()
    found = EVERY[method](told, table, y)
    assert found.names == tuple(table.columns)
    assert found.mean[0] > 0.1 and found.mean[4] > 0.1 and (found.mean[1:4] == 0).all()
    pd.testing.assert_frame_equal(table, before)


def test_words_and_gaps_can_be_shuffled_as_a_group_and_resampled():
    table, y = real_table()
    groups = {"weather": ["sky", "wind"], "time": "day"}
    found = permutation_importance(told, table, y, feature_groups=groups)
    assert found.mean[0] > 1 and found.mean[1] == 0
    low, high = row_bootstrap_interval(told, table, y, "sky")
    assert 0 < low < high
    assert shuffle_differences(told, table, y, "size")[0].shape == (120, 1)


def test_a_normal_distribution_takes_no_words_and_says_who_does():
    table, y = real_table()
    with pytest.raises(ValueError, match=r"'sky' of X holds text.*method='subgroups'"):
        conditional_importance(told, table, y, method="gaussian")


def test_a_pipeline_of_words_and_gaps_is_judged_as_it_is_fitted():
    compose = pytest.importorskip("sklearn.compose")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    table, y = real_table()
    table, y = table.drop(columns="day"), np.where(y > 1, "high", "low")
    words = compose.make_column_transformer(
        (OneHotEncoder(), ["sky", "wind"]), remainder="passthrough")
    pipeline = make_pipeline(words, RandomForestClassifier(20, random_state=0))
    model = pipeline.fit(table, y)
    turned = table[["size", "mild", "wind", "sky"]]
    for method in ("permutation", "exact", "conditional"):
        found = EVERY[method](model, turned, y)
        assert found.unit == "error rate" and found.names == tuple(table.columns)
        assert found.rank[0] <= 2 and found.rank[3] <= 2
    whatever_words = compose.make_column_selector(dtype_exclude=["number", "bool"])
    encode = OneHotEncoder(handle_unknown="ignore")
    some = compose.make_column_transformer((encode, whatever_words), remainder="passthrough")
    learner = make_pipeline(some, RandomForestClassifier(20, random_state=0))
    refitted = drop_column_importance(learner, table, y)
    assert refitted.names == tuple(table.columns) and refitted.unit == "error rate"


def test_lightgbms_categories_are_put_in_as_they_are():
    lightgbm = pytest.importorskip("lightgbm")
    table, y = real_table(300)
    table = table[["sky", "size"]]
    model = lightgbm.LGBMRegressor(n_estimators=5, min_child_samples=5, n_jobs=1, verbose=-1).fit(table, y)
    exact = exact_permutation_importance(model, table, y)
    slow = exact_permutation_importance_by_definition(model, table, y)
    assert np.allclose(exact.draws, slow.draws, atol=1e-10) and (exact.mean > 0.1).all()


# --- weights and groups ---


TAKE_WEIGHTS = {
    "permutation": lambda **w: permutation_importance(FOREST, X, Y, n_repeats=3, **w),
    "by definition": lambda **w: permutation_importance_by_definition(FOREST, X, Y, n_repeats=3, **w),
    "exact": lambda **w: exact_permutation_importance(FOREST, X, Y, **w),
    "exact by definition": lambda **w: exact_permutation_importance_by_definition(FOREST, X, Y, **w),
    "subgroups": lambda **w: conditional_importance(FOREST, X, Y, n_repeats=3, **w),
    "gaussian": lambda **w: conditional_importance(FOREST, X, Y, method="gaussian", n_repeats=3, **w),
    "drop column": lambda **w: drop_column_importance(
        lambda X, y: grow_cart(X, y, criterion="variance", max_depth=3), X, Y, test=(X, Y), **w),
}


@pytest.mark.parametrize("method", TAKE_WEIGHTS)
def test_equal_weights_and_groups_of_one_row_change_nothing(method):
    plain = TAKE_WEIGHTS[method]()
    same = TAKE_WEIGHTS[method](sample_weight=np.full(60, 7.0), groups=np.arange(60))
    assert np.allclose(same.draws, plain.draws, atol=1e-12)
    assert np.allclose(same.standard_error, plain.standard_error, atol=1e-12)


@pytest.mark.parametrize("fast", ["permutation", "exact"])
def test_weighted_and_grouped_the_fast_way_is_the_definition(fast):
    slow = {"permutation": "by definition", "exact": "exact by definition"}[fast]
    given = {"sample_weight": np.arange(1.0, 61), "groups": np.repeat(np.arange(20), 3)}
    one, other = TAKE_WEIGHTS[fast](**given), TAKE_WEIGHTS[slow](**given)
    for field in ("draws", "standard_error", "permutation_sd"):
        assert np.allclose(getattr(one, field), getattr(other, field), atol=1e-12)


def test_a_row_without_weight_loses_nothing_and_still_gives_its_value():
    """Only row 0 counts: the importance is what row 0 loses, over all donors."""
    alone = np.eye(60)[0]
    weighted = exact_permutation_importance(FOREST, X, Y, sample_weight=alone)
    D = pair_differences(FOREST, X, Y, "a")
    assert weighted.mean[0] == pytest.approx(D[0].mean(), abs=1e-12)


def test_the_weighted_error_is_the_spread_over_new_weighted_rows():
    """300 new test sets with random weights: the estimate within 15 % of the true spread."""
    rng, found = np.random.default_rng(5), []
    for _ in range(300):
        table = rng.normal(size=(120, 1))
        weight = rng.exponential(size=120)
        found.append(permutation_importance(
            lambda X: X[:, 0], table, table[:, 0], n_repeats=5, sample_weight=weight, rng=rng))
    means, errors = np.array([(f.mean[0], f.standard_error[0]) for f in found]).T
    assert np.sqrt((errors**2).mean()) == pytest.approx(means.std(), rel=0.15)


@pytest.mark.parametrize("method", ["permutation", "exact"])
def test_rows_that_come_in_groups_widen_the_error_to_what_new_groups_would_show(method):
    """40 patients with 4 visits that are alike: rows taken for independent claim half the error.

    200 new samples of patients; tolerance 15 %.
    """
    rng, found = np.random.default_rng(6), []
    patient = np.repeat(np.arange(40), 4)
    for _ in range(200):
        table = rng.normal(size=(40, 1))[patient] + 0.05 * rng.normal(size=(160, 1))
        given = {"groups": patient} | ({"rng": rng} if method == "permutation" else {})
        call = {"permutation": permutation_importance, "exact": exact_permutation_importance}[method]
        found.append(call(lambda X: X[:, 0], table, table[:, 0], **given))
    means, errors = np.array([(f.mean[0], f.standard_error[0]) for f in found]).T
    assert np.sqrt((errors**2).mean()) == pytest.approx(means.std(), rel=0.15)


def test_a_bootstrap_of_groups_is_as_much_wider_as_theory_says():
    """30 patients of 5 like visits, f = x = y standard normal: importance 2 var(x).

    Its variance is 8 / 30 over patients and 8 / 150 over rows; each shuffle adds 4 / 150 to both.
    """
    patient = np.repeat(np.arange(30), 5)
    ratios = []
    for seed in range(12):
        table = np.random.default_rng(seed).normal(size=(30, 1))[patient]
        given = (lambda X: X[:, 0], table, table[:, 0], 0)
        low, high = row_bootstrap_interval(*given)
        wide = row_bootstrap_interval(*given, groups=patient)
        ratios.append((wide[1] - wide[0]) / (high - low))
    assert np.mean(ratios) == pytest.approx(np.sqrt(44 / 12), rel=0.1)


def test_folds_keep_groups_whole():
    patient, seen = np.repeat(np.arange(12), 5), []

    def fit(table, y):
        seen.append(set(patient[table["row"].to_numpy()]) if "row" in table else set())
        return lambda t: np.zeros(len(t))

    table = X.assign(row=np.arange(60))
    drop_column_importance(fit, table, Y, n_folds=4, groups=patient)
    assert {len(patients) for patients in seen if patients} == {9}


def test_a_class_that_a_held_out_part_lacks_keeps_its_column():
    """Nine rows of a rare class in ten folds: some folds have none, and log loss still counts."""
    y = np.where(np.arange(60) < 9, "rare", "usual")

    def fit(table, y):
        share = np.array([np.mean(y == "rare"), np.mean(y == "usual")])
        return lambda t: np.tile(share, (len(t), 1))

    found = drop_column_importance(fit, X, y, loss="log_loss", n_folds=10)
    assert np.allclose(found.draws, 0)


# --- large ---


@pytest.mark.slow
def test_20_000_columns_cost_what_the_trees_ask_about():
    wide = pd.DataFrame(np.random.default_rng(2).normal(size=(50, 20_000)))
    y = wide[0].to_numpy() + wide[7].to_numpy()
    tree = grow_cart(wide, y, criterion="variance", max_depth=3)
    asked = np.unique(tree.feature[~tree.is_leaf])
    for found in (permutation_importance(tree, wide, y, n_repeats=2),
                  exact_permutation_importance(tree, wide, y)):
        assert len(found.names) == 20_000
        assert set(np.flatnonzero(found.mean)) <= set(asked.tolist())
    forest = grow_forest(wide, y, n_trees=2, max_depth=2)
    assert oob_importance(forest, wide, y, n_repeats=2).draws.shape == (20_000, 2)
    assert oob_importance_per_tree(forest, wide, y, n_repeats=2).draws.shape == (20_000, 2)
    groups = {"first half": range(10_000), "second half": range(10_000, 20_000)}
    assert permutation_importance(tree, wide, y, feature_groups=groups, n_repeats=2).mean[0] > 0
