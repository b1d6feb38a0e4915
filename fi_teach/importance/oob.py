"""A random forest brings its own test set: each tree may be asked about the rows it never saw.

Two measures go under one name. The votes of the out-of-bag trees can be put together first and the
forest be judged, as in Breiman (2001, sec. 10) and on the random-forest slides:

    PFI_j  =  mean over rows i that some tree did not see of
              L(y_i, votes after the shuffle)  -  L(y_i, votes before)

Or each tree m can be judged on its own out-of-bag rows O_m, the column shuffled within them, and
the trees be averaged, as later software does (Strobl et al. 2008 write out its formula):

    PFI_j  =  mean over trees m, mean over i in O_m of  L(y_i, f_m after)  -  L(y_i, f_m before)

By squared error the trees lose what their mean loses plus their spread around it, so with the same
shuffles the second is larger by what they add to the spread. By counted labels either may be the
larger one.
Breiman, like R's randomForest, deals a column out within each tree's out-of-bag rows before the
votes are put together; oob_importance deals over the whole table, as the slides draw it. R's
importance() by default also divides by the standard error over the trees.

Read next: fast/oob.py, which asks a tree again only about the rows that a shuffle can move.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.losses import Loss
from fi_teach.basics.model import as_model
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import (
    receiver_donor_variance,
    shuffles,
    swap,
    variance_of_mean,
)
from fi_teach.basics.tables import check_count, check_table
from fi_teach.basics.tree import Tree
from fi_teach.fast.oob import sums_over_trees, vote_gains


def oob_importance_by_definition(
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
    """oob_importance, one feature, shuffle, row and tree at a time.

    Source: as in `oob_importance`.

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(10)])
    >>> forest = grow_forest(X, X[:, 0] >= 5, n_trees=20)
    >>> slow = oob_importance_by_definition(forest, X, X[:, 0] >= 5, n_repeats=2)
    >>> slow == oob_importance(forest, X, X[:, 0] >= 5, n_repeats=2)
    True
    """
    task, table = _checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance")
    dealt = []
    for j, its_donors in enumerate(_shuffles(task, donors, n_repeats, rng)):
        gains = np.zeros(its_donors.shape)
        for k in range(its_donors.shape[1]):
            shuffled = swap(table, [j], np.arange(task.n_rows), its_donors[:, [k]])
            for i in range(task.n_rows):
                gains[i, k] = _vote_gain(task, table, shuffled, i)
        dealt.append((gains, its_donors))
    return _importance_of_votes(task, dealt)


def _vote_gain(task: Evaluation, table: NDArray, shuffled: NDArray, i: int) -> float:
    """What row i's loss gains by the shuffle, judged by the votes of trees that never saw it."""
    forest = task.model.forest
    pairs = zip(forest.trees, forest.out_of_bag[:, i], strict=True)
    asked = [tree for tree, unseen in pairs if unseen]
    if not asked:
        return 0.0
    before = np.mean([tree.raw(table[[i]]) for tree in asked], axis=0)
    after = np.mean([tree.raw(shuffled[[i]]) for tree in asked], axis=0)
    row = np.array([i])
    return (task.losses_of_raw(after, row) - task.losses_of_raw(before, row))[0]


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
    """Permutation importance of a forest's out-of-bag votes: no new model, no test set spent.

    model : a Forest with in_bag (grow_forest keeps it), or a fitted scikit-learn forest
    X (n, p), y (n,) : its training rows, in their order
    loss : as in permutation_importance; None takes "zero_one" for classes, "squared" for numbers
    donors (n, K) int : the shuffles themselves, the same for every feature, instead of n_repeats
        random ones: row i receives from row donors[i, k]
    sample_weight (n,) : how much each row's loss counts; groups (n,) : rows drawn together. They
        widen the standard error only: where a tree has seen a row's group, it is not quite unseen
    -> Importance in units of the loss: draws (p, n_repeats), a column a shuffle. standard_error
       counts each row as receiver and as donor and speaks of new rows for this forest.

    Raises ValueError for forests that do not know their out-of-bag rows or have none, rows that are
    not the training rows, unusable targets, losses and shuffles.
    Source: Breiman (2001), sec. 10.

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> forest = grow_forest(X, X[:, 0] >= 20, max_features=None)
    >>> importance = oob_importance(forest, X, X[:, 0] >= 20)
    >>> importance.rank.tolist(), bool(importance.mean[0] > 0.3)
    ([1, 2], True)
    """
    task, table = _checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance")
    dealt = vote_gains(task, table, _shuffles(task, donors, n_repeats, rng))
    return _importance_of_votes(task, dealt)


def _importance_of_votes(task: Evaluation, dealt) -> Importance:
    """From (gains, donors), each (n, K), of every feature; rows without a vote gain 0."""
    voted = task.model.forest.out_of_bag.any(axis=0)
    weights = task.weights
    n_voted = weights[voted].sum()
    draws, variances = [], []
    for gains, donors in dealt:
        per_row = gains * (task.n_rows / n_voted)  # a row without votes is a donor all the same
        draws.append((weights[:, None] * per_row).mean(axis=0))
        variances.append(
            receiver_donor_variance(per_row, donors, weights=weights, groups=task.groups))
    several = len(draws[0]) > 1
    spread = np.std(draws, axis=1, ddof=1) if several else None
    method = "out-of-bag importance of the votes"
    return Importance(
        task.names, np.array(draws), method, task.unit, np.sqrt(variances), spread)


# --- each tree judged alone ---


