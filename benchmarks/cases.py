"""What is compared with what, each peer at its best: float64 in, additivity checks off, all background rows, warmed up."""

import importlib
import subprocess
import sys

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import permutation_importance as sklearn_permutation
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.measure import Case, Missing
from fi_teach.data import concrete, mortgages
from fi_teach.importance import (
    exact_permutation_importance,
    gaussian_knockoffs,
    oob_importance,
    tree_shap,
    tree_shap_interactions,
)
from fi_teach.trees import from_model, grow_cart, grow_forest

PEER_ROWS = 1000  # a peer that would take minutes explains this many rows, and its time is scaled up


def table(n, p=10, seed=0):
    """A smooth regression surface with noise -> X (n, p), y (n,)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3:].sum(axis=1) / 4 + rng.normal(0, 0.3, n)


def tiled(dataset, n, seed=0):
    """A real table's rows, drawn with replacement up to n -> X (n, p), y (n,)."""
    X, y = dataset()
    rows = np.random.default_rng(seed).integers(0, len(X), n)
    return X.to_numpy(dtype=float)[rows], y.to_numpy(dtype=float)[rows]


def silent(work):
    """The same work without its result, where there is nothing to compare."""
    return lambda: (work(), None)[1]


def boosted(depth, data):
    """100 boosted trees, as scikit-learn grows them and as we read them -> (model, Forest)."""
    model = GradientBoostingRegressor(n_estimators=100, max_depth=depth, random_state=0).fit(*data)
    return model, from_model(model)


def forested(depth, data):
    """100 trees of a forest -> (model, Forest)."""
    model = RandomForestRegressor(100, max_depth=depth, random_state=0).fit(*data)
    return model, from_model(model)


# --- SHAP -------------------------------------------------------------------------------------------------------------

def path_dependent(quick):
    """TreeSHAP by training cover against shap, by depth and rows; one case on real rows."""
    import shap

    data = table(2000)
    wide = table(100_000, seed=1)[0]
    must, aim = {1000: 1, 10_000: 8, 100_000: 25}, {1000: 3, 10_000: 25, 100_000: 50}
    for depth in (6,) if quick else (3, 6, 8):
        model, forest = boosted(depth, data)
        yield from (_against_shap(shap, model, forest, wide[:n], f"depth {depth}, n = {n:,}", must[n], aim[n] if depth == 6 else None)
                    for n in ((1000, 10_000) if quick else must))
    model, forest = boosted(6, concrete())
    yield _against_shap(shap, model, forest, tiled(concrete, 10_000)[0], "depth 6, concrete, n = 10,000", must[10_000], None)


def _against_shap(shap, model, forest, X, setting, must, aim):
    explainer, rows = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent"), X[:PEER_ROWS]
    return Case("TreeSHAP, path-dependent", setting, f"shap {shap.__version__}", lambda: tree_shap(forest, X).values,
                lambda: explainer.shap_values(rows, check_additivity=False), len(rows) / len(X), must, aim)


def path_dependent_woodelf(quick):
    """TreeSHAP by training cover against woodelf."""
    from woodelf import WoodelfExplainer

    (X, y), names = table(2000), [f"x{j}" for j in range(10)]
    model, forest = boosted(6, (pd.DataFrame(X, columns=names), y))
    X = pd.DataFrame(table(10_000, seed=1)[0], columns=names)
    explainer = WoodelfExplainer(model, feature_perturbation="tree_path_dependent")
    yield Case("TreeSHAP, path-dependent", "depth 6, n = 10,000", "woodelf_explainer", lambda: tree_shap(forest, X).values,
               lambda: np.asarray(explainer.shap_values(X)), must=3, aim=5)


def interventional(quick):
    """TreeSHAP with background rows against shap; the peer explains a part where it would take minutes."""
    import shap

    X, B = table(10_000, seed=1)[0], table(10_000, seed=2)[0]
    model, forest = boosted(3, table(2000))
    sizes = [(1000, 100, 1000, 10, None), (1000, 1000, 100, 100, 150)] + ([] if quick else [(10_000, 10_000, 10, None, 1000)])
    for n, m, part, must, aim in sizes:
        yield _with_background(shap, model, forest, X[:n], B[:m], part, f"depth 3, {n:,} rows, {m:,} background", must, aim)
    model, forest = forested(8, table(2000))
    yield _with_background(shap, model, forest, X[:100], B[:100], 100, "forest, depth 8, 100 rows, 100 background", 1, None)


def _with_background(shap, model, forest, X, B, part, setting, must, aim):
    explainer = shap.TreeExplainer(model, shap.maskers.Independent(B, max_samples=len(B)), feature_perturbation="interventional")
    return Case("TreeSHAP, interventional", setting, f"shap {shap.__version__}", lambda: tree_shap(forest, X, background=B).values,
                lambda: explainer.shap_values(X[:part], check_additivity=False), part / len(X), must, aim)


def deep(quick):
    """Trees grown to the last row, both games."""
    import shap

    model, forest = forested(None, table(1000))
    X, B = table(500, seed=1)[0], table(100, seed=2)[0]
    yield _against_shap(shap, model, forest, X, "unlimited depth, n = 500", 1.1, 2)
    yield _with_background(shap, model, forest, X, B, 50, "unlimited depth, 500 rows, 100 background", 1.1, 2)


