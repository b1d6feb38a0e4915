"""SAGE: Shapley values of what a coalition of features saves in loss."""

import numpy as np
import pandas as pd
import pytest

from fi_teach.importance.sage import sage, sage_by_definition


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, linear(X) + 0.1 * rng.normal(size=300)


def linear(X):
    return 2 * X[:, 0] + X[:, 1]


# --- closed forms and axioms ---


def test_a_true_linear_model_saves_the_variance_each_term_explains():
    """Independent columns (an orthogonal design), y = f: phi_j = beta_j^2 Var(x_j); exact."""
    X = np.array([[a, b] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    np.testing.assert_allclose(sage_by_definition(linear, X, linear(X)).mean, [4, 1], atol=1e-12)


def test_a_feature_used_wrongly_gets_less_than_nothing(world):
    """A model that adds 2 x2, of which y knows nothing, is better off without it."""
    X, y = world
    assert sage_by_definition(lambda X: linear(X) + 2 * X[:, 2], X, y, background=X[:50]).mean[2] < -1


# --- sampling ---


@pytest.mark.parametrize("weight", [None, "few rows count"])
def test_sampling_agrees_with_enumeration_within_its_error(world, weight):
    """Four features, 400 permutations: within 4 standard errors; unused features exactly 0 in every draw.

    Where only rows with a large first column count, both differ from equal weights.
    """
    X, y = world
    given = {"background": X[:40], "sample_weight": (X[:, 0] > 0.5).astype(float) if weight else None}
    exact = sage_by_definition(linear, X, y, **given)
    found = sage(linear, X, y, **given, n_repeats=400)
    assert found.draws.shape == (4, 400)
    assert (np.abs(found.mean - exact.mean) <= 4 * found.standard_error + 1e-12).all()
    np.testing.assert_allclose(found.draws[2:], 0, atol=1e-12)
    if weight:
        assert exact.mean[0] > 1.2 * sage_by_definition(linear, X, y, background=X[:40]).mean[0]


def test_without_a_background_128_rows_stand_in(world):
    X, y = world
    rows = []
    sage(lambda X: rows.append(len(X)) or linear(X), X, y, n_repeats=2)
    assert max(rows) == 32 * 128 * 5 and 300 in rows  # 32 rows of an ordering, 5 coalitions


def test_it_agrees_with_the_reference_library(world):
    """sage-importance's permutation estimator on the same background: within 4 joint standard errors."""
    reference = pytest.importorskip("sage")
    X, y = world
    estimator = reference.PermutationEstimator(reference.MarginalImputer(linear, X[:40]), "mse", random_state=0)
    theirs = estimator(X, y, n_permutations=2000, bar=False, verbose=False)
    ours = sage(linear, X, y, background=X[:40], n_repeats=400)
    joint = np.sqrt(ours.standard_error**2 + np.asarray(theirs.std) ** 2)
    assert (np.abs(ours.mean - theirs.values) <= 4 * joint + 1e-9).all()


def test_a_row_that_counts_twice_is_two_rows(world):
    """Weights of whole numbers say what repeated rows say; by definition, exactly."""
    X, y = world
    times = np.arange(60) % 3
    repeated = np.repeat(np.arange(60), times)
    there = sage_by_definition(linear, X[repeated], y[repeated], background=X[:20])
    here = sage_by_definition(linear, X[:60], y[:60], background=X[:20], sample_weight=times)
    np.testing.assert_allclose(here.mean, there.mean, atol=1e-12)


# --- labels and probabilities ---


@pytest.mark.parametrize("labels", [(0, 1), (1, 2), ("no", "yes"), (False, True)])
@pytest.mark.parametrize("loss", ["log_loss", "brier"])
def test_labels_of_any_kind_have_one_importance(labels, loss):
    """26 rare rows of 600, so that a draw of 32 rows may lack them: the codes are the table's."""
    X = np.random.default_rng(1).normal(size=(600, 2))
    is_rare = X[:, 0] > np.sort(X[:, 0])[-27]

    def proba(X):
        up = 1 / (1 + np.exp(6 - 4 * X[:, 0]))
        return np.column_stack([1 - up, up])

    given = {"loss": loss, "background": X[:60], "n_repeats": 64}
    found = sage(proba, X, np.array(labels)[is_rare.astype(int)], **given)
    assert found == sage(proba, X, is_rare.astype(int), **given)
    assert found.mean[0] > 0 and np.allclose(found.mean[1], 0)


def which(X):
    """Two questions, three words."""
    X = np.asarray(X)
    return np.where(X[:, 0] < 0, "low", np.where(X[:, 1] < 0, "middle", "high"))


def test_labels_are_averaged_as_votes():
    """By hand: with S known the label that most background rows vote for is said;
    a coalition earns the misses that it saves."""
    X = np.random.default_rng(2).normal(size=(30, 2))
    y, background = which(X), X[:9]

    def misses(known):
        said = [pd.Series(which(np.where(known, row, background))).mode()[0] for row in X]
        return np.mean(np.array(said) != y)

    nothing, first, second, all_known = map(misses, ([0, 0], [1, 0], [0, 1], [1, 1]))
    by_hand = [(nothing - first + second - all_known) / 2, (nothing - second + first - all_known) / 2]
    assert all_known == 0 < nothing
    np.testing.assert_allclose(sage_by_definition(which, X, y, background=background).mean, by_hand, atol=1e-12)
    lacks = y != "middle"  # a label that y lacks can still be voted for
    assert np.isfinite(sage_by_definition(which, X[lacks], y[lacks], background=X).mean).all()


def test_a_label_that_only_mixed_rows_get_cannot_vote():
    """No row and no background row has it, so there is no place to count it at."""
    X = np.array([[0.0, 0.0], [1.0, 1.0]] * 5)

    def odd(X):
        return np.where(X[:, 0] > X[:, 1], "never seen", np.where(X[:, 0] > 0, "seen", "seen too"))

    with pytest.raises(ValueError, match="a label that it gives to none of X and background"):
        sage_by_definition(odd, X, odd(X), loss="zero_one")
