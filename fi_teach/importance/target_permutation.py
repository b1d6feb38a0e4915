"""Target permutation test: is a feature more important than for a permuted target?

A permuted y depends on no column, and the columns' dependence on one another is kept. Fit and
measure again, many times: these importances are due to chance, and contain a measure's bias, too.

    p_j  =  (1 + number of shuffles in which importance_j >= as observed) / (1 + n_repeats)

The field's names: permutation importance with p-values (PIMP), or "null importances".
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.null_test import NullTest
from fi_teach.basics.refit import ImportanceOf, call_importance, check_refit_data, with_progress
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_count


def target_permutation_test(
    importance_of: ImportanceOf,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_repeats: int = 100,
    rng: Seed = 0,
    progress: Callable | None = None,
) -> NullTest:
    """Permute the target, fit and measure again: test each importance against chance.

    Null hypothesis: y is independent of ALL features. Under it each feature's p-value is uniform
    (on multiples of 1 / (n_repeats + 1)); it also compares a feature with itself, so a measure's
    bias towards many values cancels.

    importance_of : a function (X, y) -> Importance or (p,) numbers; it fits what it needs
    X (n, p), y (n,) : of any kind that importance_of can fit; y alone is permuted
    progress : wraps the iteration, such as tqdm.tqdm
    -> NullTest with null (p, n_repeats)

    Source: Altmann et al. (2010), the empirical p-values, counted with the observation.

    >>> def importance_of(X, y):
    ...     return np.abs(np.corrcoef(X.T, y)[-1, :-1])
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> bool(target_permutation_test(importance_of, X, X[:, 0]).p_values[0] == 1 / 101)
    True
    """
    rng = own_stream(rng, "target permutation test")
    n_repeats = check_count(n_repeats, "n_repeats")
    table, target, names = check_refit_data(X, y, any_columns=True)
    observed = call_importance(importance_of, table, target, len(names))
    null = np.zeros((len(names), n_repeats))
    for k in with_progress(range(n_repeats), progress):
        shuffled = target[rng.permutation(len(target))]
        null[:, k] = call_importance(importance_of, table, shuffled, len(names))
    return NullTest(names, observed, null, "target permutation")
