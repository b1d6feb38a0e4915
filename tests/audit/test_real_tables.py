"""Methods take a pipeline with words, truth values, categories, dates and gaps, or say why they cannot.

Others than these are tried on such tables in tests/importance.
"""

import numpy as np
import pytest
from shop import FEATURES, pipeline, shop

from fi_teach.importance import (
    debiased_mdi,
    drop_column_importance,
    kernel_shap,
    mdi,
    oob_importance,
    permutation_importance,
    sage,
    tree_shap,
)

TABLE = shop(90)
X, Y = TABLE[FEATURES], TABLE["bought"]
MODEL = pipeline(4).fit(X, Y)
TAKES = {
    "weights and groups": lambda: permutation_importance(
        MODEL, X, Y, n_repeats=1, sample_weight=np.arange(90) + 1.0, groups=TABLE["shop"]).standard_error,
    "drop column": lambda: drop_column_importance(pipeline(2), X, Y, n_folds=2, blank=True).mean,
    "kernel SHAP": lambda: kernel_shap(MODEL, X[:2], background=X[:4]).values[0, :, 0],
    "SAGE": lambda: sage(MODEL, X, Y, background=X[:4], n_repeats=2).mean,
}
REFUSES = {
    "MDI": (lambda: mdi(MODEL), r"model\[-1\]"),
    "debiased MDI": (lambda: debiased_mdi(MODEL, X, Y), r"model\[-1\]"),
    "out of bag": (lambda: oob_importance(MODEL, X, Y), r"model\[-1\]"),
    "TreeSHAP": (lambda: tree_shap(MODEL, X), r"model\[-1\]"),
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
