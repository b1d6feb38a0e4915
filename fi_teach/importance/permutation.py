"""Permutation importance: what does the model lose when one column goes to the wrong rows?

A shuffle keeps the values of column j and breaks its ties, to the target and to the other columns.
The model is not refitted, so this is about *this* model; rows that it was fitted on flatter it.

    PFI_j  =  mean over shuffles d, mean over rows i of
              L(y_i, f(x_i with its x_j from row d(i)))  -  L(y_i, f(x_i))

Read next: fast/permutation.py, which asks the model about many shuffles at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.evaluation import Evaluation, check_groups
from fi_teach.basics.losses import Loss, Score, auc, set_score
from fi_teach.basics.model import Model, as_model
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import Table, receiver_donor_variance, shuffles, swap
from fi_teach.basics.tables import check_real_table
from fi_teach.basics.target import check_outcome
from fi_teach.fast.permutation import losses_after_shuffling

JACKKNIFE_PARTS = 20
Columns = dict[str, list[int]]
Dealt = tuple[NDArray, NDArray]  # what each row lost in each shuffle (n, K), and its donors


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
    """Copy the table, shuffle one column, predict again, count the new mistakes.

    Same arguments, result and errors as permutation_importance.
    Source: as in `permutation_importance`.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> permutation_importance_by_definition(lambda X: X[:, 0], X, [0, 1, 2, 3]).rank
    array([1, 2])
    """
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    rng = own_stream(rng, "permutation importance")
    before = task.losses(task.X)
    rows = np.arange(task.n_rows)
    dealt = []
    for j in range(task.n_features):
        donors = shuffles(task.n_rows, n_repeats, rng)
        gains = np.zeros(donors.shape)
        for k in range(n_repeats):
            shuffled = swap(task.X, [j], rows, donors[:, [k]])
            gains[:, k] = task.losses(shuffled) - before
        dealt.append((gains, donors))
    return _importance_of(task, task.names, dealt)


def permutation_importance(
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
    """Mean loss after feature j was shuffled, less the mean loss before: for j = 1..p.

    PFI_j = 1/n sum_i [ L(y_i, f(x_i with x_ij replaced by x_d(i)j)) - L(y_i, f(x_i)) ],
    averaged over n_repeats random permutations d.

    model : a fitted model, or a function of a table (m, p) -> predictions (m,) or (m, K). It gets
        the kind of table that X is
    X (n, p), y (n,) : rows the model has not seen; any columns that the model takes
    loss : "squared", "absolute", "zero_one", "log_loss", "brier", or a function of (y, prediction)
        -> one number a row; None follows the model (basics/evaluation.py)
    sample_weight (n,) : how much each row's loss counts; groups (n,) : rows drawn together
    -> Importance in units of the loss: draws (p, n_repeats), one column a shuffle; permutation_sd
       is their spread on these n rows; standard_error is that of the mean over new test sets (of
       rows, or of groups), every row counted as receiver and as donor. It speaks of this fitted
       model, not of the learner.

    Raises ValueError for unusable tables, targets, losses and models, and fewer than one repeat.
    Source: Breiman (2001), sec. 10; Fisher, Rudin and Dominici (2019), sec. 3, for any model.

    >>> X = np.array([[0, 5], [1, 5], [2, 5], [3, 5]])
    >>> importance = permutation_importance(lambda X: X[:, 0], X, [0, 1, 2, 3], n_repeats=1000)
    >>> importance.mean.round(1) + 0.0
    array([2.5, 0. ])
    """
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    rng = own_stream(rng, "permutation importance")
    each_alone = [[j] for j in range(task.n_features)]
    return _importance_of(task, task.names, _dealt_together(task, each_alone, n_repeats, rng))


def grouped_permutation_importance(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    feature_groups: dict,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 30,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Whole groups of features: all columns of a group are dealt out together, by one permutation.

    The group's values of one row stay together, so what is measured is what its members know
    together, whatever they tell twice.

    feature_groups : {name of a group: its columns}. Columns of a DataFrame go by name (1 is the
        column called 1), those of an array by position
    groups (n,) : rows drawn together, as in permutation_importance
    The rest, the result and the errors as there; one name a group.

    Raises ValueError also for no groups, an empty group, and a column that X does not have or that
    a group names twice.
    Source: as in `permutation_importance`, with a group in place of a column.

    >>> X = np.array([[0, 0], [1, 1], [2, 2], [3, 3]])
    >>> twins = lambda X: X.mean(axis=1)
    >>> both = {"both": [0, 1]}
    >>> grouped_permutation_importance(twins, X, [0, 1, 2, 3], both, n_repeats=1000).mean.round(1)
    array([2.5])
    """
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    columns = _columns_of(feature_groups, task)
    rng = own_stream(rng, "permutation importance")
    dealt = _dealt_together(task, columns.values(), n_repeats, rng)
    return _importance_of(task, tuple(columns), dealt)


def columnwise_permutation_importance(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    feature_groups: dict,
    *,
    loss: str | Loss | None = None,
    n_repeats: int = 30,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """Groups whose columns are shuffled each by its own permutation, all at the same time.

    Unlike grouped_permutation_importance this also breaks the ties *inside* a group, and so makes
    rows that cannot exist when its members are correlated. Same arguments, result and errors.
    Source: as in `grouped_permutation_importance`.

    >>> X = np.array([[0, 0], [1, 1], [2, 2], [3, 3]])
    >>> twins = lambda X: X.mean(axis=1)
    >>> both = {"both": [0, 1]}
    >>> importance = columnwise_permutation_importance(twins, X, [0, 1, 2, 3], both, n_repeats=1000)
    >>> importance.mean.round(1)
    array([1.9])
    """
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight, groups=groups)
    columns = _columns_of(feature_groups, task)
    rng = own_stream(rng, "permutation importance")
    dealt = _dealt_apart(task, columns.values(), n_repeats, rng)
    return _importance_of(task, tuple(columns), dealt)


