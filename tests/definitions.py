"""The slow, sentence-like versions of methods that no chapter shows: tests hold the fast ones equal to them.

Those that a chapter shows stand beside their methods in the package. None calls an engine of fi_teach.fast.
"""

from importlib import import_module

import numpy as np

from fi_teach.basics.covariance import correlation_of
from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.seeds import own_stream
from fi_teach.basics.shuffles import normal_given_others, put, swap
from fi_teach.basics.tables import check_count, check_table
from fi_teach.importance import conditional, knockoffs, oob
from fi_teach.trees import cart, survival
from fi_teach.trees import forest as forest_module
from fi_teach.trees.cart import check_limits, grow_cart_by_definition

debiased_mdi = import_module("fi_teach.importance.debiased_mdi")  # the package has the function of that name


TREE_FIELDS = ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples",
               "weighted_n_node_samples", "value")


def check_same_tree(tree, other, atol=1e-12):
    """Assert that two trees agree in every field."""
    for field in TREE_FIELDS:
        np.testing.assert_allclose(getattr(tree, field), getattr(other, field), rtol=0, atol=atol, err_msg=field)


# --- importance/conditional.py ---


def conditional_importance_by_definition(model, X, y, *, method="subgroups", loss=None, n_repeats=30,
                                         sample_weight=None, groups=None, rng=0):
    """Draw one column anew given the others, predict again, count the new mistakes."""
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    one_by_one = {"subgroups": _subgroups_one_by_one, "gaussian": _gaussian_one_by_one}[method]
    as_seen, _ = conditional.METHODS[method]
    table, _ = as_seen(test_set.X)
    n_repeats = check_count(n_repeats, "n_repeats")
    streams = own_stream(rng, "conditional importance").spawn(test_set.n_features)
    drawn = (one_by_one(test_set, table, j, n_repeats, stream) for j, stream in enumerate(streams))
    return test_set.importance(drawn, f"conditional importance ({method})")


def _subgroups_one_by_one(test_set, table, j, n_repeats, rng):
    """Column j shuffled within the leaves, a copy of the table for every shuffle."""
    within = conditional._leaves(table, j, conditional._holds_words(test_set.X, j))
    rows = np.arange(test_set.n_rows)
    before = test_set.losses(test_set.X)
    donors = np.zeros((test_set.n_rows, n_repeats), dtype=int)
    gains = np.zeros((test_set.n_rows, n_repeats))
    for k in range(n_repeats):
        donors[:, k] = conditional.shuffle_within(within, rng)
        shuffled = swap(test_set.X, [j], rows, donors[:, [k]])
        gains[:, k] = test_set.losses(shuffled) - before
    return gains, test_set.variance_of_mean_gain(gains, donors, within)


def _gaussian_one_by_one(test_set, table, j, n_repeats, rng):
    """Column j drawn from the fitted normal distribution, a copy of the table for every draw."""
    design, fitted, spread = normal_given_others(table, j)
    before = test_set.losses(test_set.X)
    noise = np.zeros((test_set.n_rows, n_repeats))
    gains = np.zeros((test_set.n_rows, n_repeats))
    for k in range(n_repeats):
        noise[:, k] = rng.standard_normal(test_set.n_rows)
        new = fitted + spread * noise[:, k]
        redrawn = put(test_set.X, j, new[:, None])
        gains[:, k] = test_set.losses(redrawn) - before
    residual = table[:, j] - fitted
    return gains, conditional._gaussian_variance(test_set, gains, noise, design, residual, spread)


# --- importance/debiased_mdi.py ---


def debiased_mdi_by_definition(model, X, y, *, method="oob"):
    """Follow every out-of-bag row down its path, and credit each split that it meets.

    The two formulas at the top of debiased_mdi.py, tree by tree, node by node and row by row, for forests
    grown without row weights.
    """
    measure = {"oob": _moves_row_by_row, "ufi": _decreases_node_by_node}[method]
    forest, rows, Y = debiased_mdi._training_rows(model, X, y)
    draws = np.zeros((forest.n_features, len(forest.trees)))
    for m, tree in enumerate(forest.trees):
        draws[:, m] = measure(tree, rows, Y, forest.in_bag[m])
    return debiased_mdi._importance_of(forest, draws, method)


