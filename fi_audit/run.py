"""Run the audit: the model, the rows and the columns first, then the questions, the sentences."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fi_audit import importance, leaks, rows, subgroups
from fi_audit.columns import check_columns, check_gaps, clusters
from fi_audit.data import LEAST_ROWS, AuditData, make_data
from fi_audit.results import Audit, Finding, Measure, Sentence
from fi_audit.sentences import Facts, answer, sentences
from fi_audit.skill import check_calibration, check_model, check_skill, name_of, skill_of
from fi_teach.basics.losses import Loss
from fi_teach.basics.refit import with_progress
from fi_teach.basics.seeds import Seed


def audit(
    model: object, X: ArrayLike, y: ArrayLike, *, test: Any = None, seen: bool = False,
    refit: bool | Callable = False, groups: Any = None, time: Any = None, protected: Any = None,
    known_from: Mapping | None = None, sample_weight: Any = None, loss: str | Loss | None = None,
    quick: bool = False, rng: Seed = 0, progress: Callable | None = None,
) -> Audit:
    """Audit a model: which sentences about its features may be written, and which may not.

    model : a fitted scikit-learn model or pipeline, XGBoost's, LightGBM's, ours, or a function of a
        table. It gets its own columns; the table may have more
    X (n, p), y (n,) : rows that the model has not seen, with their target; numbers, words,
        categories, dates, gaps; pandas, polars, Arrow or arrays
    test : given, X holds the rows that the model was fitted on, and test those that it has not
        seen: (X_test, y_test), or one True (not seen) or False for each row of X
    seen : the model was fitted on all rows. They cannot judge it, so that only the table is
        described, unless refit allows a copy
    refit : True, or a function (X, y) -> model: copies of the model may be fitted. With seen, a
        copy is fitted on two thirds of the rows (whole groups; the earlier ones where there is a
        time) and judged on the others; copies without a column say what it adds to the others.
        Every sentence about a copy says so
    groups, time, protected : a column's name or one value a row (test rows after the others): which
        rows belong together, when each was decided, whom it concerns
    known_from : {column: when its value came to be}, a date, a number, or another column's name
    sample_weight : how much each row counts
    loss : None takes Brier's score for probabilities, error rate for labels, squared error
    quick : fewer rows, shuffles and refits; progress : wraps the steps, such as tqdm.tqdm
    -> Audit; fi_audit.report.write(audit, folder) makes the report of it

    Large tables are sampled: at most 10,000 rows judge (quick: 2,000), fewer in wide tables.

    Raises ValueError for a model of another table, a target that it does not predict, columns that
    are not there, and a copy that cannot be fitted or would know the rows that judge it.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> found = audit(lambda X: X[:, 0], X, X[:, 0] + 0.1 * rng.normal(size=200), quick=True)
    >>> found.measure("used").clear.tolist()
    [True, False]
    """
    return run(make_data(**locals()))


STEPS = ("skill", "rows", "columns", "importance", "shuffled copies", "conditional importance",
         "leaks", "refits", "groups and periods")


def run(data: AuditData) -> Audit:
    """Run all steps and write the sentences."""
    if len(data.test) < LEAST_ROWS or len(np.unique(data.outcome[data.test])) < 2:
        return _too_little(data)
    steps = iter(with_progress(STEPS, data.progress))

    next(steps, None)
    scores, main = skill_of(data)
    findings = [check_model(data), check_skill(data, scores, main), check_calibration(data)]
    next(steps, None)
    findings += [*rows.check_copies(data), rows.check_related(data), rows.check_time(data)]
    next(steps, None)
    findings += [*check_columns(data), check_gaps(data)]
    groups = clusters(data.X.iloc[data.some(data.sample, 2000, "correlations")])

    next(steps, None)
    shuffler = importance.Shuffler(data, main)
    associated = importance.associated(data)
    used = importance.used(shuffler, tuple((name,) for name in data.names))
    together = importance.used(shuffler, groups, "used together") if groups else None
    in_play = importance.in_play(used)
    next(steps, None)
    copies = importance.null_copies(shuffler, in_play) if in_play else None
    next(steps, None)
    several = len(data.names) > 1 and in_play
    conditional = importance.conditional(shuffler, in_play) if several else None

    next(steps, None)
    strengths = dict(zip(data.names, associated.value, strict=True))
    findings += [*leaks.check_dates(data, data.names[int(used.value.argmax())]),
                 leaks.check_leaks(data, strengths, groups)]
    next(steps, None)
    grouped = {name for members in groups for name in members}
    units = (*groups, *((name,) for name in data.names if name not in grouped))
    refits = importance.relevant(shuffler, units, used)
    no_refit = refits if isinstance(refits, str) else ""
    measures = [one for one in (associated, used, together, copies, conditional, refits)
                if isinstance(one, Measure)]

    next(steps, None)
    parts, small = subgroups.by_protected(data, main)
    findings.append(small)
    parts += subgroups.by_period(data, main)
    next(steps, None)
    found = Audit("", _about(data, len(main.rows)), tuple(findings), groups,
                  tuple(measures), parts, ())
    facts = Facts(data, scores, main, found, no_refit)
    return replace(found, answer=answer(facts), sentences=sentences(facts))


def _too_little(data: AuditData) -> Audit:
    """Say what can be said of a few rows, or of rows of one class: nothing about the features."""
    n = len(data.test)
    why = (f"{n} rows cannot say what a model relies on: it takes {LEAST_ROWS} or more."
           if n < LEAST_ROWS else
           f"All {n:,} rows have the same target: there is nothing to tell apart.")
    finding = Finding("skill", "stop", why, (), {"rows": float(n)}, "Bring more rows.")
    forbidden = Sentence("used", (), "The model relies on one column more than on another.",
                         why, False)
    return Audit(why, _about(data, n), (finding, *check_columns(data)), (), (), (), (forbidden,))


def _about(data: AuditData, n_judge: int) -> dict[str, str]:
    """Build the head of the report: what was judged, on what, and what was sampled."""
    known = "the model was fitted on" if data.seen else "the model has not seen, as was said"
    if data.clone:
        known = f"a copy, {data.clone}, has not seen"
    sampled = [f"{n_judge:,} of {data.held_out.sum():,} rows judge", f"{data.budget.repeats} "
               "shuffles a column", "500 bootstrap samples for the intervals"]
    if len(data.sample) < len(data.y):
        sampled.append(f"{len(data.sample):,} of {len(data.y):,} rows say what the table is like")
    return {
        "model": name_of(data.model.given),
        "table": f"{len(data.y):,} rows, {len(data.names)} columns",
        "judged on": f"{n_judge:,} rows that {known}",
        "sampled": "; ".join(sampled) + ".",
        "intervals": "95%, for all figures of one question together (bootstrap of the largest "
                     "studentised deviation)"
                     + (", by the groups that the rows come in" if "groups" in data.metadata
                        else ""),
        **({"noted": " ".join(data.notes)} if data.notes else {}),
    }
