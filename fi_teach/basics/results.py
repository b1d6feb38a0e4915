"""What an importance method returns: every repeat is kept, so that a bar without its spread cannot be built by accident."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Importance:
    """One number a feature, with all the repeats it came from.

    names : tuple of p str
    draws : (p, n_repeats), one column a repeat: a tree, a permutation, a refit, a row ...
    method : what was computed, for titles ("MDI", "permutation importance")
    unit : what one unit of it is ("share of the impurity decrease", "squared error")
    sampling_error : (p,) or None, a standard error that the method knows better than the repeats do
    permutation_sd : (p,) or None, spread over random permutations of a fixed test set

    >>> Importance(("a", "b"), np.array([[1.0, 3.0], [5.0, 5.0]])).mean
    array([2., 5.])
    """

    names: tuple
    draws: np.ndarray
    method: str = "importance"
    unit: str = ""
    sampling_error: np.ndarray | None = field(default=None)
    permutation_sd: np.ndarray | None = field(default=None)

    def __post_init__(self):
        draws = np.asarray(self.draws, dtype=float)
        draws = draws[:, None] if draws.ndim == 1 else draws
        if draws.ndim != 2 or len(draws) != len(self.names):
            raise ValueError(f"draws has shape {draws.shape}, but there are {len(self.names)} names: expected (n_features, n_repeats).")
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "draws", draws)

    @property
    def mean(self):
        """The importance: the mean over repeats -> (p,)."""
        return self.draws.mean(axis=1)

    @property
    def standard_error(self):
        """Standard error of the mean -> (p,); sd over repeats / sqrt(n_repeats) unless the method knows better; NaN for one repeat."""
        if self.sampling_error is not None:
            return np.asarray(self.sampling_error, dtype=float)
        n_repeats = self.draws.shape[1]
        if n_repeats < 2:
            return np.full(len(self.names), np.nan)
        return self.draws.std(axis=1, ddof=1) / np.sqrt(n_repeats)

    @property
    def rank(self):
        """1 for the most important feature; tied features share the better rank -> (p,) int."""
        mean = self.mean
        return 1 + (mean[None, :] > mean[:, None]).sum(axis=1)

    def to_frame(self):
        """A table, most important first: feature, importance, standard_error, rank."""
        table = pd.DataFrame({"feature": self.names, "importance": self.mean,
                              "standard_error": self.standard_error, "rank": self.rank})
        if self.permutation_sd is not None:
            table["permutation_sd"] = self.permutation_sd
        return table.sort_values(["rank", "feature"], ignore_index=True)


@dataclass(frozen=True)
class Attribution:
    """Each row's prediction, divided among the features: f(x_i) = base + sum over j of values[i, j].

    values : (n, p) or (n, p, n_outputs), in units of the prediction
    base : number or (n_outputs,), what is predicted when nothing is known
    names : tuple of p str
    standard_error : shaped like values, or None where the values are exact

    >>> Attribution(np.array([[1.0, -1.0], [3.0, 0.0]]), 2.0, ("a", "b")).to_importance().mean
    array([2. , 0.5])
    """

    values: np.ndarray
    base: np.ndarray | float
    names: tuple
    method: str = "Shapley values"
    standard_error: np.ndarray | None = None

    def to_importance(self):
        """Global importance: mean over rows of |phi_ij|, added over outputs; each row is one repeat."""
        size = np.abs(self.values)
        size = size.sum(axis=2) if size.ndim == 3 else size
        return Importance(self.names, size.T, method=f"mean |{self.method}|", unit="units of the prediction")