def _moves_row_by_row(tree, X, Y, in_bag):
    """Li et al.'s formula: X (n, p), Y (n, q), in_bag (n,) -> (p,)."""
    path = tree.decision_path(X)
    mu = tree.value
    unseen = np.flatnonzero(in_bag == 0)
    credit = np.zeros(tree.n_features)
    for t in np.flatnonzero(~tree.is_leaf):
        left, right = tree.children_left[t], tree.children_right[t]
        for i in unseen[path[unseen, t]]:
            child = left if path[i, left] else right
            move = mu[child] - mu[t]
            toward_y = move @ (Y[i] - mu[0])
            credit[tree.feature[t]] += toward_y / len(unseen)
    return credit


def _decreases_node_by_node(tree, X, Y, in_bag):
    """Zhou and Hooker's formula: X (n, p), Y (n, q), in_bag (n,) -> (p,)."""
    path = tree.decision_path(X)
    reached = path[in_bag == 0].any(axis=0)  # by an out-of-bag row
    credit = np.zeros(tree.n_features)
    for t in np.flatnonzero(~tree.is_leaf):
        left, right = tree.children_left[t], tree.children_right[t]
        if reached[left] and reached[right]:
            mass, mass_left, mass_right = (
                _half_unbiased_mass(path[:, node], Y, in_bag) for node in (t, left, right))
            credit[tree.feature[t]] += mass - mass_left - mass_right
    return credit


def _half_unbiased_mass(here, Y, in_bag):
    """A node's share of the bag, times its impurity: half in the bag, half out of it."""
    inside = np.repeat(Y[here], in_bag[here], axis=0)
    outside = Y[here & (in_bag == 0)]
    mu = inside.mean(axis=0)
    squares_inside = ((inside - mu) ** 2).sum(axis=1)
    squares_outside = ((outside - mu) ** 2).sum(axis=1)
    impurity = (squares_inside.mean() + squares_outside.mean()) / 2
    return len(inside) / in_bag.sum() * impurity


# --- importance/knockoffs.py ---


def mvr_loss(covariance, s):
    """What `mvr_s` makes small, trace(G^-1) = trace((2 Sigma - S)^-1) + trace(S^-1).

    covariance (p, p), s (p,) -> number, infinite where no such knockoffs exist.
    """
    s = np.asarray(s, dtype=float)
    eigenvalues = np.linalg.eigvalsh(2 * np.asarray(covariance, dtype=float) - np.diag(s))
    if eigenvalues[0] <= 0 or s.min() <= 0:
        return np.inf
    return float((1 / eigenvalues).sum() + (1 / s).sum())


def mvr_s_by_definition(covariance):
    """`mvr_s`, with a matrix inverted for every single step.

    s_j <- (1 + s_j a) / (a + c),  a = A_jj,  c = |A e_j|,  A = (2 Sigma - S)^-1 of the s so far

    covariance (p, p) -> (p,), in units of the variances.
    """
    correlation, scale, smallest = correlation_of(covariance)
    s = np.full(len(scale), smallest)
    before, loss = np.inf, mvr_loss(correlation, s)
    while before - loss > knockoffs.NEGLIGIBLE * loss:
        for j in range(len(s)):
            inverse = np.linalg.inv(2 * correlation - np.diag(s))
            a = inverse[j, j]
            c = np.linalg.norm(inverse[j])
            s[j] = (1 + s[j] * a) / (a + c)
        before, loss = loss, mvr_loss(correlation, s)
    return s * scale**2


# --- importance/mdi.py ---


def decrease_by_definition(tree, *, weighted=True):
    """Each feature's decreases in one tree, node by node: (p,) in units of the impurity.

    sum over nodes t that split on j of
    w_t / w_root * ( I(t)  -  w_L / w_t * I(L)  -  w_R / w_t * I(R) )

    weighted : False leaves out the share w_t / w_root of the rows that a node concerns
    """
    impurity, weight = tree.impurity, tree.weighted_n_node_samples
    decreases = np.zeros(tree.n_features)
    for t in range(tree.n_nodes):
        if tree.is_leaf[t]:
            continue
        left, right = tree.children_left[t], tree.children_right[t]
        kept_left = weight[left] / weight[t] * impurity[left]
        kept_right = weight[right] / weight[t] * impurity[right]
        decrease = impurity[t] - kept_left - kept_right
        share = weight[t] / weight[0] if weighted else 1.0
        decreases[tree.feature[t]] += share * decrease
    return decreases


# --- importance/oob.py ---


def oob_importance_by_definition(model, X, y, *, loss=None, n_repeats=10, donors=None, sample_weight=None, groups=None,
                                 rng=0):
    """oob_importance, one feature, shuffle, row and tree at a time."""
    test_set, table = oob._checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance")
    permuted = []
    for j, its_donors in enumerate(oob._shuffles(test_set, donors, n_repeats, rng)):
        gains = np.zeros(its_donors.shape)
        for k in range(its_donors.shape[1]):
            shuffled = swap(table, [j], np.arange(test_set.n_rows), its_donors[:, [k]])
            for i in range(test_set.n_rows):
                gains[i, k] = _vote_gain(test_set, table, shuffled, i)
        permuted.append((gains, its_donors))
    return oob._importance_of_votes(test_set, permuted)


