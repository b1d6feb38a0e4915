"""Run `fi-teach audit MODEL TABLE --target Y --out FOLDER`: from files to a report."""

import sys
from argparse import Namespace
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from fi_audit.data import AuditData, make_data
from fi_audit.files import dates_parsed, read_model, read_table, target_of
from fi_audit.report import write, write_notebook
from fi_audit.results import Audit
from fi_audit.run import run
from fi_teach.basics.model import as_model

A_MINUTE = 60
NAMES_OF_ROWS = ("groups", "time", "protected", "weight")
OPTIONS = ("model", "table", "target", "train", "seen", "refit", *NAMES_OF_ROWS, "known_from",
           "quick", "seed")


def audit_files(options: Namespace) -> int:
    """Read, audit and write -> 0, or 1 if no importance may be written."""
    given = {name: getattr(options, name) for name in OPTIONS}
    data = read_inputs(**given, progress=progress())
    seconds = seconds_for(data)
    if seconds > A_MINUTE:
        print(f"This will take about {round(seconds / 60) or 1} min; --quick takes less.",
              file=sys.stderr)
    found = run(data)
    paths = list(write(found, options.out))
    if options.notebook:
        for name in ("model", "table", "train"):
            if given[name] and Path(given[name]).is_file():
                given[name] = str(Path(given[name]).resolve())
        paths.append(write_notebook(options.out, found.about["model"], given))
    print(summary(found, paths))
    return int(any(finding.verdict == "stop" for finding in found.findings))


def read_inputs(
    model: str, table: str, target: str, *, train: str | None = None, seen: bool = False,
    refit: bool = False, groups: str | None = None, time: str | None = None,
    protected: str | None = None, weight: str | None = None, known_from: list[str] | None = None,
    quick: bool = False, seed: int = 0, progress: Callable | None = None,
) -> AuditData:
    """Build the data of an audit from files; the arguments are the command's options."""
    rows = read_table(table)
    _check_target(rows, target)
    fitted = read_model(model)
    held_out: Any = None
    if train is not None and train in rows:
        held_out = ~_as_bool(rows[train], train)
    elif train is not None:
        learned = read_table(train)
        _check_target(learned, target)
        held_out = np.arange(len(learned) + len(rows)) >= len(learned)
        rows = pd.concat([learned, rows], join="inner", ignore_index=True)
    known = _known_from(known_from or [])
    beside = {groups, time, protected, weight, train} | {x for x in known.values() if x in rows}
    features = _without(fitted, rows, target, beside)
    y = target_of(fitted, rows[target])
    if held_out is not None and held_out.all():
        held_out = None
    settings: dict[str, Any] = {
        "test": held_out, "seen": seen, "refit": refit, "groups": groups, "time": time,
        "protected": protected, "known_from": known, "sample_weight": weight, "quick": quick,
        "rng": seed, "progress": progress}
    data = make_data(fitted, features, y, **settings)
    try:
        data.answers(data.X.iloc[:5])
    except ValueError:
        parsed = dates_parsed(features)  # a CSV file keeps the words of a date
        if parsed is features:
            raise
        data = make_data(fitted, parsed, y, **settings)
        data.answers(data.X.iloc[:5])
    return data


def seconds_for(data: AuditData) -> float:
    """Estimate how long the audit will take, from one prediction."""
    table = data.X.iloc[np.resize(data.test, 2000)] if len(data.test) else data.X
    began = perf_counter()
    data.answers(table)
    a_row = (perf_counter() - began) / len(table)
    return 2.5 * len(data.names) * data.budget.repeats * len(data.test) * a_row


def _check_target(table: pd.DataFrame, target: str) -> None:
    if target not in table:
        some = ", ".join(map(str, table.columns[:10]))
        raise ValueError(f"--target is {target!r}, which is no column of the table: it has {some}.")


def _without(
    model: Any, table: pd.DataFrame, target: str, beside: set[str | None]
) -> pd.DataFrame:
    """Drop the target; a model without column names gets all other columns."""
    table = table.drop(columns=target)
    if as_model(model).names is not None:
        return table
    named = [name for name in beside if name in table]
    if named:
        raise ValueError(
            f"the model does not know its columns' names, so {named[0]!r} cannot be told from "
            "them: fit it on a DataFrame.")
    return table.set_axis([f"x{j}" for j in range(table.shape[1])], axis=1)


def _as_bool(column: pd.Series, name: str):
    """Convert a column of true and false (1 and 0) -> (n,) bool."""
    values = set(column.dropna().unique().tolist())
    if column.isna().any() or not values <= {0, 1}:
        raise ValueError(
            f"--train is {name!r}, a column with values such as {sorted(map(str, values))[:3]}: "
            "expected true or false (1 or 0), or the path of another table.")
    return column.to_numpy().astype(bool)


def _known_from(given: list[str]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for text in given:
        name, sign, when = text.partition("=")
        if not sign or not name or not when:
            raise ValueError(
                f"--known-from is {text!r}, expected COLUMN=DATE or COLUMN=OTHER-COLUMN.")
        try:
            known[name] = float(when)
        except ValueError:
            known[name] = when
    return known


def progress() -> Callable | None:
    """Return tqdm's progress bar, if tqdm is installed."""
    if find_spec("tqdm") is None:
        return None
    from tqdm import tqdm
    return lambda steps: tqdm(list(steps), desc="audit", unit="step", file=sys.stderr)


def summary(audit: Audit, paths: list[Path]) -> str:
    """Summarize the audit in a few lines for the terminal."""
    lines = [audit.answer, *(f"ask: {text}" for text in audit.asks)]
    lines.append(f"{len(audit.may)} sentences may be written, {len(audit.may_not)} may not.")
    return "\n".join([*lines, *(f"Wrote {path}" for path in paths)])