def oob_importance_per_tree_by_definition(
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
    """oob_importance_per_tree, one tree, feature, shuffle and row at a time.

    Source: as in `oob_importance_per_tree`.

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(10)])
    >>> forest = grow_forest(X, X[:, 0] >= 5, n_trees=20)
    >>> slow = oob_importance_per_tree_by_definition(forest, X, X[:, 0] >= 5)
    >>> np.allclose(slow.draws, oob_importance_per_tree(forest, X, X[:, 0] >= 5).draws)
    True
    """
    task, table = _checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance per tree")
    within = _shuffles_within(task, donors, n_repeats, rng)
    judged = _trees_and_rows(task)
    draws = np.zeros((task.n_features, len(judged)))  # what each tree loses
    roles = np.zeros((task.n_features, task.n_rows))  # each row's part in it
    for m, (tree, out) in enumerate(judged):
        features = np.unique(tree.feature[~tree.is_leaf])
        for j, its_donors in zip(features, within(out, len(features)), strict=True):
            for k in range(its_donors.shape[1]):
                shuffled = swap(table, [j], out, its_donors[:, [k]])
                after = task.losses_of_raw(tree.raw(shuffled), out)
                gains = after - task.losses_of_raw(tree.raw(table[out]), out)
                weights = task.weights[out]
                shares = weights * gains / (weights.sum() * its_donors.shape[1])
                for share, receiver, donor in zip(shares, out, its_donors[:, k], strict=True):
                    draws[j, m] += share
                    roles[j, receiver] += share
                    roles[j, donor] += share
    return _importance_of_trees(task, draws, roles)


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
    The other parameters and the errors as in oob_importance.
    -> Importance in units of the loss: draws (p, M), a column a tree (trees without out-of-bag rows
       are left out). standard_error counts each row as receiver and as donor and speaks of new rows
       for this forest; sd over trees / sqrt(M) would pretend that trees grown on the same rows were
       independent.

    Source: Strobl et al. (2008).

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> forest = grow_forest(X, X[:, 0] >= 20, n_trees=30, max_features=None)
    >>> oob_importance_per_tree(forest, X, X[:, 0] >= 20).draws.shape
    (2, 30)
    """
    task, table = _checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance per tree")
    within = _shuffles_within(task, donors, n_repeats, rng)
    sums = sums_over_trees(task, table, within)
    return _importance_of_trees(task, sums.draws, sums.roles)


def _importance_of_trees(task: Evaluation, draws: NDArray, roles: NDArray) -> Importance:
    """The mean over trees; a row out of bag more often weighs more.

    draws (p, M), what each tree loses; roles (p, n), each row's sum as receiver and as donor
    """
    n, n_trees = task.n_rows, draws.shape[1]
    share = np.zeros(n)  # as receiver a row has its weight, as donor each is as likely as another
    for _, out in _trees_and_rows(task):
        weights = task.weights[out]
        share[out] += (weights / weights.sum() + 1 / len(out)) / n_trees
    total = draws.mean(axis=1)
    psi = n * (roles / n_trees - np.outer(total, share))
    error = np.sqrt([variance_of_mean(of_rows, task.groups) for of_rows in psi])
    method = "out-of-bag importance of the trees"
    return Importance(task.names, draws, method, task.unit, error)


def _trees_and_rows(task: Evaluation) -> list[tuple[Tree, NDArray]]:
    """Every tree with the rows it never saw, if there are any."""
    forest = task.model.forest
    pairs = [(tree, np.flatnonzero(unseen))
             for tree, unseen in zip(forest.trees, forest.out_of_bag, strict=True)]
    return [(tree, out) for tree, out in pairs if len(out)]


# --- checks and shuffles ---


def _checked(
    model: object, X: ArrayLike, y: ArrayLike, loss: str | Loss | None,
    sample_weight: ArrayLike | None, groups: ArrayLike | None,
) -> tuple[Evaluation, NDArray]:
    """The task, and its table as numbers in the forest's column order."""
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
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    if (out_of_bag.any(axis=1) & (out_of_bag @ task.weights == 0)).any():
        raise ValueError(
            "sample_weight is 0 for all rows that are out of bag for some tree: it has no rows to "
            "be judged on. Give them some weight.")
    table, _ = check_table(task.X, allow_nan=True)
    return task, table


def _shuffles(
    task: Evaluation, donors: ArrayLike | None, n_repeats: int, rng: np.random.Generator
) -> Iterator[NDArray]:
    """Each feature's donors (n, K): the caller's, or random ones of its own."""
    check_count(n_repeats, "n_repeats")
    given = None if donors is None else _checked_donors(donors, task.n_rows)
    for _ in range(task.n_features):
        yield shuffles(task.n_rows, n_repeats, rng) if given is None else given


def _shuffles_within(
    task: Evaluation, donors: ArrayLike | None, n_repeats: int, rng: np.random.Generator
) -> Callable[[NDArray, int], NDArray]:
    """A function of a tree's rows O (m,) and its number of features: donors (features, m, K)."""
    check_count(n_repeats, "n_repeats")
    given = None if donors is None else _checked_donors(donors, task.n_rows)

    def within(out: NDArray, n_features: int) -> NDArray:
        if given is not None:
            return np.broadcast_to(given[out], (n_features, len(out), given.shape[1]))
        copies = np.tile(out, (n_features, n_repeats, 1))
        return rng.permuted(copies, axis=2).swapaxes(1, 2)

    return within


def _checked_donors(donors: ArrayLike, n_rows: int) -> NDArray:
    donors = np.asarray(donors)
    shaped = donors.ndim == 2 and len(donors) == n_rows and donors.shape[1] > 0
    if not shaped or donors.dtype.kind not in "iu" or donors.min() < 0 or donors.max() >= n_rows:
        raise ValueError(
            f"donors has shape {donors.shape}, expected row numbers 0 to {n_rows - 1} in shape "
            f"({n_rows}, K): row i receives from row donors[i, k].")
    return donors.astype(np.int64)
