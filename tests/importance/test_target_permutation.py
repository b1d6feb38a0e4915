"""p-values from shuffled targets: uniform under the null, smallest for a planted cause."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fi_teach.basics.results import Importance
from fi_teach.importance import target_permutation_test

sys.path.insert(0, str(Path(__file__).parent))
from quick_importances import correlation


def test_under_the_null_every_p_value_is_as_likely():
    """400 data sets x 2 independent noise features; on multiples of 1/20. Tolerance on each quarter
    .06, four standard errors."""
    rng, p = np.random.default_rng(0), []
    for _ in range(400):
        X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
        p.extend(target_permutation_test(correlation, X, y, n_repeats=19, rng=rng).p_values)
    p = np.array(p)
    quarters = np.bincount(((p * 20 - 1) // 5).round().astype(int), minlength=4) / len(p)
    assert np.allclose(quarters, 0.25, atol=0.06)
    assert np.mean(p <= 0.05 + 1e-9) == pytest.approx(0.05, abs=0.03)


def test_a_planted_signal_gets_the_smallest_p_value_there_is():
    X = np.random.default_rng(3).normal(size=(80, 3))
    test = target_permutation_test(correlation, X, X[:, 1], n_repeats=49)
    assert test.p_values[1] == 1 / 50
    assert test.null.shape == (3, 49)
    assert test.to_frame().feature[0] == "x1"


def test_a_feature_worse_than_luck_shows_below():
    def importance_of(X, y):
        return -correlation(X, y)

    X = np.random.default_rng(4).normal(size=(50, 2))
    test = target_permutation_test(importance_of, X, X[:, 0], n_repeats=39)
    assert test.p_values_below[0] == 1 / 40
    assert test.p_values[0] == 1


def test_an_importance_is_taken_by_its_mean_and_frames_stay_frames():
    frame = pd.DataFrame(np.random.default_rng(5).normal(size=(40, 2)), columns=["a", "b"])
    before, kinds = frame.copy(), set()

    def importance_of(X, y):
        kinds.add((type(X), tuple(X.columns)))
        return Importance(tuple(X.columns), np.column_stack([correlation(X, y)] * 2))

    test = target_permutation_test(importance_of, frame, frame["a"], n_repeats=9)
    assert test.names == ("a", "b")
    assert test.p_values[0] == 0.1
    assert kinds == {(pd.DataFrame, ("a", "b"))}
    pd.testing.assert_frame_equal(frame, before)


def test_labels_of_any_kind_are_shuffled_as_they_are():
    seen = set()

    def importance_of(X, y):
        seen.update(y.tolist())
        return correlation(X, y == "yes")

    X = np.random.default_rng(6).normal(size=(40, 2))
    test = target_permutation_test(importance_of, X, np.where(X[:, 0] > 0, "yes", "no"))
    assert seen == {"yes", "no"}
    assert test.p_values[0] == 1 / 101


def test_progress_sees_every_repeat():
    seen = []
    target_permutation_test(
        correlation,
        np.eye(6),
        np.arange(6),
        n_repeats=4,
        progress=lambda rounds: (seen.append(i) or i for i in rounds),
    )
    assert seen == [0, 1, 2, 3]


def test_data_and_shuffles_from_one_seed_share_no_numbers():
    """Rows shuffled by default_rng(0) are not put back by rng=0: the stream is the method's own."""
    y = np.arange(30.0)
    X = y[np.random.default_rng(0).permutation(30)][:, None]
    test = target_permutation_test(correlation, X, y, n_repeats=1, rng=0)
    assert test.null[0, 0] < 0.9


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda X, y: target_permutation_test(correlation, X, y, n_repeats=0), "n_repeats"),
        (lambda X, y: target_permutation_test("mdi", X, y), "expected a function"),
        (lambda X, y: target_permutation_test(correlation, X, np.ones(20)), "constant"),
        (lambda X, y: target_permutation_test(correlation, X[:0], y[:0]), "at least one row"),
        (lambda X, y: target_permutation_test(correlation, X[:1], y[:1]), "one row"),
        (lambda X, y: target_permutation_test(correlation, X, y[:3]), "y has shape"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(call, says):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match=says):
        call(X, X[:, 0])
