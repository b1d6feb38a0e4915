"""The result of a test: observed importances beside those under the null hypothesis."""

from dataclasses import dataclass

import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.multiple_testing import benjamini_hochberg, holm
from fi_teach.basics.results import Result


@dataclass(frozen=True, eq=False)
class NullTest(Result):
    """Observed importances, and importances under the null hypothesis, with p-values.

    names : p names
    observed : (p,) importances of the table as it is
    null : (p, n_repeats), importances of each feature under the null hypothesis
    method : which hypothesis

    >>> import numpy as np
    >>> test = NullTest(("a", "b"), np.array([5.0, 1.0]), np.array([[1.0, 2, 3], [0, 1, 2]]))
    >>> test.p_values
    array([0.25, 0.75])
    """

    names: tuple
    observed: NDArray
    null: NDArray
    method: str = ""

    @property
    def p_values(self) -> NDArray:
        """(1 + number of nulls >= observed) / (1 + n_repeats) -> (p,).

        The 1 is the observation itself, which under the null is one more draw: without it p could
        be 0, and the type I error too large.
        """
        as_large = self.null >= self.observed[:, None]
        return self._share(as_large)

    @property
    def p_values_below(self) -> NDArray:
        """(1 + number of nulls <= observed) / (1 + n_repeats) -> (p,): is a NEGATIVE importance
        more than luck?
        """
        as_small = self.null <= self.observed[:, None]
        return self._share(as_small)

    def _share(self, extreme):
        n_repeats = self.null.shape[1]
        return (1 + extreme.sum(axis=1)) / (1 + n_repeats)

    def to_frame(self) -> pd.DataFrame:
        """A table, smallest p-value first: feature, importance, mean and sd of the nulls, p_value,
        and the p-values corrected for their number.
        """
        p = self.p_values
        columns = {
            "feature": self.names,
            "importance": self.observed,
            "null_mean": self.null.mean(axis=1),
            "null_sd": self.null.std(axis=1),
            "p_value": p,
            "holm": holm(p),
            "benjamini_hochberg": benjamini_hochberg(p),
        }
        table = pd.DataFrame(columns)
        return table.sort_values(["p_value", "feature"], ignore_index=True)
