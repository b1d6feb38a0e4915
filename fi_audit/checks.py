"""Check first what would make every importance worthless: a bad model, or a leaky test."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_audit.inputs import AuditInputs
from fi_audit.intervals import mean_with_interval, number, percent, share_removed, span
from fi_audit.leakage import leak_suspects
from fi_audit.results import Finding
from fi_teach.basics.encoding import as_numbers
from fi_teach.basics.evaluation import Evaluation
from fi_teach.basics.folds import grouped_folds, stratified_folds
from fi_teach.basics.losses import PROBABILITY_LOSSES, zero_one

NEAR = 0.01  # of a column's standard deviation: closer than that is a rounded copy
COPIES_SEEN = 0.01  # a share of the test rows from which copies are worth a word
COPIES_TOO_MANY = 0.05  # and from which no figure of the test can be believed
DOMINANT = 0.9
LEAST_GAPS = 30  # and rows with a value, before their targets are compared
ROWS_FOR_LEAKS = 1000
ROWS_COMPARED = 3000
FOLDS = 5


# --- better than none ---


def better_than_none(inputs: AuditInputs) -> Finding:
    """Share of a constant prediction's loss that the model removes, with its interval."""
    test_set = inputs.test_set
    without = test_set.losses_of(_constant(inputs))
    skill, low, high = share_removed(
        without, test_set.losses_before, test_set.weights, test_set.groups)
    well = bool(low > 0)
    text = (
        f"On {test_set.n_rows:,} rows ({inputs.origin}) the model removes {percent(skill)} of the "
        f"{test_set.unit} that a constant prediction makes (interval {span(low, high, percent)}).")
    if not well:
        text += " That is not clear of nothing: an importance of this model is one of nothing."
    return Finding("better than none", "well" if well else "stop", text, (),
                   {"skill": skill, "low": low, "high": high, "rows": float(test_set.n_rows)})


def _constant(inputs: AuditInputs) -> NDArray:
    """Return the best constant prediction, learned from the training rows."""
    test_set = inputs.test_set
    rows = inputs.fitted if len(inputs.fitted) else inputs.judged
    if test_set.loss in PROBABILITY_LOSSES:
        learned = Evaluation(
            inputs.model, inputs.X.iloc[rows], inputs.y[rows], test_set.loss, whole=inputs.y).y
        n_classes = test_set.prediction_before.shape[1]
        shares = np.bincount(learned.astype(int), minlength=n_classes) / len(rows)
        return np.tile(shares, (test_set.n_rows, 1))
    if test_set.loss is zero_one:
        labels, counts = np.unique(inputs.y[rows], return_counts=True)
        return np.full(test_set.n_rows, labels[counts.argmax()])
    return np.full(test_set.n_rows, inputs.y[rows].astype(float).mean())


# --- the same rows twice ---


def copies_within(inputs: AuditInputs) -> Finding:
    """Find rows that occur more than once in the whole table, target included."""
    key = _row_keys(inputs, np.arange(len(inputs.y)))
    repeated = float(pd.Series(key).duplicated().mean())
    by_chance = _repeated_by_chance(inputs)
    too_many = repeated > COPIES_SEEN and repeated > 2 * by_chance
    text = (
        f"{percent(repeated)} of the {len(key):,} rows repeat another one exactly, target "
        f"included; with the columns shuffled {percent(by_chance)} would.")
    if too_many:
        text += " Were rows entered twice? Then there are fewer cases than rows."
    return Finding("rows entered twice", "ask" if too_many else "well", text, (),
                   {"repeated": repeated, "by chance": by_chance})


