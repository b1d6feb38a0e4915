"""The same values by their definition, leaf by leaf, and by the recursion that was published: what the fast code is held to."""

import numpy as np

from fi_teach.basics.games import check_players, interaction_values, shapley
from fi_teach.basics.removal import cover_shares, every_coalition, marginal, path_dependent
from fi_teach.fast.tree_shap_deep import gauss_legendre
from fi_teach.fast.tree_shap_tables import paths_of
from fi_teach.importance.tree_shap.door import as_attribution, forest_and_rows

MOST_FEATURES = 16


def tree_shap_by_definition(model, X, *, background=None):
    """What tree_shap computes, by Shapley's formula over all 2^p coalitions of features.

    v(S) = what the trees expect when only the features in S are known: followed down both branches by training cover
    (background None), or the mean over background rows. Parameters and result as in `tree_shap`.

    Raises ValueError for more than 16 features. Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_definition(AND, [[1, 1]]).values
    array([[0.375, 0.375]])
    """
    forest, payoffs = _payoffs(model, X, background)
    return as_attribution(np.moveaxis(shapley(payoffs, forest.n_features), 1, 0), payoffs[0, 0], forest.names)


def tree_shap_interactions_by_definition(model, X, *, background=None):
    """What tree_shap_interactions computes, by the interaction index over all 2^p coalitions -> (n, p, p) or (n, p, p, n_outputs).

    Raises ValueError for more than 16 features. Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_interactions_by_definition(AND, [[1, 1]])
    array([[[0.25 , 0.125],
            [0.125, 0.25 ]]])
    """
    forest, payoffs = _payoffs(model, X, background)
    values = np.moveaxis(interaction_values(payoffs, forest.n_features), 2, 0)
    return values[..., 0] if forest.n_outputs == 1 else values


def _payoffs(model, X, background):
    forest, X, background = forest_and_rows(model, X, background)
    check_players(forest.n_features, most=MOST_FEATURES, instead="tree_shap")
    return forest, every_coalition(path_dependent(forest) if background is None else marginal(forest.raw, background), X)


def leaf_shapley(value, a, b):
    """One leaf and one row, by Owen's integral: the row passes the tests on player j if a_j, a stand-in with chance b_j.

    phi_i = value * integral from 0 to 1 of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j) dt
    a (d,) of 0 and 1; b (d,) between 0 and 1 -> (d,), in units of the value

    Source: Owen (1972).

    >>> leaf_shapley(8.0, [1, 1], [0.5, 0.5])  # AND at (1, 1)
    array([3., 3.])
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    t, weight = gauss_legendre(len(a))
    factor = t * a[:, None] + (1 - t) * b[:, None]
    others = np.array([np.delete(factor, i, axis=0).prod(axis=0) for i in range(len(a))])
    return value * (a - b) * (others @ weight)


def row_passes(tree, x):
    """For every leaf, from left to right: its players, and whether the row passes all tests on each -> list of (leaf, players, bits).

    >>> from fi_teach.trees import grow_cart
    >>> row_passes(grow_cart([[0], [1]], [0.0, 1.0], criterion="variance"), [1])
    [(1, (0,), [False]), (2, (0,), [True])]
    """
    paths, row = paths_of(tree), np.asarray(x, dtype=float)[None]
    passes = {0: {}}
    for t in np.flatnonzero(~tree.is_leaf).tolist():
        left, j = bool(tree.goes_left(row, t)[0]), paths.feature[t]
        for child, passed in ((paths.left[t], left), (paths.right[t], not left)):
            passes[child] = passes[t] | {j: passes[t].get(j, True) and passed}
    return [(leaf, paths.players[leaf], [passes[leaf][j] for j in paths.players[leaf]]) for leaf in paths.leaves[0]]


def tree_shap_by_leaves(model, X, *, background=None):
    """What tree_shap computes, one leaf, one row and one background row after the other: the sum of leaf_shapley over leaves.

    Path-dependent, b_j is the share of training rows that passes; interventional, b_j is whether the background row passes,
    and the mean over background rows is taken. Parameters and result as in `tree_shap`.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_leaves(AND, [[1, 1], [1, 0]]).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, X, background = forest_and_rows(model, X, background)
    values, base = np.zeros((*X.shape, forest.n_outputs)), np.array(forest.base, dtype=float)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        for leaf, players, chances in _stand_ins(tree, background):
            leaf_value = weight * tree.value[leaf]
            base += leaf_value * np.mean([np.prod(b) for b in chances])
            for i, x in enumerate(X):
                a = next(bits for node, _, bits in row_passes(tree, x) if node == leaf)
                shares = np.mean([leaf_shapley(1.0, a, b) for b in chances], axis=0)
                values[i, list(players)] += np.multiply.outer(shares, leaf_value)
    return as_attribution(values, base, forest.names)


