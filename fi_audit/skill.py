"""Does the model predict? Several scores, each against the best prediction that needs no model.

A model of rare events can have a Brier score like a constant's and rank the events well, so a model
counts as useful when any score tells it from nothing. The importances are then measured in the
first score that does: the caller's loss, the Brier score, the log loss, the ranking.

    skill  =  1 - mean loss of the model / mean loss of the baseline
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.data import AuditData
from fi_audit.intervals import LEVEL, critical_value, mean_with_interval, share_removed
from fi_audit.results import Finding, percent, span
from fi_teach.basics.losses import LOSSES, UNITS, brier, log_loss, row_loss

ROWS_IN_PAIRS = 1000  # of a numeric target: all pairs of so many rows are compared
BINS = 5


@dataclass(frozen=True, eq=False)
class Score:
    """How well the model does by one loss, against a baseline.

    unit : of the loss; baseline : what the model is compared with, in words
    rows : positions among the test rows; parts : prediction -> each row's loss (n,), and its part
        in the losses of others (n,), or None (see Ranking); scale (n,) : how much a row counts in
        pairs; before (n,) : the losses of the unchanged rows
    drop : mean loss of the baseline less the model's; psi (n,) : influence values of drop
    skill, low, high : drop as a share of the baseline's loss; all scores' intervals hold together
    """

    name: str
    unit: str
    baseline: str
    rows: NDArray
    parts: Callable
    scale: NDArray
    before: tuple[NDArray, NDArray | None]
    weights: NDArray
    groups: NDArray | None
    drop: float
    psi: NDArray
    skill: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        return self.low > 0


class RowLoss:
    """A loss of single rows."""

    def __init__(self, loss: Callable, y: NDArray) -> None:
        self.loss, self.y, self.scale = loss, y, np.ones(len(y))

    def __call__(self, prediction: NDArray) -> tuple[NDArray, None]:
        return np.asarray(self.loss(self.y, prediction), dtype=float), None

    of = __call__


class Ranking:
    """The share of pairs of rows with different targets that a prediction puts in the wrong order.

    Ties count half, so it is 1 - AUC for two classes and 1 - concordance for numbers. Row i is in
    pairs as the one whose score may be changed, and as a reference with its score unchanged: the
    mean of either part over the rows is the share.

    y (n,) two values or numbers; reference : the unchanged predictions; weights (n,) of mean 1
    rows : which of the test rows these are

    >>> said = np.array([1.0, 2, 2, 3])
    >>> Ranking(np.array([0, 0, 1, 1]), said, np.ones(4), np.arange(4))(said)[0].mean()
    np.float64(0.125)
    """

    def __init__(self, y: NDArray, reference: NDArray, weights: NDArray, rows: NDArray) -> None:
        self.y, self.reference, self.weights, self.rows = y, as_score(reference), weights, rows
        self.later = y == y.max()
        self.is_two = len(np.unique(y)) == 2
        if self.is_two:
            share = [weights[self.later].sum(), weights[~self.later].sum()]
            self.scale = len(y) / 2 / np.where(self.later, *share)
        else:
            self.sign = np.sign(y[:, None] - y[None, :]).astype(np.int8)
            self.pairs = np.abs(self.sign) @ weights
            self.scale = self.pairs / np.average(self.pairs, weights=weights)

    def of(self, prediction: NDArray) -> tuple[NDArray, NDArray]:
        """Rank the rows by another prediction, compared with itself."""
        return Ranking(self.y, prediction, self.weights, self.rows)(prediction)

    def __call__(self, prediction: NDArray) -> tuple[NDArray, NDArray]:
        score = as_score(prediction)
        if not self.is_two:
            agreed = self.sign * np.sign(score[:, None] - self.reference[None, :])
            mean = 2 * np.average(self.pairs, weights=self.weights)
            return ((self.pairs - agreed @ self.weights) / mean,
                    (self.pairs - self.weights @ agreed) / mean)
        own, referred = np.empty(len(score)), np.empty(len(score))
        for side, sign in ((self.later, 1), (~self.later, -1)):  # later rows should score higher
            own[side] = self._share_above(sign * score[side], sign * self.reference, ~side)
            referred[side] = self._share_above(sign * self.reference[side], sign * score, ~side)
        return own * self.scale, referred * self.scale

    def _share_above(self, asked: NDArray, others: NDArray, among: NDArray) -> NDArray:
        """Weighted share of some others that are above each asked score; ties count half."""
        order = np.argsort(others[among], kind="stable")
        values = others[among][order]
        total = np.concatenate([[0.0], np.cumsum(self.weights[among][order])])
        upto, below = (total[np.searchsorted(values, asked, side)] for side in ("right", "left"))
        return 1 - (upto + below) / 2 / total[-1]


def skill_of(data: AuditData) -> tuple[list[Score], Score]:
    """Compare the model with a baseline by every loss that suits it -> all scores, the main one.

    The main one is the first that is clear of nothing, or the first.
    """
    losses = _losses(data)
    made = [_score(data, name, unit, parts, constant, len(losses))
            for name, unit, parts, constant in losses]
    return made, next((score for score in made if score.clear), made[0])


def _losses(data: AuditData) -> list[tuple[str, str, Any, Callable]]:
    """List name, unit, parts and the best constant of each loss, the caller's first."""
    y, w, said = data.outcome[data.test], data.weights_of(data.test), data.prediction
    made: list[tuple[str, str, Any, Callable]] = []
    if data.kind == "probability":
        made = [("Brier score", "Brier score", RowLoss(_brier, y), _shares),
                ("log loss", "log loss (nats)", RowLoss(_log_loss, y), _shares)]
    elif data.kind == "label":
        made = [("error rate", "error rate", RowLoss(_wrong, y), _most_frequent)]
    else:
        made = [("squared error", "squared error", RowLoss(LOSSES["squared"], y), _mean),
                ("absolute error", "absolute error", RowLoss(LOSSES["absolute"], y), _median)]
        if (y >= 0).all() and (y % 1 == 0).all() and (said > 0).all():
            made.insert(1, ("deviance", "Poisson deviance", RowLoss(_deviance, y), _mean))
    if data.loss is not None:
        loss = row_loss(data.loss)
        name = UNITS.get(loss, "loss")
        own = {brier: _brier, log_loss: _log_loss, LOSSES["zero_one"]: _wrong}.get(loss, loss)
        constant = {"probability": _shares, "label": _most_frequent, "number": _mean}[data.kind]
        constant = _median if name == "absolute error" else constant
        made = [(name, name, RowLoss(own, y), constant), *(m for m in made if m[1] != name)]
    rows = np.flatnonzero(y >= 0) if data.kind != "number" else (
        data.some(np.arange(len(y)), ROWS_IN_PAIRS, "pairs"))
    if (data.kind == "number" or len(data.classes) == 2) and len(np.unique(y[rows])) > 1:
        made.append(("ranking", "share of pairs in the wrong order",
                     Ranking(y[rows], said[rows], w[rows], rows), _mean))
    return made


