"""A model is asked in one way, whoever fitted it: what it may be asked is decided here.

Our trees and forests, any fitted model or pipeline with scikit-learn's manners, XGBoost's and
LightGBM's among them, and a bare function of a table: `as_model` makes a Model of each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from fi_teach.basics.convert import as_forest
from fi_teach.basics.convert.common import several_classes
from fi_teach.basics.encoding import as_codes
from fi_teach.basics.forest import Forest
from fi_teach.basics.losses import probability_columns
from fi_teach.basics.nominal import NominalTree
from fi_teach.basics.tables import Table, check_real_table, feature_names, in_order, some_names
from fi_teach.basics.tree import Tree, rows_for

OURS = (Tree, Forest, NominalTree)

PROBABILITIES_WANTED = (
    "this takes class probabilities, but {} gives none: use 'zero_one' for its labels, 'squared' "
    "or 'absolute' for its numbers, or pass a function that returns probabilities.")


@dataclass(frozen=True, eq=False)
class Model:
    """What may be asked of a model, made by as_model.

    given : the model or function itself
    names : the columns it was fitted on, in its order, or None where it does not know
    classes : its labels (K,), or None
    is_classifier : True, False, or None for a function, which does not say
    """

    given: Any
    names: tuple[str, ...] | None
    classes: NDArray | None
    is_classifier: bool | None

    @property
    def is_function(self) -> bool:
        """Is it a bare function, with nothing to ask but its answer?"""
        return not hasattr(self.given, "predict")

    def predict(self, X: ArrayLike, *, arranged: bool = False) -> NDArray:
        """Labels or numbers, or what the function returns: X (n, p) -> (n,) or (n, n_outputs).

        arranged : has X been through `arrange` before?
        """
        function = self.given if self.is_function else self.given.predict
        answers = _answers(function, X if arranged else self.arrange(X))
        if answers.ndim == 2 and self.is_classifier and not self.is_function:
            raise several_classes(self.given)
        return answers

    def probabilities(self, X: ArrayLike, *, arranged: bool = False) -> NDArray:
        """Class probabilities: X (n, p) -> (n, K), in the order of the classes.

        Of a function that returns one number a row, this is the second of two classes'.
        """
        function = self.given if self.is_function else getattr(self.given, "predict_proba", None)
        if not callable(function) or self.is_classifier is False:
            raise ValueError(PROBABILITIES_WANTED.format(type(self.given).__name__))
        table = X if arranged else self.arrange(X)
        return probability_columns(_answers(function, table))

    def raw(self, X: ArrayLike) -> NDArray:
        """What Shapley values explain: X (n, p) -> (n, n_outputs).

        A boosting model's margin; any other classifier's probabilities; else the prediction.
        """
        answers = _answers(_asked_raw(self), self.arrange(X))
        try:
            numbers = answers.astype(float)
        except (TypeError, ValueError):
            raise ValueError(
                f"the model returns labels such as {str(answers[0])!r}, which cannot be averaged: "
                "pass a model or a function that returns numbers or probabilities.") from None
        return numbers.reshape(len(numbers), -1)

    @cached_property
    def forest(self) -> Forest:
        """Its trees. Raises ValueError for a model that is not made of trees we can read."""
        return as_forest(getattr(self.given, "best_estimator_", self.given))

    @cached_property
    def asks_about(self) -> frozenset[int] | None:
        """The positions of the columns that any of its trees asks about, or None: unknown."""
        try:
            trees = self.forest.trees
        except ValueError:
            return None
        asked = np.concatenate([tree.feature[~tree.is_leaf] for tree in trees])
        return frozenset(np.unique(asked).tolist())

    def arrange(self, X: ArrayLike) -> Table:
        """X with its columns in the model's order, by name wherever both have names."""
        if not isinstance(X, pd.DataFrame | np.ndarray):
            X = check_real_table(X)
        if isinstance(X, pd.DataFrame) and self.names:
            X = in_order(X, self.names)
            _check_categories(self, X)
            return X
        _check_width(self.given, X)
        if isinstance(X, pd.DataFrame):
            owner = getattr(self.given, "__self__", self.given)
            numbered = _said_names(owner)
            if set(numbered) == set(feature_names(X)):  # the table has columns x0, x1, ... too
                return in_order(X, numbered)
            _check_numbers(owner, X)
            return X
        takes_arrays = isinstance(self.given, OURS) or _takes_codes(self.given)
        if self.is_function or self.names is None or takes_arrays:
            return X
        return pd.DataFrame(X, columns=list(self.names))

    def as_asked(self, X: Table, *, what: str = "X") -> Table:
        """An arranged table in the form that is quickest to ask about: our trees read arrays."""
        owner = getattr(self.given, "__self__", self.given)
        return rows_for(owner, X, what=what) if isinstance(owner, Tree | Forest) else X

    def column_names(self, X: Table) -> tuple[str, ...]:
        """What the columns of an arranged table are called: by itself, or else by the model."""
        if isinstance(X, pd.DataFrame) or self.names is None:
            return feature_names(X)
        return self.names


