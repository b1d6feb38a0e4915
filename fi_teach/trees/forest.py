"""A forest grows many trees, each on its own bootstrap sample, and lets them vote: what single trees overdo averages out.

A bootstrap sample draws n rows from n with replacement, so each tree misses about a share 1/e = .368 of them. These
out-of-bag rows are a test set that costs nothing, and `Forest.in_bag` keeps the books.
"""

from numbers import Integral

import numpy as np

from fi_teach.basics.tables import check_table
from fi_teach.basics.tree import Forest, rows_for
from fi_teach.fast.growing import grow_trees, rank_table, target_of
from fi_teach.trees.cart import check_growing_target, check_limits, number_of_features

MOST_CLASSES = 20  # whole numbers with more distinct values than this are taken for quantities


def holds_classes(y):
    """Does y look like class labels? Text, booleans, and whole numbers (of integer type) with at most 20 distinct values do.

    Used where the caller did not say; floats always count as numbers. y (n,) or (n, k) -> bool

    >>> holds_classes(["yes", "no"]), holds_classes([0, 1, 1]), holds_classes([0.0, 1.0])
    (True, True, False)
    """
    y = np.asarray(y)
    if y.dtype.kind in "iu":
        return y.shape[1:] in ((), (1,)) and len(np.unique(y)) <= MOST_CLASSES
    return y.dtype.kind != "f"


def bootstrap_counts(n_rows, n_trees, *, rng=0):
    """How often each row is in each tree's sample of n rows drawn with replacement -> (n_trees, n_rows) int.

    A row is missed with probability (1 - 1/n)^n, about .368. Source: Breiman (1996), sec. 1.

    >>> bootstrap_counts(4, 2).sum(axis=1)
    array([4, 4])
    """
    rng = np.random.default_rng(rng)
    return np.array([np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows) for _ in range(n_trees)])


def grow_forest(X, y, *, n_trees=100, criterion=None, max_features="auto", max_depth=None, min_samples_leaf=1, bootstrap=True, rng=0):
    """Grow n_trees trees, each on a bootstrap sample, each node choosing among a few features drawn at random.

    raw(x) = 1/M sum_m value_m(x): the mean of the trees' class shares, or of their numbers.

    X : (n, p) numbers; y : (n,) labels, or numbers (several outputs: (n, k), impurities added up)
    criterion : as in grow_cart; None takes "gini" for labels (text, booleans, integers with at most 20 values), else "variance"
    max_features : candidates at each node, as in grow_cart; "auto" is "sqrt" for classes and a third of p for numbers
    max_depth, min_samples_leaf : as in grow_cart
    bootstrap : False gives every tree all rows; the trees then differ by their candidates alone and no row is out of bag
    -> Forest of kind "forest", with in_bag (n_trees, n)

    Raises ValueError as grow_cart does, and for an n_trees that is not a whole number >= 1.
    Source: Breiman (2001), sec. 2 to 4.

    >>> forest = grow_forest([[0], [1], [2], [3]], ["no", "no", "yes", "yes"], n_trees=50)
    >>> forest.predict([[0.2], [2.9]]).tolist(), forest.in_bag.shape
    (['no', 'yes'], (50, 4))
    """
    rng = np.random.default_rng(rng)
    X, names = check_table(X)
    criterion = criterion or ("gini" if holds_classes(y) else "variance")
    y = _varying(check_growing_target(y, len(X), criterion))
    check_limits(max_depth, min_samples_leaf)
    n_trees = check_n_trees(n_trees)
    in_bag = bootstrap_counts(len(X), n_trees, rng=rng) if bootstrap else np.ones((n_trees, len(X)), dtype=int)
    trees = grow_trees(rank_table(X, names), target_of(y, criterion), in_bag, max_depth=max_depth,
                       min_samples_leaf=min_samples_leaf, max_features=_candidates(max_features, criterion, len(names)), rng=rng)
    return Forest(tuple(trees), np.full(n_trees, 1 / n_trees), np.zeros(trees[0].value.shape[1]), names,
                  classes=trees[0].classes, in_bag=in_bag)


