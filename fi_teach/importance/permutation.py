"""Permutation importance: how much worse are the predictions when one column is permuted?

A permutation keeps the values of column j and breaks its dependence on the target and on the other
columns. The model is not refitted, so the answer is about *this* model; use rows that it was not
fitted on.

    PFI_j  =  mean over permutations d, mean over rows i of
              L(y_i, f(x_i with its x_j from row d(i)))  -  L(y_i, f(x_i))

Read next: fast/permutation.py, which asks the model about many shuffles at once.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation, check_groups
from fi_teach.basics.losses import Loss, Score, auc, set_score
from fi_teach.basics.model import as_model
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import shuffles, swap
from fi_teach.basics.tables import check_real_table
from fi_teach.basics.target import check_y
from fi_teach.fast.permutation import losses_after_shuffling

METHOD = "permutation importance"
JACKKNIFE_PARTS = 20


def permutation_importance_by_definition(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 30,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Copy the table, permute one column, predict again, and count the new mistakes.

    Source: as in `permutation_importance`.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> permutation_importance_by_definition(lambda X: X[:, 0], X, [0, 1, 2, 3]).rank
    array([1, 2])
    """
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    rng = own_stream(rng, "permutation importance")
    before = test_set.losses(test_set.X)
    rows = np.arange(test_set.n_rows)
    permuted = []
    for j in range(test_set.n_features):
        donors = shuffles(test_set.n_rows, n_repeats, rng)
        gains = np.zeros(donors.shape)
        for k in range(n_repeats):
            one_column_permuted = swap(test_set.X, [j], rows, donors[:, [k]])
            gains[:, k] = test_set.losses(one_column_permuted) - before
        permuted.append((gains, test_set.variance_of_mean_gain(gains, donors)))
    return test_set.importance(permuted, METHOD)


