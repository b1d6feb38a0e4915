"""What does the model predict, and how well? Several scores, each against what needs no model.

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
from fi_audit.intervals import LEVEL, critical_value, mean_with_interval
from fi_audit.results import Finding, number, percent, span
from fi_teach.basics.forest import Forest
from fi_teach.basics.losses import SMALLEST_PROBABILITY, UNITS
from fi_teach.basics.model import raw_unit
from fi_teach.basics.shuffles import variance_of_mean
from fi_teach.importance.tree_shap import tree_shap

ROWS_IN_PAIRS = 1000  # of a numeric target: all pairs of so many rows are compared
BINS = 5
ROWS_EXPLAINED = 20
BACKGROUND = 100
MOST_COLUMNS = 60  # of which TreeSHAP is asked


@dataclass(frozen=True, eq=False)
class Score:
    """How well the model does by one loss, against a baseline.

    unit : of the loss; baseline : what the model is compared with, in words
    parts : prediction -> each row's loss (n,), and its part in the losses of others (n,), or None
        (see Ranking); rows (n,) : which of the test rows; before : their unchanged losses
    drop : mean loss of the baseline less the model's; psi (n,) : influence values of drop
    skill, low, high : drop as a share of the baseline's loss; all scores' intervals hold together
    """

    name: str
    unit: str
    baseline: str
    parts: Any
    rows: NDArray
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
    """A loss of single rows, from their targets as numbers (n, K)."""

    def __init__(self, loss: Callable, T: NDArray) -> None:
        self.loss, self.T = loss, T
        self.scale, self.rows = np.ones(len(T)), np.arange(len(T))

    def __call__(self, prediction: NDArray) -> tuple[NDArray, None]:
        return np.asarray(self.loss(self.T, prediction), dtype=float), None

    of = __call__  # a row's loss does not depend on what is said of the others


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
    """Compare the model with a baseline by every loss that suits it -> all scores, the main one."""
    losses = _losses(data)
    made = [_score(data, name, *its, len(losses)) for name, its in losses.items()]
    return made, next((score for score in made if score.clear), made[0])


def _losses(data: AuditData) -> dict[str, tuple[str, Any, str]]:
    """Return unit, parts and the best constant of each loss by its name, the caller's first."""
    y, T = data.outcome[data.test], data.targets[data.test]
    names = [name for name, (_, _, kinds, _) in LOSSES.items() if data.kind in kinds[:1]]
    counts = data.kind == "number" and (y >= 0).all() and (y % 1 == 0).all()
    if not counts or not (data.prediction > 0).all():
        names = [name for name in names if name != "deviance"]
    made: dict[str, tuple[str, Any, str]] = {}
    if data.loss is not None:
        own, given = UNITS.get(data.loss, "loss"), data.loss
        known = [name for name, (unit, _, kinds, _) in LOSSES.items()
                 if unit == own and data.kind in kinds]
        if not known:
            made[own] = own, RowLoss(lambda T, said: given(y, said), T), LOSSES[names[0]][3]
        names = known + [name for name in names if name not in known]
    for name in names:
        unit, loss, _, constant = LOSSES[name]
        made[name] = unit, RowLoss(loss, T), constant
    rows = np.flatnonzero(y >= 0) if data.kind != "number" else (
        data.some(np.arange(len(y)), ROWS_IN_PAIRS, "pairs"))
    if (data.kind == "number" or len(data.classes) == 2) and len(np.unique(y[rows])) > 1:
        pairs = Ranking(y[rows], data.prediction[rows], data.weights_of(data.test)[rows], rows)
        made["ranking"] = ("share of pairs in the wrong order", pairs, "mean")
    return made


def _score(data: AuditData, name: str, unit: str, parts: Any, constant: str,
           n_scores: int) -> Score:
    rows = parts.rows
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
    left = loss / best if best > 0 else np.nan  # nothing to remove; all is, where loss is 0
    around = (np.nan_to_num(1 - left)) * of_best - psi
    # skewed losses need more than their level: half of what is allowed to err is kept back
    times = critical_value(around[:, None], groups, data.stream(f"intervals: {name}"),
                           1 - (1 - LEVEL) / n_scores / 2)
    # the delta method for the logarithm of left, which is less skewed; against guessing left lies
    # between 0 and 2, so for its log-odds there (Pepe 2003)
    most = 2 * (1 + 1e-9) if words == "guessing" else np.inf
    odds = left / (1 - left / most)
    error = np.sqrt(variance_of_mean(around, groups)) / loss if left > 0 else 0.0
    reach = np.exp(min(50.0, times * error / (1 - left / most)))
    low, high = (1 - end / (1 + end / most) for end in (odds * reach, odds / reach))
    low -= 3 / len(rows)  # the rule of three: errors too rare for these rows to show one
    return Score(name, unit, words, parts, rows, own, weights, groups, best - loss, psi, 1 - left,
                 low, high)


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