def as_model(model: object) -> Model:
    """Any model, or a function of a table, as a Model; a Model passes through.

    >>> halves = as_model(lambda X: X[:, 0] / 2)
    >>> halves.predict(np.array([[2.0], [4.0]])), halves.is_classifier
    (array([1., 2.]), None)
    """
    if isinstance(model, Model):
        return model
    if _is_booster(model):
        model = as_forest(model)
    if hasattr(model, "predict") and not isinstance(model, type):
        _check_fitted(model)
        return Model(model, _names_of(model), _classes_of(model), _is_classifier(model))
    if not callable(model) or isinstance(model, type):
        came = model.__name__ if isinstance(model, type) else type(model).__name__
        raise ValueError(
            f"the model is {came!r}, expected a function of a table (n, p) that returns n "
            "predictions, or a fitted model with a predict method.")
    return _of_function(model)


RAW_UNITS = {
    "logistic": "log-odds",
    "softmax": "log-odds (softmax scores)",
    "exp": "log of the prediction",
}


def raw_unit(forest: Forest) -> str:
    """What a forest's raw scores are counted in, and with them its Shapley values."""
    if forest.kind == "adaboost":
        return "share of the votes"
    if forest.link in RAW_UNITS:
        return RAW_UNITS[forest.link]
    return "units of the prediction" if forest.classes is None else "probability"


# --- asking ---


def _answers(function: Callable, X: Table) -> NDArray:
    """function(X) as an array with one finite answer (or row of answers) for each row of X."""
    try:
        answers = np.asarray(function(X))
    except (TypeError, ValueError) as error:
        owner = getattr(function, "__self__", None)
        if isinstance(error, ValueError) and (owner is None or isinstance(owner, OURS)):
            raise
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"the model cannot be asked about this table ({reason}): expected a function of one "
            "table (n, p), or a fitted model, and columns of the kind it was fitted on.") from error
    if answers.ndim == 2 and answers.shape[1] == 1:
        answers = answers[:, 0]
    if answers.ndim not in (1, 2) or len(answers) != len(X):
        raise ValueError(
            f"predict returned shape {answers.shape} for {len(X)} rows: "
            "expected one prediction a row.")
    finite = np.isfinite(answers) if answers.dtype.kind in "biuf" else pd.notna(answers)
    if not finite.all():
        raise ValueError(
            "predict returned NaN or infinite predictions, which cannot be judged: "
            "fill in missing values in X, or mend the model.")
    return answers


def _asked_raw(model: Model) -> Callable:
    """The function of a table that gives the raw score."""
    given = model.given
    if model.is_function:
        return given
    if isinstance(given, Tree | Forest):
        return given.raw
    if hasattr(given, "get_booster"):
        return lambda X: given.predict(X, output_margin=True)
    if hasattr(given, "booster_"):
        if "average_output" in given.booster_.model_to_string(num_iteration=1):
            return model.forest.raw  # a random forest's raw_score is the sum of its trees
        return lambda X: given.predict(X, raw_score=True)
    if hasattr(given, "learning_rate") and hasattr(given, "decision_function"):
        return given.decision_function
    if str(getattr(given, "loss", "")) in ("poisson", "gamma"):
        return lambda X: np.log(given.predict(X))
    if model.is_classifier and hasattr(given, "predict_proba"):
        return given.predict_proba
    return given.predict


# --- what it says about itself ---


