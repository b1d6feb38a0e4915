"""TreeSHAP: the Shapley values of a tree's prediction, exact, without asking 2^p coalitions.

A prediction is divided among the features like a payout among players (chapter 8). What a coalition
S earns, v(S), is what the model predicts when only the features in S are known. Three games:

    interventional   the others come from a background row z, whatever is known
    path-dependent   where a split asks one of the others, both branches, weighted by training rows
    conditional      the others as they go with what is known: no tree can say that (chapter 9)

Why trees are quick: a tree is a sum of leaves, and a leaf is a small game. All it asks of a row is
one bit for each of the d features on its path: does the row pass all tests on this feature? With
a_j the row's bit and b_j the chance that a stand-in passes,

    v(S)  = value * product over j in S of a_j * product over the other j of b_j
    phi_i = value * integral over t of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j)

(Owen 1972: each player arrives at a random time between 0 and 1; when i arrives at t, every other
one is there with chance t). Path-dependent, b_j is a share of training rows; interventional, it is
the bit of a background row, and the mean over background rows is taken.

`tree_shap_by_definition` asks every coalition, `tree_shap_by_leaves` adds up the integrals,
`tree_shap_by_recursion` is the algorithm as it was published. What makes `tree_shap` fast is in
fi_teach/fast/tree_shap.py and the files beside it. The numbers are the same.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.convert import as_forest
from fi_teach.basics.games import check_players, interaction_values, shapley
from fi_teach.basics.model import raw_unit
from fi_teach.basics.removal import (
    check_background,
    cover_shares,
    every_coalition,
    marginal,
    path_dependent,
)
from fi_teach.basics.results import Attribution
from fi_teach.basics.tables import feature_names
from fi_teach.basics.tree import LEAF, rows_for
from fi_teach.fast.tree_shap import sum_over_trees
from fi_teach.fast.tree_shap_quadrature import gauss_legendre

MOST_FEATURES = 16


def tree_shap(model: object, X: ArrayLike, *, background: ArrayLike | None = None) -> Attribution:
    """Shapley values of every prediction of a tree model, exact, in time that does not grow with 2^p.

    phi_ij = sum over S without j of |S|! (p-|S|-1)! / p! * (v_i(S + j) - v_i(S))
    f(x_i) = base + sum over j of phi_ij

    model : our Tree or Forest, or any tree model of scikit-learn, XGBoost or LightGBM; X (n, p)
    background : None for the path-dependent game, or rows (m, p) for the interventional one
    -> Attribution, values (n, p) or (n, p, n_outputs), in units of the raw score: boosting's margin with its
       constant, a forest's class probabilities, as the shap library has them. A feature that no tree uses
       gets exactly 0.

    Cost of a tree: by tables about leaves * d * 2^d, and a few look-ups a row; where that is more, leaves * d
    a row (path-dependent), or the nodes that a pair of rows may meet (interventional).
    Memory beyond the result: a copy of X and of the background, for each of their rows 2 bytes a level of the
    deepest tree and 16 more, and 40 MB.

    Raises ValueError for a model that is not fitted, columns that disagree, NaN where the model takes none,
    no background rows. Sources: Lundberg et al. (2020), Methods; Nadel and Wettenstein (2026).

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap(AND, [[1, 1], [1, 0]], background=bits).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, X, background = _forest_and_rows(model, X, background)
    total, base = sum_over_trees(forest, X, background, order=1)
    return _attribution(np.moveaxis(total, 2, 0), base, forest)


def tree_shap_interactions(model: object, X: ArrayLike, *, background: ArrayLike | None = None) -> NDArray:
    """Every Shapley value split into a feature's own part and half of each of its interactions, exact.

    Phi_ij = 1/2 sum over S without i, j of |S|! (p-|S|-2)! / (p-1)!
                 * (v(S+i+j) - v(S+i) - v(S+j) + v(S))
    Phi_ii = phi_i - sum over j != i of Phi_ij

    Parameters, games and errors as in `tree_shap` -> (n, p, p) or (n, p, p, n_outputs), symmetric; row i
    sums to phi_i. Memory: twice the result, and what tree_shap takes.

    Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_interactions(AND, [[1, 1]], background=bits)
    array([[[0.25 , 0.125],
            [0.125, 0.25 ]]])
    """
    forest, X, background = _forest_and_rows(model, X, background)
    phi, _ = sum_over_trees(forest, X, background, order=1)
    halves, _ = sum_over_trees(forest, X, background, order=2)
    halves = halves + halves.swapaxes(0, 1)  # only pairs i > j were filled in
    own = np.arange(forest.n_features)
    halves[own, own] = phi - halves.sum(axis=1)
    values = np.moveaxis(halves, 3, 0)
    return values[..., 0] if forest.n_outputs == 1 else values


