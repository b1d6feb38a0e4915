"""Every method takes a pipeline with words, truth values, categories, dates and gaps, or says why it cannot."""

import sys
from pathlib import Path

import numpy as np
import pytest

from fi_teach.importance import (
    boruta,
    conditional_importance,
    conditional_randomization_test,
    debiased_mdi,
    drop_column_importance,
    exact_permutation_importance,
    kernel_shap,
    knockoff_filter,
    leak_suspects,
    mdi,
    oob_importance,
    permutation_importance,
    proxies,
    row_bootstrap_interval,
    sage,
    sampled_shapley_values,
    score_permutation_importance,
    shapley_values,
    shuffle_differences,
    target_permutation_test,
    tree_shap,
)

sys.path.insert(0, str(Path(__file__).parent))
from shop import FEATURES, pipeline, shop

pytest.importorskip("sklearn")
TABLE = shop(90)
X, Y = TABLE[FEATURES], TABLE["bought"]
MODEL = pipeline(4).fit(X, Y)
HALF = (X[::2], Y[::2])


def refitted(X, y):
    """How a pipeline that is fitted anew suffers from shuffles."""
    return permutation_importance(pipeline(2).fit(X, y), X, y, n_repeats=1)


def size_of_columns(X, y):
    """A stand-in that takes any table: how many different values a column has."""
    return X.nunique().to_numpy().astype(float)


TAKES = {
    "permutation": lambda: permutation_importance(MODEL, X, Y, n_repeats=1).mean,
    "weights and groups": lambda: permutation_importance(
        MODEL, X, Y, n_repeats=1, sample_weight=np.arange(90) + 1.0, groups=TABLE["shop"]).standard_error,
    "grouped": lambda: permutation_importance(MODEL, X, Y, feature_groups={name: [name] for name in X},
                                              n_repeats=1).mean,
    "score": lambda: score_permutation_importance(MODEL, X, Y, score="auc", n_repeats=1).mean,
    "conditional": lambda: conditional_importance(MODEL, X, Y, n_repeats=1).mean,
    "drop column": lambda: drop_column_importance(pipeline(2), X, Y, n_folds=2, blank=True).mean,
    "exact": lambda: exact_permutation_importance(MODEL, X[:20], Y[:20]).mean,
    "SHAP by removal": lambda: shapley_values(MODEL, X[:2], background=X[:4]).values[0, :, 0],
    "sampled SHAP": lambda: sampled_shapley_values(MODEL, X[:2], background=X[:4], n_repeats=2).values[0, :, 0],
    "kernel SHAP": lambda: kernel_shap(MODEL, X[:2], background=X[:4]).values[0, :, 0],
    "SAGE": lambda: sage(MODEL, X, Y, background=X[:4], n_repeats=2).mean,
    "leak suspects": lambda: leak_suspects(X, Y, n_trees=3)["strength"].to_numpy(),
    "proxies": lambda: np.append(proxies(X.drop(columns="member"), X["member"], n_trees=5).alone, 0),
    "target permutation": lambda: target_permutation_test(refitted, X, Y, n_repeats=1).p_values,
    "Boruta": lambda: boruta(size_of_columns, X, Y, n_repeats=2).hits,
    "shuffle differences": lambda: shuffle_differences(MODEL, X, Y, "town")[0].sum() * np.ones(7),
    "bootstrap": lambda: np.ones(7) * row_bootstrap_interval(MODEL, X, Y, "town", n_repeats=3)[0],
}
REFUSES = {
    "MDI": (lambda: mdi(MODEL), r"model\[-1\]"),
    "debiased MDI": (lambda: debiased_mdi(MODEL, X, Y), r"model\[-1\]"),
    "out of bag": (lambda: oob_importance(MODEL, X, Y), r"model\[-1\]"),
    "TreeSHAP": (lambda: tree_shap(MODEL, X), r"model\[-1\]"),
    "gaussian draws": (lambda: conditional_importance(MODEL, X, Y, method="gaussian"), "subgroups"),
    "knockoffs": (lambda: knockoff_filter(size_of_columns, X, Y), "text or categories"),
    "conditional randomisation": (lambda: conditional_randomization_test(size_of_columns, X, Y), "text or categories"),
    "a pipeline without its column": (lambda: drop_column_importance(pipeline(2), X, Y, n_folds=2), "blank=True"),
}


@pytest.mark.parametrize("method", TAKES)
@pytest.mark.filterwarnings("ignore")
def test_takes_a_pipeline_on_a_real_table(method):
    values = TAKES[method]()
    assert values.shape == (7,) and np.isfinite(values).all()


@pytest.mark.parametrize("method", REFUSES)
@pytest.mark.filterwarnings("ignore")
def test_says_why_it_cannot(method):
    call, words = REFUSES[method]
    with pytest.raises(ValueError, match=words):
        call()


def test_a_blanked_column_is_as_good_as_none_to_a_learner_that_does_not_name_it():
    from sklearn.tree import DecisionTreeRegressor
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(80, 3))
    y = numbers[:, 0] + 0.1 * rng.normal(size=80)
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    blank, without = (drop_column_importance(tree, numbers, y, blank=blank, rng=0) for blank in (True, False))
    assert np.allclose(blank.mean[0], without.mean[0]) and blank.mean[0] > 0.5
