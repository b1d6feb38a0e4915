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

Read next: fast/tree_shap.py, which computes all leaves of all trees at once.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.games import check_players, gauss_legendre, interaction_values, shapley
from fi_teach.basics.model import as_model, raw_unit
from fi_teach.basics.results import Attribution
from fi_teach.basics.tables import check_real_table
from fi_teach.basics.tree import LEAF, Tree, rows_for
from fi_teach.basics.value_functions import (
    check_background,
    cover_shares,
    every_coalition,
    marginal,
    path_dependent,
)
from fi_teach.fast.tree_shap import sum_over_trees

MOST_FEATURES = 16
MOST_NUMBERS = 2**29  # of all interactions: 4 GB

Background = ArrayLike | None
LeafGame = tuple[int, tuple[int, ...], list[float]]


def tree_shap(model: object, X: ArrayLike, *, background: Background = None) -> Attribution:
    """Exact Shapley values of every prediction of a tree model, in time that does not grow as 2^p.

    phi_ij = sum over S without j of |S|! (p-|S|-1)! / p! * (v_i(S + j) - v_i(S))
    f(x_i) = base + sum over j of phi_ij

    model : our Tree or Forest, or any tree model of scikit-learn, XGBoost or LightGBM; X (n, p)
    background : None for the path-dependent game, or rows (m, p) for the interventional one
    -> Attribution, values (n, p) or (n, p, n_outputs), in units of the raw score: boosting's margin
        with its constant, a forest's class probabilities, as the shap library has them. A feature
        that no tree uses gets exactly 0.

    Cost of a tree with d features on a path: about leaves * d * 2^d for tables, and a few look-ups
    a row; where that is more, leaves * d a row (path-dependent), or as many nodes as each row with
    each background row may meet (interventional). Memory beyond the result: about 40 MB.

    Sources: Lundberg et al. (2020), Methods; Nadel and Wettenstein (2026).

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap(AND, [[1, 1], [1, 0]], background=bits).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, rows, others = _forest_and_rows(model, X, background)
    total, base = sum_over_trees(forest, rows, others, order=1)
    return _attribution(np.moveaxis(total, 2, 0), base, forest)


def tree_shap_interactions(
    model: object, X: ArrayLike, *, background: Background = None
) -> NDArray:
    """Split every Shapley value into the feature's own part and half of each interaction.

    Phi_ij = 1/2 sum over S without i, j of |S|! (p-|S|-2)! / (p-1)!
                 * (v(S+i+j) - v(S+i) - v(S+j) + v(S))
    Phi_ii = phi_i - sum over j != i of Phi_ij

    Parameters and games as in `tree_shap` -> (n, p, p) or (n, p, p, n_outputs), symmetric; row i
    sums to phi_i. Memory: twice the result, which may take 4 GB at most.

    Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_interactions(AND, [[1, 1]], background=bits)
    array([[[0.25 , 0.125],
            [0.125, 0.25 ]]])
    """
    forest, rows, others = _forest_and_rows(model, X, background)
    n_numbers = len(rows) * forest.n_features**2 * forest.n_outputs
    if n_numbers > MOST_NUMBERS:
        raise ValueError(
            f"the interactions would be {n_numbers:,} numbers, more than {MOST_NUMBERS:,}: explain "
            "fewer rows at a time, or fit the model on the columns that it asks about.")
    parts, _ = sum_over_trees(forest, rows, others, order=2)  # values at (i, i), pairs at i > j
    for i in range(forest.n_features):
        for j in range(i):
            parts[j, i] = parts[i, j]
            parts[i, i] -= parts[i, j]
            parts[j, j] -= parts[i, j]
    values = np.moveaxis(parts, 3, 0)
    return values[..., 0] if forest.n_outputs == 1 else values


# --- by definition ---

def tree_shap_by_definition(
    model: object, X: ArrayLike, *, background: Background = None
) -> Attribution:
    """Compute tree_shap by Shapley's formula, over all 2^p coalitions of at most 16 features.

    Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_definition(AND, [[1, 1]]).values
    array([[0.375, 0.375]])
    """
    forest, payoffs = _payoffs(model, X, background)
    phi = shapley(payoffs, forest.n_features)
    base = payoffs[0, 0]  # the empty coalition's, the same for every row
    return _attribution(np.moveaxis(phi, 1, 0), base, forest)


def tree_shap_interactions_by_definition(
    model: object, X: ArrayLike, *, background: Background = None
) -> NDArray:
    """Compute tree_shap_interactions by the interaction index, over at most 2^16 coalitions.

    Source: Lundberg et al. (2020), Methods.

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
    """The forest, and the value of every coalition for every row (2^p, n, n_outputs)."""
    forest, rows, others = _forest_and_rows(model, X, background)
    check_players(forest.n_features, most=MOST_FEATURES, instead="tree_shap")
    v = path_dependent(forest) if background is None else marginal(forest, others)
    return forest, every_coalition(v, rows)


