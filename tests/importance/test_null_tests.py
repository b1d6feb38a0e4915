"""Target permutation and conditional randomisation: p-values are uniform under the null and smallest for a cause."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from quick_importances import correlation, ridge

from fi_teach.basics.results import Importance
from fi_teach.importance import boruta, conditional_randomization_test, target_permutation_test

marginal = partial(conditional_randomization_test, copies="marginal")
TESTS = {"target": target_permutation_test, "marginal": marginal, "conditional": conditional_randomization_test}
EVERY = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)


def correlated_pair(rng, noise):
    """Two columns of correlation 0.9; y = x0 + noise, so that x1 tells nothing beyond x0."""
    x = rng.normal(size=60)
    X = np.column_stack([x, 0.9 * x + np.sqrt(1 - 0.81) * rng.normal(size=60)])
    return X, x + noise * rng.normal(size=60)


@pytest.mark.parametrize("test", [target_permutation_test, marginal], ids=["target", "marginal"])
def test_p_values_of_independent_noise_are_uniform(test):
    """400 data sets x 2 features, on multiples of 1/20. Tolerance on each quarter 0.06, four standard errors."""
    rng, p = np.random.default_rng(0), []
    for _ in range(400):
        X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
        p.extend(test(correlation, X, y, n_repeats=19, rng=rng).p_values)
    p = np.array(p)
    quarters = np.bincount(((p * 20 - 1) // 5).round().astype(int), minlength=4) / len(p)
    assert np.allclose(quarters, 0.25, atol=0.06)
    assert np.mean(p <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.03)


def test_marginal_copies_reject_a_feature_whose_only_fault_is_correlation():
    """Ridge gives weight to x1 and none to its permuted copy: p <= 0.05 nearly always."""
    rng, p = np.random.default_rng(1), []
    for _ in range(60):
        p.append(marginal(ridge, *correlated_pair(rng, 0.5), n_repeats=19, rng=rng).p_values[1])
    assert np.mean(np.array(p) <= 0.05 + 1e-9) > 0.9


def test_conditional_copies_give_uniform_p_values_for_that_feature():
    """p <= 0.05 in about 5% of 300 data sets. Tolerance 0.04, three standard errors."""
    rng, p = np.random.default_rng(2), []
    for _ in range(300):
        p.append(conditional_randomization_test(ridge, *correlated_pair(rng, 1), n_repeats=19, rng=rng).p_values[1])
    assert np.mean(np.array(p) <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.04)
    assert np.mean(p) == pytest.approx(0.525, abs=0.06)


@EVERY
def test_an_importance_is_taken_by_its_mean_and_frames_stay_frames(test):
    frame = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)), columns=["a", "b"])
    kinds = set()

    def importance_of(X, y):
        kinds.add((type(X), tuple(X.columns)))
        return Importance(tuple(X.columns), np.column_stack([correlation(X, y)] * 2))

    found = test(importance_of, frame, frame["a"], n_repeats=9)
    assert found.names == ("a", "b")
    assert found.null.shape == (2, 9)
    assert found.p_values[0] == 0.1, "the smallest that nine draws allow"
    assert kinds == {(pd.DataFrame, ("a", "b"))}


@pytest.mark.parametrize("method", [target_permutation_test, boruta])
def test_words_gaps_and_labels_go_to_the_importance_as_they_are(method):
    table = pd.DataFrame({"sky": ["sun", "rain"] * 20, "size": [1.0, np.nan] * 20})
    seen = set()

    def importance_of(X, y):
        seen.add(tuple(sorted(y)))
        return [np.mean((column == "sun") == (y == "yes")) for _, column in X.items()]

    found = method(importance_of, table, np.where(table["sky"] == "sun", "yes", "no"), n_repeats=20)
    assert seen == {("no",) * 20 + ("yes",) * 20}
    assert found.to_frame().feature[0] == "sky"
    assert found.p_values[0] <= 1 / 21


@pytest.mark.parametrize("method", [boruta, conditional_randomization_test, target_permutation_test])
def test_progress_sees_every_round(method):
    seen = []

    def progress(rounds):
        for i in rounds:
            seen.append(i)
            yield i

    method(correlation, np.eye(6), np.arange(6), n_repeats=4, progress=progress)
    assert seen == [0, 1, 2, 3]