def _score(data: AuditData, name: str, unit: str, parts: Any, constant: Callable,
           n_scores: int) -> Score:
    rows = parts.rows if isinstance(parts, Ranking) else np.arange(len(data.test))
    weights, groups = data.weights_of(data.test[rows]), data.groups_of(data.test[rows])
    own = parts(data.prediction[rows])
    loss = float(np.mean(weights * own[0]))
    best, words, before = np.inf, "", own
    for said, guess in _baselines(data, constant, name):
        its = parts.of(guess[rows])
        mean = float(np.mean(weights * its[0]))
        if mean < best:
            best, words, before = mean, said, its
    of_best = influence(before, best, parts.scale, weights)
    psi = of_best - influence(own, loss, parts.scale, weights)
    around = (1 - loss / best if best > 0 else 0.0) * of_best - psi
    # skewed losses need more than their level: half of what is allowed to err is kept back
    times = critical_value(around[:, None], groups, data.stream(f"intervals: {name}"),
                           1 - (1 - LEVEL) / n_scores / 2)
    skill, low, high = share_removed(best, loss, around, groups, times)
    low -= 3 / len(rows)  # the rule of three: errors too rare for these rows to show one
    return Score(name, unit, words, rows, parts, parts.scale, own, weights, groups, best - loss,
                 psi, skill, low, high)