# --- leaf by leaf ---

def leaf_shapley(value: float, a: ArrayLike, b: ArrayLike) -> NDArray:
    """Divide the value of one leaf among its features, for one row and one stand-in.

    phi_i = value * integral over t of (a_i - b_i) * product over j != i of (t a_j + (1-t) b_j)
    a (d,) : 1 where the row passes all tests on feature j, else 0
    b (d,) : the chance that the stand-in does -> (d,), in units of the value

    The integrand is a polynomial of degree d - 1, so the rule of Gauss and Legendre with ceil(d/2)
    times t is exact. Source: Owen (1972).

    >>> leaf_shapley(8.0, [1, 1], [0.5, 0.5])  # AND at (1, 1)
    array([3., 3.])
    """
    a = np.asarray(a, dtype=float)
    b = np.asarray(b, dtype=float)
    t, weight = gauss_legendre(len(a))
    is_there = t * a[:, None] + (1 - t) * b[:, None]  # (d, times)
    phi = np.zeros(len(a))
    for i in range(len(a)):
        others = np.delete(is_there, i, axis=0)
        integral = others.prod(axis=0) @ weight
        phi[i] = value * (a[i] - b[i]) * integral
    return phi


def row_passes(tree: Tree, x: ArrayLike) -> list[LeafGame]:
    """For every leaf, from left to right: its features, and whether the row passes their tests.

    -> list of (leaf, features, bits)

    >>> from fi_teach.trees import grow_cart
    >>> row_passes(grow_cart([[0], [1]], [0.0, 1.0], criterion="variance"), [1])
    [(1, (0,), [0]), (2, (0,), [1])]
    """
    row = np.asarray(x, dtype=float)[None]

    def who_passes(t):
        goes_left = int(tree.goes_left(row, t)[0])
        return goes_left, 1 - goes_left

    return _leaf_games(tree, who_passes)


def training_passes(tree: Tree) -> list[LeafGame]:
    """For every leaf, from left to right: its features, and the share of training rows that passes.

    -> list of (leaf, features, shares), the stand-in of the path-dependent game

    >>> from fi_teach.trees import grow_cart
    >>> training_passes(grow_cart([[0], [1], [1], [1]], [0.0, 1, 1, 1], criterion="variance"))
    [(1, (0,), [0.25]), (2, (0,), [0.75])]
    """
    share = cover_shares(tree).tolist()

    def who_passes(t):
        left, right = _children(tree, t)
        return share[left], share[right]

    return _leaf_games(tree, who_passes)


def _leaf_games(tree, who_passes):
    """Multiply, down every path, what passes the tests on each of its features -> list of games."""
    games = []
    waiting = [(0, {})]
    while waiting:
        t, passes = waiting.pop()
        left, right = _children(tree, t)
        if left == LEAF:
            games.append((t, tuple(passes), list(passes.values())))
            continue
        j = int(tree.feature[t])
        so_far = passes.get(j, 1)
        to_left, to_right = who_passes(t)
        waiting.append((right, passes | {j: so_far * to_right}))
        waiting.append((left, passes | {j: so_far * to_left}))
    return games


