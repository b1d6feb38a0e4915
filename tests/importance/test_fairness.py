"""Gaps are divided without remainder, and a dropped column is found again in its proxies."""

import lightgbm
import numpy as np
import pandas as pd
import pytest

from fi_course.tables import mortgages
from fi_teach.basics.losses import auc
from fi_teach.basics.results import Attribution
from fi_teach.importance import group_gap, leak_suspects, proxies
from fi_teach.importance.tree_shap import tree_shap
from fi_teach.trees import grow_forest


def test_the_features_gaps_add_up_to_the_gap_in_predictions():
    """Closed form: sum_j gap_j = mean prediction of the second group - of the first."""
    rng = np.random.default_rng(0)
    phi, group = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    prediction = 3.0 + phi.sum(axis=1)
    gap = group_gap(Attribution(phi, 3.0, tuple("abcd")), group)
    assert gap.mean.sum() == pytest.approx(prediction[group == 1].mean() - prediction[group == 0].mean())


def test_the_gap_says_what_it_is_counted_in():
    """A booster's Shapley values divide log-odds, a forest's divide probabilities."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 2))
    y, group = X[:, 0] > 0, rng.integers(0, 2, 200)
    booster = lightgbm.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1).fit(X, y)
    forest = grow_forest(X, y, n_trees=3)
    numbers = grow_forest(X, X[:, 0], n_trees=3)
    units = [group_gap(tree_shap(model, X), group).unit for model in (booster, forest, numbers)]
    assert units == ["log-odds", "probability", "units of the prediction"]


def test_proxies_find_the_column_that_copies_the_protected_one():
    rng = np.random.default_rng(2)
    protected = rng.integers(0, 2, 400)
    found = proxies(np.column_stack([rng.random(400), protected, np.ones(400)]), protected, n_trees=20)
    assert found.alone[1] == pytest.approx(1) and abs(found.alone[0] - 0.5) < 0.1 and found.alone[2] == 0.5
    assert found.to_frame()["feature"][0] == "x1"


def test_two_weak_proxies_together_tell_more_than_either():
    """Planted truth: the protected column is the exclusive or of two fair coins, each worthless
    alone."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    found = proxies(np.column_stack([a, b]), a ^ b, n_trees=40)
    assert found.alone.max() < 0.62 and found.together > 0.95


# --- real tables ---


@pytest.mark.parametrize("name", ["condomin", "single", "insurance", "phist"])
def test_a_yes_or_no_column_has_its_own_auc(name):
    """Rows of one value are guessed alike, so the AUC is (1 + the difference of the shares) / 2;
    judged out of bag it came out .07 lower, below 1/2 for some."""
    X, _ = mortgages()
    protected = X["afam"] == 1
    found = proxies(X[[name, "lvrat"]], protected, n_trees=20)
    exact = auc(protected, X[name])
    assert found.alone[0] == pytest.approx(max(exact, 1 - exact), abs=0.015)


def test_columns_of_noise_are_coin_flips_on_both_sides_of_one_half():
    """Mean over 20 tables of 3 columns: within 4 standard errors of 1/2, no bias downwards."""
    aucs = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, 2, 200), rng.integers(0, 5, 200), rng.random(200)])
        aucs.append(proxies(X, rng.integers(0, 2, 200), n_trees=25, rng=seed).alone)
    aucs = np.array(aucs)
    error = aucs.std(axis=0, ddof=1) / np.sqrt(20)
    assert (np.abs(aucs.mean(axis=0) - 0.5) < 4 * error).all()


def test_words_and_gaps_are_values_like_others():
    """Planted: one town, whether the income is missing, and whether a date was ever filled in give the group away."""
    rng, n = np.random.default_rng(5), 400
    is_b = rng.random(n) < 0.4
    towns = pd.Series(np.where(is_b, "Ulm", rng.choice(["Aachen", "Zella"], n)))
    table = pd.DataFrame({
        "town": towns,
        "as category": towns.astype("category"),
        "income": pd.Series(rng.normal(size=n)).mask(is_b & (rng.random(n) < 0.8)),
        "member": rng.random(n) < 0.5,
        "paid on": pd.Series([pd.Timestamp("2024-05-01")] * n).where(is_b),
        "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
    })
    found = proxies(table, np.where(is_b, "b", "a"), n_trees=25)
    auc_of = dict(zip(found.names, found.alone, strict=True))
    assert auc_of["town"] == auc_of["as category"] == auc_of["paid on"] == 1
    assert auc_of["income"] > 0.8
    assert max(auc_of["member"], auc_of["since"]) < 0.6
    dominant = leak_suspects(table, is_b).set_index("feature")["dominant"]
    assert set(dominant.index[dominant]) == {"town", "as category", "paid on"}


def test_the_standard_errors_are_of_the_size_of_what_other_tables_would_give():
    """Over 30 tables the sd of a column's AUC and its mean standard error differ by less than
    half."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng([6, seed])
        protected = rng.integers(0, 2, 300)
        X = (protected + rng.normal(size=300))[:, None]
        found.append(proxies(X, protected, n_trees=25, rng=seed))
    truth = np.std([f.alone[0] for f in found], ddof=1)
    assert np.mean([f.alone_error[0] for f in found]) == pytest.approx(truth, rel=0.5)
    assert found[0].to_frame()["standard_error"][0] == found[0].alone_error[0]


def test_the_gaps_standard_error_divides_by_one_row_less_in_each_group():
    """Groups (0, 2) and (1, 5): s^2 = 2 and 8, so the error is sqrt(2 / 2 + 8 / 2)."""
    gap = group_gap(Attribution(np.array([[0.0], [2.0], [1.0], [5.0]]), 0.0, ("a",)), [0, 0, 1, 1])
    assert gap.standard_error == pytest.approx([np.sqrt(5)])
