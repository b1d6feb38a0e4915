"""Run the audit: the checks first, then the four questions, then the sentences."""

from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fi_audit import checks, null_importance, questions, subgroups
from fi_audit.correlated_columns import clusters
from fi_audit.inputs import AuditInputs, make_inputs
from fi_audit.intervals import percent
from fi_audit.results import Audit, Finding
from fi_audit.sentences import sentences
from fi_teach.basics.losses import Loss
from fi_teach.basics.refit import with_progress
from fi_teach.basics.seeds import Seed


def audit(
    model: object,
    X: ArrayLike,
    y: ArrayLike,
    *,
    test: Any = None,
    groups: Any = None,
    time: Any = None,
    protected: Any = None,
    known_from: dict | None = None,
    sample_weight: Any = None,
    fit: Callable | None = None,
    loss: str | Loss | None = None,
    quick: bool = False,
    rng: Seed = 0,
    progress: Callable | None = None,
) -> Audit:
    """Audit a model: which sentences about its features may be written, and which may not.

    model : a fitted scikit-learn model or pipeline, XGBoost's, LightGBM's, ours, or a function of a
        table. It gets its own columns; the table may have more
    X (n, p), y (n,) : the table and its target; numbers, words, categories, dates, gaps
    test : rows the model has not seen: (X_test, y_test), or one True or False for each row of X.
        None: a scikit-learn model is fitted again on two thirds of the rows (whole groups; the
        earlier two thirds where there is a time) and judged on the rest; any other model is judged
        on all rows, and every sentence says that it must never have seen them
    groups, time, protected : a column's name or one value a row (test rows after the others): which
        rows belong together, when each was decided, whom it concerns
    known_from : {column: when its value came to be}, a date, a number, or another column's name
    sample_weight : how much each row counts
    fit : (X, y) -> a fitted model, for refits of a model that cannot be copied
    loss : None takes Brier's score for probabilities, error rate for labels, squared error
    quick : fewer rows, shuffles and refits; progress : wraps the steps, such as tqdm.tqdm
    -> Audit; audit.write(folder) of fi_audit.report makes the report

    Large tables are sampled: at most 2,000 rows judge and 3,000 are fitted on (quick: 500 and 800).

    Raises ValueError for a model of another table, a target that is no target, fewer than 30 rows
    that judge, columns that are not there.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> found = audit(lambda X: X[:, 0], X, X[:, 0] + 0.1 * rng.normal(size=200), quick=True)
    >>> found.measure("used").clear.tolist()
    [True, False]
    """
    inputs = make_inputs(
        as_asked(model, X), X, y, test=test, groups=groups, time=time, protected=protected,
        known_from=known_from, sample_weight=sample_weight, fit=fit, loss=loss, quick=quick,
        rng=rng)
    return run(inputs, progress=progress)


def as_asked(model: object, X: object) -> object:
    """Let a function of arrays keep getting arrays, though the audit works on a DataFrame."""
    is_function = callable(model) and not hasattr(model, "predict")
    owner = getattr(model, "__self__", None)
    if hasattr(X, "columns") or not is_function or owner is not None:
        return model
    return lambda table: model(np.asarray(table))  # type: ignore[operator]


def run(
    inputs: AuditInputs, *, progress: Callable | None = None, done: MutableMapping | None = None
) -> Audit:
    """Run all steps. done : what earlier runs have found, by step; new results are added."""
    done = {} if done is None else done
    for name in with_progress(list(STEPS), progress):
        if name not in done:
            done[name] = STEPS[name](inputs, done)
    findings = tuple(found for name in CHECKS for found in _several(done[name]))
    measures = {m.question: m for name in MEASURES if (m := done[name]) is not None}
    findings += (null_importance.check_null_copies(measures["null copies"]),)
    groups = done["groups of columns"]
    rows = (*done["by group"], *done["by period"])
    written = sentences(inputs, findings, groups, measures, rows)
    return Audit(_about(inputs), findings, groups, tuple(measures.values()), rows, written)


def _several(found: Any) -> tuple[Finding, ...]:
    return tuple(found) if isinstance(found, list | tuple) else (found,)


def _clusters(inputs: AuditInputs, done: MutableMapping) -> tuple:
    return clusters(inputs.X.iloc[inputs.judged])


CHECKS = {
    "better than none": lambda inputs, done: checks.better_than_none(inputs),
    "rows entered twice": lambda inputs, done: checks.copies_within(inputs),
    "the same rows in training and test": lambda inputs, done: checks.copies_across(inputs),
    "rows split by group": lambda inputs, done: checks.split_by_group(inputs),
    "known too late": lambda inputs, done: tuple(checks.known_too_late(inputs)),
    "knows too much": lambda inputs, done: checks.knows_too_much(inputs),
    "empty columns and names": lambda inputs, done: checks.empty_columns(inputs),
    "gaps that tell": lambda inputs, done: checks.gaps_that_tell(inputs),
}
MEASURES = {
    "associated": lambda inputs, done: questions.associated(inputs),
    "used": lambda inputs, done: questions.used(inputs),
    "null copies": lambda inputs, done: null_importance.null_copies(inputs),
    "used together": lambda inputs, done: questions.used_together(
        inputs, done["groups of columns"]),
    "conditional": lambda inputs, done: questions.conditional(inputs),
    "relevant": lambda inputs, done: questions.refit_importance(
        inputs, done["groups of columns"], done["used"]),
}
STEPS: dict[str, Callable] = {
    **CHECKS, "groups of columns": _clusters, **MEASURES,
    "by group": lambda inputs, done: subgroups.by_protected(inputs),
    "by period": lambda inputs, done: subgroups.by_period(inputs),
}
"""Every step by its name, in order: (case, what was found before) -> records."""


def _title(model: object) -> str:
    """Return the model's name: a pipeline by its steps."""
    steps = [type(step).__name__ for _, step in getattr(model, "steps", ())]
    return str(getattr(model, "title", None) or ", ".join(steps) or type(model).__name__)


def _about(inputs: AuditInputs) -> dict[str, str]:
    """Build the head of the report: what was judged, on what, and what was sampled."""
    held_out, n = int(inputs.held_out.sum()), len(inputs.y)
    learned = n - held_out
    refits = "no refits"
    if inputs.fit is not None:
        refits = f"refits learn from {len(inputs.fitted):,} of {learned:,} other rows"
    sampled = (
        f"{len(inputs.judged):,} of {held_out:,} held-out rows judge; {refits}; "
        f"{inputs.effort.repeats} shuffles a column.")
    share = percent(len(inputs.judged) / held_out)
    return {
        "model": _title(inputs.model.given),
        "table": f"{n:,} rows, {len(inputs.names)} columns, target of "
                 + ("classes" if inputs.is_classification else "numbers"),
        "held out": inputs.origin,
        "judged by": inputs.test_set.unit,
        "sampled": f"{sampled} ({share} of the held-out rows.)",
        "intervals": "99 %, all of one table together (Bonferroni), by the test rows"
                     + (" and the groups they come in" if "groups" in inputs.metadata else ""),
    }