def influence(
    parts: tuple[NDArray, NDArray | None], mean: float, scale: NDArray, weights: NDArray
) -> NDArray:
    """How far each row moves a mean loss, in both its parts -> (n,)."""
    own, referred = parts
    psi = own - mean * scale
    if referred is not None:
        psi = psi + referred - mean * scale
    return weights * psi


def as_score(prediction: NDArray) -> NDArray:
    """One number a row to rank by: of probabilities the last class's."""
    return prediction[:, -1] if prediction.ndim == 2 else prediction.astype(float)


# --- losses, as the audit counts them ---


def _brier(y: NDArray, chances: NDArray) -> NDArray:
    """(1[y = k] - p_k)^2, of the last class for two classes, else summed over classes."""
    truth = y[:, None] == np.arange(chances.shape[1])
    each = (truth - chances) ** 2
    return each[:, 1] if chances.shape[1] == 2 and (y >= 0).all() else each.sum(axis=1)


def _log_loss(y: NDArray, chances: NDArray) -> NDArray:
    chosen = np.where(y >= 0, chances[np.arange(len(y)), y], 0.0)
    return -np.log(np.maximum(chosen, 1e-15))


def _wrong(y: NDArray, said: NDArray) -> NDArray:
    return (y != (said.argmax(axis=1) if said.ndim == 2 else said)).astype(float)


def _deviance(y: NDArray, mean: NDArray) -> NDArray:
    mean = np.maximum(mean, 1e-12)
    return 2 * (np.where(y > 0, y * np.log(np.maximum(y, 1e-12) / mean), 0.0) - (y - mean))


# --- what needs no model ---


def _shares(data: AuditData, rows: NDArray) -> NDArray:
    return np.average(data.targets[rows], axis=0, weights=data.weights_of(rows))


def _most_frequent(data: AuditData, rows: NDArray) -> NDArray:
    return np.asarray(_shares(data, rows).argmax())


def _mean(data: AuditData, rows: NDArray) -> NDArray:
    return np.average(data.outcome[rows], weights=data.weights_of(rows))


def _median(data: AuditData, rows: NDArray) -> NDArray:
    order = np.argsort(data.outcome[rows])
    total = np.cumsum(data.weights_of(rows)[order])
    return data.outcome[rows][order][np.searchsorted(total, total[-1] / 2)]


CONSTANTS = {_shares: "always predicting the share of each class", _mean: "always predicting the "
             "mean", _median: "always predicting the median",
             _most_frequent: "always predicting the most frequent class"}


def _baselines(data: AuditData, constant: Callable, name: str) -> list[tuple[str, NDArray]]:
    """What needs no model: a constant; where there is a time, the mean so far and the last value.

    The constant is learned from the rows that the model was fitted on, if they are known.
    """
    learned = np.flatnonzero(~data.held_out)
    best = np.asarray(constant(data, learned if len(learned) else data.test))
    words = "guessing" if name == "ranking" else CONSTANTS[constant]
    guesses = [(words, np.broadcast_to(best, (len(data.test), *best.shape)))]
    if "time" in data.metadata and data.kind != "label":
        so_far, last = before_now(data)
        guesses.append(("the mean so far", so_far))
        if name != "log loss":
            guesses.append(("the last known value", last))
    if data.kind == "number":
        return [(words, np.ravel(guess)) for words, guess in guesses]
    return guesses


def before_now(data: AuditData) -> tuple[NDArray, NDArray]:
    """Mean of the target so far, and its last value, at each test row's time -> (n, K) each.

    Only strictly earlier rows count, those of the row's group where there are groups; at the first
    time the mean of all rows stands in.
    """
    groups = data.groups_of(np.arange(len(data.y)))
    frame = pd.DataFrame(data.targets)
    frame["group"] = 0 if groups is None else groups
    frame["time"] = data.metadata["time"]
    columns = list(range(data.targets.shape[1]))
    cells = frame.groupby(["group", "time"])
    sums, counts = cells[columns].sum(), cells.size()
    by_group = sums.groupby(level="group")
    earlier = counts.groupby(level="group").cumsum() - counts
    so_far = (by_group.cumsum() - sums).div(earlier.where(earlier > 0), axis=0)
    last = sums.div(counts, axis=0).groupby(level="group").shift(1)
    asked = frame.iloc[data.test]
    where = pd.MultiIndex.from_arrays([asked["group"], asked["time"]])
    whole = np.average(data.targets, axis=0, weights=data.weights_of(np.arange(len(data.y))))
    found = [np.asarray(table.reindex(where), dtype=float) for table in (so_far, last)]
    so_far_rows, last_rows = (np.where(np.isnan(rows), whole, rows) for rows in found)
    return so_far_rows, last_rows


