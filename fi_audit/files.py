"""Read models and tables from files; a refusal says what came, what was expected, what to do."""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fi_audit.columns import looks_dated
from fi_teach.basics.convert import as_forest
from fi_teach.basics.forest import Forest
from fi_teach.basics.model import as_model
from fi_teach.basics.target import holds_labels, places_among

WARNING = (
    "warning: {} is a pickle, and loading one runs whatever code it holds. Audit only files that "
    "you made or whose maker you trust.")
PICKLES = (".joblib", ".pkl", ".pickle")
XGBOOST = (".json", ".ubj")
LIGHTGBM = (".txt", ".lgb")


def read_model(path: str | Path) -> Any:
    """Read a fitted model from joblib's, XGBoost's or LightGBM's file.

    Raises ValueError for a file that is not there, is no model, or needs a library that is missing.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"there is no model file {path}.")
    kind = path.suffix.lower()
    if kind not in (*PICKLES, *XGBOOST, *LIGHTGBM):
        raise ValueError(
            f"{path.name} ends in {kind or 'nothing'!r}: expected a model as .joblib or .pkl, "
            "XGBoost's .json or .ubj, or LightGBM's .txt.")
    model = _unpickled(path) if kind in PICKLES else _booster(path)
    as_model(model)
    return model


def _load(read: Callable, path: Path) -> Any:
    """Let a library read a file. Raises ValueError, in one line, for whatever goes wrong."""
    try:
        return read(path)
    except Exception as error:
        first = "".join(str(error).strip().splitlines()[:1])
        raise ValueError(
            f"{path.name} cannot be read as a model ({type(error).__name__}: {first[:160]}): "
            "save it again, with the versions installed here.") from error


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


def _booster(path: Path) -> Any:
    """Read a booster's own file: our trees give its predictions, and know its categories."""
    if path.suffix.lower() in XGBOOST:
        xgboost = library("xgboost", "this model")
        return _load(lambda path: as_forest(xgboost.Booster(model_file=path)), path)
    lightgbm = library("lightgbm", "this model")
    if not path.read_text(encoding="utf-8", errors="replace").startswith("tree"):
        raise ValueError(f"{path.name} is no model of LightGBM: its files begin with 'tree'.")
    return _load(lambda path: as_forest(lightgbm.Booster(model_file=path)), path)


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
    kind = path.suffixes[-1].lower() if path.suffixes else ""
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


def library(name: str, what: str) -> Any:
    """Import a library that not everybody has, and say how to get it."""
    if find_spec(name) is None:
        raise ValueError(f"{what} needs {name}, which is not installed: pip install {name}.")
    return import_module(name)