def squared_distance(T: NDArray, said: NDArray) -> NDArray:
    """Squared error of numbers, Brier score of probabilities; of two classes it counts one."""
    each = (T - said.reshape(T.shape)) ** 2
    return each.sum(axis=1) / (2 if T.shape[1] == 2 else 1)


def _log_loss(T: NDArray, chances: NDArray) -> NDArray:
    return -np.log(np.maximum((T * chances).sum(axis=1), SMALLEST_PROBABILITY))


def _wrong(T: NDArray, said: NDArray) -> NDArray:
    said = said.argmax(axis=1) if said.ndim == 2 else said.astype(int)
    return 1 - np.where(said >= 0, T[np.arange(len(T)), said], 0.0)


def _deviance(T: NDArray, mean: NDArray) -> NDArray:
    y, mean = T[:, 0], np.maximum(mean, 1e-12)
    return 2 * (np.where(y > 0, y * np.log(np.maximum(y, 1e-12) / mean), 0.0) - (y - mean))


LOSSES = {  # unit, loss, kinds of prediction (the first asks for it unasked), best constant
    "Brier score": ("Brier score", squared_distance, ["probability"], "share of each class"),
    "log loss": ("log loss (nats)", _log_loss, ["probability"], "share of each class"),
    "error rate": ("error rate", _wrong, ["label", "probability"], "most frequent class"),
    "squared error": ("squared error", squared_distance, ["number"], "mean"),
    "deviance": ("Poisson deviance", _deviance, ["number"], "mean"),
    "absolute error": (
        "absolute error", lambda T, said: np.abs(T[:, 0] - said), ["number"], "median"),
}


# --- what needs no model ---


def _constant(data: AuditData, which: str, rows: NDArray) -> NDArray:
    """The best constant, learned from some rows: one number, a class, or all classes' shares."""
    T, weights = data.targets[rows], data.weights_of(rows)
    if which == "median":
        order = np.argsort(T[:, 0])
        total = np.cumsum(weights[order])
        return T[order[np.searchsorted(total, total[-1] / 2)]]
    shares = np.average(T, axis=0, weights=weights)
    return np.asarray(shares.argmax()) if which == "most frequent class" else shares


def _baselines(data: AuditData, constant: str, name: str) -> list[tuple[str, NDArray]]:
    """What needs no model: a constant; where there is a time, the mean so far and the last value.

    The constant is learned from the rows that the model was fitted on, if they are known.
    """
    learned = np.flatnonzero(~data.held_out)
    best = _constant(data, constant, learned if len(learned) else data.test)
    words = "guessing" if name == "ranking" else f"always predicting the {constant}"
    guesses = [(words, np.broadcast_to(best, (len(data.test), *best.shape)))]
    if "time" in data.metadata and data.kind != "label":
        so_far, last = before_now(data)
        guesses.append(("the mean of all earlier rows", so_far))
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
    frame = pd.DataFrame(data.targets).assign(
        rows=1.0, group=0 if groups is None else groups, time=data.metadata["time"])
    cells = frame.groupby(["group", "time"]).sum()
    so_far, last = (known.groupby("group").shift()
                    for known in (cells.groupby("group").cumsum(), cells))
    where = pd.MultiIndex.from_frame(frame[["group", "time"]].iloc[data.test])
    whole = np.average(data.targets, axis=0, weights=data.weights_of(np.arange(len(data.y))))
    mean_so_far, last_mean = (
        np.where(np.isnan(sums[:, -1:]), whole, sums[:, :-1] / sums[:, -1:])
        for sums in (known.reindex(where).to_numpy() for known in (so_far, last)))
    return mean_so_far, last_mean


# --- what it predicts ---


def name_of(model: object) -> str:
    """Return the model's name: a pipeline by its steps."""
    if isinstance(model, Forest):
        return "boosted trees, from the library's own file" if model.kind == "boosting" else (
            f"our {model.kind}")
    steps = [type(step).__name__ for _, step in getattr(model, "steps", ())]
    best = getattr(model, "best_estimator_", None)
    if best is not None:
        return f"{name_of(best)}, found by {type(model).__name__}"
    return ", ".join(steps) or type(model).__name__


def check_model(data: AuditData) -> Finding:
    """Say what the model predicts, and on which scale its explanations add up to what."""
    average = float(np.average(as_score(data.prediction), weights=data.weights_of(data.test)))
    what, mean = "a number, in the units of the target", f"On average it says {number(average)}"
    if data.kind == "label":
        what, mean = f"one of {len(data.classes)} labels, without probabilities", (
            "It gives no number to average")
    elif data.kind == "probability":
        what = (f"the probability of '{data.classes[-1]}'" if len(data.classes) == 2 else
                f"the probabilities of {len(data.classes)} classes")
        mean += f" for '{data.classes[-1]}'"
    adds, figures = _additivity(data)
    return Finding("what the model predicts", "note", f"It predicts {what}. {mean} "
                   f"({len(data.test):,} rows). {adds}", (), figures)


