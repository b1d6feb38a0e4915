"""Run `fi-teach audit MODEL TABLE --target Y --out FOLDER`: from files to a report."""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from fi_audit.columns import looks_dated
from fi_audit.data import AuditData, in_one_line, make_data
from fi_audit.report import library, write, write_notebook
from fi_audit.run import run
from fi_teach.basics.convert import as_forest
from fi_teach.basics.forest import Forest
from fi_teach.basics.model import as_model
from fi_teach.basics.target import holds_labels, places_among

WARNING = (
    "warning: {} is a pickle, and loading one runs whatever code it holds. Audit only files that "
    "you made or whose maker you trust.")
A_MINUTE = 60
OF_THE_REPORT = ("command", "run", "out", "notebook")  # options that the data do not need


def audit_files(options: Namespace) -> int:
    """Read, audit and write -> 0, or 1 if no importance may be written."""
    given = {name: value for name, value in vars(options).items() if name not in OF_THE_REPORT}
    progress = None
    if find_spec("tqdm") is not None:
        from tqdm import tqdm
        progress = partial(tqdm, desc="audit", unit="step", file=sys.stderr)
    data = read_inputs(**given, progress=progress)
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
    print("\n".join([
        found.answer, *(f"ask: {text}" for text in found.asks),
        f"{len(found.may)} sentences may be written, {len(found.may_not)} may not.",
        *(f"Wrote {path}" for path in paths)]))
    return int(any(finding.verdict == "stop" for finding in found.findings))


def read_inputs(
    model: str, table: str, target: str, *, train: str | None = None, weight: str | None = None,
    known_from: Sequence[str] = (), seed: int = 0, **options: Any,
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
    known = _known_from(known_from)
    beside = {train, weight, *(options.get(name) for name in ("groups", "time", "protected")),
              *(when for when in known.values() if when in rows)}
    y, features = target_of(fitted, rows[target]), _without(fitted, rows, target, beside)
    for X in (features, dates_parsed(features)):  # a CSV file keeps the words of a date
        data = make_data(
            fitted, X, y, test=None if held_out is None or held_out.all() else held_out,
            known_from=known, sample_weight=weight, rng=seed, **options)
        try:
            data.answers(data.X.iloc[:5])
            return data
        except ValueError as refusal:
            refused = refusal
    raise refused


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


def _known_from(given: Sequence[str]) -> dict[str, Any]:
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


# --- files ---


def read_model(path: str | Path) -> Any:
    """Read a fitted model from joblib's, XGBoost's or LightGBM's file."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no model file {path}.")
    kind = path.suffix.lower()
    if kind in (".joblib", ".pkl", ".pickle"):
        model = _unpickled(path)
    elif kind in (".json", ".ubj"):
        model = _booster("xgboost", path)
    elif kind in (".txt", ".lgb"):
        if not path.read_text(encoding="utf-8", errors="replace").startswith("tree"):
            raise ValueError(f"{path.name} is no model of LightGBM: its files begin with 'tree'.")
        model = _booster("lightgbm", path)
    else:
        raise ValueError(
            f"{path.name} ends in {kind or 'nothing'!r}: expected a model as .joblib or .pkl, "
            "XGBoost's .json or .ubj, or LightGBM's .txt.")
    as_model(model)
    return model


def _load(read: Callable, path: Path) -> Any:
    """Let a library read a file. Raises ValueError, in one line, for whatever goes wrong."""
    try:
        return read(path)
    except Exception as error:
        raise ValueError(f"{path.name} cannot be read as a model ({in_one_line(error)}): save it "
                         "again, with the versions installed here.") from error


def _unpickled(path: Path) -> Any:
    print(WARNING.format(path.name), file=sys.stderr)
    model = _load(library("joblib", "this model").load, path)
    if isinstance(model, dict):  # a bundle such as {"model": ..., "columns": ...}
        models = [part for part in model.values() if hasattr(part, "predict")]
        if len(models) != 1:
            raise ValueError(
                f"{path.name} holds a dict with {len(models)} models among {list(model)[:5]}: save "
                "the model alone, or a dict with one.")
        model = models[0]
    if not hasattr(model, "predict") and not callable(model):
        raise ValueError(f"{path.name} holds a {type(model).__name__}, which is no model.")
    return model


def _booster(name: str, path: Path) -> Any:
    """Read a booster's own file: our trees give its predictions, and know its categories."""
    booster = library(name, "this model").Booster
    return _load(lambda path: as_forest(booster(model_file=path)), path)


def target_of(model: Any, y: pd.Series) -> pd.Series:
    """Give a booster's own file, which only knows 0, 1, 2, ..., the places of words in order."""
    if not isinstance(model, Forest) or model.classes is None or not holds_labels(y.dropna()):
        return y
    labels = np.unique(y.dropna().astype(str))
    if len(labels) != len(model.classes):
        raise ValueError(
            f"the target has {len(labels)} words ({', '.join(labels[:5])}), the model knows "
            f"{len(model.classes)} numbers: give the target as these numbers.")
    said = ", ".join(f"{label} is {number}" for number, label in enumerate(labels))
    print(f"The model only knows numbers; taken in the order of the alphabet: {said}.",
          file=sys.stderr)
    return pd.Series(places_among(y.astype(str), labels), y.index, float).where(y.notna())


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table from CSV or Parquet. Raises ValueError for other files and for no rows."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no table {path}.")
    kind = path.suffix.lower()
    if kind in (".parquet", ".pq"):
        if find_spec("pyarrow") is None and find_spec("fastparquet") is None:
            raise ValueError("Parquet needs pyarrow: pip install pyarrow, or give a CSV file.")
        read: Any = pd.read_parquet
    elif kind in (".csv", ".gz", ".tsv"):
        read = _read_csv
    else:
        raise ValueError(f"{path.name} is neither CSV nor Parquet (.csv, .csv.gz, .parquet).")
    try:
        table = read(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"{path.name} cannot be read as a table: {str(error)[:200]}.") from error
    if len(table) == 0:
        raise ValueError(f"{path.name} has no rows: give a table with some.")
    return table


def _read_csv(path: Path) -> pd.DataFrame:
    """Read a table whose values are separated by commas, semicolons or tabs."""
    table = pd.read_csv(path, sep="\t" if ".tsv" in path.suffixes else ",")
    if table.shape[1] == 1 and ";" in str(table.columns[0]):
        table = pd.read_csv(path, sep=";")
        commas = [name for name in table if table[name].dtype.kind not in "iufb" and table[name]
                  .dropna().astype(str).str.fullmatch(r"-?\d+,\d+").all()]
        table = pd.read_csv(path, sep=";", decimal=",") if commas else table
    return table


def dates_parsed(X: pd.DataFrame) -> pd.DataFrame:
    """Turn columns of dates in words into dates; the same table if there are none."""
    dated = [name for name in X if looks_dated(X[name]) and X[name].dtype.kind not in "iufM"]
    return X.assign(**{name: pd.to_datetime(X[name]) for name in dated}) if dated else X
