"""The conditional randomisation test: is a feature more important than copies without signal?

Replace one column by a copy drawn without y, fit and measure again. How the copy is drawn decides
the null hypothesis: drawn given the other columns, it keeps the dependence on them, and only what
x_j alone knows of y can make the feature more important.

    p_j  =  (1 + number of copies with importance_j >= as observed) / (1 + n_repeats)
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.choices import check_choice
from fi_teach.basics.null_test import NullTest
from fi_teach.basics.refit import ImportanceOf, call_importance, check_refit_data, with_progress
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import gaussian_conditional, put, swap
from fi_teach.basics.tables import check_count, check_table


def conditional_randomization_test(
    importance_of: ImportanceOf,
    X: ArrayLike,
    y: ArrayLike,
    *,
    copies: str = "conditional",
    n_repeats: int = 100,
    rng: Seed = 0,
    progress: Callable | None = None,
) -> NullTest:
    """Test whether a feature is more important than copies of it that are drawn without y.

    copies : "conditional": drawn from the normal distribution of x_j given the other features
        (fitted by least squares). Null hypothesis: x_j tells nothing about y that the other
        features do not.
        "marginal": a random permutation of the column. Null hypothesis: x_j is independent of the
        target AND of the other features; a correlated feature without any signal of its own fails
        to look like such copies.
    the others : as in target_permutation_test; importance_of is called 1 + p n_repeats times
    -> NullTest with null (p, n_repeats); p_values for importance above its copies',
       p_values_below for negative ones

    Source: Candès et al. (2018), the conditional randomisation test, of which the
    marginal one is a special case.

    >>> def importance_of(X, y):
    ...     return np.abs(np.corrcoef(X.T, y)[-1, :-1])
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> test = conditional_randomization_test(importance_of, X, X[:, 0])
    >>> bool(test.p_values[0] == 1 / 101)
    True
    """
    rng = own_stream(rng, "conditional randomization test")
    n_repeats = check_count(n_repeats, "n_repeats")
    with_a_copy = COPIES[check_choice(copies, COPIES, "copies")]
    X, y, names = check_refit_data(X, y)
    observed = call_importance(importance_of, X, y, len(names))
    null = np.zeros((len(names), n_repeats))
    for k in with_progress(range(n_repeats), progress):
        for j in range(len(names)):
            table = with_a_copy(X, j, rng)
            null[j, k] = call_importance(importance_of, table, y, len(names))[j]
    return NullTest(names, observed, null, f"{copies} copies")


def _with_a_permuted_copy(X, j, rng):
    donors = rng.permutation(len(X))
    return swap(X, [j], np.arange(len(X)), donors[:, None])


def _with_a_conditional_copy(X, j, rng):
    table, _ = check_table(X)
    return put(X, j, gaussian_conditional(table, j, rng)[:, None])


COPIES = {"conditional": _with_a_conditional_copy, "marginal": _with_a_permuted_copy}
