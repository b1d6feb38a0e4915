"""How time grows with size: the lines of the log-log plots, ours beside a peer's."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import permutation_importance as sklearn_permutation
from sklearn.tree import DecisionTreeRegressor

from benchmarks.measure import SECONDS_A_POINT, NotInstalled, in_turn, peer, timed
from benchmarks.tables import boosted, forested, shap_by_cover, table
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


def measure_growth(growth, quick):
    """Both lines of a plot -> dict; a point says which part of the work was done, 1 where all."""
    points = [[], []]
    for size in growth.sizes[:-3] if quick else growth.sizes:
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
    explainer, X = shap_by_cover(model), table(100_000, seed=1)[0]
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
    models = {k: boosted(4, n_trees=k) for k in (10, 30, 100, 300, 1000)}
    return _by_models("trees", "boosted trees of depth 4, 1,000 rows", models)


def by_depth():
    models = {depth: boosted(depth, n_trees=30) for depth in (2, 3, 4, 6, 8, 10)}
    return _by_models("depth", "30 boosted trees, 10 features, 1,000 rows", models)


def by_features():
    models = {p: boosted(6, p=p, n_trees=30) for p in (5, 10, 20, 50, 100)}
    return _by_models("features", "30 boosted trees of depth 6, 1,000 rows", models)


def _by_models(variable, setting, models):
    """A plot over models, each on rows of its own width; models: {size: (model, Forest)}."""
    def rows(forest):
        return table(1000, forest.n_features, seed=1)[0]

    def theirs(size):
        model, forest = models[size]
        explainer = shap_by_cover(model)
        return lambda: explainer.shap_values(rows(forest), check_additivity=False)

    return Growth(variable, "TreeSHAP, path-dependent", setting, variable, "shap", tuple(models),
                  lambda size: lambda: tree_shap(models[size][1], rows(models[size][1])).values,
                  theirs)


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
    return Growth("forest", "grow_forest", "10 trees, leaves of 5 rows, 10 features", "rows",
                  "scikit-learn",
                  (100, 300, 1000, 3000, 10_000, 30_000),
                  lambda n: lambda: grow_forest(*table(n), n_trees=10, max_features=3,
                                                min_samples_leaf=5),
                  lambda n: lambda: RandomForestRegressor(
                      10, max_features=3, min_samples_leaf=5, random_state=0).fit(*table(n)))