def _additivity(data: AuditData) -> tuple[str, dict[str, float]]:
    """Compute TreeSHAP of some rows, and compare its sum with the model's raw score."""
    if len(data.names) > MOST_COLUMNS:
        return f"TreeSHAP was not tried on {len(data.names)} columns.", {}
    rows, others = data.test[:ROWS_EXPLAINED], data.some(data.test, BACKGROUND, "background")
    try:
        model = getattr(data.model.given, "best_estimator_", data.model.given)
        explained = tree_shap(model, data.X.iloc[rows], background=data.X.iloc[others])
        raw = data.model.raw(data.X.iloc[rows])  # what the library itself says
        unit = raw_unit(data.model.forest)
    except (ValueError, AttributeError):
        scale = {"probability": "the probability",
                 "label": "nothing, since labels cannot be averaged"}
        return ("It is not made of trees that can be read from outside, so Shapley values would be "
                f"sampled on the scale of {scale.get(data.kind, 'the prediction')}; none were "
                "computed."), {}
    base = np.atleast_1d(explained.base)
    sums = base + explained.values.reshape(len(rows), len(data.names), -1).sum(axis=1)
    off = float(np.abs(sums - raw).max())
    adds = "add up" if off < 1e-4 * max(1.0, float(np.abs(raw).max())) else "do not add up"
    kept = {"probability": "probabilities", "units of the prediction": "predictions"}.get(unit)
    aside = "" if kept else f" (not to {'probabilities' if data.kind != 'number' else 'numbers'})"
    return (f"Its Shapley values (TreeSHAP, interventional) {adds} to the {kept or unit}{aside}: "
            f"base value {number(float(base[-1]))}, the mean of {len(others)} background rows, "
            f"checked on {len(rows)} rows."), {
                "base": float(base[-1]), "off": off, "background": float(len(others))}


# --- findings ---


def check_skill(data: AuditData, scores: list[Score], main: Score) -> Finding:
    """Say how well the model predicts; stop where no score tells it from nothing."""
    figures = {"skill": main.skill, "low": main.low, "high": main.high,
               "rows": float(len(main.rows))}
    for score in scores:
        figures |= {score.name: score.skill, f"{score.name}, low": score.low}
    said = [main, *(s for s in scores if s.name == "ranking" and s is not main)]
    text = " ".join(f"{data.who} {in_words(data, score)}." for score in said)
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


def in_words(data: AuditData, score: Score) -> str:
    """Say a score as what the model does, without the subject; a ranking as pairs out of 100."""
    shares = f"({span(score.low, score.high, percent)})"
    if score.name != "ranking":
        return f"has a {score.unit} {percent(score.skill)} lower than {score.baseline} {shares}"
    if score.baseline != "guessing":
        return (f"puts {percent(score.skill)} fewer pairs in the wrong order than "
                f"{score.baseline} {shares}")
    right, low, high = (50 + 50 * x for x in (score.skill, score.low, score.high))
    what = ("the larger of two outcomes above the smaller" if data.kind == "number" else
            f"a row with '{data.classes[-1]}' above one without")
    return f"ranks {what} {right:.0f} times in 100 ({low:.0f} to {high:.0f})"


def check_calibration(data: AuditData) -> Finding:
    """Compare the mean probability with how often the event happens."""
    if data.kind != "probability" or len(data.classes) != 2:
        return Finding("calibration", "not asked", "Only probabilities of two classes are checked.")
    rows, said, happened = data.test, data.prediction[:, 1], data.targets[data.test, 1]
    weights, groups = data.weights_of(rows), data.groups_of(rows)
    gap, low, high = mean_with_interval(said - happened, weights, groups)
    mean, share = (float(np.average(x, weights=weights)) for x in (said, happened))
    figures = {"predicted": mean, "observed": share, "gap": gap}
    bins = "; ".join(
        f"{percent(said[part].mean())} predicted, {percent(happened[part].mean())} happened"
        for part in np.array_split(np.argsort(said, kind="stable"), BINS))
    text = (f"On average the model says {percent(mean)} for '{data.classes[-1]}'; it happens in "
            f"{percent(share)} of the rows. In {BINS} parts, lowest first: {bins}.")
    off = not low <= 0 <= high
    return Finding("calibration", "note" if off else "well", text, (), figures,
                   "Its probabilities are off on average: use them to rank, or calibrate them."
                   if off and abs(gap) > 0.5 * share else "")
