"""A feature against its copies: what a copy keeps is the null hypothesis."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.results import Importance
from fi_teach.importance import conditional_randomization_test

sys.path.insert(0, str(Path(__file__).parent))
from quick_importances import correlation, ridge


def pair(rng, n=60, rho=0.9):
    """Two columns with correlation rho."""
    x = rng.normal(size=n)
    return np.column_stack([x, rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)])


def test_permuted_copies_of_independent_noise_give_every_p_value_as_often():
    """400 data sets x 2 features, on multiples of 1/20. Tolerance on each quarter .06, four
    standard errors."""
    rng, p = np.random.default_rng(0), []
    for _ in range(400):
        X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
        test = conditional_randomization_test(
            correlation, X, y, copies="marginal", n_repeats=19, rng=rng
        )
        p.extend(test.p_values)
    p = np.array(p)
    quarters = np.bincount(((p * 20 - 1) // 5).round().astype(int), minlength=4) / len(p)
    assert np.allclose(quarters, 0.25, atol=0.06)
    assert np.mean(p <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.03)


def test_marginal_copies_reject_a_feature_whose_only_fault_is_correlation():
    """y = x1 + e; x2 tells nothing beyond x1. Ridge leans on it all the same, a permuted copy it
    ignores: p <= .05 nearly always."""
    rng, p = np.random.default_rng(1), []
    for _ in range(60):
        X = pair(rng)
        y = X[:, 0] + 0.5 * rng.normal(size=60)
        test = conditional_randomization_test(ridge, X, y, copies="marginal", n_repeats=19, rng=rng)
        p.append(test.p_values[1])
    assert np.mean(np.array(p) <= 0.05 + 1e-9) > 0.9


def test_conditional_copies_are_uniform_for_that_feature():
    """The same world: p <= .05 in about 5 % of 300 data sets. Tolerance .04, three standard
    errors."""
    rng, p = np.random.default_rng(2), []
    for _ in range(300):
        X = pair(rng)
        y = X[:, 0] + rng.normal(size=60)
        test = conditional_randomization_test(ridge, X, y, n_repeats=19, rng=rng)
        p.append(test.p_values[1])
    assert np.mean(np.array(p) <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.04)
    assert np.mean(p) == pytest.approx(0.525, abs=0.06)


@pytest.mark.parametrize("copies", ["conditional", "marginal"])
def test_a_planted_signal_gets_the_smallest_p_value_there_is(copies):
    X = np.random.default_rng(3).normal(size=(80, 3))
    test = conditional_randomization_test(correlation, X, X[:, 1], copies=copies, n_repeats=49)
    assert test.p_values[1] == 1 / 50
    assert test.null.shape == (3, 49)
    assert test.to_frame().feature[0] == "x1"


@pytest.mark.parametrize("copies", ["conditional", "marginal"])
def test_frames_stay_frames_and_the_callers_is_left_alone(copies):
    frame = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)), columns=["a", "b"])
    before, kinds = frame.copy(), set()

    def importance_of(X, y):
        kinds.add((type(X), tuple(X.columns)))
        return Importance(tuple(X.columns), np.column_stack([correlation(X, y)] * 2))

    test = conditional_randomization_test(
        importance_of, frame, frame["a"], copies=copies, n_repeats=9
    )
    assert test.names == ("a", "b")
    assert test.p_values[0] == 0.1
    assert kinds == {(pd.DataFrame, ("a", "b"))}
    pd.testing.assert_frame_equal(frame, before)


def test_conditional_copies_do_not_repeat_the_numbers_that_made_the_table():
    """X from default_rng(0).normal and rng=0: a shared stream would return the column itself, and a
    perfect cause would tie with its copy."""
    X = np.random.default_rng(0).normal(size=(400, 1))
    seen = []

    def importance_of(X, y):
        seen.append(np.asarray(X)[:, 0].copy())
        return [1.0]

    conditional_randomization_test(importance_of, X, X[:, 0], n_repeats=1, rng=0)
    assert abs(np.corrcoef(*seen)[0, 1]) < 0.2


def test_progress_sees_every_repeat():
    seen = []
    conditional_randomization_test(
        correlation,
        np.eye(6),
        np.arange(6),
        n_repeats=4,
        progress=lambda rounds: (seen.append(i) or i for i in rounds),
    )
    assert seen == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"n_repeats": 1.5}, "n_repeats"),
        ({"copies": "twins"}, "unknown copies 'twins'.*'conditional', 'marginal'"),
        ({"y": np.arange(3)}, "y has shape"),
        ({"X": np.full((20, 3), np.nan)}, "NaN"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(settings, says):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=says):
        conditional_randomization_test(correlation, **({"X": X, "y": X[:, 0]} | settings))