def _of_function(function: Callable) -> Model:
    """A function knows what its owner knows, if it is a model's method such as model.predict."""
    owner = getattr(function, "__self__", None)
    if not hasattr(owner, "predict") or isinstance(owner, type) or _is_booster(owner):
        return Model(function, None, None, None)
    _check_fitted(owner)
    answers_in_classes = function.__name__ in ("predict", "predict_proba")
    classes = _classes_of(owner) if answers_in_classes else None
    is_classifier = _is_classifier(owner) if answers_in_classes else None
    return Model(function, _names_of(owner), classes, is_classifier)


def _is_booster(model: object) -> bool:
    """XGBoost's and LightGBM's bare boosters take tables of their own: we read their trees."""
    is_xgboost = hasattr(model, "inplace_predict")
    is_lightgbm = hasattr(model, "dump_model")
    return (is_xgboost or is_lightgbm) and not isinstance(model, type)


def _check_fitted(model: object) -> None:
    """Refuse a model with scikit-learn's manners that was never fitted."""
    if hasattr(model, "__sklearn_is_fitted__"):
        fitted = model.__sklearn_is_fitted__()
    elif hasattr(model, "get_params"):
        fitted = any(name.endswith("_") and not name.startswith("__") for name in vars(model))
    else:
        fitted = True
    if not fitted:
        raise ValueError(f"{type(model).__name__} is not fitted: call its fit(X, y) first.")


def _names_of(model: object) -> tuple[str, ...] | None:
    """The columns the model was fitted on; None if it was a table without names."""
    names = _said_names(model)
    stand_ins = ("x{}", "Column_{}") if isinstance(model, OURS) else ("Column_{}",)  # LightGBM's
    nameless = all(
        name in [word.format(j) for word in stand_ins] for j, name in enumerate(names))
    return None if nameless else names


def _said_names(model: object) -> tuple[str, ...]:
    """What the model calls its columns, none if it does not know."""
    said = model.names if isinstance(model, OURS) else getattr(model, "feature_names_in_", None)
    return () if said is None else tuple(map(str, said))


def _classes_of(model: object) -> NDArray | None:
    classes = getattr(model, "classes" if isinstance(model, OURS) else "classes_", None)
    if classes is None:
        classes = getattr(model, "classes", None)
    if isinstance(classes, list) and len(classes) and np.ndim(classes[0]) > 0:
        raise several_classes(model)
    return None if classes is None else np.asarray(classes)


def _is_classifier(model: object) -> bool | None:
    if _classes_of(model) is not None:
        return True
    knows_itself = isinstance(model, OURS) or hasattr(model, "get_params")
    return False if knows_itself else None


# --- columns ---


def _takes_codes(given: object) -> bool:
    """Does it read an array's columns of categories as codes, as XGBoost and LightGBM do?"""
    if hasattr(given, "get_booster"):
        return "c" in (given.get_booster().feature_types or ())
    return bool(getattr(getattr(given, "booster_", None), "pandas_categorical", None))


def _check_categories(model: Model, X: pd.DataFrame) -> None:
    """Refuse a word that XGBoost never saw: it would take it for the next one in the alphabet."""
    if not hasattr(model.given, "get_booster") or not _takes_codes(model.given):
        return
    try:
        words = model.forest.words
    except ValueError:  # not made of trees that we can read
        return
    known = {j: codes for j, codes in words.items() if codes}
    as_codes(X, known, takes_new_words=False)


def _check_width(given: object, X: Table) -> None:
    width = getattr(given, "n_features" if isinstance(given, OURS) else "n_features_in_", None)
    if width is not None and X.ndim == 2 and X.shape[1] != width:
        raise ValueError(
            f"X has {X.shape[1]} columns, the model was fitted on {width}: pass the same table, "
            "with the same columns in the same order.")


def _check_numbers(model: object, X: pd.DataFrame) -> None:
    """Refuse x0, x1, ... in another order than a model without names has."""
    given = feature_names(X)
    numbered = tuple(f"x{j}" for j in range(len(given)))
    in_order = given == numbered or set(given) != set(numbered)
    if not in_order and hasattr(model, "n_features_in_"):
        raise ValueError(
            f"X has the columns {some_names(given)}, in this order, but the model was fitted on a "
            "table without names, whose columns count as x0, x1, ...: put X's columns in the "
            "model's order and pass X.to_numpy().")