def copies_across(inputs: AuditInputs) -> Finding:
    """Find test rows that also occur, exactly or nearly, among the training rows."""
    if not len(inputs.fitted):
        return Finding(
            "the same rows in training and test", "not asked",
            "Not looked for: the rows that the model was fitted on were not given.", (), {})
    learned = np.flatnonzero(~inputs.held_out)
    exact = float(np.isin(_row_keys(inputs, inputs.judged), _row_keys(inputs, learned)).mean())
    near, alone = _near_copies(inputs)
    by_chance = _repeated_by_chance(inputs)
    over = exact > 2 * by_chance
    stop = exact > COPIES_TOO_MANY and over
    seen = (exact > COPIES_SEEN and over) or (near > COPIES_TOO_MANY and near > 2 * alone)
    text = (
        f"{percent(exact)} of the rows that judge stand in the training rows exactly, target "
        f"included, and {percent(near)} have a near copy of their columns there (every number "
        f"within {NEAR:g} standard deviations, every word the same); with the columns shuffled "
        f"it would be {percent(by_chance)} and {percent(alone)}.")
    if stop or seen:
        text += " A model can know such rows by heart: keep copies on one side of the split."
    verdict = "stop" if stop else "ask" if seen else "well"
    return Finding("the same rows in training and test", verdict, text, (),
                   {"exact": exact, "near": near, "exact by chance": by_chance,
                    "near by chance": alone})


def _row_keys(inputs: AuditInputs, rows: NDArray) -> NDArray:
    """Hash each row, columns and target: equal rows have equal keys."""
    columns = pd.DataFrame(as_numbers(inputs.X)[0]) if inputs.X.shape[1] else inputs.X
    columns["target"] = pd.factorize(inputs.y)[0]
    return pd.util.hash_pandas_object(columns, index=False).to_numpy()[rows]


def _repeated_by_chance(inputs: AuditInputs) -> float:
    """Share of repeated rows if the columns were independent."""
    stream = inputs.stream("copies")
    columns = pd.DataFrame(as_numbers(inputs.X)[0])
    columns["target"] = pd.factorize(inputs.y)[0]
    shuffled = columns.apply(lambda column: stream.permutation(column.to_numpy()))
    return float(shuffled.duplicated().mean())


