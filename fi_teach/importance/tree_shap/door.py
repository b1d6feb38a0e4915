"""The public door of TreeSHAP: which algorithm for which tree, and the checks."""

from dataclasses import replace
from math import prod

import numpy as np
import pandas as pd

from fi_teach.basics.convert import as_forest
from fi_teach.basics.model import raw_unit
from fi_teach.basics.removal import check_background
from fi_teach.basics.results import Attribution
from fi_teach.basics.tables import feature_names
from fi_teach.basics.tree import rows_for
from fi_teach.fast.tree_shap_deep import add_by_pairs, add_by_quadrature
from fi_teach.fast.tree_shap_tables import add_by_tables, paths_of

ALWAYS_TABLES, MOST_TABLES = 8, 16  # players on a path: tables of 2^8 columns cost nothing, of 2^16 they are the limit


def tree_shap(model, X, *, background=None):
    """Shapley values of every prediction of a tree model, exact, in time that does not grow with 2^p.

    phi_ij = sum over S without j of |S|! (p-|S|-1)! / p! * (v_i(S + j) - v_i(S)),   f(x_i) = base + sum_j phi_ij
    background None, the path-dependent game: v_i(S) follows both branches of a split whose feature is not in S, weighted by
        the training rows that took them
    background (m, p), the interventional game: v_i(S) = mean over background rows z of f(x_iS, z_without S)
    model : our Tree or Forest, or anything from_model takes; X (n, p)
    -> Attribution, values (n, p) or (n, p, n_outputs), in units of the raw score: boosting's margin with its constant, a
       forest's class probabilities, as the shap library has them. A feature that no tree uses gets exactly 0.

    Cost of a tree with d features on its longest path: about leaves * d * 2^d to tabulate and a few look-ups a row and feature;
    beyond 8 features leaves * d a row (path-dependent) or leaves a pair of rows (interventional), if that is less.
    Memory beyond the result: a copy of X and of the background, for each of their rows 2 bytes a level of the deepest tree
    and 16 more, and 30 MB. Rows are looked up in chunks, so a million of them take no other working memory.

    Raises ValueError for a model that is not fitted, columns that disagree, NaN where the model takes none, no background rows.
    Sources: Lundberg et al. (2020), Methods; Nadel and Wettenstein (2026); Wettenstein, Mitchell and Yu (2026).

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap(AND, [[1, 1], [1, 0]], background=bits).values
    array([[ 0.375,  0.375],
           [ 0.125, -0.375]])
    """
    forest, total, base = _explain(model, X, background, order=1)
    attribution = as_attribution(np.moveaxis(total, 2, 0), base, forest.names)
    return replace(attribution, unit=raw_unit(forest))


def tree_shap_interactions(model, X, *, background=None):
    """Every Shapley value split into a feature's own part and half of each of its interactions, exact.

    Phi_ij = 1/2 sum over S without i, j of |S|! (p-|S|-2)! / (p-1)! * (v(S+i+j) - v(S+i) - v(S+j) + v(S)),
    Phi_ii = phi_i - sum over j != i of Phi_ij
    Parameters, games and errors as in `tree_shap` -> (n, p, p) or (n, p, p, n_outputs), symmetric; row i sums to phi_i.
    Memory: twice the result, and what tree_shap takes.

    Source: Lundberg et al. (2020), Methods.

    >>> from fi_teach.trees import grow_cart
    >>> AND = grow_cart([[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> tree_shap_interactions(AND, [[1, 1]])
    array([[[0.25 , 0.125],
            [0.125, 0.25 ]]])
    """
    phi = tree_shap(model, X, background=background).values
    forest, total, _ = _explain(model, X, background, order=2)
    values = np.moveaxis(total + total.swapaxes(0, 1), 3, 0)  # only pairs i > j were filled in
    own = np.arange(forest.n_features)
    values[:, own, own] = phi.reshape(*phi.shape[:2], -1) - values.sum(axis=2)
    return values[..., 0] if forest.n_outputs == 1 else values


def forest_and_rows(model, X, background):
    """The model as a Forest, X and the background (or None) as arrays in its columns' order."""
    forest = as_forest(model)
    rows = rows_for(forest, X)
    if background is None:
        return forest, rows, None
    background = check_background(background, feature_names(X))
    if isinstance(X, pd.DataFrame):
        background = pd.DataFrame(background, columns=X.columns)
    return forest, rows, rows_for(forest, background)


def as_attribution(values, base, names):
    """values (n, p, n_outputs) and base (n_outputs,) as an Attribution; a single output loses its axis."""
    if values.shape[2] == 1:
        values, base = values[:, :, 0], float(base[0])
    return Attribution(values, base, names, method="TreeSHAP")


def _explain(model, X, background, order):
    """Sum over trees -> (forest, total (p, n_outputs, n) or (p, p, n_outputs, n), base (n_outputs,))."""
    forest, X, background = forest_and_rows(model, X, background)
    X, background = (None if rows is None else np.asfortranarray(rows) for rows in (X, background))  # columns are read whole
    total = np.zeros((*[forest.n_features] * order, forest.n_outputs, len(X)))
    base = np.array(forest.base, dtype=float) if background is None else forest.raw(background).mean(axis=0)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        paths, value, outputs = paths_of(tree), *_used_outputs(weight * tree.value)
        if background is None:
            base[outputs] += sum(prod(paths.reach[leaf]) * value[leaf] for leaf in paths.leaves[0])
        if paths.longest:
            _add_tree(total[..., outputs, :], paths, value, X, background, order)
    return forest, total, base


def _used_outputs(value):
    """The columns of value that are not all zero (a tree of multiclass boosting speaks for one class), and where they are."""
    used = np.flatnonzero(value.any(axis=0))
    outputs = slice(used.min(), used.max() + 1) if len(used) else slice(0, 1)
    return value[:, outputs], outputs


def _add_tree(total, paths, value, X, background, order):
    """Add one tree by tables, unless they would have more columns than there are rows, or a quarter of the pairs, to look up."""
    leaves = paths.leaves[0]
    columns = sum(2 ** len(paths.players[leaf]) for leaf in leaves) / len(leaves)
    lookups = len(X) if background is None else len(X) * len(background) / 4
    if paths.longest <= ALWAYS_TABLES or (paths.longest <= MOST_TABLES and columns <= lookups):
        add_by_tables(total, paths, value, X, background, order)
    elif background is None:
        add_by_quadrature(total, paths, value, X, order)
    else:
        add_by_pairs(total, paths, value, X, background, order)
