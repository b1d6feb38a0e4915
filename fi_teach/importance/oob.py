"""Out-of-bag importance: each tree of a forest is judged on the rows that it was not grown on.

Two measures have this name. The votes of a row's out-of-bag trees can be averaged first and the
forest be judged, as in Breiman (2001, sec. 10) and on the random-forest slides:

    PFI_j  =  mean over rows i that some tree did not see of
              L(y_i, votes after the permutation)  -  L(y_i, votes before)

Or each tree m can be judged on its own out-of-bag rows O_m, the column permuted within them, and
the trees be averaged, as later software does (Strobl et al. 2008 give its formula):

    PFI_j  =  mean over trees m, mean over i in O_m of  L(y_i, f_m after)  -  L(y_i, f_m before)

For squared error a tree's loss is that of the trees' mean plus the spread around it, so with the
same permutations the second measure is larger by what they add to the spread. For counted labels
either may be the larger one.
Breiman, like R's randomForest, permutes a column within each tree's out-of-bag rows before the
votes are averaged; oob_importance permutes the whole column, as the slides draw it. R's
importance() by default also divides by the standard error over the trees.

Read next: fast/oob.py, which asks a tree again only about rows that a permutation can move.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.losses import Loss
from fi_teach.basics.model import as_model
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import shuffles, variance_of_mean
from fi_teach.basics.tables import check_count, check_table
from fi_teach.fast.oob import sums_over_trees, vote_gains


def oob_importance(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 10,
    donors: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Permutation importance of a forest's out-of-bag votes: it needs no test set of its own.

    model : a Forest with in_bag (grow_forest keeps it), or a fitted scikit-learn forest
    X (n, p), y (n,) : its training rows, in their order
    loss : as in permutation_importance; None takes "zero_one" for classes, "squared" for numbers
    donors (n, K) int : the permutations, the same for every feature, in place of n_repeats random
        ones: row i receives from row donors[i, k]
    sample_weight (n,) : how much each row's loss counts; groups (n,) : rows drawn together. They
        widen the standard error only: a tree that was grown on other rows of a group is not fully
        out of sample for it
    -> Importance in units of the loss: draws (p, n_repeats), a column a permutation.
       standard_error counts each row as receiver and as donor; it is about new rows for this
       forest.

    Source: Breiman (2001), sec. 10.

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> forest = grow_forest(X, X[:, 0] >= 20, max_features=None)
    >>> importance = oob_importance(forest, X, X[:, 0] >= 20)
    >>> importance.rank.tolist(), bool(importance.mean[0] > 0.3)
    ([1, 2], True)
    """
    test_set, table = _checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance")
    permuted = vote_gains(test_set, table, _shuffles(test_set, donors, n_repeats, rng))
    return _importance_of_votes(test_set, permuted)


def _importance_of_votes(test_set: Evaluation, permuted) -> Importance:
    """From each feature's (gains, donors), both (n, K); rows without a vote have gain 0."""
    voted = test_set.model.forest.out_of_bag.any(axis=0)
    weights = test_set.weights
    n_voted = weights[voted].sum()
    draws, variances = [], []
    for gains, donors in permuted:
        per_row = gains * (test_set.n_rows / n_voted)  # a row without votes is a donor all the same
        draws.append((weights[:, None] * per_row).mean(axis=0))
        variances.append(test_set.variance_of_mean_gain(per_row, donors))
    spread = np.std(draws, axis=1, ddof=1) if len(draws[0]) > 1 else None
    method = "out-of-bag importance of the votes"
    return Importance(
        test_set.names, np.array(draws), method, test_set.unit, np.sqrt(variances), spread)


# --- each tree judged alone ---