# --- findings ---


def check_skill(data: AuditData, scores: list[Score], main: Score) -> Finding:
    """Say how well the model predicts; stop where no score tells it from nothing."""
    figures = {"skill": main.skill, "low": main.low, "high": main.high,
               "rows": float(len(main.rows))}
    for score in scores:
        figures |= {score.name: score.skill, f"{score.name}, low": score.low}
    text = skill_text(data, main) + "."
    ranking = next((s for s in scores if s.name == "ranking"), None)
    if ranking is not None and main.name != "ranking":
        text += " " + ranking_text(data, ranking) + "."
    if data.seen:
        return Finding(
            "skill", "not asked", f"On the rows that it was fitted on {text[0].lower()}{text[1:]} "
            "Such figures flatter.", (), figures, "Run it again on rows that the model has not "
            "seen, or with --refit, which fits a copy on a part of these.")
    if main.clear:
        return Finding("skill", "well", text, (), figures)
    tried = ", ".join(f"{s.name} {span(s.low, s.high, percent)}" for s in scores)
    return Finding(
        "skill", "stop", f"No score tells {data.subject} from a prediction that needs no model "
        f"({len(main.rows):,} rows; share removed by {tried}).", (), figures,
        "Bring more unseen rows or a better model; until then its importances mean nothing.")


def skill_text(data: AuditData, score: Score) -> str:
    """Say the skill of one score, without a full stop."""
    who = data.subject[0].upper() + data.subject[1:]
    if score.name == "ranking":
        return ranking_text(data, score)
    return f"{who} {lower_text(score)}"


def lower_text(score: Score) -> str:
    """Say how much lower the model's loss is than the baseline's."""
    return (f"has a {score.unit} {percent(score.skill)} lower than {score.baseline} "
            f"({span(score.low, score.high, percent)})")


def ranking_text(data: AuditData, score: Score) -> str:
    """Say the ranking as pairs out of 100."""
    right, low, high = (50 + 50 * x for x in (score.skill, score.low, score.high))
    who = data.subject[0].upper() + data.subject[1:]
    if score.baseline != "guessing":
        return (f"{who} puts {percent(score.skill)} fewer pairs in the wrong order than "
                f"{score.baseline} ({span(score.low, score.high, percent)})")
    what = ("the larger of two outcomes above the smaller" if data.kind == "number" else
            f"a row with '{data.classes[-1]}' above one without")
    return f"{who} ranks {what} {right:.0f} times in 100 ({low:.0f} to {high:.0f})"


def check_calibration(data: AuditData) -> Finding:
    """Compare the mean probability with how often the event happens."""
    if data.kind != "probability" or len(data.classes) != 2:
        return Finding("calibration", "not asked", "Asked of the probabilities of two classes.")
    rows, said = data.test, data.prediction[:, 1]
    happened = data.targets[rows][:, 1]
    weights, groups = data.weights_of(rows), data.groups_of(rows)
    gap, low, high = mean_with_interval(said - happened, weights, groups)
    mean, share = (float(np.average(x, weights=weights)) for x in (said, happened))
    figures = {"predicted": mean, "observed": share, "gap": gap}
    bins = "; ".join(
        f"{percent(said[part].mean())} predicted, {percent(happened[part].mean())} happened"
        for part in np.array_split(np.argsort(said, kind="stable"), BINS))
    text = (f"On average the model says {percent(mean)} for '{data.classes[-1]}'; it happens in "
            f"{percent(share)} of the rows. In {BINS} parts, lowest first: {bins}.")
    if low <= 0 <= high:
        return Finding("calibration", "well", text, (), figures)
    return Finding("calibration", "note", text, (), figures,
                   "Its probabilities are off on average: use them to rank, or calibrate them."
                   if abs(gap) > 0.5 * share else "")
