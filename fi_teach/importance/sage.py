"""SAGE: Shapley values of the loss, where a coalition's payoff is what knowing its features saves.

SHAP divides one prediction and never uses y; SAGE divides the reduction of the loss over all rows.
A feature that makes the predictions worse gets a negative value.
"""

import numpy as np
from numpy.typing import ArrayLike

from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.games import check_players, check_repeats, coalitions, shapley
from fi_teach.basics.losses import Loss, zero_one
from fi_teach.basics.results import Importance
from fi_teach.basics.seeds import Seed, own_stream
from fi_teach.basics.shuffles import take
from fi_teach.basics.tables import check_real_table
from fi_teach.basics.value_functions import check_background, marginal

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
    """Each feature's share of the loss that the model saves over knowing nothing, by sampling.

    v(S)   = E loss(y, f_empty) - E loss(y, f_S)
    f_S(x) = mean over background rows z of f(x_S, z without S)
    phi    = Shapley values of v

    One repeat takes 32 random rows and one random ordering of the features; each feature gets what
    its arrival saves on these rows.
    model : fitted, or a function of a table; X (n, p) any table that it takes; y (n,) labels of any
        kind or numbers
    loss : "squared", "absolute", "zero_one", "log_loss", "brier", or a function; None follows the
        model, as in Evaluation. What is averaged over the background are numbers, probabilities, or
        for "zero_one" the votes for each label, of which the most frequent wins.
    background : (m, p) rows that stand in for what is missing; None for X itself, at most 128 of
        its rows, drawn
    sample_weight (n,) : how much each row's loss counts; rows are drawn as often as they weigh.
        There are no `groups`: standard_error is about the orderings and rows drawn here, from this
        table, not about new rows
    -> Importance, draws (p, n_repeats), in units of the loss. Cost: n_repeats * (p+1) * 32 * m
    predictions.

    Source: Covert, Lundberg and Lee (2020), section 4.

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> sage(lambda X: X[:, 0], X, X[:, 0], n_repeats=50).mean.round() + 0.0
    array([1., 0.])
    """
    rng = own_stream(rng, "SAGE")
    check_repeats(n_repeats)
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight)
    n, p = test_set.n_rows, test_set.n_features
    chances = None if sample_weight is None else test_set.weights / n
    risks = _risks_of(test_set, X, background, rng)
    draws = np.zeros((p, n_repeats))
    for k in range(n_repeats):
        size = min(ROWS_AN_ORDERING, n)
        some = rng.choice(n, size, p=chances) if chances is not None else rng.integers(n, size=size)
        place = np.argsort(rng.permutation(p))
        known = place < np.arange(p + 1)[:, None]
        saved = -np.diff(risks(some, known).mean(axis=1))
        draws[:, k] = saved[place]
    return _importance(test_set, draws)


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
    """The same shares by enumeration: the loss of every coalition on all rows.

    -> Importance with one draw, exact for these rows and this background; at most 16 features

    Source: as in `sage`.

    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> sage_by_definition(lambda X: X[:, 0] * X[:, 1], X, [0, 0, 0, 1]).mean
    array([0.09375, 0.09375])
    """
    rng = own_stream(rng, "SAGE")
    test_set = Evaluation(model, X, y, loss, sample_weight=sample_weight)
    p = test_set.n_features
    check_players(p, most=MOST_FEATURES, instead="sage")
    risks = _risks_of(test_set, X, background, rng)
    of_rows = risks(np.arange(test_set.n_rows), coalitions(p))
    risk = (of_rows * test_set.weights).mean(axis=1)
    return _importance(test_set, shapley(-risk, p))


def _risks_of(test_set, X, background, rng):
    """A function of rows (r,) and coalitions S (C, p): each coalition's loss on each row (C, r)."""
    table = check_real_table(X)
    if background is None:
        size = min(MOST_BACKGROUND, test_set.n_rows)
        drawn = rng.choice(test_set.n_rows, size=size, replace=False)
        background = take(table, drawn)
    background = test_set.model.arrange(check_background(background, table))
    test_set.model.as_asked(background, what="background")  # refuses gaps no tree knows
    if test_set.loss is zero_one:
        answer, decide = _as_votes(test_set, background)
    else:
        answer, decide = test_set.predict, _first_of_one
    v = marginal(answer, background)

    def risks(rows, S):
        means = v(take(test_set.X, rows), S)  # (C, r, n_outputs)
        return np.array([test_set.losses_of(decide(mean), rows) for mean in means])

    return risks


def _first_of_one(mean):
    """Numbers (r, 1) as (r,); probabilities as they are."""
    return mean[:, 0] if mean.shape[1] == 1 else mean


def _as_votes(test_set, background):
    """Labels are averaged as votes, one column a label; the label with most votes wins."""
    given = [test_set.y, test_set.prediction_before, test_set.predict(background)]
    labels = np.unique(np.concatenate(given))

    def answer(table):
        votes = test_set.predict(table)[:, None] == labels
        if not votes.any(axis=1).all():
            raise ValueError(
                "the model gives mixed rows a label that it gives to none of X and background: "
                "choose a loss for numbers or probabilities.")
        return votes

    return answer, lambda mean: labels[mean.argmax(axis=1)]


def _importance(test_set, draws):
    unit = f"reduction of the {test_set.unit}"
    return Importance(test_set.names, draws, method="SAGE", unit=unit)
