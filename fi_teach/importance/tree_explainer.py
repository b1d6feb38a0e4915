"""TreeSHAP for row after row: the tables of a model are made once and kept.

What the features of a leaf contribute, for each pattern of passed and failed tests, depends on the
model alone (and on the background); which pattern a row shows depends on the row. `tree_shap` does
both kinds of work in each call. If rows come in one after the other, do the first kind beforehand:

    explain = tree_explainer(model)       # slow, once: all tables
    explain(first_row)                    # quick: look up, add
    explain(second_row)

Read next: fast/tree_explainer.py, which keeps the tables.
"""

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.model import Model, as_model, raw_unit
from fi_teach.basics.results import Attribution
from fi_teach.basics.tables import check_real_table
from fi_teach.basics.tree import rows_for
from fi_teach.fast.tree_explainer import PreparedForest


class TreeExplainer:
    """A tree model whose tables are ready: call it with rows, as often as you like."""

    def __init__(self, model: Model, prepared: PreparedForest) -> None:
        self._model = model
        self._prepared = prepared

    @property
    def nbytes(self) -> int:
        """Memory of the tables, in bytes."""
        return self._prepared.nbytes

    def __call__(self, X: ArrayLike) -> Attribution:
        """The Shapley values of rows X (n, p), as `tree_shap` gives them -> Attribution."""
        forest = self._model.forest
        rows = rows_for(forest, self._model.arrange(check_real_table(X)))
        values = np.moveaxis(self._prepared.explain(rows), 2, 0)  # (n, p, n_outputs)
        base, unit = self._prepared.base.copy(), raw_unit(forest)
        return Attribution.of_outputs(values, base, forest.names, method="TreeSHAP", unit=unit)


def tree_explainer(model: object, *, background: ArrayLike | None = None) -> TreeExplainer:
    """Prepare everything in TreeSHAP that does not depend on the rows -> TreeExplainer.

    tree_explainer(model, background=B)(X)  =  tree_shap(model, X, background=B)

    model, background : as in `tree_shap`

    Memory: a tree with d features on its paths takes about leaves * d * 2^d numbers of 8 bytes, a
    hundred trees of depth 3 a megabyte, of depth 6 ten, of depth 8 a hundred; `nbytes` says it.
    Trees with more than 12 features on a path, or beyond 256 MB in all, are walked in each call.
    Worth it for many calls of few rows: one call of many thousand is quicker by `tree_shap`, which
    makes larger tables for them.

    Source: as in `tree_shap`.

    >>> from fi_teach.trees import grow_cart
    >>> bits = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> AND = grow_cart(bits, [0.0, 0.0, 0.0, 1.0], criterion="variance")
    >>> explain = tree_explainer(AND, background=bits)
    >>> explain([[1, 1]]).values
    array([[0.375, 0.375]])
    """
    model = as_model(model)
    if background is not None:
        background = check_real_table(background, what="background")
        background = rows_for(model.forest, model.arrange(background), what="background")
    return TreeExplainer(model, PreparedForest(model.forest, background))