def oob_prediction(forest, X):
    """What the forest says of its own training rows when only trees that did not see the row may speak.

    raw_i = mean over trees m with in_bag[m, i] = 0 of value_m(x_i); NaN where every tree saw the row.
    X (n, p), the training rows in their order -> (n, n_outputs), class probabilities or numbers

    Raises ValueError for a forest without bootstrap counts and for other rows than it was grown on.
    Source: Breiman (2001), sec. 3.1.

    >>> X, y = np.arange(40.0)[:, None], np.arange(40) >= 20
    >>> shares = oob_prediction(grow_forest(X, y), X)
    >>> shares.shape, bool((shares.argmax(axis=1) == y).mean() > 0.9)
    ((40, 2), True)
    """
    total, n_speakers = _add_up(forest, _training_rows(forest, X), lambda tree, rows: tree.raw(rows))
    return _divided(total, n_speakers)


def oob_votes(forest, X):
    """Like oob_prediction, one vote a tree: how many trees that did not see the row vote for each class.

    X (n, p), the training rows in their order -> (n, K) counts, columns in the order of forest.classes; ties within a
    leaf go to the first class. Raises ValueError as oob_prediction does, and for a forest that predicts numbers.
    Source: Breiman (2001), sec. 3.1.

    >>> forest = grow_forest([[0], [1], [2], [3]], ["no", "no", "yes", "yes"], n_trees=50)
    >>> votes = oob_votes(forest, [[0], [1], [2], [3]])
    >>> bool((votes.sum(axis=1) == (forest.in_bag == 0).sum(axis=0)).all())
    True
    """
    X = _training_rows(forest, X)
    if forest.classes is None:
        raise ValueError("this forest predicts numbers, so its trees cast no votes: use oob_prediction.")
    return _add_up(forest, X, _ballots)[0].astype(int)


def oob_by_definition(forest, X):
    """oob_prediction, one row and one tree at a time.

    >>> X, y = np.arange(12.0)[:, None], np.arange(12) >= 6
    >>> forest = grow_forest(X, y, n_trees=30)
    >>> np.allclose(oob_by_definition(forest, X), oob_prediction(forest, X))
    True
    """
    X = _training_rows(forest, X)
    prediction = np.full((len(X), forest.n_outputs), np.nan)
    for i in range(len(X)):
        spoken = [tree.raw(X[i:i + 1])[0] for tree, counts in zip(forest.trees, forest.in_bag, strict=True) if counts[i] == 0]
        if spoken:
            prediction[i] = np.mean(spoken, axis=0)
    return prediction


def _ballots(tree, rows):
    """One vote a row for the largest class: (n, p) -> (n, K) of 0 and 1."""
    return np.eye(len(tree.classes))[tree.raw(rows).argmax(axis=1)]


def _add_up(forest, X, speak):
    """Sum of what the out-of-bag trees say, and how many spoke: -> (total (n, n_outputs), n_speakers (n,))."""
    total, n_speakers = np.zeros((len(X), forest.n_outputs)), np.zeros(len(X), dtype=int)
    for tree, counts in zip(forest.trees, forest.in_bag, strict=True):
        out = counts == 0
        if out.any():
            total[out] += speak(tree, X[out])
            n_speakers += out
    return total, n_speakers


def _divided(total, n_speakers):
    """Totals (n, n_outputs) over counts (n,); NaN where nobody spoke."""
    return np.divide(total, n_speakers[:, None], out=np.full_like(total, np.nan), where=n_speakers[:, None] > 0)


def _training_rows(forest, X):
    """X as an array, if it can be the table that the forest was grown on."""
    if getattr(forest, "in_bag", None) is None:
        raise ValueError("this model does not know which rows its trees saw (it has no in_bag): grow it with grow_forest.")
    X = rows_for(forest, X)
    if len(X) != forest.in_bag.shape[1]:
        raise ValueError(f"X has {len(X)} rows, but the forest was grown on {forest.in_bag.shape[1]}: "
                         "out-of-bag predictions are for the training rows, in their order.")
    return X


def _candidates(max_features, criterion, p):
    """How many features are drawn at each node; "auto" is sqrt(p) for classes and p/3 for numbers."""
    if isinstance(max_features, str) and max_features == "auto":
        return max(1, p // 3) if criterion == "variance" else number_of_features("sqrt", p)
    return number_of_features(max_features, p)


def check_n_trees(n_trees):
    """n_trees as an int. Raises ValueError unless it is a whole number >= 1."""
    if not (isinstance(n_trees, Integral) and n_trees >= 1):
        raise ValueError(f"n_trees is {n_trees!r}, expected a whole number of trees >= 1.")
    return int(n_trees)


def _varying(y):
    """y itself, unless all rows agree. Raises ValueError."""
    if len(np.unique(y, axis=0)) == 1:
        raise ValueError(f"y is constant ({y[0]!r} in every row): there is nothing to split for. Give rows with two different targets.")
    return y