def interactions(quick):
    """Interaction values by training cover against shap."""
    import shap

    for depth in (3,) if quick else (3, 6):
        model, forest = boosted(depth, table(2000))
        X = table(10_000, seed=1)[0]
        explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
        yield Case("SHAP interactions", f"depth {depth}, n = 10,000", f"shap {shap.__version__}",
                   lambda X=X, forest=forest: tree_shap_interactions(forest, X),
                   lambda X=X, explainer=explainer: explainer.shap_interaction_values(X[:200]), 0.02, 10, 50)


# --- permutation ------------------------------------------------------------------------------------------------------

def permutation(quick):
    """All pairings at once against ten shuffles; out-of-bag against the same number of shuffles."""
    for p, depth in ((20, 3),) if quick else ((20, 3), (20, 8), (40, 8)):
        X, y = table(3000, p)
        model, forest = forested(depth, (X, y))
        yield Case("exact permutation", f"100 trees, depth {depth}, p = {p}, n = 3,000", "scikit-learn, 10 repeats",
                   silent(lambda X=X, y=y, forest=forest: exact_permutation_importance(forest, X, y)),
                   silent(lambda X=X, y=y, model=model: sklearn_permutation(model, X, y, n_repeats=10, scoring="neg_mean_squared_error")),
                   must=1, aim=10)
    X, y = table(3000, 10)
    model, forest = forested(8, (X, y))
    yield Case("out-of-bag permutation", "100 trees, depth 8, p = 10, n = 3,000, 5 shuffles", "scikit-learn, 5 repeats",
               silent(lambda: oob_importance(forest, X, y, n_repeats=5)),
               silent(lambda: sklearn_permutation(model, X, y, n_repeats=5, scoring="neg_mean_squared_error")), must=1, aim=3)


# --- growing ----------------------------------------------------------------------------------------------------------

def growing(quick):
    """CART and forests against scikit-learn on one thread, smooth columns and columns of few values."""
    for n in (10_000,) if quick else (1000, 10_000, 100_000):
        X, y = table(n)
        yield Case("grow_cart", f"variance, depth 8, n = {n:,}", "scikit-learn",
                   lambda X=X, y=y: grow_cart(X, y, criterion="variance", max_depth=8).predict(X),
                   lambda X=X, y=y: DecisionTreeRegressor(max_depth=8, random_state=0).fit(X, y).predict(X), must=0.8 if n >= 10_000 else None, aim=1)
    X, y = tiled(mortgages, 10_000)
    yield Case("grow_cart", "Gini, mortgages, n = 10,000", "scikit-learn", silent(lambda: grow_cart(X, y.astype(int), max_depth=8)),
               silent(lambda: DecisionTreeClassifier(max_depth=8, random_state=0).fit(X, y)), must=0.8, aim=1)
    smooth, few = table(10_000), (np.random.default_rng(0).integers(0, 8, (10_000, 10)).astype(float), table(10_000)[1])
    for (X, y), kind, must in ((smooth, "continuous columns", 0.8), (few, "columns of 8 values", 2)):
        yield Case("grow_forest", f"20 trees, {kind}, n = 10,000", "scikit-learn",
                   silent(lambda X=X, y=y: grow_forest(X, y, n_trees=20, max_features=3, min_samples_leaf=5)),
                   silent(lambda X=X, y=y: RandomForestRegressor(20, max_features=3, min_samples_leaf=5, random_state=0).fit(X, y)),
                   must=must, aim=1)


# --- knockoffs and import ---------------------------------------------------------------------------------------------

def knockoffs(quick):
    """Gaussian knockoffs from an estimated law against knockpy."""
    from knockpy.knockoffs import GaussianSampler

    for p in (50,) if quick else (50, 200):
        X = table(1000, p)[0]
        mu, sigma = X.mean(axis=0), np.cov(X.T)
        for ours, must, aim in (("equicorrelated", 2, 5), ("mvr", 3.5, 7)):
            yield Case("knockoffs", f"{ours}, p = {p}, n = 1,000", "knockpy",
                       silent(lambda X=X, mu=mu, sigma=sigma, ours=ours: gaussian_knockoffs(X, method=ours, mean=mu, covariance=sigma)),
                       silent(lambda X=X, mu=mu, sigma=sigma, ours=ours: GaussianSampler(X, mu=mu, Sigma=sigma, method=ours).sample_knockoffs()),
                       must=must, aim=aim)


def importing(quick):
    """A fresh interpreter that imports us, beside one that imports NumPy and pandas alone, which we cannot do without."""
    def start(code):
        subprocess.run([sys.executable, "-c", code], check=True)

    yield Case("import fi_teach.importance", "fresh interpreter", "import numpy, pandas", silent(lambda: start("import fi_teach.importance")),
               silent(lambda: start("import numpy, pandas")))
    yield Case("import fi_teach", "fresh interpreter", "an empty program", silent(lambda: start("import fi_teach")),
               silent(lambda: start("pass")))


GROUPS = (path_dependent, path_dependent_woodelf, interventional, deep, interactions, permutation, growing, knockoffs, importing)


def all_cases(quick):
    """Every case of every group, one after another; a group whose peer is not installed yields why."""
    for group in GROUPS:
        try:
            yield from group(quick)
        except (ImportError, AttributeError, TypeError) as error:
            yield Missing(group.__name__.replace("_", " "), "-", "-", f"{type(error).__name__}: {error}")


def versions():
    """What was compared -> {package: version}."""
    return {name: getattr(importlib.import_module(name), "__version__", "?")
            for name in ("numpy", "pandas", "sklearn", "shap", "woodelf", "knockpy", "xgboost") if importlib.util.find_spec(name)}
