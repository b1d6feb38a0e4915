"""Several trees that predict together: a random forest, boosting, or a single tree."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.apply import StepTable, step_table
from fi_teach.basics.equality import EqualByFields
from fi_teach.basics.links import mean_of
from fi_teach.basics.tree import labels_or_numbers, refuse_numbers, rows_for


@dataclass(frozen=True, eq=False)
class Forest(EqualByFields):
    """Several trees and how their values are put together. Equal (==) if all fields are.

    raw(x) = base + sum over trees m of weights[m] * value_m(x)

    kind : "tree", "forest" (weights 1/M), "boosting" (raw is a margin or a number) or
        "adaboost" (raw is a vote share)
    base : (n_outputs,), the constant a boosting model starts from
    link : what turns raw into probabilities or a positive number, see basics/links.py;
        "logistic" has one column for two classes
    words : {feature: {category: the code that the trees compare}} for columns of categories
    takes_new_words : does any other category count as missing? Else it is refused
    in_bag : (M, n) how often each tree saw each training row, or None; 0 is out of bag
    """

    trees: tuple
    weights: NDArray
    base: NDArray
    names: tuple
    classes: tuple | None = None
    kind: str = "forest"
    link: str = "identity"
    in_bag: NDArray | None = None
    words: dict = field(default_factory=dict)
    takes_new_words: bool = True

    @property
    def n_features(self) -> int:
        return len(self.names)

    @property
    def out_of_bag(self) -> NDArray:
        """Which rows each tree never saw: (M, n) bool. Raises ValueError where in_bag is None."""
        if self.in_bag is None:
            raise ValueError(
                "this model does not know which rows its trees were grown on (in_bag is None): "
                "use grow_forest or a scikit-learn forest with bootstrap=True, or "
                "permutation_importance on held-out rows.")
        return np.asarray(self.in_bag) == 0

    @property
    def n_outputs(self) -> int:
        return len(self.base)

    def raw(self, X: ArrayLike) -> NDArray:
        """The weighted sum of the trees: class probabilities, a number, or a boosting margin.

        X (n, p) -> (n, n_outputs)
        """
        rows = rows_for(self, X)
        base = np.asarray(self.base, dtype=float)
        total = np.tile(base, (len(rows), 1))
        if self._step_table is None:
            for weight, tree in zip(self.weights, self.trees, strict=True):
                total += weight * tree.value[tree.leaf_of(rows)]
            return total
        for some, trees in self._step_table.portions(len(rows)):
            leaves = self._step_table.apply(rows[some], trees)
            for value in self._weighted_values[leaves]:
                total[some] += value
        return total

    @cached_property
    def _step_table(self) -> StepTable | None:
        """The table by which rows walk down all trees at once, if these have thresholds alone."""
        return step_table(self.trees)

    @cached_property
    def _weighted_values(self) -> NDArray:
        """What each node of all trees adds to raw -> (nodes of all trees, n_outputs)."""
        pairs = zip(self.weights, self.trees, strict=True)
        return np.concatenate([weight * tree.value for weight, tree in pairs])

    def predict_proba(self, X: ArrayLike) -> NDArray:
        """Class probabilities: X (n, p) -> (n, K), columns in the order of `classes`."""
        refuse_numbers(self)
        return self.probabilities_of(self.raw(X))

    def predict(self, X: ArrayLike) -> NDArray:
        """Class labels, or numbers where the model predicts numbers: X (n, p) -> (n,) or (n, K)."""
        return self.prediction_of(self.raw(X))

    def probabilities_of(self, raw: NDArray) -> NDArray:
        """Turn raw values into class probabilities: (n, n_outputs) -> (n, K)."""
        mean = mean_of(raw, self.link)
        is_second_of_two = self.link != "identity" and mean.shape[1] == 1
        return np.column_stack([1 - mean, mean]) if is_second_of_two else mean

    def prediction_of(self, raw: NDArray) -> NDArray:
        """Turn raw values (n, n_outputs) into labels or numbers."""
        if self.classes is None:
            return labels_or_numbers(mean_of(raw, self.link), None)
        return labels_or_numbers(self.probabilities_of(raw), self.classes)