# --- by definition ----------------------------------------------------------------------------------------

def tree_shap_by_definition(
        model: object, X: ArrayLike, *, background: ArrayLike | None = None) -> Attribution:
    """What tree_shap computes, by Shapley's formula over all 2^p coalitions of features.

    Parameters and result as in `tree_shap`.

    Raises ValueError for more than 16 features. Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_definition(AND, [[1, 1]]).values
    array([[0.375, 0.375]])
    """
    forest, payoffs = _payoffs(model, X, background)
    values = shapley(payoffs, forest.n_features)
    base = payoffs[0, 0]  # the empty coalition's, the same for every row
    return _attribution(np.moveaxis(values, 1, 0), base, forest)


def tree_shap_interactions_by_definition(
        model: object, X: ArrayLike, *, background: ArrayLike | None = None) -> NDArray:
    """What tree_shap_interactions computes, by the interaction index over all 2^p coalitions.

    Raises ValueError for more than 16 features. Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_interactions_by_definition(AND, [[1, 1]])
    array([[[0.25 , 0.125],
            [0.125, 0.25 ]]])
    """
    forest, payoffs = _payoffs(model, X, background)
    values = np.moveaxis(interaction_values(payoffs, forest.n_features), 2, 0)
    return values[..., 0] if forest.n_outputs == 1 else values


def _payoffs(model, X, background):
    """The forest, and what every coalition earns for every row (2^p, n, n_outputs)."""
    forest, X, background = _forest_and_rows(model, X, background)
    check_players(forest.n_features, most=MOST_FEATURES, instead="tree_shap")
    v = path_dependent(forest) if background is None else marginal(forest.raw, background)
    return forest, every_coalition(v, X)


# --- leaf by leaf -----------------------------------------------------------------------------------------

def leaf_shapley(value: float, a: ArrayLike, b: ArrayLike) -> NDArray:
    """One leaf, one row, one stand-in: the row passes the tests on player j if a_j, the stand-in with chance b_j.

    phi_i = value * integral from 0 to 1 of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j) dt
    a (d,) of 0 and 1; b (d,) between 0 and 1 -> (d,), in units of the value. The integrand is a polynomial
    of degree d - 1, so the rule of Gauss and Legendre with ceil(d/2) times t is exact.

    Source: Owen (1972).

    >>> leaf_shapley(8.0, [1, 1], [0.5, 0.5])  # AND at (1, 1)
    array([3., 3.])
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    t, weight = gauss_legendre(len(a))
    is_there = t * a[:, None] + (1 - t) * b[:, None]  # (d, times)
    phi = np.zeros(len(a))
    for i in range(len(a)):
        others = np.delete(is_there, i, axis=0).prod(axis=0)
        phi[i] = value * (a[i] - b[i]) * (others @ weight)
    return phi


def row_passes(tree: object, x: ArrayLike) -> list:
    """For every leaf, from left to right: its players, and whether the row passes all tests on each.

    -> list of (leaf, players, bits)

    >>> from fi_teach.trees import grow_cart
    >>> row_passes(grow_cart([[0], [1]], [0.0, 1.0], criterion="variance"), [1])
    [(1, (0,), [0]), (2, (0,), [1])]
    """
    row = np.asarray(x, dtype=float)[None]

    def passing(t):
        goes_left = int(tree.goes_left(row, t)[0])
        return goes_left, 1 - goes_left

    return _at_leaves(tree, passing)


def training_passes(tree: object) -> list:
    """For every leaf, from left to right: its players, and which share of the training rows passes each.

    -> list of (leaf, players, shares); the path-dependent game's stand-in

    >>> from fi_teach.trees import grow_cart
    >>> training_passes(grow_cart([[0], [1], [1], [1]], [0.0, 1, 1, 1], criterion="variance"))
    [(1, (0,), [0.25]), (2, (0,), [0.75])]
    """
    share = cover_shares(tree).tolist()

    def passing(t):
        return share[tree.children_left[t]], share[tree.children_right[t]]

    return _at_leaves(tree, passing)


def _at_leaves(tree, passing):
    """Multiply down every path, feature by feature, what passes to the left and to the right at each node."""
    found, waiting = [], [(0, {})]
    while waiting:
        t, passes = waiting.pop()
        if tree.children_left[t] == LEAF:
            found.append((t, tuple(passes), list(passes.values())))
            continue
        j = int(tree.feature[t])
        to_left, to_right = passing(t)
        so_far = passes.get(j, 1)
        waiting.append((int(tree.children_right[t]), passes | {j: so_far * to_right}))
        waiting.append((int(tree.children_left[t]), passes | {j: so_far * to_left}))
    return found


def tree_shap_by_leaves(model: object, X: ArrayLike, *, background: ArrayLike | None = None) -> Attribution:
    """What tree_shap computes, one leaf, one row and one stand-in after the other: the sum of leaf_shapley.

    Parameters and result as in `tree_shap`.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_leaves(AND, [[1, 1], [1, 0]]).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, X, background = _forest_and_rows(model, X, background)
    values = np.zeros((*X.shape, forest.n_outputs))
    base = np.array(forest.base, dtype=float)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        rows = [row_passes(tree, x) for x in X]
        stand_ins = _stand_ins(tree, background)
        for k, (leaf, players, _) in enumerate(stand_ins[0]):
            leaf_value = weight * tree.value[leaf]
            chances = [stand_in[k][2] for stand_in in stand_ins]
            base += leaf_value * np.mean([np.prod(b) for b in chances])
            for i, row in enumerate(rows):
                shares = np.mean([leaf_shapley(1.0, row[k][2], b) for b in chances], axis=0)
                values[i, list(players)] += np.multiply.outer(shares, leaf_value)
    return _attribution(values, base, forest)


