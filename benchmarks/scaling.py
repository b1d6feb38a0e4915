"""How time grows with size: the lines of the log-log plots, ours beside a peer's."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance as sklearn_permutation
from sklearn.tree import DecisionTreeRegressor

from benchmarks.measure import SECONDS_A_POINT, NotInstalled, in_turn, peer, timed
from benchmarks.tables import boosted, forested, table
from fi_teach.importance import exact_permutation_importance, tree_shap
from fi_teach.trees import grow_cart, grow_forest


@dataclass(frozen=True)
class Growth:
    """One plot. ours, peer : size -> function without arguments;
    the peer does all up to size `most`, beyond it the size `part`."""

    key: str
    title: str
    setting: str
    variable: str
    against: str
    sizes: tuple
    ours: Callable
    peer: Callable
    most: int = sys.maxsize
    part: int = 300


def measure_growth(growth, quick, every_size=False):
    """Both lines of a plot -> dict; a point says which part of the work was done, 1 where all."""
    points = [[], []]
    for size in growth.sizes[:-3] if quick and not every_size else growth.sizes:
        done = size if size <= growth.most else growth.part
        works = [growth.ours(size), growth.peer(done)]
        seconds = in_turn(works, sum(timed(work)[1] for work in works), SECONDS_A_POINT, quick)
        for line, spent, share in zip(points, seconds, (1.0, done / size), strict=True):
            line.append({"size": size, "seconds": median(spent) / share, "part": share})
    lines = [{"name": name, "points": line}
             for name, line in zip(("fi_teach", growth.against), points, strict=True)]
    return {"key": growth.key, "title": growth.title, "setting": growth.setting,
            "variable": growth.variable, "lines": lines}


def growths():
    """The plots, one after another; one whose peer is not installed is left to the table of cases
    to report."""
    for make in (by_rows, by_background, by_trees, by_depth, by_features, by_rows_permuted,
                 by_rows_of_a_tree, by_rows_of_a_forest):
        try:
            yield make()
        except NotInstalled:
            continue


def by_rows():
    model, forest = boosted(6)
    explainer, X = peer("shap").TreeExplainer(model,
                                              feature_perturbation="tree_path_dependent"), table(
                                                  100_000, seed=1)[0]
    return Growth("path-dependent", "TreeSHAP, path-dependent", "100 boosted trees, depth 6",
                  "rows explained", "shap",
                  (100, 300, 1000, 3000, 10_000, 30_000, 100_000),
                  lambda n: lambda: tree_shap(forest, X[:n]),
                  lambda n: lambda: explainer.shap_values(X[:n], check_additivity=False), most=3000)


def by_background():
    shap, (model, forest) = peer("shap"), boosted(3)
    X, B = table(100_000, seed=1)[0][:100], table(100_000, seed=2)[0]

    def theirs(m):
        explainer = shap.TreeExplainer(model, shap.maskers.Independent(B[:m], max_samples=m),
                                       feature_perturbation="interventional")
        return lambda: explainer.shap_values(X, check_additivity=False)

    return Growth("interventional", "TreeSHAP, interventional",
                  "100 boosted trees, depth 3, 100 rows explained", "background rows", "shap",
                  (10, 30, 100, 300, 1000, 3000, 10_000),
                  lambda m: lambda: tree_shap(forest, X, background=B[:m]), theirs, most=1000)


def by_trees():
    shap, X, seen = peer("shap"), table(1000, seed=1)[0], [10, 30, 100, 300, 1000]
    models = {k: boosted(4, n_trees=k) for k in seen}
    return Growth("trees", "TreeSHAP, path-dependent", "boosted trees of depth 4, 1,000 rows",
                  "trees", "shap", tuple(seen),
                  lambda k: lambda: tree_shap(models[k][1], X).values,
                  lambda k: _explained_by(shap, models[k][0], X))


def by_depth():
    shap, X, seen = peer("shap"), table(1000, seed=1)[0], [2, 3, 4, 6, 8, 10]
    models = {depth: boosted(depth, n_trees=30) for depth in seen}
    return Growth("depth", "TreeSHAP, path-dependent", "30 boosted trees, 10 features, 1,000 rows",
                  "depth", "shap", tuple(seen),
                  lambda d: lambda: tree_shap(models[d][1], X).values,
                  lambda d: _explained_by(shap, models[d][0], X))


def by_features():
    shap, seen = peer("shap"), [5, 10, 20, 50, 100]
    models = {p: boosted(6, p=p, n_trees=30) for p in seen}
    return Growth("features", "TreeSHAP, path-dependent", "30 boosted trees of depth 6, 1,000 rows",
                  "features", "shap", tuple(seen),
                  lambda p: lambda: tree_shap(models[p][1], table(1000, p, seed=1)[0]).values,
                  lambda p: _explained_by(shap, models[p][0], table(1000, p, seed=1)[0]))


def _explained_by(shap, model, X):
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    return lambda: explainer.shap_values(X, check_additivity=False)


def by_rows_permuted():
    model, forest = forested(8, n=2000, p=20)

    def sampled(n):
        X, y = table(n, 20, seed=1)
        return lambda: sklearn_permutation(model, X, y, n_repeats=1,
                                           scoring="neg_mean_squared_error")

    return Growth("permutation", "Permutation importance", "100-tree forest, depth 8, 20 features",
                  "rows", "scikit-learn, one shuffle",
                  (30, 100, 300, 1000, 3000),
                  lambda n: lambda: exact_permutation_importance(forest, *table(n, 20, seed=1)),
                  sampled)


def by_rows_of_a_tree():
    return Growth("cart", "grow_cart", "variance, depth 8, 10 features", "rows", "scikit-learn",
                  (300, 1000, 3000, 10_000, 30_000, 100_000),
                  lambda n: lambda: grow_cart(*table(n), criterion="variance", max_depth=8),
                  lambda n: lambda: DecisionTreeRegressor(max_depth=8,
                                                          random_state=0).fit(*table(n)))


def by_rows_of_a_forest():
    def model():
        return RandomForestRegressor(10, max_features=3, min_samples_leaf=5, random_state=0)

    return Growth("forest", "grow_forest", "10 trees, leaves of 5 rows, 10 features", "rows",
                  "scikit-learn",
                  (100, 300, 1000, 3000, 10_000, 30_000),
                  lambda n: lambda: grow_forest(*table(n), n_trees=10, max_features=3,
                                                min_samples_leaf=5),
                  lambda n: lambda: model().fit(*table(n)))