def _stand_ins(tree, background):
    """For every leaf its players and the b of each stand-in: one row of cover shares, or one row of bits a background row."""
    paths = paths_of(tree)
    if background is None:
        return [(leaf, paths.players[leaf], [paths.reach[leaf]]) for leaf in paths.leaves[0]]
    walks = [row_passes(tree, z) for z in background]
    return [(leaf, players, [walk[k][2] for walk in walks]) for k, (leaf, players, _) in enumerate(walks[0])]


# --- the published recursion ------------------------------------------------------------------------------------------

def tree_shap_by_recursion(model, X):
    """Path-dependent values by the published algorithm: a table of subset weights is extended at each split and unwound at leaves.

    The weights are kept by subset size, as a sum over all subsets that flow down this path; `extend` adds a player to them,
    `unwind` takes one away again. Result as in `tree_shap` without background.
    Source: Lundberg, Erion and Lee (2018), Algorithm 2.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_recursion(AND, [[1, 1], [1, 0]]).values.round(12)
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, X, _ = forest_and_rows(model, X, None)
    values = np.zeros((*X.shape, forest.n_outputs))
    base = np.array(forest.base, dtype=float)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        paths = paths_of(tree)
        base += weight * sum(np.prod(paths.reach[leaf]) * tree.value[leaf] for leaf in paths.leaves[0])
        for x, phi in zip(X, values, strict=True):
            _recurse(phi, tree, cover_shares(tree), x, weight)
    return as_attribution(values, base, forest.names)


def _recurse(phi, tree, share, x, scale):
    """RECURSE of the paper. A path is a list of players [feature, zero, one]: the shares that flow on if it is out, or in."""
    def recurse(t, path, weights, zero, one, j):
        path, weights = [*path, (j, zero, one)], extend(weights, zero, one)
        if tree.is_leaf[t]:
            for j, zero, one in path[1:]:
                phi[j] += sum(unwind(weights, zero, one)) * (one - zero) * scale * tree.value[t]
            return
        j, zero, one = int(tree.feature[t]), 1.0, 1.0
        for _, zero, one in [player for player in path if player[0] == j]:  # met above: take it out, go on with its shares
            weights, path = unwind(weights, zero, one), [player for player in path if player[0] != j]
        left = bool(tree.goes_left(x[None], t)[0])
        for child, hot in ((tree.children_left[t], left), (tree.children_right[t], not left)):
            recurse(child, path, weights, zero * share[child], one * hot, j)

    recurse(0, [], [], 1.0, 1.0, None)


def extend(weights, zero, one):
    """Subset weights by size with one player more: each subset goes on without it (share zero) and with it (share one).

    >>> extend([1.0], 0.5, 1.0)
    [0.25, 0.5]
    """
    d = len(weights)
    if d == 0:
        return [1.0]
    longer = [0.0] * (d + 1)
    for size, weight in enumerate(weights):
        longer[size] += zero * weight * (d - size) / (d + 1)
        longer[size + 1] += one * weight * (size + 1) / (d + 1)
    return longer


def unwind(weights, zero, one):
    """Subset weights with one player less: extend undone, whatever the order in which the players came.

    >>> unwind(extend([0.25, 0.5], 0.2, 1.0), 0.2, 1.0)
    [0.25, 0.5]
    """
    d = len(weights) - 1
    shorter, carried = [0.0] * d, weights[d]
    for size in reversed(range(d)):
        if one:
            shorter[size] = carried * (d + 1) / ((size + 1) * one)
            carried = weights[size] - shorter[size] * zero * (d - size) / (d + 1)
        else:
            shorter[size] = weights[size] * (d + 1) / (zero * (d - size)) if zero else 0.0
    return shorter
