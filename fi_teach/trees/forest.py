"""Random forests: the mean of trees, each grown on its own bootstrap sample.

    raw(x) = 1/M * sum over trees m of value_m(x)

A bootstrap sample draws n rows from n with replacement, so each tree misses about a share
1/e = 0.368 of them. These out-of-bag rows are a test set for the tree; `Forest.in_bag` counts how
often each row was drawn.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.folds import held_out_predictions
from fi_teach.basics.forest import Forest
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count, check_table
from fi_teach.basics.target import target_of
from fi_teach.basics.tree import rows_for
from fi_teach.fast.cart import grow_trees, rank_table
from fi_teach.trees.cart import check_limits, check_tree_y, number_of_features

MOST_CLASSES = 20  # whole numbers with more distinct values than this are taken for quantities


def holds_classes(y: ArrayLike) -> bool:
    """Whether y looks like class labels: text, booleans, or integers with at most 20 values.

    Used where the caller did not say; floats always count as numbers. y (n,) or (n, k)

    >>> holds_classes(["yes", "no"]), holds_classes([0, 1, 1]), holds_classes([0.0, 1.0])
    (True, True, False)
    """
    y = np.asarray(y)
    if y.dtype.kind not in "iu":
        return y.dtype.kind != "f"
    is_one_column = y.shape[1:] in ((), (1,))
    return is_one_column and len(np.unique(y)) <= MOST_CLASSES


def bootstrap_counts(n_rows: int, n_trees: int, *, rng: Seed = 0) -> NDArray:
    """How often each row is in each tree's sample of n rows drawn with replacement.

    A row is missed with probability (1 - 1/n)^n, about .368. -> (n_trees, n_rows) int
    Source: Breiman (1996), sec. 1.

    >>> bootstrap_counts(4, 2).sum(axis=1)
    array([4, 4])
    """
    rng = own_stream(rng, "bootstrap")
    n_rows, n_trees = check_count(n_rows, "n_rows"), check_count(n_trees, "n_trees")
    counts = np.empty((n_trees, n_rows), dtype=int)
    for of_tree in counts:
        drawn = rng.integers(0, n_rows, n_rows)
        of_tree[:] = np.bincount(drawn, minlength=n_rows)
    return counts


def grow_forest(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_trees: int = 100,
    criterion: str | None = None,
    max_features: float | str | None = "auto",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    bootstrap: bool = True,
    rng: Seed = 0,
) -> Forest:
    """Grow trees on bootstrap samples, each node choosing among a few columns drawn at random.

    X : (n, p) numbers
    y : (n,) labels, or numbers (several outputs: (n, k), impurities added up)
    criterion : as in grow_cart; None takes "gini" for labels (text, booleans, integers with at
        most 20 values), else "variance"
    max_features : candidates at each node, as in grow_cart; "auto" is "sqrt" for classes and a
        third of p for numbers
    max_depth, min_samples_leaf : as in grow_cart
    bootstrap : False gives every tree all rows; the trees then differ by their candidates alone
        and no row is out of bag
    -> Forest of kind "forest", with in_bag (n_trees, n)

    Source: Breiman (2001), sec. 2 to 4.

    >>> forest = grow_forest([[0], [1], [2], [3]], ["no", "no", "yes", "yes"], n_trees=50)
    >>> forest.predict([[0.2], [2.9]]).tolist(), forest.in_bag.shape
    (['no', 'yes'], (50, 4))
    """
    rng = own_stream(rng, "grow forest")
    X, names = check_table(X)
    criterion = criterion or ("gini" if holds_classes(y) else "variance")
    y = check_tree_y(y, len(X), criterion)
    check_limits(max_depth, min_samples_leaf)
    n_trees = check_count(n_trees, "n_trees")

    in_bag = np.ones((n_trees, len(X)), dtype=int)
    if bootstrap:
        in_bag = bootstrap_counts(len(X), n_trees, rng=rng)
    trees = grow_trees(
        rank_table(X, names),
        target_of(y, criterion),
        in_bag,
        max_depth=max_depth,
        min_samples_leaf=min_samples_leaf,
        max_features=_candidates(max_features, criterion, len(names)),
        rng=rng,
    )
    return mean_of_trees(trees, in_bag)


def _candidates(max_features: float | str | None, criterion: str, p: int) -> int | None:
    """How many columns are drawn at each node; "auto" is p/3 for numbers, sqrt(p) for classes."""
    if not isinstance(max_features, str) or max_features != "auto":
        return number_of_features(max_features, p)
    if criterion == "variance":
        return max(1, p // 3)
    return number_of_features("sqrt", p)


def mean_of_trees(trees: list, in_bag: NDArray) -> Forest:
    """The forest that predicts the mean of these trees."""
    first, n_trees = trees[0], len(trees)
    n_outputs = first.value.shape[1]
    return Forest(
        tuple(trees),
        weights=np.full(n_trees, 1 / n_trees),
        base=np.zeros(n_outputs),
        names=first.names,
        classes=first.classes,
        in_bag=in_bag,
    )


# --- out of bag -------------------------------------------------------------------------------

def oob_prediction(forest: Forest, X: ArrayLike) -> NDArray:
    """Out-of-bag predictions: each training row is predicted by the trees that did not see it.

    raw_i = mean over trees m with in_bag[m, i] = 0 of value_m(x_i); NaN where every tree saw it

    X (n, p), the training rows in their order -> (n, n_outputs), class probabilities or numbers

    Source: Breiman (2001), sec. 3.1.

    >>> X, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    >>> shares = oob_prediction(grow_forest(X, y), X)
    >>> shares.shape, bool((shares.argmax(axis=1) == y).mean() > 0.9)
    ((40, 2), True)
    """
    in_bag = getattr(forest, "in_bag", None)
    if in_bag is None:
        raise ValueError(
            "this model does not know which rows its trees saw (it has no in_bag): "
            "grow it with grow_forest.")
    rows, is_out = rows_for(forest, X), in_bag == 0
    n_rows = is_out.shape[1]
    if len(rows) != n_rows:
        raise ValueError(
            f"X has {len(rows)} rows, but the forest was grown on {n_rows}: "
            "out-of-bag predictions are for the training rows, in their order.")
    total = np.zeros((len(rows), forest.n_outputs))
    for tree, out in zip(forest.trees, is_out, strict=True):
        total[out] += tree.value[tree.leaf_of(rows[out])]
    n_trees = is_out.sum(axis=0)[:, None]
    return np.divide(total, n_trees, out=np.full_like(total, np.nan), where=n_trees > 0)


def held_out_by_forests(
    X: NDArray,
    y: NDArray,
    folds: list[NDArray],
    n_trees: int,
    *,
    min_samples_leaf: int,
    rng: np.random.Generator,
) -> NDArray:
    """Predict each fold by a forest of the others: numbers, or chances of the second class (n,).

    n_trees : of all folds together
    """
    n_trees = max(1, n_trees // len(folds))

    def fit(X, y):
        forest = grow_forest(X, y, n_trees=n_trees, min_samples_leaf=min_samples_leaf, rng=rng)
        return lambda rows: forest.raw(rows)[:, -1]

    return held_out_predictions(fit, X, y, folds)
