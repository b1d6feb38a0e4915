"""The rows that the benchmark runs on, and the models that it explains:
smooth synthetic tables, and real ones tiled to size."""

from functools import cache

import numpy as np
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from benchmarks.measure import peer
from fi_course import tables
from fi_teach.trees import from_model


@cache
def table(n, p=10, seed=0):
    """A smooth regression surface with noise -> X (n, p), y (n,)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    surface = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3:].sum(axis=1) / 4
    return X, surface + rng.normal(0, 0.3, n)


@cache
def few_values(n, p=10):
    """The same target on columns of eight values each -> X (n, p), y (n,)."""
    return np.random.default_rng(0).integers(0, 8, (n, p)).astype(float), table(n)[1]


@cache
def real(name):
    """A real table -> X (n, p), y (n,), classes as whole numbers.

    Values are rounded to single precision, as scikit-learn reads them:
    one that meets a threshold would go left in one library and right in another.
    """
    X, y = getattr(tables, name)()
    numbers = y.to_numpy(float) if name == "concrete" else np.unique(y, return_inverse=True)[1]
    return X.to_numpy(dtype=np.float32).astype(float), numbers


@cache
def tiled(name, n, seed=0):
    """A real table's rows, drawn with replacement up to n -> X (n, p), y (n,)."""
    X, y = real(name)
    rows = np.random.default_rng(seed).integers(0, len(X), n)
    return X[rows], y[rows]


@cache
def boosted(depth, name=None, p=10, n_trees=100):
    """Boosted trees on 2,000 synthetic rows of p columns or on a real table,
    as scikit-learn grows them and as we read them -> (model, Forest)."""
    X, y = table(2000, p) if name is None else real(name)
    kind = GradientBoostingRegressor if y.dtype.kind == "f" else GradientBoostingClassifier
    model = kind(n_estimators=n_trees, max_depth=depth, random_state=0).fit(X, y)
    return model, from_model(model)


@cache
def forested(depth, name=None, n=2000, p=10):
    """100 trees of a forest, likewise -> (model, Forest)."""
    X, y = table(n, p) if name is None else real(name)
    kind = RandomForestRegressor if y.dtype.kind == "f" else RandomForestClassifier
    model = kind(100, max_depth=depth, random_state=0).fit(X, y)
    return model, from_model(model)


def shap_by_cover(model):
    """Return shap's explainer of a model, path-dependent."""
    return peer("shap").TreeExplainer(model, feature_perturbation="tree_path_dependent")
