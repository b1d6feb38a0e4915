"""SAGE plays Shapley's game with the loss: a coalition earns what knowing its features saves.

SHAP divides one prediction and never sees y; SAGE divides the model's merit over all the data. A
feature that the model uses badly gets less than nothing.
"""

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.games import check_players, check_repeats, coalitions, shapley
from fi_teach.basics.losses import Loss, zero_one
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.tables import check_real_table
from fi_teach.basics.value_functions import check_background, marginal, rows_of

MOST_FEATURES = 16
ROWS_AN_ORDERING = 32
MOST_BACKGROUND = 128


def sage(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | Loss | None = None,
    background: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_repeats: int = 512,
    rng: Seed = 0,
) -> Importance:
    """Each feature's share of what the model saves over knowing nothing, from random orderings.

    v(S)   = E loss(y, f_empty) - E loss(y, f_S)
    f_S(x) = mean over background rows z of f(x_S, z without S)
    phi    = Shapley values of v

    One repeat: 32 random rows, one random ordering of the features; each feature takes what its
    arrival saves on these rows.
    model : fitted, or a function of a table; X (n, p) any table that it takes; y (n,) labels of any
        kind or numbers
    loss : "squared", "absolute", "zero_one", "log_loss", "brier", or a function; None follows the
        model, as in Evaluation. What is averaged over the background are numbers, probabilities, or
        for "zero_one" the votes for each label, of which the most frequent wins.
    background : (m, p) rows that stand in for what is missing; None for X itself, at most 128 of
        its rows, drawn
    sample_weight (n,) : how much each row's loss counts; rows are drawn as often as they weigh.
        There are no `groups`: standard_error speaks of the orderings and rows drawn here, for this
        table, and not of new rows
    -> Importance, draws (p, n_repeats), in units of the loss. Cost: n_repeats * (p+1) * 32 * m
    predictions.

    Source: Covert, Lundberg and Lee (2020), section 4.

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> sage(lambda X: X[:, 0], X, X[:, 0], n_repeats=50).mean.round() + 0.0
    array([1., 0.])
    """
    rng = own_stream(rng, "SAGE")
    check_repeats(n_repeats)
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight)
    n, p = task.n_rows, task.n_features
    chances = None if sample_weight is None else task.weights / n
    risks = _risks_of(task, X, background, rng)
    draws = np.zeros((p, n_repeats))
    for k in range(n_repeats):
        some = _drawn(n, chances, rng)
        place = np.argsort(rng.permutation(p))
        n_known = np.arange(p + 1)
        known = place < n_known[:, None]
        saved = -np.diff(risks(some, known).mean(axis=1))
        draws[:, k] = saved[place]
    return _importance(task, draws)


def _drawn(n_rows, chances, rng):
    """The rows of one ordering, each as likely as it weighs."""
    size = min(ROWS_AN_ORDERING, n_rows)
    if chances is None:
        return rng.integers(n_rows, size=size)
    return rng.choice(n_rows, size=size, p=chances)


def sage_by_definition(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    loss: str | Loss | None = None,
    background: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    rng: Seed = 0,
) -> Importance:
    """The same shares by enumeration: every coalition's loss on all rows, divided as a payout.

    Parameters as in `sage` -> Importance with one draw, exact for these rows and this background.

    Raises ValueError also for more than 16 features: use sage there.
    Source: as in `sage`.

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> sage_by_definition(lambda X: X[:, 0] * X[:, 1], X, [0, 0, 0, 1]).mean
    array([0.09375, 0.09375])
    """
    rng = own_stream(rng, "SAGE")
    task = Evaluation(model, X, y, loss, sample_weight=sample_weight)
    p = task.n_features
    check_players(p, most=MOST_FEATURES, instead="sage")
    risks = _risks_of(task, X, background, rng)
    everyone = np.arange(task.n_rows)
    risk = (risks(everyone, coalitions(p)) * task.weights).mean(axis=1)
    return _importance(task, shapley(-risk, p))


def _risks_of(task, X, background, rng):
    """A function of rows (r,) and coalitions S (C, p): each coalition's loss on each row (C, r)."""
    table = check_real_table(X)
    if background is None:
        size = min(MOST_BACKGROUND, task.n_rows)
        drawn = rng.choice(task.n_rows, size=size, replace=False)
        background = rows_of(table, drawn)
    background = task.model.arrange(check_background(background, table))
    answer, decide = _as_numbers(task)
    if task.loss is zero_one:
        answer, decide = _as_votes(task, background)
    v = marginal(answer, background)

    def risks(rows, S):
        means = v(rows_of(task.X, rows), S)  # (C, r, n_outputs)
        return np.array([task.losses_of(decide(mean), rows) for mean in means])

    return risks


def _as_numbers(task):
    """Numbers and probabilities are averaged as they are."""
    def answer(table):
        return task.predict(table)

    def decide(mean):
        return mean[:, 0] if mean.shape[1] == 1 else mean

    return answer, decide


def _as_votes(task, background):
    """Labels are averaged as votes, one column a label; the label with most votes wins."""
    given = [task.y, task.prediction_before, task.predict(background)]
    labels = np.unique(np.concatenate(given))

    def answer(table):
        votes = task.predict(table)[:, None] == labels
        if not votes.any(axis=1).all():
            raise ValueError(
                "the model gives mixed rows a label that it gives to none of X and background: "
                "choose a loss for numbers or probabilities.")
        return votes

    def decide(mean):
        return labels[mean.argmax(axis=1)]

    return answer, decide


def _importance(task, draws):
    return Importance(task.names, draws, method="SAGE", unit=f"reduction of the {task.unit}")