def _stand_ins(tree, background):
    """What stands in for the unknown: all training rows as one, or each background row."""
    if background is None:
        return [training_passes(tree)]
    return [row_passes(tree, z) for z in background]


# --- as it was published ----------------------------------------------------------------------------------

def tree_shap_by_recursion(model: object, X: ArrayLike) -> Attribution:
    """Path-dependent values by the published algorithm: weights are extended at splits, unwound at leaves.

    The weights are kept by subset size, as a sum over all subsets that flow down this path; `extend` adds a
    player to them, `unwind` takes one away again. Result as in `tree_shap` without background.
    Source: Lundberg, Erion and Lee (2018), Algorithm 2.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_recursion(AND, [[1, 1], [1, 0]]).values.round(12)
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, X, _ = _forest_and_rows(model, X, None)
    values = np.zeros((*X.shape, forest.n_outputs))
    base = np.array(forest.base, dtype=float)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        for leaf, _, shares in training_passes(tree):
            base += weight * np.prod(shares) * tree.value[leaf]
        for x, phi in zip(X, values, strict=True):
            _recurse(phi, tree, x, weight)
    return _attribution(values, base, forest)


def _recurse(phi, tree, x, scale):
    """RECURSE of the paper, with a list of what waits in place of calls, for trees of any depth.

    A path is a dict of players, {feature: (zero, one)}: the shares that flow on if it is out, or in.
    """
    share, row = cover_shares(tree), x[None]
    waiting = [(0, {}, [1.0])]
    while waiting:
        t, path, weights = waiting.pop()
        if tree.children_left[t] == LEAF:
            for j, (zero, one) in path.items():
                phi[j] += sum(unwind(weights, zero, one)) * (one - zero) * scale * tree.value[t]
            continue
        j, goes_left = int(tree.feature[t]), tree.goes_left(row, t)[0]
        zero, one = path.get(j, (1.0, 1.0))
        if j in path:  # met above: take it out, go on with its shares
            weights = unwind(weights, zero, one)
        for child, hot in ((tree.children_left[t], goes_left), (tree.children_right[t], not goes_left)):
            player = zero * share[child], one * hot
            waiting.append((child, path | {j: player}, extend(weights, *player)))


def extend(weights: list, zero: float, one: float) -> list:
    """Subset weights by size with one player more: each subset goes on without it (zero) and with it (one).

    >>> extend([1.0], 0.5, 1.0)
    [0.25, 0.5]
    """
    d = len(weights)
    longer = [0.0] * (d + 1)
    for size, weight in enumerate(weights):
        longer[size] += zero * weight * (d - size) / (d + 1)
        longer[size + 1] += one * weight * (size + 1) / (d + 1)
    return longer


def unwind(weights: list, zero: float, one: float) -> list:
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
        elif zero:
            shorter[size] = weights[size] * (d + 1) / (zero * (d - size))
    return shorter


# --- what all of them share -------------------------------------------------------------------------------

def _forest_and_rows(model, X, background):
    """The model as a Forest, X and the background (or None) as arrays in its columns' order."""
    forest = as_forest(model)
    rows = rows_for(forest, X)
    if background is None:
        return forest, rows, None
    background = check_background(background, feature_names(X))
    if isinstance(X, pd.DataFrame):
        background = pd.DataFrame(background, columns=X.columns)
    return forest, rows, rows_for(forest, background)


def _attribution(values, base, forest):
    """values (n, p, n_outputs) and base (n_outputs,) as an Attribution; a single output loses its axis."""
    if values.shape[2] == 1:
        values, base = values[:, :, 0], float(base[0])
    return Attribution(
        values, base, forest.names, method="TreeSHAP", unit=raw_unit(forest))