# --- as it was published ---

def tree_shap_by_recursion(model: object, X: ArrayLike) -> Attribution:
    """Path-dependent values by the published algorithm: extended at splits, unwound at leaves.

    A list of weights is carried down: a sum over all subsets of players that flow down this path,
    by subset size. `extend` adds a player, `unwind` takes one away again.

    Source: Lundberg, Erion and Lee (2018), Algorithm 2.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_by_recursion(AND, [[1, 1], [1, 0]]).values.round(12)
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, rows, _ = _forest_and_rows(model, X, None)
    values = np.zeros((*rows.shape, forest.n_outputs))
    base = np.array(forest.base, dtype=float)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        for leaf, _, shares in training_passes(tree):
            chance = np.prod(shares)
            base += weight * chance * tree.value[leaf]
        for x, phi in zip(rows, values, strict=True):
            _recurse(phi, tree, x, weight)
    return _attribution(values, base, forest)


def _recurse(phi, tree, x, scale):
    """RECURSE of the paper, with a stack in place of recursive calls, for trees of any depth.

    A path is {feature: (zero, one)}: the shares that flow on if the player is out, or in.
    """
    share = cover_shares(tree).tolist()
    waiting = [(0, {}, [1.0])]
    while waiting:
        t, path, weights = waiting.pop()
        left, right = _children(tree, t)
        if left == LEAF:
            value = scale * tree.value[t]
            for j, (zero, one) in path.items():
                without_j = sum(unwind(weights, zero, one))
                phi[j] += without_j * (one - zero) * value
            continue
        j = int(tree.feature[t])
        zero, one = path.get(j, (1.0, 1.0))
        if j in path:  # met above: take it out, go on with its shares
            weights = unwind(weights, zero, one)
        goes_left = float(tree.goes_left(x[None], t)[0])
        for child, passes in ((left, goes_left), (right, 1 - goes_left)):
            player = zero * share[child], one * passes
            longer = extend(weights, *player)
            waiting.append((child, path | {j: player}, longer))


def extend(weights: list[float], zero: float, one: float) -> list[float]:
    """Add one player to subset weights by size.

    Each subset goes on without it (a share of zero) and with it (a share of one).

    >>> extend([1.0], 0.5, 1.0)
    [0.25, 0.5]
    """
    d = len(weights)
    longer = [0.0] * (d + 1)
    for size, weight in enumerate(weights):
        longer[size] += zero * weight * (d - size) / (d + 1)
        longer[size + 1] += one * weight * (size + 1) / (d + 1)
    return longer


def unwind(weights: list[float], zero: float, one: float) -> list[float]:
    """Take one player out of subset weights: undo extend, in whatever order the players came.

    >>> unwind(extend([0.25, 0.5], 0.2, 1.0), 0.2, 1.0)
    [0.25, 0.5]
    """
    d = len(weights) - 1
    shorter = [0.0] * d
    carried = weights[d]
    for size in reversed(range(d)):
        if one:
            shorter[size] = carried * (d + 1) / ((size + 1) * one)
            without = shorter[size] * zero * (d - size) / (d + 1)
            carried = weights[size] - without
        elif zero:
            shorter[size] = weights[size] * (d + 1) / (zero * (d - size))
    return shorter


# --- what all of them share ---

def _forest_and_rows(model, X, background):
    """The model as a Forest, X and the background (or None) as arrays in its columns' order."""
    model, X = as_model(model), check_real_table(X)
    forest = model.forest
    rows = rows_for(forest, model.arrange(X))
    if background is None:
        return forest, rows, None
    background = check_background(background, X)
    return forest, rows, rows_for(forest, model.arrange(background), what="background")


def _children(tree, t):
    return int(tree.children_left[t]), int(tree.children_right[t])


def _attribution(values, base, forest):
    """Values (n, p, n_outputs) and base (n_outputs,) of a forest as an Attribution."""
    unit = raw_unit(forest)
    return Attribution.of_outputs(values, base, forest.names, method="TreeSHAP", unit=unit)