def _dealt_together(
    task: Evaluation, groups: Iterable[list[int]], n_repeats: int, rng: np.random.Generator
) -> Iterator[Dealt]:
    """For each group of columns, one permutation a repeat for all of them."""
    for columns in groups:
        donors = shuffles(task.n_rows, n_repeats, rng)
        after = losses_after_shuffling(task, columns, donors)
        yield after - task.losses_before[:, None], donors


def _dealt_apart(
    task: Evaluation, groups: Iterable[list[int]], n_repeats: int, rng: np.random.Generator
) -> Iterator[Dealt]:
    """For each group of columns, a permutation a repeat for each of them."""
    for columns in groups:
        donors = np.stack([shuffles(task.n_rows, n_repeats, rng) for _ in columns])
        after = losses_after_shuffling(task, columns, donors)
        yield after - task.losses_before[:, None], donors


def _importance_of(task: Evaluation, names: tuple, dealt: Iterable[Dealt]) -> Importance:
    """The mean of every shuffle, and how sure it is with each row in its two roles."""
    draws, variances = [], []
    for gains, donors in dealt:
        draws.append(task.weights @ gains / task.n_rows)
        variances.append(
            receiver_donor_variance(gains, donors, weights=task.weights, groups=task.groups))
    several = len(draws[0]) > 1
    spread = np.std(draws, axis=1, ddof=1) if several else None
    method = "permutation importance"
    return Importance(names, np.array(draws), method, task.unit, np.sqrt(variances), spread)


def _columns_of(feature_groups: object, task: Evaluation) -> dict[str, list[int]]:
    """The positions of each group's columns."""
    if not isinstance(feature_groups, Mapping) or not feature_groups:
        raise ValueError(
            f"feature_groups is {feature_groups!r}, expected {{name of a group: its columns}} with "
            "at least one group.")
    positions = {}
    for name, columns in feature_groups.items():
        try:
            positions[name] = task.positions(columns)
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
    """How far a whole-set score falls when feature j is shuffled: score before less score after.

    For measures that are no mean over rows (R squared, AUC, concordance). Note the order: large
    scores are good, so it is before minus after, where permutation_importance has after minus
    before.

    model, X, groups : as in permutation_importance
    y : as the score takes it: (n,), or (n, 2) time and event for concordance
    score : "accuracy", "r2", "auc" (of a classifier's probabilities), "concordance", or a function
        of (y, prediction) -> one number
    -> Importance in units of the score: draws (p, n_repeats); permutation_sd is their spread.
       standard_error is a jackknife over 20 parts of the rows: leave a part out both as receivers
       and as donors, and see how far the result moves.

    Raises ValueError as permutation_importance, for an unknown score, and where the score is
    undefined without a part of the rows.
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
    predict = _scored_by(model, score)
    before = predict(X)

    draws, errors = [], []
    for j in range(X.shape[1]):
        donors = shuffles(len(y), n_repeats, rng)
        after = _after_each_shuffle(predict, X, j, donors)
        everyone = np.ones(donors.shape, dtype=bool)
        draws.append(_drops(score, y, before, after, everyone))
        without = [(part[:, None] != g) & (part[donors] != g) for g in range(part.max() + 1)]
        left = [_drops(score, y, before, after, kept).mean() for kept in without]
        errors.append(_jackknife_error(left))
    spread = np.std(draws, axis=1, ddof=1) if n_repeats > 1 else None
    return Importance(
        model.column_names(X), np.array(draws), "permutation importance", "drop in the score",
        np.array(errors), spread)


def _scored_target(y: ArrayLike, n_rows: int) -> NDArray:
    """The target of a score: ordinary, or a survival record array."""
    array = np.asarray(y)
    if array.dtype.names and array.shape == (n_rows,):
        return array
    return check_outcome(y, n_rows)


def _scored_by(model: Model, score: Score):
    """What the score judges: the predictions, or for the AUC a classifier's probabilities."""
    if score is auc and model.is_classifier and not model.is_function:
        return model.probabilities
    return model.predict


def _parts(groups: ArrayLike | None, n_rows: int, rng: np.random.Generator) -> NDArray:
    """Which of 20 random parts each row is in, rows of a group in the same -> (n,) int."""
    codes = np.arange(n_rows) if groups is None else check_groups(groups, n_rows)
    n_units = codes.max() + 1
    part_of_unit = rng.permutation(n_units) % min(JACKKNIFE_PARTS, n_units)
    return part_of_unit[codes]


def _after_each_shuffle(predict, X: Table, j: int, donors: NDArray) -> list[NDArray]:
    """The predictions with column j dealt out, shuffle by shuffle."""
    rows = np.arange(len(donors))
    return [predict(swap(X, [j], rows, donors[:, [k]])) for k in range(donors.shape[1])]


def _drops(
    score: Score, y: NDArray, before: NDArray, after: list[NDArray], kept: NDArray
) -> NDArray:
    """The drop of the score in each shuffle, among the rows that are kept in it (n, K) -> (K,)."""
    drops = []
    for keep, prediction in zip(kept.T, after, strict=True):
        drops.append(score(y[keep], before[keep]) - score(y[keep], prediction[keep]))
    return np.array(drops)


def _jackknife_error(left: Sequence[float]) -> float:
    """Standard error of a figure from what it is without each of G parts: sqrt((G-1) Var)."""
    return float(np.sqrt((len(left) - 1) * np.var(left)))