def _vote_gain(test_set, table, shuffled, i):
    """What row i's loss gains by the shuffle, judged by the votes of trees that never saw it."""
    forest = test_set.model.forest
    pairs = zip(forest.trees, forest.out_of_bag[:, i], strict=True)
    asked = [tree for tree, unseen in pairs if unseen]
    if not asked:
        return 0.0
    before = np.mean([tree.raw(table[[i]]) for tree in asked], axis=0)
    after = np.mean([tree.raw(shuffled[[i]]) for tree in asked], axis=0)
    row = np.array([i])
    return (test_set.losses_of_raw(after, row) - test_set.losses_of_raw(before, row))[0]


def oob_importance_per_tree_by_definition(model, X, y, *, loss=None, n_repeats=10, donors=None, sample_weight=None,
                                          groups=None, rng=0):
    """oob_importance_per_tree, one tree, feature, shuffle and row at a time."""
    test_set, table = oob._checked(model, X, y, loss, sample_weight, groups)
    rng = own_stream(rng, "out-of-bag importance per tree")
    within = oob._shuffles_within(test_set, donors, n_repeats, rng)
    forest = test_set.model.forest
    judged = [(tree, np.flatnonzero(unseen))
              for tree, unseen in zip(forest.trees, forest.out_of_bag, strict=True) if unseen.any()]
    draws = np.zeros((test_set.n_features, len(judged)))  # what each tree loses
    roles = np.zeros((test_set.n_features, test_set.n_rows))  # each row's part in it
    for m, (tree, out) in enumerate(judged):
        features = np.unique(tree.feature[~tree.is_leaf])
        for j, its_donors in zip(features, within(out, len(features)), strict=True):
            for k in range(its_donors.shape[1]):
                shuffled = swap(table, [j], out, its_donors[:, [k]])
                after = test_set.losses_of_raw(tree.raw(shuffled), out)
                gains = after - test_set.losses_of_raw(tree.raw(table[out]), out)
                weights = test_set.weights[out]
                shares = weights * gains / (weights.sum() * its_donors.shape[1])
                for share, receiver, donor in zip(shares, out, its_donors[:, k], strict=True):
                    draws[j, m] += share
                    roles[j, receiver] += share
                    roles[j, donor] += share
    return oob._importance_of_trees(test_set, draws, roles)


# --- trees/cart.py ---


def every_split(X, y, *, criterion="gini", min_samples_leaf=1, sample_weight=None):
    """Every split the node offers that leaves enough rows on both sides: column by column, thresholds ascending."""
    sample, _ = cart._check(X, y, criterion, min_samples_leaf, sample_weight)
    return sample.only(sample.root).splits()


def tied_splits(X, y, *, criterion="gini", min_samples_leaf=1, sample_weight=None):
    """All splits that are best together, to 1e-12 of the node's impurity, in column order."""
    sample, _ = cart._check(X, y, criterion, min_samples_leaf, sample_weight)
    return sample.tied_splits(sample.root)


# --- trees/forest.py ---


def grow_forest_by_definition(X, y, *, n_trees=100, criterion=None, max_depth=None, min_samples_leaf=1, rng=0):
    """grow_forest with max_features=None, one tree after the other: CART on each sample's weights."""
    rng = own_stream(rng, "grow forest")
    rows, _ = check_table(X)
    criterion = criterion or ("gini" if forest_module.holds_classes(y) else "variance")
    in_bag = forest_module.bootstrap_counts(len(rows), check_count(n_trees, "n_trees"), rng=rng)
    trees = []
    for counts in in_bag:
        trees.append(grow_cart_by_definition(
            X, y, criterion=criterion, max_depth=max_depth, min_samples_leaf=min_samples_leaf, sample_weight=counts))
    return forest_module.mean_of_trees(trees, in_bag)


# --- trees/survival.py ---


def grow_survival_tree(X, y, *, max_depth=None, min_samples_leaf=15, times=None):
    """One tree of `grow_survival_forest`, on all rows, with all columns as candidates."""
    data = survival._check(X, y, times)
    check_limits(max_depth, min_samples_leaf)
    every_row = np.arange(len(data.time))
    return survival._grow(data, every_row, survival.Limits(max_depth, min_samples_leaf))