def permutation_importance(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    feature_groups: dict | None = None,
    together: bool = True,
    loss: str | Loss | None = None,
    n_repeats: int = 30,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Mean loss after a feature, or a group of features, was permuted, less the mean loss before.

    PFI_j = 1/n sum_i [ L(y_i, f(x_i with x_ij replaced by x_d(i)j)) - L(y_i, f(x_i)) ],
    averaged over n_repeats random permutations d.

    model : a fitted model, or a function of a table (m, p) -> predictions (m,) or (m, K). It gets
        the kind of table that X is
    X (n, p), y (n,) : rows the model has not seen; any columns that the model takes
    feature_groups : {name of a group: its columns}, to measure groups in place of single features.
        Columns of a DataFrame go by name (1 is the column called 1), those of an array by position
    together : all columns of a group get the same permutation, so that a row's values in the group
        stay together, and what the group's columns know twice counts once. False: each column gets
        a permutation of its own, which also breaks the correlations inside the group
    loss : "squared", "absolute", "zero_one", "log_loss", "brier", or a function of (y, prediction)
        -> one number a row; None follows the model (basics/evaluation.py)
    sample_weight (n,) : how much each row's loss counts; groups (n,) : rows drawn together
    -> Importance in units of the loss: draws (p, n_repeats), one column a permutation;
       permutation_sd is their spread on these n rows; standard_error is that of the mean over new
       test sets (of rows, or of groups of rows), every row counted as receiver and as donor. It is
       about this fitted model, not about the learner.

    Source: Breiman (2001), sec. 10; Fisher, Rudin and Dominici (2019), sec. 3, for any model.

    >>> X, y = np.array([[0, 0], [1, 1], [2, 2], [3, 3]]), [0, 1, 2, 3]
    >>> importance = permutation_importance(lambda X: X[:, 0], X, y, n_repeats=1000)
    >>> importance.mean.round(1) + 0.0
    array([2.5, 0. ])
    >>> twins = {"feature_groups": {"twins": [0, 1]}, "n_repeats": 1000}
    >>> mean = lambda X: X.mean(axis=1)
    >>> permutation_importance(mean, X, y, **twins).mean.round(1)
    array([2.5])
    >>> permutation_importance(mean, X, y, **twins, together=False).mean.round(1)
    array([1.9])
    """
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    rng = own_stream(rng, "permutation importance")
    columns = _columns_of(feature_groups, test_set)
    permuted = (
        _permuted(test_set, group, together, n_repeats, rng) for group in columns.values())
    return test_set.importance(permuted, METHOD, tuple(columns))


def _permuted(
    test_set: Evaluation, columns: list[int], together: bool, n_repeats: int,
    rng: np.random.Generator,
) -> tuple[NDArray, float]:
    """Each row's gain in loss from each permutation (n, K), and the variance of their mean."""
    if together:
        donors = shuffles(test_set.n_rows, n_repeats, rng)
    else:
        donors = np.stack([shuffles(test_set.n_rows, n_repeats, rng) for _ in columns])
    after = losses_after_shuffling(test_set, columns, donors)
    gains = after - test_set.losses_before[:, None]
    return gains, test_set.variance_of_mean_gain(gains, donors)


def _columns_of(feature_groups: object, test_set: Evaluation) -> dict[str, list[int]]:
    """The positions of each group's columns; without groups each feature is one."""
    if feature_groups is None:
        return {name: [j] for j, name in enumerate(test_set.names)}
    if not isinstance(feature_groups, Mapping) or not feature_groups:
        raise ValueError(
            f"feature_groups is {feature_groups!r}, expected {{name of a group: its columns}} with "
            "at least one group.")
    positions = {}
    for name, columns in feature_groups.items():
        try:
            positions[name] = test_set.positions(columns)
        except ValueError as refusal:
            raise ValueError(f"group {name!r}: {refusal}") from None
    return positions


# --- scores of a whole set ---


def score_permutation_importance(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    score: str | Score,
    n_repeats: int = 30,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Drop of a whole-set score when feature j is permuted: score before less score after.

    For measures that are no mean over rows (R squared, AUC, concordance). Large scores are good, so
    it is before minus after, where permutation_importance has after minus before.

    y : as the score takes it: (n,), or (n, 2) time and event for concordance
    score : "accuracy", "r2", "auc" (of a classifier's probabilities), "concordance", or a function
        of (y, prediction) -> one number
    the others : as in permutation_importance
    -> Importance in units of the score: draws (p, n_repeats); permutation_sd is their spread.
       standard_error is a jackknife over 20 parts of the rows: leave a part out both as receivers
       and as donors, and see how far the result moves.

    Source: as in `permutation_importance`, with a score in place of a mean loss.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> f = lambda X: X[:, 0]
    >>> importance = score_permutation_importance(f, X, [0, 1, 2, 3], score="r2", n_repeats=1000)
    >>> importance.mean.round(1) + 0.0
    array([2., 0.])
    """
    model, score = as_model(model), set_score(score)
    X = model.arrange(check_real_table(X))
    y = _scored_target(y, len(X))
    rng = own_stream(rng, "score permutation importance")
    part = _parts(groups, len(y), rng)
    takes_chances = score is auc and model.is_classifier and not model.is_function
    predict = model.probabilities if takes_chances else model.predict
    before, rows = predict(X), np.arange(len(y))

    draws, errors = [], []
    for j in range(X.shape[1]):
        donors = shuffles(len(y), n_repeats, rng)
        after = [predict(swap(X, [j], rows, donors[:, [k]])) for k in range(n_repeats)]
        everyone = np.ones(donors.shape, dtype=bool)
        draws.append(_drops(score, y, before, after, everyone))
        without = [(part[:, None] != g) & (part[donors] != g) for g in range(part.max() + 1)]
        left = [_drops(score, y, before, after, kept).mean() for kept in without]
        errors.append(np.sqrt((len(left) - 1) * np.var(left)))  # of G parts: sqrt((G - 1) Var)
    spread = np.std(draws, axis=1, ddof=1) if n_repeats > 1 else None
    return Importance(
        model.column_names(X), np.array(draws), METHOD, "drop in the score", np.array(errors),
        spread)


def _scored_target(y: ArrayLike, n_rows: int) -> NDArray:
    """The target of a score: ordinary, or a survival record array."""
    array = np.asarray(y)
    if array.dtype.names and array.shape == (n_rows,):
        return array
    return check_y(y, n_rows, several=True, varies=True)


def _parts(groups: ArrayLike | None, n_rows: int, rng: np.random.Generator) -> NDArray:
    """Which of 20 random parts each row is in, rows of a group in the same -> (n,) int."""
    codes = np.arange(n_rows) if groups is None else check_groups(groups, n_rows)
    n_units = codes.max() + 1
    part_of_unit = rng.permutation(n_units) % min(JACKKNIFE_PARTS, n_units)
    return part_of_unit[codes]


def _drops(
    score: Score, y: NDArray, before: NDArray, after: list[NDArray], kept: NDArray
) -> NDArray:
    """The drop of the score in each shuffle, among the rows that are kept in it (n, K) -> (K,)."""
    return np.array([score(y[keep], before[keep]) - score(y[keep], prediction[keep])
                     for keep, prediction in zip(kept.T, after, strict=True)])
