"""A random forest brings its own test set: each tree may be asked about the rows it never saw.

Two measures go under one name. The votes of the out-of-bag trees can be put together first and the forest be judged, as in
Breiman (2001, sec. 10) and on the random-forest slides; or each tree can be judged on its own out-of-bag rows and the trees
be averaged, as later software does (Strobl et al. 2008 write out its formula). Breiman shuffles within each tree's rows.
"""

import numpy as np

from fi_teach.basics.convert import as_forest
from fi_teach.basics.losses import absolute_error, row_loss, squared_error
from fi_teach.basics.results import Importance
from fi_teach.basics.shuffles import (
    check_count,
    check_outcome,
    checked_losses,
    judged_by,
    names_of,
    receiver_donor_variance,
    shuffles,
)
from fi_teach.basics.tree import rows_for


def oob_importance(forest, X, y, *, loss=None, aggregate=True, n_repeats=10, rng=0):
    """Permutation importance on out-of-bag rows: no new model is fitted and no test set is spent.

    aggregate=True: shuffle the column over all rows, let the trees that did not see a row vote on it, then judge the votes:
        PFI_j = mean over rows i with such trees of [ L(y_i, votes after) - L(y_i, votes before) ].
    aggregate=False: shuffle within each tree's out-of-bag rows O_m, judge each tree alone, then average:
        PFI_j = mean over trees m of 1/|O_m| sum_{i in O_m} [ L(y_i, f_m after) - L(y_i, f_m before) ].
    A single tree errs more, so the second is larger wherever voting forgives mistakes.

    forest : a Forest with in_bag (grow_forest keeps it), or a fitted scikit-learn forest; X (n, p), y (n,) its training rows, in
        their order
    loss : None takes "zero_one" for classes and "mse" for numbers; else as in permutation_importance
    n_repeats : how many random shuffles; or the shuffles themselves, donors (n, K) int, row i receiving from donors[i, k] (in
        the second measure too, where donors then need not be out of bag)
    Returns an Importance in units of the loss; draws (p, n_repeats), a column a shuffle, or for aggregate=False (p, M), a
    column a tree (trees without out-of-bag rows are left out). standard_error counts each row as receiver and as donor and
    speaks of new rows for this forest; sd over trees / sqrt(M) would pretend that trees grown on the same rows were independent.

    Raises ValueError for forests that do not know their out-of-bag rows or have none, rows that are not the training rows,
    unusable targets, losses and shuffles.
    Source: Breiman (2001), sec. 10, for the votes; Strobl et al. (2008) for the mean over trees.

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(40)])
    >>> importance = oob_importance(grow_forest(X, X[:, 0] >= 20, max_features=None), X, X[:, 0] >= 20)
    >>> importance.rank.tolist(), bool(importance.mean[0] > 0.3)
    ([1, 2], True)
    """
    forest, table = _checked_forest(forest, X)
    loss = _loss_for(forest, loss)
    y = check_outcome(y, len(table), numeric=loss in (squared_error, absolute_error))
    rng, given = np.random.default_rng(rng), _given_shuffles(n_repeats, len(table))
    y, predict = judged_by(forest, y, loss)

    def judge(rows, raw):
        return checked_losses(loss, y[rows], predict(raw))

    measure = _of_votes if aggregate else _of_trees
    draws, error, unit = measure(forest, table, judge, given, n_repeats, rng)
    return Importance(names_of(X, forest), draws, f"out-of-bag importance {unit}", "loss", error)


def oob_importance_by_definition(forest, X, y, donors, *, loss=None, aggregate=True):
    """oob_importance with given shuffles, one feature, shuffle, tree and row at a time -> (p,) importances.

    >>> from fi_teach.trees.forest import grow_forest
    >>> X = np.array([[i, i % 2] for i in range(10)])
    >>> forest = grow_forest(X, X[:, 0] >= 5, n_trees=20)
    >>> reverse = np.arange(10)[::-1, None]
    >>> slow = oob_importance_by_definition(forest, X, X[:, 0] >= 5, reverse)
    >>> np.allclose(slow, oob_importance(forest, X, X[:, 0] >= 5, n_repeats=reverse).mean)
    True
    """
    forest = as_forest(forest)
    table, loss = rows_for(forest, X), _loss_for(forest, loss)
    y, predict = judged_by(forest, np.asarray(y), loss)
    judge_all = _judge_votes_by_definition if aggregate else _judge_trees_by_definition
    importance = np.zeros(table.shape[1])
    for j in range(table.shape[1]):
        for k in range(donors.shape[1]):
            after = table.copy()
            after[:, j] = table[donors[:, k], j]
            importance[j] += (judge_all(forest, after, y, loss, predict) - judge_all(forest, table, y, loss, predict)) / donors.shape[1]
    return importance


def _judge_votes_by_definition(forest, X, y, loss, predict):
    losses = []
    for i in range(len(X)):
        votes = [tree.raw(X[[i]]) for tree, seen in zip(forest.trees, forest.in_bag[:, i], strict=True) if seen == 0]
        if votes:
            losses.append(loss(y[[i]], predict(np.mean(votes, axis=0)))[0])
    return np.mean(losses)


def _judge_trees_by_definition(forest, X, y, loss, predict):
    outs = [np.flatnonzero(seen == 0) for seen in forest.in_bag]
    return np.mean([loss(y[out], predict(tree.raw(X[out]))).mean() for tree, out in zip(forest.trees, outs, strict=True) if len(out)])


