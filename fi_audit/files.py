"""Read models and tables from files; a refusal says what came, what was expected, what to do."""

import json
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fi_teach.basics.model import as_model

WARNING = (
    "warning: {} is a pickle, and loading one runs whatever code it holds. Audit only files that "
    "you made or whose maker you trust.")
PICKLES = (".joblib", ".pkl", ".pickle")
XGBOOST = (".json", ".ubj")
LIGHTGBM = (".txt", ".lgb")


class LightGBMModel:
    """A model from LightGBM's own file, with scikit-learn's interface."""

    title = "LightGBM, from its own file"

    def __init__(self, booster: Any) -> None:
        self.booster = booster
        self.fitted_ = True
        self.feature_names_in_ = np.array(booster.feature_name(), dtype=object)
        described = booster.dump_model(num_iteration=1)
        self.objective = described["objective"].split()[0]
        if self.objective in ("binary", "multiclass", "multiclassova"):
            self.classes_ = np.arange(max(2, described["num_class"]))
            self.predict_proba = self._probabilities

    def get_params(self, deep: bool = True) -> dict:
        """Return no parameters: the model cannot be fitted again."""
        return {}

    def predict(self, X: pd.DataFrame) -> NDArray:
        if hasattr(self, "classes_"):
            return self.classes_[self._probabilities(X).argmax(axis=1)]
        return np.asarray(self.booster.predict(X))

    def _probabilities(self, X: pd.DataFrame) -> NDArray:
        said = np.asarray(self.booster.predict(X))
        return said if said.ndim == 2 else np.column_stack([1 - said, said])


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
    if kind in PICKLES:
        model = _unpickled(path)
    else:
        model = _xgboost(path) if kind in XGBOOST else _lightgbm(path)
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
    joblib = _library("joblib")
    model = _load(joblib.load, path)
    if not hasattr(model, "predict") and not callable(model):
        raise ValueError(f"{path.name} holds a {type(model).__name__}, which is no model.")
    return model


def _xgboost(path: Path) -> Any:
    xgboost = _library("xgboost")
    booster = _load(lambda path: xgboost.Booster(model_file=path), path)
    config = json.loads(booster.save_config())
    objective = config["learner"]["objective"]["name"]
    is_classification = objective.split(":")[0] in ("binary", "multi")
    model = xgboost.XGBClassifier() if is_classification else xgboost.XGBRegressor()
    model.load_model(path)
    return XGBoostModel(model, booster.feature_names)


class XGBoostModel:
    """A model from XGBoost's own file, which has no settings for fitting: it is not refitted."""

    title = "XGBoost, from its own file"

    def __init__(self, model: Any, names: list[str] | None) -> None:
        self.model = model
        self.fitted_ = True
        self.predict = model.predict
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        if hasattr(model, "n_classes_"):
            self.classes_ = np.asarray(model.classes_)
            self.predict_proba = model.predict_proba

    def get_params(self, deep: bool = True) -> dict:
        """Return no parameters: the model cannot be fitted again."""
        return {}


def _lightgbm(path: Path) -> LightGBMModel:
    lightgbm = _library("lightgbm")
    if not path.read_text(encoding="utf-8", errors="replace").startswith("tree"):
        raise ValueError(f"{path.name} is no model of LightGBM: its files begin with 'tree'.")
    return LightGBMModel(_load(lambda path: lightgbm.Booster(model_file=path), path))


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
    return pd.read_csv(path, sep="\t" if ".tsv" in path.suffixes else ",")


def _library(name: str) -> Any:
    if find_spec(name) is None:
        raise ValueError(f"this model needs {name}, which is not installed: pip install {name}.")
    return import_module(name)


def with_categories(model: Any, X: pd.DataFrame) -> pd.DataFrame:
    """Convert words to categories for a booster's own file, which knows no other words."""
    if not isinstance(model, LightGBMModel | XGBoostModel):
        return X
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])
             and not pd.api.types.is_datetime64_any_dtype(X[name])]
    return X.astype(dict.fromkeys(words, "category"))
