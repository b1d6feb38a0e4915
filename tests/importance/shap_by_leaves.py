"""TreeSHAP as a sum over leaves: one leaf, one row and one stand-in after the other, for trees
that have too many features for the definition."""

import numpy as np

from fi_teach.basics.convert import as_forest
from fi_teach.importance.tree_shap import leaf_shapley, row_passes, training_passes


def tree_shap_by_leaves(model, X, *, background=None):
    """The sum of leaf_shapley over all leaves -> values (n, p, n_outputs), base (n_outputs,)."""
    forest = as_forest(model)
    values = np.zeros((*np.shape(X), forest.n_outputs))
    base = np.array(forest.base, dtype=float)
    for weight, tree in zip(forest.weights, forest.trees, strict=True):
        stand_ins = [training_passes(tree)] if background is None else [row_passes(tree, z) for z in background]
        explained = [row_passes(tree, x) for x in X]
        for leaf, games in enumerate(zip(*stand_ins, strict=True)):
            node, features, _ = games[0]
            value = weight * tree.value[node]
            chances = [b for _, _, b in games]
            base += value * np.mean([np.prod(b) for b in chances])
            for i, of_row in enumerate(explained):
                bits = of_row[leaf][2]
                share = np.mean([leaf_shapley(1.0, bits, b) for b in chances], axis=0)
                values[i, list(features)] += share[:, None] * value
    return values, base
