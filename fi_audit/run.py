"""Take a model and a table and say what may be said: the checks first, then the four questions."""

from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fi_audit import checks, null_importance, questions, subgroups
from fi_audit.correlated_columns import clusters
from fi_audit.inputs import Case, make_case
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
    """What may be said about a model's features, and what may not.

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
    case = make_case(
        as_asked(model, X), X, y, test=test, groups=groups, time=time, protected=protected,
        known_from=known_from, sample_weight=sample_weight, fit=fit, loss=loss, quick=quick,
        rng=rng)
    return run(case, progress=progress)


def as_asked(model: object, X: object) -> object:
    """A bare function of arrays keeps getting arrays, though the audit works on a DataFrame."""
    is_function = callable(model) and not hasattr(model, "predict")
    owner = getattr(model, "__self__", None)
    if hasattr(X, "columns") or not is_function or owner is not None:
        return model
    return lambda table: model(np.asarray(table))  # type: ignore[operator]


def run(
    case: Case, *, progress: Callable | None = None, done: MutableMapping | None = None
) -> Audit:
    """All steps in turn. done : what earlier runs have found, by step; new findings are put in."""
    done = {} if done is None else done
    for name in with_progress(list(STEPS), progress):
        if name not in done:
            done[name] = STEPS[name](case, done)
    findings = tuple(found for name in CHECKS for found in _several(done[name]))
    measures = {m.question: m for name in MEASURES if (m := done[name]) is not None}
    findings += (null_importance.seen_in(measures["null copies"]),)
    groups = done["groups of columns"]
    rows = (*done["by group"], *done["by period"])
    written = sentences(case, findings, groups, measures, rows)
    return Audit(_about(case), findings, groups, tuple(measures.values()), rows, written)


def _several(found: Any) -> tuple[Finding, ...]:
    return tuple(found) if isinstance(found, list | tuple) else (found,)


def _clusters(case: Case, done: MutableMapping) -> tuple:
    return clusters(case.X.iloc[case.judged])


CHECKS = {
    "better than none": lambda case, done: checks.better_than_none(case),
    "rows entered twice": lambda case, done: checks.copies_within(case),
    "the same rows in training and test": lambda case, done: checks.copies_across(case),
    "rows split by group": lambda case, done: checks.split_by_group(case),
    "known too late": lambda case, done: tuple(checks.known_too_late(case)),
    "knows too much": lambda case, done: checks.knows_too_much(case),
    "empty columns and names": lambda case, done: checks.empty_columns(case),
    "gaps that tell": lambda case, done: checks.gaps_that_tell(case),
}
MEASURES = {
    "associated": lambda case, done: questions.associated(case),
    "used": lambda case, done: questions.used(case),
    "null copies": lambda case, done: null_importance.null_copies(case),
    "used together": lambda case, done: questions.used_together(case, done["groups of columns"]),
    "conditional": lambda case, done: questions.conditional(case),
    "relevant": lambda case, done: questions.missed(
        case, done["groups of columns"], done["used"]),
}
STEPS: dict[str, Callable] = {
    **CHECKS, "groups of columns": _clusters, **MEASURES,
    "by group": lambda case, done: subgroups.by_protected(case),
    "by period": lambda case, done: subgroups.by_period(case),
}
"""Every step by its name, in order: (case, what was found before) -> records."""


def _title(model: object) -> str:
    """What the model is called: a pipeline by its steps."""
    steps = [type(step).__name__ for _, step in getattr(model, "steps", ())]
    return str(getattr(model, "title", None) or ", ".join(steps) or type(model).__name__)


def _about(case: Case) -> dict[str, str]:
    """The head of the report: what was judged, on what, and what was sampled."""
    held_out, n = int(case.held_out.sum()), len(case.y)
    learned = n - held_out
    refits = "no refits"
    if case.fit is not None:
        refits = f"refits learn from {len(case.fitted):,} of {learned:,} other rows"
    sampled = (
        f"{len(case.judged):,} of {held_out:,} held-out rows judge; {refits}; "
        f"{case.effort.repeats} shuffles a column.")
    share = percent(len(case.judged) / held_out)
    return {
        "model": _title(case.model.given),
        "table": f"{n:,} rows, {len(case.names)} columns, target of "
                 + ("classes" if case.of_classes else "numbers"),
        "held out": case.origin,
        "judged by": case.task.unit,
        "sampled": f"{sampled} ({share} of the held-out rows.)",
        "intervals": "99 %, all of one table together (Bonferroni), by the test rows"
                     + (" and the groups they come in" if "groups" in case.aside else ""),
    }
