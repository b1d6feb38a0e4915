"""Results of importance methods: all repeats are kept, so that every mean has a standard error."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.equality import EqualByFields


@dataclass(frozen=True, eq=False)
class Result(EqualByFields):
    """Base class of results: two are equal (==) if all their fields are."""


@dataclass(frozen=True, eq=False)
class Importance(Result):
    """One number a feature, with all the repeats it came from.

    names : tuple of p str
    draws : (p, n_repeats), one column a repeat: a tree, a permutation, a refit, a row ...
    method : what was computed, for titles ("MDI", "permutation importance")
    unit : what one unit of it is ("share of the impurity decrease", "squared error")
    sampling_error : (p,) or None, the method's own standard error, in place of that of the repeats
    permutation_sd : (p,) or None, spread over random permutations of a fixed test set

    >>> importance = Importance(("a", "b"), np.array([[1.0, 3.0], [5.0, 5.0]]))
    >>> importance.mean, importance == importance
    (array([2., 5.]), True)
    """

    names: tuple
    draws: NDArray
    method: str = "importance"
    unit: str = ""
    sampling_error: NDArray | None = None
    permutation_sd: NDArray | None = None

    def __post_init__(self) -> None:
        draws = np.asarray(self.draws, dtype=float)
        draws = draws[:, None] if draws.ndim == 1 else draws
        if draws.ndim != 2 or len(draws) != len(self.names):
            raise ValueError(
                f"draws has shape {draws.shape}, but there are {len(self.names)} names: "
                "expected (n_features, n_repeats).")
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "draws", draws)

    @property
    def mean(self) -> NDArray:
        """The importance: the mean over repeats -> (p,)."""
        return self.draws.mean(axis=1)

    @property
    def standard_error(self) -> NDArray:
        """Standard error of the mean -> (p,); NaN where it is unknown.

        The method's own where it has one, else sd over repeats / sqrt(n_repeats).
        """
        if self.sampling_error is not None:
            return np.asarray(self.sampling_error, dtype=float)
        n_repeats = self.draws.shape[1]
        if n_repeats < 2:
            return np.full(len(self.names), np.nan)
        return self.draws.std(axis=1, ddof=1) / np.sqrt(n_repeats)

    @property
    def rank(self) -> NDArray:
        """1 for the most important feature; tied features share the better rank -> (p,) int."""
        largest_first = np.sort(-self.mean)
        return 1 + np.searchsorted(largest_first, -self.mean, side="left")

    def to_frame(self) -> pd.DataFrame:
        """A table, most important first: feature, importance, standard_error, rank."""
        columns = {
            "feature": self.names,
            "importance": self.mean,
            "standard_error": self.standard_error,
            "rank": self.rank,
        }
        if self.permutation_sd is not None:
            columns["permutation_sd"] = self.permutation_sd
        return pd.DataFrame(columns).sort_values(["rank", "feature"], ignore_index=True)


@dataclass(frozen=True, eq=False)
class Attribution(Result):
    """Each row's prediction, divided among the features: f(x_i) = base + sum over j of phi_ij.

    values : phi, (n, p) or (n, p, n_outputs)
    base : number or (n_outputs,), what is predicted when nothing is known
    names : tuple of p str
    standard_error : shaped like values, or None where the values are exact
    unit : what values and base are counted in ("units of the prediction", "log-odds")

    >>> phi = Attribution(np.array([[1.0, -1.0], [3.0, 0.0]]), 2.0, ("a", "b"))
    >>> phi.to_importance().mean
    array([2. , 0.5])
    """

    values: NDArray
    base: NDArray | float
    names: tuple
    method: str = "Shapley values"
    standard_error: NDArray | None = None
    unit: str = "units of the prediction"

    @classmethod
    def of_outputs(
        cls,
        values: NDArray,
        base: NDArray,
        names: tuple,
        *,
        standard_error: NDArray | None = None,
        **said: str,
    ) -> "Attribution":
        """Build from values (n, p, n_outputs), base (n_outputs,); a single output loses its axis.

        standard_error : shaped like values, or None; said : method, unit

        >>> Attribution.of_outputs(np.array([[[1.0], [2.0]]]), np.array([3.0]), ("a", "b")).values
        array([[1., 2.]])
        """
        if values.shape[2] == 1:
            errors = None if standard_error is None else standard_error[:, :, 0]
            return cls(values[:, :, 0], float(base[0]), names, standard_error=errors, **said)
        return cls(values, base, names, standard_error=standard_error, **said)

    def to_importance(self) -> Importance:
        """The mean over rows of |phi_ij|, added over outputs; each row is one repeat."""
        size = np.abs(self.values)
        if size.ndim == 3:
            size = size.sum(axis=2)
        title = f"mean |{self.method}|"
        return Importance(self.names, size.T, method=title, unit=self.unit)