def _of_votes(forest, table, judge, given, n_repeats, rng):
    """Aggregate, then judge -> draws (p, K), standard error (p,), words."""
    n, p = table.shape
    walks = _walks(forest, table)
    speakers = (forest.in_bag == 0).sum(axis=0)
    spoken = np.flatnonzero(speakers)
    before = np.zeros((n, forest.n_outputs))
    for _, out, raw, _ in walks:
        before[out] += raw
    losses_before = judge(spoken, before[spoken] / speakers[spoken, None])
    donors = np.stack([shuffles(n, n_repeats, rng) for _ in range(p)]) if given is None else np.broadcast_to(given, (p, *given.shape))
    differences = np.empty((p, len(spoken), donors.shape[2]))
    for k in range(donors.shape[2]):
        after = _votes_after(walks, table, donors[:, :, k], before)
        differences[:, :, k] = [judge(spoken, after[j, spoken] / speakers[spoken, None]) - losses_before for j in range(p)]
    padded = np.zeros((p, n, donors.shape[2]))
    padded[:, spoken] = differences * (n / len(spoken))  # a row without votes is a donor all the same
    variance = [receiver_donor_variance(D, d) for D, d in zip(padded, donors, strict=True)]
    return differences.mean(axis=1), np.sqrt(variance), "of the votes"


def _votes_after(walks, table, donors, before):
    """The summed votes for each feature's shuffled table: donors (p, n) -> (p, n, n_outputs)."""
    after = np.tile(before, (len(donors), 1, 1))
    for tree, out, raw, asks in walks:
        feature, i = np.nonzero(asks.T)
        change = _raw_after(tree, table, feature, out[i], donors[feature, out[i]]) - raw[i]
        after[feature, out[i]] += change  # each pair (feature, row) occurs once a tree
    return after


def _of_trees(forest, table, judge, given, n_repeats, rng):
    """Judge each tree, then average -> draws (p, M), standard error (p,), words."""
    n, p = table.shape
    walks, K = _walks(forest, table), n_repeats if given is None else given.shape[1]
    draws, roles, share = np.zeros((p, len(walks))), np.zeros((p, n)), np.zeros(n)
    for m, (tree, out, raw, asks) in enumerate(walks):
        feature, i = np.nonzero(asks.T)
        before, part = judge(out, raw), 1 / (len(out) * len(walks))
        share[out] += part
        for k in range(K):
            within = rng.permuted(np.tile(out, (p, 1)), axis=1) if given is None else np.tile(given[out, k], (p, 1))
            donor = within[feature, i]
            gain = judge(out[i], _raw_after(tree, table, feature, out[i], donor)) - before[i]
            draws[:, m] += np.bincount(feature, gain, minlength=p) / (len(out) * K)
            for row in (out[i], donor):
                roles += np.bincount(feature * n + row, gain, minlength=p * n).reshape(p, n) * part / K
    psi = n * (roles - 2 * draws.mean(axis=1, keepdims=True) * share)  # a row out of bag more often weighs more
    return draws, psi.std(axis=1, ddof=1) / np.sqrt(n), "of the trees"


def _walks(forest, table):
    """For each tree with out-of-bag rows: the tree, those rows, its values for them, and which features it asks them about."""
    walks = []
    for tree, seen in zip(forest.trees, forest.in_bag, strict=True):
        out = np.flatnonzero(seen == 0)
        if len(out):
            path, inner = tree.decision_path(table[out]), ~tree.is_leaf
            asks = path[:, inner].astype(np.float32) @ (tree.feature[inner, None] == np.arange(table.shape[1])).astype(np.float32)
            walks.append((tree, out, tree.raw(table[out]), asks > 0))
    return walks


def _raw_after(tree, table, feature, rows, donors):
    """The tree's values for rows[a] with feature[a] taken from donors[a]; only rows that are asked about it need asking again."""
    if len(rows) == 0:
        return np.zeros((0, tree.value.shape[1]))
    asked = table[rows]
    asked[np.arange(len(rows)), feature] = table[donors, feature]
    return tree.raw(asked)


def _checked_forest(model, X):
    forest = as_forest(model)
    if forest.in_bag is None:
        raise ValueError("this model does not know which rows its trees were grown on (in_bag is None): use grow_forest or a "
                         "scikit-learn forest with bootstrap=True, or permutation_importance on held-out rows.")
    if not (np.asarray(forest.in_bag) == 0).any():
        raise ValueError("no row is out of bag for any tree: grow the forest with bootstrap=True and more trees.")
    table = rows_for(forest, X)
    if len(table) != forest.in_bag.shape[1]:
        raise ValueError(f"X has {len(table)} rows, the forest was grown on {forest.in_bag.shape[1]}: pass its training rows, in their order.")
    return forest, table


def _loss_for(forest, loss):
    return row_loss(loss if loss is not None else "mse" if forest.classes is None else "zero_one")


def _given_shuffles(n_repeats, n_rows):
    """The shuffles themselves (n, K), where they and not their number came; else None."""
    if np.ndim(n_repeats) == 0:
        check_count(n_repeats, "n_repeats")
        return None
    donors = np.asarray(n_repeats)
    if donors.ndim != 2 or len(donors) != n_rows or donors.dtype.kind not in "iu" or donors.min() < 0 or donors.max() >= n_rows:
        raise ValueError(f"the shuffles have shape {donors.shape}, expected row numbers 0 to {n_rows - 1} in shape ({n_rows}, K): "
                         "row i receives from row donors[i, k].")
    return donors