def _near_copies(inputs: AuditInputs) -> tuple[float, float]:
    """Share of test rows with a near copy in training, and with shuffled columns."""
    numbers = as_numbers(inputs.X)[0]
    scale = numbers.std(axis=0)
    numbers = numbers / np.where(scale > 0, scale, 1.0)
    words = np.array([not pd.api.types.is_numeric_dtype(kind) for kind in inputs.X.dtypes])
    numbers[:, words] *= 1e6  # another word is far away
    stream = inputs.stream("near copies")
    learned = numbers[inputs.fitted[:ROWS_COMPARED]]
    shuffled = np.column_stack([stream.permutation(column) for column in learned.T])
    asked = numbers[inputs.judged[:ROWS_COMPARED // 3]]
    return _share_near(asked, learned), _share_near(asked, shuffled)


def _share_near(asked: NDArray, learned: NDArray) -> float:
    """Share of rows of one table that are close to a row of the other in every column."""
    order = np.argsort(learned[:, 0], kind="stable")
    learned = learned[order]
    first = np.searchsorted(learned[:, 0], asked[:, 0] - NEAR, side="left")
    last = np.searchsorted(learned[:, 0], asked[:, 0] + NEAR, side="right")
    found = 0
    for row, start, stop in zip(asked, first, last, strict=True):
        alike = np.abs(learned[start:stop] - row) <= NEAR
        found += bool(alike.all(axis=1).any())
    return found / len(asked)


# --- rows that belong together ---


def split_by_group(inputs: AuditInputs) -> Finding:
    """Does the learner do worse on groups it has not met than on rows of groups it has?"""
    name = "rows split by group"
    if "groups" not in inputs.metadata:
        return Finding(
            name, "not asked", "Not looked at: nobody said which rows belong together "
            "(groups=). If rows share a person, a site or a batch, say so.", (), {})
    if inputs.fit is None or not len(inputs.fitted):
        return Finding(name, "not asked", "Not looked at: it takes refits, and no learner was "
                       "given.", (), {})
    rows = inputs.fitted
    labels = inputs.metadata["groups"][rows]
    units = np.unique(labels, return_inverse=True)[1]
    if units.max() + 1 < 2 * FOLDS:
        return Finding(name, "not asked", f"Not looked at: {units.max() + 1} groups among the "
                       f"training rows are too few to hold some out.", (), {})
    stream = inputs.stream("split by group")
    by_row = stratified_folds(np.zeros(len(rows)), FOLDS, stream)
    by_group = grouped_folds(units, FOLDS, stream)
    worse = _held_out_losses(inputs, rows, by_group) - _held_out_losses(inputs, rows, by_row)
    gap, low, high = mean_with_interval(worse, np.ones(len(rows)), units)
    clear = bool(low > 0)
    text = (
        f"Held out by whole groups the learner's {inputs.test_set.unit} is {span(low, high)} "
        f"higher than held out at random ({units.max() + 1} groups).")
    text += (" A random split flatters it: judge it on groups that it has not met." if clear else
             " No flattery by shared groups is seen.")
    groups = inputs.metadata["groups"]
    shared = np.isin(groups[inputs.judged], groups[~inputs.held_out]).mean()
    text += f" {percent(float(shared))} of the rows that judge are of groups in training."
    verdict = "ask" if clear and shared > 0 else "well"
    return Finding(name, verdict, text, (), {"gap": gap, "low": low, "high": high,
                                             "shared": float(shared)})


def _held_out_losses(inputs: AuditInputs, rows: NDArray, folds: list[NDArray]) -> NDArray:
    """Return the loss of each row by a model fitted without its fold."""
    losses = np.zeros(len(rows))
    for part in folds:
        rest = rows[np.setdiff1d(np.arange(len(rows)), part)]
        model = inputs.refit(inputs.X.iloc[rest], inputs.y[rest])
        test_set = Evaluation(model, inputs.X.iloc[rows[part]], inputs.y[rows[part]],
                              inputs.test_set.loss, whole=inputs.y)
        losses[part] = test_set.losses_before
    return losses


# --- columns that know too much, or too late ---


def known_too_late(inputs: AuditInputs) -> list[Finding]:
    """Find columns whose values became known after the decision they are used for."""
    if "time" not in inputs.metadata or not inputs.known_from:
        return [Finding(
            "known too late", "not asked", "Not looked at: nobody said when the values came to be "
            "(time= and known_from=). Only a date proves a leak.", (), {})]
    findings = []
    for name, when in inputs.known_from.items():
        late = float(np.mean(when > inputs.metadata["time"]))
        text = f"{percent(late)} of the values of {name!r} came to be after the row's own time."
        if late:
            text += " What was not known cannot be used: leave the column out and fit again."
        findings.append(Finding(
            "known too late", "stop" if late else "well", text, (name,) if late else (),
            {"late": late}))
    return findings


def knows_too_much(inputs: AuditInputs) -> Finding:
    """Find columns that alone do nearly all that the model does."""
    rows = inputs.fitted if len(inputs.fitted) else inputs.judged
    if len(rows) > ROWS_FOR_LEAKS:
        rows = inputs.stream("leaks").choice(rows, ROWS_FOR_LEAKS, replace=False)
    y = inputs.y[rows]
    against = ""
    labels, counts = np.unique(y, return_counts=True)
    if inputs.is_classification and len(labels) != 2:
        y = y == labels[counts.argmax()]
        against = f" (for {labels[counts.argmax()]!s} against the rest)"
    try:
        found = leak_suspects(inputs.X.iloc[rows], y, n_trees=15, share=DOMINANT, rng=inputs.seed)
    except ValueError as refusal:
        return Finding("knows too much", "not asked", f"Could not be asked: {refusal}", (), {})
    strongest = found.iloc[0]
    in_time = _known_in_time(inputs)
    dominant = tuple(found.loc[found["dominant"], "feature"].astype(str))
    suspects = tuple(name for name in dominant if name not in in_time)
    figures = {str(row.feature): float(row.strength) for row in found.itertuples()}
    text = (
        f"Alone, {strongest['feature']!r} does {percent(strongest['strength'])} of what a forest "
        f"on all columns does{against}.")
    if len(suspects) < len(dominant):
        text += " Its dates say that it was known in time."
    if suspects:
        text += (
            f" Ask when and how {_listed(suspects)} {'is' if len(suspects) == 1 else 'are'} "
            "written down: a column that is written after the target looks just so.")
    return Finding("knows too much", "ask" if suspects else "well", text, suspects, figures)


def _known_in_time(inputs: AuditInputs) -> set[str]:
    """Return the columns whose dates were given and are never too late."""
    return {name for name, when in inputs.known_from.items()
            if (when <= inputs.metadata["time"]).all()}


def empty_columns(inputs: AuditInputs) -> Finding:
    """Find columns without information (empty, constant) and columns that identify rows."""
    n = len(inputs.X)
    values = {name: inputs.X[name].nunique() for name in inputs.X}
    empty = tuple(name for name, k in values.items() if k <= 1)
    labels = tuple(
        name for name, k in values.items()
        if k > 0.95 * n and not pd.api.types.is_float_dtype(inputs.X[name]) and n > 50
        and not pd.api.types.is_datetime64_any_dtype(inputs.X[name])
        and not _is_spread(inputs.X[name]))
    parts = []
    if empty:
        parts.append(f"{_listed(empty)}: one value or none in all {n:,} rows.")
    if labels:
        parts.append(f"{_listed(labels)}: almost every row has a value of its own, as a name has.")
    gaps = float(inputs.X.isna().to_numpy().mean())
    parts.append(f"{percent(gaps)} of all values are missing.")
    verdict = "ask" if labels else "note" if empty else "well"
    return Finding("empty columns and names", verdict, " ".join(parts), empty + labels,
                   {"empty": float(len(empty)), "names": float(len(labels)), "gaps": gaps})


def gaps_that_tell(inputs: AuditInputs) -> Finding:
    """Find columns in which missing values are associated with the target."""
    gaps = {name: inputs.X[name].isna().to_numpy() for name in inputs.X}
    asked = [name for name, gap in gaps.items()
             if min(gap.sum(), (~gap).sum()) >= LEAST_GAPS]
    outcome = inputs.targets[:, -1]
    groups = inputs.metadata.get("groups")
    figures, parts = {}, []
    for name in asked:
        (without, reach), (given, other) = (
            _mean_and_reach(outcome[rows], inputs.weights[rows],
                            None if groups is None else groups[rows], len(asked))
            for rows in (gaps[name], ~gaps[name]))
        if abs(without - given) > np.hypot(reach, other):
            figures[name] = float(without - given)
            parts.append(
                f"Where {name!r} is empty ({gaps[name].sum():,} rows) {_target_mean_text(inputs)} "
                f"{number(without)}, elsewhere {number(given)}.")
    if not figures:
        text = f"Columns with {LEAST_GAPS} gaps or more: {len(asked)}; none goes with the target."
        return Finding("gaps that tell", "well", text, (), {})
    parts.append(
        "Was the field empty when the decision was made, or does the outcome empty it? Its "
        "importance is in part that of having a value.")
    return Finding("gaps that tell", "ask", " ".join(parts), tuple(figures), figures)


def _mean_and_reach(
    values: NDArray, weights: NDArray, groups: NDArray | None, n_figures: int
) -> tuple[float, float]:
    """Return a mean over some rows, and half the width of its interval."""
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    if codes is not None and codes.max() == 0:
        codes = None
    mean, low, _ = mean_with_interval(values, weights / weights.mean(), codes, n_figures)
    return mean, mean - low


def _target_mean_text(inputs: AuditInputs) -> str:
    """Say what the mean of the target's last column is."""
    if not inputs.is_classification:
        return "the mean target is"
    return f"the share of {np.unique(inputs.y)[-1]!s} is"


def _is_spread(column: pd.Series) -> bool:
    """Return whether whole numbers are measurements, with wide gaps, and no row numbers."""
    if not pd.api.types.is_integer_dtype(column):
        return False
    return bool(column.max() - column.min() > 2 * len(column))


def _listed(names: tuple[str, ...], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