def oob_importance_per_tree(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 10,
    donors: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Permutation importance of each tree on its own out-of-bag rows, averaged over trees.

    donors (n, K) int : as in oob_importance; they then need not be out of bag
    -> Importance in units of the loss: draws (p, M), a column a tree (trees without out-of-bag rows
       are left out). standard_error counts each row as receiver and as donor; it is about new rows
       for this forest. sd over trees / sqrt(M) would treat trees grown on the same rows as
       independent.

    Source: Strobl et al. (2008).

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> forest = grow_forest(X, X[:, 0] >= 20, n_trees=30, max_features=None)
    >>> oob_importance_per_tree(forest, X, X[:, 0] >= 20).draws.shape
    (2, 30)
    """
    test_set, table = _checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance per tree")
    within = _shuffles_within(test_set, donors, n_repeats, rng)
    sums = sums_over_trees(test_set, table, within)
    return _importance_of_trees(test_set, sums.draws, sums.roles)


def _importance_of_trees(test_set: Evaluation, draws: NDArray, roles: NDArray) -> Importance:
    """The mean over trees; a row that is out of bag more often weighs more.

    draws (p, M), each tree's gain in loss; roles (p, n), each row's sum as receiver and as donor
    """
    n, n_trees = test_set.n_rows, draws.shape[1]
    share = np.zeros(n)  # as receiver a row has its weight, as donor each is as likely as another
    rows_of_trees = map(np.flatnonzero, test_set.model.forest.out_of_bag)
    for out in filter(len, rows_of_trees):
        weights = test_set.weights[out]
        share[out] += (weights / weights.sum() + 1 / len(out)) / n_trees
    total = draws.mean(axis=1)
    psi = n * (roles / n_trees - np.outer(total, share))
    error = np.sqrt([variance_of_mean(of_rows, test_set.groups) for of_rows in psi])
    method = "out-of-bag importance of the trees"
    return Importance(test_set.names, draws, method, test_set.unit, error)


# --- checks and shuffles ---


def _checked(
    model: object, X: ArrayLike, y: ArrayLike, loss: str | Loss | None,
    sample_weight: ArrayLike | None, groups: ArrayLike | None,
) -> tuple[Evaluation, NDArray]:
    """The training rows as a test set, and their table as numbers in the forest's column order."""
    model = as_model(model)
    out_of_bag = model.forest.out_of_bag
    if not out_of_bag.any():
        raise ValueError(
            "no row is out of bag for any tree: grow the forest with bootstrap=True and more "
            "trees.")
    n_trained = out_of_bag.shape[1]
    if np.ndim(X) == 2 and np.shape(X)[0] not in (0, n_trained):
        raise ValueError(
            f"X has {np.shape(X)[0]} rows, the forest was grown on {n_trained}: "
            "pass its training rows, in their order.")
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    if (out_of_bag.any(axis=1) & (out_of_bag @ test_set.weights == 0)).any():
        raise ValueError(
            "sample_weight is 0 for all rows that are out of bag for some tree: it has no rows to "
            "be judged on. Give them some weight.")
    table, _ = check_table(test_set.X, allow_nan=True)
    return test_set, table


def _shuffles(
    test_set: Evaluation, donors: ArrayLike | None, n_repeats: int, rng: np.random.Generator
) -> Iterator[NDArray]:
    """Each feature's donors (n, K): the caller's, or random ones of its own."""
    given = _checked_donors(donors, n_repeats, test_set.n_rows)
    for _ in range(test_set.n_features):
        yield shuffles(test_set.n_rows, n_repeats, rng) if given is None else given


def _shuffles_within(
    test_set: Evaluation, donors: ArrayLike | None, n_repeats: int, rng: np.random.Generator
) -> Callable[[NDArray, int], NDArray]:
    """A function of a tree's rows O (m,) and its number of features: donors (features, m, K)."""
    given = _checked_donors(donors, n_repeats, test_set.n_rows)

    def within(out: NDArray, n_features: int) -> NDArray:
        if given is not None:
            return np.broadcast_to(given[out], (n_features, len(out), given.shape[1]))
        copies = np.tile(out, (n_features, n_repeats, 1))
        return rng.permuted(copies, axis=2).swapaxes(1, 2)

    return within


def _checked_donors(donors: ArrayLike | None, n_repeats: int, n_rows: int) -> NDArray | None:
    check_count(n_repeats, "n_repeats")
    if donors is None:
        return None
    donors = np.asarray(donors)
    shaped = donors.ndim == 2 and len(donors) == n_rows and donors.shape[1] > 0
    if not shaped or donors.dtype.kind not in "iu" or donors.min() < 0 or donors.max() >= n_rows:
        raise ValueError(
            f"donors has shape {donors.shape}, expected row numbers 0 to {n_rows - 1} in shape "
            f"({n_rows}, K): row i receives from row donors[i, k].")
    return donors.astype(np.int64)
